//! What the page asks for, and what it gets.

use std::path::{Path, PathBuf};

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use base64::Engine;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use svmllm::{
    host::{Ended, Mode, Program, Setup, Version},
    tables::Weights,
};

use super::{
    App, MAX_BODY, MAX_INPUT, MAX_LAYERED, MAX_LAYERS, MAX_MILLISECONDS, MAX_STEPS, MAX_UNITS, work::Bounds,
};
use crate::{
    judge::{CodeAnswer, Finding, History, NoOpinion, Transaction, review},
    reply::{Outcome, Verdict},
    samples::{Code, SAMPLES, Sample, Takes},
    session::{self, Job, RunError, Watch},
    source::{self, SourceError},
    steps::Step,
    wire::{Hex, Number},
};

/// Why a request is not served.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It makes no sense.
    #[error("{0}")]
    Bad(String),
    /// It asks for too much.
    #[error("{0}")]
    TooLarge(String),
    /// Its run took too long.
    #[error("{0}")]
    Stopped(String),
    /// Too many others came first.
    #[error("the machine is busy; try again in a moment")]
    Busy,
    /// Our own fault.
    #[error("the run came to an unexpected end")]
    Internal,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = match self {
            Self::Bad(_) | Self::Stopped(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        };
        (status, Json(json!({ "error": self.to_string() }))).into_response()
    }
}

impl From<anyhow::Error> for Refusal {
    fn from(error: anyhow::Error) -> Self {
        Self::Bad(format!("{error:#}"))
    }
}

impl From<SourceError> for Refusal {
    fn from(error: SourceError) -> Self {
        Self::Bad(error.to_string())
    }
}

impl From<RunError> for Refusal {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Stopped(text) => Self::Stopped(text),
            other => Self::Bad(other.to_string()),
        }
    }
}

/// The weights, and what a request may ask for.
#[derive(Clone, Debug, Serialize)]
pub struct Info {
    version: &'static str,
    parameters: usize,
    non_zeros: usize,
    tensors: usize,
    digest: String,
    limits: Limits,
}

/// What a request may ask for.
#[derive(Clone, Debug, Serialize)]
struct Limits {
    body_bytes: usize,
    input_bytes: usize,
    compute_units: u64,
    milliseconds: u64,
    steps: u64,
}

impl Info {
    /// About these weights.
    pub fn new(weights: &Weights) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            parameters: weights.parameters(),
            non_zeros: weights.non_zeros(),
            tensors: weights.tensors().count(),
            digest: weights.digest(),
            limits: Limits {
                body_bytes: MAX_BODY,
                input_bytes: MAX_INPUT,
                compute_units: MAX_UNITS,
                milliseconds: MAX_MILLISECONDS,
                steps: MAX_STEPS,
            },
        }
    }
}

/// The programs that come with the command.
pub fn demos() -> Value {
    let demo = |sample: &Sample| {
        let takes = match &sample.takes {
            Takes::Numbers(names) => json!({ "kind": "numbers", "names": names }),
            Takes::List => json!({ "kind": "list" }),
            Takes::Bytes(_) => json!({ "kind": "text" }),
        };
        let source = match sample.code {
            Code::Assembly(text) => Some(text),
            Code::Elf(_) => None,
        };
        let presets: Vec<Value> = sample
            .presets
            .iter()
            .map(|preset| json!({ "label": preset.label, "arguments": preset.arguments }))
            .collect();
        json!({
            "name": sample.name, "about": sample.about, "takes": takes, "presets": presets, "source": source,
        })
    };
    SAMPLES.iter().map(demo).collect()
}

/// The results of the suites, without their mismatches: those in the folder and those of other references, each in a
/// folder in it.
pub fn results(folder: &Path) -> Result<Value, Refusal> {
    /// Longest results file read, in bytes.
    const MAX_RESULTS: usize = 8 << 20;
    let unreadable = |error| Refusal::Bad(format!("no results in {}: {error}", folder.display()));
    let entries = |folder: &Path| -> std::io::Result<Vec<PathBuf>> {
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect()
    };
    let mut paths = entries(folder).map_err(unreadable)?;
    for path in paths.clone() {
        if path.is_dir() {
            paths.extend(entries(&path).map_err(unreadable)?);
        }
    }
    let mut results = Vec::new();
    for path in paths {
        if path.is_dir() || path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let read = source::read_file(&path, MAX_RESULTS).map_err(unreadable)?;
        let mut result: Value = serde_json::from_slice(&read)
            .map_err(|error| Refusal::Bad(format!("{}: {error}", path.display())))?;
        let mismatches = result["mismatches"].as_array().map(Vec::len);
        result["mismatches"] = json!(mismatches);
        results.push(result);
    }
    let text = |value: &Value| value.as_str().map(str::to_owned);
    results.sort_by_key(|result| (text(&result["suite"]), text(&result["oracle"]["version"])));
    Ok(results.into())
}

/// A program with what it starts from.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// The name of a demo.
    demo: Option<String>,
    /// Arguments of the demo.
    arguments: Option<Vec<String>>,
    /// Assembly.
    asm: Option<String>,
    /// An ELF file, in base64.
    elf: Option<String>,
    /// The input region, if not from arguments.
    input: Option<Hex>,
    /// Compute units to spend.
    compute_units: Option<Number>,
}

