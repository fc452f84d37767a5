//! The operations of the evaluator: one row each, or a fused one.

use super::{
    Columns, Control, Digit, Indexed, Lanes, Sums, WideRows,
    digits::{EVEN_LANES, digit, lanes, low_lanes, repeat},
    fused::{GENERATE, PROPAGATE},
    rows::{ROWS, WIDE_ROWS, bits},
};
use crate::tables::{
    alphabet::*,
    catalogue::*,
    decode::Group,
    evaluator::{ADDENDS, Evaluator},
    lists::WordList,
    moduli::ModulusId,
    numbers::NumberConst,
    shallow,
    weights::product_terms,
    wide::ModulusNumber,
};

/// Bits an input takes, for row indices.
const fn width<A: Alphabet>() -> u32 {
    bits(A::ID)
}

/// Whether a table of these inputs is a wide one.
const fn is_wide<A: Alphabet, B: Alphabet, C: Alphabet>() -> bool {
    1 << (width::<A>() + width::<B>() + width::<C>()) > ROWS
}

impl Evaluator for Indexed {
    type Digit<A: Alphabet> = Digit<A>;
    type Lanes<A: Alphabet> = Lanes<A>;
    type Columns = Columns;
    type Sums = Sums;
    type Control = Control;

    #[inline(always)]
    fn digit<A: Alphabet, const V: usize>(&self) -> Digit<A> {
        const { assert!(V < A::ID.radix()) };
        self.letter_digit(V)
    }

    #[inline(always)]
    fn word(&self, constant: WordConst) -> Lanes<Nibble> {
        lanes(self.constants[constant as usize])
    }

    #[inline(always)]
    fn literal<const V: u64>(&self) -> Lanes<Nibble> {
        self.positions(V)
    }

    #[inline(always)]
    fn listed(&self, list: WordList, index: usize) -> Lanes<Nibble> {
        lanes(self.lists[list as usize][index])
    }

    #[inline(always)]
    fn apply1<A: Alphabet, O: Alphabet>(&self, table: Table1<A, O>, a: &Digit<A>) -> Digit<O> {
        digit(self.table(table.id)[usize::from(a.0)])
    }

    #[inline(always)]
    fn apply2<A: Alphabet, B: Alphabet, O: Alphabet>(
        &self,
        table: Table2<A, B, O>,
        a: &Digit<A>,
        b: &Digit<B>,
    ) -> Digit<O> {
        let index = usize::from(a.0) | usize::from(b.0) << width::<A>();
        digit(self.table(table.id)[index & (ROWS - 1)])
    }

    #[inline(always)]
    fn apply3<A: Alphabet, B: Alphabet, C: Alphabet, O: Alphabet>(
        &self,
        table: Table3<A, B, C, O>,
        a: &Digit<A>,
        b: &Digit<B>,
        c: &Digit<C>,
    ) -> Digit<O> {
        let ab = width::<A>() + width::<B>();
        let index = usize::from(a.0) | usize::from(b.0) << width::<A>() | usize::from(c.0) << ab;
        digit(if const { is_wide::<A, B, C>() } {
            self.wide_table(table.id)[index & (WIDE_ROWS - 1)]
        } else {
            self.table(table.id)[index & (ROWS - 1)]
        })
    }

    #[inline(always)]
    fn apply4<A: Alphabet, B: Alphabet, C: Alphabet, D: Alphabet, O: Alphabet>(
        &self,
        table: Table4<A, B, C, D, O>,
        a: &Digit<A>,
        b: &Digit<B>,
        c: &Digit<C>,
        d: &Digit<D>,
    ) -> Digit<O> {
        let ab = width::<A>() + width::<B>();
        let abc = ab + width::<C>();
        let index = usize::from(a.0)
            | usize::from(b.0) << width::<A>()
            | usize::from(c.0) << ab
            | usize::from(d.0) << abc;
        digit(self.table(table.id)[index & (ROWS - 1)])
    }

    #[inline]
    fn map<A: Alphabet, O: Alphabet>(&self, table: Table1<A, O>, a: &Lanes<A>) -> Lanes<O> {
        lanes((0..16).fold(0, |out, lane| {
            let answer = self.apply1(table, &self.lane(a, lane));
            out | u64::from(answer.0) << (4 * lane)
        }))
    }

