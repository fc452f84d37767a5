//! From names to tensors: gives columns their places and writes the weights.

use std::collections::BTreeMap;

use super::{
    BuildError,
    expr::{Column, Expr, literals},
    net::{EMBEDDING, EXACT, Net, Part, Time, mixer_of, units_of},
    shape::{Shape, VALUE_HEADS},
    tensor::Tensor,
};

/// The pinned columns' value.
const PIN: f64 = 1_099_511_627_776.0; // 2^40
/// silu(128 n) = 128 max(n, 0) for every integer n, in single precision.
const GAIN: f64 = 128.0;
/// Scale of stored values: so large that the constants added under roots vanish.
const STORED: f64 = 1024.0;
/// Scale of the logits.
pub(super) const LOGIT: f64 = 16.0;

/// The tensors of a network.
pub(super) fn tensors(net: &Net) -> Result<BTreeMap<String, Tensor>, BuildError> {
    if let Some(problem) = &net.problem {
        return Err(BuildError::Inconsistent(problem.clone()));
    }
    let places = Places::find(net)?;
    check_bounds(net)?;
    let mut all = BTreeMap::new();
    let shape = &net.shape;
    let root = (shape.width as f64 / shape.pins as f64).sqrt();

    let mut norm = vec![(PIN / root) as f32; shape.width];
    norm[0] = (1.0 / root - 1.0) as f32;
    norm[1..shape.pins].fill(-1.0);
    let mut last = vec![-1.0; shape.width];
    for column in &net.outputs {
        last[places.of(*column).unwrap_or(0)] = (LOGIT * PIN / root) as f32;
    }
    all.insert("model.norm.weight".to_owned(), Tensor::vector(&last));

    let mut embedding = Tensor::zeros(&[shape.vocabulary, shape.width]);
    for (id, terms) in net.embedding.iter().enumerate() {
        (0..shape.pins).for_each(|pin| embedding.rows[id].push((pin as u32, PIN as f32)));
        for (column, weight) in terms {
            if let Some(place) = places.of(*column) {
                embedding.add(id, place, *weight);
            }
        }
    }
    all.insert("model.embed_tokens.weight".to_owned(), embedding);

    for layer in 0..shape.layers {
        let mut put = |name: &str, tensor: Tensor| {
            all.insert(format!("model.layers.{layer}.{name}"), tensor);
        };
        put("input_layernorm.weight", Tensor::vector(&norm));
        put("post_attention_layernorm.weight", Tensor::vector(&norm));
        hidden(net, &places, layer, &mut put)?;
        if Shape::is_attention(layer) {
            attention(net, &places, layer, &mut put);
        } else {
            delta(net, &places, layer, &mut put)?;
        }
    }
    Ok(all)
}

fn add_row(places: &Places, tensor: &mut Tensor, row: usize, expr: &Expr, scale: f64) {
    tensor.add(row, 0, expr.constant * scale);
    for (column, weight) in &expr.terms {
        if let Some(place) = places.of(*column) {
            tensor.add(row, place, weight * scale);
        }
    }
}

fn hidden(
    net: &Net,
    places: &Places,
    layer: usize,
    put: &mut impl FnMut(&str, Tensor),
) -> Result<(), BuildError> {
    let shape = &net.shape;
    let (width, room) = (shape.width, shape.hidden_units);
    let units = &net.layers[layer].units;
    let erased = places.erased.get(&layer).map_or(&[][..], |list| list);
    let used = units.len() + erased.len();
    if used > room {
        return Err(BuildError::HiddenUnits { layer, used, room });
    }
    let mut gate = Tensor::zeros(&[room, width]);
    let mut up = Tensor::zeros(&[room, width]);
    let mut down = Tensor::zeros(&[width, room]);
    for (row, unit) in units.iter().enumerate() {
        add_row(places, &mut gate, row, &unit.gate, GAIN);
        add_row(places, &mut up, row, &unit.up, 1.0);
        for (column, weight) in &unit.outs {
            if let Some(place) = places.of(*column) {
                down.add(place, row, weight / GAIN);
            }
        }
    }
    for (row, place) in (units.len()..).zip(erased) {
        gate.add(row, 0, GAIN);
        up.add(row, *place, 1.0);
        down.add(*place, row, -1.0 / GAIN);
    }
    put("mlp.gate_proj.weight", gate);
    put("mlp.up_proj.weight", up);
    put("mlp.down_proj.weight", down);
    Ok(())
}

