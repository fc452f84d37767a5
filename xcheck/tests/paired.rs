//! `Paired` agrees with itself on good weights, and tells where spoiled ones lead.

use std::sync::Arc;

use solana_account::Account;
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};
use solana_keypair::Keypair;
use solana_message::{Message, VersionedMessage};
use solana_signer::Signer;
use solana_transaction::versioned::VersionedTransaction;
use svmllm::{
    host::{Version, assemble},
    tables::{Indexed, Weights},
};
use svmllm_xcheck::{Paired, elf::compose};

const PROGRAM: Address = Address::new_from_array([9; 32]);

/// A program that says what the exclusive or of seven and the first byte of its instruction data is.
fn program() -> Vec<u8> {
    const TEXT: &str = "
        ldxb r1, [r2+0]
        mov64 r6, r1
        xor64 r6, 7
        mov64 r1, r6
        mov64 r2, 0
        mov64 r3, 0
        mov64 r4, 0
        mov64 r5, 0
        syscall sol_log_64_
        mov64 r0, 0
        exit";
    compose(&assemble(TEXT, Version::V0).unwrap(), &[])
}

fn call(svm: &Paired, payer: &Keypair, byte: u8) -> VersionedTransaction {
    let accounts = vec![AccountMeta::new(payer.pubkey(), true)];
    let instruction = Instruction { program_id: PROGRAM, accounts, data: vec![byte] };
    let message = Message::new_with_blockhash(&[instruction], Some(&payer.pubkey()), &svm.latest_blockhash());
    let signature = payer.sign_message(&message.serialize());
    VersionedTransaction { signatures: vec![signature], message: VersionedMessage::Legacy(message) }
}

fn prepared(mut svm: Paired) -> (Paired, Keypair) {
    let payer = Keypair::new_from_array([3; 32]);
    let wallet = Account { lamports: 10_000_000_000, ..Account::default() };
    svm.set_account(payer.pubkey(), wallet).unwrap().unwrap();
    svm.add_program(PROGRAM, &program()).unwrap().unwrap();
    (svm, payer)
}

#[test]
fn good_weights_agree() {
    let (mut svm, payer) = prepared(Paired::new());
    for byte in [0, 1, 200, 255] {
        let transaction = call(&svm, &payer, byte);
        let preview = svm.simulate_transaction(transaction.clone()).unwrap().unwrap();
        let sent = svm.send_transaction(transaction).unwrap().unwrap();
        assert_eq!(preview.meta.logs, sent.logs);
        assert!(sent.logs.iter().any(|line| line.contains(&format!("{:#x}", u64::from(byte ^ 7)))));
    }
    let refused = svm.add_program(PROGRAM, b"no program").unwrap();
    assert!(refused.is_err());
}

/// Weights with one answer of a table changed: the exclusive or of the digits 3 and 7.
fn spoiled() -> Arc<Indexed> {
    const UNIT: usize = 3 + 16 * 7;
    let mut weights = Weights::generate();
    let answers = weights.get_mut("table.xor.w2").expect("there is such a table");
    *answers.at_mut(3 ^ 7, UNIT) = 0.0;
    *answers.at_mut(9, UNIT) = 1.0;
    Arc::new(Indexed::new(&weights).expect("it is still a table"))
}

#[test]
fn a_spoiled_weight_is_told() {
    let (mut svm, payer) = prepared(Paired::with_network(spoiled()));
    // 2 is taken as it should be.
    assert!(svm.send_transaction(call(&svm, &payer, 2)).is_ok());
    let divergence = svm.send_transaction(call(&svm, &payer, 3)).unwrap_err();
    println!("{divergence}");
    assert!(divergence.difference.field.starts_with("log"), "{divergence}");
    let parting = divergence.parting.as_ref().expect("both can be traced");
    let last = parting.last.last().expect("something was executed");
    assert_eq!((last.program, last.text.as_str()), (PROGRAM, "xor64 r6, 7"), "{divergence}");
    assert_eq!(parting.alike, 3);
    let (expected, actual) = (parting.expected.unwrap(), parting.actual.unwrap());
    assert_eq!((expected[6], actual[6]), (4, 9));
    let text = divergence.to_string();
    for part in [
        "send_transaction",
        "LiteSVM:",
        "weights:",
        "xor64 r6, 7",
        "then r6 is 0x4 on LiteSVM and 0x9 on the weights",
    ] {
        assert!(text.contains(part), "{text}");
    }
}
