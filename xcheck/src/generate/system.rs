//! Instructions of the System Program, good ones and hostile ones.

use rand::{Rng, seq::IteratorRandom};
use rand_chacha::ChaCha8Rng;
use solana_account::Account;
use solana_address::Address;
use solana_hash::Hash;
use solana_nonce::{
    state::{Data, DurableNonce, State},
    versions::Versions,
};
use solana_sdk_ids::{system_program, sysvar};
use solana_system_interface::instruction::SystemInstruction;

use super::{
    EDGES,
    spl::{chance, key, one, rent, wallet},
};
use crate::transaction::{Draft, Slot};

/// The instructions by their number.
pub const NAMES: [&str; 14] = [
    "CreateAccount",
    "Assign",
    "Transfer",
    "CreateAccountWithSeed",
    "AdvanceNonceAccount",
    "WithdrawNonceAccount",
    "InitializeNonceAccount",
    "AuthorizeNonceAccount",
    "Allocate",
    "AllocateWithSeed",
    "AssignWithSeed",
    "TransferWithSeed",
    "UpgradeNonceAccount",
    "CreateAccountAllowPrefund",
];

/// The most bytes of data that an account may have.
const MOST_DATA: u64 = 10 << 20;

/// Bytes of a nonce account.
const NONCE_LENGTH: usize = 80;

/// An owner that no address may be derived for.
const MARKED: Address = Address::new_from_array(*b"xxxxxxxxxxxProgramDerivedAddress");

/// The accounts around an instruction.
pub struct Scene<'a> {
    rng: &'a mut ChaCha8Rng,
    /// Blockhash that the transaction names.
    blockhash: Hash,
    /// Addresses that can sign, by name.
    parties: &'a dyn Fn(&str) -> Address,
}

impl<'a> Scene<'a> {
    /// A scene; `parties` gives addresses to names of those who sign.
    pub fn new(rng: &'a mut ChaCha8Rng, blockhash: Hash, parties: &'a dyn Fn(&str) -> Address) -> Self {
        Self { rng, blockhash, parties }
    }

    fn wallet(&mut self) -> Account {
        wallet(one(
            self.rng,
            &[1_000_000_000, 1_000_000_000, 5_000_000, rent(0), rent(0) + 1, u64::MAX / 2, 1],
        ))
    }

    fn payer(&mut self) -> Slot {
        let account = self.wallet();
        Slot::write((self.parties)("from"), account).signing()
    }

    /// An account that can be made something of, mostly.
    fn blank(&mut self, address: Address) -> Slot {
        let mut account = match self.rng.random_range(0..10) {
            0 => self.wallet(),
            1 => wallet(rent(0)),
            2 => Account { data: vec![0; 5], ..wallet(rent(5)) },
            3 => Account { owner: key("stranger"), ..wallet(rent(0)) },
            _ => return Slot::write(address, None),
        };
        if chance(self.rng, 10) {
            account.rent_epoch = 0;
        }
        Slot::write(address, account)
    }

    /// An account that exists and belongs to nobody yet, mostly.
    fn unassigned(&mut self, address: Address) -> Slot {
        match self.rng.random_range(0..5) {
            0 | 1 => self.blank(address),
            _ => Slot::write(address, self.wallet()),
        }
    }

    /// A part of a balance, or more.
    fn lamports(&mut self, slot: &Slot) -> u64 {
        let balance = slot.account.as_ref().map_or(0, |account| account.lamports);
        let some = self.rng.random_range(0..=balance);
        let exempt = balance.saturating_sub(rent(0));
        match self.rng.random_range(0..12) {
            0 => balance,
            1 => balance.wrapping_add(1),
            2 => balance.saturating_sub(1),
            3 => exempt,
            4 => exempt + 1,
            5 => one(self.rng, &EDGES),
            6 => 0,
            7 => rent(0),
            8 => rent(NONCE_LENGTH),
            _ => some,
        }
    }

    fn space(&mut self) -> u64 {
        match self.rng.random_range(0..20) {
            0 => one(self.rng, &[MOST_DATA, MOST_DATA + 1, 1 << 32, u64::MAX]),
            1 => one(self.rng, &[10_240, 10_241]),
            2 => one(self.rng, &EDGES),
            3..=6 => 0,
            _ => self.rng.random_range(0..300),
        }
    }

    fn owner(&mut self) -> Address {
        one(self.rng, &[key("owner"), key("owner"), key("owner"), system_program::ID, MARKED])
    }

    /// A seed, its base and the address that they give for an owner.
    fn seeded(&mut self, owner: &Address) -> (String, Slot, Address) {
        let seeds = [
            "",
            "seed",
            "seed",
            "seed",
            "größer",
            "a seed of exactly 32 characters!",
            "one character more than 32, so no",
        ];
        let seed = one(self.rng, &seeds).to_string();
        let base = Slot::read((self.parties)("base"), None).signing();
        let derived =
            Address::create_with_seed(&base.address, &seed, owner).unwrap_or_else(|_| key("derived"));
        let derived = if chance(self.rng, 5) { key("not derived") } else { derived };
        (seed, base, derived)
    }