fn delta(
    net: &Net,
    places: &Places,
    layer: usize,
    put: &mut impl FnMut(&str, Tensor),
) -> Result<(), BuildError> {
    let shape = &net.shape;
    let (key_size, value_size) = (shape.key_size, shape.value_size);
    let keys = shape.key_heads * key_size;
    let values = VALUE_HEADS * value_size;
    let mut mixed = Tensor::zeros(&[2 * keys + values, shape.width]);
    let mut convolution = Tensor::zeros(&[2 * keys + values, 1, 4]);
    convolution.rows.iter_mut().for_each(|row| row.push((3, 1.0)));
    let mut strength = Tensor::zeros(&[VALUE_HEADS, shape.width]);
    let mut out = Tensor::zeros(&[shape.width, values]);
    let mut gates = Tensor::zeros(&[values, shape.width]);
    let shared = VALUE_HEADS / shape.key_heads;
    for rows in &net.layers[layer].rows {
        let mut head = 4 * rows.slot;
        for part in &rows.parts {
            for (bits, lags, outs) in chunks(part, value_size / 2) {
                if head == 4 * rows.slot + 4 {
                    return Err(BuildError::Inconsistent(format!(
                        "slot {} of layer {layer} is full",
                        rows.slot
                    )));
                }
                let key_head = head / shared;
                if shared == 1 || head % shared == 0 {
                    for (i, expr) in rows.query.iter().enumerate() {
                        add_row(places, &mut mixed, key_head * key_size + i, expr, GAIN);
                    }
                    for (i, expr) in rows.key.iter().enumerate() {
                        add_row(places, &mut mixed, keys + key_head * key_size + i, expr, GAIN);
                    }
                }
                let first = head * value_size;
                for pair in 0..value_size / 4 {
                    let lag = lags.get(2 * pair).copied().unwrap_or(0);
                    let at = |bit: usize| bits.get(2 * pair + bit).cloned().unwrap_or_default();
                    let both = [at(0), at(1)];
                    for value in 0..4 {
                        let channel = first + 4 * pair + value;
                        let literal = literals(&both, value);
                        let expr = &literal[0] + &literal[1] - 1.0;
                        add_row(places, &mut mixed, 2 * keys + channel, &expr, STORED);
                        if lag > 0 {
                            convolution.rows[2 * keys + channel] = vec![(3 - lag as u32, 1.0)];
                        }
                        for bit in (0..2).filter(|bit| value >> bit & 1 == 1) {
                            if let Some(place) =
                                outs.get(2 * pair + bit).and_then(|column| places.of(*column))
                            {
                                out.add(place, channel, 1.0);
                                gates.set(channel, 0, GAIN);
                            }
                        }
                    }
                }
                add_row(places, &mut strength, head, &(&part.write * 2.0 - 1.0), 2.0 * GAIN);
                head += 1;
            }
        }
    }
    put("linear_attn.in_proj_qkv.weight", mixed);
    put("linear_attn.in_proj_z.weight", gates);
    put("linear_attn.in_proj_b.weight", strength);
    put("linear_attn.in_proj_a.weight", Tensor::zeros(&[VALUE_HEADS, shape.width]));
    put("linear_attn.conv1d.weight", convolution);
    put("linear_attn.dt_bias", Tensor::vector(&[-200.0; VALUE_HEADS]));
    put("linear_attn.A_log", Tensor::vector(&[0.0; VALUE_HEADS]));
    // One entry in four of a value is 1, so the norm doubles it and the output gate multiplies it by the gain.
    put("linear_attn.norm.weight", Tensor::vector(&vec![(0.5 / GAIN) as f32; value_size]));
    put("linear_attn.out_proj.weight", out);
    Ok(())
}

/// The bits of a part head by head.
fn chunks(part: &Part, room: usize) -> impl Iterator<Item = (&[Expr], &[usize], &[Column])> {
    let bits = part.bits.chunks(room);
    let outs = part.outs.chunks(room);
    let lags = (0..).map(move |i| part.lags.get(i * room..).unwrap_or(&[]));
    bits.zip(lags).zip(outs).map(|((bits, lags), outs)| (bits, lags, outs))
}

fn attention(net: &Net, places: &Places, layer: usize, put: &mut impl FnMut(&str, Tensor)) {
    let shape = &net.shape;
    let size = shape.head_size;
    let rotary = shape.rotary();
    let mut query = Tensor::zeros(&[shape.query_heads * size * 2, shape.width]);
    let mut key = Tensor::zeros(&[shape.memory_heads * size, shape.width]);
    let mut value = Tensor::zeros(&[shape.memory_heads * size, shape.width]);
    let mut out = Tensor::zeros(&[shape.width, shape.query_heads * size]);
    for memory in &net.layers[layer].memories {
        let first = memory.head * size;
        key.add(first + shape.recency_pair, 0, memory.turning);
        for (i, expr) in memory.key.iter().enumerate() {
            add_row(places, &mut key, first + rotary + i, expr, 1.0);
        }
        for (i, expr) in memory.value.iter().enumerate() {
            add_row(places, &mut value, first + i, expr, 1.0);
        }
    }
    for asked in &net.layers[layer].queries {
        let first = asked.head * size * 2;
        query.add(first + rotary / 2 + shape.recency_pair, 0, asked.turning);
        for (i, expr) in asked.query.iter().enumerate() {
            add_row(places, &mut query, first + rotary + i, expr, 1.0);
        }
        for (column, entry) in &asked.outs {
            query.set(first + size + entry, 0, GAIN);
            if let Some(place) = places.of(*column) {
                out.add(place, asked.head * size + entry, 1.0);
            }
        }
    }
    put("self_attn.q_proj.weight", query);
    put("self_attn.k_proj.weight", key);
    put("self_attn.v_proj.weight", value);
    put("self_attn.o_proj.weight", out);
    let scale = (net.layers[layer].query_scale - 1.0) as f32;
    put("self_attn.q_norm.weight", Tensor::vector(&vec![scale; size]));
    put("self_attn.k_norm.weight", Tensor::vector(&vec![0.0; size]));
}

