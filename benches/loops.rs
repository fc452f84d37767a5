//! Loops of each kind of instruction, on the rows, in the reference's interpreter and compiled by its JIT.
//!
//! `cargo bench -p svmllm-xcheck`. The ratios, measured in turn in one process, are in
//! `results/performance.json`.

use std::{hint::black_box, time::Duration};

use criterion::{Criterion, criterion_group, criterion_main};
use svmllm::tables::{Indexed, Weights};
use svmllm_xcheck::{
    bench_programs::{all, jit_ns, reference_ns},
    oracle::sbpf::Sbpf,
    suites::performance::machine_ns,
};

/// Iterations of a loop in one measurement.
const ITERATIONS: u32 = 10_000;

fn loops(criterion: &mut Criterion) {
    let weights = Weights::generate();
    let indexed = Indexed::new(&weights).expect("the generated weights can be used");
    let mut reference = Sbpf::untraced();
    for benchmark in all(ITERATIONS) {
        let mut group = criterion.benchmark_group(benchmark.name);
        // A measurement is one run of the loop; what criterion is told is the time of an instruction.
        let per_instruction = |ns: f64, times: u64| Duration::from_nanos((ns * times as f64) as u64);
        group.bench_function("weights", |bencher| {
            bencher.iter_custom(|times| {
                let runs = (times / 1_000_000).max(1);
                let total: f64 = (0..runs)
                    .map(|_| machine_ns(&indexed, black_box(&benchmark.case)).expect("the loop ends"))
                    .sum();
                per_instruction(total / runs as f64, times)
            });
        });
        group.bench_function("interpreter", |bencher| {
            bencher.iter_custom(|times| {
                let runs = (times / 1_000_000).max(1);
                let total: f64 = (0..runs)
                    .map(|_| reference_ns(&mut reference, black_box(&benchmark.case)).expect("the loop ends"))
                    .sum();
                per_instruction(total / runs as f64, times)
            });
        });
        group.bench_function("jit", |bencher| {
            bencher.iter_custom(|times| {
                let runs = (times / 1_000_000).max(1);
                let total: f64 = (0..runs)
                    .map(|_| jit_ns(&mut reference, black_box(&benchmark.case)).expect("the loop ends"))
                    .sum();
                per_instruction(total / runs as f64, times)
            });
        });
        group.finish();
    }
}

criterion_group!(benches, loops);
criterion_main!(benches);
