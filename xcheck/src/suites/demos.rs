//! The demos: each answer against an independent computation, each run against the reference.

use std::{collections::BTreeMap, time::Instant};

use anyhow::ensure;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use svmllm::host::{Mode, Version, assemble};

use super::{Options, check, progress_bar};
use crate::{
    case::{Case, CaseId},
    machine,
    oracle::{Oracle, sbpf::Sbpf},
    report::{DESCRIBED, Mismatch, OracleVersion, Report, seconds_since},
    subject::Subject,
};

/// Inputs tried of each program.
const EACH: u64 = 400;

/// What a program should come to.
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    /// r0; `None` if the program has to fail.
    result: Option<u64>,
    /// The input region afterwards.
    input: Vec<u8>,
}

/// A program under test.
struct Demo {
    name: &'static str,
    source: &'static str,
    /// An input.
    input: fn(&mut ChaCha8Rng) -> Vec<u8>,
    /// What to expect of it.
    answer: fn(&[u8]) -> Answer,
}

const DEMOS: [Demo; 10] = [
    Demo {
        name: "fib",
        source: include_str!("../../../programs/fib/fib.s"),
        input: |rng| bytes(&[rng.random_range(0..300)]),
        answer: |input| {
            // By squaring: F(2k) = F(k) (2 F(k+1) - F(k)), F(2k+1) = F(k)^2 + F(k+1)^2.
            let n = words(input)[0];
            let (mut a, mut b) = (0u64, 1u64);
            for bit in (0..64).rev() {
                let even = a.wrapping_mul(b.wrapping_mul(2).wrapping_sub(a));
                let odd = a.wrapping_mul(a).wrapping_add(b.wrapping_mul(b));
                (a, b) = if n >> bit & 1 == 0 { (even, odd) } else { (odd, even.wrapping_add(odd)) };
            }
            result(input, a)
        },
    },
    Demo {
        name: "factorial",
        source: include_str!("../../../programs/factorial/factorial.s"),
        input: |rng| bytes(&[rng.random_range(0..70)]),
        answer: |input| {
            let n = words(input)[0];
            let product = (1..=n).fold(1u64, u64::wrapping_mul);
            Answer { result: (n < 64).then_some(product), input: input.to_vec() }
        },
    },
    Demo {
        name: "gcd",
        source: include_str!("../../../programs/gcd/gcd.s"),
        input: |rng| {
            let common = any(rng) & 0xffff;
            bytes(&[any(rng), any(rng)].map(|factor| common.wrapping_mul(factor)))
        },
        answer: |input| {
            // Stein's algorithm, which only shifts and subtracts.
            let [mut a, mut b] = words(input).try_into().unwrap_or_default();
            if a == 0 || b == 0 {
                return result(input, a | b);
            }
            let twos = (a | b).trailing_zeros();
            a >>= a.trailing_zeros();
            while b != 0 {
                b >>= b.trailing_zeros();
                (a, b) = (a.min(b), a.max(b));
                b -= a;
            }
            result(input, a << twos)
        },
    },
    Demo {
        name: "isqrt",
        source: include_str!("../../../programs/isqrt/isqrt.s"),
        input: |rng| bytes(&[any(rng)]),
        answer: |input| result(input, words(input)[0].isqrt()),
    },
    Demo {
        name: "prime",
        source: include_str!("../../../programs/primes/prime.s"),
        input: |rng| bytes(&[any(rng) >> 46]),
        answer: |input| {
            let n = words(input)[0] as usize;
            let mut sieve = vec![true; n.max(1) + 1];
            sieve[..2].fill(false);
            for divisor in 2..=n.isqrt() {
                for multiple in (2 * divisor..=n).step_by(divisor) {
                    sieve[multiple] = false;
                }
            }
            result(input, sieve[n].into())
        },
    },
    Demo {
        name: "sort",
        source: include_str!("../../../programs/sort/sort.s"),
        input: |rng| {
            let count = rng.random_range(0..40u64);
            let numbers: Vec<u64> = (0..count).map(|_| any(rng)).collect();
            bytes(&[vec![count], numbers].concat())
        },
        answer: |input| {
            let mut numbers = words(input);
            let count = numbers[0];
            numbers[1..].sort_unstable();
            Answer { result: Some(count), input: bytes(&numbers) }
        },
    },
    Demo {
        name: "checksum",
        source: include_str!("../../../programs/checksum/checksum.s"),
        input: |rng| {
            let mut text = vec![0; rng.random_range(0..200)];
            rng.fill(&mut text[..]);
            [&(text.len() as u64).to_le_bytes()[..], &text].concat()
        },
        answer: |input| {
            // Modulo 65535, as RFC 1071 allows; but a sum that is not 0 never becomes 0.
            let pairs = input[8..].chunks(2);
            let sum: u64 =
                pairs.map(|pair| u64::from(pair[0]) << 8 | u64::from(*pair.get(1).unwrap_or(&0))).sum();
            let folded = if sum > 0 && sum.is_multiple_of(0xffff) { 0xffff } else { sum % 0xffff };
            result(input, 0xffff - folded)
        },
    },
    Demo {
        name: "collatz",
        source: include_str!("../../../programs/collatz/collatz.s"),
        input: |rng| bytes(&[(any(rng) >> 34).max(1)]),
        answer: |input| {
            let odd_next = |n: u128| if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
            let path = std::iter::successors(Some(u128::from(words(input)[0])), |n| Some(odd_next(*n)));
            result(input, path.take_while(|n| *n != 1).count() as u64)
        },
    },
    Demo {
        name: "transfer",
        source: include_str!("../../../programs/transfer/transfer.s"),
        input: |rng| {
            let amount = any(rng);
            bytes(&[near(rng, amount), near(rng, amount.wrapping_neg()), amount])
        },
        answer: |input| {
            let [source, destination, amount] = words(input).try_into().unwrap_or_default();
            match (source.checked_sub(amount), destination.checked_add(amount)) {
                (None, _) => result(input, 1),
                (_, None) => result(input, 2),
                (Some(source), Some(destination)) => {
                    Answer { result: Some(0), input: bytes(&[source, destination, amount]) }
                }
            }
        },
    },
    Demo {
        name: "guard",
        source: include_str!("../../../programs/guard/guard.s"),
        input: |rng| {
            let [amount, spent, opens] = std::array::from_fn(|_| any(rng) >> rng.random_range(0..64));
            let limit = near(rng, amount.saturating_add(spent));
            bytes(&[near(rng, amount), amount, limit, spent, near(rng, opens), opens])
        },
        answer: |input| {
            let [balance, amount, limit, spent, now, opens] = words(input).try_into().unwrap_or_default();
            let refusals = [
                amount == 0,
                now < opens,
                amount > balance,
                u128::from(spent) + u128::from(amount) > u128::from(limit),
            ];
            result(input, refusals.iter().position(|refused| *refused).map_or(0, |first| first as u64 + 1))
        },
    },
];

