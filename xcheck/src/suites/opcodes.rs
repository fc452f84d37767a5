//! Each opcode and operand form with 300 pairs of operands.

use super::Suite;
use crate::{
    case::{Case, CaseId},
    generate::opcodes,
};

/// The suite `opcodes`.
pub struct Opcodes {
    /// The seed of the pairs that are not edges.
    pub seed: u64,
}

impl Suite for Opcodes {
    fn name(&self) -> &'static str {
        "opcodes"
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn size(&self) -> u64 {
        opcodes::forms().len() as u64 * opcodes::PAIRS
    }

    fn case(&mut self, index: u64) -> anyhow::Result<Option<Case>> {
        Ok(Some(opcodes::case(CaseId { suite: self.name(), seed: self.seed, index })))
    }
}
