//! A layer: a token mixer, and hidden units.

use super::{
    super::{Checkpoint, shape::Shape, tensor::Tensor},
    LoadError, Tensors,
    attention::{self, Attention},
    delta::{self, Delta},
    sparse::Matrix,
};

/// Added to a mean of squares.
pub(super) const EPSILON: f32 = 1e-6;

enum Mixer {
    Delta(Delta),
    Attention(Attention),
}

/// A layer with its weights.
pub struct Layer {
    before: Vec<f32>,
    after: Vec<f32>,
    mixer: Mixer,
    gate: Matrix,
    up: Tensor,
    down: Matrix,
}

/// What a layer keeps of the tokens before.
#[derive(Clone)]
pub(super) enum Kept {
    Delta(delta::Rows),
    Attention(attention::Cache),
}

/// `x / (1 + exp(-x))`.
pub(super) fn silu(x: f32) -> f32 {
    // Beyond these, single precision gives these very values.
    if x >= 20.0 {
        x
    } else if x <= -90.0 || x == 0.0 {
        0.0
    } else {
        x / (1.0 + (-x).exp())
    }
}

pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Divides by the root of the mean of squares, and multiplies by the weights.
pub(super) fn normalize(x: &[f32], weights: &[f32], out: &mut [f32]) {
    let mean = x.iter().map(|x| x * x).sum::<f32>() / x.len() as f32;
    let factor = 1.0 / (mean + EPSILON).sqrt();
    for ((out, x), weight) in out.iter_mut().zip(x).zip(weights) {
        *out = x * factor * weight;
    }
}

impl Layer {
    /// Takes the weights of one layer of a checkpoint.
    ///
    /// # Errors
    /// A tensor is missing or has the wrong dimensions.
    pub fn new(checkpoint: &Checkpoint, index: usize) -> Result<Self, LoadError> {
        let (shape, tensors) = (&checkpoint.shape, Tensors(checkpoint));
        let (width, units) = (shape.width, shape.hidden_units);
        let name = |rest: &str| format!("model.layers.{index}.{rest}");
        let mixer = if Shape::is_attention(index) {
            Mixer::Attention(Attention::new(&tensors, shape, &name("self_attn"))?)
        } else {
            Mixer::Delta(Delta::new(&tensors, shape, &name("linear_attn"))?)
        };
        Ok(Self {
            before: tensors.norm(&name("input_layernorm.weight"), width)?,
            after: tensors.norm(&name("post_attention_layernorm.weight"), width)?,
            mixer,
            gate: Matrix::new(tensors.get(&name("mlp.gate_proj.weight"), &[units, width])?),
            up: tensors.get(&name("mlp.up_proj.weight"), &[units, width])?.clone(),
            down: Matrix::new(tensors.get(&name("mlp.down_proj.weight"), &[width, units])?),
        })
    }

    /// What is kept before the first token.
    pub(super) fn nothing(&self) -> Kept {
        match &self.mixer {
            Mixer::Delta(delta) => Kept::Delta(delta.rows()),
            Mixer::Attention(attention) => Kept::Attention(attention.cache()),
        }
    }

    /// Takes the residual streams of a whole text from before this layer to after it.
    pub fn pass(&self, rows: &mut [Vec<f32>]) {
        self.forward(&mut self.nothing(), 0, rows);
    }

    /// Takes the residual streams of tokens, the first of which is at `position`, to after this layer.
    pub(super) fn forward(&self, kept: &mut Kept, position: usize, rows: &mut [Vec<f32>]) {
        let mut normal = vec![0.0; self.before.len()];
        let mut gates = vec![0.0; self.up.rows.len()];
        for (position, x) in (position..).zip(rows) {
            normalize(x, &self.before, &mut normal);
            match (&self.mixer, &mut *kept) {
                (Mixer::Delta(delta), Kept::Delta(rows)) => delta.forward(rows, &normal, x),
                (Mixer::Attention(attention), Kept::Attention(cache)) => {
                    attention.forward(cache, position, &normal, x);
                }
                // A context of another model.
                _ => {}
            }
            normalize(x, &self.after, &mut normal);
            gates.fill(0.0);
            self.gate.multiply(&normal, &mut gates);
            for (unit, gate) in gates.iter().enumerate() {
                let open = silu(*gate);
                if open != 0.0 {
                    let weights = self.up.rows[unit].iter();
                    let up: f32 = weights.map(|(place, weight)| weight * normal[*place as usize]).sum();
                    self.down.add_column(unit, open * up, x);
                }
            }
        }
    }
}
