//! A Gated DeltaNet layer.

use super::{
    super::{
        shape::{Shape, VALUE_HEADS},
        tensor::Tensor,
    },
    LoadError, Tensors,
    layer::{EPSILON, sigmoid, silu},
    sparse::{Matrix, active},
};

pub(super) struct Delta {
    mixed: Matrix,
    /// Channels of queries, keys and values that have weights.
    channels: Vec<usize>,
    convolution: Vec<[f32; 4]>,
    gates: Tensor,
    strength: Tensor,
    decay_input: Tensor,
    decay_rate: Vec<f32>,
    decay_bias: Vec<f32>,
    norm: Vec<f32>,
    out: Matrix,
    /// Value heads in use.
    heads: Vec<usize>,
    key_heads: usize,
    key_size: usize,
    value_size: usize,
}

/// What the layer keeps: the last inputs of the convolution, and each head's matrix.
#[derive(Clone)]
pub(super) struct Rows {
    window: [Vec<f32>; 3],
    states: Vec<Vec<f32>>,
}

impl Delta {
    pub fn new(tensors: &Tensors, shape: &Shape, name: &str) -> Result<Self, LoadError> {
        let keys = shape.key_heads * shape.key_size;
        let values = VALUE_HEADS * shape.value_size;
        let (all, width) = (2 * keys + values, shape.width);
        let get = |rest: &str, dimensions: &[usize]| tensors.get(&format!("{name}.{rest}"), dimensions);
        let mixed = get("in_proj_qkv.weight", &[all, width])?;
        let channels = active(mixed);
        let value_channels =
            |head: usize| 2 * keys + head * shape.value_size..2 * keys + (head + 1) * shape.value_size;
        let heads = (0..VALUE_HEADS)
            .filter(|head| value_channels(*head).any(|row| !mixed.rows[row].is_empty()))
            .collect();
        let convolution = get("conv1d.weight", &[all, 1, 4])?;
        let taps = |row: &Vec<(u32, f32)>| {
            let mut taps = [0.0; 4];
            row.iter().for_each(|(place, value)| taps[*place as usize] = *value);
            taps
        };
        Ok(Self {
            mixed: Matrix::new(mixed),
            channels,
            convolution: convolution.rows.iter().map(taps).collect(),
            gates: get("in_proj_z.weight", &[values, width])?.clone(),
            strength: get("in_proj_b.weight", &[VALUE_HEADS, width])?.clone(),
            decay_input: get("in_proj_a.weight", &[VALUE_HEADS, width])?.clone(),
            decay_rate: get("A_log", &[VALUE_HEADS])?.values(),
            decay_bias: get("dt_bias", &[VALUE_HEADS])?.values(),
            norm: get("norm.weight", &[shape.value_size])?.values(),
            out: Matrix::new(get("out_proj.weight", &[width, values])?),
            heads,
            key_heads: shape.key_heads,
            key_size: shape.key_size,
            value_size: shape.value_size,
        })
    }

    pub fn rows(&self) -> Rows {
        let state =
            |head: usize| if self.heads.contains(&head) { self.key_size * self.value_size } else { 0 };
        Rows {
            window: std::array::from_fn(|_| vec![0.0; self.convolution.len()]),
            states: (0..VALUE_HEADS).map(|head| vec![0.0; state(head)]).collect(),
        }
    }

    pub fn forward(&self, rows: &mut Rows, x: &[f32], out: &mut [f32]) {
        let mut now = vec![0.0; self.convolution.len()];
        self.mixed.multiply(x, &mut now);
        let mut mixed = vec![0.0; now.len()];
        for channel in &self.channels {
            let taps = &self.convolution[*channel];
            let before = (0..3).map(|i| taps[i] * rows.window[i][*channel]).sum::<f32>();
            mixed[*channel] = silu(before + taps[3] * now[*channel]);
        }
        rows.window.rotate_left(1);
        rows.window[2] = now;

        let keys = self.key_heads * self.key_size;
        let vectors: Vec<_> = (0..self.key_heads)
            .map(|head| {
                let part =
                    |first: usize| &mixed[first + head * self.key_size..first + (head + 1) * self.key_size];
                (unit(part(0), (self.key_size as f32).sqrt()), unit(part(keys), 1.0))
            })
            .collect();
        let dot =
            |row: &[(u32, f32)]| row.iter().map(|(place, weight)| weight * x[*place as usize]).sum::<f32>();
        for head in &self.heads {
            let size = self.value_size;
            let (query, key) = &vectors[head * self.key_heads / VALUE_HEADS];
            let first = 2 * keys + head * size;
            let value = &mixed[first..first + size];
            let state = &mut rows.states[*head];
            let strength = sigmoid(dot(&self.strength.rows[*head]));
            let input = dot(&self.decay_input.rows[*head]) + self.decay_bias[*head];
            let softplus = if input > 20.0 { input } else { input.exp().ln_1p() };
            let decay = (-self.decay_rate[*head].exp() * softplus).exp();
            if decay != 1.0 {
                state.iter_mut().for_each(|s| *s *= decay);
            }
            if strength != 0.0 {
                let mut change = value.to_vec();
                for (row, k) in key {
                    for (c, s) in change.iter_mut().zip(&state[row * size..]) {
                        *c -= s * k;
                    }
                }
                change.iter_mut().for_each(|c| *c *= strength);
                for (row, k) in key {
                    for (s, c) in state[row * size..].iter_mut().zip(&change) {
                        *s += k * c;
                    }
                }
            }
            let mut read = vec![0.0; size];
            for (row, q) in query {
                for (r, s) in read.iter_mut().zip(&state[row * size..]) {
                    *r += s * q;
                }
            }
            let mean = read.iter().map(|r| r * r).sum::<f32>() / size as f32;
            let factor = 1.0 / (mean + EPSILON).sqrt();
            for (i, r) in read.iter().enumerate().filter(|(_, r)| **r != 0.0) {
                let channel = head * size + i;
                let gate = silu(dot(&self.gates.rows[channel]));
                self.out.add_column(channel, self.norm[i] * (r * factor) * gate, out);
            }
        }
    }
}

/// The entries other than 0 of a vector of length 1, divided by `divisor`.
fn unit(x: &[f32], divisor: f32) -> Vec<(usize, f32)> {
    let factor = 1.0 / (x.iter().map(|x| x * x).sum::<f32>() + EPSILON).sqrt();
    let entries = x.iter().enumerate().filter(|(_, x)| **x != 0.0);
    entries.map(|(i, x)| (i, x * factor / divisor)).collect()
}
