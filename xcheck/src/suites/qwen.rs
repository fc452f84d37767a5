//! The Qwen3.5 checkpoint: every token of its answers against the reference's register traces.
//!
//! Answers are checked in one pass: given the draft that follows from the reference's trace, each token has to be
//! the one the model would have put. Here the model runs without its zeros; `xcheck/qwen/check.py` has the same examples
//! checked by transformers.

mod transfer;

use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufWriter, Write},
    path::Path,
    time::Instant,
};

use anyhow::{Context, ensure};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use svmllm::{
    export::qwen::{
        Checkpoint,
        draft::{End, Registers, draft},
        prompt::Start,
        run::Model,
        shape::Shape,
        tokens::{Token, Trap, Vocabulary},
    },
    host::{EbpfError, Setup, Version, assemble},
};

use super::{Options, progress_bar};
use crate::{
    case::{Case, CaseId},
    generate::{opcodes, small},
    oracle::{
        Oracle,
        sbpf::{self, Sbpf},
    },
    report::{DESCRIBED, Mismatch, OracleVersion, Report, seconds_since},
};

pub use self::transfer::transfer;

/// The suite's name.
pub const NAME: &str = "qwen";
/// Random programs.
pub const RANDOM: u64 = 2000;
/// Pairs of operands of each opcode's form.
const PAIRS: u64 = 12;
/// Weights that are spoiled.
const SPOILED: usize = 200;

/// A prompt and the answer that it has to get.
pub struct Example {
    /// What it is.
    pub name: String,
    /// The prompt's tokens.
    pub prompt: Vec<u32>,
    /// The answer's.
    pub draft: Vec<u32>,
    /// Instructions of the answer.
    pub instructions: u64,
}

