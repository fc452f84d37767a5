//! Bodies of tests that run on every machine with LiteSVM's methods.

use std::path::Path;

use anyhow::{Context, ensure};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use solana_account::Account;
use solana_address::Address;
use solana_clock::Clock;
use solana_hash::Hash;
use solana_instruction::{AccountMeta, Instruction};
use solana_keypair::Keypair;
use solana_message::{Message, VersionedMessage};
use solana_sdk_ids::{
    bpf_loader, bpf_loader_deprecated, bpf_loader_upgradeable, ed25519_program, secp256k1_program,
    secp256r1_program, system_program, sysvar, vote, zk_elgamal_proof_program,
};
use solana_signer::Signer;
use solana_system_interface::instruction::transfer;
use solana_transaction::versioned::VersionedTransaction;
use svmllm::host::{Version, svm::ComputeBudget};

use crate::{
    bank::{Bank, Watched},
    generate::{
        bytes, own,
        spl::{MEMO, TOKEN, key, one, wallet},
    },
};

/// A keypair that depends on the generator alone.
pub(super) fn keypair(rng: &mut ChaCha8Rng) -> Keypair {
    Keypair::new_from_array(rng.random())
}

/// A signed transaction of the first signer's.
pub(super) fn signed(
    instructions: &[Instruction],
    signers: &[&Keypair],
    blockhash: Hash,
) -> VersionedTransaction {
    let message = Message::new_with_blockhash(instructions, Some(&signers[0].pubkey()), &blockhash);
    let bytes = message.serialize();
    let message_signers = message.account_keys[..usize::from(message.header.num_required_signatures)].iter();
    let sign = |address: &Address| {
        let signer = signers.iter().find(|signer| signer.pubkey() == *address);
        signer.map(|signer| signer.sign_message(&bytes)).unwrap_or_default()
    };
    VersionedTransaction {
        signatures: message_signers.map(sign).collect(),
        message: VersionedMessage::Legacy(message),
    }
}

/// Airdrops move lamports from an account that a fresh machine has.
pub(super) fn airdrops<B: Bank>(rng: &mut ChaCha8Rng) -> anyhow::Result<Watched<B>> {
    let mut bank = Watched::<B>::new();
    let giver = bank.airdrop_pubkey();
    let before = bank.get_balance(&giver);
    ensure!(before == Some(1_000_000_000_000_000), "the giver has {before:?}");
    let taker = keypair(rng).pubkey();
    let lamports = rng.random_range(890_880..1_000_000_000);
    ensure!(bank.get_balance(&taker).is_none());
    ensure!(bank.airdrop(&taker, lamports).is_ok());
    ensure!(bank.get_balance(&taker) == Some(lamports));
    ensure!(bank.get_balance(&giver) == before.map(|before| before - lamports - 5_000));
    // Less than rent asks for is refused, and the same transaction twice.
    ensure!(bank.airdrop(&keypair(rng).pubkey(), 1).is_err());
    ensure!(bank.airdrop(&taker, lamports).is_err());
    let few = Watched::<B>::default().with_sysvars().with_builtins().with_lamports(5_000);
    let giver = few.airdrop_pubkey();
    ensure!(few.get_balance(&giver) == Some(5_000));
    Ok(bank)
}

/// Accounts are what was set; none has no lamports.
pub(super) fn accounts<B: Bank>(rng: &mut ChaCha8Rng) -> anyhow::Result<Watched<B>> {
    let mut bank = Watched::<B>::new();
    let owner = key("owner");
    let length = rng.random_range(0..200);
    for number in 0..4 {
        let data = bytes(rng, length);
        let lamports = one(rng, &[1, 2_000_000, u64::MAX]);
        let executable = false;
        let account = Account { lamports, data, owner, executable, rent_epoch: rng.random() };
        ensure!(bank.set_account(key(&format!("account {number}")), account.clone()).is_ok());
        ensure!(bank.get_account(&key(&format!("account {number}"))) == Some(account));
    }
    ensure!(bank.get_program_accounts(&owner).len() == 4);
    ensure!(bank.set_account(key("account 1"), Account::default()).is_ok());
    ensure!(bank.get_account(&key("account 1")).is_none());
    ensure!(bank.get_program_accounts(&owner).len() == 3);
    ensure!(bank.get_program_accounts(&key("nobody")).is_empty());
    for length in [0, 1, rng.random_range(2..100_000), 10 * 1024 * 1024, 10 * 1024 * 1024 + 1, usize::MAX] {
        bank.minimum_balance_for_rent_exemption(length);
    }
    // What is executable must be a program; a sysvar must be one.
    let lies = [system_program::ID, bpf_loader::ID, bpf_loader_deprecated::ID, bpf_loader_upgradeable::ID];
    for owner in lies {
        let account = Account { lamports: 1, data: vec![1, 2, 3], owner, executable: true, rent_epoch: 0 };
        ensure!(bank.set_account(key("no program"), account).is_err());
    }
    for address in [sysvar::clock::ID, sysvar::rent::ID, sysvar::epoch_schedule::ID, sysvar::fees::ID] {
        let account = Account { lamports: 1, data: vec![1], owner: sysvar::ID, ..Account::default() };
        ensure!(bank.set_account(address, account).is_err());
    }
    Ok(bank)
}

