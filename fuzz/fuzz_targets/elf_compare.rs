//! Any bytes load as solana-sbpf loads them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use svmllm_xcheck::elf::{Pair, Purpose};

fuzz_target!(|file: &[u8]| {
    for purpose in [Purpose::Execution, Purpose::Deployment] {
        if let Err(difference) = Pair::new(purpose).compare(file) {
            panic!("{purpose:?}: {difference}");
        }
    }
});
