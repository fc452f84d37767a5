//! Verification by exhaustion: everything `Indexed` uses, compared with the tensors run through candle.
//!
//! Tables are run on every input, staircases on every integer they admit, linear layers on every basis
//! vector. The forms `Indexed` fuses out of single rows are compared with the shallow forms on every
//! input of a row.

use super::{
    alphabet::{AlphabetId, Bit, Carry, Nibble, Quarter},
    catalogue::{AND, CHI, CHOOSE, OR, TableId, XOR},
    decode::GROUPS,
    dense::{Dense, DenseError},
    evaluator::{ADDENDS, Boundary, Evaluator, Word},
    indexed::{Indexed, row_index},
    shallow,
    stairs::Stair,
    weights::{PRODUCT_TERMS, Weights, WeightsError},
};
use candle_core::Tensor;

/// What was compared: the name of a layer or form, and how many inputs.
pub type Checked = (String, usize);

/// Why weights are not verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The weights cannot be used at all.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The tensors cannot be run.
    #[error(transparent)]
    Dense(#[from] DenseError),
    /// The tensors and the rows disagree.
    #[error("{name}: input {input}: candle shows {dense:?}, the row says {indexed:?}")]
    Differs {
        /// Layer or form.
        name: String,
        /// Number of the input.
        input: usize,
        /// What the tensors answer.
        dense: Vec<f32>,
        /// What the row answers.
        indexed: Vec<f32>,
    },
}

impl From<candle_core::Error> for VerifyError {
    fn from(error: candle_core::Error) -> Self {
        Self::Dense(DenseError::Candle(error.to_string()))
    }
}

/// Compares everything `Indexed` uses with the tensors, reporting each layer as it is done.
///
/// # Errors
/// The first difference, or what keeps the weights from being used.
pub fn verify(weights: &Weights, mut progress: impl FnMut(&Checked)) -> Result<Vec<Checked>, VerifyError> {
    let check = Check { dense: Dense::new(weights)?, indexed: Indexed::new(weights)? };
    let mut done = Vec::new();
    let mut note = |checked: Checked| {
        progress(&checked);
        done.push(checked);
    };
    for id in TableId::ALL {
        note(check.table(id)?);
    }
    note(check.decode()?);
    for checked in check.linear()? {
        note(checked);
    }
    for checked in check.stairs()? {
        note(checked);
    }
    for checked in check.wide()? {
        note(checked);
    }
    for checked in check.fused()? {
        note(checked);
    }
    Ok(done)
}

pub(super) struct Check {
    pub(super) dense: Dense,
    pub(super) indexed: Indexed,
}

/// Fails unless both answers are the same numbers.
pub(super) fn equal(name: &str, input: usize, dense: &[f32], indexed: Vec<f32>) -> Result<(), VerifyError> {
    if dense == indexed {
        return Ok(());
    }
    Err(VerifyError::Differs { name: name.into(), input, dense: dense.to_vec(), indexed })
}

fn hot(radix: usize, position: usize) -> Vec<f32> {
    (0..radix).map(|i| if i == position { 1.0 } else { 0.0 }).collect()
}

/// Every combination of positions.
fn combinations(inputs: &[AlphabetId]) -> impl Iterator<Item = Vec<usize>> {
    let total: usize = inputs.iter().map(|id| id.radix()).product();
    (0..total).map(move |mut rest| {
        inputs
            .iter()
            .map(|id| {
                let position = rest % id.radix();
                rest /= id.radix();
                position
            })
            .collect()
    })
}

impl Check {
    /// One-hot rows for combinations of positions, shape \[combinations, width\].
    fn batch(&self, inputs: &[AlphabetId]) -> candle_core::Result<Tensor> {
        let mut data = Vec::new();
        let width: usize = inputs.iter().map(|id| id.radix()).sum();
        let mut count = 0usize;
        for positions in combinations(inputs) {
            count += 1;
            for (id, position) in inputs.iter().zip(positions) {
                data.extend(hot(id.radix(), position));
            }
        }
        Tensor::from_vec(data, (count, width), self.dense.device())
    }

