//! The evaluator that counts: it runs another one and keeps book of what a circuit asks for.
//!
//! Whole-word operations are counted in their shallow form, which is the form a parallel machine would
//! run.

use super::{
    alphabet::*,
    catalogue::*,
    decode::Group,
    evaluator::{Boundary, Evaluator, Sequencer, Word},
    lists::WordList,
    moduli::ModulusId,
    numbers::NumberConst,
    site::Site,
    wide::ModulusNumber,
};
use std::cell::{Cell, RefCell};

/// What was asked for since the last [`Counted::restart`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Passes through a table, a staircase, a sum or an attention, whatever their width.
    pub layers: u64,
    /// Digits looked up in tables and staircases.
    pub lookups: u64,
    /// Reads by attention, heads included.
    pub reads: u64,
    /// Writes of heads.
    pub writes: u64,
    /// The longest chain of layers, reads included.
    pub depth: u32,
    /// Observations, in order of [`Site::ALL`].
    pub observations: [u64; Site::ALL.len()],
}

impl Default for Counts {
    fn default() -> Self {
        Self { layers: 0, lookups: 0, reads: 0, writes: 0, depth: 0, observations: [0; Site::ALL.len()] }
    }
}

impl Counts {
    /// Observations at a site.
    pub fn at(&self, site: Site) -> u64 {
        self.observations[site as usize]
    }

    /// Observations at all sites.
    pub fn observed(&self) -> u64 {
        self.observations.iter().sum()
    }
}

/// Runs circuits on `E` and counts.
pub struct Counted<E> {
    inner: E,
    counts: RefCell<Counts>,
    round: Cell<u32>,
}

/// A value together with the number of layers above it since the last restart.
#[derive(Clone, Debug)]
pub struct Deep<T> {
    pub(crate) value: T,
    depth: u32,
    round: u32,
}

impl<T> Deep<T> {
    /// Another value made by the same layer.
    pub(crate) fn with<U>(&self, value: U) -> Deep<U> {
        Deep { value, depth: self.depth, round: self.round }
    }
}

impl<E> Counted<E> {
    /// Counts what runs on `inner`.
    pub fn new(inner: E) -> Self {
        Self { inner, counts: RefCell::default(), round: Cell::new(0) }
    }

    /// The evaluator underneath.
    pub fn inner(&self) -> &E {
        &self.inner
    }

    /// The counts so far.
    pub fn counts(&self) -> Counts {
        self.counts.borrow().clone()
    }

    /// Forgets the counts; everything that exists now counts as given.
    pub fn restart(&self) {
        *self.counts.borrow_mut() = Counts::default();
        self.round.set(self.round.get() + 1);
    }

    /// A value as it comes from outside or from memory before a step.
    pub(crate) fn given<T>(&self, value: T) -> Deep<T> {
        Deep { value, depth: 0, round: self.round.get() }
    }

    /// Wiring: as deep as the deepest input.
    fn wired<T>(&self, inputs: &[u32], value: T) -> Deep<T> {
        Deep { value, depth: inputs.iter().copied().max().unwrap_or(0), round: self.round.get() }
    }

    /// One layer on top of the deepest input.
    fn layer<T>(&self, inputs: &[u32], value: T) -> Deep<T> {
        let deep = self.wired(inputs, value);
        let depth = deep.depth + 1;
        let mut counts = self.counts.borrow_mut();
        counts.layers += 1;
        counts.depth = counts.depth.max(depth);
        Deep { depth, ..deep }
    }

    fn looked_up<T>(&self, digits: u64, inputs: &[u32], value: T) -> Deep<T> {
        self.counts.borrow_mut().lookups += digits;
        self.layer(inputs, value)
    }

    /// A read by attention.
    pub(crate) fn read<T>(&self, inputs: &[u32], value: T) -> Deep<T> {
        self.counts.borrow_mut().reads += 1;
        self.layer(inputs, value)
    }

    /// A write of a head.
    pub(crate) fn written(&self) {
        self.counts.borrow_mut().writes += 1;
    }

    fn observed(&self, site: Site) {
        self.counts.borrow_mut().observations[site as usize] += 1;
    }

    /// Layers above a value.
    pub(crate) fn depth<T>(&self, deep: &Deep<T>) -> u32 {
        if deep.round == self.round.get() { deep.depth } else { 0 }
    }
}

/// The words of a wide number without their depths.
fn values<T: Clone, const N: usize>(words: &[Deep<T>; N]) -> [T; N] {
    words.each_ref().map(|word| word.value.clone())
}

