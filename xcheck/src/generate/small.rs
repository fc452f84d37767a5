//! Small random programs: a few instructions of every kind, so that a model's prompt for them is short.

use std::collections::BTreeMap;

use rand::{Rng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use svmllm::host::{Program, Version};

use super::{bytes, immediate, rng, value};
use crate::{
    case::{Case, CaseId, HEAP_ADDRESS, INPUT_ADDRESS, STACK_ADDRESS},
    isa::{SLOT, encode, encode_callx},
    oracle::sbpf::function_key,
};

/// Operations of the arithmetic classes with two operands.
const BINARY: [u8; 12] = [0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x90, 0xa0, 0xb0, 0xc0];
/// Conditional jumps.
const CONDITIONS: [u8; 11] = [0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0xa0, 0xb0, 0xc0, 0xd0];
/// Registers that point into a region.
const POINTER: u8 = 8;
const FRAME: u8 = 10;

type Slots = Vec<[u8; SLOT]>;

/// The program of that number.
pub fn case(id: CaseId) -> Case {
    let rng = &mut rng(id.suite, id.seed, id.index);
    let faulty = rng.random_ratio(1, 4);
    let input = rng.random_range(0..40);
    let mut slots = Slots::new();
    let mut calls = Vec::new();
    for _ in 0..rng.random_range(2..7) {
        match rng.random_range(0..12) {
            0..=5 => arithmetic(rng, &mut slots),
            6 => condition(rng, &mut slots),
            7 => slots.extend([encode(0x05, 0, 0, 1, 0), encode(0xb7, 3, 0, 0, 1)]),
            8 => {
                calls.push(slots.len());
                slots.push(encode(0x85, 0, 1, 0, 0));
            }
            9 if faulty => slots.push(encode_callx(Version::V0, rng.random_range(0..10))),
            _ => access(rng, faulty, &mut slots),
        }
    }
    if !(faulty && rng.random_ratio(1, 6)) {
        slots.push(encode(0x95, 0, 0, 0, 0));
    }
    let mut functions = BTreeMap::new();
    if !calls.is_empty() {
        let at = slots.len();
        let known = !(faulty && rng.random_ratio(1, 4));
        if known {
            functions.insert(function_key(at), at);
        }
        calls.iter().for_each(|call| slots[*call] = encode(0x85, 0, 1, 0, function_key(at) as i32));
        for _ in 0..rng.random_range(1..4) {
            if rng.random_ratio(1, 2) {
                slots.push(encode(0xb7, rng.random_range(6..10), 0, 0, immediate(rng)));
            } else {
                arithmetic(rng, &mut slots);
            }
        }
        if faulty && rng.random_ratio(1, 3) {
            // Calls itself until the frames run out, unless the meter does first.
            slots.push(encode(0x85, 0, 1, 0, function_key(at) as i32));
        }
        slots.push(encode(0x95, 0, 0, 0, 0));
    }
    let pointer = match rng.random_range(0..4) {
        0 => STACK_ADDRESS + 8192 * rng.random_range(0..3),
        1 => HEAP_ADDRESS,
        _ => INPUT_ADDRESS,
    };
    let mut registers = vec![(POINTER, pointer)];
    registers.extend((0..rng.random_range(1..4_u8)).map(|register| (register, value(rng))));
    Case {
        id,
        program: Program::from_text(Version::V0, slots.concat(), 0, functions),
        input: bytes(rng, input),
        heap: 40,
        budget: if faulty && rng.random_ratio(1, 3) { rng.random_range(0..9) } else { 80 },
        registers,
        memory: Vec::new(),
    }
}

fn arithmetic(rng: &mut ChaCha8Rng, slots: &mut Slots) {
    let class = *[4, 7].choose(rng).expect("classes");
    let (dst, src) = (rng.random_range(0..8), rng.random_range(0..8));
    match rng.random_range(0..16) {
        0 => slots.push(encode(class | 0x80, dst, 0, 0, 0)),
        1 => {
            let (code, width) =
                (*[0xd4, 0xdc].choose(rng).expect("orders"), [16, 32, 64].choose(rng).expect("widths"));
            slots.push(encode(code, dst, 0, 0, *width));
        }
        2 => {
            let constant = value(rng);
            slots.extend([
                encode(0x18, dst, 0, 0, constant as i32),
                encode(0, 0, 0, 0, (constant >> 32) as i32),
            ]);
        }
        _ => {
            let operation = *BINARY.choose(rng).expect("operations");
            if rng.random_ratio(1, 2) {
                slots.push(encode(class | 8 | operation, dst, src, 0, 0));
                return;
            }
            let second = match operation {
                0x60 | 0x70 | 0xc0 => rng.random_range(0..if class == 4 { 32 } else { 64 }),
                0x30 | 0x90 => Some(immediate(rng)).filter(|divisor| *divisor != 0).unwrap_or(7),
                _ => immediate(rng),
            };
            slots.push(encode(class | operation, dst, 0, 0, second));
        }
    }
}

fn condition(rng: &mut ChaCha8Rng, slots: &mut Slots) {
    let code = 5 | CONDITIONS.choose(rng).expect("conditions");
    let (dst, src) = (rng.random_range(0..8), rng.random_range(0..10));
    slots.push(if rng.random_ratio(1, 2) {
        encode(code | 8, dst, src, 1, 0)
    } else {
        encode(code, dst, 0, 1, immediate(rng))
    });
    slots.push(encode(0xa7, dst, 0, 0, immediate(rng)));
}

fn access(rng: &mut ChaCha8Rng, faulty: bool, slots: &mut Slots) {
    let size = *[0, 8, 0x10, 0x18].choose(rng).expect("sizes");
    let frame = rng.random_ratio(1, 3);
    let base = if frame { FRAME } else { POINTER };
    let offset = match (faulty && rng.random_ratio(1, 3), frame) {
        (true, _) => rng.random(),
        (false, true) => -rng.random_range(8..48),
        (false, false) => rng.random_range(0..24),
    };
    let register = rng.random_range(0..8);
    slots.push(match rng.random_range(0..3) {
        0 => encode(0x61 | size, register, base, offset, 0),
        1 => encode(0x63 | size, base, register, offset, 0),
        _ => encode(0x62 | size, base, 0, offset, immediate(rng)),
    });
}
