//! The evaluator that runs the tensors as they are, on a candle device.
//!
//! A digit is a tensor of shape \[1, radix\], sixteen lanes one of \[16, radix\]; a table is two matrix
//! products with a ReLU between them. Values come back to the host only where a bit or a gate is
//! observed, a page is chosen or a result is read out, and there anything but an exact one-hot vector
//! is an error.

mod layers;
mod tensors;
mod wide;

use super::{
    alphabet::*,
    catalogue::*,
    decode::{GROUPS, Group},
    evaluator::{ADDENDS, Boundary, Evaluator, Sequencer},
    labels::Labels,
    lists::WordList,
    moduli::ModulusId,
    numbers::NumberConst,
    site::Site,
    stairs::Stair,
    weights::{Weights, WeightsError, product_terms},
    wide::{COMPLEMENT, ModulusNumber},
};
use candle_core::{Device, Tensor};
use layers::Layers;
use std::{cell::RefCell, collections::BTreeMap, marker::PhantomData};
pub use wide::Sums;
use wide::Wide;

/// A digit as a tensor of shape \[1, radix\].
#[derive(Clone, Debug)]
pub struct Digit<A>(Tensor, PhantomData<A>);

/// Sixteen digits as a tensor of shape \[16, radix\].
#[derive(Clone, Debug)]
pub struct Lanes<A>(Tensor, PhantomData<A>);

/// Sixteen integer activations as a tensor of shape \[16, 1\].
#[derive(Clone, Debug)]
pub struct Columns(Tensor);

/// All control gates as a tensor of shape \[1, gates\].
#[derive(Clone, Debug)]
pub struct Control(Tensor);

/// Why a dense run cannot go on.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DenseError {
    /// An activation that has to be one-hot is not.
    #[error("activation of {what} is not one-hot: {values:?}")]
    NotOneHot {
        /// What was read.
        what: String,
        /// The activation.
        values: Vec<f32>,
    },
    /// candle failed.
    #[error("candle: {0}")]
    Candle(String),
}

/// Runs circuits on the tensors of the weights.
pub struct Dense {
    device: Device,
    labels: Labels,
    pub(super) layers: Layers,
    pub(super) wide: Wide,
    /// For each alphabet, the embedding: row n is letter n.
    embeddings: Vec<Tensor>,
    constants: Vec<Tensor>,
    /// For each list, its words one below the other.
    lists: Vec<Tensor>,
    pub(super) remainder: Tensor,
    pub(super) product_value: Tensor,
    pub(super) product_columns: Tensor,
    pub(super) product_digits: Vec<Tensor>,
    product_lanes: [Tensor; 2],
    reversal: Tensor,
    byte_reversal: Tensor,
    pub(crate) heads: BTreeMap<String, f64>,
    /// The first failure; operations after it return placeholders, and the next reading reports it.
    failure: RefCell<Option<DenseError>>,
}

fn digit<A>(tensor: Tensor) -> Digit<A> {
    Digit(tensor, PhantomData)
}

fn lanes<A>(tensor: Tensor) -> Lanes<A> {
    Lanes(tensor, PhantomData)
}

impl Dense {
    /// Puts the tensors on the CPU.
    ///
    /// # Errors
    /// A tensor is missing or a shape is wrong.
    pub fn new(weights: &Weights) -> Result<Self, WeightsError> {
        Self::on(weights, Device::Cpu)
    }

    /// Puts the tensors on a device.
    ///
    /// # Errors
    /// A tensor is missing or a shape is wrong, or the device fails.
    pub fn on(weights: &Weights, device: Device) -> Result<Self, WeightsError> {
        weights.check()?;
        Self::build(weights, device)
            .map_err(|e| WeightsError::structure("dense", e.to_string()))
            .and_then(|dense| dense)
    }

