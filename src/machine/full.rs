//! The full step: every unit is computed and the control gates choose.
//!
//! It is generic over [`Heads`] alone, so nothing in it can be observed: the same operations run for
//! every instruction.

use super::{
    FRAME_POINTER, calls, decode, execute, memory,
    state::{Access, Image, State},
};
use crate::{
    alu,
    deltanet::Heads,
    tables::{
        Word,
        alphabet::{Bit, Fault, Halt, Nibble, Region, Unit},
        catalogue::{BIT_AND, FAULT_HALT, PHASE, SPAN, STATIC_CALL, WordConst},
        decode::{EXTEND, HALF, NARROW, SIZE, UNIT, WRITES},
    },
};

/// What a full step leaves to its driver.
pub struct FullStep<E: Heads> {
    /// What comes next; the only digit a driver observes.
    pub halt: E::Digit<Halt>,
    /// Why the step failed, if it did.
    pub fault: E::Digit<Fault>,
    /// The access that failed, if one did.
    pub access: Access<E>,
    /// The syscall asked for, if one is.
    pub syscall: Word<E>,
}

/// What a step changes besides program counter and meter. It is computed before anything changes.
pub struct Effect<E: Heads> {
    /// Whether a register is written.
    pub writes: E::Digit<Bit>,
    /// Which one.
    pub register: E::Digit<Nibble>,
    /// What it becomes.
    pub value: Word<E>,
    /// Whether memory is written.
    pub stores: E::Digit<Bit>,
    /// Where, if it is; where a load reads.
    pub access: Access<E>,
    /// What is written; its low bytes count.
    pub stored: Word<E>,
    /// Whether a call pushes a frame.
    pub pushes: E::Digit<Bit>,
    /// Whether a return pops one.
    pub pops: E::Digit<Bit>,
}

/// Everything a step computes from the state it finds.
struct Pass<E: Heads> {
    step: FullStep<E>,
    effect: Effect<E>,
    unit: E::Digit<Unit>,
    goes_on: E::Digit<Bit>,
    region: E::Digit<Region>,
    offset: Word<E>,
    next: Word<E>,
    /// Where each unit goes on, but for the return, which has to read a frame.
    targets: [Word<E>; UNITS],
    meter: Word<E>,
    deeper: Word<E>,
    shallower: Word<E>,
}

/// An access as every step makes it, whether or not its unit needs one.
struct Translated<E: Heads> {
    address: Word<E>,
    region: E::Digit<Region>,
    offset: Word<E>,
    readable: E::Digit<Bit>,
    writable: E::Digit<Bit>,
}

const UNITS: usize = Unit::LETTERS.len();

/// The value of the unit that is on, among values given by a function of the unit.
fn choose<E: Heads>(e: &E, unit: &E::Digit<Unit>, value: impl FnMut(Unit) -> Word<E>) -> Word<E> {
    let values: [Word<E>; UNITS] = letters().map(value);
    e.attend(unit, values.each_ref())
}

/// Like [`choose`], for single digits.
fn choose_digit<E: Heads, A: crate::tables::alphabet::Alphabet>(
    e: &E,
    unit: &E::Digit<Unit>,
    value: impl FnMut(Unit) -> E::Digit<A>,
) -> E::Digit<A> {
    let values: [E::Digit<A>; UNITS] = letters().map(value);
    e.attend_digit(unit, values.each_ref())
}

fn letters() -> [Unit; UNITS] {
    std::array::from_fn(|i| Unit::LETTERS[i])
}

/// Runs one instruction.
pub fn full_step<E: Heads>(e: &E, image: &Image<E>, state: &mut State<E>) -> FullStep<E> {
    let pass = compute(e, image, state);
    write_back(e, image, state, &pass);
    pass.step
}

/// What the next instruction will change.
pub fn effect<E: Heads>(e: &E, image: &Image<E>, state: &State<E>) -> Effect<E> {
    compute(e, image, state).effect
}

