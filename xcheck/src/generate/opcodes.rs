//! One small program for each opcode, operand form and pair of operands.

use std::{collections::BTreeMap, sync::LazyLock};

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use svmllm::host::{Program, Version};

use super::{EDGES, IMMEDIATE_EDGES, bytes, immediate, stream, value};
use crate::{
    case::{
        Case, CaseId, FRAME_SIZE, HEAP_ADDRESS, INPUT_ADDRESS, PROGRAM_ADDRESS, STACK_ADDRESS, STACK_SIZE,
    },
    isa::{self, Kind, Opcode, SLOT, VERSIONS, encode, encode_callx, encode_constant, named, opcodes},
    oracle::sbpf::{entrypoint_key, function_key},
};

/// Operand pairs of each form.
pub const PAIRS: u64 = 300;
const EDGE_PAIRS: u64 = 256;
const HEAP: u64 = 64;
const INPUT: u64 = 40;

const SHIFTS_32: [i32; 16] = [0, 1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 24, 28, 30, 31];
const SHIFTS_64: [i32; 16] = [0, 1, 2, 3, 4, 7, 8, 15, 16, 28, 31, 32, 33, 48, 62, 63];
/// Amounts in a register, where only the low bits count.
const REGISTER_SHIFTS: [u64; 16] =
    [0, 1, 3, 4, 8, 15, 16, 31, 32, 33, 63, 64, 65, 0xff_ffff_ffe4, 1 << 32, u64::MAX];

type Slots = Vec<[u8; SLOT]>;

/// An opcode and how it is used.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    opcode: &'static Opcode,
    usage: Usage,
}

#[derive(Clone, Copy, Debug)]
enum Usage {
    /// On any registers.
    Plain,
    /// A byte order operation of so many bits.
    Width(i32),
    /// On the frame pointer.
    FramePointer,
}

/// All forms of all opcodes of a version.
pub fn forms(version: Version) -> &'static [Form] {
    static FORMS: LazyLock<[Vec<Form>; 4]> = LazyLock::new(|| {
        VERSIONS.map(|version| {
            let usages = |opcode: &Opcode| match opcode.kind {
                Kind::Endian => vec![Usage::Width(16), Usage::Width(32), Usage::Width(64)],
                _ if opcode.name == "add64_imm" && isa::moves_frame_pointer(version) => {
                    vec![Usage::Plain, Usage::FramePointer]
                }
                _ => vec![Usage::Plain],
            };
            opcodes(version)
                .iter()
                .flat_map(|opcode| usages(opcode).into_iter().map(move |usage| Form { opcode, usage }))
                .collect()
        })
    });
    &FORMS[version as usize]
}

/// The case of one form and one pair: `index` is the form's number times [`PAIRS`] plus the pair's.
pub fn case(version: Version, id: CaseId) -> Case {
    let form = forms(version)[(id.index / PAIRS) as usize];
    let mut operands = Operands::new(version, id);
    let (program, registers) = operands.program(form);
    let stack = bytes(&mut operands.rng, FRAME_SIZE as usize + 16);
    let heap = bytes(&mut operands.rng, HEAP as usize);
    Case {
        id,
        program,
        input: bytes(&mut operands.rng, INPUT as usize),
        heap: HEAP as usize,
        budget: 1000,
        registers,
        memory: vec![(STACK_ADDRESS, stack), (HEAP_ADDRESS, heap)],
    }
}

/// The choices that belong to one pair.
struct Operands {
    version: Version,
    rng: ChaCha8Rng,
    pair: u64,
    dst: u8,
    src: u8,
}

impl Operands {
    fn new(version: Version, id: CaseId) -> Self {
        let pair = id.index % PAIRS;
        let dst = (pair % 10) as u8;
        // Never the same register among the edge pairs, so that both values count.
        let same = pair >= EDGE_PAIRS && pair.is_multiple_of(4);
        let src = if same { dst } else { (dst + 1 + (pair / 10 % 10) as u8) % 11 };
        Self { version, rng: stream(version, id), pair, dst, src }
    }