    fn build(weights: &Weights, device: Device) -> candle_core::Result<Result<Self, WeightsError>> {
        let get = |name: &str| {
            let array = weights.get(name).map_err(candle_core::Error::wrap)?;
            Tensor::from_slice(&array.data, array.shape.as_slice(), &device)
        };
        let labels = match weights.labels() {
            Ok(labels) => labels,
            Err(e) => return Ok(Err(e)),
        };
        let lanes_of = |pick: fn((usize, usize)) -> usize| {
            let lanes: Vec<u32> = product_terms().map(|pair| pick(pair) as u32).collect();
            Tensor::new(lanes.as_slice(), &device)
        };
        let mut heads = BTreeMap::new();
        for (name, array) in weights.tensors() {
            if name.starts_with("head.") || name.starts_with("attention.") {
                heads.insert(name.to_owned(), f64::from(array.data[0]));
            }
        }
        let reversal: Vec<u32> = (0..16).rev().collect();
        let byte_reversal: Vec<u32> = (0..16).map(|lane| 14 - (lane & 14) + (lane & 1)).collect();
        Ok(Ok(Self {
            labels,
            layers: Layers::new(&get)?,
            wide: Wide::new(&get)?,
            embeddings: AlphabetId::ALL
                .iter()
                .map(|id| get(&format!("alphabet.{}", id.name())))
                .collect::<candle_core::Result<_>>()?,
            constants: WordConst::ALL
                .iter()
                .map(|c| get(&format!("constant.{c:?}").to_lowercase()))
                .collect::<candle_core::Result<_>>()?,
            lists: WordList::ALL
                .iter()
                .map(|list| get(&format!("list.{}", list.name())))
                .collect::<candle_core::Result<_>>()?,
            remainder: get("stair.high.remainder")?.unsqueeze(1)?,
            product_value: get("product.value")?.t()?.contiguous()?,
            product_columns: get("product.columns")?,
            product_digits: (0..3)
                .map(|place| get("product.digits")?.narrow(0, place, 1)?.t()?.contiguous())
                .collect::<candle_core::Result<_>>()?,
            product_lanes: [lanes_of(|(i, _)| i)?, lanes_of(|(_, j)| j)?],
            reversal: Tensor::new(reversal.as_slice(), &device)?,
            byte_reversal: Tensor::new(byte_reversal.as_slice(), &device)?,
            heads,
            failure: RefCell::new(None),
            device,
        }))
    }
}

impl Evaluator for Dense {
    type Digit<A: Alphabet> = Digit<A>;
    type Lanes<A: Alphabet> = Lanes<A>;
    type Columns = Columns;
    type Sums = Sums;
    type Control = Control;

    fn digit<A: Alphabet, const V: usize>(&self) -> Digit<A> {
        const { assert!(V < A::ID.radix()) };
        digit(self.letter_tensor(A::ID, V))
    }

    fn word(&self, constant: WordConst) -> Lanes<Nibble> {
        lanes(self.constants[constant as usize].clone())
    }

    fn literal<const V: u64>(&self) -> Lanes<Nibble> {
        self.embed(V)
    }

    fn listed(&self, list: WordList, index: usize) -> Lanes<Nibble> {
        lanes(self.keep(self.lists[list as usize].narrow(0, 16 * index, 16), (16, 16)))
    }

    fn apply1<A: Alphabet, O: Alphabet>(&self, table: Table1<A, O>, a: &Digit<A>) -> Digit<O> {
        digit(self.look_up(&self.layers.tables[table.id as usize], &[&a.0], (1, O::ID.radix())))
    }

    fn apply2<A: Alphabet, B: Alphabet, O: Alphabet>(
        &self,
        table: Table2<A, B, O>,
        a: &Digit<A>,
        b: &Digit<B>,
    ) -> Digit<O> {
        digit(self.look_up(&self.layers.tables[table.id as usize], &[&a.0, &b.0], (1, O::ID.radix())))
    }

    fn apply3<A: Alphabet, B: Alphabet, C: Alphabet, O: Alphabet>(
        &self,
        table: Table3<A, B, C, O>,
        a: &Digit<A>,
        b: &Digit<B>,
        c: &Digit<C>,
    ) -> Digit<O> {
        let inputs = [&a.0, &b.0, &c.0];
        digit(self.look_up(&self.layers.tables[table.id as usize], &inputs, (1, O::ID.radix())))
    }

