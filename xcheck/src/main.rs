//! The command `svmllm-xcheck`.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, bail, ensure};
use clap::{Args, Parser, Subcommand};
use solana_address::Address;
use svmllm::{
    export::qwen::shape::Shape,
    host::svm::Rules,
    tables::{Indexed, Weights},
};
use svmllm_replay::Replayer;
use svmllm_xcheck::{
    DEFAULT_SEED,
    fixtures::{self, Writer},
    oracle::{
        Oracle,
        external::External,
        litesvm::{self, LiteSvm},
        sbpf::Sbpf,
    },
    report::Report,
    subject::{self, Subject},
    suites::{self, Options, api, version_transactions},
    transaction::{self, Runtime, TransactionCase},
};

/// Differential checks of svmllm against reference implementations.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run suites and rewrite their results.
    Results {
        /// The suites to run; all of them if none is named.
        suites: Vec<String>,
        #[command(flatten)]
        common: Common,
        /// Run only about so many cases of each suite and write nothing unless --out says where.
        #[arg(long)]
        sample: Option<u64>,
        /// The directory to write to.
        #[arg(long)]
        out: Option<PathBuf>,
        /// A program to ask instead of LiteSVM in suites of transactions, such as that of `xcheck/second`.
        #[arg(long, value_name = "PROGRAM")]
        oracle: Option<PathBuf>,
    },
    /// Write fixtures for `svmllm replay` from runs of the reference, and check that they are replayed as recorded.
    Fixtures {
        /// The directory to write to, a folder a layout; without one they are only checked.
        #[arg(long)]
        out: Option<PathBuf>,
        /// How many of each layout.
        #[arg(long, default_value_t = 200)]
        count: usize,
        /// The seed of the cases.
        #[arg(long, default_value_t = DEFAULT_SEED)]
        seed: u64,
    },
    /// Run one case and print how it compares.
    Case {
        /// The case's suite.
        suite: String,
        /// The case's index.
        index: u64,
        #[command(flatten)]
        common: Common,
        /// A program to ask instead of LiteSVM if it is a transaction.
        #[arg(long, value_name = "PROGRAM")]
        oracle: Option<PathBuf>,
    },
    /// Run one example of the suite `qwen` on a checkpoint, token by token, and print how it compares.
    Qwen {
        /// Its name: `fibonacci`, `gcd`, `copy`, `calls`, `token-transfer`, `random-N` or `opcode-N`.
        name: String,
        /// The shape of the checkpoint.
        #[arg(long, default_value = "ci")]
        shape: String,
        /// The seed of the cases.
        #[arg(long, default_value_t = DEFAULT_SEED)]
        seed: u64,
    },
    /// Write the examples of the suite `qwen` for xcheck/qwen/check.py.
    QwenExamples {
        /// The file to write.
        file: PathBuf,
        /// The shape of the checkpoint.
        #[arg(long, default_value = "ci")]
        shape: String,
        /// Only about so many random programs, and as many cases of opcodes.
        #[arg(long)]
        sample: Option<u64>,
        /// The seed of the cases.
        #[arg(long, default_value_t = DEFAULT_SEED)]
        seed: u64,
    },
}

#[derive(Args)]
struct Common {
    /// The seed of the cases.
    #[arg(long, default_value_t = DEFAULT_SEED)]
    seed: u64,
    /// What to check; `reference` is the oracle itself, whose results are not written.
    #[arg(long, default_value = "indexed")]
    evaluator: String,
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Results { suites, common, sample, out, oracle: None } => {
            results(&suites, &common, sample, out)
        }
        Command::Results { suites, common, sample, out, oracle: Some(oracle) } => {
            second(&suites, &common, sample, out, External::start(oracle)?)
        }
        Command::Case { suite, index, common, oracle } => case(&suite, index, &common, oracle),
        Command::Fixtures { out, count, seed } => write_fixtures(out.as_deref(), count, seed),
        Command::Qwen { name, shape, seed } => {
            let (report, equal) = suites::qwen::run_one(&name, qwen_shape(&shape)?, seed)?;
            println!("{report:#}");
            ensure!(equal, "the answer differs");
            Ok(())
        }
        Command::QwenExamples { file, shape, sample, seed } => {
            let count = suites::qwen::write_examples(&file, &qwen_shape(&shape)?, seed, sample)?;
            println!("{count} examples to {}", file.display());
            Ok(())
        }
    }
}

