//! The groups of BLS12-381 and their pairing.

use super::{
    call::{Abort, Call, Failure, Returns},
    curves::bls12_381::operations::{self, First, Read, Second},
    encoded::{Order, numbers},
    memory::{Align, Output},
};
use crate::{
    alu::wide::Number,
    machine::Lazy,
    tables::{Site, Word, catalogue::NOT_GREATER},
};

/// Words of a number.
const NUMBER: usize = 6;
/// Words of a scalar.
const SCALAR: usize = 4;
/// Words of what a pairing gives.
const PRODUCT: usize = 12 * NUMBER;

/// Which group a selector selects.
#[derive(Clone, Copy)]
enum Group {
    First,
    Second,
}

#[derive(Clone, Copy)]
enum Operation {
    Add,
    Subtract,
    Multiply,
}

/// The numbers of a point to be written; nothing where a point or a scalar is invalid.
type Answer<S> = Option<Vec<Number<S, NUMBER>>>;

impl Group {
    /// Words of a coordinate.
    fn coordinate(self) -> usize {
        match self {
            Self::First => NUMBER,
            Self::Second => 2 * NUMBER,
        }
    }

    /// Bytes of a compressed point, and of a point.
    fn sizes<S: Lazy>(self, e: &S) -> [Word<S>; 2] {
        match self {
            Self::First => [e.literal::<48>(), e.literal::<96>()],
            Self::Second => [e.literal::<96>(), e.literal::<192>()],
        }
    }

    fn cost<S: Lazy>(self, e: &S, operation: Operation) -> Word<S> {
        match (self, operation) {
            (Self::First, Operation::Add) => e.literal::<128>(),
            (Self::First, Operation::Subtract) => e.literal::<129>(),
            (Self::First, Operation::Multiply) => e.literal::<4627>(),
            (Self::Second, Operation::Add) => e.literal::<203>(),
            (Self::Second, Operation::Subtract) => e.literal::<204>(),
            (Self::Second, Operation::Multiply) => e.literal::<8255>(),
        }
    }
}

/// Words of the little order as numbers.
fn split<T>(words: &[T]) -> &[[T; NUMBER]] {
    words.as_chunks().0
}

