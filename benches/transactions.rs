//! Whole transactions, on the weights and on LiteSVM.

use criterion::{Criterion, criterion_group, criterion_main};
use litesvm::LiteSVM;
use solana_account::Account;
use solana_address::{Address, address};
use solana_hash::Hash;
use solana_instruction::{AccountMeta, Instruction};
use solana_message::{Message, VersionedMessage};
use solana_sdk_ids::{bpf_loader, bpf_loader_upgradeable, system_program};
use solana_signature::Signature;
use solana_system_interface::instruction as system;
use solana_transaction::versioned::VersionedTransaction;
use svmllm::{
    host::svm::Svm,
    tables::{Indexed, Weights},
};

const TOKEN: Address = address!("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
const ASSOCIATED: Address = address!("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");

const PAYER: Address = Address::new_from_array([1; 32]);
const MINT: Address = Address::new_from_array([2; 32]);
const OWNED: [Address; 2] = [Address::new_from_array([3; 32]), Address::new_from_array([4; 32])];

fn account(lamports: u64, data: Vec<u8>, owner: Address) -> Account {
    Account { lamports, data, owner, executable: false, rent_epoch: 0 }
}

/// A token account of the payer.
fn token_account(amount: u64) -> Account {
    let mut data = [MINT.to_bytes(), PAYER.to_bytes()].concat();
    data.extend(amount.to_le_bytes());
    data.resize(165, 0);
    data[108] = 1;
    account(2_039_280, data, TOKEN)
}

fn accounts() -> Vec<(Address, Account)> {
    let mut mint = vec![0; 82];
    mint[36..44].copy_from_slice(&(1u64 << 40).to_le_bytes());
    mint[44..46].copy_from_slice(&[6, 1]);
    vec![
        (PAYER, account(1 << 50, Vec::new(), system_program::ID)),
        (MINT, account(1_461_600, mint, TOKEN)),
        (OWNED[0], token_account(1 << 40)),
        (OWNED[1], token_account(0)),
    ]
}

fn meta(pubkey: Address, is_signer: bool, is_writable: bool) -> AccountMeta {
    AccountMeta { pubkey, is_signer, is_writable }
}

fn transaction(instruction: Instruction) -> VersionedTransaction {
    let message = Message::new_with_blockhash(&[instruction], Some(&PAYER), &Hash::default());
    VersionedTransaction {
        signatures: vec![Signature::default()],
        message: VersionedMessage::Legacy(message),
    }
}

fn cases() -> [(&'static str, VersionedTransaction); 3] {
    let transfer = Instruction {
        program_id: TOKEN,
        accounts: vec![meta(OWNED[0], false, true), meta(OWNED[1], false, true), meta(PAYER, true, false)],
        data: [&[3][..], &1u64.to_le_bytes()].concat(),
    };
    let wallet = Address::new_from_array([5; 32]);
    let (address, _) =
        Address::find_program_address(&[wallet.as_ref(), TOKEN.as_ref(), MINT.as_ref()], &ASSOCIATED);
    let create = Instruction {
        program_id: ASSOCIATED,
        accounts: vec![
            meta(PAYER, true, true),
            meta(address, false, true),
            meta(wallet, false, false),
            meta(MINT, false, false),
            meta(system_program::ID, false, false),
            meta(TOKEN, false, false),
        ],
        data: Vec::new(),
    };
    [
        ("system transfer", transaction(system::transfer(&PAYER, &OWNED[0], 1))),
        ("token transfer", transaction(transfer)),
        ("associated account", transaction(create)),
    ]
}

fn transactions(criterion: &mut Criterion) {
    let mut lite = LiteSVM::new().with_sigverify(false).with_blockhash_check(false);
    let network = Indexed::new(&Weights::generate()).expect("generated weights are in order");
    let mut svm = Svm::new(&network).with_sigverify(false).with_blockhash_check(false);
    for (program, loader) in [(TOKEN, bpf_loader_upgradeable::ID), (ASSOCIATED, bpf_loader::ID)] {
        let elf = lite.accounts_db().try_program_elf_bytes(&program).expect("it ships");
        svm.add_program(program, elf, loader).expect("it loads");
    }
    for (address, account) in accounts() {
        lite.set_account(address, account.clone()).expect("an ordinary account");
        svm.set_account(address, account).expect("an ordinary account");
    }
    for (name, transaction) in cases() {
        let expected = lite.simulate_transaction(transaction.clone()).expect("it succeeds");
        let actual = svm.simulate_transaction(transaction.clone()).expect("it succeeds");
        assert_eq!(expected.post_accounts, actual.post_accounts);
        let mut group = criterion.benchmark_group(name);
        group.bench_function("LiteSVM", |b| b.iter(|| lite.simulate_transaction(transaction.clone())));
        group.bench_function("svmllm", |b| b.iter(|| svm.simulate_transaction(transaction.clone())));
        group.finish();
    }
}

criterion_group!(benches, transactions);
criterion_main!(benches);