impl<E: Evaluator> Evaluator for Counted<E> {
    type Digit<A: Alphabet> = Deep<E::Digit<A>>;
    type Lanes<A: Alphabet> = Deep<E::Lanes<A>>;
    type Columns = Deep<E::Columns>;
    type Sums = Deep<E::Sums>;
    type Control = Deep<E::Control>;

    fn digit<A: Alphabet, const V: usize>(&self) -> Self::Digit<A> {
        self.given(self.inner.digit::<A, V>())
    }

    fn word(&self, constant: WordConst) -> Word<Self> {
        self.given(self.inner.word(constant))
    }

    fn literal<const V: u64>(&self) -> Word<Self> {
        self.given(self.inner.literal::<V>())
    }

    fn listed(&self, list: WordList, index: usize) -> Word<Self> {
        self.given(self.inner.listed(list, index))
    }

    fn apply1<A: Alphabet, O: Alphabet>(&self, table: Table1<A, O>, a: &Self::Digit<A>) -> Self::Digit<O> {
        self.looked_up(1, &[self.depth(a)], self.inner.apply1(table, &a.value))
    }

    fn apply2<A: Alphabet, B: Alphabet, O: Alphabet>(
        &self,
        table: Table2<A, B, O>,
        a: &Self::Digit<A>,
        b: &Self::Digit<B>,
    ) -> Self::Digit<O> {
        let depths = [self.depth(a), self.depth(b)];
        self.looked_up(1, &depths, self.inner.apply2(table, &a.value, &b.value))
    }

    fn apply3<A: Alphabet, B: Alphabet, C: Alphabet, O: Alphabet>(
        &self,
        table: Table3<A, B, C, O>,
        a: &Self::Digit<A>,
        b: &Self::Digit<B>,
        c: &Self::Digit<C>,
    ) -> Self::Digit<O> {
        let depths = [self.depth(a), self.depth(b), self.depth(c)];
        self.looked_up(1, &depths, self.inner.apply3(table, &a.value, &b.value, &c.value))
    }

    fn apply4<A: Alphabet, B: Alphabet, C: Alphabet, D: Alphabet, O: Alphabet>(
        &self,
        table: Table4<A, B, C, D, O>,
        a: &Self::Digit<A>,
        b: &Self::Digit<B>,
        c: &Self::Digit<C>,
        d: &Self::Digit<D>,
    ) -> Self::Digit<O> {
        let depths = [self.depth(a), self.depth(b), self.depth(c), self.depth(d)];
        self.looked_up(1, &depths, self.inner.apply4(table, &a.value, &b.value, &c.value, &d.value))
    }

    fn map<A: Alphabet, O: Alphabet>(&self, table: Table1<A, O>, a: &Self::Lanes<A>) -> Self::Lanes<O> {
        self.looked_up(16, &[self.depth(a)], self.inner.map(table, &a.value))
    }

    fn zip2<A: Alphabet, B: Alphabet, O: Alphabet>(
        &self,
        table: Table2<A, B, O>,
        a: &Self::Lanes<A>,
        b: &Self::Lanes<B>,
    ) -> Self::Lanes<O> {
        let depths = [self.depth(a), self.depth(b)];
        self.looked_up(16, &depths, self.inner.zip2(table, &a.value, &b.value))
    }

    fn zip3<A: Alphabet, B: Alphabet, C: Alphabet, O: Alphabet>(
        &self,
        table: Table3<A, B, C, O>,
        a: &Self::Lanes<A>,
        b: &Self::Lanes<B>,
        c: &Self::Lanes<C>,
    ) -> Self::Lanes<O> {
        let depths = [self.depth(a), self.depth(b), self.depth(c)];
        self.looked_up(16, &depths, self.inner.zip3(table, &a.value, &b.value, &c.value))
    }

    fn zip4<A: Alphabet, B: Alphabet, C: Alphabet, D: Alphabet, O: Alphabet>(
        &self,
        table: Table4<A, B, C, D, O>,
        a: &Self::Lanes<A>,
        b: &Self::Lanes<B>,
        c: &Self::Lanes<C>,
        d: &Self::Lanes<D>,
    ) -> Self::Lanes<O> {
        let depths = [self.depth(a), self.depth(b), self.depth(c), self.depth(d)];
        self.looked_up(16, &depths, self.inner.zip4(table, &a.value, &b.value, &c.value, &d.value))
    }

    fn lane<A: Alphabet>(&self, a: &Self::Lanes<A>, lane: usize) -> Self::Digit<A> {
        self.wired(&[self.depth(a)], self.inner.lane(&a.value, lane))
    }

    fn splat<A: Alphabet>(&self, a: &Self::Digit<A>) -> Self::Lanes<A> {
        self.wired(&[self.depth(a)], self.inner.splat(&a.value))
    }

