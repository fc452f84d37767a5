//! Spoiled weights: every one must be noticed, and both evaluators must agree on what goes wrong.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    fmt,
    path::Path,
    time::Instant,
};

use anyhow::Context;
use indicatif::ProgressBar;
use rand::{Rng, SeedableRng, seq::index::sample};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use svmllm::{
    deltanet::HeadsBoundary,
    host::{Ended, Environment, Machine, Mode, Version},
    tables::{Array, Dense, Indexed, Weights, alphabet::Phase, catalogue::TableId},
};

use super::{Options, Suite, by_name, progress_bar};
use crate::{
    case::Case,
    generate::thorough,
    hashes::Function,
    isa,
    machine::setup,
    oracle::{
        Oracle,
        sbpf::{self, Sbpf},
    },
    outcome::Outcome,
    report::{Mismatch, OracleVersion, Report, seconds_since},
};

/// Tables up to this many rows are spoiled row by row, larger ones in [`SAMPLE`] rows.
const ALL_ROWS: usize = 512;
/// Rows of a larger table and coefficients of a linear layer that are spoiled.
const SAMPLE: usize = 64;

/// One number or answer that is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spoil {
    /// The answer of a hidden unit becomes the next letter.
    Row {
        /// Tensor of the answers.
        tensor: String,
        /// Hidden unit.
        unit: usize,
    },
    /// A coefficient grows by one.
    Coefficient {
        /// Tensor.
        tensor: String,
        /// Entry.
        index: usize,
    },
}

impl fmt::Display for Spoil {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row { tensor, unit } => write!(f, "{tensor} unit {unit}"),
            Self::Coefficient { tensor, index } => write!(f, "{tensor} entry {index}"),
        }
    }
}

impl Spoil {
    /// Changes the weights; false if there is nothing to change. Of a row's wrong answers, `step` says
    /// which.
    fn apply(&self, weights: &mut Weights, step: usize) -> bool {
        match self {
            Self::Row { tensor, unit } => {
                weights.get_mut(tensor).is_some_and(|w2| next_letter(w2, *unit, step))
            }
            Self::Coefficient { tensor, index } => match weights.get_mut(tensor) {
                Some(array) => {
                    array.data[*index] += 1.0;
                    true
                }
                None => false,
            },
        }
    }

    fn tensor(&self) -> &str {
        match self {
            Self::Row { tensor, .. } | Self::Coefficient { tensor, .. } => tensor,
        }
    }
}

/// Wrong answers tried for a row, the first that shows being enough: some change nothing, such as an
/// arithmetic shift of a number whose sign bit is 0, or a region that is always empty in the place of
/// one that is not mapped.
const STEPS: [usize; 3] = [1, 2, 3];

/// Moves the first 1 of a column down by `step`, around the digit it belongs to.
fn next_letter(w2: &mut Array, unit: usize, step: usize) -> bool {
    // A table has one digit; of the control matrix the first group, the unit, is spoiled.
    let control = w2.shape[0] > 32;
    let digit = if control { svmllm::tables::alphabet::Unit::LETTERS.len() } else { w2.shape[0] };
    if step.is_multiple_of(digit) {
        return false;
    }
    let Some(hot) = (0..digit).find(|&row| *w2.at_mut(row, unit) != 0.0) else {
        return false;
    };
    *w2.at_mut(hot, unit) = 0.0;
    *w2.at_mut((hot + step) % digit, unit) = 1.0;
    true
}

/// Everything that is spoiled for a seed.
pub fn spoils(weights: &Weights, seed: u64) -> Vec<Spoil> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut spoils = Vec::new();
    for (tensor, array) in weights.tensors() {
        let tensor = tensor.to_owned();
        if tensor.starts_with("table.") && tensor.ends_with(".w2") {
            let units = array.shape[1];
            let row = |unit| Spoil::Row { tensor: tensor.clone(), unit };
            if units <= ALL_ROWS {
                spoils.extend((0..units).map(row));
            } else {
                let reached: Vec<Spoil> =
                    (0..units).map(row).filter(|spoil| unreachable(spoil).is_none()).collect();
                spoils.extend(drawn(&mut rng, reached.len()).into_iter().map(|i| reached[i].clone()));
            }
        } else if ["product.value", "product.columns", "product.digits", "stair."]
            .iter()
            .any(|part| tensor.starts_with(part))
            && !tensor.ends_with("1")
        {
            let spoil = |index| Spoil::Coefficient { tensor: tensor.clone(), index };
            let reached: Vec<Spoil> =
                (0..array.data.len()).map(spoil).filter(|spoil| unreachable(spoil).is_none()).collect();
            spoils.extend(drawn(&mut rng, reached.len()).into_iter().map(|i| reached[i].clone()));
        } else if tensor.starts_with("head.") || tensor.starts_with("attention.") {
            spoils.push(Spoil::Coefficient { tensor, index: 0 });
        }
    }
    spoils
}

