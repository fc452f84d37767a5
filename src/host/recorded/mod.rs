//! The evaluator that keeps a record: it runs another one and notes what goes in and out of every layer.
//!
//! Whole-word operations are noted in their shallow form, layer by layer. While nothing is recorded they
//! run as the evaluator underneath runs them.

mod evaluator;
mod heads;

use std::cell::{Cell, RefCell};

use crate::tables::{
    Boundary, Site, Word,
    alphabet::{Alphabet, AlphabetId, Nibble},
};

/// Most events kept of one recording.
pub const MAX_EVENTS: usize = 1 << 14;

/// Digits, each given by the letter it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// What the letters are of.
    pub alphabet: AlphabetId,
    /// One letter for a digit, 16 for a word, the least significant first. Empty if some digit is not
    /// exactly one-hot.
    pub letters: Vec<u8>,
}

impl Shown {
    /// The value of a word of nibbles.
    pub fn value(&self) -> Option<u64> {
        (self.alphabet == AlphabetId::Nibble && self.letters.len() == 16)
            .then(|| self.letters.iter().rev().fold(0, |value, letter| value << 4 | u64::from(*letter)))
    }

    /// The name of the letter of a single digit.
    pub fn letter(&self) -> Option<String> {
        match self.letters.as_slice() {
            [letter] => Some(self.alphabet.letter((*letter).into())),
            _ => None,
        }
    }
}

/// What kind of layer an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A two-layer network, on one digit or on 16 side by side.
    Table,
    /// The control matrix.
    Decode,
    /// A choice among activations by a one-hot key.
    Attention,
    /// An exact match over the program.
    Fetch,
    /// An exact match over functions or syscalls.
    Find,
    /// A linear layer whose output is integers.
    Sum,
    /// Thresholds that turn integers back into digits.
    Staircase,
    /// A read of a head.
    Read,
    /// A write of a head.
    Write,
    /// The host reads a bit or a gate.
    Observation(Site),
}

/// One layer, or one look at its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What kind of layer.
    pub kind: Kind,
    /// Which one: a table, a memory, an attention.
    pub name: &'static str,
    /// The whole-word operation it is a part of.
    pub within: Option<&'static str>,
    /// What goes in. Integers are left out.
    pub inputs: Vec<Shown>,
    /// What comes out: for the control matrix one digit for each of its groups.
    pub outputs: Vec<Shown>,
}

/// The events of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The first [`MAX_EVENTS`] of them.
    pub events: Vec<Event>,
    /// How many there were besides.
    pub left_out: u64,
}

/// Runs circuits on `E` and records on demand.
pub struct Recorded<'e, E> {
    inner: &'e E,
    recording: RefCell<Option<Recording>>,
    within: Cell<Option<&'static str>>,
}

impl<'e, E: Boundary> Recorded<'e, E> {
    /// Runs on `inner`, recording nothing yet.
    pub fn new(inner: &'e E) -> Self {
        Self { inner, recording: RefCell::new(None), within: Cell::new(None) }
    }

    /// Starts a recording.
    pub fn start(&self) {
        *self.recording.borrow_mut() = Some(Recording::default());
    }

    /// Ends the recording and gives it; empty if there was none.
    pub fn finish(&self) -> Recording {
        self.recording.borrow_mut().take().unwrap_or_default()
    }

    fn is_on(&self) -> bool {
        self.recording.borrow().is_some()
    }

    /// Adds an event, if anything is recorded.
    fn note(&self, kind: Kind, name: &'static str, shown: impl FnOnce() -> [Vec<Shown>; 2]) {
        if let Some(recording) = self.recording.borrow_mut().as_mut() {
            if recording.events.len() == MAX_EVENTS {
                recording.left_out += 1;
                return;
            }
            let [inputs, outputs] = shown();
            recording.events.push(Event { kind, name, within: self.within.get(), inputs, outputs });
        }
    }

    /// A whole-word operation: as the evaluator underneath has it, or layer by layer.
    fn whole<T>(
        &self,
        name: &'static str,
        fast: impl FnOnce(&E) -> T,
        shallow: impl FnOnce(&Self) -> T,
    ) -> T {
        if !self.is_on() {
            return fast(self.inner);
        }
        let outer = self.within.replace(self.within.get().or(Some(name)));
        let result = shallow(self);
        self.within.set(outer);
        result
    }

    fn digit_shown<A: Alphabet>(&self, digit: &E::Digit<A>) -> Shown {
        let letters = self.inner.read_digit::<A>(digit).map(|letter| vec![letter as u8]);
        Shown { alphabet: A::ID, letters: letters.unwrap_or_default() }
    }

