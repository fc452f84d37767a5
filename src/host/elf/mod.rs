//! The program loader: it accepts what Agave's runtime accepts, refuses what that refuses, and ends with the
//! same bytes.
//!
//! Files of versions 0 to 2 are loaded by their sections and relocated; files of version 3 by their program
//! headers. For execution many faults are forgiven that a deployment is refused for, because programs that
//! were once deployed must go on running. The instructions themselves are not looked at: that is the
//! verifier's part.

mod dynamic;
mod error;
mod format;
mod image;
mod lenient;
mod reader;
mod registry;
mod relocate;
mod sections;
mod strict;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::murmur3::symbol_key;
use super::program::{Program, Version};
use super::syscall_names::{EXECUTION_ONLY_SYSCALL, MAINNET_SYSCALLS, deployment_syscalls};

pub use error::{ElfError, ParserError};

/// What a program is loaded for, and what it may rely on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadOptions {
    deployment: bool,
    versions: RangeInclusive<Version>,
    syscalls: BTreeSet<u32>,
}

impl LoadOptions {
    /// Running a program, on the mainnet feature set.
    pub fn execution() -> Self {
        Self::new(false, MAINNET_SYSCALLS)
    }

    /// Deploying a program, on the mainnet feature set: calls must lead somewhere, sections must not meet and
    /// must have their file offsets as addresses.
    pub fn deployment() -> Self {
        Self::new(true, deployment_syscalls())
    }

    /// The same, with other versions enabled.
    pub fn with_versions(self, versions: RangeInclusive<Version>) -> Self {
        Self { versions, ..self }
    }

    /// The same, with other syscalls, given by name.
    pub fn with_syscalls<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Self {
        Self::new(self.deployment, names).with_versions(self.versions)
    }

    /// The same for deploying programs: stricter, and without the syscall that only old programs may call.
    pub fn for_deployment(mut self) -> Self {
        self.deployment = true;
        self.syscalls.remove(&symbol_key(EXECUTION_ONLY_SYSCALL.as_bytes()));
        self
    }

    /// The same, with the versions before one disabled.
    pub fn without_versions_before(self, first: Version) -> Self {
        let last = *self.versions.end();
        let first = first.max(*self.versions.start());
        self.with_versions(first..=last)
    }

    fn new<'a>(deployment: bool, names: impl IntoIterator<Item = &'a str>) -> Self {
        let syscalls = names.into_iter().map(|name| symbol_key(name.as_bytes())).collect();
        Self { deployment, versions: Version::V0..=Version::V3, syscalls }
    }

    fn is_deployment(&self) -> bool {
        self.deployment
    }

    fn is_syscall(&self, key: u32) -> bool {
        self.syscalls.contains(&key)
    }
}

/// Loads an ELF file. Its instructions are not verified.
///
/// ```
/// use svmllm::host::elf::{LoadOptions, load};
///
/// let error = load(b"\x7fELF", &LoadOptions::execution()).unwrap_err();
/// assert_eq!(error.name(), "ValueOutOfBounds");
/// assert_eq!(error.to_string(), "Offset or value is out of bounds");
/// ```
///
/// Takes time and memory in proportion to the length of `file`, which may hold anything.
///
/// # Errors
/// What the runtime refuses the file for; of several reasons, the one the runtime finds first.
pub fn load(file: &[u8], options: &LoadOptions) -> Result<Program, ElfError> {
    let version = version(file)?;
    if !options.versions.contains(&version) {
        return Err(ElfError::UnsupportedSBPFVersion);
    }
    match version {
        Version::V0 | Version::V1 | Version::V2 => lenient::load(file, version, options),
        Version::V3 => strict::load(file, version),
    }
}

/// The version an ELF file is written for.
///
/// # Errors
/// The file is too short, or of no version there is.
pub fn version(file: &[u8]) -> Result<Version, ElfError> {
    /// Where the file header holds the version.
    const FLAGS_OFFSET: u64 = 48;

    Ok(match reader::read_u32(file, FLAGS_OFFSET)? {
        0 => Version::V0,
        1 => Version::V1,
        2 => Version::V2,
        3 => Version::V3,
        _ => return Err(ElfError::UnsupportedSBPFVersion),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_of_version(version: u8) -> Vec<u8> {
        let mut file = vec![0; 64];
        file[48] = version;
        file
    }

    #[test]
    fn versions_are_checked_first() {
        let options = LoadOptions::execution().with_versions(Version::V1..=Version::V2);
        for version in 0..6 {
            let name = load(&file_of_version(version), &options).unwrap_err().name();
            let enabled = [1, 2].contains(&version);
            assert_eq!(name, if enabled { "FailedToParse" } else { "UnsupportedSBPFVersion" }, "{version}");
        }
    }

    #[test]
    fn a_deployment_has_one_syscall_less() {
        let key = symbol_key(b"sol_alloc_free_");
        assert!(LoadOptions::execution().is_syscall(key));
        assert!(!LoadOptions::deployment().is_syscall(key));
        assert_eq!(LoadOptions::deployment().syscalls.len() + 1, LoadOptions::execution().syscalls.len());
    }
}
