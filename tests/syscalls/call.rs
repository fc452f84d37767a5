//! One call of a syscall, and everything it shows.

use sha2::{Digest as _, Sha256};
use solana_instruction_error::InstructionError;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};
use svmllm::{
    deltanet::HeadsBoundary,
    host::{
        AccessType, EbpfError, Ended, Environment, HEAP_ADDRESS, Machine, Mode, Program, ReturnData,
        RunError, Setup, SyscallError, Version, symbol_key, syscall_names::ALL_SYSCALLS,
    },
    tables::alphabet::Region,
};

/// Where the heap starts.
pub const HEAP: u64 = HEAP_ADDRESS;

/// A syscall with its arguments and what it sees.
#[derive(Clone, Debug)]
pub struct Call {
    pub name: &'static str,
    pub arguments: [u64; 5],
    /// Units left when it begins.
    pub units: u64,
    pub heap: Vec<u8>,
    pub input: Vec<u8>,
    pub environment: Environment,
}

/// What a call shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effects {
    /// r0, or why the program ended.
    pub result: Result<u64, RunError>,
    /// Units left.
    pub units: u64,
    pub logs: Vec<String>,
    pub heap: Vec<u8>,
    pub input: Vec<u8>,
    pub return_data: ReturnData,
}

/// A call with what it must show.
#[derive(Clone, Debug)]
pub struct Case {
    pub call: Call,
    pub expected: Effects,
}

/// The program's address.
pub const PROGRAM_ID: [u8; 32] = *b"the address of the program here!";

/// The same bytes every time, without any pattern.
pub fn noise(seed: u64, length: usize) -> Vec<u8> {
    let block = |counter: u64| Sha256::digest([seed.to_le_bytes(), counter.to_le_bytes()].concat());
    let mut bytes: Vec<u8> = (0..length.div_ceil(32) as u64).flat_map(block).collect();
    bytes.truncate(length);
    bytes
}

/// 64-bit words as bytes.
pub fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// An access of the heap or of what lies around it that is not allowed.
pub fn violation(access: AccessType, address: u64, length: u64, region: &'static str) -> RunError {
    SyscallError::from(EbpfError::AccessViolation(access, address, length, region)).into()
}

/// What an operation on memory costs.
pub fn memory_cost(length: u64) -> u64 {
    (length / 250).max(10)
}

impl Call {
    pub fn new<const N: usize>(name: &'static str, arguments: [u64; N]) -> Self {
        let mut all = [0; 5];
        all[..N].copy_from_slice(&arguments);
        let environment =
            Environment { program_id: PROGRAM_ID, syscalls: ALL_SYSCALLS.into(), ..Environment::default() };
        Self { name, arguments: all, units: 1_000_000, heap: vec![0; 64], input: Vec::new(), environment }
    }

    pub fn heap(self, heap: impl Into<Vec<u8>>) -> Self {
        Self { heap: heap.into(), ..self }
    }

    pub fn units(self, units: u64) -> Self {
        Self { units, ..self }
    }

    /// By the first loader, which checks no alignment.
    pub fn unaligned(mut self) -> Self {
        self.environment.aligned = false;
        self
    }

    /// The effects of a call that costs so much and changes nothing else.
    fn effects(&self, result: Result<u64, RunError>, cost: u64) -> Effects {
        Effects {
            result,
            units: self.units.checked_sub(cost).expect("the call can be paid"),
            logs: Vec::new(),
            heap: self.heap.clone(),
            input: self.input.clone(),
            return_data: self.environment.return_data.clone(),
        }
    }

    /// Returns a value.
    pub fn returns(self, value: u64, cost: u64) -> Case {
        let expected = self.effects(Ok(value), cost);
        Case { call: self, expected }
    }

    /// Ends the program.
    pub fn fails(self, error: impl Into<RunError>, cost: u64) -> Case {
        let expected = self.effects(Err(error.into()), cost);
        Case { call: self, expected }
    }

    /// The meter cannot pay, and is emptied.
    pub fn runs_out(self) -> Case {
        let units = self.units;
        self.fails(RunError::Instruction(InstructionError::ComputationalBudgetExceeded), units)
    }

