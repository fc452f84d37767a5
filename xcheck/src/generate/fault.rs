//! How programs end, and code that makes them end so.

use rand::{Rng, seq::IndexedRandom};
use svmllm::host::{AccessType, Version};

use super::{
    body::{Body, Where},
    code::{Anchor, Code, Function},
    value,
};
use crate::{
    case::{FRAME_SIZE, HEAP_ADDRESS, INPUT_ADDRESS, PROGRAM_ADDRESS, STACK_ADDRESS, STACK_SIZE},
    isa::{self, Kind, Opcode, SLOT, named, opcodes},
};

/// A region as errors name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// No region at all.
    Unallocated,
    /// The read-only data.
    Data,
    /// The stack, past its frames.
    Stack,
    /// The heap.
    Heap,
    /// The input.
    Input,
}

/// How a program is meant to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// With an exit.
    Exit,
    /// Somehow: code without guards.
    Wild,
    /// Division by zero.
    DivideByZero,
    /// A signed quotient that does not fit.
    DivideOverflow,
    /// Running past the end of the text.
    Overrun,
    /// An indirect call out of the text.
    CallOutside,
    /// No compute units left.
    OutOfUnits,
    /// Calls nested too deep.
    CallDepth,
    /// An unknown call, or the second half of a constant executed.
    Unsupported,
    /// An access violation named by region.
    Access(AccessType, Region),
    /// An access violation named by stack frame.
    StackAccess(AccessType),
}

impl Fate {
    /// Draws a fate: four in ten exit, the failures a program of this version can have are equally likely.
    pub fn draw(version: Version, rng: &mut impl Rng) -> Self {
        use AccessType::{Load, Store};
        const FAILURES: [Fate; 19] = [
            Fate::DivideByZero,
            Fate::DivideOverflow,
            Fate::Overrun,
            Fate::CallOutside,
            Fate::OutOfUnits,
            Fate::CallDepth,
            Fate::Unsupported,
            Fate::StackAccess(Load),
            Fate::StackAccess(Store),
            Fate::Access(Load, Region::Unallocated),
            Fate::Access(Store, Region::Unallocated),
            Fate::Access(Load, Region::Data),
            Fate::Access(Store, Region::Data),
            Fate::Access(Load, Region::Stack),
            Fate::Access(Store, Region::Stack),
            Fate::Access(Load, Region::Heap),
            Fate::Access(Store, Region::Heap),
            Fate::Access(Load, Region::Input),
            Fate::Access(Store, Region::Input),
        ];
        match rng.random_range(0..100) {
            0..42 => Self::Exit,
            42..46 => Self::Wild,
            _ => {
                let possible: Vec<Fate> =
                    FAILURES.into_iter().filter(|fate| fate.is_possible(version)).collect();
                *possible.choose(rng).expect("failures")
            }
        }
    }

    fn is_possible(self, version: Version) -> bool {
        match self {
            Self::DivideOverflow => version == Version::V2,
            Self::StackAccess(_) => !isa::moves_frame_pointer(version),
            // Fixed frames without gaps leave nothing of the stack outside a frame.
            Self::Access(_, Region::Stack) => version != Version::V3,
            _ => true,
        }
    }
}

/// Code that brings a fate about. `helper` is the function that may be called for it, made by
/// [`helper`].
pub fn code(body: &mut Body, fate: Fate, helper: Function) -> Code {
    let mut code = body.code();
    match fate {
        Fate::Exit => {}
        Fate::Wild => wild(body, &mut code),
        Fate::DivideByZero => divide_by_zero(body, &mut code),
        Fate::DivideOverflow => divide_overflow(body, &mut code),
        Fate::CallOutside => call_outside(body, &mut code),
        Fate::OutOfUnits => {
            code.op("add64_imm", body.data(), 0, 0, 3);
            code.op("jeq_reg", 0, 0, -2, 0);
        }
        Fate::Overrun | Fate::CallDepth => code.call(Anchor::Start(helper), 0),
        Fate::Unsupported => unsupported(body, &mut code, helper),
        Fate::Access(access, region) => violate(body, &mut code, access, region),
        Fate::StackAccess(access) => violate_stack(body, &mut code, access),
    }
    code
}

