//! Programs of every version in whole transactions, a part of the suite `versions`.

use std::sync::Arc;

use anyhow::Context;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use svmllm::host::{Program, Version};

use super::{Opcodes, Random, Suite, programs::assemble};
use crate::{
    case::CaseId,
    elf::compose,
    generate::{
        handmade, own, rng,
        spl::{chance, key, one},
    },
    transaction::{Draft, Loader, ProgramFile, TransactionCase, TransactionSuite},
};

/// The name under which its cases are found.
pub const NAME: &str = "versions-transactions";

const VERSIONS: [Version; 4] = [Version::V0, Version::V1, Version::V2, Version::V3];
/// Transactions of each version with a program made by hand, with a random one, with one of `opcodes`.
const EACH: [u64; 3] = [160, 60, 20];
/// Transactions with our own programs, for the versions that they are compiled for.
const COMPILED: u64 = 110;

/// Transactions that run programs of versions 0 to 3.
pub struct VersionTransactions {
    seed: u64,
    own: Arc<[ProgramFile]>,
}

impl VersionTransactions {
    /// The suite.
    ///
    /// # Errors
    /// A compiled program is missing.
    pub fn new(seed: u64) -> anyhow::Result<Self> {
        Ok(Self { seed, own: own::programs()?.into() })
    }

    /// A program of some kind that reads no input, as a file.
    fn bare(&self, version: Version, within: u64) -> anyhow::Result<(&'static str, Program)> {
        let (name, mut suite): (_, Box<dyn Suite>) = if within < EACH[1] {
            ("random", Box::new(Random { version, seed: self.seed }))
        } else {
            ("opcodes", Box::new(Opcodes { version, seed: self.seed }))
        };
        let index = within * (suite.size() / (EACH[1] + EACH[2])) + within;
        let case = suite.case(index)?.with_context(|| format!("{name} has no case {index}"))?;
        Ok((name, case.program))
    }
}

const PER_VERSION: u64 = EACH[0] + EACH[1] + EACH[2];

impl TransactionSuite for VersionTransactions {
    fn name(&self) -> &'static str {
        NAME
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn size(&self) -> u64 {
        PER_VERSION * VERSIONS.len() as u64 + COMPILED
    }

    fn case(&mut self, index: u64) -> anyhow::Result<TransactionCase> {
        let id = CaseId { suite: NAME, seed: self.seed, index };
        let mut rng = rng(NAME, self.seed, index);
        let rng = &mut rng;
        let Some(version) = VERSIONS.get((index / PER_VERSION) as usize).copied() else {
            let name = own::NAMES[(index % own::NAMES.len() as u64) as usize];
            let version = one(rng, &own::VERSIONS);
            let draft = own::instruction(name, own::address(name, version, Loader::V3), rng);
            return assemble(id, draft, self.own.clone(), rng);
        };
        let within = index % PER_VERSION;
        let address = key("program");
        let (draft, program) = if within < EACH[0] {
            let name = handmade::NAMES[(within % handmade::NAMES.len() as u64) as usize];
            handmade::program(name, version, address, rng)
        } else {
            let (name, program) = self.bare(version, within - EACH[0])?;
            (Draft::new(name, address, vec![], vec![rng.random(); 9]), program)
        };
        let data = if chance(rng, 50) { &program.text[..] } else { b"read-only data" };
        let elf = compose(&program, data).into();
        let programs = [ProgramFile { address, loader: loader(rng), elf }];
        assemble(id, draft, programs.into(), rng)
    }

    fn part(&self, index: u64) -> &'static str {
        const PARTS: [&str; 4] = ["v0 transactions", "v1 transactions", "v2 transactions", "v3 transactions"];
        PARTS.get((index / PER_VERSION) as usize).copied().unwrap_or("compiled transactions")
    }
}

fn loader(rng: &mut ChaCha8Rng) -> Loader {
    one(rng, &[Loader::V1, Loader::V2, Loader::V3, Loader::V3])
}
