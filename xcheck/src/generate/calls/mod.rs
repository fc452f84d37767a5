//! Programs that call programs, told by their instruction's data what to do.

mod call;
mod descriptions;
pub mod faults;
mod scene;
mod shapes;

use std::sync::{Arc, LazyLock};

use solana_address::Address;
use solana_instruction::AccountMeta;
use svmllm::host::{HEAP_ADDRESS, INPUT_ADDRESS, Version, assemble};

pub use self::{
    call::{Call, Info, Laid, Meta, Place, places},
    scene::Scene,
};
use super::spl::key;
use crate::{
    elf::compose,
    transaction::{Draft, Loader, ProgramFile, Slot},
};

/// Where the text is.
const PROGRAM_ADDRESS: u64 = 1 << 32;

/// The most bytes that an account may grow by in one instruction.
pub const GROWTH: u64 = 10_240;

/// A program that calls; all of them do the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Its name, of which its address is made.
    pub name: &'static str,
    /// Its version.
    pub version: Version,
    /// Its loader.
    pub loader: Loader,
}

impl Caller {
    /// Where it is.
    pub fn address(self) -> Address {
        key(self.name)
    }

    /// An address that it signs for, with the seeds.
    pub fn derived(self, name: &str) -> (Address, Vec<Vec<u8>>) {
        let (address, bump) = Address::find_program_address(&[name.as_bytes()], &self.address());
        (address, vec![name.as_bytes().to_vec(), vec![bump]])
    }
}

/// Callers of every version by every loader that the suites call.
pub const CALLERS: [Caller; 5] = [
    Caller { name: "caller", version: Version::V3, loader: Loader::V3 },
    Caller { name: "callee", version: Version::V0, loader: Loader::V2 },
    Caller { name: "dynamic caller", version: Version::V1, loader: Loader::V3 },
    Caller { name: "recoded caller", version: Version::V2, loader: Loader::V2 },
    Caller { name: "old caller", version: Version::V0, loader: Loader::V1 },
];

/// The read-only data of a caller of version 3: its first account as C describes one, if that has
/// [`CONSTANT_LENGTH`] bytes.
fn constant() -> Vec<u8> {
    let at = INPUT_ADDRESS + 16;
    [at, at + 64, CONSTANT_LENGTH, at + 80, at + 32, 0, 0x01_00].map(u64::to_le_bytes).concat()
}

/// See [`CALLERS`].
pub const CONSTANT_LENGTH: u64 = 40;

static PROGRAMS: LazyLock<Arc<[ProgramFile]>> = LazyLock::new(|| {
    const TEXT: &str = include_str!("../../../../programs/caller/caller.s");
    let file = |caller: Caller| {
        let program = assemble(TEXT, caller.version).expect("the caller assembles");
        let elf = compose(&program, &constant()).into();
        ProgramFile { address: caller.address(), loader: caller.loader, elf }
    };
    CALLERS.map(file).into()
});

/// The files of [`CALLERS`].
pub fn programs() -> Arc<[ProgramFile]> {
    PROGRAMS.clone()
}

/// What a caller does.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// What it puts on its heap.
    pub heap: Vec<u8>,
    steps: Vec<[u64; 6]>,
}

impl Plan {
    /// The instruction data.
    pub fn encode(&self) -> Vec<u8> {
        let steps = self.steps.len() + 1;
        let mut words = vec![self.heap.len() as u64, 16 + 48 * steps as u64];
        words.extend(self.steps.iter().flatten());
        words.extend([0; 6]);
        let mut bytes = le(&words);
        bytes.extend(&self.heap);
        bytes
    }

    /// Puts bytes on the heap, 8-aligned, and tells their address.
    pub fn put(&mut self, bytes: &[u8]) -> u64 {
        self.heap.resize(self.heap.len().next_multiple_of(8), 0);
        let address = HEAP_ADDRESS + self.heap.len() as u64;
        self.heap.extend(bytes);
        address
    }

    /// The same with words.
    pub fn put_words(&mut self, words: &[u64]) -> u64 {
        self.put(&le(words))
    }

