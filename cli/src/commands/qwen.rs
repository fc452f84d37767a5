//! `svmllm export-qwen`, `prompt`, `draft`, `generate`, `check` and `decode`: the machine as a Qwen3.5 checkpoint.

use std::{
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use svmllm::{
    export::qwen::{
        Checkpoint, decode,
        draft::{End, draft},
        files::stops,
        prompt::Start as Prompted,
        run::Model,
        shape::Shape,
        tokens::{Token, Trap, Vocabulary},
    },
    host::{Ended, Environment, Machine, Mode, Program, RunError, Setup, instruction_text},
    tables::{Indexed, Weights},
};

use super::start::Start;
use crate::{FAILED, source};

/// A shape of the checkpoint.
#[derive(Clone, Copy, Default, ValueEnum)]
pub enum ShapeName {
    /// The dimensions of Qwen3.5-0.8B: limbs of 16 bits, a file of 3 GB
    #[default]
    #[value(name = "0.8b")]
    Large,
    /// Limbs of a byte, a file of 0.3 GB
    #[value(name = "ci")]
    Small,
}

impl ShapeName {
    fn shape(self) -> Shape {
        match self {
            Self::Large => Shape::large(),
            Self::Small => Shape::small(),
        }
    }
}

/// Options of `svmllm export-qwen`.
#[derive(Args)]
pub struct Export {
    /// The dimensions
    #[arg(long, value_enum, default_value_t)]
    shape: ShapeName,
    /// The folder to write
    folder: PathBuf,
}

impl Export {
    /// Writes the folder.
    pub fn execute(self) -> anyhow::Result<ExitCode> {
        let checkpoint = Checkpoint::build(self.shape.shape())?;
        checkpoint.save(&self.folder)?;
        let (parameters, nonzero) = checkpoint.parameters();
        let folder = self.folder.display();
        writeln!(io::stdout(), "{parameters} parameters, {nonzero} not zero, to {folder}")?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Options of `svmllm prompt`.
#[derive(Args)]
pub struct Prompt {
    #[command(flatten)]
    start: Start,
    /// The dimensions of the checkpoint
    #[arg(long, value_enum, default_value_t)]
    shape: ShapeName,
    /// Send all of the program, not only what a run of our machine touches
    #[arg(long)]
    whole: bool,
}

impl Prompt {
    /// Prints the prompt.
    pub fn execute(self) -> anyhow::Result<ExitCode> {
        let (program, setup) = (self.start.load()?, self.start.setup()?);
        let mut prompt = Prompted::new(&program, &setup)?;
        if !self.whole {
            prompt.keep_touched(&trace(&program, &setup)?.0);
        }
        let shape = self.shape.shape();
        print_tokens(&Vocabulary::new(&shape), prompt.prompt(&shape)?)
    }
}

/// Options of `svmllm draft`.
#[derive(Args)]
pub struct Draft {
    #[command(flatten)]
    start: Start,
    /// The dimensions of the checkpoint
    #[arg(long, value_enum, default_value_t)]
    shape: ShapeName,
}

impl Draft {
    /// Prints the answer that follows from a run of our machine.
    pub fn execute(self) -> anyhow::Result<ExitCode> {
        let (program, setup) = (self.start.load()?, self.start.setup()?);
        let shape = self.shape.shape();
        // What no prompt says has no answer either.
        Prompted::new(&program, &setup)?.prompt(&shape)?;
        let (states, end) = trace(&program, &setup)?;
        print_tokens(&Vocabulary::new(&shape), draft(&shape, &program.text, &states, end))
    }
}

/// The registers before each instruction, and how the run ends. The checkpoint has no syscalls: it stops at the first.
fn trace(program: &Program, setup: &Setup) -> anyhow::Result<(Vec<[u64; 12]>, End)> {
    /// A context holds no more.
    const MOST: usize = 1 << 18;
    let evaluator = Indexed::new(&Weights::generate())?;
    let mut machine = Machine::new(&evaluator, program, setup, &Environment::default(), Mode::Lazy)?;
    let mut states = Vec::new();
    while states.len() < MOST {
        let state = machine.registers()?;
        states.push(state);
        let slot = usize::try_from(state[11]).ok().and_then(|pc| program.text.get(8 * pc..8 * pc + 8));
        let opcode = slot.map(|slot| slot[0]);
        let ended = machine.step()?;
        if let Some(Ended::Error(RunError::Vm(error))) = ended {
            return Ok((states, End::Trap(Trap::of(error, opcode))));
        }
        if let Some(&[0x85, _, _, _, a, b, c, d]) = slot
            && !program.functions.contains_key(&u32::from_le_bytes([a, b, c, d]))
        {
            return Ok((states, End::Trap(Trap::Function)));
        }
        if ended.is_some() {
            return Ok((states, End::Result));
        }
    }
    bail!("the program runs for more than {MOST} instructions")
}

/// Prints tokens on one line.
fn print_tokens(vocabulary: &Vocabulary, tokens: Vec<Token>) -> anyhow::Result<ExitCode> {
    let ids = tokens.into_iter().filter_map(|token| vocabulary.id(token));
    writeln!(io::stdout(), "{}", spell(vocabulary, ids))?;
    Ok(ExitCode::SUCCESS)
}

fn spell(vocabulary: &Vocabulary, ids: impl Iterator<Item = u32>) -> String {
    ids.map(|id| vocabulary.spell(id)).collect::<Vec<_>>().join(" ")
}

/// A file, or standard input.
fn read_text(path: Option<&Path>) -> anyhow::Result<String> {
    match path {
        Some(path) => fs::read_to_string(path).with_context(|| path.display().to_string()),
        None => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text)?;
            Ok(text)
        }
    }
}

/// Options of `svmllm generate`.
#[derive(Args)]
pub struct Generate {
    /// The folder that `export-qwen` wrote
    folder: PathBuf,
    /// A file with the prompt; standard input without it
    prompt: Option<PathBuf>,
    /// Tokens at most
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    limit: usize,
}

impl Generate {
    /// Prints the model's answer.
    pub fn execute(self) -> anyhow::Result<ExitCode> {
        let checkpoint = Checkpoint::load(&self.folder)?;
        let vocabulary = Vocabulary::new(&checkpoint.shape);
        let prompt = decode::read(&vocabulary, &read_text(self.prompt.as_deref())?)?;
        let model = Model::new(&checkpoint)?;
        let ends = stops(&vocabulary);
        let started = Instant::now();
        let answer = model.generate(&prompt, self.limit, |token| ends.contains(&token));
        let seconds = started.elapsed().as_secs_f64();
        writeln!(io::stdout(), "{}", spell(&vocabulary, answer.iter().copied()))?;
        let tokens = prompt.len() + answer.len();
        eprintln!(
            "{} tokens of prompt, {} of answer, {:.0} tokens a second",
            prompt.len(),
            answer.len(),
            tokens as f64 / seconds
        );
        let ended = answer.last().is_some_and(|token| vocabulary.token(*token) == Token::End);
        Ok(if ended { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
    }
}

/// Options of `svmllm check`.
#[derive(Args)]
pub struct Check {
    /// The folder that `export-qwen` wrote
    folder: PathBuf,
    /// A file with the prompt
    prompt: PathBuf,
    /// A file with the answer to check, such as `draft` prints; standard input without it
    answer: Option<PathBuf>,
}

impl Check {
    /// Says whether each token of the answer is the one that the model would have put.
    pub fn execute(self) -> anyhow::Result<ExitCode> {
        /// How many differences are shown.
        const SHOWN: usize = 10;
        let checkpoint = Checkpoint::load(&self.folder)?;
        let vocabulary = Vocabulary::new(&checkpoint.shape);
        let prompt = decode::read(&vocabulary, &read_text(Some(&self.prompt))?)?;
        let answer = decode::read(&vocabulary, &read_text(self.answer.as_deref())?)?;
        let model = Model::new(&checkpoint)?;
        let started = Instant::now();
        let wrong = model.check(&prompt, &answer);
        let speed = (prompt.len() + answer.len()) as f64 / started.elapsed().as_secs_f64();
        let mut out = io::stdout().lock();
        for (at, next) in wrong.iter().take(SHOWN) {
            let (model, drafted) = (vocabulary.spell(next.token), vocabulary.spell(answer[*at]));
            writeln!(out, "token {at}: the model puts {model} with the logit {}, not {drafted}", next.logit)?;
        }
        let count = answer.len();
        match wrong.len() {
            0 => writeln!(out, "each of {count} tokens is the model's own")?,
            wrong => writeln!(out, "{wrong} of {count} tokens are not the model's own")?,
        }
        eprintln!("{} tokens of prompt, {count} of answer, {speed:.0} tokens a second", prompt.len());
        Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
    }
}

/// Options of `svmllm decode`.
#[derive(Args)]
pub struct Decode {
    /// A file with the answer; standard input without it
    answer: Option<PathBuf>,
    /// The dimensions of the checkpoint
    #[arg(long, value_enum, default_value_t)]
    shape: ShapeName,
    /// The program that ran, to show its instructions
    #[arg(long)]
    program: Option<PathBuf>,
}

impl Decode {
    /// Prints the trace.
    pub fn execute(self) -> anyhow::Result<ExitCode> {
        let shape = self.shape.shape();
        let vocabulary = Vocabulary::new(&shape);
        let program = self.program.as_ref().map(|path| source::load_file(path, false)).transpose()?;
        let ids = decode::read(&vocabulary, &read_text(self.answer.as_deref())?)?;
        let tokens: Vec<Token> = ids.into_iter().map(|id| vocabulary.token(id)).collect();
        let entry = program.as_ref().map_or(0, |program| program.entry_pc as u64);
        let answer = decode::decode(&shape, &tokens, entry)?;
        let mut out = io::stdout().lock();
        for step in &answer.steps {
            let text = match (&program, usize::try_from(step.pc)) {
                (Some(program), Ok(pc)) => instruction_text(program, pc),
                _ => String::new(),
            };
            write!(out, "{:>6}  {text:<32}", step.pc)?;
            if let Some(value) = step.value {
                write!(out, "  {value:#x}")?;
            }
            if let Some(depth) = step.depth {
                write!(out, "  depth {depth}")?;
            }
            for (register, value) in &step.restored {
                write!(out, "  r{register} {value:#x}")?;
            }
            writeln!(out)?;
        }
        match answer.trap {
            Some(trap) => writeln!(out, "trap: {}", trap.name())?,
            None if answer.ended => writeln!(out, "end")?,
            None => writeln!(out, "unfinished")?,
        }
        Ok(ExitCode::SUCCESS)
    }
}
