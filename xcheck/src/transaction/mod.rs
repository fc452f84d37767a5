//! Whole transactions: cases, outcomes, what runs them and what compares two that do.

mod banks;
mod case;
mod neural;
mod outcome;
mod run;
pub mod wire;

pub use banks::Banks;
pub use case::{
    Budget, Draft, LOG_LIMIT, Loader, ProgramFile, SHIPPED, Settings, Slot, TransactionCase, transaction,
};
pub use neural::{Neural, by_name as neural_by_name};
pub use outcome::{TransactionOutcome, compare};
pub use run::{TransactionSuite, check, row, run};

/// Something that runs transactions, the oracle or what is checked.
pub trait Runtime {
    /// Its name, as results name it.
    fn name(&self) -> String;

    /// Runs one case from a fresh state; fails when the case cannot be set up.
    fn run(&mut self, case: &TransactionCase) -> anyhow::Result<TransactionOutcome>;

    /// Nanoseconds that the case's transaction takes, without setting anything up.
    fn time(&mut self, case: &TransactionCase) -> anyhow::Result<u64>;
}
