//! Powers of big numbers modulo others, by the rules of Agave 4.3.2.

use crate::call::{Call, Case, HEAP, agree, check, noise, violation, words};
use solana_big_mod_exp::{
    BIG_MOD_EXP_BASE_CU, BIG_MOD_EXP_CU_DIVISOR, BIG_MOD_EXP_MIN_EXPONENT_LENGTH,
    BIG_MOD_EXP_MOD_REDUCTION_COMPLEXITY_FACTOR, big_mod_exp,
};
use svmllm::host::{AccessType, SyscallError};

/// Where numbers start in the heap, behind the parameters.
const NUMBERS: u64 = HEAP + 48;

/// What is charged besides the base: `big_mod_exp_operation_cost` of `solana-syscalls` 4.3.2, for lengths
/// of at most 512 bytes.
fn operation_cost(base: usize, exponent: &[u8], modulus: usize) -> u64 {
    let bytes = base.max(modulus) as u64;
    let product = if bytes <= 64 { bytes * bytes } else { bytes * bytes / 4 + 96 * bytes - 3072 };
    let highest = |bytes: &[u8]| {
        let bits = bytes
            .iter()
            .enumerate()
            .flat_map(|(k, byte)| (0..8).map(move |bit| (8 * k + bit, byte >> bit & 1)));
        bits.filter(|(_, on)| *on == 1).map(|(place, _)| place as u64).max().unwrap_or(0)
    };
    let below = exponent.len().saturating_sub(32);
    let length = 8 * below as u64 + highest(&exponent[below..]);
    let one = exponent.first() == Some(&1) && exponent[1..].iter().all(|byte| *byte == 0);
    let count = if one {
        BIG_MOD_EXP_MOD_REDUCTION_COMPLEXITY_FACTOR
    } else {
        length.max(BIG_MOD_EXP_MIN_EXPONENT_LENGTH)
    };
    (product * count).div_ceil(BIG_MOD_EXP_CU_DIVISOR)
}

/// The call, with the result behind the numbers.
fn call(base: &[u8], exponent: &[u8], modulus: &[u8]) -> (Call, u64) {
    let at = |before: usize| NUMBERS + before as u64;
    let parameters = [
        (at(0), base.len()),
        (at(base.len()), exponent.len()),
        (at(base.len() + exponent.len()), modulus.len()),
    ];
    let parameters: Vec<u64> = parameters.iter().flat_map(|(at, length)| [*at, *length as u64]).collect();
    let to = at(base.len() + exponent.len() + modulus.len());
    let heap = [&*words(&parameters), base, exponent, modulus, &vec![0xee; modulus.len() + 8]].concat();
    (Call::new("sol_big_mod_exp", [HEAP, to]).heap(heap).units(5_000_000), to)
}

/// A power, with what the crate behind the syscall makes of it.
pub fn power(base: &[u8], exponent: &[u8], modulus: &[u8]) -> Case {
    let cost = BIG_MOD_EXP_BASE_CU + operation_cost(base.len(), exponent, modulus.len());
    let (call, to) = call(base, exponent, modulus);
    match big_mod_exp(base, exponent, modulus) {
        Some(power) => call.returns(0, cost).writes(to, &power),
        None => call.fails(SyscallError::InvalidAttribute, cost),
    }
}

/// Noise of n bytes to the power of a byte, modulo noise of n bytes.
pub fn of_length(n: u64) -> Case {
    let mut modulus = noise(2, n as usize);
    modulus[0] |= 3;
    power(&noise(1, n as usize), &[5], &modulus)
}

