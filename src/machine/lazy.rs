//! The lazy step: one observation chooses the unit, and only that unit is computed.

use super::{
    FRAME_POINTER, calls, decode, execute,
    memory::{close_gaps, locate},
    state::{Access, Image, State, Stop},
};
use crate::{
    alu,
    deltanet::Heads,
    tables::{
        Sequencer, Site, Word,
        alphabet::{Bit, Call, Fault, Nibble, Region, Unit},
        catalogue::{PHASE, SPAN, STATIC_CALL, WordConst},
        decode::{EXTEND, HALF, NARROW, SIZE, UNIT, WRITES},
    },
};

/// What a lazy step needs.
pub trait Lazy: Heads + Sequencer {}
impl<S: Heads + Sequencer> Lazy for S {}

type Stepped<S> = Result<Option<Stop<S>>, <S as Sequencer>::Error>;

/// Runs one instruction. Returns why the run stopped, or `None` if it goes on.
///
/// # Errors
/// An observed activation is not one-hot.
#[inline]
pub fn lazy_step<S: Lazy>(e: &S, image: &Image<S>, state: &mut State<S>) -> Stepped<S> {
    let (meter, empty) = e.decrement(&state.meter);
    let (slot, present) = e.fetch(&image.slots, &state.pc);
    let phase = e.apply3(PHASE, &image.version, &present, &empty);
    let control = e.decode(&phase, &e.lane(&slot, 0), &e.lane(&slot, 1));
    let next = e.increment(&state.pc);
    let step = Step { e, image, slot, control, next };
    let unit = e.observe_gate(&e.gates(&step.control, UNIT), Site::Unit)?;
    if unit != Unit::Exhausted {
        state.meter = meter;
    }
    match unit {
        Unit::Divide | Unit::Remainder | Unit::DivideSigned | Unit::RemainderSigned => {
            step.divide(state, unit)
        }
        Unit::LoadConstant => step.load_constant(state),
        Unit::Load => step.load(state),
        Unit::Store => step.store(state),
        Unit::Jump => Ok(step.jump(state)),
        Unit::Compare | Unit::CompareSigned | Unit::Test => step.branch(state, unit),
        Unit::Call => step.call(state),
        Unit::CallStatic => step.call_static(state),
        Unit::CallRegister => step.call_register(state),
        Unit::Exit => step.exit(state),
        Unit::Unsupported => Ok(step.unsupported()),
        Unit::Overrun => Ok(step.fails(e.digit::<Fault, { Fault::Overrun as usize }>())),
        Unit::Exhausted => Ok(step.fails(e.digit::<Fault, { Fault::Exhausted as usize }>())),
        _ => {
            let (left, right) = step.operands(state);
            if let Some(value) = execute::result(e, unit, &step.control, &step.slot, &left, &right) {
                step.write(state, &e.extend(&e.gates(&step.control, EXTEND), &value));
            }
            Ok(None)
        }
    }
}

/// Goes on after a syscall: to the next slot, or into the function whose key is the syscall's own.
///
/// Before v3 a key is looked up among the syscalls and then among the functions, and both run.
///
/// # Errors
/// An observed activation is not one-hot.
pub fn after_syscall<S: Lazy>(e: &S, image: &Image<S>, state: &mut State<S>) -> Stepped<S> {
    let (slot, present) = e.fetch(&image.slots, &state.pc);
    let phase = e.apply3(PHASE, &image.version, &present, &e.digit::<Bit, 0>());
    let control = e.decode(&phase, &e.lane(&slot, 0), &e.lane(&slot, 1));
    let next = e.increment(&state.pc);
    let step = Step { e, image, slot, control, next };
    if e.observe_gate(&e.gates(&step.control, UNIT), Site::Unit)? == Unit::Call {
        let (target, found) = e.find(&image.functions, &decode::key(e, &step.slot));
        if e.observe(&found, Site::FunctionFound)? {
            return step.enter(state, &target);
        }
    }
    state.pc = step.next;
    Ok(None)
}

/// An instruction on its way through the stages.
struct Step<'a, S: Lazy> {
    e: &'a S,
    image: &'a Image<S>,
    slot: Word<S>,
    control: S::Control,
    next: Word<S>,
}

