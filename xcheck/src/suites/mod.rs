//! The suites, one file each, and what runs them.

pub mod api;
mod budgets;
pub mod cpi;
pub mod demos;
pub mod dense;
pub mod elf;
pub mod hashes;
mod opcodes;
pub mod performance;
pub mod programs;
pub mod qwen;
mod random;
pub mod sabotage;
pub mod spl;
pub mod syscall_transactions;
pub mod system;
pub mod tables;
pub mod transactions;
pub mod version_transactions;
mod versions;

use std::{
    any::Any,
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value, json};
use svmllm::host::Version;

pub use self::{budgets::Budgets, opcodes::Opcodes, random::Random, versions::Versions};
use crate::{
    case::Case,
    coverage::Coverage,
    oracle::{Oracle, litesvm::LiteSvm, sbpf::Sbpf},
    outcome::{Difference, Outcome, compare},
    report::{DESCRIBED, Mismatch, OracleVersion, Report, seconds_since},
    subject::Subject,
    transaction::TransactionSuite,
};

/// The names of the suites that compare runs of programs.
pub const NAMES: [&str; 4] = ["opcodes", "random", "budgets", "versions"];

/// The names of the suites that look at the machine in another way.
pub const OTHERS: [&str; 9] =
    ["tables", "dense", "sabotage", "elf", "hashes", "demos", "performance", api::NAME, qwen::NAME];

/// The names of the suites of transactions. The last [`PARTS_OF_OTHERS`] are parts of other suites where results
/// are written.
pub const TRANSACTIONS: [&str; 8] = [
    programs::NAME,
    system::NAME,
    cpi::NAME,
    spl::NAME,
    transactions::NAME,
    syscall_transactions::NAME,
    version_transactions::NAME,
    api::loader::NAME,
];

/// How many of [`TRANSACTIONS`] are parts of other suites: of `versions` and of `api`.
pub const PARTS_OF_OTHERS: usize = 2;

/// Finds a suite of transactions by name; `None` if the name is not among [`TRANSACTIONS`].
///
/// # Errors
/// The suite cannot be made.
pub fn transactions_by_name(
    name: &str,
    seed: u64,
    oracle: &mut LiteSvm,
) -> Option<anyhow::Result<Box<dyn TransactionSuite>>> {
    fn boxed(suite: impl TransactionSuite + 'static) -> Box<dyn TransactionSuite> {
        Box::new(suite)
    }
    Some(match name {
        programs::NAME => programs::Programs::new(seed, oracle).map(boxed),
        system::NAME => system::System::new(seed, oracle).map(boxed),
        cpi::NAME => cpi::Cpi::new(seed, oracle).map(boxed),
        transactions::NAME => transactions::Transactions::new(seed, oracle).map(boxed),
        spl::NAME => spl::Spl::new(seed).map(boxed),
        syscall_transactions::NAME => Ok(boxed(syscall_transactions::SyscallTransactions::new(seed))),
        version_transactions::NAME => version_transactions::VersionTransactions::new(seed).map(boxed),
        api::loader::NAME => api::loader::Loader::new(seed, oracle).map(boxed),
        _ => return None,
    })
}

/// The names of the suites that run only if they are named: they need more than Rust.
pub const NAMED_ONLY: [&str; 1] = [qwen::transformers::NAME];

/// Runs one of [`OTHERS`] or [`NAMED_ONLY`]; `None` if the name is not among them.
///
/// # Errors
/// The suite cannot run.
pub fn run_other(name: &str, seed: u64, options: Options) -> Option<anyhow::Result<Report>> {
    Some(match name {
        "tables" => tables::run(seed, options),
        "dense" => dense::run(seed, options),
        "sabotage" => sabotage::run(seed, options),
        "elf" => elf::run(seed, options),
        "hashes" => hashes::run(seed, options),
        "demos" => demos::run(seed, options),
        "performance" => performance::run(seed, options),
        api::NAME => api::run(seed, options),
        qwen::NAME => qwen::run(seed, options),
        qwen::transformers::NAME => qwen::transformers::run(seed, options),
        _ => return None,
    })
}

/// A numbered set of cases.
pub trait Suite {
    /// The suite's name, also that of its results file.
    fn name(&self) -> &'static str;

    /// The seed its cases are made from.
    fn seed(&self) -> u64;

    /// One more than the largest index.
    fn size(&self) -> u64;

    /// The case with this index, the same every time; `None` if the index is not used.
    fn case(&mut self, index: u64) -> anyhow::Result<Option<Case>>;

    /// The name of the part that an index belongs to, in a suite that has parts.
    fn part(&self, _index: u64) -> Option<&'static str> {
        None
    }
}

