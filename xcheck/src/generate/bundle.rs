//! Several instructions for one transaction.

use std::collections::BTreeMap;

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use solana_account::Account;
use solana_address::Address;
use solana_hash::Hash;
use solana_instruction::{AccountMeta, Instruction};
use solana_message::AddressLookupTableAccount;
use solana_sdk_ids::{address_lookup_table, compute_budget};
use svmllm::host::DEFAULT_SLOT;

use super::spl::{PAYER, account, chance, key, one, tables::Header, wallet};
use crate::transaction::Draft;

/// Instructions and the accounts around them.
#[derive(Clone, Debug)]
pub struct Bundle {
    /// What the instructions are, and what was done to them.
    pub changes: Vec<String>,
    /// Accounts to be set.
    pub accounts: BTreeMap<Address, Account>,
    /// The instructions.
    pub instructions: Vec<Instruction>,
}

impl Default for Bundle {
    fn default() -> Self {
        let accounts = BTreeMap::from([(PAYER, wallet(10_000_000_000))]);
        Self { changes: Vec::new(), accounts, instructions: Vec::new() }
    }
}

impl Bundle {
    /// Adds an instruction. The first one that brings an account decides what is in it.
    pub fn push(&mut self, draft: Draft) {
        self.instructions.push(draft.instruction());
        for (address, account) in draft.accounts() {
            self.accounts.entry(address).or_insert(account);
        }
        self.changes.push(draft.name);
        self.changes.extend(draft.changes);
    }

    /// Puts an instruction of the Compute Budget Program at some place.
    pub fn limit(&mut self, data: Vec<u8>, at: usize) {
        self.changes.push(format!("compute budget {data:?}"));
        let at = at.min(self.instructions.len());
        self.instructions.insert(at, Instruction { program_id: compute_budget::ID, accounts: vec![], data });
    }
}

/// A compute budget instruction: a request for units, heap or loaded bytes, or a price.
pub fn budget(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let word = |tag: u8, value: u32| [&[tag][..], &value.to_le_bytes()].concat();
    let any = rng.random();
    let mut data = match rng.random_range(0..16) {
        0..=5 => word(1, one(rng, &[32, 33, 40, 64, 128, 255, 256]) * 1024),
        6 => word(1, one(rng, &[0, 1, 1024, 31 * 1024, 32 * 1024 + 1, 257 * 1024, 40_000, u32::MAX])),
        7..=10 => word(2, one(rng, &[0, 150, 3000, 20_000, 100_000, 200_000, 1_400_000, 1_400_001, any])),
        11..=13 => {
            let price = one(rng, &[0, 1, 4, 999_999, 1_000_000, 1_000_001, 10_000_000_000, u64::MAX]);
            [&[3][..], &price.to_le_bytes()].concat()
        }
        14 => word(4, one(rng, &[0, 1, 64, 1000, 100_000, 500_000, 1 << 20, 64 << 20, (64 << 20) + 1, any])),
        _ => vec![one(rng, &[0, 5, 9, 255]), 1, 2, 3, 4],
    };
    match rng.random_range(0..40) {
        0 => _ = data.pop(),
        1 => data.push(rng.random()),
        2 => data.truncate(1),
        _ => {}
    }
    data
}

/// How a table may be.
const TABLES: [&str; 12] = [
    "in use",
    "in use",
    "in use",
    "in use",
    "in use and frozen",
    "deactivated now",
    "deactivated long ago",
    "not there",
    "someone else's",
    "short",
    "uninitialized",
    "just extended",
];

/// Up to two tables that hold many of the addresses of a bundle; what is wrong goes to its changes.
pub fn tables(bundle: &mut Bundle, rng: &mut ChaCha8Rng) -> Vec<AddressLookupTableAccount> {
    let mut metas: Vec<&AccountMeta> =
        bundle.instructions.iter().flat_map(|instruction| &instruction.accounts).collect();
    metas.retain(|meta| !meta.is_signer);
    let mut known: Vec<Address> = metas.iter().map(|meta| meta.pubkey).collect();
    known.sort();
    known.dedup();
    let mut made = Vec::new();
    for number in 0..one(rng, &[1, 1, 2]) {
        let table = key(&format!("table {number}"));
        let mut addresses: Vec<Address> = known.iter().copied().filter(|_| chance(rng, 70)).collect();
        addresses.insert(0, key("unused"));
        let mut state = "in use";
        if chance(rng, 40) {
            state = one(rng, &TABLES);
        }
        let length = if state == "short" { addresses.len() - 1 } else { addresses.len() };
        let [mut deactivated, mut extended, mut start] = [u64::MAX, DEFAULT_SLOT - 5, 0];
        match state {
            "deactivated now" => deactivated = DEFAULT_SLOT,
            "deactivated long ago" => deactivated = one(rng, &[0, DEFAULT_SLOT - 1, DEFAULT_SLOT - 600]),
            "just extended" => {
                extended = DEFAULT_SLOT;
                start = rng.random_range(0..=addresses.len() as u64);
            }
            _ => {}
        }
        let authority = (state != "in use and frozen").then(|| key("authority"));
        let header = Header { deactivated, extended, start: start as u8, authority };
        let mut data = header.table(&addresses[..length]);
        data[0] = u8::from(state != "uninitialized");
        if state == "short" && chance(rng, 50) {
            data.truncate(one(rng, &[0, 3, 55, 56, 57, 87]).min(data.len()));
        }
        let owner = if state == "someone else's" { key("stranger") } else { address_lookup_table::ID };
        if state != "not there" {
            bundle.accounts.insert(table, account(owner, data));
        }
        bundle.changes.push(format!("table of {length} that is {state}"));
        made.push(AddressLookupTableAccount { key: table, addresses });
    }
    made
}

/// A nonce account's bytes: the version, whether it is initialized, its authority and the nonce.
pub fn nonce(version: u32, initialized: bool, authority: Address, nonce: Hash) -> Vec<u8> {
    let mut data = [version, initialized.into()].map(u32::to_le_bytes).concat();
    if initialized {
        data.extend(authority.to_bytes());
        data.extend(nonce.to_bytes());
        data.extend(5000u64.to_le_bytes());
    }
    data.resize(80, 0);
    data
}
