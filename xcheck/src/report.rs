//! The result of a suite, as `results/SUITE.json` holds it.

use std::{fs, path::Path, time::Instant};

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
    /// Measured times, in suites that measure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<Row>,
}

/// Seconds that have passed, to the millisecond.
pub fn seconds_since(started: Instant) -> f64 {
    thousandths(started.elapsed().as_secs_f64())
}

/// Rounded to three digits after the point.
fn thousandths(x: f64) -> f64 {
    (x * 1e3).round() / 1e3
}

/// A measured time next to the reference's.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What was measured.
    pub name: &'static str,
    /// Nanoseconds an instruction takes on the machine.
    pub svmllm_ns: f64,
    /// Nanoseconds it takes in the reference.
    pub reference_ns: f64,
    /// The first divided by the second.
    pub ratio: f64,
    /// Nanoseconds an instruction takes compiled by the reference's JIT, where that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jit_ns: Option<f64>,
}

impl Row {
    /// A row, rounded to three digits after the point.
    pub fn new(name: &'static str, svmllm_ns: f64, reference_ns: f64) -> Self {
        Self {
            name,
            svmllm_ns: thousandths(svmllm_ns),
            reference_ns: thousandths(reference_ns),
            ratio: thousandths(svmllm_ns / reference_ns),
            jit_ns: None,
        }
    }

    /// The same with the time the JIT's code takes.
    pub fn with_jit(self, jit_ns: f64) -> Self {
        Self { jit_ns: Some(thousandths(jit_ns)), ..self }
    }
}

impl Report {
    /// Whether every case matched.
    pub fn is_clean(&self) -> bool {
        self.matched == self.cases
    }

    /// Makes another suite's cases part of this one.
    pub fn absorb(&mut self, other: Report) {
        self.cases += other.cases;
        self.matched += other.matched;
        self.mismatches.extend(other.mismatches);
        self.seconds = thousandths(self.seconds + other.seconds);
        if let (Value::Object(coverage), Value::Object(more)) = (&mut self.coverage, other.coverage) {
            coverage.extend(more);
        }
    }

    /// Writes `SUITE.json` into a directory.
    pub fn write(&self, directory: &Path) -> anyhow::Result<()> {
        let path = directory.join(format!("{}.json", self.suite));
        let text = serde_json::to_string_pretty(self)? + "\n";
        fs::create_dir_all(directory)?;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}
