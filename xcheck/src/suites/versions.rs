//! The suites of program runs on the versions after 0.

use std::ops::Range;

use svmllm::host::Version;

use super::{Budgets, Opcodes, Random, Suite};
use crate::{
    case::{Case, CaseId},
    oracle::sbpf::Sbpf,
};

/// The suite `versions`: for each version its opcodes, random programs and budgets, one after the other.
pub struct Versions {
    seed: u64,
    parts: Vec<(&'static str, Box<dyn Suite>)>,
}

impl Versions {
    /// The suite.
    pub fn new(seed: u64) -> Self {
        let mut parts: Vec<(&'static str, Box<dyn Suite>)> = Vec::new();
        for (version, [opcodes, random, budgets]) in [
            (Version::V1, ["v1 opcodes", "v1 random", "v1 budgets"]),
            (Version::V2, ["v2 opcodes", "v2 random", "v2 budgets"]),
            (Version::V3, ["v3 opcodes", "v3 random", "v3 budgets"]),
        ] {
            parts.push((opcodes, Box::new(Opcodes { version, seed })));
            parts.push((random, Box::new(Random { version, seed })));
            parts.push((budgets, Box::new(Budgets::new(version, seed, Sbpf::new()))));
        }
        Self { seed, parts }
    }

    /// The indices of a version's opcodes and random programs.
    ///
    /// # Panics
    ///
    /// Panics for version 0, which is not part of the suite.
    pub fn ranges(&self, version: Version) -> [Range<u64>; 2] {
        let first = 3 * (version as usize - Version::V1 as usize);
        [first, first + 1].map(|part| {
            let start = self.parts[..part].iter().map(|(_, suite)| suite.size()).sum();
            start..start + self.parts[part].1.size()
        })
    }

    /// The part an index belongs to, and the index within it.
    fn locate(&self, index: u64) -> Option<(usize, u64)> {
        let mut within = index;
        for (part, (_, suite)) in self.parts.iter().enumerate() {
            if within < suite.size() {
                return Some((part, within));
            }
            within -= suite.size();
        }
        None
    }
}

impl Suite for Versions {
    fn name(&self) -> &'static str {
        "versions"
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn size(&self) -> u64 {
        self.parts.iter().map(|(_, suite)| suite.size()).sum()
    }

    fn case(&mut self, index: u64) -> anyhow::Result<Option<Case>> {
        let Some((part, within)) = self.locate(index) else { return Ok(None) };
        let id = CaseId { suite: self.name(), seed: self.seed, index };
        Ok(self.parts[part].1.case(within)?.map(|case| Case { id, ..case }))
    }

    fn part(&self, index: u64) -> Option<&'static str> {
        self.locate(index).map(|(part, _)| self.parts[part].0)
    }
}
