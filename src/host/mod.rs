//! Host code: what surrounds the machine and computes nothing the machine is asked to compute.

mod asm;
mod disasm;
mod error;
mod isa;
mod program;
mod symbol;
mod verifier;

pub use asm::{AsmError, AsmErrorKind, MAX_SLOTS, assemble};
pub use disasm::{disassemble, instruction_text};
pub use error::{AccessType, EbpfError};
pub use program::{Program, Version};
pub use symbol::symbol_hash;
pub use verifier::{VerifierError, verify};