fn result(input: &[u8], result: u64) -> Answer {
    Answer { result: Some(result), input: input.to_vec() }
}

fn words(input: &[u8]) -> Vec<u64> {
    input.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A number of any length.
fn any(rng: &mut ChaCha8Rng) -> u64 {
    rng.random::<u64>() >> rng.random_range(0..64)
}

/// A number that is often just below, at or just above another.
fn near(rng: &mut ChaCha8Rng, number: u64) -> u64 {
    match rng.random_range(0..4) {
        0 => number.wrapping_sub(1),
        1 => number,
        2 => number.wrapping_add(1),
        _ => any(rng),
    }
}

/// Case `index` of a demo.
fn case(demo: &Demo, seed: u64, index: u64) -> anyhow::Result<Case> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ index);
    Ok(Case {
        id: CaseId { suite: "demos", seed, index },
        program: assemble(demo.source, Version::V0)?,
        input: (demo.input)(&mut rng),
        heap: 0,
        budget: 1_400_000,
        registers: Vec::new(),
        memory: Vec::new(),
    })
}

/// Why a subject's run is wrong, if it is.
fn fault(
    demo: &Demo,
    case: &Case,
    oracle: &mut Sbpf,
    subject: &mut dyn Subject,
) -> anyhow::Result<Option<String>> {
    let expected = oracle.run(case)?;
    if let Some(difference) = check(case, &expected, subject)? {
        return Ok(Some(format!("{}: {difference}", demo.name)));
    }
    // The subject did as the reference did: what is left is whether the program is right.
    let found = Answer { result: expected.status.as_ref().ok().copied(), input: expected.input };
    let answer = (demo.answer)(&case.input);
    Ok((found != answer).then(|| format!("{}: expected {answer:?}, got {found:?}", demo.name)))
}

