//! Loops to measure speed with.

use anyhow::ensure;
use svmllm::host::Version;

use crate::{
    case::{Case, CaseId, HEAP_ADDRESS},
    generate::code::{Anchor, Code, link},
    oracle::sbpf::Sbpf,
};

/// A named loop.
#[derive(Clone, Debug)]
pub struct Benchmark {
    /// What the loop is made of.
    pub name: &'static str,
    /// The program, with a budget that is enough.
    pub case: Case,
}

type LoopBody = fn(&mut Code);

/// All loops, each run `iterations` times.
pub fn all(iterations: u32) -> Vec<Benchmark> {
    let bodies: [(_, LoopBody); 7] = [
        ("alu64", alu64),
        ("add64", add64),
        ("alu32", alu32),
        ("mul64", mul64),
        ("div64", div64),
        ("memory", memory),
        ("call", call),
    ];
    bodies.into_iter().map(|(name, body)| benchmark(name, body, iterations)).collect()
}

fn benchmark(name: &'static str, body: LoopBody, iterations: u32) -> Benchmark {
    let mut main = Code::new(Version::V0);
    for (register, value) in [
        (1, 0x0123_4567_89ab_cdef),
        (2, 0xfedc_ba98_7654_3210),
        (3, 0x9e37_79b9_7f4a_7c15),
        (4, 1_000_003),
        (5, HEAP_ADDRESS),
        (6, u64::from(iterations)),
    ] {
        main.lddw(register, value);
    }
    let start = main.len();
    body(&mut main);
    main.op("sub64_imm", 6, 0, 0, 1);
    main.op("jne_imm", 6, 0, start as i16 - main.len() as i16 - 1, 0);
    main.op("mov64_reg", 0, 1, 0, 0);
    main.exit();
    let mut callee = Code::new(Version::V0);
    callee.op("add64_reg", 1, 2, 0, 0);
    callee.exit();
    Benchmark {
        name,
        case: Case {
            id: CaseId { suite: "performance", seed: 0, index: 0 },
            program: link(&[main, callee], &[0, 1], 0),
            input: Vec::new(),
            heap: 32 << 10,
            budget: u64::MAX >> 1,
            registers: Vec::new(),
            memory: Vec::new(),
        },
    }
}

/// Eight additions.
fn add64(code: &mut Code) {
    for (dst, src) in [(1, 2), (2, 3), (3, 1), (1, 3)].repeat(2) {
        code.op("add64_reg", dst, src, 0, 0);
    }
}

/// Eight additions and exclusive ors.
fn alu64(code: &mut Code) {
    for (dst, src) in [(1, 2), (2, 3), (3, 1), (1, 3)] {
        code.op("add64_reg", dst, src, 0, 0);
        code.op("xor64_reg", src, dst, 0, 0);
    }
}

/// The same on 32 bits.
fn alu32(code: &mut Code) {
    for (dst, src) in [(1, 2), (2, 3), (3, 1), (1, 3)] {
        code.op("add32_reg", dst, src, 0, 0);
        code.op("xor32_reg", src, dst, 0, 0);
    }
}

/// Products of full width.
fn mul64(code: &mut Code) {
    for _ in 0..4 {
        code.op("mul64_reg", 1, 3, 0, 0);
        code.op("xor64_reg", 1, 2, 0, 0);
    }
}

/// Quotients and remainders by 20 bits.
fn div64(code: &mut Code) {
    for operation in ["div64_reg", "mod64_reg"].repeat(2) {
        code.op("mov64_reg", 1, 2, 0, 0);
        code.op(operation, 1, 4, 0, 0);
        code.op("add64_reg", 2, 3, 0, 0);
    }
}

/// Loads and stores of each size.
fn memory(code: &mut Code) {
    for (offset, suffix) in ["b", "h", "w", "dw"].into_iter().enumerate() {
        let offset = offset as i16 * 24;
        code.op(&format!("stx{suffix}"), 5, 1, offset, 0);
        code.op(&format!("ldx{suffix}"), 2, 5, offset + 8, 0);
    }
}

/// A call of a function of one instruction, and its return.
fn call(code: &mut Code) {
    code.call(Anchor::Start(1), 2);
}

/// Nanoseconds an instruction takes in solana-sbpf's interpreter, in one run.
///
/// The oracle should be [`Sbpf::untraced`]. Loading and setting up memory are not counted. Meaningful in a release build only.
pub fn reference_ns(oracle: &mut Sbpf, case: &Case) -> anyhow::Result<f64> {
    let (nanoseconds, instructions) = oracle.time(case)?;
    ensure!(instructions > 0, "nothing was executed");
    Ok(nanoseconds as f64 / instructions as f64)
}

/// Nanoseconds an instruction takes in code compiled by solana-sbpf's JIT, in one run; compiling is not counted.
pub fn jit_ns(oracle: &mut Sbpf, case: &Case) -> anyhow::Result<f64> {
    let (nanoseconds, instructions) = oracle.time_compiled(case)?;
    ensure!(instructions > 0, "nothing was executed");
    Ok(nanoseconds as f64 / instructions as f64)
}

/// Measures things in turn, `rounds` times over, and gives the median of each.
///
/// A disturbance of the machine then touches all of them, and their ratios hold.
pub fn interleaved(
    rounds: usize,
    measurements: &mut [&mut dyn FnMut() -> anyhow::Result<f64>],
) -> anyhow::Result<Vec<f64>> {
    ensure!(rounds > 0, "a median needs at least one round");
    let mut samples = vec![Vec::with_capacity(rounds); measurements.len()];
    for _ in 0..rounds {
        for (measurement, samples) in measurements.iter_mut().zip(&mut samples) {
            samples.push(measurement()?);
        }
    }
    Ok(samples
        .into_iter()
        .map(|mut samples| {
            samples.sort_by(f64::total_cmp);
            samples[rounds / 2]
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Oracle;

    #[test]
    fn every_loop_runs_to_its_end() {
        for Benchmark { name, case } in all(10) {
            let outcome = Sbpf::new().run(&case).unwrap();
            assert!(outcome.status.is_ok(), "{name}: {:?}", outcome.status);
            assert!(outcome.instructions > 40, "{name}");
        }
    }

    #[test]
    fn medians_are_of_interleaved_rounds() {
        let order = std::cell::RefCell::new(Vec::new());
        let mut count = 0.0;
        let mut first = || {
            order.borrow_mut().push('a');
            count += 1.0;
            Ok(count)
        };
        let mut second = || {
            order.borrow_mut().push('b');
            Ok(7.0)
        };
        assert_eq!(interleaved(3, &mut [&mut first, &mut second]).unwrap(), [2.0, 7.0]);
        assert_eq!(order.borrow().iter().collect::<String>(), "ababab");
    }
}
