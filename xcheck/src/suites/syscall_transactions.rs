//! Hostile syscalls in whole transactions: programs of a few calls whose arguments are drawn, so that logs,
//! units and the program's own view of what was written are compared too.

use std::fmt::Write as _;

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use svmllm::host::{Version, assemble as assemble_program};

use super::programs::assemble;
use crate::{
    case::{CaseId, HEAP_ADDRESS, INPUT_ADDRESS, PROGRAM_ADDRESS, STACK_ADDRESS},
    elf::compose,
    generate::{
        rng,
        spl::{chance, key, one},
    },
    transaction::{Budget, Draft, Loader, ProgramFile, TransactionCase, TransactionSuite},
};

/// The name under which its cases are found.
pub const NAME: &str = "syscall-transactions";

mod curves;

/// Transactions about syscalls that are none of [`curves::SYSCALLS`].
const SIZE: u64 = 3000;

/// The syscalls drawn from: all that mainnet registers but calls of programs, and curves, which have their own.
const SYSCALLS: [&str; 26] = [
    "sol_log_",
    "sol_log_64_",
    "sol_log_pubkey",
    "sol_log_compute_units_",
    "sol_log_data",
    "sol_create_program_address",
    "sol_try_find_program_address",
    "sol_sha256",
    "sol_keccak256",
    "sol_get_clock_sysvar",
    "sol_get_epoch_schedule_sysvar",
    "sol_get_rent_sysvar",
    "sol_get_last_restart_slot",
    "sol_get_epoch_rewards_sysvar",
    "sol_get_sysvar",
    "sol_get_epoch_stake",
    "sol_memcpy_",
    "sol_memmove_",
    "sol_memset_",
    "sol_memcmp_",
    "sol_get_processed_sibling_instruction",
    "sol_get_stack_height",
    "sol_set_return_data",
    "sol_get_return_data",
    "sol_alloc_free_",
    "sol_panic_",
];

/// Bytes of instruction data, which the program copies to the start of its heap.
const DATA: usize = 512;
/// Where in the data a list of addresses and lengths starts.
const LIST: usize = 256;
/// Entries of that list.
const ENTRIES: usize = 16;

/// Transactions whose programs make syscalls with drawn arguments.
pub struct SyscallTransactions {
    seed: u64,
}

impl SyscallTransactions {
    /// The suite.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }
}

impl TransactionSuite for SyscallTransactions {
    fn name(&self) -> &'static str {
        NAME
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn size(&self) -> u64 {
        SIZE + curves::SIZE
    }

    fn case(&mut self, index: u64) -> anyhow::Result<TransactionCase> {
        let id = CaseId { suite: NAME, seed: self.seed, index };
        let mut rng = rng(NAME, self.seed, index);
        let rng = &mut rng;
        let name = name(index);
        let program = assemble_program(&source(name, rng), Version::V0)?;
        let address = key("program");
        let loader = one(rng, &[Loader::V1, Loader::V2, Loader::V3, Loader::V3]);
        let programs = [ProgramFile { address, loader, elf: compose(&program, &[]).into() }];
        let data = if index < SIZE { data(rng) } else { curves::data(rng) };
        let draft = Draft::new(name, address, Vec::new(), data);
        let mut case = assemble(id, draft, programs.into(), rng)?;
        if chance(rng, 30) {
            let most = if index < SIZE { 4_000 } else { 60_000 };
            case.settings.budget = Some(Budget::units(rng.random_range(0..most)));
        }
        Ok(case)
    }

    fn part(&self, index: u64) -> &'static str {
        name(index)
    }
}

/// The syscall that a transaction is about.
fn name(index: u64) -> &'static str {
    let names: &[&str] = if index < SIZE { &SYSCALLS } else { &curves::SYSCALLS };
    names[(index % names.len() as u64) as usize]
}

/// Text with some of what is no text, and a list of ranges.
fn data(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut data: Vec<u8> =
        (0..DATA).map(|_| if chance(rng, 2) { rng.random() } else { rng.random_range(b' '..b'~') }).collect();
    for entry in 0..ENTRIES {
        let length = if chance(rng, 10) { length(rng) } else { rng.random_range(0..33) };
        let at = LIST + 16 * entry;
        data[at..at + 8].copy_from_slice(&pointer(rng, 1).to_le_bytes());
        data[at + 8..at + 16].copy_from_slice(&length.to_le_bytes());
    }
    data
}

fn length(rng: &mut ChaCha8Rng) -> u64 {
    let edges = [
        0,
        1,
        8,
        31,
        32,
        33,
        249,
        250,
        251,
        1023,
        1024,
        1025,
        10_240,
        1 << 32,
        1 << 63,
        u64::MAX - 7,
        u64::MAX,
    ];
    if chance(rng, 60) { rng.random_range(0..120) } else { one(rng, &edges) }
}

