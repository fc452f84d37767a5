//! Why a file is refused, in the reference's words.

use thiserror::Error;

/// A file that the runtime refuses: the variants of solana-sbpf's `ElfError` that loading can return,
/// with the same `Display` text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ElfError {
    /// The structure of the file is broken.
    #[error("Failed to parse ELF file: {0}")]
    FailedToParse(ParserError),
    /// The entry address is not in `.text`.
    #[error("Entrypoint out of bounds")]
    EntrypointOutOfBounds,
    /// The entry address is not at an instruction slot.
    #[error("Invalid entrypoint")]
    InvalidEntrypoint,
    /// A deployment calls a name that is no syscall: name, file offset in slots, file offset in bytes.
    #[error("Unresolved symbol ({0}) at instruction #{1} (ELF file offset {2:#x})")]
    UnresolvedSymbol(String, u64, u64),
    /// The call at this slot leads out of `.text`.
    #[error("Relative jump out of bounds at instruction #{0}")]
    RelativeJumpOutOfBounds(usize),
    /// Two functions, or a function and a syscall, have this key.
    #[error("Symbol hash collision {0:#x}")]
    SymbolHashCollision(u32),
    /// The identification names an operating system.
    #[error("Incompatible ELF: wrong ABI")]
    WrongAbi,
    /// Neither of the two machine numbers of sBPF.
    #[error("Incompatible ELF: wrong machine")]
    WrongMachine,
    /// There is not exactly one section called `.text`.
    #[error("Multiple or no text sections, consider removing llc option: -function-sections")]
    NotOneTextSection,
    /// A section of writable data, by name.
    #[error("Found writable section ({0}) in ELF, read-write data not supported")]
    WritableSectionNotSupported(String),
    /// A relocation refers to this address.
    #[error("Relocation failed, invalid referenced virtual address {0:#x}")]
    InvalidVirtualAddress(u64),
    /// A relocation of this type.
    #[error("Relocation failed, unknown type {0}")]
    UnknownRelocation(u32),
    /// The file is no shared object.
    #[error("Incompatible ELF: wrong type")]
    WrongType,
    /// A relocation's symbol is missing (its index), or the symbol's name is (its offset in the names).
    #[error("Unknown symbol with index {0}")]
    UnknownSymbol(u32),
    /// An address, an offset or a length leaves the file or the program region.
    #[error("Offset or value is out of bounds")]
    ValueOutOfBounds,
    /// The file is for a version of sBPF that is not enabled.
    #[error("Detected sbpf_version required by the executable which are not enabled")]
    UnsupportedSBPFVersion,
    /// A segment that the runtime does not accept.
    #[error("Invalid ELF program header")]
    InvalidProgramHeader,
}

impl ElfError {
    /// The name of the variant, as the reference spells it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::FailedToParse(_) => "FailedToParse",
            Self::EntrypointOutOfBounds => "EntrypointOutOfBounds",
            Self::InvalidEntrypoint => "InvalidEntrypoint",
            Self::UnresolvedSymbol(..) => "UnresolvedSymbol",
            Self::RelativeJumpOutOfBounds(_) => "RelativeJumpOutOfBounds",
            Self::SymbolHashCollision(_) => "SymbolHashCollision",
            Self::WrongAbi => "WrongAbi",
            Self::WrongMachine => "WrongMachine",
            Self::NotOneTextSection => "NotOneTextSection",
            Self::WritableSectionNotSupported(_) => "WritableSectionNotSupported",
            Self::InvalidVirtualAddress(_) => "InvalidVirtualAddress",
            Self::UnknownRelocation(_) => "UnknownRelocation",
            Self::WrongType => "WrongType",
            Self::UnknownSymbol(_) => "UnknownSymbol",
            Self::ValueOutOfBounds => "ValueOutOfBounds",
            Self::UnsupportedSBPFVersion => "UnsupportedSBPFVersion",
            Self::InvalidProgramHeader => "InvalidProgramHeader",
        }
    }
}

/// A broken structure: the variants of solana-sbpf's `ElfParserError` that loading can return inside
/// [`ElfError::FailedToParse`], with the same `Display` text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParserError {
    /// The file header.
    #[error("invalid file header")]
    InvalidFileHeader,
    /// A section header: its type, or a second section of a name that must be unique.
    #[error("invalid section header")]
    InvalidSectionHeader,
    /// A name without an end: what was read of it, and the most bytes it may have.
    #[error("Section or symbol name `{0}` is longer than `{1}` bytes")]
    StringTooLong(String, usize),
    /// A table whose length is no multiple of its record's.
    #[error("invalid size")]
    InvalidSize,
    /// Headers, tables or sections share bytes of the file.
    #[error("values overlap")]
    Overlap,
    /// A section starts before the previous one ends.
    #[error("sections not in ascending order")]
    SectionNotInOrder,
    /// No section holds the names of the sections.
    #[error("no section name string table found")]
    NoSectionNameStringTable,
    /// The dynamic table, or what it points to.
    #[error("invalid dynamic section table")]
    InvalidDynamicSectionTable,
    /// A table at an offset that is no multiple of 8.
    #[error("invalid alignment")]
    InvalidAlignment,
}

impl From<ParserError> for ElfError {
    fn from(error: ParserError) -> Self {
        Self::FailedToParse(error)
    }
}
