//! The catalogue of named tables: what each one computes, as the program that writes the weights
//! knows it. Nothing here runs when the machine does; evaluators read tensors.

use super::alphabet::{
    AlphabetId::{self, self as Id},
    *,
};
use std::marker::PhantomData;

/// Names a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)] // each has a documented typed handle below
pub enum TableId {
    Add,
    AddCarry,
    Subtract,
    SubtractBorrow,
    Prefix,
    Increment,
    Decrement,
    CarryOut,
    And,
    Or,
    Xor,
    SignFill,
    FlipSign,
    NonZero,
    ShiftUp,
    ShiftDown,
    ShiftBits,
    ShiftDigits,
    Take,
    Less,
    NotGreater,
    Equal,
    BitAnd,
    BitNot,
    Quotient,
    Phase,
    Region,
    Span,
    SwapSize,
    LowBit,
    FaultHalt,
    Negative,
    StaticCall,
    Aligned,
    Tail,
    HexLow,
    HexHigh,
    DecimalQuotient,
    DecimalRemainder,
    DecimalDigit,
    Base58Quotient,
    Base58Remainder,
    Base58Low,
    Base58High,
    Base58Zero,
    SextetHigh,
    SextetLow,
    Base64Low,
    Base64High,
    Utf8Class,
    Utf8Next,
    Utf8Ends,
    Syscall,
    Choose,
    Chi,
    ChunkFlags,
}

/// A table's signature and function.
pub struct Spec {
    /// Name, used in tensor names.
    pub name: &'static str,
    /// Alphabets of the inputs, in order.
    pub inputs: &'static [AlphabetId],
    /// Alphabet of the answer.
    pub output: AlphabetId,
    /// The answer for the given letters.
    pub function: fn(&[usize]) -> usize,
}

const NN: &[AlphabetId] = &[Id::Nibble, Id::Nibble];
const NNN: &[AlphabetId] = &[Id::Nibble; 3];
const N: &[AlphabetId] = &[Id::Nibble];
const BB: &[AlphabetId] = &[Id::Bit, Id::Bit];
const C: &[AlphabetId] = &[Id::Carry];

/// Carry behaviour of a position whose digits sum to `sum`.
fn carry_of(sum: usize) -> usize {
    (match sum {
        0..15 => Carry::Kill,
        15 => Carry::Propagate,
        _ => Carry::Generate,
    }) as usize
}

/// Borrow behaviour of a position: less generates, equal propagates, greater kills.
fn borrow_of(a: usize, b: usize) -> usize {
    (match a.cmp(&b) {
        std::cmp::Ordering::Less => Carry::Generate,
        std::cmp::Ordering::Equal => Carry::Propagate,
        std::cmp::Ordering::Greater => Carry::Kill,
    }) as usize
}

/// The carry that leaves a position with behaviour `state` when `carry` comes in.
fn leaving(state: usize, carry: usize) -> usize {
    if state == Carry::Propagate as usize { carry } else { usize::from(state == Carry::Generate as usize) }
}

/// Characters of the digits in base 16, 58 and 64.
const HEX: &[u8; 16] = b"0123456789abcdef";
const BASE58: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// What a byte can be in UTF-8 (RFC 3629, section 4).
fn utf8_class(byte: usize) -> Utf8Class {
    match byte {
        ..0x80 => Utf8Class::Ascii,
        0x80..0x90 => Utf8Class::Low,
        0x90..0xa0 => Utf8Class::Middle,
        0xa0..0xc0 => Utf8Class::High,
        0xc2..0xe0 => Utf8Class::Two,
        0xe0 => Utf8Class::E0,
        0xed => Utf8Class::Ed,
        0xe1..0xf0 => Utf8Class::Three,
        0xf0 => Utf8Class::F0,
        0xf1..0xf4 => Utf8Class::Four,
        0xf4 => Utf8Class::F4,
        _ => Utf8Class::Never,
    }
}

