//! Spoiled weights: every one must be noticed, and both evaluators must agree on what goes wrong.

mod calls;
mod hashes;
mod numbers;
mod programs;
mod unreachable;

use std::{cell::RefCell, collections::HashMap, fmt, time::Instant};

use anyhow::Context;
use indicatif::ProgressBar;
use rand::{SeedableRng, seq::index::sample};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use svmllm::{
    deltanet::HeadsBoundary,
    tables::{Array, Dense, Indexed, Weights, WeightsError, catalogue::TableId},
};

use super::{Options, progress_bar};
use crate::{
    oracle::sbpf,
    report::{Mismatch, OracleVersion, Report, seconds_since},
};
use calls::Call;
use hashes::Message;
use numbers::Sum;
use programs::Programs;
pub use unreachable::unreachable;

/// Tables up to this many rows are spoiled row by row, larger ones in [`SAMPLE`] rows.
const ALL_ROWS: usize = 512;
/// Rows of a larger table and coefficients of a linear layer that are spoiled.
const SAMPLE: usize = 64;

/// How the names of linear layers begin.
const LINEAR: [&str; 7] =
    ["product.value", "product.columns", "product.digits", "stair.", "wide.", "modulus.", "number."];

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
                // Of the control matrix the first group of gates, the unit, is spoiled.
                let control = tensor == "table.decode.w2";
                let rows = control.then_some(svmllm::tables::alphabet::Unit::LETTERS.len());
                weights.get_mut(tensor).is_some_and(|w2| next_letter(w2, rows, *unit, step))
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

