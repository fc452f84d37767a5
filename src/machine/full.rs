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
        catalogue::{BIT_AND, FAULT_HALT, PHASE, SPAN, WordConst},
        decode::{EXTEND, NARROW, SIZE, UNIT, WRITES},
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
    let (quotient, remainder) = alu::divide(e, &left, &right);

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
    let callee = e.bank_read(&state.registers, &e.lane(&slot, 8));
    let target = choose(e, &unit, |unit| match unit {
        Unit::CallRegister => calls::slot_of(e, image, &callee),
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
    let bad_load = e.digit::<Fault, { Fault::Load as usize }>();
    let bad_store = e.digit::<Fault, { Fault::Store as usize }>();
    let entering = e.attend_digit(&too_deep, [&e.attend_digit(&in_text, [&outside, &none]), &deep]);
    let fault = choose_digit(e, &unit, |unit| match unit {
        Unit::Divide | Unit::Remainder => e.attend_digit(&e.is_zero(&right), [&none, &by_zero]),
        Unit::Load => e.attend_digit(&access.readable, [&bad_load, &none]),
        Unit::Store => e.attend_digit(&access.writable, [&bad_store, &none]),
        Unit::Call => {
            let internal = e.attend_digit(&is_function, [&unsupported, &entering]);
            e.attend_digit(&is_syscall, [&internal, &none])
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
        _ => failed.clone(),
    });
    let goes_on = e.attend_digit(&halt, [&on, &off, &off, &off]);

    // The one record of what changes.
    let value = choose(e, &unit, |unit| match unit {
        Unit::Divide => quotient.clone(),
        Unit::Remainder => remainder.clone(),
        Unit::LoadConstant => decode::constant(e, &slot, &e.fetch(&image.slots, &next).0),
        Unit::Load => loaded.clone(),
        _ => execute::result(e, unit, &control, &slot, &left, &right).unwrap_or_else(|| zero.clone()),
    });
    let value = e.extend(&e.gates(&control, EXTEND), &value);
    let writes = e.apply2(BIT_AND, &e.gates(&control, WRITES), &goes_on);
    let pushes = choose_digit(e, &unit, |unit| match unit {
        Unit::Call | Unit::CallRegister => goes_on.clone(),
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

    // Write back.
    for (index, ram) in state.memory.rams.iter_mut().enumerate() {
        let here: [&E::Digit<Bit>; 6] = std::array::from_fn(|i| if i == index { &stores } else { &off });
        let span = e.apply2(SPAN, &size, &e.attend_digit(&access.region, here));
        e.ram_write(ram, &access.offset, &span, &operand);
    }
    calls::save(e, state, &pushes, &next);
    let pointer = calls::next_frame_pointer(e, &state.registers);
    e.bank_write(&mut state.registers, &e.digit::<Nibble, FRAME_POINTER>(), &pushes, &pointer);
    let back = calls::restore(e, state, &pops, &shallower);
    e.bank_write(&mut state.registers, &destination, &writes, &value);
    let pc = choose(e, &unit, |unit| match unit {
        Unit::LoadConstant => e.increment(&next),
        Unit::Jump => jump.clone(),
        Unit::Compare | Unit::CompareSigned | Unit::Test => branch(unit),
        Unit::Call | Unit::CallRegister => target.clone(),
        Unit::Exit => back.clone(),
        _ => next.clone(),
    });
    state.pc = e.attend(&goes_on, [&state.pc, &pc]);
    let depth = e.attend(&pushes, [&state.depth, &deeper]);
    state.depth = e.attend(&pops, [&depth, &shallower]);
    state.meter = choose(e, &unit, |unit| match unit {
        Unit::Exhausted => state.meter.clone(),
        _ => meter.clone(),
    });
    FullStep { halt, fault, access: Access { address: access.address, size }, syscall }
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
