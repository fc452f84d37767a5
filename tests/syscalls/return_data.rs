//! Return data, and instructions that ran before.

use crate::call::{Call, Case, HEAP, PROGRAM_ID, agree, noise, violation, words};
use svmllm::host::{AccessType, INPUT_ADDRESS, ReturnData, Sibling, SyscallError};

pub fn set(length: usize) -> Case {
    let data = noise(5, length);
    let call = Call::new("sol_set_return_data", [HEAP, length as u64]).heap(data.clone());
    let mut case = call.returns(0, 100 + length as u64 / 250);
    case.expected.return_data = ReturnData { program_id: PROGRAM_ID, data };
    case
}

/// Asks for so many bytes of as many return data as there are.
fn get_call(available: usize, to: u64, length: u64, program: u64) -> Call {
    let mut call = Call::new("sol_get_return_data", [to, length, program]).heap(vec![0xee; 1100]);
    call.environment.return_data = ReturnData { program_id: [0x77; 32], data: noise(6, available) };
    call
}

pub fn get(available: usize, asked: usize) -> Case {
    let call = get_call(available, HEAP + 33, asked as u64, HEAP);
    let data = call.environment.return_data.data[..available.min(asked)].to_vec();
    if data.is_empty() {
        return call.returns(available as u64, 100);
    }
    let cost = 100 + (data.len() as u64 + 32) / 250;
    call.returns(available as u64, cost).writes(HEAP, &[0x77; 32]).writes(HEAP + 33, &data)
}

/// Where an answer about an instruction goes: lengths, program, data, accounts.
const HEADER: u64 = HEAP;
const PROGRAM: u64 = HEAP + 16;
const DATA: u64 = HEAP + 48;
const ACCOUNTS: u64 = HEAP + 60;

fn siblings() -> Vec<Sibling> {
    vec![
        Sibling { program_id: [1; 32], data: noise(8, 12), accounts: vec![([7; 32], true, false)] },
        Sibling {
            program_id: [2; 32],
            data: Vec::new(),
            accounts: vec![([8; 32], false, true), ([9; 32], true, true)],
        },
        Sibling { program_id: [3; 32], data: noise(9, 3), accounts: Vec::new() },
    ]
}

/// Asks for the only instruction there is.
pub fn only(data: Vec<u8>, accounts: usize) -> Case {
    let (data_at, accounts_at) = (HEAP + 48, HEAP + 48 + data.len() as u64);
    let accounts: Vec<_> = (0..accounts).map(|i| ([i as u8; 32], i % 2 == 0, i % 3 == 0)).collect();
    let heap = [words(&[data.len() as u64, accounts.len() as u64]), vec![0; 700]].concat();
    let arguments = [0, HEADER, PROGRAM, data_at, accounts_at];
    let mut call = Call::new("sol_get_processed_sibling_instruction", arguments).heap(heap);
    call.environment.siblings =
        vec![Sibling { program_id: [1; 32], data: data.clone(), accounts: accounts.clone() }];
    call.returns(1, 100)
        .writes(PROGRAM, &[1; 32])
        .writes(data_at, &data)
        .writes(accounts_at, &metas(&accounts))
}

/// Asks for one more than there are.
pub fn none(available: u64) -> Case {
    let mut call = sibling(available, [0, 0]);
    call.environment.siblings = vec![Sibling::default(); available as usize];
    call.returns(0, 100)
}

/// Accounts as a program is given them.
fn metas(accounts: &[([u8; 32], bool, bool)]) -> Vec<u8> {
    let meta = |(address, signer, writable): &([u8; 32], bool, bool)| {
        [&address[..], &[u8::from(*signer), u8::from(*writable)]].concat()
    };
    accounts.iter().flat_map(meta).collect()
}

fn sibling(index: u64, lengths: [u64; 2]) -> Call {
    let heap = [words(&lengths), vec![0xee; 120]].concat();
    let arguments = [index, HEADER, PROGRAM, DATA, ACCOUNTS];
    let mut call = Call::new("sol_get_processed_sibling_instruction", arguments).heap(heap);
    call.environment.siblings = siblings();
    call
}

/// Asks with the right lengths.
pub fn known(index: usize) -> Case {
    let Sibling { program_id, data, accounts } = siblings()[index].clone();
    let lengths = [data.len() as u64, accounts.len() as u64];
    sibling(index as u64, lengths)
        .returns(1, 100)
        .writes(PROGRAM, &program_id)
        .writes(DATA, &data)
        .writes(ACCOUNTS, &metas(&accounts))
}

pub fn cases() -> Vec<Case> {
    use AccessType::{Load, Store};
    let set_call = |address, length| Call::new("sol_set_return_data", [address, length]);
    let header = |at: usize, argument| {
        let mut call = sibling(0, [12, 1]);
        call.arguments[at] = argument;
        call
    };
    vec![
        set(0),
        set(11),
        set(1024),
        // Too long is found before the address is.
        set_call(0, 1025).fails(SyscallError::ReturnDataTooLarge(1025, 1024), 104),
        set_call(0, 1024).fails(violation(Load, 0, 1024, "unallocated"), 104),
        set_call(HEAP, 65).fails(violation(Load, HEAP, 65, "heap"), 100),
        set_call(HEAP, u64::MAX).runs_out(),
        get(0, 0),
        get(0, 40),
        get(40, 0),
        get(40, 39),
        get(40, 41),
        get(217, 217),
        get(218, 218),
        get(1024, 1024),
        // Nowhere will do for no bytes.
        get_call(9, 0, 0, 0).returns(9, 100),
        get_call(9, HEAP, 9, HEAP + 8).fails(SyscallError::CopyOverlapping, 100),
        get_call(9, HEAP + 31, 9, HEAP).fails(SyscallError::CopyOverlapping, 100),
        get_call(9, 0, 9, 1).fails(violation(Store, 0, 9, "unallocated"), 100),
        get_call(9, HEAP, 9, 1).fails(violation(Store, 1, 32, "unallocated"), 100),
        known(0),
        known(1),
        known(2),
        sibling(3, [0, 0]).returns(0, 100),
        sibling(u64::MAX, [0, 0]).returns(0, 100),
        // Wrong lengths are put right.
        sibling(0, [11, 1]).returns(1, 100).writes(HEADER, &words(&[12, 1])),
        sibling(1, [0, 3]).returns(1, 100).writes(HEADER, &words(&[0, 2])),
        header(1, HEAP + 4).fails(SyscallError::UnalignedPointer, 100),
        header(1, 0).fails(violation(Store, 0, 16, "unallocated"), 100),
        header(2, 8).fails(violation(Store, 8, 32, "unallocated"), 100),
        header(3, INPUT_ADDRESS).fails(violation(Store, INPUT_ADDRESS, 12, "unallocated"), 100),
        header(3, PROGRAM + 31).fails(SyscallError::CopyOverlapping, 100),
        header(4, HEADER + 15).fails(SyscallError::CopyOverlapping, 100),
    ]
}

#[test]
fn calls() {
    cases().iter().for_each(agree);
}
