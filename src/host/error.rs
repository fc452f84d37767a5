//! The reference VM's errors, with its names and its texts.

use std::fmt;

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
