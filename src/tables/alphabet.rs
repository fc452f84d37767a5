//! The alphabets digits are drawn from.
//!
//! A digit is a one-hot vector. Which letters it can show is its alphabet; the alphabet is part of the
//! type of every digit, so that a table cannot be fed the wrong kind.

/// Which alphabet, as data: names tensors and gives the radix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // one per alphabet type below, which carry the docs
pub enum AlphabetId {
    Nibble,
    Bit,
    Carry,
    Quarter,
    Version,
    Phase,
    Unit,
    Condition,
    Size,
    Extend,
    Region,
    Span,
    Fault,
    Halt,
    Callee,
    Call,
    Decimal,
    Base58,
    Sextet,
    Utf8,
    Utf8Class,
    Syscall,
}

impl AlphabetId {
    /// Every alphabet.
    pub const ALL: [Self; 22] = [
        Self::Nibble,
        Self::Bit,
        Self::Carry,
        Self::Quarter,
        Self::Version,
        Self::Phase,
        Self::Unit,
        Self::Condition,
        Self::Size,
        Self::Extend,
        Self::Region,
        Self::Span,
        Self::Fault,
        Self::Halt,
        Self::Callee,
        Self::Call,
        Self::Decimal,
        Self::Base58,
        Self::Sextet,
        Self::Utf8,
        Self::Utf8Class,
        Self::Syscall,
    ];

    /// Number of letters.
    pub const fn radix(self) -> usize {
        match self {
            Self::Nibble => 16,
            Self::Bit => 2,
            Self::Carry => Carry::LETTERS.len(),
            Self::Quarter => 4,
            Self::Version => Version::LETTERS.len(),
            Self::Phase => Phase::LETTERS.len(),
            Self::Unit => Unit::LETTERS.len(),
            Self::Condition => Condition::LETTERS.len(),
            Self::Size => Size::LETTERS.len(),
            Self::Extend => Extend::LETTERS.len(),
            Self::Region => Region::LETTERS.len(),
            Self::Span => Span::LETTERS.len(),
            Self::Fault => Fault::LETTERS.len(),
            Self::Halt => Halt::LETTERS.len(),
            Self::Callee => Callee::LETTERS.len(),
            Self::Call => Call::LETTERS.len(),
            Self::Decimal => 10,
            Self::Base58 => 58,
            Self::Sextet => 64,
            Self::Utf8 => Utf8::LETTERS.len(),
            Self::Utf8Class => Utf8Class::LETTERS.len(),
            Self::Syscall => Syscall::LETTERS.len(),
        }
    }

    /// Name used in tensor names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nibble => "nibble",
            Self::Bit => "bit",
            Self::Carry => "carry",
            Self::Quarter => "quarter",
            Self::Version => "version",
            Self::Phase => "phase",
            Self::Unit => "unit",
            Self::Condition => "condition",
            Self::Size => "size",
            Self::Extend => "extend",
            Self::Region => "region",
            Self::Span => "span",
            Self::Fault => "fault",
            Self::Halt => "halt",
            Self::Callee => "callee",
            Self::Call => "call",
            Self::Decimal => "decimal",
            Self::Base58 => "base58",
            Self::Sextet => "sextet",
            Self::Utf8 => "utf8",
            Self::Utf8Class => "utf8_class",
            Self::Syscall => "syscall",
        }
    }

    /// The letter with this index, as its name, or as a number where letters are numbers.
    pub fn letter(self, index: usize) -> String {
        fn named<A: Gate>(index: usize) -> Option<String> {
            A::LETTERS.get(index).map(|letter| format!("{letter:?}"))
        }
        let name = match self {
            Self::Nibble | Self::Bit | Self::Quarter | Self::Decimal | Self::Base58 | Self::Sextet => None,
            Self::Carry => named::<Carry>(index),
            Self::Version => named::<Version>(index),
            Self::Phase => named::<Phase>(index),
            Self::Unit => named::<Unit>(index),
            Self::Condition => named::<Condition>(index),
            Self::Size => named::<Size>(index),
            Self::Extend => named::<Extend>(index),
            Self::Region => named::<Region>(index),
            Self::Span => named::<Span>(index),
            Self::Fault => named::<Fault>(index),
            Self::Halt => named::<Halt>(index),
            Self::Callee => named::<Callee>(index),
            Self::Call => named::<Call>(index),
            Self::Utf8 => named::<Utf8>(index),
            Self::Utf8Class => named::<Utf8Class>(index),
            Self::Syscall => named::<Syscall>(index),
        };
        name.unwrap_or_else(|| format!("{index:x}"))
    }
}