/// Runs the suite. A case is a program with an input.
///
/// # Errors
/// A program or the reference cannot be used.
pub fn run(seed: u64, options: Options) -> anyhow::Result<Report> {
    let started = Instant::now();
    let each = options.sample.map_or(EACH, |sample| sample.div_ceil(DEMOS.len() as u64));
    ensure!(each > 0, "no cases");
    let bar = progress_bar("demos", each * DEMOS.len() as u64, options.progress);
    let (mut oracle, mut subject) = (Sbpf::new(), machine::indexed(Mode::Lazy)?);
    let (mut matched, mut mismatches) = (0, Vec::new());
    let mut by_demo = BTreeMap::new();
    for (number, demo) in DEMOS.iter().enumerate() {
        for index in (0..each).map(|index| number as u64 * EACH + index) {
            bar.inc(1);
            *by_demo.entry(demo.name).or_insert(0) += 1;
            let case = case(demo, seed, index)?;
            match fault(demo, &case, &mut oracle, &mut subject)? {
                None => matched += 1,
                Some(_) if mismatches.len() == DESCRIBED => {}
                Some(text) => mismatches.push(Mismatch {
                    index,
                    text,
                    difference: None,
                    rerun: format!("svmllm-xcheck results demos --seed {seed}"),
                }),
            }
        }
    }
    bar.finish_and_clear();
    Ok(Report {
        suite: "demos",
        oracle: OracleVersion { name: oracle.name(), version: oracle.version() },
        svmllm: env!("CARGO_PKG_VERSION"),
        seed,
        evaluator: subject.name(),
        cases: each * DEMOS.len() as u64,
        matched,
        mismatches,
        seconds: seconds_since(started),
        coverage: json!({ "inputs by program": by_demo }),
        rows: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_are_right() {
        let report = run(1, Options { sample: Some(200), progress: false }).unwrap();
        assert!(report.is_clean(), "{:#?}", report.mismatches);
        assert_eq!(report.cases, 200);
    }

    /// Every answer a program can give is expected of some case.
    #[test]
    fn every_outcome_is_reached() {
        for (name, outcomes) in [("transfer", 3), ("guard", 5), ("prime", 2)] {
            let demo = DEMOS.iter().find(|demo| demo.name == name).unwrap();
            let answers = (0..EACH).map(|index| (demo.answer)(&case(demo, 1, index).unwrap().input).result);
            let mut counts: BTreeMap<_, u64> = BTreeMap::new();
            answers.for_each(|answer| *counts.entry(answer).or_default() += 1);
            assert_eq!(counts.len(), outcomes, "{name}: {counts:?}");
        }
    }

    #[test]
    fn a_wrong_program_is_noticed() {
        let wrong = Demo { source: "mov64 r0, 0\nexit", ..DEMOS[9] };
        let mut subject = machine::indexed(Mode::Lazy).unwrap();
        let faults = (0..20).filter(|index| {
            let case = case(&wrong, 1, *index).unwrap();
            fault(&wrong, &case, &mut Sbpf::new(), &mut subject).unwrap().is_some()
        });
        assert!(faults.count() > 5);
    }
}
