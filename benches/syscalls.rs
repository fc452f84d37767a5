//! Syscalls on the rows and natively.
//!
//! `cargo bench -p svmllm-xcheck --bench syscalls`. The ratios, measured in turn in one process, are in
//! `results/performance.json`.

use criterion::{Criterion, criterion_group, criterion_main};
use svmllm::tables::{Indexed, Weights};
use svmllm_xcheck::bench_syscalls::all;

fn syscalls(criterion: &mut Criterion) {
    let indexed = Indexed::new(&Weights::generate()).expect("the generated weights can be used");
    for benchmark in all().expect("the programs assemble") {
        let mut group = criterion.benchmark_group(benchmark.name);
        group.bench_function("weights", |bencher| {
            bencher.iter_custom(|times| benchmark.time(&indexed, times).expect("the call returns"));
        });
        group.bench_function("native", |bencher| {
            bencher.iter_custom(|times| benchmark.native_time(times).expect("the result is right"));
        });
        group.finish();
    }
}

criterion_group!(benches, syscalls);
criterion_main!(benches);
