//! Programs, from files and from bytes.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use svmllm::host::{
    self, AsmError, Program, VerifierError, Version,
    elf::{self, ElfError, LoadOptions},
    symbol_key,
};

/// Largest program file read, in bytes: far above what an account can hold.
pub const MAX_PROGRAM_BYTES: usize = 64 << 20;

/// A program the reference refuses, with the text its `EbpfError` shows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// By the loader.
    #[error("ELF error: {0}")]
    Elf(#[from] ElfError),
    /// By the verifier.
    #[error("Verifier error: {0}")]
    Verifier(#[from] VerifierError),
}

impl Rejection {
    /// The name of the innermost variant, as the reference spells it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Elf(error) => error.name(),
            Self::Verifier(error) => error.name(),
        }
    }
}

/// Why there is no program to run.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The file cannot be read.
    #[error("{}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What happened.
        error: io::Error,
    },
    /// Nothing tells what the file holds.
    #[error("{}: neither an ELF file nor one called .so, .s or .bin", .0.display())]
    Unknown(PathBuf),
    /// Assembly has to be UTF-8.
    #[error("the assembly is not UTF-8 text")]
    NotText,
    /// The assembly is wrong.
    #[error("assembly, {0}")]
    Assembly(#[from] AsmError),
    /// The reference would not run it either.
    #[error("refused: {0}")]
    Rejected(#[from] Rejection),
}

/// Loads the program in a file, by its content if that is an ELF file, else by the end of its name, and
/// verifies it.
pub fn load_file(path: &Path, deploy: bool) -> Result<Program, SourceError> {
    let bytes = read_file(path, MAX_PROGRAM_BYTES)
        .map_err(|error| SourceError::Read { path: path.to_owned(), error })?;
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension {
        _ if bytes.starts_with(b"\x7fELF") => Ok(load_elf(&bytes, deploy)?),
        "so" => Ok(load_elf(&bytes, deploy)?),
        "s" => assemble(str::from_utf8(&bytes).map_err(|_| SourceError::NotText)?, Version::V0),
        "bin" => Ok(from_slots(Version::V0, bytes, 0, [])?),
        _ => Err(SourceError::Unknown(path.to_owned())),
    }
}

/// Loads and verifies an ELF file as Agave does to run it, or to deploy it.
pub fn load_elf(file: &[u8], deploy: bool) -> Result<Program, Rejection> {
    let options = if deploy { LoadOptions::deployment() } else { LoadOptions::execution() };
    verified(elf::load(file, &options)?)
}

/// Assembles and verifies a text.
pub fn assemble(text: &str, version: Version) -> Result<Program, SourceError> {
    Ok(verified(host::assemble(text, version)?)?)
}

/// Verifies bare slots. As in solana-sbpf a key belongs to one function, and the entrypoint has that of its
/// name.
pub fn from_slots(
    version: Version,
    text: Vec<u8>,
    entry_pc: usize,
    functions: impl IntoIterator<Item = (u32, usize)>,
) -> Result<Program, Rejection> {
    let entry_key = if version == Version::V3 { entry_pc as u32 } else { symbol_key(b"entrypoint") };
    let mut program = Program::from_text(version, text, entry_pc, [(entry_key, entry_pc)].into());
    for (key, pc) in functions {
        if *program.functions.entry(key).or_insert(pc) != pc {
            return Err(ElfError::SymbolHashCollision(key).into());
        }
    }
    verified(program)
}

fn verified(program: Program) -> Result<Program, Rejection> {
    host::verify(&program.text, program.version)?;
    Ok(program)
}

/// The bytes of a file of at most `limit` bytes.
pub fn read_file(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("longer than {limit} bytes")));
    }
    Ok(bytes)
}
