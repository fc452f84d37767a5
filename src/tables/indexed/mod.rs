//! The evaluator that uses what is known of one-hot codes: exactly one hidden unit of a table fires, so
//! a table is the row of its second matrix that this unit owns.
//!
//! A digit is the position of its 1; a word is sixteen positions packed in a 64-bit integer. Shifting
//! and masking that integer moves digits around; no operation here computes with a value.

mod digits;
mod evaluator;
mod fused;
mod rows;
mod sums;
mod wide;

use super::{
    alphabet::*,
    catalogue::*,
    evaluator::{Boundary, Sequencer},
    labels::Labels,
    lists::WordList,
    site::Site,
    weights::{Weights, WeightsError},
};
pub use digits::{Columns, Control, Digit, Lanes};
use digits::{digit, lanes, repeat};
use fused::Fused;
use rows::{ROWS, Rows, WIDE_ROWS, bits, wide};
use std::convert::Infallible;
use sums::SumRows;
pub use wide::Sums;
use wide::WideRows;

/// Runs circuits on rows taken from the weights.
pub struct Indexed {
    pub(super) rows: Rows,
    pub(super) wide: WideRows,
    fused: Fused,
    sums: SumRows,
    constants: [u64; WordConst::ALL.len()],
    lists: [Vec<u64>; WordList::ALL.len()],
    /// All lanes 0.
    zero: u64,
    /// Letter 1 then letter 0: the byte 1.
    one_byte: u8,
    /// The constant 1 is that byte with zeros above, and carries may be settled byte by byte.
    one_is_one: bool,
}

impl Indexed {
    /// Takes the rows from the tensors.
    ///
    /// # Errors
    /// A tensor is missing, or lacks the structure in which exactly one unit fires.
    pub fn new(weights: &Weights) -> Result<Self, WeightsError> {
        let rows = Rows::extract(weights)?;
        let fused = Fused::compose(&rows);
        let sums = SumRows::compose(&rows, &fused);
        let wide = WideRows::extract(weights, &rows)?;
        let mut constants = [0; WordConst::ALL.len()];
        for constant in WordConst::ALL {
            constants[constant as usize] =
                words(weights, &format!("constant.{constant:?}").to_lowercase())?[0];
        }
        let mut lists = [const { Vec::new() }; WordList::ALL.len()];
        for list in WordList::ALL {
            lists[list as usize] = words(weights, &format!("list.{}", list.name()))?;
        }
        let zero = rows.labels.position_of::<Nibble>(0) as u8;
        let one = rows.labels.position_of::<Nibble>(1) as u8;
        let (zero, one_byte) = (repeat(zero), one | zero << 4);
        let one_is_one =
            fused.sound && constants[WordConst::One as usize] == zero & !255 | u64::from(one_byte);
        Ok(Self { rows, wide, fused, sums, constants, lists, zero, one_byte, one_is_one })
    }

    /// The labelling the weights use.
    pub fn labels(&self) -> &Labels {
        &self.rows.labels
    }

    #[inline(always)]
    fn table(&self, id: TableId) -> &[u8; ROWS] {
        &self.rows.tables[id as usize]
    }

    #[inline(always)]
    fn wide_table(&self, id: TableId) -> &[u8; WIDE_ROWS] {
        &self.rows.wide[wide(id)]
    }

    /// Letter of a digit: where attention and gates read.
    #[inline(always)]
    fn letter<A: Alphabet>(&self, digit: Digit<A>) -> usize {
        if self.rows.labels.is_identity() {
            usize::from(digit.0)
        } else {
            self.rows.labels.letter_of::<A>(usize::from(digit.0))
        }
    }

    #[inline(always)]
    fn letter_digit<A: Alphabet>(&self, letter: usize) -> Digit<A> {
        digit(if self.rows.labels.is_identity() {
            letter as u8
        } else {
            self.rows.labels.position_of::<A>(letter) as u8
        })
    }

    /// Packed positions as packed letters: how heads find a row.
    #[inline(always)]
    pub(crate) fn letters(&self, word: Lanes<Nibble>) -> u64 {
        if self.rows.labels.is_identity() { word.0 } else { self.relabel(word.0, Labels::letter) }
    }

    /// Packed letters as packed positions.
    #[inline(always)]
    pub(crate) fn positions(&self, letters: u64) -> Lanes<Nibble> {
        lanes(if self.rows.labels.is_identity() { letters } else { self.relabel(letters, Labels::position) })
    }

    #[cold]
    fn relabel(&self, packed: u64, map: impl Fn(&Labels, AlphabetId, usize) -> usize) -> u64 {
        (0..16).fold(0, |out, lane| {
            let from = (packed >> (4 * lane)) as usize & 15;
            out | (map(&self.rows.labels, AlphabetId::Nibble, from) as u64) << (4 * lane)
        })
    }

    /// The letter of a digit, for heads.
    #[inline(always)]
    pub(crate) fn index<A: Alphabet>(&self, digit: &Digit<A>) -> usize {
        self.letter(*digit)
    }

    /// A bit as a digit, for heads that say whether a key was there.
    #[inline(always)]
    pub(crate) fn bit(&self, on: bool) -> Digit<Bit> {
        self.letter_digit(usize::from(on))
    }

    /// Byte-wise bitwise operation.
    #[inline(always)]
    fn bytes(&self, rows: &[u8; 65536], a: u64, b: u64) -> u64 {
        const EVEN_BYTES: u64 = 0x00ff_00ff_00ff_00ff;
        let mut out = 0;
        for shift in [0, 8] {
            // Four indices side by side.
            let indices = a >> shift & EVEN_BYTES | (b >> shift & EVEN_BYTES) << 8;
            for place in (0..64).step_by(16) {
                out |= u64::from(rows[usize::from((indices >> place) as u16)]) << (place + shift);
            }
        }
        out
    }

