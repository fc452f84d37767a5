//! Short programs that together put every pair of digits through every operation.
//!
//! They serve to notice a spoiled weight: each is cheap, and what one computes it leaves in registers.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use svmllm::host::Version;

use super::{
    code::{Anchor, Code, link},
    opcodes,
};
use crate::{
    case::{Case, CaseId, HEAP_ADDRESS, STACK_ADDRESS},
    isa,
    oracle::{Oracle, sbpf::Sbpf},
};

/// The digits 0 to 15, the lowest first.
const DIGITS: u64 = 0xfedc_ba98_7654_3210;

/// All of them, the most telling first.
///
/// # Errors
/// The oracle cannot run one.
pub fn cases(seed: u64) -> anyhow::Result<Vec<Case>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut programs = Vec::new();
    pairs(&mut rng, &mut programs);
    shifts(&mut programs);
    comparisons(&mut programs);
    divisions(&mut rng, &mut programs);
    swaps_and_calls(&mut rng, &mut programs);
    high_products(&mut rng, &mut programs);
    let mut cases: Vec<Case> = programs.into_iter().map(|code| case(seed, code)).collect();
    accesses(seed, &mut cases);
    depths(seed, &mut cases);
    edges(seed, &mut cases);
    later_versions(seed, &mut cases);
    exhausted(seed, &mut cases)?;
    Ok(cases)
}

fn case(seed: u64, mut code: Code) -> Case {
    code.exit();
    with(seed, &[code])
}

fn with(seed: u64, functions: &[Code]) -> Case {
    let order: Vec<usize> = (0..functions.len()).collect();
    Case {
        id: CaseId { suite: "sabotage", seed, index: 0 },
        program: link(functions, &order, 0),
        input: (0..64).collect(),
        heap: 64,
        budget: 10_000,
        registers: Vec::new(),
        memory: Vec::new(),
    }
}

/// Applies operations to the same two values, each into its own register.
fn apply(names: &[&str], a: u64, b: u64) -> Code {
    apply_in(Version::V0, names, a, b)
}

/// The same in a version.
fn apply_in(version: Version, names: &[&str], a: u64, b: u64) -> Code {
    let mut code = Code::new(version);
    code.lddw(8, a);
    code.lddw(9, b);
    for (register, name) in names.iter().enumerate() {
        code.op("mov64_reg", register as u8, 8, 0, 0);
        code.op(name, register as u8, 9, 0, 0);
    }
    code
}

/// Every pair of digits in every lane for the operations that work digit by digit, and random pairs.
fn pairs(rng: &mut ChaCha8Rng, programs: &mut Vec<Code>) {
    let wide = ["add64_reg", "sub64_reg", "and64_reg", "or64_reg", "xor64_reg", "mul64_reg"];
    let half = ["add32_reg", "sub32_reg", "mul32_reg", "arsh32_reg", "arsh64_reg", "mod32_reg"];
    for turn in 0..16 {
        let turned = DIGITS.rotate_left(4 * turn);
        programs.push(apply(&wide, DIGITS, turned));
        programs.push(apply(&half, DIGITS.rotate_left(32), turned | 1));
        programs.push(apply(&wide, DIGITS, !turned));
    }
    programs.push(apply(&wide, u64::MAX, u64::MAX));
    programs.push(apply(&wide, u64::MAX, u64::MAX - 1));
    for _ in 0..300 {
        // Runs of digits that add up to 15 let carries travel.
        let a: u64 = rng.random();
        let mask = rng.random::<u64>() & rng.random::<u64>();
        programs.push(apply(&wide, a, !a ^ mask & rng.random::<u64>()));
    }
    for _ in 0..300 {
        programs.push(apply(&wide[..3], rng.random(), rng.random()));
    }
    for _ in 0..60 {
        let (a, b): (u64, u64) = (rng.random(), rng.random());
        programs.push(apply(&wide, a | rng.random::<u64>(), b | rng.random::<u64>()));
        programs.push(apply(&half, a, b | 1));
    }
}

/// Every low byte of a shift count, both widths; every pair of neighbouring digits at every count below
/// a digit.
fn shifts(programs: &mut Vec<Code>) {
    for distance in 0..16u64 {
        for first in [0, 8u64] {
            let lane = |x: u64| (x & 15) | ((x + distance) & 15) << 4;
            let word = (0..8).fold(0, |word, x| word | lane(first + x) << (8 * x));
            for count in 0..4 {
                programs.push(apply(&["lsh64_reg", "rsh64_reg", "arsh64_reg"], word, count));
            }
        }
    }
    for low in (0..256).step_by(2) {
        let mut code = Code::new(Version::V0);
        code.lddw(8, DIGITS.rotate_left(28) | 1);
        for (register, count) in [(0, low), (4, low + 1)] {
            code.op("mov64_imm", 9, 0, 0, count);
            for (step, name) in ["lsh64_reg", "lsh32_reg", "rsh64_reg", "arsh64_reg"].iter().enumerate() {
                code.op("mov64_reg", register + step as u8, 8, 0, 0);
                code.op(name, register + step as u8, 9, 0, 0);
            }
        }
        programs.push(code);
    }
}

