//! `svmllm judge`.

mod common;

use common::{Call, Folder, svmllm};
use serde_json::{Value, json};

const NOW: u64 = 1_700_000_000;

fn transaction(amount: u64, destination: &str) -> Value {
    json!({
        "program": "guard",
        "input": ["balance", "amount", 10_000, 0, "time", 0],
        "balance": 10_000,
        "withdrawal": {"time": NOW, "amount": amount, "destination": destination},
    })
}

/// Five withdrawals of 100 to `alice`, a day apart.
fn history() -> Value {
    let past = (1..=5).map(|day| json!({"time": NOW - day * 86_400, "amount": 100, "destination": "alice"}));
    json!({"withdrawals": past.collect::<Vec<_>>()})
}

fn judge(transaction: &Value, history: &Value, options: &[&str]) -> Call {
    let folder = Folder::new();
    let transaction = folder.write("transaction.json", transaction.to_string());
    let history = folder.write("history.json", history.to_string());
    svmllm(&[&["judge", &transaction, "--history", &history], options].concat())
}

#[test]
fn each_rule() {
    for (amount, destination, code, verdict, rule) in [
        (120, "alice", 0, "allow", "ordinary"),
        (299, "bob", 0, "allow", "ordinary"),
        (300, "bob", 3, "hold", "large_to_new"),
        (1000, "alice", 3, "hold", "huge"),
        (5000, "bob", 1, "block", "huge_to_new"),
        (5000, "alice", 3, "hold", "huge"),
        (10_001, "alice", 1, "block", "code"),
        (0, "alice", 1, "block", "code"),
    ] {
        let call = judge(&transaction(amount, destination), &history(), &["--json"]);
        let said = call.json();
        assert_eq!((&said["verdict"], &said["rule"]), (&json!(verdict), &json!(rule)), "{amount}: {call:?}");
        assert_eq!(call.code, code, "{call:?}");
        assert!(said["instructions"].as_u64() > Some(5));
        let text = judge(&transaction(amount, destination), &history(), &[]);
        assert_eq!((text.code, text.field("verdict")), (code, verdict));
        assert_eq!(text.field("reason"), said["reason"]);
    }
}

#[test]
fn a_drain() {
    let mut past = history();
    let withdrawals = past["withdrawals"].as_array_mut().unwrap();
    withdrawals.extend((0..3).map(|n| json!({"time": NOW - n, "amount": 100, "destination": "alice"})));
    let mut next = transaction(90, "alice");
    assert_eq!(judge(&next, &past, &[]).field("verdict"), "allow");
    next["balance"] = json!(480);
    let call = judge(&next, &past, &[]);
    assert_eq!((call.code, call.field("verdict")), (1, "block"));
    assert_eq!(call.field("reason"), "4 withdrawals in 15 minutes move 390 of 780");
}

#[test]
fn programs_from_files() {
    let folder = Folder::new();
    folder.write("no.s", "mov64 r0, 7\nexit");
    folder.write("fails.s", "ldxdw r0, [r1+800]\nexit");
    folder.write("endless.s", "ja -1");
    let mut next = transaction(100, "alice");
    for (program, reason) in [
        ("no.s", "the program returned 7, and only 0 is success"),
        ("fails.s", "the program failed: Access violation reading 8 bytes at address 0x400000320"),
        ("endless.s", "the program failed: exceeded CUs meter"),
    ] {
        next["program"] = json!(program);
        let call = svmllm(&["judge", &folder.write("transaction.json", next.to_string())]);
        assert_eq!((call.code, call.field("verdict")), (1, "block"));
        assert!(call.field("reason").starts_with(reason), "{call:?}");
    }
    folder.write("yes.s", "ldxdw r0, [r1+0]\nexit");
    next["program"] = json!("yes.s");
    next["input"] = json!("0000000000000000");
    let call = svmllm(&["judge", &folder.write("transaction.json", next.to_string())]);
    assert_eq!((call.code, call.field("reason")), (0, "there is no past to compare it with"));
}

#[test]
fn bad_descriptions() {
    let change = |path: &str, value: Value| {
        let mut changed = json!({"transaction": transaction(100, "alice"), "history": history()});
        *changed.pointer_mut(path).unwrap() = value;
        changed
    };
    for (case, text) in [
        (change("/transaction/balance", json!(-1)), "invalid value"),
        (change("/transaction/input", json!(["nothing"])), "did not match"),
        (change("/transaction/input", json!("0")), "did not match"),
        (change("/transaction/program", json!("nowhere.s")), "nowhere.s"),
        (change("/transaction/withdrawal", json!({"amount": 1})), "missing field"),
        (change("/history/withdrawals/0/time", json!(NOW + 1)), "after the one in question"),
        (change("/history", json!({"withdrawals": 3})), "invalid type"),
        (change("/history", json!({"withdrawls": []})), "unknown field"),
        (change("/transaction", json!([])), "transaction.json"),
    ] {
        let call = judge(&case["transaction"], &case["history"], &[]);
        assert_eq!((call.code, call.out.as_str()), (2, ""), "{call:?}");
        assert!(call.err.contains(text), "{text}: {call:?}");
    }
    assert_eq!(svmllm(&["judge", "/nowhere"]).code, 2);
}
