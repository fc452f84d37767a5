//! Transactions of several instructions with everything around them, against LiteSVM.

mod messages;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rand::{Rng, seq::IteratorRandom};
use rand_chacha::ChaCha8Rng;
use solana_account::Account;
use solana_address::Address;
use solana_hash::Hash;
use solana_instruction::{AccountMeta, Instruction};
use solana_message::{VersionedMessage, compiled_instruction::CompiledInstruction, v0};
use solana_nonce::state::DurableNonce;
use solana_sdk_ids::{system_program, sysvar};
use solana_system_interface::instruction::SystemInstruction;

use self::messages::sign;
use crate::{
    case::CaseId,
    generate::{
        bundle::{self, Bundle},
        calls, own, rng,
        spl::{MEMO, MEMO_1, PAYER, TOKEN, TOKEN_2022, chance, hostile, key, memo, one, rent, token, wallet},
        system,
    },
    oracle::litesvm::LiteSvm,
    transaction::{
        Budget, Draft, LOG_LIMIT, Loader, ProgramFile, Settings, Slot, TransactionCase, TransactionSuite,
        transaction,
    },
};

/// The suite's name.
pub const NAME: &str = "transactions";

/// The parts, and how many transactions they have.
const PARTS: [(&str, u64); 7] = [
    ("mixed", 1100),
    ("budgets", 400),
    ("payers", 300),
    ("nonces", 400),
    ("lookup tables", 400),
    ("messages", 250),
    ("loading", 150),
];

/// The suite `transactions`.
pub struct Transactions {
    seed: u64,
    programs: Arc<[ProgramFile]>,
    lengths: BTreeMap<Address, u64>,
    latest: Hash,
}

impl Transactions {
    /// The suite; the oracle tells the lengths of programs and the latest blockhash.
    ///
    /// # Errors
    /// A program is missing.
    pub fn new(seed: u64, oracle: &mut LiteSvm) -> anyhow::Result<Self> {
        let mut programs = calls::programs().to_vec();
        programs.extend(own::programs()?);
        let lengths = oracle.lengths(&programs, &[system_program::ID, MEMO])?;
        Ok(Self { seed, programs: programs.into(), lengths, latest: oracle.blockhash()? })
    }

    fn locate(index: u64) -> (usize, u64) {
        let mut within = index;
        for (part, (_, size)) in PARTS.iter().enumerate() {
            if within < *size {
                return (part, within);
            }
            within -= size;
        }
        (PARTS.len() - 1, within)
    }

    /// Up to so many instructions of all kinds.
    fn bundle(&self, most: usize, rng: &mut ChaCha8Rng) -> Bundle {
        let mut bundle = Bundle::default();
        for _ in 0..rng.random_range(1..=most) {
            let draft = self.draft(rng);
            bundle.push(draft);
        }
        bundle
    }

    fn draft(&self, rng: &mut ChaCha8Rng) -> Draft {
        let mut draft = match rng.random_range(0..12) {
            0 => memo::memo(one(rng, &[MEMO, MEMO_1]), rng),
            1..=3 => {
                let lamports = one(rng, &[rent(0), 1_000_000, 5_000_000, 20_000_000_000, 0]);
                let data = wincode::serialize(&SystemInstruction::Transfer { lamports });
                let to = [key("receiver"), key("from"), key("to"), PAYER];
                let slots = vec![Slot::write(PAYER, None).signing(), Slot::write(one(rng, &to), None)];
                Draft::new("Transfer", system_program::ID, slots, data.expect("an instruction serializes"))
            }
            4 => {
                let number = rng.random_range(0..system::NAMES.len());
                system::Scene::new(rng, Hash::default(), &key).instruction(number)
            }
            5 | 6 => {
                let mut scene = calls::Scene::new(rng, &self.lengths);
                let accounts = scene.listed();
                let caller = scene.callers[0];
                let depth = rng.random_range(0..3);
                let data = scene.plan(caller, &accounts, depth, rng).encode();
                let slot = |meta: &AccountMeta| Slot {
                    address: meta.pubkey,
                    account: scene.accounts.get(&meta.pubkey).cloned(),
                    signer: meta.is_signer,
                    writable: meta.is_writable,
                };
                Draft::new("calls", caller.address(), accounts.iter().map(slot).collect(), data)
            }
            7 | 8 => {
                let number = one(rng, &[3, 3, 4, 5, 7, 8, 12, 14, 17, 21]);
                token::instruction(one(rng, &[TOKEN, TOKEN, TOKEN_2022]), number, rng)
            }
            _ => {
                let name = one(rng, &own::NAMES);
                let loader = one(rng, &[Loader::V2, Loader::V3]);
                own::instruction(name, own::address(name, one(rng, &own::VERSIONS), loader), rng)
            }
        };
        if chance(rng, 10) {
            hostile::spoil(&mut draft, rng);
        }
        draft
    }

