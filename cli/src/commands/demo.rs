//! `svmllm demo`: sample programs.

use std::{
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use anyhow::{Context, bail};
use clap::Args;
use svmllm::host::{Ended, MAX_REGION_BYTES, Mode, Setup};

use super::{Computing, load_weights};
use crate::{
    FAILED,
    evaluators::Evaluators,
    progress::Progress,
    samples::{SAMPLES, Sample, Takes, counted},
    session::{Cost, Job, Report, Watch},
    source,
};

/// Options of `svmllm demo`.
#[derive(Args)]
pub struct Demo {
    /// Which program
    name: Option<String>,
    /// What to give it; what is left out has a default
    args: Vec<String>,
    /// Give it one of the listed sets of arguments
    #[arg(long, value_name = "LABEL", conflicts_with = "args")]
    preset: Option<String>,
    #[command(flatten)]
    computing: Computing,
}

impl Demo {
    /// Runs the sample, or lists them all.
    pub fn execute(self) -> anyhow::Result<ExitCode> {
        let Some(name) = &self.name else {
            list()?;
            return Ok(ExitCode::SUCCESS);
        };
        let Some(sample) = Sample::find(name) else {
            bail!("there is no demo {name:?}; `svmllm demo` lists them");
        };
        let program = sample.program()?;
        let input = match &self.preset {
            None => input(sample, &self.args)?,
            Some(label) => match sample.preset(label) {
                Some(preset) => sample.takes.input(preset.arguments, &[])?,
                None => bail!("{name} has no preset {label:?}; `svmllm demo` lists them"),
            },
        };
        let setup = Setup { input, budget: u64::MAX, ..Setup::default() };
        let mut evaluators = Evaluators::new(load_weights(self.computing.weights.as_ref())?);
        let job = Job { program: &program, setup: &setup, mode: self.computing.mode(), dump: &[] };
        let mut progress = Progress::new("instructions", sample.takes.instructions(&setup.input));
        let watch = Watch::Progress(&mut |done| progress.report(done));
        let report = evaluators.run(self.computing.evaluator, &job, watch)?;
        drop(progress);
        match &report.ended {
            Ended::Exit(result) => {
                let cost = evaluators.count(&job, counted_steps(job.mode))?;
                print(&sample.answer(&report.input, *result), &report, cost)?;
                Ok(ExitCode::SUCCESS)
            }
            Ended::Invoke(_) => unreachable!("no demo calls a program"),
            Ended::Error(error) => {
                eprintln!("svmllm: the program failed after {} steps: {error}", report.instructions);
                Ok(ExitCode::from(FAILED))
            }
        }
    }
}

/// Counting is slow, and a program is much the same all along: so many steps are counted at most.
const fn counted_steps(mode: Mode) -> u64 {
    match mode {
        Mode::Lazy => 1_000_000,
        // Every full step costs the same.
        Mode::Full => 1_000,
    }
}

/// The input region: from a file for a sample that takes bytes, else from the arguments.
fn input(sample: &Sample, args: &[String]) -> anyhow::Result<Vec<u8>> {
    match (&sample.takes, args) {
        (Takes::Bytes(_), [path]) => {
            let bytes = source::read_file(Path::new(path), MAX_REGION_BYTES - 8).context(path.clone())?;
            Ok(counted(&bytes))
        }
        _ => sample.takes.input(args, sample.presets),
    }
}

fn list() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for sample in &SAMPLES {
        writeln!(out, "svmllm demo {} {}", sample.name, sample.takes.usage())?;
        writeln!(out, "    {}", sample.about)?;
        for preset in sample.presets {
            let arguments = preset.arguments.join(" ");
            writeln!(out, "    --preset {:<34}{arguments}", format!("{:?}", preset.label))?;
        }
    }
    Ok(())
}

fn print(result: &str, report: &Report, cost: Cost) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let each = |count: u64| count as f64 / cost.instructions.max(1) as f64;
    let about = |count: u64| {
        if cost.instructions == report.instructions {
            count.to_string()
        } else {
            format!("about {:.0}", each(count) * report.instructions as f64)
        }
    };
    writeln!(out, "result        {result}")?;
    writeln!(out, "steps         {}", report.instructions)?;
    writeln!(out, "layers        {} ({:.1} a step)", about(cost.layers), each(cost.layers))?;
    writeln!(out, "observations  {} ({:.2} a step)", about(cost.observations), each(cost.observations))?;
    writeln!(out, "time          {:.1?}, {:.1} ns a step", report.elapsed, report.pace())
}
