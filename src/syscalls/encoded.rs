//! Encoded numbers in memory.

use super::{
    call::{Call, Returns},
    memory::{Place, Slice, keep_rows},
};
use crate::{
    alu,
    machine::Lazy,
    tables::{
        Evaluator, Site, Word,
        catalogue::{EQUAL, NOT_GREATER},
    },
};

/// In which order the bytes of a number are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The least significant first.
    Little,
    /// The most significant first.
    Big,
}

impl Order {
    /// From this order to the little one, or back: in the big one the bytes of every `width` words come the
    /// other way round.
    pub fn arrange<E: Evaluator>(self, e: &E, words: &[Word<E>], width: usize) -> Vec<Word<E>> {
        match self {
            Self::Little => words.to_vec(),
            Self::Big => words
                .chunks(width)
                .flat_map(|number| number.iter().rev().map(|word| e.reverse_bytes(word)))
                .collect(),
        }
    }
}

/// Words as K numbers.
pub fn numbers<T: Clone, const K: usize, const N: usize>(words: &[T]) -> [[T; N]; K] {
    std::array::from_fn(|k| std::array::from_fn(|i| words[N * k + i].clone()))
}

impl<S: Lazy> Call<'_, S> {
    /// Whether a selector has a value.
    pub fn selects(&self, selector: &Word<S>, value: &Word<S>) -> Returns<bool, S> {
        self.observe(&self.equal(selector, value), Site::Selector)
    }

    /// Which of some choices a selector makes, and in which order its numbers are; each choice has a value
    /// for the little order and one for the big one.
    pub fn choice<T: Copy>(
        &self,
        selector: &Word<S>,
        choices: &[(Word<S>, Word<S>, T)],
    ) -> Returns<Option<(T, Order)>, S> {
        for (little, big, choice) in choices {
            for (value, order) in [(little, Order::Little), (big, Order::Big)] {
                if self.selects(selector, value)? {
                    return Ok(Some((*choice, order)));
                }
            }
        }
        Ok(None)
    }

    /// The first `count` words at a place.
    pub fn read_words(&self, place: &Place<S>, count: usize) -> Vec<Word<S>> {
        let e = self.e;
        let mut at = e.literal::<0>();
        let mut words = Vec::with_capacity(count);
        for _ in 0..count {
            words.push(self.read(place, &at));
            at = alu::add(e, &at, &e.literal::<8>());
        }
        words
    }

    /// All bytes of a range, as words; the last is filled with zeros.
    pub fn all_words(&mut self, slice: &Slice<S>) -> Returns<Vec<Word<S>>, S> {
        let mut words = Vec::new();
        self.forward(&slice.length, |call, start, count| {
            words.push(keep_rows(call.e, count, &call.read(&slice.place, start)));
            Ok(())
        })?;
        Ok(words)
    }

    /// The `words` words, `size` bytes, that a range has to be; one that is shorter is filled with zeros
    /// if it may be.
    pub fn exactly(
        &mut self,
        slice: &Slice<S>,
        (words, size): (usize, &Word<S>),
        may_be_shorter: bool,
    ) -> Returns<Option<Vec<Word<S>>>, S> {
        let e = self.e;
        let table = if may_be_shorter { NOT_GREATER } else { EQUAL };
        let fits = e.apply1(table, &e.compare(&slice.length, size));
        if !self.observe(&fits, Site::InputLength)? {
            return Ok(None);
        }
        let mut read = self.all_words(slice)?;
        read.resize_with(words, || e.literal::<0>());
        Ok(Some(read))
    }
}