/// An address, mostly one of memory that can be written.
fn pointer(rng: &mut ChaCha8Rng, align: u64) -> u64 {
    let start = match rng.random_range(0..20) {
        0..10 => HEAP_ADDRESS + rng.random_range(0..2048),
        10..14 => STACK_ADDRESS + rng.random_range(0..4096),
        14 => HEAP_ADDRESS + 32 * 1024 - rng.random_range(0..40),
        15 => STACK_ADDRESS + 4096 * rng.random_range(0..3) - rng.random_range(0..40),
        16 => INPUT_ADDRESS + rng.random_range(0..600),
        17 => PROGRAM_ADDRESS + rng.random_range(0..300),
        18 => one(rng, &[0, 1, u64::MAX, 0x5_0000_0000, STACK_ADDRESS - 8]),
        _ => rng.random(),
    };
    if chance(rng, 93) { start / align * align } else { start }
}

/// The program: it fills heap and stack, makes the call a few times and logs what it left.
fn source(name: &str, rng: &mut ChaCha8Rng) -> String {
    let mut text = format!(
        "mov64 r9, r1
        lddw r8, {HEAP_ADDRESS:#x}
        mov64 r1, r8
        mov64 r2, r9
        add64 r2, 16
        mov64 r3, {DATA}
        syscall sol_memmove_
        lddw r1, {STACK_ADDRESS:#x}
        mov64 r2, r8
        mov64 r3, {DATA}
        syscall sol_memmove_
        "
    );
    for turn in 0..rng.random_range(1..4) {
        let called = if turn == 0 { name } else { one(rng, &SYSCALLS) };
        for (register, value) in (1..).zip(arguments(called, rng)) {
            let _ = writeln!(text, "lddw r{register}, {value:#x}");
        }
        let _ = writeln!(
            text,
            "syscall {called}
            mov64 r1, r0
            ldxdw r2, [r8+{}]
            ldxdw r3, [r8+{}]
            ldxdw r4, [r10-{}]
            ldxdw r5, [r8+0]
            syscall sol_log_64_",
            8 * rng.random_range(0..256),
            8 * rng.random_range(0..64),
            8 * rng.random_range(1..512),
        );
    }
    text + "mov64 r0, 0\nexit"
}

/// Arguments that fit the syscall more often than not.
fn arguments(name: &str, rng: &mut ChaCha8Rng) -> [u64; 5] {
    let list = if chance(rng, 90) { HEAP_ADDRESS + LIST as u64 } else { pointer(rng, 8) };
    let count = if chance(rng, 90) { rng.random_range(0..5) } else { one(rng, &[16, 17, 20_001, 1 << 60]) };
    let length = length(rng);
    let byte = pointer(rng, 1);
    let word = pointer(rng, 8);
    match name {
        "sol_log_data" => [list, count, 0, 0, 0],
        "sol_create_program_address" | "sol_try_find_program_address" => {
            [list, count, byte, pointer(rng, 1), pointer(rng, 1)]
        }
        "sol_sha256" | "sol_keccak256" => [list, count, byte, 0, 0],
        "sol_get_epoch_rewards_sysvar" => [pointer(rng, 16), 0, 0, 0, 0],
        "sol_get_sysvar" => [byte, pointer(rng, 1), rng.random_range(0..60), length, 0],
        "sol_get_epoch_stake" => [if chance(rng, 30) { 0 } else { byte }, 0, 0, 0, 0],
        "sol_memcpy_" | "sol_memmove_" => {
            let near = byte.wrapping_add(rng.random_range(0..60)).wrapping_sub(30);
            [byte, if chance(rng, 40) { near } else { pointer(rng, 1) }, length, 0, 0]
        }
        "sol_memset_" => [byte, rng.random(), length, 0, 0],
        "sol_memcmp_" => [byte, pointer(rng, 1), length, pointer(rng, 4), 0],
        "sol_get_processed_sibling_instruction" => [rng.random_range(0..3), word, byte, byte, byte],
        "sol_get_return_data" => [byte, length, pointer(rng, 1), 0, 0],
        "sol_alloc_free_" => [length, if chance(rng, 80) { 0 } else { byte }, 0, 0, 0],
        "sol_log_64_" => rng.random(),
        "sol_log_" | "sol_panic_" | "sol_set_return_data" => [byte, length, rng.random(), rng.random(), 0],
        "sol_log_pubkey" => [byte, 0, 0, 0, 0],
        _ if curves::SYSCALLS.contains(&name) => curves::arguments(name, rng),
        _ => [word, length, byte, 0, 0],
    }
}
