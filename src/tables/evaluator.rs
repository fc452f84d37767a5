//! What a circuit runs on.

use super::{
    alphabet::*, catalogue::*, decode::Group, lists::WordList, moduli::ModulusId, numbers::NumberConst,
    shallow, site::Site, wide::ModulusNumber,
};

/// Sixteen nibbles, the least significant first: a 64-bit value.
pub type Word<E> = <E as Evaluator>::Lanes<Nibble>;

/// Most words that are added at once: a column of their digits settles to two digits, one of their
/// bytes to three.
pub const ADDENDS: usize = 16;

/// Runs tables, wiring, attention and linear sums on opaque digits.
///
/// A circuit is a function generic over this trait. It can pass digits from one operation to the next
/// and nothing else: there is no way to look at one.
///
/// ```
/// use svmllm::tables::{Boundary, Evaluator, Indexed, Weights, Word, alphabet::Bit};
///
/// fn double<E: Evaluator>(e: &E, a: &Word<E>) -> Word<E> {
///     e.add_words(a, a, &e.digit::<Bit, 0>()).0
/// }
///
/// let e = Indexed::new(&Weights::generate())?;
/// assert_eq!(e.read_out(&double(&e, &e.embed(21)))?, 42);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A circuit cannot read a word or observe a bit; host code can, where it asks for [`Boundary`] or
/// [`Sequencer`]:
///
/// ```compile_fail,E0599
/// # use svmllm::tables::{Evaluator, Word};
/// fn peek<E: Evaluator>(e: &E, a: &Word<E>) -> u64 {
///     e.read_out(a).unwrap()
/// }
/// ```
/// ```compile_fail,E0599
/// # use svmllm::tables::{Evaluator, Site, alphabet::Bit};
/// fn peek<E: Evaluator>(e: &E, bit: &E::Digit<Bit>) -> bool {
///     e.observe(bit, Site::Taken).unwrap()
/// }
/// ```
///
/// Not even a driver observes a nibble:
///
/// ```compile_fail,E0277
/// # use svmllm::tables::{Sequencer, Site, alphabet::Nibble};
/// fn peek<E: Sequencer>(e: &E, digit: &E::Digit<Nibble>) {
///     let _ = e.observe_gate(digit, Site::Taken);
/// }
/// ```
///
/// Digits and words do not compare, print, add, hash or turn into anything:
///
/// ```compile_fail,E0369
/// # use svmllm::tables::{Evaluator, alphabet::Bit};
/// fn peek<E: Evaluator>(a: &E::Digit<Bit>, b: &E::Digit<Bit>) -> bool {
///     a == b
/// }
/// ```
/// ```compile_fail,E0277
/// # use svmllm::tables::{Evaluator, alphabet::Bit};
/// fn peek<E: Evaluator>(a: &E::Digit<Bit>) -> String {
///     format!("{a:?}")
/// }
/// ```
/// ```compile_fail,E0369
/// # use svmllm::tables::{Evaluator, Word};
/// fn native<E: Evaluator>(a: Word<E>, b: Word<E>) -> Word<E> {
///     a + b
/// }
/// ```
/// ```compile_fail,E0605
/// # use svmllm::tables::{Evaluator, Word};
/// fn native<E: Evaluator>(a: Word<E>) -> u64 {
///     a as u64
/// }
/// ```
/// ```compile_fail,E0310
/// # use svmllm::tables::{Evaluator, Word};
/// fn peek<E: Evaluator>(a: Word<E>) -> Box<dyn std::any::Any> {
///     Box::new(a)
/// }
/// ```
///
/// Nor can a run-time value become a constant, or a table be fed the wrong alphabet:
///
/// ```compile_fail,E0435
/// # use svmllm::tables::{Evaluator, alphabet::Nibble};
/// fn smuggle<E: Evaluator>(e: &E, value: usize) -> E::Digit<Nibble> {
///     e.digit::<Nibble, { value }>()
/// }
/// ```
/// ```compile_fail,E0308
/// # use svmllm::tables::{Evaluator, alphabet::{Bit, Nibble}, catalogue::SIGN_FILL};
/// fn mix<E: Evaluator>(e: &E, bit: &E::Digit<Bit>) -> E::Digit<Nibble> {
///     e.apply1(SIGN_FILL, bit)
/// }
/// ```
///
/// The whole-word operations at the end
/// (`add_words` and what follows) have a *shallow* form, written with the operations above them, as
/// their default; an evaluator may replace it by a form with other rows of the same tensors, which is
/// tested equal.
pub trait Evaluator: Sized {
    /// One digit: a one-hot vector over the letters of `A`.
    type Digit<A: Alphabet>: Clone;
    /// Sixteen digits side by side, lane 0 the least significant.
    type Lanes<A: Alphabet>: Clone;
    /// Sixteen integer activations, each carrying its bound.
    type Columns: Clone;
    /// The integer activations of a wide number, one a column, the lowest first; each below 65,536.
    type Sums: Clone;
    /// The control gates of one instruction.
    type Control: Clone;