/// Sysvars are read as they were set, by tests and by programs.
pub(super) fn sysvars<B: Bank>(rng: &mut ChaCha8Rng) -> anyhow::Result<Watched<B>> {
    let mut bank = Watched::<B>::new().with_sigverify(false).with_blockhash_check(false);
    let clock: Clock = bank.get_sysvar();
    bank.observe("get_sysvar", &clock);
    bank.observe("get_sysvar", &bank.get_sysvar::<solana_rent::Rent>());
    bank.observe("get_sysvar", &bank.get_sysvar::<solana_epoch_schedule::EpochSchedule>());
    bank.observe("get_sysvar", &bank.get_sysvar::<solana_slot_hashes::SlotHashes>());
    ensure!(clock.slot == 440_208_000 && clock.epoch == 0);
    let slot = rng.random_range(1..u64::MAX);
    bank.warp_to_slot(slot);
    ensure!(bank.get_sysvar::<Clock>() == Clock { slot, ..clock.clone() });
    let clock = Clock { unix_timestamp: rng.random(), epoch: rng.random(), ..clock };
    bank.set_sysvar(&clock);
    ensure!(bank.get_sysvar::<Clock>() == clock);
    bank.set_sysvar(&solana_slot_hashes::SlotHashes::new(&[(slot, Hash::new_from_array(rng.random()))]));
    for address in [sysvar::clock::ID, sysvar::slot_hashes::ID, sysvar::recent_blockhashes::ID] {
        bank.get_account(&address);
    }
    // A program reads the clock.
    let program = key("sysvars");
    ensure!(bank.add_program(program, &own::elf("sysvars", Version::V0)?).is_ok());
    ensure!(bank.set_account(key("payer"), wallet(1_000_000_000)).is_ok());
    let accounts = vec![AccountMeta::new_readonly(sysvar::clock::ID, false)];
    let data = [0u32.to_le_bytes(), 40u32.to_le_bytes()].concat();
    let message = Message::new(&[Instruction { program_id: program, accounts, data }], Some(&key("payer")));
    let message = VersionedMessage::Legacy(message);
    let transaction = VersionedTransaction { signatures: vec![Default::default()], message };
    ensure!(bank.send_transaction(transaction).is_ok());
    Ok(bank)
}

/// A transaction names the latest blockhash, is signed, and is processed once.
pub(super) fn transactions<B: Bank>(rng: &mut ChaCha8Rng) -> anyhow::Result<Watched<B>> {
    let mut bank = Watched::<B>::new();
    let (from, to) = (keypair(rng), keypair(rng).pubkey());
    ensure!(bank.get_sigverify());
    ensure!(bank.airdrop(&from.pubkey(), 10_000_000_000).is_ok());
    let lamports = rng.random_range(890_880..1_000_000_000);
    let pay = [transfer(&from.pubkey(), &to, lamports)];
    let good = signed(&pay, &[&from], bank.latest_blockhash());
    let preview = bank.simulate_transaction(good.clone());
    ensure!(preview.is_ok() && bank.get_balance(&to).is_none());
    let sent = bank.send_transaction(good.clone());
    ensure!(sent.is_ok() && bank.get_balance(&to) == Some(lamports));
    ensure!(bank.get_transaction(&good.signatures[0]) == Some(sent));
    ensure!(bank.get_transaction(&Default::default()).is_none());
    ensure!(bank.send_transaction(good.clone()).is_err());
    ensure!(bank.simulate_transaction(good.clone()).is_err());
    let mut unsigned = signed(&pay, &[&from], bank.latest_blockhash());
    unsigned.signatures[0] = Default::default();
    ensure!(bank.send_transaction(unsigned.clone()).is_err());
    let unchecked = bank.clone().with_sigverify(false);
    ensure!(!unchecked.get_sigverify());
    ensure!(unchecked.simulate_transaction(unsigned).is_ok());
    bank.expire_blockhash();
    let old = bank.send_transaction(signed(&[pay[0].clone(), pay[0].clone()], &[&from], Hash::default()));
    ensure!(old.is_err());
    let unchecked = bank.clone().with_blockhash_check(false);
    ensure!(unchecked.simulate_transaction(signed(&pay, &[&from], Hash::default())).is_ok());
    let again = signed(&pay, &[&from], bank.latest_blockhash());
    ensure!(bank.send_transaction(again).is_ok() && bank.get_balance(&to) == Some(2 * lamports));
    // A clone goes its own way.
    let mut other = bank.clone();
    other.expire_blockhash();
    let too_much = [transfer(&from.pubkey(), &to, u64::MAX)];
    let refused = signed(&too_much, &[&from], other.latest_blockhash());
    ensure!(other.send_transaction(refused).is_err());
    ensure!(other.get_balance(&from.pubkey()) != bank.get_balance(&from.pubkey()));
    ensure!(bank.latest_blockhash() != other.latest_blockhash());
    Ok(bank)
}