/// Signed and unsigned comparisons for every pair of top digits, the digits below ordered either way.
fn comparisons(programs: &mut Vec<Code>) {
    let names = ["jsgt_reg", "jsge_reg", "jslt_reg", "jsle_reg", "jgt_reg", "jge_reg", "jeq_reg", "jset_reg"];
    for pair in 0..256u64 {
        let mut code = Code::new(Version::V0);
        code.lddw(8, (pair & 15) << 60 | 5);
        code.lddw(9, (pair >> 4 << 60) | (5 + pair % 3));
        for (bit, name) in names.iter().enumerate() {
            code.op(name, 8, 9, 1, 0);
            code.op("or64_imm", 0, 0, 0, 1 << bit);
        }
        programs.push(code);
    }
}

/// Divisors of every length.
fn divisions(rng: &mut ChaCha8Rng, programs: &mut Vec<Code>) {
    let names = ["div64_reg", "mod64_reg", "div32_reg"];
    for round in 0..250u32 {
        let b = rng.random::<u64>() >> (round % 64) | 1;
        programs.push(apply(&names, rng.random(), b));
    }
    for top in 1..16u64 {
        for next in [0, 7, 15u64] {
            let b = top << 60 | next << 56 | rng.random::<u64>() >> 8;
            programs.push(apply(&names, rng.random::<u64>() | 15 << 60, b));
        }
        // A divisor of one digit, at every place.
        programs.push(apply(&names[..2], DIGITS, top << (4 * (top % 16))));
    }
}

/// Byte order, negation, extension, memory of each width, jumps over distances, nested calls.
fn swaps_and_calls(rng: &mut ChaCha8Rng, programs: &mut Vec<Code>) {
    for _ in 0..40 {
        let mut code = Code::new(Version::V0);
        code.lddw(1, rng.random());
        for (register, (name, bits)) in
            [("le", 16), ("le", 32), ("le", 64), ("be", 16), ("be", 32), ("be", 64)].into_iter().enumerate()
        {
            code.op("mov64_reg", register as u8 + 2, 1, 0, 0);
            code.op(name, register as u8 + 2, 0, 0, bits);
        }
        code.op("stxdw", 10, 1, -16, 0);
        for (step, name) in ["stb", "sth", "stw", "stdw"].into_iter().enumerate() {
            code.op(name, 10, 0, -16 - 8 * step as i16 - 3, rng.random());
        }
        for (step, name) in ["ldxb", "ldxh", "ldxw", "ldxdw"].into_iter().enumerate() {
            code.op(name, 8, 10, -20 - 8 * step as i16, 0);
            code.op("xor64_reg", 0, 8, 0, 0);
        }
        code.op("neg64", 1, 0, 0, 0);
        code.op("neg32", 2, 0, 0, 0);
        code.op("mov32_imm", 9, 0, 0, rng.random());
        code.op("mov64_imm", 8, 0, 0, rng.random());
        programs.push(code);
    }
}

/// Accesses at the edges of every region and around them, and of high addresses.
fn accesses(seed: u64, cases: &mut Vec<Case>) {
    let mut addresses: Vec<u64> = Vec::new();
    for index in 0..16u64 {
        for high in [0, 1, 0x10, 0x0800_0000] {
            addresses.push(index << 32 | high << 36 | 8);
        }
    }
    addresses
        .extend((9..16).flat_map(|lane| (1..16).map(move |digit| HEAP_ADDRESS | digit << (4 * lane) | 8)));
    for frame in [-3i64, -2, -1, 0, 1, 2, 9, 63, 64, 65, 66, 126, 127, 128, 129] {
        for edge in [-8, -4, -1, 0, 1, 4092] {
            addresses.push(STACK_ADDRESS.wrapping_add_signed(frame * 4096 + edge));
        }
    }
    addresses.extend((0..16).map(|digit| STACK_ADDRESS + (digit << 12)));
    addresses.extend([56, 57, 60, 61, 62, 63, 64].map(|offset| HEAP_ADDRESS + offset));
    for address in addresses {
        for name in ["ldxdw", "ldxb", "stxw"] {
            let mut code = Code::new(Version::V0);
            code.lddw(2, address);
            let (dst, src) = if name == "stxw" { (2, 10) } else { (3, 2) };
            code.op(name, dst, src, 0, 0);
            cases.push(case(seed, code));
        }
    }
}