    /// One of all pairs of two lists, or a random pair.
    fn pick<A: Copy, B: Copy>(
        &mut self,
        first: &[A; 16],
        second: &[B; 16],
        random: impl FnOnce(&mut ChaCha8Rng) -> (A, B),
    ) -> (A, B) {
        if self.pair < EDGE_PAIRS {
            (first[(self.pair / 16) as usize], second[(self.pair % 16) as usize])
        } else {
            random(&mut self.rng)
        }
    }

    fn values(&mut self) -> (u64, u64) {
        self.pick(&EDGES, &EDGES, |rng| (value(rng), value(rng)))
    }

    fn with_immediate(&mut self) -> (u64, i32) {
        self.pick(&EDGES, &IMMEDIATE_EDGES, |rng| (value(rng), immediate(rng)))
    }

    fn program(&mut self, Form { opcode, usage }: Form) -> (Program, Vec<(u8, u64)>) {
        let (op, dst, src) = (opcode.code, self.dst, self.src);
        match opcode.kind {
            Kind::Lddw => {
                let (low, high) = self.values();
                let slots = vec![encode(op, dst, 0, 0, low as i32), encode(0, 0, 0, 0, high as i32)];
                (self.straight(slots), vec![])
            }
            Kind::Load(size) => {
                let (base, offset) = self.address(size);
                (self.straight(vec![encode(op, dst, src, offset, 0)]), vec![(src, base)])
            }
            Kind::StoreImm(size) => {
                let (base, offset) = self.address(size);
                let immediate = immediate(&mut self.rng);
                (self.straight(vec![encode(op, src, 0, offset, immediate)]), vec![(src, base)])
            }
            Kind::StoreReg(size) => {
                let (base, offset) = self.address(size);
                let stored = value(&mut self.rng);
                (self.straight(vec![encode(op, src, dst, offset, 0)]), vec![(dst, stored), (src, base)])
            }
            Kind::AluImm | Kind::DivideImm => {
                let (a, immediate) = self.with_immediate();
                let (dst, immediate) = match usage {
                    Usage::FramePointer => (10, immediate & !63),
                    _ if opcode.kind == Kind::DivideImm && immediate == 0 => (dst, 3),
                    _ => (dst, immediate),
                };
                (self.straight(vec![encode(op, dst, 0, 0, immediate)]), vec![(dst, a)])
            }
            Kind::ShiftImm(bits) => {
                let amounts = if bits == 32 { &SHIFTS_32 } else { &SHIFTS_64 };
                let (a, amount) = self.pick(&EDGES, amounts, |rng| (value(rng), rng.random_range(0..bits)));
                (self.straight(vec![encode(op, dst, 0, 0, amount)]), vec![(dst, a)])
            }
            Kind::AluReg | Kind::ShiftReg | Kind::DivideReg(_) => {
                let (a, b) = match opcode.kind {
                    Kind::ShiftReg => self.pick(&EDGES, &REGISTER_SHIFTS, |rng| {
                        (value(rng), value(rng) << 8 | rng.random_range(0..80))
                    }),
                    _ => self.values(),
                };
                (self.straight(vec![encode(op, dst, src, 0, 0)]), vec![(src, b), (dst, a)])
            }
            Kind::Negate | Kind::Endian => {
                let (a, b) = self.values();
                let mixed = if self.pair.is_multiple_of(2) { a } else { a.rotate_left(8) ^ b };
                let width = if let Usage::Width(width) = usage { width } else { 0 };
                (self.straight(vec![encode(op, dst, 0, 0, width)]), vec![(dst, mixed)])
            }
            Kind::BranchImm => {
                let (a, immediate) = self.with_immediate();
                (self.branch(|offset| encode(op, dst, 0, offset, immediate)), vec![(dst, a)])
            }
            Kind::BranchReg => {
                let (a, b) = self.values();
                (self.branch(|offset| encode(op, dst, src, offset, 0)), vec![(src, b), (dst, a)])
            }
            Kind::Jump => (self.jump(), vec![]),
            Kind::Call => (self.call(), self.saved()),
            Kind::Callx => self.callx(),
            Kind::Exit => (self.exit(), self.saved()),
        }
    }

