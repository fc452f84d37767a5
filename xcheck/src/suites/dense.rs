//! The tensors against the rows: both evaluators step by step, lazily and in full.

use std::time::Instant;

use anyhow::ensure;
use serde_json::json;
use svmllm::{
    host::{Machine, Mode, Version},
    tables::{Dense, Indexed, Weights, alphabet::Region},
};

use super::{Options, by_name, progress_bar};
use crate::{
    case::Case,
    isa,
    machine::setup,
    report::{Mismatch, OracleVersion, Report},
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
    let mut rows = Machine::new(indexed, &case.program, &setup(case), Mode::Lazy)?;
    let mut tensors = Machine::new(dense, &case.program, &setup(case), mode)?;
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

/// Runs the suite. A case is a program, in one mode.
///
/// # Errors
/// The weights cannot be used.
pub fn run(seed: u64, options: Options) -> anyhow::Result<Report> {
    let started = Instant::now();
    let weights = Weights::generate();
    let (indexed, dense) = (Indexed::new(&weights)?, Dense::new(&weights)?);
    let share = options.sample.map_or(1, |sample| (STEPS[0].1 / sample.max(1)).max(1));
    let bar = progress_bar("dense", STEPS.iter().map(|(_, steps)| steps / share).sum(), options.progress);
    let (mut cases, mut mismatches, mut coverage) = (0, Vec::new(), serde_json::Map::new());
    for (mode, wanted) in STEPS {
        let mut progress = Progress { steps: 0, opcodes: [0; 256] };
        // Every form of every opcode a few times, then random programs.
        for (name, stride) in [("opcodes", 13), ("random", 97)] {
            let mut suite = by_name(name, seed)?;
            for index in (0..suite.size()).step_by(stride * share as usize) {
                if name == "random" && progress.steps >= wanted / share {
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
        let least =
            isa::opcodes(Version::V0).iter().map(|opcode| progress.opcodes[usize::from(opcode.code)]).min();
        if options.sample.is_none() {
            ensure!(progress.steps >= wanted && least >= Some(EACH), "{mode:?}: {least:?} of an opcode");
        }
        let opcodes: serde_json::Map<String, serde_json::Value> = isa::opcodes(Version::V0)
            .iter()
            .map(|opcode| (opcode.name.clone(), progress.opcodes[usize::from(opcode.code)].into()))
            .collect();
        let counts = json!({ "steps": progress.steps, "least": least, "opcodes": opcodes });
        coverage.insert(format!("{mode:?}").to_lowercase(), counts);
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
        seconds: (started.elapsed().as_secs_f64() * 1e3).round() / 1e3,
        coverage: coverage.into(),
        rows: Vec::new(),
    })
}
