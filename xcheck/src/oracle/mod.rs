//! Reference implementations, one file each.

pub mod external;
pub mod litesvm;
pub mod sbpf;

use crate::{case::Case, outcome::Outcome};

/// An implementation whose word is taken for the truth.
pub trait Oracle {
    /// The name of the implementation.
    fn name(&self) -> &'static str;

    /// Its version.
    fn version(&self) -> &'static str;

    /// Runs one case from a fresh state; fails when the case cannot be run at all, for instance because
    /// its program does not verify.
    fn run(&mut self, case: &Case) -> anyhow::Result<Outcome>;
}
