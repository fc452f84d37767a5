//! One step of the machine, as a trace and the page show it.

use serde::Serialize;
use svmllm::host::{
    Effect, Program, instruction_text,
    recorded::{Event, Kind, Recording, Shown},
};

use crate::wire::{Change, Number};

/// What a step did.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// How many came before it.
    pub step: u64,
    /// Number of its slot.
    pub pc: u64,
    /// The instruction as assembly.
    pub instruction: String,
    /// Registers 0 to 10 before it.
    pub registers: [Number; 11],
    /// The control gates that are on, by group.
    pub gates: Vec<(&'static str, String)>,
    /// Registers and memory read: where, and the digits there.
    pub reads: Vec<(String, Number)>,
    /// What it changes.
    pub writes: Change,
    /// Compute units left after it.
    pub units: Number,
    /// Lines logged by a syscall.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logs: Vec<String>,
    /// Its layers, in the order in which they ran.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<Layer>,
    /// How many layers more there were.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

/// One layer, or an observation.
#[derive(Clone, Debug, Serialize)]
pub struct Layer {
    /// The part of the machine it belongs to.
    pub stage: Stage,
    /// What kind of layer it is.
    pub kind: &'static str,
    /// Which one.
    pub name: String,
    /// The whole-word operation it is a part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<&'static str>,
    /// What goes in.
    pub inputs: Vec<Digits>,
    /// What comes out.
    pub outputs: Vec<Digits>,
}

/// Digits side by side, each a one-hot vector.
#[derive(Clone, Debug, Serialize)]
pub struct Digits {
    /// The alphabet.
    pub alphabet: &'static str,
    /// Entries of each vector.
    pub radix: usize,
    /// Which entry of each vector is 1, the least significant digit first.
    pub hot: Vec<u8>,
    /// The letter of a single digit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub letter: Option<String>,
}

/// A part of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// The count of compute units.
    Meter,
    /// The attention that finds the slot.
    Fetch,
    /// From the opcode to gates.
    Decode,
    /// The number of the next slot.
    Counter,
    /// What the host reads.
    Observe,
    /// The register head.
    Registers,
    /// Arithmetic, comparison and choice.
    Alu,
    /// From an address to a place in memory.
    Translate,
    /// The heads of memory.
    Ram,
    /// Call frames and the tables of calls.
    Calls,
}

impl From<&Shown> for Digits {
    fn from(shown: &Shown) -> Self {
        Self {
            alphabet: shown.alphabet.name(),
            radix: shown.alphabet.radix(),
            hot: shown.letters.clone(),
            letter: shown.letter(),
        }
    }
}

impl Stage {
    /// What the part is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Meter => "meter",
            Self::Fetch => "fetch",
            Self::Decode => "decode",
            Self::Counter => "counter",
            Self::Observe => "observe",
            Self::Registers => "registers",
            Self::Alu => "alu",
            Self::Translate => "translate",
            Self::Ram => "ram",
            Self::Calls => "calls",
        }
    }
}

/// The names of the control groups, in their order.
const GROUPS: [&str; 10] = [
    "unit",
    "condition",
    "size",
    "register",
    "narrow",
    "extend",
    "half",
    "writes",
    "narrow_second",
    "callee",
];

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Step {
    /// A step from its recording, and from what was known before it ran.
    pub fn new(
        step: u64,
        program: &Program,
        before: &[u64; 12],
        effect: &Effect,
        recording: Recording,
    ) -> Self {
        let [registers @ .., pc] = *before;
        let events = &recording.events;
        let gates = gates(events);
        let accesses =
            gates.iter().any(|(group, gate)| *group == "unit" && (gate == "Load" || gate == "Store"));
        Self {
            step,
            pc,
            instruction: usize::try_from(pc).map(|pc| instruction_text(program, pc)).unwrap_or_default(),
            registers: registers.map(Number),
            reads: reads(events, &gates),
            gates,
            writes: effect.into(),
            units: Number(0),
            logs: Vec::new(),
            layers: layers(events, accesses),
            left_out: recording.left_out,
        }
    }

    /// What a syscall in this step did, as far as it shows: r0, which was `before`, and the lines logged.
    pub fn syscall(&mut self, before: u64, after: u64, logs: Vec<String>) {
        let called = self.gates.iter().any(|(group, gate)| *group == "unit" && gate.starts_with("Call"));
        if called && self.writes.frame.is_none() && before != after {
            self.writes.register = Some(("r0".into(), Number(after)));
        }
        self.logs = logs;
    }

    /// The gates in few words: the unit, then what is out of the ordinary.
    pub fn gates_text(&self) -> String {
        let mut words = Vec::new();
        for (group, gate) in &self.gates {
            match (*group, gate.as_str()) {
                ("unit" | "condition" | "size", gate) => words.push(gate.to_lowercase()),
                (group @ ("register" | "half" | "writes"), _) => words.push(group.to_owned()),
                (group, gate) => words.push(format!("{group}={}", gate.to_lowercase())),
            }
        }
        words.join(" ")
    }
}

