//! The loader against solana-sbpf's: shipped programs, files made for each error, and mutants of both.

mod bytes;
mod compose;
mod crafted;
mod draft;
mod mutate;
mod reference;
mod shipped;
mod timing;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::Result;
use serde::Serialize;
use svmllm::host::Program;
use svmllm::host::elf::{ElfError, LoadOptions, load};

pub use compose::compose;
pub use crafted::{Crafted, crafted};
pub use mutate::Mutants;
pub use reference::Reference;
pub use shipped::shipped;
pub use timing::{LoadTimes, load_times};

/// A file to load.
#[derive(Clone, Debug)]
pub struct File {
    /// Where it comes from: crate and file, or that it is ours.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// What a file is loaded for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Running it.
    Execution,
    /// Deploying it.
    Deployment,
}

/// A loader's error in the reference's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Name of the innermost variant.
    pub name: String,
    /// The whole text.
    pub detail: String,
}

/// Both loaders, for one purpose.
pub struct Pair {
    purpose: Purpose,
    options: LoadOptions,
    reference: Reference,
}

impl Pair {
    /// The loaders for a purpose, set up for the mainnet feature set.
    pub fn new(purpose: Purpose) -> Self {
        let options = match purpose {
            Purpose::Execution => LoadOptions::execution(),
            Purpose::Deployment => LoadOptions::deployment(),
        };
        Self { purpose, options, reference: Reference::new(purpose) }
    }

    /// Loads a file with both. Gives our result, or what differs.
    pub fn compare(&self, file: &[u8]) -> Result<Result<Program, ElfError>, String> {
        let ours = catch_unwind(|| load(file, &self.options)).map_err(|_| "ours panics".to_owned())?;
        let theirs = catch_unwind(AssertUnwindSafe(|| self.reference.load(file)))
            .map_err(|_| "the reference panics".to_owned())?;
        match (&ours, &theirs) {
            (Ok(ours), Ok(theirs)) => same_program(ours, theirs)?,
            (Err(error), Err(refusal)) => {
                let ours = Refusal { name: error.name().into(), detail: error.to_string() };
                if ours != *refusal {
                    return Err(format!("refused with {ours:?}, reference {refusal:?}"));
                }
            }
            (Ok(_), Err(refusal)) => return Err(format!("accepted, reference {refusal:?}")),
            (Err(error), Ok(_)) => return Err(format!("refused with {error:?}, reference accepts")),
        }
        Ok(ours)
    }
}

fn same_program(ours: &Program, theirs: &Program) -> Result<(), String> {
    let differs = [
        ("version", ours.version != theirs.version),
        ("text", ours.text != theirs.text),
        ("text address", ours.text_address != theirs.text_address),
        ("entry", ours.entry_pc != theirs.entry_pc),
        ("functions", ours.functions != theirs.functions),
        ("image", ours.image != theirs.image),
        ("image address", ours.image_address != theirs.image_address),
    ];
    match differs.into_iter().find(|(_, differs)| *differs) {
        Some((part, _)) => Err(format!("{part} differs")),
        None => Ok(()),
    }
}

/// What a run found. A case is one file loaded for execution and for deployment.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Seed of the mutants.
    pub seed: u64,
    /// Files compared.
    pub cases: usize,
    /// Of these, shipped programs.
    pub shipped: usize,
    /// Of these, files made by hand.
    pub crafted: usize,
    /// Of these, shipped programs and our own small files cut at the edge of a structure.
    pub truncations: usize,
    /// Of these, mutants.
    pub mutants: usize,
    /// Cases in which both loads were equal.
    pub matched: usize,
    /// What differed, with how to make the file again.
    pub mismatches: Vec<String>,
    /// Loads by outcome: `accepted` or the innermost error.
    pub outcomes: BTreeMap<String, usize>,
}

impl Report {
    fn add(&mut self, pairs: &[Pair], file: &[u8], describe: impl Fn() -> String) {
        self.cases += 1;
        let mut equal = true;
        for pair in pairs {
            match pair.compare(file) {
                Ok(outcome) => *self.outcomes.entry(outcome_name(&outcome)).or_default() += 1,
                Err(difference) => {
                    equal = false;
                    self.mismatches.push(format!("{}, {:?}: {difference}", describe(), pair.purpose));
                }
            }
        }
        self.matched += usize::from(equal);
    }
}

/// `accepted`, or the error's variant, with the variant of the parser's error inside it.
fn outcome_name(outcome: &Result<Program, ElfError>) -> String {
    match outcome {
        Ok(_) => "accepted".into(),
        Err(ElfError::FailedToParse(inner)) => {
            let debug = format!("{inner:?}");
            format!("FailedToParse {}", debug.split('(').next().unwrap_or_default())
        }
        Err(error) => error.name().into(),
    }
}

/// Compares all shipped and crafted files, all truncations, and `count` mutants.
///
/// A mutant depends only on the seed and its number, so [`Mutants::get`] makes that of a mismatch again.
///
/// # Errors
/// If the shipped programs cannot be found.
pub fn run(count: usize, seed: u64) -> Result<Report> {
    let pairs = [Pair::new(Purpose::Execution), Pair::new(Purpose::Deployment)];
    let (programs, crafted) = (shipped()?, crafted());
    let mut report =
        Report { seed, shipped: programs.len(), crafted: crafted.len(), mutants: count, ..Report::default() };
    for program in &programs {
        report.add(&pairs, &program.bytes, || program.name.clone());
    }
    for case in &crafted {
        report.add(&pairs, &case.bytes, || case.name.into());
    }
    let mutants = Mutants::new(programs, seed);
    for (bytes, name) in mutants.truncations() {
        report.add(&pairs, bytes, || name.clone());
        report.truncations += 1;
    }
    for number in 0..count as u64 {
        let (bytes, steps) = mutants.get(number);
        report.add(&pairs, &bytes, || format!("seed {seed} mutant {number} ({steps})"));
    }
    Ok(report)
}

#[cfg(test)]
mod tests;
