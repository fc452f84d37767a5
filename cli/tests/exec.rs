//! `svmllm exec`.

mod common;

use base64::Engine;
use common::{noise, repository, svmllm_with};
use serde_json::{Value, json};

/// Serves lines; one answer each.
fn exec(lines: &[u8], count: usize) -> Vec<Value> {
    let call = svmllm_with(&["exec"], lines);
    assert_eq!(call.code, 0, "{call:?}");
    let replies: Vec<Value> = call.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(replies.len(), count, "{call:?}");
    replies
}

/// Serves one request.
fn one(request: Value) -> Value {
    exec(format!("{request}\n").as_bytes(), 1).remove(0)
}

fn outcome(reply: &Value) -> (&str, Option<&str>) {
    (reply["status"].as_str().unwrap(), reply["error"].as_str())
}

#[test]
fn every_field_of_a_run() {
    let reply =
        one(json!({"id": "1", "asm": "mov64 r0, 1\nstxb [r1+0], r0\nexit", "input": "00ff", "trace": true}));
    let mut registers: Vec<String> = vec!["0x0".into(); 11];
    registers[1] = "0x400000000".into();
    registers[10] = "0x200001000".into();
    let row = |r0: &str, pc: &str| {
        let mut row = registers.clone();
        row[0] = r0.into();
        row.push(pc.into());
        row
    };
    assert_eq!(
        reply,
        json!({
            "id": "1", "status": "ok", "r0": "0x1", "instructions": 3, "remaining": 1_399_997,
            "registers": row("0x1", "")[..11], "input": "01ff", "logs": [], "dump": [],
            "trace": [row("0x0", "0x0"), row("0x1", "0x1"), row("0x1", "0x2")],
        })
    );
}

#[test]
fn registers_memory_and_dumps_on_both_evaluators() {
    for evaluator in ["indexed", "dense"] {
        let reply = one(json!({
            "asm": "ldxdw r0, [r2+0]\nadd64 r0, r3\nstxdw [r10-8], r0\nexit",
            "registers": {"r2": "0x300000008", "r3": 5, "r9": "0xffffffffffffffff"},
            "memory": [["0x300000008", "0100000000000000"], [0x2_0000_0000_u64, "aabb"]],
            "dump": [
                ["0x200000ff8", 8], ["0x300000007", 3], ["0x200000000", 3], ["0x100000000", 8], ["0x400000001", 2],
                ["0x300007fff", 1], ["0x300007fff", 2], ["0x200001000", 1], ["0x500000000", 0], ["0x300008000", 0],
            ],
            "input": "010203",
            "evaluator": evaluator,
        }));
        assert_eq!(outcome(&reply), ("ok", None), "{reply}");
        assert_eq!(reply["r0"], "0x6");
        assert_eq!(reply["registers"][9], "0xffffffffffffffff");
        assert_eq!(
            reply["dump"],
            json!([
                "0600000000000000",
                "000100",
                "aabb00",
                "7920000000000000",
                "0203",
                "00",
                null,
                null,
                null,
                "",
            ])
        );
    }
}

#[test]
fn stack_dumps_close_the_gaps() {
    let reply = one(json!({
        "asm": "exit",
        "memory": [["0x200000fff", "0102"], ["0x20007efff", "09"]],
        "dump": [["0x200000ffe", 4], ["0x200002000", 1], ["0x20007efff", 1], ["0x20007efff", 2]],
    }));
    assert_eq!(reply["dump"], json!(["00010200", "02", "09", null]));
}

#[test]
fn faults_have_the_reference_s_names() {
    for (asm, error, detail, instructions) in [
        ("mov64 r1, 0\ndiv64 r0, r1\nexit", "DivideByZero", "divide by zero at BPF instruction", 2),
        (
            "mov64 r0, 0",
            "ExecutionOverrun",
            "attempted to execute past the end of the text segment at BPF instruction",
            2,
        ),
        ("ja -1", "ExceededMaxInstructions", "exceeded CUs meter at BPF instruction", 100),
        ("entrypoint:\ncall entrypoint", "CallDepthExceeded", "exceeded max BPF to BPF call depth", 64),
        ("callx r1", "CallOutsideTextSegment", "callx attempted to call outside of the text segment", 1),
        (
            "ldxb r0, [r0+0]\nexit",
            "AccessViolation",
            "Access violation reading 1 bytes at address 0x0 (in unallocated region)",
            1,
        ),
        (
            "stxw [r10+0], r0\nexit",
            "StackAccessViolation",
            "Access violation in stack frame 1 at address 0x200001000 of size 4",
            1,
        ),
        (
            "lddw r1, 0x100000000\nstxb [r1+0], r0\nexit",
            "AccessViolation",
            "Access violation writing 1 bytes at address 0x100000000 (in program region)",
            2,
        ),
        (".fill 1, 0x1234567800000085\nexit", "UnsupportedInstruction", "unsupported BPF instruction", 1),
    ] {
        let reply = one(json!({"asm": asm, "compute_units": 100}));
        assert_eq!(outcome(&reply), ("error", Some(error)), "{asm}: {reply}");
        assert_eq!(reply["detail"], detail, "{asm}");
        assert_eq!(reply["instructions"], instructions, "{asm}");
        assert_eq!(reply["remaining"], 100 - instructions, "{asm}");
        assert!(reply.get("r0").is_none(), "{asm}");
    }
}

