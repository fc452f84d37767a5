//! Fused rows: two or four digits at once, composed from single rows when the weights are loaded.
//!
//! Inputs and answers are positions, like those of the rows they come from. A carry behaviour that
//! stays inside a fused form is kept as its letter (two bits), so that four of them index a row.

use super::rows::{ROWS, Rows, bits};
use crate::tables::{
    alphabet::{Alphabet, Bit, Carry, Nibble, Quarter},
    catalogue::TableId,
};

/// Letter of `Carry::Kill`.
pub(crate) const KILL: u8 = Carry::Kill as u8;
/// Letter of `Carry::Propagate`.
pub(crate) const PROPAGATE: u8 = Carry::Propagate as u8;
/// Letter of `Carry::Generate`.
pub(crate) const GENERATE: u8 = Carry::Generate as u8;

/// Rows over bytes: a pair of digits, the low one in the low four bits.
pub(crate) struct Fused {
    /// Byte a | byte b << 8: sum without carry | behaviour << 8.
    pub add: Box<[u16; 65536]>,
    /// Byte a | byte b << 8: difference without borrow | behaviour << 8.
    pub sub: Box<[u16; 65536]>,
    /// Byte a | byte b << 8.
    pub and: Box<[u8; 65536]>,
    /// Byte a | byte b << 8.
    pub or: Box<[u8; 65536]>,
    /// Byte a | byte b << 8.
    pub xor: Box<[u8; 65536]>,
    /// Byte | carry letter << 8: byte plus carry.
    pub inc: Box<[u8; 512]>,
    /// Byte | borrow letter << 8: byte minus borrow.
    pub dec: Box<[u8; 512]>,
    /// Four behaviours (lowest byte in the lowest bits) | carry letter << 8: the carries into the four
    /// bytes in bits 0 to 3, the carry that leaves in bit 4.
    pub ripple: Box<[u8; 512]>,
    /// Four behaviours: the behaviour of all four.
    pub reduce: Box<[u8; 256]>,
    /// Four digits: the letter of `PREFIX` over `NON_ZERO`.
    pub zero: Box<[u8; 65536]>,
    /// Byte | next lower digit << 8 | bits << 12.
    pub up: Box<[u8; 16384]>,
    /// Byte | next higher digit << 8 | bits << 12.
    pub down: Box<[u8; 16384]>,
    /// Carries may be settled byte by byte: see [`Fused::settles`].
    pub sound: bool,
}

pub(crate) fn filled<T: Copy + Default, const N: usize>(row: impl Fn(usize) -> T) -> Box<[T; N]> {
    let mut rows: Box<[T; N]> =
        vec![T::default(); N].try_into().unwrap_or_else(|_| Box::new([T::default(); N]));
    for (index, entry) in rows.iter_mut().enumerate() {
        *entry = row(index);
    }
    rows
}

/// Single rows with the arguments spelled out; everything is a position unless said.
struct Single<'a>(&'a Rows);

impl Single<'_> {
    fn table(&self, id: TableId) -> &[u8; ROWS] {
        &self.0.tables[id as usize]
    }

    fn pair(&self, id: TableId, a: usize, b: usize) -> u8 {
        self.table(id)[a | b << 4]
    }

    fn carry_position(&self, letter: u8) -> usize {
        self.0.labels.position_of::<Carry>(usize::from(letter))
    }

    fn carry_letter(&self, position: u8) -> u8 {
        self.0.labels.letter_of::<Carry>(usize::from(position)) as u8
    }

    /// Behaviour (letter) of four positions, the most significant first, as letters.
    fn prefix(&self, states: [u8; 4]) -> u8 {
        let index =
            states.iter().enumerate().fold(0, |index, (i, s)| index | self.carry_position(*s) << (2 * i));
        self.carry_letter(self.table(TableId::Prefix)[index])
    }

    /// The digit after the carry `bit` (letter) that `below` (letter) lets through.
    fn settle(&self, table: TableId, digit: u8, below: u8, bit: usize) -> u8 {
        let bit = self.0.labels.position_of::<Bit>(bit);
        self.table(table)[usize::from(digit) | self.carry_position(below) << 4 | bit << 6]
    }

    /// Letter of the carry that leaves, of letters.
    fn leaving(&self, state: u8, bit: usize) -> usize {
        let bit = self.0.labels.position_of::<Bit>(bit);
        let out = self.table(TableId::CarryOut)[self.carry_position(state) | bit << 2];
        self.0.labels.letter_of::<Bit>(usize::from(out))
    }

    /// Whether `PREFIX` is one associative operation on pairs with `Propagate` as its neutral element,
    /// `CARRY_OUT` its action on a carry, and only `Generate` makes a carry out of none.
    fn composes(&self) -> bool {
        let pair = |x, y| self.prefix([x, y, PROPAGATE, PROPAGATE]);
        let four = |x| LETTERS.into_iter().flat_map(move |y| LETTERS.map(|z| [x, y, z]));
        let acts = |x, bit| self.leaving(x, bit);
        LETTERS.into_iter().all(|x| {
            pair(x, PROPAGATE) == x
                && pair(PROPAGATE, x) == x
                && (acts(x, 0) == 1) == (x == GENERATE)
                && four(x).all(|[x, y, z]| {
                    pair(pair(x, y), z) == pair(x, pair(y, z))
                        && [0, 1].into_iter().all(|bit| acts(pair(x, y), bit) == acts(x, acts(y, bit)))
                        && LETTERS
                            .into_iter()
                            .all(|w| self.prefix([x, y, z, w]) == pair(pair(pair(x, y), z), w))
                })
        })
    }

    /// A whole-byte sum or difference: the byte with carry `bit` in, and its behaviour.
    fn byte(&self, ids: [TableId; 3], a: usize, b: usize, bit: usize) -> (u8, u8) {
        let [digit, state, settle] = ids;
        let (a, b) = ([a & 15, a >> 4], [b & 15, b >> 4]);
        let digits = [0, 1].map(|i| self.pair(digit, a[i], b[i]));
        let states = [0, 1].map(|i| self.carry_letter(self.pair(state, a[i], b[i])));
        let low = self.settle(settle, digits[0], PROPAGATE, bit);
        let high = self.settle(settle, digits[1], states[0], bit);
        (low | high << 4, self.prefix([states[1], states[0], PROPAGATE, PROPAGATE]))
    }
}

