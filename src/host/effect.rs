//! What an instruction changes, as a trace shows it.

use crate::{
    deltanet::HeadsBoundary,
    machine,
    tables::alphabet::{Bit, Nibble, Size},
};

/// What an instruction changes besides program counter and meter: at most one register and one place in
/// memory. What a return restores and what a syscall does is not listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// A register and what it becomes.
    pub register: Option<(u8, u64)>,
    /// A write of memory.
    pub memory: Option<Store>,
    /// A call or a return.
    pub frame: Option<Frame>,
}

/// A write of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Store {
    /// First byte.
    pub address: u64,
    /// Number of bytes: 1, 2, 4 or 8.
    pub size: u8,
    /// The bytes, little end first.
    pub value: u64,
}

/// What happens to the call frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A call.
    Push,
    /// A return.
    Pop,
}

impl Effect {
    pub(super) fn read<E: HeadsBoundary>(e: &E, effect: &machine::Effect<E>) -> Result<Self, E::Error> {
        let is_on = |bit| Ok(e.read_digit::<Bit>(bit)? == 1);
        let register = if is_on(&effect.writes)? {
            Some((e.read_digit::<Nibble>(&effect.register)? as u8, e.read_out(&effect.value)?))
        } else {
            None
        };
        let memory = if is_on(&effect.stores)? {
            let size = 1 << e.read_digit::<Size>(&effect.access.size)?;
            let mut bytes = e.read_out(&effect.stored)?.to_le_bytes();
            bytes[usize::from(size)..].fill(0);
            let address = e.read_out(&effect.access.address)?;
            Some(Store { address, size, value: u64::from_le_bytes(bytes) })
        } else {
            None
        };
        let frame = match (is_on(&effect.pushes)?, is_on(&effect.pops)?) {
            (true, _) => Some(Frame::Push),
            (_, true) => Some(Frame::Pop),
            _ => None,
        };
        Ok(Self { register, memory, frame })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        host::{Environment, Machine, Mode, Setup, Version, assemble},
        tables::{Dense, Indexed, Weights},
    };

    /// The effects of a program's steps, each checked against the registers before and after it.
    fn effects<E: HeadsBoundary>(e: &E, source: &str) -> Vec<Effect> {
        let program = assemble(source, Version::V0).unwrap();
        let mut machine =
            Machine::new(e, &program, &Setup::default(), &Environment::default(), Mode::Lazy).unwrap();
        let mut effects = Vec::new();
        loop {
            let before = machine.registers().unwrap();
            let effect = machine.effect().unwrap();
            assert_eq!(machine.registers().unwrap(), before);
            let ended = machine.step().unwrap().is_some();
            let mut expected = before;
            if let Some((register, value)) = effect.register {
                expected[usize::from(register)] = value;
            }
            let after = machine.registers().unwrap();
            if effect.frame.is_none() {
                assert_eq!(after[..11], expected[..11]);
            }
            if let Some(store) = effect.memory {
                let size = usize::from(store.size);
                let bytes = machine.dump(store.address, size).unwrap().unwrap();
                assert_eq!(bytes, store.value.to_le_bytes()[..size]);
            }
            effects.push(effect);
            if ended {
                return effects;
            }
        }
    }

    #[test]
    fn each_kind_of_effect() {
        let source = "lddw r1, 0x1122334455667788\nstxh [r10-8], r1\nldxdw r2, [r10-8]\nja +0\n\
                      call function_f\ndiv64 r2, 0x10\nexit\nfunction_f:\nmov64 r6, 5\nexit";
        let register = |number, value| Effect { register: Some((number, value)), ..Effect::default() };
        let frame = |frame| Effect { frame: Some(frame), ..Effect::default() };
        let store = Store { address: 0x2_0000_0ff8, size: 2, value: 0x7788 };
        let expected = [
            register(1, 0x1122_3344_5566_7788),
            Effect { memory: Some(store), ..Effect::default() },
            register(2, 0x7788),
            Effect::default(),
            frame(Frame::Push),
            register(6, 5),
            frame(Frame::Pop),
            register(2, 0x778),
            Effect::default(),
        ];
        let weights = Weights::generate();
        assert_eq!(effects(&Indexed::new(&weights).unwrap(), source), expected);
        assert_eq!(effects(&Dense::new(&weights).unwrap(), source), expected);
    }

    #[test]
    fn what_fails_changes_nothing() {
        let e = Indexed::new(&Weights::generate()).unwrap();
        for source in ["ldxdw r0, [r0+0]", "stxdw [r10+0], r1", "mov64 r0, 0\ndiv64 r1, r0"] {
            assert_eq!(effects(&e, source).last(), Some(&Effect::default()), "{source}");
        }
    }
}