fn compute<E: Heads>(e: &E, image: &Image<E>, state: &State<E>) -> Pass<E> {
    let (off, on) = (e.digit::<Bit, 0>(), e.digit::<Bit, 1>());
    let zero = e.word(WordConst::Zero);
    let (meter, empty) = e.decrement(&state.meter);
    let (slot, present) = e.fetch(&image.slots, &state.pc);
    let phase = e.apply3(PHASE, &image.version, &present, &empty);
    let control = e.decode(&phase, &e.lane(&slot, 0), &e.lane(&slot, 1));
    let unit = e.gates(&control, UNIT);
    let size = e.gates(&control, SIZE);
    let next = e.increment(&state.pc);

    // Operands and units.
    let narrow = e.gates(&control, NARROW);
    let destination = decode::destination(e, &slot);
    let register = e.bank_read(&state.registers, &destination);
    let operand = decode::operand(e, &control, &slot, &state.registers);
    let (left, right) = (e.extend(&narrow, &register), e.extend(&narrow, &operand));
    let divisor = decode::second(e, &control, &right);
    let (quotient, remainder) = alu::divide(e, &left, &divisor);
    let signed = alu::divide_signed(e, &e.gates(&control, HALF), &left, &divisor);

    // Memory.
    let access = translate(e, image, &control, &slot, &state.registers, &unit, &register);
    let read = state.memory.rams.each_ref().map(|ram| e.ram_read(ram, &access.offset));
    let [null, program, stack, heap, input] = &read;
    let loaded = e.attend(&access.region, [null, program, stack, heap, input, &zero]);
    let loaded = alu::keep_bytes(e, &size, &loaded);

    // Jumps and calls.
    let offset = decode::offset(e, &slot);
    let jump = alu::add(e, &next, &offset);
    let branch = |unit| e.attend(&execute::taken(e, unit, &control, &left, &right), [&next, &jump]);
    let key = decode::key(e, &slot);
    let (syscall, is_syscall) = e.find(&image.syscalls, &key);
    let (function, is_function) = e.find(&image.functions, &key);
    let kind = e.apply1(STATIC_CALL, &decode::source(e, &slot));
    let callee = decode::callee(e, &control, &slot, &state.registers);
    let target = choose(e, &unit, |unit| match unit {
        Unit::CallRegister => calls::slot_of(e, image, &callee),
        Unit::CallStatic => calls::relative(e, &slot, &next),
        _ => function.clone(),
    });
    let (deeper, too_deep) = calls::deeper(e, &state.depth);
    let in_text = calls::in_text(e, image, &target);
    let (shallower, root) = e.decrement(&state.depth);

    // Faults.
    let none = e.digit::<Fault, { Fault::None as usize }>();
    let deep = e.digit::<Fault, { Fault::CallDepth as usize }>();
    let outside = e.digit::<Fault, { Fault::CallOutside as usize }>();
    let unsupported = e.digit::<Fault, { Fault::Unsupported as usize }>();
    let by_zero = e.digit::<Fault, { Fault::DivideByZero as usize }>();
    let overflow = e.digit::<Fault, { Fault::DivideOverflow as usize }>();
    let bad_load = e.digit::<Fault, { Fault::Load as usize }>();
    let bad_store = e.digit::<Fault, { Fault::Store as usize }>();
    let entering = e.attend_digit(&too_deep, [&e.attend_digit(&in_text, [&outside, &none]), &deep]);
    let fault = choose_digit(e, &unit, |unit| match unit {
        Unit::Divide | Unit::Remainder => e.attend_digit(&e.is_zero(&divisor), [&none, &by_zero]),
        Unit::DivideSigned | Unit::RemainderSigned => {
            let fits = e.attend_digit(&signed.overflow, [&none, &overflow]);
            e.attend_digit(&e.is_zero(&divisor), [&fits, &by_zero])
        }
        Unit::Load => e.attend_digit(&access.readable, [&bad_load, &none]),
        Unit::Store => e.attend_digit(&access.writable, [&bad_store, &none]),
        Unit::Call => {
            let internal = e.attend_digit(&is_function, [&unsupported, &entering]);
            e.attend_digit(&is_syscall, [&internal, &none])
        }
        Unit::CallStatic => {
            let external = e.attend_digit(&is_syscall, [&unsupported, &none]);
            let internal = e.attend_digit(&in_text, [&unsupported, &entering]);
            e.attend_digit(&kind, [&external, &internal, &unsupported])
        }
        Unit::CallRegister => entering.clone(),
        Unit::Unsupported => unsupported.clone(),
        Unit::Overrun => e.digit::<Fault, { Fault::Overrun as usize }>(),
        Unit::Exhausted => e.digit::<Fault, { Fault::Exhausted as usize }>(),
        _ => none.clone(),
    });

    // Halt.
    let failed = e.apply1(FAULT_HALT, &fault);
    let exit = e.digit::<Halt, { Halt::Exit as usize }>();
    let asks = e.digit::<Halt, { Halt::Syscall as usize }>();
    let halt = choose_digit(e, &unit, |unit| match unit {
        Unit::Exit => e.attend_digit(&root, [&failed, &exit]),
        Unit::Call => e.attend_digit(&is_syscall, [&failed, &asks]),
        Unit::CallStatic => {
            let external = e.attend_digit(&is_syscall, [&failed, &asks]);
            e.attend_digit(&kind, [&external, &failed, &failed])
        }
        _ => failed.clone(),
    });
    let goes_on = e.attend_digit(&halt, [&on, &off, &off, &off]);

    // What changes.
    let value = choose(e, &unit, |unit| match unit {
        Unit::Divide => quotient.clone(),
        Unit::Remainder => remainder.clone(),
        Unit::DivideSigned => signed.quotient.clone(),
        Unit::RemainderSigned => signed.remainder.clone(),
        Unit::LoadConstant => decode::constant(e, &slot, &e.fetch(&image.slots, &next).0),
        Unit::Load => loaded.clone(),
        _ => execute::result(e, unit, &control, &slot, &left, &right).unwrap_or_else(|| zero.clone()),
    });
    let value = e.extend(&e.gates(&control, EXTEND), &value);
    let writes = e.apply2(BIT_AND, &e.gates(&control, WRITES), &goes_on);
    let pushes = choose_digit(e, &unit, |unit| match unit {
        Unit::Call | Unit::CallStatic | Unit::CallRegister => goes_on.clone(),
        _ => off.clone(),
    });
    let pops = choose_digit(e, &unit, |unit| match unit {
        Unit::Exit => goes_on.clone(),
        _ => off.clone(),
    });
    let stores = choose_digit(e, &unit, |unit| match unit {
        Unit::Store => goes_on.clone(),
        _ => off.clone(),
    });

    let targets = letters().map(|unit| match unit {
        Unit::LoadConstant => e.increment(&next),
        Unit::Jump => jump.clone(),
        Unit::Compare | Unit::CompareSigned | Unit::Test => branch(unit),
        Unit::Call | Unit::CallStatic | Unit::CallRegister => target.clone(),
        _ => next.clone(),
    });
    let meter = choose(e, &unit, |unit| match unit {
        Unit::Exhausted => state.meter.clone(),
        _ => meter.clone(),
    });
    let failed = Access { address: access.address.clone(), size: size.clone() };
    Pass {
        step: FullStep { halt, fault, access: failed, syscall },
        effect: Effect {
            writes,
            register: destination,
            value,
            stores,
            access: Access { address: access.address, size },
            stored: operand,
            pushes,
            pops,
        },
        unit,
        goes_on,
        region: access.region,
        offset: access.offset,
        next,
        targets,
        meter,
        deeper,
        shallower,
    }
}

