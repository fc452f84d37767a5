//! BLAKE3 without a key, 32 bytes of it.
//!
//! Words of 32 bits are held in pairs as memory holds them, the earlier one in the low half.

use super::{
    Hasher,
    buffer::{Buffer, widen},
};
use crate::{
    deltanet::Heads,
    machine::Lazy,
    tables::{
        Evaluator, Site, Word, WordList,
        alphabet::{Nibble, Quarter},
        catalogue::{CHUNK_FLAGS, EQUAL, LOW_BIT, NON_ZERO, OR, WordConst, XOR},
    },
};

/// Words of a block.
const BLOCK: usize = 8;
/// Rounds.
const ROUNDS: usize = 7;

/// Flag of the last block of a chunk.
const CHUNK_END: usize = 2;
/// Flag of a block made of two chaining values.
const PARENT: usize = 4;
/// Flag of the block whose chaining value is the digest.
const ROOT: usize = 8;

/// Eight words of 32 bits.
pub type ChainingValue<E> = [Word<E>; 4];

/// Four words of 32 bits: a row of the state.
type Row<E> = [Word<E>; 2];

/// The chaining value before the first block of a chunk.
pub fn start<E: Evaluator>(e: &E) -> ChainingValue<E> {
    let word = |i| e.listed(WordList::Sha2Start, i);
    std::array::from_fn(|i| e.merge(&e.roll_lanes(&word(2 * i), 8), &word(2 * i + 1), 8))
}

/// The chaining value after a block with its number of bytes, flags and the number of its chunk.
pub fn compress<E: Evaluator>(
    e: &E,
    value: &ChainingValue<E>,
    block: &[Word<E>; BLOCK],
    counter: &Word<E>,
    length: &Word<E>,
    flags: &E::Digit<Nibble>,
) -> ChainingValue<E> {
    let flags = e.merge(&e.splat(flags), &e.word(WordConst::Zero), 1);
    let [c0, c1, ..] = start(e);
    let [a0, a1, b0, b1] = value.clone();
    let mut rows =
        [[a0, a1], [b0, b1], [c0, c1], [counter.clone(), e.merge(length, &e.roll_lanes(&flags, 8), 8)]];
    let mut order: [usize; 2 * BLOCK] = std::array::from_fn(|i| i);
    for _ in 0..ROUNDS {
        let [columns, diagonals] =
            [0, BLOCK].map(|half| [0, 1].map(|odd| words(e, block, &order, half + odd)));
        rows = mix(e, rows, &columns);
        let [a, b, c, d] = rows;
        let turned = [a, next(e, &b), opposite(c), previous(e, &d)];
        let [a, b, c, d] = mix(e, turned, &diagonals);
        rows = [a, previous(e, &b), opposite(c), next(e, &d)];
        order = PERMUTATION.map(|from| order[from]);
    }
    let [[a0, a1], [b0, b1], [c0, c1], [d0, d1]] = &rows;
    [(a0, c0), (a1, c1), (b0, d0), (b1, d1)].map(|(x, y)| e.zip2(XOR, x, y))
}

/// Where each word of the next round's message comes from.
const PERMUTATION: [usize; 2 * BLOCK] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];

/// Of the message in this order, every other word from `first` on, four in all.
fn words<E: Evaluator>(e: &E, block: &[Word<E>; BLOCK], order: &[usize; 2 * BLOCK], first: usize) -> Row<E> {
    let low = |at: usize| e.roll_lanes(&block[order[at] / 2], 8 * (order[at] % 2));
    let high = |at: usize| e.roll_lanes(&block[order[at] / 2], 8 - 8 * (order[at] % 2));
    [first, first + 4].map(|at| e.merge(&low(at), &high(at + 2), 8))
}

/// Mixes the four columns, each with two words of the message.
#[inline(always)]
fn mix<E: Evaluator>(e: &E, rows: [Row<E>; 4], message: &[Row<E>; 2]) -> [Row<E>; 4] {
    let [mut a, mut b, mut c, mut d] = rows;
    for i in 0..2 {
        a[i] = e.sum_halves([&a[i], &b[i], &message[0][i]]);
        d[i] = e.roll_halves::<16, 16>(&e.zip2(XOR, &d[i], &a[i]));
        c[i] = e.sum_halves([&c[i], &d[i]]);
        b[i] = e.roll_halves::<12, 12>(&e.zip2(XOR, &b[i], &c[i]));
        a[i] = e.sum_halves([&a[i], &b[i], &message[1][i]]);
        d[i] = e.roll_halves::<8, 8>(&e.zip2(XOR, &d[i], &a[i]));
        c[i] = e.sum_halves([&c[i], &d[i]]);
        b[i] = e.roll_halves::<7, 7>(&e.zip2(XOR, &b[i], &c[i]));
    }
    [a, b, c, d]
}

/// The words 1, 2, 3, 0 of a row.
#[inline(always)]
fn next<E: Evaluator>(e: &E, [a, b]: &Row<E>) -> Row<E> {
    let between = |a, b| e.roll_lanes(&e.merge(b, a, 8), 8);
    [between(a, b), between(b, a)]
}