fn qwen_shape(name: &str) -> anyhow::Result<Shape> {
    Shape::by_name(name).with_context(|| format!("there is no shape {name:?}, only 0.8b and ci"))
}

fn results(
    names: &[String],
    common: &Common,
    sample: Option<u64>,
    out: Option<PathBuf>,
) -> anyhow::Result<()> {
    let mut subject = subject::by_name(&common.evaluator)?;
    let whole = sample.is_none() && common.evaluator != "reference";
    let out = out.or_else(|| whole.then(|| PathBuf::from("results")));
    let names: Vec<&str> = if names.is_empty() {
        [
            &suites::NAMES[..],
            &suites::OTHERS,
            &suites::TRANSACTIONS[..suites::TRANSACTIONS.len() - suites::PARTS_OF_OTHERS],
        ]
        .concat()
    } else {
        names.iter().map(String::as_str).collect()
    };
    let mut clean = true;
    for name in names {
        let options = Options { sample, progress: true };
        let report = if let Some(report) = suites::run_other(name, common.seed, options) {
            let mut report = report?;
            if name == api::NAME
                && let Some(part) = transactions(api::loader::NAME, common, options)
            {
                report.absorb(part?);
            }
            report
        } else if let Some(report) = transactions(name, common, options) {
            report?
        } else {
            let mut suite = suites::by_name(name, common.seed)?;
            let mut report = suites::run(suite.as_mut(), &mut Sbpf::new(), subject.as_mut(), options)?;
            if name == "versions"
                && let Some(part) = transactions(version_transactions::NAME, common, options)
            {
                report.absorb(part?);
            }
            report
        };
        summarize(&report);
        clean &= report.is_clean();
        if let Some(out) = &out {
            report.write(out)?;
        }
    }
    if !clean {
        bail!("there are mismatches");
    }
    Ok(())
}

/// Runs a suite of transactions; `None` if it is none.
fn transactions(name: &str, common: &Common, options: Options) -> Option<anyhow::Result<Report>> {
    let mut oracle = LiteSvm::new();
    let suite = suites::transactions_by_name(name, common.seed, &mut oracle)?;
    Some(suite.and_then(|mut suite| {
        let mut subject = subject::runtime_by_name(&common.evaluator, Rules::LiteSvm)?;
        transaction::run(suite.as_mut(), &mut oracle, litesvm::VERSION, subject.as_mut(), options)
    }))
}

/// The rules an oracle follows.
fn rules(oracle: &External) -> Rules {
    if oracle.is_agave() { Rules::Agave } else { Rules::LiteSvm }
}

/// Runs suites of transactions against another oracle. Their results go to a folder named after it.
fn second(
    names: &[String],
    common: &Common,
    sample: Option<u64>,
    out: Option<PathBuf>,
    mut oracle: External,
) -> anyhow::Result<()> {
    let version = oracle.version();
    let folder = || format!("results/{}-{}", version.name.to_lowercase(), version.version).into();
    let out = out.or_else(|| sample.is_none().then(folder));
    let options = Options { sample, progress: true };
    let rules = rules(&oracle);
    let mut pinned = LiteSvm::new();
    let mut clean = true;
    for name in names {
        let suite = suites::transactions_by_name(name, common.seed, &mut pinned);
        let mut suite = suite.with_context(|| format!("there is no suite {name:?} of transactions"))??;
        let mut subject = subject::runtime_by_name(&common.evaluator, rules)?;
        let report =
            transaction::run(suite.as_mut(), &mut oracle, version.clone(), subject.as_mut(), options)?;
        summarize(&report);
        clean &= report.is_clean();
        if let Some(out) = &out {
            report.write(out)?;
        }
    }
    if !clean {
        bail!("there are mismatches");
    }
    Ok(())
}

