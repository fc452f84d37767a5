//! The ELF loader against the reference's.

use std::time::Instant;

use serde_json::json;

use super::Options;
use crate::{
    elf::{self, load_times, shipped},
    oracle::sbpf,
    report::{Mismatch, OracleVersion, Report, Row, seconds_since},
};

/// Mutants compared, besides shipped programs, files made by hand and truncations.
const MUTANTS: usize = 50_000;
/// Rounds a median of load times is taken of.
const ROUNDS: usize = 9;

/// Runs the suite. A case is a file, loaded for execution and for deployment.
///
/// # Errors
/// The shipped programs cannot be found.
pub fn run(seed: u64, options: Options) -> anyhow::Result<Report> {
    let started = Instant::now();
    let mutants = options.sample.map_or(MUTANTS, |sample| sample as usize);
    let report = elf::run(mutants, seed)?;
    let rows = shipped()?
        .iter()
        .find(|program| program.name.contains("token_2022") || program.name.contains("token-2022"))
        .map(|program| {
            let times = load_times(&program.bytes, ROUNDS);
            Row::new("load_token_2022", times.svmllm.as_nanos() as f64, times.reference.as_nanos() as f64)
        })
        .into_iter()
        .collect();
    let mismatch = |(index, text): (usize, &String)| Mismatch {
        index: index as u64,
        text: text.clone(),
        difference: None,
        rerun: format!("svmllm-xcheck results elf --seed {seed}"),
    };
    Ok(Report {
        suite: "elf",
        oracle: OracleVersion { name: "solana-sbpf", version: sbpf::VERSION },
        svmllm: env!("CARGO_PKG_VERSION"),
        seed,
        evaluator: "host".into(),
        cases: report.cases as u64,
        matched: report.matched as u64,
        mismatches: report.mismatches.iter().enumerate().map(mismatch).collect(),
        seconds: seconds_since(started),
        coverage: json!({
            "shipped": report.shipped,
            "crafted": report.crafted,
            "truncations": report.truncations,
            "mutants": report.mutants,
            "loads by outcome": report.outcomes,
        }),
        rows,
    })
}