    /// A base and an offset that lead to an edge of a region, or anywhere.
    fn address(&mut self, size: u64) -> (u64, i16) {
        const OFFSETS: [i16; 16] =
            [0, 1, -1, 2, -2, 3, 7, -8, 8, 127, -128, 255, -256, 4096, i16::MAX, i16::MIN];
        let data = isa::data_address(self.version);
        let frame = if isa::has_gaps(self.version) { FRAME_SIZE } else { STACK_SIZE as u64 };
        let targets = [
            PROGRAM_ADDRESS - data,
            data,
            data + 16 - size,
            data + 17 - size,
            STACK_ADDRESS - 1,
            STACK_ADDRESS,
            STACK_ADDRESS + frame - size,
            STACK_ADDRESS + frame - 1,
            STACK_ADDRESS + frame,
            HEAP_ADDRESS,
            HEAP_ADDRESS + HEAP - size,
            HEAP_ADDRESS + HEAP + 1 - size,
            INPUT_ADDRESS,
            INPUT_ADDRESS + INPUT - size,
            INPUT_ADDRESS + INPUT + 1 - size,
            u64::MAX,
        ];
        let (target, offset) = self.pick(&targets, &OFFSETS, |rng| {
            let near = rng.random_range(0..6) << 32 | rng.random_range(0..256);
            (if rng.random_ratio(3, 4) { near } else { value(rng) }, rng.random())
        });
        (target.wrapping_sub(i64::from(offset) as u64), offset)
    }

    /// A conditional jump, forward or back, with what shows whether it was taken.
    fn branch(&self, jump: impl Fn(i16) -> [u8; SLOT]) -> Program {
        let set = |value| self.encode("mov64_imm", 0, 0, 0, value);
        let exit = self.encode("exit", 0, 0, 0, 0);
        if self.pair.is_multiple_of(2) {
            self.linked(vec![jump(2), set(1), exit, set(2), exit], 0, &[])
        } else {
            self.linked(vec![set(2), exit, jump(-3), set(1), exit], 2, &[])
        }
    }

    /// A jump over up to 149 slots, forward or back.
    fn jump(&self) -> Program {
        let distance = (self.pair / 2) as i16;
        let jump = |offset| self.encode("ja", 0, 0, offset, 0);
        let exit = self.encode("exit", 0, 0, 0, 0);
        let filler = vec![exit; distance as usize];
        let target = [self.encode("mov64_imm", 0, 0, 0, 1), exit];
        if self.pair.is_multiple_of(2) {
            self.linked([vec![jump(distance)], filler, target.to_vec()].concat(), 0, &[])
        } else {
            let slots = [target.to_vec(), filler, vec![jump(-distance - 3)]].concat();
            self.linked(slots, distance as usize + 2, &[])
        }
    }

    /// Values for the registers a call saves.
    fn saved(&mut self) -> Vec<(u8, u64)> {
        let (a, b) = self.values();
        vec![(0, a), (6, a), (7, b), (8, value(&mut self.rng)), (9, value(&mut self.rng)), (1, b)]
    }

    /// A call of a function before or behind, of one registered outside the text, or of none.
    fn call(&mut self) -> Program {
        let (callee, exit) = (self.callee(), self.encode("exit", 0, 0, 0, 0));
        let outside = 7 + self.pair as usize;
        match self.pair % 4 {
            0 => self.linked([vec![self.call_of(0, 2), exit], callee].concat(), 0, &[2]),
            1 => {
                let pc = callee.len();
                self.linked([callee, vec![self.call_of(pc, 0), exit]].concat(), pc, &[0])
            }
            2 => {
                // Static calls of anything but syscalls and functions have other sources.
                let source = match self.version {
                    Version::V3 if self.pair % 16 == 2 => 0,
                    Version::V3 => self.src & !1,
                    _ => self.src,
                };
                // One that would be the distance to a function, or anything.
                let key = if self.pair % 8 == 2 { 1 } else { value(&mut self.rng) as i32 };
                let call = self.encode("call", 0, source, 0, key);
                self.linked([vec![call, exit], callee].concat(), 0, &[2])
            }
            _ => {
                let call = self.call_of(0, outside);
                self.linked([vec![call, exit], callee].concat(), 0, &[outside])
            }
        }
    }

