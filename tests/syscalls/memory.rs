//! Copying, filling and comparing.

use crate::call::{Call, Case, HEAP, agree, check, memory_cost, noise, violation};
use svmllm::host::{AccessType, INPUT_ADDRESS, SyscallError};

const COPY_OVERLAPS: SyscallError = SyscallError::CopyOverlapping;

/// Copies within a heap of noise.
pub fn copy(name: &'static str, to: usize, from: usize, length: usize) -> Case {
    let heap = noise(1, to.max(from) + length + 3);
    let call = Call::new(name, [HEAP + to as u64, HEAP + from as u64, length as u64]).heap(heap.clone());
    let cost = memory_cost(length as u64);
    if name == "sol_memcpy_" && to.abs_diff(from) < length {
        return call.fails(COPY_OVERLAPS, cost);
    }
    let mut moved = heap;
    moved.copy_within(from..from + length, to);
    call.returns(0, cost).writes(HEAP, &moved)
}

pub fn fill(byte: u64, length: usize) -> Case {
    let call = Call::new("sol_memset_", [HEAP + 3, byte, length as u64]).heap(noise(2, length + 7));
    call.returns(0, memory_cost(length as u64)).writes(HEAP + 3, &vec![byte as u8; length])
}

/// Compares two byte strings that lie one behind the other.
pub fn compare(a: &[u8], b: &[u8]) -> Case {
    let (start, length) = (HEAP + 4, a.len() as u64);
    let heap = [&[0xee; 4], a, b].concat();
    let difference = a.iter().zip(b).find(|(x, y)| x != y).map_or(0, |(x, y)| i32::from(*x) - i32::from(*y));
    let call = Call::new("sol_memcmp_", [start, start + length, length, HEAP]).heap(heap);
    call.returns(0, memory_cost(length)).writes(HEAP, &difference.to_le_bytes())
}

pub fn cases() -> Vec<Case> {
    use AccessType::{Load, Store};
    let memcpy = |to, from, length| Call::new("sol_memcpy_", [to, from, length]);
    let memmove = |to, from, length| Call::new("sol_memmove_", [to, from, length]);
    let memcmp = |a, b, length, result| Call::new("sol_memcmp_", [a, b, length, result]);
    vec![
        copy("sol_memcpy_", 0, 13, 13),
        copy("sol_memcpy_", 20, 3, 17),
        copy("sol_memcpy_", 0, 12, 13),
        copy("sol_memcpy_", 5, 5, 0),
        copy("sol_memcpy_", 5, 5, 1),
        copy("sol_memmove_", 0, 12, 13),
        // A whole unit more from here on.
        copy("sol_memmove_", 1, 0, 2749),
        copy("sol_memmove_", 0, 1, 2750),
        // Of two addresses that are not mapped the output is reported.
        memmove(0, 1, 3).fails(violation(Store, 0, 3, "unallocated"), 10),
        memmove(HEAP, 0, 3).fails(violation(Load, 0, 3, "unallocated"), 10),
        memmove(HEAP + 60, HEAP, 5).fails(violation(Store, HEAP + 60, 5, "heap"), 10),
        memmove(HEAP, HEAP + 60, 5).fails(violation(Load, HEAP + 60, 5, "heap"), 10),
        memmove(0x1_0000_0000, HEAP, 5).fails(violation(Store, 0x1_0000_0000, 5, "program"), 10),
        memmove(HEAP, INPUT_ADDRESS << 1, 5).fails(violation(Load, INPUT_ADDRESS << 1, 5, "unallocated"), 10),
        // Nothing can be copied anywhere.
        memcpy(0, u64::MAX, 0).returns(0, 10),
        memmove(u64::MAX, 0, 0).returns(0, 10),
        // Ranges that wrap around the address space.
        memcpy(u64::MAX, u64::MAX - 4, 4).fails(violation(Store, u64::MAX, 4, "unallocated"), 10),
        memcpy(u64::MAX, u64::MAX - 4, 5).fails(COPY_OVERLAPS, 10),
        // An output is looked up before its length is looked at.
        memmove(HEAP, HEAP, 1 << 63)
            .units(u64::MAX - 1)
            .fails(violation(Store, HEAP, 1 << 63, "heap"), (1 << 63) / 250),
        memcmp(HEAP, HEAP, 1 << 63, HEAP)
            .units(u64::MAX - 1)
            .fails(SyscallError::InvalidLength, (1 << 63) / 250),
        memmove(HEAP, HEAP, u64::MAX >> 1)
            .units(u64::MAX - 1)
            .fails(violation(Store, HEAP, u64::MAX >> 1, "heap"), (u64::MAX >> 1) / 250),
        memmove(HEAP, HEAP, u64::MAX).runs_out(),
        fill(0x15a, 20),
        fill(0xffff_ffff_ffff_ff00, 8),
        Call::new("sol_memset_", [0x1_0000_0000, 1, 2])
            .fails(violation(Store, 0x1_0000_0000, 2, "program"), 10),
        Call::new("sol_memset_", [0, 1, 0]).returns(0, 10),
        Call::new("sol_memset_", [HEAP, 1, 1 << 40]).runs_out(),
        compare(b"abcdefgh1", b"abcdefgh2"),
        compare(b"\xff", b"\x00"),
        compare(b"", b""),
        memcmp(HEAP, 0, 2, 0).fails(violation(Load, 0, 2, "unallocated"), 10),
        memcmp(HEAP, HEAP, 2, 0).fails(violation(Store, 0, 4, "unallocated"), 10),
        memcmp(HEAP, HEAP, 2, HEAP + 2).fails(SyscallError::UnalignedPointer, 10),
        memcmp(HEAP, HEAP, 2, HEAP + 2).unaligned().returns(0, 10),
    ]
}

#[test]
fn calls() {
    cases().iter().for_each(agree);
}

/// Every length up to 40 with every distance that makes a difference, towards both ends.
#[test]
fn copies_and_overlaps() {
    for length in 0..=40 {
        for distance in (0..10).chain([length / 2, length - length.min(1), length, length + 1]) {
            for (to, from) in [(distance, 0), (1, 1 + distance)] {
                check(&copy("sol_memcpy_", to, from, length));
                check(&copy("sol_memmove_", to, from, length));
            }
        }
    }
    for length in [1, 8, 17] {
        for distance in 0..10 {
            agree(&copy("sol_memmove_", distance, 0, length));
            agree(&copy("sol_memmove_", 0, distance, length));
        }
    }
}

#[test]
fn fills() {
    for length in 0..=40 {
        agree(&fill(0x1a5, length));
    }
}

/// A difference at each place, and none; the bytes behind the range differ as well.
#[test]
fn comparisons() {
    for length in 0..=20usize {
        let a = noise(length as u64, length);
        agree(&compare(&a, &a));
        for place in 0..length {
            for change in [1, 0x80, 0xff] {
                let mut b = a.clone();
                b[place] ^= change;
                // A later difference does not count.
                b[length - 1] = b[length - 1].wrapping_add(u8::from(place + 1 < length));
                check(&compare(&a, &b));
            }
        }
    }
}
