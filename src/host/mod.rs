//! Host code: what surrounds the machine and computes nothing the machine is asked to compute.

mod asm;
mod disasm;
mod effect;
pub mod elf;
mod environment;
mod error;
mod isa;
mod machine;
mod murmur3;
mod program;
pub mod recorded;
pub mod svm;
pub mod syscall_names;
mod verifier;

pub use asm::{AsmError, AsmErrorKind, MAX_SLOTS, assemble};
pub use disasm::{disassemble, instruction_text};
pub use effect::{Effect, Frame, Store};
pub use environment::{
    Address, DEFAULT_SLOT, Environment, EpochStake, ReturnData, SYSVAR_IDS, Sibling, Sysvars,
};
pub use error::{AccessType, EbpfError, PoseidonError, RunError, SeedsError, SyscallError};
pub use machine::{
    Abi, Ended, HEAP_ADDRESS, INPUT_ADDRESS, LoadedProgram, LoadedSysvars, MAX_REGION_BYTES, Machine, Mode,
    STACK_ADDRESS, STACK_BYTES, Setup, SetupError,
};
pub use murmur3::{pc_key, symbol_key};
pub use program::{Program, Version};
pub use verifier::{VerifierError, verify};