    #[inline]
    fn zip2<A: Alphabet, B: Alphabet, O: Alphabet>(
        &self,
        table: Table2<A, B, O>,
        a: &Lanes<A>,
        b: &Lanes<B>,
    ) -> Lanes<O> {
        let fused = match table.id {
            TableId::And => &self.fused.and,
            TableId::Or => &self.fused.or,
            TableId::Xor => &self.fused.xor,
            _ => {
                return lanes((0..16).fold(0, |out, lane| {
                    let answer = self.apply2(table, &self.lane(a, lane), &self.lane(b, lane));
                    out | u64::from(answer.0) << (4 * lane)
                }));
            }
        };
        lanes(self.bytes(fused, a.0, b.0))
    }

    #[inline]
    fn zip3<A: Alphabet, B: Alphabet, C: Alphabet, O: Alphabet>(
        &self,
        table: Table3<A, B, C, O>,
        a: &Lanes<A>,
        b: &Lanes<B>,
        c: &Lanes<C>,
    ) -> Lanes<O> {
        if const { is_wide::<A, B, C>() } {
            return lanes(self.triples(self.wide_table(table.id), a.0, b.0, c.0));
        }
        lanes((0..16).fold(0, |out, i| {
            let answer = self.apply3(table, &self.lane(a, i), &self.lane(b, i), &self.lane(c, i));
            out | u64::from(answer.0) << (4 * i)
        }))
    }

    #[inline]
    fn zip4<A: Alphabet, B: Alphabet, C: Alphabet, D: Alphabet, O: Alphabet>(
        &self,
        table: Table4<A, B, C, D, O>,
        a: &Lanes<A>,
        b: &Lanes<B>,
        c: &Lanes<C>,
        d: &Lanes<D>,
    ) -> Lanes<O> {
        lanes((0..16).fold(0, |out, i| {
            let (c, d) = (self.lane(c, i), self.lane(d, i));
            let answer = self.apply4(table, &self.lane(a, i), &self.lane(b, i), &c, &d);
            out | u64::from(answer.0) << (4 * i)
        }))
    }

    #[inline(always)]
    fn lane<A: Alphabet>(&self, a: &Lanes<A>, lane: usize) -> Digit<A> {
        digit((a.0 >> (4 * lane) & 15) as u8)
    }

    #[inline(always)]
    fn splat<A: Alphabet>(&self, a: &Digit<A>) -> Lanes<A> {
        lanes(repeat(a.0))
    }

    #[inline(always)]
    fn merge<A: Alphabet>(&self, low: &Lanes<A>, high: &Lanes<A>, count: usize) -> Lanes<A> {
        let mask = low_lanes(count);
        lanes(low.0 & mask | high.0 & !mask)
    }

    #[inline(always)]
    fn shift_up<A: Alphabet>(&self, a: &Lanes<A>, count: usize, fill: &Digit<A>) -> Lanes<A> {
        if count >= 16 {
            return self.splat(fill);
        }
        lanes(a.0 << (4 * count) | repeat(fill.0) & low_lanes(count))
    }

    #[inline(always)]
    fn shift_down<A: Alphabet>(&self, a: &Lanes<A>, count: usize, fill: &Digit<A>) -> Lanes<A> {
        if count >= 16 {
            return self.splat(fill);
        }
        lanes(a.0 >> (4 * count) | repeat(fill.0) & !low_lanes(16 - count))
    }

    #[inline(always)]
    fn roll_lanes<A: Alphabet>(&self, a: &Lanes<A>, count: usize) -> Lanes<A> {
        lanes(a.0.rotate_right(4 * count as u32))
    }

    #[inline(always)]
    fn roll_half_lanes<A: Alphabet>(&self, a: &Lanes<A>, count: usize) -> Lanes<A> {
        let half = |lanes: u64| u64::from((lanes as u32).rotate_right(4 * count as u32));
        lanes(half(a.0) | half(a.0 >> 32) << 32)
    }

    #[inline(always)]
    fn reverse<A: Alphabet>(&self, a: &Lanes<A>) -> Lanes<A> {
        let swapped = a.0.swap_bytes();
        lanes(swapped >> 4 & EVEN_LANES | (swapped & EVEN_LANES) << 4)
    }

    #[inline(always)]
    fn reverse_bytes(&self, a: &Lanes<Nibble>) -> Lanes<Nibble> {
        lanes(a.0.swap_bytes())
    }

    #[inline(always)]
    fn attend<A: Alphabet, B: Alphabet, const N: usize>(
        &self,
        key: &Digit<A>,
        values: [&Lanes<B>; N],
    ) -> Lanes<B> {
        const { assert!(N == A::ID.radix()) };
        *values[self.letter(*key)]
    }