/// Where a text is after one more byte.
fn utf8_next(state: Utf8, class: Utf8Class) -> Utf8 {
    use Utf8Class::{Ascii, E0, Ed, F0, F4, Four, High, Low, Middle, Three, Two};
    match (state, class) {
        (Utf8::Start, Ascii) | (Utf8::One, Low | Middle | High) => Utf8::Start,
        (Utf8::Start, Two)
        | (Utf8::Two, Low | Middle | High)
        | (Utf8::AfterE0, High)
        | (Utf8::AfterEd, Low | Middle) => Utf8::One,
        (Utf8::Start, Three)
        | (Utf8::Three, Low | Middle | High)
        | (Utf8::AfterF0, Middle | High)
        | (Utf8::AfterF4, Low) => Utf8::Two,
        (Utf8::Start, Four) => Utf8::Three,
        (Utf8::Start, E0) => Utf8::AfterE0,
        (Utf8::Start, Ed) => Utf8::AfterEd,
        (Utf8::Start, F0) => Utf8::AfterF0,
        (Utf8::Start, F4) => Utf8::AfterF4,
        _ => Utf8::Wrong,
    }
}

impl TableId {
    /// Every table.
    pub const ALL: [Self; 56] = [
        Self::Add,
        Self::AddCarry,
        Self::Subtract,
        Self::SubtractBorrow,
        Self::Prefix,
        Self::Increment,
        Self::Decrement,
        Self::CarryOut,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::SignFill,
        Self::FlipSign,
        Self::NonZero,
        Self::ShiftUp,
        Self::ShiftDown,
        Self::ShiftBits,
        Self::ShiftDigits,
        Self::Take,
        Self::Less,
        Self::NotGreater,
        Self::Equal,
        Self::BitAnd,
        Self::BitNot,
        Self::Quotient,
        Self::Phase,
        Self::Region,
        Self::Span,
        Self::SwapSize,
        Self::LowBit,
        Self::FaultHalt,
        Self::Negative,
        Self::StaticCall,
        Self::Aligned,
        Self::Tail,
        Self::HexLow,
        Self::HexHigh,
        Self::DecimalQuotient,
        Self::DecimalRemainder,
        Self::DecimalDigit,
        Self::Base58Quotient,
        Self::Base58Remainder,
        Self::Base58Low,
        Self::Base58High,
        Self::Base58Zero,
        Self::SextetHigh,
        Self::SextetLow,
        Self::Base64Low,
        Self::Base64High,
        Self::Utf8Class,
        Self::Utf8Next,
        Self::Utf8Ends,
        Self::Syscall,
        Self::Choose,
        Self::Chi,
        Self::ChunkFlags,
    ];