    fn merge<A: Alphabet>(
        &self,
        low: &Self::Lanes<A>,
        high: &Self::Lanes<A>,
        count: usize,
    ) -> Self::Lanes<A> {
        self.wired(&[self.depth(low), self.depth(high)], self.inner.merge(&low.value, &high.value, count))
    }

    fn shift_up<A: Alphabet>(
        &self,
        a: &Self::Lanes<A>,
        count: usize,
        fill: &Self::Digit<A>,
    ) -> Self::Lanes<A> {
        self.wired(&[self.depth(a), self.depth(fill)], self.inner.shift_up(&a.value, count, &fill.value))
    }

    fn shift_down<A: Alphabet>(
        &self,
        a: &Self::Lanes<A>,
        count: usize,
        fill: &Self::Digit<A>,
    ) -> Self::Lanes<A> {
        self.wired(&[self.depth(a), self.depth(fill)], self.inner.shift_down(&a.value, count, &fill.value))
    }

    fn roll_lanes<A: Alphabet>(&self, a: &Self::Lanes<A>, count: usize) -> Self::Lanes<A> {
        self.wired(&[self.depth(a)], self.inner.roll_lanes(&a.value, count))
    }

    fn roll_half_lanes<A: Alphabet>(&self, a: &Self::Lanes<A>, count: usize) -> Self::Lanes<A> {
        self.wired(&[self.depth(a)], self.inner.roll_half_lanes(&a.value, count))
    }

    fn reverse<A: Alphabet>(&self, a: &Self::Lanes<A>) -> Self::Lanes<A> {
        self.wired(&[self.depth(a)], self.inner.reverse(&a.value))
    }

    fn reverse_bytes(&self, a: &Word<Self>) -> Word<Self> {
        self.wired(&[self.depth(a)], self.inner.reverse_bytes(&a.value))
    }

    fn attend<A: Alphabet, B: Alphabet, const N: usize>(
        &self,
        key: &Self::Digit<A>,
        values: [&Self::Lanes<B>; N],
    ) -> Self::Lanes<B> {
        let depth = values.iter().map(|v| self.depth(v)).max().unwrap_or(0);
        let value = self.inner.attend(&key.value, values.map(|v| &v.value));
        self.read(&[self.depth(key), depth], value)
    }

    fn attend_digit<A: Alphabet, B: Alphabet, const N: usize>(
        &self,
        key: &Self::Digit<A>,
        values: [&Self::Digit<B>; N],
    ) -> Self::Digit<B> {
        let depth = values.iter().map(|v| self.depth(v)).max().unwrap_or(0);
        let value = self.inner.attend_digit(&key.value, values.map(|v| &v.value));
        self.read(&[self.depth(key), depth], value)
    }

    fn attend_up(&self, by: &Self::Digit<Nibble>, a: &Word<Self>, fill: &Self::Digit<Nibble>) -> Word<Self> {
        let depths = [self.depth(by), self.depth(a), self.depth(fill)];
        self.read(&depths, self.inner.attend_up(&by.value, &a.value, &fill.value))
    }

    fn attend_down(
        &self,
        by: &Self::Digit<Nibble>,
        a: &Word<Self>,
        fill: &Self::Digit<Nibble>,
    ) -> Word<Self> {
        let depths = [self.depth(by), self.depth(a), self.depth(fill)];
        self.read(&depths, self.inner.attend_down(&by.value, &a.value, &fill.value))
    }

    fn decode(
        &self,
        phase: &Self::Digit<Phase>,
        low: &Self::Digit<Nibble>,
        high: &Self::Digit<Nibble>,
    ) -> Self::Control {
        let depths = [self.depth(phase), self.depth(low), self.depth(high)];
        self.looked_up(1, &depths, self.inner.decode(&phase.value, &low.value, &high.value))
    }

    fn gates<A: Alphabet>(&self, control: &Self::Control, group: Group<A>) -> Self::Digit<A> {
        self.wired(&[self.depth(control)], self.inner.gates(&control.value, group))
    }

    fn product_columns(&self, a: &Word<Self>, b: &Word<Self>) -> Self::Columns {
        let depths = [self.depth(a), self.depth(b)];
        let terms = self.looked_up(136, &depths, self.inner.product_columns(&a.value, &b.value));
        self.layer(&[terms.depth], terms.value)
    }

    fn settle(&self, columns: &Self::Columns) -> [Word<Self>; 3] {
        let [low, middle, high] = self.inner.settle(&columns.value);
        let high = self.looked_up(16, &[self.depth(columns)], high);
        let low = self.looked_up(16, &[high.depth], low);
        [low.clone(), low.with(middle), high]
    }

