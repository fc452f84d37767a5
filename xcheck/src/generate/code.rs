//! Pieces of program text, and the linker that makes programs of them.
//!
//! Jumps are relative and stay inside a piece, so pieces can be put together freely. What depends on
//! where a function ends up is left to [`link`].

use std::collections::BTreeMap;

use svmllm::host::{Program, Version};

use crate::{
    case::PROGRAM_ADDRESS,
    isa::{self, SLOT, encode, encode_callx, encode_constant, named},
    oracle::sbpf::{entrypoint_key, function_key},
};

/// A function, by its number among those given to [`link`].
pub type Function = usize;

/// A place in the text known only after linking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The first slot of a function.
    Start(Function),
    /// The first address after the text.
    TextEnd,
    /// The first address after the read-only data, which holds the same bytes as the text.
    DataEnd,
}

#[derive(Clone, Copy, Debug)]
enum Fix {
    /// The immediate leads to the function at an anchor: by key, or by the distance to it.
    Call(Anchor),
    /// The immediate of this slot and the next is an address: an anchor's plus a distance.
    Address(Anchor, i64),
}

/// A piece of text with the number of instructions a run through it takes, roughly.
#[derive(Clone, Debug)]
pub struct Code {
    version: Version,
    slots: Vec<([u8; SLOT], Option<Fix>)>,
    /// Instructions executed, estimated from above.
    pub cost: u64,
}

impl Code {
    /// Nothing yet.
    pub fn new(version: Version) -> Self {
        Self { version, slots: Vec::new(), cost: 0 }
    }

    /// Number of slots.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Appends one instruction.
    pub fn push(&mut self, code: u8, dst: u8, src: u8, offset: i16, immediate: i32) {
        self.slots.push((encode(code, dst, src, offset, immediate), None));
        self.cost += 1;
    }

    /// Appends one instruction by name.
    pub fn op(&mut self, name: &str, dst: u8, src: u8, offset: i16, immediate: i32) {
        self.push(named(self.version, name).code, dst, src, offset, immediate);
    }

    /// Appends the load of a 64-bit constant.
    pub fn lddw(&mut self, dst: u8, value: u64) {
        self.slots.extend(encode_constant(self.version, dst, value).map(|slot| (slot, None)));
        self.cost += if self.version == Version::V2 { 2 } else { 1 };
    }

    /// Appends the subtraction of 1 from a register, of 64 bits or of 32.
    pub fn decrement(&mut self, dst: u8, bits: u32) {
        if self.version == Version::V2 {
            // Its subtraction of an immediate goes the other way round.
            self.op(&format!("add{bits}_imm"), dst, 0, 0, -1);
        } else {
            self.op(&format!("sub{bits}_imm"), dst, 0, 0, 1);
        }
    }

    /// Appends a call through a register.
    pub fn callx(&mut self, register: u8) {
        self.slots.push((encode_callx(self.version, register), None));
        self.cost += 1;
    }

    /// Appends the load of an address: the anchor's plus `distance`.
    pub fn address(&mut self, dst: u8, anchor: Anchor, distance: i64) {
        let first = self.slots.len();
        self.lddw(dst, 0);
        self.slots[first].1 = Some(Fix::Address(anchor, distance));
    }

    /// Appends a call of the function at an anchor, which is registered.
    pub fn call(&mut self, anchor: Anchor, cost: u64) {
        self.op("call", 0, 0, 0, 0);
        self.slots.last_mut().expect("just pushed").1 = Some(Fix::Call(anchor));
        self.cost += cost;
    }

    /// Appends an exit.
    pub fn exit(&mut self) {
        self.op("exit", 0, 0, 0, 0);
    }

    /// Appends another piece, to be run `times` times.
    pub fn append(&mut self, other: Code, times: u64) {
        self.slots.extend(other.slots);
        self.cost += other.cost * times;
    }
}

/// Puts functions one after the other, in the order given, and resolves what refers to places in the text.
///
/// # Panics
///
/// Panics if `order` does not hold each function once.
pub fn link(functions: &[Code], order: &[Function], entry: Function) -> Program {
    let mut starts = vec![usize::MAX; functions.len()];
    let mut end = 0;
    for &function in order {
        starts[function] = end;
        end += functions[function].len();
    }
    assert!(order.len() == functions.len() && !starts.contains(&usize::MAX), "each function is placed once");
    let pc = |anchor| match anchor {
        Anchor::Start(function) => starts[function],
        Anchor::TextEnd | Anchor::DataEnd => end,
    };
    let version = functions[entry].version;

    let mut registered = BTreeMap::new();
    if version != Version::V3 {
        registered.insert(entrypoint_key(), starts[entry]);
    }
    let mut text = Vec::with_capacity(end * SLOT);
    for &function in order {
        let mut high = None;
        for &(mut slot, fix) in &functions[function].slots {
            if let Some(high) = high.take() {
                slot[4..].copy_from_slice(&u32::to_le_bytes(high));
            }
            match fix {
                None => {}
                Some(Fix::Call(anchor)) if version == Version::V3 => {
                    let distance = pc(anchor) as i32 - (text.len() / SLOT) as i32 - 1;
                    slot[1] = 1 << 4;
                    slot[4..].copy_from_slice(&distance.to_le_bytes());
                }
                Some(Fix::Call(anchor)) => {
                    let key = function_key(pc(anchor));
                    registered.insert(key, pc(anchor));
                    slot[4..].copy_from_slice(&key.to_le_bytes());
                }
                Some(Fix::Address(anchor, distance)) => {
                    let start = match anchor {
                        Anchor::DataEnd => isa::data_address(version),
                        _ => PROGRAM_ADDRESS,
                    };
                    let address = (start + (pc(anchor) * SLOT) as u64).wrapping_add_signed(distance);
                    slot[4..].copy_from_slice(&(address as u32).to_le_bytes());
                    high = Some((address >> 32) as u32);
                }
            }
            text.extend(slot);
        }
    }
    Program::from_text(version, text, starts[entry], registered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_addresses_follow_the_order() {
        let mut main = Code::new(Version::V0);
        main.call(Anchor::Start(1), 0);
        main.address(3, Anchor::Start(1), 5);
        main.exit();
        let mut callee = Code::new(Version::V0);
        callee.exit();
        let program = link(&[main, callee], &[1, 0], 0);
        assert_eq!(program.entry_pc, 1);
        assert_eq!(program.functions, BTreeMap::from([(entrypoint_key(), 1), (function_key(0), 0)]));
        let mut expected = encode(0x95, 0, 0, 0, 0).to_vec();
        expected.extend(encode(0x85, 0, 0, 0, function_key(0) as i32));
        expected.extend(encode(0x18, 3, 0, 0, 5));
        expected.extend(encode(0, 0, 0, 0, 1));
        expected.extend(encode(0x95, 0, 0, 0, 0));
        assert_eq!(program.text, expected);
    }
}
