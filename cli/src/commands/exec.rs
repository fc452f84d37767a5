//! `svmllm exec`: runs as a service, one JSON object a line.

use std::{
    collections::BTreeMap,
    io::{self, BufRead, BufWriter, Read, Write},
    path::PathBuf,
    process::ExitCode,
};

use base64::Engine;
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use svmllm::host::{Mode, Program, Setup, Version};

use super::load_weights;
use crate::{
    evaluators::{EvaluatorKind, Evaluators},
    reply::{Outcome, Verdict},
    session::{Job, RunError, Watch},
    source::{self, SourceError},
    wire::{Hex, Number},
};

/// Longest line served, in bytes: enough for the longest program there can be, in hex. What a line is parsed
/// into takes a few times its length at most.
const MAX_LINE: usize = 32 << 20;
/// Largest heap, in bytes.
const MAX_HEAP: u64 = 256 << 20;
/// Most bytes dumped after a run.
const MAX_DUMP: usize = 64 << 20;
/// Most steps in a trace.
const MAX_TRACE: usize = 1 << 21;

/// Options of `svmllm exec`.
#[derive(Args)]
pub struct Exec {
    /// Weights to use instead of generated ones
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
}

/// The id of a line of standard input.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
}

/// A line of standard input, its id apart. What is `null` is not there.
#[derive(Deserialize)]
struct Request {
    text: Option<Hex>,
    elf: Option<String>,
    asm: Option<String>,
    version: Option<Number>,
    entry_pc: Option<Number>,
    functions: Option<Vec<(Number, Number)>>,
    deploy: Option<bool>,
    input: Option<Hex>,
    heap: Option<Number>,
    compute_units: Option<Number>,
    registers: Option<BTreeMap<String, Number>>,
    memory: Option<Vec<(Number, Hex)>>,
    dump: Option<Vec<(Number, Number)>>,
    evaluator: Option<EvaluatorKind>,
    trace: Option<bool>,
    load_only: Option<bool>,
}

/// A line of standard output.
#[derive(Serialize)]
struct Reply {
    id: Box<RawValue>,
    #[serde(flatten)]
    verdict: Verdict,
    #[serde(flatten)]
    outcome: Option<Outcome>,
    #[serde(flatten)]
    loaded: Option<Loaded>,
}

/// A program that was loaded and not run.
#[derive(Serialize)]
struct Loaded {
    entry_pc: usize,
    text_address: Number,
    functions: Vec<(u32, usize)>,
    image_sha256: String,
}