impl<S: Lazy> Call<'_, S> {
    /// The group that the first argument selects, and the order of its numbers.
    fn bls12_381_group(&self) -> Returns<(Group, Order), S> {
        let e = self.e;
        let groups = [
            (e.literal::<5>(), e.literal::<0x85>(), Group::First),
            (e.literal::<6>(), e.literal::<0x86>(), Group::Second),
        ];
        let choice = self.choice(&self.arguments[0], &groups)?;
        choice.ok_or(Failure::Abort(Abort::InvalidAttribute))
    }

    /// Translates a point and reads it.
    fn bls12_381_point(&self, group: Group, order: Order, address: &Word<S>) -> Returns<Vec<Word<S>>, S> {
        let [_, size] = group.sizes(self.e);
        let place = self.value(false, address, &size, Align::One)?;
        let words = self.read_words(&place, 2 * group.coordinate());
        Ok(order.arrange(self.e, &words, group.coordinate()))
    }

    /// Translates the output, which lies at an address, and writes a point to it, if it is one.
    fn give_bls12_381(
        &mut self,
        group: Group,
        order: Order,
        address: &Word<S>,
        answer: Answer<S>,
    ) -> Returns<Word<S>, S> {
        let e = self.e;
        let Some(point) = answer else {
            return Ok(e.literal::<1>());
        };
        let [_, size] = group.sizes(e);
        let [to] = self.outputs([Output { address, length: &size, align: Align::One }])?;
        self.write_words(&to.place, &order.arrange(e, point.as_flattened(), group.coordinate()));
        Ok(e.literal::<0>())
    }

    /// `sol_curve_validate_point(curve, point)` for these groups.
    pub fn validate_bls12_381(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        let (group, order) = self.bls12_381_group()?;
        self.charge(&match group {
            Group::First => e.literal::<1565>(),
            Group::Second => e.literal::<1968>(),
        })?;
        let point = self.bls12_381_point(group, order, &self.arguments[1])?;
        let valid = match group {
            Group::First => self.is_member(&operations::read::<S, First>(e, split(&point)))?,
            Group::Second => self.is_member(&operations::read::<S, Second>(e, split(&point)))?,
        };
        Ok(if valid { e.literal::<0>() } else { e.literal::<1>() })
    }

    /// Whether a point is on its curve, and if so, whether it is in its group.
    fn is_member<G: operations::Group<S>>(&self, point: &Read<S, G>) -> Returns<bool, S> {
        Ok(self.observe(&point.on_curve, Site::PointValid)?
            && self.observe(&point.is_member(self.e), Site::InGroup)?)
    }

    /// `sol_curve_group_op(curve, operation, left, right, result)` for these groups.
    pub fn operate_bls12_381(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        let (group, order) = self.bls12_381_group()?;
        let [_, selector, left, right, to] = self.arguments.clone();
        let operation = if self.selects(&selector, &e.literal::<0>())? {
            Operation::Add
        } else if self.selects(&selector, &e.literal::<1>())? {
            Operation::Subtract
        } else if self.selects(&selector, &e.literal::<2>())? {
            Operation::Multiply
        } else {
            return Err(Failure::Abort(Abort::InvalidAttribute));
        };
        self.charge(&group.cost(e, operation))?;
        let left = match operation {
            Operation::Multiply => order.arrange(e, &self.address(&left)?, SCALAR),
            Operation::Add | Operation::Subtract => self.bls12_381_point(group, order, &left)?,
        };
        let right = self.bls12_381_point(group, order, &right)?;
        let result = match group {
            Group::First => self.operate::<First>(operation, &left, &right)?,
            Group::Second => self.operate::<Second>(operation, &left, &right)?,
        };
        self.give_bls12_381(group, order, &to, result)
    }

    /// What an operation gives.
    fn operate<G: operations::Group<S>>(
        &self,
        operation: Operation,
        left: &[Word<S>],
        right: &[Word<S>],
    ) -> Returns<Answer<S>, S> {
        let e = self.e;
        let q = operations::read::<S, G>(e, split(right));
        if matches!(operation, Operation::Multiply) {
            let [scalar] = numbers(left);
            let valid = self.all([&q.on_curve, &operations::is_scalar(e, &scalar)], Site::PointValid)?
                && self.observe(&q.is_member(e), Site::InGroup)?;
            return Ok(valid.then(|| operations::multiply(e, &scalar, &q)));
        }
        let p = operations::read::<S, G>(e, split(left));
        let valid = self.all([&p.on_curve, &q.on_curve], Site::PointValid)?;
        Ok(valid.then(|| match operation {
            Operation::Add => operations::add(e, &p, &q),
            Operation::Subtract | Operation::Multiply => operations::subtract(e, &p, &q),
        }))
    }

    /// `sol_curve_decompress(curve, point, result)`.
    pub fn curve_decompress(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        let (group, order) = self.bls12_381_group()?;
        let [_, from, to, ..] = self.arguments.clone();
        self.charge(&match group {
            Group::First => e.literal::<2100>(),
            Group::Second => e.literal::<3050>(),
        })?;
        let [size, _] = group.sizes(e);
        let place = self.value(false, &from, &size, Align::One)?;
        let words = self.read_words(&place, group.coordinate());
        let words = order.arrange(e, &words, group.coordinate());
        let result = match group {
            Group::First => self.decompressed(&operations::decompress::<S, First>(e, split(&words)))?,
            Group::Second => self.decompressed(&operations::decompress::<S, Second>(e, split(&words)))?,
        };
        self.give_bls12_381(group, order, &to, result)
    }

    fn decompressed<G: operations::Group<S>>(&self, point: &Read<S, G>) -> Returns<Answer<S>, S> {
        Ok(self.is_member(point)?.then(|| point.write(self.e)))
    }

    /// `sol_curve_pairing_map(curve, count, first points, second points, result)`: 1 for more than eight
    /// pairs, or points that are none of their group.
    pub fn curve_pairing_map(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        let [selector, count, first, second, to] = self.arguments.clone();
        let curves = [(e.literal::<4>(), e.literal::<0x84>(), ())];
        let Some(((), order)) = self.choice(&selector, &curves)? else {
            return Err(Failure::Abort(Abort::InvalidAttribute));
        };
        let more = self.capped_product(&e.literal::<13_023>(), &self.less_one(&count));
        self.charge(&self.capped_sum(&e.literal::<25_445>(), &more))?;
        let length = self.capped_product(&count, &e.literal::<96>());
        let first = self.bytes(&first, &length)?;
        let length = self.capped_product(&count, &e.literal::<192>());
        let second = self.bytes(&second, &length)?;
        let few = e.apply1(NOT_GREATER, &e.compare(&count, &e.literal::<8>()));
        if !self.observe(&few, Site::SliceCount)? {
            return Ok(e.literal::<1>());
        }
        let (first, second) = (self.all_words(&first)?, self.all_words(&second)?);
        let first = order.arrange(e, &first, Group::First.coordinate());
        let second = order.arrange(e, &second, Group::Second.coordinate());
        let pairs: Vec<_> = first
            .chunks(2 * Group::First.coordinate())
            .zip(second.chunks(2 * Group::Second.coordinate()))
            .map(|(p, q)| (operations::read(e, split(p)), operations::read(e, split(q))))
            .collect();
        let on_curve =
            pairs.iter().flat_map(|(p, q): &(Read<S, First>, Read<S, Second>)| [&p.on_curve, &q.on_curve]);
        if !self.all(on_curve, Site::PointValid)? {
            return Ok(e.literal::<1>());
        }
        let members: Vec<_> = pairs.iter().flat_map(|(p, q)| [p.is_member(e), q.is_member(e)]).collect();
        if !self.all(&members, Site::InGroup)? {
            return Ok(e.literal::<1>());
        }
        let product = operations::pairing(e, &pairs);
        let length = e.literal::<576>();
        let [to] = self.outputs([Output { address: &to, length: &length, align: Align::One }])?;
        let product = operations::in_order(&product);
        self.write_words(&to.place, &order.arrange(e, product.as_flattened(), PRODUCT));
        Ok(e.literal::<0>())
    }
}
