//! `svmllm run`: one program, once.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use svmllm::host::{Ended, MAX_REGION_BYTES, Program, Setup, instruction_text};

use super::{Computing, load_weights};
use crate::{
    FAILED, REFUSED,
    evaluators::Evaluators,
    progress::Progress,
    reply::{Outcome, Verdict},
    session::{Job, Report, RunError, Watch},
    source::{self, SourceError},
    wire::Number,
};

/// Options of `svmllm run`.
#[derive(Args)]
pub struct Run {
    /// The program: an ELF file (.so), assembly (.s) or raw instruction slots (.bin)
    program: PathBuf,
    /// Bytes of the input region
    #[arg(long, value_name = "HEX|@FILE", default_value = "")]
    input: String,
    /// Compute units to spend
    #[arg(long, value_name = "N", default_value_t = Setup::default().budget)]
    compute_units: u64,
    /// Bytes of the heap
    #[arg(long, value_name = "BYTES", default_value_t = Setup::default().heap)]
    heap: usize,
    /// Load an ELF file by the rules for deployment
    #[arg(long)]
    deploy: bool,
    /// Write each step as a line of JSON
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    computing: Computing,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Printed {
    #[serde(flatten)]
    verdict: Verdict,
    #[serde(flatten)]
    outcome: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nanoseconds: Option<u64>,
}

/// A line of the trace file.
#[derive(Serialize)]
struct TraceLine<'a> {
    pc: u64,
    instruction: &'a str,
    registers: &'a [Number],
}

impl Run {
    /// Runs the program and prints the result.
    pub fn execute(self) -> anyhow::Result<ExitCode> {
        let program = match source::load_file(&self.program, self.deploy) {
            Err(SourceError::Rejected(rejection)) if self.json => {
                print_json(&Printed { verdict: (&rejection).into(), outcome: None, nanoseconds: None })?;
                return Ok(ExitCode::from(REFUSED));
            }
            loaded => loaded?,
        };
        let setup = Setup {
            input: read_input(&self.input).context("--input")?,
            heap: self.heap,
            budget: self.compute_units,
            ..Setup::default()
        };
        let report = self.run(&program, &setup)?;
        let code = match report.ended {
            Ended::Exit(_) => ExitCode::SUCCESS,
            _ => ExitCode::from(FAILED),
        };
        if self.json {
            let verdict = Verdict::of(&report.ended);
            let nanoseconds = u64::try_from(report.elapsed.as_nanos()).ok();
            print_json(&Printed { verdict, outcome: Some(Outcome::new(report, None)), nanoseconds })?;
        } else {
            print_text(&report)?;
        }
        Ok(code)
    }

    fn run(&self, program: &Program, setup: &Setup) -> anyhow::Result<Report> {
        let mut evaluators = Evaluators::new(load_weights(self.computing.weights.as_ref())?);
        let job = Job { program, setup, mode: self.computing.mode(), dump: &[] };
        let kind = self.computing.evaluator;
        let Some(path) = &self.trace else {
            let mut progress = Progress::new("instructions", None);
            return Ok(evaluators.run(kind, &job, Watch::Progress(&mut |done| progress.show(done)))?);
        };
        let file = File::create(path).with_context(|| path.display().to_string())?;
        let mut file = BufWriter::new(file);
        let mut steps = trace_to(&mut file, program);
        let report = evaluators.run(kind, &job, Watch::Steps(&mut steps))?;
        drop(steps);
        file.flush()?;
        Ok(report)
    }
}

/// Writes the state before each step as a line of JSON.
fn trace_to(file: &mut impl Write, program: &Program) -> impl FnMut(&[u64; 12]) -> Result<(), RunError> {
    let mut progress = Progress::new("instructions", None);
    let mut done = 0;
    move |state| {
        let [registers @ .., pc] = state.map(Number);
        let instruction = usize::try_from(pc.0).map(|pc| instruction_text(program, pc)).unwrap_or_default();
        let line = TraceLine { pc: pc.0, instruction: &instruction, registers: &registers };
        serde_json::to_writer(&mut *file, &line).map_err(io::Error::from)?;
        file.write_all(b"\n")?;
        done += 1;
        progress.show(done);
        Ok(())
    }
}

/// The bytes of `HEX` or `@FILE`.
fn read_input(text: &str) -> anyhow::Result<Vec<u8>> {
    match text.strip_prefix('@') {
        Some(path) => source::read_file(Path::new(path), MAX_REGION_BYTES).context(path.to_owned()),
        None => Ok(hex::decode(text)?),
    }
}

fn print_json(printed: &Printed) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, printed)?;
    Ok(writeln!(out)?)
}

fn print_text(report: &Report) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match &report.ended {
        Ended::Exit(value) => writeln!(out, "result        {value:#x} ({value})")?,
        Ended::Error(error) => writeln!(out, "error         {}: {error}", error.name())?,
        Ended::Invoke(_) => writeln!(out, "error         there is no other program to call")?,
    }
    for line in &report.logs {
        writeln!(out, "log           {line}")?;
    }
    writeln!(out, "instructions  {}", report.instructions)?;
    writeln!(out, "remaining     {}", report.remaining)?;
    writeln!(out, "time          {:.1?}, {:.1} ns an instruction", report.elapsed, report.pace())?;
    for (number, value) in report.registers.iter().enumerate() {
        writeln!(out, "{:<14}{value:#018x}", format!("r{number}"))?;
    }
    Ok(())
}
