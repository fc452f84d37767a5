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
    /// Which syscall is called.
    Syscall,
    /// Whether a length is below the 250 bytes that cost a unit.
    ShortLength,
    /// Whether the meter cannot pay for a part of a syscall.
    UnitsShort,
    /// Whether a range is empty, and so not translated.
    EmptySlice,
    /// Whether a range has 2^63 bytes or more.
    HugeSlice,
    /// Whether a pointer is not a multiple of what its type asks for.
    Unaligned,
    /// Whether two ranges share a byte.
    Overlap,
    /// Whether a copy goes towards lower rows.
    CopyDown,
    /// Whether fewer bytes are left than are taken at once.
    LastChunk,
    /// Whether nothing is left to go through.
    NothingLeft,
    /// Whether one byte is left of a group of three.
    OneLeft,
    /// Whether eight bytes differ from eight others.
    BytesDiffer,
    /// Whether a text is UTF-8.
    Utf8,
    /// Whether a getter's output lies below the input.
    PointerRange,
    /// Whether a sum leaves 64 bits.
    Overflow,
    /// Whether an address is one of a list.
    SameAddress,
    /// Whether what is asked of a sysvar is there.
    SysvarRange,
    /// Whether a pointer is null.
    NullPointer,
    /// Whether an allocation fits.
    HeapFull,
    /// Whether return data is short enough.
    ReturnDataFits,
    /// Whether slices are more than are hashed at once.
    TooManySlices,
    /// Whether seeds are too many or too long.
    SeedLength,
    /// Whether seeds leave room for one more.
    SeedsFull,
    /// Whether a derived address is a point of the curve, and so none.
    OnCurve,
    /// Whether a selector has a value.
    Selector,
    /// Whether there are few enough elements.
    SliceCount,
    /// Whether an input is as long as it has to be.
    InputLength,
    /// Whether what was given encodes points of a curve, and scalars.
    PointValid,
    /// Whether points of a curve lie in its group.
    InGroup,
    /// Whether a recovered key is the point at infinity, and so none.
    KeyAtInfinity,
    /// Whether a modulus is odd and above 1.
    ModulusOdd,
    /// Whether a recovery id is one.
    RecoveryId,
    /// Whether the lengths a program expects of an instruction are right.
    SiblingFits,
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
    pub const ALL: [Self; 50] = [
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
        Self::Syscall,
        Self::ShortLength,
        Self::UnitsShort,
        Self::EmptySlice,
        Self::HugeSlice,
        Self::Unaligned,
        Self::Overlap,
        Self::CopyDown,
        Self::LastChunk,
        Self::NothingLeft,
        Self::OneLeft,
        Self::BytesDiffer,
        Self::Utf8,
        Self::PointerRange,
        Self::Overflow,
        Self::SameAddress,
        Self::SysvarRange,
        Self::NullPointer,
        Self::HeapFull,
        Self::ReturnDataFits,
        Self::TooManySlices,
        Self::SeedLength,
        Self::SeedsFull,
        Self::OnCurve,
        Self::Selector,
        Self::SliceCount,
        Self::InputLength,
        Self::PointValid,
        Self::InGroup,
        Self::KeyAtInfinity,
        Self::ModulusOdd,
        Self::RecoveryId,
        Self::SiblingFits,
        Self::BlockFull,
        Self::LengthFits,
        Self::ChunkFull,
        Self::SubtreeOpen,
    ];
}
