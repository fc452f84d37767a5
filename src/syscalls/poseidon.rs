//! Poseidon over the scalar field of BN254.

use super::{
    call::{Abort, Call, Failure, Returns},
    curves::poseidon,
    encoded::numbers,
    memory::{Align, Output},
    text::Line,
};
use crate::{
    alu::{self, wide::Number},
    machine::Lazy,
    tables::{
        Site, Word,
        alphabet::Bit,
        catalogue::{BIT_AND, NOT_GREATER},
    },
};

impl<S: Lazy> Call<'_, S> {
    /// `sol_poseidon(parameters, order, inputs, count, hash)`: 1 if there is no input, or one is no
    /// canonical element of 32 bytes.
    pub fn poseidon(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        let [parameters, order, inputs, count, to] = self.arguments.clone();
        if !self.selects(&parameters, &e.literal::<0>())? {
            return Err(Failure::Abort(Abort::PoseidonParameters));
        }
        let orders = [(e.literal::<1>(), e.literal::<0>(), ())];
        let Some(((), order)) = self.choice(&order, &orders)? else {
            return Err(Failure::Abort(Abort::PoseidonOrder));
        };
        let few = e.apply1(NOT_GREATER, &e.compare(&count, &e.literal::<12>()));
        if !self.observe(&few, Site::SliceCount)? {
            let mut line = Line::new("Poseidon hashing ");
            line.decimal(e, &count);
            line.fixed(" sequences is not supported");
            self.context.log.push(line);
            return Err(Failure::Abort(Abort::InvalidLength));
        }
        let square = alu::multiply(e, &count, &count);
        self.charge(&alu::add(e, &alu::multiply(e, &e.literal::<61>(), &square), &e.literal::<542>()))?;
        let thirty_two = e.literal::<32>();
        let [to] = self.outputs([Output { address: &to, length: &thirty_two, align: Align::One }])?;
        let inputs = self.pairs(&inputs, &count)?;
        let mut all_fit = true;
        let mut elements: Vec<Number<S, 4>> = Vec::new();
        // Every input is translated, whatever the ones before it are.
        self.each_pair(&inputs, |call, address, length| {
            let input = call.bytes(address, length)?;
            if call.observe(&call.equal(length, &thirty_two), Site::InputLength)? {
                let [element] = numbers(&order.arrange(e, &call.read_words(&input.place, 4), 4));
                elements.push(element);
            } else {
                all_fit = false;
            }
            Ok(())
        })?;
        if !all_fit || elements.is_empty() {
            return Ok(e.literal::<1>());
        }
        let valid = elements.iter().fold(e.digit::<Bit, 1>(), |valid, element| {
            e.apply2(BIT_AND, &valid, &poseidon::is_input(e, element))
        });
        if !self.observe(&valid, Site::PointValid)? {
            return Ok(e.literal::<1>());
        }
        let hash = poseidon::hash(e, &elements);
        self.write_words(&to.place, &order.arrange(e, &hash, 4));
        Ok(e.literal::<0>())
    }
}
