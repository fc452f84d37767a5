//! What a suite reached, counted from the oracle's outcomes.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use svmllm::host::{EbpfError, Version};

use crate::{
    case::{Case, FRAME_SIZE, HEAP_ADDRESS, STACK_ADDRESS},
    isa::{self, Kind, SLOT},
    outcome::Outcome,
};

/// Counts over cases of one version.
#[derive(Clone, Debug)]
pub struct Coverage {
    version: Version,
    executed: [u64; 256],
    endings: BTreeMap<String, u64>,
    accesses: BTreeMap<&'static str, u64>,
    lengths: Vec<u64>,
}

impl Coverage {
    /// No cases yet.
    pub fn new(version: Version) -> Self {
        Self {
            version,
            executed: [0; 256],
            endings: BTreeMap::new(),
            accesses: BTreeMap::new(),
            lengths: Vec::new(),
        }
    }

    /// Counts one case.
    pub fn record(&mut self, case: &Case, outcome: &Outcome) {
        *self.endings.entry(ending(outcome)).or_default() += 1;
        self.lengths.push(outcome.instructions);
        for step in &outcome.trace {
            let at = step[11] as usize * SLOT;
            let slot = &case.program.text[at..at + SLOT];
            self.executed[usize::from(slot[0])] += 1;
            self.record_access(step, slot);
        }
    }

    fn record_access(&mut self, step: &[u64; 12], slot: &[u8]) {
        let (base, size) = match isa::find(self.version, slot[0]).map(|opcode| opcode.kind) {
            Some(Kind::Load(size)) => (slot[1] >> 4, size),
            Some(Kind::StoreImm(size) | Kind::StoreReg(size)) => (slot[1] & 15, size),
            _ => return,
        };
        let base = step[usize::from(base)];
        let offset = i64::from(i16::from_le_bytes([slot[2], slot[3]]));
        let address = base.wrapping_add_signed(offset);
        let inside = address % FRAME_SIZE;
        let mut count = |name, holds: bool| *self.accesses.entry(name).or_default() += u64::from(holds);
        count("all", true);
        count("unaligned", !address.is_multiple_of(size));
        count("wrapping", base.checked_add_signed(offset).is_none());
        count(
            "crossing a frame's end",
            (STACK_ADDRESS..HEAP_ADDRESS).contains(&address)
                && (!isa::has_gaps(self.version) || (address / FRAME_SIZE).is_multiple_of(2))
                && inside + size > FRAME_SIZE,
        );
    }

    /// Number of cases.
    pub fn cases(&self) -> u64 {
        self.lengths.len() as u64
    }

    /// How often each opcode of the instruction set was executed.
    pub fn opcodes(&self) -> impl Iterator<Item = (&'static str, u64)> {
        isa::opcodes(self.version)
            .iter()
            .map(|opcode| (opcode.name.as_str(), self.executed[usize::from(opcode.code)]))
    }

    /// How many cases ended in a way: `ok`, or an error's name with access and region.
    pub fn ending(&self, name: &str) -> u64 {
        self.endings.get(name).copied().unwrap_or(0)
    }

    /// The median number of instructions of a case.
    pub fn median(&self) -> u64 {
        let mut lengths = self.lengths.clone();
        lengths.sort_unstable();
        lengths.get(lengths.len() / 2).copied().unwrap_or(0)
    }

    /// The counts as the results files hold them.
    pub fn to_json(&self) -> Value {
        json!({
            "instructions": {
                "median": self.median(),
                "largest": self.lengths.iter().max(),
                "total": self.lengths.iter().sum::<u64>(),
            },
            "endings": self.endings,
            "accesses": self.accesses,
            "opcodes": self.opcodes().collect::<BTreeMap<_, _>>(),
        })
    }
}

/// The names of all ways in which a program of a version can end.
pub fn all_endings(version: Version) -> Vec<String> {
    let plain = [
        "ok",
        "CallDepthExceeded",
        "DivideByZero",
        "ExecutionOverrun",
        "CallOutsideTextSegment",
        "ExceededMaxInstructions",
        "UnsupportedInstruction",
    ];
    let mut names: Vec<String> = plain.map(String::from).to_vec();
    if version == Version::V2 {
        names.push("DivideOverflow".into());
    }
    // Where frames are fixed and have no gaps, every violation in the stack is one of a frame.
    let (framed, regions): (_, &[&str]) = match version {
        Version::V0 => (true, &["unallocated", "program", "stack", "heap", "input"]),
        Version::V1 | Version::V2 => (false, &["unallocated", "program", "stack", "heap", "input"]),
        Version::V3 => (true, &["unallocated", "allocated", "heap", "input"]),
    };
    for access in ["reading", "writing"] {
        if framed {
            names.push(format!("StackAccessViolation {access}"));
        }
        names.extend(regions.iter().map(|region| format!("AccessViolation {access} {region}")));
    }
    names
}

fn ending(outcome: &Outcome) -> String {
    match &outcome.status {
        Ok(_) => "ok".into(),
        Err(error @ EbpfError::AccessViolation(access, _, _, region)) => {
            format!("{} {access} {region}", error.name())
        }
        Err(error @ EbpfError::StackAccessViolation(access, ..)) => format!("{} {access}", error.name()),
        Err(error) => error.name().into(),
    }
}
