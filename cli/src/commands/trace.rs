//! `svmllm trace`: what each step does, or each layer of one step.

use std::{
    fmt::Write as _,
    io::{self, BufWriter, IsTerminal, Write},
    ops::Range,
    process::ExitCode,
};

use clap::Args;
use console::style;
use svmllm::host::Ended;

use super::{Computing, load_weights, start::Start};
use crate::{
    FAILED,
    evaluators::Evaluators,
    progress::Progress,
    session::{Job, Traced},
    steps::{Digits, Layer, Step},
};

/// Options of `svmllm trace`.
#[derive(Args)]
pub struct Trace {
    #[command(flatten)]
    start: Start,
    /// The first step to show; those before it are run and not shown
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: u64,
    /// How many steps to show at most
    #[arg(long, value_name = "N", default_value_t = u64::MAX)]
    steps: u64,
    /// Print each step as a line of JSON
    #[arg(long)]
    json: bool,
    /// Show the layers of this step with the one-hot vectors that leave them
    #[arg(long, value_name = "STEP", conflicts_with_all = ["from", "steps"])]
    stages: Option<u64>,
    #[command(flatten)]
    computing: Computing,
}

impl Trace {
    /// Traces the program.
    pub fn execute(self) -> anyhow::Result<ExitCode> {
        let program = self.start.load()?;
        let setup = self.start.setup()?;
        let mut evaluators = Evaluators::new(load_weights(self.computing.weights.as_ref())?);
        let job = Job { program: &program, setup: &setup, mode: self.computing.mode(), dump: &[] };
        let steps = match self.stages {
            Some(step) => step..step.saturating_add(1),
            None => self.from..self.from.saturating_add(self.steps),
        };
        let mut out = BufWriter::new(io::stdout().lock());
        // On a terminal the lines themselves show how it goes.
        let shows_itself = io::stdout().is_terminal();
        let mut progress = if shows_itself { Progress::hidden() } else { Progress::new("steps", None) };
        let (mut shown, wanted) = (0u64, steps.clone());
        let mut each = |mut step: Step| {
            shown += 1;
            if self.stages.is_none() {
                step.layers.clear();
            }
            if self.json {
                serde_json::to_writer(&mut out, &step).map_err(io::Error::from)?;
                return Ok(out.write_all(b"\n")?);
            }
            writeln!(out, "{}", line(&step))?;
            step.logs.iter().try_for_each(|log| writeln!(out, "{:>14}{}", "", style(log).yellow()))?;
            step.layers.iter().try_for_each(|layer| out.write_all(layer_text(layer).as_bytes()))?;
            if step.left_out > 0 {
                writeln!(out, "and {} layers more", step.left_out)?;
            }
            Ok(())
        };
        let traced = evaluators.trace(
            self.computing.evaluator,
            &job,
            steps,
            &mut |done| progress.report(done),
            &mut each,
        )?;
        drop(progress);
        if shown == 0 && self.stages.is_some() {
            anyhow::bail!("the program ends after {} steps", traced.instructions);
        }
        if !self.json {
            writeln!(out, "{}", ending(&traced, &wanted))?;
        }
        out.flush()?;
        Ok(match traced.ended {
            Some(Ended::Error(_) | Ended::Invoke(_)) => ExitCode::from(FAILED),
            _ => ExitCode::SUCCESS,
        })
    }
}

fn ending(traced: &Traced, steps: &Range<u64>) -> String {
    match &traced.ended {
        Some(Ended::Exit(value)) => format!(
            "{} {value:#x} after {} steps, {} units left",
            style("exit").green().bold(),
            traced.instructions,
            traced.remaining
        ),
        Some(Ended::Error(error)) => {
            format!(
                "{} {} after {} steps: {error}",
                style("error").red().bold(),
                error.name(),
                traced.instructions
            )
        }
        Some(Ended::Invoke(_)) => {
            format!("{} there is no other program to call", style("error").red().bold())
        }
        None => format!("not at its end after {} steps", steps.end),
    }
}

/// A step on one line: number, slot, instruction, gates, what is read, what is written, units left.
fn line(step: &Step) -> String {
    let mut reads = String::new();
    for (place, value) in &step.reads {
        let _ = write!(reads, " {place}={:#x}", value.0);
    }
    let mut writes = String::new();
    if let Some((register, value)) = &step.writes.register {
        let _ = write!(writes, " {register}={:#x}", value.0);
    }
    if let Some((address, size, value)) = &step.writes.memory {
        let _ = write!(writes, " [{:#x};{size}]={:#x}", address.0, value.0);
    }
    if let Some(frame) = step.writes.frame {
        let _ = write!(writes, " {frame}");
    }
    format!(
        "{:>6} {:>5}  {}  {}  {}  {}  {}",
        style(step.step).dim(),
        step.pc,
        style(format!("{:<24}", step.instruction)).bold(),
        style(format!("{:<20}", step.gates_text())).cyan(),
        style(format!("{:<36}", format!("reads{reads}"))).blue(),
        style(format!("{:<26}", format!("writes{writes}"))).green(),
        style(format!("{} units", step.units.0)).dim(),
    )
}

fn layer_text(layer: &Layer) -> String {
    let mut text = format!(
        "\n{:<10} {} {}",
        style(layer.stage.name()).magenta(),
        style(&layer.name).bold(),
        style(layer.kind).dim()
    );
    if let Some(whole) = layer.within {
        let _ = write!(text, " {}", style(format!("of {whole}")).dim());
    }
    text.push('\n');
    for (digits, way) in layer
        .inputs
        .iter()
        .map(|digits| (digits, "in "))
        .chain(layer.outputs.iter().map(|digits| (digits, "out")))
    {
        let _ = writeln!(text, "  {way} {:<9} {}", digits.alphabet, letters(digits));
        if way == "out" {
            vectors(&mut text, digits);
        }
    }
    text
}

/// The letters of digits: a value in hexadecimal where they are nibbles, the most significant first.
fn letters(digits: &Digits) -> String {
    match &digits.letter {
        Some(letter) => letter.clone(),
        None if digits.radix <= 16 => digits.hot.iter().rev().map(|hot| format!("{hot:x}")).collect(),
        None => digits.hot.iter().rev().map(|hot| format!("{hot} ")).collect(),
    }
}

/// One-hot vectors, entry 0 on the left; of 16 digits the least significant on the right, four a line.
fn vectors(text: &mut String, digits: &Digits) {
    let vector = |hot: &u8| -> String {
        (0..digits.radix).map(|entry| if entry == usize::from(*hot) { '1' } else { '·' }).collect()
    };
    let vectors: Vec<String> = digits.hot.iter().rev().map(vector).collect();
    for row in vectors.chunks(4) {
        let _ = writeln!(text, "      {}", row.join(" "));
    }
}
