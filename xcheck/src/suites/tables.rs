//! Everything the rows are taken from, run through candle.

use std::time::Instant;

use serde_json::json;
use svmllm::tables::{Weights, verify};

use super::{Options, progress_bar};
use crate::report::{Mismatch, OracleVersion, Report, seconds_since};

/// Runs the suite. A case is one input of a layer or of a fused form.
///
/// # Errors
/// The weights cannot be used; a difference is a mismatch.
pub fn run(seed: u64, options: Options) -> anyhow::Result<Report> {
    let started = Instant::now();
    let weights = Weights::generate();
    let bar = progress_bar("tables", 50, options.progress);
    let mut checked = Vec::new();
    let verdict = verify(&weights, |layer| {
        bar.inc(1);
        checked.push(layer.clone());
    });
    bar.finish_and_clear();
    let matched: usize = checked.iter().map(|(_, inputs)| inputs).sum();
    let mismatches: Vec<Mismatch> = verdict
        .err()
        .map(|error| Mismatch {
            index: matched as u64,
            text: error.to_string(),
            difference: None,
            rerun: "svmllm-xcheck results tables".into(),
        })
        .into_iter()
        .collect();
    Ok(Report {
        suite: "tables",
        oracle: OracleVersion { name: "candle", version: "0.11.1" },
        svmllm: env!("CARGO_PKG_VERSION"),
        seed,
        evaluator: "indexed".into(),
        cases: (matched + mismatches.len()) as u64,
        matched: matched as u64,
        mismatches,
        seconds: seconds_since(started),
        coverage: json!({
            "weights": weights.digest(),
            "parameters": weights.parameters(),
            "non_zeros": weights.non_zeros(),
            "layers": checked.into_iter().collect::<std::collections::BTreeMap<_, _>>(),
        }),
        rows: Vec::new(),
    })
}
