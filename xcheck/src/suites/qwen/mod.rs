//! The Qwen3.5 checkpoint: every token of its answers against the reference's register traces.
//!
//! Answers are checked in one pass: given the draft that follows from the reference's trace, each token has to be
//! the one the model would have put. Here the model runs without its zeros; [`transformers`] has the same examples
//! checked by transformers.

mod examples;
mod sabotage;
mod transfer;
pub mod transformers;

use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufWriter, Write},
    path::Path,
    time::Instant,
};

use anyhow::Context;
use serde_json::{Map, Value, json};
use svmllm::export::qwen::{Checkpoint, run::Model, shape::Shape, tokens::Vocabulary};

use self::examples::{Example, Named, examples};
use super::{Options, progress_bar};
use crate::{
    oracle::{Oracle, sbpf::Sbpf},
    report::{DESCRIBED, Mismatch, OracleVersion, Report, seconds_since},
};

/// The suite's name.
pub const NAME: &str = "qwen";
/// Weights that are dropped, each alone.
const DROPPED: usize = 200;

/// Writes the examples for `xcheck/qwen/check.py`, one JSON object a line, and says how many there are.
///
/// # Errors
/// The reference cannot run a case, or the file cannot be written.
pub fn write_examples(path: &Path, shape: &Shape, seed: u64, sample: Option<u64>) -> anyhow::Result<usize> {
    let mut file = BufWriter::new(File::create(path).with_context(|| path.display().to_string())?);
    let examples = examples(shape, seed, sample)?;
    for example in &examples {
        serde_json::to_writer(&mut file, example)?;
        writeln!(file)?;
    }
    file.flush()?;
    Ok(examples.len())
}

/// Runs one example on the checkpoint of a shape, token by token; says what it puts and what differs.
///
/// # Errors
/// There is no such example, it does not fit the shape, or the reference cannot run it.
pub fn run_one(name: &str, shape: Shape, seed: u64) -> anyhow::Result<(Value, bool)> {
    let example = Named::find(name, seed)?.example(&shape, &mut Sbpf::new())?;
    let example = example.with_context(|| format!("{name} is refused, or too long for {}", shape.name))?;
    let vocabulary = Vocabulary::new(&shape);
    let model = Model::new(&Checkpoint::build(shape)?)?;
    let last = example.draft.last().copied();
    let started = Instant::now();
    let answer = model.generate(&example.prompt, example.draft.len() + 8, |token| Some(token) == last);
    let seconds = started.elapsed().as_secs_f64();
    let equal = answer == example.draft;
    let spell = |ids: &[u32]| ids.iter().map(|id| vocabulary.spell(*id)).collect::<Vec<_>>().join(" ");
    let mut report = json!({
        "name": name, "shape": model.shape().name, "instructions": example.instructions,
        "prompt_tokens": example.prompt.len(), "tokens": example.draft.len(), "all_equal": equal,
        "tokens_a_second": ((example.prompt.len() + answer.len()) as f64 / seconds).round(),
        "prompt": spell(&example.prompt), "answer": spell(&answer),
    });
    if !equal {
        report["expected"] = spell(&example.draft).into();
    }
    Ok((report, equal))
}

/// Runs the suite on both shapes; with a sample on the small one alone.
///
/// # Errors
/// A checkpoint cannot be built, or the reference cannot run a case.
pub fn run(seed: u64, options: Options) -> anyhow::Result<Report> {
    let started = Instant::now();
    let mut checked = Checked::default();
    let small = check(&Shape::small(), seed, options, &mut checked)?;
    let mut spoiled = sabotage::Count::default();
    if checked.mismatches.is_empty() {
        let dropped = if options.sample.is_some() { DROPPED / 20 } else { DROPPED };
        spoiled = sabotage::run(&Shape::small(), &small, seed, dropped, options.progress)?;
    }
    if options.sample.is_none() {
        check(&Shape::large(), seed, options, &mut checked)?;
    }
    checked.coverage.insert("sabotage".to_owned(), spoiled.to_json());
    let oracle = Sbpf::new();
    Ok(Report {
        suite: NAME,
        oracle: OracleVersion { name: oracle.name(), version: oracle.version() },
        svmllm: env!("CARGO_PKG_VERSION"),
        seed,
        evaluator: "the checkpoint without its zeros".to_owned(),
        cases: checked.cases,
        matched: checked.matched,
        mismatches: checked.mismatches,
        seconds: seconds_since(started),
        coverage: checked.coverage.into(),
        rows: Vec::new(),
    })
}

/// What was compared.
#[derive(Default)]
struct Checked {
    cases: u64,
    matched: u64,
    mismatches: Vec<Mismatch>,
    coverage: Map<String, Value>,
}

/// Checks all examples on one shape, and gives them.
fn check(shape: &Shape, seed: u64, options: Options, checked: &mut Checked) -> anyhow::Result<Vec<Example>> {
    let examples = examples(shape, seed, options.sample)?;
    let checkpoint = Checkpoint::build(shape.clone())?;
    let model = Model::new(&checkpoint)?;
    let vocabulary = Vocabulary::new(shape);
    let bar = progress_bar(NAME, examples.len() as u64, options.progress);
    let (mut instructions, mut prompt_tokens, mut tokens) = (0, 0, 0);
    let mut ends: BTreeMap<String, u64> = BTreeMap::new();
    let started = Instant::now();
    for (index, example) in (0..).zip(&examples) {
        bar.inc(1);
        instructions += example.instructions;
        prompt_tokens += example.prompt.len();
        tokens += example.draft.len();
        *ends.entry(example.draft.last().map_or(String::new(), |id| vocabulary.spell(*id))).or_default() += 1;
        match model.check(&example.prompt, &example.draft).as_slice() {
            [] => checked.matched += 1,
            [(at, next), rest @ ..] if checked.mismatches.len() < DESCRIBED => {
                checked.mismatches.push(Mismatch {
                    index,
                    text: format!(
                        "{}: token {at} is {} with the logit {}, not {}; {} differ",
                        example.name,
                        vocabulary.spell(next.token),
                        next.logit,
                        vocabulary.spell(example.draft[*at]),
                        1 + rest.len()
                    ),
                    difference: None,
                    rerun: format!(
                        "svmllm-xcheck qwen {} --shape {} --seed {seed}",
                        example.name, shape.name
                    ),
                })
            }
            _ => {}
        }
    }
    bar.finish_and_clear();
    let seconds = started.elapsed().as_secs_f64();
    let (parameters, nonzero) = checkpoint.parameters();
    checked.cases += examples.len() as u64;
    checked.coverage.insert(
        shape.name.to_owned(),
        json!({
            "examples": examples.len(), "instructions": instructions, "prompt_tokens": prompt_tokens,
            "tokens": tokens, "ends": ends, "parameters": parameters, "nonzero_parameters": nonzero,
            "tokens_a_second": ((prompt_tokens + tokens) as f64 / seconds).round(),
        }),
    );
    Ok(examples)
}