    fn table(&self, id: TableId) -> Result<Checked, VerifyError> {
        let spec = id.spec();
        let answers =
            self.dense.layers.tables[id as usize].run(&[&self.batch(spec.inputs)?])?.to_vec2::<f32>()?;
        for (input, positions) in combinations(spec.inputs).enumerate() {
            let row = self.indexed.rows.answer(id, row_index(spec.inputs, &positions));
            equal(spec.name, input, &answers[input], hot(spec.output.radix(), usize::from(row)))?;
        }
        Ok((format!("table.{}", spec.name), answers.len()))
    }

    fn decode(&self) -> Result<Checked, VerifyError> {
        let inputs = [AlphabetId::Phase, AlphabetId::Nibble, AlphabetId::Nibble];
        let answers = self.dense.layers.decode.run(&[&self.batch(&inputs)?])?.to_vec2::<f32>()?;
        for (input, x) in combinations(&inputs).enumerate() {
            let row = self.indexed.rows.decode[x[0] << 8 | x[2] << 4 | x[1]];
            let gates = GROUPS.iter().enumerate();
            let gates =
                gates.flat_map(|(group, id)| hot(id.radix(), usize::from(row.position(group)))).collect();
            equal("decode", input, &answers[input], gates)?;
        }
        Ok(("table.decode".into(), answers.len()))
    }

    fn linear(&self) -> Result<Vec<Checked>, VerifyError> {
        let rows = &self.indexed.rows;
        let pairs = [AlphabetId::Nibble; 2];
        let hidden = self.dense.layers.product.hidden(&[&self.batch(&pairs)?])?;
        let values = hidden.matmul(&self.dense.product_value)?.to_vec2::<f32>()?;
        for (input, x) in combinations(&pairs).enumerate() {
            equal("product.value", input, &values[input], vec![rows.product[x[0] | x[1] << 4] as f32])?;
        }
        let basis = Tensor::eye(PRODUCT_TERMS, candle_core::DType::F32, self.dense.device())?;
        let columns = self.dense.product_columns.matmul(&basis)?.t()?.to_vec2::<f32>()?;
        for (term, places) in rows.columns.iter().enumerate() {
            equal("product.columns", term, &columns[term], places.iter().map(|c| *c as f32).collect())?;
        }
        let digits = Tensor::eye(16, candle_core::DType::F32, self.dense.device())?;
        for place in 0..3 {
            let values = digits.matmul(&self.dense.product_digits[place])?.to_vec2::<f32>()?;
            for (position, value) in values.iter().enumerate() {
                equal("product.digits", position, value, vec![rows.digits[place][position] as f32])?;
            }
        }
        Ok(vec![
            ("product.value".into(), values.len()),
            ("product.columns".into(), PRODUCT_TERMS),
            ("product.digits".into(), 48),
        ])
    }

    fn stairs(&self) -> Result<Vec<Checked>, VerifyError> {
        let rows = &self.indexed.rows;
        let run = |stair: Stair, input: &Tensor| self.dense.layers.stairs[stair as usize].run(&[input]);
        let integers = |limit: usize| {
            let values: Vec<f32> = (0..limit).map(|x| x as f32).collect();
            Tensor::from_vec(values, (limit, 1), self.dense.device())
        };
        let limit = Stair::High.limit();
        let columns = integers(limit)?;
        let high = run(Stair::High, &columns)?;
        // The rest is taken away as the circuit takes it, so that the remainder's coefficients are run.
        let low = run(Stair::Low, &(&columns + high.matmul(&self.dense.remainder)?)?)?;
        let shown = Tensor::cat(&[&low, &high], 1)?.to_vec2::<f32>()?;
        for (x, digits) in shown.iter().enumerate() {
            let row = rows.settle[x];
            let expected = (0..3).flat_map(|place| hot(16, usize::from(row >> (4 * place) & 15))).collect();
            equal("stair.high and stair.low", x, digits, expected)?;
        }
        let small = run(Stair::Small, &integers(Stair::Small.limit())?)?.to_vec2::<f32>()?;
        for (x, digits) in small.iter().enumerate() {
            let row = usize::from(rows.settle_small[x]);
            equal("stair.small", x, digits, [hot(16, row & 15), hot(16, row >> 4)].concat())?;
        }
        Ok(vec![("stair.high and stair.low".into(), limit), ("stair.small".into(), small.len())])
    }

