//! `svmllm export-qwen`, `prompt`, `draft`, `generate`, `check` and `decode`.

mod common;

use std::fs;

use common::{Folder, svmllm, svmllm_with};

/// A call, a loop, a division by a register, a store across rows.
const PROGRAM: &str = "mov64 r6, 3\nmov64 r0, 100\nloop:\ncall function_f\nsub64 r6, 1\njne r6, 0, loop\n\
                       stxdw [r10-12], r0\nldxdw r0, [r10-12]\nexit\nfunction_f:\nmov64 r7, 7\n\
                       div64 r0, r7\nadd64 r0, 40\nexit";

fn text(path: &std::path::Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_program_in_a_checkpoint() {
    let folder = Folder::new();
    let paths = ["model", "program.s", "prompt.txt", "answer.txt"].map(|name| folder.path(name));
    let [model, program, prompt, answer] = paths.each_ref().map(|path| text(path));
    fs::write(program, PROGRAM).unwrap();
    let exported = svmllm(&["export-qwen", "--shape", "ci", model]);
    assert!(exported.code == 0 && exported.out.starts_with("83296320 parameters"), "{exported:?}");

    let call = svmllm(&["prompt", "--shape", "ci", program]);
    assert!(call.out.starts_with("<bos> pc:0 ") && call.out.ends_with("<run> pc:0\n"), "{call:?}");
    fs::write(prompt, &call.out).unwrap();
    let drafted = svmllm(&["draft", "--shape", "ci", program]);
    let generated = svmllm(&["generate", model, prompt]);
    assert_eq!((generated.code, &generated.out), (0, &drafted.out));
    fs::write(answer, &generated.out).unwrap();
    let checked = svmllm(&["check", model, prompt, answer]);
    let count = generated.out.split_whitespace().count();
    assert_eq!((checked.code, checked.out), (0, format!("each of {count} tokens is the model's own\n")));

    // ((100 / 7 + 40) / 7 + 40) / 7 + 40, in whole numbers.
    let decoded = svmllm(&["decode", "--shape", "ci", answer, "--program", program]);
    let lines: Vec<_> = decoded.out.lines().collect();
    assert_eq!(lines[lines.len() - 2..], ["     7  exit                              0x2e", "end"]);
    assert_eq!(svmllm(&["run", program]).field("result"), "0x2e (46)");

    let wrong = generated.out.replacen("pc:1", "pc:2", 1);
    let checked = svmllm_with(&["check", model, prompt], wrong.as_bytes());
    assert_eq!(checked.code, 1);
    assert!(checked.out.contains("the model puts pc:1 with the logit 112, not pc:2"), "{checked:?}");
}

#[test]
fn drafts_end_as_programs_do() {
    let folder = Folder::new();
    let program = folder.path("program.s");
    let ends = [
        ("mov64 r0, 1\nexit", "2", "last0:01 pc:1 last0:01 <end>\n"),
        ("mov64 r0, 1\nexit", "1", "last0:01 pc:1 trap:meter\n"),
        ("mov64 r0, 1", "9", "last0:01 pc:1 trap:overrun\n"),
        ("ldxb r0, [r0+0]\nexit", "9", "trap:access\n"),
        ("div64 r0, r2\nexit", "9", "trap:division\n"),
        ("callx r2\nexit", "9", "trap:text\n"),
        // Syscalls are not in the checkpoint.
        ("mov64 r1, 1\nsyscall sol_log_64_\nexit", "900", "last0:01 pc:1 trap:function\n"),
        ("mov64 r1, 1\nsyscall sol_log_64_\nexit", "1", "last0:01 pc:1 trap:meter\n"),
    ];
    for (source, budget, expected) in ends {
        fs::write(&program, source).unwrap();
        let call = svmllm(&["draft", "--shape", "ci", text(&program), "--compute-units", budget]);
        assert_eq!(call.out, expected, "{source}");
    }
}

#[test]
fn bad_input_is_refused() {
    let folder = Folder::new();
    let paths = ["program.s", "words.txt", "nothing"].map(|name| folder.path(name));
    let [program, words, nothing] = paths.each_ref().map(|path| text(path));
    fs::write(program, "exit").unwrap();
    fs::write(words, "pc:0 what").unwrap();
    for (args, says) in [
        (&["generate", nothing, words][..], "nothing"),
        (&["prompt", program, "--compute-units", "99999999"], "more than 24 bits"),
        (&["draft", program, "--compute-units", "99999999"], "more than 24 bits"),
        (&["decode", words], "\"what\" is not a token of this checkpoint"),
        (&["decode", nothing], "nothing"),
    ] {
        let call = svmllm(args);
        assert!(call.code == 2 && call.err.contains(says), "{args:?}: {call:?}");
    }
}
