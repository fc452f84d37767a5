//! What belongs to transactions rather than to programs.

use litesvm::LiteSVM;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use solana_account::Account;
use solana_address::Address;
use solana_hash::Hash;
use solana_instruction::Instruction;
use solana_keypair::Keypair;
use solana_message::{AddressLookupTableAccount, Message, VersionedMessage, v0};
use solana_nonce::{
    state::{Data, DurableNonce, State},
    versions::Versions,
};
use solana_sdk_ids::{
    address_lookup_table, bpf_loader, bpf_loader_upgradeable, compute_budget, incinerator, system_program,
    sysvar,
};
use solana_signature::Signature;
use solana_signer::Signer;
use solana_system_interface::instruction::{self as system, SystemInstruction};
use solana_transaction::versioned::VersionedTransaction;

use crate::both::{Both, MEMO_1, MEMO_4, account, meta, pick, random, random_address, unsigned};

/// A payer with lamports, and both without checks.
fn start(seed: u64) -> (ChaCha8Rng, Both, Address) {
    let mut random = random(seed);
    let mut both = Both::unchecked();
    let payer = random_address(&mut random);
    both.set_account(payer, account(10_000_000_000, Vec::new(), system_program::ID));
    (random, both, payer)
}

fn budget(data: Vec<u8>) -> Instruction {
    Instruction { program_id: compute_budget::ID, accounts: Vec::new(), data }
}

fn request(tag: u8, value: u64) -> Instruction {
    let width = if tag == 3 { 8 } else { 4 };
    budget([&[tag][..], &value.to_le_bytes()[..width]].concat())
}

fn memo(text: &str) -> Instruction {
    Instruction { program_id: MEMO_4, accounts: Vec::new(), data: text.into() }
}

#[test]
fn compute_budget_requests() {
    let (mut random, mut both, payer) = start(1);
    let values = [0, 1, 449, 450, 1023, 32 << 10, (32 << 10) + 1, 33 << 10, 64 << 10, 256 << 10, 257 << 10];
    for round in 0..300 {
        let mut instructions = Vec::new();
        for _ in 0..random.random_range(1..4) {
            let tag = random.random_range(0..6);
            let value = match random.random_range(0..3) {
                0 => pick(&mut random, &values),
                1 => random.random_range(0..100_000),
                _ => random.random(),
            };
            instructions.push(match random.random_range(0..12) {
                0 => budget(vec![tag; random.random_range(0..4)]),
                _ => request(tag, value),
            });
        }
        if random.random() {
            instructions.push(memo("a memo"));
        }
        if random.random() {
            instructions.push(system::transfer(&payer, &payer, 1));
        }
        let _ = both.run(&format!("round {round}"), payer, &instructions);
    }
}

#[test]
fn every_budget_of_a_memo() {
    let (_, mut both, payer) = start(2);
    let mut used = 1_000_000;
    for units in
        [200_000, 0, 1, 2, 100, 149, 150, 151, 300, 301].into_iter().chain((0..).map(|step| step * 23 + 160))
    {
        if units > used + 700 && units != 200_000 {
            break;
        }
        let instructions = [request(2, units), memo("abc"), memo("defg")];
        if let Ok(done) = both.run(&format!("{units} units"), payer, &instructions) {
            used = used.min(done.compute_units_consumed);
        }
    }
    assert!(used < 10_000, "{used}");
}

#[test]
fn fee_payers() {
    let (mut random, mut both, _) = start(3);
    let nonce = |state| {
        let mut data = wincode::serialize(&Versions::new(state)).unwrap();
        data.resize(80, 0);
        data
    };
    let initialized = nonce(State::Initialized(Data::new(Address::default(), DurableNonce::default(), 5000)));
    for data in [vec![], vec![0], initialized, nonce(State::Uninitialized)] {
        for owner in [system_program::ID, bpf_loader::ID] {
            for lamports in
                [0, 1, 4_999, 5_000, 5_001, 890_879, 890_880, 895_880, 895_881, 1_447_680, 1_452_680, 1 << 40]
            {
                let payer = random_address(&mut random);
                both.set_account(payer, account(lamports, data.clone(), owner));
                let what = format!("{lamports} lamports, {} bytes of {owner}", data.len());
                let _ = both.run(&what, payer, &[memo("x")]);
                let _ = both.run(&what, payer, &[memo("\u{0}"), request(3, 10_000_000)]);
                let failing = Instruction { data: vec![0xff], ..memo("") };
                let _ = both.run(&what, payer, &[failing]);
            }
        }
    }
}

