//! Differential checks of `svmllm` against reference implementations.
//!
//! A [`Suite`](suites::Suite) turns indices into [`Case`]s, an [`Oracle`](oracle::Oracle) says what each
//! case must do, and a [`Subject`](subject::Subject) is what is being checked. [`suites::run`] puts the
//! three together and gives back a [`Report`](report::Report).

pub mod bank;
pub mod bench_programs;
pub mod bench_syscalls;
pub mod case;
pub mod coverage;
pub mod elf;
pub mod fixtures;
pub mod generate;
pub mod hashes;
pub mod isa;
pub mod machine;
pub mod oracle;
pub mod outcome;
pub mod paired;
pub mod report;
pub mod subject;
pub mod suites;
pub mod transaction;

pub use case::{Case, CaseId};
pub use outcome::{Difference, Outcome, compare};
pub use paired::Paired;

/// The seed of every suite unless another one is asked for.
pub const DEFAULT_SEED: u64 = 2026;