    fn nonce_of(&mut self, authority: Address) -> Data {
        let blockhash = match self.rng.random_range(0..6) {
            0 => self.blockhash,
            _ => Hash::new_from_array([3; 32]),
        };
        Data::new(authority, DurableNonce::from_blockhash(&blockhash), 5000)
    }

    /// A nonce account in some state; `fresh` if it should not be initialized.
    fn nonce(&mut self, fresh: bool, legacy: u32) -> Slot {
        let authority = match self.rng.random_range(0..12) {
            0 => key("stranger"),
            1 => (self.parties)("nonce"),
            _ => (self.parties)("authority"),
        };
        let state = if fresh ^ chance(self.rng, 12) {
            State::Uninitialized
        } else {
            State::Initialized(self.nonce_of(authority))
        };
        let versions = match chance(self.rng, legacy) {
            true => Versions::Legacy(Box::new(state)),
            false => Versions::Current(Box::new(state)),
        };
        let mut data = wincode::serialize(&versions).expect("a nonce serializes");
        let short = data.len();
        data.resize(one(self.rng, &[80, 80, 80, 80, 80, 80, 79, 81, 0, short, 200]), 0);
        if chance(self.rng, 4) {
            let at = self.rng.random_range(0..8);
            if let Some(byte) = data.get_mut(at) {
                *byte = self.rng.random_range(0..4);
            }
        }
        let lamports = rent(data.len());
        let more = self.rng.random_range(0..5_000_000);
        let lamports = match self.rng.random_range(0..8) {
            0 => lamports - 1,
            1 | 2 => lamports,
            3 => rent(NONCE_LENGTH),
            _ => lamports + more,
        };
        let owner = if chance(self.rng, 4) { key("stranger") } else { system_program::ID };
        let account = Account { data, owner, ..wallet(lamports) };
        let slot = Slot::write((self.parties)("nonce"), account);
        if chance(self.rng, 10) { slot.signing() } else { slot }
    }

    fn authority(&mut self) -> Slot {
        Slot::read((self.parties)("authority"), None).signing()
    }

    /// The sysvar of recent blockhashes, which is empty now and then.
    fn blockhashes(&mut self) -> Slot {
        let address = sysvar::recent_blockhashes::ID;
        match self.rng.random_range(0..20) {
            0 => Slot::read(address, Account { data: vec![0; 8], owner: sysvar::ID, ..wallet(1) }),
            1 => Slot::read(one(self.rng, &[sysvar::rent::ID, sysvar::clock::ID]), None),
            _ => Slot::read(address, None),
        }
    }

    fn rent(&mut self) -> Slot {
        let address = if chance(self.rng, 4) { sysvar::clock::ID } else { sysvar::rent::ID };
        Slot::read(address, None)
    }

    /// One of [`NAMES`] with the accounts it wants, mostly.
    ///
    /// # Panics
    /// Panics if no instruction has this number.
    pub fn instruction(&mut self, number: usize) -> Draft {
        let (slots, instruction) = self.parts(number);
        let mut data = wincode::serialize(&instruction).expect("an instruction serializes");
        let mut changes = Vec::new();
        match self.rng.random_range(0..60) {
            0 => {
                data[0] = self.rng.random_range(0..16);
                changes.push(format!("instruction {}", data[0]));
            }
            1 => {
                data.truncate(self.rng.random_range(0..=data.len()));
                changes.push(format!("only {} bytes of data", data.len()));
            }
            2 => {
                data.resize(one(self.rng, &[data.len() + 1, 1232, 1233]), 7);
                changes.push(format!("{} bytes of data", data.len()));
            }
            _ => {}
        }
        let mut draft = Draft { changes, ..Draft::new(NAMES[number], system_program::ID, slots, data) };
        if chance(self.rng, 35) {
            self.spoil(&mut draft);
        }
        draft
    }

