//! The command `svmllm-xcheck`.

use std::{collections::BTreeSet, path::PathBuf};

use anyhow::{Context, bail};
use clap::{Args, Parser, Subcommand};
use solana_address::Address;
use svmllm::export::qwen::shape::Shape;
use svmllm_xcheck::{
    DEFAULT_SEED,
    oracle::{Oracle, litesvm::LiteSvm, sbpf::Sbpf},
    report::Report,
    subject::{self, Subject},
    suites::{self, Options, version_transactions},
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
    },
    /// Run one case and print how it compares.
    Case {
        /// The case's suite.
        suite: String,
        /// The case's index.
        index: u64,
        #[command(flatten)]
        common: Common,
    },
    /// Run a token transfer by p-token on the checkpoint of a shape and print how every token compares.
    QwenTransfer {
        /// The shape.
        shape: String,
        /// The seed of the accounts' addresses.
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
        Command::Results { suites, common, sample, out } => results(&suites, &common, sample, out),
        Command::Case { suite, index, common } => case(&suite, index, &common),
        Command::QwenTransfer { shape, seed } => {
            let shape = Shape::by_name(&shape).with_context(|| format!("there is no shape {shape:?}"))?;
            println!("{}", suites::qwen::transfer(shape, seed)?);
            Ok(())
        }
        Command::QwenExamples { file, shape, sample, seed } => {
            let shape = Shape::by_name(&shape).with_context(|| format!("there is no shape {shape:?}"))?;
            let count = suites::qwen::write_examples(&file, &shape, seed, sample)?;
            println!("{count} examples to {}", file.display());
            Ok(())
        }
    }
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
        [&suites::NAMES[..], &suites::OTHERS, &suites::TRANSACTIONS[..suites::TRANSACTIONS.len() - 1]]
            .concat()
    } else {
        names.iter().map(String::as_str).collect()
    };
    let mut clean = true;
    for name in names {
        let options = Options { sample, progress: true };
        let report = if let Some(report) = suites::run_other(name, common.seed, options) {
            report?
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
        let mut subject = subject::runtime_by_name(&common.evaluator)?;
        transaction::run(suite.as_mut(), &mut oracle, subject.as_mut(), options)
    }))
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

fn case(suite: &str, index: u64, common: &Common) -> anyhow::Result<()> {
    let mut oracle = LiteSvm::new();
    if let Some(suite) = suites::transactions_by_name(suite, common.seed, &mut oracle) {
        let case = suite?.case(index)?;
        return transaction_case(&case, &mut oracle, subject::runtime_by_name(&common.evaluator)?.as_mut());
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
    oracle: &mut LiteSvm,
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