/// A set of letters a digit can show.
pub trait Alphabet: Copy + std::fmt::Debug + 'static {
    /// The alphabet as data.
    const ID: AlphabetId;
}

/// An alphabet whose letters name branches: the only digits, bits aside, a driver may observe.
pub trait Gate: Alphabet {
    /// The letters in order of their value.
    const LETTERS: &'static [Self];
}

/// Sixteen letters, 0 to 15: a quarter of a byte pair, four bits of a machine value.
#[derive(Clone, Copy, Debug)]
pub struct Nibble;
impl Alphabet for Nibble {
    const ID: AlphabetId = AlphabetId::Nibble;
}

/// Two letters: 0 (no) and 1 (yes).
#[derive(Clone, Copy, Debug)]
pub struct Bit;
impl Alphabet for Bit {
    const ID: AlphabetId = AlphabetId::Bit;
}

/// Four letters, 0 to 3: the part of a shift count below one digit.
#[derive(Clone, Copy, Debug)]
pub struct Quarter;
impl Alphabet for Quarter {
    const ID: AlphabetId = AlphabetId::Quarter;
}

/// Ten letters, 0 to 9: a digit of a number in base 10, or a remainder by 10.
#[derive(Clone, Copy, Debug)]
pub struct Decimal;
impl Alphabet for Decimal {
    const ID: AlphabetId = AlphabetId::Decimal;
}

/// Fifty-eight letters, 0 to 57: a digit of an address as text, or a remainder by 58.
#[derive(Clone, Copy, Debug)]
pub struct Base58;
impl Alphabet for Base58 {
    const ID: AlphabetId = AlphabetId::Base58;
}

/// Sixty-four letters, 0 to 63: six bits, a character of base64.
#[derive(Clone, Copy, Debug)]
pub struct Sextet;
impl Alphabet for Sextet {
    const ID: AlphabetId = AlphabetId::Sextet;
}