#[test]
fn registers_on_an_error_are_those_before_it() {
    let reply = one(json!({"asm": "mov64 r0, 3\nmov64 r2, 0\nldxdw r0, [r2+0]\nexit"}));
    assert_eq!(outcome(&reply), ("error", Some("AccessViolation")));
    assert_eq!(reply["registers"][0], "0x3");
}

#[test]
fn text_with_functions() {
    let call = "8510000007000000";
    let (exit, answer) = ("9500000000000000", "b70000002a000000");
    let text = [call, exit, answer, exit].concat();
    let reply = one(json!({"text": text, "functions": [[7, 2]]}));
    assert_eq!(reply["r0"], "0x2a", "{reply}");
    assert_eq!(outcome(&one(json!({"text": text}))), ("error", Some("UnsupportedInstruction")));
    assert_eq!(one(json!({"text": text, "entry_pc": 2, "functions": []}))["instructions"], 2);
    assert_eq!(outcome(&one(json!({"text": text, "entry_pc": 9}))), ("error", Some("ExecutionOverrun")));
    let reply = one(json!({"text": text, "functions": [[7, u64::MAX]]}));
    assert_eq!(outcome(&reply), ("error", Some("CallOutsideTextSegment")));

    // The entrypoint has the key of its name.
    let key = 0x71e3_cf81;
    let reply = one(json!({"text": text, "entry_pc": 2, "load_only": true}));
    assert_eq!(reply["functions"], json!([[key, 2]]));
    assert_eq!(reply["entry_pc"], 2);
    let reply = one(json!({"text": text, "functions": [[key, 0], [5, 1], [5, 1]]}));
    assert_eq!(reply["status"], "error", "{reply}");
    for functions in [json!([[key, 1]]), json!([[5, 1], [5, 2]])] {
        let reply = one(json!({"text": text, "functions": functions}));
        assert_eq!(outcome(&reply), ("rejected", Some("SymbolHashCollision")));
    }
}

#[test]
fn rejections_name_the_innermost_error() {
    let elf = |bytes: &[u8]| base64::engine::general_purpose::STANDARD.encode(bytes);
    let program = std::fs::read(repository("programs/crc32/crc32.so")).unwrap();
    let mut wrong_machine = program.clone();
    wrong_machine[18] = 3;
    for (request, error, detail) in [
        (
            json!({"text": "0000000000000000"}),
            "UnknownOpCode",
            "Verifier error: unknown eBPF opcode 0x0 (insn #0)",
        ),
        (json!({"text": ""}), "NoProgram", "Verifier error: no program set, call prog_set() to load one"),
        (
            json!({"text": "95"}),
            "ProgramLengthNotMultiple",
            "Verifier error: program length must be a multiple of 8 octets",
        ),
        (json!({"asm": "ja +5"}), "JumpOutOfCode", "Verifier error: jump out of code to #6 (insn #0)"),
        (json!({"asm": "div64 r0, 0\nexit"}), "DivisionByZero", "Verifier error: division by 0 (insn #0)"),
        (json!({"elf": elf(&wrong_machine)}), "WrongMachine", "ELF error: Incompatible ELF: wrong machine"),
        (
            json!({"elf": elf(&[0; 64])}),
            "FailedToParse",
            "ELF error: Failed to parse ELF file: invalid file header",
        ),
        (json!({"elf": ""}), "ValueOutOfBounds", "ELF error: Offset or value is out of bounds"),
    ] {
        let reply = one(request.clone());
        assert_eq!(outcome(&reply), ("rejected", Some(error)), "{request}");
        assert_eq!(reply["detail"], detail);
    }
}

#[test]
fn elf() {
    let program = std::fs::read(repository("programs/crc32/crc32.so")).unwrap();
    let elf = base64::engine::general_purpose::STANDARD.encode(&program);
    let input = format!("0900000000000000{}", hex::encode("123456789"));
    let reply = one(json!({"elf": elf, "input": input, "deploy": true}));
    assert_eq!(reply["r0"], "0xcbf43926");
    let reply = one(json!({"elf": elf, "load_only": true}));
    assert_eq!(outcome(&reply), ("ok", None));
    assert_eq!(reply["image_sha256"].as_str().unwrap().len(), 64);
    assert!(reply["text_address"].as_str().unwrap().starts_with("0x1000"), "{reply}");
    let functions = reply["functions"].as_array().unwrap();
    assert!(functions.contains(&json!([0x71e3_cf81, reply["entry_pc"]])), "{reply}");
}