    /// The call in slot `from` of the function at `to`.
    fn call_of(&self, from: usize, to: usize) -> [u8; SLOT] {
        match self.version {
            Version::V3 => self.encode("call", 0, 1, 0, to as i32 - from as i32 - 1),
            _ => self.encode("call", 0, 0, 0, function_key(to) as i32),
        }
    }

    /// An indirect call to somewhere in or around the text.
    fn callx(&mut self) -> (Program, Vec<(u8, u64)>) {
        const DISTANCES: [i64; 16] = [-9, -8, -7, -1, 0, 1, 4, 7, 8, 9, 15, 16, 24, 32, 40, 63];
        let mut slots = vec![encode_callx(self.version, self.dst), self.encode("exit", 0, 0, 0, 0)];
        slots.extend(encode_constant(self.version, 3, 7));
        slots.extend(self.callee());
        let end = PROGRAM_ADDRESS + (slots.len() * SLOT) as u64;
        let bases = [
            PROGRAM_ADDRESS,
            PROGRAM_ADDRESS + 16,
            PROGRAM_ADDRESS + 32,
            PROGRAM_ADDRESS + 64,
            end,
            end - 64,
            2 * PROGRAM_ADDRESS - 1,
            PROGRAM_ADDRESS - 64,
            0,
            u64::MAX,
            1 << 63,
            PROGRAM_ADDRESS | 1 << 63,
            STACK_ADDRESS,
            HEAP_ADDRESS,
            INPUT_ADDRESS,
            PROGRAM_ADDRESS << 1,
        ];
        let (base, distance) = self.pick(&bases, &DISTANCES, |rng| {
            (PROGRAM_ADDRESS, rng.random_range(-8..(end - PROGRAM_ADDRESS + 8) as i64))
        });
        let mut registers = self.saved();
        registers.push((self.dst, base.wrapping_add_signed(distance)));
        (self.linked(slots, 0, &[]), registers)
    }

    /// The end of the program, or the return from a call.
    fn exit(&self) -> Program {
        if self.pair.is_multiple_of(2) {
            return self.straight(vec![]);
        }
        let start = vec![self.call_of(0, 2), self.encode("exit", 0, 0, 0, 0)];
        self.linked([start, self.callee()].concat(), 0, &[2])
    }

    /// One slot, by the opcode's name.
    fn encode(&self, name: &str, dst: u8, src: u8, offset: i16, immediate: i32) -> [u8; SLOT] {
        encode(named(self.version, name).code, dst, src, offset, immediate)
    }

    /// A function that uses its frame and every register a call saves.
    fn callee(&self) -> Slots {
        let mut slots = vec![self.encode("stxdw", 10, 6, -8, 0)];
        slots.extend((6..10).map(|register| self.encode("mov64_imm", register, 0, 0, -1)));
        slots.push(self.encode("mov64_reg", 2, 10, 0, 0));
        slots.push(self.encode("exit", 0, 0, 0, 0));
        slots
    }

    fn straight(&self, mut slots: Slots) -> Program {
        slots.push(self.encode("exit", 0, 0, 0, 0));
        self.linked(slots, 0, &[])
    }

    fn linked(&self, slots: Slots, entry: usize, functions: &[usize]) -> Program {
        let mut registered = BTreeMap::new();
        if self.version != Version::V3 {
            registered.extend(functions.iter().map(|&pc| (function_key(pc), pc)));
            registered.insert(entrypoint_key(), entry);
        }
        Program::from_text(self.version, slots.concat(), entry, registered)
    }
}