    /// Triples of digits, one from each word.
    #[inline(always)]
    fn triples(&self, rows: &[u8; WIDE_ROWS], a: u64, b: u64, c: u64) -> u64 {
        const EVERY_FOURTH: u64 = 0x000f_000f_000f_000f;
        let mut out = 0;
        for shift in (0..16).step_by(4) {
            // Four indices side by side.
            let digits = |word: u64| word >> shift & EVERY_FOURTH;
            let indices = digits(a) | digits(b) << 4 | digits(c) << 8;
            for place in (0..64).step_by(16) {
                let index = (indices >> place) as usize & (WIDE_ROWS - 1);
                out |= u64::from(rows[index]) << (place + shift);
            }
        }
        out
    }

    /// Sums of words, byte by byte from the lowest; with `halves`, nothing leaves the low four bytes.
    #[inline(always)]
    fn sum<const N: usize>(&self, words: [u64; N], halves: bool) -> u64 {
        let mut columns = [0; 8];
        for word in words {
            for (byte, column) in columns.iter_mut().enumerate() {
                *column += self.sums.value[(word >> (8 * byte) & 255) as usize];
            }
        }
        let (mut out, mut over) = (0, 0);
        for (byte, column) in columns.into_iter().enumerate() {
            if halves && byte == 4 {
                over = 0;
            }
            let row = self.sums.settle[(column + over) as usize & 4095];
            out |= u64::from(row & 255) << (8 * byte);
            over = u32::from(row >> 8);
        }
        out
    }

    /// The eight bytes of a word shifted down by `bits`; a `window` shows a byte and the digit above it.
    #[inline(always)]
    fn bytes_down(&self, window: impl Fn(u32) -> u64, bits: impl Fn(u32) -> Digit<Quarter>) -> u64 {
        let mut out = 0;
        for shift in (0..64).step_by(8) {
            let index = window(shift) & 0xfff | u64::from(bits(shift).0) << 12;
            out |= u64::from(self.fused.down[index as usize & 16383]) << shift;
        }
        out
    }

    /// Byte-wise sum or difference: bytes without carries, and the eight behaviours, two bits each.
    #[inline(always)]
    fn halves(rows: &[u16; 65536], a: u64, b: u64) -> (u64, usize) {
        let (mut out, mut states) = (0, 0);
        for byte in 0..8 {
            let shift = 8 * byte;
            let index = (a >> shift & 255) | (b >> shift & 255) << 8;
            let row = rows[index as usize];
            out |= u64::from(row & 255) << shift;
            states |= usize::from(row >> 8) << (2 * byte);
        }
        (out, states)
    }

    /// Lets carries through `bytes`.
    #[inline(always)]
    fn settle_carries(
        &self,
        rows: &[u8; 512],
        bytes: u64,
        states: usize,
        carry: Digit<Bit>,
    ) -> (u64, Digit<Bit>) {
        let low = self.fused.ripple[states & 255 | self.letter(carry) << 8];
        let high = self.fused.ripple[states >> 8 & 255 | usize::from(low >> 4) << 8];
        let carries = low & 15 | (high & 15) << 4;
        let leaving = self.letter_digit(usize::from(high >> 4));
        // A row with carry 0 returns its byte unchanged.
        if carries == 0 {
            return (bytes, leaving);
        }
        let mut out = 0;
        for byte in 0..8 {
            let index = (bytes >> (8 * byte) & 255) | u64::from(carries >> byte & 1) << 8;
            out |= u64::from(rows[index as usize]) << (8 * byte);
        }
        (out, leaving)
    }
}

/// Constant words, packed: one for every sixteen rows of a tensor.
fn words(weights: &Weights, name: &str) -> Result<Vec<u64>, WeightsError> {
    let array = weights.get(name)?;
    let word = |rows: &[f32]| {
        rows.chunks(16).enumerate().try_fold(0, |word, (lane, row)| {
            let position = super::weights::one_hot(row)
                .ok_or_else(|| WeightsError::structure(name, "a lane is not one-hot"))?;
            Ok(word | (position as u64) << (4 * lane))
        })
    };
    array.data.chunks(256).map(word).collect()
}

/// Place of an input, given by positions, in a table's row array.
pub(super) fn row_index(inputs: &[AlphabetId], positions: &[usize]) -> usize {
    let (mut index, mut shift) = (0, 0);
    for (id, position) in inputs.iter().zip(positions) {
        index |= position << shift;
        shift += bits(*id);
    }
    index
}

impl Sequencer for Indexed {
    type Error = Infallible;

    #[inline(always)]
    fn observe(&self, bit: &Digit<Bit>, _: Site) -> Result<bool, Infallible> {
        Ok(self.letter(*bit) == 1)
    }

    #[inline(always)]
    fn observe_gate<A: Gate>(&self, gates: &Digit<A>, _: Site) -> Result<A, Infallible> {
        Ok(A::LETTERS[self.letter(*gates)])
    }
}

impl Boundary for Indexed {
    fn embed(&self, value: u64) -> Lanes<Nibble> {
        self.positions(value)
    }

    fn embed_digit<A: Alphabet>(&self, letter: usize) -> Digit<A> {
        assert!(letter < A::ID.radix(), "letter {letter} of {}", A::ID.name());
        self.letter_digit(letter)
    }

    fn read_out(&self, word: &Lanes<Nibble>) -> Result<u64, Infallible> {
        Ok(self.letters(*word))
    }

    fn read_digit<A: Alphabet>(&self, digit: &Digit<A>) -> Result<usize, Infallible> {
        Ok(self.letter(*digit))
    }
}
