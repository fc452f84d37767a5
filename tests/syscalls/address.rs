//! Addresses derived from seeds.

use crate::call::{Call, Case, HEAP, agree, noise, violation, words};
use curve25519_dalek::edwards::CompressedEdwardsY;
use sha2::{Digest as _, Sha256};
use svmllm::host::{AccessType, SeedsError, SyscallError};

/// Where the answers go, and where the seeds' list is.
const TO: u64 = HEAP;
const BUMP: u64 = HEAP + 32;
const PROGRAM: u64 = HEAP + 40;
const LIST: u64 = HEAP + 72;

const BAD_SEEDS: SyscallError = SyscallError::BadSeeds(SeedsError::MaxSeedLengthExceeded);

/// The address of seeds, if it is no point of the curve.
fn derive(seeds: &[&[u8]], program: &[u8]) -> Option<[u8; 32]> {
    let hash = Sha256::digest([seeds.concat().as_slice(), program, b"ProgramDerivedAddress"].concat());
    let address: [u8; 32] = hash.into();
    CompressedEdwardsY(address).decompress().is_none().then_some(address)
}

fn call(name: &'static str, seeds: &[&[u8]], program: &[u8]) -> Call {
    let (mut list, mut bytes) = (Vec::new(), Vec::new());
    for seed in seeds {
        list.extend(words(&[LIST + 16 * seeds.len() as u64 + bytes.len() as u64, seed.len() as u64]));
        bytes.extend_from_slice(seed);
    }
    let heap = [&[0; 40], program, &list, &bytes].concat();
    Call::new(name, [LIST, seeds.len() as u64, PROGRAM, TO, BUMP]).heap(heap)
}

pub fn create(seeds: &[&[u8]], program: &[u8]) -> Case {
    let call = call("sol_create_program_address", seeds, program);
    match derive(seeds, program) {
        Some(address) => call.returns(0, 1500).writes(TO, &address),
        None => call.returns(1, 1500),
    }
}

pub fn find(seeds: &[&[u8]], program: &[u8]) -> Case {
    let call = call("sol_try_find_program_address", seeds, program);
    let found = (1..=255u8).rev().find_map(|bump| {
        let address = derive(&[seeds, &[&[bump]]].concat(), program)?;
        Some((bump, address))
    });
    let (bump, address) = found.expect("half of all bumps will do");
    call.returns(0, 1500 * (256 - u64::from(bump))).writes(TO, &address).writes(BUMP, &[bump])
}

/// A program whose first bump with these seeds is the `wanted`th.
pub fn program(seeds: &[&[u8]], wanted: u8) -> Vec<u8> {
    let first = |program: &[u8]| {
        (1..=255u8).rev().find(|bump| derive(&[seeds, &[&[*bump]]].concat(), program).is_some())
    };
    (0..)
        .map(|seed| noise(seed, 32))
        .find(|program| first(program) == Some(u8::MAX - (wanted - 1)))
        .unwrap_or_default()
}

/// A program for which the address of the seeds is a point of the curve, or is none.
pub fn program_where(seeds: &[&[u8]], on_curve: bool) -> Vec<u8> {
    let is_it = |program: &Vec<u8>| derive(seeds, program).is_none() == on_curve;
    (0..).map(|seed| noise(seed, 32)).find(is_it).unwrap_or_default()
}

