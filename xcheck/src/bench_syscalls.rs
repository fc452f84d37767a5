//! Syscalls to measure speed with, next to native code that does the same.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use anyhow::ensure;
use curve25519_dalek::edwards::CompressedEdwardsY;
use sha2::{Digest as _, Sha256};
use svmllm::{
    host::{Ended, Environment, INPUT_ADDRESS, Machine, Mode, Program, Setup, Version, assemble},
    tables::Indexed,
};

/// A program that makes one call.
pub struct Benchmark {
    /// What is measured.
    pub name: &'static str,
    program: Program,
    input: Vec<u8>,
    /// What the call returns.
    returns: u64,
    native: fn(&[u8]) -> bool,
}

/// Bytes that are copied.
const COPIED: usize = 10 * 1024;

/// A call that copies memory, and one that finds a derived address to be a point of the curve.
///
/// # Errors
/// A program does not assemble.
pub fn all() -> anyhow::Result<Vec<Benchmark>> {
    let copy = format!(
        "mov64 r2, r1
        lddw r1, 0x300000000
        mov64 r3, {COPIED}
        syscall sol_memcpy_
        exit"
    );
    let derive = format!(
        "mov64 r3, r1
        add64 r3, 24
        lddw r4, 0x300000000
        mov64 r2, 1
        lddw r5, {INPUT_ADDRESS:#x}
        syscall sol_create_program_address
        exit"
    );
    // The list of seeds, the bump, the program's address.
    let input = |bump: u8| {
        let list = [INPUT_ADDRESS + 16, 1].map(u64::to_le_bytes).concat();
        [list, vec![bump; 8], vec![7; 32]].concat()
    };
    let failing = (0..=255).map(input).find(|input| on_curve(input));
    let Some(failing) = failing else { anyhow::bail!("half of all bumps fail") };
    Ok(vec![
        Benchmark {
            name: "memcpy_10k",
            program: assemble(&copy, Version::V0)?,
            input: vec![0x5a; COPIED],
            returns: 0,
            native: copied,
        },
        Benchmark {
            name: "find_address_bump",
            program: assemble(&derive, Version::V0)?,
            input: failing,
            returns: 1,
            native: on_curve,
        },
    ])
}

fn copied(from: &[u8]) -> bool {
    let mut to = vec![0; from.len()];
    to.copy_from_slice(black_box(from));
    black_box(&to).len() == from.len()
}

/// Whether the address of the one-byte seed is a point of the curve.
fn on_curve(input: &[u8]) -> bool {
    let hash = Sha256::digest([&input[16..17], &input[24..], b"ProgramDerivedAddress"].concat());
    CompressedEdwardsY(hash.into()).decompress().is_some()
}

impl Benchmark {
    /// Time of so many calls on the machine, setting up not counted.
    ///
    /// # Errors
    /// The program does not end as it should.
    pub fn time(&self, e: &Indexed, times: u64) -> anyhow::Result<Duration> {
        let setup = Setup { input: self.input.clone(), ..Setup::default() };
        let mut total = Duration::ZERO;
        for _ in 0..times {
            let mut machine = Machine::new(e, &self.program, &setup, &Environment::default(), Mode::Lazy)?;
            let started = Instant::now();
            let ended = machine.run()?;
            total += started.elapsed();
            ensure!(ended == Ended::Exit(self.returns), "{}: {ended:?}", self.name);
        }
        Ok(total)
    }

    /// Time of the same natively.
    ///
    /// # Errors
    /// The result is not what it should be.
    pub fn native_time(&self, times: u64) -> anyhow::Result<Duration> {
        let started = Instant::now();
        for _ in 0..times {
            ensure!((self.native)(black_box(&self.input)), "{}", self.name);
        }
        Ok(started.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use svmllm::tables::Weights;

    #[test]
    fn every_call_returns() {
        let indexed = Indexed::new(&Weights::generate()).unwrap();
        for benchmark in all().unwrap() {
            benchmark.time(&indexed, 1).unwrap();
            benchmark.native_time(1).unwrap();
        }
    }
}