    fn mixed(&self, id: CaseId, rng: &mut ChaCha8Rng) -> anyhow::Result<TransactionCase> {
        let mut bundle = self.bundle(5, rng);
        if chance(rng, 30) {
            let at = rng.random_range(0..=bundle.instructions.len());
            bundle.limit(bundle::budget(rng), at);
        }
        let versioned = chance(rng, 40);
        self.finish(id, "mixed", bundle, versioned, rng)
    }

    fn finish(
        &self,
        id: CaseId,
        name: &str,
        bundle: Bundle,
        versioned: bool,
        rng: &mut ChaCha8Rng,
    ) -> anyhow::Result<TransactionCase> {
        let Bundle { mut changes, accounts, instructions } = bundle;
        let mut settings = Settings::default();
        match rng.random_range(0..12) {
            0 => settings.log_limit = Some(one(rng, &[0, 100, 1000, LOG_LIMIT])),
            1 => settings.budget = Some(Budget::units(rng.random_range(0..20_000))),
            _ => {}
        }
        changes.push(format!("{settings:?}"));
        Ok(TransactionCase {
            id,
            name: name.into(),
            changes,
            programs: self.programs.clone(),
            accounts: accounts.into_iter().collect(),
            transaction: transaction(&instructions, PAYER, versioned, id.index)?,
            settings,
        })
    }

    fn budgets(&self, id: CaseId, rng: &mut ChaCha8Rng) -> anyhow::Result<TransactionCase> {
        let mut bundle = self.bundle(2, rng);
        for _ in 0..one(rng, &[1, 1, 2, 3]) {
            let at = rng.random_range(0..4);
            bundle.limit(bundle::budget(rng), at);
        }
        if chance(rng, 20) {
            // What the payer can just pay for, or cannot.
            let lamports = rent(0) + 5000 + one(rng, &[0, 1, 20, 199_999, 200_000, 200_001, 1_400_000]);
            bundle.accounts.insert(PAYER, wallet(lamports));
            bundle.changes.push(format!("the payer has {lamports} lamports"));
        }
        self.finish(id, "budgets", bundle, false, rng)
    }

    fn payers(&self, id: CaseId, rng: &mut ChaCha8Rng) -> anyhow::Result<TransactionCase> {
        let mut bundle = self.bundle(2, rng);
        let need = 5000 * bundle_signers(&bundle);
        let exempt = rent(0);
        let amounts = [
            0,
            1,
            need - 1,
            need,
            need + 1,
            need + exempt - 1,
            need + exempt,
            need + exempt + 1,
            10 * exempt,
        ];
        let lamports = one(rng, &amounts);
        let kind = one(rng, &["wallet", "wallet", "wallet", "data", "owned", "nonce", "nonce", "absent"]);
        let account = match kind {
            "data" => Account { data: vec![0; one(rng, &[1, 79, 80, 81])], ..wallet(lamports + rent(100)) },
            "owned" => Account { owner: one(rng, &[TOKEN, key("stranger")]), ..wallet(lamports) },
            "nonce" => Account {
                data: bundle::nonce(1, chance(rng, 75), PAYER, Hash::default()),
                ..wallet(lamports + one(rng, &[0, rent(80)]))
            },
            "absent" => wallet(0),
            _ => Account { rent_epoch: one(rng, &[0, u64::MAX]), ..wallet(lamports) },
        };
        bundle.changes.push(format!("payer: {kind}, {} lamports", account.lamports));
        bundle.accounts.insert(PAYER, account);
        if chance(rng, 30) {
            bundle.limit(bundle::budget(rng), 0);
        }
        let versioned = chance(rng, 30);
        self.finish(id, kind, bundle, versioned, rng)
    }

    fn nonces(&self, id: CaseId, rng: &mut ChaCha8Rng) -> anyhow::Result<TransactionCase> {
        let mut bundle = self.bundle(2, rng);
        let stored = match rng.random_range(0..10) {
            0 => self.latest,
            _ => Hash::new_from_array([3; 32]),
        };
        let stored = *DurableNonce::from_blockhash(&stored).as_hash();
        let (address, authority) = match rng.random_range(0..10) {
            0 => (PAYER, PAYER),
            1 | 2 => (key("nonce"), PAYER),
            _ => (key("nonce"), key("nonce authority")),
        };
        let held = if chance(rng, 4) { key("stranger") } else { authority };
        let version = one(rng, &[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 2]);
        let data = bundle::nonce(version, !chance(rng, 4), held, stored);
        let owner = if chance(rng, 3) { key("stranger") } else { system_program::ID };
        let more = if address == PAYER { 10_000_000_000 } else { one(rng, &[0, 0, 1]) };
        let account = Account { data, owner, ..wallet(rent(80) + more) };
        if !chance(rng, 5) {
            bundle.accounts.insert(address, account);
        }
        let mut accounts = vec![
            AccountMeta { is_writable: !chance(rng, 5), ..AccountMeta::new(address, false) },
            AccountMeta::new_readonly(sysvar::recent_blockhashes::ID, false),
            AccountMeta::new_readonly(authority, !chance(rng, 4)),
        ];
        if chance(rng, 4) {
            accounts.truncate(rng.random_range(0..3));
        }
        let mut data = vec![4, 0, 0, 0];
        if chance(rng, 4) {
            data = one(rng, &[&[5, 0, 0, 0][..], &[4, 0, 0], &[4, 0, 0, 0, 0]]).to_vec();
        }
        let advance = Instruction { program_id: system_program::ID, accounts, data };
        let at = usize::from(chance(rng, 4));
        bundle.instructions.insert(at, advance);
        if chance(rng, 10) {
            let at = rng.random_range(0..2);
            bundle.limit(bundle::budget(rng), at);
        }
        let blockhash = match rng.random_range(0..24) {
            0 => self.latest,
            1 => Hash::default(),
            2 => *DurableNonce::from_blockhash(&self.latest).as_hash(),
            _ => stored,
        };
        let versioned = chance(rng, 20);
        let mut case = self.finish(id, "nonces", bundle, versioned, rng)?;
        case.transaction.message.set_recent_blockhash(blockhash);
        case.settings.checks_blockhash = !chance(rng, 10);
        Ok(case)
    }

