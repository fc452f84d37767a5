//! A network described by names: columns, hidden units, delta-rule rows and exact-match attention.
//!
//! Nothing here knows of instructions. Columns of the residual stream get places only when everything is
//! described ([`layout`](super::layout)), because then it is known how long each is needed.

use super::{
    expr::{Column, Expr, one},
    shape::Shape,
};

/// Every sum of a layer must stay below this, so that single precision holds it exactly in any order.
pub(super) const EXACT: f64 = 16_777_216.0;

/// When something is written or read: before the first layer, then mixer and hidden units of each in turn.
pub(super) type Time = isize;

pub(super) const fn mixer_of(layer: usize) -> Time {
    2 * layer as Time
}

pub(super) const fn units_of(layer: usize) -> Time {
    2 * layer as Time + 1
}

/// The time of the embedding.
pub(super) const EMBEDDING: Time = -1;

/// A column of the residual stream.
#[derive(Clone, Debug)]
pub(super) struct ColumnUse {
    pub name: String,
    /// The largest absolute value.
    pub bound: f64,
    /// Whether it may be anything between integers. Added to something else, it would lose its last bits.
    pub fraction: bool,
    pub first_write: Option<Time>,
    pub last_write: Time,
    pub last_read: Time,
}

/// A hidden unit: `silu(gate) * up`, added to some columns.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub gate: Expr,
    pub up: Expr,
    pub outs: Vec<(Column, f64)>,
    /// Whether it works on fractions, so that the bounds of integers do not apply.
    pub fractions: bool,
}

/// Bits that a DeltaNet row holds.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub bits: Vec<Expr>,
    /// Written where this is at least 1, kept where it is at most 0.
    pub write: Expr,
    /// For each bit, how many tokens ago the written bit was.
    pub lags: Vec<usize>,
    pub outs: Vec<Column>,
}

/// Rows of bits under one key: four value heads of a DeltaNet layer.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub slot: usize,
    pub query: Vec<Expr>,
    pub key: Vec<Expr>,
    pub parts: Vec<Part>,
}

/// Keys and values that an attention layer keeps of every token.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub head: usize,
    pub key: Vec<Expr>,
    /// The part of the key that turns with the position.
    pub turning: f64,
    pub value: Vec<Expr>,
}

/// A query to such a memory.
#[derive(Clone, Debug)]
pub(super) struct Query {
    pub head: usize,
    pub query: Vec<Expr>,
    pub turning: f64,
    /// Columns, and the entry of the value that each gets.
    pub outs: Vec<(Column, usize)>,
}

