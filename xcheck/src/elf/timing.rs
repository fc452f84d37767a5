//! How long loading takes.

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::{Pair, Purpose};
use svmllm::host::elf::load;

/// Medians over the rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadTimes {
    /// Our loader.
    pub svmllm: Duration,
    /// solana-sbpf's.
    pub reference: Duration,
}

impl LoadTimes {
    /// How many times as long as the reference we take.
    pub fn ratio(&self) -> f64 {
        self.svmllm.as_secs_f64() / self.reference.as_secs_f64()
    }
}

/// Loads a file for execution with both loaders in turn, `rounds` times.
pub fn load_times(file: &[u8], rounds: usize) -> LoadTimes {
    let pair = Pair::new(Purpose::Execution);
    let (mut svmllm, mut reference) = (Vec::new(), Vec::new());
    for _ in 0..rounds.max(1) {
        svmllm.push(time(|| load(file, &pair.options).is_ok()));
        reference.push(time(|| pair.reference.accepts(file)));
    }
    LoadTimes { svmllm: median(svmllm), reference: median(reference) }
}

fn time(work: impl FnOnce() -> bool) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
