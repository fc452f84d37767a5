//! Runs a checkpoint without its zeros.
//!
//! The layers are those of transformers' `Qwen3_5ForCausalLM`, in single precision: norms, gated delta rule with its
//! convolution, attention over everything before, SwiGLU, tied read-out. What is left out are products with a weight or
//! an activation that is 0, and attention weights that underflow to 0.

mod attention;
mod delta;
mod layer;
mod sparse;

pub use self::layer::Layer;
use self::layer::{Kept, normalize};
use super::{Checkpoint, layout::LOGIT, readout::ReadOut, shape::Shape, tensor::Tensor};

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

    /// The factors of a norm.
    fn norm(&self, name: &str, length: usize) -> Result<Vec<f32>, LoadError> {
        Ok(self.get(name, &[length])?.values().iter().map(|weight| 1.0 + weight).collect())
    }
}

/// The token that a model puts next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Next {
    /// The token.
    pub token: u32,
    /// Its logit.
    pub logit: f32,
}

impl Next {
    /// Whether this is the token, found by exact arithmetic: where activations are integers, logits are multiples of 16.
    pub fn confirms(&self, token: u32) -> bool {
        self.token == token && self.logit % LOGIT as f32 == 0.0
    }
}

/// Tokens that go through a layer before the next layer takes them.
const CHUNK: usize = 256;

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
    /// The residual stream of the last token.
    residual: Vec<f32>,
}

impl Model {
    /// Takes the weights of a checkpoint.
    ///
    /// # Errors
    /// A tensor is missing or has the wrong dimensions.
    pub fn new(checkpoint: &Checkpoint) -> Result<Self, LoadError> {
        let shape = checkpoint.shape.clone();
        let tensors = Tensors(checkpoint);
        let layers =
            (0..shape.layers).map(|index| Layer::new(checkpoint, index)).collect::<Result<_, _>>()?;
        let embedding = tensors.get("model.embed_tokens.weight", &[shape.vocabulary, shape.width])?.clone();
        let last = tensors.norm("model.norm.weight", shape.width)?;
        let seen: Vec<bool> = last.iter().map(|weight| *weight != 0.0).collect();
        let read_out = ReadOut::new(&embedding, &seen);
        Ok(Self { shape, embedding, layers, last, read_out })
    }

    /// The dimensions.
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The layers, in the order in which they come.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// A context without tokens.
    pub fn context(&self) -> Context {
        let layers = self.layers.iter().map(Layer::nothing).collect();
        Context { position: 0, layers, residual: vec![0.0; self.shape.width] }
    }

    /// The residual stream of tokens before the first layer. A number beyond the vocabulary counts as the last one.
    pub fn embed(&self, tokens: &[u32]) -> Vec<Vec<f32>> {
        let row = |token: &u32| {
            let mut row = vec![0.0; self.shape.width];
            self.embedding.fill((*token as usize).min(self.shape.vocabulary - 1), &mut row);
            row
        };
        tokens.iter().map(row).collect()
    }

    /// What the read-out sees of a token's residual stream after the last layer.
    pub fn seen(&self, residual: &[f32]) -> Vec<f32> {
        let mut seen = vec![0.0; residual.len()];
        normalize(residual, &self.last, &mut seen);
        seen
    }

    /// The token that follows one whose residual stream after the last layer is this.
    pub fn read(&self, residual: &[f32]) -> Next {
        let (token, logit) = self.read_out.largest(&self.seen(residual));
        Next { token, logit }
    }

    /// Puts tokens into the context, layer by layer; gives their residual streams after the last.
    fn pass(&self, context: &mut Context, tokens: &[u32]) -> Vec<Vec<f32>> {
        let mut rows = self.embed(tokens);
        for (layer, kept) in self.layers.iter().zip(&mut context.layers) {
            layer.forward(kept, context.position, &mut rows);
        }
        context.position += tokens.len();
        if let Some(last) = rows.last() {
            context.residual.clone_from(last);
        }
        rows
    }

    /// Puts tokens into the context.
    pub fn push(&self, context: &mut Context, tokens: &[u32]) {
        for chunk in tokens.chunks(CHUNK) {
            self.pass(context, chunk);
        }
    }

    /// The token that the model puts next.
    pub fn next(&self, context: &Context) -> Next {
        self.read(&context.residual)
    }

    /// Continues `prompt` until `stop` says so of a token, or for `limit` tokens.
    pub fn generate(&self, prompt: &[u32], limit: usize, stop: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut context = self.context();
        self.push(&mut context, prompt);
        let mut tokens = Vec::new();
        while tokens.len() < limit {
            let token = self.next(&context).token;
            tokens.push(token);
            if stop(token) {
                break;
            }
            self.push(&mut context, &[token]);
        }
        tokens
    }

    /// In one pass, for every place of a draft, the token that the model would have put there.
    pub fn answers(&self, prompt: &[u32], draft: &[u32]) -> Vec<Next> {
        let mut context = self.context();
        self.push(&mut context, prompt);
        let mut answers = vec![self.next(&context)];
        for chunk in draft.chunks(CHUNK) {
            answers.extend(self.pass(&mut context, chunk).iter().map(|row| self.read(row)));
        }
        answers.truncate(draft.len());
        answers
    }

    /// Checks a draft in one pass: the places where the model would have put another token than the draft has, or the
    /// same one but not by exact arithmetic.
    pub fn check(&self, prompt: &[u32], draft: &[u32]) -> Vec<(usize, Next)> {
        let places = self.answers(prompt, draft).into_iter().zip(draft).enumerate();
        places
            .filter(|(_, (next, drafted))| !next.confirms(**drafted))
            .map(|(at, (next, _))| (at, next))
            .collect()
    }
}