macro_rules! gates {
    ($($(#[$doc:meta])* $name:ident { $($(#[$letter_doc:meta])* $letter:ident),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$letter_doc])* $letter),+ }
        impl $name {
            /// The letters in order of their value.
            pub const LETTERS: &'static [Self] = &[$(Self::$letter),+];
        }
        impl Alphabet for $name {
            const ID: AlphabetId = AlphabetId::$name;
        }
        impl Gate for $name {
            const LETTERS: &'static [Self] = Self::LETTERS;
        }
    )+};
}

gates! {
    /// What a digit position does to a carry; as the outcome of a comparison: greater, equal, less.
    Carry {
        /// No carry leaves, whatever comes in. Compared: the left side is greater.
        Kill,
        /// The carry that comes in leaves. Compared: both sides are equal.
        Propagate,
        /// A carry leaves, whatever comes in. Compared: the left side is less.
        Generate,
    }
    /// The sBPF version of the running program.
    Version {
        /// Legacy.
        V0,
        /// Dynamic frames.
        V1,
        /// Re-encoded.
        V2,
        /// Strict.
        V3,
    }
    /// What a step is about to do: run an instruction of some version, or fail before decoding.
    Phase {
        /// Run a v0 instruction.
        V0,
        /// Run a v1 instruction.
        V1,
        /// Run a v2 instruction.
        V2,
        /// Run a v3 instruction.
        V3,
        /// The program counter is past the text.
        Overrun,
        /// The meter has nothing left.
        Exhausted,
    }
    /// The execution unit an instruction uses.
    Unit {
        /// Copy the second operand.
        Move,
        /// Sum.
        Add,
        /// Difference.
        Subtract,
        /// Difference the other way round: the second operand minus the first.
        SubtractFrom,
        /// Bitwise and.
        And,
        /// Bitwise or.
        Or,
        /// Bitwise or with the second operand's low half, moved to the high half.
        OrHigh,
        /// Bitwise exclusive or.
        Xor,
        /// Shift towards the high end.
        ShiftLeft,
        /// Shift towards the low end; the first operand arrives extended as the shift needs it.
        ShiftRight,
        /// Shift towards the low end, copying the sign.
        ShiftArithmetic,
        /// Low half of the product.
        Multiply,
        /// High half of the unsigned product.
        MultiplyHigh,
        /// High half of the signed product.
        MultiplyHighSigned,
        /// Unsigned quotient.
        Divide,
        /// Unsigned remainder.
        Remainder,
        /// Signed quotient, rounded towards zero.
        DivideSigned,
        /// Remainder of that quotient; it has the sign of the first operand.
        RemainderSigned,
        /// Zero minus the first operand.
        Negate,
        /// Keep the low bytes, little end first.
        LittleEndian,
        /// Keep the low bytes, big end first.
        BigEndian,
        /// A 64-bit constant over two slots.
        LoadConstant,
        /// Read memory.
        Load,
        /// Write memory.
        Store,
        /// Jump without a condition.
        Jump,
        /// Jump on an unsigned comparison.
        Compare,
        /// Jump on a signed comparison.
        CompareSigned,
        /// Jump if the operands share a bit.
        Test,
        /// Call by key.
        Call,
        /// Call of a syscall by key or of a function by its distance, as the source field says.
        CallStatic,
        /// Call through a register.
        CallRegister,
        /// Return, or end the program.
        Exit,
        /// No such instruction.
        Unsupported,
        /// Fail: past the end of the text.
        Overrun,
        /// Fail: no units left.
        Exhausted,
    }
    /// When a conditional jump is taken, of (left, right).
    Condition {
        /// left == right.
        Equal,
        /// left != right.
        NotEqual,
        /// left > right.
        Greater,
        /// left >= right.
        GreaterEqual,
        /// left < right.
        Less,
        /// left <= right.
        LessEqual,
    }
    /// Width of a memory access or byte swap.
    Size {
        /// 1 byte.
        Byte,
        /// 2 bytes.
        Half,
        /// 4 bytes.
        Word,
        /// 8 bytes.
        Double,
    }
    /// How a 64-bit word is made from its low half.
    Extend {
        /// All 64 bits are kept.
        Whole,
        /// The high half becomes zero.
        Zero,
        /// The high half becomes copies of bit 31.
        Sign,
    }
    /// The memory region an address points at.
    Region {
        /// Addresses below 2^32: v3's read-only data.
        Null,
        /// Program image.
        Program,
        /// Call frames.
        Stack,
        /// Heap.
        Heap,
        /// Input.
        Input,
        /// Nothing is mapped there.
        Nowhere,
    }
    /// How many rows of a RAM a write replaces.
    Span {
        /// None: write strength 0 on every row.
        Nothing,
        /// One row.
        One,
        /// Two rows.
        Two,
        /// Three rows.
        Three,
        /// Four rows.
        Four,
        /// Five rows.
        Five,
        /// Six rows.
        Six,
        /// Seven rows.
        Seven,
        /// Eight rows.
        Eight,
    }
    /// Why a step cannot complete.
    Fault {
        /// It can.
        None,
        /// The divisor is zero.
        DivideByZero,
        /// The signed quotient does not fit.
        DivideOverflow,
        /// A read outside what is mapped.
        Load,
        /// A write outside what is mapped, or to what is read-only.
        Store,
        /// One call too deep.
        CallDepth,
        /// A call that leaves the text.
        CallOutside,
        /// An opcode or call target that does not exist.
        Unsupported,
        /// Past the end of the text.
        Overrun,
        /// No units left.
        Exhausted,
    }
    /// What comes after a step.
    Halt {
        /// The next step.
        Continue,
        /// The program ended; r0 is its result.
        Exit,
        /// The step failed and changed nothing.
        Fault,
        /// The step asks for a syscall.
        Syscall,
    }
    /// Which field of a slot names the register a call goes through.
    Callee {
        /// The immediate.
        Immediate,
        /// The source.
        Source,
        /// The destination.
        Destination,
    }
    /// What a static call calls.
    Call {
        /// A syscall, by key.
        Syscall,
        /// A function, by the distance to it.
        Function,
        /// Nothing that exists.
        Nothing,
    }
    /// How far into a character of UTF-8 a text has come.
    Utf8 {
        /// Between characters.
        Start,
        /// One more continuation byte.
        One,
        /// Two more.
        Two,
        /// Three more.
        Three,
        /// After 0xe0: a byte from 0xa0 on, then one more.
        AfterE0,
        /// After 0xed: a byte below 0xa0, then one more.
        AfterEd,
        /// After 0xf0: a byte from 0x90 on, then two more.
        AfterF0,
        /// After 0xf4: a byte below 0x90, then two more.
        AfterF4,
        /// No text at all.
        Wrong,
    }
    /// What a byte can be in UTF-8.
    Utf8Class {
        /// A character of its own.
        Ascii,
        /// 0x80 to 0x8f.
        Low,
        /// 0x90 to 0x9f.
        Middle,
        /// 0xa0 to 0xbf.
        High,
        /// Starts a character of two bytes.
        Two,
        /// 0xe0.
        E0,
        /// Starts a character of three bytes, any of them.
        Three,
        /// 0xed.
        Ed,
        /// 0xf0.
        F0,
        /// Starts a character of four bytes, any of them.
        Four,
        /// 0xf4.
        F4,
        /// Never occurs.
        Never,
    }
    /// The system calls, under the names programs import them by.
    Syscall {
        /// `abort`.
        Abort,
        /// `sol_panic_`.
        Panic,
        /// `sol_log_`.
        Log,
        /// `sol_log_64_`.
        Log64,
        /// `sol_log_pubkey`.
        LogPubkey,
        /// `sol_log_compute_units_`.
        LogComputeUnits,
        /// `sol_create_program_address`.
        CreateProgramAddress,
        /// `sol_try_find_program_address`.
        TryFindProgramAddress,
        /// `sol_sha256`.
        Sha256,
        /// `sol_keccak256`.
        Keccak256,
        /// `sol_secp256k1_recover`.
        Secp256k1Recover,
        /// `sol_blake3`.
        Blake3,
        /// `sol_sha512`.
        Sha512,
        /// `sol_curve_validate_point`.
        CurveValidatePoint,
        /// `sol_curve_group_op`.
        CurveGroupOp,
        /// `sol_curve_multiscalar_mul`.
        CurveMultiscalarMul,
        /// `sol_curve_decompress`.
        CurveDecompress,
        /// `sol_curve_pairing_map`.
        CurvePairingMap,
        /// `sol_get_clock_sysvar`.
        GetClockSysvar,
        /// `sol_get_epoch_schedule_sysvar`.
        GetEpochScheduleSysvar,
        /// `sol_get_fees_sysvar`.
        GetFeesSysvar,
        /// `sol_get_rent_sysvar`.
        GetRentSysvar,
        /// `sol_get_last_restart_slot`.
        GetLastRestartSlot,
        /// `sol_get_epoch_rewards_sysvar`.
        GetEpochRewardsSysvar,
        /// `sol_memcpy_`.
        Memcpy,
        /// `sol_memmove_`.
        Memmove,
        /// `sol_memset_`.
        Memset,
        /// `sol_memcmp_`.
        Memcmp,
        /// `sol_get_processed_sibling_instruction`.
        GetProcessedSiblingInstruction,
        /// `sol_get_stack_height`.
        GetStackHeight,
        /// `sol_set_return_data`.
        SetReturnData,
        /// `sol_get_return_data`.
        GetReturnData,
        /// `sol_invoke_signed_c`.
        InvokeSignedC,
        /// `sol_invoke_signed_rust`.
        InvokeSignedRust,
        /// `sol_alloc_free_`.
        AllocFree,
        /// `sol_alt_bn128_group_op`.
        AltBn128GroupOp,
        /// `sol_big_mod_exp`.
        BigModExp,
        /// `sol_poseidon`.
        Poseidon,
        /// `sol_remaining_compute_units`.
        RemainingComputeUnits,
        /// `sol_alt_bn128_compression`.
        AltBn128Compression,
        /// `sol_get_sysvar`.
        GetSysvar,
        /// `sol_get_epoch_stake`.
        GetEpochStake,
        /// `sol_log_data`.
        LogData,
    }
}
