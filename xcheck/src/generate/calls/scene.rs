//! The accounts around calls, and calls nested at random.

use std::collections::BTreeMap;

use rand::{Rng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use solana_account::Account;
use solana_address::Address;
use solana_instruction::AccountMeta;
use solana_sdk_ids::system_program;
use solana_system_interface::instruction::SystemInstruction;

use super::{CALLERS, CONSTANT_LENGTH, Call, Caller, GROWTH, Place, Plan, places};
use crate::generate::{
    bytes,
    spl::{MEMO, PAYER, account, chance, key, one, wallet},
};

/// A word that a program writes over a field of an account.
#[derive(Clone, Copy, Debug)]
pub struct Poke {
    /// The account's address.
    pub account: Address,
    /// What is written over.
    pub field: Field,
    /// The word.
    pub value: u64,
}

/// A word of an account as a program sees it.
#[derive(Clone, Copy, Debug)]
pub enum Field {
    /// Its balance.
    Lamports,
    /// The length of its data.
    Length,
    /// The first word of its owner's address.
    Owner,
    /// A word of its data, or behind them.
    Data(u64),
}

/// Accounts, and how long their data are.
pub struct Scene {
    /// Who calls first, and who is called.
    pub callers: [Caller; 2],
    /// What is in the accounts.
    pub accounts: BTreeMap<Address, Account>,
    /// Lengths of other accounts' data.
    lengths: BTreeMap<Address, u64>,
    /// Addresses that the callers sign for, with the seeds.
    pub derived: [(Address, Vec<Vec<u8>>); 2],
}

/// Owned by the first caller.
pub const MINE: usize = 0;
/// Owned by the second caller.
pub const THEIRS: usize = 1;
/// A wallet that signs.
pub const WALLET: usize = 2;
/// A wallet that the first caller signs for.
pub const DERIVED: usize = 3;
/// Owned by the first caller, only read.
pub const READ: usize = 4;

impl Scene {
    /// The accounts for some two callers. `lengths` holds those of programs and sysvars.
    pub fn new(rng: &mut ChaCha8Rng, lengths: &BTreeMap<Address, u64>) -> Self {
        let first = if chance(rng, 60) { CALLERS[0] } else { one(rng, &CALLERS) };
        let second = loop {
            let second = if chance(rng, 50) { CALLERS[1] } else { one(rng, &CALLERS) };
            if second != first {
                break second;
            }
        };
        let derived = [first.derived("derived"), second.derived("derived too")];
        let contents = bytes(rng, 40);
        let owned = |owner: Caller, len: u64| {
            let mut account = account(owner.address(), contents[..len as usize].to_vec());
            account.lamports += 1_000_000;
            account
        };
        let accounts = BTreeMap::from([
            (key("mine"), owned(first, CONSTANT_LENGTH)),
            (key("theirs"), owned(second, one(rng, &[0, 8, 24, 25]))),
            (key("wallet"), wallet(5_000_000_000)),
            (derived[0].0, wallet(one(rng, &[0, 1_000_000, 1_000_000_000]))),
            (key("read"), owned(first, 16)),
            (derived[1].0, wallet(2_000_000)),
        ]);
        Self { callers: [first, second], accounts, lengths: lengths.clone(), derived }
    }

    /// What the first caller's instruction lists: the accounts by their numbers, then programs.
    pub fn listed(&self) -> Vec<AccountMeta> {
        let meta = |pubkey, is_signer, is_writable| AccountMeta { pubkey, is_signer, is_writable };
        let [first, second] = self.callers;
        vec![
            meta(key("mine"), false, true),
            meta(key("theirs"), false, true),
            meta(key("wallet"), true, true),
            meta(self.derived[0].0, false, true),
            meta(key("read"), false, false),
            meta(self.derived[1].0, false, true),
            meta(second.address(), false, false),
            meta(first.address(), false, false),
            meta(system_program::ID, false, false),
        ]
    }

    /// The length of an account's data.
    pub fn length(&self, address: &Address) -> u64 {
        match self.accounts.get(address) {
            Some(account) if account.lamports > 0 => account.data.len() as u64,
            Some(_) => 0,
            None => self.lengths.get(address).copied().unwrap_or(0),
        }
    }

    /// The balance of an account that has been set.
    pub fn lamports(&self, address: &Address) -> u64 {
        self.accounts.get(address).map_or(0, |account| account.lamports)
    }

    /// Where the accounts are that a caller's instruction lists.
    pub fn places(&self, caller: Caller, accounts: &[AccountMeta]) -> Vec<Place> {
        places(caller.loader, accounts, |address| self.length(address))
    }

    /// A word over some field of some account that the caller might own.
    pub fn poke(&self, caller: Caller, accounts: &[AccountMeta], rng: &mut ChaCha8Rng) -> Vec<Poke> {
        let owned = |meta: &&AccountMeta| {
            let owner = self.accounts.get(&meta.pubkey).map(|account| account.owner);
            owner == Some(caller.address()) && meta.is_writable
        };
        let owned: Vec<_> = accounts.iter().filter(owned).collect();
        let meta = match owned.choose(rng) {
            Some(meta) if !chance(rng, 10) => meta,
            _ => match accounts.choose(rng) {
                Some(meta) => meta,
                None => return vec![],
            },
        };
        let account = meta.pubkey;
        let length = self.length(&account);
        let poke = |field, value| Poke { account, field, value };
        match rng.random_range(0..8) {
            0 | 1 => {
                let amount = rng.random_range(0..1000);
                let mut pokes = vec![poke(Field::Lamports, self.lamports(&account).wrapping_sub(amount))];
                let other = accounts.choose(rng).expect("there is one").pubkey;
                if other != account {
                    let value = self.lamports(&other).wrapping_add(amount);
                    pokes.push(Poke { account: other, field: Field::Lamports, value });
                }
                pokes
            }
            2 => {
                let lengths = [0, 1, length + 8, length + 8, length + GROWTH, length + GROWTH + 1];
                vec![poke(Field::Length, one(rng, &lengths))]
            }
            3 if chance(rng, 30) => vec![poke(Field::Owner, rng.random())],
            4 => vec![poke(Field::Data(rng.random_range(0..GROWTH)), rng.random())],
            _ => vec![poke(Field::Data(rng.random_range(0..length.max(8)) / 8 * 8), rng.random())],
        }
    }

    /// What a caller with these accounts does, and what those do that it calls.
    pub fn plan(
        &mut self,
        caller: Caller,
        accounts: &[AccountMeta],
        depth: u32,
        rng: &mut ChaCha8Rng,
    ) -> Plan {
        let mut plan = Plan::default();
        let before = self.places(caller, accounts);
        let mut pokes = Vec::new();
        for _ in 0..one(rng, &[0, 0, 0, 1, 2]) {
            pokes.extend(self.poke(caller, accounts, rng));
        }
        plan.poke(&pokes, accounts, &before);
        let lengths = self.remember(&pokes);
        if chance(rng, 40) {
            let shown: Vec<_> =
                before.iter().map(|place| (place.lamports, 16 + place.length)).take(5).collect();
            plan.show(&shown);
        }
        for _ in 0..if depth == 0 { 0 } else { one(rng, &[0, 1, 1, 1, 2]) } {
            self.nested(&mut plan, caller, accounts, &before, depth, rng);
        }
        self.restore(lengths);
        if chance(rng, 20) {
            plan.show_returned();
        }
        if chance(rng, 10) {
            plan.show_sibling(rng.random_range(0..3));
        }
        if chance(rng, 20) {
            let pokes = self.poke(caller, accounts, rng);
            plan.poke(&pokes, accounts, &before);
        }
        if chance(rng, 30) {
            plan.show(&before.iter().map(|place| (place.lamports, 40)).take(5).collect::<Vec<_>>());
        }
        if chance(rng, 20) {
            let len = rng.random_range(0..50);
            plan.give_back(&bytes(rng, len));
        }
        if chance(rng, 4) {
            plan.end(one(rng, &RESULTS));
        }
        plan
    }

    /// A call of some program with some of the caller's accounts.
    fn nested(
        &mut self,
        plan: &mut Plan,
        caller: Caller,
        accounts: &[AccountMeta],
        places: &[Place],
        depth: u32,
        rng: &mut ChaCha8Rng,
    ) {
        let own = self.callers.iter().zip(&self.derived).find(|(known, _)| **known == caller);
        let derived = own.map(|(_, derived)| derived.clone());
        let mut inner: Vec<AccountMeta> =
            accounts.iter().filter(|meta| self.accounts.contains_key(&meta.pubkey)).cloned().collect();
        for meta in &mut inner {
            if derived.as_ref().is_some_and(|(address, _)| *address == meta.pubkey) {
                meta.is_signer = true;
            }
            match rng.random_range(0..60) {
                0 => meta.is_writable = true,
                1 => meta.is_signer = true,
                2..=6 => meta.is_writable = false,
                _ => {}
            }
        }
        while !inner.is_empty() && chance(rng, 40) {
            inner.remove(rng.random_range(0..inner.len()));
        }
        if chance(rng, 12) && !inner.is_empty() {
            inner.push(inner[rng.random_range(0..inner.len())].clone());
        }
        let (program, data) = match rng.random_range(0..10) {
            0 => (MEMO, one(rng, &[&b"memo"[..], b"", b"\xff"]).to_vec()),
            1 | 2 => (system_program::ID, self.system(&mut inner, rng)),
            number => {
                let callee = match number {
                    3 | 4 => caller,
                    _ => one(rng, &self.callers),
                };
                for program in [self.callers[0].address(), self.callers[1].address(), system_program::ID] {
                    inner.push(AccountMeta { pubkey: program, is_signer: false, is_writable: false });
                }
                (callee.address(), self.plan(callee, &inner, depth - 1, rng).encode())
            }
        };
        let rust = rng.random();
        let mut call = Call::new(rust, program, &inner, data, accounts, places);
        for info in &mut call.infos {
            // What the caller has written over a length, the interfaces are told as well.
            info.place.length = self.length_at(info.place, accounts, places);
        }
        if let Some((_, seeds)) = derived.filter(|_| !chance(rng, 5)) {
            call.signers.push(seeds);
        }
        let registers = call.lay(plan).registers;
        plan.call(rust, registers);
    }

    fn length_at(&self, place: Place, accounts: &[AccountMeta], places: &[Place]) -> u64 {
        let number = places.iter().position(|known| known.key == place.key);
        number.map_or(place.length, |number| self.length(&accounts[number].pubkey))
    }

    fn system(&self, inner: &mut [AccountMeta], rng: &mut ChaCha8Rng) -> Vec<u8> {
        let lamports = one(rng, &[0, 1, 100_000, 1_000_000, 2_000_000, u64::MAX]);
        let owner = self.callers[0].address();
        let space = one(rng, &[0, 8, 10_240, 10_241]);
        // Who signs goes first.
        inner.sort_by_key(|meta| !meta.is_signer);
        let instruction = match rng.random_range(0..8) {
            0 => SystemInstruction::CreateAccount { lamports, space, owner },
            1 => SystemInstruction::Allocate { space },
            2 => SystemInstruction::Assign { owner },
            _ => SystemInstruction::Transfer { lamports },
        };
        wincode::serialize(&instruction).expect("an instruction serializes")
    }

    /// Takes lengths that are written over for what they are; gives the accounts as they were.
    fn remember(&mut self, pokes: &[Poke]) -> Vec<(Address, Account)> {
        let mut before = Vec::new();
        for Poke { account, field, value } in pokes {
            if let (Field::Length, Some(known)) = (field, self.accounts.get_mut(account))
                && *value <= known.data.len() as u64 + GROWTH
            {
                before.push((*account, known.clone()));
                known.data.resize(*value as usize, 0);
            }
        }
        before
    }

    fn restore(&mut self, before: Vec<(Address, Account)>) {
        self.accounts.extend(before.into_iter().rev());
    }

    /// All accounts that are to be set.
    pub fn into_accounts(self) -> Vec<(Address, Account)> {
        std::iter::once((PAYER, wallet(10_000_000_000))).chain(self.accounts).collect()
    }
}

/// What programs return.
pub const RESULTS: [u64; 12] = [
    1,
    7,
    0xffff_ffff,
    1 << 32,
    2 << 32,
    15 << 32,
    26 << 32,
    27 << 32,
    60 << 32,
    (3 << 32) + 1,
    1 << 63,
    u64::MAX,
];

impl Plan {
    /// Writes over fields of the accounts that are there.
    pub fn poke(&mut self, pokes: &[Poke], accounts: &[AccountMeta], places: &[Place]) {
        for Poke { account, field, value } in pokes {
            let Some(number) = accounts.iter().position(|meta| meta.pubkey == *account) else { continue };
            let place = places[number];
            let address = match field {
                Field::Lamports => place.lamports,
                Field::Length => place.data - 8,
                Field::Owner => place.owner,
                Field::Data(offset) => place.data + offset,
            };
            self.store(address, *value);
        }
    }
}