/// The gates that are on and say something about this instruction.
fn gates(events: &[Event]) -> Vec<(&'static str, String)> {
    let Some(decode) = events.iter().find(|event| event.kind == Kind::Decode) else { return Vec::new() };
    let letter =
        |group: usize| decode.outputs.get(group).and_then(|shown| shown.letter()).unwrap_or_default();
    let unit = letter(0);
    let compares = matches!(unit.as_str(), "Compare" | "CompareSigned" | "Test");
    let accesses = matches!(unit.as_str(), "Load" | "Store");
    let says = |group: &str, gate: &str| match group {
        "unit" => true,
        "condition" => compares,
        "size" => accesses,
        "callee" => unit == "CallRegister",
        "narrow" | "extend" | "narrow_second" => gate != "Whole",
        _ => gate == "1",
    };
    let all = GROUPS.iter().enumerate().map(|(number, group)| (*group, letter(number)));
    all.filter(|(group, gate)| says(group, gate)).collect()
}

/// Registers and memory that were read and used. A step reads more: the source field of an instruction with
/// an immediate, say.
fn reads(events: &[Event], gates: &[(&str, String)]) -> Vec<(String, Number)> {
    let unit = gates.iter().find(|(group, _)| *group == "unit").map_or("", |(_, gate)| gate);
    let [destination, source] = [2, 3].map(|lane| slot_lane(events, lane));
    let mut used = Vec::new();
    if !matches!(unit, "Move" | "LoadConstant" | "Load" | "Call" | "CallStatic" | "Exit" | "Jump") {
        used.push(destination);
    }
    if unit == "Load" || gates.iter().any(|(group, _)| *group == "register") {
        used.push(source);
    }
    let mut reads: Vec<(String, Number)> = Vec::new();
    for event in heads(events, "registers") {
        let key = event.inputs.first().and_then(|key| key.letters.first()).copied();
        let value = event.outputs.first().and_then(Shown::value);
        if let (Some(key), Some(value), true) = (key, value, used.contains(&key)) {
            let read = (format!("r{key}"), Number(value));
            if !reads.contains(&read) {
                reads.push(read);
            }
        }
    }
    if unit == "Load" {
        reads.extend(memory_read(events));
    }
    reads
}

/// Reads of a head.
fn heads<'a>(events: &'a [Event], name: &'a str) -> impl Iterator<Item = &'a Event> {
    events.iter().filter(move |event| event.kind == Kind::Read && event.name == name)
}

/// A digit of the slot that was fetched first.
fn slot_lane(events: &[Event], lane: usize) -> Option<u8> {
    let fetch = events.iter().find(|event| event.kind == Kind::Fetch)?;
    fetch.outputs.first()?.letters.get(lane).copied()
}

/// What a load found: its region with the offset there, and eight bytes, of which as many count as the load
/// is wide.
fn memory_read(events: &[Event]) -> Option<(String, Number)> {
    let region = events.iter().find(|event| event.name == "region")?.outputs.first()?;
    let reads: Vec<&Event> = heads(events, "memory").collect();
    let event = match reads.as_slice() {
        [only] => only,
        // A full step reads every region.
        all => all.get(usize::from(*region.letters.first()?))?,
    };
    let offset = event.inputs.first()?.value()?;
    let place = format!("{}[{offset:#x}]", region.letter()?.to_lowercase());
    Some((place, Number(event.outputs.first()?.value()?)))
}

fn layers(events: &[Event], accesses: bool) -> Vec<Layer> {
    let (mut fetched, mut read) = (false, false);
    let each = |event: &Event| {
        fetched |= event.kind == Kind::Fetch;
        // The counter moves on before any operand is read.
        read |= event.kind == Kind::Read;
        let (stage, kind) = match event.kind {
            Kind::Fetch => (Stage::Fetch, "attention"),
            Kind::Find => (Stage::Calls, "attention"),
            Kind::Decode => (Stage::Decode, "table"),
            Kind::Observation(_) => (Stage::Observe, "observation"),
            Kind::Read | Kind::Write => {
                let stage = match event.name {
                    "registers" => Stage::Registers,
                    "memory" => Stage::Ram,
                    _ => Stage::Calls,
                };
                (stage, if event.kind == Kind::Read { "read" } else { "write" })
            }
            Kind::Table | Kind::Attention | Kind::Sum | Kind::Staircase => {
                let stage = match event.name {
                    _ if !fetched => Stage::Meter,
                    "phase" => Stage::Decode,
                    _ if !read && event.within == Some("increment") => Stage::Counter,
                    _ if accesses => Stage::Translate,
                    _ => Stage::Alu,
                };
                let kind = match event.kind {
                    Kind::Table => "table",
                    Kind::Attention => "attention",
                    Kind::Sum => "sum",
                    _ => "staircase",
                };
                (stage, kind)
            }
        };
        let name = match event.kind {
            Kind::Observation(site) => format!("{site:?}"),
            _ => event.name.to_owned(),
        };
        let digits = |shown: &[Shown]| shown.iter().map(Digits::from).collect();
        Layer {
            stage,
            kind,
            name,
            within: event.within,
            inputs: digits(&event.inputs),
            outputs: digits(&event.outputs),
        }
    };
    events.iter().map(each).collect()
}
