//! Calls that log, and calls that give up.

use crate::call::{Call, Case, HEAP, agree, noise, violation, words};
use base64::Engine as _;
use svmllm::host::{AccessType, INPUT_ADDRESS, SyscallError};

fn log(text: &[u8]) -> Call {
    Call::new("sol_log_", [HEAP, text.len() as u64]).heap(text)
}

/// Logs a text, or finds that it is none.
pub fn logged(text: &[u8]) -> Case {
    let (call, cost) = (log(text), (text.len() as u64).max(100));
    match std::str::from_utf8(text) {
        Ok(text) => call.returns(0, cost).logs(format!("Program log: {text}")),
        Err(error) => call.fails(SyscallError::InvalidString(error, text.to_vec()), cost),
    }
}

/// Logs five numbers in base 16.
pub fn hexadecimal(numbers: [u64; 5]) -> Case {
    let text = numbers.map(|number| format!("{number:#x}")).join(", ");
    Call::new("sol_log_64_", numbers).returns(0, 100).logs(format!("Program log: {text}"))
}

/// Logs a number in base 10: what is left of the units.
pub fn decimal(left: u64) -> Case {
    let call = Call::new("sol_log_compute_units_", []).units(left + 100);
    call.returns(0, 100).logs(format!("Program consumption: {left} units remaining"))
}

/// Logs an address in base 58.
pub fn base58(address: [u8; 32]) -> Case {
    let text = bs58::encode(address).into_string();
    Call::new("sol_log_pubkey", [HEAP]).heap(address).returns(0, 100).logs(format!("Program log: {text}"))
}

/// Logs fields in base 64.
pub fn fields(fields: &[&[u8]]) -> Case {
    let (mut list, mut bytes) = (Vec::new(), Vec::new());
    for field in fields {
        let address = HEAP + 16 * fields.len() as u64 + bytes.len() as u64;
        list.extend(words(&[address, field.len() as u64]));
        bytes.extend_from_slice(field);
    }
    let text: Vec<String> =
        fields.iter().map(|field| base64::engine::general_purpose::STANDARD.encode(field)).collect();
    let cost = 100 + 100 * fields.len() as u64 + bytes.len() as u64;
    let call = Call::new("sol_log_data", [HEAP, fields.len() as u64]).heap([list, bytes].concat());
    call.returns(0, cost).logs(format!("Program data: {}", text.join(" ")))
}

pub fn panic(file: &[u8]) -> Case {
    let length = file.len() as u64;
    let call = Call::new("sol_panic_", [HEAP, length, 7, u64::MAX]).heap(file);
    let error = match String::from_utf8(file.to_vec()) {
        Ok(text) => SyscallError::Panic(text, 7, u64::MAX),
        Err(error) => SyscallError::InvalidString(error.utf8_error(), error.into_bytes()),
    };
    call.fails(error, length)
}

pub fn cases() -> Vec<Case> {
    let outside = |length| violation(AccessType::Load, HEAP, length, "heap");
    let field = |address, length| Call::new("sol_log_data", [HEAP, 1]).heap(words(&[address, length]));
    vec![
        logged(b"hi"),
        logged("grüße, 世界, 🦀".as_bytes()),
        logged(&[b'x'; 333]),
        logged(b"cut \xf0\x9f\xa6"),
        log(b"four").units(99).runs_out(),
        Call::new("sol_log_", [HEAP, 65]).fails(outside(65), 100),
        Call::new("sol_log_", [0, 1]).fails(violation(AccessType::Load, 0, 1, "unallocated"), 100),
        // Nothing is logged from nowhere.
        Call::new("sol_log_", [u64::MAX, 0]).returns(0, 100).logs("Program log: "),
        Call::new("sol_log_", [HEAP, 1 << 63])
            .units(u64::MAX - 1)
            .fails(SyscallError::InvalidLength, 1 << 63),
        Call::new("abort", [1, 2, 3, 4, 5]).fails(SyscallError::Abort, 0),
        panic(b"src/lib.rs"),
        panic(b""),
        panic(b"\xff"),
        Call::new("sol_panic_", [HEAP, 65, 1, 2]).fails(outside(65), 65),
        hexadecimal([0, 1, 0xf, 0x10, u64::MAX]),
        decimal(0),
        decimal(1_399_850),
        base58([0; 32]),
        Call::new("sol_log_pubkey", [HEAP + 33])
            .fails(violation(AccessType::Load, HEAP + 33, 32, "heap"), 100),
        fields(&[]),
        fields(&[b""]),
        fields(&[b"one", b"", b"three", b"f"]),
        Call::new("sol_log_data", [HEAP + 4, 1]).fails(SyscallError::UnalignedPointer, 100),
        field(HEAP, 17).fails(violation(AccessType::Load, HEAP, 17, "heap"), 217),
        field(INPUT_ADDRESS, 1).fails(violation(AccessType::Load, INPUT_ADDRESS, 1, "unallocated"), 201),
        field(HEAP, u64::MAX).runs_out(),
        // Lists whose length in bytes is no length.
        Call::new("sol_log_data", [HEAP, 1 << 59]).fails(SyscallError::InvalidLength, 100),
        Call::new("sol_log_data", [HEAP, 1 << 60]).fails(SyscallError::InvalidLength, 100),
    ]
}

#[test]
fn calls() {
    cases().iter().for_each(agree);
}

#[test]
fn numbers_in_base_16() {
    for digits in 0..16 {
        let lowest = 1u64 << (4 * digits);
        let highest = lowest.wrapping_shl(4).wrapping_sub(1);
        agree(&hexadecimal([lowest, highest, lowest * 9 + 5, lowest * 0xa, lowest - 1]));
    }
}

#[test]
fn numbers_in_base_10() {
    let powers = (0..20).map(|digits| 10u64.pow(digits));
    for power in powers {
        for left in [power - 1, power, 7 * (power / 10) + power / 3, power.saturating_mul(9)] {
            agree(&decimal(left.min(u64::MAX - 101)));
        }
    }
}

#[test]
fn addresses_in_base_58() {
    for zeros in 0..=32 {
        for fill in [1, 0x39, 0x3a, 0xff] {
            let mut address = [fill; 32];
            address[..zeros].fill(0);
            agree(&base58(address));
        }
        let mut address: [u8; 32] = noise(zeros as u64, 32).try_into().unwrap();
        agree(&base58(address));
        address[..zeros].fill(0);
        agree(&base58(address));
    }
}

#[test]
fn bytes_in_base_64() {
    for length in 0..=50 {
        agree(&fields(&[&noise(length, length as usize)]));
    }
    for byte in [0, 0xff] {
        agree(&fields(&[&[byte; 7], &[byte; 8], &[byte; 9]]));
    }
    // Every pair of digits that a character is made of.
    let all: Vec<u8> = (0..=255).flat_map(|byte: u8| [byte, byte.rotate_left(3), byte ^ 0x5a]).collect();
    agree(&fields(&[&all]));
}
