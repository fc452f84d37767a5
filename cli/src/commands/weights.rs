//! `svmllm weights`: the numbers themselves.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::Context;
use clap::Subcommand;
use svmllm::{export, tables};

use super::load_weights;
use crate::{FAILED, complain, progress::Progress};

/// What to do with the weights.
#[derive(Subcommand)]
pub enum Weights {
    /// Count the parameters of each network, and those that are not zero
    Count {
        /// Weights to count instead of the generated ones
        file: Option<PathBuf>,
    },
    /// Print the SHA-256 of all names, shapes and numbers
    Digest {
        /// Weights to digest instead of the generated ones
        file: Option<PathBuf>,
    },
    /// Write the generated weights as a safetensors file
    Export {
        /// Where to
        file: PathBuf,
    },
    /// Write one full step as an ONNX graph, without memory and syscalls
    Onnx {
        /// Where to
        file: PathBuf,
        /// Weights to use instead of the generated ones
        #[arg(long, value_name = "FILE")]
        weights: Option<PathBuf>,
    },
    /// Run every input of every network, and compare with what the indexed evaluator uses
    Verify {
        /// Weights to check instead of the generated ones
        file: Option<PathBuf>,
    },
}

impl Weights {
    /// Does it.
    pub fn execute(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Count { file } => count(&load_weights(file.as_ref())?)?,
            Self::Digest { file } => writeln!(io::stdout(), "{}", load_weights(file.as_ref())?.digest())?,
            Self::Export { file } => {
                let weights = tables::Weights::generate();
                weights.save(&file)?;
                writeln!(io::stdout(), "{} numbers to {}", weights.parameters(), file.display())?;
            }
            Self::Onnx { file, weights } => {
                let bytes = export::onnx::step(&load_weights(weights.as_ref())?)?;
                fs::write(&file, &bytes).with_context(|| file.display().to_string())?;
                writeln!(io::stdout(), "{} bytes to {}", bytes.len(), file.display())?;
            }
            Self::Verify { file } => {
                let verdict = match load_weights(file.as_ref()) {
                    Ok(weights) => verify(&weights),
                    // A file that cannot be read says nothing about weights.
                    Err(error) if !is_verdict(&error) => return Err(error),
                    Err(error) => Err(error),
                };
                if let Err(error) = verdict {
                    complain(&error);
                    return Ok(ExitCode::from(FAILED));
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Whether an error is about what the weights are, not about getting at them.
fn is_verdict(error: &anyhow::Error) -> bool {
    !matches!(
        error.downcast_ref(),
        Some(tables::WeightsError::Io(_) | tables::WeightsError::Format(_)) | None
    )
}

/// Parameters of a network: all of them, and those that are not zero.
#[derive(Clone, Copy, Default)]
struct Size {
    parameters: usize,
    non_zeros: usize,
}

fn count(weights: &tables::Weights) -> io::Result<()> {
    let mut networks: BTreeMap<&str, Size> = BTreeMap::new();
    for (name, tensor) in weights.tensors() {
        let size = networks.entry(network_of(name)).or_default();
        size.parameters += tensor.data.len();
        size.non_zeros += tensor.data.iter().filter(|number| **number != 0.0).count();
    }
    let mut out = io::stdout().lock();
    let mut row = |name: &str, parameters: &dyn std::fmt::Display, non_zeros: &dyn std::fmt::Display| {
        writeln!(out, "{name:<28}{parameters:>12}{non_zeros:>12}")
    };
    row("network", &"parameters", &"non-zero")?;
    for (name, size) in &networks {
        row(name, &size.parameters, &size.non_zeros)?;
    }
    row("total", &weights.parameters(), &weights.non_zeros())
}

/// A tensor's network: its name without the part that says which tensor of the network it is.
fn network_of(tensor: &str) -> &str {
    match tensor.rsplit_once('.') {
        Some((network, _)) => network,
        None => tensor,
    }
}

fn verify(weights: &tables::Weights) -> anyhow::Result<()> {
    let mut progress = Progress::new("inputs", None);
    let mut inputs = 0;
    let checked = tables::verify(weights, |(_, count)| {
        inputs += *count as u64;
        progress.show(inputs);
    })?;
    drop(progress);
    let mut out = io::stdout().lock();
    for (name, count) in &checked {
        writeln!(out, "{name:<28}{count:>12} inputs")?;
    }
    writeln!(out, "{:<28}{inputs:>12} inputs, no difference", "total")?;
    Ok(())
}
