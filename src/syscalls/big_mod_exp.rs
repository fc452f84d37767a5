//! Powers of big numbers modulo others.
//!
//! The rules are those of Agave 4.3.2, `SyscallBigModExp` in `solana-syscalls` and the crate
//! `solana-big-mod-exp` 4.0.0: up to 4.2 the feature's syscall does nothing.

use super::{
    call::{Abort, Call, Failure, Returns},
    encoded::numbers,
    memory::{Align, Output, Place},
};
use crate::{
    alu::{
        self,
        wide::modular::{Modulus, is_modulus, limbs},
    },
    machine::Lazy,
    tables::{
        Evaluator, Site, Word,
        alphabet::{Bit, Nibble, Quarter},
        catalogue::{BIT_AND, EQUAL, NON_ZERO, NOT_GREATER},
    },
};

/// Words of the part of an exponent that decides its cost.
const HIGHEST: usize = 4;

impl<S: Lazy> Call<'_, S> {
    /// `sol_big_mod_exp(parameters, result)`: the parameters are an address and a length each of the base,
    /// the exponent and the modulus, numbers of at most 512 bytes of the little order. The modulus has to be
    /// odd and above 1; the result is as long as it.
    pub fn big_mod_exp(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        let [parameters, to, ..] = self.arguments.clone();
        self.charge(&e.literal::<422>())?;
        let place = self.value(false, &parameters, &e.literal::<48>(), Align::Eight)?;
        let [[base], [base_length], [exponent], [exponent_length], [modulus], [modulus_length]] =
            numbers(&self.read_words(&place, 6));
        let most = e.literal::<512>();
        let fit = [&base_length, &exponent_length, &modulus_length]
            .map(|length| e.apply1(NOT_GREATER, &e.compare(length, &most)));
        if !self.all(&fit, Site::InputLength)? {
            return Err(Failure::Abort(Abort::InvalidLength));
        }
        let exponent = self.bytes(&exponent, &exponent_length)?;
        let digits = self.all_words(&exponent)?;
        let bits = self.exponent_length(&exponent.place, &exponent_length, &digits);
        let longest = self.larger(&base_length, &modulus_length);
        self.charge(&self.power_cost(&longest, &bits, &is_one(e, &digits)))?;
        let base = self.bytes(&base, &base_length)?;
        let modulus = self.bytes(&modulus, &modulus_length)?;
        let (base, modulus) = (self.all_words(&base)?, self.all_words(&modulus)?);
        let (base, modulus) = (limbs(e, &base), limbs(e, &modulus));
        if !self.observe(&is_modulus(e, &modulus), Site::ModulusOdd)? {
            return Err(Failure::Abort(Abort::InvalidAttribute));
        }
        // The reference computes before it translates the result, which shows in nothing but the time.
        let [to] = self.outputs([Output { address: &to, length: &modulus_length, align: Align::One }])?;
        let power = Modulus::new(e, modulus).power(e, &base, &digits);
        let mut words = power.iter().flatten();
        self.forward(&modulus_length, |call, start, count| {
            if let Some(word) = words.next() {
                call.write(&to.place, start, count, word);
            }
            Ok(())
        })?;
        Ok(e.literal::<0>())
    }

    /// The length of an exponent that its cost depends on: the place of the highest bit that is on among
    /// its highest 32 bytes (0 if none is), and eight for each byte below them.
    fn exponent_length(&self, place: &Place<S>, length: &Word<S>, words: &[Word<S>]) -> Word<S> {
        let e = self.e;
        if words.len() <= HIGHEST {
            return highest_bit(e, words);
        }
        let below = alu::subtract(e, length, &e.literal::<32>());
        let place = Place { region: place.region, offset: alu::add(e, &place.offset, &below) };
        let highest = highest_bit(e, &self.read_words(&place, HIGHEST));
        alu::add(e, &alu::multiply(e, &below, &e.literal::<8>()), &highest)
    }

    /// How hard a product of numbers of so many bytes is, times how many there are, a 189th of it rounded
    /// up. An exponent of 1 counts as 15 bits, any other as at least 75.
    fn power_cost(&self, bytes: &Word<S>, bits: &Word<S>, by_one: &S::Digit<Bit>) -> Word<S> {
        let e = self.e;
        let square = alu::multiply(e, bytes, bytes);
        let (none, quarter) = (e.digit::<Nibble, 0>(), e.digit::<Quarter, 2>());
        let long = alu::add(
            e,
            &e.shift_right(&square, &none, &quarter, &none),
            &alu::multiply(e, bytes, &e.literal::<96>()),
        );
        let long = alu::subtract(e, &long, &e.literal::<3072>());
        let short = e.apply1(NOT_GREATER, &e.compare(bytes, &e.literal::<64>()));
        let product = e.attend(&short, [&long, &square]);
        let bits = self.larger(bits, &e.literal::<75>());
        let count = e.attend(by_one, [&bits, &e.literal::<15>()]);
        let all = alu::multiply(e, &product, &count);
        alu::divide(e, &alu::add(e, &all, &e.literal::<188>()), &e.literal::<189>()).0
    }
}

/// Whether a number is 1.
fn is_one<E: Evaluator>(e: &E, words: &[Word<E>]) -> E::Digit<Bit> {
    let Some((lowest, others)) = words.split_first() else {
        return e.digit::<Bit, 0>();
    };
    let one = e.apply1(EQUAL, &e.compare(lowest, &e.literal::<1>()));
    others.iter().fold(one, |one, word| e.apply2(BIT_AND, &one, &e.is_zero(word)))
}

/// The place of the highest bit that is on; 0 if none is.
fn highest_bit<E: Evaluator>(e: &E, words: &[Word<E>]) -> Word<E> {
    let [zero, one, two, three] = [e.literal::<0>(), e.literal::<1>(), e.literal::<2>(), e.literal::<3>()];
    // Of a digit, by attention over what each may be.
    let in_digit: [&Word<E>; 16] = std::array::from_fn(|digit| match digit {
        0 | 1 => &zero,
        2 | 3 => &one,
        4..8 => &two,
        _ => &three,
    });
    let (mut highest, mut start) = (zero.clone(), zero.clone());
    for (word, lane) in words.iter().flat_map(|word| (0..16).map(move |lane| (word, lane))) {
        let digit = e.lane(word, lane);
        let here = alu::add(e, &start, &e.attend(&digit, in_digit));
        let nothing = e.apply1(EQUAL, &e.apply1(NON_ZERO, &digit));
        highest = e.attend(&nothing, [&here, &highest]);
        start = alu::add(e, &start, &e.literal::<4>());
    }
    highest
}
