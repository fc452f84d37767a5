//! The checkpoint in unmodified transformers, by `xcheck/qwen/check.py`.

use std::{env, ffi::OsString, fs, path::Path, process::Command, time::Instant};

use anyhow::{Context, ensure};
use serde::Deserialize;
use serde_json::{Map, Value};
use svmllm::export::qwen::{Checkpoint, shape::Shape};

use super::write_examples;
use crate::{
    oracle::{Oracle, sbpf::Sbpf},
    report::{Mismatch, OracleVersion, Report, seconds_since},
    suites::Options,
};

/// The suite's name.
pub const NAME: &str = "transformers";
/// Examples of each kind for the large shape, which takes ten times as long as the small one.
const LARGE_SAMPLE: u64 = 10;

/// What the script has to say.
#[derive(Deserialize)]
struct Figures {
    versions: Value,
    examples: u64,
    equal: u64,
    mismatches: Vec<String>,
    figures: Value,
}

/// Runs the suite on both shapes; with a sample on the small one alone. The program that the variable `PYTHON` names, or
/// else `python3`, has to have what `xcheck/qwen/requirements.txt` says.
///
/// # Errors
/// A checkpoint cannot be built, the reference cannot run a case, or the script fails.
pub fn run(seed: u64, options: Options) -> anyhow::Result<Report> {
    let started = Instant::now();
    let small = check(Shape::small(), seed, options.sample)?;
    let mut all = vec![("ci", small)];
    if options.sample.is_none() {
        all.push(("0.8b", check(Shape::large(), seed, Some(LARGE_SAMPLE))?));
    }
    let oracle = Sbpf::new();
    let mut report = Report {
        suite: NAME,
        oracle: OracleVersion { name: oracle.name(), version: oracle.version() },
        svmllm: env!("CARGO_PKG_VERSION"),
        seed,
        evaluator: "the checkpoint in transformers".to_owned(),
        cases: 0,
        matched: 0,
        mismatches: Vec::new(),
        seconds: 0.0,
        coverage: Value::Null,
        rows: Vec::new(),
    };
    let mut coverage = Map::new();
    for (shape, figures) in all {
        report.cases += figures.examples;
        report.matched += figures.equal;
        report.mismatches.extend((0..).zip(figures.mismatches).map(|(index, text)| Mismatch {
            index,
            rerun: format!("{NAME} of shape {shape}, seed {seed}: {text}"),
            text,
            difference: None,
        }));
        coverage.insert(shape.to_owned(), figures.figures);
        coverage.insert("versions".to_owned(), figures.versions);
    }
    report.coverage = coverage.into();
    report.seconds = seconds_since(started);
    Ok(report)
}

/// Writes a checkpoint and its examples, and has them checked.
fn check(shape: Shape, seed: u64, sample: Option<u64>) -> anyhow::Result<Figures> {
    let folder = tempfile::tempdir()?;
    let examples = folder.path().join("examples.jsonl");
    write_examples(&examples, &shape, seed, sample)?;
    Checkpoint::build(shape)?.save(folder.path())?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("qwen/check.py");
    let figures = folder.path().join("figures.json");
    let python = env::var_os("PYTHON").unwrap_or_else(|| OsString::from("python3"));
    let status = Command::new(&python)
        .arg(script)
        .args([folder.path(), &examples])
        .arg("--out")
        .arg(&figures)
        .status()
        .with_context(|| format!("cannot start {}", python.display()))?;
    ensure!(status.success() || figures.exists(), "check.py ended with {status}");
    Ok(serde_json::from_slice(&fs::read(&figures)?)?)
}
