//! A layer of full attention.

use super::{
    super::shape::Shape,
    LoadError, Tensors,
    layer::{EPSILON, sigmoid},
    sparse::{Matrix, active},
};

pub(super) struct Attention {
    query: Matrix,
    key: Matrix,
    value: Matrix,
    out: Matrix,
    query_norm: Vec<f32>,
    key_norm: Vec<f32>,
    /// Query heads in use, and for each the entries of its value that go on.
    heads: Vec<(usize, Vec<usize>)>,
    /// For each memory head: entries of keys and of values that may differ from 0.
    key_entries: Vec<Vec<usize>>,
    value_entries: Vec<Vec<usize>>,
    /// The angle a position adds, for each rotary pair.
    frequencies: Vec<f32>,
    query_heads: usize,
    size: usize,
}

/// Keys and values of the tokens so far, entry by entry.
#[derive(Clone)]
pub(super) struct Cache {
    keys: Vec<Vec<Vec<f32>>>,
    values: Vec<Vec<Vec<f32>>>,
}

impl Attention {
    pub fn new(tensors: &Tensors, shape: &Shape, name: &str) -> Result<Self, LoadError> {
        let (size, width, rotary) = (shape.head_size, shape.width, shape.rotary());
        let get = |rest: &str, dimensions: &[usize]| tensors.get(&format!("{name}.{rest}"), dimensions);
        let query = get("q_proj.weight", &[shape.query_heads * size * 2, width])?;
        let key = get("k_proj.weight", &[shape.memory_heads * size, width])?;
        let value = get("v_proj.weight", &[shape.memory_heads * size, width])?;
        let out = get("o_proj.weight", &[width, shape.query_heads * size])?;
        let mut used = vec![Vec::new(); shape.query_heads];
        let mut columns: Vec<usize> = out.rows.iter().flatten().map(|(place, _)| *place as usize).collect();
        columns.sort_unstable();
        columns.dedup();
        columns.into_iter().for_each(|column| used[column / size].push(column % size));
        let entries = |tensor| {
            let mut entries = vec![Vec::new(); shape.memory_heads];
            active(tensor).into_iter().for_each(|row| entries[row / size].push(row % size));
            entries
        };
        let mut key_entries = entries(key);
        for entries in &mut key_entries {
            // A rotation mixes the two entries of a pair.
            for pair in 0..rotary / 2 {
                let both = [pair, pair + rotary / 2];
                if both.iter().any(|entry| entries.contains(entry)) {
                    entries.extend(both);
                }
            }
            entries.sort_unstable();
            entries.dedup();
        }
        let norm = |rest: &str| tensors.norm(&format!("{name}.{rest}"), size);
        let frequency = |pair: usize| 1.0 / shape.rope_base().powf((2 * pair) as f32 / rotary as f32);
        Ok(Self {
            query: Matrix::new(query),
            key: Matrix::new(key),
            value: Matrix::new(value),
            out: Matrix::new(out),
            query_norm: norm("q_norm.weight")?,
            key_norm: norm("k_norm.weight")?,
            heads: used.into_iter().enumerate().filter(|(_, used)| !used.is_empty()).collect(),
            key_entries,
            value_entries: entries(value),
            frequencies: (0..rotary / 2).map(frequency).collect(),
            query_heads: shape.query_heads,
            size,
        })
    }

    pub fn cache(&self) -> Cache {
        let empty = |entries: &Vec<Vec<usize>>| entries.iter().map(|e| vec![Vec::new(); e.len()]).collect();
        Cache { keys: empty(&self.key_entries), values: empty(&self.value_entries) }
    }

    /// Norm and rotation of one head's query or key.
    fn prepare(&self, vector: &mut [f32], weights: &[f32], position: usize) {
        let mean = vector.iter().map(|x| x * x).sum::<f32>() / vector.len() as f32;
        let factor = 1.0 / (mean + EPSILON).sqrt();
        vector.iter_mut().zip(weights).for_each(|(x, weight)| *x = *x * factor * weight);
        let pairs = self.frequencies.len();
        for (pair, frequency) in self.frequencies.iter().enumerate() {
            let (x, y) = (vector[pair], vector[pair + pairs]);
            if x != 0.0 || y != 0.0 {
                let (sin, cos) = (position as f32 * frequency).sin_cos();
                vector[pair] = x * cos - y * sin;
                vector[pair + pairs] = y * cos + x * sin;
            }
        }
    }

    pub fn forward(&self, cache: &mut Cache, position: usize, x: &[f32], out: &mut [f32]) {
        let size = self.size;
        let memory_heads = self.key_entries.len();
        let mut keys = vec![0.0; memory_heads * size];
        self.key.multiply(x, &mut keys);
        let mut values = vec![0.0; memory_heads * size];
        self.value.multiply(x, &mut values);
        for head in 0..memory_heads {
            let key = &mut keys[head * size..(head + 1) * size];
            self.prepare(key, &self.key_norm, position);
            for (kept, entry) in cache.keys[head].iter_mut().zip(&self.key_entries[head]) {
                kept.push(key[*entry]);
            }
            for (kept, entry) in cache.values[head].iter_mut().zip(&self.value_entries[head]) {
                kept.push(values[head * size + entry]);
            }
        }
        if self.heads.is_empty() {
            return;
        }
        let mut queries = vec![0.0; self.query_heads * size * 2];
        self.query.multiply(x, &mut queries);
        let scale = (size as f32).powf(-0.5);
        let mut scores = vec![0.0; position + 1];
        for (head, used) in &self.heads {
            let (query, gates) = queries[head * size * 2..(head + 1) * size * 2].split_at_mut(size);
            self.prepare(query, &self.query_norm, position);
            let memory = head * memory_heads / self.query_heads;
            scores.resize(cache.keys[memory].first().map_or(0, Vec::len), 0.0);
            scores.fill(0.0);
            for (entry, kept) in self.key_entries[memory].iter().zip(&cache.keys[memory]) {
                let q = query[*entry];
                if q != 0.0 {
                    scores.iter_mut().zip(kept).for_each(|(score, k)| *score += q * k);
                }
            }
            let top = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max) * scale;
            let mut total = 0.0;
            let mut weights = Vec::new();
            for (at, score) in scores.iter().enumerate() {
                let below = score * scale - top;
                // What is further below has a weight of 0 in single precision.
                if below > -104.0 {
                    let weight = below.exp();
                    total += weight;
                    weights.push((at, weight));
                }
            }
            for entry in used {
                let Some(kept) = self.value_entries[memory].iter().position(|e| e == entry) else { continue };
                let kept = &cache.values[memory][kept];
                let read: f32 = weights.iter().map(|(at, weight)| weight / total * kept[*at]).sum();
                if read != 0.0 {
                    self.out.add_column(head * size + entry, read * sigmoid(gates[*entry]), out);
                }
            }
        }
    }
}
