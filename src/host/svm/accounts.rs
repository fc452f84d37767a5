//! The store of accounts, with the programs and sysvars among them ready for use.

use solana_account::{AccountSharedData, ReadableAccount};
use solana_address::Address;
use solana_address_lookup_table_interface::{error::AddressLookupError, state::AddressLookupTable};
use solana_instruction_error::InstructionError;
use solana_message::{
    AddressLoader,
    v0::{LoadedAddresses, MessageAddressTableLookup},
};
use solana_sdk_ids::{address_lookup_table, bpf_loader_upgradeable, native_loader, sysvar};
use solana_slot_hashes::SlotHashes;
use solana_transaction_error::AddressLoaderError;
use std::collections::HashMap;

use crate::host::elf::LoadOptions;

use super::{
    SvmError,
    programs::{self, Entry, ProgramFile},
    sysvars::SysvarCache,
};

/// Accounts by address.
#[derive(Clone)]
pub(super) struct Accounts {
    accounts: HashMap<Address, AccountSharedData>,
    programs: HashMap<Address, Entry>,
    /// How programs are loaded.
    pub options: LoadOptions,
    /// The sysvars among them.
    pub sysvars: SysvarCache,
}

impl Accounts {
    /// No accounts.
    pub fn new(options: LoadOptions) -> Self {
        Self { accounts: HashMap::new(), programs: HashMap::new(), options, sysvars: SysvarCache::default() }
    }

    /// The account at an address.
    pub fn get(&self, address: &Address) -> Option<&AccountSharedData> {
        self.accounts.get(address)
    }

    /// All accounts, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&Address, &AccountSharedData)> {
        self.accounts.iter()
    }

    /// The program at an address.
    pub fn program(&self, address: &Address) -> Option<&Entry> {
        self.programs.get(address)
    }

    /// The file of a program as a validator finds it, whether its account is marked executable or not: `None` if
    /// no loader owns that account, `Some(None)` if it has no file in use.
    pub fn deployed(&self, address: &Address) -> Option<Option<ProgramFile>> {
        let account = self.get(address)?;
        programs::is_loader(account.owner())
            .then(|| programs::deployed(account, self.sysvars.slot(), |address| self.accounts.get(address)))
    }

    /// The program of an account.
    ///
    /// # Errors
    /// There is none.
    fn load_program(&self, account: &AccountSharedData) -> Result<Entry, InstructionError> {
        programs::load_account(account, &self.options, |address| self.accounts.get(address))
    }

    /// Puts an account that is neither a program nor a sysvar, or whose program is put separately.
    pub fn insert(&mut self, address: Address, account: AccountSharedData) {
        self.accounts.insert(address, account);
    }

    /// Puts a program that is ready to run beside its account.
    pub fn insert_program(&mut self, address: Address, entry: Entry) {
        self.programs.insert(address, entry);
    }

    /// Puts an account; one without lamports is removed. An executable one is loaded as a program.
    ///
    /// # Errors
    /// It is a program that does not load, or a sysvar that does not read; nothing has changed then.
    pub fn set(&mut self, address: Address, account: AccountSharedData) -> Result<(), SvmError> {
        if account.executable() && address != Address::default() && *account.owner() != native_loader::ID {
            let entry = self.load_program(&account)?;
            self.programs.insert(address, entry);
        } else {
            self.sysvars.update(&address, &account)?;
        }
        if account.lamports() == 0 {
            self.accounts.remove(&address);
        } else {
            self.accounts.insert(address, account);
        }
        Ok(())
    }

    /// Takes over the accounts of a committed transaction. Program data comes before the programs that need
    /// it. A program that no longer loads is no longer there.
    pub fn commit(&mut self, accounts: Vec<(Address, AccountSharedData)>) {
        let is_program_data = |account: &AccountSharedData| {
            *account.owner() == bpf_loader_upgradeable::ID && account.data().first() == Some(&3)
        };
        let mut accounts = accounts;
        bring_forward(&mut accounts, |(_, account)| is_program_data(account));
        for (address, account) in accounts {
            if self.set(address, account.clone()).is_err() {
                self.programs.remove(&address);
                self.accounts.insert(address, account);
            }
        }
    }

    fn lookup(&self, lookup: &MessageAddressTableLookup) -> Result<LoadedAddresses, AddressLookupError> {
        let account = self.get(&lookup.account_key).ok_or(AddressLookupError::LookupTableAccountNotFound)?;
        if *account.owner() != address_lookup_table::ID {
            return Err(AddressLookupError::InvalidAccountOwner);
        }
        let hashes = self.sysvars.get::<SlotHashes>(&sysvar::slot_hashes::ID).unwrap_or_default();
        let slot = self.sysvars.slot();
        let table = AddressLookupTable::deserialize(account.data())
            .map_err(|_: InstructionError| AddressLookupError::InvalidAccountData)?;
        Ok(LoadedAddresses {
            writable: table.lookup(slot, &lookup.writable_indexes, &hashes)?,
            readonly: table.lookup(slot, &lookup.readonly_indexes, &hashes)?,
        })
    }
}

/// Brings items forward by exchanging each of the others with the last of them behind it. Which order the others
/// end in shows: a program is loaded from the data that are in the store when its turn comes.
fn bring_forward<T>(items: &mut [T], is_first: impl Fn(&T) -> bool) {
    let (mut start, mut end) = (0, items.len());
    while start < end {
        if !is_first(&items[start]) {
            match (start + 1..end).rev().find(|place| is_first(&items[*place])) {
                Some(place) => {
                    items.swap(start, place);
                    end = place;
                }
                None => break,
            }
        }
        start += 1;
    }
}

impl AddressLoader for &Accounts {
    fn load_addresses(
        self,
        lookups: &[MessageAddressTableLookup],
    ) -> Result<LoadedAddresses, AddressLoaderError> {
        let loaded = lookups.iter().map(|lookup| {
            self.lookup(lookup).map_err(|error| match error {
                AddressLookupError::LookupTableAccountNotFound => {
                    AddressLoaderError::LookupTableAccountNotFound
                }
                AddressLookupError::InvalidAccountOwner => AddressLoaderError::InvalidAccountOwner,
                AddressLookupError::InvalidAccountData => AddressLoaderError::InvalidAccountData,
                AddressLookupError::InvalidLookupIndex => AddressLoaderError::InvalidLookupIndex,
            })
        });
        loaded.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_forward_changes_places_with_what_is_there() {
        let mut items = [1, 2, 30, 3, 40, 4];
        bring_forward(&mut items, |item| *item >= 10);
        assert_eq!(items, [40, 30, 2, 3, 1, 4]);
        let mut items = [10, 1, 2];
        bring_forward(&mut items, |item| *item >= 10);
        assert_eq!(items, [10, 1, 2]);
    }
}
