//! LiteSVM's methods: the same bodies of tests on LiteSVM and on `NeuralSvm`.

mod bodies;
mod life;
pub mod loader;
mod signatures;

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    time::Instant,
};

use ::litesvm::LiteSVM;
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use svmllm::NeuralSvm;

use super::{Options, panic_text, progress_bar, sampled};
use crate::{
    bank::{Call, METHODS, Watched},
    case::CaseId,
    generate::rng,
    oracle::litesvm,
    outcome::Difference,
    report::{DESCRIBED, Mismatch, Report, seconds_since},
};

/// The suite's name.
pub const NAME: &str = "api";

/// How often each body runs, with other values each time.
const EACH: u64 = 12;

/// What a body comes to: the calls it made, or why it failed.
type Ran = anyhow::Result<Vec<Call>>;

/// A body for each machine.
struct Body {
    name: &'static str,
    reference: fn(&mut ChaCha8Rng) -> anyhow::Result<Watched<LiteSVM>>,
    subject: fn(&mut ChaCha8Rng) -> anyhow::Result<Watched<NeuralSvm>>,
}

macro_rules! bodies {
    ($($module:ident::$body:ident,)*) => {
        &[$(Body {
            name: stringify!($body),
            reference: $module::$body::<LiteSVM>,
            subject: $module::$body::<NeuralSvm>,
        },)*]
    };
}

const BODIES: &[Body] = bodies![
    bodies::airdrops,
    bodies::accounts,
    bodies::sysvars,
    bodies::transactions,
    bodies::history,
    bodies::programs,
    bodies::budgets,
    bodies::stakes,
    bodies::settings,
    life::deployed_upgraded_closed,
    life::tokens,
    signatures::signatures,
];

/// Runs one body; a panic is a failure.
fn ran<B>(body: fn(&mut ChaCha8Rng) -> anyhow::Result<Watched<B>>, rng: &mut ChaCha8Rng) -> Ran {
    match catch_unwind(AssertUnwindSafe(|| body(rng))) {
        Ok(watched) => Ok(watched?.calls()),
        Err(panic) => anyhow::bail!("panic: {}", panic_text(panic.as_ref())),
    }
}

/// The first call that was answered differently.
fn difference(expected: &[Call], actual: &[Call]) -> Option<Difference> {
    let at = (0..expected.len().max(actual.len())).find(|at| expected.get(*at) != actual.get(*at))?;
    let text = |calls: &[Call]| calls.get(at).map_or_else(|| "nothing".into(), |call| call.result.clone());
    let method = expected.get(at).or(actual.get(at)).map_or("", |call| call.method);
    Some(Difference { field: method.into(), at: Some(at), expected: text(expected), actual: text(actual) })
}

/// Runs the suite's bodies.
///
/// # Errors
/// A body fails on LiteSVM itself.
pub fn run(seed: u64, options: Options) -> anyhow::Result<Report> {
    let started = Instant::now();
    let size = EACH * BODIES.len() as u64;
    let bar = progress_bar(NAME, size, options.progress);
    let (mut cases, mut matched, mut mismatches) = (0, 0, Vec::new());
    let mut methods: BTreeMap<&str, u64> = METHODS.iter().map(|method| (*method, 0)).collect();
    let mut by_body: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    for index in sampled(size, options.sample) {
        bar.inc(1);
        let body = &BODIES[(index % BODIES.len() as u64) as usize];
        let expected = ran(body.reference, &mut rng(NAME, seed, index))
            .map_err(|error| error.context(format!("{} on LiteSVM, index {index}", body.name)))?;
        let actual = ran(body.subject, &mut rng(NAME, seed, index));
        for call in &expected {
            *methods.entry(call.method).or_default() += 1;
        }
        let counts = by_body.entry(body.name).or_default();
        cases += 1;
        counts[0] += 1;
        let (text, difference) = match actual {
            Ok(actual) => match difference(&expected, &actual) {
                None => {
                    matched += 1;
                    counts[1] += 1;
                    continue;
                }
                Some(difference) => (difference.to_string(), Some(difference)),
            },
            Err(error) => (format!("{error:#}"), None),
        };
        if mismatches.len() < DESCRIBED {
            let rerun = CaseId { suite: NAME, seed, index }.rerun();
            mismatches.push(Mismatch { index, text: format!("{}: {text}", body.name), difference, rerun });
        }
    }
    bar.finish_and_clear();
    let bodies: BTreeMap<&str, _> = (by_body.into_iter())
        .map(|(name, [cases, matched])| (name, json!({"cases": cases, "matched": matched})))
        .collect();
    Ok(Report {
        suite: NAME,
        oracle: litesvm::VERSION,
        svmllm: env!("CARGO_PKG_VERSION"),
        seed,
        evaluator: "indexed".into(),
        cases,
        matched,
        mismatches,
        seconds: seconds_since(started),
        coverage: json!({"bodies": bodies, "calls by method": methods}),
        rows: Vec::new(),
    })
}
