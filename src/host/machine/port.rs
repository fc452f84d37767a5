//! How host code reads and writes a machine's memory and meter.

use super::{Machine, index, resolve};
use crate::{
    deltanet::HeadsBoundary,
    host::{AccessType, EbpfError, ReturnData, environment::Address},
    syscalls::{
        self,
        hashes::{Hasher, Sha256},
    },
    tables::alphabet::{Bit, Nibble, Region, Span},
};

impl<E: HeadsBoundary> Machine<'_, E> {
    /// Units left.
    ///
    /// # Errors
    /// The activation is not exactly one-hot.
    pub fn remaining(&self) -> Result<u64, E::Error> {
        self.evaluator.read_out(&self.state.meter)
    }

    /// Sets the units left.
    pub fn set_remaining(&mut self, units: u64) {
        self.state.meter = self.evaluator.embed(units);
    }

    /// Takes units from the meter. If there are not enough the meter is emptied and the answer is no.
    ///
    /// # Errors
    /// The activation is not exactly one-hot.
    pub fn charge(&mut self, units: u64) -> Result<bool, E::Error> {
        let e = self.evaluator;
        let (rest, short) = e.sub_words(&self.state.meter, &e.embed(units), &e.embed_digit::<Bit>(0));
        let paid = e.read_digit::<Bit>(&short)? == 0;
        self.state.meter = if paid { rest } else { e.embed(0) };
        Ok(paid)
    }

    /// The bytes of a region: the stack without its gaps.
    ///
    /// # Errors
    /// An activation is not exactly one-hot.
    pub fn bytes(&self, region: Region) -> Result<Vec<u8>, E::Error> {
        match self.state.memory.rams.get(index(region)) {
            Some(ram) => self.evaluator.ram_bytes(ram, self.lengths[index(region)]),
            None => Ok(Vec::new()),
        }
    }

    /// The `length` bytes from a virtual address on; `None` if they are not all mapped. As for an access by
    /// the program only the start must lie in a stack frame: what passes its end is in the next one.
    ///
    /// # Errors
    /// An activation is not exactly one-hot.
    pub fn dump(&self, address: u64, length: usize) -> Result<Option<Vec<u8>>, E::Error> {
        let Some((region, offset)) = resolve(self.gaps, address) else { return Ok(None) };
        let Some(end) = offset.checked_add(length).filter(|end| *end <= self.lengths[index(region)]) else {
            return Ok(None);
        };
        let (e, ram) = (self.evaluator, &self.state.memory.rams[index(region)]);
        let mut bytes = Vec::with_capacity(length);
        for at in (offset..end).step_by(8) {
            let word = e.read_out(&e.ram_read(ram, &e.embed(at as u64)))?.to_le_bytes();
            bytes.extend_from_slice(&word[..8.min(end - at)]);
        }
        Ok(Some(bytes))
    }

    /// The region and offset of `length` bytes that may be read, or written with `store`; the inner error is
    /// the reference's access violation.
    fn locate(
        &self,
        address: u64,
        length: u64,
        store: bool,
    ) -> Result<Result<(Region, usize), EbpfError>, E::Error> {
        let kind = if store { AccessType::Store } else { AccessType::Load };
        let place = resolve(self.gaps, address).filter(|(region, offset)| {
            let end = (*offset as u64).checked_add(length);
            let fits = end.is_some_and(|end| end <= self.lengths[index(*region)] as u64);
            fits && (!store || index(*region) >= index(Region::Stack))
        });
        Ok(match place {
            Some(place) => Ok(place),
            None => Err(self.violation(kind, &self.evaluator.embed(address), length)?),
        })
    }

    /// Reads `length` bytes, at least one, which with `store` must be writable too.
    ///
    /// # Errors
    /// An activation is not exactly one-hot; the inner error is the reference's access violation.
    pub fn read(
        &self,
        address: u64,
        length: u64,
        store: bool,
    ) -> Result<Result<Vec<u8>, EbpfError>, E::Error> {
        let (region, offset) = match self.locate(address, length, store)? {
            Ok(place) => place,
            Err(violation) => return Ok(Err(violation)),
        };
        let (e, ram) = (self.evaluator, &self.state.memory.rams[index(region)]);
        let length = length as usize;
        let mut bytes = Vec::with_capacity(length + 8);
        for at in (offset..offset + length).step_by(8) {
            bytes.extend_from_slice(&e.read_out(&e.ram_read(ram, &e.embed(at as u64)))?.to_le_bytes());
        }
        bytes.truncate(length);
        Ok(Ok(bytes))
    }

    /// Writes bytes, at least one.
    ///
    /// # Errors
    /// An activation is not exactly one-hot; the inner error is the reference's access violation.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<Result<(), EbpfError>, E::Error> {
        let (region, offset) = match self.locate(address, bytes.len() as u64, true)? {
            Ok(place) => place,
            Err(violation) => return Ok(Err(violation)),
        };
        let (e, ram) = (self.evaluator, &mut self.state.memory.rams[index(region)]);
        for (chunk, bytes) in bytes.chunks(8).enumerate() {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            let (offset, span) = (e.embed((offset + 8 * chunk) as u64), e.embed_digit::<Span>(bytes.len()));
            e.ram_write(ram, &offset, &span, &e.embed(u64::from_le_bytes(word)));
        }
        Ok(Ok(()))
    }

    /// The return data as it is now.
    ///
    /// # Errors
    /// An activation is not exactly one-hot.
    pub fn return_data(&self) -> Result<ReturnData, E::Error> {
        let (e, kept) = (self.evaluator, &self.context.return_data);
        let length = e.read_out(&kept.data.length)? as usize;
        Ok(ReturnData {
            program_id: self.read_address(&kept.program_id)?,
            data: e.ram_bytes(&kept.data.ram, length)?,
        })
    }

    /// Replaces the return data: what a called program left.
    pub fn set_return_data(&mut self, data: &ReturnData) {
        self.context.return_data = super::context::return_data(self.evaluator, data);
    }

    /// Replaces the instructions that ran before.
    pub fn set_siblings(&mut self, siblings: &[crate::host::Sibling]) {
        let e = self.evaluator;
        self.context.siblings = siblings.iter().map(|sibling| super::context::sibling(e, sibling)).collect();
    }

    /// The address that seeds, none longer than 32 bytes, give under the running program; `None` if it is a
    /// point of the curve.
    ///
    /// # Errors
    /// An activation is not exactly one-hot.
    pub fn derive_address(&self, seeds: &[&[u8]]) -> Result<Option<Address>, E::Error> {
        let e = self.evaluator;
        let mut hasher = Sha256::new(e);
        for bytes in seeds.iter().flat_map(|seed| seed.chunks(8)) {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            let count = e.embed_digit::<Nibble>(bytes.len());
            hasher.update(e, &e.embed(u64::from_le_bytes(word)), &count)?;
        }
        let (address, on_curve) = syscalls::seal(e, hasher, None, &self.context.program_id)?;
        Ok(if e.read_digit::<Bit>(&on_curve)? == 1 { None } else { Some(self.read_address(&address)?) })
    }

    fn read_address(&self, words: &[crate::tables::Word<E>; 4]) -> Result<[u8; 32], E::Error> {
        let mut address = [0; 32];
        for (bytes, word) in address.chunks_mut(8).zip(words) {
            bytes.copy_from_slice(&self.evaluator.read_out(word)?.to_le_bytes());
        }
        Ok(address)
    }
}
