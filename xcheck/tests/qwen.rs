//! The checkpoint on a sample of its suite.

use svmllm_xcheck::{
    DEFAULT_SEED,
    suites::{self, Options, qwen},
};

/// Every token of the answers, and dropped weights: those by whose loss the logit of an answer's token changes change
/// a token.
#[test]
fn answers_follow_the_reference() {
    let options = Options { sample: Some(8), progress: false };
    let report = suites::run_other(qwen::NAME, DEFAULT_SEED, options).unwrap().unwrap();
    assert!(report.is_clean(), "{:#?}", report.mismatches);
    assert!(report.cases >= 40, "{} cases", report.cases);
    let sabotage = &report.coverage["sabotage"];
    assert!(sabotage["a_token_changes"].as_u64() > Some(0), "{sabotage}");
    assert_eq!(sabotage["exercised_but_not_noticed"].as_array().map(Vec::len), Some(0), "{sabotage}");
}

/// p-token's transfer in the large shape; its program is too long for the small one.
#[test]
fn a_token_transfer_follows_the_reference() {
    use svmllm::export::qwen::shape::Shape;
    let (report, equal) = qwen::run_one("token-transfer", Shape::large(), DEFAULT_SEED).unwrap();
    assert!(equal, "{report:#}");
    assert_eq!(report["instructions"], 105);
    assert!(qwen::run_one("token-transfer", Shape::small(), DEFAULT_SEED).is_err());
    assert!(qwen::run_one("random", Shape::small(), DEFAULT_SEED).is_err());
}
