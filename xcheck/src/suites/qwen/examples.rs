//! Examples: prompts, and the answers that follow from the reference's register traces.

use anyhow::{Context, bail, ensure};
use serde::Serialize;
use svmllm::{
    export::qwen::{
        draft::{End, Registers, draft},
        prompt::Start,
        shape::Shape,
        tokens::{Token, Trap, Vocabulary},
    },
    host::{EbpfError, Setup, Version, assemble},
};

use super::{NAME, transfer};
use crate::{
    case::{Case, CaseId},
    generate::{drill, opcodes, random, small},
    isa::SLOT,
    oracle::{
        Oracle,
        sbpf::{self, Sbpf},
    },
    outcome::Outcome,
    suites::sampled,
};

/// Small random programs.
const RANDOM: u64 = 2000;
/// Random programs of a few hundred instructions, and their budget.
const LONG: u64 = 100;
const LONGEST: u64 = 300;
/// What makes the case with an index.
type Generator = fn(CaseId) -> Case;
/// Programs of [`drill`]: their names, generators and numbers.
const DRILLS: [(&str, Generator, u64); 3] =
    [("operands", drill::operands, 24), ("addresses", drill::addresses, 4), ("depth", drill::depth, 2)];
/// Pairs of operands of each opcode's form.
const PAIRS: u64 = 12;
/// The frame pointer's register.
const FRAME_POINTER: u8 = 10;

/// A prompt and the answer that it has to get.
#[derive(Clone, Debug, Serialize)]
pub struct Example {
    /// What it is.
    pub name: String,
    /// The prompt's tokens.
    pub prompt: Vec<u32>,
    /// The answer's.
    pub draft: Vec<u32>,
    /// Whether it is worth to be generated token by token.
    pub generate: bool,
    /// Instructions of the answer.
    pub instructions: u64,
}

/// A case with a name.
pub struct Named {
    /// The name: `fibonacci`, `random-17`.
    pub name: String,
    /// The case.
    pub case: Case,
    /// The file that the reference loads, where the program is not bare text.
    pub file: Option<Vec<u8>>,
}

/// Programs worth generating token by token.
const PROGRAMS: [(&str, &str, &[u64]); 4] = [
    ("fibonacci", include_str!("../../../../programs/fib/fib.s"), &[20]),
    ("gcd", include_str!("../../../../programs/gcd/gcd.s"), &[1_071_000, 462_000]),
    (
        "copy",
        "mov64 r2, r1\nadd64 r2, 16\nmov64 r3, 11\nloop:\nldxb r4, [r1+0]\nstxb [r2+0], r4\nadd64 r1, 1\n\
         add64 r2, 1\nsub64 r3, 1\njne r3, 0, loop\nldxdw r0, [r2-8]\nexit",
        &[0x1122_3344_5566_7788, 0x0099_aabb_ccdd_eeff, 0, 0],
    ),
    (
        "calls",
        "mov64 r1, 5\nmov64 r6, 77\ncall function_factorial\nadd64 r0, r6\nexit\nfunction_factorial:\n\
         jgt r1, 1, +2\nmov64 r0, 1\nexit\nmov64 r6, r1\nsub64 r1, 1\ncall function_factorial\n\
         mul64 r0, r6\nexit",
        &[],
    ),
];

/// The names of the examples: the programs, those of [`DRILLS`], small random programs, each opcode with edge operands,
/// and long random programs; of each kind about `sample`.
pub fn names(sample: Option<u64>) -> Vec<String> {
    let forms = opcodes::forms(Version::V0).len() as u64;
    let programs =
        PROGRAMS.iter().map(|(name, ..)| (*name).to_owned()).chain([transfer::TRANSFER.to_owned()]);
    let random = sampled(RANDOM, sample).map(|index| format!("random-{index}"));
    let opcodes = sampled(forms * PAIRS, sample).map(|number| {
        let (form, pair) = (number / PAIRS, number % PAIRS);
        // Spread over the pairs of edges.
        format!("opcode-{}", form * opcodes::PAIRS + (pair * 23 + form * 7) % opcodes::PAIRS)
    });
    let long = sampled(LONG, sample).map(|index| format!("long-{index}"));
    let drills = DRILLS
        .iter()
        .flat_map(|(name, _, count)| sampled(*count, sample).map(move |index| format!("{name}-{index}")));
    programs.chain(drills).chain(random).chain(opcodes).chain(long).collect()
}