#[test]
fn rent_of_what_was_written() {
    let (mut random, mut both, payer) = start(4);
    let targets = [random_address(&mut random), incinerator::ID];
    for target in targets {
        for lamports in [1, 890_879, 1, 890_880] {
            let what = format!("{lamports} to {target}");
            let _ = both.run(&what, payer, &[system::transfer(&payer, &target, lamports)]);
        }
    }
    let poor = random_address(&mut random);
    both.set_account(poor, account(500_000, Vec::new(), system_program::ID));
    for lamports in [400_000, 100_000, 99_999, 0] {
        let _ = both.run("the payer pays rent", poor, &[system::transfer(&poor, &payer, lamports)]);
    }
}

#[test]
fn programs_that_cannot_be_called() {
    let (mut random, mut both, payer) = start(5);
    let nobody = random_address(&mut random);
    let targets = [
        nobody,
        system_program::ID,
        compute_budget::ID,
        bpf_loader::ID,
        solana_sdk_ids::bpf_loader_deprecated::ID,
        solana_sdk_ids::native_loader::ID,
        solana_sdk_ids::loader_v4::ID,
        solana_sdk_ids::ed25519_program::ID,
        solana_sdk_ids::secp256k1_program::ID,
        sysvar::clock::ID,
        MEMO_1,
    ];
    for program_id in targets {
        for data in [vec![], vec![2, 0, 0, 0]] {
            let instruction = Instruction { program_id, accounts: vec![meta(payer, true, true)], data };
            let what = program_id.to_string();
            let _ = both.run(&what, payer, std::slice::from_ref(&instruction));
            let _ = both.run(&what, payer, &[memo("first"), instruction]);
        }
    }
}

#[test]
fn a_program_without_its_data_is_closed() {
    let (mut random, mut both, payer) = start(6);
    let program = random_address(&mut random);
    let mut data = vec![2, 0, 0, 0];
    data.extend([9; 32]);
    let closed = Account { executable: true, ..account(1_000_000_000, data, bpf_loader_upgradeable::ID) };
    both.set_account(program, closed);
    let instruction = Instruction { program_id: program, accounts: vec![], data: vec![] };
    let _ = both.run("closed", payer, &[instruction]);
}

#[test]
fn traces_have_a_limit() {
    let (_, mut both, payer) = start(7);
    for count in [1, 63, 64, 65, 66] {
        let instructions = vec![system::transfer(&payer, &payer, 0); count];
        let _ = both.run(&format!("{count} instructions"), payer, &instructions);
    }
}

#[test]
fn accounts_have_a_limit_and_are_named_once() {
    let (mut random, mut both, payer) = start(8);
    for count in [62, 63, 64, 126, 127, 128] {
        let accounts = (0..count).map(|_| meta(random_address(&mut random), false, true)).collect();
        let instruction = Instruction { program_id: MEMO_4, accounts, data: b"x".into() };
        let _ = both.run(&format!("{count} accounts"), payer, &[instruction]);
    }
    let mut transaction = unsigned(payer, &[system::transfer(&payer, &MEMO_1, 1)], Hash::default());
    if let VersionedMessage::Legacy(message) = &mut transaction.message {
        message.account_keys[1] = payer;
    }
    let _ = both.send("named twice", transaction);
    let mut transaction = unsigned(payer, &[system::transfer(&payer, &MEMO_1, 1)], Hash::default());
    transaction.signatures.clear();
    let _ = both.send("no signatures", transaction);
}