impl Start {
    fn ready(&self) -> Result<(Program, Setup, Option<&'static Sample>), Refusal> {
        let mut sample = None;
        let program = match (&self.demo, &self.asm, &self.elf) {
            (Some(name), None, None) => {
                let found = Sample::find(name);
                let found = found.ok_or_else(|| Refusal::Bad(format!("there is no demo {name:?}")))?;
                sample = Some(found);
                found.program()?
            }
            (None, Some(text), None) => source::assemble(text, Version::V0)?,
            (None, None, Some(file)) => {
                let file = base64::engine::general_purpose::STANDARD.decode(file);
                let file = file.map_err(|error| Refusal::Bad(format!("base64: {error}")))?;
                source::load_elf(&file, false).map_err(SourceError::from)?
            }
            _ => return Err(Refusal::Bad("exactly one of demo, asm and elf is needed".into())),
        };
        let input = match (sample, &self.input) {
            (Some(sample), None) => {
                sample.takes.input(self.arguments.as_deref().unwrap_or_default(), sample.presets)?
            }
            (_, input) => input.clone().unwrap_or_default().0,
        };
        if input.len() > MAX_INPUT {
            let text = format!("an input of {} bytes is too long: at most {MAX_INPUT}", input.len());
            return Err(Refusal::TooLarge(text));
        }
        let budget = units(self.compute_units)?;
        Ok((program, Setup { input, budget, ..Setup::default() }, sample))
    }
}

/// Compute units asked for, if they are not too many.
fn units(asked: Option<Number>) -> Result<u64, Refusal> {
    match asked.map_or(Setup::default().budget, |units| units.0) {
        units if units > MAX_UNITS => {
            Err(Refusal::TooLarge(format!("{units} compute units are too many: at most {MAX_UNITS}")))
        }
        units => Ok(units),
    }
}

/// A finished run.
#[derive(Serialize)]
pub struct Ran {
    #[serde(flatten)]
    verdict: Verdict,
    #[serde(flatten)]
    outcome: Outcome,
    /// The answer of a demo in words.
    answer: Option<String>,
    nanoseconds: u64,
}

/// Runs a program to its end.
pub fn run(app: &App, start: &Start, bounds: &Bounds) -> Result<Ran, Refusal> {
    let (program, setup, sample) = start.ready()?;
    let job = Job { program: &program, setup: &setup, mode: Mode::Lazy, dump: &[] };
    let report = session::run(&app.indexed, &job, Watch::Progress(&mut |done| bounds.check(done)))?;
    let answer = match (sample, &report.ended) {
        (Some(sample), Ended::Exit(result)) => Some(sample.answer(&report.input, *result)),
        _ => None,
    };
    Ok(Ran {
        verdict: Verdict::of(&report.ended),
        answer,
        nanoseconds: u64::try_from(report.elapsed.as_nanos()).unwrap_or(u64::MAX),
        outcome: Outcome::new(report, None),
    })
}

/// Which steps to describe.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steps {
    /// What runs.
    start: Start,
    /// The first of them.
    from: u64,
    /// How many.
    count: u64,
    /// Whether to describe their layers.
    #[serde(default)]
    layers: bool,
}

/// Some steps.
#[derive(Serialize)]
pub struct Stepped {
    steps: Vec<Step>,
    /// How the run ended, if it did within them.
    ended: Option<Verdict>,
    /// Steps until there.
    instructions: u64,
}

/// Describes steps of a run.
pub fn steps(app: &App, asked: &Steps, bounds: &Bounds) -> Result<Stepped, Refusal> {
    let most = if asked.layers { MAX_LAYERED } else { MAX_STEPS };
    if asked.count > most {
        return Err(Refusal::TooLarge(format!("{} steps are too many at once: at most {most}", asked.count)));
    }
    let (program, setup, _) = asked.start.ready()?;
    let job = Job { program: &program, setup: &setup, mode: Mode::Lazy, dump: &[] };
    let mut steps = Vec::new();
    let mut keep = |mut step: Step| {
        let shown = if asked.layers { MAX_LAYERS } else { 0 };
        if asked.layers {
            step.left_out += step.layers.len().saturating_sub(shown) as u64;
        }
        step.layers.truncate(shown);
        steps.push(step);
        Ok(())
    };
    let range = asked.from..asked.from.saturating_add(asked.count);
    let traced = session::trace(&app.indexed, &job, range, &mut |done| bounds.check(done), &mut keep)?;
    Ok(Stepped { steps, ended: traced.ended.as_ref().map(Verdict::of), instructions: traced.instructions })
}

/// A withdrawal to judge.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    transaction: Transaction,
    #[serde(default)]
    history: History,
}

/// A verdict, and what the code said.
#[derive(Serialize)]
pub struct Judged {
    #[serde(flatten)]
    finding: Finding,
    program: Verdict,
    r0: Option<u64>,
    instructions: u64,
}

/// Judges a withdrawal that a demo guards.
pub fn judge(app: &App, case: &Case, bounds: &Bounds) -> Result<Judged, Refusal> {
    let Case { transaction, history } = case;
    history.check(transaction.withdrawal.time).map_err(|error| Refusal::Bad(error.to_string()))?;
    let sample = Sample::find(&transaction.program);
    let sample = sample.ok_or_else(|| Refusal::Bad(format!("there is no demo {:?}", transaction.program)))?;
    units(transaction.compute_units)?;
    let (program, setup) = (sample.program()?, transaction.setup());
    let job = Job { program: &program, setup: &setup, mode: Mode::Lazy, dump: &[] };
    let report = session::run(&app.indexed, &job, Watch::Progress(&mut |done| bounds.check(done)))?;
    let answer = CodeAnswer::from(&report.ended);
    let finding = review(&answer, &transaction.withdrawal, transaction.balance, history, &NoOpinion);
    Ok(Judged {
        finding,
        program: Verdict::of(&report.ended),
        r0: match report.ended {
            Ended::Exit(result) => Some(result),
            Ended::Error(_) | Ended::Invoke(_) => None,
        },
        instructions: report.instructions,
    })
}