/// Moves the first 1 of a column down by `step`, around the digit it belongs to: so many rows, or all.
fn next_letter(w2: &mut Array, rows: Option<usize>, unit: usize, step: usize) -> bool {
    let digit = rows.unwrap_or(w2.shape[0]);
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
        } else if LINEAR.iter().any(|part| tensor.starts_with(part)) && !tensor.ends_with("1") {
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

/// Everything that may show a spoiled weight.
pub struct Pool {
    programs: Programs,
    messages: Witnesses<Message>,
    calls: Witnesses<Call>,
    sums: Witnesses<Sum>,
    /// The largest sums, which take long on tensors.
    largest: Witnesses<Sum>,
}

impl Pool {
    /// Makes the cases.
    ///
    /// # Errors
    /// The oracle fails, or an activation of the weights as they are is not one-hot.
    pub fn new(weights: &Weights, seed: u64) -> anyhow::Result<Self> {
        let sound = Indexed::new(weights)?;
        Ok(Self {
            programs: Programs::new(seed)?,
            messages: Witnesses::new(&sound, hashes::messages(seed))?,
            calls: Witnesses::new(&sound, calls::all(seed))?,
            sums: Witnesses::new(&sound, numbers::all(seed))?,
            largest: Witnesses::new(&sound, numbers::largest())?,
        })
    }

    /// Spoils the weights and looks for a case that shows it.
    ///
    /// # Errors
    /// The evaluators disagree.
    pub fn notice(&self, weights: &Weights, spoil: &Spoil) -> anyhow::Result<Noticed> {
        let steps = if matches!(spoil, Spoil::Row { .. }) { &STEPS[..] } else { &STEPS[..1] };
        for step in steps {
            let mut spoiled = weights.clone();
            if spoil.apply(&mut spoiled, *step) {
                match self.notice_spoiled(&spoiled, spoil)? {
                    Noticed::Nothing => {}
                    noticed => return Ok(noticed),
                }
            }
        }
        Ok(Noticed::Nothing)
    }

    fn notice_spoiled(&self, spoiled: &Weights, spoil: &Spoil) -> anyhow::Result<Noticed> {
        // What loading weights checks.
        if spoiled.check().is_err() {
            return Ok(Noticed::Refused);
        }
        let user = User::of(spoil.tensor());
        // Tensors are asked only where rows differ or refuse.
        let dense = || Dense::new(spoiled);
        let Ok(indexed) = Indexed::new(spoiled) else {
            let dense = dense()?;
            return match user {
                User::Numbers if self.largest.refused_by(&dense) => Ok(Noticed::Refused),
                User::Numbers if self.sums.refused_by(&dense) => Ok(Noticed::Refused),
                User::Numbers => Ok(Noticed::Nothing),
                _ => self.programs.refused_by(&dense),
            }
            .with_context(|| spoil.to_string());
        };
        match user {
            User::Programs => self.programs.notice(&indexed, dense, spoil),
            User::Hashes => self.messages.notice(&indexed, dense, spoil),
            User::Calls => self.calls.notice(&indexed, dense, spoil),
            User::Numbers => match self.sums.notice(&indexed, dense, spoil) {
                Ok(Noticed::Nothing) => self.largest.notice(&indexed, dense, spoil),
                noticed => noticed,
            },
        }
        .with_context(|| spoil.to_string())
    }
}

/// What shows that a weight is spoiled.
enum User {
    /// Programs without syscalls.
    Programs,
    /// Hash functions.
    Hashes,
    /// Syscalls.
    Calls,
    /// Wide numbers and prime fields.
    Numbers,
}

impl User {
    /// Who uses a tensor; of several the first.
    fn of(tensor: &str) -> Self {
        let named = |ids: &[TableId]| ids.iter().any(|id| tensor == format!("table.{}.w2", id.spec().name));
        let wide = ["wide.", "modulus.", "number.", "stair.top", "stair.small"];
        if named(&[TableId::Choose, TableId::Chi, TableId::ChunkFlags]) {
            Self::Hashes
        } else if named(&calls::TABLES) {
            Self::Calls
        } else if wide.iter().any(|part| tensor.starts_with(part)) {
            Self::Numbers
        } else {
            Self::Programs
        }
    }
}

/// Something whose outcome shows what weights compute.
trait Witness: fmt::Debug {
    /// All that it shows.
    type Outcome: fmt::Debug + PartialEq;

    fn run<E: HeadsBoundary>(&self, e: &E) -> Result<Self::Outcome, E::Error>;

    /// The right outcome, where something other than the weights can tell.
    fn native(&self) -> Option<Self::Outcome> {
        None
    }
}

/// Witnesses with their right outcomes.
struct Witnesses<W: Witness> {
    all: Vec<(W, W::Outcome)>,
    /// The one that last showed a spoiled weight of a tensor: it often shows the next.
    last: RefCell<HashMap<String, usize>>,
}

impl<W: Witness> Witnesses<W> {
    /// An outcome that nothing else can tell is what the weights as they are show.
    fn new(sound: &Indexed, witnesses: Vec<W>) -> anyhow::Result<Self> {
        let with_outcome = |witness: W| {
            let outcome = match witness.native() {
                Some(outcome) => outcome,
                None => witness.run(sound)?,
            };
            Ok((witness, outcome))
        };
        let all = witnesses.into_iter().map(with_outcome).collect::<anyhow::Result<_>>()?;
        Ok(Self { all, last: RefCell::default() })
    }

    /// Looks for a witness that shows what is spoiled.
    fn notice(
        &self,
        indexed: &Indexed,
        dense: impl Fn() -> Result<Dense, WeightsError>,
        spoil: &Spoil,
    ) -> anyhow::Result<Noticed> {
        let first = self.last.borrow().get(spoil.tensor()).copied().unwrap_or(0);
        for number in (0..self.all.len()).map(|turn| (first + turn) % self.all.len()) {
            let (witness, expected) = &self.all[number];
            let ours = witness.run(indexed)?;
            if ours == *expected {
                continue;
            }
            self.last.borrow_mut().insert(spoil.tensor().into(), number);
            let theirs = witness.run(&dense()?)?;
            anyhow::ensure!(ours == theirs, "evaluators differ on {witness:?}: {ours:?} and {theirs:?}");
            return Ok(Noticed::Differs(number as u64));
        }
        Ok(Noticed::Nothing)
    }

    /// Whether tensors show, by a wrong outcome or an activation that is not one-hot, what rows refuse.
    fn refused_by(&self, dense: &Dense) -> bool {
        self.all.iter().any(|(witness, expected)| !witness.run(dense).is_ok_and(|ours| ours == *expected))
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
    let pool = Pool::new(&weights, seed)?;
    let bar: ProgressBar = progress_bar("sabotage", spoils.len() as u64, options.progress);
    let (mut differing, mut refused, mut unreached) = (0u64, 0u64, Vec::new());
    let mut mismatches = Vec::new();
    for (index, spoil) in spoils.iter().enumerate() {
        bar.inc(1);
        let text = match pool.notice(&weights, spoil) {
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
        oracle: OracleVersion {
            name: "solana-sbpf, native code, and the weights as they are",
            version: sbpf::VERSION,
        },
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