#[test]
fn loaded_data_has_a_limit() {
    let (mut random, mut both, payer) = start(9);
    let large = random_address(&mut random);
    both.set_account(large, account(1 << 40, vec![1; 10_000], system_program::ID));
    let memo_bytes = both.lite.get_account(&MEMO_4).unwrap().data.len() as u64;
    let exact = memo_bytes + 10_000 + 3 * 64 + 22 + 64;
    for limit in (exact - 100..exact + 100).step_by(1) {
        let instruction = Instruction { accounts: vec![meta(large, false, false)], ..memo("x") };
        let _ = both.run(&format!("{limit} bytes"), payer, &[request(4, limit), instruction]);
    }
}

#[test]
fn instructions_sysvar() {
    let (_, mut both, payer) = start(10);
    let accounts = vec![meta(sysvar::instructions::ID, false, true), meta(payer, true, false)];
    let instruction = Instruction { accounts, ..memo("x") };
    let _ = both.run("as an account", payer, &[memo("first"), instruction.clone(), instruction]);
}

/// Programs see what is stored at a sysvar's address, whoever owns it and however often it is named; only the
/// instructions sysvar is made anew.
#[test]
fn sysvars_that_someone_has_set() {
    let (_, mut both, payer) = start(13);
    let clock = both.lite.get_account(&sysvar::clock::ID).unwrap().data;
    let presets = [
        (sysvar::instructions::ID, vec![1, 2, 3]),
        (sysvar::clock::ID, [&clock[..], &[0xab; 5]].concat()),
        (sysvar::epoch_schedule::ID, vec![0; 33]),
        (sysvar::slot_history::ID, vec![9; 100]),
    ];
    for (address, data) in presets {
        for owner in [sysvar::ID, system_program::ID, MEMO_4] {
            both.set_account(address, account(1 << 30, data.clone(), owner));
            let accounts =
                vec![meta(address, false, true), meta(payer, true, true), meta(address, false, false)];
            let instruction = Instruction { accounts, ..memo("x") };
            let what = format!("{address} of {owner}");
            let _ = both.run(&what, payer, &[instruction.clone(), memo("y"), instruction]);
            let _ = both.run(&what, payer, &[system::transfer(&payer, &address, 1)]);
        }
    }
}

#[test]
fn sysvars_and_programs_are_not_written() {
    let (_, mut both, payer) = start(11);
    for target in [sysvar::clock::ID, MEMO_4, system_program::ID, address_lookup_table::ID] {
        let _ = both.run(&target.to_string(), payer, &[system::transfer(&payer, &target, 1)]);
        let both_named = [system::transfer(&payer, &target, 1), memo("x")];
        let _ = both.run(&target.to_string(), payer, &both_named);
    }
}

#[test]
fn logs_are_cut() {
    let (_, mut both, payer) = start(12);
    let line = "x".repeat(500);
    let _ = both.run("a long log", payer, &vec![memo(&line); 30]);
    both.lite = both.lite.with_log_bytes_limit(None);
    both.svm = both.svm.with_log_bytes_limit(None);
    let _ = both.run("the whole log", payer, &vec![memo(&line); 30]);
}

#[test]
fn signatures_blockhashes_and_history() {
    // A clone of an empty history has no room.
    let Both { lite, svm } = Both::new();
    let mut both = Both { lite: lite.with_transaction_history(32), svm: svm.with_transaction_history(32) };
    let (keys, stranger) = (Keypair::new(), Keypair::new());
    let payer = keys.pubkey();
    both.set_account(payer, account(10_000_000_000, Vec::new(), system_program::ID));
    let send = |both: &mut Both, what: &str, instruction: &Instruction, blockhash: Hash, signer: &Keypair| {
        let message =
            Message::new_with_blockhash(std::slice::from_ref(instruction), Some(&payer), &blockhash);
        let message = VersionedMessage::Legacy(message);
        let signatures = vec![signer.sign_message(&message.serialize())];
        both.send(what, VersionedTransaction { signatures, message })
    };
    let transfer = system::transfer(&payer, &stranger.pubkey(), 1_000_000);
    let latest = both.lite.latest_blockhash();
    assert!(send(&mut both, "good", &transfer, latest, &keys).is_ok());
    assert!(send(&mut both, "again", &transfer, latest, &keys).is_err());
    let _ = send(&mut both, "wrong signature", &transfer, latest, &stranger);
    let _ = send(&mut both, "wrong blockhash", &transfer, Hash::default(), &keys);
    both.lite.expire_blockhash();
    both.svm.expire_blockhash();
    let _ = send(&mut both, "expired, and processed", &transfer, latest, &keys);
    let latest = both.lite.latest_blockhash();
    assert!(send(&mut both, "good again", &transfer, latest, &keys).is_ok());
    for lamports in 0..100 {
        let transfer = system::transfer(&payer, &stranger.pubkey(), lamports);
        assert!(send(&mut both, "many", &transfer, latest, &keys).is_ok());
    }
    assert!(send(&mut both, "forgotten", &transfer, latest, &keys).is_ok());
}

