//! `svmllm demo`: sample programs.

use std::{
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use anyhow::{Context, bail, ensure};
use clap::Args;
use svmllm::host::{Ended, MAX_REGION_BYTES, Mode, Program, Setup, Version};

use super::{Computing, load_weights};
use crate::{
    FAILED,
    evaluators::Evaluators,
    progress::Progress,
    session::{Cost, Job, Report, Watch},
    source,
};

/// Options of `svmllm demo`.
#[derive(Args)]
pub struct Demo {
    /// Which program
    name: Option<String>,
    /// What to give it
    args: Vec<String>,
    #[command(flatten)]
    computing: Computing,
}

/// A program that comes with the command.
struct Sample {
    name: &'static str,
    about: &'static str,
    code: Code,
    takes: Takes,
    show: fn(&Report, u64) -> String,
}

enum Code {
    Assembly(&'static str),
    Elf(&'static [u8]),
}

/// What a sample's input is made from.
enum Takes {
    /// Numbers, with what they are by default.
    Numbers(&'static [(&'static str, u64)]),
    /// Any number of numbers, their count before them.
    List(&'static [u64]),
    /// A file, its length before it; and about how many instructions a byte takes.
    File(f64),
}

const SAMPLES: [Sample; 9] = [
    Sample {
        name: "fib",
        about: "the Nth Fibonacci number, modulo 2^64",
        code: Code::Assembly(include_str!("../../../programs/fib/fib.s")),
        takes: Takes::Numbers(&[("N", 90)]),
        show: number,
    },
    Sample {
        name: "crc32",
        about: "the CRC-32 of a file, compiled from C",
        code: Code::Elf(include_bytes!("../../../programs/crc32/crc32.so")),
        takes: Takes::File(15.0),
        show: |_, result| format!("{result:08x}"),
    },
    Sample {
        name: "checksum",
        about: "the Internet checksum of a file",
        code: Code::Assembly(include_str!("../../../programs/checksum/checksum.s")),
        takes: Takes::File(3.5),
        show: |_, result| format!("{result:04x}"),
    },
    Sample {
        name: "collatz",
        about: "the number of Collatz steps from N to 1",
        code: Code::Assembly(include_str!("../../../programs/collatz/collatz.s")),
        takes: Takes::Numbers(&[("N", 27)]),
        show: number,
    },
    Sample {
        name: "factorial",
        about: "N!, modulo 2^64, by recursion",
        code: Code::Assembly(include_str!("../../../programs/factorial/factorial.s")),
        takes: Takes::Numbers(&[("N", 20)]),
        show: number,
    },
    Sample {
        name: "gcd",
        about: "the greatest common divisor of A and B",
        code: Code::Assembly(include_str!("../../../programs/gcd/gcd.s")),
        takes: Takes::Numbers(&[("A", 1_134_903_170), ("B", 701_408_733)]),
        show: number,
    },
    Sample {
        name: "isqrt",
        about: "the integer square root of N",
        code: Code::Assembly(include_str!("../../../programs/isqrt/isqrt.s")),
        takes: Takes::Numbers(&[("N", 2_000_000_000_000_000_000)]),
        show: number,
    },
    Sample {
        name: "prime",
        about: "whether N is prime, by trial division",
        code: Code::Assembly(include_str!("../../../programs/primes/prime.s")),
        takes: Takes::Numbers(&[("N", 1_000_003)]),
        show: |_, result| (if result == 1 { "prime" } else { "not prime" }).to_owned(),
    },
    Sample {
        name: "sort",
        about: "numbers in ascending order",
        code: Code::Assembly(include_str!("../../../programs/sort/sort.s")),
        takes: Takes::List(&[31, 41, 59, 26, 53, 58, 97, 93, 23, 84]),
        show: sorted,
    },
];

fn number(_: &Report, result: u64) -> String {
    result.to_string()
}

/// The numbers after their count, in the input as the program left it.
fn sorted(report: &Report, _: u64) -> String {
    let words = report.input.as_chunks::<8>().0.iter().skip(1);
    words.map(|word| u64::from_le_bytes(*word).to_string()).collect::<Vec<_>>().join(" ")
}

impl Demo {
    /// Runs the sample, or lists them all.
    pub fn execute(self) -> anyhow::Result<ExitCode> {
        let Some(name) = &self.name else {
            list()?;
            return Ok(ExitCode::SUCCESS);
        };
        let Some(sample) = SAMPLES.iter().find(|sample| sample.name == name) else {
            bail!("there is no demo {name:?}; `svmllm demo` lists them");
        };
        let program = sample.program()?;
        let setup = Setup { input: sample.takes.input(&self.args)?, budget: u64::MAX, ..Setup::default() };
        let mut evaluators = Evaluators::new(load_weights(self.computing.weights.as_ref())?);
        let job = Job { program: &program, setup: &setup, mode: self.computing.mode(), dump: &[] };
        let mut progress = Progress::new("instructions", sample.takes.instructions(&setup.input));
        let watch = Watch::Progress(&mut |done| progress.show(done));
        let report = evaluators.run(self.computing.evaluator, &job, watch)?;
        drop(progress);
        match &report.ended {
            Ended::Exit(result) => {
                let cost = evaluators.count(&job, counted_steps(job.mode))?;
                print(&(sample.show)(&report, *result), &report, cost)?;
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

impl Sample {
    fn program(&self) -> anyhow::Result<Program> {
        Ok(match self.code {
            Code::Assembly(text) => source::assemble(text, Version::V0)?,
            Code::Elf(file) => source::load_elf(file, false)?,
        })
    }
}

impl Takes {
    fn usage(&self) -> String {
        match self {
            Self::Numbers(numbers) => {
                numbers.iter().map(|(name, _)| format!("[{name}]")).collect::<Vec<_>>().join(" ")
            }
            Self::List(_) => "[N]...".into(),
            Self::File(_) => "FILE".into(),
        }
    }

    /// The input region for these arguments.
    fn input(&self, args: &[String]) -> anyhow::Result<Vec<u8>> {
        let number = |arg: &String| arg.parse::<u64>().with_context(|| format!("{arg:?} is no number"));
        let mut given = args.iter().map(number);
        match self {
            Self::Numbers(numbers) => {
                ensure!(args.len() <= numbers.len(), "expected {}", self.usage());
                let words = numbers.iter().map(|&(_, default)| given.next().unwrap_or(Ok(default)));
                Ok(words
                    .collect::<anyhow::Result<Vec<_>>>()?
                    .into_iter()
                    .flat_map(u64::to_le_bytes)
                    .collect())
            }
            Self::List(default) => {
                let list = given.collect::<anyhow::Result<Vec<_>>>()?;
                let list = if list.is_empty() { default } else { list.as_slice() };
                Ok([list.len() as u64].iter().chain(list).flat_map(|word| word.to_le_bytes()).collect())
            }
            Self::File(_) => {
                let [path] = args else { bail!("expected {}", self.usage()) };
                let bytes = source::read_file(Path::new(path), MAX_REGION_BYTES - 8).context(path.clone())?;
                Ok([&(bytes.len() as u64).to_le_bytes()[..], &bytes].concat())
            }
        }
    }

    /// About how many instructions an input takes, where that is known.
    fn instructions(&self, input: &[u8]) -> Option<u64> {
        match self {
            Self::File(each) => Some((each * input.len() as f64) as u64),
            _ => None,
        }
    }
}

fn list() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for sample in &SAMPLES {
        let usage = format!("{} {}", sample.name, sample.takes.usage());
        writeln!(out, "svmllm demo {usage:<18}{}", sample.about)?;
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
