//! The suites of transactions, and that what they compare is worth comparing.

use std::collections::{BTreeMap, BTreeSet};

use svmllm::{
    host::{Mode, svm::Rules},
    tables::{Indexed, Weights},
};
use svmllm_xcheck::{
    DEFAULT_SEED,
    generate::{own, system},
    oracle::litesvm::{self, LiteSvm},
    report::Report,
    suites::{Options, TRANSACTIONS, transactions_by_name},
    transaction::{Neural, Runtime, TransactionSuite, neural_by_name, run},
};

fn suite(name: &str, oracle: &mut LiteSvm) -> Box<dyn TransactionSuite> {
    transactions_by_name(name, DEFAULT_SEED, oracle).unwrap().unwrap()
}

/// How often each instruction came to each outcome, without the swept budgets.
fn outcomes(name: &str) -> BTreeMap<(&'static str, String), BTreeMap<String, u64>> {
    let mut oracle = LiteSvm::new();
    let mut suite = suite(name, &mut oracle);
    let mut outcomes: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
    for index in
        (0..suite.size()).filter(|&index| !suite.part(index).starts_with("budgets")).collect::<Vec<_>>()
    {
        let case = suite.case(index).unwrap();
        let outcome = oracle.run(&case).unwrap();
        let counts = outcomes.entry((suite.part(index), case.name)).or_default();
        *counts.entry(outcome.label()).or_insert(0) += 1;
    }
    outcomes
}

/// Every instruction succeeds now and then and fails in different ways.
#[test]
fn programs_are_called_well_and_badly() {
    let mut outcomes = outcomes("programs");
    // Few of many instructions.
    outcomes.retain(|(part, _), _| *part != "features off");
    let names: Vec<_> = outcomes.keys().map(|(_, name)| name).collect();
    assert!(names.len() >= 25 + 25 + 25 + own::NAMES.len(), "{}", names.len());
    let total: u64 = outcomes.values().flat_map(|counts| counts.values()).sum();
    assert!(total >= 1000, "{total}");
    for (name, counts) in &outcomes {
        assert!(counts.contains_key("ok"), "{name:?} never succeeds: {counts:?}");
        assert!(counts.len() >= 3, "{name:?}: {counts:?}");
    }
    let labels: BTreeSet<_> = outcomes.values().flat_map(|counts| counts.keys()).collect();
    assert!(labels.len() >= 40, "{labels:?}");
}

/// Every part of the other suites succeeds now and then and fails in many ways.
#[test]
fn transactions_go_well_and_badly() {
    // Of a suite: outcomes that differ; successes among a hundred; outcomes of each part.
    for (name, labels, ok, of_part) in
        [("system", 25, 20, 15), ("cpi", 25, 20, 10), ("spl", 30, 20, 8), ("transactions", 60, 12, 12)]
    {
        let mut parts: BTreeMap<_, BTreeMap<String, u64>> = BTreeMap::new();
        for ((part, _), counts) in outcomes(name) {
            let all = parts.entry(part).or_default();
            counts.into_iter().for_each(|(label, count)| *all.entry(label).or_default() += count);
        }
        for (part, counts) in &parts {
            assert!(counts.contains_key("ok") && counts.len() >= of_part, "{name}, {part}: {counts:?}");
        }
        let all: u64 = parts.values().flat_map(|counts| counts.values()).sum();
        let succeed: u64 = parts.values().filter_map(|counts| counts.get("ok")).sum();
        assert!(100 * succeed >= ok * all, "{name}: {succeed} of {all}");
        let seen: BTreeSet<_> = parts.values().flat_map(|counts| counts.keys()).collect();
        assert!(seen.len() >= labels, "{name}: {seen:?}");
    }
}

/// Every instruction of the System Program succeeds and fails, alone and called.
#[test]
fn system_instructions_go_well_and_badly() {
    let mut counts = outcomes("system");
    counts.retain(|(part, _), _| *part != "several");
    assert_eq!(counts.len(), 3 * system::NAMES.len());
    for (name, counts) in counts {
        assert!(counts.contains_key("ok") && counts.len() >= 5, "{name:?}: {counts:?}");
    }
}

/// Programs of every version load, succeed and fail in different ways.
#[test]
fn every_version_runs_in_transactions() {
    let mut parts: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for ((part, _), counts) in outcomes("versions-transactions") {
        parts.entry(part).or_default().extend(counts.into_keys());
    }
    assert_eq!(parts.len(), 5);
    for (part, labels) in parts {
        assert!(labels.contains("ok") && labels.len() >= 10, "{part}: {labels:?}");
    }
}

/// A case depends on nothing but the seed and its index.
#[test]
fn cases_can_be_made_again() {
    for name in TRANSACTIONS {
        let (mut first, mut second) = (LiteSvm::new(), LiteSvm::new());
        let [mut a, mut b] = [suite(name, &mut first), suite(name, &mut second)];
        assert_eq!(a.size(), b.size());
        for index in (0..a.size()).rev().step_by(97) {
            let [a, b] = [a.case(index).unwrap(), b.case(index).unwrap()];
            assert_eq!(format!("{a:?}"), format!("{b:?}"));
            assert_eq!(first.run(&a).unwrap(), second.run(&b).unwrap());
        }
    }
}

/// A sample of a suite.
fn sampled(name: &str, subject: &mut dyn Runtime, sample: u64) -> Report {
    let mut oracle = LiteSvm::new();
    let mut suite = suite(name, &mut oracle);
    let options = Options { sample: Some(sample), progress: false };
    run(suite.as_mut(), &mut oracle, litesvm::VERSION, subject, options).unwrap()
}

/// The oracle agrees with itself, whatever ran before.
#[test]
fn the_reference_agrees_with_itself() {
    for name in TRANSACTIONS {
        let report = sampled(name, &mut LiteSvm::new(), 200);
        assert!(report.is_clean() && report.cases > 100, "{:?}", report.mismatches);
    }
}

/// Whole transactions on the weights are the oracle's.
#[test]
fn the_machine_agrees() {
    let mut subject = neural_by_name("indexed", Rules::LiteSvm).unwrap().unwrap();
    for name in TRANSACTIONS {
        let sample = (suite(name, &mut LiteSvm::new()).size() / 20).clamp(100, 600);
        let report = sampled(name, subject.as_mut(), sample);
        assert!(report.is_clean() && 2 * report.cases > sample, "{name}: {:?}", report.mismatches);
    }
}

/// So they are where every branch of a step is computed.
#[test]
fn full_steps_agree() {
    let mut subject = neural_by_name("indexed-full", Rules::LiteSvm).unwrap().unwrap();
    let report = sampled("programs", subject.as_mut(), 36);
    assert!(report.is_clean() && report.cases > 20, "{:?}", report.mismatches);
}

/// Sums that are wrong by one do not go unnoticed.
#[test]
fn wrong_weights_are_noticed() {
    let mut weights = Weights::generate();
    let sums = weights.get_mut("table.add.w2").unwrap();
    for unit in 0..sums.shape[1] {
        let [zero, one] = [0, 1].map(|row| *sums.at_mut(row, unit));
        *sums.at_mut(0, unit) = one;
        *sums.at_mut(1, unit) = zero;
    }
    let mut subject = Neural::new("indexed", Indexed::new(&weights).unwrap(), Mode::Lazy, Rules::LiteSvm);
    let report = sampled("programs", &mut subject, 200);
    assert!(2 * report.matched < report.cases, "{} of {} equal", report.matched, report.cases);
}
