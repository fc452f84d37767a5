//! Differential checks.

fn main() -> anyhow::Result<()> {
    let report = svmllm_xcheck::elf::run(50_000, 2026)?;
    println!("{report:#?}");
    Ok(())
}