/// History keeps as many transactions as it has room for.
pub(super) fn history<B: Bank>(rng: &mut ChaCha8Rng) -> anyhow::Result<Watched<B>> {
    let capacity = one(rng, &[0, 1, 5, 32, 40, 70, 200]);
    let mut bank = Watched::<B>::new().with_transaction_history(capacity);
    let from = keypair(rng);
    ensure!(bank.set_account(from.pubkey(), wallet(10_000_000_000)).is_ok());
    let mut sent = Vec::new();
    for _ in 0..6 {
        let to = keypair(rng).pubkey();
        let pay = transfer(&from.pubkey(), &to, one(rng, &[1, 890_880, u64::MAX]));
        let transaction = signed(&[pay], &[&from], bank.latest_blockhash());
        sent.push(transaction.signatures[0]);
        let _ = bank.send_transaction(transaction.clone());
        let _ = bank.send_transaction(transaction);
    }
    // Of a fresh machine's room nothing is left once it is told to keep less.
    let kept = sent.iter().filter(|signature| bank.get_transaction(signature).is_some()).count();
    ensure!(kept == if capacity > 32 { sent.len() } else { 0 }, "{kept} kept of {capacity}");
    let mut clone = bank.clone();
    for number in 0..40 {
        let pay = transfer(&from.pubkey(), &key("to"), 890_880 + number);
        let _ = clone.send_transaction(signed(&[pay], &[&from], clone.latest_blockhash()));
    }
    sent.iter().for_each(|signature| drop(clone.get_transaction(signature)));
    Ok(bank)
}

