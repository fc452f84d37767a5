//! Random programs.

use super::Suite;
use crate::{
    case::{Case, CaseId},
    generate::random,
};

/// The suite `random`.
pub struct Random {
    /// The seed of the programs.
    pub seed: u64,
}

impl Suite for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn size(&self) -> u64 {
        10_000
    }

    fn case(&mut self, index: u64) -> anyhow::Result<Option<Case>> {
        Ok(Some(random::case(CaseId { suite: self.name(), seed: self.seed, index })))
    }
}
