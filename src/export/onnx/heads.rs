//! Memories as tensors that the graph takes in and gives back.

use super::{
    evaluator::{Tracer, value},
    graph::{Name, Operation},
};
use crate::{
    deltanet::{FRAME_WORDS, Heads},
    tables::{
        Evaluator, Word,
        alphabet::{Alphabet, Bit, Nibble, Span},
    },
};

/// Numbers in a word.
const WORD: usize = 256;

/// Keys and values of an exact match: \[entries, 128\], \[entries, 256 + 2\].
#[derive(Clone)]
pub struct Match {
    /// One-hot keys of eight digits, side by side; zeros for an entry that is not used.
    pub keys: Name,
    /// A word and a bit side by side: what a match adds to the answer for none.
    pub values: Name,
}

type Digit<'w, A> = <Tracer<'w> as Evaluator>::Digit<A>;

impl Tracer<'_> {
    /// S <- a (S - b k kᵀ S) + b k vᵀ for a row `key`: shapes \[rows, width\], \[1, rows\], \[1, 1\],
    /// \[1, width\].
    fn delta(&self, head: &str, state: &Name, key: &Name, strength: &Name, row: &Name) -> Name {
        let constant = |name: &str| self.tensor(&format!("head.{head}.{name}"));
        let strong =
            self.node(Operation::Mul, &[&self.node(Operation::Mul, &[key, strength]), &constant("write")]);
        let written = self.node(Operation::Transpose, &[&strong]);
        let old = self.node(Operation::MatMul, &[key, state]);
        let erased = self.node(Operation::Sub, &[state, &self.node(Operation::MatMul, &[&written, &old])]);
        let kept = self.node(Operation::Mul, &[&erased, &constant("decay")]);
        self.node(Operation::Add, &[&kept, &self.node(Operation::MatMul, &[&written, row])])
    }

    /// The activation of letter 1, shape \[1, 1\].
    fn strength(&self, bit: &Digit<'_, Bit>) -> Name {
        let position = self.position::<Bit>(1);
        self.columns(&bit.0, position, position + 1)
    }

    /// The one-hot pair of an address's two lowest digits, shape \[1, 256\].
    fn row_key(&self, address: &Word<Self>) -> Name {
        self.hidden("product", &[&self.lane(address, 0).0, &self.lane(address, 1).0])
    }

    /// A word and a bit side by side, shape \[1, 256 + 2\].
    fn found(&self, word: &Name, there: &Name) -> Name {
        self.concat(1, &[&self.reshape(word, [1, WORD]), there])
    }

    fn nothing_found(&self) -> Name {
        self.found(&self.word_of(0), &self.digit::<Bit, 0>().0)
    }

    fn split_found(&self, row: &Name) -> (Word<Self>, Digit<'_, Bit>) {
        let word = self.reshape(&self.columns(row, 0, WORD), [16, 16]);
        (value(word), value(self.columns(row, WORD, WORD + Bit::ID.radix())))
    }
}

/// The graph has no RAM: every region is empty, so that loads and stores fail.
impl Heads for Tracer<'_> {
    type Bank = Name;
    type Ram = ();
    type Frames = Name;
    /// A page of 256 slots: \[256, 256 + 2\], a word and whether it is there.
    type Slots = Name;
    type Dictionary = Option<Match>;

    fn bank_read(&self, bank: &Name, key: &Self::Digit<Nibble>) -> Word<Self> {
        value(self.reshape(&self.node(Operation::MatMul, &[&key.0, bank]), [16, 16]))
    }

    fn bank_write(
        &self,
        bank: &mut Name,
        key: &Self::Digit<Nibble>,
        strength: &Self::Digit<Bit>,
        word: &Word<Self>,
    ) {
        let row = self.reshape(&word.0, [1, WORD]);
        *bank = self.delta("registers", bank, &key.0, &self.strength(strength), &row);
    }

    fn page(&self) {}

    fn ram_read(&self, (): &(), _: &Word<Self>) -> Word<Self> {
        value(self.word_of(0))
    }

    fn ram_write(&self, (): &mut (), _: &Word<Self>, _: &Self::Digit<Span>, _: &Word<Self>) {}

    fn frame_read(&self, frames: &Name, depth: &Word<Self>) -> [Word<Self>; FRAME_WORDS] {
        let row = self.node(Operation::MatMul, &[&self.row_key(depth), frames]);
        std::array::from_fn(|i| value(self.reshape(&self.columns(&row, i * WORD, (i + 1) * WORD), [16, 16])))
    }

    fn frame_write(
        &self,
        frames: &mut Name,
        depth: &Word<Self>,
        strength: &Self::Digit<Bit>,
        values: [&Word<Self>; FRAME_WORDS],
    ) {
        let words = values.map(|word| self.reshape(&word.0, [1, WORD]));
        let row = self.concat(1, &words.each_ref());
        *frames = self.delta("frames", frames, &self.row_key(depth), &self.strength(strength), &row);
    }

    fn fetch(&self, slots: &Name, pc: &Word<Self>) -> (Word<Self>, Self::Digit<Bit>) {
        let row = self.node(Operation::MatMul, &[&self.row_key(pc), slots]);
        let (slot, present) = self.split_found(&row);
        // There is one page: what lies beyond has digits above the two that name a row.
        let beyond = self.shift_down(pc, 2, &self.digit::<Nibble, 0>());
        let on_page = self.is_zero(&beyond);
        let (nothing, absent) = (value(self.word_of(0)), self.digit::<Bit, 0>());
        (self.attend(&on_page, [&nothing, &slot]), self.attend_digit(&on_page, [&absent, &present]))
    }

    fn find(&self, dictionary: &Option<Match>, key: &Word<Self>) -> (Word<Self>, Self::Digit<Bit>) {
        let nothing = self.nothing_found();
        let Some(Match { keys, values }) = dictionary else { return self.split_found(&nothing) };
        let query = self.reshape(&self.rows(&key.0, 0, 8), [1, WORD / 2]);
        let common = self.node(Operation::MatMul, &[&query, &self.node(Operation::Transpose, &[keys])]);
        // Eight digits in common make exactly 1.
        let exact = self.node(Operation::Add, &[&common, &self.tensor("attention.exact")]);
        let hit = self.node(Operation::Relu, &[&exact]);
        let row = self.node(Operation::Add, &[&nothing, &self.node(Operation::MatMul, &[&hit, values])]);
        self.split_found(&row)
    }
}
