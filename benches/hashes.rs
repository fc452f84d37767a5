//! Blocks of the hash functions, by the weights and natively.
//!
//! `cargo bench -p svmllm-xcheck --bench hashes`. The ratios, measured in turn in one process, are in
//! `results/hashes.json`.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use svmllm::tables::{Indexed, Weights};
use svmllm_xcheck::hashes::Function;

fn blocks(criterion: &mut Criterion) {
    let indexed = Indexed::new(&Weights::generate()).expect("the generated weights can be used");
    for function in Function::ALL {
        let mut group = criterion.benchmark_group(function.name());
        group.bench_function("weights", |bencher| {
            let mut block = function.blocks(&indexed);
            bencher.iter(&mut block);
        });
        group.bench_function("native", |bencher| {
            // The padding makes one block of it.
            let bytes = vec![0x5a; function.block() / 2];
            bencher.iter(|| function.native(black_box(&bytes)));
        });
        group.finish();
    }
}

criterion_group!(benches, blocks);
criterion_main!(benches);