    /// What the table computes.
    pub fn spec(self) -> Spec {
        let (name, inputs, output, function): (_, _, _, fn(&[usize]) -> usize) = match self {
            Self::Add => ("add", NN, Id::Nibble, |x| (x[0] + x[1]) & 15),
            Self::AddCarry => ("add_carry", NN, Id::Carry, |x| carry_of(x[0] + x[1])),
            Self::Subtract => ("subtract", NN, Id::Nibble, |x| (16 + x[0] - x[1]) & 15),
            Self::SubtractBorrow => ("subtract_borrow", NN, Id::Carry, |x| borrow_of(x[0], x[1])),
            Self::Prefix => ("prefix", &[Id::Carry; 4], Id::Carry, |x| {
                x.iter()
                    .copied()
                    .find(|&s| s != Carry::Propagate as usize)
                    .unwrap_or(Carry::Propagate as usize)
            }),
            Self::Increment => ("increment", &[Id::Nibble, Id::Carry, Id::Bit], Id::Nibble, |x| {
                (x[0] + leaving(x[1], x[2])) & 15
            }),
            Self::Decrement => ("decrement", &[Id::Nibble, Id::Carry, Id::Bit], Id::Nibble, |x| {
                (16 + x[0] - leaving(x[1], x[2])) & 15
            }),
            Self::CarryOut => ("carry_out", &[Id::Carry, Id::Bit], Id::Bit, |x| leaving(x[0], x[1])),
            Self::And => ("and", NN, Id::Nibble, |x| x[0] & x[1]),
            Self::Or => ("or", NN, Id::Nibble, |x| x[0] | x[1]),
            Self::Xor => ("xor", NN, Id::Nibble, |x| x[0] ^ x[1]),
            Self::SignFill => ("sign_fill", N, Id::Nibble, |x| if x[0] >= 8 { 15 } else { 0 }),
            Self::FlipSign => ("flip_sign", N, Id::Nibble, |x| x[0] ^ 8),
            Self::NonZero => ("non_zero", N, Id::Carry, |x| {
                (if x[0] == 0 { Carry::Propagate } else { Carry::Kill }) as usize
            }),
            Self::ShiftUp => ("shift_up", &[Id::Nibble, Id::Nibble, Id::Quarter], Id::Nibble, |x| {
                ((x[0] << x[2]) | (x[1] >> (4 - x[2]))) & 15
            }),
            Self::ShiftDown => ("shift_down", &[Id::Nibble, Id::Nibble, Id::Quarter], Id::Nibble, |x| {
                (((x[1] << 4) | x[0]) >> x[2]) & 15
            }),
            Self::ShiftBits => ("shift_bits", N, Id::Quarter, |x| x[0] & 3),
            Self::ShiftDigits => ("shift_digits", &[Id::Nibble, Id::Nibble, Id::Bit], Id::Nibble, |x| {
                let high = if x[2] == 1 { x[1] & 1 } else { x[1] & 3 };
                (high << 2) | (x[0] >> 2)
            }),
            Self::Take => ("take", &[Id::Condition, Id::Carry], Id::Bit, |x| {
                let (less, equal) = (x[1] == Carry::Generate as usize, x[1] == Carry::Propagate as usize);
                usize::from(match Condition::LETTERS[x[0]] {
                    Condition::Equal => equal,
                    Condition::NotEqual => !equal,
                    Condition::Greater => !less && !equal,
                    Condition::GreaterEqual => !less,
                    Condition::Less => less,
                    Condition::LessEqual => less || equal,
                })
            }),
            Self::Less => ("less", C, Id::Bit, |x| usize::from(x[0] == Carry::Generate as usize)),
            Self::NotGreater => ("not_greater", C, Id::Bit, |x| usize::from(x[0] != Carry::Kill as usize)),
            Self::Equal => ("equal", C, Id::Bit, |x| usize::from(x[0] == Carry::Propagate as usize)),
            Self::BitAnd => ("bit_and", BB, Id::Bit, |x| x[0] & x[1]),
            Self::BitNot => ("bit_not", &[Id::Bit], Id::Bit, |x| 1 - x[0]),
            Self::Quotient => {
                ("quotient", &[Id::Bit; 4], Id::Nibble, |x| (x[0] << 3) | (x[1] << 2) | (x[2] << 1) | x[3])
            }
            Self::Phase => ("phase", &[Id::Version, Id::Bit, Id::Bit], Id::Phase, |x| match (x[1], x[2]) {
                (_, 1) => Phase::Exhausted as usize,
                (0, _) => Phase::Overrun as usize,
                _ => x[0],
            }),
            Self::Region => ("region", &[Id::Nibble, Id::Bit], Id::Region, |x| {
                if x[1] == 1 && x[0] < 5 { x[0] } else { Region::Nowhere as usize }
            }),
            Self::Span => ("span", &[Id::Size, Id::Bit], Id::Span, |x| if x[1] == 1 { 1 << x[0] } else { 0 }),
            Self::SwapSize => ("swap_size", N, Id::Size, |x| {
                (match x[0] {
                    1 => Size::Half,
                    2 => Size::Word,
                    _ => Size::Double,
                }) as usize
            }),
            Self::LowBit => ("low_bit", N, Id::Bit, |x| x[0] & 1),
            Self::FaultHalt => ("fault_halt", &[Id::Fault], Id::Halt, |x| {
                (if x[0] == Fault::None as usize { Halt::Continue } else { Halt::Fault }) as usize
            }),
            Self::Negative => ("negative", N, Id::Bit, |x| x[0] >> 3),
            Self::StaticCall => ("static_call", N, Id::Call, |x| x[0].min(Call::Nothing as usize)),
            Self::Aligned => ("aligned", &[Id::Size, Id::Nibble], Id::Bit, |x| {
                usize::from(x[1].trailing_zeros() >= x[0] as u32)
            }),
            Self::Tail => ("tail", N, Id::Span, |x| x[0].min(Span::Eight as usize)),
            Self::HexLow => ("hex_low", N, Id::Nibble, |x| usize::from(HEX[x[0]]) & 15),
            Self::HexHigh => ("hex_high", N, Id::Nibble, |x| usize::from(HEX[x[0]]) >> 4),
            Self::DecimalQuotient => {
                ("decimal_quotient", &[Id::Decimal, Id::Nibble], Id::Nibble, |x| (16 * x[0] + x[1]) / 10)
            }
            Self::DecimalRemainder => {
                ("decimal_remainder", &[Id::Decimal, Id::Nibble], Id::Decimal, |x| (16 * x[0] + x[1]) % 10)
            }
            Self::DecimalDigit => ("decimal_digit", &[Id::Decimal], Id::Nibble, |x| x[0]),
            Self::Base58Quotient => {
                ("base58_quotient", &[Id::Base58, Id::Nibble], Id::Nibble, |x| (16 * x[0] + x[1]) / 58)
            }
            Self::Base58Remainder => {
                ("base58_remainder", &[Id::Base58, Id::Nibble], Id::Base58, |x| (16 * x[0] + x[1]) % 58)
            }
            Self::Base58Low => ("base58_low", &[Id::Base58], Id::Nibble, |x| usize::from(BASE58[x[0]]) & 15),
            Self::Base58High => {
                ("base58_high", &[Id::Base58], Id::Nibble, |x| usize::from(BASE58[x[0]]) >> 4)
            }
            Self::Base58Zero => ("base58_zero", &[Id::Base58], Id::Bit, |x| usize::from(x[0] == 0)),
            Self::SextetHigh => ("sextet_high", NN, Id::Sextet, |x| (x[0] << 2) | (x[1] >> 2)),
            Self::SextetLow => ("sextet_low", NN, Id::Sextet, |x| ((x[0] & 3) << 4) | x[1]),
            Self::Base64Low => ("base64_low", &[Id::Sextet], Id::Nibble, |x| usize::from(BASE64[x[0]]) & 15),
            Self::Base64High => {
                ("base64_high", &[Id::Sextet], Id::Nibble, |x| usize::from(BASE64[x[0]]) >> 4)
            }
            Self::Utf8Class => ("utf8_class", NN, Id::Utf8Class, |x| utf8_class(x[1] << 4 | x[0]) as usize),
            Self::Utf8Next => ("utf8_next", &[Id::Utf8, Id::Utf8Class], Id::Utf8, |x| {
                utf8_next(Utf8::LETTERS[x[0]], Utf8Class::LETTERS[x[1]]) as usize
            }),
            Self::Utf8Ends => {
                ("utf8_ends", &[Id::Utf8], Id::Bit, |x| usize::from(x[0] == Utf8::Start as usize))
            }
            Self::Syscall => {
                ("syscall", NN, Id::Syscall, |x| (x[1] << 4 | x[0]).min(Syscall::LETTERS.len() - 1))
            }
            Self::Choose => ("choose", NNN, Id::Nibble, |x| (x[0] & x[1]) | (!x[0] & x[2] & 15)),
            Self::Chi => ("chi", NNN, Id::Nibble, |x| x[0] ^ (!x[1] & x[2] & 15)),
            Self::ChunkFlags => {
                ("chunk_flags", N, Id::Nibble, |x| usize::from(x[0] == 0) | usize::from(x[0] == 15) << 1)
            }
        };
        Spec { name, inputs, output, function }
    }
}

