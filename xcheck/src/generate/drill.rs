//! Programs of version 0 without loops that use as much of the machine as a short trace can show.

use rand::{Rng, seq::IndexedRandom, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;
use svmllm::host::Version;

use super::{
    bytes,
    code::{Anchor, Code, link},
    immediate, rng, value,
};
use crate::{
    case::{Case, CaseId, FRAME_SIZE, FRAMES, HEAP_ADDRESS, INPUT_ADDRESS, STACK_ADDRESS},
    isa::{Kind, opcodes},
};

const VERSION: Version = Version::V0;
/// Bytes of the heap and of the input: so many bits of an address may be on.
const HEAP_BITS: u32 = 18;
const INPUT_BITS: u32 = 22;

fn case(id: CaseId, functions: &[Code]) -> Case {
    let order: Vec<usize> = (0..functions.len()).collect();
    Case {
        id,
        program: link(functions, &order, 0),
        input: Vec::new(),
        heap: 0,
        budget: 100_000,
        registers: Vec::new(),
        memory: Vec::new(),
    }
}

/// Every arithmetic instruction, and every jump both ways where the values allow, on one pair of values.
pub fn operands(id: CaseId) -> Case {
    let rng = &mut rng("operands", id.seed, id.index);
    let mut registers: Vec<u8> = (0..10).collect();
    registers.shuffle(rng);
    let [a, b, to, near] = [registers[0], registers[1], registers[2], registers[3]];
    let (first, second) = (value(rng), value(rng));
    let mut code = Code::new(VERSION);
    code.lddw(a, first);
    code.lddw(b, second);
    // A divisor that is close to the other value now and then, and never 0.
    code.lddw(near, if rng.random() { second } else { first >> rng.random_range(0..64) }.max(1));
    let mut order: Vec<_> = opcodes(VERSION).iter().collect();
    order.shuffle(rng);
    for opcode in order {
        let mut unary = |immediate| {
            code.op("mov64_reg", to, a, 0, 0);
            code.push(opcode.code, to, 0, 0, immediate);
        };
        match opcode.kind {
            Kind::AluImm => unary(immediate(rng)),
            Kind::ShiftImm(bits) => unary(rng.random_range(0..bits)),
            Kind::DivideImm => unary(Some(immediate(rng)).filter(|divisor| *divisor != 0).unwrap_or(1)),
            Kind::Negate => unary(0),
            Kind::Endian => [16, 32, 64].into_iter().for_each(unary),
            Kind::AluReg | Kind::ShiftReg => {
                code.op("mov64_reg", to, a, 0, 0);
                code.push(opcode.code, to, b, 0, 0);
            }
            // The low half of such a divisor is not 0 either.
            Kind::DivideReg(_) if first as u32 == 0 || second as u32 == 0 => {}
            Kind::DivideReg(_) => {
                for divisor in [b, near] {
                    code.op("mov64_reg", to, divisor, 0, 0);
                    code.op("or64_imm", to, 0, 0, 1);
                    code.op("xor64_reg", a, to, 0, 0);
                    code.op("xor64_reg", to, a, 0, 0);
                    code.op("xor64_reg", a, to, 0, 0);
                    code.push(opcode.code, to, a, 0, 0);
                    code.lddw(a, first);
                }
            }
            Kind::BranchImm => {
                code.push(opcode.code, a, 0, 1, immediate(rng));
                code.op("add64_imm", to, 0, 0, 1);
                code.push(opcode.code, a, 0, 1, first as i32);
                code.op("add64_imm", to, 0, 0, 1);
            }
            Kind::BranchReg => {
                for (x, y) in [(a, b), (b, a), (a, a)] {
                    code.push(opcode.code, x, y, 1, 0);
                    code.op("add64_imm", to, 0, 0, 1);
                }
            }
            _ => {}
        }
    }
    code.exit();
    case(id, &[code])
}

/// Stores to and loads from addresses of which each has one bit on, in the stack, the heap and the input: aligned, and
/// across rows of 8 bytes.
pub fn addresses(id: CaseId) -> Case {
    let rng = &mut rng("addresses", id.seed, id.index);
    // Each address belongs to bytes of its own, so that every store can be seen later.
    let mut places = vec![STACK_ADDRESS, HEAP_ADDRESS, INPUT_ADDRESS];
    places.extend((5..HEAP_BITS).map(|bit| HEAP_ADDRESS | 1 << bit));
    places.extend((5..INPUT_BITS).map(|bit| INPUT_ADDRESS | 1 << bit));
    let stack = (FRAME_SIZE * FRAMES * 2).ilog2();
    places.extend((5..stack).filter(|bit| 1 << bit != FRAME_SIZE).map(|bit| STACK_ADDRESS | 1 << bit));
    places.shuffle(rng);
    let mut code = Code::new(VERSION);
    let offsets: Vec<i16> = places.iter().map(|_| rng.random_range(0..16)).collect();
    code.lddw(2, rng.random());
    for (place, offset) in places.iter().zip(&offsets) {
        let displacement = rng.random_range(-100..100_i16);
        code.lddw(1, place.wrapping_add_signed(i64::from(*offset - displacement)));
        if rng.random_ratio(1, 4) {
            store_immediate(rng, &mut code, displacement);
        } else {
            code.op(["stxb", "stxh", "stxw", "stxdw"].choose(rng).expect("four"), 1, 2, displacement, 0);
        }
        code.op("add64_imm", 2, 0, 0, immediate(rng));
    }
    for (place, offset) in places.iter().zip(&offsets) {
        code.lddw(1, *place);
        let name = ["ldxb", "ldxh", "ldxw", "ldxdw", "ldxdw"].choose(rng).expect("five");
        code.op(name, 3, 1, *offset, 0);
    }
    code.exit();
    Case {
        input: vec![0; 2 << INPUT_BITS],
        heap: 2 << HEAP_BITS,
        memory: vec![(STACK_ADDRESS, bytes(rng, 64)), (HEAP_ADDRESS, bytes(rng, 64))],
        ..case(id, &[code])
    }
}

fn store_immediate(rng: &mut ChaCha8Rng, code: &mut Code, displacement: i16) {
    let name = ["stb", "sth", "stw", "stdw"].choose(rng).expect("four");
    code.op(name, 1, 0, displacement, immediate(rng));
}

/// A function that calls itself down to the last frame, or past it, and changes what its caller keeps each time.
pub fn depth(id: CaseId) -> Case {
    let rng = &mut rng("depth", id.seed, id.index);
    let calls = FRAMES as i32 - i32::from(id.index.is_multiple_of(2));
    let mut main = Code::new(VERSION);
    main.op("mov64_imm", 1, 0, 0, calls - 1);
    for register in 6..10 {
        main.lddw(register, value(rng));
    }
    main.call(Anchor::Start(1), 0);
    main.exit();
    let mut callee = Code::new(VERSION);
    for register in 6..10 {
        // Some stay as they are.
        callee.op(
            "add64_imm",
            register,
            0,
            0,
            if rng.random_ratio(1, 4) { 0 } else { rng.random_range(0..1 << 20) },
        );
    }
    callee.op("stxdw", 10, 6, -8, 0);
    callee.op("jeq_imm", 1, 0, 2, 0);
    callee.op("sub64_imm", 1, 0, 0, 1);
    callee.call(Anchor::Start(1), 0);
    callee.op("ldxdw", 0, 10, -8, 0);
    callee.exit();
    case(id, &[main, callee])
}