/// Programs worth generating token by token.
const PROGRAMS: [(&str, &str, &[u64]); 4] = [
    ("fibonacci", include_str!("../../../programs/fib/fib.s"), &[20]),
    ("gcd", include_str!("../../../programs/gcd/gcd.s"), &[1_071_000, 462_000]),
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

/// Programs, small random programs, and each opcode with edge operands; of the last two about `sample`.
pub fn cases(seed: u64, sample: Option<u64>) -> anyhow::Result<Vec<(String, Case)>> {
    let mut cases = Vec::new();
    for (index, (name, ..)) in PROGRAMS.iter().enumerate() {
        cases.push(((*name).to_owned(), program(index)?));
    }
    for index in super::sampled(RANDOM, sample) {
        cases.push((format!("random {index}"), small::case(CaseId { suite: NAME, seed, index })));
    }
    let forms = opcodes::forms(Version::V0).len() as u64;
    for number in super::sampled(forms * PAIRS, sample) {
        let (form, pair) = (number / PAIRS, number % PAIRS);
        // Spread over the pairs of edges.
        let index = form * opcodes::PAIRS + (pair * 23 + form * 7) % opcodes::PAIRS;
        let case = opcodes::case(Version::V0, CaseId { suite: "opcodes", seed, index });
        cases.push((format!("opcode {index}"), case));
    }
    Ok(cases)
}

/// The reference's registers before each instruction, the one that fails included, and how the run ends.
fn trace(oracle: &mut Sbpf, case: &Case) -> anyhow::Result<(Vec<Registers>, End)> {
    let outcome = oracle.run(case)?;
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

/// The example of a case; `None` if the reference refuses the program or no prompt says it.
pub fn example(shape: &Shape, oracle: &mut Sbpf, name: &str, case: &Case) -> anyhow::Result<Option<Example>> {
    if svmllm::host::verify(&case.program.text, Version::V0).is_err() {
        return Ok(None);
    }
    // The frame pointer follows from the depth of calls; a prompt cannot set another.
    if case.registers.iter().any(|(register, _)| *register == 10) {
        return Ok(None);
    }
    let (states, end) = trace(oracle, case)?;
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
        tokens.into_iter().map(|token| vocabulary.id(token).with_context(|| format!("{token:?}"))).collect()
    };
    Ok(Some(Example {
        name: name.to_owned(),
        prompt: ids(start.prompt(shape)?)?,
        draft: ids(draft(shape, &case.program.text, &states, end))?,
        instructions: states.len() as u64,
    }))
}

/// Writes the examples for `xcheck/qwen/check.py`, one JSON object a line.
pub fn write_examples(path: &Path, shape: &Shape, seed: u64, sample: Option<u64>) -> anyhow::Result<usize> {
    let mut oracle = Sbpf::new();
    let mut file = BufWriter::new(File::create(path)?);
    let mut count = 0;
    for (name, case) in cases(seed, sample)? {
        let Some(example) = example(shape, &mut oracle, &name, &case)? else { continue };
        let generate = PROGRAMS.iter().any(|(program, ..)| *program == name);
        let line = json!({
            "name": name, "prompt": example.prompt, "draft": example.draft, "generate": generate,
        });
        writeln!(file, "{line}")?;
        count += 1;
    }
    file.flush()?;
    Ok(count)
}

/// Runs the suite on the small shape.
///
/// # Errors
/// The checkpoint cannot be built, or the reference cannot run a case.
pub fn run(seed: u64, options: Options) -> anyhow::Result<Report> {
    let started = Instant::now();
    let shape = Shape::small();
    let checkpoint = Checkpoint::build(shape.clone())?;
    let model = Model::new(&checkpoint)?;
    let vocabulary = Vocabulary::new(&shape);
    let cases = cases(seed, options.sample)?;
    let mut oracle = Sbpf::new();
    let bar = progress_bar(NAME, cases.len() as u64, options.progress);
    let mut mismatches = Vec::new();
    let mut examples = Vec::new();
    let (mut matched, mut instructions, mut prompt_tokens, mut tokens) = (0, 0, 0, 0);
    let mut ends: BTreeMap<String, u64> = BTreeMap::new();
    let mut computing = 0.0;
    for (index, (name, case)) in cases.iter().enumerate() {
        bar.inc(1);
        let Some(example) = example(&shape, &mut oracle, name, case)? else { continue };
        instructions += example.instructions;
        prompt_tokens += example.prompt.len();
        tokens += example.draft.len();
        *ends.entry(example.draft.last().map_or(String::new(), |id| vocabulary.spell(*id))).or_default() += 1;
        let begun = Instant::now();
        let wrong = model.check(&example.prompt, &example.draft);
        computing += begun.elapsed().as_secs_f64();
        match wrong.first() {
            None => matched += 1,
            Some((at, token)) if mismatches.len() < DESCRIBED => mismatches.push(Mismatch {
                index: index as u64,
                text: format!(
                    "{name}: token {at} is {}, not {}; {} differ",
                    vocabulary.spell(*token),
                    vocabulary.spell(example.draft[*at]),
                    wrong.len()
                ),
                difference: None,
                rerun: format!("{} seed {}", case.id, case.id.seed),
            }),
            Some(_) => {}
        }
        examples.push(example);
    }
    bar.finish_and_clear();
    let spoiled = if options.sample.is_some() { SPOILED / 20 } else { SPOILED };
    let sabotage = sabotage(&checkpoint, &model, &examples, seed, spoiled, options.progress)?;
    let (parameters, nonzero) = checkpoint.parameters();
    Ok(Report {
        suite: NAME,
        oracle: OracleVersion { name: oracle.name(), version: oracle.version() },
        svmllm: env!("CARGO_PKG_VERSION"),
        seed,
        evaluator: format!("checkpoint of shape {}, without its zeros", shape.name),
        cases: examples.len() as u64,
        matched,
        mismatches,
        seconds: seconds_since(started),
        coverage: json!({
            "instructions": instructions, "prompt_tokens": prompt_tokens, "tokens": tokens, "ends": ends,
            "tokens_a_second": ((prompt_tokens + tokens) as f64 / computing).round(),
            "parameters": parameters, "nonzero_parameters": nonzero, "sabotage": sabotage,
        }),
        rows: Vec::new(),
    })
}

/// Logits of the tokens of a draft, as the model has them, and the tokens it would put.
fn answers(model: &Model, example: &Example) -> Vec<(u32, u32)> {
    let mut context = model.context();
    example.prompt.iter().for_each(|token| model.push(&mut context, *token));
    let mut answers = Vec::new();
    for token in &example.draft {
        let (next, logit) = model.next(&context);
        answers.push((next, logit.to_bits()));
        model.push(&mut context, *token);
    }
    answers
}

/// Spoils weights one at a time: drops them. Where no token changes, says whether a logit does.
fn sabotage(
    checkpoint: &Checkpoint,
    intact: &Model,
    examples: &[Example],
    seed: u64,
    count: usize,
    progress: bool,
) -> anyhow::Result<Value> {
    /// The tensors of weights; the others hold the same constant everywhere.
    const KINDS: [&str; 8] =
        ["gate_proj", "up_proj", "down_proj", "in_proj_qkv", "in_proj_b", "out_proj", "v_proj", "o_proj"];
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut places = Vec::new();
    for (name, tensor) in
        checkpoint.tensors.iter().filter(|(name, _)| KINDS.iter().any(|kind| name.contains(kind)))
    {
        for (row, entries) in tensor.rows.iter().enumerate() {
            places.extend((0..entries.len()).map(|entry| (name, row, entry)));
        }
    }
    /// Examples by which a spoiled weight may be noticed, spread over all.
    const EXERCISE: usize = 160;
    ensure!(!examples.is_empty(), "no examples to notice anything by");
    let exercise: Vec<&Example> = examples.iter().step_by(examples.len().div_ceil(EXERCISE)).collect();
    let expected: Vec<_> = exercise.iter().map(|example| answers(intact, example)).collect();
    let bar = progress_bar("sabotage", count as u64, progress);
    let (mut noticed, mut felt, mut idle) = (0, 0, Vec::new());
    let mut spoiled = checkpoint.clone();
    for _ in 0..count {
        bar.inc(1);
        let (name, row, entry) = places[rng.random_range(0..places.len())];
        let Some(weight) = spoiled.tensors.get_mut(name).map(|t| &mut t.rows[row][entry]) else { continue };
        let kept = std::mem::replace(&mut weight.1, 0.0);
        let model = Model::new(&spoiled)?;
        let mut logits = false;
        let changed = exercise.iter().zip(&expected).any(|(example, expected)| {
            let now = answers(&model, example);
            logits |= now != *expected;
            now.iter().zip(expected).any(|(now, expected)| now.0 != expected.0)
        });
        match (changed, logits) {
            (true, _) => noticed += 1,
            (false, true) => felt += 1,
            (false, false) => idle.push(format!("{name}[{row}]")),
        }
        if let Some(tensor) = spoiled.tensors.get_mut(name) {
            tensor.rows[row][entry].1 = kept;
        }
    }
    bar.finish_and_clear();
    Ok(json!({
        "weights": count, "examples": exercise.len(), "a_token_changes": noticed, "only_a_logit_changes": felt,
        "nothing_changes": idle.len(), "those": idle,
    }))
}
