//! One run, from a program to its report, on any evaluator.

use std::{
    io,
    ops::Range,
    time::{Duration, Instant},
};

use svmllm::{
    deltanet::HeadsBoundary,
    host::{Effect, Ended, Environment, Machine, Mode, Program, Setup, SetupError, recorded::Recorded},
    tables::{Counted, Indexed, WeightsError, alphabet::Region},
};

use crate::{steps::Step, wire::Number};

/// Why a run gave no report.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It could not start.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The weights do not make an evaluator.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// An activation was not one-hot.
    #[error("evaluator: {0}")]
    Evaluator(String),
    /// There are more steps than a trace may have.
    #[error("the trace is longer than {0} steps")]
    TraceTooLong(usize),
    /// Whoever watches has seen enough.
    #[error("{0}")]
    Stopped(String),
    /// The trace could not be written.
    #[error("trace: {0}")]
    Output(#[from] io::Error),
}

impl RunError {
    fn evaluator(error: impl std::error::Error) -> Self {
        Self::Evaluator(error.to_string())
    }
}

/// What to run.
pub struct Job<'a> {
    /// The program, verified.
    pub program: &'a Program,
    /// What it starts from.
    pub setup: &'a Setup,
    /// How steps are computed.
    pub mode: Mode,
    /// Bytes to give back afterwards: (address, length).
    pub dump: &'a [(u64, usize)],
}

