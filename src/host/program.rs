//! A program ready to run.

use std::collections::BTreeMap;

/// The sBPF version a program was compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// The legacy instruction set; every deployed program uses it.
    V0,
    /// Dynamic stack frames.
    V1,
    /// Re-encoded arithmetic and memory instructions.
    V2,
    /// Legacy instructions again, with `jmp32`, static calls and a strict ELF layout.
    V3,
}

/// A loaded program: what the machine is given.
///
/// Addresses are virtual machine addresses in bytes, program counters count 8-byte slots from the
/// start of `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The version that selects the instruction set and the memory layout.
    pub version: Version,
    /// Instruction slots as they are executed, in 8-byte slots once the program is verified.
    pub text: Vec<u8>,
    /// Address of `text[0]`.
    pub text_address: u64,
    /// Slot at which execution starts.
    pub entry_pc: usize,
    /// Internal functions: the key a `call` carries, and the slot it leads to.
    pub functions: BTreeMap<u32, usize>,
    /// Bytes of the read-only program region.
    pub image: Vec<u8>,
    /// Address of `image[0]`.
    pub image_address: u64,
}

/// Where the text's region starts; in versions 0 to 2 the read-only data is in it too.
pub const PROGRAM_ADDRESS: u64 = 0x1_0000_0000;
/// Where the read-only data starts in version 3.
pub const DATA_ADDRESS: u64 = 0;

impl Program {
    /// A program from bare instruction slots, which are also its whole read-only image.
    ///
    /// Nothing is checked here; [`verify`](super::verify) does that.
    pub fn from_text(
        version: Version,
        text: Vec<u8>,
        entry_pc: usize,
        functions: BTreeMap<u32, usize>,
    ) -> Self {
        Self {
            version,
            image: text.clone(),
            text,
            text_address: PROGRAM_ADDRESS,
            entry_pc,
            functions,
            image_address: if version == Version::V3 { DATA_ADDRESS } else { PROGRAM_ADDRESS },
        }
    }
}
