//! SHA-512.

use super::{
    Hasher,
    sha2::{Message, majority, xor3},
};
use crate::{
    deltanet::Heads,
    machine::Lazy,
    tables::{
        Evaluator, Word, WordList,
        alphabet::{Nibble, Quarter},
        catalogue::CHOOSE,
    },
};

/// Words of a block.
const BLOCK: usize = 16;
/// Rounds.
const ROUNDS: usize = 80;

/// The state: a to h.
pub type State<E> = [Word<E>; 8];

/// The state before the first block.
pub fn start<E: Evaluator>(e: &E) -> State<E> {
    std::array::from_fn(|i| e.listed(WordList::Sha2Start, i))
}

/// The state after a block, whose words hold its bytes as memory does.
pub fn compress<E: Evaluator>(e: &E, state: &State<E>, block: &[Word<E>; BLOCK]) -> State<E> {
    let mut schedule = block.each_ref().map(|word| e.reverse_bytes(word));
    let mut now = state.clone();
    for number in 0..ROUNDS {
        let at = |back: usize| (number + BLOCK - back) % BLOCK;
        if number >= BLOCK {
            schedule[at(16)] = e.sum_words([
                &schedule[at(16)],
                &small_sigma0(e, &schedule[at(15)]),
                &schedule[at(7)],
                &small_sigma1(e, &schedule[at(2)]),
            ]);
        }
        now = round(e, now, &schedule[at(16)], &e.listed(WordList::Sha2Rounds, number));
    }
    std::array::from_fn(|i| e.sum_words([&state[i], &now[i]]))
}

/// The bytes of a state, as they go to memory.
pub fn digest<E: Evaluator>(e: &E, state: &State<E>) -> [Word<E>; 8] {
    state.each_ref().map(|word| e.reverse_bytes(word))
}

#[inline(always)]
fn round<E: Evaluator>(e: &E, state: State<E>, word: &Word<E>, key: &Word<E>) -> State<E> {
    let [a, b, c, d, e1, f, g, h] = state;
    let sigma0 = xor3(e, &e.roll::<28>(&a), &e.roll::<34>(&a), &e.roll::<39>(&a));
    let sigma1 = xor3(e, &e.roll::<14>(&e1), &e.roll::<18>(&e1), &e.roll::<41>(&e1));
    let chosen = e.zip3(CHOOSE, &e1, &f, &g);
    let majority = majority(e, &a, &b, &c);
    let next_e = e.sum_words([&d, &h, &sigma1, &chosen, key, word]);
    let next_a = e.sum_words([&h, &sigma1, &chosen, key, word, &sigma0, &majority]);
    [next_a, a, b, c, next_e, e1, f, g]
}

#[inline(always)]
fn small_sigma0<E: Evaluator>(e: &E, a: &Word<E>) -> Word<E> {
    xor3(e, &e.roll::<1>(a), &e.roll::<8>(a), &down(e, a, &e.digit::<Nibble, 1>(), &e.digit::<Quarter, 3>()))
}

#[inline(always)]
fn small_sigma1<E: Evaluator>(e: &E, a: &Word<E>) -> Word<E> {
    xor3(
        e,
        &e.roll::<19>(a),
        &e.roll::<61>(a),
        &down(e, a, &e.digit::<Nibble, 1>(), &e.digit::<Quarter, 2>()),
    )
}

/// The word shifted right, zeros coming in.
#[inline(always)]
fn down<E: Evaluator>(e: &E, a: &Word<E>, digits: &E::Digit<Nibble>, bits: &E::Digit<Quarter>) -> Word<E> {
    e.shift_right(a, digits, bits, &e.digit::<Nibble, 0>())
}

/// SHA-512 of bytes as they come.
pub struct Sha512<E: Heads>(Message<E, 8, BLOCK>);

impl<S: Lazy> Hasher<S> for Sha512<S> {
    type Digest = [Word<S>; 8];
    const WORDS: usize = 8;

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