fn drawn(rng: &mut ChaCha8Rng, length: usize) -> Vec<usize> {
    let mut chosen = sample(rng, length, SAMPLE.min(length)).into_vec();
    chosen.sort_unstable();
    chosen
}

/// How a spoiled weight showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Noticed {
    /// Both evaluators refuse the weights, or one does and the other finds an activation that is not
    /// one-hot.
    Refused,
    /// A case differs from the oracle, and both evaluators agree on how.
    Differs(u64),
    /// No case shows it.
    Nothing,
}

/// Cases with what the oracle says of them.
pub struct Pool {
    lazy: Vec<(Case, Outcome)>,
    /// A full step costs a hundred times as much, so fewer cases run in full.
    full: Vec<(Case, Outcome)>,
    /// Messages, for the tables that only hashes use.
    hashes: Vec<(Function, Vec<u8>)>,
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

/// Whether only hashes use the tensor.
fn is_of_hashes(spoil: &Spoil) -> bool {
    let tables = [TableId::Choose, TableId::Chi, TableId::ChunkFlags];
    tables.into_iter().any(|id| spoil.tensor() == format!("table.{}.w2", id.spec().name))
}

/// Messages of one block, enough to reach every row of a table of three digits, and one that ends in each
/// block of a chunk.
fn messages(seed: u64) -> Vec<(Function, Vec<u8>)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut message = |length: usize| -> Vec<u8> { (0..length).map(|_| rng.random()).collect() };
    let mut messages = Vec::new();
    for _ in 0..24 {
        messages.extend([Function::Sha512, Function::Keccak256].map(|function| (function, message(64))));
    }
    messages.extend((0..16).map(|blocks| (Function::Blake3, message(64 * blocks + 1))));
    messages
}

/// About so many cases of a suite.
fn some(name: &str, seed: u64, wanted: u64) -> anyhow::Result<Vec<Case>> {
    let mut suite: Box<dyn Suite> = by_name(name, seed)?;
    let stride = (suite.size() / wanted).max(1) as usize;
    let cases = (0..suite.size()).step_by(stride).map(|index| suite.case(index));
    cases.filter_map(Result::transpose).collect()
}

impl Pool {
    /// Programs made to reach every row, and a few of the suites `opcodes` and `random`.
    ///
    /// # Errors
    /// The oracle fails.
    pub fn new(seed: u64) -> anyhow::Result<Self> {
        let lazy = [thorough::cases(seed)?, some("opcodes", seed, 300)?, some("random", seed, 30)?].concat();
        let full = [outcomes(some("opcodes", seed, 300)?)?, endings(some("random", seed, 600)?)?];
        let full = [full.concat(), endings(some("versions", seed, 2_000)?)?].concat();
        Ok(Self { lazy: outcomes(lazy)?, full, hashes: messages(seed), last: RefCell::default() })
    }

    /// Spoils the weights in a file, loads it and looks for a case that shows it.
    ///
    /// # Errors
    /// The evaluators disagree, or the file cannot be written.
    pub fn notice(&self, weights: &Weights, spoil: &Spoil, file: &Path) -> anyhow::Result<Noticed> {
        let steps = if matches!(spoil, Spoil::Row { .. }) { &STEPS[..] } else { &STEPS[..1] };
        for step in steps {
            let mut spoiled = weights.clone();
            if spoil.apply(&mut spoiled, *step) {
                match self.notice_spoiled(&spoiled, spoil, file)? {
                    Noticed::Nothing => {}
                    noticed => return Ok(noticed),
                }
            }
        }
        Ok(Noticed::Nothing)
    }