pub fn cases() -> Vec<Case> {
    let parameters = |lengths: [u64; 3]| {
        let [base, exponent, modulus] = lengths;
        let list = words(&[NUMBERS, base, NUMBERS, exponent, NUMBERS, modulus]);
        Call::new("sol_big_mod_exp", [HEAP, HEAP]).heap([list, vec![7; 700]].concat())
    };
    let elsewhere = |list: [u64; 6]| {
        Call::new("sol_big_mod_exp", [HEAP, HEAP]).heap([words(&list), vec![7; 80]].concat())
    };
    // 8 bytes: 64 * 75 / 189, rounded up.
    let cost = 422 + 26;
    vec![
        power(&[5], &[2], &[7]),
        power(&[5], &[], &[7]),
        power(&[], &[2], &[7]),
        power(&[], &[], &[7]),
        power(&[0], &[0], &[7]),
        power(&[5], &[1], &[7]),
        power(&[200], &[1, 0, 0], &[7]),
        // An even modulus, 0, 1 and none.
        power(&[5], &[2], &[8]),
        power(&[5], &[2], &[0]),
        power(&[5], &[2], &[1, 0]),
        power(&[5], &[2], &[]),
        power(&[], &[], &[]),
        // A modulus with zeros on top, and one whose only odd digit is the lowest.
        power(&[5, 4, 3], &[0x12], &[7, 0, 0, 0, 0, 0, 0, 0, 0]),
        power(&[5, 4, 3], &[0x12], &[1, 0, 0, 0, 0, 0, 0, 0, 1]),
        parameters([513, 1, 1]).fails(SyscallError::InvalidLength, 422),
        parameters([1, 513, 1]).fails(SyscallError::InvalidLength, 422),
        parameters([1, 1, u64::MAX]).fails(SyscallError::InvalidLength, 422),
        Call::new("sol_big_mod_exp", [HEAP + 1, HEAP]).fails(SyscallError::UnalignedPointer, 422),
        Call::new("sol_big_mod_exp", [HEAP + 24, HEAP])
            .fails(violation(AccessType::Load, HEAP + 24, 48, "heap"), 422),
        // The exponent is translated before the operation is paid for, base and modulus after.
        elsewhere([0, 8, 0, 8, 0, 8]).fails(violation(AccessType::Load, 0, 8, "unallocated"), 422),
        elsewhere([0, 8, NUMBERS, 8, 0, 8]).fails(violation(AccessType::Load, 0, 8, "unallocated"), cost),
        elsewhere([NUMBERS, 8, NUMBERS, 8, 1, 8])
            .fails(violation(AccessType::Load, 1, 8, "unallocated"), cost),
        // An invalid modulus shows before an output that is nowhere.
        Call { arguments: [HEAP, 0, 0, 0, 0], ..power(&[5], &[2], &[8]).call }
            .fails(SyscallError::InvalidAttribute, 423),
        Call { arguments: [HEAP, 0, 0, 0, 0], ..power(&[5], &[2], &[7]).call }
            .fails(violation(AccessType::Store, 0, 1, "unallocated"), 423),
        // The result may lie on the base.
        Call { arguments: [HEAP, NUMBERS, 0, 0, 0], ..power(&[5], &[2], &[7]).call }
            .returns(0, 423)
            .writes(NUMBERS, &[4]),
    ]
}

#[test]
fn calls() {
    cases().iter().for_each(agree);
}

/// Lengths around every limit of the formula, and of what circuits take at once.
#[test]
fn lengths() {
    for n in [1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 100] {
        check(&of_length(n));
    }
    let modulus = [&[0xfd][..], &noise(3, 39), &[0]].concat();
    for length in [31, 32, 33, 40] {
        // The highest bit at every place that its cost may depend on.
        for place in [0, 7, 8, 100, 8 * length - 1] {
            let mut exponent = vec![0; length];
            if let Some(byte) = exponent.get_mut(place / 8) {
                *byte = 1 << (place % 8);
            }
            check(&power(&[3], &exponent, &modulus[..1]));
        }
    }
    check(&power(&noise(4, 100), &noise(5, 20), &modulus));
    check(&power(&noise(4, 5), &[3], &modulus));
}

/// The longest base and modulus.
#[test]
fn the_longest() {
    check(&of_length(512));
    check(&power(&noise(4, 512), &[0x10, 1], &[0xff; 1]));
    check(&power(&[2], &[&[0; 511][..], &[1]].concat(), &[0xfb]));
}