/// The function that goes last in the text, whose number is `this`: [`code`] may call it.
pub fn helper(body: &mut Body, fate: Fate, this: Function) -> Code {
    let mut code = body.code();
    if fate == Fate::Unsupported {
        code.lddw(body.data(), value(body.rng));
    }
    let frame = body.enter();
    code.append(frame, 1);
    let run = body.run(0);
    code.append(run, 1);
    match fate {
        // A call as the last instruction returns to the end of the text.
        Fate::Overrun if body.rng.random() => code.call(Anchor::Start(0), 0),
        Fate::Overrun => code.op("mov64_imm", 0, 0, 0, 1),
        Fate::CallDepth if body.rng.random() => code.call(Anchor::Start(this), 0),
        Fate::CallDepth => call_at(body, &mut code, Anchor::Start(this), 0),
        _ => {}
    }
    if fate != Fate::Overrun {
        code.exit();
    }
    code
}

fn call_at(body: &mut Body, code: &mut Code, anchor: Anchor, distance: i64) {
    let misalignment = body.rng.random_range(0..SLOT as i64);
    code.address(body.pointer(), anchor, distance + misalignment);
    code.callx(body.pointer());
}

fn divide_by_zero(body: &mut Body, code: &mut Code) {
    let divisions: Vec<&Opcode> =
        opcodes(body.version).iter().filter(|opcode| matches!(opcode.kind, Kind::DivideReg(_))).collect();
    let opcode = divisions.choose(body.rng).expect("divisions");
    let zero_in_32_bits = opcode.kind == Kind::DivideReg(32) && body.rng.random();
    let divisor = body.data();
    code.lddw(divisor, if zero_in_32_bits { value(body.rng) << 32 } else { 0 });
    code.push(opcode.code, body.data(), divisor, 0, 0);
}

fn divide_overflow(body: &mut Body, code: &mut Code) {
    let (name, bits) = *[("sdiv32", 32), ("srem32", 32), ("sdiv64", 64), ("srem64", 64)]
        .choose(body.rng)
        .expect("signed divisions");
    let divisor = body.data();
    // Another data register than the divisor.
    let dividend = (divisor + 1) % 5;
    let above = if bits == 32 { value(body.rng) << 32 } else { 0 };
    code.lddw(dividend, 1 << (bits - 1) | above);
    if body.rng.random() {
        code.op(&format!("{name}_imm"), dividend, 0, 0, -1);
    } else {
        code.lddw(divisor, u64::MAX);
        code.op(&format!("{name}_reg"), dividend, divisor, 0, 0);
    }
}

/// A call of nothing, or into the second half of the constant that `helper` starts with.
fn unsupported(body: &mut Body, code: &mut Code, helper: Function) {
    let call = named(body.version, "call").code;
    match (body.version, body.rng.random_range(0..4)) {
        (Version::V0 | Version::V1 | Version::V3, 0 | 1) => {
            call_at(body, code, Anchor::Start(helper), SLOT as i64);
        }
        (Version::V3, 2) => {
            let target = [i32::MIN, -0x1_0000, 0x1_0000, i32::MAX].choose(body.rng).expect("distances");
            code.push(call, 0, 1, 0, *target);
        }
        (Version::V3, _) => code.push(call, 0, [0, 2, 10][body.rng.random_range(0..3)], 0, body.rng.random()),
        _ => code.push(call, 0, 0, 0, body.rng.random()),
    }
}

fn call_outside(body: &mut Body, code: &mut Code) {
    let address = match body.rng.random_range(0..8) {
        0 => return call_at(body, code, Anchor::TextEnd, 0),
        // A static call of nothing is unsupported.
        1 if body.version != Version::V3 => return code.call(Anchor::TextEnd, 0),
        2 => PROGRAM_ADDRESS - body.rng.random_range(1..=16),
        3 => u64::MAX - body.rng.random_range(0..16),
        4 => STACK_ADDRESS,
        5 => 0,
        6 => body.rng.random_range(0..PROGRAM_ADDRESS),
        _ => body.rng.random::<u64>() | 1 << 63,
    };
    let register = body.data();
    code.lddw(register, address);
    code.callx(register);
}

/// A memory instruction of the wanted direction with at least `least` bytes, and its size.
fn memory_opcode(body: &mut Body, access: AccessType, least: u64) -> (&'static Opcode, u64) {
    let fitting: Vec<(&Opcode, u64)> = opcodes(body.version)
        .iter()
        .filter_map(|opcode| match (opcode.kind, access) {
            (Kind::Load(size), AccessType::Load) => Some((opcode, size)),
            (Kind::StoreImm(size) | Kind::StoreReg(size), AccessType::Store) => Some((opcode, size)),
            _ => None,
        })
        .filter(|(_, size)| *size >= least)
        .collect();
    *fitting.choose(body.rng).expect("memory instructions")
}