    /// Fails unless two words are the same.
    fn same(&self, name: &str, input: usize, ours: Seen, shallow: Seen) -> Result<(), VerifyError> {
        if ours == shallow {
            return Ok(());
        }
        let numbers = |(word, digit): Seen| vec![word as f32, digit as f32];
        let (dense, indexed) = (numbers(shallow), numbers(ours));
        Err(VerifyError::Differs { name: name.into(), input, dense, indexed })
    }

    fn seen(&self, (word, digit): (Word<Indexed>, <Indexed as Evaluator>::Digit<Bit>)) -> Seen {
        (self.indexed.letters(word), self.indexed.index(&digit))
    }

    fn word(&self, word: Word<Indexed>) -> Seen {
        (self.indexed.letters(word), 0)
    }

    /// Fused forms against shallow forms.
    fn fused(&self) -> Result<Vec<Checked>, VerifyError> {
        let e = &self.indexed;
        let bits = [0, 1].map(|bit| e.embed_digit::<Bit>(bit));
        for pair in 0..1 << 16 {
            let (a, b) = (e.embed(pair & 255), e.embed(pair >> 8));
            let input = pair as usize;
            for bit in &bits {
                self.same(
                    "add",
                    input,
                    self.seen(e.add_words(&a, &b, bit)),
                    self.seen(shallow::add_words(e, &a, &b, bit)),
                )?;
                self.same(
                    "subtract",
                    input,
                    self.seen(e.sub_words(&a, &b, bit)),
                    self.seen(shallow::sub_words(e, &a, &b, bit)),
                )?;
            }
            for table in [AND, OR, XOR] {
                let [low, high] = [0, 1].map(|lane| e.apply2(table, &e.lane(&a, lane), &e.lane(&b, lane)));
                let zero = e.apply2(table, &e.digit::<Nibble, 0>(), &e.digit::<Nibble, 0>());
                let both = e.merge(&e.splat(&low), &e.merge(&e.splat(&high), &e.splat(&zero), 2), 1);
                self.same("bitwise", input, self.word(e.zip2(table, &a, &b)), self.word(both))?;
            }
            let four = e.embed(pair);
            let zero = |bit| (0, e.index(&bit));
            self.same("is_zero", input, zero(e.is_zero(&four)), zero(shallow::is_zero(e, &four)))?;
            self.same(
                "decrement",
                input,
                self.seen(e.decrement(&four)),
                self.seen(shallow::decrement(e, &four)),
            )?;
            self.same(
                "increment",
                input,
                self.word(e.increment(&four)),
                self.word(shallow::increment(e, &four)),
            )?;
        }
        let mut done: Vec<Checked> = ["add", "subtract", "and, or, xor", "is_zero, increment, decrement"]
            .map(|n| (n.into(), 1 << 16))
            .into();
        done.push(self.carries()?);
        done.push(self.shifts()?);
        done.push(self.sums()?);
        done.push(self.rolls()?);
        done.push(self.triples()?);
        Ok(done)
    }

