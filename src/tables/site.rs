//! The places where host code reads a bit or a branch.

/// Where an observation is made. A test pins how often each happens per instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Site {
    /// Which execution unit the decoded instruction uses: once a lazy step.
    Unit,
    /// Whether a lazy conditional jump is taken.
    Taken,
    /// Whether a divisor is zero, in a lazy division or remainder.
    DivisorZero,
    /// Whether the quotient does not fit, in a lazy signed division or remainder.
    QuotientOverflows,
    /// Which region a lazy memory access points at.
    Region,
    /// Whether a lazy memory access lies inside its region.
    InBounds,
    /// What a static call calls.
    StaticCall,
    /// Whether a call key names a syscall.
    SyscallFound,
    /// Whether a call key names a function.
    FunctionFound,
    /// Whether a call is one too deep.
    TooDeep,
    /// Whether the target of a call lies inside the text.
    InText,
    /// Whether an exit leaves the first frame.
    RootFrame,
    /// Whether a full step is the last: its only observation.
    Halt,
    /// Whether the bytes a hash has taken in make a block.
    BlockFull,
    /// Whether the length of a message fits into its last block, in SHA-2.
    LengthFits,
    /// Whether a block is the last of a chunk, in BLAKE3.
    ChunkFull,
    /// Whether a chunk completes no further subtree, in BLAKE3.
    SubtreeOpen,
}

impl Site {
    /// Every site.
    pub const ALL: [Self; 17] = [
        Self::Unit,
        Self::Taken,
        Self::DivisorZero,
        Self::QuotientOverflows,
        Self::Region,
        Self::InBounds,
        Self::StaticCall,
        Self::SyscallFound,
        Self::FunctionFound,
        Self::TooDeep,
        Self::InText,
        Self::RootFrame,
        Self::Halt,
        Self::BlockFull,
        Self::LengthFits,
        Self::ChunkFull,
        Self::SubtreeOpen,
    ];
}