    /// Makes the call.
    pub fn run<E: HeadsBoundary>(&self, e: &E, mode: Mode) -> Effects {
        let mut machine = self.machine(e, mode);
        let ended = machine.step().unwrap().cloned();
        Effects {
            result: match ended {
                None => Ok(machine.register(0).unwrap()),
                Some(Ended::Error(error)) => Err(error),
                Some(other) => panic!("a call ended with {other:?}"),
            },
            units: machine.remaining().unwrap(),
            logs: machine.take_logs().unwrap(),
            heap: machine.bytes(Region::Heap).unwrap(),
            input: machine.bytes(Region::Input).unwrap(),
            return_data: machine.return_data().unwrap(),
        }
    }

    /// A machine whose next instruction is the call.
    pub fn machine<'e, E: HeadsBoundary>(&self, e: &'e E, mode: Mode) -> Machine<'e, E> {
        let mut text = vec![0x85, 0, 0, 0];
        text.extend(symbol_key(self.name.as_bytes()).to_le_bytes());
        text.extend([0x95, 0, 0, 0, 0, 0, 0, 0]);
        let program = Program::from_text(Version::V0, text, 0, BTreeMap::new());
        let setup = Setup {
            input: self.input.clone(),
            heap: self.heap.len(),
            // One unit pays for the instruction that calls.
            budget: self.units + 1,
            registers: (1..).zip(self.arguments).collect(),
            memory: vec![(HEAP, self.heap.clone())],
        };
        Machine::new(e, &program, &setup, &self.environment, mode).unwrap()
    }
}

impl Case {
    /// With a line logged.
    pub fn logs(mut self, line: impl Into<String>) -> Self {
        self.expected.logs.push(line.into());
        self
    }

    /// With bytes written to the heap.
    pub fn writes(mut self, address: u64, bytes: &[u8]) -> Self {
        let start = (address - HEAP) as usize;
        self.expected.heap[start..start + bytes.len()].copy_from_slice(bytes);
        self
    }

    /// The same call at the same cost with other units.
    pub fn with_units(&self, units: u64) -> Self {
        let cost = self.call.units - self.expected.units;
        let expected = Effects { units: units - cost, ..self.expected.clone() };
        Self { call: self.call.clone().units(units), expected }
    }
}

/// Names of the syscalls that cases call.
pub fn names(cases: &[Case]) -> BTreeSet<&'static str> {
    cases.iter().map(|case| case.call.name).collect()
}

/// Runs a case on rows: plain weights, permuted ones, and in a full step.
pub fn agree(case: &Case) {
    let (plain, permuted) = (evaluators::plain(), evaluators::permuted());
    for (e, mode) in [(plain, Mode::Lazy), (permuted, Mode::Lazy), (plain, Mode::Full)] {
        let found = case.call.run(e, mode);
        assert_eq!(found, case.expected, "{} {:x?}, {mode:?}", case.call.name, case.call.arguments);
    }
}

/// Runs a case on plain weights only: for the many cases of a loop.
pub fn check(case: &Case) {
    let found = case.call.run(evaluators::plain(), Mode::Lazy);
    assert_eq!(found, case.expected, "{} {:x?}", case.call.name, case.call.arguments);
}

pub mod evaluators {
    use super::LazyLock;
    use proptest::{
        prelude::*,
        strategy::ValueTree,
        test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
    };
    use svmllm::tables::{Dense, Indexed, Labels, Weights, alphabet::AlphabetId};

    /// The weights on rows.
    pub fn plain() -> &'static Indexed {
        static PLAIN: LazyLock<Indexed> = LazyLock::new(fresh);
        &PLAIN
    }

    /// The weights on rows, to be wrapped.
    pub fn fresh() -> Indexed {
        Indexed::new(&Weights::generate()).unwrap()
    }

    /// Weights with every alphabet's positions permuted, on rows.
    pub fn permuted() -> &'static Indexed {
        static PERMUTED: LazyLock<Indexed> = LazyLock::new(|| {
            let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[9; 32]);
            let mut runner = TestRunner::new_with_rng(Config::default(), rng);
            let all = AlphabetId::ALL.map(|id| {
                let identity: Vec<usize> = (0..id.radix()).collect();
                Just(identity).prop_shuffle().new_tree(&mut runner).unwrap().current()
            });
            let labels = Labels::from_positions(|id| all[id as usize].clone()).unwrap();
            Indexed::new(&Weights::generate_labelled(&labels)).unwrap()
        });
        &PERMUTED
    }

    /// The weights on tensors.
    pub fn dense() -> Dense {
        Dense::new(&Weights::generate()).unwrap()
    }
}