    fn apply4<A: Alphabet, B: Alphabet, C: Alphabet, D: Alphabet, O: Alphabet>(
        &self,
        table: Table4<A, B, C, D, O>,
        a: &Digit<A>,
        b: &Digit<B>,
        c: &Digit<C>,
        d: &Digit<D>,
    ) -> Digit<O> {
        let inputs = [&a.0, &b.0, &c.0, &d.0];
        digit(self.look_up(&self.layers.tables[table.id as usize], &inputs, (1, O::ID.radix())))
    }

    fn map<A: Alphabet, O: Alphabet>(&self, table: Table1<A, O>, a: &Lanes<A>) -> Lanes<O> {
        lanes(self.look_up(&self.layers.tables[table.id as usize], &[&a.0], (16, O::ID.radix())))
    }

    fn zip2<A: Alphabet, B: Alphabet, O: Alphabet>(
        &self,
        table: Table2<A, B, O>,
        a: &Lanes<A>,
        b: &Lanes<B>,
    ) -> Lanes<O> {
        lanes(self.look_up(&self.layers.tables[table.id as usize], &[&a.0, &b.0], (16, O::ID.radix())))
    }

    fn zip3<A: Alphabet, B: Alphabet, C: Alphabet, O: Alphabet>(
        &self,
        table: Table3<A, B, C, O>,
        a: &Lanes<A>,
        b: &Lanes<B>,
        c: &Lanes<C>,
    ) -> Lanes<O> {
        let inputs = [&a.0, &b.0, &c.0];
        lanes(self.look_up(&self.layers.tables[table.id as usize], &inputs, (16, O::ID.radix())))
    }

    fn zip4<A: Alphabet, B: Alphabet, C: Alphabet, D: Alphabet, O: Alphabet>(
        &self,
        table: Table4<A, B, C, D, O>,
        a: &Lanes<A>,
        b: &Lanes<B>,
        c: &Lanes<C>,
        d: &Lanes<D>,
    ) -> Lanes<O> {
        let inputs = [&a.0, &b.0, &c.0, &d.0];
        lanes(self.look_up(&self.layers.tables[table.id as usize], &inputs, (16, O::ID.radix())))
    }

    fn lane<A: Alphabet>(&self, a: &Lanes<A>, lane: usize) -> Digit<A> {
        digit(self.keep(a.0.narrow(0, lane, 1), (1, A::ID.radix())))
    }

    fn splat<A: Alphabet>(&self, a: &Digit<A>) -> Lanes<A> {
        let shape = (16, A::ID.radix());
        lanes(self.keep(a.0.broadcast_as(shape).and_then(|t| t.contiguous()), shape))
    }

    fn merge<A: Alphabet>(&self, low: &Lanes<A>, high: &Lanes<A>, count: usize) -> Lanes<A> {
        let merged = match count {
            0 => Ok(high.0.clone()),
            16 => Ok(low.0.clone()),
            _ => low.0.narrow(0, 0, count).and_then(|low| {
                let high = high.0.narrow(0, count, 16 - count)?;
                Tensor::cat(&[&low, &high], 0)
            }),
        };
        lanes(self.keep(merged, (16, A::ID.radix())))
    }

    fn shift_up<A: Alphabet>(&self, a: &Lanes<A>, count: usize, fill: &Digit<A>) -> Lanes<A> {
        lanes(self.keep(self.move_up(&a.0, count, &fill.0), (16, A::ID.radix())))
    }

    fn shift_down<A: Alphabet>(&self, a: &Lanes<A>, count: usize, fill: &Digit<A>) -> Lanes<A> {
        lanes(self.keep(self.move_down(&a.0, count, &fill.0), (16, A::ID.radix())))
    }

    fn roll_lanes<A: Alphabet>(&self, a: &Lanes<A>, count: usize) -> Lanes<A> {
        lanes(self.keep(self.roll(&a.0, 16, count), (16, A::ID.radix())))
    }