#[test]
fn durable_nonces() {
    let (mut random, both, payer) = start(13);
    let mut both =
        Both { lite: both.lite.with_blockhash_check(true), svm: both.svm.with_blockhash_check(true) };
    let account_key = random_address(&mut random);
    let old = Hash::new_from_array([5; 32]);
    for authority in [payer, account_key] {
        for legacy in [false, true] {
            for lamports in [1, 1_447_680, 1 << 40] {
                let nonce = DurableNonce::from_blockhash(&old);
                let state = State::Initialized(Data::new(authority, nonce, 5000));
                let versions = if legacy { Versions::Legacy(Box::new(state)) } else { Versions::new(state) };
                let data = wincode::serialize(&versions).unwrap();
                both.set_account(account_key, account(lamports, data, system_program::ID));
                let advance = system::advance_nonce_account(&account_key, &payer);
                let transfer = system::transfer(&payer, &account_key, 1);
                let failing = system::transfer(&payer, &account_key, u64::MAX);
                let blockhash = *nonce.as_hash();
                let orders = [
                    vec![transfer.clone(), advance.clone()],
                    vec![advance.clone(), failing],
                    vec![advance.clone(), transfer.clone()],
                    vec![advance.clone(), transfer],
                ];
                for (number, instructions) in orders.iter().enumerate() {
                    let what = format!("{authority} {legacy} {lamports} {number}");
                    let _ = both.send(&what, unsigned(payer, instructions, blockhash));
                }
            }
        }
    }
}

