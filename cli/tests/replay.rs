//! `svmllm replay`.
#![allow(missing_docs)]

mod common;

use common::svmllm;
use serde_json::{Value, json};
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};
use solana_message::{Message, VersionedMessage};
use solana_sdk_ids::system_program;
use solana_transaction::versioned::VersionedTransaction;
use svmllm_replay::json::Transaction;

const FROM: Address = Address::new_from_array([1; 32]);
const TO: Address = Address::new_from_array([2; 32]);

/// A transfer of a million lamports that records what it comes to.
fn transfer() -> Value {
    let data = [&2u32.to_le_bytes()[..], &1_000_000u64.to_le_bytes()].concat();
    let accounts = vec![AccountMeta::new(FROM, true), AccountMeta::new(TO, false)];
    let instruction = Instruction { program_id: system_program::ID, accounts, data };
    let message = VersionedMessage::Legacy(Message::new(&[instruction], Some(&FROM)));
    let transaction = VersionedTransaction { signatures: vec![Default::default()], message };
    let mut file = serde_json::to_value(Transaction::new(&transaction).unwrap()).unwrap();
    file["accounts"] = json!([{"address": FROM.to_string(), "lamports": 1_000_000_000}]);
    file["expected"] = json!({
        "result": "ok",
        "compute_units": 150,
        "fee": 5000,
        "accounts": [
            {"address": FROM.to_string(), "lamports": 998_995_000, "rent_epoch": u64::MAX},
            {"address": TO.to_string(), "lamports": 1_000_000, "rent_epoch": u64::MAX},
        ],
    });
    file
}

#[test]
fn a_transaction_is_as_recorded_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, file: &Value| {
        let path = folder.path().join(name);
        std::fs::write(&path, file.to_string()).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let good = write("good.json", &transfer());
    let call = svmllm(&["replay", &good]);
    assert_eq!(call.code, 0, "{call:?}");
    for part in
        ["(json): ok, 150 compute units", "Program 11111111111111111111111111111111 success", "as recorded"]
    {
        assert!(call.out.contains(part), "{call:?}");
    }
    let mut other = transfer();
    other["expected"]["compute_units"] = 151.into();
    other["expected"]["accounts"][1]["lamports"] = 7.into();
    let other = write("other.json", &other);
    let call = svmllm(&["replay", "--json", &other]);
    assert_eq!(call.code, 1, "{call:?}");
    let differences = call.json()["differences"].clone();
    assert_eq!(differences[0], "compute units: recorded 151, got 150");
    assert_eq!(differences[1], format!("account {TO} lamports: recorded 7, got 1000000"));
    let nonsense = write("nonsense.json", &json!({"transaction": "AAAA"}));
    assert_eq!(svmllm(&["replay", &nonsense]).code, 1);
    let all = svmllm(&["replay", "--quiet", folder.path().to_str().unwrap()]);
    assert_eq!(all.code, 1);
    assert!(all.out.contains("1 of 3 as recorded"), "{all:?}");
    assert_eq!(svmllm(&["replay", "there is none"]).code, 2);
}
