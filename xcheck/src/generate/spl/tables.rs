//! Instructions of the Address Lookup Table Program.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use solana_address::Address;
use solana_sdk_ids::{address_lookup_table, system_program};
use svmllm::host::DEFAULT_SLOT;

use super::{PAYER, account, chance, key, one};
use crate::transaction::{Draft, Slot};

/// What a table holds before its addresses.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// The slot in which it was deactivated; the largest number if it was not.
    pub deactivated: u64,
    /// The slot in which it grew last.
    pub extended: u64,
    /// How many addresses it had then.
    pub start: u8,
    /// Who may change it.
    pub authority: Option<Address>,
}

impl Header {
    /// The bytes of a table.
    pub fn table(self, addresses: &[Address]) -> Vec<u8> {
        let mut data = 1u32.to_le_bytes().to_vec();
        data.extend([self.deactivated, self.extended].map(u64::to_le_bytes).concat());
        data.extend([self.start, self.authority.is_some().into()]);
        data.extend(self.authority.iter().flat_map(|authority| authority.to_bytes()));
        data.resize(56, 0);
        addresses.iter().for_each(|address| data.extend(address.to_bytes()));
        data
    }
}

/// One to four instructions that make a table and change it, or change one that there is.
pub fn instructions(rng: &mut ChaCha8Rng) -> Vec<Draft> {
    let authority = Slot::read(key("authority"), None).signing();
    let slot = one(rng, &[DEFAULT_SLOT, DEFAULT_SLOT, DEFAULT_SLOT, DEFAULT_SLOT - 1, 0]);
    let seeds = [authority.address.as_ref(), &slot.to_le_bytes()];
    let (derived, bump) = Address::find_program_address(&seeds, &address_lookup_table::ID);
    let payer = || Slot::write(PAYER, None).signing();
    let system = || Slot::read(system_program::ID, None);
    let mut drafts = Vec::new();
    let table = if chance(rng, 50) {
        let bump = if chance(rng, 5) { bump.wrapping_sub(1) } else { bump };
        let data = [&[0; 4][..], &slot.to_le_bytes(), &[bump]].concat();
        let slots = vec![Slot::write(derived, None), authority.clone(), payer(), system()];
        drafts.push(Draft::new("CreateLookupTable", address_lookup_table::ID, slots, data));
        Slot::write(derived, None)
    } else {
        let long_ago = DEFAULT_SLOT - 1000;
        let header = Header {
            deactivated: if chance(rng, 75) {
                u64::MAX
            } else {
                one(rng, &[DEFAULT_SLOT, long_ago, long_ago])
            },
            extended: one(rng, &[DEFAULT_SLOT, long_ago]),
            start: 0,
            authority: (!chance(rng, 8)).then_some(authority.address),
        };
        let addresses = vec![key("address"); one(rng, &[0, 1, 5, 250, 256])];
        Slot::write(key("table"), account(address_lookup_table::ID, header.table(&addresses)))
    };
    for _ in 0..rng.random_range(usize::from(drafts.is_empty())..4) {
        let tag = one(rng, &[1u8, 2, 2, 2, 2, 3, 4]);
        let mut slots = vec![table.clone(), authority.clone()];
        let mut data = vec![tag, 0, 0, 0];
        let name = match tag {
            1 => "FreezeLookupTable",
            2 => {
                let count = one(rng, &[0u64, 1, 2, 6, 20]);
                data.extend(count.to_le_bytes());
                data.extend((0..count).flat_map(|number| key(&format!("address {number}")).to_bytes()));
                if !chance(rng, 10) {
                    slots.extend([payer(), system()]);
                }
                "ExtendLookupTable"
            }
            3 => "DeactivateLookupTable",
            _ => {
                slots.push(Slot::write(key("receiver"), None));
                "CloseLookupTable"
            }
        };
        drafts.push(Draft::new(name, address_lookup_table::ID, slots, data));
    }
    drafts
}
