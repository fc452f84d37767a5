//! Tables, wiring and attention, noted.

use super::{Kind, Recorded};
use crate::tables::{
    Boundary, Evaluator, ModulusId, ModulusNumber, Sequencer, Site, Word, WordList,
    alphabet::*,
    catalogue::*,
    decode::{self, Group},
    numbers::NumberConst,
    shallow,
};

impl<E: Boundary> Evaluator for Recorded<'_, E> {
    type Digit<A: Alphabet> = E::Digit<A>;
    type Lanes<A: Alphabet> = E::Lanes<A>;
    type Columns = E::Columns;
    type Sums = E::Sums;
    type Control = E::Control;

    fn digit<A: Alphabet, const V: usize>(&self) -> E::Digit<A> {
        self.inner.digit::<A, V>()
    }

    fn word(&self, constant: WordConst) -> Word<E> {
        self.inner.word(constant)
    }

    fn literal<const V: u64>(&self) -> Word<E> {
        self.inner.literal::<V>()
    }

    fn listed(&self, list: WordList, index: usize) -> Word<E> {
        self.inner.listed(list, index)
    }

    fn apply1<A: Alphabet, O: Alphabet>(&self, table: Table1<A, O>, a: &E::Digit<A>) -> E::Digit<O> {
        let out = self.inner.apply1(table, a);
        self.note(Kind::Table, table.id.spec().name, || {
            [vec![self.digit_shown::<A>(a)], vec![self.digit_shown::<O>(&out)]]
        });
        out
    }

    fn apply2<A: Alphabet, B: Alphabet, O: Alphabet>(
        &self,
        table: Table2<A, B, O>,
        a: &E::Digit<A>,
        b: &E::Digit<B>,
    ) -> E::Digit<O> {
        let out = self.inner.apply2(table, a, b);
        self.note(Kind::Table, table.id.spec().name, || {
            [vec![self.digit_shown::<A>(a), self.digit_shown::<B>(b)], vec![self.digit_shown::<O>(&out)]]
        });
        out
    }

    fn apply3<A: Alphabet, B: Alphabet, C: Alphabet, O: Alphabet>(
        &self,
        table: Table3<A, B, C, O>,
        a: &E::Digit<A>,
        b: &E::Digit<B>,
        c: &E::Digit<C>,
    ) -> E::Digit<O> {
        let out = self.inner.apply3(table, a, b, c);
        self.note(Kind::Table, table.id.spec().name, || {
            let inputs = vec![self.digit_shown::<A>(a), self.digit_shown::<B>(b), self.digit_shown::<C>(c)];
            [inputs, vec![self.digit_shown::<O>(&out)]]
        });
        out
    }

    fn apply4<A: Alphabet, B: Alphabet, C: Alphabet, D: Alphabet, O: Alphabet>(
        &self,
        table: Table4<A, B, C, D, O>,
        a: &E::Digit<A>,
        b: &E::Digit<B>,
        c: &E::Digit<C>,
        d: &E::Digit<D>,
    ) -> E::Digit<O> {
        let out = self.inner.apply4(table, a, b, c, d);
        self.note(Kind::Table, table.id.spec().name, || {
            let (a, b) = (self.digit_shown::<A>(a), self.digit_shown::<B>(b));
            let (c, d) = (self.digit_shown::<C>(c), self.digit_shown::<D>(d));
            [vec![a, b, c, d], vec![self.digit_shown::<O>(&out)]]
        });
        out
    }

    fn map<A: Alphabet, O: Alphabet>(&self, table: Table1<A, O>, a: &E::Lanes<A>) -> E::Lanes<O> {
        let out = self.inner.map(table, a);
        self.note(Kind::Table, table.id.spec().name, || {
            [vec![self.lanes_shown::<A>(a)], vec![self.lanes_shown::<O>(&out)]]
        });
        out
    }

    fn zip2<A: Alphabet, B: Alphabet, O: Alphabet>(
        &self,
        table: Table2<A, B, O>,
        a: &E::Lanes<A>,
        b: &E::Lanes<B>,
    ) -> E::Lanes<O> {
        let out = self.inner.zip2(table, a, b);
        self.note(Kind::Table, table.id.spec().name, || {
            [vec![self.lanes_shown::<A>(a), self.lanes_shown::<B>(b)], vec![self.lanes_shown::<O>(&out)]]
        });
        out
    }

    fn zip3<A: Alphabet, B: Alphabet, C: Alphabet, O: Alphabet>(
        &self,
        table: Table3<A, B, C, O>,
        a: &E::Lanes<A>,
        b: &E::Lanes<B>,
        c: &E::Lanes<C>,
    ) -> E::Lanes<O> {
        let out = self.inner.zip3(table, a, b, c);
        self.note(Kind::Table, table.id.spec().name, || {
            let inputs = vec![self.lanes_shown::<A>(a), self.lanes_shown::<B>(b), self.lanes_shown::<C>(c)];
            [inputs, vec![self.lanes_shown::<O>(&out)]]
        });
        out
    }

    fn zip4<A: Alphabet, B: Alphabet, C: Alphabet, D: Alphabet, O: Alphabet>(
        &self,
        table: Table4<A, B, C, D, O>,
        a: &E::Lanes<A>,
        b: &E::Lanes<B>,
        c: &E::Lanes<C>,
        d: &E::Lanes<D>,
    ) -> E::Lanes<O> {
        let out = self.inner.zip4(table, a, b, c, d);
        self.note(Kind::Table, table.id.spec().name, || {
            let (a, b) = (self.lanes_shown::<A>(a), self.lanes_shown::<B>(b));
            let (c, d) = (self.lanes_shown::<C>(c), self.lanes_shown::<D>(d));
            [vec![a, b, c, d], vec![self.lanes_shown::<O>(&out)]]
        });
        out
    }

    // Wiring copies digits: there is nothing to note.

    fn lane<A: Alphabet>(&self, a: &E::Lanes<A>, lane: usize) -> E::Digit<A> {
        self.inner.lane(a, lane)
    }

    fn splat<A: Alphabet>(&self, a: &E::Digit<A>) -> E::Lanes<A> {
        self.inner.splat(a)
    }

    fn merge<A: Alphabet>(&self, low: &E::Lanes<A>, high: &E::Lanes<A>, count: usize) -> E::Lanes<A> {
        self.inner.merge(low, high, count)
    }

    fn shift_up<A: Alphabet>(&self, a: &E::Lanes<A>, count: usize, fill: &E::Digit<A>) -> E::Lanes<A> {
        self.inner.shift_up(a, count, fill)
    }

    fn shift_down<A: Alphabet>(&self, a: &E::Lanes<A>, count: usize, fill: &E::Digit<A>) -> E::Lanes<A> {
        self.inner.shift_down(a, count, fill)
    }

    fn roll_lanes<A: Alphabet>(&self, a: &E::Lanes<A>, count: usize) -> E::Lanes<A> {
        self.inner.roll_lanes(a, count)
    }

    fn roll_half_lanes<A: Alphabet>(&self, a: &E::Lanes<A>, count: usize) -> E::Lanes<A> {
        self.inner.roll_half_lanes(a, count)
    }

    fn reverse<A: Alphabet>(&self, a: &E::Lanes<A>) -> E::Lanes<A> {
        self.inner.reverse(a)
    }

    fn reverse_bytes(&self, a: &Word<E>) -> Word<E> {
        self.inner.reverse_bytes(a)
    }

    fn attend<A: Alphabet, B: Alphabet, const N: usize>(
        &self,
        key: &E::Digit<A>,
        values: [&E::Lanes<B>; N],
    ) -> E::Lanes<B> {
        let out = self.inner.attend::<A, B, N>(key, values);
        self.note(Kind::Attention, "choose", || {
            [vec![self.digit_shown::<A>(key)], vec![self.lanes_shown::<B>(&out)]]
        });
        out
    }

    fn attend_digit<A: Alphabet, B: Alphabet, const N: usize>(
        &self,
        key: &E::Digit<A>,
        values: [&E::Digit<B>; N],
    ) -> E::Digit<B> {
        let out = self.inner.attend_digit::<A, B, N>(key, values);
        self.note(Kind::Attention, "choose", || {
            [vec![self.digit_shown::<A>(key)], vec![self.digit_shown::<B>(&out)]]
        });
        out
    }

    fn attend_up(&self, by: &E::Digit<Nibble>, a: &Word<E>, fill: &E::Digit<Nibble>) -> Word<E> {
        let out = self.inner.attend_up(by, a, fill);
        self.note(Kind::Attention, "move up", || {
            let inputs = vec![self.digit_shown::<Nibble>(by), self.lanes_shown::<Nibble>(a)];
            [inputs, vec![self.lanes_shown::<Nibble>(&out)]]
        });
        out
    }

    fn attend_down(&self, by: &E::Digit<Nibble>, a: &Word<E>, fill: &E::Digit<Nibble>) -> Word<E> {
        let out = self.inner.attend_down(by, a, fill);
        self.note(Kind::Attention, "move down", || {
            let inputs = vec![self.digit_shown::<Nibble>(by), self.lanes_shown::<Nibble>(a)];
            [inputs, vec![self.lanes_shown::<Nibble>(&out)]]
        });
        out
    }

    fn decode(&self, phase: &E::Digit<Phase>, low: &E::Digit<Nibble>, high: &E::Digit<Nibble>) -> E::Control {
        let control = self.inner.decode(phase, low, high);
        self.note(Kind::Decode, "decode", || {
            let (low, high) = (self.digit_shown::<Nibble>(low), self.digit_shown::<Nibble>(high));
            let e = self.inner;
            let outputs = vec![
                self.digit_shown::<Unit>(&e.gates(&control, decode::UNIT)),
                self.digit_shown::<Condition>(&e.gates(&control, decode::CONDITION)),
                self.digit_shown::<Size>(&e.gates(&control, decode::SIZE)),
                self.digit_shown::<Bit>(&e.gates(&control, decode::REGISTER)),
                self.digit_shown::<Extend>(&e.gates(&control, decode::NARROW)),
                self.digit_shown::<Extend>(&e.gates(&control, decode::EXTEND)),
                self.digit_shown::<Bit>(&e.gates(&control, decode::HALF)),
                self.digit_shown::<Bit>(&e.gates(&control, decode::WRITES)),
                self.digit_shown::<Extend>(&e.gates(&control, decode::NARROW_SECOND)),
                self.digit_shown::<Callee>(&e.gates(&control, decode::CALLEE)),
            ];
            [vec![self.digit_shown::<Phase>(phase), low, high], outputs]
        });
        control
    }

    fn gates<A: Alphabet>(&self, control: &E::Control, group: Group<A>) -> E::Digit<A> {
        self.inner.gates(control, group)
    }

    fn product_columns(&self, a: &Word<E>, b: &Word<E>) -> E::Columns {
        self.note(Kind::Sum, "products of digits", || {
            [vec![self.lanes_shown::<Nibble>(a), self.lanes_shown::<Nibble>(b)], vec![]]
        });
        self.inner.product_columns(a, b)
    }

    fn settle(&self, columns: &E::Columns) -> [Word<E>; 3] {
        let out = self.inner.settle(columns);
        self.note(Kind::Staircase, "settle", || [vec![], self.words_shown(out.each_ref())]);
        out
    }

    fn digit_columns(&self, a: &Word<E>, b: &Word<E>, c: &Word<E>) -> E::Columns {
        self.note(Kind::Sum, "digits", || [self.words_shown([a, b, c]), vec![]]);
        self.inner.digit_columns(a, b, c)
    }

    fn settle_small(&self, columns: &E::Columns) -> [Word<E>; 2] {
        let out = self.inner.settle_small(columns);
        self.note(Kind::Staircase, "settle small", || [vec![], self.words_shown(out.each_ref())]);
        out
    }

    fn sum_columns<const N: usize>(&self, words: [&Word<E>; N]) -> E::Columns {
        self.note(Kind::Sum, "digits", || [self.words_shown(words), vec![]]);
        self.inner.sum_columns(words)
    }

    fn product_sums<const N: usize>(&self, a: &[Word<E>; N], b: &[Word<E>; N]) -> E::Sums {
        self.note(Kind::Sum, "wide product", || {
            [[self.words_shown(a.each_ref()), self.words_shown(b.each_ref())].concat(), vec![]]
        });
        self.inner.product_sums(a, b)
    }

    fn digit_sums<const N: usize>(&self, a: &[Word<E>; N]) -> E::Sums {
        self.note(Kind::Sum, "wide digits", || [self.words_shown(a.each_ref()), vec![]]);
        self.inner.digit_sums(a)
    }

    fn complement_sums<const N: usize>(&self, a: &[Word<E>; N]) -> E::Sums {
        self.note(Kind::Sum, "wide complements", || [self.words_shown(a.each_ref()), vec![]]);
        self.inner.complement_sums(a)
    }

    fn modulus_sums(&self, id: ModulusId, number: ModulusNumber) -> E::Sums {
        self.inner.modulus_sums(id, number)
    }

    fn number_sums(&self, number: NumberConst) -> E::Sums {
        self.inner.number_sums(number)
    }

    fn join(&self, a: &E::Sums, b: &E::Sums) -> E::Sums {
        self.inner.join(a, b)
    }

    fn part(&self, sums: &E::Sums, from: usize, count: usize) -> E::Sums {
        self.inner.part(sums, from, count)
    }

    fn spread(&self, sums: &E::Sums, count: usize) -> E::Sums {
        self.note(Kind::Staircase, "spread", || [vec![], vec![]]);
        self.inner.spread(sums, count)
    }

    fn fold(&self, id: ModulusId, sums: &E::Sums) -> E::Sums {
        self.note(Kind::Sum, "fold", || [vec![], vec![]]);
        self.inner.fold(id, sums)
    }

    fn residue(&self, id: ModulusId, top: &Word<E>) -> E::Sums {
        self.note(Kind::Sum, "residue", || [self.words_shown([top]), vec![]]);
        self.inner.residue(id, top)
    }

    fn settle_sums(&self, sums: &E::Sums, word: usize) -> [Word<E>; 2] {
        let out = self.inner.settle_sums(sums, word);
        self.note(Kind::Staircase, "settle small", || [vec![], self.words_shown(out.each_ref())]);
        out
    }

    fn add_words(&self, a: &Word<E>, b: &Word<E>, carry: &E::Digit<Bit>) -> (Word<E>, E::Digit<Bit>) {
        self.whole("add_words", |e| e.add_words(a, b, carry), |e| shallow::add_words(e, a, b, carry))
    }

    fn sub_words(&self, a: &Word<E>, b: &Word<E>, borrow: &E::Digit<Bit>) -> (Word<E>, E::Digit<Bit>) {
        self.whole("sub_words", |e| e.sub_words(a, b, borrow), |e| shallow::sub_words(e, a, b, borrow))
    }

    fn compare(&self, a: &Word<E>, b: &Word<E>) -> E::Digit<Carry> {
        self.whole("compare", |e| e.compare(a, b), |e| shallow::compare(e, a, b))
    }

    fn is_zero(&self, a: &Word<E>) -> E::Digit<Bit> {
        self.whole("is_zero", |e| e.is_zero(a), |e| shallow::is_zero(e, a))
    }

    fn increment(&self, a: &Word<E>) -> Word<E> {
        self.whole("increment", |e| e.increment(a), |e| shallow::increment(e, a))
    }

    fn decrement(&self, a: &Word<E>) -> (Word<E>, E::Digit<Bit>) {
        self.whole("decrement", |e| e.decrement(a), |e| shallow::decrement(e, a))
    }

    fn shift_left(&self, a: &Word<E>, digits: &E::Digit<Nibble>, bits: &E::Digit<Quarter>) -> Word<E> {
        self.whole(
            "shift_left",
            |e| e.shift_left(a, digits, bits),
            |e| shallow::shift_left(e, a, digits, bits),
        )
    }

    fn shift_right(
        &self,
        a: &Word<E>,
        digits: &E::Digit<Nibble>,
        bits: &E::Digit<Quarter>,
        fill: &E::Digit<Nibble>,
    ) -> Word<E> {
        self.whole(
            "shift_right",
            |e| e.shift_right(a, digits, bits, fill),
            |e| shallow::shift_right(e, a, digits, bits, fill),
        )
    }

    fn extend(&self, how: &E::Digit<Extend>, a: &Word<E>) -> Word<E> {
        self.whole("extend", |e| e.extend(how, a), |e| shallow::extend(e, how, a))
    }

    fn multiply(&self, a: &Word<E>, b: &Word<E>) -> Word<E> {
        self.whole("multiply", |e| e.multiply(a, b), |e| shallow::multiply(e, a, b))
    }

    fn sum_words<const N: usize>(&self, words: [&Word<E>; N]) -> Word<E> {
        self.whole("sum_words", |e| e.sum_words(words), |e| shallow::sum_words(e, words))
    }

    fn sum_halves<const N: usize>(&self, words: [&Word<E>; N]) -> Word<E> {
        self.whole("sum_halves", |e| e.sum_halves(words), |e| shallow::sum_halves(e, words))
    }

    fn roll<const N: usize>(&self, a: &Word<E>) -> Word<E> {
        self.whole("roll", |e| e.roll::<N>(a), |e| shallow::roll::<_, N>(e, a))
    }

    fn roll_halves<const LOW: usize, const HIGH: usize>(&self, a: &Word<E>) -> Word<E> {
        self.whole(
            "roll_halves",
            |e| e.roll_halves::<LOW, HIGH>(a),
            |e| shallow::roll_halves::<_, LOW, HIGH>(e, a),
        )
    }

    fn shift_halves<const N: usize>(&self, a: &Word<E>) -> Word<E> {
        self.whole("shift_halves", |e| e.shift_halves::<N>(a), |e| shallow::shift_halves::<_, N>(e, a))
    }
}

