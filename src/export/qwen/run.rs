//! Runs a checkpoint without its zeros.
//!
//! The layers are those of transformers' `Qwen3_5ForCausalLM`, in single precision, one token after the other:
//! norms, gated delta rule with its convolution, attention over everything before, SwiGLU, tied read-out. What is
//! left out are products with a weight or an activation that is 0, and attention weights that underflow to 0.

mod attention;
mod delta;
mod sparse;

use self::{attention::Attention, delta::Delta, sparse::Matrix};
use super::{Checkpoint, readout::ReadOut, shape::Shape, tensor::Tensor};

/// Added to a mean of squares.
const EPSILON: f32 = 1e-6;

/// Tensors that do not make up a model of the shape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// A tensor is missing.
    #[error("there is no tensor {0}")]
    Missing(String),
    /// A tensor has other dimensions.
    #[error("tensor {name} has dimensions {found:?}, not {expected:?}")]
    Dimensions {
        /// The tensor.
        name: String,
        /// Its dimensions.
        found: Vec<usize>,
        /// Those of the shape.
        expected: Vec<usize>,
    },
}

/// The tensors of a checkpoint, with their dimensions checked.
struct Tensors<'a>(&'a Checkpoint);

impl<'a> Tensors<'a> {
    fn get(&self, name: &str, expected: &[usize]) -> Result<&'a Tensor, LoadError> {
        let tensor = self.0.tensors.get(name).ok_or_else(|| LoadError::Missing(name.to_owned()))?;
        if tensor.shape != expected {
            let (found, expected) = (tensor.shape.clone(), expected.to_vec());
            return Err(LoadError::Dimensions { name: name.to_owned(), found, expected });
        }
        Ok(tensor)
    }
}

enum Mixer {
    Delta(Delta),
    Attention(Attention),
}

struct Layer {
    before: Vec<f32>,
    after: Vec<f32>,
    mixer: Mixer,
    gate: Matrix,
    up: Tensor,
    down: Matrix,
}

/// A loaded model.
pub struct Model {
    shape: Shape,
    embedding: Tensor,
    layers: Vec<Layer>,
    last: Vec<f32>,
    read_out: ReadOut,
}

/// What a model keeps of the tokens before.
#[derive(Clone)]
pub struct Context {
    position: usize,
    layers: Vec<Kept>,
    hidden: Vec<f32>,
}

#[derive(Clone)]
enum Kept {
    Delta(delta::Rows),
    Attention(attention::Cache),
}

