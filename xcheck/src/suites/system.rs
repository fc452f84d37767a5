//! The System Program, in transactions and called by programs, against LiteSVM.

use std::{collections::BTreeMap, sync::Arc};

use rand::Rng;
use solana_address::Address;
use solana_hash::Hash;
use solana_sdk_ids::{system_program, sysvar};

use super::programs::assemble;
use crate::{
    case::CaseId,
    generate::{
        bundle::Bundle,
        calls::{self, CALLERS},
        rng,
        spl::{PAYER, chance, key, one},
        system::{NAMES, Scene},
    },
    oracle::litesvm::LiteSvm,
    transaction::{Budget, ProgramFile, Settings, TransactionCase, TransactionSuite, transaction},
};

/// The suite's name.
pub const NAME: &str = "system";

/// Transactions with each instruction alone, called through C's and through Rust's interface.
const EACH: [u64; 3] = [140, 95, 95];
/// Transactions of several instructions.
const SEVERAL: u64 = 380;

const PARTS: [&str; 4] = ["top level", "called through C", "called through Rust", "several"];

/// The suite `system`.
pub struct System {
    seed: u64,
    none: Arc<[ProgramFile]>,
    lengths: BTreeMap<Address, u64>,
}

impl System {
    /// The suite.
    ///
    /// # Errors
    /// The oracle cannot be set up.
    pub fn new(seed: u64, oracle: &mut LiteSvm) -> anyhow::Result<Self> {
        let known = [system_program::ID, sysvar::recent_blockhashes::ID, sysvar::rent::ID, sysvar::clock::ID];
        let lengths = oracle.lengths(&calls::programs(), &known)?;
        Ok(Self { seed, none: Arc::new([]), lengths })
    }

    fn locate(index: u64) -> (usize, u64) {
        let mut within = index;
        for (part, each) in EACH.into_iter().enumerate() {
            let size = each * NAMES.len() as u64;
            if within < size {
                return (part, within);
            }
            within -= size;
        }
        (EACH.len(), within)
    }
}

impl TransactionSuite for System {
    fn name(&self) -> &'static str {
        NAME
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn size(&self) -> u64 {
        EACH.iter().sum::<u64>() * NAMES.len() as u64 + SEVERAL
    }

    fn case(&mut self, index: u64) -> anyhow::Result<TransactionCase> {
        let id = CaseId { suite: NAME, seed: self.seed, index };
        let mut rng = rng(NAME, self.seed, index);
        let rng = &mut rng;
        let (part, within) = Self::locate(index);
        let number = (within % NAMES.len() as u64) as usize;
        match part {
            0 => {
                let draft = Scene::new(rng, Hash::default(), &key).instruction(number);
                assemble(id, draft, self.none.clone(), rng)
            }
            1 | 2 => {
                let caller = if chance(rng, 60) { CALLERS[0] } else { one(rng, &CALLERS) };
                let names = ["from", "to", "base", "nonce", "authority"];
                let mask: u8 = rng.random();
                let derived: BTreeMap<&str, _> = names
                    .into_iter()
                    .enumerate()
                    .filter(|(bit, _)| mask >> bit & 1 == 1)
                    .map(|(_, name)| (name, caller.derived(name)))
                    .collect();
                let parties =
                    |name: &str| derived.get(name).map_or_else(|| key(name), |(address, _)| *address);
                let draft = Scene::new(rng, Hash::default(), &parties).instruction(number);
                let mut derived: Vec<_> = derived.into_values().collect();
                if chance(rng, 4) {
                    derived.pop();
                }
                let length = |address: &Address| self.lengths.get(address).copied().unwrap_or(0);
                let draft = calls::forward(draft, caller, part == 2, &derived, length);
                assemble(id, draft, calls::programs(), rng)
            }
            _ => self.several(id, rng),
        }
    }

    fn part(&self, index: u64) -> &'static str {
        PARTS[Self::locate(index).0]
    }
}

impl System {
    /// A transaction of several instructions on the same accounts.
    fn several(&self, id: CaseId, rng: &mut rand_chacha::ChaCha8Rng) -> anyhow::Result<TransactionCase> {
        let count = rng.random_range(2..6);
        let mut bundle = Bundle::default();
        for _ in 0..count {
            let number = one(rng, &[0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
            bundle.push(Scene::new(rng, Hash::default(), &key).instruction(number));
        }
        let mut settings = Settings::default();
        if chance(rng, 25) {
            settings.budget = Some(Budget::units(rng.random_range(0..=150 * count + 1)));
        }
        let versioned = chance(rng, 20);
        Ok(TransactionCase {
            id,
            name: format!("{count} instructions"),
            changes: bundle.changes,
            programs: self.none.clone(),
            accounts: bundle.accounts.into_iter().collect(),
            transaction: transaction(&bundle.instructions, PAYER, versioned, id.index)?,
            settings,
        })
    }
}