fn write_back<E: Heads>(e: &E, image: &Image<E>, state: &mut State<E>, pass: &Pass<E>) {
    let (effect, off) = (&pass.effect, e.digit::<Bit, 0>());
    for (index, ram) in state.memory.rams.iter_mut().enumerate() {
        let here: [&E::Digit<Bit>; 6] =
            std::array::from_fn(|i| if i == index { &effect.stores } else { &off });
        let span = e.apply2(SPAN, &effect.access.size, &e.attend_digit(&pass.region, here));
        e.ram_write(ram, &pass.offset, &span, &effect.stored);
    }
    calls::save(e, state, &effect.pushes, &pass.next);
    let pointer = calls::next_frame_pointer(e, image, &state.registers);
    e.bank_write(&mut state.registers, &e.digit::<Nibble, FRAME_POINTER>(), &effect.pushes, &pointer);
    let back = calls::restore(e, state, &effect.pops, &pass.shallower);
    e.bank_write(&mut state.registers, &effect.register, &effect.writes, &effect.value);
    let mut targets = pass.targets.each_ref();
    targets[Unit::Exit as usize] = &back;
    state.pc = e.attend(&pass.goes_on, [&state.pc, &e.attend(&pass.unit, targets)]);
    let depth = e.attend(&effect.pushes, [&state.depth, &pass.deeper]);
    state.depth = e.attend(&effect.pops, [&depth, &pass.shallower]);
    state.meter = pass.meter.clone();
}

fn translate<E: Heads>(
    e: &E,
    image: &Image<E>,
    control: &E::Control,
    slot: &Word<E>,
    registers: &E::Bank,
    unit: &E::Digit<Unit>,
    destination: &Word<E>,
) -> Translated<E> {
    let off = e.digit::<Bit, 0>();
    let size = e.gates(control, SIZE);
    let source = e.bank_read(registers, &decode::source(e, slot));
    let base = choose(e, unit, |unit| match unit {
        Unit::Load => source.clone(),
        _ => destination.clone(),
    });
    let address = alu::add(e, &base, &decode::offset(e, slot));
    let (region, plain) = memory::locate(e, &address);
    let (closed, outside_gap) = memory::close_gaps(e, &image.gaps, &plain);
    let offset = e.attend(&region, [&plain, &plain, &closed, &plain, &plain, &plain]);
    let admits = |index: usize| image.extents[index].admits(e, &size, &offset);
    let stack = e.apply2(BIT_AND, &admits(Region::Stack as usize), &outside_gap);
    let readable = e.attend_digit(&region, [&admits(0), &admits(1), &stack, &admits(3), &admits(4), &off]);
    let [null, program, frames, heap, input] = image.extents.each_ref().map(|extent| &extent.writable);
    let writable = e.attend_digit(&region, [null, program, frames, heap, input, &off]);
    let writable = e.apply2(BIT_AND, &readable, &writable);
    Translated { address, region, offset, readable, writable }
}
