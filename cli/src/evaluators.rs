//! The evaluators, made when they are first needed.

use svmllm::tables::{Dense, Indexed, Weights};

use crate::session::{self, Job, Report, RunError, Watch};

/// What the steps run on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EvaluatorKind {
    /// Rows of the weights, chosen by the hidden unit that fires.
    #[default]
    Indexed,
    /// The tensors as they are.
    Dense,
}

/// Weights and the evaluators on them.
pub struct Evaluators {
    weights: Weights,
    indexed: Option<Indexed>,
    dense: Option<Dense>,
}

impl Evaluators {
    /// Evaluators on these weights.
    pub fn new(weights: Weights) -> Self {
        Self { weights, indexed: None, dense: None }
    }

    /// Runs a program to its end on the evaluator of this kind.
    pub fn run(&mut self, kind: EvaluatorKind, job: &Job<'_>, watch: Watch<'_>) -> Result<Report, RunError> {
        match kind {
            EvaluatorKind::Indexed => {
                let indexed = match &mut self.indexed {
                    Some(indexed) => indexed,
                    empty => empty.insert(Indexed::new(&self.weights)?),
                };
                session::run(indexed, job, watch)
            }
            EvaluatorKind::Dense => {
                let dense = match &mut self.dense {
                    Some(dense) => dense,
                    empty => empty.insert(Dense::new(&self.weights)?),
                };
                session::run(dense, job, watch)
            }
        }
    }

    /// Counts what the first `steps` instructions of a program cost; see [`session::count`].
    pub fn count(&self, job: &Job, steps: u64) -> Result<session::Cost, RunError> {
        session::count(Indexed::new(&self.weights)?, job, steps)
    }
}
