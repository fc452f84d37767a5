//! Compiled programs that crates carry in their folders.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::File;

/// Where the crates keep their programs.
const FOLDERS: [(&str, &str); 4] = [
    ("solana-sbpf", "tests/elfs"),
    ("solana-bpf-loader-program", "test_elfs/out"),
    ("litesvm", "src/programs/elf"),
    ("solana-program-binaries", "src/programs"),
];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
}

/// All programs, in a fixed order.
///
/// # Errors
/// If cargo does not know the crates' folders, or one of them has no programs.
pub fn shipped() -> Result<Vec<File>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .context("cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    }
    let metadata: Metadata = serde_json::from_slice(&output.stdout)?;

    let mut programs = Vec::new();
    for (name, folder) in FOLDERS {
        let package = metadata.packages.iter().find(|package| package.name == name);
        let manifest = &package.with_context(|| format!("{name} is not in the lock file"))?.manifest_path;
        let folder = manifest.parent().unwrap_or(Path::new("")).join(folder);
        read_folder(name, &folder, &mut programs)?;
    }
    Ok(programs)
}

fn read_folder(name: &str, folder: &Path, programs: &mut Vec<File>) -> Result<()> {
    let mut files: Vec<PathBuf> = folder
        .read_dir()
        .with_context(|| format!("{}", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "so"));
    files.sort();
    if files.is_empty() {
        bail!("no programs in {}", folder.display());
    }
    for path in files {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        programs.push(File { name: format!("{name}/{file}"), bytes: std::fs::read(&path)? });
    }
    Ok(())
}
