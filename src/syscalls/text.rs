//! Text: an opaque sink, and numbers and bytes as characters.

use super::{
    call::{Call, Returns},
    memory::{Slice, keep_rows},
};
use crate::{
    alu,
    deltanet::Heads,
    machine::Lazy,
    tables::{
        Site, Word,
        alphabet::{Base58, Bit, Decimal, Nibble, Sextet, Utf8},
        catalogue::{
            BASE58_HIGH, BASE58_LOW, BASE58_QUOTIENT, BASE58_REMAINDER, BASE58_ZERO, BASE64_HIGH, BASE64_LOW,
            BIT_AND, BIT_NOT, DECIMAL_DIGIT, DECIMAL_QUOTIENT, DECIMAL_REMAINDER, EQUAL, HEX_HIGH, HEX_LOW,
            NON_ZERO, SEXTET_HIGH, SEXTET_LOW, UTF8_CLASS, UTF8_ENDS, UTF8_NEXT,
        },
    },
};

/// A part of a line.
pub enum Piece<S: Heads> {
    /// The same in every run.
    Fixed(&'static str),
    /// The first bytes of a word, as many as the digit says, at most eight.
    Bytes(Word<S>, S::Digit<Nibble>),
    /// One character by the digits of its code, if the bit is 1.
    Character {
        /// Low digit.
        low: S::Digit<Nibble>,
        /// High digit.
        high: S::Digit<Nibble>,
        /// Whether it is there.
        shown: S::Digit<Bit>,
    },
}

/// A line of text.
pub struct Line<S: Heads>(pub Vec<Piece<S>>);

impl<S: Heads> Line<S> {
    /// A line that begins with `text`.
    pub fn new(text: &'static str) -> Self {
        Self(vec![Piece::Fixed(text)])
    }

    /// Adds fixed text.
    pub fn fixed(&mut self, text: &'static str) {
        self.0.push(Piece::Fixed(text));
    }

    fn character(&mut self, low: S::Digit<Nibble>, high: S::Digit<Nibble>, shown: S::Digit<Bit>) {
        self.0.push(Piece::Character { low, high, shown });
    }

    /// Adds a number in base 16 without leading zeros.
    pub fn hexadecimal(&mut self, e: &S, number: &Word<S>) {
        let mut hidden = e.digit::<Bit, 1>();
        for lane in (0..16).rev() {
            let digit = e.lane(number, lane);
            hidden = still_zero(e, &hidden, &digit);
            let shown = if lane == 0 { e.digit::<Bit, 1>() } else { e.apply1(BIT_NOT, &hidden) };
            self.character(e.apply1(HEX_LOW, &digit), e.apply1(HEX_HIGH, &digit), shown);
        }
    }

    /// Adds a number in base 10.
    pub fn decimal(&mut self, e: &S, number: &Word<S>) {
        // 2^64 has twenty digits; they come lowest first.
        let mut number = number.clone();
        let digits: [S::Digit<Nibble>; 20] = std::array::from_fn(|_| {
            let mut quotient = e.literal::<0>();
            let mut remainder = e.digit::<Decimal, 0>();
            for lane in (0..16).rev() {
                let digit = e.lane(&number, lane);
                quotient = e.shift_up(&quotient, 1, &e.apply2(DECIMAL_QUOTIENT, &remainder, &digit));
                remainder = e.apply2(DECIMAL_REMAINDER, &remainder, &digit);
            }
            number = quotient;
            e.apply1(DECIMAL_DIGIT, &remainder)
        });
        let mut hidden = e.digit::<Bit, 1>();
        for (place, digit) in digits.iter().enumerate().rev() {
            hidden = still_zero(e, &hidden, digit);
            let shown = if place == 0 { e.digit::<Bit, 1>() } else { e.apply1(BIT_NOT, &hidden) };
            self.character(digit.clone(), e.digit::<Nibble, 3>(), shown);
        }
    }