    /// Carries through eight bytes: every combination of behaviours, every carry in.
    fn carries(&self) -> Result<Checked, VerifyError> {
        let e = &self.indexed;
        let combinations = 3usize.pow(8);
        for input in 0..combinations {
            let letter = |byte: u32| input / 3usize.pow(byte) % 3;
            let build = |pairs: [(u64, u64); 3]| {
                let pick = |byte: u32| pairs[letter(byte)];
                let join = |part: fn((u64, u64)) -> u64| {
                    e.embed((0..8).fold(0, |word, byte| word | part(pick(byte)) << (8 * byte)))
                };
                (join(|pair| pair.0), join(|pair| pair.1))
            };
            // A byte that stops, passes on, and makes a carry.
            let (a, b) = build([(0x12, 0x34), (0xa5, 0x5a), (0x9c, 0x7d)]);
            let (c, d) = build([(0x43, 0x12), (0x77, 0x77), (0x12, 0x43)]);
            for bit in [0, 1].map(|bit| e.embed_digit::<Bit>(bit)) {
                self.same(
                    "carries of add",
                    input,
                    self.seen(e.add_words(&a, &b, &bit)),
                    self.seen(shallow::add_words(e, &a, &b, &bit)),
                )?;
                self.same(
                    "borrows of subtract",
                    input,
                    self.seen(e.sub_words(&c, &d, &bit)),
                    self.seen(shallow::sub_words(e, &c, &d, &bit)),
                )?;
            }
            let order = |digit| (0, e.index::<Carry>(&digit));
            self.same("compare", input, order(e.compare(&c, &d)), order(shallow::compare(e, &c, &d)))?;
        }
        Ok(("carries, borrows, compare".into(), combinations))
    }

    /// Sums: every activation that as many bytes as may be can have, in every byte of the words.
    fn sums(&self) -> Result<Checked, VerifyError> {
        let e = &self.indexed;
        let most = 255 * ADDENDS;
        for input in 0..=most {
            let words: [Word<Indexed>; ADDENDS] = std::array::from_fn(|i| {
                let byte = input.saturating_sub(255 * i).min(255);
                e.embed(byte as u64 * 0x0101_0101_0101_0101)
            });
            let words = words.each_ref();
            let (sum, halves) = (shallow::sum_words(e, words), shallow::sum_halves(e, words));
            self.same("sum_words", input, self.word(e.sum_words(words)), self.word(sum))?;
            self.same("sum_halves", input, self.word(e.sum_halves(words)), self.word(halves))?;
        }
        Ok(("sum_words, sum_halves".into(), most + 1))
    }

    /// Fixed rotations: every byte with every digit above it, at every count below a digit.
    fn rolls(&self) -> Result<Checked, VerifyError> {
        fn roll<const N: usize, const M: usize>(check: &Check, a: &Word<Indexed>, input: usize) -> Outcome {
            let e = &check.indexed;
            let word = |word| check.word(word);
            check.same("roll", input, word(e.roll::<N>(a)), word(shallow::roll::<_, N>(e, a)))?;
            let halves = shallow::roll_halves::<_, N, M>(e, a);
            check.same("roll_halves", input, word(e.roll_halves::<N, M>(a)), word(halves))?;
            let down = shallow::shift_halves::<_, N>(e, a);
            check.same("shift_halves", input, word(e.shift_halves::<N>(a)), word(down))
        }
        let windows = 1 << 12;
        for input in 0..windows {
            let bits = input as u64;
            let a = self.indexed.embed(bits | bits << 28 | bits << 50);
            roll::<1, 2>(self, &a, input)?;
            roll::<2, 3>(self, &a, input)?;
            roll::<3, 1>(self, &a, input)?;
        }
        Ok(("roll, roll_halves, shift_halves".into(), 3 * windows))
    }

