//! One run to be compared: a program and everything it starts from.

use std::{fmt, ops::Range};

use anyhow::{Context, ensure};
use svmllm::host::Program;

use crate::isa;

/// Start of the program region, in versions 0 to 2 of the read-only data too.
pub const PROGRAM_ADDRESS: u64 = 0x1_0000_0000;
/// Start of the stack region.
pub const STACK_ADDRESS: u64 = 0x2_0000_0000;
/// Start of the heap region.
pub const HEAP_ADDRESS: u64 = 0x3_0000_0000;
/// Start of the input region.
pub const INPUT_ADDRESS: u64 = 0x4_0000_0000;
/// Bytes of one stack frame; in version 0 a gap of the same size follows each.
pub const FRAME_SIZE: u64 = 4096;
/// Number of stack frames.
pub const FRAMES: u64 = 64;
/// Bytes of stack memory, gaps not counted.
pub const STACK_SIZE: usize = (FRAME_SIZE * FRAMES) as usize;

/// What names a case: enough to make it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaseId {
    /// The suite's name.
    pub suite: &'static str,
    /// The suite's seed.
    pub seed: u64,
    /// The index within the suite.
    pub index: u64,
}

impl CaseId {
    /// The command line that runs this case alone.
    pub fn rerun(&self) -> String {
        format!("svmllm-xcheck case {} {} --seed {}", self.suite, self.index, self.seed)
    }
}

impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} seed {} index {} (rerun: {})", self.suite, self.seed, self.index, self.rerun())
    }
}

/// A program with its input, memory, registers and budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// How to make this case again.
    pub id: CaseId,
    /// The program.
    pub program: Program,
    /// Bytes of the input region.
    pub input: Vec<u8>,
    /// Bytes of the heap region.
    pub heap: usize,
    /// Compute units to spend.
    pub budget: u64,
    /// Registers to set before the run; the others start as the VM starts them.
    pub registers: Vec<(u8, u64)>,
    /// Heap or stack bytes to set before the run, by virtual address.
    pub memory: Vec<(u64, Vec<u8>)>,
}

/// Where bytes preset by [`Case::memory`] lie in the memory behind a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the stack, gaps left out.
    Stack(Range<usize>),
    /// In the heap.
    Heap(Range<usize>),
}

impl Case {
    /// Finds the memory behind `len` bytes at a virtual address of the stack or the heap.
    ///
    /// As for an access by the program, where frames have gaps only the start must lie inside a frame: the
    /// bytes that pass its end go to the next one.
    pub fn place(&self, address: u64, len: usize) -> anyhow::Result<Place> {
        if (HEAP_ADDRESS..INPUT_ADDRESS).contains(&address) {
            let start = (address - HEAP_ADDRESS) as usize;
            let end = start.checked_add(len).filter(|end| *end <= self.heap);
            return Ok(Place::Heap(start..end.context("preset bytes past the end of the heap")?));
        }
        ensure!(
            (STACK_ADDRESS..HEAP_ADDRESS).contains(&address),
            "{address:#x} is in neither stack nor heap"
        );
        let mut start = (address - STACK_ADDRESS) as usize;
        if isa::has_gaps(self.program.version) {
            let (slice, within) = (start / FRAME_SIZE as usize, start % FRAME_SIZE as usize);
            ensure!(slice.is_multiple_of(2), "{address:#x} is in a gap of the stack");
            start = slice / 2 * FRAME_SIZE as usize + within;
        }
        let end = start.checked_add(len).filter(|end| *end <= STACK_SIZE);
        Ok(Place::Stack(start..end.context("preset bytes past the end of the stack")?))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use svmllm::host::Version;

    use super::*;

    fn case() -> Case {
        Case {
            id: CaseId { suite: "random", seed: 1, index: 2 },
            program: Program::from_text(Version::V0, vec![0x95, 0, 0, 0, 0, 0, 0, 0], 0, BTreeMap::new()),
            input: vec![],
            heap: 16,
            budget: 1,
            registers: vec![],
            memory: vec![],
        }
    }

    #[test]
    fn presets_find_their_memory() {
        let case = case();
        assert_eq!(case.place(HEAP_ADDRESS + 8, 8).unwrap(), Place::Heap(8..16));
        assert_eq!(case.place(STACK_ADDRESS + 4092, 8).unwrap(), Place::Stack(4092..4100));
        assert_eq!(case.place(STACK_ADDRESS + 3 * 8192 + 1, 2).unwrap(), Place::Stack(12289..12291));
    }

    #[test]
    fn presets_outside_are_refused() {
        let case = case();
        for (address, len) in [
            (HEAP_ADDRESS + 9, 8),
            (STACK_ADDRESS + 4096, 1),
            (STACK_ADDRESS + 0x7f000, 1),
            (0, 1),
            (u64::MAX, 1),
        ] {
            assert!(case.place(address, len).is_err(), "{address:#x}");
        }
    }
}
