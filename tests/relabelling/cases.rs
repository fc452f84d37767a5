//! Programs, and all that a run of one shows.

use proptest::{array::uniform10, collection::vec, prelude::*};
use std::collections::BTreeMap;
use svmllm::{
    deltanet::HeadsBoundary,
    host::{Ended, Environment, Machine, Mode, Program, Setup, Version, assemble, verify},
    tables::alphabet::Region,
};

/// A program and what it runs with.
#[derive(Debug)]
pub struct Case {
    pub name: &'static str,
    pub program: Program,
    pub setup: Setup,
}

/// Everything a run shows.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    pub ended: Ended,
    pub used: u64,
    /// Registers and program counter before each instruction and at the end.
    pub registers: Vec<[u64; 12]>,
    /// Stack, heap and input.
    pub memory: [Vec<u8>; 3],
}

/// Assembles and verifies.
fn program(version: Version, text: &str) -> Program {
    let program = assemble(text, version).unwrap_or_else(|e| panic!("{text}: {e}"));
    verify(&program.text, program.version).unwrap_or_else(|e| panic!("{text}: {e}"));
    program
}

/// Runs to the end, looking at every register at every step.
pub fn run<E: HeadsBoundary>(evaluator: &E, case: &Case, mode: Mode) -> Run {
    let mut machine =
        Machine::new(evaluator, &case.program, &case.setup, &Environment::default(), mode).unwrap();
    let mut registers = vec![machine.registers().unwrap()];
    let ended = loop {
        if let Some(ended) = machine.step().unwrap() {
            break ended.clone();
        }
        registers.push(machine.registers().unwrap());
    };
    Run {
        ended,
        used: machine.used().unwrap(),
        registers,
        memory: [Region::Stack, Region::Heap, Region::Input].map(|region| machine.bytes(region).unwrap()),
    }
}

/// An instruction slot. Memory is reached through the frame pointer, or hardly a run would outlive an
/// access.
fn slot((opcode, dst, src, offset, imm): (u8, u8, u8, i16, i32)) -> [u8; 8] {
    let (dst, src, offset) = match opcode & 7 {
        1 => (dst, 10, -16 - offset),
        2 | 3 => (10, src, -16 - offset),
        _ => (dst, src, offset),
    };
    let [low, high] = offset.to_le_bytes();
    let [a, b, c, d] = imm.to_le_bytes();
    [opcode, dst | src << 4, low, high, a, b, c, d]
}

/// Random instructions that verify one by one, each jump going a few slots ahead, then exits.
pub fn random() -> impl Strategy<Value = Case> {
    let immediate = prop_oneof![Just(0), 1..64i32, Just(i32::MIN), Just(-1), any::<i32>()];
    let slot = (any::<u8>(), 0..10u8, 0..10u8, 0..4i16, immediate).prop_map(slot);
    let exits = [[0x95, 0, 0, 0, 0, 0, 0, 0]; 5];
    let verified = slot.prop_filter("the verifier refuses it", move |slot: &[u8; 8]| {
        // A 64-bit constant takes two slots.
        slot[0] != 0x18 && verify(&[&[*slot], exits.as_slice()].concat().concat(), Version::V0).is_ok()
    });
    (vec(verified, 1..60), uniform10(any::<u64>())).prop_map(move |(mut slots, values)| {
        slots.extend(exits);
        let registers = (0..).zip(values).collect();
        let program = Program::from_text(Version::V0, slots.concat(), 0, BTreeMap::new());
        Case {
            name: "random",
            program,
            setup: Setup { input: vec![0xa5; 24], heap: 64, budget: 200, registers, ..Setup::default() },
        }
    })
}

