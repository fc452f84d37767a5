//! Calls of syscalls that together reach every row of the tables only they use.

use std::collections::BTreeMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use svmllm::{
    deltanet::HeadsBoundary,
    host::{
        Ended, Environment, HEAP_ADDRESS, Machine, Mode, Program, ReturnData, Setup, Version, symbol_key,
        syscall_names::ALL_SYSCALLS,
    },
    tables::{alphabet::Region, catalogue::TableId},
};

use super::Witness;

/// Where the heap starts.
const HEAP: u64 = HEAP_ADDRESS;

/// Tables that only syscalls use.
pub const TABLES: [TableId; 20] = [
    TableId::Aligned,
    TableId::Tail,
    TableId::HexLow,
    TableId::HexHigh,
    TableId::DecimalQuotient,
    TableId::DecimalRemainder,
    TableId::DecimalDigit,
    TableId::Base58Quotient,
    TableId::Base58Remainder,
    TableId::Base58Low,
    TableId::Base58High,
    TableId::Base58Zero,
    TableId::SextetHigh,
    TableId::SextetLow,
    TableId::Base64Low,
    TableId::Base64High,
    TableId::Utf8Class,
    TableId::Utf8Next,
    TableId::Utf8Ends,
    TableId::Syscall,
];

/// A syscall with its arguments and the heap it sees.
#[derive(Clone, Debug)]
pub struct Call {
    name: &'static str,
    arguments: [u64; 5],
    heap: Vec<u8>,
    /// Units left when it begins.
    units: u64,
}

/// What a call shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Effects {
    ended: Option<Ended>,
    registers: [u64; 12],
    remaining: u64,
    logs: Vec<String>,
    heap: Vec<u8>,
    return_data: ReturnData,
}

impl Call {
    fn new<const N: usize>(name: &'static str, arguments: [u64; N], heap: impl Into<Vec<u8>>) -> Self {
        let mut all = [0; 5];
        all[..N].copy_from_slice(&arguments);
        // Enough for what is meant, too little for anything long that a wrong answer leads to.
        Self { name, arguments: all, heap: heap.into(), units: 2_000 }
    }
}

impl Witness for Call {
    type Outcome = Effects;

    fn run<E: HeadsBoundary>(&self, e: &E) -> Result<Effects, E::Error> {
        let text = [&[0x85, 0, 0, 0][..], &symbol_key(self.name.as_bytes()).to_le_bytes(), &[0x95], &[0; 7]];
        let program = Program::from_text(Version::V0, text.concat(), 0, BTreeMap::new());
        let setup = Setup {
            heap: self.heap.len(),
            // One unit pays for the instruction that calls.
            budget: self.units + 1,
            registers: (1..).zip(self.arguments).collect(),
            memory: vec![(HEAP, self.heap.clone())],
            ..Setup::default()
        };
        let environment = Environment { syscalls: ALL_SYSCALLS.into(), ..Environment::default() };
        let machine = Machine::new(e, &program, &setup, &environment, Mode::Lazy);
        let mut machine = machine.expect("a text of two slots, and a heap that is preset to its end");
        Ok(Effects {
            ended: machine.step()?.cloned(),
            registers: machine.registers()?,
            remaining: machine.remaining()?,
            logs: machine.take_logs()?,
            heap: machine.bytes(Region::Heap)?,
            return_data: machine.return_data()?,
        })
    }
}

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn log(text: &[u8]) -> Call {
    Call::new("sol_log_", [HEAP, text.len() as u64], text)
}

fn log_data(field: &[u8]) -> Call {
    let list = words(&[HEAP + 16, field.len() as u64]);
    Call::new("sol_log_data", [HEAP, 1], [&list, field].concat())
}

