//! The groups of BN254 and their pairing.

use super::{
    call::{Abort, Call, Failure, Returns},
    curves::bn254::operations::{self, G1, G2, Read1, Read2},
    encoded::{Order, numbers},
    memory::{Align, Output, Slice},
};
use crate::{
    alu,
    machine::Lazy,
    tables::{Evaluator, Site, Word, alphabet::Bit},
};

/// Words of a number.
const NUMBER: usize = 4;
/// Words of an element of the quadratic extension.
const PAIR: usize = 2 * NUMBER;
/// Words of a point of the first group.
const POINT_1: usize = 2 * NUMBER;
/// Words of a point of the second group.
const POINT_2: usize = 2 * PAIR;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Add1,
    Add2,
    Multiply1,
    Multiply2,
    Pairing,
}

#[derive(Clone, Copy)]
enum Conversion {
    Compress1,
    Compress2,
    Decompress1,
    Decompress2,
}

/// Words to be written, and whether they mean anything.
type Answer<S> = (Vec<Word<S>>, <S as Evaluator>::Digit<Bit>);

/// A point of the first group as it stands in memory.
fn encoded_1<S: Lazy>(e: &S, order: Order, words: &[Word<S>]) -> G1<S> {
    numbers(&order.arrange(e, words, NUMBER))
}

/// A point of the second group as it stands in memory.
fn encoded_2<S: Lazy>(e: &S, order: Order, words: &[Word<S>]) -> G2<S> {
    numbers(&order.arrange(e, words, PAIR))
}

fn point_1<S: Lazy>(e: &S, order: Order, words: &[Word<S>]) -> Read1<S> {
    operations::read_g1(e, &encoded_1(e, order, words))
}

fn point_2<S: Lazy>(e: &S, order: Order, words: &[Word<S>]) -> Read2<S> {
    operations::read_g2(e, &encoded_2(e, order, words))
}

