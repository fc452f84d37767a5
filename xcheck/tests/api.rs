//! `NeuralSvm` does what LiteSVM does, method by method.

use serde_json::Value;
use svmllm::host::svm::Rules;
use svmllm_xcheck::{
    DEFAULT_SEED,
    bank::METHODS,
    oracle::litesvm::{self, LiteSvm},
    subject,
    suites::{self, Options},
    transaction::{self, Runtime},
};

#[test]
fn every_method_answers_alike() {
    let options = Options::default();
    let report = suites::run_other(suites::api::NAME, DEFAULT_SEED, options).unwrap().unwrap();
    assert!(report.is_clean(), "{:#?}", report.mismatches);
    let Value::Object(calls) = &report.coverage["calls by method"] else { panic!("{}", report.coverage) };
    for method in METHODS {
        assert!(calls[*method].as_u64() > Some(0), "{method} is never called");
    }
}

/// Runs the loader's suite on a runtime.
fn loader(subject: &mut dyn Runtime) -> svmllm_xcheck::report::Report {
    let mut oracle = LiteSvm::new();
    let name = suites::api::loader::NAME;
    let mut suite = suites::transactions_by_name(name, DEFAULT_SEED, &mut oracle).unwrap().unwrap();
    transaction::run(suite.as_mut(), &mut oracle, litesvm::VERSION, subject, Options::default()).unwrap()
}

#[test]
fn the_loader_answers_alike() {
    let mut subject = subject::runtime_by_name("indexed", Rules::LiteSvm).unwrap();
    let report = loader(subject.as_mut());
    for mismatch in &report.mismatches {
        println!("{} {}", mismatch.rerun, mismatch.text);
    }
    assert!(report.is_clean(), "{} of {}", report.matched, report.cases);
    assert!(report.cases > 3000);
}

#[test]
fn the_loaders_suite_reaches_success_and_failure() {
    let report = loader(&mut LiteSvm::new());
    let Value::Object(parts) = &report.coverage else { panic!("{}", report.coverage) };
    let mut outcomes = std::collections::BTreeSet::new();
    for part in parts.values() {
        for (name, counts) in part["outcomes by instruction"].as_object().unwrap() {
            for outcome in counts.as_object().unwrap().keys() {
                outcomes.insert(format!("{name}: {outcome}"));
            }
        }
    }
    for name in svmllm_xcheck::generate::loader::NAMES {
        let succeeds = outcomes.contains(&format!("{name}: ok"));
        assert_eq!(succeeds, name != "none", "{name} in {outcomes:#?}");
    }
    assert!(outcomes.len() > 60, "{} outcomes", outcomes.len());
}

#[test]
fn logs_look_alike() {
    let lines = [
        "Program 11111111111111111111111111111111 invoke [1]",
        "Program 11111111111111111111111111111111 failed: custom program error: 0x1",
        "Program log: all is well",
        "Program log:   Error: not so well",
        "Program log:fail ",
        "abc's signer privilege escalated",
        "process_instruction:   x",
        "solana_runtime: err y",
        "",
        "Programmer",
        "nothing",
    ];
    let logs = lines.map(String::from).to_vec();
    let theirs = ::litesvm::types::TransactionMetadata { logs: logs.clone(), ..Default::default() };
    let ours = svmllm::types::TransactionMetadata { logs, ..Default::default() };
    assert_eq!(ours.pretty_logs(), theirs.pretty_logs());
}