/// Short programs that together reach every execution unit and every fault.
pub fn cases() -> Vec<Case> {
    let case_in = |version, name, text: &str, budget, input: &[u8]| Case {
        name,
        program: program(version, text),
        setup: Setup { input: input.to_vec(), heap: 600, budget, ..Setup::default() },
    };
    let case = |name, text: &str, budget, input: &[u8]| case_in(Version::V0, name, text, budget, input);
    let calls =
        "call function_down\nexit\nfunction_down:\nadd64 r0, 1\nmov64 r6, r0\ncall function_down\nexit";
    vec![
        case(
            "loop",
            "mov64 r1, 9\nmov64 r0, 1\nagain:\nmul64 r0, r1\nsub64 r1, 1\njne r1, 0, again\nexit",
            1000,
            &[],
        ),
        case("alu", ALU, 1000, &[]),
        case("half", HALF, 1000, &[]),
        case("jumps", JUMPS, 1000, &[]),
        case("memory", MEMORY, 1000, &[0xf0, 0xe1, 0xd2, 0xc3, 0xb4, 0xa5, 0x96, 0x87, 0x78]),
        case("calls", CALLS, 1000, &[]),
        case("depth", calls, 1000, &[]),
        case("budget", calls, 17, &[]),
        case("divisor", "mov64 r2, 0\nmod32 r1, r2\nexit", 1000, &[]),
        case("outside", "lddw r3, 0x100000030\ncallx r3\nlddw r3, 0x200000000\ncallx r3\nexit", 1000, &[]),
        case("overrun", "mov64 r0, 1\njeq r0, 0, end\nja over\nend:\nexit\nover:\nadd64 r0, 1", 1000, &[]),
        case("unmapped", "ldxdw r0, [r1+2]\nldxdw r0, [r1+3]\nexit", 1000, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
        case("read-only", "lddw r2, 0x100000000\nldxb r0, [r2+0]\nstxb [r2+0], r0\nexit", 1000, &[]),
        case("gap", "stdw [r10-8], 7\nldxdw r0, [r10-8]\nstdw [r10+8], 7\nexit", 1000, &[]),
        case("below", "mov64 r2, r10\nsub64 r2, 4100\nldxw r0, [r2+0]\nexit", 1000, &[]),
        case_in(Version::V1, "moved frame", MOVED_FRAME, 1000, &[]),
        case_in(Version::V2, "products", PRODUCTS, 1000, &[]),
        case_in(Version::V3, "static calls", STATIC_CALLS, 1000, &[]),
        case("nowhere", "lddw r2, 0x900000000\nstb [r2+0], 1\nexit", 1000, &[]),
    ]
}

const MOVED_FRAME: &str = "
    add64 r10, -128
    stdw [r10+0], 7
    mov64 r1, r10
    call function_f
    ldxdw r0, [r10+8]
    stdw [r10+128], 1
    exit
    function_f:
    add64 r10, -64
    ldxdw r2, [r1+0]
    stxdw [r1+8], r2
    stxdw [r10+0], r2
    exit";

const PRODUCTS: &str = "
    mov32 r1, -1985229329
    hor64 r1, -2128394905
    mov64 r2, -13
    mov64 r0, r1
    uhmul64 r0, r2
    mov64 r3, r1
    shmul64 r3, r2
    mov64 r4, r1
    uhmul64 r4, -3
    lmul32 r4, r3
    sub64 r4, 5
    sub32 r3, 5
    mov32 r5, r3
    mov64 r6, r1
    sdiv64 r6, r2
    mov64 r7, r1
    srem64 r7, r2
    sdiv32 r5, 7
    udiv64 r1, -3
    urem64 r0, -3
    stxdw [r10-8], r0
    ldxw r8, [r10-6]
    be32 r8
    mov32 r2, -2147483648
    sdiv32 r2, -1
    exit";

const STATIC_CALLS: &str = "
    lddw r1, 0x1fffffffb
    jslt32 r1, 0, negative
    exit
    negative:
    call function_f
    lddw r3, 0x100000058
    callx r3
    mov64 r2, 0
    ldxdw r0, [r2+8]
    exit
    function_f:
    stxdw [r10-8], r1
    add64 r0, r10
    exit";

const ALU: &str = "
    lddw r1, 0x8123456789abcdef
    mov64 r2, 13
    mov64 r0, r1
    add64 r0, r2
    sub64 r0, 0x7fffffff
    mul64 r0, r1
    mov64 r3, r0
    div64 r3, 1000
    mov64 r4, r0
    mod64 r4, r2
    or64 r3, r4
    and64 r4, r1
    xor64 r3, r0
    lsh64 r3, 7
    rsh64 r0, r2
    arsh64 r1, 17
    neg64 r2
    be16 r4
    be32 r3
    be64 r1
    le32 r0
    exit";

const HALF: &str = "
    lddw r1, 0x8123456789abcdef
    mov32 r0, r1
    add32 r0, -1
    sub32 r0, r1
    mul32 r0, 77777
    mov64 r3, r0
    div32 r3, 10
    mod32 r0, 11
    or32 r3, 0x100
    and32 r3, -2
    xor32 r3, r1
    mov64 r4, 33
    lsh32 r3, r4
    rsh32 r3, 2
    arsh32 r1, 5
    neg32 r0
    exit";

const JUMPS: &str = "
    mov64 r1, -3
    mov64 r2, 5
    mov64 r0, 0
again:
    jsgt r1, r2, done
    add64 r0, 1
    jgt r1, r2, big
    add64 r0, 16
big:
    jset r1, 4, set
    add64 r0, 256
set:
    jslt r1, 0, negative
    jge r2, r1, small
    ja done
negative:
    add64 r0, 4096
    jsle r1, -2, small
    jeq r1, -1, small
small:
    add64 r1, 1
    jne r1, r2, again
    jsge r1, 5, last
done:
    exit
last:
    jlt r0, 3, done
    jle r0, r1, done
    exit";

const MEMORY: &str = "
    ldxb r2, [r1+8]
    ldxh r3, [r1+1]
    ldxw r4, [r1+3]
    ldxdw r5, [r1+1]
    lddw r6, 0x3000000fd
    stxdw [r6+0], r5
    stxw [r6+5], r4
    stxh [r6-3], r3
    stxb [r6-1], r2
    ldxdw r0, [r6-2]
    sth [r1+3], -2
    stxdw [r10-4], r0
    stw [r10-12], 0x1234567
    ldxdw r7, [r10-9]
    exit";

const CALLS: &str = "
    mov64 r6, 3
    mov64 r9, 100
    mov64 r1, 6
    call function_fib
    add64 r0, r6
    add64 r0, r9
    exit
function_fib:
    jgt r1, 1, deeper
    mov64 r0, r1
    exit
deeper:
    mov64 r6, r1
    stxdw [r10-8], r1
    sub64 r1, 1
    call function_fib
    mov64 r9, r0
    ldxdw r1, [r10-8]
    sub64 r1, 2
    call function_fib
    add64 r0, r9
    exit";
