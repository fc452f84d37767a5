//! Speed next to the reference interpreter, in one process and in turn.

use std::time::{Duration, Instant};

use anyhow::ensure;
use serde_json::json;
use svmllm::{
    deltanet::HeadsBoundary,
    host::{Ended, Environment, Machine, Mode},
    tables::{Dense, Indexed, Weights},
};

use super::{Options, hashes, progress_bar};
use crate::{
    bench_programs::{self, interleaved, reference_ns},
    bench_syscalls,
    case::Case,
    hashes::Function,
    machine::setup,
    oracle::sbpf::{self, Sbpf},
    report::{OracleVersion, Report, Row, seconds_since},
};

/// Interleaved rounds a median is taken of.
const ROUNDS: usize = 7;
/// Iterations of a loop.
const ITERATIONS: u32 = 20_000;
/// Times a syscall is called.
const CALLS: u64 = 50;
/// Iterations of a loop on tensors.
const DENSE_ITERATIONS: u32 = 20;

/// Nanoseconds an instruction takes on the machine, setting up not counted.
///
/// # Errors
/// The program does not run to its end.
pub fn machine_ns<E: HeadsBoundary>(e: &E, case: &Case) -> anyhow::Result<f64>
where
    E::Error: Send + Sync,
{
    let mut machine = Machine::new(e, &case.program, &setup(case), &Environment::bare(), Mode::Lazy)?;
    let started = Instant::now();
    let ended = machine.run()?;
    let elapsed = started.elapsed();
    ensure!(matches!(ended, Ended::Exit(_)), "{ended:?}");
    Ok(elapsed.as_nanos() as f64 / machine.used()? as f64)
}

/// Runs the suite. A case is a row.
///
/// # Errors
/// A loop does not run.
pub fn run(seed: u64, options: Options) -> anyhow::Result<Report> {
    let started = Instant::now();
    let weights = Weights::generate();
    let built = Instant::now();
    let indexed = Indexed::new(&weights)?;
    let build = built.elapsed();
    let dense = Dense::new(&weights)?;
    let mut reference = Sbpf::untraced();
    let rounds = if options.sample.is_some() { 1 } else { ROUNDS };
    let loops = bench_programs::all(ITERATIONS);
    let bar = progress_bar("performance", loops.len() as u64 + 3, options.progress);
    let mut rows = Vec::new();
    for benchmark in &loops {
        let case = &benchmark.case;
        let mut ours = || machine_ns(&indexed, case);
        let mut theirs = || reference_ns(&mut reference, case);
        let medians = interleaved(rounds, &mut [&mut ours, &mut theirs])?;
        rows.push(Row::new(benchmark.name, medians[0], medians[1]));
        bar.inc(1);
    }
    if let Some(benchmark) = bench_programs::all(DENSE_ITERATIONS).first() {
        let case = &benchmark.case;
        let mut ours = || machine_ns(&dense, case);
        let mut theirs = || reference_ns(&mut reference, case);
        let medians = interleaved(rounds, &mut [&mut ours, &mut theirs])?;
        rows.push(Row::new("dense_alu64", medians[0], medians[1]));
        bar.inc(1);
    }
    for function in [Function::Sha256, Function::Keccak256] {
        let mut ours = || Ok(hashes::block_ns(function, &indexed));
        let mut theirs = || Ok(hashes::native_ns(function));
        let medians = interleaved(rounds, &mut [&mut ours, &mut theirs])?;
        rows.push(Row::new(hashes::row(function), medians[0], medians[1]));
    }
    for benchmark in bench_syscalls::all()? {
        let each = |total: Duration| total.as_nanos() as f64 / CALLS as f64;
        let mut ours = || benchmark.time(&indexed, CALLS).map(each);
        let mut theirs = || benchmark.native_time(CALLS).map(each);
        let medians = interleaved(rounds, &mut [&mut ours, &mut theirs])?;
        rows.push(Row::new(benchmark.name, medians[0], medians[1]));
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(Report {
        suite: "performance",
        oracle: OracleVersion {
            name: "solana-sbpf interpreter, and native code for blocks and syscalls",
            version: sbpf::VERSION,
        },
        svmllm: env!("CARGO_PKG_VERSION"),
        seed,
        evaluator: "indexed, and dense where named".into(),
        cases: rows.len() as u64,
        matched: rows.len() as u64,
        mismatches: Vec::new(),
        seconds: seconds_since(started),
        coverage: json!({
            "rounds": rounds,
            "iterations": ITERATIONS,
            "milliseconds to take the rows from the weights": build.as_secs_f64() * 1e3,
            "machine": machine(),
        }),
        rows,
    })
}

/// The processor, in words.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores, one thread used", model.unwrap_or("unknown processor"))
}
