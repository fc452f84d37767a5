//! Differential checks.

use clap::Parser;
use svmllm_xcheck::elf;

/// Compares the ELF loader with the reference's.
#[derive(Parser)]
struct Arguments {
    /// Mutants to compare, besides the shipped and the crafted files.
    #[arg(long, default_value_t = 50_000)]
    mutants: usize,
    /// Seed of the mutants.
    #[arg(long, default_value_t = 2026)]
    seed: u64,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let report = elf::run(arguments.mutants, arguments.seed)?;
    println!("{}", serde_json::to_string_pretty(&report)?);
    for program in elf::shipped()?.iter().filter(|program| program.name.contains("token_2022")) {
        let times = elf::load_times(&program.bytes, 9);
        println!("{}: {times:?}, {:.2} times", program.name, times.ratio());
    }
    Ok(())
}