    fn roll_half_lanes<A: Alphabet>(&self, a: &Lanes<A>, count: usize) -> Lanes<A> {
        lanes(self.keep(self.roll(&a.0, 8, count), (16, A::ID.radix())))
    }

    fn reverse<A: Alphabet>(&self, a: &Lanes<A>) -> Lanes<A> {
        let reversed = a.0.contiguous().and_then(|a| a.index_select(&self.reversal, 0));
        lanes(self.keep(reversed, (16, A::ID.radix())))
    }

    fn reverse_bytes(&self, a: &Lanes<Nibble>) -> Lanes<Nibble> {
        lanes(self.keep(a.0.index_select(&self.byte_reversal, 0), (16, 16)))
    }

    fn attend<A: Alphabet, B: Alphabet, const N: usize>(
        &self,
        key: &Digit<A>,
        values: [&Lanes<B>; N],
    ) -> Lanes<B> {
        let values = self.by_position::<A, _>(&values.map(|v| &v.0));
        lanes(self.keep(self.attention(&key.0, &values), (16, B::ID.radix())))
    }

    fn attend_digit<A: Alphabet, B: Alphabet, const N: usize>(
        &self,
        key: &Digit<A>,
        values: [&Digit<B>; N],
    ) -> Digit<B> {
        let values = self.by_position::<A, _>(&values.map(|v| &v.0));
        digit(self.keep(self.attention(&key.0, &values), (1, B::ID.radix())))
    }

    fn attend_up(&self, by: &Digit<Nibble>, a: &Lanes<Nibble>, fill: &Digit<Nibble>) -> Lanes<Nibble> {
        let moved: [Lanes<Nibble>; 16] = std::array::from_fn(|count| self.shift_up(a, count, fill));
        self.attend(by, moved.each_ref())
    }

    fn attend_down(&self, by: &Digit<Nibble>, a: &Lanes<Nibble>, fill: &Digit<Nibble>) -> Lanes<Nibble> {
        let moved: [Lanes<Nibble>; 16] = std::array::from_fn(|count| self.shift_down(a, count, fill));
        self.attend(by, moved.each_ref())
    }

    fn decode(&self, phase: &Digit<Phase>, low: &Digit<Nibble>, high: &Digit<Nibble>) -> Control {
        let width = GROUPS.iter().map(|id| id.radix()).sum();
        Control(self.look_up(&self.layers.decode, &[&phase.0, &low.0, &high.0], (1, width)))
    }

    fn gates<A: Alphabet>(&self, control: &Control, group: Group<A>) -> Digit<A> {
        let start = GROUPS[..group.index].iter().map(|id| id.radix()).sum();
        digit(self.slice(&control.0, start, A::ID.radix()))
    }

    fn product_columns(&self, a: &Lanes<Nibble>, b: &Lanes<Nibble>) -> Columns {
        let columns = || {
            let a = a.0.index_select(&self.product_lanes[0], 0)?;
            let b = b.0.index_select(&self.product_lanes[1], 0)?;
            let terms = self.layers.product.hidden(&[&a, &b])?.matmul(&self.product_value)?;
            self.product_columns.matmul(&terms)
        };
        Columns(self.keep(columns(), (16, 1)))
    }

    fn settle(&self, columns: &Columns) -> [Lanes<Nibble>; 3] {
        let high = self.stair(Stair::High, &columns.0, 1);
        let rest = high.matmul(&self.remainder).and_then(|away| &columns.0 + away);
        let rest = self.keep(rest, (16, 1));
        let low = self.stair(Stair::Low, &rest, 2);
        [self.slice(&low, 0, 16), self.slice(&low, 16, 16), high].map(lanes)
    }