/// The words 3, 0, 1, 2 of a row.
#[inline(always)]
fn previous<E: Evaluator>(e: &E, row: &Row<E>) -> Row<E> {
    opposite(next(e, row))
}

/// The words 2, 3, 0, 1 of a row.
#[inline(always)]
fn opposite<T>([a, b]: [T; 2]) -> [T; 2] {
    [b, a]
}

/// The chaining value of two neighbouring subtrees.
fn join<E: Evaluator>(
    e: &E,
    left: ChainingValue<E>,
    right: ChainingValue<E>,
    flags: &E::Digit<Nibble>,
) -> ChainingValue<E> {
    let ([a, b, c, d], [f, g, h, i]) = (left, right);
    let (zero, length) = (e.word(WordConst::Zero), e.listed(WordList::Offsets, BLOCK));
    compress(e, &start(e), &[a, b, c, d, f, g, h, i], &zero, &length, flags)
}

/// BLAKE3 of bytes as they come.
///
/// A block is compressed once a byte behind it is there, for the last one has flags of its own.
pub struct Blake3<E: Heads> {
    /// Of the current chunk.
    value: ChainingValue<E>,
    buffer: Buffer<E, BLOCK>,
    /// Blocks compressed: sixteen a chunk, so that digit 0 is the number of the block in its chunk and
    /// the digits above it are the number of the chunk.
    blocks: Word<E>,
    /// Complete subtrees, each larger than the one after it.
    subtrees: Vec<ChainingValue<E>>,
}

impl<S: Lazy> Blake3<S> {
    /// Number of the current chunk.
    fn chunk(&self, e: &S) -> Word<S> {
        e.shift_down(&self.blocks, 1, &e.digit::<Nibble, 0>())
    }

    /// Flags of the current block, as far as its number says.
    fn flags(&self, e: &S) -> S::Digit<Nibble> {
        e.apply1(CHUNK_FLAGS, &e.lane(&self.blocks, 0))
    }

    /// Compresses a full block that is not the message's last.
    fn advance(&mut self, e: &S) -> Result<(), S::Error> {
        let length = e.listed(WordList::Offsets, BLOCK);
        let block = self.buffer.words(e);
        self.value = compress(e, &self.value, &block, &self.chunk(e), &length, &self.flags(e));
        self.buffer.drain(e);
        self.blocks = e.increment(&self.blocks);
        let full = e.apply1(EQUAL, &e.apply1(NON_ZERO, &e.lane(&self.blocks, 0)));
        if e.observe(&full, Site::ChunkFull)? {
            self.close_chunk(e)?;
        }
        Ok(())
    }

    /// Adds the current chunk to the tree: it completes a subtree for each trailing 0 of the number of
    /// chunks.
    fn close_chunk(&mut self, e: &S) -> Result<(), S::Error> {
        let mut value = std::mem::replace(&mut self.value, start(e));
        let mut chunks = self.chunk(e);
        let zero = e.digit::<Nibble, 0>();
        while !e.observe(&e.apply1(LOW_BIT, &e.lane(&chunks, 0)), Site::SubtreeOpen)? {
            // An even number of chunks has a subtree to join.
            let Some(left) = self.subtrees.pop() else { break };
            value = join(e, left, value, &e.digit::<Nibble, PARENT>());
            chunks = e.shift_right(&chunks, &zero, &e.digit::<Quarter, 1>(), &zero);
        }
        self.subtrees.push(value);
        Ok(())
    }
}

impl<S: Lazy> Hasher<S> for Blake3<S> {
    type Digest = [Word<S>; 4];
    const WORDS: usize = 4;

    fn new(e: &S) -> Self {
        let blocks = e.word(WordConst::Zero);
        Self { value: start(e), buffer: Buffer::new(e), blocks, subtrees: Vec::new() }
    }

    fn update(&mut self, e: &S, bytes: &Word<S>, count: &S::Digit<Nibble>) -> Result<(), S::Error> {
        self.buffer.push(e, bytes, &widen(e, count));
        if e.observe(&self.buffer.overflows(e), Site::BlockFull)? {
            self.advance(e)?;
        }
        Ok(())
    }

    fn finish(mut self, e: &S) -> Result<Self::Digest, S::Error> {
        self.buffer.pad(e, &e.word(WordConst::Zero));
        let last = if self.subtrees.is_empty() {
            e.digit::<Nibble, { CHUNK_END | ROOT }>()
        } else {
            e.digit::<Nibble, CHUNK_END>()
        };
        let flags = e.apply2(OR, &self.flags(e), &last);
        let block = self.buffer.words(e);
        let mut value = compress(e, &self.value, &block, &self.chunk(e), self.buffer.fill(), &flags);
        while let Some(left) = self.subtrees.pop() {
            let flags = if self.subtrees.is_empty() {
                e.digit::<Nibble, { PARENT | ROOT }>()
            } else {
                e.digit::<Nibble, PARENT>()
            };
            value = join(e, left, value, &flags);
        }
        Ok(value)
    }
}
