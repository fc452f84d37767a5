//! SHA-256.
//!
//! Words of 32 bits are held in pairs, the earlier one in the high half, so that a pass over sixteen
//! lanes does two of them: two words of the schedule, or the two halves of a round.

use super::{
    Hasher,
    sha2::{Message, xor3},
};
use crate::{
    deltanet::Heads,
    machine::Lazy,
    tables::{
        Evaluator, Word, WordList,
        alphabet::Nibble,
        catalogue::{CHOOSE, WordConst, XOR},
    },
};

/// Words of a block.
const BLOCK: usize = 8;
/// Rounds, two for each pair of the schedule.
const PAIRS: usize = 32;

/// The state, in pairs: (a, e), (b, f), (c, g), (d, h).
pub type State<E> = [Word<E>; 4];

/// The state before the first block.
pub fn start<E: Evaluator>(e: &E) -> State<E> {
    let word = |i| e.listed(WordList::Sha2Start, i);
    std::array::from_fn(|i| high_halves(e, &word(i), &word(i + 4)))
}

/// The state after a block, whose words hold its bytes as memory does.
pub fn compress<E: Evaluator>(e: &E, state: &State<E>, block: &[Word<E>; BLOCK]) -> State<E> {
    let mut schedule = block.each_ref().map(|word| e.reverse_bytes(word));
    let mut now = state.clone();
    for pair in 0..PAIRS {
        let at = |back: usize| (pair + BLOCK - back) % BLOCK;
        if pair >= BLOCK {
            schedule[at(8)] = e.sum_halves([
                &schedule[at(8)],
                &small_sigma0(e, &across(e, &schedule[at(8)], &schedule[at(7)])),
                &across(e, &schedule[at(4)], &schedule[at(3)]),
                &small_sigma1(e, &schedule[at(1)]),
            ]);
        }
        let words = &schedule[at(8)];
        let key = |round| high_twice(e, &e.listed(WordList::Sha2Rounds, round));
        now = round(e, now, &high_twice(e, words), &key(2 * pair));
        now = round(e, now, &low_twice(e, words), &key(2 * pair + 1));
    }
    std::array::from_fn(|i| e.sum_halves([&state[i], &now[i]]))
}

/// The bytes of a state, as they go to memory.
pub fn digest<E: Evaluator>(e: &E, [ae, bf, cg, dh]: &State<E>) -> [Word<E>; 4] {
    [high_halves(e, ae, bf), high_halves(e, cg, dh), low_halves(e, ae, bf), low_halves(e, cg, dh)]
        .map(|word| e.reverse_bytes(&word))
}

/// One round. Both halves take in the same new word and key.
#[inline(always)]
fn round<E: Evaluator>(e: &E, state: State<E>, word: &Word<E>, key: &Word<E>) -> State<E> {
    let [ae, bf, cg, dh] = state;
    let sigma =
        xor3(e, &e.roll_halves::<6, 2>(&ae), &e.roll_halves::<11, 13>(&ae), &e.roll_halves::<25, 22>(&ae));
    // Low, the choice of f and g by e; high, the majority of a, b, c as the choice of c and b by a ^ b.
    let by = e.merge(&ae, &e.zip2(XOR, &ae, &bf), 8);
    let chosen = e.zip3(CHOOSE, &by, &e.merge(&bf, &cg, 8), &e.merge(&cg, &bf, 8));
    let next = e.sum_halves([
        &low_twice(e, &dh),
        &low_twice(e, &sigma),
        &low_twice(e, &chosen),
        word,
        key,
        &e.merge(&e.roll_lanes(&dh, 8), &sigma, 8),
        &e.merge(&e.word(WordConst::Zero), &chosen, 8),
    ]);
    [next, ae, bf, cg]
}

#[inline(always)]
fn small_sigma0<E: Evaluator>(e: &E, a: &Word<E>) -> Word<E> {
    xor3(e, &e.roll_halves::<7, 7>(a), &e.roll_halves::<18, 18>(a), &e.shift_halves::<3>(a))
}

#[inline(always)]
fn small_sigma1<E: Evaluator>(e: &E, a: &Word<E>) -> Word<E> {
    xor3(e, &e.roll_halves::<17, 17>(a), &e.roll_halves::<19, 19>(a), &e.shift_halves::<10>(a))
}

/// The high halves of two words, the first one's high.
#[inline(always)]
fn high_halves<E: Evaluator>(e: &E, first: &Word<E>, second: &Word<E>) -> Word<E> {
    e.merge(&e.roll_lanes(second, 8), first, 8)
}

/// The low halves of two words, the first one's high.
#[inline(always)]
fn low_halves<E: Evaluator>(e: &E, first: &Word<E>, second: &Word<E>) -> Word<E> {
    e.merge(second, &e.roll_lanes(first, 8), 8)
}

/// The pair between two pairs: the first one's low half high, the second one's high half low.
#[inline(always)]
fn across<E: Evaluator>(e: &E, first: &Word<E>, second: &Word<E>) -> Word<E> {
    e.roll_lanes(&e.merge(first, second, 8), 8)
}

/// The high half in both halves.
#[inline(always)]
fn high_twice<E: Evaluator>(e: &E, a: &Word<E>) -> Word<E> {
    high_halves(e, a, a)
}

/// The low half in both halves.
#[inline(always)]
fn low_twice<E: Evaluator>(e: &E, a: &Word<E>) -> Word<E> {
    low_halves(e, a, a)
}

/// SHA-256 of bytes as they come.
pub struct Sha256<E: Heads>(Message<E, 4, BLOCK>);

impl<S: Lazy> Hasher<S> for Sha256<S> {
    type Digest = [Word<S>; 4];
    const WORDS: usize = 4;

    fn new(e: &S) -> Self {
        Self(Message::new(e, start(e), compress))
    }

    fn update(&mut self, e: &S, bytes: &Word<S>, count: &S::Digit<Nibble>) -> Result<(), S::Error> {
        self.0.update(e, bytes, count)
    }

    fn finish(self, e: &S) -> Result<Self::Digest, S::Error> {
        Ok(digest(e, &self.0.finish(e)?))
    }
}