pub fn cases() -> Vec<Case> {
    let seeds: [&[u8]; 2] = [b"metadata", b"x"];
    let long = [7; 33];
    let create_call = |arguments: [u64; 4]| Call::new("sol_create_program_address", arguments);
    let find_call = |arguments: [u64; 5]| Call::new("sol_try_find_program_address", arguments);
    let list = |address, length| [words(&[address, length]), vec![0; 48]].concat();
    let first = program(&seeds, 1);
    let (on_curve, off_curve) = (program_where(&seeds, true), program_where(&seeds, false));
    let mut cases = vec![
        create(&seeds, &off_curve),
        create(&seeds, &on_curve),
        find(&seeds, &first),
        find(&seeds, &program(&seeds, 3)),
    ];
    for name in ["sol_create_program_address", "sol_try_find_program_address"] {
        cases.extend([
            call(name, &[b"s".as_slice(); 17], &first).fails(BAD_SEEDS, 1500),
            call(name, &[b"s", &long], &first).fails(BAD_SEEDS, 1500),
        ]);
    }
    cases.extend([
        create_call([HEAP, 17, 0, 0]).fails(violation(AccessType::Load, HEAP, 272, "heap"), 1500),
        create_call([HEAP + 4, 1, 0, 0]).fails(SyscallError::UnalignedPointer, 1500),
        // A long seed is found before its address is.
        create_call([HEAP, 1, 0, 0]).heap(list(0, 33)).fails(BAD_SEEDS, 1500),
        create_call([HEAP, 1, 0, 0])
            .heap(list(8, 32))
            .fails(violation(AccessType::Load, 8, 32, "unallocated"), 1500),
        find_call([HEAP, 1, 16, 0, 0])
            .heap(list(0, 0))
            .fails(violation(AccessType::Load, 16, 32, "unallocated"), 1500),
        find_call([HEAP, 1 << 59, 0, 0, 0]).fails(SyscallError::InvalidLength, 1500),
    ]);
    cases
}

fn create_to(seeds: &[&[u8]], program: &[u8], to: u64) -> Call {
    let mut call = call("sol_create_program_address", seeds, program);
    call.arguments[3] = to;
    call
}

fn find_to(seeds: &[&[u8]], program: &[u8], to: u64, bump: u64) -> Call {
    let mut call = call("sol_try_find_program_address", seeds, program);
    (call.arguments[3], call.arguments[4]) = (to, bump);
    call
}

/// What fails after an address is derived.
#[test]
fn outputs() {
    let seeds: [&[u8]; 2] = [b"metadata", b"x"];
    let (on_curve, off_curve) = (program_where(&seeds, true), program_where(&seeds, false));
    let first = program(&seeds, 1);
    let cases = [
        // An output that is not mapped is nothing to a derivation that fails.
        create_to(&seeds, &on_curve, 0).returns(1, 1500),
        create_to(&seeds, &off_curve, 0).fails(violation(AccessType::Store, 0, 32, "unallocated"), 1500),
        // The bump may not lie in the address; of two outputs that are not mapped the bump is reported.
        find_to(&seeds, &first, TO, TO + 31).fails(SyscallError::CopyOverlapping, 1500),
        find_to(&seeds, &first, 0, 8).fails(violation(AccessType::Store, 8, 1, "unallocated"), 1500),
        find_to(&seeds, &first, 0, BUMP).fails(violation(AccessType::Store, 0, 32, "unallocated"), 1500),
    ];
    cases.iter().for_each(agree);
}

#[test]
fn calls() {
    cases().iter().for_each(agree);
}

#[test]
fn seeds_of_every_length() {
    for length in 0..=32 {
        let (seed, program) = (noise(length as u64, length), noise(100 + length as u64, 32));
        agree(&create(&[&seed], &program));
    }
    for count in 0..=16 {
        let seed = noise(count as u64, 5);
        agree(&create(&vec![seed.as_slice(); count], &noise(7, 32)));
    }
}

#[test]
fn bumps() {
    for wanted in [1, 2, 5, 9] {
        let seeds: [&[u8]; 1] = [b"vault"];
        agree(&find(&seeds, &program(&seeds, wanted)));
    }
}

/// With sixteen seeds the bump is one too many: each of the 255 fails and is paid for.
#[test]
fn sixteen_seeds_leave_no_room_for_a_bump() {
    let seeds = [b"s".as_slice(); 16];
    agree(&call("sol_try_find_program_address", &seeds, &noise(0, 32)).returns(1, 1500 * 256));
    let short = call("sol_try_find_program_address", &seeds, &noise(0, 32)).units(1500 * 256 - 1);
    agree(&short.runs_out());
}
