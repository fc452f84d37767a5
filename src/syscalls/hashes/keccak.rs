//! Keccak-256, with the padding Keccak had before it became SHA-3.

use super::{
    Hasher,
    buffer::{Buffer, widen},
};
use crate::{
    deltanet::Heads,
    machine::Lazy,
    tables::{
        Evaluator, Site, Word, WordList,
        alphabet::Nibble,
        catalogue::{CHI, WordConst, XOR},
    },
};

/// Words of a block.
const BLOCK: usize = 17;
/// Rounds.
const ROUNDS: usize = 24;

/// The state: column x of plane y is word x + 5 y.
pub type State<E> = [Word<E>; 25];

/// The permutation Keccak-f\[1600\].
pub fn permute<E: Evaluator>(e: &E, state: &State<E>) -> State<E> {
    (0..ROUNDS).fold(state.clone(), |state, number| {
        let mut next = chi(e, &rho_pi(e, &theta(e, &state)));
        next[0] = e.zip2(XOR, &next[0], &e.listed(WordList::KeccakRounds, number));
        next
    })
}

/// The state after a block, whose words hold its bytes as memory does.
pub fn absorb<E: Evaluator>(e: &E, state: &State<E>, block: &[Word<E>; BLOCK]) -> State<E> {
    let mut state = state.clone();
    for (word, taken) in state.iter_mut().zip(block) {
        *word = e.zip2(XOR, word, taken);
    }
    permute(e, &state)
}

/// Adds to each word the parities of two neighbouring columns.
#[inline(always)]
fn theta<E: Evaluator>(e: &E, state: &State<E>) -> State<E> {
    let xor = |a: &Word<E>, b: &Word<E>| e.zip2(XOR, a, b);
    let parities: [Word<E>; 5] = std::array::from_fn(|x| {
        let pairs = [xor(&state[x], &state[x + 5]), xor(&state[x + 10], &state[x + 15])];
        xor(&xor(&pairs[0], &pairs[1]), &state[x + 20])
    });
    let added: [Word<E>; 5] =
        std::array::from_fn(|x| xor(&parities[(x + 4) % 5], &e.roll::<63>(&parities[(x + 1) % 5])));
    std::array::from_fn(|i| xor(&state[i], &added[i % 5]))
}

/// Turns each word by its own count and moves it to its own place.
#[inline(always)]
#[rustfmt::skip]
fn rho_pi<E: Evaluator>(e: &E, mixed: &State<E>) -> State<E> {
    [
        e.roll::<0>(&mixed[0]), e.roll::<20>(&mixed[6]), e.roll::<21>(&mixed[12]), e.roll::<43>(&mixed[18]), e.roll::<50>(&mixed[24]),
        e.roll::<36>(&mixed[3]), e.roll::<44>(&mixed[9]), e.roll::<61>(&mixed[10]), e.roll::<19>(&mixed[16]), e.roll::<3>(&mixed[22]),
        e.roll::<63>(&mixed[1]), e.roll::<58>(&mixed[7]), e.roll::<39>(&mixed[13]), e.roll::<56>(&mixed[19]), e.roll::<46>(&mixed[20]),
        e.roll::<37>(&mixed[4]), e.roll::<28>(&mixed[5]), e.roll::<54>(&mixed[11]), e.roll::<49>(&mixed[17]), e.roll::<8>(&mixed[23]),
        e.roll::<2>(&mixed[2]), e.roll::<9>(&mixed[8]), e.roll::<25>(&mixed[14]), e.roll::<23>(&mixed[15]), e.roll::<62>(&mixed[21]),
    ]
}

/// Combines each word with the two to its right in its plane.
#[inline(always)]
fn chi<E: Evaluator>(e: &E, state: &State<E>) -> State<E> {
    let right = |i: usize, by: usize| &state[i / 5 * 5 + (i + by) % 5];
    std::array::from_fn(|i| e.zip3(CHI, &state[i], right(i, 1), right(i, 2)))
}

/// Keccak-256 of bytes as they come.
pub struct Keccak256<E: Heads> {
    state: State<E>,
    buffer: Buffer<E, BLOCK>,
}

impl<S: Lazy> Hasher<S> for Keccak256<S> {
    type Digest = [Word<S>; 4];
    const WORDS: usize = 4;

    fn new(e: &S) -> Self {
        Self { state: std::array::from_fn(|_| e.word(WordConst::Zero)), buffer: Buffer::new(e) }
    }

    fn update(&mut self, e: &S, bytes: &Word<S>, count: &S::Digit<Nibble>) -> Result<(), S::Error> {
        self.buffer.push(e, bytes, &widen(e, count));
        if e.observe(&self.buffer.is_full(e), Site::BlockFull)? {
            self.state = absorb(e, &self.state, &self.buffer.words(e));
            self.buffer.drain(e);
        }
        Ok(())
    }

    fn finish(mut self, e: &S) -> Result<Self::Digest, S::Error> {
        self.buffer.pad(e, &e.word(WordConst::One));
        let mut last = self.buffer.words(e);
        last[BLOCK - 1] = e.zip2(XOR, &last[BLOCK - 1], &e.word(WordConst::Bit63));
        let [a, b, c, d, ..] = absorb(e, &self.state, &last);
        Ok([a, b, c, d])
    }
}