impl Named {
    /// The case of that name.
    ///
    /// # Errors
    /// There is none, or its program cannot be made.
    pub fn find(name: &str, seed: u64) -> anyhow::Result<Self> {
        let named = |case| Self { name: name.to_owned(), case, file: None };
        if name == transfer::TRANSFER {
            return transfer::case(seed);
        }
        if let Some(index) = PROGRAMS.iter().position(|(program, ..)| *program == name) {
            return Ok(named(program(index)?));
        }
        let Some((kind, index)) = name.split_once('-') else { bail!("there is no example {name:?}") };
        let index = index.parse().with_context(|| format!("there is no example {name:?}"))?;
        if let Some((_, drill, _)) = DRILLS.iter().find(|(drill, ..)| *drill == kind) {
            return Ok(named(drill(CaseId { suite: NAME, seed, index })));
        }
        Ok(named(match kind {
            "random" => small::case(CaseId { suite: NAME, seed, index }),
            "long" => {
                let mut case = random::case(Version::V0, CaseId { suite: "random", seed, index });
                case.budget = case.budget.min(LONGEST);
                case
            }
            "opcode" => {
                let forms = opcodes::forms(Version::V0).len() as u64;
                ensure!(index < forms * opcodes::PAIRS, "there is no example {name:?}");
                let mut case = opcodes::case(Version::V0, CaseId { suite: "opcodes", seed, index });
                // The frame pointer follows from the depth of calls; a prompt cannot set another.
                case.registers.retain(|(register, _)| *register != FRAME_POINTER);
                case
            }
            _ => bail!("there is no example {name:?}"),
        }))
    }

    /// The example for a shape; `None` if the reference refuses the program or it is too long for the shape.
    ///
    /// # Errors
    /// The reference cannot run the case, or no prompt says it.
    pub fn example(&self, shape: &Shape, oracle: &mut Sbpf) -> anyhow::Result<Option<Example>> {
        let Self { name, case, file } = self;
        let refused = file.is_none() && svmllm::host::verify(&case.program.text, Version::V0).is_err();
        if refused || (case.program.text.len() / SLOT) >> shape.pc_bits != 0 {
            return Ok(None);
        }
        let outcome = match file {
            Some(file) => oracle.run_file(file, case)?,
            None => oracle.run(case)?,
        };
        let (states, end) = trace(oracle, case, outcome)?;
        let setup = Setup {
            input: case.input.clone(),
            heap: case.heap,
            budget: case.budget,
            registers: case.registers.clone(),
            memory: case.memory.clone(),
        };
        let mut start = Start::new(&case.program, &setup)?;
        start.functions.insert(sbpf::entrypoint_key(), case.program.entry_pc as u64);
        start.keep_loaded(&states);
        start.keep_touched(&states);
        let vocabulary = Vocabulary::new(shape);
        let ids = |tokens: Vec<Token>| -> anyhow::Result<Vec<u32>> {
            let id = |token| vocabulary.id(token).with_context(|| format!("{token:?}"));
            tokens.into_iter().map(id).collect()
        };
        Ok(Some(Example {
            name: name.clone(),
            prompt: ids(start.prompt(shape)?)?,
            draft: ids(draft(shape, &case.program.text, &states, end))?,
            generate: name == transfer::TRANSFER || PROGRAMS.iter().any(|(program, ..)| program == name),
            instructions: states.len() as u64,
        }))
    }
}

/// All examples for a shape; of each kind about `sample`.
///
/// # Errors
/// The reference cannot run a case.
pub fn examples(shape: &Shape, seed: u64, sample: Option<u64>) -> anyhow::Result<Vec<Example>> {
    let mut oracle = Sbpf::new();
    let example = |name: String| Named::find(&name, seed)?.example(shape, &mut oracle);
    names(sample).into_iter().map(example).filter_map(Result::transpose).collect()
}

/// The case of one of the programs.
fn program(index: usize) -> anyhow::Result<Case> {
    let (_, source, input) = PROGRAMS[index];
    Ok(Case {
        id: CaseId { suite: NAME, seed: 0, index: index as u64 },
        program: assemble(source, Version::V0)?,
        input: input.iter().flat_map(|word| word.to_le_bytes()).collect(),
        heap: 0,
        budget: 10_000,
        registers: Vec::new(),
        memory: Vec::new(),
    })
}

/// The registers before each instruction, the one that fails included, and how the run ends.
fn trace(oracle: &mut Sbpf, case: &Case, outcome: Outcome) -> anyhow::Result<(Vec<Registers>, End)> {
    let mut states = outcome.trace;
    let error = match outcome.status {
        Ok(_) => return Ok((states, End::Result)),
        Err(error) => error,
    };
    let slots = case.program.text.len() as u64 / 8;
    let mut state = [0; 12];
    state[..11].copy_from_slice(&outcome.registers);
    match error {
        EbpfError::ExecutionOverrun => {
            state[11] = slots;
            states.push(state);
        }
        EbpfError::ExceededMaxInstructions => {
            // With one unit more the instruction that did not fit is in the trace, if there is one.
            let more = oracle.run(&Case { budget: case.budget + 1, ..case.clone() })?;
            state[11] = more.trace.get(states.len()).map_or(slots, |next| next[11]);
            states.push(state);
        }
        _ => {}
    }
    let pc = states.last().map_or(0, |state| state[11] as usize);
    let opcode = case.program.text.get(8 * pc).copied();
    Ok((states, End::Trap(Trap::of(&error, opcode))))
}
