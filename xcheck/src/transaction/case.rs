//! One transaction to be compared: everything it runs on.

use std::sync::Arc;

use solana_account::Account;
use solana_address::Address;
use solana_hash::Hash;
use solana_instruction::{AccountMeta, Instruction};
use solana_message::{Message, VersionedMessage, v0};
use solana_sdk_ids::{
    address_lookup_table, bpf_loader, bpf_loader_deprecated, bpf_loader_upgradeable, stake,
};
use solana_signature::Signature;
use solana_transaction::versioned::VersionedTransaction;

use crate::{
    case::CaseId,
    generate::spl::{ASSOCIATED_TOKEN, MEMO, MEMO_1, TOKEN, TOKEN_2022},
};

/// Bytes of log a transaction may write unless a case says otherwise.
pub const LOG_LIMIT: usize = 10_000;

/// A transaction with the accounts, programs and settings it runs on, besides those every bank starts with.
#[derive(Clone, Debug)]
pub struct TransactionCase {
    /// How to make this case again.
    pub id: CaseId,
    /// The instruction it is about, as coverage counts it.
    pub name: String,
    /// What was done to it to make it fail, in words.
    pub changes: Vec<String>,
    /// Programs added before the accounts.
    pub programs: Arc<[ProgramFile]>,
    /// Accounts set before the transaction.
    pub accounts: Vec<(Address, Account)>,
    /// The transaction; its signatures are not checked.
    pub transaction: VersionedTransaction,
    /// Settings of the bank.
    pub settings: Settings,
}

impl TransactionCase {
    /// Every address that the transaction names or the case sets, some more than once.
    pub fn addresses(&self) -> impl Iterator<Item = Address> {
        let keys = self.transaction.message.static_account_keys().iter();
        keys.copied().chain(self.accounts.iter().map(|(address, _)| *address))
    }
}

/// Settings of a bank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Units and heap that win over what the transaction asks for.
    pub budget: Option<Budget>,
    /// Bytes of log kept; `None` for all.
    pub log_limit: Option<usize>,
    /// Features of the mainnet set that are switched off.
    pub inactive: Vec<Address>,
    /// Whether the transaction needs the latest blockhash or a nonce.
    pub checks_blockhash: bool,
}

/// What a transaction may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Compute units.
    pub units: u64,
    /// Bytes of heap.
    pub heap: u32,
}

impl Budget {
    /// So many units with the heap of a transaction that asks for none.
    pub fn units(units: u64) -> Self {
        Self { units, heap: 32 * 1024 }
    }
}

/// Which loader owns a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loader {
    /// The first one: parameters are not aligned.
    V1,
    /// The second one.
    V2,
    /// The upgradeable one.
    V3,
}

impl Loader {
    /// The loader at an address, if there is one.
    pub fn at(address: Address) -> Option<Self> {
        [Self::V1, Self::V2, Self::V3].into_iter().find(|loader| loader.address() == address)
    }

    /// Its address.
    pub fn address(self) -> Address {
        match self {
            Self::V1 => bpf_loader_deprecated::ID,
            Self::V2 => bpf_loader::ID,
            Self::V3 => bpf_loader_upgradeable::ID,
        }
    }
}

/// A program and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramFile {
    /// Its address.
    pub address: Address,
    /// Its loader.
    pub loader: Loader,
    /// The file.
    pub elf: Arc<[u8]>,
}

/// Where the programs are that every bank starts with.
pub const SHIPPED: [Address; 7] =
    [TOKEN, TOKEN_2022, MEMO_1, MEMO, ASSOCIATED_TOKEN, address_lookup_table::ID, stake::ID];

/// What a transaction with these instructions is, signed by rubbish.
///
/// The first signature holds `tag`, so that transactions differ. `versioned` makes it one of version 0.
///
/// # Errors
/// Too many accounts.
pub fn transaction(
    instructions: &[Instruction],
    payer: Address,
    versioned: bool,
    tag: u64,
) -> anyhow::Result<VersionedTransaction> {
    let message = if versioned {
        VersionedMessage::V0(v0::Message::try_compile(&payer, instructions, &[], Hash::default())?)
    } else {
        VersionedMessage::Legacy(Message::new_with_blockhash(instructions, Some(&payer), &Hash::default()))
    };
    let signatures = (0..message.header().num_required_signatures).map(|number| {
        let mut bytes = [number; 64];
        bytes[..8].copy_from_slice(&tag.to_le_bytes());
        Signature::from(bytes)
    });
    Ok(VersionedTransaction { signatures: signatures.collect(), message })
}

/// An instruction account, with what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its address.
    pub address: Address,
    /// What is there before; `None` leaves what every bank starts with.
    pub account: Option<Account>,
    /// Whether it signs.
    pub signer: bool,
    /// Whether it may be written.
    pub writable: bool,
}

impl Slot {
    /// An account that is only read.
    pub fn read(address: Address, account: impl Into<Option<Account>>) -> Self {
        Self { address, account: account.into(), signer: false, writable: false }
    }

    /// An account that may be written.
    pub fn write(address: Address, account: impl Into<Option<Account>>) -> Self {
        Self { writable: true, ..Self::read(address, account) }
    }

    /// The same account, signing.
    pub fn signing(self) -> Self {
        Self { signer: true, ..self }
    }

    /// How the instruction lists it.
    pub fn meta(&self) -> AccountMeta {
        AccountMeta { pubkey: self.address, is_signer: self.signer, is_writable: self.writable }
    }
}

/// One instruction, before it becomes a case.
#[derive(Clone, Debug)]
pub struct Draft {
    /// What it is.
    pub name: String,
    /// The program called.
    pub program: Address,
    /// The accounts it lists.
    pub slots: Vec<Slot>,
    /// Its data.
    pub data: Vec<u8>,
    /// What was done to it, in words.
    pub changes: Vec<String>,
}

impl Draft {
    /// An instruction as its program wants it.
    pub fn new(name: impl Into<String>, program: Address, slots: Vec<Slot>, data: Vec<u8>) -> Self {
        Self { name: name.into(), program, slots, data, changes: Vec::new() }
    }

    /// The instruction.
    pub fn instruction(&self) -> Instruction {
        let accounts = self.slots.iter().map(Slot::meta).collect();
        Instruction { program_id: self.program, accounts, data: self.data.clone() }
    }

    /// The accounts to set.
    pub fn accounts(&self) -> impl Iterator<Item = (Address, Account)> {
        self.slots.iter().filter_map(|slot| Some((slot.address, slot.account.clone()?)))
    }
}