/// A call of every syscall that no other call is like, and calls at every place of a double word.
fn every_syscall(rng: &mut ChaCha8Rng) -> Vec<Call> {
    let mut calls = Vec::new();
    for name in ALL_SYSCALLS {
        let heap: Vec<u8> = (0..256).map(|_| rng.random_range(0..3)).collect();
        calls.push(Call::new(name, [HEAP, 8, HEAP + 24, HEAP + 64, HEAP + 128], heap.clone()));
        calls.push(Call::new(name, [0, 1, HEAP, HEAP + 64, 2], heap.clone()));
        calls.push(Call::new(name, [HEAP + 8, HEAP + 48, 16, HEAP + 64, HEAP + 96], heap));
    }
    for place in 0..16 {
        let at = HEAP + place;
        calls.push(Call::new("sol_memcmp_", [HEAP, HEAP, 1, at], vec![0xee; 32]));
        calls.push(Call::new("sol_log_data", [at, 1], vec![0; 64]));
    }
    // Every number of bytes that is left of eight, with others behind them.
    for length in 1..=16 {
        let heap: Vec<u8> = (1..=64).collect();
        calls.push(Call::new("sol_memset_", [HEAP, 0xee, length], heap.clone()));
        calls.push(Call::new("sol_memcmp_", [HEAP + 8, HEAP + 40, length, HEAP], {
            let mut heap = heap;
            heap.copy_within(8..8 + length as usize, 40);
            heap
        }));
    }
    calls
}

/// Numbers in every base.
fn numbers(rng: &mut ChaCha8Rng) -> Vec<Call> {
    let mut calls =
        vec![Call::new("sol_log_64_", [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0, 1, u64::MAX], [])];
    for _ in 0..24 {
        let units = rng.random::<u64>() >> rng.random_range(0..8);
        calls.push(Call { units, ..Call::new("sol_log_compute_units_", [], []) });
        calls.push(Call::new("sol_log_pubkey", [HEAP], (0..32).map(|_| rng.random()).collect::<Vec<u8>>()));
    }
    // Every leading digit in base 58.
    for digit in 0..58 {
        let mut address = [0; 32];
        address[31] = digit;
        calls.push(Call::new("sol_log_pubkey", [HEAP], address));
    }
    // Every pair of digits in base 16 that a digit in base 64 is made of.
    for byte in 0..=255u8 {
        calls.push(log_data(&[byte, 0, 0]));
        calls.push(log_data(&[byte & 15, byte & 0xf0, 0]));
    }
    calls
}

/// Every byte where each kind of it makes a difference.
fn texts() -> Vec<Call> {
    let mut texts: Vec<Vec<u8>> = Vec::new();
    for byte in 0..=255u8 {
        texts.extend([vec![byte], vec![byte, 0x80], vec![byte, 0x80, 0x80], vec![byte, 0x80, 0x80, 0x80]]);
        texts.extend([vec![byte, 0x90, 0x80], vec![byte, 0xa0, 0x80], vec![byte, 0x90, 0x80, 0x80]]);
        for before in
            [&[0xc2][..], &[0xe1], &[0xe1, 0x80], &[0xf1], &[0xf1, 0x80], &[0xf1, 0x80, 0x80], &[0xff]]
        {
            texts.push([before, &[byte]].concat());
        }
        for before in [0xe0, 0xed, 0xf0, 0xf4] {
            texts.extend([vec![before, byte], vec![before, byte, 0x80], vec![before, byte, 0x80, 0x80]]);
        }
    }
    // Texts that fill whole words and so end in every state.
    for end in [&[0xc2][..], &[0xe0], &[0xe1], &[0xed], &[0xf0], &[0xf1], &[0xf4], &[0xff], b"x"] {
        texts.push([&b"abcdefgh"[end.len()..], end].concat());
    }
    texts.iter().map(|text| log(text)).collect()
}

/// Every call.
pub fn all(seed: u64) -> Vec<Call> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    [every_syscall(&mut rng), numbers(&mut rng), texts()].concat()
}

/// Rows of these tables that no call reaches, with the reason. The first input varies fastest.
pub fn unreachable(table: TableId, unit: usize) -> Option<&'static str> {
    match table {
        TableId::Aligned if unit % 4 < 2 => {
            Some("what a syscall writes is a multiple of 4 or 8 bytes, or any")
        }
        TableId::Tail if unit > 8 => Some("at most eight bytes are read or written at once"),
        TableId::Syscall if unit >= ALL_SYSCALLS.len() => Some("there is no such syscall"),
        _ => None,
    }
}
