//! Random code that runs through: bounded loops, guarded divisions, accesses that hit memory.

use rand::{
    Rng,
    seq::{IndexedRandom, SliceRandom},
};
use rand_chacha::ChaCha8Rng;

use super::{
    code::{Anchor, Code, Function},
    immediate, offset, value,
};
use crate::{
    case::{FRAME_SIZE, FRAMES, HEAP_ADDRESS, INPUT_ADDRESS, PROGRAM_ADDRESS, STACK_ADDRESS},
    isa::{Kind, Opcode, SLOT, opcodes},
};

/// Sizes of the regions a program runs with.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Bytes of input.
    pub input: u64,
    /// Bytes of heap.
    pub heap: u64,
}

/// A function that may be called.
#[derive(Clone, Copy, Debug)]
pub struct Callee {
    /// Which one.
    pub function: Function,
    /// Instructions a call takes; of a recursive function, each level.
    pub cost: u64,
    /// Whether r1 says how many levels it goes down.
    pub recursive: bool,
}

/// Where an access goes.
#[derive(Clone, Copy, Debug)]
pub enum Where {
    /// A distance from the frame pointer.
    Frame(i16),
    /// An address.
    At(u64),
    /// A distance from the end of the text.
    TextEnd(i64),
}

/// A writer of code for one function: random choices, and which register is for what.
pub struct Body<'a> {
    /// The source of choices.
    pub rng: &'a mut ChaCha8Rng,
    /// Sizes of the regions.
    pub layout: Layout,
    callees: &'a [Callee],
    data: [u8; 7],
    counters: [u8; 2],
    pointer: u8,
}

impl<'a> Body<'a> {
    /// A writer that may call the functions given.
    pub fn new(rng: &'a mut ChaCha8Rng, layout: Layout, callees: &'a [Callee]) -> Self {
        let mut saved = [6, 7, 8, 9];
        saved.shuffle(rng);
        let [first, second, pointer, free] = saved;
        Self { rng, layout, callees, data: [0, 1, 2, 3, 4, 5, free], counters: [first, second], pointer }
    }

    /// The register that counts the outer loop, preserved by everything inside.
    pub fn counter(&self) -> u8 {
        self.counters[0]
    }

    /// The register used for addresses.
    pub fn pointer(&self) -> u8 {
        self.pointer
    }

    /// A register that holds data and may be overwritten.
    pub fn data(&mut self) -> u8 {
        *self.data.choose(self.rng).expect("data registers")
    }

    /// Any register, to be read.
    fn source(&mut self) -> u8 {
        if self.rng.random_ratio(1, 8) { self.rng.random_range(0..=10) } else { self.data() }
    }

    /// Gives every data register a value.
    pub fn prologue(&mut self) -> Code {
        let mut code = Code::default();
        for register in self.data {
            code.lddw(register, value(self.rng));
        }
        code
    }

    /// Loops and straight runs worth about `cost` instructions.
    pub fn fill(&mut self, cost: u64) -> Code {
        let mut code = Code::default();
        while code.cost < cost {
            let room = cost - code.cost;
            let piece = if self.rng.random_ratio(3, 5) { self.nest(room) } else { self.run(room) };
            code.append(piece, 1);
        }
        code
    }

    /// A loop, perhaps with another one inside.
    fn nest(&mut self, room: u64) -> Code {
        let mut body = self.run(room / 4);
        if self.rng.random_ratio(1, 4) {
            let inner = self.run(room / 16);
            let times = self.rng.random_range(1..=4);
            let inner = self.repeat(self.counters[1], times, inner);
            body.append(inner, 1);
        }
        let times = (room / (body.cost + 2)).clamp(1, 60);
        let times = self.rng.random_range(1..=times);
        self.repeat(self.counters[0], times, body)
    }

    /// A few items in a row.
    pub fn run(&mut self, room: u64) -> Code {
        let mut code = Code::default();
        for _ in 0..self.rng.random_range(3..=10) {
            let item = self.item(room, 2);
            code.append(item, 1);
        }
        code
    }