    /// The letter `V` of `A` as a constant.
    fn digit<A: Alphabet, const V: usize>(&self) -> Self::Digit<A>;
    /// A constant word.
    fn word(&self, constant: WordConst) -> Word<Self>;
    /// The constant word `V`, wired digit by digit as [`digit`](Self::digit) is.
    fn literal<const V: u64>(&self) -> Word<Self>;
    /// Word `index` of a list of constants; the index is below the list's length.
    fn listed(&self, list: WordList, index: usize) -> Word<Self>;

    /// Looks one digit up.
    fn apply1<A: Alphabet, O: Alphabet>(&self, table: Table1<A, O>, a: &Self::Digit<A>) -> Self::Digit<O>;
    /// Looks two digits up.
    fn apply2<A: Alphabet, B: Alphabet, O: Alphabet>(
        &self,
        table: Table2<A, B, O>,
        a: &Self::Digit<A>,
        b: &Self::Digit<B>,
    ) -> Self::Digit<O>;
    /// Looks three digits up.
    fn apply3<A: Alphabet, B: Alphabet, C: Alphabet, O: Alphabet>(
        &self,
        table: Table3<A, B, C, O>,
        a: &Self::Digit<A>,
        b: &Self::Digit<B>,
        c: &Self::Digit<C>,
    ) -> Self::Digit<O>;
    /// Looks four digits up.
    fn apply4<A: Alphabet, B: Alphabet, C: Alphabet, D: Alphabet, O: Alphabet>(
        &self,
        table: Table4<A, B, C, D, O>,
        a: &Self::Digit<A>,
        b: &Self::Digit<B>,
        c: &Self::Digit<C>,
        d: &Self::Digit<D>,
    ) -> Self::Digit<O>;
    /// Looks every lane up.
    fn map<A: Alphabet, O: Alphabet>(&self, table: Table1<A, O>, a: &Self::Lanes<A>) -> Self::Lanes<O>;
    /// Looks every pair of lanes up.
    fn zip2<A: Alphabet, B: Alphabet, O: Alphabet>(
        &self,
        table: Table2<A, B, O>,
        a: &Self::Lanes<A>,
        b: &Self::Lanes<B>,
    ) -> Self::Lanes<O>;
    /// Looks every triple of lanes up.
    fn zip3<A: Alphabet, B: Alphabet, C: Alphabet, O: Alphabet>(
        &self,
        table: Table3<A, B, C, O>,
        a: &Self::Lanes<A>,
        b: &Self::Lanes<B>,
        c: &Self::Lanes<C>,
    ) -> Self::Lanes<O>;
    /// Looks every quadruple of lanes up.
    fn zip4<A: Alphabet, B: Alphabet, C: Alphabet, D: Alphabet, O: Alphabet>(
        &self,
        table: Table4<A, B, C, D, O>,
        a: &Self::Lanes<A>,
        b: &Self::Lanes<B>,
        c: &Self::Lanes<C>,
        d: &Self::Lanes<D>,
    ) -> Self::Lanes<O>;