    fn notice_spoiled(&self, spoiled: &Weights, spoil: &Spoil, file: &Path) -> anyhow::Result<Noticed> {
        spoiled.save(file)?;
        let Ok(loaded) = Weights::load(file) else {
            // Both evaluators are made from loaded weights.
            return Ok(Noticed::Refused);
        };
        let dense = Dense::new(&loaded)?;
        let Ok(indexed) = Indexed::new(&loaded) else {
            return self.refused_by_dense(&dense).with_context(|| spoil.to_string());
        };
        if is_of_hashes(spoil) {
            return self.notice_in_hashes(&indexed, &dense, spoil);
        }
        for (mode, cases) in [(Mode::Lazy, &self.lazy), (Mode::Full, &self.full)] {
            // What showed the last spoiled row of a tensor often shows the next.
            let first = self.last.borrow().get(spoil.tensor()).copied().unwrap_or(0);
            for number in (0..cases.len()).map(|turn| (first + turn) % cases.len()) {
                let (case, expected) = &cases[number];
                if let Some(step) = differs(&indexed, case, expected, mode) {
                    self.last.borrow_mut().insert(spoil.tensor().into(), number);
                    agree(&indexed, &dense, case, step, mode).with_context(|| spoil.to_string())?;
                    return Ok(Noticed::Differs(number as u64));
                }
            }
        }
        Ok(Noticed::Nothing)
    }

    /// Looks for a message whose digest shows what is spoiled.
    fn notice_in_hashes(&self, indexed: &Indexed, dense: &Dense, spoil: &Spoil) -> anyhow::Result<Noticed> {
        for (number, (function, bytes)) in self.hashes.iter().enumerate() {
            let ours = function.weights(indexed, &[bytes])?;
            if ours == function.native(bytes) {
                continue;
            }
            let theirs = function.weights(dense, &[bytes])?;
            anyhow::ensure!(ours == theirs, "{spoil}: evaluators differ on {}, {bytes:x?}", function.name());
            return Ok(Noticed::Differs(number as u64));
        }
        Ok(Noticed::Nothing)
    }

    /// Weights without the structure of one-hot tables: the tensors must show an activation that is not
    /// one-hot, or a wrong result, once they are exercised.
    fn refused_by_dense(&self, dense: &Dense) -> anyhow::Result<Noticed> {
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

/// Whether the opcode is a jump on equality or its opposite.
fn is_equality(version: Version, opcode: usize) -> bool {
    isa::find(version, opcode as u8)
        .is_some_and(|opcode| opcode.name.starts_with("jeq") || opcode.name.starts_with("jne"))
}

/// Rows that no verified program reaches, with the reason.
pub fn unreachable(spoil: &Spoil) -> Option<&'static str> {
    let (tensor, unit) = match spoil {
        Spoil::Row { tensor, unit } => (tensor, unit),
        Spoil::Coefficient { tensor, index } => return unused(tensor, *index),
    };
    let named = |id: TableId| *tensor == format!("table.{}.w2", id.spec().name);
    if named(TableId::Decrement) && unit / 48 == 1 {
        return Some("differences start without a borrow");
    }
    if named(TableId::CarryOut) && unit / 3 == 1 {
        return Some("where a carry comes in the one that leaves is not used");
    }
    // The first input varies fastest: the phase of the control matrix.
    if tensor == "table.decode.w2" {
        let (phase, opcode) = (Phase::LETTERS[unit % Phase::LETTERS.len()], unit / Phase::LETTERS.len());
        let known = |version| isa::find(version, opcode as u8).is_some();
        let reached = match phase {
            // An indirect call may lead to the second half of a constant, whose opcode is 0.
            Phase::V0 => known(Version::V0) || opcode == 0,
            Phase::V1 => known(Version::V1) || opcode == 0,
            Phase::V2 => known(Version::V2),
            Phase::V3 => known(Version::V3) || opcode == 0,
            Phase::Exhausted => isa::VERSIONS.into_iter().any(known) || opcode == 0,
            Phase::Overrun if opcode == 0 => true,
            Phase::Overrun => return Some("a slot that is missing reads as 0"),
        };
        if reached && isa::VERSIONS.get(phase as usize).is_some_and(|version| is_equality(*version, opcode)) {
            return Some("whether operands are equal does not depend on signs");
        }
        return (!reached).then_some("the verifier admits no such opcode");
    }
    if named(TableId::StaticCall) && *unit > 10 {
        return Some("the verifier admits no such register");
    }
    if named(TableId::StaticCall) && *unit > 1 {
        return Some("without syscalls, a call of one is as unsupported as a call of nothing");
    }
    if named(TableId::SwapSize) && ![1, 2, 4].contains(unit) {
        return Some("the verifier admits byte swaps of 16, 32 and 64 bits only");
    }
    None
}

/// Coefficients that no result depends on, with the reason.
fn unused(tensor: &str, index: usize) -> Option<&'static str> {
    /// Largest sum of three digits that a product is known to reach.
    const REACHED: usize = 36;
    let units = |limit: usize| 2 * (limit - 1);
    match tensor {
        "stair.low.w2" if (index / units(256)).is_multiple_of(16) => {
            Some("a digit 0 adds nothing to the next sum")
        }
        "stair.high.w2" if index / units(16) == 0 => Some("a digit 0 adds nothing to the next sum"),
        "stair.high.w2" if index / units(16) == 15 => Some("a column is at most 3600"),
        "stair.high.w2" if index % units(16) >= 28 => Some("a column is at most 3600"),
        "stair.small.w2" if (index % units(64)).div_ceil(2) + 1 > REACHED => {
            Some("no product reaches this sum")
        }
        "stair.small.w2" if index / units(64) >= 19 => Some("at most 2 are left over"),
        "product.digits" if index >= 32 + 13 => Some("a column with a place two above is at most 3150"),
        "stair.low.b2" if index.is_multiple_of(16) => Some("a digit 0 adds nothing to the next sum"),
        "stair.high.b2" if index == 0 || index == 15 => Some("a digit 0 adds nothing to the next sum"),
        "stair.high.remainder" if index == 15 => Some("a column is at most 3600"),
        _ => None,
    }
}

