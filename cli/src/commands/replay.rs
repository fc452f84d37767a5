//! `replay`: runs what others have recorded, and compares.

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use anyhow::{Context, bail};
use base64::{Engine, prelude::BASE64_STANDARD};
use clap::Args;
use serde_json::{Value, json};
use solana_account::Account;
use solana_address::Address;
use svmllm::tables::Indexed;
use svmllm_replay::{Replayed, Replayer};

use super::load_weights;
use crate::FAILED;

/// Files in a folder that are taken up, by how their names end.
const ENDINGS: [&str; 3] = ["json", "fix", "bin"];

/// Arguments of `replay`.
#[derive(Args)]
pub struct Replay {
    /// Fixtures, or folders of them: a transaction in JSON, Mollusk's .fix, Firedancer's instr, syscall and
    /// vm_interp
    #[arg(required = true, value_name = "FILE|DIR")]
    paths: Vec<PathBuf>,
    /// A program that fixtures call without bringing it
    #[arg(long, value_name = "ADDRESS=FILE")]
    program: Vec<String>,
    /// Weights to use instead of generated ones
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Print one JSON object a fixture
    #[arg(long)]
    json: bool,
    /// Print only what differs, and the sum
    #[arg(long)]
    quiet: bool,
}

impl Replay {
    /// Replays all files; it fails if one differs from what it records, or cannot be replayed.
    pub fn execute(self) -> anyhow::Result<ExitCode> {
        let network = Indexed::new(&load_weights(self.weights.as_ref())?)?;
        let mut replayer = Replayer::new(Arc::new(network));
        for program in &self.program {
            let (address, path) = program.split_once('=').context("a program is ADDRESS=FILE")?;
            let address = address.parse().with_context(|| format!("the address {address}"))?;
            replayer = replayer.with_program(address, fs::read(path).context(path.to_owned())?);
        }
        let mut files = Vec::new();
        for path in &self.paths {
            collect(path, &mut files)?;
        }
        let (mut equal, mut other) = (0, 0);
        for file in &files {
            let bytes = fs::read(file).with_context(|| file.display().to_string())?;
            let good = match replayer.replay(&bytes) {
                Ok(replayed) => {
                    let good = replayed.differences.as_ref().is_none_or(Vec::is_empty);
                    if self.json {
                        println!("{}", to_json(file, &replayed));
                    } else if !self.quiet || !good {
                        print(file, &replayed);
                    }
                    good
                }
                Err(error) if self.json => {
                    println!("{}", json!({"file": file.display().to_string(), "error": error.to_string()}));
                    false
                }
                Err(error) => {
                    println!("{}: {error}", file.display());
                    false
                }
            };
            *(if good { &mut equal } else { &mut other }) += 1;
        }
        if files.len() > 1 && !self.json {
            println!("{equal} of {} as recorded", files.len());
        }
        Ok(if other == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
    }
}

/// The files a path stands for.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let before = files.len();
    let entries = fs::read_dir(path).with_context(|| path.display().to_string())?;
    let mut entries = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    entries.sort();
    for entry in entries {
        let ending = entry.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if entry.is_dir() || ENDINGS.contains(&ending) {
            collect(&entry, files)?;
        }
    }
    if files.len() == before {
        bail!("{}: no fixtures, which end in .json, .fix or .bin", path.display());
    }
    Ok(())
}

fn print(file: &Path, replayed: &Replayed) {
    let Replayed { layout, result, units, logs, changed, differences } = replayed;
    println!("{} ({}): {result}, {units} compute units", file.display(), layout.name());
    for line in logs {
        println!("  {line}");
    }
    for (address, account) in changed {
        match account {
            None => println!("  {address} is gone"),
            Some(Account { lamports, data, owner, .. }) => {
                println!("  {address}: {lamports} lamports, {} bytes of data, owner {owner}", data.len());
            }
        }
    }
    match differences {
        None => println!("  nothing recorded to compare with"),
        Some(differences) if differences.is_empty() => println!("  as recorded"),
        Some(differences) => differences.iter().for_each(|difference| println!("  DIFFERS {difference}")),
    }
}

fn to_json(file: &Path, replayed: &Replayed) -> Value {
    let Replayed { layout, result, units, logs, changed, differences } = replayed;
    let account = |(address, account): &(Address, Option<Account>)| match account {
        None => json!({"address": address.to_string(), "gone": true}),
        Some(account) => json!({
            "address": address.to_string(),
            "lamports": account.lamports,
            "owner": account.owner.to_string(),
            "data": BASE64_STANDARD.encode(&account.data),
            "executable": account.executable,
        }),
    };
    json!({
        "file": file.display().to_string(),
        "layout": layout.name(),
        "result": result,
        "compute_units": units,
        "logs": logs,
        "changed": changed.iter().map(account).collect::<Vec<_>>(),
        "differences": differences,
    })
}