fn write_fixtures(out: Option<&Path>, count: usize, seed: u64) -> anyhow::Result<()> {
    let replayer = Replayer::new(Arc::new(Indexed::new(&Weights::generate())?));
    let mut writer = Writer::new(seed);
    let mut clean = true;
    for layout in fixtures::LAYOUTS {
        let written = writer.write(layout, count)?;
        let mut equal = 0;
        for fixture in &written {
            if let Some(out) = out {
                fixture.save(out)?;
            }
            match replayer.replay(&fixture.bytes) {
                Ok(replayed) if replayed.differences.as_ref().is_some_and(Vec::is_empty) => equal += 1,
                Ok(replayed) => println!("  {}: {:?}", fixture.name, replayed.differences),
                Err(error) => println!("  {}: {error}", fixture.name),
            }
        }
        println!("{}: {equal} of {} as recorded", layout.name(), written.len());
        clean &= equal == written.len();
    }
    ensure!(clean, "there are differences");
    Ok(())
}

fn summarize(report: &Report) {
    println!(
        "{}: {} of {} cases matched, {:.1} s",
        report.suite, report.matched, report.cases, report.seconds
    );
    for row in &report.rows {
        println!(
            "  {:12} {:>12.2} ns, reference {:>7.2} ns, ratio {:.1}",
            row.name, row.svmllm_ns, row.reference_ns, row.ratio
        );
    }
    for mismatch in report.mismatches.iter().take(5) {
        println!("  {}\n    {}", mismatch.text, mismatch.rerun);
    }
}

fn case(suite: &str, index: u64, common: &Common, oracle: Option<PathBuf>) -> anyhow::Result<()> {
    let mut pinned = LiteSvm::new();
    if let Some(suite) = suites::transactions_by_name(suite, common.seed, &mut pinned) {
        let case = suite?.case(index)?;
        let subject = |rules| subject::runtime_by_name(&common.evaluator, rules);
        return match oracle.map(External::start).transpose()? {
            None => transaction_case(&case, &mut pinned, subject(Rules::LiteSvm)?.as_mut()),
            Some(mut oracle) => {
                let rules = rules(&oracle);
                transaction_case(&case, &mut oracle, subject(rules)?.as_mut())
            }
        };
    }
    let mut subject: Box<dyn Subject> = subject::by_name(&common.evaluator)?;
    let mut suite = suites::by_name(suite, common.seed)?;
    let case = suite.case(index)?.with_context(|| format!("{} has no case {index}", suite.name()))?;
    println!("text      {}", hex::encode(&case.program.text));
    println!("entry     {}", case.program.entry_pc);
    println!("functions {:?}", case.program.functions);
    println!("registers {:x?}", case.registers);
    println!("budget    {}, heap {}, input {} bytes", case.budget, case.heap, case.input.len());
    let expected = Sbpf::new().run(&case)?;
    println!("expected  {:x?} after {} instructions", expected.status, expected.instructions);
    match suites::check(&case, &expected, subject.as_mut())? {
        None => println!("{} agrees", subject.name()),
        Some(difference) => {
            if let Some(step) = difference.at.filter(|_| difference.field.starts_with(['r', 'p'])) {
                println!("state before that step, as expected: {:x?}", expected.trace[step]);
            }
            bail!("{} differs: {difference}", subject.name());
        }
    }
    Ok(())
}

fn transaction_case(
    case: &TransactionCase,
    oracle: &mut dyn Runtime,
    subject: &mut dyn Runtime,
) -> anyhow::Result<()> {
    println!("about       {}", case.name);
    println!("changes     {:?}", case.changes);
    println!("settings    {:?}", case.settings);
    let message = &case.transaction.message;
    let reserved: Option<&BTreeSet<Address>> = None;
    for (number, key) in message.static_account_keys().iter().enumerate() {
        let flags = [
            (message.is_signer(number), 's'),
            (message.is_maybe_writable_with_reserved_addresses(number, reserved), 'w'),
        ];
        let flags: String = flags.iter().map(|(set, flag)| if *set { *flag } else { '-' }).collect();
        println!("account {number:3} {flags} {key}");
    }
    for instruction in message.instructions() {
        let data = hex::encode(&instruction.data);
        println!("calls {} with {:?}, data {data}", instruction.program_id_index, instruction.accounts);
    }
    for (address, account) in &case.accounts {
        println!("before {address}: {account:?}");
    }
    let expected = oracle.run(case)?;
    println!("expected    {:?}, {} units", expected.result, expected.units);
    expected.logs.iter().for_each(|line| println!("  | {line}"));
    match transaction::check(case, &expected, subject)? {
        None => println!("{} agrees", subject.name()),
        Some(difference) => bail!("{} differs: {difference}", subject.name()),
    }
    Ok(())
}
