//! Random programs with every budget that can make a difference.

use std::collections::BTreeSet;

use rand::Rng;

use super::Suite;
use crate::{
    case::{Case, CaseId},
    generate::{random, rng},
    oracle::Oracle,
};

/// Programs in the suite.
const PROGRAMS: u64 = 300;
/// Budgets tried at most with each.
const BUDGETS: u64 = 300;

/// The suite `budgets`: index `300 p + b` is program `p` with its budget number `b`.
pub struct Budgets<O> {
    seed: u64,
    oracle: O,
    current: Option<(u64, Case, Vec<u64>)>,
}

impl<O: Oracle> Budgets<O> {
    /// The suite; the oracle says how many instructions a program takes.
    pub fn new(seed: u64, oracle: O) -> Self {
        Self { seed, oracle, current: None }
    }

    fn load(&mut self, program: u64) -> anyhow::Result<&(u64, Case, Vec<u64>)> {
        if self.current.as_ref().is_none_or(|(loaded, ..)| *loaded != program) {
            let case = random::case(CaseId { suite: self.name(), seed: self.seed, index: program });
            let instructions = self.oracle.run(&case)?.instructions;
            let budgets = budgets(instructions, &mut rng("budget", self.seed, program));
            self.current = Some((program, case, budgets));
        }
        Ok(self.current.as_ref().expect("just loaded"))
    }
}

/// Every budget from 0 to one more than needed, or as many of them as are tried, always with both ends.
fn budgets(instructions: u64, rng: &mut impl Rng) -> Vec<u64> {
    if instructions + 2 <= BUDGETS {
        return (0..instructions + 2).collect();
    }
    let mut budgets = BTreeSet::from([0, 1, instructions - 1, instructions, instructions + 1]);
    while (budgets.len() as u64) < BUDGETS {
        budgets.insert(rng.random_range(2..instructions - 1));
    }
    budgets.into_iter().collect()
}

impl<O: Oracle> Suite for Budgets<O> {
    fn name(&self) -> &'static str {
        "budgets"
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn size(&self) -> u64 {
        PROGRAMS * BUDGETS
    }

    fn case(&mut self, index: u64) -> anyhow::Result<Option<Case>> {
        let (_, case, budgets) = self.load(index / BUDGETS)?;
        let budget = budgets.get((index % BUDGETS) as usize);
        Ok(budget.map(|&budget| Case { id: CaseId { index, ..case.id }, budget, ..case.clone() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_programs_get_every_budget_and_long_ones_both_ends() {
        let mut rng = rng("budget", 1, 0);
        assert_eq!(budgets(3, &mut rng), [0, 1, 2, 3, 4]);
        assert_eq!(budgets(298, &mut rng), (0..300).collect::<Vec<_>>());
        for instructions in [299, 300, 5000] {
            let budgets = budgets(instructions, &mut rng);
            assert_eq!(budgets.len() as u64, BUDGETS);
            assert!(budgets.contains(&0) && budgets.ends_with(&[instructions, instructions + 1]));
        }
    }
}