    /// A body run `times` times, counted in `counter`, which then holds values from 1 on in between.
    pub fn repeat(&mut self, counter: u8, times: u64, body: Code) -> Code {
        let limit = times as i32;
        let (start, step, branch, bound) = *[
            (limit, "sub64_imm", "jne_imm", 0),
            (limit, "sub32_imm", "jgt_imm", 0),
            (limit, "sub64_imm", "jge_imm", 1),
            (limit, "sub64_imm", "jsgt_imm", 0),
            (limit, "sub32_imm", "jsge_imm", 1),
            (0, "add64_imm", "jlt_imm", limit),
            (0, "add32_imm", "jle_imm", limit - 1),
            (0, "add64_imm", "jslt_imm", limit),
            (0, "add64_imm", "jsle_imm", limit - 1),
            (0, "add64_imm", "jne_imm", limit),
        ]
        .choose(self.rng)
        .expect("loop forms");
        let mut code = Code::default();
        code.op("mov64_imm", counter, 0, 0, start);
        let back = -(body.len() as i16) - 2;
        code.append(body, times);
        code.op(step, counter, 0, 0, 1);
        code.op(branch, counter, 0, back, bound);
        code.cost += 2 * times;
        code
    }

    /// One instruction, chosen evenly over the instruction set, with what it needs to run through.
    fn item(&mut self, room: u64, depth: u32) -> Code {
        let mut code = Code::default();
        if self.rng.random_ratio(1, 12) {
            code.lddw(self.data(), value(self.rng));
        }
        let opcode = opcodes().choose(self.rng).expect("opcodes");
        let (op, dst) = (opcode.code, self.data());
        match opcode.kind {
            Kind::Lddw => code.lddw(dst, value(self.rng)),
            Kind::Load(size) | Kind::StoreImm(size) | Kind::StoreReg(size) => {
                let target = self.mapped(size, matches!(opcode.kind, Kind::Load(_)));
                self.access(&mut code, opcode, target);
            }
            Kind::AluImm => code.push(op, dst, 0, 0, immediate(self.rng)),
            Kind::AluReg | Kind::ShiftReg => code.push(op, dst, self.source(), 0, 0),
            Kind::ShiftImm(bits) => code.push(op, dst, 0, 0, self.rng.random_range(0..bits)),
            Kind::DivideImm => code.push(op, dst, 0, 0, nonzero(self.rng)),
            Kind::DivideReg(_) => self.divide(&mut code, op, dst),
            Kind::Negate => code.push(op, dst, 0, 0, 0),
            Kind::Endian => code.push(op, dst, 0, 0, [16, 32, 64][self.rng.random_range(0..3)]),
            Kind::Jump | Kind::BranchImm | Kind::BranchReg => {
                let over = if depth > 0 && self.rng.random_ratio(3, 4) {
                    self.item(room, depth - 1)
                } else {
                    Code::default()
                };
                self.branch(&mut code, opcode, over.len() as i16);
                code.append(over, 1);
            }
            Kind::Call | Kind::Callx => self.call(&mut code, opcode.kind == Kind::Callx, room),
            Kind::Exit => {
                code.op("jne_imm", dst, 0, 1, self.rng.random());
                code.exit();
            }
        }
        code
    }

    /// A jump of any kind over `distance` slots.
    pub fn branch(&mut self, code: &mut Code, opcode: &Opcode, distance: i16) {
        let (dst, src) = (self.data(), self.source());
        match opcode.kind {
            Kind::BranchImm => code.push(opcode.code, dst, 0, distance, immediate(self.rng)),
            Kind::BranchReg => code.push(opcode.code, dst, src, distance, 0),
            _ => code.push(opcode.code, 0, 0, distance, 0),
        }
    }

