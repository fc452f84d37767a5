//! Data handed to the caller, and instructions that ran before.

use super::{
    call::{Abort, Call, Failure, Returns},
    memory::{Align, Output},
};
use crate::{
    alu,
    machine::Lazy,
    tables::{
        Site, Word,
        catalogue::{BIT_AND, NOT_GREATER, TAIL},
    },
};

/// Most bytes of return data.
pub const MAX_RETURN_DATA: usize = 1024;

impl<S: Lazy> Call<'_, S> {
    /// `sol_set_return_data(from, length)`.
    pub fn set_return_data(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        let [from, length, ..] = self.arguments.clone();
        self.charge(&self.capped_sum(&self.per_250(&length)?, &e.literal::<100>()))?;
        let fits = e.apply1(NOT_GREATER, &e.compare(&length, &e.literal::<1024>()));
        if !self.observe(&fits, Site::ReturnDataFits)? {
            return Err(Failure::Abort(Abort::ReturnDataTooLarge(length)));
        }
        let from = self.bytes(&from, &length)?;
        self.forward(&length, |call, start, count| {
            let word = call.read(&from.place, start);
            let span = e.apply1(TAIL, count);
            e.ram_write(&mut call.context.return_data.data.ram, start, &span, &word);
            Ok(())
        })?;
        self.context.return_data.data.length = length;
        self.context.return_data.program_id = self.context.program_id.clone();
        Ok(e.literal::<0>())
    }

    /// `sol_get_return_data(to, length, program id)`.
    pub fn get_return_data(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        self.charge(&e.literal::<100>())?;
        let [to, length, program, ..] = self.arguments.clone();
        let available = self.context.return_data.data.length.clone();
        let length = e.attend(&self.less(&length, &available), [&available, &length]);
        if self.observe(&e.is_zero(&length), Site::EmptySlice)? {
            return Ok(available);
        }
        let thirty_two = e.literal::<32>();
        self.charge(&self.per_250(&alu::add(e, &length, &thirty_two))?)?;
        let [to, program] = self.outputs([
            Output { address: &to, length: &length, align: Align::One },
            Output { address: &program, length: &thirty_two, align: Align::One },
        ])?;
        let ram = self.context.return_data.data.ram.clone();
        self.copy_out(&ram, &e.literal::<0>(), &to)?;
        let program_id = self.context.return_data.program_id.clone();
        self.write_words(&program.place, &program_id);
        Ok(available)
    }

    /// `sol_get_processed_sibling_instruction(index, header, program id, data, accounts)`.
    pub fn get_processed_sibling_instruction(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        self.charge(&e.literal::<100>())?;
        let [mut index, header_address, program, data, accounts] = self.arguments.clone();
        let mut found = None;
        for position in 0..self.context.siblings.len() {
            if self.observe(&e.is_zero(&index), Site::NothingLeft)? {
                found = Some(position);
                break;
            }
            index = alu::subtract(e, &index, &e.literal::<1>());
        }
        let Some(position) = found else { return Ok(e.literal::<0>()) };
        // Two 64-bit lengths: of the data and of the accounts.
        let sixteen = e.literal::<16>();
        let [header] =
            self.outputs([Output { address: &header_address, length: &sixteen, align: Align::Eight }])?;
        let sibling = &self.context.siblings[position];
        let (data_length, account_count) = (sibling.data.length.clone(), sibling.account_count.clone());
        let asked =
            [self.read(&header.place, &e.literal::<0>()), self.read(&header.place, &e.literal::<8>())];
        let fits =
            e.apply2(BIT_AND, &self.equal(&asked[0], &data_length), &self.equal(&asked[1], &account_count));
        if !self.observe(&fits, Site::SiblingFits)? {
            self.write_words(&header.place, &[data_length, account_count]);
            return Ok(e.literal::<1>());
        }
        let (program_id, data_ram, accounts_ram) =
            (sibling.program_id.clone(), sibling.data.ram.clone(), sibling.accounts.ram.clone());
        let accounts_length = sibling.accounts.length.clone();
        let [program, data, accounts, _] = self.outputs([
            Output { address: &program, length: &e.literal::<32>(), align: Align::One },
            Output { address: &data, length: &data_length, align: Align::One },
            Output { address: &accounts, length: &accounts_length, align: Align::One },
            Output { address: &header_address, length: &sixteen, align: Align::Eight },
        ])?;
        self.write_words(&program.place, &program_id);
        self.copy_out(&data_ram, &e.literal::<0>(), &data)?;
        self.copy_out(&accounts_ram, &e.literal::<0>(), &accounts)?;
        Ok(e.literal::<1>())
    }
}
