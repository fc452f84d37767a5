//! A program and what it starts from, as options of several commands.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use svmllm::host::{MAX_REGION_BYTES, Program, Setup};

use crate::source::{self, SourceError};

/// Options that say what to run.
#[derive(Args)]
pub struct Start {
    /// The program: an ELF file (.so), assembly (.s) or raw instruction slots (.bin)
    pub program: PathBuf,
    /// Bytes of the input region
    #[arg(long, value_name = "HEX|@FILE", default_value = "")]
    pub input: String,
    /// Compute units to spend
    #[arg(long, value_name = "N", default_value_t = Setup::default().budget)]
    pub compute_units: u64,
    /// Bytes of the heap
    #[arg(long, value_name = "BYTES", default_value_t = Setup::default().heap)]
    pub heap: usize,
    /// Load an ELF file by the rules for deployment
    #[arg(long)]
    pub deploy: bool,
}

impl Start {
    /// Loads the program.
    pub fn load(&self) -> Result<Program, SourceError> {
        source::load_file(&self.program, self.deploy)
    }

    /// What it starts from.
    pub fn setup(&self) -> anyhow::Result<Setup> {
        let input = match self.input_file() {
            Some(path) => source::read_file(path, MAX_REGION_BYTES)
                .with_context(|| format!("--input: {}", path.display()))?,
            None => hex::decode(&self.input).context("--input")?,
        };
        Ok(Setup { input, heap: self.heap, budget: self.compute_units, ..Setup::default() })
    }

    /// The file of an input given as `@FILE`.
    pub fn input_file(&self) -> Option<&Path> {
        self.input.strip_prefix('@').map(Path::new)
    }
}
