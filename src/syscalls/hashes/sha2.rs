//! What SHA-256 and SHA-512 share: the words of the schedule become a state block by block, and the
//! last block ends with the length.

use super::buffer::{Buffer, widen};
use crate::{
    alu,
    deltanet::Heads,
    machine::Lazy,
    tables::{
        Evaluator, Site, Word, WordList,
        alphabet::{Nibble, Quarter},
        catalogue::{CHOOSE, LESS, WordConst, XOR},
    },
};

/// A function of one block: (state, block) to the next state.
type Compress<E, const STATE: usize, const BLOCK: usize> =
    fn(&E, &[Word<E>; STATE], &[Word<E>; BLOCK]) -> [Word<E>; STATE];

/// A message on its way, for a state and a block of so many words.
pub struct Message<E: Heads, const STATE: usize, const BLOCK: usize> {
    state: [Word<E>; STATE],
    buffer: Buffer<E, BLOCK>,
    /// Bytes so far.
    length: Word<E>,
    compress: Compress<E, STATE, BLOCK>,
}

impl<S: Lazy, const STATE: usize, const BLOCK: usize> Message<S, STATE, BLOCK> {
    /// An empty message.
    pub fn new(e: &S, state: [Word<S>; STATE], compress: Compress<S, STATE, BLOCK>) -> Self {
        Self { state, buffer: Buffer::new(e), length: e.word(WordConst::Zero), compress }
    }

    /// Takes in the `count` low bytes of a word.
    pub fn update(&mut self, e: &S, bytes: &Word<S>, count: &S::Digit<Nibble>) -> Result<(), S::Error> {
        let count = widen(e, count);
        self.length = alu::add(e, &self.length, &count);
        self.buffer.push(e, bytes, &count);
        if e.observe(&self.buffer.is_full(e), Site::BlockFull)? {
            self.state = (self.compress)(e, &self.state, &self.buffer.words(e));
            self.buffer.drain(e);
        }
        Ok(())
    }

    /// The state after the padding.
    ///
    /// A bit 1, zeros, and the length in bits in the last eighth of a block: a block more where that
    /// eighth is reached already.
    pub fn finish(mut self, e: &S) -> Result<[Word<S>; STATE], S::Error> {
        self.buffer.pad(e, &e.word(WordConst::Bit7));
        let mut last = self.buffer.words(e);
        let free = e.listed(WordList::Offsets, BLOCK - BLOCK / 8);
        let fits = e.apply1(LESS, &e.compare(self.buffer.fill(), &free));
        if !e.observe(&fits, Site::LengthFits)? {
            self.state = (self.compress)(e, &self.state, &last);
            last = std::array::from_fn(|_| e.word(WordConst::Zero));
        }
        let bits = e.shift_left(&self.length, &e.digit::<Nibble, 0>(), &e.digit::<Quarter, 3>());
        last[BLOCK - 1] = e.reverse_bytes(&bits);
        Ok((self.compress)(e, &self.state, &last))
    }
}

/// a ^ b ^ c.
#[inline(always)]
pub fn xor3<E: Evaluator>(e: &E, a: &Word<E>, b: &Word<E>, c: &Word<E>) -> Word<E> {
    e.zip2(XOR, &e.zip2(XOR, a, b), c)
}

/// Bit by bit the majority of three: where the first two differ the third, else either of them.
#[inline(always)]
pub fn majority<E: Evaluator>(e: &E, a: &Word<E>, b: &Word<E>, c: &Word<E>) -> Word<E> {
    e.zip3(CHOOSE, &e.zip2(XOR, a, b), c, b)
}
