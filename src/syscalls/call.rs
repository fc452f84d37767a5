//! A syscall on its way: what the families share.

use super::{
    context::Context,
    memory::{Place, Slice},
};
use crate::{
    alu,
    deltanet::Heads,
    machine::{Image, Lazy, State},
    tables::{
        Site, Word,
        alphabet::{Bit, Nibble},
        catalogue::{BIT_AND, BIT_NOT, EQUAL, LESS},
    },
};

/// Why a syscall ends its program. The words are what the reference's error carries.
pub enum Abort<S: Heads> {
    /// The meter cannot pay; it is empty now.
    Budget,
    /// An access outside what is mapped.
    Access {
        /// A write.
        store: bool,
        /// First byte.
        address: Word<S>,
        /// Number of bytes.
        length: Word<S>,
    },
    /// An address that is not a multiple of what its type asks for.
    Unaligned,
    /// More bytes than can be.
    InvalidLength,
    /// Text that is not UTF-8.
    InvalidString(Slice<S>),
    /// The program called `abort`.
    Abort,
    /// The program panicked.
    Panic {
        /// Name of the source file.
        file: Slice<S>,
        /// Line.
        line: Word<S>,
        /// Column.
        column: Word<S>,
    },
    /// Seeds that are too many or too long.
    BadSeeds,
    /// Ranges that must not share a byte do.
    CopyOverlapping,
    /// More return data than is kept: how much.
    ReturnDataTooLarge(Word<S>),
    /// More slices than are hashed at once.
    TooManySlices,
    /// An address the caller may not name.
    InvalidPointer,
    /// A selector that selects nothing.
    InvalidAttribute,
    /// A sum that leaves 64 bits.
    ArithmeticOverflow,
    /// A sysvar the runtime does not have.
    UnsupportedSysvar,
    /// A set of parameters Poseidon does not have.
    PoseidonParameters,
    /// An order of bytes Poseidon does not know.
    PoseidonOrder,
}

/// Why a micro-program stopped early.
pub enum Failure<S: Lazy> {
    /// The syscall ends its program.
    Abort(Abort<S>),
    /// An observed activation is not one-hot.
    Observation(S::Error),
}

/// What a micro-program gives back.
pub type Returns<T, S> = Result<T, Failure<S>>;

/// One call: the machine it comes from, and its arguments.
pub struct Call<'a, S: Lazy> {
    /// The evaluator.
    pub e: &'a S,
    /// The program that calls.
    pub image: &'a Image<S>,
    /// Its state.
    pub state: &'a mut State<S>,
    /// What syscalls see besides.
    pub context: &'a mut Context<S>,
    /// Registers 1 to 5.
    pub arguments: [Word<S>; 5],
}

impl<'a, S: Lazy> Call<'a, S> {
    /// Reads the arguments.
    pub fn new(e: &'a S, image: &'a Image<S>, state: &'a mut State<S>, context: &'a mut Context<S>) -> Self {
        let arguments = [
            state.register(e, &e.digit::<Nibble, 1>()),
            state.register(e, &e.digit::<Nibble, 2>()),
            state.register(e, &e.digit::<Nibble, 3>()),
            state.register(e, &e.digit::<Nibble, 4>()),
            state.register(e, &e.digit::<Nibble, 5>()),
        ];
        Self { e, image, state, context, arguments }
    }

    /// Reads a bit.
    pub fn observe(&self, bit: &S::Digit<Bit>, site: Site) -> Returns<bool, S> {
        self.e.observe(bit, site).map_err(Failure::Observation)
    }