/// `x / (1 + exp(-x))`.
fn silu(x: f32) -> f32 {
    // Beyond these, single precision gives these very values.
    if x >= 20.0 {
        x
    } else if x <= -90.0 || x == 0.0 {
        0.0
    } else {
        x / (1.0 + (-x).exp())
    }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Divides by the root of the mean of squares, and multiplies by the weights.
fn normalize(x: &[f32], weights: &[f32], out: &mut [f32]) {
    let mean = x.iter().map(|x| x * x).sum::<f32>() / x.len() as f32;
    let factor = 1.0 / (mean + EPSILON).sqrt();
    for ((out, x), weight) in out.iter_mut().zip(x).zip(weights) {
        *out = x * factor * weight;
    }
}

impl Model {
    /// Takes the weights of a checkpoint.
    ///
    /// # Errors
    /// A tensor is missing or has the wrong dimensions.
    pub fn new(checkpoint: &Checkpoint) -> Result<Self, LoadError> {
        let shape = checkpoint.shape.clone();
        let tensors = Tensors(checkpoint);
        let (width, units) = (shape.width, shape.hidden_units);
        let norm = |name: &str, length: usize| -> Result<Vec<f32>, LoadError> {
            Ok(tensors.get(name, &[length])?.values().iter().map(|weight| 1.0 + weight).collect())
        };
        let mut layers = Vec::new();
        for layer in 0..shape.layers {
            let name = |rest: &str| format!("model.layers.{layer}.{rest}");
            let mixer = if Shape::is_attention(layer) {
                Mixer::Attention(Attention::new(&tensors, &shape, &name("self_attn"))?)
            } else {
                Mixer::Delta(Delta::new(&tensors, &shape, &name("linear_attn"))?)
            };
            layers.push(Layer {
                before: norm(&name("input_layernorm.weight"), width)?,
                after: norm(&name("post_attention_layernorm.weight"), width)?,
                mixer,
                gate: Matrix::new(tensors.get(&name("mlp.gate_proj.weight"), &[units, width])?),
                up: tensors.get(&name("mlp.up_proj.weight"), &[units, width])?.clone(),
                down: Matrix::new(tensors.get(&name("mlp.down_proj.weight"), &[width, units])?),
            });
        }
        let embedding = tensors.get("model.embed_tokens.weight", &[shape.vocabulary, width])?.clone();
        let last = norm("model.norm.weight", width)?;
        let seen: Vec<bool> = last.iter().map(|weight| *weight != 0.0).collect();
        let read_out = ReadOut::new(&embedding, &seen);
        Ok(Self { shape, embedding, layers, last, read_out })
    }

    /// The dimensions.
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// A context without tokens.
    pub fn context(&self) -> Context {
        let kept = self.layers.iter().map(|layer| match &layer.mixer {
            Mixer::Delta(delta) => Kept::Delta(delta.rows()),
            Mixer::Attention(attention) => Kept::Attention(attention.cache()),
        });
        Context { position: 0, layers: kept.collect(), hidden: vec![0.0; self.shape.width] }
    }

    /// Puts a token into the context. A number beyond the vocabulary counts as the last one.
    pub fn push(&self, context: &mut Context, token: u32) {
        let width = self.shape.width;
        let token = (token as usize).min(self.shape.vocabulary - 1);
        let mut x = vec![0.0; width];
        self.embedding.fill(token, &mut x);
        let mut normal = vec![0.0; width];
        let mut gates = vec![0.0; self.shape.hidden_units];
        for (layer, kept) in self.layers.iter().zip(&mut context.layers) {
            normalize(&x, &layer.before, &mut normal);
            match (&layer.mixer, kept) {
                (Mixer::Delta(delta), Kept::Delta(rows)) => delta.forward(rows, &normal, &mut x),
                (Mixer::Attention(attention), Kept::Attention(cache)) => {
                    attention.forward(cache, context.position, &normal, &mut x);
                }
                // A context of another model.
                _ => {}
            }
            normalize(&x, &layer.after, &mut normal);
            gates.fill(0.0);
            layer.gate.multiply(&normal, &mut gates);
            for (unit, gate) in gates.iter().enumerate() {
                let open = silu(*gate);
                if open != 0.0 {
                    let up: f32 = layer.up.rows[unit]
                        .iter()
                        .map(|(place, weight)| weight * normal[*place as usize])
                        .sum();
                    layer.down.add_column(unit, open * up, &mut x);
                }
            }
        }
        normalize(&x, &self.last, &mut context.hidden);
        context.position += 1;
    }

    /// The token that the model puts next, and its logit.
    pub fn next(&self, context: &Context) -> (u32, f32) {
        self.read_out.largest(&context.hidden)
    }

    /// Continues `prompt` until `stop` says so of a token, or for `limit` tokens.
    pub fn generate(&self, prompt: &[u32], limit: usize, stop: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut context = self.context();
        prompt.iter().for_each(|token| self.push(&mut context, *token));
        let mut tokens = Vec::new();
        while tokens.len() < limit {
            let (token, _) = self.next(&context);
            tokens.push(token);
            if stop(token) {
                break;
            }
            self.push(&mut context, token);
        }
        tokens
    }

    /// Checks a draft in one pass: where the model would have put another token than the draft has, and which.
    pub fn check(&self, prompt: &[u32], draft: &[u32]) -> Vec<(usize, u32)> {
        let mut context = self.context();
        prompt.iter().for_each(|token| self.push(&mut context, *token));
        let mut wrong = Vec::new();
        for (at, drafted) in draft.iter().enumerate() {
            let (token, _) = self.next(&context);
            if token != *drafted {
                wrong.push((at, token));
            }
            self.push(&mut context, *drafted);
        }
        wrong
    }
}