    fn digit_columns(&self, a: &Word<Self>, b: &Word<Self>, c: &Word<Self>) -> Self::Columns {
        let depths = [self.depth(a), self.depth(b), self.depth(c)];
        self.layer(&depths, self.inner.digit_columns(&a.value, &b.value, &c.value))
    }

    fn settle_small(&self, columns: &Self::Columns) -> [Word<Self>; 2] {
        let [low, high] = self.inner.settle_small(&columns.value);
        let low = self.looked_up(16, &[self.depth(columns)], low);
        [low.clone(), low.with(high)]
    }

    fn sum_columns<const N: usize>(&self, words: [&Word<Self>; N]) -> Self::Columns {
        let depths = words.map(|word| self.depth(word));
        self.layer(&depths, self.inner.sum_columns(words.map(|word| &word.value)))
    }

    fn product_sums<const N: usize>(&self, a: &[Word<Self>; N], b: &[Word<Self>; N]) -> Self::Sums {
        let depths = a.iter().chain(b).map(|word| self.depth(word)).collect::<Vec<_>>();
        let value = self.inner.product_sums(&values(a), &values(b));
        let rows = self.read(&depths, value);
        self.layer(&[rows.depth], rows.value)
    }

    fn digit_sums<const N: usize>(&self, a: &[Word<Self>; N]) -> Self::Sums {
        self.layer(&a.each_ref().map(|word| self.depth(word)), self.inner.digit_sums(&values(a)))
    }

    fn complement_sums<const N: usize>(&self, a: &[Word<Self>; N]) -> Self::Sums {
        self.layer(&a.each_ref().map(|word| self.depth(word)), self.inner.complement_sums(&values(a)))
    }

    fn modulus_sums(&self, id: ModulusId, number: ModulusNumber) -> Self::Sums {
        self.given(self.inner.modulus_sums(id, number))
    }

    fn number_sums(&self, number: NumberConst) -> Self::Sums {
        self.given(self.inner.number_sums(number))
    }

    fn join(&self, a: &Self::Sums, b: &Self::Sums) -> Self::Sums {
        // Two sums into the same staircase are one layer.
        self.wired(&[self.depth(a), self.depth(b)], self.inner.join(&a.value, &b.value))
    }

    fn part(&self, sums: &Self::Sums, from: usize, count: usize) -> Self::Sums {
        self.wired(&[self.depth(sums)], self.inner.part(&sums.value, from, count))
    }

    fn spread(&self, sums: &Self::Sums, count: usize) -> Self::Sums {
        // The fourth digit, the third, the two lower ones, and their sum.
        let top = self.looked_up(count as u64, &[self.depth(sums)], ());
        let high = self.looked_up(count as u64, &[top.depth], ());
        let low = self.looked_up(count as u64, &[high.depth], ());
        self.layer(&[low.depth], self.inner.spread(&sums.value, count))
    }

    fn fold(&self, id: ModulusId, sums: &Self::Sums) -> Self::Sums {
        self.layer(&[self.depth(sums)], self.inner.fold(id, &sums.value))
    }

    fn residue(&self, id: ModulusId, top: &Word<Self>) -> Self::Sums {
        self.layer(&[self.depth(top)], self.inner.residue(id, &top.value))
    }

    fn settle_sums(&self, sums: &Self::Sums, word: usize) -> [Word<Self>; 2] {
        let [low, high] = self.inner.settle_sums(&sums.value, word);
        let low = self.looked_up(16, &[self.depth(sums)], low);
        [low.clone(), low.with(high)]
    }
}

impl<E: Sequencer> Sequencer for Counted<E> {
    type Error = E::Error;

    fn observe(&self, bit: &Self::Digit<Bit>, site: Site) -> Result<bool, E::Error> {
        self.observed(site);
        self.inner.observe(&bit.value, site)
    }

    fn observe_gate<A: Gate>(&self, gates: &Self::Digit<A>, site: Site) -> Result<A, E::Error> {
        self.observed(site);
        self.inner.observe_gate(&gates.value, site)
    }
}

impl<E: Boundary> Boundary for Counted<E> {
    fn embed(&self, value: u64) -> Word<Self> {
        self.given(self.inner.embed(value))
    }

    fn embed_digit<A: Alphabet>(&self, letter: usize) -> Self::Digit<A> {
        self.given(self.inner.embed_digit(letter))
    }

    fn read_out(&self, word: &Word<Self>) -> Result<u64, E::Error> {
        self.inner.read_out(&word.value)
    }

    fn read_digit<A: Alphabet>(&self, digit: &Self::Digit<A>) -> Result<usize, E::Error> {
        self.inner.read_digit(&digit.value)
    }
}
