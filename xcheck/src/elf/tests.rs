use std::collections::BTreeSet;

use super::*;

#[test]
fn crafted_files_have_the_expected_outcome() {
    for purpose in [Purpose::Execution, Purpose::Deployment] {
        let pair = Pair::new(purpose);
        for case in crafted() {
            match pair.compare(&case.bytes) {
                Ok(outcome) => {
                    assert_eq!(outcome_name(&outcome), case.expected(purpose), "{}, {purpose:?}", case.name)
                }
                Err(difference) => panic!("{}, {purpose:?}: {difference}", case.name),
            }
        }
    }
}

#[test]
fn every_error_has_a_crafted_file() {
    let outcomes: BTreeSet<_> = crafted().iter().map(|case| case.expected(Purpose::Deployment)).collect();
    // 16 errors of the loader, 9 of the parser, and acceptance.
    assert_eq!(outcomes.len(), 26, "{outcomes:#?}");
}

#[test]
fn a_sample_of_mutants_matches() {
    let report = run(2000, 2026).unwrap();
    assert!(report.mismatches.is_empty(), "{:#?}", report.mismatches);
    assert_eq!(report.matched, report.cases);
    assert!(report.truncations > 1000);
}

#[test]
fn mutants_can_be_made_again() {
    let mutants = || Mutants::new(shipped().unwrap(), 1);
    assert_eq!(mutants().get(7), mutants().get(7));
}

#[test]
fn token_2022_loads_within_ten_times_the_reference() {
    let programs = shipped().unwrap();
    let token = programs.iter().find(|program| program.name.ends_with("spl_token_2022-11.0.0.so")).unwrap();
    let times = load_times(&token.bytes, 9);
    assert!(times.ratio() <= 10.0, "{times:?}");
}