    /// A division whose divisor is made odd first, or that is skipped if it is zero.
    fn divide(&mut self, code: &mut Code, op: u8, dst: u8) {
        let divisor = self.data();
        if self.rng.random() {
            code.op("or64_imm", divisor, 0, 0, 1);
        } else {
            code.op("jset_imm", divisor, 0, 1, -1);
            code.op("mov32_imm", divisor, 0, 0, nonzero(self.rng));
            code.op("jset_imm", divisor, 0, 1, i32::MAX);
            code.op("or32_imm", divisor, 0, 0, nonzero(self.rng));
        }
        code.push(op, dst, divisor, 0, 0);
    }

    /// A call that returns, by key or by an address that need not be aligned.
    fn call(&mut self, code: &mut Code, indirect: bool, room: u64) {
        let affordable: Vec<Callee> = self.callees.iter().copied().filter(|c| c.cost <= room).collect();
        let Some(callee) = affordable.choose(self.rng) else {
            return code.op("mov64_reg", self.data(), self.source(), 0, 0);
        };
        let levels =
            if callee.recursive { self.rng.random_range(0..=(room / callee.cost).min(50)) } else { 1 };
        let start = Anchor::Start(callee.function);
        if callee.recursive {
            code.op("mov64_imm", 1, 0, 0, levels as i32);
        }
        if indirect {
            code.address(self.pointer, start, self.rng.random_range(0..SLOT as i64));
            code.op("callx", 0, 0, 0, self.pointer.into());
            code.cost += callee.cost * levels;
        } else {
            code.call(start, callee.cost * levels);
        }
    }

    /// A place with `size` bytes that may be accessed, often at an edge.
    fn mapped(&mut self, size: u64, reading: bool) -> Where {
        let within = |rng: &mut ChaCha8Rng, base: u64, len: u64| match rng.random_range(0..4) {
            0 => base,
            1 => base + len - size,
            _ => base + rng.random_range(0..=len - size),
        };
        match self.rng.random_range(0..10) {
            0..=2 => Where::Frame(self.rng.random_range(-64..0)),
            3 => Where::Frame(-(FRAME_SIZE as i16)),
            4 => {
                let frame = self.rng.random_range(0..FRAMES - 1);
                let inside = *[0, FRAME_SIZE - size, FRAME_SIZE - 1, self.rng.random_range(0..FRAME_SIZE)]
                    .choose(self.rng)
                    .expect("places in a frame");
                Where::At(STACK_ADDRESS + 2 * FRAME_SIZE * frame + inside)
            }
            5 | 6 if self.layout.input >= size => {
                Where::At(within(self.rng, INPUT_ADDRESS, self.layout.input))
            }
            7 if reading => Where::At(within(self.rng, PROGRAM_ADDRESS, 24)),
            8 if reading => Where::TextEnd(-((size + self.rng.random_range(0..16)) as i64)),
            _ => Where::At(within(self.rng, HEAP_ADDRESS, self.layout.heap)),
        }
    }

    /// An access: the address is split at random between base register and offset, and may wrap.
    pub fn access(&mut self, code: &mut Code, opcode: &Opcode, target: Where) {
        let (base, offset) = match target {
            Where::Frame(distance) => (10, distance),
            Where::At(address) => {
                let offset = offset(self.rng);
                code.lddw(self.pointer, address.wrapping_sub(i64::from(offset) as u64));
                (self.pointer, offset)
            }
            Where::TextEnd(distance) => {
                let offset = offset(self.rng);
                code.address(self.pointer, Anchor::TextEnd, distance - i64::from(offset));
                (self.pointer, offset)
            }
        };
        match opcode.kind {
            Kind::Load(_) => code.push(opcode.code, self.data(), base, offset, 0),
            Kind::StoreImm(_) => code.push(opcode.code, base, 0, offset, immediate(self.rng)),
            _ => code.push(opcode.code, base, self.source(), offset, 0),
        }
    }
}

/// An immediate to divide by.
fn nonzero(rng: &mut ChaCha8Rng) -> i32 {
    match immediate(rng) {
        0 => 1,
        immediate => immediate,
    }
}
