//! Programs without syscalls, with what the reference says of them.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
};

use svmllm::{
    deltanet::HeadsBoundary,
    host::{Ended, Environment, Machine, Mode},
    tables::{Dense, Indexed, WeightsError},
};

use super::{Noticed, Spoil};
use crate::{
    case::Case,
    generate::thorough,
    machine::setup,
    oracle::{Oracle, sbpf::Sbpf},
    outcome::Outcome,
    suites::{Suite, by_name},
};

/// Cases with what the oracle says of them.
pub struct Programs {
    lazy: Vec<(Case, Outcome)>,
    /// A full step costs a hundred times as much, so fewer cases run in full.
    full: Vec<(Case, Outcome)>,
    /// The case that last showed a tensor spoiled.
    last: RefCell<HashMap<String, usize>>,
}

/// Cases with their outcomes.
fn outcomes(cases: Vec<Case>) -> anyhow::Result<Vec<(Case, Outcome)>> {
    let mut oracle = Sbpf::new();
    cases
        .into_iter()
        .map(|case| {
            let outcome = oracle.run(&case)?;
            Ok((case, outcome))
        })
        .collect()
}

/// The shortest case for each way to end.
fn endings(cases: Vec<Case>) -> anyhow::Result<Vec<(Case, Outcome)>> {
    let mut shortest: BTreeMap<&'static str, (Case, Outcome)> = BTreeMap::new();
    for (case, outcome) in outcomes(cases)? {
        let ending = outcome.status.as_ref().map_or_else(|error| error.name(), |_| "ok");
        let known = shortest.get(ending);
        if known.is_none_or(|(_, known)| outcome.instructions < known.instructions) {
            shortest.insert(ending, (case, outcome));
        }
    }
    Ok(shortest.into_values().collect())
}

/// About so many cases of a suite.
fn some(name: &str, seed: u64, wanted: u64) -> anyhow::Result<Vec<Case>> {
    let mut suite: Box<dyn Suite> = by_name(name, seed)?;
    let stride = (suite.size() / wanted).max(1) as usize;
    let cases = (0..suite.size()).step_by(stride).map(|index| suite.case(index));
    cases.filter_map(Result::transpose).collect()
}

impl Programs {
    /// Programs made to reach every row, and a few of the suites `opcodes` and `random`.
    ///
    /// # Errors
    /// The oracle fails.
    pub fn new(seed: u64) -> anyhow::Result<Self> {
        let lazy = [thorough::cases(seed)?, some("opcodes", seed, 300)?, some("random", seed, 30)?].concat();
        let full = [outcomes(some("opcodes", seed, 300)?)?, endings(some("random", seed, 600)?)?];
        let full = [full.concat(), endings(some("versions", seed, 2_000)?)?].concat();
        Ok(Self { lazy: outcomes(lazy)?, full, last: RefCell::default() })
    }

    /// Looks for a case that shows what is spoiled.
    ///
    /// # Errors
    /// The evaluators disagree.
    pub fn notice(
        &self,
        indexed: &Indexed,
        dense: impl Fn() -> Result<Dense, WeightsError>,
        spoil: &Spoil,
    ) -> anyhow::Result<Noticed> {
        for (mode, cases) in [(Mode::Lazy, &self.lazy), (Mode::Full, &self.full)] {
            // What showed the last spoiled row of a tensor often shows the next.
            let first = self.last.borrow().get(spoil.tensor()).copied().unwrap_or(0);
            for number in (0..cases.len()).map(|turn| (first + turn) % cases.len()) {
                let (case, expected) = &cases[number];
                if let Some(step) = differs(indexed, case, expected, mode) {
                    self.last.borrow_mut().insert(spoil.tensor().into(), number);
                    agree(indexed, &dense()?, case, step, mode)?;
                    return Ok(Noticed::Differs(number as u64));
                }
            }
        }
        Ok(Noticed::Nothing)
    }

    /// Weights without the structure of one-hot tables: the tensors must show an activation that is not
    /// one-hot, or a wrong result, once they are exercised.
    pub fn refused_by(&self, dense: &Dense) -> anyhow::Result<Noticed> {
        for (case, expected) in &self.lazy {
            if differs(dense, case, expected, Mode::Lazy).is_some() {
                return Ok(Noticed::Refused);
            }
        }
        Ok(Noticed::Nothing)
    }
}

/// The first step whose outcome is not the oracle's; `None` if the run is the oracle's.
fn differs<E: HeadsBoundary>(e: &E, case: &Case, expected: &Outcome, mode: Mode) -> Option<usize> {
    let steps = expected.trace.len();
    let Ok(mut machine) = Machine::new(e, &case.program, &setup(case), &Environment::bare(), mode) else {
        return Some(0);
    };
    for (step, state) in expected.trace.iter().enumerate() {
        match machine.registers() {
            Ok(registers) if registers == *state => {}
            _ => return Some(step),
        }
        match machine.step() {
            Ok(None) => {}
            Ok(Some(_)) if step + 1 == steps => {}
            _ => return Some(step),
        }
    }
    // Running out of units or of text happens before a step that the trace does not have.
    let ended = machine.step().ok().flatten().cloned();
    let same = match (ended, &expected.status) {
        (Some(Ended::Exit(value)), Ok(expected)) => value == *expected,
        (Some(Ended::Error(error)), Err(expected)) => error == expected.clone().into(),
        _ => false,
    } && machine.used().is_ok_and(|used| used == expected.instructions)
        && regions(&machine, expected);
    (!same).then_some(steps)
}

/// Whether memory is the oracle's, trailing zeros aside.
fn regions<E: HeadsBoundary>(machine: &Machine<E>, expected: &Outcome) -> bool {
    use svmllm::tables::alphabet::Region::{Heap, Input, Stack};
    [(Stack, &expected.stack), (Heap, &expected.heap), (Input, &expected.input)].into_iter().all(
        |(region, expected)| {
            machine.bytes(region).is_ok_and(|bytes| {
                bytes.get(..expected.len()) == Some(expected.as_slice())
                    && bytes[expected.len()..].iter().all(|byte| *byte == 0)
            })
        },
    )
}

/// Runs a case on both evaluators and fails where they differ, up to `step` and the one after it.
fn agree(indexed: &Indexed, dense: &Dense, case: &Case, step: usize, mode: Mode) -> anyhow::Result<()> {
    let mut ours = Machine::new(indexed, &case.program, &setup(case), &Environment::bare(), mode)?;
    let mut theirs = Machine::new(dense, &case.program, &setup(case), &Environment::bare(), mode)?;
    for at in 0..step + 2 {
        let (a, b) = (ours.registers()?, theirs.registers()?);
        anyhow::ensure!(a == b, "{}: evaluators differ before step {at}: {a:x?} and {b:x?}", case.id);
        let (a, b) = (ours.step()?.cloned(), theirs.step()?.cloned());
        anyhow::ensure!(a == b, "{}: evaluators differ after step {at}: {a:?} and {b:?}", case.id);
        if a.is_some() {
            break;
        }
    }
    Ok(())
}
