//! Running suites of transactions.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    time::Instant,
};

use anyhow::Context;
use serde_json::json;

use super::{Runtime, TransactionCase, TransactionOutcome, compare};
use crate::{
    outcome::Difference,
    report::{DESCRIBED, Mismatch, OracleVersion, Report, Row, seconds_since},
    suites::{Options, panic_text, progress_bar, sampled},
};

/// A numbered set of transactions.
pub trait TransactionSuite {
    /// The suite's name, also that of its results file.
    fn name(&self) -> &'static str;

    /// The seed its cases are made from.
    fn seed(&self) -> u64;

    /// One more than the largest index.
    fn size(&self) -> u64;

    /// The case with this index, the same every time.
    fn case(&mut self, index: u64) -> anyhow::Result<TransactionCase>;

    /// The name of the part that an index belongs to.
    fn part(&self, index: u64) -> &'static str;

    /// Transactions whose time is worth knowing, and what they are called.
    fn timed(&self) -> Vec<(&'static str, TransactionCase)> {
        Vec::new()
    }
}

/// What one part of a suite came to.
#[derive(Default)]
struct Counts {
    cases: u64,
    matched: u64,
    /// Outcomes by instruction.
    outcomes: BTreeMap<String, BTreeMap<String, u64>>,
}

/// Runs a suite and compares the subject with the oracle, which `version` names, in every case.
///
/// # Errors
/// The suite or the oracle fails; what goes wrong in the subject is a mismatch.
pub fn run(
    suite: &mut dyn TransactionSuite,
    oracle: &mut dyn Runtime,
    version: OracleVersion,
    subject: &mut dyn Runtime,
    options: Options,
) -> anyhow::Result<Report> {
    let started = Instant::now();
    let indices = indices(suite, options.sample);
    let bar = progress_bar(suite.name(), indices.len() as u64, options.progress);
    let mut parts: BTreeMap<&'static str, Counts> = BTreeMap::new();
    let mut mismatches = Vec::new();
    for index in indices {
        bar.inc(1);
        let case = suite.case(index)?;
        let expected = oracle.run(&case).with_context(|| format!("the oracle cannot run {}", case.id))?;
        let counts = parts.entry(suite.part(index)).or_default();
        counts.cases += 1;
        *counts.outcomes.entry(case.name.clone()).or_default().entry(expected.label()).or_default() += 1;
        match check(&case, &expected, subject) {
            Ok(None) => counts.matched += 1,
            _ if mismatches.len() == DESCRIBED => {}
            verdict => mismatches.push(Mismatch {
                index,
                text: match &verdict {
                    Ok(difference) => {
                        let difference = difference.as_ref().expect("it differs");
                        format!("{} {:?}: {difference}", case.name, case.changes)
                    }
                    Err(error) => format!("{} {:?}: {error:#}", case.name, case.changes),
                },
                difference: verdict.ok().flatten(),
                rerun: case.id.rerun(),
            }),
        }
    }
    bar.finish_and_clear();
    let timed = if options.sample.is_none() { suite.timed() } else { Vec::new() };
    let rows = timed.iter().map(|(name, case)| row(name, case, oracle, subject)).collect::<Result<_, _>>()?;
    let coverage = parts.iter().map(|(part, counts)| {
        let Counts { cases, matched, outcomes } = counts;
        (*part, json!({"cases": cases, "matched": matched, "outcomes by instruction": outcomes}))
    });
    Ok(Report {
        suite: suite.name(),
        oracle: version,
        svmllm: env!("CARGO_PKG_VERSION"),
        seed: suite.seed(),
        evaluator: subject.name(),
        cases: parts.values().map(|counts| counts.cases).sum(),
        matched: parts.values().map(|counts| counts.matched).sum(),
        mismatches,
        seconds: seconds_since(started),
        coverage: coverage.collect::<BTreeMap<_, _>>().into_iter().map(|(k, v)| (k.to_owned(), v)).collect(),
        rows,
    })
}

/// Rounds a median of times is taken of, the oracle and the subject in turn.
const ROUNDS: usize = 51;

/// The times that a transaction takes.
///
/// # Errors
/// It does not run, or fails.
pub fn row(
    name: &'static str,
    case: &TransactionCase,
    oracle: &mut dyn Runtime,
    subject: &mut dyn Runtime,
) -> anyhow::Result<Row> {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        times[0].push(subject.time(case)?);
        times[1].push(oracle.time(case)?);
    }
    let [subject, oracle] = times.map(|mut times| {
        times.sort_unstable();
        times[ROUNDS / 2] as f64
    });
    Ok(Row::new(name, subject, oracle))
}

/// The indices to run; a sample takes as many of each part, since parts differ much in size.
fn indices(suite: &dyn TransactionSuite, sample: Option<u64>) -> Vec<u64> {
    let mut parts: Vec<(&str, u64)> = Vec::new();
    for index in 0..suite.size() {
        match parts.last_mut().filter(|(part, _)| *part == suite.part(index)) {
            Some((_, size)) => *size += 1,
            None => parts.push((suite.part(index), 1)),
        }
    }
    let each = sample.map(|sample| sample / parts.len() as u64);
    let mut start = 0;
    let mut indices = Vec::new();
    for (_, size) in parts {
        indices.extend(sampled(size, each).map(|within| start + within));
        start += size;
    }
    indices
}

/// Runs the subject on one case; a panic counts as an error.
///
/// # Errors
/// The subject fails.
pub fn check(
    case: &TransactionCase,
    expected: &TransactionOutcome,
    subject: &mut dyn Runtime,
) -> anyhow::Result<Option<Difference>> {
    match catch_unwind(AssertUnwindSafe(|| subject.run(case))) {
        Ok(outcome) => Ok(compare(expected, &outcome?)),
        Err(panic) => anyhow::bail!("panic: {}", panic_text(panic.as_ref())),
    }
}
