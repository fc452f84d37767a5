//! Sysvars, stakes, the heap and what a program may ask about itself.

use crate::call::{Call, Case, HEAP, agree, check, memory_cost, noise, violation};
use solana_instruction_error::InstructionError;
use std::sync::Arc;
use svmllm::host::{AccessType, EpochStake, INPUT_ADDRESS, RunError, SYSVAR_IDS, SyscallError, Sysvars};

/// The getters, with the bytes of the structure they write.
const GETTERS: [(&str, usize); 6] = [
    ("sol_get_clock_sysvar", 40),
    ("sol_get_epoch_schedule_sysvar", 40),
    ("sol_get_epoch_rewards_sysvar", 96),
    ("sol_get_rent_sysvar", 24),
    ("sol_get_last_restart_slot", 8),
    ("sol_get_fees_sysvar", 8),
];

/// Sysvars of noise, each of its account's length.
fn sysvars() -> Sysvars {
    let account = |seed, length| Some(noise(seed, length));
    Sysvars {
        clock: account(10, 40),
        epoch_schedule: account(11, 33),
        epoch_rewards: account(12, 81),
        rent: account(13, 17),
        last_restart_slot: account(14, 8),
        fees: account(15, 8),
        slot_hashes: account(16, 328),
        stake_history: account(17, 40),
    }
}

/// The structures of the getters: accounts are packed, structures are padded.
fn structure(getter: usize) -> Vec<u8> {
    let Sysvars { clock, epoch_schedule, epoch_rewards, rent, last_restart_slot, fees, .. } = sysvars();
    let account = [clock, epoch_schedule, epoch_rewards, rent, last_restart_slot, fees][getter].clone();
    let mut bytes = account.unwrap_or_default();
    if getter == 1 {
        // Two numbers and a flag, then numbers again.
        bytes = [&bytes[..17], &[0; 7], &bytes[17..]].concat();
    }
    bytes.resize(GETTERS[getter].1, 0);
    bytes
}

fn get(getter: usize, to: u64) -> Call {
    let mut call = Call::new(GETTERS[getter].0, [to]).heap(noise(1, 128));
    call.environment.sysvars = Arc::new(sysvars());
    call
}

fn got(getter: usize, to: u64) -> Case {
    let cost = 100 + GETTERS[getter].1 as u64;
    get(getter, to).returns(0, cost).writes(to, &structure(getter))
}

/// The one of some getters whose structure has so many bytes.
pub fn getter(among: [usize; 4], size: u64) -> Case {
    let getter = among.into_iter().find(|getter| GETTERS[*getter].1 as u64 == size);
    got(getter.expect("a getter of that size"), HEAP)
}

fn getter_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (getter, (_, size)) in GETTERS.into_iter().enumerate() {
        let cost = 100 + size as u64;
        let align = if size == 96 { 16 } else { 8 };
        let mut missing = get(getter, HEAP);
        missing.environment.sysvars = Arc::new(Sysvars {
            clock: None,
            epoch_schedule: None,
            epoch_rewards: None,
            rent: None,
            last_restart_slot: None,
            fees: None,
            slot_hashes: None,
            stake_history: None,
        });
        cases.extend([
            got(getter, HEAP),
            got(getter, HEAP + 16),
            get(getter, HEAP + align / 2).fails(SyscallError::UnalignedPointer, cost),
            get(getter, INPUT_ADDRESS).fails(SyscallError::InvalidPointer, cost),
            get(getter, HEAP).unaligned().fails(SyscallError::UnalignedPointer, cost),
            get(getter, HEAP + 128)
                .fails(violation(AccessType::Store, HEAP + 128, size as u64, "unallocated"), cost),
            missing.fails(RunError::Instruction(InstructionError::UnsupportedSysvar), cost),
        ]);
    }
    cases
}

/// `sol_get_sysvar` of a sysvar by its index; its address is the first thing in the heap.
fn range(index: usize, offset: u64, length: u64) -> Call {
    let id = bs58::decode(SYSVAR_IDS[index]).into_vec().unwrap_or_default();
    let heap = [id, vec![0xee; 400]].concat();
    let mut call = Call::new("sol_get_sysvar", [HEAP, HEAP + 33, offset, length]).heap(heap);
    call.environment.sysvars = Arc::new(sysvars());
    call
}

