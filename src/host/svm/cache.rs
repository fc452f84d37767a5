//! Programs and sysvars on the evaluator, kept from one transaction to the next.

use solana_address::Address;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    deltanet::HeadsBoundary,
    host::{LoadedProgram, LoadedSysvars, Program, SetupError, Sysvars},
};

/// Programs by address: on the host, and on the evaluator.
type Programs<E> = HashMap<Address, (Arc<Program>, Arc<LoadedProgram<E>>)>;

/// What has been embedded. It holds for as long as the host's side is the very same.
pub(super) struct Cache<E: HeadsBoundary> {
    programs: Mutex<Programs<E>>,
    sysvars: Mutex<Option<(Arc<Sysvars>, LoadedSysvars<E>)>>,
}

impl<E: HeadsBoundary> Default for Cache<E> {
    fn default() -> Self {
        Self { programs: Mutex::default(), sysvars: Mutex::default() }
    }
}

impl<E: HeadsBoundary> Cache<E> {
    /// The program at an address, to be run with the syscalls of these names.
    ///
    /// # Errors
    /// It cannot be run; a verified program can.
    pub fn program(
        &self,
        evaluator: &E,
        address: &Address,
        program: &Arc<Program>,
        syscalls: &[&str],
    ) -> Result<Arc<LoadedProgram<E>>, SetupError> {
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, loaded)) = programs.get(address)
            && Arc::ptr_eq(known, program)
        {
            return Ok(Arc::clone(loaded));
        }
        let loaded = Arc::new(LoadedProgram::new(evaluator, program, syscalls)?);
        programs.insert(*address, (Arc::clone(program), Arc::clone(&loaded)));
        Ok(loaded)
    }

    /// The sysvars.
    pub fn sysvars(&self, evaluator: &E, sysvars: &Arc<Sysvars>) -> LoadedSysvars<E> {
        let mut kept = self.sysvars.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some((known, loaded)) if Arc::ptr_eq(known, sysvars) => loaded.clone(),
            _ => {
                let loaded = LoadedSysvars::new(evaluator, sysvars);
                *kept = Some((Arc::clone(sysvars), loaded.clone()));
                loaded
            }
        }
    }
}
