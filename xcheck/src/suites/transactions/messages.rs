//! Transactions whose message is wrong, or whose accounts cannot be loaded.

use rand::{Rng, seq::IteratorRandom};
use rand_chacha::ChaCha8Rng;
use solana_account::Account;
use solana_clock::Clock;
use solana_message::VersionedMessage;
use solana_sdk_ids::{bpf_loader, bpf_loader_upgradeable, native_loader, system_program, sysvar};
use solana_signature::Signature;
use svmllm::host::DEFAULT_SLOT;

use super::Transactions;
use crate::{
    case::CaseId,
    generate::{
        bundle::Bundle,
        own,
        spl::{MEMO, PAYER, chance, key, one, rent, wallet},
    },
    transaction::{Draft, Loader, Slot, TransactionCase},
};

impl Transactions {
    /// A message that does not hold together, or holds more than it may.
    pub(super) fn messages(&self, id: CaseId, rng: &mut ChaCha8Rng) -> anyhow::Result<TransactionCase> {
        let kind = one(
            rng,
            &[
                "program index",
                "account index",
                "account index",
                "header",
                "header",
                "header",
                "key twice",
                "key twice",
                "signatures",
                "no instructions",
                "many instructions",
                "many instructions",
                "many accounts",
                "many accounts",
                "program pays",
                "payer is program",
            ],
        );
        let mut bundle = self.bundle(2, rng);
        match kind {
            "many instructions" => {
                let count = one(rng, &[30, 62, 63, 64, 65, 70]);
                let transfer = Draft::new(
                    "Transfer",
                    system_program::ID,
                    vec![Slot::write(PAYER, None).signing(), Slot::write(key("receiver"), wallet(rent(0)))],
                    vec![2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
                );
                while bundle.instructions.len() < count {
                    bundle.push(transfer.clone());
                }
            }
            "many accounts" => {
                let count = one(rng, &[50, 60, 61, 62, 63, 64, 65, 100, 125, 128, 129, 200]);
                let slots =
                    (0..count).map(|number| Slot::read(key(&format!("account {number}")), None)).collect();
                bundle = Bundle::default();
                bundle.push(Draft::new("memo", MEMO, slots, b"many".to_vec()));
            }
            _ => {}
        }
        let versioned = chance(rng, 40);
        let mut case = self.finish(id, kind, bundle, versioned, rng)?;
        let some = |rng: &mut ChaCha8Rng| rng.random_range(0..40);
        let (mut header, mut keys, mut instructions) = match &case.transaction.message {
            VersionedMessage::Legacy(message) => {
                (message.header, message.account_keys.clone(), message.instructions.clone())
            }
            VersionedMessage::V0(message) => {
                (message.header, message.account_keys.clone(), message.instructions.clone())
            }
            _ => anyhow::bail!("an unexpected version"),
        };
        match kind {
            "program index" => instructions[0].program_id_index = some(rng),
            "account index" => {
                let value = some(rng);
                let count = instructions[0].accounts.len();
                match count {
                    0 => instructions[0].accounts.push(value),
                    _ => instructions[0].accounts[rng.random_range(0..count)] = value,
                }
            }
            "header" => match rng.random_range(0..3) {
                0 => header.num_required_signatures = some(rng) / 4,
                1 => header.num_readonly_signed_accounts = some(rng) / 4,
                _ => header.num_readonly_unsigned_accounts = some(rng),
            },
            "key twice" => {
                let from = rng.random_range(0..keys.len());
                let to = rng.random_range(0..keys.len());
                keys[to] = keys[from];
            }
            "no instructions" => instructions.clear(),
            "program pays" => instructions[0].program_id_index = 0,
            "payer is program" => {
                // The payer's key and a program's change places.
                let program = usize::from(instructions[0].program_id_index);
                keys.swap(0, program);
            }
            _ => {}
        }
        match &mut case.transaction.message {
            VersionedMessage::Legacy(message) => {
                (message.header, message.account_keys, message.instructions) = (header, keys, instructions);
            }
            VersionedMessage::V0(message) => {
                (message.header, message.account_keys, message.instructions) = (header, keys, instructions);
            }
            _ => {}
        }
        if kind == "signatures" || chance(rng, 10) {
            match rng.random_range(0..3) {
                0 => _ = case.transaction.signatures.pop(),
                1 => case.transaction.signatures.push(Signature::default()),
                _ => case.transaction.signatures.clear(),
            }
        } else {
            sign(&mut case);
        }
        Ok(case)
    }

    /// Programs that are none, accounts too large or not to be written.
    pub(super) fn loading(&self, id: CaseId, rng: &mut ChaCha8Rng) -> anyhow::Result<TransactionCase> {
        let mut bundle = self.bundle(2, rng);
        let kind = one(
            rng,
            &[
                "limit",
                "limit",
                "no program",
                "not executable",
                "writable program",
                "writable sysvar",
                "preset sysvar",
                "preset sysvar",
                "sysvar pays",
                "large",
            ],
        );
        match kind {
            "preset sysvar" => preset_sysvar(&mut bundle, rng),
            "limit" => {
                let limit: u32 = one(rng, &[1000, 20_000, 100_000, 200_000, 300_000, 1_000_000])
                    + rng.random_range(0..1000);
                bundle.limit([&[4][..], &limit.to_le_bytes()].concat(), 0);
            }
            "no program" | "not executable" => {
                let program = key("no program");
                if kind == "not executable" {
                    let owner = one(
                        rng,
                        &[bpf_loader::ID, bpf_loader_upgradeable::ID, native_loader::ID, system_program::ID],
                    );
                    let account = Account { data: vec![7; 36], owner, ..wallet(rent(36)) };
                    bundle.accounts.insert(program, account);
                }
                let draft = Draft::new(kind, program, vec![Slot::read(PAYER, None)], vec![1]);
                bundle.push(draft);
                if chance(rng, 50) {
                    bundle.instructions.rotate_right(1);
                }
            }
            "writable program" => {
                let program = bundle.instructions[0].program_id;
                let mut programs = vec![program, system_program::ID, MEMO];
                programs.extend(chance(rng, 40).then_some(bpf_loader_upgradeable::ID));
                let slots = programs.into_iter().map(|program| Slot::write(program, None)).collect();
                bundle.push(Draft::new(
                    kind,
                    own::address("logs", own::VERSIONS[0], Loader::V3),
                    slots,
                    b"x".to_vec(),
                ));
            }
            "writable sysvar" => {
                let sysvars = [sysvar::clock::ID, sysvar::rent::ID, sysvar::instructions::ID];
                let slots = vec![Slot::write(one(rng, &sysvars), None), Slot::write(PAYER, None)];
                bundle.push(Draft::new(
                    kind,
                    own::address("logs", own::VERSIONS[1], Loader::V2),
                    slots,
                    b"y".to_vec(),
                ));
            }
            "sysvar pays" => {
                // The instructions sysvar is made for each transaction, whatever is stored in its place.
                bundle.accounts.insert(sysvar::instructions::ID, wallet(10_000_000_000));
            }
            _ => {
                let account = Account { data: vec![1; 2 << 20], ..wallet(rent(2 << 20)) };
                bundle.accounts.insert(key("large"), account);
                let slots = vec![Slot::read(key("large"), None)];
                bundle.push(Draft::new(
                    kind,
                    own::address("logs", own::VERSIONS[0], Loader::V3),
                    slots,
                    b"z".to_vec(),
                ));
                let limit: u32 = one(rng, &[2 << 20, (2 << 20) + 200_000, 64 << 20]);
                bundle.limit([&[4][..], &limit.to_le_bytes()].concat(), 0);
            }
        }
        let versioned = chance(rng, 30);
        let mut case = self.finish(id, kind, bundle, versioned, rng)?;
        if kind == "sysvar pays" {
            match &mut case.transaction.message {
                VersionedMessage::Legacy(message) => message.account_keys[0] = sysvar::instructions::ID,
                VersionedMessage::V0(message) => message.account_keys[0] = sysvar::instructions::ID,
                _ => anyhow::bail!("an unexpected version"),
            }
        }
        Ok(case)
    }
}

/// A sysvar's account as someone has set it before, read by a program that names it up to three times.
fn preset_sysvar(bundle: &mut Bundle, rng: &mut ChaCha8Rng) {
    let program = own::address("widths", own::VERSIONS[0], Loader::V3);
    let clock = Clock { slot: DEFAULT_SLOT + rng.random_range(1..100), epoch: 7, ..Clock::default() };
    let clock = wincode::serialize(&clock).expect("a clock serializes");
    let any = (0..one(rng, &[0, 1, 2, 40, 200])).map(|_| rng.random()).collect();
    let (address, mut data) = [
        (sysvar::instructions::ID, any),
        (sysvar::clock::ID, clock),
        (sysvar::epoch_schedule::ID, vec![0; 33]),
        (sysvar::recent_blockhashes::ID, vec![0; 8]),
        (sysvar::slot_history::ID, vec![9; 100]),
    ]
    .into_iter()
    .choose(rng)
    .expect("it is one of them");
    if chance(rng, 30) {
        data.extend([0xab; 5]);
    }
    let owner = one(rng, &[sysvar::ID, program, system_program::ID, key("stranger")]);
    let lamports = one(rng, &[1, rent(data.len())]);
    let end = data.len() as u32;
    bundle.changes.push(format!("{address} of {end} bytes, owned by {owner}"));
    let slot = Slot::read(address, Account { data, owner, ..wallet(lamports) });
    let times = rng.random_range(1..=3);
    let slots = (0..times).map(|_| Slot { writable: chance(rng, 40), ..slot.clone() }).collect();
    let steps = (0..4).flat_map(|_| {
        // A load of some width or, now and then, a store.
        let what = rng.random_range(0..4) | u8::from(chance(rng, 10)) << 2;
        [&[what, 0, 0, 0][..], &rng.random_range(0..=end).to_le_bytes(), &[0; 4]].concat()
    });
    bundle.push(Draft::new("preset sysvar", program, slots, steps.collect()));
}

/// Gives a transaction as many signatures as it needs.
pub(super) fn sign(case: &mut TransactionCase) {
    let count = case.transaction.message.header().num_required_signatures.max(1);
    let first = case.transaction.signatures.first().copied().unwrap_or_default();
    let others = (1..count).map(|number| Signature::from([number; 64]));
    case.transaction.signatures = std::iter::once(first).chain(others).collect();
}
