//! The command `svmllm`: programs of the Solana virtual machine on neural-network weights.

mod commands;
mod evaluators;
mod instruction;
mod judge;
mod progress;
mod reply;
mod samples;
mod serve;
mod session;
mod source;
mod steps;
mod wire;

use std::{
    env, io,
    process::{Command, ExitCode},
};

use clap::Parser;

/// The program, or what was asked for, came to a bad end.
pub(crate) const FAILED: u8 = 1;
/// The command could not be carried out: bad usage, a refused program, an unreadable file.
pub(crate) const REFUSED: u8 = 2;

#[derive(Parser)]
#[command(name = "svmllm", version, about = "The Solana virtual machine on hand-set neural-network weights")]
struct Cli {
    #[command(subcommand)]
    command: commands::Command,
}

fn main() -> ExitCode {
    calm_candle();
    match Cli::parse().command.execute() {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::from(REFUSED)
        }
    }
}

/// Prints an error with its causes, each once: some texts end in that of their cause already.
fn complain(error: &anyhow::Error) {
    let mut text = "svmllm".to_owned();
    for cause in error.chain().map(ToString::to_string) {
        if !text.ends_with(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    eprintln!("{text}");
}

/// candle reads /proc/cpuinfo on every matrix product unless `RAYON_NUM_THREADS` is set, and a running
/// process cannot safely set its own environment: start over with it.
fn calm_candle() {
    const VARIABLE: &str = "RAYON_NUM_THREADS";
    if env::var_os(VARIABLE).is_some() {
        return;
    }
    // Without a path to start over from, everything works, only slowly.
    let Ok(program) = env::current_exe() else { return };
    let mut again = Command::new(program);
    again.args(env::args_os().skip(1)).env(VARIABLE, "1");
    replace_process(&mut again);
}

/// Returns only on failure.
#[cfg(unix)]
fn replace_process(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    let _ = command.exec();
}

/// Returns only on failure.
#[cfg(not(unix))]
fn replace_process(command: &mut Command) {
    if let Ok(status) = command.status() {
        std::process::exit(status.code().unwrap_or(REFUSED.into()));
    }
}

/// Whether the reader of our output went away, which is its right.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let kind = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let json = cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        kind.or(json) == Some(io::ErrorKind::BrokenPipe)
    })
}
