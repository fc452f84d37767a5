use super::*;

#[test]
fn crafted_files_have_the_expected_outcome() {
    for purpose in [Purpose::Execution, Purpose::Deployment] {
        let pair = Pair::new(purpose);
        for case in crafted() {
            let outcome =
                pair.compare(&case.bytes).unwrap_or_else(|difference| panic!("{}: {difference}", case.name));
            assert_eq!(outcome_name(&outcome), case.expected(purpose), "{} for {purpose:?}", case.name);
        }
    }
}

#[test]
fn a_sample_of_mutants_matches() {
    let report = run(2000, 20_26).unwrap();
    assert!(report.mismatches.is_empty(), "{:#?}", report.mismatches);
    assert_eq!(report.matched, report.cases);
}