#[test]
fn lines_that_make_no_sense() {
    let requests = [
        "",
        "garbage",
        "null",
        "7",
        "[]",
        "[null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null]",
        "{}",
        "{\"asm\":7}",
        "{\"asm\":\"exit\",\"text\":\"95\"}",
        "{\"asm\":\"frobnicate\"}",
        "{\"asm\":\"exit\"",
        "{\"elf\":\"*\"}",
        "{\"text\":\"9\"}",
        "{\"text\":\"zz\"}",
        "{\"asm\":\"exit\",\"version\":4}",
        "{\"asm\":\"exit\",\"version\":-1}",
        "{\"asm\":\"exit\",\"heap\":18446744073709551615}",
        "{\"asm\":\"exit\",\"heap\":99999999999999999999999}",
        "{\"asm\":\"exit\",\"heap\":1e9}",
        "{\"asm\":\"exit\",\"compute_units\":\"0x1ffffffffffffffff\"}",
        "{\"asm\":\"exit\",\"registers\":{\"r11\":1}}",
        "{\"asm\":\"exit\",\"registers\":{\"r0\":\"x\"}}",
        "{\"asm\":\"exit\",\"memory\":[[\"0x300000000\"]]}",
        "{\"asm\":\"exit\",\"memory\":[[\"0x100000000\",\"00\"]]}",
        "{\"asm\":\"exit\",\"memory\":[[\"0x200001000\",\"00\"]]}",
        "{\"asm\":\"exit\",\"memory\":[[\"0xffffffffffffffff\",\"00\"]]}",
        "{\"asm\":\"exit\",\"dump\":[[\"0x300000000\",18446744073709551615]]}",
        "{\"asm\":\"exit\",\"evaluator\":\"sparse\"}",
        "{\"asm\":\"exit\",\"input\":\"abc\"}",
        "{\"text\":\"9500000000000000\",\"functions\":[[4294967296,0]]}",
        "\u{feff}{\"asm\":\"exit\"}",
    ];
    let mut lines = requests.join("\n").into_bytes();
    lines.push(b'\n');
    let nested = [b"[".repeat(100_000), b"{\"id\":".repeat(5_000), vec![0xff, 0xfe], noise(500, 1)];
    for line in &nested {
        lines.extend(line.iter().filter(|byte| **byte != b'\n'));
        lines.push(b'\n');
    }
    lines.extend_from_slice(b"{\"id\":7,\"asm\":\"exit\",\"heap\":null,\"more\":1}");
    let replies = exec(&lines, requests.len() + nested.len() + 1);
    let (last, bad) = replies.split_last().unwrap();
    for (index, reply) in bad.iter().enumerate() {
        let line = requests.get(index).unwrap_or(&"");
        assert_eq!(reply["status"], "invalid", "{line}: {reply}");
        assert!(reply["detail"].is_string() && reply["id"].is_null(), "{line}: {reply}");
    }
    assert_eq!((&last["id"], &last["status"]), (&json!(7), &json!("ok")));
}

#[test]
fn ids_come_back_in_order() {
    let ids = [json!("a"), json!(1), json!(null), json!({"b": [2]}), json!(1.5)];
    let bad = ["exit", "frobnicate"];
    let lines: String = ids
        .iter()
        .flat_map(|id| bad.map(|asm| format!("{}\n", json!({"id": id, "asm": asm, "compute_units": "0x10"}))))
        .collect();
    let replies = exec(lines.as_bytes(), 10);
    for (pair, id) in replies.chunks(2).zip(&ids) {
        assert_eq!((&pair[0]["id"], &pair[1]["id"]), (id, id));
        assert_eq!((&pair[0]["status"], &pair[1]["status"]), (&json!("ok"), &json!("invalid")));
    }
}

#[test]
fn random_text_never_panics() {
    let mut lines = String::new();
    for seed in 0..300 {
        let bytes = noise(8 * (1 + seed % 7), seed as u64);
        lines +=
            &format!("{}\n", json!({"text": hex::encode(&bytes), "compute_units": 100, "version": seed % 4}));
        let elf = base64::engine::general_purpose::STANDARD.encode(&bytes);
        lines += &format!("{}\n", json!({"elf": elf, "load_only": true}));
        lines += &format!("{}\n", json!({"asm": String::from_utf8_lossy(&bytes)}));
    }
    exec(lines.as_bytes(), 900);
}
