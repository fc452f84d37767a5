//! The reference VM's errors, with its names and its texts.

use solana_instruction_error::InstructionError;
use std::{fmt, str::Utf8Error};

/// What a memory access wanted to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessType {
    /// Reading.
    Load,
    /// Writing.
    Store,
}

impl fmt::Display for AccessType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Load => "reading",
            Self::Store => "writing",
        })
    }
}

/// A failure of a running program: the variants of solana-sbpf's `EbpfError` that a run can return,
/// with the same fields and the same `Display` text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EbpfError {
    /// A call nested deeper than the machine has frames.
    #[error("exceeded max BPF to BPF call depth")]
    CallDepthExceeded,
    /// Division or remainder by zero.
    #[error("divide by zero at BPF instruction")]
    DivideByZero,
    /// Signed division of the smallest number by -1.
    #[error("division overflow at BPF instruction")]
    DivideOverflow,
    /// The program counter ran past the last instruction.
    #[error("attempted to execute past the end of the text segment at BPF instruction")]
    ExecutionOverrun,
    /// An indirect call left the text.
    #[error("callx attempted to call outside of the text segment")]
    CallOutsideTextSegment,
    /// The compute meter ran out.
    #[error("exceeded CUs meter at BPF instruction")]
    ExceededMaxInstructions,
    /// An access outside the mapped regions: what, address, length in bytes, region name.
    #[error("Access violation {0} {2} bytes at address {1:#x} (in {3} region)")]
    AccessViolation(AccessType, u64, u64, &'static str),
    /// An access near the stack that hits no frame: what, address, length in bytes, frame index.
    #[error("Access violation in stack frame {3} at address {1:#x} of size {2:?}")]
    StackAccessViolation(AccessType, u64, u64, i64),
    /// An opcode the machine does not execute, or an unknown call target.
    #[error("unsupported BPF instruction")]
    UnsupportedInstruction,
}

impl EbpfError {
    /// The name of the variant, as the reference spells it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::CallDepthExceeded => "CallDepthExceeded",
            Self::DivideByZero => "DivideByZero",
            Self::DivideOverflow => "DivideOverflow",
            Self::ExecutionOverrun => "ExecutionOverrun",
            Self::CallOutsideTextSegment => "CallOutsideTextSegment",
            Self::ExceededMaxInstructions => "ExceededMaxInstructions",
            Self::AccessViolation(..) => "AccessViolation",
            Self::StackAccessViolation(..) => "StackAccessViolation",
            Self::UnsupportedInstruction => "UnsupportedInstruction",
        }
    }
}

/// A failure of a syscall: the variants of the reference's `SyscallError` that these syscalls can return,
/// with the same fields and the same `Display` text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SyscallError {
    /// An access to memory.
    #[error(transparent)]
    Access(#[from] EbpfError),
    /// Text that is not UTF-8.
    #[error("{0}: {1:?}")]
    InvalidString(Utf8Error, Vec<u8>),
    /// The program gave up.
    #[error("SBF program panicked")]
    Abort,
    /// The program panicked: source file, line, column.
    #[error("SBF program Panicked in {0} at {1}:{2}")]
    Panic(String, u64, u64),
    /// No address can be made of the seeds.
    #[error("Could not create program address with signer seeds: {0}")]
    BadSeeds(SeedsError),
    /// A program that may not be called by others.
    #[error("Program {0} not supported by inner instructions")]
    ProgramNotSupported(String),
    /// A pointer that is not a multiple of what its type asks for.
    #[error("Unaligned pointer")]
    UnalignedPointer,
    /// More signers than a call may have.
    #[error("Too many signers")]
    TooManySigners,
    /// Ranges that must not share a byte do.
    #[error("Overlapping copy")]
    CopyOverlapping,
    /// More return data than is kept: how much, and how much is kept.
    #[error("Return data too large ({0} > {1})")]
    ReturnDataTooLarge(u64, u64),
    /// More slices than are hashed at once.
    #[error("Hashing too many sequences")]
    TooManySlices,
    /// A length that cannot be.
    #[error("InvalidLength")]
    InvalidLength,
    /// A call with more data than it may have.
    #[error("Invoked an instruction with data that is too large ({data_len} > {max_data_len})")]
    MaxInstructionDataLenExceeded {
        /// Bytes.
        data_len: u64,
        /// Bytes allowed.
        max_data_len: u64,
    },
    /// A call with more accounts than it may have.
    #[error("Invoked an instruction with too many accounts ({num_accounts} > {max_accounts})")]
    MaxInstructionAccountsExceeded {
        /// Accounts.
        num_accounts: u64,
        /// Accounts allowed.
        max_accounts: u64,
    },
    /// A call with more account descriptions than it may have.
    #[error(
        "Invoked an instruction with too many account info's ({num_account_infos} > {max_account_infos})"
    )]
    MaxInstructionAccountInfosExceeded {
        /// Descriptions.
        num_account_infos: u64,
        /// Descriptions allowed.
        max_account_infos: u64,
    },
    /// A selector that selects nothing.
    #[error("InvalidAttribute")]
    InvalidAttribute,
    /// An address the caller may not name.
    #[error("Invalid pointer")]
    InvalidPointer,
    /// Poseidon was asked for what it does not have.
    #[error(transparent)]
    Poseidon(#[from] PoseidonError),
}

/// What Poseidon does not have: the texts of the reference's `PoseidonSyscallError`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoseidonError {
    /// Such parameters.
    #[error("Invalid parameters.")]
    InvalidParameters,
    /// Such an order of bytes.
    #[error("Invalid endianness.")]
    InvalidEndianness,
}

/// Why seeds make no address: the texts of the reference's `PubkeyError`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeedsError {
    /// Too many, or one too long.
    #[error("Length of the seed is too long for address generation")]
    MaxSeedLengthExceeded,
    /// The address would be a public key.
    #[error("Provided seeds do not result in a valid address")]
    InvalidSeeds,
}

/// Why a program failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// An instruction of the machine.
    #[error(transparent)]
    Vm(#[from] EbpfError),
    /// A syscall.
    #[error(transparent)]
    Syscall(#[from] SyscallError),
    /// A syscall, with an error that becomes the instruction's own.
    #[error("{0}")]
    Instruction(InstructionError),
}

impl RunError {
    /// The name of the innermost variant, as the reference spells it.
    pub fn name(&self) -> String {
        let variant = match self {
            Self::Vm(error) | Self::Syscall(SyscallError::Access(error)) => return error.name().to_owned(),
            Self::Syscall(SyscallError::Poseidon(error)) => format!("{error:?}"),
            Self::Syscall(error) => format!("{error:?}"),
            Self::Instruction(error) => format!("{error:?}"),
        };
        variant.split([' ', '(', '{']).next().unwrap_or_default().to_owned()
    }
}
