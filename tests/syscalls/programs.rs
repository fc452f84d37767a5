//! Programs that make several calls.

use crate::call::{
    HEAP,
    evaluators::{dense, permuted, plain},
};
use std::collections::BTreeMap;
use svmllm::{
    deltanet::HeadsBoundary,
    host::{Ended, Environment, Machine, Mode, Program, Setup, Version, assemble, symbol_key, verify},
    tables::alphabet::Region,
};

/// What a program leaves.
#[derive(Debug, PartialEq, Eq)]
struct Run {
    ended: Ended,
    used: u64,
    logs: Vec<String>,
    input: Vec<u8>,
    heap: Vec<u8>,
}

fn run<E: HeadsBoundary>(e: &E, program: &Program, setup: &Setup, aligned: bool, mode: Mode) -> Run {
    let environment = Environment { aligned, ..Environment::default() };
    let mut machine = Machine::new(e, program, setup, &environment, mode).unwrap();
    Run {
        ended: machine.run().unwrap(),
        used: machine.used().unwrap(),
        logs: machine.take_logs().unwrap(),
        input: machine.bytes(Region::Input).unwrap(),
        heap: machine.bytes(Region::Heap).unwrap(),
    }
}

/// Runs a program in every way that is quick, and gives what all agree on.
fn agreed(program: &Program, setup: &Setup, aligned: bool) -> Run {
    verify(&program.text, program.version).unwrap();
    let expected = run(plain(), program, setup, aligned, Mode::Lazy);
    assert_eq!(expected, run(permuted(), program, setup, aligned, Mode::Lazy));
    assert_eq!(expected, run(plain(), program, setup, aligned, Mode::Full));
    expected
}

/// Allocations against a bump allocator.
#[test]
fn allocations() {
    let sizes = [1u64, 0, 7, 8, 9, 1 << 63, 16, 300, u64::MAX, 17, 256, 3, 1, 1];
    for (aligned, heap) in [(true, 400), (false, 400), (true, 401), (false, 63)] {
        let mut text = "mov64 r6, r1\n".to_owned();
        for (index, size) in sizes.iter().enumerate() {
            text += &format!(
                "lddw r1, {size:#x}\nmov64 r2, 0\nsyscall sol_alloc_free_\nstxdw [r6+{}], r0\n",
                8 * index
            );
        }
        text += "exit";
        let program = assemble(&text, Version::V0).unwrap();
        let setup = Setup { input: vec![0; 8 * sizes.len()], heap, ..Setup::default() };
        let mut used = 0u64;
        let expected = sizes.map(|size| {
            let start = if aligned { used.next_multiple_of(8) } else { used };
            match start.checked_add(size).filter(|end| *end <= heap as u64) {
                Some(end) => {
                    used = end;
                    HEAP + start
                }
                None => 0,
            }
        });
        let found = agreed(&program, &setup, aligned);
        assert_eq!(found.input, expected.map(u64::to_le_bytes).concat(), "{aligned}, {heap}");
    }
}

/// Return data goes out and comes back, twice, the second shorter.
const ROUND_TRIP: &str = "
    mov64 r6, r1
    mov64 r2, 20
    syscall sol_set_return_data
    mov64 r1, r6
    add64 r1, 1
    mov64 r2, 5
    syscall sol_set_return_data
    mov64 r1, r6
    add64 r1, 24
    mov64 r2, 1024
    mov64 r3, r6
    add64 r3, 64
    syscall sol_get_return_data
    mov64 r7, r0
    mov64 r1, r6
    mov64 r2, 8
    syscall sol_log_
    mov64 r1, r7
    exit";

#[test]
fn return_data_comes_back() {
    let program = assemble(ROUND_TRIP, Version::V0).unwrap();
    let mut input = b"abcdefghijklmnopqrst".to_vec();
    input.resize(96, 0xee);
    let setup = Setup { input: input.clone(), ..Setup::default() };
    input[24..29].copy_from_slice(b"bcdef");
    input[64..].fill(0);
    let found = agreed(&program, &setup, true);
    assert_eq!((&found.ended, &found.input), (&Ended::Exit(0), &input));
    assert_eq!(found.logs, ["Program log: abcdefgh"]);
    let instructions = ROUND_TRIP.trim().lines().count() as u64;
    assert_eq!(found.used, instructions + 4 * 100);
    assert_eq!(found, run(&dense(), &program, &setup, true, Mode::Full));
}

/// Before v3 a call's number is looked up among the syscalls and then among the functions, and both run.
#[test]
fn a_key_in_both_registries_runs_both() {
    let key = symbol_key(b"sol_get_stack_height");
    let call = [&[0x85, 0, 0, 0][..], &key.to_le_bytes()].concat();
    let [add_seven, exit] = [[0x07, 0, 0, 0, 7, 0, 0, 0], [0x95, 0, 0, 0, 0, 0, 0, 0]];
    let body = [add_seven, exit].concat();
    for (functions, r0, used) in [(BTreeMap::new(), 8, 3), (BTreeMap::from([(key, 3)]), 15, 5)] {
        let text = [&call[..], &add_seven, &exit, &body].concat();
        let program = Program::from_text(Version::V0, text, 0, functions);
        let found = agreed(&program, &Setup::default(), true);
        assert_eq!((found.ended, found.used), (Ended::Exit(r0), used + 100));
    }
}

/// An error in the middle of a program leaves what came before it.
#[test]
fn errors_leave_what_was_done() {
    let text = "
        mov64 r6, r1
        mov64 r2, 3
        syscall sol_log_
        lddw r1, 0x300000000
        mov64 r2, 0x77
        mov64 r3, 9
        syscall sol_memset_
        mov64 r1, 0
        mov64 r2, 1
        syscall sol_log_
        exit";
    let program = assemble(text, Version::V0).unwrap();
    let setup = Setup { input: b"abc".to_vec(), heap: 16, budget: 1_000, ..Setup::default() };
    let found = agreed(&program, &setup, true);
    let Ended::Error(error) = &found.ended else { panic!("{:?}", found.ended) };
    assert_eq!(error.name(), "AccessViolation");
    assert_eq!((found.used, &found.logs[..]), (10 + 100 + 10 + 100, &["Program log: abc".to_owned()][..]));
    assert_eq!(found.heap, [[0x77; 9].as_slice(), &[0; 7]].concat());
}