/// Programs are added from bytes or a file, under each loader; what is none is refused.
pub(super) fn programs<B: Bank>(rng: &mut ChaCha8Rng) -> anyhow::Result<Watched<B>> {
    let mut bank = Watched::<B>::new().with_sigverify(false).with_blockhash_check(false);
    ensure!(bank.set_account(key("payer"), wallet(1_000_000_000)).is_ok());
    let name = one(rng, &["returns", "vault", "logs", "heap", "dispatch"]);
    let elf = own::elf(name, one(rng, &own::VERSIONS))?;
    ensure!(bank.add_program(key("by default"), &elf).is_ok());
    for loader in [bpf_loader::ID, bpf_loader_deprecated::ID, bpf_loader_upgradeable::ID] {
        let address = Address::new_from_array(loader.to_bytes().map(|byte| byte ^ 1));
        ensure!(bank.add_program_with_loader(address, &elf, loader).is_ok());
        ensure!(bank.get_account(&address).is_some_and(|account| account.executable));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../programs/returns/returns.so");
    ensure!(bank.add_program_from_file(key("from a file"), &path).is_ok());
    ensure!(bank.add_program_from_file(key("no file"), Path::new("there is none")).is_err());
    ensure!(bank.add_program_with_loader(key("no loader"), &elf, system_program::ID).is_err());
    for length in [0, 63, 64, elf.len() / 2] {
        let _ = bank.add_program(key("cut"), &elf[..length]);
        bank.get_account(&key("cut"));
    }
    for program_id in [key("by default"), key("from a file"), key("cut"), key("nowhere")] {
        let length = rng.random_range(0..20);
        let data = bytes(rng, length);
        let accounts = vec![AccountMeta::new(key("payer"), true)];
        let message = Message::new(&[Instruction { program_id, accounts, data }], Some(&key("payer")));
        let message = VersionedMessage::Legacy(message);
        let transaction = VersionedTransaction { signatures: vec![Default::default()], message };
        let _ = bank.simulate_transaction(transaction.clone());
        let _ = bank.send_transaction(transaction);
    }
    Ok(bank)
}

/// A budget of its own wins over what transactions ask for; the log has a limit.
pub(super) fn budgets<B: Bank>(rng: &mut ChaCha8Rng) -> anyhow::Result<Watched<B>> {
    let mut budget = ComputeBudget::new_with_defaults(false);
    budget.compute_unit_limit = one(rng, &[0, 100, 149, 150, 300, 1_000, 200_000]);
    budget.heap_size = one(rng, &[32, 64, 256]) * 1024;
    let limit = one(rng, &[None, Some(0), Some(60), Some(200), Some(10_000)]);
    let mut bank = Watched::<B>::new()
        .with_sigverify(false)
        .with_blockhash_check(false)
        .with_compute_budget(budget)
        .with_log_bytes_limit(limit);
    ensure!(bank.get_compute_budget() == Some(budget));
    ensure!(Watched::<B>::new().get_compute_budget().is_none());
    let payer = keypair(rng);
    ensure!(bank.set_account(payer.pubkey(), wallet(1_000_000_000)).is_ok());
    let memo = Instruction { program_id: MEMO, accounts: vec![], data: vec![b'x'; rng.random_range(0..300)] };
    let pay = transfer(&payer.pubkey(), &key("to"), 890_880);
    for instructions in [vec![pay.clone()], vec![memo.clone()], vec![pay, memo.clone(), memo]] {
        let _ = bank.send_transaction(signed(&instructions, &[&payer], Hash::default()));
    }
    Ok(bank)
}

/// Stakes add up, and programs may ask for them.
pub(super) fn stakes<B: Bank>(rng: &mut ChaCha8Rng) -> anyhow::Result<Watched<B>> {
    let mut bank = Watched::<B>::new();
    ensure!(bank.epoch_total_stake() == 0 && bank.epoch_stake(&key("a")) == 0);
    let [a, b]: [u64; 2] = [(); 2].map(|()| rng.random_range(1..u64::MAX / 4));
    ensure!(bank.set_epoch_stake(key("a"), a).is_ok());
    ensure!(bank.set_epoch_stake(key("b"), b).is_ok());
    ensure!(bank.epoch_total_stake() == a + b);
    ensure!(bank.set_epoch_stake(key("c"), u64::MAX).is_err());
    ensure!(bank.set_epoch_stake(key("a"), 0).is_ok());
    ensure!(bank.epoch_total_stake() == b && bank.epoch_stake(&key("b")) == b);
    ensure!(bank.set_epoch_stakes(vec![(key("c"), a), (key("d"), 0), (key("c"), b)]).is_ok());
    bank.epoch_total_stake();
    bank.epoch_stake(&key("c"));
    ensure!(bank.set_epoch_stakes(vec![(key("a"), u64::MAX), (key("b"), 1)]).is_err());
    bank.epoch_total_stake();
    Ok(bank)
}

/// What the `with_` methods add, one by one.
pub(super) fn settings<B: Bank>(rng: &mut ChaCha8Rng) -> anyhow::Result<Watched<B>> {
    let mut bank = Watched::<B>::default().with_mainnet_features();
    ensure!(bank.get_account(&sysvar::clock::ID).is_none() && !bank.get_sigverify());
    let mut features = Watched::<B>::mainnet_feature_set();
    let mut active: Vec<_> = features.active().iter().collect();
    active.sort_unstable();
    bank.observe("mainnet_feature_set", &active);
    ensure!(features.active().len() == 242);
    let p_token = agave_feature_set::replace_spl_token_with_p_token::ID;
    if rng.random() {
        features.deactivate(&p_token);
    }
    if rng.random() {
        features.deactivate(&agave_feature_set::deprecate_rent_exemption_threshold::ID);
    }
    bank = bank.with_feature_set(features).with_builtins().with_sysvars().with_lamports(7);
    ensure!(bank.get_balance(&bank.airdrop_pubkey()) == Some(7));
    bank = bank.with_feature_accounts().with_default_programs().with_precompiles();
    let programs = [
        TOKEN,
        system_program::ID,
        vote::ID,
        zk_elgamal_proof_program::ID,
        ed25519_program::ID,
        secp256k1_program::ID,
        secp256r1_program::ID,
        p_token,
        sysvar::rent::ID,
        sysvar::slot_history::ID,
        solana_sdk_ids::stake::config::ID,
        solana_sdk_ids::stake::ID,
    ];
    for address in programs {
        bank.get_account(&address);
    }
    for owner in [bpf_loader::ID, bpf_loader_deprecated::ID, bpf_loader_upgradeable::ID, sysvar::ID] {
        bank.get_program_accounts(&owner);
    }
    bank.get_program_accounts(&solana_sdk_ids::native_loader::ID);
    bank.get_program_accounts(&solana_sdk_ids::feature::ID);
    let mainnet = Watched::<B>::default().with_mainnet_features().with_builtins().with_default_programs();
    mainnet.get_account(&TOKEN).context("there is a token program")?;
    Ok(bank)
}