impl<E: Boundary> Sequencer for Recorded<'_, E> {
    type Error = E::Error;

    fn observe(&self, bit: &E::Digit<Bit>, site: Site) -> Result<bool, E::Error> {
        self.note(Kind::Observation(site), "observe", || [vec![self.digit_shown::<Bit>(bit)], vec![]]);
        self.inner.observe(bit, site)
    }

    fn observe_gate<A: Gate>(&self, gates: &E::Digit<A>, site: Site) -> Result<A, E::Error> {
        self.note(Kind::Observation(site), "observe", || [vec![self.digit_shown::<A>(gates)], vec![]]);
        self.inner.observe_gate(gates, site)
    }
}

impl<E: Boundary> Boundary for Recorded<'_, E> {
    fn embed(&self, value: u64) -> Word<E> {
        self.inner.embed(value)
    }

    fn embed_digit<A: Alphabet>(&self, letter: usize) -> E::Digit<A> {
        self.inner.embed_digit(letter)
    }

    fn read_out(&self, word: &Word<E>) -> Result<u64, E::Error> {
        self.inner.read_out(word)
    }

    fn read_digit<A: Alphabet>(&self, digit: &E::Digit<A>) -> Result<usize, E::Error> {
        self.inner.read_digit(digit)
    }
}