/// Finds a suite by name.
pub fn by_name(name: &str, seed: u64) -> anyhow::Result<Box<dyn Suite>> {
    Ok(match name {
        "opcodes" => Box::new(Opcodes { version: Version::V0, seed }),
        "random" => Box::new(Random { version: Version::V0, seed }),
        "budgets" => Box::new(Budgets::new(Version::V0, seed, Sbpf::new())),
        "versions" => Box::new(Versions::new(seed)),
        _ => bail!("there is no suite {name:?} of cases; there are {}", NAMES.join(", ")),
    })
}

/// How to run a suite.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Run only about so many cases, evenly spread over the suite.
    pub sample: Option<u64>,
    /// Show a progress bar.
    pub progress: bool,
}

/// Runs a suite and compares the subject with the oracle in every case.
///
/// Fails only if the suite or the oracle does; what goes wrong in the subject is a mismatch.
pub fn run(
    suite: &mut dyn Suite,
    oracle: &mut dyn Oracle,
    subject: &mut dyn Subject,
    options: Options,
) -> anyhow::Result<Report> {
    let started = Instant::now();
    let indices: Vec<u64> = sampled(suite.size(), options.sample).collect();
    let bar = progress_bar(suite.name(), indices.len() as u64, options.progress);
    let mut counts: BTreeMap<Option<&'static str>, Counts> = BTreeMap::new();
    let mut mismatches = Vec::new();
    for index in indices {
        bar.inc(1);
        let Some(case) = suite.case(index)? else { continue };
        let expected = oracle.run(&case).with_context(|| format!("the oracle cannot run {}", case.id))?;
        let counts = counts.entry(suite.part(index)).or_insert_with(|| Counts::new(case.program.version));
        counts.coverage.record(&case, &expected);
        match check(&case, &expected, subject) {
            Ok(None) => counts.matched += 1,
            _ if mismatches.len() == DESCRIBED => {}
            verdict => mismatches.push(Mismatch {
                index,
                text: match &verdict {
                    Ok(difference) => difference.as_ref().expect("it differs").to_string(),
                    Err(error) => format!("{error:#}"),
                },
                difference: verdict.ok().flatten(),
                rerun: case.id.rerun(),
            }),
        }
    }
    bar.finish_and_clear();
    Ok(Report {
        suite: suite.name(),
        oracle: OracleVersion { name: oracle.name(), version: oracle.version() },
        svmllm: env!("CARGO_PKG_VERSION"),
        seed: suite.seed(),
        evaluator: subject.name(),
        cases: counts.values().map(|counts| counts.coverage.cases()).sum(),
        matched: counts.values().map(|counts| counts.matched).sum(),
        mismatches,
        seconds: seconds_since(started),
        coverage: coverage(&counts),
        rows: Vec::new(),
    })
}

/// What one part of a suite came to.
struct Counts {
    matched: u64,
    coverage: Coverage,
}

impl Counts {
    fn new(version: Version) -> Self {
        Self { matched: 0, coverage: Coverage::new(version) }
    }
}

/// The coverage of a suite, by part if it has parts.
fn coverage(counts: &BTreeMap<Option<&'static str>, Counts>) -> Value {
    let mut parts = Map::new();
    for (part, counts) in counts {
        let mut coverage = counts.coverage.to_json();
        let Some(part) = part else { return coverage };
        coverage["cases"] = json!(counts.coverage.cases());
        coverage["matched"] = json!(counts.matched);
        parts.insert((*part).into(), coverage);
    }
    parts.into()
}

/// Runs the subject on one case; a panic counts as an error.
pub fn check(
    case: &Case,
    expected: &Outcome,
    subject: &mut dyn Subject,
) -> anyhow::Result<Option<Difference>> {
    match catch_unwind(AssertUnwindSafe(|| subject.run(case))) {
        Ok(outcome) => Ok(compare(expected, &outcome?)),
        Err(panic) => bail!("panic: {}", panic_text(panic.as_ref())),
    }
}

/// What a panic says.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no text")
}

/// Of `size` indices one of every few, not always at the same place among them.
pub(crate) fn sampled(size: u64, sample: Option<u64>) -> impl Iterator<Item = u64> {
    let stride = sample.map_or(1, |sample| (size / sample.max(1)).max(1));
    (0..size / stride).map(move |part| part * stride + part * 37 % stride)
}

pub(crate) fn progress_bar(name: &'static str, len: u64, shown: bool) -> ProgressBar {
    if !shown {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{prefix:10} {bar:40} {human_pos}/{human_len} {eta}");
    let bar = ProgressBar::new(len).with_prefix(name).with_style(style.expect("a valid template"));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