#[test]
fn lookup_tables() {
    let (mut random, mut both, payer) = start(14);
    let addresses: Vec<Address> = (0..5).map(|_| random_address(&mut random)).collect();
    for address in &addresses {
        both.set_account(*address, account(1_000_000, Vec::new(), system_program::ID));
    }
    let table = random_address(&mut random);
    let slot = litesvm::MAINNET_DEFAULT_SLOT;
    let data = |kind: u32, deactivated: u64, extended: u64, start: u8| {
        let mut data = kind.to_le_bytes().to_vec();
        data.extend(deactivated.to_le_bytes());
        data.extend(extended.to_le_bytes());
        data.push(start);
        data.push(0);
        data.resize(56, 0);
        addresses.iter().for_each(|address| data.extend(address.to_bytes()));
        data
    };
    let good = data(1, u64::MAX, 0, 0);
    let mut short = good.clone();
    short.truncate(56 + 40);
    let tables = [
        (good.clone(), address_lookup_table::ID),
        (good, system_program::ID),
        (short, address_lookup_table::ID),
        (vec![], address_lookup_table::ID),
        (data(0, u64::MAX, 0, 0), address_lookup_table::ID),
        (data(1, slot, 0, 0), address_lookup_table::ID),
        (data(1, slot - 600, 0, 0), address_lookup_table::ID),
        (data(1, u64::MAX, slot, 3), address_lookup_table::ID),
    ];
    for (number, (data, owner)) in tables.into_iter().enumerate() {
        both.set_account(table, account(1 << 30, data, owner));
        for (writable, readonly) in
            [(vec![0u8, 1], vec![2u8]), (vec![4], vec![]), (vec![], vec![0, 7]), (vec![0, 0], vec![])]
        {
            let count = writable.len() + readonly.len();
            let instruction = solana_message::compiled_instruction::CompiledInstruction {
                program_id_index: 1,
                accounts: (2..2 + count as u8).collect(),
                data: b"memo".into(),
            };
            let message = v0::Message {
                header: solana_message::MessageHeader {
                    num_required_signatures: 1,
                    num_readonly_signed_accounts: 0,
                    num_readonly_unsigned_accounts: 1,
                },
                account_keys: vec![payer, MEMO_4],
                recent_blockhash: Hash::default(),
                instructions: vec![instruction],
                address_table_lookups: vec![v0::MessageAddressTableLookup {
                    account_key: table,
                    writable_indexes: writable.clone(),
                    readonly_indexes: readonly.clone(),
                }],
            };
            let transaction = VersionedTransaction {
                signatures: vec![Signature::default()],
                message: VersionedMessage::V0(message),
            };
            let _ = both.send(&format!("table {number}, {writable:?} {readonly:?}"), transaction);
        }
    }
    let known = AddressLookupTableAccount { key: table, addresses: addresses.clone() };
    let transfer = system::transfer(&payer, &known.addresses[0], 5);
    both.set_account(table, account(1 << 30, data(1, u64::MAX, 0, 0), address_lookup_table::ID));
    let message =
        v0::Message::try_compile(&payer, &[transfer], std::slice::from_ref(&known), Hash::default()).unwrap();
    let transaction = VersionedTransaction {
        signatures: vec![Signature::default()],
        message: VersionedMessage::V0(message),
    };
    assert!(both.send("a transfer", transaction).is_ok());
    assert_eq!(both.svm.get_balance(&known.addresses[0]), Some(1_000_005));
}

#[test]
fn simulation_changes_nothing() {
    let (mut random, both, payer) = start(15);
    let target = random_address(&mut random);
    for lamports in [1_000_000, u64::MAX] {
        let transaction = unsigned(payer, &[system::transfer(&payer, &target, lamports)], Hash::default());
        let expected = both.lite.simulate_transaction(transaction.clone());
        let actual = both.svm.simulate_transaction(transaction);
        assert_eq!(expected.is_ok(), actual.is_ok());
        if let (Ok(expected), Ok(actual)) = (expected, actual) {
            assert_eq!(expected.post_accounts, actual.post_accounts);
        }
        assert_eq!(both.svm.get_balance(&target), None);
    }
}

#[test]
fn shallower_features() {
    let (mut random, _, payer) = start(16);
    let mut features = LiteSVM::mainnet_feature_set();
    for feature in [
        agave_feature_set::create_account_allow_prefund::ID,
        agave_feature_set::deprecate_rent_exemption_threshold::ID,
    ] {
        features.deactivate(&feature);
    }
    let fresh = Both::new();
    let mut both = Both {
        lite: LiteSVM::default().with_feature_set(features.clone()).with_builtins().with_sysvars(),
        svm: svmllm::host::svm::Svm::bare(fresh.evaluator())
            .with_feature_set(features)
            .with_builtins()
            .with_sysvars(),
    };
    for id in [sysvar::rent::ID, sysvar::slot_hashes::ID] {
        assert_eq!(both.lite.get_account(&id), both.svm.get_account(&id));
    }
    both.set_account(payer, account(10_000_000_000, Vec::new(), system_program::ID));
    let target = random_address(&mut random);
    let instruction = SystemInstruction::CreateAccountAllowPrefund { lamports: 5, space: 5, owner: MEMO_1 };
    let accounts = vec![meta(target, true, true), meta(payer, true, true)];
    let data = wincode::serialize(&instruction).unwrap();
    let instruction = Instruction { program_id: system_program::ID, accounts, data };
    let _ = both.run("prefund", payer, &[instruction]);
    let _ = both.run("rent", payer, &[system::transfer(&payer, &target, 890_879)]);
    let _ = both.run("rent", payer, &[system::transfer(&payer, &target, 890_880)]);
}
