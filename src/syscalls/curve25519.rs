//! Groups over 2^255 - 19: Edwards points and Ristretto elements, 32 bytes each.

use super::{
    call::{Abort, Call, Failure, Returns},
    curves::{edwards, ristretto},
    memory::{Align, Output, Place, Slice},
};
use crate::{
    alu::{self, wide::Number},
    machine::Lazy,
    tables::{
        Site, Word,
        alphabet::{Bit, Nibble, Quarter},
        catalogue::{BIT_AND, NOT_GREATER},
    },
};

/// Which group a selector selects.
#[derive(Clone, Copy)]
enum Group {
    Edwards,
    Ristretto,
}

/// Units of the operations of a group.
struct Costs<S: Lazy> {
    validate: Word<S>,
    add: Word<S>,
    subtract: Word<S>,
    multiply: Word<S>,
    sum: Word<S>,
    sum_more: Word<S>,
}

impl Group {
    fn costs<S: Lazy>(self, e: &S) -> Costs<S> {
        match self {
            Self::Edwards => Costs {
                validate: e.literal::<159>(),
                add: e.literal::<473>(),
                subtract: e.literal::<475>(),
                multiply: e.literal::<2177>(),
                sum: e.literal::<2273>(),
                sum_more: e.literal::<758>(),
            },
            Self::Ristretto => Costs {
                validate: e.literal::<169>(),
                add: e.literal::<521>(),
                subtract: e.literal::<519>(),
                multiply: e.literal::<2208>(),
                sum: e.literal::<2303>(),
                sum_more: e.literal::<788>(),
            },
        }
    }

    fn decompress<S: Lazy>(self, e: &S, bytes: &Number<S, 4>) -> (edwards::Point<S>, S::Digit<Bit>) {
        match self {
            Self::Edwards => edwards::decompress(e, bytes),
            Self::Ristretto => ristretto::decompress(e, bytes),
        }
    }

    fn compress<S: Lazy>(self, e: &S, point: &edwards::Point<S>) -> Number<S, 4> {
        match self {
            Self::Edwards => edwards::compress(e, point),
            Self::Ristretto => ristretto::compress(e, point),
        }
    }
}

impl<S: Lazy> Call<'_, S> {
    /// The group that the first argument selects, if it is one of these.
    fn group(&self) -> Returns<Option<Group>, S> {
        let selector = &self.arguments[0];
        if self.selects(selector, &self.e.literal::<0>())? {
            return Ok(Some(Group::Edwards));
        }
        Ok(self.selects(selector, &self.e.literal::<1>())?.then_some(Group::Ristretto))
    }

    /// `sol_curve_validate_point(curve, point)`.
    pub fn curve_validate_point(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        let Some(group) = self.group()? else { return self.validate_bls12_381() };
        self.charge(&group.costs(e).validate)?;
        let point = self.address(&self.arguments[1])?;
        let (_, valid) = group.decompress(e, &point);
        Ok(self.number(&self.not(&valid)))
    }

    /// `sol_curve_group_op(curve, operation, left, right, result)`.
    pub fn curve_group_op(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        let Some(group) = self.group()? else { return self.operate_bls12_381() };
        let costs = group.costs(e);
        let [_, operation, left, right, _] = self.arguments.clone();
        let read = |call: &mut Self, cost: &Word<S>| {
            call.charge(cost)?;
            Ok((call.address(&left)?, call.address(&right)?))
        };
        let result = if self.selects(&operation, &e.literal::<2>())? {
            let (scalar, point) = read(self, &costs.multiply)?;
            let (point, valid) = group.decompress(e, &point);
            if !self.all([&valid, &edwards::is_scalar(e, &scalar)], Site::PointValid)? {
                return Ok(e.literal::<1>());
            }
            edwards::multiply(e, &scalar, &point)
        } else {
            let adds = self.selects(&operation, &e.literal::<0>())?;
            if !adds && !self.selects(&operation, &e.literal::<1>())? {
                return Err(Failure::Abort(Abort::InvalidAttribute));
            }
            let (left, right) = read(self, if adds { &costs.add } else { &costs.subtract })?;
            let ((p, first), (q, second)) = (group.decompress(e, &left), group.decompress(e, &right));
            if !self.all([&first, &second], Site::PointValid)? {
                return Ok(e.literal::<1>());
            }
            if adds { edwards::add(e, &p, &q) } else { edwards::subtract(e, &p, &q) }
        };
        self.give(group, &result)
    }

    /// Writes a point to the last argument.
    fn give(&mut self, group: Group, point: &edwards::Point<S>) -> Returns<Word<S>, S> {
        let e = self.e;
        let (to, length) = (self.arguments[4].clone(), e.literal::<32>());
        let [to] = self.outputs([Output { address: &to, length: &length, align: Align::One }])?;
        let bytes = group.compress(e, point);
        self.write_words(&to.place, &bytes);
        Ok(e.literal::<0>())
    }

    /// `sol_curve_multiscalar_mul(curve, scalars, points, count, result)`.
    pub fn curve_multiscalar_mul(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        let [_, scalars, points, count, _] = self.arguments.clone();
        let few = e.apply1(NOT_GREATER, &e.compare(&count, &e.literal::<512>()));
        if !self.observe(&few, Site::SliceCount)? {
            return Err(Failure::Abort(Abort::InvalidLength));
        }
        let Some(group) = self.group()? else { return Err(Failure::Abort(Abort::InvalidAttribute)) };
        let costs = group.costs(e);
        let more = self.less_one(&count);
        self.charge(&alu::add(e, &costs.sum, &alu::multiply(e, &costs.sum_more, &more)))?;
        let length = e.shift_left(&count, &e.digit::<Nibble, 1>(), &e.digit::<Quarter, 1>());
        let (scalars, points) = (self.bytes(&scalars, &length)?, self.bytes(&points, &length)?);
        let (scalars, points) = (self.numbers(&scalars)?, self.numbers(&points)?);
        let mut valid = e.digit::<Bit, 1>();
        let mut terms = Vec::with_capacity(points.len());
        for (scalar, point) in scalars.iter().zip(&points) {
            let (point, found) = group.decompress(e, point);
            valid = e.apply2(BIT_AND, &valid, &e.apply2(BIT_AND, &found, &edwards::is_scalar(e, scalar)));
            terms.push((scalar, point));
        }
        if !self.observe(&valid, Site::PointValid)? {
            return Ok(e.literal::<1>());
        }
        let terms: Vec<_> = terms.iter().map(|(scalar, point)| (*scalar, point)).collect();
        let sum = edwards::multiply_all(e, &terms);
        self.give(group, &sum)
    }

    /// The numbers of 32 bytes in a range.
    fn numbers(&self, slice: &Slice<S>) -> Returns<Vec<Number<S, 4>>, S> {
        let e = self.e;
        let (mut place, mut left) = (slice.place.clone(), slice.length.clone());
        let mut numbers = Vec::new();
        while !self.observe(&e.is_zero(&left), Site::NothingLeft)? {
            numbers.push(self.read_32(&place));
            left = alu::subtract(e, &left, &e.literal::<32>());
            place = Place { region: place.region, offset: alu::add(e, &place.offset, &e.literal::<32>()) };
        }
        Ok(numbers)
    }
}
