//! Speed next to the reference interpreter, in one process and in turn.

use std::time::{Duration, Instant};

use anyhow::ensure;
use serde_json::{Value, json};
use svmllm::{
    deltanet::HeadsBoundary,
    host::{Ended, Environment, Machine, Mode, svm::Rules},
    tables::{Dense, Indexed, Weights},
};

use super::{
    Options, hashes,
    programs::{self, Programs},
    progress_bar,
};
use crate::{
    bench_programs::{self, interleaved, jit_ns, reference_ns},
    bench_syscalls,
    case::Case,
    hashes::Function,
    machine::setup,
    oracle::{
        litesvm::LiteSvm,
        sbpf::{self, Sbpf},
    },
    report::{OracleVersion, Report, Row, seconds_since},
    stages::{self, Stage},
    subject,
    transaction::{TransactionSuite, row},
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
    let mut jit = Sbpf::untraced();
    let rounds = if options.sample.is_some() { 1 } else { ROUNDS };
    let loops = bench_programs::all(ITERATIONS);
    let bar = progress_bar("performance", loops.len() as u64 + 3, options.progress);
    let mut rows = Vec::new();
    for benchmark in &loops {
        let case = &benchmark.case;
        let mut ours = || machine_ns(&indexed, case);
        let mut theirs = || reference_ns(&mut reference, case);
        let mut compiled = || jit_ns(&mut jit, case);
        let medians = interleaved(rounds, &mut [&mut ours, &mut theirs, &mut compiled])?;
        rows.push(Row::new(benchmark.name, medians[0], medians[1]).with_jit(medians[2]));
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
    rows.extend(token_transfer(seed)?);
    bar.finish_and_clear();
    let stages = stages::measure(&indexed)?;
    Ok(Report {
        suite: "performance",
        oracle: OracleVersion {
            name: "solana-sbpf interpreter, native code for blocks and syscalls, LiteSVM for the transaction",
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
            "stages of a step": shares(&stages),
        }),
        rows,
    })
}

/// A transfer by p-token as a whole transaction, next to LiteSVM.
fn token_transfer(seed: u64) -> anyhow::Result<Option<Row>> {
    let mut oracle = LiteSvm::new();
    let suite = Programs::new(seed, &mut oracle)?;
    let transfer = suite.timed().into_iter().find(|(name, _)| *name == programs::P_TOKEN_ROW);
    let mut subject = subject::runtime_by_name("indexed", Rules::LiteSvm)?;
    transfer.map(|(_, case)| row("token_transfer", &case, &mut oracle, subject.as_mut())).transpose()
}

/// Each stage with its nanoseconds and its share of their sum, in percent. Of the two examples of the stage
/// `execute` the sum has half of each.
fn shares(stages: &[Stage]) -> Value {
    let part = |stage: &Stage| if stage.name.starts_with("execute") { stage.ns / 2.0 } else { stage.ns };
    let sum: f64 = stages.iter().map(part).sum();
    let rounded = |x: f64| (x * 10.0).round() / 10.0;
    let entry = |stage: &Stage| json!({"ns": rounded(stage.ns), "share": rounded(100.0 * part(stage) / sum)});
    stages.iter().map(|stage| (stage.name.to_owned(), entry(stage))).collect()
}

/// The processor, in words.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores, one thread used", model.unwrap_or("unknown processor"))
}