    /// Wiring: lane `lane` (0 to 15) by itself.
    fn lane<A: Alphabet>(&self, a: &Self::Lanes<A>, lane: usize) -> Self::Digit<A>;
    /// Wiring: sixteen copies of a digit.
    fn splat<A: Alphabet>(&self, a: &Self::Digit<A>) -> Self::Lanes<A>;
    /// Wiring: the low `count` lanes (0 to 16) of `low`, the others of `high`.
    fn merge<A: Alphabet>(&self, low: &Self::Lanes<A>, high: &Self::Lanes<A>, count: usize)
    -> Self::Lanes<A>;
    /// Wiring: lane i becomes lane i + `count` (0 to 15); the freed lanes take `fill`.
    fn shift_up<A: Alphabet>(
        &self,
        a: &Self::Lanes<A>,
        count: usize,
        fill: &Self::Digit<A>,
    ) -> Self::Lanes<A>;
    /// Wiring: lane i becomes lane i - `count` (0 to 15); the freed lanes take `fill`.
    fn shift_down<A: Alphabet>(
        &self,
        a: &Self::Lanes<A>,
        count: usize,
        fill: &Self::Digit<A>,
    ) -> Self::Lanes<A>;
    /// Wiring: lane i becomes lane i - `count` (0 to 15), around the end.
    fn roll_lanes<A: Alphabet>(&self, a: &Self::Lanes<A>, count: usize) -> Self::Lanes<A>;
    /// Wiring: the same in each half of eight lanes; `count` is 0 to 7.
    fn roll_half_lanes<A: Alphabet>(&self, a: &Self::Lanes<A>, count: usize) -> Self::Lanes<A>;
    /// Wiring: the sixteen lanes in the opposite order.
    fn reverse<A: Alphabet>(&self, a: &Self::Lanes<A>) -> Self::Lanes<A>;
    /// Wiring: the eight bytes (pairs of lanes) in the opposite order.
    fn reverse_bytes(&self, a: &Word<Self>) -> Word<Self>;

    /// Attention: the value at the place the key shows. There are as many values as the key has
    /// letters.
    fn attend<A: Alphabet, B: Alphabet, const N: usize>(
        &self,
        key: &Self::Digit<A>,
        values: [&Self::Lanes<B>; N],
    ) -> Self::Lanes<B>;
    /// Attention over single digits.
    fn attend_digit<A: Alphabet, B: Alphabet, const N: usize>(
        &self,
        key: &Self::Digit<A>,
        values: [&Self::Digit<B>; N],
    ) -> Self::Digit<B>;
    /// Attention over the sixteen wirings `shift_up(a, 0..16, fill)`.
    fn attend_up(&self, by: &Self::Digit<Nibble>, a: &Word<Self>, fill: &Self::Digit<Nibble>) -> Word<Self>;
    /// Attention over the sixteen wirings `shift_down(a, 0..16, fill)`.
    fn attend_down(&self, by: &Self::Digit<Nibble>, a: &Word<Self>, fill: &Self::Digit<Nibble>)
    -> Word<Self>;

    /// The control gates of an opcode, given by its digits, in a phase.
    fn decode(
        &self,
        phase: &Self::Digit<Phase>,
        low: &Self::Digit<Nibble>,
        high: &Self::Digit<Nibble>,
    ) -> Self::Control;
    /// One group of control gates.
    fn gates<A: Alphabet>(&self, control: &Self::Control, group: Group<A>) -> Self::Digit<A>;

    /// Linear sums over products of digits: column k is the sum of a\[i\] b\[k - i\], at most 3600.
    fn product_columns(&self, a: &Word<Self>, b: &Word<Self>) -> Self::Columns;
    /// Staircases: each column, below 4096, as three digits, the lowest first.
    fn settle(&self, columns: &Self::Columns) -> [Word<Self>; 3];
    /// Linear sums: column k is a\[k\] + b\[k - 1\] + c\[k - 2\], at most 45.
    fn digit_columns(&self, a: &Word<Self>, b: &Word<Self>, c: &Word<Self>) -> Self::Columns;
    /// Staircase: each column, below 128, as a digit and what is left over in units of 16.
    fn settle_small(&self, columns: &Self::Columns) -> [Word<Self>; 2];

