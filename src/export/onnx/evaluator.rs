//! The evaluator that computes nothing and writes down what would be computed.
//!
//! Shapes are those of the dense evaluator: a digit is \[1, radix\], sixteen lanes are \[16, radix\], integer
//! activations \[16, 1\].

use std::marker::PhantomData;

use super::{
    graph::{Graph, Name, Operation},
    wide::Sums,
};
use crate::tables::{
    ADDENDS, Array, COMPLEMENT, Evaluator, Labels, ModulusId, ModulusNumber, Stair, Weights, WeightsError,
    Word, WordList,
    alphabet::*,
    catalogue::*,
    decode::{GROUPS, Group},
    numbers::NumberConst,
};

/// A digit, lanes or integers to be: a tensor of the graph.
pub struct Value<A>(pub(super) Name, PhantomData<A>);

impl<A> Clone for Value<A> {
    fn clone(&self) -> Self {
        value(self.0.clone())
    }
}

pub(super) fn value<A>(name: Name) -> Value<A> {
    Value(name, PhantomData)
}

/// Traces circuits into a graph whose constants are the tensors of the weights, under their names.
pub struct Tracer<'w> {
    weights: &'w Weights,
    labels: Labels,
    pub(super) graph: Graph,
}

impl<'w> Tracer<'w> {
    /// An empty graph.
    ///
    /// # Errors
    /// The weights are not the machine's.
    pub fn new(weights: &'w Weights) -> Result<Self, WeightsError> {
        weights.check()?;
        Ok(Self { weights, labels: weights.labels()?, graph: Graph::default() })
    }

    /// A tensor of the weights.
    pub(super) fn tensor(&self, name: &str) -> Name {
        self.graph.constant(name, || match self.weights.get(name) {
            Ok(array) => array.clone(),
            Err(error) => unreachable!("checked: {error}"),
        })
    }

    /// A tensor of the weights, in another shape.
    fn shaped(&self, name: &str, shape: [usize; 2]) -> Name {
        self.node(Operation::Reshape(shape), &[&self.tensor(name)])
    }

    pub(super) fn node(&self, operation: Operation, inputs: &[&Name]) -> Name {
        self.graph.node(operation, inputs)
    }

    pub(super) fn concat(&self, axis: usize, parts: &[&Name]) -> Name {
        match parts {
            [only] => (*only).clone(),
            _ => self.node(Operation::Concat(axis), parts),
        }
    }

    pub(super) fn columns(&self, of: &Name, start: usize, end: usize) -> Name {
        self.node(Operation::Slice { axis: 1, start, end }, &[of])
    }

    pub(super) fn rows(&self, of: &Name, start: usize, end: usize) -> Name {
        self.node(Operation::Slice { axis: 0, start, end }, &[of])
    }

    pub(super) fn reshape(&self, of: &Name, shape: [usize; 2]) -> Name {
        self.node(Operation::Reshape(shape), &[of])
    }

    pub(super) fn position<A: Alphabet>(&self, letter: usize) -> usize {
        self.labels.position(A::ID, letter)
    }

    /// The hidden layer of a network.
    pub(super) fn hidden(&self, network: &str, inputs: &[&Name]) -> Name {
        let (w1, b1) = (self.tensor(&format!("{network}.w1")), self.tensor(&format!("{network}.b1")));
        let input = self.concat(1, inputs);
        self.node(Operation::Relu, &[&self.node(Operation::Gemm, &[&input, &w1, &b1])])
    }

    /// Both layers of a network without a second bias.
    fn network(&self, network: &str, inputs: &[&Name]) -> Name {
        let w2 = self.tensor(&format!("{network}.w2"));
        let nothing = self.graph.constant("nothing", || Array::zeros(&[1]));
        self.node(Operation::Gemm, &[&self.hidden(network, inputs), &w2, &nothing])
    }

    fn table(&self, id: TableId, inputs: &[&Name]) -> Name {
        self.network(&format!("table.{}", id.spec().name), inputs)
    }

    pub(super) fn stair(&self, stair: Stair, columns: &Name) -> Name {
        let network = format!("stair.{}", stair.name());
        let hidden = self.hidden(&network, &[columns]);
        let (w2, b2) = (self.tensor(&format!("{network}.w2")), self.tensor(&format!("{network}.b2")));
        self.node(Operation::Gemm, &[&hidden, &w2, &b2])
    }

