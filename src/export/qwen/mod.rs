//! The machine as a checkpoint of Qwen3.5, a language model of Gated DeltaNet and attention layers.
//!
//! [`Checkpoint::build`] sets each weight; unmodified transformers loads what [`Checkpoint::save`] writes, and its
//! `generate()` gives the register trace of a program, token by token. One instruction is one frame of tokens; one pass
//! computes all of it, and its result leaves in limbs. [`run::Model`] runs the same weights without their zeros.
//!
//! - [`tokens`], [`prompt`], [`start`], [`draft`] and [`decode`] are the protocol: what tokens mean, prompts from
//!   programs, drafts from traces, and traces from answers.
//! - `machine` describes the network by names: columns of the residual stream, hidden units, rows of bits, exact
//!   matches. `net` holds such a description, `layout` turns it into tensors and checks every bound.
//! - [`shape`] has the dimensions: those of Qwen3.5-0.8B, and a small set for tests.
//!
//! Exactness: a few pinned columns make every norm a power of 2, `silu(128 n)` is `128 max(n, 0)` for integers in single
//! precision, keys are one-hot, and attention weights are exactly 0 or 1. So every activation that matters is an integer.

pub mod decode;
pub mod draft;
mod expr;
pub mod files;
mod layout;
mod machine;
mod net;
pub mod prompt;
mod readme;
mod readout;
pub mod run;
pub mod shape;
pub mod start;
pub mod tensor;
#[cfg(test)]
mod tests;
pub mod tokens;

use std::collections::BTreeMap;

use self::{shape::Shape, tensor::Tensor};

/// A shape that the machine does not fit, or a defect of its description.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// The description contradicts itself.
    #[error("the network is inconsistent: {0}")]
    Inconsistent(String),
    /// Too many hidden units.
    #[error("layer {layer} needs {used} hidden units and has {room}")]
    HiddenUnits {
        /// The layer.
        layer: usize,
        /// Units needed.
        used: usize,
        /// Units of the shape.
        room: usize,
    },
    /// Too many columns at a time.
    #[error("{needed} columns do not fit into a width of {width}")]
    Width {
        /// Columns in all.
        needed: usize,
        /// Width of the shape.
        width: usize,
    },
    /// A sum that single precision may not hold exactly.
    #[error("{name} in layer {layer} may reach {bound}")]
    TooLarge {
        /// The layer.
        layer: usize,
        /// What is too large.
        name: String,
        /// How large.
        bound: f64,
    },
}

/// A model: its shape and its tensors by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The dimensions.
    pub shape: Shape,
    /// The tensors, under the names that transformers gives them.
    pub tensors: BTreeMap<String, Tensor>,
}

impl Checkpoint {
    /// The machine in a shape.
    ///
    /// # Errors
    /// The machine does not fit.
    pub fn build(shape: Shape) -> Result<Self, BuildError> {
        let net = machine::describe(&shape);
        let tensors = layout::tensors(&net)?;
        Ok(Self { shape, tensors })
    }

    /// Entries of all tensors, zeros included; and those that are not zero.
    pub fn parameters(&self) -> (usize, usize) {
        self.tensors.values().fold((0, 0), |(all, nonzero), t| (all + t.len(), nonzero + t.nonzero()))
    }
}
