//! No file makes the loader allocate more than a small multiple of its size.

use peak_alloc::PeakAlloc;
use svmllm::host::elf::{LoadOptions, load};
use svmllm_xcheck::elf::{Mutants, crafted, shipped};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The copy to relocate, the image and the text are each at most as long as the file; the functions, one for
/// each 8 bytes of calls, can take as much as four files.
const FILES: usize = 7;
/// For what does not grow with the file.
const SMALL: usize = 1024;

#[test]
fn memory_is_in_proportion_to_the_file() {
    let options = [LoadOptions::execution(), LoadOptions::deployment()];
    let check = |name: &str, file: &[u8]| {
        for options in &options {
            let before = ALLOCATOR.current_usage();
            ALLOCATOR.reset_peak_usage();
            drop(load(file, options));
            let used = ALLOCATOR.peak_usage() - before;
            assert!(used <= FILES * file.len() + SMALL, "{name}: {used} bytes for {}", file.len());
        }
    };
    let programs = shipped().unwrap();
    for program in &programs {
        check(&program.name, &program.bytes);
    }
    for case in crafted() {
        check(case.name, &case.bytes);
    }
    let mutants = Mutants::new(programs, 2026);
    for number in 0..2000 {
        let (bytes, steps) = mutants.get(number);
        check(&steps, &bytes);
    }
}
