//! `svmllm judge`: whether a withdrawal should go ahead.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;
use clap::Args;
use serde::{Serialize, de::DeserializeOwned};
use svmllm::host::Program;

use super::{Computing, load_weights};
use crate::{
    FAILED,
    evaluators::Evaluators,
    judge::{CodeAnswer, Finding, History, NoOpinion, Transaction, Verdict, review},
    progress::Progress,
    samples::Sample,
    session::{Job, Watch},
    source,
};

/// Longest description or history read, in bytes.
const MAX_JSON_BYTES: usize = 32 << 20;
/// The withdrawal is held.
const HELD: u8 = 3;

/// Options of `svmllm judge`.
#[derive(Args)]
pub struct Judge {
    /// The transaction, as JSON
    transaction: PathBuf,
    /// The withdrawals before it, as JSON; without it there were none
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// Print the verdict as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    computing: Computing,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Printed {
    #[serde(flatten)]
    finding: Finding,
    instructions: u64,
    remaining: u64,
}

impl Judge {
    /// Runs the program, applies the rules and prints the verdict.
    pub fn execute(self) -> anyhow::Result<ExitCode> {
        let transaction: Transaction = read_json(&self.transaction)?;
        let history: History = self.history.as_deref().map(read_json).transpose()?.unwrap_or_default();
        history.check(transaction.withdrawal.time)?;
        let program = program(&transaction.program, &self.transaction)?;
        let setup = transaction.setup();
        let mut evaluators = Evaluators::new(load_weights(self.computing.weights.as_ref())?);
        let job = Job { program: &program, setup: &setup, mode: self.computing.mode(), dump: &[] };
        let mut progress = Progress::new("instructions", None);
        let watch = Watch::Progress(&mut |done| progress.report(done));
        let report = evaluators.run(self.computing.evaluator, &job, watch)?;
        drop(progress);
        let answer = CodeAnswer::from(&report.ended);
        let finding = review(&answer, &transaction.withdrawal, transaction.balance, &history, &NoOpinion);
        let code = match finding.verdict {
            Verdict::Allow => ExitCode::SUCCESS,
            Verdict::Hold => ExitCode::from(HELD),
            Verdict::Block => ExitCode::from(FAILED),
        };
        let mut out = io::stdout().lock();
        let (instructions, remaining) = (report.instructions, report.remaining);
        if self.json {
            serde_json::to_writer(&mut out, &Printed { finding, instructions, remaining })?;
            writeln!(out)?;
            return Ok(code);
        }
        let said = match answer {
            CodeAnswer::Accepts => "accepts".to_owned(),
            CodeAnswer::Refuses(code) => format!("refuses with {code}"),
            CodeAnswer::Fails(error) => format!("fails: {error}"),
        };
        writeln!(out, "program       {said}, {instructions} instructions")?;
        writeln!(out, "verdict       {}", finding.verdict.name())?;
        writeln!(out, "reason        {}", finding.reason)?;
        Ok(code)
    }
}

/// A demo, or a file named relative to the description.
fn program(name: &str, description: &Path) -> anyhow::Result<Program> {
    match Sample::find(name) {
        Some(sample) => sample.program(),
        None => {
            let folder = description.parent().unwrap_or(Path::new(""));
            Ok(source::load_file(&folder.join(name), false)?)
        }
    }
}

fn read_json<T: DeserializeOwned>(path: &Path) -> anyhow::Result<T> {
    let named = || path.display().to_string();
    let bytes = source::read_file(path, MAX_JSON_BYTES).with_context(named)?;
    serde_json::from_slice(&bytes).with_context(named)
}
