//! `svmllm run`: one program, once.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;
use svmllm::{
    host::{Effect, Ended, Program, Setup, instruction_text},
    tables::{Dense, Indexed},
};

use super::{Computing, load_weights, start::Start};
use crate::{
    FAILED, REFUSED,
    evaluators::{EvaluatorKind, Evaluators},
    instruction::{Instructed, Limits},
    progress::Progress,
    reply::{Outcome, Verdict},
    session::{Job, Report, RunError, Watch},
    source::SourceError,
    wire::{Change, Number},
};

/// Options of `svmllm run`.
#[derive(Args)]
pub struct Run {
    #[command(flatten)]
    start: Start,
    /// Run one instruction of an ELF file on the accounts in a JSON file (see docs/INSTRUCTION.md)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["input", "trace", "deploy"])]
    accounts: Option<PathBuf>,
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
    effect: Change,
}

impl Run {
    /// Runs the program and prints the result.
    pub fn execute(self) -> anyhow::Result<ExitCode> {
        if let Some(accounts) = &self.accounts {
            return self.instruct(accounts);
        }
        let program = match self.start.load() {
            Err(SourceError::Rejected(rejection)) if self.json => {
                print_json(&Printed { verdict: (&rejection).into(), outcome: None, nanoseconds: None })?;
                return Ok(ExitCode::from(REFUSED));
            }
            loaded => loaded?,
        };
        let report = self.run(&program, &self.start.setup()?)?;
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

    /// Runs one instruction on the accounts in a file.
    fn instruct(&self, accounts: &Path) -> anyhow::Result<ExitCode> {
        let instructed = Instructed::read(accounts)?;
        let base = accounts.parent().unwrap_or(Path::new("."));
        let start = &self.start;
        let limits = Limits { compute_units: start.compute_units, heap: start.heap };
        let weights = load_weights(self.computing.weights.as_ref())?;
        let (mode, json) = (self.computing.mode(), self.json);
        let succeeded = match self.computing.evaluator {
            EvaluatorKind::Indexed => {
                instructed.run(&Indexed::new(&weights)?, mode, &start.program, base, &limits, json)?
            }
            EvaluatorKind::Dense => {
                instructed.run(&Dense::new(&weights)?, mode, &start.program, base, &limits, json)?
            }
        };
        Ok(if succeeded { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
    }

    /// A trace must not replace what the run was made from.
    fn refuse_to_overwrite(&self, trace: &Path) -> anyhow::Result<()> {
        let program = Some(self.start.program.as_path());
        let sources = [program, self.start.input_file(), self.computing.weights.as_deref()];
        for source in sources.into_iter().flatten() {
            // A trace that is not there yet is no file of ours.
            if same_file::is_same_file(source, trace).unwrap_or(false) {
                bail!("--trace would overwrite {}", source.display());
            }
        }
        Ok(())
    }

    fn run(&self, program: &Program, setup: &Setup) -> anyhow::Result<Report> {
        let mut evaluators = Evaluators::new(load_weights(self.computing.weights.as_ref())?);
        let job = Job { program, setup, mode: self.computing.mode(), dump: &[] };
        let kind = self.computing.evaluator;
        let Some(path) = &self.trace else {
            let mut progress = Progress::new("instructions", None);
            return Ok(evaluators.run(kind, &job, Watch::Progress(&mut |done| progress.report(done)))?);
        };
        self.refuse_to_overwrite(path)?;
        let file = File::create(path).with_context(|| path.display().to_string())?;
        let mut file = BufWriter::new(file);
        let mut steps = trace_to(&mut file, program);
        let report = evaluators.run(kind, &job, Watch::Effects(&mut steps))?;
        drop(steps);
        file.flush()?;
        Ok(report)
    }
}

/// Writes the state before each step, and what the step changes, as a line of JSON.
fn trace_to(
    file: &mut impl Write,
    program: &Program,
) -> impl FnMut(&[u64; 12], &Effect) -> Result<(), RunError> {
    let mut progress = Progress::new("instructions", None);
    let mut done = 0;
    move |state, effect| {
        let [registers @ .., pc] = state.map(Number);
        let instruction = usize::try_from(pc.0).map(|pc| instruction_text(program, pc)).unwrap_or_default();
        let line =
            TraceLine { pc: pc.0, instruction: &instruction, registers: &registers, effect: effect.into() };
        serde_json::to_writer(&mut *file, &line).map_err(io::Error::from)?;
        file.write_all(b"\n")?;
        done += 1;
        progress.show(done);
        Ok(())
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