/// Letters of `Carry`.
const LETTERS: [u8; 3] = [KILL, PROPAGATE, GENERATE];

const ADD: [TableId; 3] = [TableId::Add, TableId::AddCarry, TableId::Increment];
const SUB: [TableId; 3] = [TableId::Subtract, TableId::SubtractBorrow, TableId::Decrement];

impl Fused {
    pub fn compose(rows: &Rows) -> Self {
        let single = Single(rows);
        let zero_byte = rows.labels.position_of::<Nibble>(0) * 0x11;
        let sums = |ids: [TableId; 3]| {
            filled(|i| {
                let (byte, state) = single.byte(ids, i & 255, i >> 8, 0);
                u16::from(byte) | u16::from(state) << 8
            })
        };
        let bitwise = |id: TableId| {
            filled(|i| single.pair(id, i & 15, i >> 8 & 15) | single.pair(id, i >> 4 & 15, i >> 12 & 15) << 4)
        };
        let carried = |ids: [TableId; 3]| filled(|i| single.byte(ids, i & 255, zero_byte, i >> 8).0);
        let states = |i: usize| [0, 2, 4, 6].map(|shift| (i >> shift & 3) as u8);
        let valid = |s: [u8; 4]| s.iter().all(|s| *s <= GENERATE);
        let shifted = |id: TableId, up: bool| {
            filled(|i| {
                let (low, high, next, count) = (i & 15, i >> 4 & 15, i >> 8 & 15, i >> 12);
                let digit = |a: usize, b: usize| single.table(id)[a | b << 4 | count << 8];
                let (low, high) = if up {
                    (digit(low, next), digit(high, low))
                } else {
                    (digit(low, high), digit(high, next))
                };
                low | high << 4
            })
        };
        debug_assert_eq!(bits(Quarter::ID), 2);
        Self {
            add: sums(ADD),
            sub: sums(SUB),
            and: bitwise(TableId::And),
            or: bitwise(TableId::Or),
            xor: bitwise(TableId::Xor),
            inc: carried(ADD),
            dec: carried(SUB),
            ripple: filled(|i| {
                let s = states(i & 255);
                if !valid(s) {
                    return 0;
                }
                let (mut below, mut carries) = (PROPAGATE, 0);
                for (byte, state) in s.into_iter().enumerate() {
                    carries |= single.leaving(below, i >> 8) << byte;
                    below = single.prefix([state, below, PROPAGATE, PROPAGATE]);
                }
                (carries | single.leaving(below, i >> 8) << 4) as u8
            }),
            reduce: filled(|i| {
                let s = states(i);
                if valid(s) { single.prefix([s[3], s[2], s[1], s[0]]) } else { 0 }
            }),
            zero: filled(|i| {
                let state =
                    |shift: usize| single.carry_letter(single.table(TableId::NonZero)[i >> shift & 15]);
                single.prefix([state(12), state(8), state(4), state(0)])
            }),
            up: shifted(TableId::ShiftUp, true),
            down: shifted(TableId::ShiftDown, false),
            sound: false,
        }
        .checked(&single, zero_byte)
    }

    /// Compares the carry forms with the single rows over all their inputs.
    ///
    /// The shallow form gives each digit `settle(digit, prefix of all below, carry in)`. The byte form
    /// equals it for every word if behaviours compose (`composes`), if a digit sees of them only the
    /// carry they let through, and if a byte without carry, then settled, is the byte with carry. All
    /// that holds of the machine's own weights; of spoiled ones it may not, and then the shallow form
    /// is used.
    fn checked(mut self, single: &Single, zero_byte: usize) -> Self {
        self.sound = single.composes()
            && Self::settles(single, ADD, &self.add, &self.inc, zero_byte)
            && Self::settles(single, SUB, &self.sub, &self.dec, zero_byte);
        self
    }

    fn settles(
        single: &Single,
        ids: [TableId; 3],
        rows: &[u16; 65536],
        carried: &[u8; 512],
        zero_byte: usize,
    ) -> bool {
        let bits = [0, 1];
        let digits_see_the_carry = (0..16).all(|digit| {
            LETTERS.iter().all(|&state| {
                bits.iter().all(|&bit| {
                    single.settle(ids[2], digit, state, bit)
                        == single.settle(ids[2], digit, PROPAGATE, single.leaving(state, bit))
                })
            })
        });
        let bytes_settle = || {
            (0..65536).all(|i| {
                bits.iter().all(|&bit| {
                    let byte = usize::from(rows[i] & 255);
                    carried[byte | bit << 8] == single.byte(ids, i & 255, i >> 8, bit).0
                })
            })
        };
        // What `increment`, `decrement` and the skip of a carry of 0 rest on.
        let zero_changes_nothing = (0..256).all(|byte| {
            let row = rows[byte | zero_byte << 8];
            usize::from(row & 255) == byte
                && row >> 8 != u16::from(GENERATE)
                && usize::from(carried[byte]) == byte
        });
        digits_see_the_carry && zero_changes_nothing && bytes_settle()
    }
}
