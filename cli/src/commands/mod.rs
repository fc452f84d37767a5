//! The commands, one file each.

mod demo;
mod exec;
mod judge;
mod qwen;
mod replay;
mod run;
mod serve;
mod start;
mod trace;
mod weights;

use std::{path::PathBuf, process::ExitCode};

use anyhow::Context;
use clap::{Args, Subcommand};
use svmllm::{host::Mode, tables::Weights};

use crate::evaluators::EvaluatorKind;

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    /// Run a program: an ELF file, assembly (.s) or raw instruction slots (.bin)
    Run(run::Run),
    /// Serve runs as JSON, one object a line of at most 32 MiB, from standard input to standard output
    Exec(exec::Exec),
    /// Show what each step of a program does, or each layer of one step
    Trace(trace::Trace),
    /// Say whether a withdrawal should go ahead: by the code that guards it, then by rules of thumb
    Judge(judge::Judge),
    /// Serve a page in the browser: step through programs, judge withdrawals, see the results
    Serve(serve::Serve),
    /// Show, save and check the weights
    #[command(subcommand)]
    Weights(weights::Weights),
    /// Run recorded transactions, instructions, programs and syscalls, and compare with what they came to
    Replay(replay::Replay),
    /// Run a sample program; without a name, list them
    Demo(demo::Demo),
    /// Write the machine as a Qwen3.5 checkpoint, which transformers loads
    ExportQwen(qwen::Export),
    /// Print a program as the prompt of such a checkpoint
    Prompt(qwen::Prompt),
    /// Print the answer to such a prompt that follows from a run of our machine
    Draft(qwen::Draft),
    /// Run such a checkpoint, without its zeros, on a prompt
    Generate(qwen::Generate),
    /// Check an answer in one pass of such a checkpoint: is each token the model's own?
    Check(qwen::Check),
    /// Turn the tokens of an answer back into a trace
    Decode(qwen::Decode),
}

impl Command {
    /// Carries it out and says how it went.
    pub fn execute(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Run(command) => command.execute(),
            Self::Exec(command) => command.execute(),
            Self::Trace(command) => command.execute(),
            Self::Judge(command) => command.execute(),
            Self::Serve(command) => command.execute(),
            Self::Weights(command) => command.execute(),
            Self::Replay(command) => command.execute(),
            Self::Demo(command) => command.execute(),
            Self::ExportQwen(command) => command.execute(),
            Self::Prompt(command) => command.execute(),
            Self::Draft(command) => command.execute(),
            Self::Generate(command) => command.execute(),
            Self::Check(command) => command.execute(),
            Self::Decode(command) => command.execute(),
        }
    }
}

/// What computes the steps.
#[derive(Args)]
struct Computing {
    /// Take rows of the weights, or multiply with all of them
    #[arg(long, value_enum, default_value_t)]
    evaluator: EvaluatorKind,
    /// Compute every unit in each step and observe only whether the program goes on
    #[arg(long)]
    full: bool,
    /// Weights to use instead of generated ones
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
}

impl Computing {
    fn mode(&self) -> Mode {
        if self.full { Mode::Full } else { Mode::Lazy }
    }
}

/// The weights in a file, or the generated ones.
fn load_weights(path: Option<&PathBuf>) -> anyhow::Result<Weights> {
    match path {
        Some(path) => Weights::load(path).with_context(|| path.display().to_string()),
        None => Ok(Weights::generate()),
    }
}