/// Runs the suite: a case is a spoiled weight, matched if it was noticed.
///
/// # Errors
/// The oracle or the file system fails.
pub fn run(seed: u64, options: Options) -> anyhow::Result<Report> {
    let started = Instant::now();
    let weights = Weights::generate();
    let mut spoils = spoils(&weights, seed);
    if let Some(wanted) = options.sample {
        let stride = (spoils.len() / wanted.max(1) as usize).max(1);
        spoils = spoils.into_iter().step_by(stride).collect();
    }
    let pool = Pool::new(seed)?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("spoiled.safetensors");
    let bar: ProgressBar = progress_bar("sabotage", spoils.len() as u64, options.progress);
    let (mut differing, mut refused, mut unreached) = (0u64, 0u64, Vec::new());
    let mut mismatches = Vec::new();
    for (index, spoil) in spoils.iter().enumerate() {
        bar.inc(1);
        let text = match pool.notice(&weights, spoil, &file) {
            Ok(Noticed::Differs(_)) => {
                differing += 1;
                continue;
            }
            Ok(Noticed::Refused) => {
                refused += 1;
                continue;
            }
            Ok(Noticed::Nothing) => match unreachable(spoil) {
                Some(reason) => {
                    unreached.push(format!("{spoil}: {reason}"));
                    continue;
                }
                None => format!("{spoil} ({}) was not noticed", spoil.tensor()),
            },
            Err(error) => format!("{error:#}"),
        };
        let rerun = format!("svmllm-xcheck results sabotage --seed {seed}");
        mismatches.push(Mismatch { index: index as u64, text, difference: None, rerun });
    }
    bar.finish_and_clear();
    let cases = spoils.len() as u64 - unreached.len() as u64;
    Ok(Report {
        suite: "sabotage",
        oracle: OracleVersion { name: "solana-sbpf", version: sbpf::VERSION },
        svmllm: env!("CARGO_PKG_VERSION"),
        seed,
        evaluator: "indexed and dense".into(),
        cases,
        matched: cases - mismatches.len() as u64,
        mismatches,
        seconds: seconds_since(started),
        coverage: json!({
            "differ from the oracle, both evaluators alike": differing,
            "refused": refused,
            "unreachable": unreached,
        }),
        rows: Vec::new(),
    })
}
