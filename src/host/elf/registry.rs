//! The internal functions of a program, by the key its calls carry.

use std::collections::btree_map::{BTreeMap, Entry};

use super::LoadOptions;
use super::error::ElfError;
use crate::host::murmur3::{pc_key, symbol_key};

const ENTRYPOINT: &[u8] = b"entrypoint";

/// Functions found so far. A key belongs to one function or to one syscall.
pub(super) struct Registry<'a> {
    options: &'a LoadOptions,
    functions: BTreeMap<u32, usize>,
}

impl<'a> Registry<'a> {
    pub(super) fn new(options: &'a LoadOptions) -> Self {
        Self { options, functions: BTreeMap::new() }
    }

    /// Notes the function at slot `pc` and gives its key, which is that of the slot: of all names only the
    /// entrypoint's counts.
    pub(super) fn register(&mut self, name: &[u8], pc: usize) -> Result<u32, ElfError> {
        let key = if name == ENTRYPOINT { symbol_key(ENTRYPOINT) } else { pc_key(pc) };
        if self.options.is_syscall(key) {
            return Err(ElfError::SymbolHashCollision(key));
        }
        match self.functions.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(pc);
            }
            Entry::Occupied(entry) if *entry.get() == pc => {}
            Entry::Occupied(_) => return Err(ElfError::SymbolHashCollision(key)),
        }
        Ok(key)
    }

    /// Puts the entrypoint under the key of its name, whatever function had that key.
    pub(super) fn register_entrypoint(&mut self, pc: usize) -> Result<(), ElfError> {
        self.functions.remove(&symbol_key(ENTRYPOINT));
        self.register(ENTRYPOINT, pc).map(drop)
    }

    /// The functions: key and slot.
    pub(super) fn into_functions(self) -> BTreeMap<u32, usize> {
        self.functions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_owner() {
        let options = LoadOptions::execution();
        let mut registry = Registry::new(&options);
        assert_eq!(registry.register(b"f", 3), Ok(pc_key(3)));
        assert_eq!(registry.register(b"", 3), Ok(pc_key(3)));
        let key = symbol_key(b"entrypoint");
        assert_eq!(registry.register(b"entrypoint", 1), Ok(key));
        assert_eq!(registry.register(b"entrypoint", 2), Err(ElfError::SymbolHashCollision(key)));
        registry.register_entrypoint(2).unwrap();
        assert_eq!(registry.into_functions(), BTreeMap::from([(pc_key(3), 3), (key, 2)]));
    }

    #[test]
    fn syscalls_keep_their_keys() {
        let options = LoadOptions::execution().with_syscalls(["entrypoint"]);
        let error = ElfError::SymbolHashCollision(symbol_key(b"entrypoint"));
        assert_eq!(Registry::new(&options).register_entrypoint(0), Err(error));
    }
}
