//! Weights with permuted one-hot positions compute the same function: no result may depend on which
//! position shows which letter.

mod cases;

use cases::{cases, random, run};
use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use svmllm::{
    host::{Ended, Mode},
    tables::{Dense, Indexed, Labels, Weights, alphabet::AlphabetId},
};

/// A random permutation of every alphabet.
fn labels(seed: u8) -> Labels {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let all = AlphabetId::ALL.map(|id| {
        let identity: Vec<usize> = (0..id.radix()).collect();
        Just(identity).prop_shuffle().new_tree(&mut runner).unwrap().current()
    });
    Labels::from_positions(|id| all[id as usize].clone()).unwrap()
}

fn indexed(labels: &Labels) -> Indexed {
    Indexed::new(&Weights::generate_labelled(labels)).unwrap()
}

#[test]
fn rows_may_be_relabelled() {
    let plain = indexed(&Labels::identity());
    for other in [1, 2, 3].map(|seed| indexed(&labels(seed))) {
        for mode in [Mode::Lazy, Mode::Full] {
            for case in cases() {
                let (expected, found) = (run(&plain, &case, mode), run(&other, &case, mode));
                assert_eq!(expected.registers, found.registers, "{}, {mode:?}", case.name);
                assert_eq!(expected, found, "{}, {mode:?}", case.name);
            }
        }
    }
}

#[test]
fn random_programs_may_be_relabelled() {
    let (plain, other) = (indexed(&Labels::identity()), indexed(&labels(5)));
    let config = Config { cases: 200, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let outcome = TestRunner::new_with_rng(config, rng).run(&random(), |case| {
        let expected = run(&plain, &case, Mode::Lazy);
        prop_assert_eq!(&expected, &run(&plain, &case, Mode::Full));
        prop_assert_eq!(&expected, &run(&other, &case, Mode::Lazy));
        Ok(())
    });
    // `Display` of a failure names the smallest program that shows it.
    assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
}

#[test]
fn tensors_may_be_relabelled() {
    let plain = indexed(&Labels::identity());
    let other = Dense::new(&Weights::generate_labelled(&labels(4))).unwrap();
    for case in cases() {
        let expected = run(&plain, &case, Mode::Lazy);
        assert_eq!(expected, run(&other, &case, Mode::Lazy), "{}", case.name);
        if expected.used < 6 {
            assert_eq!(expected, run(&other, &case, Mode::Full), "{}, full", case.name);
        }
    }
}

#[test]
fn full_steps_equal_lazy_steps() {
    let plain = indexed(&Labels::identity());
    for case in cases() {
        assert_eq!(run(&plain, &case, Mode::Lazy), run(&plain, &case, Mode::Full), "{}", case.name);
    }
}

/// The cases end in every way a run can, or the tests above show little.
#[test]
fn cases_end_in_every_way() {
    let plain = indexed(&Labels::identity());
    let mut ends: Vec<String> = cases()
        .iter()
        .map(|case| match run(&plain, case, Mode::Lazy).ended {
            Ended::Exit(_) => "Exit".to_owned(),
            Ended::Error(error) => error.name(),
            Ended::Invoke(_) => unreachable!("no case calls a program"),
        })
        .collect();
    ends.sort_unstable();
    ends.dedup();
    let all = [
        "AccessViolation",
        "CallDepthExceeded",
        "CallOutsideTextSegment",
        "DivideByZero",
        "DivideOverflow",
        "ExceededMaxInstructions",
        "ExecutionOverrun",
        "Exit",
        "StackAccessViolation",
    ];
    assert_eq!(ends, all);
}

#[test]
fn only_permutations_are_labellings() {
    let identity = |id: AlphabetId| (0..id.radix()).collect::<Vec<_>>();
    assert!(Labels::from_positions(identity).is_some_and(|labels| labels.is_identity()));
    assert!(!labels(1).is_identity());
    assert!(Labels::from_positions(|id| vec![0; id.radix()]).is_none());
    assert!(Labels::from_positions(|id| (0..id.radix() - 1).collect()).is_none());
    assert!(Labels::from_positions(|id| (1..=id.radix()).collect()).is_none());
}