    /// Linear sums: column k is the sum of digit k of the words, at most 15 N; N is at most
    /// [`ADDENDS`].
    fn sum_columns<const N: usize>(&self, words: [&Word<Self>; N]) -> Self::Columns;
    /// Attention and linear sums: column k is the sum of a\[i\] b\[k - i\] over the 16 N digits of two
    /// numbers, at most 21,600; 32 N columns. Each digit of `b` reads the sixteen multiples of `a`.
    fn product_sums<const N: usize>(&self, a: &[Word<Self>; N], b: &[Word<Self>; N]) -> Self::Sums;
    /// Linear layer: the value of each of the 16 N digits, a column each.
    fn digit_sums<const N: usize>(&self, a: &[Word<Self>; N]) -> Self::Sums;
    /// Linear layer: 15 minus the value of each of the 16 N digits, a column each.
    fn complement_sums<const N: usize>(&self, a: &[Word<Self>; N]) -> Self::Sums;
    /// A number that belongs to a modulus, a column a digit.
    fn modulus_sums(&self, id: ModulusId, number: ModulusNumber) -> Self::Sums;
    /// A constant number, a column a digit.
    fn number_sums(&self, number: NumberConst) -> Self::Sums;
    /// Linear sum, column by column. The sums have to stay below 65,536.
    fn join(&self, a: &Self::Sums, b: &Self::Sums) -> Self::Sums;
    /// Wiring: `count` columns from column `from` on; those that are not there are 0.
    fn part(&self, sums: &Self::Sums, from: usize, count: usize) -> Self::Sums;
    /// Staircases and linear sums: each column is settled to four digits, and those are added up at their
    /// places. The same number in columns of at most 60, `count` of them; what would lie above has to
    /// be 0.
    fn spread(&self, sums: &Self::Sums, count: usize) -> Self::Sums;
    /// Linear layer: the number that D + 1 columns, of at most 72, are when put on top of the D digits of
    /// the modulus's capacity, as columns of its residue modulo the modulus.
    fn fold(&self, id: ModulusId, sums: &Self::Sums) -> Self::Sums;
    /// Linear layer over one-hot digits: each of the four lowest digits of `top`, the first being the
    /// highest digit below the capacity, gives the digits of its residue modulo the modulus.
    fn residue(&self, id: ModulusId, top: &Word<Self>) -> Self::Sums;
    /// Staircase: the sixteen columns of word `word`, below 128, as digits and what is left over in units
    /// of 16; columns that are not there are 0.
    fn settle_sums(&self, sums: &Self::Sums, word: usize) -> [Word<Self>; 2];