impl<S: Lazy> Step<'_, S> {
    /// Both operands, narrowed.
    #[inline(always)]
    fn operands(&self, state: &State<S>) -> (Word<S>, Word<S>) {
        let e = self.e;
        let narrow = e.gates(&self.control, NARROW);
        let left = e.bank_read(&state.registers, &decode::destination(e, &self.slot));
        let right = decode::operand(e, &self.control, &self.slot, &state.registers);
        (e.extend(&narrow, &left), e.extend(&narrow, &right))
    }

    /// Writes the destination register and goes on.
    #[inline(always)]
    fn write(&self, state: &mut State<S>, value: &Word<S>) {
        let e = self.e;
        let strength = e.gates(&self.control, WRITES);
        e.bank_write(&mut state.registers, &decode::destination(e, &self.slot), &strength, value);
        state.pc = self.next.clone();
    }

    fn fault(&self, fault: S::Digit<Fault>, address: &Word<S>) -> Stop<S> {
        Stop::Fault(fault, Access { address: address.clone(), size: self.e.gates(&self.control, SIZE) })
    }

    /// A fault that is no access.
    fn fails(&self, fault: S::Digit<Fault>) -> Option<Stop<S>> {
        Some(self.fault(fault, &self.e.word(WordConst::Zero)))
    }

    fn unsupported(&self) -> Option<Stop<S>> {
        self.fails(self.e.digit::<Fault, { Fault::Unsupported as usize }>())
    }

    // Rare or long, so kept out of the code of the others.
    #[inline(never)]
    fn divide(&self, state: &mut State<S>, unit: Unit) -> Stepped<S> {
        let e = self.e;
        let (left, right) = self.operands(state);
        let right = decode::second(e, &self.control, &right);
        if e.observe(&e.is_zero(&right), Site::DivisorZero)? {
            return Ok(self.fails(e.digit::<Fault, { Fault::DivideByZero as usize }>()));
        }
        let value = match unit {
            Unit::Divide => alu::divide(e, &left, &right).0,
            Unit::Remainder => alu::divide(e, &left, &right).1,
            _ => {
                let result = alu::divide_signed(e, &e.gates(&self.control, HALF), &left, &right);
                if e.observe(&result.overflow, Site::QuotientOverflows)? {
                    return Ok(self.fails(e.digit::<Fault, { Fault::DivideOverflow as usize }>()));
                }
                if unit == Unit::DivideSigned { result.quotient } else { result.remainder }
            }
        };
        self.write(state, &e.extend(&e.gates(&self.control, EXTEND), &value));
        Ok(None)
    }

    fn load_constant(&self, state: &mut State<S>) -> Stepped<S> {
        let e = self.e;
        let (second, _) = e.fetch(&self.image.slots, &self.next);
        self.write(state, &decode::constant(e, &self.slot, &second));
        state.pc = e.increment(&self.next);
        Ok(None)
    }

    #[inline(always)]
    fn jump(&self, state: &mut State<S>) -> Option<Stop<S>> {
        state.pc = alu::add(self.e, &self.next, &decode::offset(self.e, &self.slot));
        None
    }

    #[inline(always)]
    fn branch(&self, state: &mut State<S>, unit: Unit) -> Stepped<S> {
        let e = self.e;
        let (left, right) = self.operands(state);
        let taken = match unit {
            Unit::Compare => execute::taken(e, Unit::Compare, &self.control, &left, &right),
            Unit::Test => execute::taken(e, Unit::Test, &self.control, &left, &right),
            _ => execute::taken(e, Unit::CompareSigned, &self.control, &left, &right),
        };
        if e.observe(&taken, Site::Taken)? {
            return Ok(self.jump(state));
        }
        state.pc = self.next.clone();
        Ok(None)
    }

    /// The region and offset of an access, or `None` if it is not allowed.
    #[inline(always)]
    fn translate(
        &self,
        address: &Word<S>,
        size: &S::Digit<crate::tables::alphabet::Size>,
        store: bool,
    ) -> Result<Option<(usize, Word<S>)>, S::Error> {
        let e = self.e;
        let (region, offset) = locate(e, address);
        let region = e.observe_gate(&region, Site::Region)?;
        let index = region as usize;
        let Some(extent) = self.image.extents.get(index) else {
            return Ok(None);
        };
        let (offset, allowed) = if region == Region::Stack {
            let (offset, outside_gap) = close_gaps(e, &self.image.gaps, &offset);
            let admitted = extent.admits(e, size, &offset);
            (offset, e.apply2(crate::tables::catalogue::BIT_AND, &admitted, &outside_gap))
        } else {
            let admitted = extent.admits(e, size, &offset);
            (offset, admitted)
        };
        let allowed = if store {
            e.apply2(crate::tables::catalogue::BIT_AND, &allowed, &extent.writable)
        } else {
            allowed
        };
        Ok(e.observe(&allowed, Site::InBounds)?.then_some((index, offset)))
    }

    fn load(&self, state: &mut State<S>) -> Stepped<S> {
        let e = self.e;
        let base = e.bank_read(&state.registers, &decode::source(e, &self.slot));
        let address = alu::add(e, &base, &decode::offset(e, &self.slot));
        let size = e.gates(&self.control, SIZE);
        let Some((region, offset)) = self.translate(&address, &size, false)? else {
            return Ok(Some(self.fault(e.digit::<Fault, { Fault::Load as usize }>(), &address)));
        };
        let value = e.ram_read(&state.memory.rams[region], &offset);
        self.write(state, &alu::keep_bytes(e, &size, &value));
        Ok(None)
    }

    fn store(&self, state: &mut State<S>) -> Stepped<S> {
        let e = self.e;
        let base = e.bank_read(&state.registers, &decode::destination(e, &self.slot));
        let address = alu::add(e, &base, &decode::offset(e, &self.slot));
        let size = e.gates(&self.control, SIZE);
        let Some((region, offset)) = self.translate(&address, &size, true)? else {
            return Ok(Some(self.fault(e.digit::<Fault, { Fault::Store as usize }>(), &address)));
        };
        let value = decode::operand(e, &self.control, &self.slot, &state.registers);
        let span = e.apply2(SPAN, &size, &e.digit::<Bit, 1>());
        e.ram_write(&mut state.memory.rams[region], &offset, &span, &value);
        state.pc = self.next.clone();
        Ok(None)
    }

    /// The syscall under a key, if there is one.
    #[inline(always)]
    fn syscall(&self, key: &Word<S>) -> Stepped<S> {
        let (number, found) = self.e.find(&self.image.syscalls, key);
        Ok(self.e.observe(&found, Site::SyscallFound)?.then_some(Stop::Syscall(number)))
    }

    fn call(&self, state: &mut State<S>) -> Stepped<S> {
        let e = self.e;
        let key = decode::key(e, &self.slot);
        if let Some(syscall) = self.syscall(&key)? {
            return Ok(Some(syscall));
        }
        let (target, found) = e.find(&self.image.functions, &key);
        if !e.observe(&found, Site::FunctionFound)? {
            return Ok(self.unsupported());
        }
        self.enter(state, &target)
    }

    #[inline(never)]
    fn call_static(&self, state: &mut State<S>) -> Stepped<S> {
        let e = self.e;
        let kind = e.apply1(STATIC_CALL, &decode::source(e, &self.slot));
        match e.observe_gate(&kind, Site::StaticCall)? {
            Call::Syscall => {
                let syscall = self.syscall(&decode::key(e, &self.slot))?;
                Ok(syscall.or_else(|| self.unsupported()))
            }
            Call::Function => {
                let target = calls::relative(e, &self.slot, &self.next);
                if !e.observe(&calls::in_text(e, self.image, &target), Site::FunctionFound)? {
                    return Ok(self.unsupported());
                }
                self.enter(state, &target)
            }
            Call::Nothing => Ok(self.unsupported()),
        }
    }

    fn call_register(&self, state: &mut State<S>) -> Stepped<S> {
        let e = self.e;
        let address = decode::callee(e, &self.control, &self.slot, &state.registers);
        self.enter(state, &calls::slot_of(e, self.image, &address))
    }

    /// Pushes a frame and goes on at `target`.
    fn enter(&self, state: &mut State<S>, target: &Word<S>) -> Stepped<S> {
        let e = self.e;
        let (depth, too_deep) = calls::deeper(e, &state.depth);
        if e.observe(&too_deep, Site::TooDeep)? {
            return Ok(Some(self.fault(e.digit::<Fault, { Fault::CallDepth as usize }>(), target)));
        }
        if !e.observe(&calls::in_text(e, self.image, target), Site::InText)? {
            return Ok(Some(self.fault(e.digit::<Fault, { Fault::CallOutside as usize }>(), target)));
        }
        let on = e.digit::<Bit, 1>();
        calls::save(e, state, &on, &self.next);
        let pointer = calls::next_frame_pointer(e, self.image, &state.registers);
        e.bank_write(&mut state.registers, &e.digit::<Nibble, FRAME_POINTER>(), &on, &pointer);
        state.depth = depth;
        state.pc = target.clone();
        Ok(None)
    }

    fn exit(&self, state: &mut State<S>) -> Stepped<S> {
        let e = self.e;
        let (depth, root) = e.decrement(&state.depth);
        if e.observe(&root, Site::RootFrame)? {
            return Ok(Some(Stop::Exit));
        }
        state.pc = calls::restore(e, state, &e.digit::<Bit, 1>(), &depth);
        state.depth = depth;
        Ok(None)
    }
}
