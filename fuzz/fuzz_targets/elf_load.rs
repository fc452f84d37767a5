//! Any bytes load or are refused, without a panic and without growing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use svmllm::host::elf::{LoadOptions, load};

fuzz_target!(|file: &[u8]| {
    for options in [LoadOptions::execution(), LoadOptions::deployment()] {
        if let Ok(program) = load(file, &options) {
            assert!(program.image.len() <= file.len());
            assert!(program.text.len() <= file.len());
            assert!(program.functions.len() <= file.len());
        }
    }
});
