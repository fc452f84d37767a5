//! Programs and sysvars on an evaluator: embedded once, used by any number of machines.

use super::{SetupError, context};
use crate::{
    deltanet::HeadsBoundary,
    host::{Program, Sysvars, Version},
    syscalls::Sysvar,
    tables::Word,
};
use std::sync::Arc;

/// A program on an evaluator.
pub struct LoadedProgram<E: HeadsBoundary> {
    pub(super) version: Version,
    pub(super) entry_pc: Word<E>,
    pub(super) text_address: Word<E>,
    pub(super) slot_count: Word<E>,
    pub(super) slots: E::Slots,
    pub(super) functions: E::Dictionary,
    pub(super) syscalls: E::Dictionary,
    /// The regions that the program's bytes fill, from address 0 on, and their lengths.
    pub(super) regions: [(E::Ram, usize); 2],
}

impl<E: HeadsBoundary> LoadedProgram<E> {
    /// Embeds a program, to be run with the syscalls of these names.
    ///
    /// # Errors
    /// The text is not whole slots.
    pub fn new(evaluator: &E, program: &Program, syscalls: &[&str]) -> Result<Self, SetupError> {
        let e = evaluator;
        let (slots, rest) = program.text.as_chunks::<8>();
        if !rest.is_empty() {
            return Err(SetupError::Text);
        }
        let slots: Vec<u64> = slots.iter().map(|slot| u64::from_le_bytes(*slot)).collect();
        let functions: Vec<(u32, u64)> =
            program.functions.iter().map(|(key, pc)| (*key, *pc as u64)).collect();
        let (null, image): (&[u8], &[u8]) =
            if program.image_address == 0 { (&program.image, &[]) } else { (&[], &program.image) };
        Ok(Self {
            version: program.version,
            entry_pc: e.embed(program.entry_pc as u64),
            text_address: e.embed(program.text_address),
            slot_count: e.embed(slots.len() as u64),
            slots: e.slots(&slots),
            functions: e.dictionary(&functions),
            syscalls: e.dictionary(&context::keys(syscalls)),
            regions: [null, image].map(|bytes| (e.ram(bytes), bytes.len())),
        })
    }
}

/// Sysvars on an evaluator.
pub struct LoadedSysvars<E: HeadsBoundary>(pub(super) Arc<[Option<Sysvar<E>>; 8]>);

impl<E: HeadsBoundary> LoadedSysvars<E> {
    /// Embeds sysvars.
    pub fn new(evaluator: &E, sysvars: &Sysvars) -> Self {
        Self(Arc::new(context::sysvars(evaluator, sysvars)))
    }
}

impl<E: HeadsBoundary> Clone for LoadedSysvars<E> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}