    /// Reads whether every one of some bits is on.
    pub fn all<'b>(&self, bits: impl IntoIterator<Item = &'b S::Digit<Bit>>, site: Site) -> Returns<bool, S>
    where
        S: 'b,
    {
        let on = self.e.digit::<Bit, 1>();
        self.observe(&bits.into_iter().fold(on, |all, bit| self.e.apply2(BIT_AND, &all, bit)), site)
    }

    /// Whether a < b.
    pub fn less(&self, a: &Word<S>, b: &Word<S>) -> S::Digit<Bit> {
        self.e.apply1(LESS, &self.e.compare(a, b))
    }

    /// Whether a = b.
    pub fn equal(&self, a: &Word<S>, b: &Word<S>) -> S::Digit<Bit> {
        self.e.apply1(EQUAL, &self.e.compare(a, b))
    }

    /// The larger of two.
    pub fn larger(&self, a: &Word<S>, b: &Word<S>) -> Word<S> {
        self.e.attend(&self.less(a, b), [a, b])
    }

    /// a + b, or all ones if that leaves 64 bits.
    pub fn capped_sum(&self, a: &Word<S>, b: &Word<S>) -> Word<S> {
        let (sum, carry) = self.e.add_words(a, b, &self.e.digit::<Bit, 0>());
        self.e.attend(&carry, [&sum, &self.e.literal::<0xffff_ffff_ffff_ffff>()])
    }

    /// a * b, or all ones if that leaves 64 bits.
    pub fn capped_product(&self, a: &Word<S>, b: &Word<S>) -> Word<S> {
        let fits = self.e.is_zero(&alu::multiply_high(self.e, a, b));
        self.e.attend(&fits, [&self.e.literal::<0xffff_ffff_ffff_ffff>(), &alu::multiply(self.e, a, b)])
    }

    /// a - 1, or 0 for 0.
    pub fn less_one(&self, a: &Word<S>) -> Word<S> {
        let (less, none) = self.e.decrement(a);
        self.e.attend(&none, [&less, &self.e.literal::<0>()])
    }

    /// a / 250: bytes a compute unit pays for.
    pub fn per_250(&self, a: &Word<S>) -> Returns<Word<S>, S> {
        // Short lengths are common, and a division is long.
        if self.observe(&self.less(a, &self.e.literal::<250>()), Site::ShortLength)? {
            return Ok(self.e.literal::<0>());
        }
        Ok(alu::divide(self.e, a, &self.e.literal::<250>()).0)
    }

    /// Takes `cost` from the meter.
    pub fn charge(&mut self, cost: &Word<S>) -> Returns<(), S> {
        let (rest, short) = self.e.sub_words(&self.state.meter, cost, &self.e.digit::<Bit, 0>());
        if self.observe(&short, Site::UnitsShort)? {
            self.state.meter = self.e.literal::<0>();
            return Err(Failure::Abort(Abort::Budget));
        }
        self.state.meter = rest;
        Ok(())
    }

    /// The cost of an operation on `length` bytes of memory: a 250th, at least 10.
    pub fn memory_cost(&self, length: &Word<S>) -> Returns<Word<S>, S> {
        let bytes = self.per_250(length)?;
        Ok(self.larger(&self.e.literal::<10>(), &bytes))
    }

    /// The eight bytes at `at` bytes after a place.
    pub fn read(&self, place: &Place<S>, at: &Word<S>) -> Word<S> {
        let offset = alu::add(self.e, &place.offset, at);
        self.e.ram_read(&self.state.memory.rams[place.region], &offset)
    }

    /// The four words at a place: an address or a hash.
    pub fn read_32(&self, place: &Place<S>) -> [Word<S>; 4] {
        let e = self.e;
        [
            self.read(place, &e.literal::<0>()),
            self.read(place, &e.literal::<8>()),
            self.read(place, &e.literal::<16>()),
            self.read(place, &e.literal::<24>()),
        ]
    }

    /// Whether two addresses are the same.
    pub fn same_32(&self, a: &[Word<S>; 4], b: &[Word<S>; 4]) -> S::Digit<Bit> {
        let [w, x, y, z] = std::array::from_fn(|i| self.equal(&a[i], &b[i]));
        self.e.apply2(BIT_AND, &self.e.apply2(BIT_AND, &w, &x), &self.e.apply2(BIT_AND, &y, &z))
    }

    /// The bit as a number.
    pub fn number(&self, bit: &S::Digit<Bit>) -> Word<S> {
        self.e.attend(bit, [&self.e.literal::<0>(), &self.e.literal::<1>()])
    }

    /// The other bit.
    pub fn not(&self, bit: &S::Digit<Bit>) -> S::Digit<Bit> {
        self.e.apply1(BIT_NOT, bit)
    }
}