    #[inline(always)]
    fn attend_digit<A: Alphabet, B: Alphabet, const N: usize>(
        &self,
        key: &Digit<A>,
        values: [&Digit<B>; N],
    ) -> Digit<B> {
        const { assert!(N == A::ID.radix()) };
        *values[self.letter(*key)]
    }

    #[inline(always)]
    fn attend_up(&self, by: &Digit<Nibble>, a: &Lanes<Nibble>, fill: &Digit<Nibble>) -> Lanes<Nibble> {
        self.shift_up(a, self.letter(*by), fill)
    }

    #[inline(always)]
    fn attend_down(&self, by: &Digit<Nibble>, a: &Lanes<Nibble>, fill: &Digit<Nibble>) -> Lanes<Nibble> {
        self.shift_down(a, self.letter(*by), fill)
    }

    #[inline(always)]
    fn decode(&self, phase: &Digit<Phase>, low: &Digit<Nibble>, high: &Digit<Nibble>) -> Control {
        let index = usize::from(phase.0) << 8 | usize::from(high.0) << 4 | usize::from(low.0);
        Control(self.rows.decode[index & 2047])
    }

    #[inline(always)]
    fn gates<A: Alphabet>(&self, control: &Control, group: Group<A>) -> Digit<A> {
        digit(control.0.position(group.index))
    }

    #[inline]
    fn product_columns(&self, a: &Lanes<Nibble>, b: &Lanes<Nibble>) -> Columns {
        let mut columns = [0u32; 16];
        if self.rows.plain_columns {
            for i in 0..16 {
                let left = (a.0 >> (4 * i) & 15) as usize;
                for j in 0..16 - i {
                    let right = (b.0 >> (4 * j) & 15) as usize;
                    columns[i + j] += self.rows.product[left | right << 4];
                }
            }
            return Columns(columns);
        }
        let mut sums = [0i64; 16];
        for ((i, j), places) in product_terms().zip(&self.rows.columns) {
            let index = (a.0 >> (4 * i) & 15 | (b.0 >> (4 * j) & 15) << 4) as usize;
            for (sum, coefficient) in sums.iter_mut().zip(places) {
                *sum += coefficient * i64::from(self.rows.product[index]);
            }
        }
        // A staircase shows its first step for anything below.
        Columns(sums.map(|sum| u32::try_from(sum.max(0)).unwrap_or(u32::MAX)))
    }

    #[inline]
    fn settle(&self, columns: &Columns) -> [Lanes<Nibble>; 3] {
        let mut digits = [0u64; 3];
        for (lane, &column) in columns.0.iter().enumerate() {
            // Above the top a staircase shows its last step.
            let row = self.rows.settle[(column as usize).min(self.rows.settle.len() - 1)];
            for (place, out) in digits.iter_mut().enumerate() {
                *out |= u64::from(row >> (4 * place) & 15) << (4 * lane);
            }
        }
        digits.map(lanes)
    }

    #[inline]
    fn digit_columns(&self, a: &Lanes<Nibble>, b: &Lanes<Nibble>, c: &Lanes<Nibble>) -> Columns {
        let mut columns = [0; 16];
        for (place, word) in [a, b, c].into_iter().enumerate() {
            for lane in 0..16 - place {
                columns[lane + place] += self.rows.digits[place][(word.0 >> (4 * lane) & 15) as usize];
            }
        }
        Columns(columns)
    }

    #[inline]
    fn settle_small(&self, columns: &Columns) -> [Lanes<Nibble>; 2] {
        let mut digits = [0u64; 2];
        for (lane, &column) in columns.0.iter().enumerate() {
            let row = self.rows.settle_small[(column as usize).min(self.rows.settle_small.len() - 1)];
            digits[0] |= u64::from(row & 15) << (4 * lane);
            digits[1] |= u64::from(row >> 4) << (4 * lane);
        }
        digits.map(lanes)
    }

    #[inline]
    fn sum_columns<const N: usize>(&self, words: [&Lanes<Nibble>; N]) -> Columns {
        const { assert!(N <= ADDENDS) };
        Columns(std::array::from_fn(|lane| {
            words.iter().map(|word| self.rows.digits[0][(word.0 >> (4 * lane) & 15) as usize]).sum()
        }))
    }

    #[inline]
    fn product_sums<const N: usize>(&self, a: &[Lanes<Nibble>; N], b: &[Lanes<Nibble>; N]) -> Sums {
        self.wide.product(a, b)
    }

    #[inline]
    fn digit_sums<const N: usize>(&self, a: &[Lanes<Nibble>; N]) -> Sums {
        self.wide.digit_values(a)
    }