/// A query head, the bits it asks for, and the columns that get entries of the value found.
pub(super) type Lookup<'a> = (usize, &'a [Expr], Vec<(&'a Expr, usize)>);

/// A layer.
#[derive(Clone, Debug, Default)]
pub(super) struct Layer {
    pub units: Vec<Unit>,
    pub rows: Vec<Rows>,
    pub memories: Vec<Memory>,
    pub queries: Vec<Query>,
    /// Weight of the query norm.
    pub query_scale: f64,
}

/// A network under construction. The first problem is kept and reported at the end.
pub(super) struct Net {
    pub shape: Shape,
    pub columns: Vec<ColumnUse>,
    pub layers: Vec<Layer>,
    /// For every token its coefficients.
    pub embedding: Vec<Vec<(Column, f64)>>,
    /// Columns that the read-out sees; tied, so that the embedding holds their weights.
    pub outputs: Vec<Column>,
    pub problem: Option<String>,
}

impl Net {
    pub fn new(shape: Shape) -> Self {
        Self {
            columns: Vec::new(),
            layers: vec![Layer::default(); shape.layers],
            embedding: vec![Vec::new(); shape.vocabulary],
            outputs: Vec::new(),
            problem: None,
            shape,
        }
    }

    pub fn complain(&mut self, problem: String) {
        self.problem.get_or_insert(problem);
    }

    /// A new column of integers up to `bound` in absolute value.
    pub fn number(&mut self, name: impl Into<String>, bound: f64) -> Expr {
        let last_read = EMBEDDING - 1;
        let last_write = EMBEDDING - 1;
        let (name, fraction, first_write) = (name.into(), false, None);
        self.columns.push(ColumnUse { name, bound, fraction, first_write, last_write, last_read });
        Expr::column(self.columns.len() - 1)
    }

    /// A new column of fractions up to `bound` in absolute value.
    pub fn fraction(&mut self, name: &str, bound: f64) -> Expr {
        let expr = self.number(name, bound);
        let column = self.target(&expr);
        self.columns[column].fraction = true;
        expr
    }

    /// New columns of integers.
    pub fn numbers(&mut self, name: &str, count: usize, bound: f64) -> Vec<Expr> {
        (0..count).map(|i| self.number(format!("{name}[{i}]"), bound)).collect()
    }

    /// New columns of bits.
    pub fn bits(&mut self, name: &str, count: usize) -> Vec<Expr> {
        self.numbers(name, count, 1.0)
    }

    /// A new column of a bit.
    pub fn bit(&mut self, name: &str) -> Expr {
        self.number(name, 1.0)
    }

    /// The column that an expression is.
    pub fn target(&mut self, expr: &Expr) -> Column {
        match expr.terms.first_key_value() {
            Some((column, 1.0)) if expr.terms.len() == 1 && expr.constant == 0.0 => *column,
            _ => {
                self.complain(format!("not a column: {expr:?}"));
                0
            }
        }
    }

    fn write(&mut self, column: Column, time: Time) {
        let use_ = &mut self.columns[column];
        use_.first_write = Some(use_.first_write.map_or(time, |first| first.min(time)));
        use_.last_write = use_.last_write.max(time);
    }

    fn read(&mut self, expr: &Expr, time: Time) {
        for column in expr.terms.keys() {
            let use_ = &mut self.columns[*column];
            if use_.first_write.is_none() || use_.last_write >= time {
                let problem = format!("{} is read at {time} but written at {}", use_.name, use_.last_write);
                self.problem.get_or_insert(problem);
            }
            use_.last_read = use_.last_read.max(time);
        }
    }

    /// The largest absolute value of an expression, partial sums included.
    pub fn bound(&self, expr: &Expr) -> f64 {
        expr.terms.iter().map(|(column, weight)| weight.abs() * self.columns[*column].bound).sum::<f64>()
            + expr.constant.abs()
    }

    /// The largest value that the gate of a unit lets through.
    fn largest(&self, expr: &Expr) -> f64 {
        let positive =
            expr.terms.iter().map(|(column, weight)| weight.max(0.0) * self.columns[*column].bound);
        (positive.sum::<f64>() + expr.constant).max(0.0)
    }

    /// The largest number that a unit adds to a column with coefficient 1.
    pub fn reach(&self, unit: &Unit) -> f64 {
        self.largest(&unit.gate) * self.bound(&unit.up)
    }

    /// Coefficients of a token on its input columns.
    pub fn embed(&mut self, id: usize, terms: impl IntoIterator<Item = (Expr, f64)>) {
        for (expr, weight) in terms {
            let column = self.target(&expr);
            self.write(column, EMBEDDING);
            self.embedding[id].push((column, weight));
        }
    }

    /// A column that the read-out sees.
    pub fn output(&mut self, name: &str, bound: f64) -> Expr {
        let expr = self.number(name, bound);
        let column = self.target(&expr);
        self.outputs.push(column);
        expr
    }

    /// Weights of a token in the read-out, on output columns.
    pub fn read_out(&mut self, id: usize, terms: impl IntoIterator<Item = (Expr, f64)>) {
        for (expr, weight) in terms {
            let column = self.target(&expr);
            match self.embedding[id].iter_mut().find(|(c, _)| *c == column) {
                Some(entry) => entry.1 += weight,
                None => self.embedding[id].push((column, weight)),
            }
        }
    }

    /// Adds `max(gate, 0) * up` to the columns, with coefficients.
    pub fn unit(&mut self, layer: usize, gate: &Expr, up: &Expr, outs: &[(&Expr, f64)]) {
        self.any_unit(layer, gate, up, outs, false);
    }

    /// As [`unit`](Self::unit), for fractions.
    pub fn fractional(&mut self, layer: usize, gate: &Expr, up: &Expr, outs: &[(&Expr, f64)]) {
        self.any_unit(layer, gate, up, outs, true);
    }

    fn any_unit(&mut self, layer: usize, gate: &Expr, up: &Expr, outs: &[(&Expr, f64)], fractions: bool) {
        let time = units_of(layer);
        self.read(gate, time);
        self.read(up, time);
        let outs = outs.iter().map(|(expr, weight)| (self.target(expr), *weight)).collect::<Vec<_>>();
        for (column, _) in &outs {
            self.write(*column, time);
        }
        self.layers[layer].units.push(Unit { gate: gate.clone(), up: up.clone(), outs, fractions });
    }

    /// Adds `max(gate, 0)`.
    pub fn relu(&mut self, layer: usize, gate: &Expr, outs: &[(&Expr, f64)]) {
        self.unit(layer, gate, &one(), outs);
    }

    /// Adds 1 where the integer `value` is at least `threshold`.
    pub fn step(&mut self, layer: usize, value: &Expr, threshold: f64, outs: &[(&Expr, f64)]) {
        let negative: Vec<_> = outs.iter().map(|(expr, weight)| (*expr, -weight)).collect();
        self.relu(layer, &(value - (threshold - 1.0)), outs);
        self.relu(layer, &(value - threshold), &negative);
    }

    /// Adds `up` where `value`, which a DeltaNet read may have left a little off an integer, is 1; adds
    /// nothing where it is 0 or less.
    pub fn clip(&mut self, layer: usize, value: &Expr, up: &Expr, outs: &[(&Expr, f64)]) {
        if self.shape.reads_exactly() {
            return self.unit(layer, value, up, outs);
        }
        let half: Vec<_> = outs.iter().map(|(expr, weight)| (*expr, weight * 0.5)).collect();
        let negative: Vec<_> = outs.iter().map(|(expr, weight)| (*expr, weight * -0.5)).collect();
        self.unit(layer, &(value * 4.0 - 1.0), up, &half);
        self.unit(layer, &(value * 4.0 - 3.0), up, &negative);
    }

    /// Bits that were read at this layer, exactly 0 or 1 from the next layer on.
    pub fn settle(&mut self, layer: usize, raw: Vec<Expr>) -> Vec<Expr> {
        if self.shape.reads_exactly() {
            return raw;
        }
        let name =
            raw.first().map(|e| self.target(e)).map_or(String::new(), |c| self.columns[c].name.clone());
        let settled = self.bits(&format!("{name} settled"), raw.len());
        for (from, to) in raw.iter().zip(&settled) {
            self.clip(layer, from, &one(), &[(to, 1.0)]);
        }
        settled
    }

    /// The first layer whose hidden units may use what [`settle`](Self::settle) gives at a layer.
    pub fn settled_at(&self, layer: usize) -> usize {
        if self.shape.reads_exactly() { layer } else { layer + 1 }
    }

    /// The numbers of `size` bits each that bits write. Only exact bits add up exactly.
    pub fn combine(&mut self, layer: usize, name: &str, bits: &[Expr], size: usize) -> Vec<Expr> {
        let numbers = self.numbers(name, bits.len() / size, f64::from((1_u32 << size) - 1));
        for (from, to) in bits.chunks(size).zip(&numbers) {
            self.unit(layer, &one(), &super::expr::number(from), &[(to, 1.0)]);
        }
        numbers
    }

    /// Reads rows of bits by `query`, after writing those of `key` that are to be written. A slot is a quarter
    /// of the layer's heads, so holds 64 bits at least.
    pub fn rows(
        &mut self,
        layer: usize,
        slot: usize,
        name: &str,
        (query, key): (Vec<Expr>, Vec<Expr>),
        parts: Vec<(Vec<Expr>, Expr, Vec<usize>)>,
    ) -> Vec<Vec<Expr>> {
        let time = mixer_of(layer);
        for expr in query.iter().chain(&key) {
            self.read(expr, time);
        }
        if query.len().max(key.len()) > self.shape.key_size {
            self.complain(format!("{name} has too many rows"));
        }
        let mut all = Vec::new();
        let mut described = Vec::new();
        for (index, (bits, write, lags)) in parts.into_iter().enumerate() {
            let read = self.bits(&format!("{name}{index}"), bits.len());
            self.read(&write, time);
            for bit in &bits {
                self.read(bit, time);
            }
            let outs: Vec<_> = read.iter().map(|expr| self.target(expr)).collect();
            for column in &outs {
                self.write(*column, time);
                self.columns[*column].fraction = !self.shape.reads_exactly();
            }
            described.push(Part { bits, write, lags, outs });
            all.push(read);
        }
        self.layers[layer].rows.push(Rows { slot, query, key, parts: described });
        all
    }

    /// What attention keeps of every token under one memory head.
    pub fn memory(&mut self, layer: usize, head: usize, key: Vec<Expr>, turning: f64, value: Vec<Expr>) {
        for expr in key.iter().chain(&value) {
            self.read(expr, mixer_of(layer));
        }
        let room = self.shape.head_size - self.shape.rotary();
        if key.len() > room || value.len() > self.shape.head_size {
            self.complain(format!("a key of {} entries in layer {layer}", key.len()));
        }
        self.layers[layer].memories.push(Memory { head, key, turning, value });
    }

    /// A query: adds entries of the value found to columns.
    pub fn query(
        &mut self,
        layer: usize,
        head: usize,
        query: Vec<Expr>,
        turning: f64,
        outs: &[(&Expr, usize)],
    ) {
        for expr in &query {
            self.read(expr, mixer_of(layer));
        }
        let outs = outs.iter().map(|(expr, entry)| (self.target(expr), *entry)).collect::<Vec<_>>();
        for (column, _) in &outs {
            self.write(*column, mixer_of(layer));
        }
        self.layers[layer].queries.push(Query { head, query, turning, outs });
    }

    /// Attention that finds the one token whose key has the same bits.
    ///
    /// `valid` marks the tokens that have a key. What no token has is 0, the value of the text's first token,
    /// whose flag is `first`.
    pub fn find(
        &mut self,
        layer: usize,
        (head, key, valid): (usize, &[Expr], &Expr),
        first: &Expr,
        value: Vec<Expr>,
        queries: &[Lookup],
    ) {
        // One of each pair is 1, so every key has the same norm. A query asks how many differ.
        let mut rails: Vec<Expr> = key.iter().flat_map(|b| [b.clone(), not_first(b, first)]).collect();
        let norm = (key.len() as f64 + 1.0).sqrt();
        rails.extend([valid.clone(), not_first(valid, first), first * norm]);
        self.memory(layer, head, rails, 0.0, value);
        for (query_head, bits, outs) in queries {
            let mut asked: Vec<Expr> = bits.iter().flat_map(|b| [b - 1.0, -b.clone()]).collect();
            asked.extend([Expr::default(), -one(), one() * (-0.5 / norm)]);
            self.query(layer, *query_head, asked, 0.0, outs);
        }
        self.layers[layer].query_scale = 16384.0;
    }
}

/// The opposite of a bit, and 0 for the first token.
pub(super) fn not_first(bit: &Expr, first: &Expr) -> Expr {
    1.0 - bit.clone() - first
}