    /// Adds 32 bytes in base 58: a `1` for each zero byte at the front, then the number.
    pub fn base58(&mut self, e: &S, bytes: &[Word<S>; 4]) {
        // The number's digits in base 16, highest first.
        let mut number: Vec<S::Digit<Nibble>> = bytes
            .iter()
            .flat_map(|word| {
                (0..8).flat_map(move |byte| [e.lane(word, 2 * byte + 1), e.lane(word, 2 * byte)])
            })
            .collect();
        let mut leading = e.digit::<Bit, 1>();
        for byte in number.chunks(2) {
            leading = still_zero(e, &still_zero(e, &leading, &byte[0]), &byte[1]);
            self.character(e.digit::<Nibble, 1>(), e.digit::<Nibble, 3>(), leading.clone());
        }
        // 58^44 is more than 2^256.
        let digits: [S::Digit<Base58>; 44] = std::array::from_fn(|_| {
            let mut remainder = e.digit::<Base58, 0>();
            for digit in &mut number {
                let quotient = e.apply2(BASE58_QUOTIENT, &remainder, digit);
                remainder = e.apply2(BASE58_REMAINDER, &remainder, digit);
                *digit = quotient;
            }
            remainder
        });
        let mut hidden = e.digit::<Bit, 1>();
        for digit in digits.iter().rev() {
            hidden = e.apply2(BIT_AND, &hidden, &e.apply1(BASE58_ZERO, digit));
            let (low, high) = (e.apply1(BASE58_LOW, digit), e.apply1(BASE58_HIGH, digit));
            let shown = e.apply1(BIT_NOT, &hidden);
            self.character(low, high, shown);
        }
    }

    /// Adds the first `count` (1 to 3) of three bytes in base 64, padded to four characters.
    fn base64_group(&mut self, e: &S, word: &Word<S>, count: usize) {
        let lane = |lane: usize| e.lane(word, lane);
        let (h0, l0, h1, l1, h2, l2) = (lane(1), lane(0), lane(3), lane(2), lane(5), lane(4));
        let sextets: [S::Digit<Sextet>; 4] = [
            e.apply2(SEXTET_HIGH, &h0, &l0),
            e.apply2(SEXTET_LOW, &l0, &h1),
            e.apply2(SEXTET_HIGH, &l1, &h2),
            e.apply2(SEXTET_LOW, &h2, &l2),
        ];
        for sextet in &sextets[..=count] {
            self.character(e.apply1(BASE64_LOW, sextet), e.apply1(BASE64_HIGH, sextet), e.digit::<Bit, 1>());
        }
        self.fixed(["==", "=", ""][count - 1]);
    }
}

/// Whether everything so far and this digit are 0.
fn still_zero<E: Heads>(e: &E, so_far: &E::Digit<Bit>, digit: &E::Digit<Nibble>) -> E::Digit<Bit> {
    e.apply2(BIT_AND, so_far, &e.apply1(EQUAL, &e.apply1(NON_ZERO, digit)))
}

impl<S: Lazy> Call<'_, S> {
    /// Adds bytes of memory to a line if they are UTF-8; says whether they are.
    pub fn utf8(&mut self, line: &mut Line<S>, text: &Slice<S>) -> Returns<bool, S> {
        let mut state = self.e.digit::<Utf8, { Utf8::Start as usize }>();
        self.forward(&text.length, |call, start, count| {
            let e = call.e;
            // Bytes past the end are zero, which is a character of its own.
            let word = keep_rows(e, count, &call.read(&text.place, start));
            for byte in 0..8 {
                let class = e.apply2(UTF8_CLASS, &e.lane(&word, 2 * byte), &e.lane(&word, 2 * byte + 1));
                state = e.apply2(UTF8_NEXT, &state, &class);
            }
            line.0.push(Piece::Bytes(word, count.clone()));
            Ok(())
        })?;
        self.observe(&self.e.apply1(UTF8_ENDS, &state), Site::Utf8)
    }

    /// Adds bytes of memory in base 64.
    pub fn base64(&mut self, line: &mut Line<S>, bytes: &Slice<S>) -> Returns<(), S> {
        let e = self.e;
        let (mut start, mut left) = (e.literal::<0>(), bytes.length.clone());
        loop {
            let (rest, short) = e.sub_words(&left, &e.literal::<3>(), &e.digit::<Bit, 0>());
            if self.observe(&short, Site::LastChunk)? {
                break;
            }
            line.base64_group(e, &self.read(&bytes.place, &start), 3);
            left = rest;
            start = alu::add(e, &start, &e.literal::<3>());
        }
        if self.observe(&e.is_zero(&left), Site::NothingLeft)? {
            return Ok(());
        }
        let count = if self.observe(&self.equal(&left, &e.literal::<1>()), Site::OneLeft)? { 1 } else { 2 };
        line.base64_group(e, &keep_rows(e, &e.lane(&left, 0), &self.read(&bytes.place, &start)), count);
        Ok(())
    }
}