    fn parts(&mut self, number: usize) -> (Vec<Slot>, SystemInstruction) {
        let owner = self.owner();
        let space = self.space();
        match number {
            0 => {
                let from = self.payer();
                let to = self.blank((self.parties)("to")).signing();
                let lamports = self.lamports(&from);
                (vec![from, to], SystemInstruction::CreateAccount { lamports, space, owner })
            }
            1 => {
                let slot = self.unassigned((self.parties)("to")).signing();
                (vec![slot], SystemInstruction::Assign { owner })
            }
            2 => {
                let (from, to) = (self.payer(), self.unassigned(key("receiver")));
                let lamports = self.lamports(&from);
                (vec![from, to], SystemInstruction::Transfer { lamports })
            }
            3 => {
                let from = self.payer();
                let (seed, base, derived) = self.seeded(&owner);
                let lamports = self.lamports(&from);
                let to = self.blank(derived);
                let base_address = base.address;
                let instruction = SystemInstruction::CreateAccountWithSeed {
                    base: base_address,
                    seed,
                    lamports,
                    space,
                    owner,
                };
                (vec![from, to, base], instruction)
            }
            4 => {
                let slots = vec![self.nonce(false, 10), self.blockhashes(), self.authority()];
                (slots, SystemInstruction::AdvanceNonceAccount)
            }
            5 => {
                let fresh = chance(self.rng, 20);
                let nonce = self.nonce(fresh, 10);
                let to = self.unassigned(key("receiver"));
                let balance = nonce.account.as_ref().map_or(0, |account| account.lamports);
                let length = nonce.account.as_ref().map_or(0, |account| account.data.len());
                let spare = balance.saturating_sub(rent(length));
                let lamports = match self.rng.random_range(0..4) {
                    0 => self.lamports(&nonce),
                    1 => one(self.rng, &[balance, spare, spare + 1]),
                    _ => self.rng.random_range(0..=spare),
                };
                let slots = vec![nonce, to, self.blockhashes(), self.rent(), self.authority()];
                (slots, SystemInstruction::WithdrawNonceAccount(lamports))
            }
            6 => {
                let slots = vec![self.nonce(true, 10), self.blockhashes(), self.rent()];
                (slots, SystemInstruction::InitializeNonceAccount((self.parties)("authority")))
            }
            7 => {
                let slots = vec![self.nonce(false, 20), self.authority()];
                (slots, SystemInstruction::AuthorizeNonceAccount(key("new authority")))
            }
            8 => {
                let slot = self.unassigned((self.parties)("to")).signing();
                (vec![slot], SystemInstruction::Allocate { space })
            }
            9 | 10 => {
                let (seed, base, derived) = self.seeded(&owner);
                let slot = self.unassigned(derived);
                let address = base.address;
                let instruction = match number {
                    9 => SystemInstruction::AllocateWithSeed { base: address, seed, space, owner },
                    _ => SystemInstruction::AssignWithSeed { base: address, seed, owner },
                };
                (vec![slot, base], instruction)
            }
            11 => {
                let (from_seed, base, derived) = self.seeded(&owner);
                let account = self.wallet();
                let from = Slot::write(derived, account);
                let to = self.unassigned(key("receiver"));
                let lamports = self.lamports(&from);
                let instruction =
                    SystemInstruction::TransferWithSeed { lamports, from_seed, from_owner: owner };
                (vec![from, base, to], instruction)
            }
            12 => {
                let fresh = chance(self.rng, 15);
                let slot = self.nonce(fresh, 80);
                (vec![slot], SystemInstruction::UpgradeNonceAccount)
            }
            13 => {
                let to = match self.rng.random_range(0..2) {
                    0 => self.blank((self.parties)("to")),
                    _ => Slot::write((self.parties)("to"), self.wallet()),
                };
                let from = self.payer();
                let lamports = self.lamports(&from);
                let slots = vec![to.signing(), from];
                (slots, SystemInstruction::CreateAccountAllowPrefund { lamports, space, owner })
            }
            _ => panic!("no instruction {number}"),
        }
    }

    /// Spoils an instruction in some way.
    fn spoil(&mut self, draft: &mut Draft) {
        let Some(i) = (0..draft.slots.len()).choose(self.rng) else { return };
        let other = (0..draft.slots.len()).choose(self.rng).unwrap_or(i);
        let change = match self.rng.random_range(0..12) {
            0..=2 => match (0..draft.slots.len()).filter(|&i| draft.slots[i].signer).choose(self.rng) {
                Some(i) => {
                    draft.slots[i].signer = false;
                    format!("account {i} does not sign")
                }
                None => return,
            },
            3 | 4 => {
                draft.slots[i].writable = false;
                format!("account {i} is read-only")
            }
            5 => {
                draft.slots.truncate(i);
                format!("only {i} accounts")
            }
            6 => {
                draft.slots[i] = draft.slots[other].clone();
                format!("account {i} is account {other} again")
            }
            7 => {
                draft.slots.swap(i, other);
                format!("accounts {i} and {other} swapped")
            }
            8 => {
                draft.slots[i].account = None;
                format!("account {i} does not exist")
            }
            9 => match &mut draft.slots[i].account {
                Some(account) => {
                    account.owner = one(self.rng, &[key("stranger"), system_program::ID, sysvar::ID]);
                    format!("account {i} is owned by {}", account.owner)
                }
                None => return,
            },
            10 => match &mut draft.slots[i].account {
                Some(account) => {
                    account.lamports = one(self.rng, &[0, 1, u64::MAX / 2, u64::MAX - 1, u64::MAX]);
                    format!("account {i} has {} lamports", account.lamports)
                }
                None => return,
            },
            _ => {
                draft.slots[i].address = key("stranger");
                format!("account {i} is a stranger")
            }
        };
        draft.changes.push(change);
    }
}