/// Nothing that a layer adds up may be too large to be exact.
fn check_bounds(net: &Net) -> Result<(), BuildError> {
    for (layer, described) in net.layers.iter().enumerate() {
        let mut sums: BTreeMap<Column, f64> = BTreeMap::new();
        for unit in described.units.iter().filter(|unit| !unit.fractions) {
            for (what, bound) in [("gate", net.bound(&unit.gate)), ("input", net.bound(&unit.up))] {
                if bound >= EXACT {
                    return Err(BuildError::TooLarge {
                        layer,
                        name: format!("{what} {:?}", unit.gate),
                        bound,
                    });
                }
            }
            for (column, weight) in &unit.outs {
                *sums.entry(*column).or_default() += weight.abs() * net.reach(unit);
            }
        }
        for (column, added) in sums {
            let bound = net.columns[column].bound + added;
            if bound >= EXACT {
                return Err(BuildError::TooLarge { layer, name: net.columns[column].name.clone(), bound });
            }
        }
    }
    Ok(())
}

/// The layer whose units erase what is used until this time.
const fn eraser(gone: Time) -> usize {
    ((gone - 1) / 2) as usize
}

/// Where columns are, and which are erased by the hidden units of which layer.
pub(super) struct Places {
    place: Vec<Option<usize>>,
    erased: BTreeMap<usize, Vec<usize>>,
}

impl Places {
    pub fn of(&self, column: Column) -> Option<usize> {
        self.place[column]
    }

    /// Columns in the order of their first use. A place is used again, after the units of the layer that needs
    /// it last have erased it, once no fresh place is left.
    pub(super) fn find(net: &Net) -> Result<Self, BuildError> {
        let shape = &net.shape;
        let mut place = vec![None; net.columns.len()];
        // For each place: from when to when it is used. An integer may be erased by the same units that write the next
        // one; a fraction has to be gone before, because a sum with it is rounded.
        let mut used: Vec<Vec<(Time, Time)>> = vec![Vec::new(); shape.width];
        let end = mixer_of(shape.layers) + 1;
        let mut spare: Vec<isize> =
            net.layers.iter().map(|layer| shape.hidden_units as isize - layer.units.len() as isize).collect();
        let mut free = shape.pins..shape.width;
        let lacking = || BuildError::Width { needed: net.columns.len(), width: shape.width };

        // The read-out shares its weights with the embedding, so what it reads comes in with every token.
        for column in &net.outputs {
            let at = free.next().ok_or_else(lacking)?;
            place[*column] = Some(at);
            let first = net.columns[*column].first_write.unwrap_or(end - 1);
            used[at] = vec![(EMBEDDING, units_of(0)), (first, end)];
            spare[0] -= 1;
        }
        let mut order: Vec<_> = (0..net.columns.len())
            .filter(|column| place[*column].is_none())
            .filter_map(|column| {
                let use_ = &net.columns[column];
                let first = use_.first_write.filter(|first| use_.last_read >= *first)?;
                Some((first, column))
            })
            .collect();
        order.sort_by_key(|(first, column)| (*first, std::cmp::Reverse(net.columns[*column].last_read)));
        for (first, column) in order {
            let layer = (net.columns[column].last_read.max(0) / 2) as usize;
            let gone = units_of(layer) + Time::from(net.columns[column].fraction);
            let fits = |spans: &[(Time, Time)]| spans.iter().all(|(from, to)| gone <= *from || *to <= first);
            let at = match free.next() {
                Some(at) => at,
                None => {
                    let reusable = (shape.pins..shape.width).filter(|at| fits(&used[*at]));
                    // Of those, the one whose erasure has most room; what is used later still erases this one.
                    let room = |at: &usize| {
                        let before = used[*at].iter().filter(|span| span.1 <= first).map(|span| span.1).max();
                        before.map_or(0, |time| spare[eraser(time)])
                    };
                    reusable.max_by_key(room).ok_or_else(lacking)?
                }
            };
            let before: Vec<_> = used[at].iter().filter(|span| span.1 <= first).map(|span| span.1).collect();
            if let Some(time) = before.into_iter().max() {
                spare[eraser(time)] -= 1;
            }
            used[at].push((first, gone));
            place[column] = Some(at);
        }
        let mut erased: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, spans) in used.iter().enumerate() {
            for (_, to) in spans {
                if spans.iter().any(|(from, _)| from >= to) {
                    erased.entry(eraser(*to)).or_default().push(at);
                }
            }
        }
        Ok(Self { place, erased })
    }
}
