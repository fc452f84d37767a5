//! What programs log, and how they give up.

use super::{
    call::{Abort, Call, Failure, Returns},
    memory::{Place, Slice},
    text::Line,
};
use crate::{
    alu,
    machine::Lazy,
    tables::{Site, Word},
};

/// How a logged line begins.
const LOG: &str = "Program log: ";

impl<S: Lazy> Call<'_, S> {
    /// `abort()`.
    pub fn abort(&mut self) -> Returns<Word<S>, S> {
        Err(Failure::Abort(Abort::Abort))
    }

    /// `sol_panic_(file, length, line, column)`.
    pub fn panic(&mut self) -> Returns<Word<S>, S> {
        let [file, length, line, column, _] = self.arguments.clone();
        self.charge(&length)?;
        let file = self.bytes(&file, &length)?;
        if !self.utf8(&mut Line(Vec::new()), &file)? {
            return Err(Failure::Abort(Abort::InvalidString(file)));
        }
        Err(Failure::Abort(Abort::Panic { file, line, column }))
    }

    /// `sol_log_(text, length)`.
    pub fn log(&mut self) -> Returns<Word<S>, S> {
        let [text, length, ..] = self.arguments.clone();
        self.charge(&self.larger(&self.e.literal::<100>(), &length))?;
        let text = self.bytes(&text, &length)?;
        let mut line = Line::new(LOG);
        if !self.utf8(&mut line, &text)? {
            return Err(Failure::Abort(Abort::InvalidString(text)));
        }
        self.print(line)
    }

    /// `sol_log_64_(a, b, c, d, e)`.
    pub fn log_64(&mut self) -> Returns<Word<S>, S> {
        self.charge(&self.e.literal::<100>())?;
        let mut line = Line::new(LOG);
        for (index, number) in self.arguments.iter().enumerate() {
            line.fixed(if index == 0 { "0x" } else { ", 0x" });
            line.hexadecimal(self.e, number);
        }
        self.print(line)
    }

    /// `sol_log_compute_units_()`.
    pub fn log_compute_units(&mut self) -> Returns<Word<S>, S> {
        self.charge(&self.e.literal::<100>())?;
        let mut line = Line::new("Program consumption: ");
        line.decimal(self.e, &self.state.meter);
        line.fixed(" units remaining");
        self.print(line)
    }

    /// `sol_log_pubkey(address)`.
    pub fn log_pubkey(&mut self) -> Returns<Word<S>, S> {
        self.charge(&self.e.literal::<100>())?;
        let address = self.address(&self.arguments[0])?;
        let mut line = Line::new(LOG);
        line.base58(self.e, &address);
        self.print(line)
    }

    /// `sol_log_data(fields, count)`.
    pub fn log_data(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        let hundred = e.literal::<100>();
        self.charge(&hundred)?;
        let [fields, count, ..] = self.arguments.clone();
        let fields = self.pairs(&fields, &count)?;
        // A list that is mapped is shorter than 2^32.
        self.charge(&alu::multiply(e, &count, &hundred))?;
        let mut total = e.literal::<0>();
        self.each_pair(&fields, |call, _, length| {
            total = call.capped_sum(&total, length);
            Ok(())
        })?;
        self.charge(&total)?;
        // Every field is translated before the first is printed, but nothing else happens between.
        let mut line = Line::new("Program data: ");
        let mut first = true;
        self.each_pair(&fields, |call, address, length| {
            if !std::mem::replace(&mut first, false) {
                line.fixed(" ");
            }
            let field = call.bytes(address, length)?;
            call.base64(&mut line, &field)
        })?;
        self.print(line)
    }

    /// Goes through a list of pairs of an address and a length.
    pub fn each_pair(
        &mut self,
        pairs: &Slice<S>,
        mut each: impl FnMut(&mut Self, &Word<S>, &Word<S>) -> Returns<(), S>,
    ) -> Returns<(), S> {
        let e = self.e;
        let (mut place, mut left) = (pairs.place.clone(), pairs.length.clone());
        let sixteen = e.literal::<16>();
        while !self.observe(&e.is_zero(&left), Site::NothingLeft)? {
            let [address, length] =
                [self.read(&place, &e.literal::<0>()), self.read(&place, &e.literal::<8>())];
            each(self, &address, &length)?;
            left = alu::subtract(e, &left, &sixteen);
            place = Place { region: place.region, offset: alu::add(e, &place.offset, &sixteen) };
        }
        Ok(())
    }

    fn print(&mut self, line: Line<S>) -> Returns<Word<S>, S> {
        self.context.log.push(line);
        Ok(self.e.literal::<0>())
    }
}