    #[inline]
    fn complement_sums<const N: usize>(&self, a: &[Lanes<Nibble>; N]) -> Sums {
        self.wide.complement_values(a)
    }

    #[inline]
    fn modulus_sums(&self, id: ModulusId, number: ModulusNumber) -> Sums {
        self.wide.number(id, number)
    }

    #[inline]
    fn number_sums(&self, number: NumberConst) -> Sums {
        self.wide.constant(number)
    }

    #[inline]
    fn join(&self, a: &Sums, b: &Sums) -> Sums {
        WideRows::join(a, b)
    }

    #[inline]
    fn part(&self, sums: &Sums, from: usize, count: usize) -> Sums {
        WideRows::part(sums, from, count)
    }

    #[inline]
    fn spread(&self, sums: &Sums, count: usize) -> Sums {
        self.wide.spread_out(sums, count)
    }

    #[inline]
    fn fold(&self, id: ModulusId, sums: &Sums) -> Sums {
        self.wide.fold(id, sums)
    }

    #[inline]
    fn residue(&self, id: ModulusId, top: &Lanes<Nibble>) -> Sums {
        self.wide.residue(id, top)
    }

    #[inline]
    fn settle_sums(&self, sums: &Sums, word: usize) -> [Lanes<Nibble>; 2] {
        self.wide.settle(sums, word)
    }

    #[inline]
    fn add_words(
        &self,
        a: &Lanes<Nibble>,
        b: &Lanes<Nibble>,
        carry: &Digit<Bit>,
    ) -> (Lanes<Nibble>, Digit<Bit>) {
        if !self.fused.sound {
            return shallow::add_words(self, a, b, carry);
        }
        let (bytes, states) = Self::halves(&self.fused.add, a.0, b.0);
        let (sum, leaving) = self.settle_carries(&self.fused.inc, bytes, states, *carry);
        (lanes(sum), leaving)
    }

    #[inline]
    fn sub_words(
        &self,
        a: &Lanes<Nibble>,
        b: &Lanes<Nibble>,
        borrow: &Digit<Bit>,
    ) -> (Lanes<Nibble>, Digit<Bit>) {
        if !self.fused.sound {
            return shallow::sub_words(self, a, b, borrow);
        }
        let (bytes, states) = Self::halves(&self.fused.sub, a.0, b.0);
        let (difference, leaving) = self.settle_carries(&self.fused.dec, bytes, states, *borrow);
        (lanes(difference), leaving)
    }

    #[inline]
    fn compare(&self, a: &Lanes<Nibble>, b: &Lanes<Nibble>) -> Digit<Carry> {
        if !self.fused.sound {
            return shallow::compare(self, a, b);
        }
        let (_, states) = Self::halves(&self.fused.sub, a.0, b.0);
        let (low, high) = (self.fused.reduce[states & 255], self.fused.reduce[states >> 8 & 255]);
        let both = usize::from(low) | usize::from(high) << 2 | usize::from(PROPAGATE) << 4;
        self.letter_digit(usize::from(self.fused.reduce[both | usize::from(PROPAGATE) << 6]))
    }

    #[inline]
    fn is_zero(&self, a: &Lanes<Nibble>) -> Digit<Bit> {
        if !self.fused.sound {
            return shallow::is_zero(self, a);
        }
        let mut states = 0;
        for quarter in 0..4 {
            let digits = (a.0 >> (16 * quarter) & 0xffff) as usize;
            states |= usize::from(self.fused.zero[digits]) << (2 * quarter);
        }
        let state = self.letter_digit::<Carry>(usize::from(self.fused.reduce[states]));
        self.apply1(EQUAL, &state)
    }

    #[inline]
    fn increment(&self, a: &Lanes<Nibble>) -> Lanes<Nibble> {
        if !self.one_is_one {
            return shallow::increment(self, a);
        }
        let row = self.fused.add[(a.0 & 255) as usize | usize::from(self.one_byte) << 8];
        let low = a.0 & !255 | u64::from(row & 255);
        if row >> 8 != u16::from(GENERATE) {
            // No carry leaves the lowest byte, and with carry 0 every other byte stays.
            return lanes(low);
        }
        let (sum, _) = self.add_words(a, &self.word(WordConst::One), &self.letter_digit(0));
        sum
    }

    #[inline]
    fn decrement(&self, a: &Lanes<Nibble>) -> (Lanes<Nibble>, Digit<Bit>) {
        if !self.one_is_one {
            return shallow::decrement(self, a);
        }
        let row = self.fused.sub[(a.0 & 255) as usize | usize::from(self.one_byte) << 8];
        if row >> 8 != u16::from(GENERATE) {
            return (lanes(a.0 & !255 | u64::from(row & 255)), self.letter_digit(0));
        }
        self.sub_words(a, &self.word(WordConst::One), &self.letter_digit(0))
    }

