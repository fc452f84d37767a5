//! A sample of each suite on the weights. The whole suites are run by the `results` command.

use svmllm_xcheck::{
    DEFAULT_SEED,
    oracle::sbpf::Sbpf,
    report::Report,
    subject,
    suites::{self, Options},
};

fn assert_clean(report: &Report) {
    let texts: Vec<String> =
        report.mismatches.iter().map(|mismatch| format!("{}\n  {}", mismatch.text, mismatch.rerun)).collect();
    assert!(report.is_clean(), "{} of seed {}: {}", report.suite, report.seed, texts.join("\n"));
    assert!(report.cases > 0, "{} compared nothing", report.suite);
}

fn sampled(suite: &str, evaluator: &str, sample: u64) {
    let mut subject = subject::by_name(evaluator).unwrap();
    let mut suite = suites::by_name(suite, DEFAULT_SEED).unwrap();
    let options = Options { sample: Some(sample), progress: false };
    assert_clean(&suites::run(suite.as_mut(), &mut Sbpf::new(), subject.as_mut(), options).unwrap());
}

fn other(suite: &str, sample: u64) {
    let options = Options { sample: Some(sample), progress: false };
    assert_clean(&suites::run_other(suite, DEFAULT_SEED, options).unwrap().unwrap());
}

#[test]
fn opcodes() {
    sampled("opcodes", "indexed", 3_000);
    sampled("opcodes", "indexed-full", 500);
}

#[test]
fn random() {
    sampled("random", "indexed", 1_500);
    sampled("random", "indexed-full", 100);
}

#[test]
fn budgets() {
    sampled("budgets", "indexed", 3_000);
}

#[test]
fn tables() {
    other("tables", 1);
}

#[test]
fn dense() {
    other("dense", 1_500);
}

#[test]
fn hashes() {
    other("hashes", 250);
}

#[test]
fn sabotage() {
    other("sabotage", 120);
}
