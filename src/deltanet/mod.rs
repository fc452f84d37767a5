//! Memory as heads.
//!
//! A Gated DeltaNet head keeps a matrix S and updates it by the delta rule,
//! S <- a S (I - b k k^T) + b v k^T, and answers a query q with S q. With the gate a = 1, a write
//! strength b of 0 or 1 and one-hot keys it is exact random-access memory. Its rows are paged; a page
//! never written shows the digit 0 everywhere. Constant memories (the program, the function table) are
//! exact-match attention, which is the read alone.

mod counted;
mod dense;
mod indexed;
#[cfg(test)]
mod tests;

use crate::tables::{
    Boundary, Evaluator, Word,
    alphabet::{Bit, Nibble, Span},
};

pub use indexed::{Bank, Dictionary, Frames, Ram, Slots};

/// Words kept per call frame.
pub const FRAME_WORDS: usize = 6;

/// Rows of a page: a row is named by two digits.
const PAGE: usize = 256;

/// Rows of a RAM read or written at once.
const ROWS: usize = 8;

/// The memories of the machine, next to the tables of [`Evaluator`].
pub trait Heads: Evaluator {
    /// Sixteen rows of one word: the register file.
    type Bank: Clone;
    /// Rows of one byte under 32-bit addresses, eight of which are read or written at once.
    type Ram: Clone;
    /// Rows of [`FRAME_WORDS`] words: the call frames.
    type Frames: Clone;
    /// Instruction slots by number.
    type Slots: Clone;
    /// Words by a 32-bit key.
    type Dictionary: Clone;

    /// Reads row `key`.
    fn bank_read(&self, bank: &Self::Bank, key: &Self::Digit<Nibble>) -> Word<Self>;
    /// Writes row `key` with the given strength.
    fn bank_write(
        &self,
        bank: &mut Self::Bank,
        key: &Self::Digit<Nibble>,
        strength: &Self::Digit<Bit>,
        value: &Word<Self>,
    );
    /// A fresh RAM of one page.
    fn page(&self) -> Self::Ram;
    /// Reads the eight rows from `offset` on (its eight lowest lanes count), the first in the two lowest
    /// lanes. A RAM has as many whole pages of 256 rows as its bytes need; rows outside them read as 0.
    fn ram_read(&self, ram: &Self::Ram, offset: &Word<Self>) -> Word<Self>;
    /// Writes the first `span` of the eight rows from `offset` on. What lands outside the pages is lost.
    fn ram_write(
        &self,
        ram: &mut Self::Ram,
        offset: &Word<Self>,
        span: &Self::Digit<Span>,
        value: &Word<Self>,
    );
    /// Reads the frame at `depth` (its two lowest lanes count).
    fn frame_read(&self, frames: &Self::Frames, depth: &Word<Self>) -> [Word<Self>; FRAME_WORDS];
    /// Writes the frame at `depth` with the given strength.
    fn frame_write(
        &self,
        frames: &mut Self::Frames,
        depth: &Word<Self>,
        strength: &Self::Digit<Bit>,
        values: [&Word<Self>; FRAME_WORDS],
    );
    /// The slot with number `pc` and whether there is one; a missing slot reads as 0.
    fn fetch(&self, slots: &Self::Slots, pc: &Word<Self>) -> (Word<Self>, Self::Digit<Bit>);
    /// The word under `key` (its eight lowest lanes count) and whether there is one; a missing word
    /// reads as 0.
    fn find(&self, dictionary: &Self::Dictionary, key: &Word<Self>) -> (Word<Self>, Self::Digit<Bit>);
}

/// How host code fills and reads the memories.
pub trait HeadsBoundary: Heads + Boundary {
    /// A fresh register file.
    fn bank(&self) -> Self::Bank;
    /// A RAM of the given bytes, all below 2^32.
    fn ram(&self, bytes: &[u8]) -> Self::Ram;
    /// A RAM of `length` zeros, below 2^32.
    fn blank_ram(&self, length: usize) -> Self::Ram {
        self.ram(&vec![0; length])
    }
    /// Makes a RAM that began as `length` zeros blank again.
    fn clear_ram(&self, ram: &mut Self::Ram, length: usize) {
        *ram = self.blank_ram(length);
    }
    /// The first `length` bytes of a RAM.
    ///
    /// # Errors
    /// A digit is not exactly one-hot.
    fn ram_bytes(&self, ram: &Self::Ram, length: usize) -> Result<Vec<u8>, Self::Error>;
    /// Fresh call frames.
    fn frames(&self) -> Self::Frames;
    /// Instruction slots.
    fn slots(&self, slots: &[u64]) -> Self::Slots;
    /// A dictionary of (key, value).
    fn dictionary(&self, entries: &[(u32, u64)]) -> Self::Dictionary;
}