fn violate(body: &mut Body, code: &mut Code, access: AccessType, region: Region) {
    let (opcode, size) = memory_opcode(body, access, 2);
    // Starts inside a region and passes its end.
    let short = body.rng.random_range(1..size);
    let target = match region {
        Region::Unallocated => unallocated(body),
        Region::Data if access == AccessType::Store && body.rng.random() => {
            Where::DataEnd(-body.rng.random_range(size as i64..24))
        }
        Region::Data => Where::DataEnd(-(short as i64)),
        Region::Heap => Where::At(HEAP_ADDRESS + body.layout.heap - short),
        Region::Input => Where::At(INPUT_ADDRESS + body.layout.input - short),
        Region::Stack if !isa::has_gaps(body.version) => Where::At(STACK_ADDRESS + STACK_SIZE as u64 - short),
        Region::Stack if body.rng.random() => Where::At(STACK_ADDRESS + 127 * FRAME_SIZE - short),
        Region::Stack => {
            let gap = 2 * body.rng.random_range(32..64) + 1;
            Where::At(STACK_ADDRESS + gap * FRAME_SIZE + body.rng.random_range(0..FRAME_SIZE))
        }
    };
    body.access(code, opcode, target);
}

fn unallocated(body: &mut Body) -> Where {
    let near = body.rng.random_range(0..16);
    Where::At(match body.rng.random_range(0..11) {
        0 => PROGRAM_ADDRESS - isa::data_address(body.version) + near,
        1 => PROGRAM_ADDRESS - 1 - near,
        2 => return Where::DataEnd(near as i64),
        3 => STACK_ADDRESS - 2 * FRAME_SIZE - near,
        4 => STACK_ADDRESS + 128 * FRAME_SIZE + near,
        5 => HEAP_ADDRESS - 1 - near,
        6 => HEAP_ADDRESS + body.layout.heap + near,
        7 => INPUT_ADDRESS + body.layout.input + near,
        8 => INPUT_ADDRESS + PROGRAM_ADDRESS + near,
        9 => u64::MAX - near,
        _ => body.rng.random::<u64>() | 1 << 63,
    })
}

fn violate_stack(body: &mut Body, code: &mut Code, access: AccessType) {
    // Without gaps some of them start in the last frame and pass its end.
    let least = if isa::has_gaps(body.version) { 1 } else { 2 };
    let (opcode, size) = memory_opcode(body, access, least);
    let target = match body.rng.random_range(0..3) {
        0 if !isa::has_gaps(body.version) => {
            Where::At(STACK_ADDRESS + STACK_SIZE as u64 - body.rng.random_range(1..size))
        }
        2 if !isa::has_gaps(body.version) => {
            Where::At(STACK_ADDRESS + STACK_SIZE as u64 + body.rng.random_range(0..FRAME_SIZE))
        }
        0 => Where::Frame(body.rng.random_range(0..FRAME_SIZE as i16)),
        1 => Where::At(STACK_ADDRESS - body.rng.random_range(1..2 * FRAME_SIZE)),
        _ => {
            let gap = 2 * body.rng.random_range(0..32) + 1;
            let inside = *[0, FRAME_SIZE - 1, body.rng.random_range(0..FRAME_SIZE)]
                .choose(body.rng)
                .expect("places in a gap");
            Where::At(STACK_ADDRESS + gap * FRAME_SIZE + inside)
        }
    };
    body.access(code, opcode, target);
}

/// A few instructions that nothing keeps from failing.
fn wild(body: &mut Body, code: &mut Code) {
    for _ in 0..body.rng.random_range(2..=6) {
        let opcode = opcodes(body.version).choose(body.rng).expect("opcodes");
        match opcode.kind {
            Kind::DivideReg(_) => code.push(opcode.code, body.data(), body.data(), 0, 0),
            Kind::Load(_) | Kind::StoreImm(_) | Kind::StoreReg(_) if body.rng.random() => {
                let edge = *[0, PROGRAM_ADDRESS, STACK_ADDRESS, HEAP_ADDRESS, INPUT_ADDRESS]
                    .choose(body.rng)
                    .expect("region starts");
                let target = edge.wrapping_add_signed(body.rng.random_range(-20_000..20_000));
                body.access(code, opcode, Where::At(target));
            }
            Kind::Load(_) => code.push(opcode.code, body.data(), body.data(), body.rng.random(), 0),
            Kind::StoreImm(_) | Kind::StoreReg(_) => {
                code.push(opcode.code, body.data(), body.data(), body.rng.random(), body.rng.random());
            }
            Kind::Callx => {
                let distance = body.rng.random_range(-400..-8);
                call_at(body, code, Anchor::TextEnd, distance);
            }
            _ => {
                let run = body.run(0);
                code.append(run, 1);
            }
        }
    }
}