    #[inline(always)]
    fn extend(&self, how: &Digit<Extend>, a: &Lanes<Nibble>) -> Lanes<Nibble> {
        // Attention reads one value; the others need not be made.
        match Extend::LETTERS[self.letter(*how)] {
            Extend::Whole => *a,
            Extend::Zero => self.merge(a, &self.word(WordConst::Zero), 8),
            Extend::Sign => self.merge(a, &self.splat(&self.apply1(SIGN_FILL, &self.lane(a, 7))), 8),
        }
    }

    #[inline]
    fn sum_words<const N: usize>(&self, words: [&Lanes<Nibble>; N]) -> Lanes<Nibble> {
        if !self.sums.sound {
            return shallow::sum_words(self, words);
        }
        lanes(self.sum(words.map(|word| word.0), false))
    }

    #[inline]
    fn sum_halves<const N: usize>(&self, words: [&Lanes<Nibble>; N]) -> Lanes<Nibble> {
        if !self.sums.sound {
            return shallow::sum_halves(self, words);
        }
        lanes(self.sum(words.map(|word| word.0), true))
    }

    #[inline]
    fn roll<const N: usize>(&self, a: &Lanes<Nibble>) -> Lanes<Nibble> {
        let near = self.roll_lanes(a, N / 4);
        if N.is_multiple_of(4) {
            return near;
        }
        let bits = self.letter_digit(N % 4);
        lanes(self.bytes_down(|shift| near.0.rotate_right(shift), |_| bits))
    }

    #[inline]
    fn roll_halves<const LOW: usize, const HIGH: usize>(&self, a: &Lanes<Nibble>) -> Lanes<Nibble> {
        let near = self.merge(&self.roll_half_lanes(a, LOW / 4), &self.roll_half_lanes(a, HIGH / 4), 8);
        if LOW.is_multiple_of(4) && HIGH.is_multiple_of(4) {
            return near;
        }
        let halves = [near.0 as u32, (near.0 >> 32) as u32];
        let bits = [LOW, HIGH].map(|by| self.letter_digit(by % 4));
        lanes(self.bytes_down(
            |shift| u64::from(halves[(shift / 32) as usize].rotate_right(shift % 32)),
            |shift| bits[(shift / 32) as usize],
        ))
    }

    #[inline]
    fn shift_halves<const N: usize>(&self, a: &Lanes<Nibble>) -> Lanes<Nibble> {
        let zero = self.letter_digit(0);
        let low = self.merge(a, &self.splat(&zero), 8);
        let halves = [low, *a].map(|half| self.shift_down(&half, N / 4, &zero));
        if N.is_multiple_of(4) {
            return self.merge(&halves[0], &halves[1], 8);
        }
        // The low half has zeros above, and so has the high half once it is moved down to its place.
        let windows = [halves[0].0, self.shift_down(&halves[1], 8, &zero).0];
        let bits = self.letter_digit(N % 4);
        lanes(self.bytes_down(|shift| windows[(shift / 32) as usize] >> (shift % 32), |_| bits))
    }

    #[inline]
    fn shift_left(&self, a: &Lanes<Nibble>, digits: &Digit<Nibble>, count: &Digit<Quarter>) -> Lanes<Nibble> {
        let zero = digit::<Nibble>((self.zero & 15) as u8);
        let moved = self.attend_up(digits, a, &zero).0;
        let lower = moved << 4 | self.zero & 15;
        let mut out = 0;
        for shift in (0..64).step_by(8) {
            let index = moved >> shift & 255 | (lower >> shift & 15) << 8 | u64::from(count.0) << 12;
            out |= u64::from(self.fused.up[index as usize & 16383]) << shift;
        }
        lanes(out)
    }

    #[inline]
    fn shift_right(
        &self,
        a: &Lanes<Nibble>,
        digits: &Digit<Nibble>,
        count: &Digit<Quarter>,
        fill: &Digit<Nibble>,
    ) -> Lanes<Nibble> {
        let moved = self.attend_down(digits, a, fill).0;
        let higher = moved >> 8 | u64::from(fill.0) << 56;
        let mut out = 0;
        for shift in (0..64).step_by(8) {
            let index = moved >> shift & 255 | (higher >> shift & 15) << 8 | u64::from(count.0) << 12;
            out |= u64::from(self.fused.down[index as usize & 16383]) << shift;
        }
        lanes(out)
    }
}