    fn digit_columns(&self, a: &Lanes<Nibble>, b: &Lanes<Nibble>, c: &Lanes<Nibble>) -> Columns {
        let columns = || {
            let nothing = self.zeros((1, 1));
            let mut sum = self.zeros((16, 1));
            for (place, word) in [a, b, c].into_iter().enumerate() {
                let values = word.0.matmul(&self.product_digits[place])?;
                sum = (sum + self.move_up(&values, place, &nothing)?)?;
            }
            Ok(sum)
        };
        Columns(self.keep(columns(), (16, 1)))
    }

    fn settle_small(&self, columns: &Columns) -> [Lanes<Nibble>; 2] {
        let digits = self.stair(Stair::Small, &columns.0, 2);
        [self.slice(&digits, 0, 16), self.slice(&digits, 16, 16)].map(lanes)
    }

    fn product_sums<const N: usize>(&self, a: &[Lanes<Nibble>; N], b: &[Lanes<Nibble>; N]) -> Sums {
        wide::product(self, a, b)
    }

    fn digit_sums<const N: usize>(&self, a: &[Lanes<Nibble>; N]) -> Sums {
        wide::digits(self, a, 0)
    }

    fn complement_sums<const N: usize>(&self, a: &[Lanes<Nibble>; N]) -> Sums {
        wide::digits(self, a, COMPLEMENT)
    }

    fn modulus_sums(&self, id: ModulusId, number: ModulusNumber) -> Sums {
        wide::number(self, id, number)
    }

    fn number_sums(&self, number: NumberConst) -> Sums {
        wide::constant(self, number)
    }

    fn join(&self, a: &Sums, b: &Sums) -> Sums {
        wide::join(self, a, b)
    }

    fn part(&self, sums: &Sums, from: usize, count: usize) -> Sums {
        wide::part(self, sums, from, count)
    }

    fn spread(&self, sums: &Sums, count: usize) -> Sums {
        wide::spread(self, sums, count)
    }

    fn fold(&self, id: ModulusId, sums: &Sums) -> Sums {
        wide::fold(self, id, sums)
    }

    fn residue(&self, id: ModulusId, top: &Lanes<Nibble>) -> Sums {
        wide::residue(self, id, top)
    }

    fn settle_sums(&self, sums: &Sums, word: usize) -> [Lanes<Nibble>; 2] {
        wide::settle(self, sums, word)
    }

    fn sum_columns<const N: usize>(&self, words: [&Lanes<Nibble>; N]) -> Columns {
        const { assert!(N <= ADDENDS) };
        let columns = || {
            words
                .into_iter()
                .try_fold(self.zeros((16, 1)), |sum, word| sum + word.0.matmul(&self.product_digits[0])?)
        };
        Columns(self.keep(columns(), (16, 1)))
    }
}

impl Sequencer for Dense {
    type Error = DenseError;

    fn observe(&self, bit: &Digit<Bit>, site: Site) -> Result<bool, DenseError> {
        Ok(self.letter(bit, &format!("{site:?}"))? == 1)
    }

    fn observe_gate<A: Gate>(&self, gates: &Digit<A>, site: Site) -> Result<A, DenseError> {
        Ok(A::LETTERS[self.letter(gates, &format!("{site:?}"))?])
    }
}

impl Boundary for Dense {
    fn embed(&self, value: u64) -> Lanes<Nibble> {
        let letters: Vec<u32> = (0..16).map(|lane| (value >> (4 * lane)) as u32 & 15).collect();
        lanes(self.nibbles(&letters))
    }

    fn embed_digit<A: Alphabet>(&self, letter: usize) -> Digit<A> {
        assert!(letter < A::ID.radix(), "letter {letter} of {}", A::ID.name());
        digit(self.letter_tensor(A::ID, letter))
    }

    fn read_out(&self, word: &Lanes<Nibble>) -> Result<u64, DenseError> {
        let letters = self.letters(word, "a word")?;
        Ok(letters.into_iter().enumerate().fold(0, |v, (lane, letter)| v | (letter as u64) << (4 * lane)))
    }

    fn read_digit<A: Alphabet>(&self, digit: &Digit<A>) -> Result<usize, DenseError> {
        self.letter(digit, A::ID.name())
    }
}
