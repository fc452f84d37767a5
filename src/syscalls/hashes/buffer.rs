//! Bytes on their way into a block.

use crate::{
    alu,
    deltanet::Heads,
    tables::{
        Word, WordList,
        alphabet::{Bit, Nibble, Span},
        catalogue::{LESS, NOT_GREATER, WordConst},
    },
};

/// The bytes of a block of `WORDS` words, as far as they have come, in a page of memory. What lies
/// behind them is of no meaning.
pub struct Buffer<E: Heads, const WORDS: usize> {
    rows: E::Ram,
    fill: Word<E>,
}

impl<E: Heads, const WORDS: usize> Buffer<E, WORDS> {
    /// No bytes.
    pub fn new(e: &E) -> Self {
        Self { rows: e.page(), fill: e.word(WordConst::Zero) }
    }

    /// The number of bytes.
    pub fn fill(&self) -> &Word<E> {
        &self.fill
    }

    /// Appends the `count` low bytes of a word; there is room for one word more than a block.
    pub fn push(&mut self, e: &E, bytes: &Word<E>, count: &Word<E>) {
        self.write(e, &self.fill.clone(), bytes);
        self.fill = alu::add(e, &self.fill, count);
    }

    /// Whether there is a whole block.
    pub fn is_full(&self, e: &E) -> E::Digit<Bit> {
        e.apply1(NOT_GREATER, &e.compare(&e.listed(WordList::Offsets, WORDS), &self.fill))
    }

    /// Whether there is more than a block.
    pub fn overflows(&self, e: &E) -> E::Digit<Bit> {
        e.apply1(LESS, &e.compare(&e.listed(WordList::Offsets, WORDS), &self.fill))
    }

    /// The block.
    pub fn words(&self, e: &E) -> [Word<E>; WORDS] {
        std::array::from_fn(|word| e.ram_read(&self.rows, &e.listed(WordList::Offsets, word)))
    }

    /// Drops a block; what is behind it, at most a word, moves to the front.
    pub fn drain(&mut self, e: &E) {
        let size = e.listed(WordList::Offsets, WORDS);
        let rest = e.ram_read(&self.rows, &size);
        self.write(e, &e.word(WordConst::Zero), &rest);
        self.fill = alu::subtract(e, &self.fill, &size);
    }

    /// Appends `first` and then zeros to the end of the block at least. They do not count as bytes.
    pub fn pad(&mut self, e: &E, first: &Word<E>) {
        self.write(e, &self.fill.clone(), first);
        for word in 1..=WORDS {
            let offset = alu::add(e, &self.fill, &e.listed(WordList::Offsets, word));
            self.write(e, &offset, &e.word(WordConst::Zero));
        }
    }

    fn write(&mut self, e: &E, offset: &Word<E>, word: &Word<E>) {
        e.ram_write(&mut self.rows, offset, &e.digit::<Span, { Span::Eight as usize }>(), word);
    }
}

/// A digit as a word.
pub fn widen<E: Heads>(e: &E, digit: &E::Digit<Nibble>) -> Word<E> {
    e.merge(&e.splat(digit), &e.word(WordConst::Zero), 1)
}