    fn words_shown<const N: usize>(&self, words: [&Word<E>; N]) -> Vec<Shown> {
        words.iter().map(|word| self.lanes_shown::<Nibble>(word)).collect()
    }

    fn lanes_shown<A: Alphabet>(&self, lanes: &E::Lanes<A>) -> Shown {
        let letters = (0..16).map(|lane| {
            let digit = self.inner.lane::<A>(lanes, lane);
            self.inner.read_digit::<A>(&digit).map(|letter| letter as u8)
        });
        Shown { alphabet: A::ID, letters: letters.collect::<Result<_, _>>().unwrap_or_default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        host::{Environment, Machine, Mode, Setup, Version, assemble},
        tables::{Dense, Indexed, Weights},
    };

    const SOURCE: &str = "mov64 r1, 9\nmov64 r2, 8\nadd64 r1, r2\nstxdw [r10-8], r1\nldxb r0, [r10-8]\n\
                          mul64 r0, 3\ndiv64 r0, 2\ncall function_f\nexit\nfunction_f:\nexit";

    /// Records every step of the program on an evaluator.
    fn record<E: crate::deltanet::HeadsBoundary>(e: &E, mode: Mode) -> Vec<Recording> {
        let recorded = Recorded::new(e);
        let program = assemble(SOURCE, Version::V0).unwrap();
        let mut machine =
            Machine::new(&recorded, &program, &Setup::default(), &Environment::default(), mode).unwrap();
        let mut recordings = Vec::new();
        loop {
            recorded.start();
            let ended = machine.step().unwrap().is_some();
            recordings.push(recorded.finish());
            if ended {
                return recordings;
            }
        }
    }

    #[test]
    fn nothing_changes_by_recording() {
        let e = Indexed::new(&Weights::generate()).unwrap();
        let program = assemble(SOURCE, Version::V0).unwrap();
        for mode in [Mode::Lazy, Mode::Full] {
            let recorded = Recorded::new(&e);
            let mut noted =
                Machine::new(&recorded, &program, &Setup::default(), &Environment::default(), mode).unwrap();
            let mut plain =
                Machine::new(&e, &program, &Setup::default(), &Environment::default(), mode).unwrap();
            loop {
                recorded.start();
                let ended = noted.step().unwrap().cloned();
                assert!(!recorded.finish().events.is_empty());
                assert_eq!(ended, plain.step().unwrap().cloned());
                assert_eq!(noted.registers().unwrap(), plain.registers().unwrap());
                if ended.is_some() {
                    break;
                }
            }
        }
    }

    #[test]
    fn an_addition_shows_its_carries() {
        let e = Indexed::new(&Weights::generate()).unwrap();
        let recordings = record(&e, Mode::Lazy);
        let sum: Vec<&Event> =
            recordings[2].events.iter().filter(|event| event.within == Some("add_words")).collect();
        let names: Vec<&str> = sum.iter().map(|event| event.name).collect();
        assert_eq!(names, ["add", "add_carry", "prefix", "prefix", "increment", "carry_out"]);
        assert_eq!(sum[0].inputs.iter().map(|shown| shown.value()).collect::<Vec<_>>(), [Some(9), Some(8)]);
        assert_eq!(sum[0].outputs[0].letters[0], 1);
        assert_eq!(AlphabetId::Carry.letter(sum[1].outputs[0].letters[0].into()), "Generate");
        assert_eq!(sum[4].outputs[0].value(), Some(17));
    }

    #[test]
    fn the_tensors_give_the_same_record() {
        let weights = Weights::generate();
        let indexed = record(&Indexed::new(&weights).unwrap(), Mode::Lazy);
        let dense = record(&Dense::new(&weights).unwrap(), Mode::Lazy);
        assert_eq!(indexed, dense);
    }

    #[test]
    fn a_recording_has_an_end() {
        let e = Indexed::new(&Weights::generate()).unwrap();
        let recorded = Recorded::new(&e);
        let program = assemble("ja -1", Version::V0).unwrap();
        let mut machine =
            Machine::new(&recorded, &program, &Setup::default(), &Environment::default(), Mode::Lazy)
                .unwrap();
        recorded.start();
        machine.run_for(10_000).unwrap();
        let recording = recorded.finish();
        assert_eq!(recording.events.len(), MAX_EVENTS);
        assert!(recording.left_out > 0);
        assert_eq!(recorded.finish(), Recording::default());
    }
}
