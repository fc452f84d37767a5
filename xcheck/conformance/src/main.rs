//! Single syscalls on the weights against solana-svm's conformance entry points.
//!
//! `results SUITE` runs a suite and writes `results/SUITE.json`; `case SUITE SEED INDEX` runs one call again.

mod call;
mod generate;
mod oracle;
mod rows;
mod subject;
mod tensors;

use call::Call;
use clap::{Parser, Subcommand, ValueEnum};
use generate::{AMPLE, CURVES, Generator, SYSCALLS};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};
use svmllm::{
    deltanet::HeadsBoundary,
    tables::{Dense, Indexed, Weights},
};
use svmllm_replay::Replayer;

/// Single syscalls against solana-svm.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs the suite and writes its results.
    Results {
        /// Which suite.
        #[arg(default_value = "syscalls")]
        suite: Suite,
        /// Calls with ample units; each is run again with about as many as it needs.
        #[arg(long, default_value_t = 9000)]
        calls: u64,
        /// Calls on the dense evaluator, where the suite has no curves: those would take days, and it has a
        /// sample of field operations and a scalar multiplication instead.
        #[arg(long, default_value_t = 200)]
        dense: u64,
        /// Seed.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The folder the results go to.
        #[arg(long, default_value = "../../results")]
        out: PathBuf,
    },
    /// Writes fixtures of calls, and replays them.
    Fixtures {
        /// How many.
        #[arg(long, default_value_t = 200)]
        count: u64,
        /// Seed.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The folder they go to; they are not kept if there is none.
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// Runs one call again and prints it.
    Case {
        /// Which suite.
        suite: Suite,
        /// Seed.
        seed: u64,
        /// Number of the call.
        index: u64,
    },
}

/// Which syscalls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Suite {
    /// Those of curves and fields.
    Curves,
    /// All others.
    Syscalls,
}

impl Suite {
    fn names(self) -> generate::Suite {
        match self {
            Self::Curves => CURVES,
            Self::Syscalls => SYSCALLS,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Curves => "curves",
            Self::Syscalls => "syscalls",
        }
    }
}

#[derive(Default, Serialize)]
struct Count {
    cases: u64,
    returned: u64,
    failed: u64,
}

#[derive(Default)]
struct Tally {
    cases: u64,
    matched: u64,
    mismatches: Vec<String>,
    by_name: BTreeMap<&'static str, Count>,
    by_family: BTreeMap<&'static str, Count>,
    /// Pairings of points that are right.
    pairings: u64,
    errors: BTreeMap<String, u64>,
}

impl Tally {
    fn run<E: HeadsBoundary>(&mut self, evaluator: &E, call: &Call, what: &str) -> anyhow::Result<u64>
    where
        E::Error: Send + Sync,
    {
        let reference = oracle::run(call);
        let ours = subject::run(evaluator, call);
        self.cases += 1;
        let by_name = self.by_name.entry(call.name).or_default();
        for count in [by_name, self.by_family.entry(call.family).or_default()] {
            count.cases += 1;
            match &reference.result {
                Ok(_) => count.returned += 1,
                Err(_) => count.failed += 1,
            }
        }
        match &reference.result {
            Ok(returned) => {
                self.pairings += u64::from(*returned == 0 && call.family.ends_with("_pairing"));
            }
            Err((family, number)) => *self.errors.entry(format!("{family}:{number}")).or_default() += 1,
        }
        let differences = match ours {
            Ok(ours) => call.differences(&reference, &ours),
            Err(error) => vec![error.to_string()],
        };
        if differences.is_empty() {
            self.matched += 1;
        } else if self.mismatches.len() < 200 {
            self.mismatches.push(format!("{what}: {}: {}", call.name, differences.join("; ")));
        }
        Ok(call.units - reference.units)
    }
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Results { suite, calls, dense, seed, out } => {
            let dense = if suite == Suite::Curves { 0 } else { dense };
            results(suite, calls, dense, seed, &out)
        }
        Command::Fixtures { count, seed, out } => fixtures(count, seed, out.as_deref()),
        Command::Case { suite, seed, index } => {
            let call = Generator::call(suite.names(), seed, index);
            println!("{} {:#x?}", call.name, call.arguments);
            let reference = oracle::run(&call);
            println!("reference: {:?}, {} units left", reference.result, reference.units);
            let ours = subject::run(&Indexed::new(&Weights::generate())?, &call)?;
            println!("ours:      {:?}, {} units left", ours.result, ours.units);
            call.differences(&reference, &ours).iter().for_each(|line| println!("{line}"));
            Ok(())
        }
    }
}