    /// A one-hot key against values flattened to rows, given by letter.
    fn attention<A: Alphabet>(&self, key: &Name, values: &[&Name], shape: [usize; 2]) -> Name {
        let flat: Vec<Name> =
            values.iter().map(|value| self.reshape(value, [1, shape[0] * shape[1]])).collect();
        let mut by_position = vec![&flat[0]; flat.len()];
        for (letter, row) in flat.iter().enumerate() {
            by_position[self.position::<A>(letter)] = row;
        }
        let chosen = self.node(Operation::MatMul, &[key, &self.concat(0, &by_position)]);
        self.reshape(&chosen, shape)
    }

    /// Moves rows towards higher lanes; the freed ones are `fill`.
    fn up(&self, a: &Name, count: usize, fill: &Name) -> Name {
        if count == 0 {
            return a.clone();
        }
        let kept = self.rows(a, 0, 16 - count);
        self.concat(0, &[&vec![fill; count][..], &[&kept]].concat())
    }

    fn down(&self, a: &Name, count: usize, fill: &Name) -> Name {
        if count == 0 {
            return a.clone();
        }
        let kept = self.rows(a, count, 16);
        self.concat(0, &[&[&kept], &vec![fill; count][..]].concat())
    }

    /// Moves rows towards lower lanes, around the end, within each `part` lanes.
    fn rolled(&self, a: &Name, part: usize, count: usize) -> Name {
        let lanes = (0..16).map(|lane| lane / part * part + (lane % part + count) % part).collect();
        self.node(Operation::Gather(lanes), &[a])
    }

    /// Column i is the value of digit i, shape \[16, 1\].
    fn place_values(&self, word: &Name, place: usize) -> Name {
        let row = self.rows(&self.tensor("product.digits"), place, place + 1);
        self.node(Operation::MatMul, &[word, &self.node(Operation::Transpose, &[&row])])
    }

    /// A word as a constant.
    pub(super) fn word_of(&self, number: u64) -> Name {
        self.graph.constant(&format!("word.{number:#x}"), || {
            let mut word = Array::zeros(&[16, 16]);
            for (lane, letter) in (0..16).map(|lane| (lane, number >> (4 * lane) & 15)) {
                *word.at_mut(lane, self.position::<Nibble>(letter as usize)) = 1.0;
            }
            word
        })
    }
}

