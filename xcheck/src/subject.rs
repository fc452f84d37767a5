//! What the suites check.

use anyhow::bail;

use svmllm::host::{Mode, svm::Rules};

use crate::{
    case::Case,
    machine,
    oracle::{Oracle, litesvm::LiteSvm, sbpf::Sbpf},
    outcome::Outcome,
    transaction::{self, Runtime},
};

/// A machine under test.
pub trait Subject {
    /// What it is, as the `evaluator` field of the results names it.
    fn name(&self) -> String;

    /// Runs one case from a fresh state.
    fn run(&mut self, case: &Case) -> anyhow::Result<Outcome>;
}

/// An oracle in the place of the subject, to test the suites themselves.
pub struct Reference<O>(
    /// The oracle.
    pub O,
);

impl<O: Oracle> Subject for Reference<O> {
    fn name(&self) -> String {
        "reference".into()
    }

    fn run(&mut self, case: &Case) -> anyhow::Result<Outcome> {
        self.0.run(case)
    }
}

/// Finds a subject by the name the command line gives it.
pub fn by_name(name: &str) -> anyhow::Result<Box<dyn Subject>> {
    match name {
        "indexed" => Ok(Box::new(machine::indexed(Mode::Lazy)?)),
        "indexed-full" => Ok(Box::new(machine::indexed(Mode::Full)?)),
        "dense" => Ok(Box::new(machine::dense(Mode::Lazy)?)),
        "dense-full" => Ok(Box::new(machine::dense(Mode::Full)?)),
        "reference" => Ok(Box::new(Reference(Sbpf::new()))),
        _ => bail!("there is no subject {name:?}"),
    }
}

/// Finds what runs transactions by some rules, by the name the command line gives it.
pub fn runtime_by_name(name: &str, rules: Rules) -> anyhow::Result<Box<dyn Runtime>> {
    match transaction::neural_by_name(name, rules) {
        Some(runtime) => runtime,
        None if name == "reference" => Ok(Box::new(LiteSvm::new())),
        None => bail!("there is nothing called {name:?} that runs transactions"),
    }
}
