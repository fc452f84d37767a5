//! Programs and sysvars on the evaluator, kept from one transaction to the next.

use solana_address::Address;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::programs::{Entry, ProgramFile, load_elf};
use crate::{
    deltanet::HeadsBoundary,
    host::{LoadedProgram, LoadedSysvars, Program, SetupError, Sysvars, elf::LoadOptions},
};

/// Programs by address: on the host, and on the evaluator.
type Programs<E> = HashMap<Address, (Arc<Program>, Arc<LoadedProgram<E>>)>;

/// What has been loaded and embedded. It holds for as long as the host's side is the very same.
pub(super) struct Cache<E: HeadsBoundary> {
    /// Files by the address of the program, with what they loaded as.
    files: Mutex<HashMap<Address, (ProgramFile, Entry)>>,
    programs: Mutex<Programs<E>>,
    sysvars: Mutex<Option<(Arc<Sysvars>, LoadedSysvars<E>)>>,
}

impl<E: HeadsBoundary> Default for Cache<E> {
    fn default() -> Self {
        Self { files: Mutex::default(), programs: Mutex::default(), sysvars: Mutex::default() }
    }
}

impl<E: HeadsBoundary> Cache<E> {
    /// The program at an address from its file; one that does not load is closed.
    pub fn deployed(&self, address: &Address, file: ProgramFile, options: &LoadOptions) -> Entry {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, entry)) = files.get(address)
            && Arc::ptr_eq(&known.data, &file.data)
            && known.offset == file.offset
        {
            return entry.clone();
        }
        let bytes = file.data.get(file.offset..);
        let entry = bytes.and_then(|bytes| load_elf(bytes, options).ok()).unwrap_or(Entry::Closed);
        files.insert(*address, (file, entry.clone()));
        entry
    }

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
