//! Which position of a one-hot vector shows which letter.

use super::alphabet::{Alphabet, AlphabetId};

/// Upper bound of every radix.
pub const MAX_RADIX: usize = 64;

/// For each alphabet, a permutation between letters and positions.
///
/// The machine's weights use the identity. Any other labelling gives weights that compute the same
/// function, which tests use to show that nothing relies on a position's number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    positions: [[u8; MAX_RADIX]; AlphabetId::ALL.len()],
    letters: [[u8; MAX_RADIX]; AlphabetId::ALL.len()],
    identity: bool,
}

impl Labels {
    /// Letter n at position n.
    pub fn identity() -> Self {
        let row = std::array::from_fn(|i| i as u8);
        Self {
            positions: [row; AlphabetId::ALL.len()],
            letters: [row; AlphabetId::ALL.len()],
            identity: true,
        }
    }

    /// A labelling from one permutation per alphabet: `positions(alphabet)[letter] = position`.
    ///
    /// Returns `None` if one of them is not a permutation of its radix.
    pub fn from_positions(positions: impl Fn(AlphabetId) -> Vec<usize>) -> Option<Self> {
        let mut labels = Self::identity();
        for id in AlphabetId::ALL {
            let permutation = positions(id);
            let mut seen = [false; MAX_RADIX];
            if permutation.len() != id.radix() {
                return None;
            }
            for (letter, &position) in permutation.iter().enumerate() {
                if position >= id.radix() || std::mem::replace(&mut seen[position], true) {
                    return None;
                }
                labels.positions[id as usize][letter] = position as u8;
                labels.letters[id as usize][position] = letter as u8;
                labels.identity &= letter == position;
            }
        }
        Some(labels)
    }

    /// Whether every letter sits at its own number.
    pub fn is_identity(&self) -> bool {
        self.identity
    }

    /// Position of a letter.
    #[inline]
    pub fn position(&self, id: AlphabetId, letter: usize) -> usize {
        usize::from(self.positions[id as usize][letter])
    }

    /// Letter at a position.
    #[inline]
    pub fn letter(&self, id: AlphabetId, position: usize) -> usize {
        usize::from(self.letters[id as usize][position])
    }

    /// Position of a letter of `A`.
    #[inline]
    pub fn position_of<A: Alphabet>(&self, letter: usize) -> usize {
        self.position(A::ID, letter)
    }

    /// Letter of `A` at a position.
    #[inline]
    pub fn letter_of<A: Alphabet>(&self, position: usize) -> usize {
        self.letter(A::ID, position)
    }
}
