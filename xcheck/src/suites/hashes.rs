//! The hash functions, against the crates that compute them natively.

use std::{hint::black_box, time::Instant};

use anyhow::ensure;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Map, json};
use svmllm::{
    deltanet::HeadsBoundary,
    tables::{Dense, Indexed, Weights},
};

use super::{Options, progress_bar};
use crate::{
    bench_programs::interleaved,
    hashes::Function,
    report::{DESCRIBED, Mismatch, OracleVersion, Report, Row, seconds_since},
};

/// Every length up to this is hashed.
const SHORT: usize = 300;
/// Lengths around blocks, chunks and subtrees, up to the largest.
const LONG: [usize; 16] = [
    1_023, 1_024, 1_025, 2_047, 2_048, 2_049, 3_073, 4_096, 4_097, 8_193, 10_240, 17_409, 33_000, 65_536,
    99_999, 102_400,
];
/// Longest message on tensors: some blocks.
const DENSE: usize = 200;
/// Rounds a median is taken of.
const ROUNDS: usize = 7;
/// Blocks of a measurement.
const BLOCKS: usize = 2_000;

/// A message, whole or in slices.
struct Case {
    function: Function,
    bytes: Vec<u8>,
    cuts: Vec<usize>,
}

impl Case {
    /// A message of random bytes; in slices where `cut` says so, empty ones among them.
    fn new(function: Function, length: usize, cut: bool, rng: &mut ChaCha8Rng) -> Self {
        let mut bytes = vec![0; length];
        rng.fill(&mut bytes[..]);
        let parts = if cut { rng.random_range(1..=9) } else { 0 };
        let mut cuts: Vec<usize> = (0..parts).map(|_| rng.random_range(0..=length)).collect();
        cuts.sort_unstable();
        Self { function, bytes, cuts }
    }

    fn check<E: HeadsBoundary>(&self, e: &E) -> anyhow::Result<()>
    where
        E::Error: Send + Sync,
    {
        let (mut slices, mut start) = (Vec::new(), 0);
        for &end in self.cuts.iter().chain([&self.bytes.len()]) {
            slices.push(&self.bytes[start..end]);
            start = end;
        }
        let (found, expected) = (self.function.weights(e, &slices)?, self.function.native(&self.bytes));
        let (name, length, cuts) = (self.function.name(), self.bytes.len(), &self.cuts);
        ensure!(
            found == expected,
            "{name} of {length} bytes cut at {cuts:?}: {}, expected {}",
            hex::encode(&found),
            hex::encode(&expected)
        );
        Ok(())
    }
}

/// Nanoseconds a block takes by the weights.
pub fn block_ns(function: Function, e: &Indexed) -> f64 {
    let mut blocks = function.blocks(e);
    let started = Instant::now();
    (0..BLOCKS).for_each(|_| blocks());
    started.elapsed().as_nanos() as f64 / BLOCKS as f64
}

/// Nanoseconds a block takes natively.
pub fn native_ns(function: Function) -> f64 {
    let bytes = vec![0x5a; BLOCKS * function.block()];
    let started = Instant::now();
    black_box(function.native(black_box(&bytes)));
    started.elapsed().as_nanos() as f64 / BLOCKS as f64
}

/// What a function's row is called.
pub fn row(function: Function) -> &'static str {
    match function {
        Function::Sha256 => "sha256_block",
        Function::Sha512 => "sha512_block",
        Function::Keccak256 => "keccak_f",
        Function::Blake3 => "blake3_block",
    }
}

/// Runs the suite. A case is a message.
///
/// # Errors
/// The weights cannot be used.
pub fn run(seed: u64, options: Options) -> anyhow::Result<Report> {
    let started = Instant::now();
    let weights = Weights::generate();
    let (indexed, dense) = (Indexed::new(&weights)?, Dense::new(&weights)?);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut cases = Vec::new();
    for function in Function::ALL {
        for length in (0..=SHORT).chain(LONG) {
            cases.extend([false, true].map(|cut| (Case::new(function, length, cut, &mut rng), false)));
        }
        let length = rng.random_range(0..=DENSE);
        cases.push((Case::new(function, length, true, &mut rng), true));
    }
    if let Some(wanted) = options.sample {
        let stride = (cases.len() / wanted.max(1) as usize).max(1);
        cases = cases.into_iter().step_by(stride).collect();
    }
    let bar = progress_bar("hashes", cases.len() as u64, options.progress);
    let mut mismatches = Vec::new();
    let (mut matched, mut on_tensors) = (0, 0);
    let mut bytes = Map::new();
    for (index, (case, tensors)) in cases.iter().enumerate() {
        bar.inc(1);
        on_tensors += u64::from(*tensors);
        let total = bytes.entry(case.function.name()).or_insert(json!(0));
        *total = json!(total.as_u64().unwrap_or(0) + case.bytes.len() as u64);
        match if *tensors { case.check(&dense) } else { case.check(&indexed) } {
            Ok(()) => matched += 1,
            Err(_) if mismatches.len() == DESCRIBED => {}
            Err(error) => mismatches.push(Mismatch {
                index: index as u64,
                text: format!("{error:#}"),
                difference: None,
                rerun: format!("svmllm-xcheck results hashes --seed {seed}"),
            }),
        }
    }
    bar.finish_and_clear();
    let rounds = if options.sample.is_some() { 1 } else { ROUNDS };
    let mut rows = Vec::new();
    for function in Function::ALL {
        let mut ours = || Ok(block_ns(function, &indexed));
        let mut theirs = || Ok(native_ns(function));
        let medians = interleaved(rounds, &mut [&mut ours, &mut theirs])?;
        rows.push(Row::new(row(function), medians[0], medians[1]));
    }
    Ok(Report {
        suite: "hashes",
        oracle: OracleVersion { name: "sha2, sha3, blake3", version: "0.10.9, 0.10.9, 1.8.7" },
        svmllm: env!("CARGO_PKG_VERSION"),
        seed,
        evaluator: "indexed, and dense where counted".into(),
        cases: cases.len() as u64,
        matched,
        mismatches,
        seconds: seconds_since(started),
        coverage: json!({
            "every length up to": SHORT,
            "lengths beyond": LONG,
            "bytes": bytes,
            "cases on tensors": on_tensors,
            "rounds": rounds,
        }),
        rows,
    })
}
