//! Hashes of slices.

use crate::call::{Call, Case, HEAP, agree, noise, violation, words};
use svmllm::host::{AccessType, INPUT_ADDRESS, SyscallError};

const NAMES: [&str; 4] = ["sol_sha256", "sol_keccak256", "sol_blake3", "sol_sha512"];

fn native(name: &str, bytes: &[u8]) -> Vec<u8> {
    use sha2::Digest as _;
    match name {
        "sol_sha256" => sha2::Sha256::digest(bytes).to_vec(),
        "sol_keccak256" => sha3::Keccak256::digest(bytes).to_vec(),
        "sol_blake3" => blake3::hash(bytes).as_bytes().to_vec(),
        _ => sha2::Sha512::digest(bytes).to_vec(),
    }
}

/// Hashes a message cut into slices of the given lengths; the digest comes first in the heap.
pub fn hashed(name: &'static str, lengths: &[usize]) -> Case {
    let message = noise(3, lengths.iter().sum());
    let (list_at, mut at) = (HEAP + 64, HEAP + 64 + 16 * lengths.len() as u64);
    let mut list = Vec::new();
    for length in lengths {
        list.extend(words(&[at, *length as u64]));
        at += *length as u64;
    }
    let heap = [vec![0; 64], list, message.clone()].concat();
    let cost = 85 + lengths.iter().map(|length| (*length as u64 / 2).max(10)).sum::<u64>();
    let call = Call::new(name, [list_at, lengths.len() as u64, HEAP]).heap(heap);
    call.returns(0, cost).writes(HEAP, &native(name, &message))
}

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for name in NAMES {
        let function =
            ["Sha256", "Keccak256", "Blake3", "Sha512"][NAMES.iter().position(|n| *n == name).unwrap_or(0)];
        let call = |list, count, to| Call::new(name, [list, count, to]);
        let digest = native(name, b"").len() as u64;
        cases.extend([
            hashed(name, &[]),
            hashed(name, &[0]),
            hashed(name, &[3]),
            hashed(name, &[21, 0, 1, 22]),
            call(0, 0, HEAP).returns(0, 85).writes(HEAP, &native(name, b"")),
            call(0, 20_001, 0)
                .fails(SyscallError::TooManySlices, 0)
                .logs(format!("{function} Hashing 20001 sequences in one syscall is over the limit 20000")),
            // The output is translated before the list.
            call(0, 20_000, 0).fails(violation(AccessType::Store, 0, digest, "unallocated"), 85),
            call(0, 20_000, HEAP).fails(violation(AccessType::Load, 0, 320_000, "unallocated"), 85),
            call(HEAP + 1, 1, HEAP).fails(SyscallError::UnalignedPointer, 85),
            // A slice is translated before it is paid for.
            call(HEAP, 2, HEAP)
                .heap(words(&[HEAP, 30, INPUT_ADDRESS, 100, 0, 0, 0, 0]))
                .fails(violation(AccessType::Load, INPUT_ADDRESS, 100, "unallocated"), 85 + 15),
        ]);
    }
    cases
}

#[test]
fn calls() {
    cases().iter().for_each(agree);
}

#[test]
fn messages_of_several_slices() {
    for name in NAMES {
        for length in [55, 56, 63, 64, 65, 111, 112, 128, 135, 136, 137, 272] {
            agree(&hashed(name, &[length]));
            agree(&hashed(name, &[length / 3, length - length / 3 - 1, 1]));
        }
    }
    agree(&hashed("sol_blake3", &[1000, 24, 1]));
}
