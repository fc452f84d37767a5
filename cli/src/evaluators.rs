//! The evaluators, made when they are first needed.

use std::ops::Range;

use svmllm::tables::{Dense, Indexed, Weights, WeightsError};

use crate::{
    session::{self, Job, Report, RunError, Traced, Watch},
    steps::Step,
};

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
            EvaluatorKind::Indexed => session::run(self.indexed()?, job, watch),
            EvaluatorKind::Dense => session::run(self.dense()?, job, watch),
        }
    }

    /// Records steps of a program; see [`session::trace`].
    pub fn trace(
        &mut self,
        kind: EvaluatorKind,
        job: &Job<'_>,
        steps: Range<u64>,
        progress: &mut dyn FnMut(u64) -> Result<(), RunError>,
        each: &mut dyn FnMut(Step) -> Result<(), RunError>,
    ) -> Result<Traced, RunError> {
        match kind {
            EvaluatorKind::Indexed => session::trace(self.indexed()?, job, steps, progress, each),
            EvaluatorKind::Dense => session::trace(self.dense()?, job, steps, progress, each),
        }
    }

    fn indexed(&mut self) -> Result<&Indexed, WeightsError> {
        Ok(match &mut self.indexed {
            Some(indexed) => indexed,
            empty => empty.insert(Indexed::new(&self.weights)?),
        })
    }

    fn dense(&mut self) -> Result<&Dense, WeightsError> {
        Ok(match &mut self.dense {
            Some(dense) => dense,
            empty => empty.insert(Dense::new(&self.weights)?),
        })
    }

    /// Counts what the first `steps` instructions of a program cost; see [`session::count`].
    pub fn count(&self, job: &Job, steps: u64) -> Result<session::Cost, RunError> {
        session::count(Indexed::new(&self.weights)?, job, steps)
    }
}