/// Writes fixtures of syscalls, replays them, and fails if one does not come to what was recorded.
fn fixtures(count: u64, seed: u64, out: Option<&Path>) -> anyhow::Result<()> {
    let replayer = Replayer::new(Arc::new(Indexed::new(&Weights::generate())?));
    let mut wrong = 0;
    for index in 0..count {
        // A fixture has the syscalls of its feature set alone.
        let fixture = oracle::fixture(&Generator::call(SYSCALLS, seed, index));
        if let Some(out) = out {
            std::fs::create_dir_all(out)?;
            std::fs::write(out.join(format!("syscall-{seed}-{index}.fix")), &fixture)?;
        }
        let differences = match replayer.replay(&fixture) {
            Ok(replayed) => replayed.differences.unwrap_or_default(),
            Err(error) => vec![error.to_string()],
        };
        if !differences.is_empty() {
            wrong += 1;
            println!("seed {seed} index {index}: {}", differences.join("; "));
        }
    }
    println!("{} of {count} as recorded", count - wrong);
    anyhow::ensure!(wrong == 0, "there are differences");
    Ok(())
}

fn results(suite: Suite, calls: u64, dense: u64, seed: u64, out: &Path) -> anyhow::Result<()> {
    let begun = Instant::now();
    let weights = Weights::generate();
    let indexed = Indexed::new(&weights)?;
    let mut tally = Tally::default();
    let bar = indicatif::ProgressBar::new(calls + dense);
    for index in 0..calls {
        let mut call = Generator::call(suite.names(), seed, index);
        let what = format!("seed {seed} index {index}");
        let used = tally.run(&indexed, &call, &what)?;
        // Just enough, one too few, and somewhere on the way.
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ index);
        let fewer = rng.random_range(0..=used);
        for units in [used.saturating_sub(1), if index % 2 == 0 { used } else { fewer }] {
            call.units = units;
            tally.run(&indexed, &call, &format!("{what} units {units}"))?;
        }
        bar.inc(1);
    }
    let on_indexed = tally.cases;
    let tensors = Dense::new(&weights)?;
    let mut index = 0;
    while tally.cases < on_indexed + dense {
        let call = Generator::call(suite.names(), seed + 1, index);
        // A search for an address takes minutes on tensors.
        if call.name != "sol_try_find_program_address" {
            tally.run(&tensors, &call, &format!("dense seed {} index {index}", seed + 1))?;
            bar.inc(1);
        }
        index += 1;
    }
    bar.finish_and_clear();
    let mut report = serde_json::json!({
        "suite": suite.name(),
        "oracle": { "name": "solana-svm conformance", "version": "4.2.2" },
        "svmllm": env!("CARGO_PKG_VERSION"),
        "seed": seed,
        "evaluator": if dense > 0 { "indexed, dense" } else { "indexed" },
        "cases": tally.cases,
        "on_dense": dense,
        "matched": tally.matched,
        "mismatches": tally.mismatches,
        "seconds": begun.elapsed().as_secs_f64(),
        "ample_units": AMPLE,
        "families": tally.by_family,
        "syscalls": tally.by_name,
        "errors": tally.errors,
    });
    if suite == Suite::Curves {
        report["pairings"] = tally.pairings.into();
        report["rows"] = serde_json::to_value(rows::measure(&indexed, seed)?)?;
        report["tensors"] = serde_json::to_value(tensors::measure(&tensors, &indexed, seed)?)?;
    }
    let out = out.join(format!("{}.json", suite.name()));
    std::fs::write(out, serde_json::to_string_pretty(&report)? + "\n")?;
    println!("{} of {} match", tally.matched, tally.cases);
    for mismatch in tally.mismatches.iter().take(20) {
        println!("{mismatch}");
    }
    anyhow::ensure!(tally.matched == tally.cases, "there are mismatches");
    Ok(())
}
