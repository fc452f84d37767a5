//! The machine on an evaluator, as a subject.

use anyhow::Context;
use svmllm::{
    deltanet::HeadsBoundary,
    host::{Ended, Environment, Machine, Mode, RunError, Setup},
    tables::{Dense, Indexed, Weights, alphabet::Region},
};

use crate::{case::Case, outcome::Outcome, subject::Subject};

/// The machine, one step at a time so that every register can be compared.
pub struct OnWeights<E> {
    name: String,
    evaluator: E,
    mode: Mode,
}

impl<E: HeadsBoundary> OnWeights<E> {
    /// The machine on an evaluator.
    pub fn new(name: impl Into<String>, evaluator: E, mode: Mode) -> Self {
        Self { name: name.into(), evaluator, mode }
    }
}

/// The machine on the rows of the generated weights.
pub fn indexed(mode: Mode) -> anyhow::Result<OnWeights<Indexed>> {
    let name = if mode == Mode::Full { "indexed-full" } else { "indexed" };
    Ok(OnWeights::new(name, Indexed::new(&Weights::generate())?, mode))
}

/// The machine on the tensors of the generated weights.
pub fn dense(mode: Mode) -> anyhow::Result<OnWeights<Dense>> {
    let name = if mode == Mode::Full { "dense-full" } else { "dense" };
    Ok(OnWeights::new(name, Dense::new(&Weights::generate())?, mode))
}

/// What a case gives the machine besides its program.
pub fn setup(case: &Case) -> Setup {
    Setup {
        input: case.input.clone(),
        heap: case.heap,
        budget: case.budget,
        registers: case.registers.clone(),
        memory: case.memory.clone(),
    }
}

impl<E: HeadsBoundary> Subject for OnWeights<E>
where
    E::Error: Send + Sync,
{
    fn name(&self) -> String {
        self.name.clone()
    }

    fn run(&mut self, case: &Case) -> anyhow::Result<Outcome> {
        svmllm::host::verify(&case.program.text, case.program.version).context("the verifier refuses it")?;
        let mut machine =
            Machine::new(&self.evaluator, &case.program, &setup(case), &Environment::bare(), self.mode)?;
        let mut trace = Vec::new();
        let ended = loop {
            if machine.will_execute()? {
                trace.push(machine.registers()?);
            }
            if let Some(ended) = machine.step()? {
                break ended.clone();
            }
        };
        let mut registers = [0; 11];
        registers.copy_from_slice(&machine.registers()?[..11]);
        Ok(Outcome {
            status: match ended {
                Ended::Exit(value) => Ok(value),
                Ended::Error(RunError::Vm(error)) => Err(error),
                other => anyhow::bail!("a program without syscalls ended with {other:?}"),
            },
            instructions: machine.used()?,
            remaining: machine.remaining()?,
            registers,
            trace,
            stack: machine.bytes(Region::Stack)?,
            heap: machine.bytes(Region::Heap)?,
            input: machine.bytes(Region::Input)?,
            logs: Vec::new(),
        })
    }
}