/// Why a line was not served.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("the line is not an object")]
    NotAnObject,
    #[error("base64: {0}")]
    Base64(#[from] base64::DecodeError),
    #[error("exactly one of text, elf and asm is needed")]
    Program,
    #[error("there is no sBPF version {0}")]
    Version(u64),
    #[error("{0} is too large: {1}")]
    TooLarge(&'static str, u64),
    #[error("there is no register {0:?}")]
    Register(String),
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Run(#[from] RunError),
}

impl Exec {
    /// Serves lines until there are no more.
    pub fn execute(self) -> anyhow::Result<ExitCode> {
        let mut evaluators = Evaluators::new(load_weights(self.weights.as_ref())?);
        let (mut input, mut output) = (io::stdin().lock(), BufWriter::new(io::stdout().lock()));
        while let Some(line) = read_line(&mut input, MAX_LINE)? {
            let reply = match line {
                Line::Whole(bytes) => serve(&bytes, &mut evaluators),
                Line::TooLong => Reply::refused(null(), Refusal::TooLarge("line", MAX_LINE as u64)),
            };
            serde_json::to_writer(&mut output, &reply)?;
            output.write_all(b"\n")?;
            output.flush()?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

enum Line {
    Whole(Vec<u8>),
    TooLong,
}

/// The next line, without holding more than `limit` bytes of it; `None` at the end.
fn read_line(input: &mut impl BufRead, limit: usize) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    if input.by_ref().take(limit as u64 + 1).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.len() <= limit || bytes.ends_with(b"\n") {
        return Ok(Some(Line::Whole(bytes)));
    }
    input.skip_until(b'\n')?;
    Ok(Some(Line::TooLong))
}

/// Serves a line without making more of it than a request holds.
fn serve(line: &[u8], evaluators: &mut Evaluators) -> Reply {
    // serde would read a struct from an array too.
    if line.trim_ascii_start().starts_with(b"[") {
        return Reply::refused(null(), Refusal::NotAnObject);
    }
    let id = match serde_json::from_slice::<Envelope>(line) {
        Ok(envelope) => envelope.id.map_or_else(null, ToOwned::to_owned),
        Err(error) => return Reply::refused(null(), error.into()),
    };
    match serde_json::from_slice::<Request>(line) {
        Ok(request) => {
            request.serve(id.clone(), evaluators).unwrap_or_else(|refusal| Reply::refused(id, refusal))
        }
        Err(error) => Reply::refused(id, error.into()),
    }
}

/// What stands for an id that is not there.
fn null() -> Box<RawValue> {
    RawValue::NULL.to_owned()
}

impl Reply {
    fn refused(id: Box<RawValue>, refusal: Refusal) -> Self {
        let verdict = match &refusal {
            Refusal::Source(SourceError::Rejected(rejection)) => rejection.into(),
            _ => Verdict::invalid(refusal),
        };
        Self { id, verdict, outcome: None, loaded: None }
    }
}

impl Request {
    fn serve(self, id: Box<RawValue>, evaluators: &mut Evaluators) -> Result<Reply, Refusal> {
        let program = self.program()?;
        if self.load_only == Some(true) {
            return Ok(Reply { id, verdict: Verdict::OK, outcome: None, loaded: Some(program.into()) });
        }
        let dump = self.dump()?;
        let evaluator = self.evaluator.unwrap_or_default();
        let mut trace = (self.trace == Some(true)).then(Vec::new);
        let setup = self.setup()?;
        let job = Job { program: &program, setup: &setup, mode: Mode::Lazy, dump: &dump };
        let report = match &mut trace {
            None => evaluators.run(evaluator, &job, Watch::Progress(&mut |_| Ok(())))?,
            Some(rows) => evaluators.run(evaluator, &job, Watch::Steps(&mut |state| record(rows, state)))?,
        };
        let verdict = Verdict::of(&report.ended);
        Ok(Reply { id, verdict, outcome: Some(Outcome::new(report, trace)), loaded: None })
    }

    fn program(&self) -> Result<Program, Refusal> {
        let version = match self.version.map_or(0, |version| version.0) {
            0 => Version::V0,
            1 => Version::V1,
            2 => Version::V2,
            3 => Version::V3,
            other => return Err(Refusal::Version(other)),
        };
        Ok(match (&self.text, &self.elf, &self.asm) {
            (Some(Hex(text)), None, None) => {
                let entry_pc = size("entry_pc", self.entry_pc.unwrap_or(Number(0)))?;
                let functions = self.functions()?;
                source::from_slots(version, text.clone(), entry_pc, functions).map_err(SourceError::from)?
            }
            (None, Some(elf), None) => {
                let file = base64::engine::general_purpose::STANDARD.decode(elf)?;
                source::load_elf(&file, self.deploy == Some(true)).map_err(SourceError::from)?
            }
            (None, None, Some(asm)) => source::assemble(asm, version)?,
            _ => return Err(Refusal::Program),
        })
    }

    fn functions(&self) -> Result<Vec<(u32, usize)>, Refusal> {
        let pairs = self.functions.iter().flatten();
        pairs
            .map(|&(key, pc)| {
                let key32 = u32::try_from(key.0).map_err(|_| Refusal::TooLarge("function key", key.0))?;
                Ok((key32, size("function pc", pc)?))
            })
            .collect()
    }

    fn dump(&self) -> Result<Vec<(u64, usize)>, Refusal> {
        let mut left = MAX_DUMP;
        let ranges = self.dump.iter().flatten();
        ranges
            .map(|&(Number(address), length)| {
                let bytes = size("dump", length)?;
                left = left.checked_sub(bytes).ok_or(Refusal::TooLarge("dump", length.0))?;
                Ok((address, bytes))
            })
            .collect()
    }

    fn setup(self) -> Result<Setup, Refusal> {
        let defaults = Setup::default();
        let heap = self.heap.map_or(defaults.heap as u64, |heap| heap.0);
        if heap > MAX_HEAP {
            return Err(Refusal::TooLarge("heap", heap));
        }
        let registers = self.registers.into_iter().flatten();
        let memory = self.memory.into_iter().flatten();
        Ok(Setup {
            input: self.input.unwrap_or_default().0,
            heap: heap as usize,
            budget: self.compute_units.map_or(defaults.budget, |units| units.0),
            registers: registers
                .map(|(name, value)| register(&name).map(|number| (number, value.0)))
                .collect::<Result<_, _>>()?,
            memory: memory.map(|(address, bytes)| (address.0, bytes.0)).collect(),
        })
    }
}

/// Adds a row to the trace.
fn record(rows: &mut Vec<[u64; 12]>, state: &[u64; 12]) -> Result<(), RunError> {
    if rows.len() == MAX_TRACE {
        return Err(RunError::TraceTooLong(MAX_TRACE));
    }
    rows.push(*state);
    Ok(())
}

fn size(what: &'static str, number: Number) -> Result<usize, Refusal> {
    usize::try_from(number.0).map_err(|_| Refusal::TooLarge(what, number.0))
}

/// The number of a register called `r0` to `r10`.
fn register(name: &str) -> Result<u8, Refusal> {
    (0..=10).find(|number| name == format!("r{number}")).ok_or_else(|| Refusal::Register(name.to_owned()))
}

impl From<Program> for Loaded {
    fn from(program: Program) -> Self {
        Self {
            entry_pc: program.entry_pc,
            text_address: Number(program.text_address),
            functions: program.functions.into_iter().collect(),
            image_sha256: hex::encode(Sha256::digest(&program.image)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_skipped() {
        let mut input: &[u8] = b"12345\n123456\n1234567\n12\n";
        let mut next = || match read_line(&mut input, 5).unwrap() {
            Some(Line::Whole(bytes)) => Some(String::from_utf8(bytes).unwrap()),
            Some(Line::TooLong) => Some("too long".into()),
            None => None,
        };
        assert_eq!(next().unwrap(), "12345\n");
        assert_eq!(next().unwrap(), "too long");
        assert_eq!(next().unwrap(), "too long");
        assert_eq!(next().unwrap(), "12\n");
        assert_eq!(next(), None);
    }

    #[test]
    fn register_names() {
        assert_eq!(register("r10").unwrap(), 10);
        for name in ["r11", "r-1", "r01", "R1", "1", "", "r256"] {
            assert!(register(name).is_err(), "{name}");
        }
    }
}