/// Calls within calls, to the limit and past it, and calls to places outside the text.
fn depths(seed: u64, cases: &mut Vec<Case>) {
    for depth in [1, 2, 15, 16, 17, 62, 63, 64] {
        let mut main = Code::new(Version::V0);
        main.op("mov64_imm", 6, 0, 0, depth);
        main.call(Anchor::Start(1), 0);
        main.exit();
        let mut callee = Code::new(Version::V0);
        callee.op("sub64_imm", 6, 0, 0, 1);
        callee.op("add64_imm", 7, 0, 0, 3);
        callee.op("stxdw", 10, 7, -8, 0);
        callee.op("jeq_imm", 6, 0, 1, 0);
        callee.call(Anchor::Start(1), 0);
        callee.op("ldxdw", 8, 10, -8, 0);
        callee.op("add64_reg", 0, 8, 0, 0);
        callee.exit();
        cases.push(with(seed, &[main, callee]));
    }
    for distance in [-8i64, -1, 0, 7, 8, 1 << 20] {
        let mut code = Code::new(Version::V0);
        code.address(3, Anchor::TextEnd, distance);
        code.op("callx", 0, 0, 0, 3);
        code.exit();
        cases.push(with(seed, &[code]));
    }
}

/// The second slot of a constant, and the place after the last slot, with and without units left.
fn edges(seed: u64, cases: &mut Vec<Case>) {
    for budget in [2, 10_000] {
        let mut code = Code::new(Version::V0);
        code.address(3, Anchor::Start(0), 8);
        code.op("callx", 0, 0, 0, 3);
        cases.push(Case { budget, ..case(seed, code) });
        let mut code = Code::new(Version::V0);
        code.op("mov64_imm", 0, 0, 0, 1);
        code.op("mov64_imm", 1, 0, 0, 1);
        cases.push(Case { budget, ..with(seed, &[code]) });
    }
}

/// Products and quotients of version 2, with every digit on top.
fn high_products(rng: &mut ChaCha8Rng, programs: &mut Vec<Code>) {
    let names = ["uhmul64_reg", "shmul64_reg", "sdiv64_reg", "srem64_reg", "sdiv32_reg"];
    for turn in 0..16 {
        let turned = DIGITS.rotate_left(4 * turn);
        programs.push(apply_in(Version::V2, &names, turned, !turned | 1));
        programs.push(apply_in(Version::V2, &names, turned, turned.rotate_left(28) | 1));
    }
    for _ in 0..150 {
        programs.push(apply_in(Version::V2, &names, rng.random(), rng.random::<u64>() | 1));
    }
}

/// Every form of every opcode of the later versions with a few pairs of operands, among them a call into
/// the middle of a constant.
fn later_versions(seed: u64, cases: &mut Vec<Case>) {
    for version in [Version::V1, Version::V2, Version::V3] {
        // Past the end of the text, with a unit left and without.
        for budget in [1, 2] {
            let mut code = Code::new(version);
            code.op("mov64_imm", 1, 0, 0, 7);
            cases.push(Case { budget, ..with(seed, &[code]) });
        }
        for form in 0..opcodes::forms(version).len() as u64 {
            cases.extend([24, 100, 257, 258, 291].map(|pair| {
                let index = form * opcodes::PAIRS + pair;
                opcodes::case(version, CaseId { suite: "opcodes", seed, index })
            }));
        }
    }
}

/// For every opcode of every version a run whose units end just before it.
fn exhausted(seed: u64, cases: &mut Vec<Case>) -> anyhow::Result<()> {
    let mut oracle = Sbpf::new();
    for version in isa::VERSIONS {
        let mut missing: Vec<u8> = isa::opcodes(version).iter().map(|opcode| opcode.code).collect();
        for form in 0..opcodes::forms(version).len() as u64 {
            let index = form * opcodes::PAIRS;
            let case = opcodes::case(version, CaseId { suite: "opcodes", seed, index });
            let outcome = oracle.run(&case)?;
            for (step, state) in outcome.trace.iter().enumerate() {
                let code = case.program.text[state[11] as usize * 8];
                if let Some(at) = missing.iter().position(|missing| *missing == code) {
                    missing.swap_remove(at);
                    cases.push(Case { budget: step as u64, ..case.clone() });
                }
            }
        }
    }
    Ok(())
}
