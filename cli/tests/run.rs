//! `svmllm run`.

mod common;

use common::{Folder, noise, repository, svmllm};
use serde_json::json;

const ANSWER: &str = "mov64 r0, 42\nexit";

#[test]
fn assembly_on_both_evaluators() {
    let folder = Folder::new();
    let program = folder.write("answer.s", ANSWER);
    for options in [&[][..], &["--full"], &["--evaluator", "dense"], &["--evaluator", "dense", "--full"]] {
        let call = svmllm(&[&["run", &program], options].concat());
        assert_eq!(call.code, 0, "{call:?}");
        assert_eq!(call.field("result"), "0x2a (42)");
        assert_eq!(call.field("instructions"), "2");
        assert_eq!(call.field("remaining"), "1399998");
        assert_eq!(call.field("r0"), "0x000000000000002a");
    }
}

#[test]
fn raw_slots_as_json() {
    let folder = Folder::new();
    let slots = [0xb7, 0, 0, 0, 42, 0, 0, 0, 0x95, 0, 0, 0, 0, 0, 0, 0];
    let call = svmllm(&["run", &folder.write("a.bin", slots), "--json", "--compute-units", "2"]);
    let json = call.json();
    assert_eq!(call.code, 0);
    assert_eq!(json["status"], "ok");
    assert_eq!(json["r0"], "0x2a");
    assert_eq!(json["remaining"], 0);
    assert!(json["nanoseconds"].is_u64());
}

#[test]
fn elf_with_input() {
    let program = repository("programs/crc32/crc32.so");
    let input = format!("0900000000000000{}", hex::encode("123456789"));
    for options in [&[][..], &["--deploy"]] {
        let call = svmllm(&[&["run", &program, "--json", "--input", &input], options].concat());
        assert_eq!(call.json()["r0"], "0xcbf43926");
    }
    let folder = Folder::new();
    let file = folder.write("input", hex::decode(&input).unwrap());
    let call = svmllm(&["run", &program, "--json", "--input", &format!("@{file}")]);
    assert_eq!(call.json()["r0"], "0xcbf43926");
    // What counts is what the file holds.
    let renamed = folder.write("renamed", std::fs::read(&program).unwrap());
    assert_eq!(svmllm(&["run", &renamed, "--json", "--input", &input]).json()["r0"], "0xcbf43926");
}

#[test]
fn failing_programs() {
    let folder = Folder::new();
    let program = folder.write("load.s", "ldxdw r0, [r1+0]\nexit");
    let call = svmllm(&["run", &program]);
    assert_eq!(call.code, 1);
    let text = "AccessViolation: Access violation reading 8 bytes at address 0x400000000";
    assert!(call.field("error").starts_with(text), "{call:?}");
    assert_eq!(svmllm(&["run", &program, "--input", "2a00000000000000"]).field("result"), "0x2a (42)");

    let call = svmllm(&["run", &folder.write("loop.s", "ja -1"), "--compute-units", "1000"]);
    assert_eq!(call.code, 1);
    assert!(call.field("error").starts_with("ExceededMaxInstructions: "), "{call:?}");
    assert_eq!(call.field("instructions"), "1000");
}

#[test]
fn heap() {
    let folder = Folder::new();
    let program = folder.write("heap.s", "lddw r1, 0x300000000\nldxdw r0, [r1+8]\nexit");
    assert_eq!(svmllm(&["run", &program, "--heap", "16"]).code, 0);
    assert_eq!(svmllm(&["run", &program, "--heap", "15"]).code, 1);
    assert_eq!(svmllm(&["run", &program, "--heap", "0"]).code, 1);
}

#[test]
fn trace() {
    let folder = Folder::new();
    let program = folder.write("a.s", "mov64 r3, 7\nja +1\nexit\nmov64 r0, r3\nexit");
    let trace = folder.path("trace.jsonl");
    assert_eq!(svmllm(&["run", &program, "--trace", trace.to_str().unwrap()]).code, 0);
    let text = std::fs::read_to_string(trace).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let steps: Vec<_> = lines.iter().map(|line| (&line["pc"], &line["instruction"])).collect();
    assert_eq!(
        steps,
        [
            (&json!(0), &json!("mov64 r3, 7")),
            (&json!(1), &json!("ja +1")),
            (&json!(3), &json!("mov64 r0, r3")),
            (&json!(4), &json!("exit")),
        ]
    );
    assert_eq!(lines[1]["registers"][3], "0x7");
    assert_eq!(lines[3]["registers"].as_array().unwrap().len(), 11);
    assert_eq!(svmllm(&["run", &program, "--trace", "/nowhere/at/all"]).code, 2);
}

#[test]
fn refused_programs() {
    let folder = Folder::new();
    let call = svmllm(&["run", &folder.write("a.bin", [0; 8])]);
    assert_eq!(call.code, 2);
    assert!(call.err.contains("Verifier error: unknown eBPF opcode"), "{call:?}");
    let call = svmllm(&["run", &folder.write("b.bin", [0; 8]), "--json"]);
    assert_eq!(call.code, 2);
    assert_eq!(call.json()["status"], "rejected");
    assert_eq!(call.json()["error"], "UnknownOpCode");
    let call = svmllm(&["run", &folder.write("c.s", "mov64 r0, 1\nfrobnicate r1")]);
    assert_eq!((call.code, call.err.trim()), (2, "svmllm: assembly, line 2: unknown instruction frobnicate"));
    for name in ["empty.so", "empty.s", "empty.bin", "empty"] {
        assert_eq!(svmllm(&["run", &folder.write(name, "")]).code, 2, "{name}");
    }
    for length in [1, 7, 8, 63, 64, 400, 4096] {
        for name in ["noise.so", "noise.s", "noise.bin"] {
            let program = folder.write(name, noise(length, length as u64));
            assert_eq!(svmllm(&["run", &program]).code, 2, "{length} bytes of {name}");
        }
    }
    let elf = std::fs::read(repository("programs/crc32/crc32.so")).unwrap();
    for length in (0..elf.len()).step_by(97) {
        assert_eq!(svmllm(&["run", &folder.write("cut.so", &elf[..length])]).code, 2, "{length} bytes");
    }
}

#[test]
fn bad_usage() {
    let folder = Folder::new();
    let program = folder.write("a.s", ANSWER);
    for options in [
        &[][..],
        &["/nowhere.so"],
        &["/"],
        &[&program, "--input", "0"],
        &[&program, "--input", "zz"],
        &[&program, "--input", "@/nowhere"],
        &[&program, "--heap", "99999999999999"],
        &[&program, "--heap", "99999999999999999999999"],
        &[&program, "--heap", "-1"],
        &[&program, "--compute-units", "18446744073709551616"],
        &[&program, "--evaluator", "sparse"],
        &[&program, "--weights", "/nowhere"],
        &[&program, "--weights", &program],
    ] {
        let call = svmllm(&[&["run"], options].concat());
        assert_eq!(call.code, 2, "{options:?}: {call:?}");
        assert!(!call.err.is_empty() && call.out.is_empty(), "{options:?}: {call:?}");
    }
    assert_eq!(svmllm(&["run", &program, "--compute-units", "18446744073709551615"]).code, 0);
}