macro_rules! handle {
    ($($(#[$doc:meta])* $name:ident<$($input:ident),+>;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        #[allow(clippy::type_complexity)]
        pub struct $name<$($input,)+ O> {
            /// Which table.
            pub id: TableId,
            kinds: PhantomData<fn($($input),+) -> O>,
        }
        impl<$($input: Alphabet,)+ O: Alphabet> $name<$($input,)+ O> {
            const fn new(id: TableId) -> Self {
                Self { id, kinds: PhantomData }
            }
        }
    )+};
}

handle! {
    /// A table of one digit.
    Table1<A>;
    /// A table of two digits.
    Table2<A, B>;
    /// A table of three digits.
    Table3<A, B, C>;
    /// A table of four digits.
    Table4<A, B, C, D>;
}

/// (a + b) mod 16.
pub const ADD: Table2<Nibble, Nibble, Nibble> = Table2::new(TableId::Add);
/// Carry behaviour of a + b.
pub const ADD_CARRY: Table2<Nibble, Nibble, Carry> = Table2::new(TableId::AddCarry);
/// (a - b) mod 16.
pub const SUBTRACT: Table2<Nibble, Nibble, Nibble> = Table2::new(TableId::Subtract);
/// Borrow behaviour of a - b, which is also how a compares with b.
pub const SUBTRACT_BORROW: Table2<Nibble, Nibble, Carry> = Table2::new(TableId::SubtractBorrow);
/// Carry behaviour of four adjacent positions, the most significant first.
pub const PREFIX: Table4<Carry, Carry, Carry, Carry, Carry> = Table4::new(TableId::Prefix);
/// Digit plus the carry that (behaviour of everything below, carry in) lets through.
pub const INCREMENT: Table3<Nibble, Carry, Bit, Nibble> = Table3::new(TableId::Increment);
/// Digit minus the borrow that (behaviour of everything below, borrow in) lets through.
pub const DECREMENT: Table3<Nibble, Carry, Bit, Nibble> = Table3::new(TableId::Decrement);
/// Carry that leaves, of (behaviour, carry in).
pub const CARRY_OUT: Table2<Carry, Bit, Bit> = Table2::new(TableId::CarryOut);
/// Bitwise and.
pub const AND: Table2<Nibble, Nibble, Nibble> = Table2::new(TableId::And);
/// Bitwise or.
pub const OR: Table2<Nibble, Nibble, Nibble> = Table2::new(TableId::Or);
/// Bitwise exclusive or.
pub const XOR: Table2<Nibble, Nibble, Nibble> = Table2::new(TableId::Xor);
/// 15 where bit 3 is set, else 0.
pub const SIGN_FILL: Table1<Nibble, Nibble> = Table1::new(TableId::SignFill);
/// The digit with bit 3 inverted: turns signed order into unsigned order.
pub const FLIP_SIGN: Table1<Nibble, Nibble> = Table1::new(TableId::FlipSign);
/// `Propagate` for 0, `Kill` for anything else, so that `PREFIX` finds whether a word is zero.
pub const NON_ZERO: Table1<Nibble, Carry> = Table1::new(TableId::NonZero);
/// (digit, next lower digit, bits): the digit after a shift up by 0 to 3 bits.
pub const SHIFT_UP: Table3<Nibble, Nibble, Quarter, Nibble> = Table3::new(TableId::ShiftUp);
/// (digit, next higher digit, bits): the digit after a shift down by 0 to 3 bits.
pub const SHIFT_DOWN: Table3<Nibble, Nibble, Quarter, Nibble> = Table3::new(TableId::ShiftDown);
/// Bits of a shift count below one digit.
pub const SHIFT_BITS: Table1<Nibble, Quarter> = Table1::new(TableId::ShiftBits);
/// Whole digits of a shift count, of its two low digits and "32 bits wide"; the count is masked to
/// the width.
pub const SHIFT_DIGITS: Table3<Nibble, Nibble, Bit, Nibble> = Table3::new(TableId::ShiftDigits);
/// Whether a conditional jump is taken, of the condition and the comparison's outcome.
pub const TAKE: Table2<Condition, Carry, Bit> = Table2::new(TableId::Take);
/// Outcome "less".
pub const LESS: Table1<Carry, Bit> = Table1::new(TableId::Less);
/// Outcome "less" or "equal".
pub const NOT_GREATER: Table1<Carry, Bit> = Table1::new(TableId::NotGreater);
/// Outcome "equal".
pub const EQUAL: Table1<Carry, Bit> = Table1::new(TableId::Equal);
/// Both bits.
pub const BIT_AND: Table2<Bit, Bit, Bit> = Table2::new(TableId::BitAnd);
/// The other bit.
pub const BIT_NOT: Table1<Bit, Bit> = Table1::new(TableId::BitNot);
/// Four bits, the most significant first, as one digit.
pub const QUOTIENT: Table4<Bit, Bit, Bit, Bit, Nibble> = Table4::new(TableId::Quotient);
/// (version, slot present, meter empty): what the step is about to do.
pub const PHASE: Table3<Version, Bit, Bit, Phase> = Table3::new(TableId::Phase);
/// (digit 8 of an address, digits 9 to 15 are zero): the region it points at.
pub const REGION: Table2<Nibble, Bit, Region> = Table2::new(TableId::Region);
/// (width, enabled): rows a write replaces.
pub const SPAN: Table2<Size, Bit, Span> = Table2::new(TableId::Span);
/// Width of a byte swap, of the second digit of its immediate (16, 32 or 64).
pub const SWAP_SIZE: Table1<Nibble, Size> = Table1::new(TableId::SwapSize);
/// Bit 0.
pub const LOW_BIT: Table1<Nibble, Bit> = Table1::new(TableId::LowBit);
/// Whether a fault ends the run.
pub const FAULT_HALT: Table1<Fault, Halt> = Table1::new(TableId::FaultHalt);
/// Bit 3: of the highest digit, whether the word is negative.
pub const NEGATIVE: Table1<Nibble, Bit> = Table1::new(TableId::Negative);
/// What a static call calls, of its source field.
pub const STATIC_CALL: Table1<Nibble, Call> = Table1::new(TableId::StaticCall);
/// Whether an address is aligned for a width, of its lowest digit.
pub const ALIGNED: Table2<Size, Nibble, Bit> = Table2::new(TableId::Aligned);
/// Rows a write of what is left replaces, of the lowest digit of how many bytes are left, at most eight.
pub const TAIL: Table1<Nibble, Span> = Table1::new(TableId::Tail);
/// Low digit of the character of a digit in base 16.
pub const HEX_LOW: Table1<Nibble, Nibble> = Table1::new(TableId::HexLow);
/// High digit of that character.
pub const HEX_HIGH: Table1<Nibble, Nibble> = Table1::new(TableId::HexHigh);
/// (remainder so far, next digit): a digit of the quotient by 10.
pub const DECIMAL_QUOTIENT: Table2<Decimal, Nibble, Nibble> = Table2::new(TableId::DecimalQuotient);
/// (remainder so far, next digit): the remainder by 10.
pub const DECIMAL_REMAINDER: Table2<Decimal, Nibble, Decimal> = Table2::new(TableId::DecimalRemainder);
/// Low digit of the character of a digit in base 10; the high one is 3.
pub const DECIMAL_DIGIT: Table1<Decimal, Nibble> = Table1::new(TableId::DecimalDigit);
/// (remainder so far, next digit): a digit of the quotient by 58.
pub const BASE58_QUOTIENT: Table2<Base58, Nibble, Nibble> = Table2::new(TableId::Base58Quotient);
/// (remainder so far, next digit): the remainder by 58.
pub const BASE58_REMAINDER: Table2<Base58, Nibble, Base58> = Table2::new(TableId::Base58Remainder);
/// Low digit of the character of a digit in base 58.
pub const BASE58_LOW: Table1<Base58, Nibble> = Table1::new(TableId::Base58Low);
/// High digit of that character.
pub const BASE58_HIGH: Table1<Base58, Nibble> = Table1::new(TableId::Base58High);
/// Whether a digit in base 58 is 0.
pub const BASE58_ZERO: Table1<Base58, Bit> = Table1::new(TableId::Base58Zero);
/// A digit and the two high bits of the next.
pub const SEXTET_HIGH: Table2<Nibble, Nibble, Sextet> = Table2::new(TableId::SextetHigh);
/// The two low bits of a digit and the next.
pub const SEXTET_LOW: Table2<Nibble, Nibble, Sextet> = Table2::new(TableId::SextetLow);
/// Low digit of the character of six bits.
pub const BASE64_LOW: Table1<Sextet, Nibble> = Table1::new(TableId::Base64Low);
/// High digit of that character.
pub const BASE64_HIGH: Table1<Sextet, Nibble> = Table1::new(TableId::Base64High);
/// (low digit, high digit): what a byte can be in UTF-8.
pub const UTF8_CLASS: Table2<Nibble, Nibble, Utf8Class> = Table2::new(TableId::Utf8Class);
/// Where a text is after one more byte.
pub const UTF8_NEXT: Table2<Utf8, Utf8Class, Utf8> = Table2::new(TableId::Utf8Next);
/// Whether a text may end here.
pub const UTF8_ENDS: Table1<Utf8, Bit> = Table1::new(TableId::Utf8Ends);
/// (low digit, high digit): the syscall with a number.
pub const SYSCALL: Table2<Nibble, Nibble, Syscall> = Table2::new(TableId::Syscall);
/// Bit by bit, where the first is set the second, else the third.
pub const CHOOSE: Table3<Nibble, Nibble, Nibble, Nibble> = Table3::new(TableId::Choose);
/// Bit by bit, the first, inverted where the second is clear and the third is set.
pub const CHI: Table3<Nibble, Nibble, Nibble, Nibble> = Table3::new(TableId::Chi);
/// BLAKE3's flags of a block, of its number in a chunk: 1 for the first, 2 for the last of sixteen.
pub const CHUNK_FLAGS: Table1<Nibble, Nibble> = Table1::new(TableId::ChunkFlags);

/// Words the circuits need as constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordConst {
    /// 0.
    Zero,
    /// 1.
    One,
    /// Bytes of a call frame, the distance between two of them where there are no gaps: 0x1000.
    FrameSize,
    /// Distance between two call frames where frames have gaps: 0x2000.
    FrameStride,
    /// Where the stack region starts: 0x2_0000_0000.
    StackStart,
    /// Bytes above the stack's start that still count as a frame: 65 frames of 4096.
    StackFrames,
    /// Bytes below the stack's start that still count as a frame: 2 frames of 4096.
    StackBelow,
    /// The depth at which a call fails: 64.
    MaxDepth,
    /// Bit 7: the byte that ends a message of SHA-2.
    Bit7,
    /// Bit 63: the bit that ends a block of Keccak.
    Bit63,
}

impl WordConst {
    /// Every constant.
    pub const ALL: [Self; 10] = [
        Self::Zero,
        Self::One,
        Self::FrameSize,
        Self::FrameStride,
        Self::StackStart,
        Self::StackFrames,
        Self::StackBelow,
        Self::MaxDepth,
        Self::Bit7,
        Self::Bit63,
    ];

    /// The value.
    pub const fn value(self) -> u64 {
        match self {
            Self::Zero => 0,
            Self::One => 1,
            Self::FrameSize => 0x1000,
            Self::FrameStride => 0x2000,
            Self::StackStart => 0x2_0000_0000,
            Self::StackFrames => 65 * 4096,
            Self::StackBelow => 2 * 4096,
            Self::MaxDepth => 64,
            Self::Bit7 => 1 << 7,
            Self::Bit63 => 1 << 63,
        }
    }
}