    /// Tables of three nibbles on words: every triple in the even lanes, the same in another order in
    /// the odd ones.
    fn triples(&self) -> Result<Checked, VerifyError> {
        let e = &self.indexed;
        let triples = 1usize << 12;
        for input in 0..triples {
            let x = [input & 15, input >> 4 & 15, input >> 8];
            let digits = x.map(|letter| e.embed_digit::<Nibble>(letter));
            let words: [Word<Indexed>; 3] =
                std::array::from_fn(|i| e.embed((x[i] | x[(i + 1) % 3] << 4) as u64 * 0x0101_0101_0101_0101));
            for table in [CHOOSE, CHI] {
                let single = [0, 1].map(|i| {
                    let answer = e.apply3(table, &digits[i], &digits[i + 1], &digits[(i + 2) % 3]);
                    e.index(&answer)
                });
                let expected = ((single[0] | single[1] << 4) as u64 * 0x0101_0101_0101_0101, 0);
                let both = e.zip3(table, &words[0], &words[1], &words[2]);
                self.same("choose, chi", input, self.word(both), expected)?;
            }
        }
        Ok(("choose, chi".into(), triples))
    }

    /// Shifts: every pair of neighbouring bytes at every count.
    fn shifts(&self) -> Result<Checked, VerifyError> {
        let e = &self.indexed;
        let mut inputs = 0;
        for pair in 0..1u64 << 12 {
            let a = e.embed(pair << 20 | pair << 44);
            for count in 0..64 {
                let digits = e.embed_digit::<Nibble>(count >> 2);
                let bits = e.embed_digit::<Quarter>(count & 3);
                let input = (pair as usize) << 6 | count;
                inputs += 1;
                self.same(
                    "shift_left",
                    input,
                    self.word(e.shift_left(&a, &digits, &bits)),
                    self.word(shallow::shift_left(e, &a, &digits, &bits)),
                )?;
                for fill in [0, 15].map(|letter| e.embed_digit::<Nibble>(letter)) {
                    self.same(
                        "shift_right",
                        input,
                        self.word(e.shift_right(&a, &digits, &bits, &fill)),
                        self.word(shallow::shift_right(e, &a, &digits, &bits, &fill)),
                    )?;
                }
            }
        }
        Ok(("shift_left, shift_right".into(), inputs))
    }
}

/// The result of one comparison.
type Outcome = Result<(), VerifyError>;

/// A word's value and a digit's letter.
type Seen = (u64, usize);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Labels;

    #[test]
    fn the_weights_verify() {
        let checked = verify(&Weights::generate(), |_| ()).unwrap();
        let tables = checked.iter().filter(|(name, _)| name.starts_with("table.")).count();
        assert_eq!(tables, TableId::ALL.len() + 1);
        let prefix = checked.iter().find(|(name, _)| name == "table.prefix").unwrap();
        assert_eq!(prefix.1, 81);
    }

    #[test]
    fn other_labels_verify() {
        let labels = Labels::from_positions(|id| (0..id.radix()).rev().collect()).unwrap();
        verify(&Weights::generate_labelled(&labels), |_| ()).unwrap();
    }

    #[test]
    fn a_spoiled_answer_that_is_still_one_hot_verifies_as_what_it_is() {
        // Verification compares the rows with the tensors, not with what they should say: that is for
        // the differential suites.
        let mut weights = Weights::generate();
        let answer = weights.get_mut("table.xor.w2").unwrap();
        let unit = (0..16).find(|&digit| answer.at_mut(digit, 7).to_bits() == 1f32.to_bits()).unwrap();
        *answer.at_mut(unit, 7) = 0.0;
        *answer.at_mut((unit + 1) % 16, 7) = 1.0;
        verify(&weights, |_| ()).unwrap();
    }

    #[test]
    fn a_quarter_too_much_is_an_error() {
        for name in ["table.add.w2", "table.prefix.w1", "table.decode.b1", "stair.low.w2", "product.value"] {
            let mut weights = Weights::generate();
            weights.get_mut(name).unwrap().data[3] += 0.25;
            assert!(verify(&weights, |_| ()).is_err(), "{name}");
        }
    }
}