    /// Stores a word.
    pub fn store(&mut self, address: u64, value: u64) {
        self.steps.push([1, address, value, 0, 0, 0]);
    }

    /// Makes a call.
    pub fn call(&mut self, rust: bool, [a, b, c, d, e]: [u64; 5]) {
        self.steps.push([2 + u64::from(rust), a, b, c, d, e]);
    }

    /// Logs ranges of memory.
    pub fn show(&mut self, ranges: &[(u64, u64)]) {
        let list: Vec<u64> = ranges.iter().flat_map(|(address, length)| [*address, *length]).collect();
        let list = self.put_words(&list);
        self.steps.push([4, list, ranges.len() as u64, 0, 0, 0]);
    }

    /// Copies bytes.
    pub fn copy(&mut self, to: u64, from: u64, length: u64) {
        self.steps.push([5, to, from, length, 0, 0]);
    }

    /// Sets return data.
    pub fn give_back(&mut self, bytes: &[u8]) {
        let address = self.put(bytes);
        self.steps.push([6, address, bytes.len() as u64, 0, 0, 0]);
    }

    /// Logs the return data's start and program.
    pub fn show_returned(&mut self) {
        let room = self.put(&[0; 64]);
        self.steps.push([7, room, 32, room + 32, 0, 0]);
        self.show(&[(room, 64)]);
    }

    /// Logs what is known of the sibling before the last `index` ones.
    pub fn show_sibling(&mut self, index: u64) {
        let room = self.put(&[0; 512]);
        self.store(room, 8);
        self.store(room + 8, 2);
        self.steps.push([8, index, room, room + 16, room + 48, room + 64]);
        self.show(&[(room, 144)]);
    }

    /// Takes the last `steps` steps so many times more.
    pub fn repeat(&mut self, steps: usize, times: u64) {
        let counter = self.put_words(&[times]);
        self.steps.push([9, counter, 48 * (steps as u64 + 1), 0, 0, 0]);
    }

    /// Takes another plan's steps after this one's, which have nothing on the heap.
    pub fn then(&mut self, other: Plan) {
        debug_assert!(self.heap.is_empty(), "heaps cannot be joined");
        self.heap = other.heap;
        self.steps.extend(other.steps);
    }

    /// Ends with this result.
    pub fn end(&mut self, result: u64) {
        self.steps.push([0, result, 0, 0, 0, 0]);
    }
}

fn le(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The same instruction, called by `caller` through one of the interfaces.
///
/// `derived` are addresses that the caller signs for, with their seeds. `length` tells the length of an
/// account's data that the instruction does not bring.
pub fn forward(
    draft: Draft,
    caller: Caller,
    rust: bool,
    derived: &[(Address, Vec<Vec<u8>>)],
    length: impl Fn(&Address) -> u64,
) -> Draft {
    let Draft { name, program, mut slots, data, changes } = draft;
    let inner: Vec<AccountMeta> = slots.iter().map(Slot::meta).collect();
    for slot in &mut slots {
        slot.signer &= derived.iter().all(|(address, _)| *address != slot.address);
    }
    slots.push(Slot::read(program, None));
    let outer: Vec<AccountMeta> = slots.iter().map(Slot::meta).collect();
    let places = places(caller.loader, &outer, |address| {
        let account =
            slots.iter().rev().filter(|slot| slot.address == *address).find_map(|slot| slot.account.as_ref());
        account.map_or_else(
            || length(address),
            |account| if account.lamports == 0 { 0 } else { account.data.len() as u64 },
        )
    });
    let mut plan = Plan::default();
    let mut call = Call::new(rust, program, &inner, data, &outer, &places);
    let used = derived.iter().filter(|(address, _)| inner.iter().any(|meta| meta.pubkey == *address));
    call.signers = used.map(|(_, seeds)| seeds.clone()).collect();
    let laid = call.lay(&mut plan);
    plan.call(rust, laid.registers);
    Draft { changes, ..Draft::new(name, caller.address(), slots, plan.encode()) }
}