fn account(index: usize) -> Vec<u8> {
    sysvars().accounts()[index].unwrap_or_default().to_vec()
}

pub fn part(index: usize, offset: usize, length: usize) -> Case {
    let call = range(index, offset as u64, length as u64);
    let cost = 100 + memory_cost(length as u64);
    match account(index).get(offset..offset + length) {
        Some(bytes) => call.returns(0, cost).writes(HEAP + 33, bytes),
        None => call.returns(1, cost),
    }
}

fn range_cases() -> Vec<Case> {
    let to = |to| {
        let mut call = range(0, 0, 8);
        call.arguments[1] = to;
        call
    };
    let mut unknown = range(0, 0, 8);
    unknown.heap[3] ^= 1;
    let mut no_id = range(0, u64::MAX, 8);
    no_id.arguments[0] = 0;
    let overflow = RunError::Instruction(InstructionError::ArithmeticOverflow);
    vec![
        part(5, 0, 328),
        part(6, 0, 40),
        // Agave's cache gives the fees to their getter only.
        range(7, 0, 8).returns(2, 110),
        part(0, 3, 0),
        part(3, 16, 2),
        // What is unknown comes before what is out of range.
        unknown.clone().returns(2, 110),
        {
            unknown.arguments[2] = 1000;
            unknown.returns(2, 110)
        },
        range(0, 0, 8).unaligned().fails(SyscallError::UnalignedPointer, 110),
        to(INPUT_ADDRESS).fails(SyscallError::InvalidPointer, 110),
        to(0).fails(violation(AccessType::Store, 0, 8, "unallocated"), 110),
        no_id.fails(violation(AccessType::Load, 0, 32, "unallocated"), 110),
        range(0, u64::MAX - 7, 8).fails(overflow, 110),
        range(0, u64::MAX - 8, 8).returns(1, 110),
    ]
}

pub fn stake(address: u64, heap: &[u8]) -> Call {
    let mut call = Call::new("sol_get_epoch_stake", [address]).heap(heap);
    let by_vote_account = [([3; 32], 33), ([4; 32], u64::MAX), ([5; 32], 55)].into();
    call.environment.epoch_stake = Arc::new(EpochStake { total: 1234, by_vote_account });
    call
}

pub fn cases() -> Vec<Case> {
    let mut deep = Call::new("sol_get_stack_height", []);
    deep.environment.stack_height = 5;
    let alloc = |size, address| Call::new("sol_alloc_free_", [size, address]).heap(vec![0; 64]);
    let others = vec![
        stake(0, &[]).returns(1234, 100),
        stake(HEAP, &[3; 32]).returns(33, 110),
        stake(HEAP, &[4; 32]).returns(u64::MAX, 110),
        stake(HEAP, &[6; 32]).returns(0, 110),
        stake(HEAP, &[5; 31]).fails(violation(AccessType::Load, HEAP, 32, "heap"), 110),
        Call::new("sol_get_stack_height", []).returns(1, 100),
        deep.returns(5, 100),
        Call::new("sol_remaining_compute_units", []).returns(999_900, 100),
        alloc(64, 0).returns(HEAP, 0),
        alloc(65, 0).returns(0, 0),
        alloc(u64::MAX, 0).returns(0, 0),
        alloc(0, 0).returns(HEAP, 0),
        alloc(8, HEAP).returns(0, 0),
    ];
    [getter_cases(), range_cases(), others].concat()
}

#[test]
fn calls() {
    cases().iter().for_each(agree);
}

#[test]
fn ranges_of_sysvars() {
    for index in 0..7 {
        let size = account(index).len();
        for offset in [0, 1, 7, 8, size - 1, size, size + 1] {
            for length in [0, 1, 7, 8, 9, size - size.min(offset), size - size.min(offset) + 1, size] {
                check(&part(index, offset, length));
            }
        }
    }
}
