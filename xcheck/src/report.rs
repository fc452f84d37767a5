//! The result of a suite, as `results/SUITE.json` holds it.

use std::{fs, path::Path};

use anyhow::Context;
use serde::Serialize;
use serde_json::Value;

use crate::outcome::Difference;

/// How many mismatches a report describes; the others are only counted.
pub const DESCRIBED: usize = 100;

/// Which oracle was asked.
#[derive(Clone, Debug, Serialize)]
pub struct OracleVersion {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// A case in which the subject did not do what the oracle did.
#[derive(Clone, Debug, Serialize)]
pub struct Mismatch {
    /// The case's index.
    pub index: u64,
    /// What happened, in words.
    pub text: String,
    /// The first difference, unless the subject failed altogether.
    pub difference: Option<Difference>,
    /// The command that runs the case alone.
    pub rerun: String,
}

/// The result of a suite.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The suite's name.
    pub suite: &'static str,
    /// The oracle.
    pub oracle: OracleVersion,
    /// The version of svmllm.
    pub svmllm: &'static str,
    /// The seed of the suite.
    pub seed: u64,
    /// The subject's name.
    pub evaluator: String,
    /// Cases compared.
    pub cases: u64,
    /// Cases in which nothing differed.
    pub matched: u64,
    /// The first mismatches.
    pub mismatches: Vec<Mismatch>,
    /// Wall-clock time.
    pub seconds: f64,
    /// What the suite reached.
    pub coverage: Value,
}

impl Report {
    /// Whether every case matched.
    pub fn is_clean(&self) -> bool {
        self.matched == self.cases
    }

    /// Writes `SUITE.json` into a directory.
    pub fn write(&self, directory: &Path) -> anyhow::Result<()> {
        let path = directory.join(format!("{}.json", self.suite));
        let text = serde_json::to_string_pretty(self)? + "\n";
        fs::create_dir_all(directory)?;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}