    /// a + b + carry modulo 2^64, and the carry that leaves.
    fn add_words(
        &self,
        a: &Word<Self>,
        b: &Word<Self>,
        carry: &Self::Digit<Bit>,
    ) -> (Word<Self>, Self::Digit<Bit>) {
        shallow::add_words(self, a, b, carry)
    }
    /// a - b - borrow modulo 2^64, and the borrow that leaves.
    fn sub_words(
        &self,
        a: &Word<Self>,
        b: &Word<Self>,
        borrow: &Self::Digit<Bit>,
    ) -> (Word<Self>, Self::Digit<Bit>) {
        shallow::sub_words(self, a, b, borrow)
    }
    /// How a compares with b, both unsigned.
    fn compare(&self, a: &Word<Self>, b: &Word<Self>) -> Self::Digit<Carry> {
        shallow::compare(self, a, b)
    }
    /// Whether every digit is 0.
    fn is_zero(&self, a: &Word<Self>) -> Self::Digit<Bit> {
        shallow::is_zero(self, a)
    }
    /// a + 1 modulo 2^64.
    fn increment(&self, a: &Word<Self>) -> Word<Self> {
        shallow::increment(self, a)
    }
    /// a - 1 modulo 2^64, and whether a was 0.
    fn decrement(&self, a: &Word<Self>) -> (Word<Self>, Self::Digit<Bit>) {
        shallow::decrement(self, a)
    }
    /// a * 2^(4 digits + bits) modulo 2^64.
    fn shift_left(
        &self,
        a: &Word<Self>,
        digits: &Self::Digit<Nibble>,
        bits: &Self::Digit<Quarter>,
    ) -> Word<Self> {
        shallow::shift_left(self, a, digits, bits)
    }
    /// a / 2^(4 digits + bits), `fill` (0 or 15) coming in at the high end.
    fn shift_right(
        &self,
        a: &Word<Self>,
        digits: &Self::Digit<Nibble>,
        bits: &Self::Digit<Quarter>,
        fill: &Self::Digit<Nibble>,
    ) -> Word<Self> {
        shallow::shift_right(self, a, digits, bits, fill)
    }
    /// The word as it is, or its low 32 bits extended by zeros or by copies of bit 31.
    fn extend(&self, how: &Self::Digit<Extend>, a: &Word<Self>) -> Word<Self> {
        shallow::extend(self, how, a)
    }
    /// a * b modulo 2^64.
    fn multiply(&self, a: &Word<Self>, b: &Word<Self>) -> Word<Self> {
        shallow::multiply(self, a, b)
    }
    /// The sum of the words modulo 2^64; N is at most [`ADDENDS`].
    fn sum_words<const N: usize>(&self, words: [&Word<Self>; N]) -> Word<Self> {
        shallow::sum_words(self, words)
    }
    /// The sums of the low and of the high halves, each modulo 2^32; N is at most [`ADDENDS`].
    fn sum_halves<const N: usize>(&self, words: [&Word<Self>; N]) -> Word<Self> {
        shallow::sum_halves(self, words)
    }
    /// The 64 bits moved down by `N`, around the end; N is below 64.
    fn roll<const N: usize>(&self, a: &Word<Self>) -> Word<Self> {
        shallow::roll::<_, N>(self, a)
    }
    /// The low half rotated right by `LOW` and the high half by `HIGH`; both are below 32.
    fn roll_halves<const LOW: usize, const HIGH: usize>(&self, a: &Word<Self>) -> Word<Self> {
        shallow::roll_halves::<_, LOW, HIGH>(self, a)
    }
    /// Each half shifted right by `N`, zeros coming in; N is below 32.
    fn shift_halves<const N: usize>(&self, a: &Word<Self>) -> Word<Self> {
        shallow::shift_halves::<_, N>(self, a)
    }
}

/// An evaluator that lets a driver read single bits and named branches, to decide which pass is next.
pub trait Sequencer: Evaluator {
    /// Why an observation failed; [`std::convert::Infallible`] where digits cannot be anything but
    /// one-hot.
    type Error: std::error::Error + 'static;

    /// Reads a bit.
    ///
    /// # Errors
    /// The activation is not exactly one-hot.
    fn observe(&self, bit: &Self::Digit<Bit>, site: Site) -> Result<bool, Self::Error>;
    /// Reads which branch is on.
    ///
    /// # Errors
    /// The activation is not exactly one-hot.
    fn observe_gate<A: Gate>(&self, gates: &Self::Digit<A>, site: Site) -> Result<A, Self::Error>;
}

/// The edge between bytes and digits, for host code only.
pub trait Boundary: Sequencer {
    /// A value as a word.
    fn embed(&self, value: u64) -> Word<Self>;
    /// A letter, given by its index, as a digit.
    ///
    /// # Panics
    /// `letter` is not below the radix.
    fn embed_digit<A: Alphabet>(&self, letter: usize) -> Self::Digit<A>;
    /// The value of a word.
    ///
    /// # Errors
    /// A lane is not exactly one-hot.
    fn read_out(&self, word: &Word<Self>) -> Result<u64, Self::Error>;
    /// The letter a digit shows.
    ///
    /// # Errors
    /// The digit is not exactly one-hot.
    fn read_digit<A: Alphabet>(&self, digit: &Self::Digit<A>) -> Result<usize, Self::Error>;
}