impl Evaluator for Tracer<'_> {
    type Digit<A: Alphabet> = Value<A>;
    type Lanes<A: Alphabet> = Value<A>;
    type Columns = Name;
    type Sums = Sums;
    type Control = Name;

    fn digit<A: Alphabet, const V: usize>(&self) -> Value<A> {
        const { assert!(V < A::ID.radix()) };
        value(self.graph.constant(&format!("letter.{}.{V}", A::ID.name()), || {
            let mut digit = Array::zeros(&[1, A::ID.radix()]);
            *digit.at_mut(0, self.position::<A>(V)) = 1.0;
            digit
        }))
    }

    fn word(&self, constant: WordConst) -> Word<Self> {
        value(self.tensor(&format!("constant.{constant:?}").to_lowercase()))
    }

    fn literal<const V: u64>(&self) -> Word<Self> {
        value(self.word_of(V))
    }

    fn listed(&self, list: WordList, index: usize) -> Word<Self> {
        value(self.rows(&self.tensor(&format!("list.{}", list.name())), 16 * index, 16 * (index + 1)))
    }

    fn apply1<A: Alphabet, O: Alphabet>(&self, table: Table1<A, O>, a: &Value<A>) -> Value<O> {
        self.map(table, a)
    }

    fn apply2<A: Alphabet, B: Alphabet, O: Alphabet>(
        &self,
        table: Table2<A, B, O>,
        a: &Value<A>,
        b: &Value<B>,
    ) -> Value<O> {
        self.zip2(table, a, b)
    }

    fn apply3<A: Alphabet, B: Alphabet, C: Alphabet, O: Alphabet>(
        &self,
        table: Table3<A, B, C, O>,
        a: &Value<A>,
        b: &Value<B>,
        c: &Value<C>,
    ) -> Value<O> {
        self.zip3(table, a, b, c)
    }

    fn apply4<A: Alphabet, B: Alphabet, C: Alphabet, D: Alphabet, O: Alphabet>(
        &self,
        table: Table4<A, B, C, D, O>,
        a: &Value<A>,
        b: &Value<B>,
        c: &Value<C>,
        d: &Value<D>,
    ) -> Value<O> {
        self.zip4(table, a, b, c, d)
    }

    fn map<A: Alphabet, O: Alphabet>(&self, table: Table1<A, O>, a: &Value<A>) -> Value<O> {
        value(self.table(table.id, &[&a.0]))
    }

    fn zip2<A: Alphabet, B: Alphabet, O: Alphabet>(
        &self,
        table: Table2<A, B, O>,
        a: &Value<A>,
        b: &Value<B>,
    ) -> Value<O> {
        value(self.table(table.id, &[&a.0, &b.0]))
    }

    fn zip3<A: Alphabet, B: Alphabet, C: Alphabet, O: Alphabet>(
        &self,
        table: Table3<A, B, C, O>,
        a: &Value<A>,
        b: &Value<B>,
        c: &Value<C>,
    ) -> Value<O> {
        value(self.table(table.id, &[&a.0, &b.0, &c.0]))
    }

    fn zip4<A: Alphabet, B: Alphabet, C: Alphabet, D: Alphabet, O: Alphabet>(
        &self,
        table: Table4<A, B, C, D, O>,
        a: &Value<A>,
        b: &Value<B>,
        c: &Value<C>,
        d: &Value<D>,
    ) -> Value<O> {
        value(self.table(table.id, &[&a.0, &b.0, &c.0, &d.0]))
    }

    fn lane<A: Alphabet>(&self, a: &Value<A>, lane: usize) -> Value<A> {
        value(self.rows(&a.0, lane, lane + 1))
    }

    fn splat<A: Alphabet>(&self, a: &Value<A>) -> Value<A> {
        value(self.node(Operation::Gather(vec![0; 16]), &[&a.0]))
    }

    fn merge<A: Alphabet>(&self, low: &Value<A>, high: &Value<A>, count: usize) -> Value<A> {
        match count {
            0 => high.clone(),
            16 => low.clone(),
            _ => value(self.concat(0, &[&self.rows(&low.0, 0, count), &self.rows(&high.0, count, 16)])),
        }
    }

    fn shift_up<A: Alphabet>(&self, a: &Value<A>, count: usize, fill: &Value<A>) -> Value<A> {
        value(self.up(&a.0, count, &fill.0))
    }

    fn shift_down<A: Alphabet>(&self, a: &Value<A>, count: usize, fill: &Value<A>) -> Value<A> {
        value(self.down(&a.0, count, &fill.0))
    }

    fn roll_lanes<A: Alphabet>(&self, a: &Value<A>, count: usize) -> Value<A> {
        value(self.rolled(&a.0, 16, count))
    }

    fn roll_half_lanes<A: Alphabet>(&self, a: &Value<A>, count: usize) -> Value<A> {
        value(self.rolled(&a.0, 8, count))
    }

    fn reverse<A: Alphabet>(&self, a: &Value<A>) -> Value<A> {
        value(self.node(Operation::Gather((0..16).rev().collect()), &[&a.0]))
    }

    fn reverse_bytes(&self, a: &Word<Self>) -> Word<Self> {
        let rows = (0..16).map(|lane| 14 - (lane & 14) + (lane & 1)).collect();
        value(self.node(Operation::Gather(rows), &[&a.0]))
    }

    fn attend<A: Alphabet, B: Alphabet, const N: usize>(
        &self,
        key: &Value<A>,
        values: [&Value<B>; N],
    ) -> Value<B> {
        value(self.attention::<A>(&key.0, &values.map(|each| &each.0), [16, B::ID.radix()]))
    }

    fn attend_digit<A: Alphabet, B: Alphabet, const N: usize>(
        &self,
        key: &Value<A>,
        values: [&Value<B>; N],
    ) -> Value<B> {
        value(self.attention::<A>(&key.0, &values.map(|each| &each.0), [1, B::ID.radix()]))
    }

    fn attend_up(&self, by: &Value<Nibble>, a: &Word<Self>, fill: &Value<Nibble>) -> Word<Self> {
        let moved: [Word<Self>; 16] = std::array::from_fn(|count| self.shift_up(a, count, fill));
        self.attend(by, moved.each_ref())
    }

    fn attend_down(&self, by: &Value<Nibble>, a: &Word<Self>, fill: &Value<Nibble>) -> Word<Self> {
        let moved: [Word<Self>; 16] = std::array::from_fn(|count| self.shift_down(a, count, fill));
        self.attend(by, moved.each_ref())
    }

    fn decode(&self, phase: &Value<Phase>, low: &Value<Nibble>, high: &Value<Nibble>) -> Name {
        self.network("table.decode", &[&phase.0, &low.0, &high.0])
    }

    fn gates<A: Alphabet>(&self, control: &Name, group: Group<A>) -> Value<A> {
        let start = GROUPS[..group.index].iter().map(|id| id.radix()).sum();
        value(self.columns(control, start, start + A::ID.radix()))
    }

    fn product_columns(&self, a: &Word<Self>, b: &Word<Self>) -> Name {
        let pairs = || (0..16).flat_map(|i| (0..16 - i).map(move |j| (i, j)));
        let a = self.node(Operation::Gather(pairs().map(|(i, _)| i).collect()), &[&a.0]);
        let b = self.node(Operation::Gather(pairs().map(|(_, j)| j).collect()), &[&b.0]);
        let values = self.shaped("product.value", [256, 1]);
        let terms = self.node(Operation::MatMul, &[&self.hidden("product", &[&a, &b]), &values]);
        self.node(Operation::MatMul, &[&self.tensor("product.columns"), &terms])
    }

    fn settle(&self, columns: &Name) -> [Word<Self>; 3] {
        let high = self.stair(Stair::High, columns);
        let away = self.node(Operation::MatMul, &[&high, &self.shaped("stair.high.remainder", [16, 1])]);
        let low = self.stair(Stair::Low, &self.node(Operation::Add, &[columns, &away]));
        [self.columns(&low, 0, 16), self.columns(&low, 16, 32), high].map(value)
    }

    fn digit_columns(&self, a: &Word<Self>, b: &Word<Self>, c: &Word<Self>) -> Name {
        let nothing = self.zeros(1, 1);
        let moved = |word: &Word<Self>, place| self.up(&self.place_values(&word.0, place), place, &nothing);
        let sum = self.node(Operation::Add, &[&moved(a, 0), &moved(b, 1)]);
        self.node(Operation::Add, &[&sum, &moved(c, 2)])
    }

    fn settle_small(&self, columns: &Name) -> [Word<Self>; 2] {
        let digits = self.stair(Stair::Small, columns);
        [self.columns(&digits, 0, 16), self.columns(&digits, 16, 32)].map(value)
    }

    fn sum_columns<const N: usize>(&self, words: [&Word<Self>; N]) -> Name {
        const { assert!(0 < N && N <= ADDENDS) };
        let mut columns = words.map(|word| self.place_values(&word.0, 0)).into_iter();
        let first = columns.next().unwrap_or_else(|| unreachable!("there is a word"));
        columns.fold(first, |sum, column| self.node(Operation::Add, &[&sum, &column]))
    }

    fn product_sums<const N: usize>(&self, a: &[Word<Self>; N], b: &[Word<Self>; N]) -> Sums {
        self.wide_product(a, b)
    }

    fn digit_sums<const N: usize>(&self, a: &[Word<Self>; N]) -> Sums {
        self.wide_digits(a, 0)
    }

    fn complement_sums<const N: usize>(&self, a: &[Word<Self>; N]) -> Sums {
        self.wide_digits(a, COMPLEMENT)
    }

    fn modulus_sums(&self, id: ModulusId, number: ModulusNumber) -> Sums {
        self.wide_modulus(id, number)
    }

    fn number_sums(&self, number: NumberConst) -> Sums {
        self.wide_number(number)
    }

    fn join(&self, a: &Sums, b: &Sums) -> Sums {
        self.wide_join(a, b)
    }

    fn part(&self, sums: &Sums, from: usize, count: usize) -> Sums {
        self.wide_part(sums, from, count)
    }

    fn spread(&self, sums: &Sums, count: usize) -> Sums {
        self.wide_spread(sums, count)
    }

    fn fold(&self, id: ModulusId, sums: &Sums) -> Sums {
        self.wide_fold(id, sums)
    }

    fn residue(&self, id: ModulusId, top: &Word<Self>) -> Sums {
        self.wide_residue(id, top)
    }

    fn settle_sums(&self, sums: &Sums, word: usize) -> [Word<Self>; 2] {
        self.wide_settle(sums, word)
    }
}
