//! One syscall with everything it starts from, and what it comes to.

use svmllm::host::{ReturnData, Sysvars};

/// Bytes of input the harness serializes around the instruction data when there are no accounts.
pub const INPUT_ADDRESS: u64 = 0x4_0000_0000;
/// The program that calls.
pub const PROGRAM_ID: [u8; 32] = [5; 32];

/// A syscall, its arguments and its surroundings.
#[derive(Clone, Debug)]
pub struct Call {
    /// What it is counted under.
    pub family: &'static str,
    /// The name programs import it by.
    pub name: &'static str,
    /// Registers 1 to 5.
    pub arguments: [u64; 5],
    /// Units on the meter.
    pub units: u64,
    /// First bytes of the heap.
    pub heap: Vec<u8>,
    /// Bytes of the heap in all.
    pub heap_length: usize,
    /// First bytes of the stack.
    pub stack: Vec<u8>,
    /// The read-only region.
    pub rodata: Vec<u8>,
    /// Instruction data.
    pub data: Vec<u8>,
    /// The program belongs to the first loader, which checks no alignment.
    pub first_loader: bool,
    /// The sysvars there are.
    pub sysvars: Sysvars,
    /// Return data left by an earlier instruction.
    pub return_data: Option<ReturnData>,
}

/// What a syscall came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effects {
    /// r0, or the family (1 machine, 2 syscall, 3 instruction) and number of the error.
    pub result: Result<u64, (i32, i64)>,
    /// Units left.
    pub units: u64,
    /// The heap.
    pub heap: Vec<u8>,
    /// The stack.
    pub stack: Vec<u8>,
    /// The input region.
    pub input: Vec<u8>,
}

impl Call {
    /// The input region: no accounts, the data, the program's address.
    pub fn input(&self) -> Vec<u8> {
        let mut input = vec![0; 8];
        input.extend((self.data.len() as u64).to_le_bytes());
        input.extend(&self.data);
        input.extend(PROGRAM_ID);
        input
    }

    /// The differences between two outcomes, a line each.
    pub fn differences(&self, reference: &Effects, ours: &Effects) -> Vec<String> {
        let mut lines = Vec::new();
        if reference.result != ours.result {
            lines.push(format!("result {:?}, ours {:?}", reference.result, ours.result));
        }
        if reference.units != ours.units {
            lines.push(format!("units left {}, ours {}", reference.units, ours.units));
        }
        for (name, theirs, mine) in [
            ("heap", &reference.heap, &ours.heap),
            ("stack", &reference.stack, &ours.stack),
            ("input", &reference.input, &ours.input),
        ] {
            if theirs.len() != mine.len() {
                lines.push(format!("{name} has {} bytes, ours {}", theirs.len(), mine.len()));
            } else if let Some(at) = theirs.iter().zip(mine).position(|(a, b)| a != b) {
                lines.push(format!("{name}[{at:#x}] is {:#04x}, ours {:#04x}", theirs[at], mine[at]));
            }
        }
        lines
    }
}
