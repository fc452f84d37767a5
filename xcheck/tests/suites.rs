//! The suites reach what they claim to reach, agree with themselves, and notice what is wrong.

use svmllm::host::{EbpfError, Version};
use svmllm_xcheck::{
    Case, DEFAULT_SEED, Outcome,
    coverage::{Coverage, all_endings},
    generate::opcodes::{PAIRS, forms},
    isa::VERSIONS,
    oracle::{Oracle, sbpf::Sbpf},
    report::Report,
    subject::{Reference, Subject},
    suites::{self, NAMES, Opcodes, Options, Random, Suite},
};

fn run(suite: &str, subject: &mut dyn Subject, sample: u64) -> Report {
    let mut suite = suites::by_name(suite, DEFAULT_SEED).unwrap();
    let options = Options { sample: Some(sample), progress: false };
    suites::run(suite.as_mut(), &mut Sbpf::new(), subject, options).unwrap()
}

/// What a suite reaches on a version, by the oracle.
fn reached(version: Version, suite: &mut dyn Suite) -> Coverage {
    let (mut coverage, mut oracle) = (Coverage::new(version), Sbpf::new());
    for index in 0..suite.size() {
        let case = suite.case(index).unwrap().unwrap();
        let outcome = oracle.run(&case).unwrap_or_else(|error| panic!("{}: {error:#}", case.id));
        coverage.record(&case, &outcome);
    }
    coverage
}

fn random_programs_reach_everything(version: Version) {
    let coverage = reached(version, &mut Random { version, seed: DEFAULT_SEED });
    assert_eq!(coverage.cases(), 10_000);
    assert!(coverage.median() >= 150, "median {}", coverage.median());
    for (opcode, executions) in coverage.opcodes() {
        assert!(executions >= 2000, "{opcode} executed {executions} times");
    }
    for ending in all_endings(version) {
        let count = coverage.ending(&ending);
        assert!(count >= 100, "{count} cases end with {ending}");
    }
    let ok = coverage.ending("ok");
    assert!(10 * ok >= 3 * coverage.cases(), "{ok} of {} end ok", coverage.cases());
}

#[test]
fn random_programs_reach_everything_in_v0() {
    random_programs_reach_everything(Version::V0);
}

#[test]
fn random_programs_reach_everything_in_v1() {
    random_programs_reach_everything(Version::V1);
}

#[test]
fn random_programs_reach_everything_in_v2() {
    random_programs_reach_everything(Version::V2);
}

#[test]
fn random_programs_reach_everything_in_v3() {
    random_programs_reach_everything(Version::V3);
}

#[test]
fn the_opcode_suites_execute_every_form() {
    for (version, count) in VERSIONS.into_iter().zip([95, 96, 103, 117]) {
        let mut suite = Opcodes { version, seed: DEFAULT_SEED };
        assert_eq!(forms(version).len(), count, "{version:?}");
        assert_eq!(suite.size(), count as u64 * PAIRS);
        for (opcode, executions) in reached(version, &mut suite).opcodes() {
            assert!(executions >= PAIRS, "{opcode} of {version:?} executed {executions} times");
        }
    }
}

#[test]
fn the_reference_agrees_with_itself() {
    for suite in NAMES {
        let report = run(suite, &mut Reference(Sbpf::new()), 500);
        assert!(report.is_clean(), "{:#?}", report.mismatches);
        assert!(report.cases > 300, "{suite} has {} cases", report.cases);
    }
}

#[test]
fn cases_depend_on_seed_and_index_alone() {
    for name in NAMES {
        let mut forward = suites::by_name(name, 5).unwrap();
        let mut back = suites::by_name(name, 5).unwrap();
        let mut other = suites::by_name(name, 6).unwrap();
        let (a, b) = (forward.case(7).unwrap(), forward.case(1234).unwrap());
        assert_eq!((back.case(1234).unwrap(), back.case(7).unwrap()), (b, a.clone()), "{name}");
        assert_ne!(other.case(7).unwrap(), a, "{name}");
    }
}

/// An oracle whose outcomes are spoilt.
struct Spoilt {
    oracle: Sbpf,
    spoil: fn(&Case, &mut Outcome),
}

impl Subject for Spoilt {
    fn name(&self) -> String {
        "spoilt".into()
    }

    fn run(&mut self, case: &Case) -> anyhow::Result<Outcome> {
        let mut outcome = self.oracle.run(case)?;
        (self.spoil)(case, &mut outcome);
        Ok(outcome)
    }
}

fn executes(case: &Case, outcome: &Outcome, opcode: u8) -> Option<usize> {
    outcome.trace.iter().position(|step| case.program.text[step[11] as usize * 8] == opcode)
}

#[test]
fn defects_are_noticed() {
    type Spoil = fn(&Case, &mut Outcome);
    let defects: [(&str, &str, Spoil); 6] = [
        ("opcodes", "r", |case, outcome| {
            // add32 that forgets to sign-extend
            if let Some(step) = executes(case, outcome, 0x04) {
                let dst = usize::from(case.program.text[outcome.trace[step][11] as usize * 8 + 1] & 15);
                if let Some(after) = outcome.trace.get_mut(step + 1) {
                    after[dst] &= 0xffff_ffff;
                }
            }
        }),
        ("budgets", "status", |_, outcome| {
            if outcome.status == Err(EbpfError::ExceededMaxInstructions) {
                outcome.status = Ok(0);
            }
        }),
        ("budgets", "instructions", |_, outcome| outcome.instructions += u64::from(outcome.status.is_err())),
        ("random", "status", |_, outcome| {
            if let Err(EbpfError::StackAccessViolation(.., frame)) = &mut outcome.status {
                *frame += 1;
            }
        }),
        ("random", "stack", |_, outcome| outcome.stack.resize(8192, 1)),
        ("random", "r10", |_, outcome| {
            outcome.registers[10] += u64::from(outcome.registers[10] > 0x2_0000_1000)
        }),
    ];
    for (suite, field, spoil) in defects {
        let report = run(suite, &mut Spoilt { oracle: Sbpf::new(), spoil }, 500);
        let mismatch = report.mismatches.first().unwrap_or_else(|| panic!("{suite} misses {field}"));
        assert!(mismatch.text.starts_with(field), "{}", mismatch.text);
        assert_eq!(mismatch.rerun, format!("svmllm-xcheck case {suite} {} --seed 2026", mismatch.index));
        assert!(report.matched < report.cases && report.cases > 300);
    }
}

#[test]
fn failures_and_panics_of_the_subject_are_mismatches() {
    struct Broken;
    impl Subject for Broken {
        fn name(&self) -> String {
            "broken".into()
        }
        fn run(&mut self, case: &Case) -> anyhow::Result<Outcome> {
            match case.id.index % 2 {
                0 => anyhow::bail!("not today"),
                index => panic!("never for {index}"),
            }
        }
    }
    let report = run("random", &mut Broken, 10_000 / 7);
    assert_eq!(report.matched, 0);
    assert_eq!(report.mismatches.len(), 100);
    assert_eq!(report.mismatches[0].text, "not today");
    assert!(report.mismatches.iter().any(|mismatch| mismatch.text == "panic: never for 1"));
    let json = serde_json::to_value(&report).unwrap();
    for field in
        ["suite", "oracle", "svmllm", "seed", "evaluator", "cases", "matched", "mismatches", "seconds"]
    {
        assert!(!json[field].is_null(), "{field}");
    }
}
