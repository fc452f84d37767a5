//! Sysvars and stakes.

use super::{
    call::{Abort, Call, Failure, Returns},
    context::SysvarIndex,
    memory::{Align, Output, Slice},
};
use crate::{
    alu,
    machine::Lazy,
    tables::{
        Site, Word,
        alphabet::Bit,
        catalogue::{BIT_NOT, NOT_GREATER},
    },
};

impl<S: Lazy> Call<'_, S> {
    /// A getter: writes the structure of `size` bytes to the first argument.
    pub fn get(&mut self, index: SysvarIndex, size: &Word<S>, align: Align) -> Returns<Word<S>, S> {
        let e = self.e;
        self.charge(&alu::add(e, &e.literal::<100>(), size))?;
        let to = self.arguments[0].clone();
        self.check_output(&to)?;
        let [to] = self.outputs([Output { address: &to, length: size, align }])?;
        let image = self.context.sysvars[index as usize].as_ref().and_then(|sysvar| sysvar.image.as_ref());
        let Some(image) = image.map(|image| image.ram.clone()) else {
            return Err(Failure::Abort(Abort::UnsupportedSysvar));
        };
        self.copy_out(&image, &e.literal::<0>(), &to)?;
        Ok(e.literal::<0>())
    }

    /// What getters ask of the address they write to.
    fn check_output(&mut self, to: &Word<S>) -> Returns<(), S> {
        let e = self.e;
        if self.observe(&e.apply1(BIT_NOT, &self.context.aligned), Site::Unaligned)? {
            return Err(Failure::Abort(Abort::Unaligned));
        }
        let below = self.less(to, &e.literal::<0x4_0000_0000>());
        if !self.observe(&below, Site::PointerRange)? {
            return Err(Failure::Abort(Abort::InvalidPointer));
        }
        Ok(())
    }

    /// Copies bytes of a RAM, from an offset on, to memory.
    pub fn copy_out(&mut self, from: &S::Ram, offset: &Word<S>, to: &Slice<S>) -> Returns<(), S> {
        self.forward(&to.length, |call, start, count| {
            let word = call.e.ram_read(from, &alu::add(call.e, offset, start));
            call.write(&to.place, start, count, &word);
            Ok(())
        })
    }

    /// `sol_get_sysvar(id, to, offset, length)`.
    pub fn get_sysvar(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        let [id, to, offset, length, _] = self.arguments.clone();
        self.charge(&self.capped_sum(&e.literal::<100>(), &self.memory_cost(&length)?))?;
        self.check_output(&to)?;
        let [out] = self.outputs([Output { address: &to, length: &length, align: Align::One }])?;
        let id = self.address(&id)?;
        let none = e.digit::<Bit, 0>();
        let (end, overflow) = e.add_words(&offset, &length, &none);
        let (_, past) = e.add_words(&to, &length, &none);
        for carry in [overflow, past] {
            if self.observe(&carry, Site::Overflow)? {
                return Err(Failure::Abort(Abort::ArithmeticOverflow));
            }
        }
        let mut found = None;
        for sysvar in self.context.sysvars[..SysvarIndex::BY_ADDRESS].iter().flatten() {
            if self.observe(&self.same_32(&sysvar.id, &id), Site::SameAddress)? {
                found = Some((sysvar.account.ram.clone(), sysvar.account.length.clone()));
                break;
            }
        }
        let Some((ram, available)) = found else { return Ok(e.literal::<2>()) };
        let inside = e.apply1(NOT_GREATER, &e.compare(&end, &available));
        if !self.observe(&inside, Site::SysvarRange)? {
            return Ok(e.literal::<1>());
        }
        self.copy_out(&ram, &offset, &out)?;
        Ok(e.literal::<0>())
    }

    /// `sol_get_epoch_stake(vote account)`.
    pub fn get_epoch_stake(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        let address = self.arguments[0].clone();
        if self.observe(&e.is_zero(&address), Site::NullPointer)? {
            self.charge(&e.literal::<100>())?;
            return Ok(self.context.total_stake.clone());
        }
        self.charge(&e.literal::<110>())?;
        let address = self.address(&address)?;
        for (account, stake) in &self.context.stakes {
            if self.observe(&self.same_32(account, &address), Site::SameAddress)? {
                return Ok(stake.clone());
            }
        }
        Ok(e.literal::<0>())
    }

    /// `sol_alloc_free_(size, address)`: gives heap away and takes none back.
    pub fn alloc_free(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        let [size, address, ..] = self.arguments.clone();
        if !self.observe(&e.is_zero(&address), Site::NullPointer)? {
            return Ok(e.literal::<0>());
        }
        let used = &self.context.heap_used;
        let raised =
            alu::bitwise_and(e, &alu::add(e, used, &e.literal::<7>()), &e.literal::<0xffff_ffff_ffff_fff8>());
        let start = e.attend(&self.context.aligned, [used, &raised]);
        let end = self.capped_sum(&start, &size);
        let fits = e.apply1(NOT_GREATER, &e.compare(&end, &self.context.heap_length));
        if !self.observe(&fits, Site::HeapFull)? {
            return Ok(e.literal::<0>());
        }
        self.context.heap_used = end;
        Ok(alu::add(e, &e.literal::<0x3_0000_0000>(), &start))
    }

    /// `sol_get_stack_height()`.
    pub fn get_stack_height(&mut self) -> Returns<Word<S>, S> {
        self.charge(&self.e.literal::<100>())?;
        Ok(self.context.stack_height.clone())
    }

    /// `sol_remaining_compute_units()`.
    pub fn remaining_compute_units(&mut self) -> Returns<Word<S>, S> {
        self.charge(&self.e.literal::<100>())?;
        Ok(self.state.meter.clone())
    }
}