    fn tables(&self, id: CaseId, rng: &mut ChaCha8Rng) -> anyhow::Result<TransactionCase> {
        let mut bundle = self.bundle(3, rng);
        let tables = bundle::tables(&mut bundle, rng);
        let mut case = self.finish(id, "lookup tables", bundle, true, rng)?;
        let VersionedMessage::V0(old) = &case.transaction.message else { anyhow::bail!("it has version 0") };
        let instructions = instructions_of(old);
        let mut message = v0::Message::try_compile(&PAYER, &instructions, &tables, Hash::default())?;
        let change = match rng.random_range(0..12) {
            0 => message.address_table_lookups.iter_mut().choose(rng).map(|lookup| {
                lookup.writable_indexes.push(one(rng, &[0, 100, 255]));
                "a writable index more"
            }),
            1 => message.address_table_lookups.iter_mut().choose(rng).map(|lookup| {
                lookup.readonly_indexes.push(one(rng, &[0, 0, 1, 255]));
                "a readonly index more"
            }),
            2 => message.address_table_lookups.iter_mut().choose(rng).map(|lookup| {
                lookup.writable_indexes.clear();
                lookup.readonly_indexes.clear();
                "no indices"
            }),
            3 => message.address_table_lookups.first().cloned().map(|lookup| {
                message.address_table_lookups.push(lookup);
                "a table twice"
            }),
            _ => None,
        };
        case.changes.extend(change.map(String::from));
        case.transaction.message = VersionedMessage::V0(message);
        sign(&mut case);
        Ok(case)
    }
}

/// How many signatures the transaction will have.
fn bundle_signers(bundle: &Bundle) -> u64 {
    let metas = bundle.instructions.iter().flat_map(|instruction| &instruction.accounts);
    let mut signers: Vec<Address> = metas.filter(|meta| meta.is_signer).map(|meta| meta.pubkey).collect();
    signers.push(PAYER);
    signers.sort();
    signers.dedup();
    signers.len() as u64
}

/// The instructions of a message without tables.
fn instructions_of(message: &v0::Message) -> Vec<Instruction> {
    let keys = &message.account_keys;
    let reserved: Option<&BTreeSet<Address>> = None;
    let meta = |index: &u8| {
        let index = usize::from(*index);
        AccountMeta {
            pubkey: keys[index],
            is_signer: index < usize::from(message.header.num_required_signatures),
            is_writable: VersionedMessage::V0(message.clone())
                .is_maybe_writable_with_reserved_addresses(index, reserved),
        }
    };
    let instruction = |instruction: &CompiledInstruction| Instruction {
        program_id: keys[usize::from(instruction.program_id_index)],
        accounts: instruction.accounts.iter().map(meta).collect(),
        data: instruction.data.clone(),
    };
    message.instructions.iter().map(instruction).collect()
}

impl TransactionSuite for Transactions {
    fn name(&self) -> &'static str {
        NAME
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn size(&self) -> u64 {
        PARTS.iter().map(|(_, size)| size).sum()
    }

    fn case(&mut self, index: u64) -> anyhow::Result<TransactionCase> {
        let id = CaseId { suite: NAME, seed: self.seed, index };
        let mut rng = rng(NAME, self.seed, index);
        let rng = &mut rng;
        match Self::locate(index).0 {
            0 => self.mixed(id, rng),
            1 => self.budgets(id, rng),
            2 => self.payers(id, rng),
            3 => self.nonces(id, rng),
            4 => self.tables(id, rng),
            5 => self.messages(id, rng),
            _ => self.loading(id, rng),
        }
    }

    fn part(&self, index: u64) -> &'static str {
        PARTS[Self::locate(index).0].0
    }
}
