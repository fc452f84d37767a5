//! Programs and sysvars on an evaluator: embedded once, used by any number of machines.

use super::{STACK_BYTES, SetupError, context};
use crate::{
    deltanet::HeadsBoundary,
    host::{Program, Sysvars, Version},
    syscalls::Sysvar,
    tables::Word,
};
use std::sync::{Arc, Mutex, PoisonError};

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
    regions: [(E::Ram, usize); 2],
    /// Memories of machines that have finished.
    spare: Mutex<Vec<Spare<E>>>,
}

/// The memories of a machine but for its input, as a run finds them.
pub(super) struct Spare<E: HeadsBoundary> {
    /// The program's bytes.
    pub regions: [E::Ram; 2],
    /// Zeros.
    pub stack: E::Ram,
    /// Zeros, and how many.
    pub heap: (E::Ram, usize),
}

/// How many are kept: more than calls can be nested.
const MAX_SPARE: usize = 16;

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
            spare: Mutex::default(),
        })
    }

    /// Lengths of the regions that the program's bytes fill.
    pub(super) fn lengths(&self) -> [usize; 2] {
        [self.regions[0].1, self.regions[1].1]
    }

    /// Memories for a run with a heap of this many bytes.
    pub(super) fn memories(&self, evaluator: &E, heap: usize) -> Spare<E> {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut spare = spare.unwrap_or_else(|| Spare {
            regions: self.regions.each_ref().map(|(ram, _)| ram.clone()),
            stack: evaluator.blank_ram(STACK_BYTES),
            heap: (evaluator.blank_ram(heap), heap),
        });
        if spare.heap.1 != heap {
            spare.heap = (evaluator.blank_ram(heap), heap);
        }
        spare
    }

    /// Keeps memories for another run.
    pub(super) fn keep(&self, spare: Spare<E>) {
        let mut kept = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MAX_SPARE {
            kept.push(spare);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        host::{Ended, Environment, Machine, Mode, Setup, assemble},
        tables::{Indexed, Weights},
    };

    #[test]
    fn memories_are_zero_for_every_run() {
        const PROGRAM: &str = "
            lddw r1, 0x300000000
            ldxdw r0, [r10-8]
            ldxdw r2, [r1+4091]
            or64 r0, r2
            ldxb r2, [r1+32767]
            or64 r0, r2
            stdw [r10-8], 5
            stdw [r1+4091], -1
            stb [r1+32767], 7
            exit";
        let e = Indexed::new(&Weights::generate()).unwrap();
        let environment = Environment::default();
        let program = assemble(PROGRAM, Version::V0).unwrap();
        let program = LoadedProgram::new(&e, &program, &environment.syscalls).unwrap();
        let sysvars = LoadedSysvars::new(&e, &environment.sysvars);
        for heap in [32768, 32768, 40960, 32768] {
            let setup = Setup { heap, ..Setup::default() };
            let mut machine =
                Machine::start(&e, &program, &sysvars, &setup, &environment, Mode::Lazy).unwrap();
            assert_eq!(machine.run().unwrap(), Ended::Exit(0));
            machine.finish(&program);
        }
        let setup = Setup { memory: vec![(0x3_0000_0000 + 32767, vec![9])], ..Setup::default() };
        for result in [9, 9] {
            let mut machine =
                Machine::start(&e, &program, &sysvars, &setup, &environment, Mode::Lazy).unwrap();
            assert_eq!(machine.run().unwrap(), Ended::Exit(result));
            machine.finish(&program);
        }
    }
}
