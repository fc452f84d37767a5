//! The tensors against the rows: both evaluators step by step, lazily and in full.

use std::{collections::BTreeMap, ops::Range, time::Instant};

use anyhow::ensure;
use serde_json::json;
use svmllm::{
    host::{Environment, Machine, Mode, Version},
    tables::{Dense, Indexed, Weights, alphabet::Region},
};

use super::{Options, Suite, Versions, by_name, progress_bar};
use crate::{
    case::Case,
    isa::{self, VERSIONS},
    machine::setup,
    report::{Mismatch, OracleVersion, Report, seconds_since},
};

/// Steps compared in each mode.
const STEPS: [(Mode, u64); 2] = [(Mode::Lazy, 20_000), (Mode::Full, 3_000)];
/// Executions of each opcode, at least.
pub const EACH: u64 = 20;

/// Steps taken, and how often each opcode was.
struct Progress {
    steps: u64,
    opcodes: [u64; 256],
}

/// Runs one case on both evaluators; the rows always run lazily, so that a full step of the tensors is
/// also compared with a lazy one.
fn compare(
    indexed: &Indexed,
    dense: &Dense,
    case: &Case,
    mode: Mode,
    progress: &mut Progress,
) -> anyhow::Result<()> {
    let mut rows = Machine::new(indexed, &case.program, &setup(case), &Environment::bare(), Mode::Lazy)?;
    let mut tensors = Machine::new(dense, &case.program, &setup(case), &Environment::bare(), mode)?;
    loop {
        let (a, b) = (rows.registers()?, tensors.registers()?);
        ensure!(a == b, "registers before a step: rows {a:x?}, tensors {b:x?}");
        if rows.will_execute()? {
            progress.steps += 1;
            progress.opcodes[usize::from(case.program.text[a[11] as usize * 8])] += 1;
        }
        let (a, b) = (rows.step()?.cloned(), tensors.step()?.cloned());
        ensure!(a == b, "after a step: rows {a:?}, tensors {b:?}");
        if a.is_some() {
            break;
        }
    }
    ensure!(rows.used()? == tensors.used()?, "units used");
    for region in [Region::Stack, Region::Heap, Region::Input] {
        ensure!(rows.bytes(region)? == tensors.bytes(region)?, "bytes of {region:?}");
    }
    Ok(())
}

/// A suite, and the indices that count.
type Part = (Box<dyn Suite>, Range<u64>);

/// The opcodes and the random programs of a version.
fn parts(version: Version, seed: u64) -> anyhow::Result<[Part; 2]> {
    if version == Version::V0 {
        let [opcodes, random] = [by_name("opcodes", seed)?, by_name("random", seed)?];
        let sizes = [opcodes.size(), random.size()];
        return Ok([(opcodes, 0..sizes[0]), (random, 0..sizes[1])]);
    }
    Ok(Versions::new(seed)
        .ranges(version)
        .map(|indices| -> (Box<dyn Suite>, _) { (Box::new(Versions::new(seed)), indices) }))
}

/// Runs the suite. A case is a program, in one mode.
///
/// # Errors
/// The weights cannot be used.
pub fn run(seed: u64, options: Options) -> anyhow::Result<Report> {
    let started = Instant::now();
    let weights = Weights::generate();
    let (indexed, dense) = (Indexed::new(&weights)?, Dense::new(&weights)?);
    let share = options.sample.map_or(1, |sample| (STEPS[0].1 / sample.max(1)).max(1));
    let steps: u64 = STEPS.iter().map(|(_, steps)| steps / share).sum();
    let bar = progress_bar("dense", steps * VERSIONS.len() as u64, options.progress);
    let (mut cases, mut mismatches, mut coverage) = (0, Vec::new(), serde_json::Map::new());
    for version in VERSIONS {
        for (mode, wanted) in STEPS {
            let mut progress = Progress { steps: 0, opcodes: [0; 256] };
            // Every form of every opcode a few times, then random programs.
            for (part, (mut suite, indices)) in parts(version, seed)?.into_iter().enumerate() {
                let stride = [13, 97][part] * share;
                for index in indices.step_by(stride as usize) {
                    if part == 1 && progress.steps >= wanted / share {
                        break;
                    }
                    let Some(case) = suite.case(index)? else { continue };
                    cases += 1;
                    let before = progress.steps;
                    if let Err(error) = compare(&indexed, &dense, &case, mode, &mut progress) {
                        let (text, rerun) = (format!("{mode:?}: {error:#}"), case.id.rerun());
                        mismatches.push(Mismatch { index, text, difference: None, rerun });
                    }
                    bar.inc(progress.steps - before);
                }
            }
            let opcodes: BTreeMap<&str, u64> = isa::opcodes(version)
                .iter()
                .map(|opcode| (opcode.name.as_str(), progress.opcodes[usize::from(opcode.code)]))
                .collect();
            let least = opcodes.values().min();
            if options.sample.is_none() {
                ensure!(
                    progress.steps >= wanted && least >= Some(&EACH),
                    "{mode:?}: {least:?} of an opcode of {version:?}"
                );
            }
            let counts = json!({ "steps": progress.steps, "least": least, "opcodes": opcodes });
            coverage.insert(format!("{version:?} {mode:?}").to_lowercase(), counts);
        }
    }
    bar.finish_and_clear();
    Ok(Report {
        suite: "dense",
        oracle: OracleVersion { name: "svmllm on its rows", version: env!("CARGO_PKG_VERSION") },
        svmllm: env!("CARGO_PKG_VERSION"),
        seed,
        evaluator: "dense".into(),
        cases,
        matched: cases - mismatches.len() as u64,
        mismatches,
        seconds: seconds_since(started),
        coverage: coverage.into(),
        rows: Vec::new(),
    })
}
