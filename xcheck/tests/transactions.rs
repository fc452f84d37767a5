//! The suites of transactions, and that what they compare is worth comparing.

use std::collections::{BTreeMap, BTreeSet};

use svmllm_xcheck::{
    DEFAULT_SEED,
    generate::own,
    oracle::litesvm::LiteSvm,
    suites::{Options, TRANSACTIONS, transactions_by_name},
    transaction::{Runtime, TransactionSuite, run},
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
    let outcomes = outcomes("programs");
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

/// The oracle agrees with itself, whatever ran before.
#[test]
fn the_reference_agrees_with_itself() {
    for name in TRANSACTIONS {
        let mut oracle = LiteSvm::new();
        let mut suite = suite(name, &mut oracle);
        let options = Options { sample: Some(200), progress: false };
        let report = run(suite.as_mut(), &mut oracle, &mut LiteSvm::new(), options).unwrap();
        assert!(report.is_clean() && report.cases > 100, "{:?}", report.mismatches);
    }
}