impl<S: Lazy> Call<'_, S> {
    /// `sol_alt_bn128_group_op(operation, input, length, result)`: 1 for an input that is not what the
    /// operation takes.
    pub fn alt_bn128_group_op(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        let [selector, input, length, to, _] = self.arguments.clone();
        let operations = [
            (e.literal::<0x80>(), e.literal::<0>(), Operation::Add1),
            (e.literal::<0x82>(), e.literal::<2>(), Operation::Multiply1),
            (e.literal::<0x83>(), e.literal::<3>(), Operation::Pairing),
            (e.literal::<0x84>(), e.literal::<4>(), Operation::Add2),
            (e.literal::<0x86>(), e.literal::<6>(), Operation::Multiply2),
        ];
        let Some((operation, order)) = self.choice(&selector, &operations)? else {
            return Err(Failure::Abort(Abort::InvalidAttribute));
        };
        let (cost, result, words, size) = match operation {
            Operation::Add1 => (e.literal::<334>(), e.literal::<64>(), 2 * POINT_1, e.literal::<128>()),
            Operation::Add2 => (e.literal::<535>(), e.literal::<128>(), 2 * POINT_2, e.literal::<256>()),
            Operation::Multiply1 => {
                (e.literal::<3840>(), e.literal::<64>(), POINT_1 + NUMBER, e.literal::<96>())
            }
            Operation::Multiply2 => {
                (e.literal::<15_670>(), e.literal::<128>(), POINT_2 + NUMBER, e.literal::<160>())
            }
            Operation::Pairing => {
                (self.pairing_cost(&length), e.literal::<32>(), POINT_1 + POINT_2, e.literal::<192>())
            }
        };
        self.charge(&cost)?;
        let [to] = self.outputs([Output { address: &to, length: &result, align: Align::One }])?;
        let input = self.bytes(&input, &length)?;
        let input = if operation == Operation::Pairing {
            let (_, rest) = alu::divide(e, &length, &size);
            if !self.observe(&e.is_zero(&rest), Site::InputLength)? {
                return Ok(e.literal::<1>());
            }
            self.all_words(&input)?
        } else {
            let in_first = matches!(operation, Operation::Add1 | Operation::Multiply1);
            let may_be_shorter = in_first && order == Order::Big;
            let Some(input) = self.exactly(&input, (words, &size), may_be_shorter)? else {
                return Ok(e.literal::<1>());
            };
            input
        };
        let result = self.compute(operation, order, &input)?;
        self.answer(&to, result)
    }

    /// 36364 for a pair, 12121 for each more, and a hash of the input.
    fn pairing_cost(&self, length: &Word<S>) -> Word<S> {
        let e = self.e;
        let (pairs, _) = alu::divide(e, length, &e.literal::<192>());
        let more = self.capped_product(&e.literal::<12_121>(), &self.less_one(&pairs));
        let cost = self.capped_sum(&e.literal::<36_364>(), &more);
        let cost = self.capped_sum(&cost, &e.literal::<85>());
        self.capped_sum(&self.capped_sum(&cost, length), &e.literal::<32>())
    }

    /// What an operation gives; nothing where a point is invalid.
    fn compute(
        &self,
        operation: Operation,
        order: Order,
        input: &[Word<S>],
    ) -> Returns<Option<Vec<Word<S>>>, S> {
        let e = self.e;
        let scalar = |words| {
            let [scalar] = numbers(&order.arrange(e, words, NUMBER));
            scalar
        };
        Ok(Some(match operation {
            Operation::Add1 => {
                let (p, q) = input.split_at(POINT_1);
                let [p, q] = [p, q].map(|point| point_1(e, order, point));
                if !self.all([&p.on_curve, &q.on_curve], Site::PointValid)? {
                    return Ok(None);
                }
                order.arrange(e, operations::add_g1(e, &p, &q).as_flattened(), NUMBER)
            }
            Operation::Add2 => {
                let (p, q) = input.split_at(POINT_2);
                let [p, q] = [p, q].map(|point| point_2(e, order, point));
                if !self.all([&p.on_curve, &q.on_curve], Site::PointValid)? {
                    return Ok(None);
                }
                order.arrange(e, operations::add_g2(e, &p, &q).as_flattened(), PAIR)
            }
            Operation::Multiply1 => {
                let (p, by) = input.split_at(POINT_1);
                let p = point_1(e, order, p);
                if !self.observe(&p.on_curve, Site::PointValid)? {
                    return Ok(None);
                }
                order.arrange(e, operations::multiply_g1(e, &p, &scalar(by)).as_flattened(), NUMBER)
            }
            Operation::Multiply2 => {
                let (p, by) = input.split_at(POINT_2);
                let p = point_2(e, order, p);
                if !self.observe(&p.on_curve, Site::PointValid)?
                    || !self.observe(&operations::is_member(e, &p), Site::InGroup)?
                {
                    return Ok(None);
                }
                order.arrange(e, operations::multiply_g2(e, &p, &scalar(by)).as_flattened(), PAIR)
            }
            Operation::Pairing => {
                let read = |pair: &[Word<S>]| {
                    let (p, q) = pair.split_at(POINT_1);
                    (point_1(e, order, p), point_2(e, order, q))
                };
                let pairs: Vec<_> = input.chunks_exact(POINT_1 + POINT_2).map(read).collect();
                let on_curve = pairs.iter().flat_map(|(p, q)| [&p.on_curve, &q.on_curve]);
                if !self.all(on_curve, Site::PointValid)? {
                    return Ok(None);
                }
                let members: Vec<_> = pairs.iter().map(|(_, q)| operations::is_member(e, q)).collect();
                if !self.all(&members, Site::InGroup)? {
                    return Ok(None);
                }
                let (one, zero) = (self.number(&operations::check_pairing(e, &pairs)), e.literal::<0>());
                order.arrange(e, &[one, zero.clone(), zero.clone(), zero], NUMBER)
            }
        }))
    }

    /// `sol_alt_bn128_compression(operation, input, length, result)`: 1 for an input that is no point's.
    pub fn alt_bn128_compression(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        let [selector, input, length, to, _] = self.arguments.clone();
        let conversions = [
            (e.literal::<0x80>(), e.literal::<0>(), Conversion::Compress1),
            (e.literal::<0x81>(), e.literal::<1>(), Conversion::Decompress1),
            (e.literal::<0x82>(), e.literal::<2>(), Conversion::Compress2),
            (e.literal::<0x83>(), e.literal::<3>(), Conversion::Decompress2),
        ];
        let Some((conversion, order)) = self.choice(&selector, &conversions)? else {
            return Err(Failure::Abort(Abort::InvalidAttribute));
        };
        let (cost, result, words, size) = match conversion {
            Conversion::Compress1 => (e.literal::<130>(), e.literal::<32>(), POINT_1, e.literal::<64>()),
            Conversion::Decompress1 => (e.literal::<498>(), e.literal::<64>(), NUMBER, e.literal::<32>()),
            Conversion::Compress2 => (e.literal::<186>(), e.literal::<64>(), POINT_2, e.literal::<128>()),
            Conversion::Decompress2 => (e.literal::<13_710>(), e.literal::<128>(), PAIR, e.literal::<64>()),
        };
        self.charge(&cost)?;
        let [to] = self.outputs([Output { address: &to, length: &result, align: Align::One }])?;
        let input = self.bytes(&input, &length)?;
        let Some(input) = self.exactly(&input, (words, &size), false)? else {
            return Ok(e.literal::<1>());
        };
        let (words, valid) = convert(e, conversion, order, &input);
        let result = self.observe(&valid, Site::PointValid)?.then_some(words);
        self.answer(&to, result)
    }

    /// Writes a result if there is one.
    fn answer(&mut self, to: &Slice<S>, result: Option<Vec<Word<S>>>) -> Returns<Word<S>, S> {
        let Some(words) = result else {
            return Ok(self.e.literal::<1>());
        };
        self.write_words(&to.place, &words);
        Ok(self.e.literal::<0>())
    }
}

/// The other encoding of a point.
fn convert<S: Lazy>(e: &S, conversion: Conversion, order: Order, input: &[Word<S>]) -> Answer<S> {
    match conversion {
        Conversion::Compress1 => {
            let (x, valid) = operations::compress_g1(e, &encoded_1(e, order, input));
            (order.arrange(e, &x, NUMBER), valid)
        }
        Conversion::Decompress1 => {
            let [x] = numbers(&order.arrange(e, input, NUMBER));
            let (point, valid) = operations::decompress_g1(e, &x);
            (order.arrange(e, point.as_flattened(), NUMBER), valid)
        }
        Conversion::Compress2 => {
            let (x, valid) = operations::compress_g2(e, &encoded_2(e, order, input));
            (order.arrange(e, x.as_flattened(), PAIR), valid)
        }
        Conversion::Decompress2 => {
            let x = numbers(&order.arrange(e, input, PAIR));
            let (point, valid) = operations::decompress_g2(e, &x);
            (order.arrange(e, point.as_flattened(), PAIR), valid)
        }
    }
}
