//! Copying, filling and comparing memory.

use super::{
    call::{Abort, Call, Failure, Returns},
    memory::{Align, Output, Place, Slice, keep_rows},
};
use crate::{
    alu,
    machine::Lazy,
    tables::{
        Evaluator, Site, Word,
        alphabet::{Bit, Nibble},
        catalogue::{BIT_NOT, EQUAL},
    },
};

impl<S: Lazy> Call<'_, S> {
    /// `sol_memcpy_(to, from, length)`.
    pub fn memcpy(&mut self) -> Returns<Word<S>, S> {
        let [to, from, length, ..] = self.arguments.clone();
        self.charge(&self.memory_cost(&length)?)?;
        let meets = self.meets(&from, &length, &to, &length);
        if self.observe(&meets, Site::Overlap)? {
            return Err(Failure::Abort(Abort::CopyOverlapping));
        }
        self.move_bytes(&to, &from, &length)
    }

    /// `sol_memmove_(to, from, length)`.
    pub fn memmove(&mut self) -> Returns<Word<S>, S> {
        let [to, from, length, ..] = self.arguments.clone();
        self.charge(&self.memory_cost(&length)?)?;
        self.move_bytes(&to, &from, &length)
    }

    fn move_bytes(&mut self, to: &Word<S>, from: &Word<S>, length: &Word<S>) -> Returns<Word<S>, S> {
        let [to] = self.outputs([Output { address: to, length, align: Align::One }])?;
        let from = self.bytes(from, length)?;
        self.copy(&from.place, &to.place, length)?;
        Ok(self.e.literal::<0>())
    }

    /// `sol_memset_(to, byte, length)`.
    pub fn memset(&mut self) -> Returns<Word<S>, S> {
        let [to, byte, length, ..] = self.arguments.clone();
        self.charge(&self.memory_cost(&length)?)?;
        let [to] = self.outputs([Output { address: &to, length: &length, align: Align::One }])?;
        let eight = repeat_byte(self.e, &byte);
        self.forward(&length, |call, start, count| {
            call.write(&to.place, start, count, &eight);
            Ok(())
        })?;
        Ok(self.e.literal::<0>())
    }

    /// `sol_memcmp_(a, b, length, result)`.
    pub fn memcmp(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        let [a, b, length, result, _] = self.arguments.clone();
        self.charge(&self.memory_cost(&length)?)?;
        let (a, b) = (self.bytes(&a, &length)?, self.bytes(&b, &length)?);
        let difference = self.difference(&a, &b)?;
        let four = e.literal::<4>();
        let [result] = self.outputs([Output { address: &result, length: &four, align: Align::Four }])?;
        self.write(&result.place, &e.literal::<0>(), &e.digit::<Nibble, 4>(), &difference);
        Ok(e.literal::<0>())
    }

    /// The difference of the first two bytes that differ, or 0.
    fn difference(&mut self, a: &Slice<S>, b: &Slice<S>) -> Returns<Word<S>, S> {
        let e = self.e;
        let (eight, whole) = (e.literal::<8>(), e.digit::<Nibble, 8>());
        let (mut start, mut left) = (e.literal::<0>(), a.length.clone());
        loop {
            let (rest, short) = e.sub_words(&left, &eight, &e.digit::<Bit, 0>());
            let last = self.observe(&short, Site::LastChunk)?;
            let count = if last { e.lane(&left, 0) } else { whole.clone() };
            let (x, y) = (self.kept(&a.place, &start, &count), self.kept(&b.place, &start, &count));
            if last || self.observe(&e.apply1(BIT_NOT, &self.equal(&x, &y)), Site::BytesDiffer)? {
                return Ok(first_difference(e, &x, &y));
            }
            left = rest;
            start = alu::add(e, &start, &eight);
        }
    }

    fn kept(&self, place: &Place<S>, at: &Word<S>, count: &S::Digit<Nibble>) -> Word<S> {
        keep_rows(self.e, count, &self.read(place, at))
    }
}

/// Eight copies of the lowest byte.
fn repeat_byte<E: Evaluator>(e: &E, byte: &Word<E>) -> Word<E> {
    [2, 4, 8].into_iter().fold(byte.clone(), |word, lanes| {
        e.merge(&word, &e.shift_up(&word, lanes, &e.digit::<Nibble, 0>()), lanes)
    })
}

/// The lowest byte of `a` that differs from its partner, less that partner; 0 if all are equal.
fn first_difference<E: Evaluator>(e: &E, a: &Word<E>, b: &Word<E>) -> Word<E> {
    let zero = e.literal::<0>();
    let (mut x, mut y) = (zero.clone(), zero.clone());
    for byte in (0..8).rev() {
        let at = |word: &Word<E>| e.merge(&e.shift_down(word, 2 * byte, &e.digit::<Nibble, 0>()), &zero, 2);
        let (p, q) = (at(a), at(b));
        let same = e.apply1(EQUAL, &e.compare(&p, &q));
        x = e.attend(&same, [&p, &x]);
        y = e.attend(&same, [&q, &y]);
    }
    alu::subtract(e, &x, &y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{
        Boundary,
        testing::{Effort, on_every_evaluator, word},
    };

    on_every_evaluator!(repeats, subtracts_the_first_difference);

    fn repeats<E: Boundary>(e: &E, effort: Effort) {
        effort.check(word(), |a| {
            let expected = u64::from(a as u8) * 0x0101_0101_0101_0101;
            assert_eq!(e.read_out(&repeat_byte(e, &e.embed(a))).unwrap(), expected, "{a:#x}");
        });
    }

    fn subtracts_the_first_difference<E: Boundary>(e: &E, effort: Effort) {
        effort.check((word(), word(), 0u32..=8), |(a, b, equal)| {
            let mask = u64::MAX.checked_shl(8 * equal).unwrap_or(0);
            let b = b & mask | a & !mask;
            let bytes = a.to_le_bytes().into_iter().zip(b.to_le_bytes()).find(|(x, y)| x != y);
            let expected = bytes.map_or(0, |(x, y)| i64::from(x) - i64::from(y));
            let result = e.read_out(&first_difference(e, &e.embed(a), &e.embed(b))).unwrap();
            assert_eq!(result as i64, expected, "{a:#x}, {b:#x}");
        });
    }
}