/// A look at a run on its way.
pub enum Watch<'a> {
    /// Now and then, the number of instructions so far.
    Progress(&'a mut dyn FnMut(u64) -> Result<(), RunError>),
    /// Before each instruction, registers 0 to 10 and the program counter.
    Steps(&'a mut dyn FnMut(&[u64; 12]) -> Result<(), RunError>),
    /// The same, and what the instruction will change.
    Effects(EffectsSeen<'a>),
}

/// What is done with registers, program counter and effect of an instruction.
type EffectsSeen<'a> = &'a mut dyn FnMut(&[u64; 12], &Effect) -> Result<(), RunError>;

/// What a run left behind.
#[derive(Debug)]
pub struct Report {
    /// How it ended.
    pub ended: Ended,
    /// Registers at the end; on an error, before the failing instruction.
    pub registers: [u64; 11],
    /// Instructions executed, the failing one included.
    pub instructions: u64,
    /// Lines logged.
    pub logs: Vec<String>,
    /// Compute units left.
    pub remaining: u64,
    /// Bytes of the input region.
    pub input: Vec<u8>,
    /// The bytes asked for, where they are mapped.
    pub dump: Vec<Option<Vec<u8>>>,
    /// How long it took, setting up left out.
    pub elapsed: Duration,
}

impl Report {
    /// Nanoseconds an instruction, on average.
    pub fn pace(&self) -> f64 {
        self.elapsed.as_nanos() as f64 / self.instructions.max(1) as f64
    }
}

/// Runs a program to its end.
pub fn run<E: HeadsBoundary>(evaluator: &E, job: &Job<'_>, watch: Watch<'_>) -> Result<Report, RunError> {
    let mut machine = Machine::new(evaluator, job.program, job.setup, &Environment::default(), job.mode)?;
    let begun = Instant::now();
    let ended = match watch {
        Watch::Progress(progress) => run_in_chunks(&mut machine, progress)?,
        Watch::Steps(step) => {
            run_stepwise(&mut machine, |machine| step(&machine.registers().map_err(RunError::evaluator)?))?
        }
        Watch::Effects(step) => run_stepwise(&mut machine, |machine| {
            let state = machine.registers().map_err(RunError::evaluator)?;
            step(&state, &machine.effect().map_err(RunError::evaluator)?)
        })?,
    };
    let elapsed = begun.elapsed();
    report(&mut machine, job, ended, elapsed).map_err(RunError::evaluator)
}

/// Instructions between two looks at a run: few enough that even syscalls do not make it long.
const CHUNK: u64 = 1 << 12;

fn run_in_chunks<E: HeadsBoundary>(
    machine: &mut Machine<'_, E>,
    progress: &mut dyn FnMut(u64) -> Result<(), RunError>,
) -> Result<Ended, RunError> {
    loop {
        if let Some(ended) = machine.run_for(CHUNK).map_err(RunError::evaluator)? {
            return Ok(ended.clone());
        }
        progress(machine.instructions())?;
    }
}

fn run_stepwise<'e, E: HeadsBoundary>(
    machine: &mut Machine<'e, E>,
    mut step: impl FnMut(&Machine<'e, E>) -> Result<(), RunError>,
) -> Result<Ended, RunError> {
    loop {
        if machine.will_execute().map_err(RunError::evaluator)? {
            step(machine)?;
        }
        if let Some(ended) = machine.step().map_err(RunError::evaluator)? {
            return Ok(ended.clone());
        }
    }
}

fn report<E: HeadsBoundary>(
    machine: &mut Machine<'_, E>,
    job: &Job<'_>,
    ended: Ended,
    elapsed: Duration,
) -> Result<Report, E::Error> {
    let [registers @ .., _] = machine.registers()?;
    Ok(Report {
        ended,
        registers,
        instructions: machine.instructions(),
        logs: machine.take_logs()?,
        remaining: machine.remaining()?,
        input: machine.bytes(Region::Input)?,
        dump: job
            .dump
            .iter()
            .map(|&(address, length)| machine.dump(address, length))
            .collect::<Result<_, _>>()?,
        elapsed,
    })
}

/// Runs a program to its end or until some steps are done, recording those in the range. `progress` hears of
/// the steps before them.
pub fn trace<E: HeadsBoundary>(
    evaluator: &E,
    job: &Job<'_>,
    steps: Range<u64>,
    progress: &mut dyn FnMut(u64) -> Result<(), RunError>,
    each: &mut dyn FnMut(Step) -> Result<(), RunError>,
) -> Result<Traced, RunError> {
    let recorded = Recorded::new(evaluator);
    let mut machine = Machine::new(&recorded, job.program, job.setup, &Environment::default(), job.mode)?;
    let (mut number, mut ended) = (0, None);
    while ended.is_none() && number < steps.start {
        let chunk = CHUNK.min(steps.start - number);
        ended = machine.run_for(chunk).map_err(RunError::evaluator)?.cloned();
        number += chunk;
        progress(number)?;
    }
    while ended.is_none() && number < steps.end {
        let instruction = machine.will_execute().map_err(RunError::evaluator)?;
        let before = machine.registers().map_err(RunError::evaluator)?;
        let effect = machine.effect().map_err(RunError::evaluator)?;
        recorded.start();
        ended = machine.step().map_err(RunError::evaluator)?.cloned();
        let recording = recorded.finish();
        if instruction {
            let mut step = Step::new(number, job.program, &before, &effect, recording);
            step.units = Number(machine.remaining().map_err(RunError::evaluator)?);
            step.syscall(
                before[0],
                machine.register(0).map_err(RunError::evaluator)?,
                machine.take_logs().map_err(RunError::evaluator)?,
            );
            each(step)?;
        }
        number += 1;
        progress(number)?;
    }
    Ok(Traced {
        ended,
        instructions: machine.instructions(),
        remaining: machine.remaining().map_err(RunError::evaluator)?,
    })
}

/// Where a traced run has come to.
#[derive(Debug)]
pub struct Traced {
    /// How it ended, if it has.
    pub ended: Option<Ended>,
    /// Instructions executed.
    pub instructions: u64,
    /// Compute units left.
    pub remaining: u64,
}

/// What instructions ask of the weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Instructions counted.
    pub instructions: u64,
    /// Passes through a layer.
    pub layers: u64,
    /// Bits and gates the host read.
    pub observations: u64,
}

/// Counts what the first `steps` instructions cost.
pub fn count(indexed: Indexed, job: &Job, steps: u64) -> Result<Cost, RunError> {
    let counted = Counted::new(indexed);
    let mut machine = Machine::new(&counted, job.program, job.setup, &Environment::default(), job.mode)?;
    counted.restart();
    machine.run_for(steps).map_err(RunError::evaluator)?;
    let counts = counted.counts();
    Ok(Cost { instructions: machine.instructions(), layers: counts.layers, observations: counts.observed() })
}
