//! `svmllm trace`.

mod common;

use common::{Folder, repository, svmllm};
use serde_json::{Value, json};

const ADD: &str = "mov64 r1, 9\nadd64 r1, 8\nstxw [r10-8], r1\nldxb r0, [r10-8]\nexit";

fn lines(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_line_for_each_step() {
    let folder = Folder::new();
    let program = folder.write("add.s", ADD);
    for options in [&[][..], &["--full"], &["--evaluator", "dense"]] {
        let call = svmllm(&[&["trace", &program], options].concat());
        assert_eq!(call.code, 0, "{call:?}");
        let words: Vec<Vec<&str>> = call.out.lines().map(|line| line.split_whitespace().collect()).collect();
        let expected = [
            "0 0 mov64 r1, 9 move writes reads writes r1=0x9 1399999 units",
            "1 1 add64 r1, 8 add writes reads r1=0x9 writes r1=0x11 1399998 units",
            "2 2 stxw [r10-8], r1 store word register reads r10=0x200001000 r1=0x11 \
             writes [0x200000ff8;4]=0x11 1399997 units",
            "3 3 ldxb r0, [r10-8] load byte writes reads r10=0x200001000 stack[0xff8]=0x11 writes r0=0x11 \
             1399996 units",
            "4 4 exit exit reads writes 1399995 units",
            "exit 0x11 after 5 steps, 1399995 units left",
        ];
        for (line, expected) in words.iter().zip(expected) {
            assert_eq!(line.join(" "), expected, "{options:?}");
        }
        assert_eq!(words.len(), expected.len());
        // Nothing but text where there is no terminal.
        assert!(!call.out.contains('\x1b'));
    }
}

#[test]
fn json() {
    let folder = Folder::new();
    let program = folder.write("add.s", ADD);
    let call = svmllm(&["trace", &program, "--json"]);
    let steps = lines(&call.out);
    assert_eq!(steps.len(), 5);
    assert_eq!(
        steps[2],
        json!({
            "step": 2, "pc": 2, "instruction": "stxw [r10-8], r1",
            "registers": ["0x0", "0x11", "0x0", "0x0", "0x0", "0x0", "0x0", "0x0", "0x0", "0x0", "0x200001000"],
            "gates": [["unit", "Store"], ["size", "Word"], ["register", "1"]],
            "reads": [["r10", "0x200001000"], ["r1", "0x11"]],
            "writes": {"memory": ["0x200000ff8", 4, "0x11"]},
            "units": "0x155cbd",
        })
    );
    let some = svmllm(&["trace", &program, "--json", "--from", "1", "--steps", "2"]);
    assert_eq!(lines(&some.out), steps[1..3]);
}

#[test]
fn layers_of_a_step() {
    let folder = Folder::new();
    let program = folder.write("add.s", ADD);
    let call = svmllm(&["trace", &program, "--stages", "1"]);
    assert_eq!(call.code, 0, "{call:?}");
    for text in [
        "meter      subtract table of decrement",
        "fetch      program attention",
        "decode     decode table",
        "observe    Unit observation",
        "alu        add table of add_words",
        "registers  registers write",
        "  in  nibble    0000000000000009",
        "  out nibble    0000000000000011",
        "  out carry     0000000000000002",
        "  out unit      Add",
        "1··············· 1··············· ·1·············· ·1··············",
    ] {
        assert!(call.out.contains(text), "{text:?} is not in {}", call.out);
    }
    let json = svmllm(&["trace", &program, "--stages", "1", "--json"]).json();
    let layers = json["layers"].as_array().unwrap();
    let sum = layers.iter().find(|layer| layer["within"] == "add_words").unwrap();
    assert_eq!((&sum["stage"], &sum["kind"], &sum["name"]), (&json!("alu"), &json!("table"), &json!("add")));
    let stages: Vec<&str> = layers.iter().map(|layer| layer["stage"].as_str().unwrap()).collect();
    for stage in ["meter", "fetch", "decode", "counter", "observe", "registers", "alu"] {
        assert!(stages.contains(&stage), "{stage}");
    }
    // Each vector has exactly one entry, and it is among the radix.
    for digits in layers.iter().flat_map(|layer| ["inputs", "outputs"].map(|way| &layer[way])) {
        for digits in digits.as_array().unwrap() {
            let hot = digits["hot"].as_array().unwrap();
            assert!(matches!(hot.len(), 1 | 16), "{digits}");
            assert!(hot.iter().all(|hot| hot.as_u64() < digits["radix"].as_u64()), "{digits}");
        }
    }
    let dense = svmllm(&["trace", &program, "--stages", "1", "--json", "--evaluator", "dense"]).json();
    assert_eq!(dense, json);
}

#[test]
fn failures_and_ends() {
    let folder = Folder::new();
    let failing = folder.write("load.s", "ldxdw r0, [r1+0]\nexit");
    let call = svmllm(&["trace", &failing]);
    assert_eq!(call.code, 1);
    assert!(
        call.out.contains("error AccessViolation after 1 steps: Access violation reading 8 bytes"),
        "{call:?}"
    );
    let endless = folder.write("endless.s", "ja -1");
    let call = svmllm(&["trace", &endless, "--compute-units", "3"]);
    assert_eq!(call.code, 1);
    assert_eq!(call.out.lines().count(), 4);
    assert!(call.out.contains("error ExceededMaxInstructions after 3 steps"));
    let call = svmllm(&["trace", &endless, "--from", "100000", "--steps", "1"]);
    assert!(call.out.contains("not at its end after 100001 steps"), "{call:?}");
    for (args, text) in [
        (&["--stages", "3", "--compute-units", "3"][..], "ends after 3 steps"),
        (&["--stages", "3", "--from", "1"], "cannot be used with"),
        (&["--input", "0"], "--input"),
        (&["--input", "@/nowhere"], "/nowhere"),
        (&["--from", "-1"], "unexpected argument"),
    ] {
        let call = svmllm(&[&["trace", &endless], args].concat());
        assert_eq!((call.code, call.out.as_str()), (2, ""), "{call:?}");
        assert!(call.err.contains(text), "{call:?}");
    }
    assert_eq!(svmllm(&["trace", "/nowhere"]).code, 2);
}

#[test]
fn compiled_programs() {
    let program = repository("programs/crc32/crc32.so");
    let call = svmllm(&["trace", &program, "--input", "0100000000000000ff"]);
    assert_eq!(call.code, 0, "{call:?}");
    assert!(call.out.contains("exit 0xff000000 after"), "{call:?}");
    assert!(call.out.contains(" input[0x8]=0xff"), "{call:?}");
}
