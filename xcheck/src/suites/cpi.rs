//! Programs that call programs, well and badly, against LiteSVM.

use std::{collections::BTreeMap, sync::Arc};

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};
use solana_sdk_ids::{
    bpf_loader, bpf_loader_deprecated, bpf_loader_upgradeable, compute_budget, ed25519_program,
    native_loader, secp256k1_program, secp256r1_program, system_program, sysvar,
};

use crate::{
    case::CaseId,
    generate::{
        calls::{
            self,
            faults::{self, CALLS, Made, SHAPES},
        },
        rng,
        spl::{MEMO, PAYER, chance, one},
    },
    oracle::litesvm::LiteSvm,
    transaction::{Budget, LOG_LIMIT, Runtime, Settings, TransactionCase, TransactionSuite, transaction},
};

/// The suite's name.
pub const NAME: &str = "cpi";

/// Transactions with each shape of a call, with each fault of its description.
const EACH: [u64; 2] = [40, 45];
/// Transactions with a spoiled word, with calls nested at random.
const RANDOM: [u64; 2] = [700, 700];
/// How many calls have their budget swept, in how many steps.
const SWEPT: [u64; 2] = [9, 100];

const PARTS: [&str; 5] = ["shapes", "descriptions", "words", "nested", "budgets"];

/// The suite `cpi`.
pub struct Cpi {
    seed: u64,
    lengths: BTreeMap<Address, u64>,
    /// Calls with what they need.
    swept: Vec<(Arc<TransactionCase>, u64)>,
}

impl Cpi {
    /// The suite; the oracle says how much the calls need whose budgets are swept.
    ///
    /// # Errors
    /// A case cannot be made.
    pub fn new(seed: u64, oracle: &mut LiteSvm) -> anyhow::Result<Self> {
        let known = [
            system_program::ID,
            compute_budget::ID,
            MEMO,
            sysvar::clock::ID,
            native_loader::ID,
            bpf_loader::ID,
            bpf_loader_deprecated::ID,
            bpf_loader_upgradeable::ID,
            ed25519_program::ID,
            secp256k1_program::ID,
            secp256r1_program::ID,
        ];
        let lengths = oracle.lengths(&calls::programs(), &known)?;
        let mut suite = Self { seed, lengths, swept: Vec::new() };
        for sweep in 0..SWEPT[0] {
            // Two in three succeed.
            let (case, units) = suite.find(oracle, sweep, sweep % 3 != 0)?;
            suite.swept.push((case.into(), units));
        }
        Ok(suite)
    }

    /// A call that is swept, and the units it needs.
    fn find(&self, oracle: &mut LiteSvm, sweep: u64, good: bool) -> anyhow::Result<(TransactionCase, u64)> {
        let id = CaseId { suite: NAME, seed: self.seed, index: 0 };
        for number in 0..200 {
            let mut rng = rng("cpi budgets", self.seed, sweep * 1000 + number);
            let case = match sweep % 2 {
                0 => self.nested(id, &mut rng)?,
                _ => {
                    let shape = rng.random_range(0..SHAPES.len());
                    self.single(
                        id,
                        faults::make(Some(shape), None, false, &mut rng, &self.lengths),
                        &mut rng,
                    )?
                }
            };
            let case = TransactionCase { settings: Settings::default(), ..case };
            let outcome = oracle.run(&case)?;
            let calls = outcome.inner_instructions.concat().len();
            if outcome.result.is_ok() == good && calls > 0 && outcome.units < 100_000 {
                return Ok((case, outcome.units));
            }
        }
        anyhow::bail!("no call to sweep")
    }

    fn locate(index: u64) -> (usize, u64) {
        let sizes = [
            EACH[0] * SHAPES.len() as u64,
            EACH[1] * CALLS.len() as u64,
            RANDOM[0],
            RANDOM[1],
            SWEPT[0] * SWEPT[1],
        ];
        let mut within = index;
        for (part, size) in sizes.into_iter().enumerate() {
            if within < size {
                return (part, within);
            }
            within -= size;
        }
        (PARTS.len() - 1, within)
    }

    fn single(&self, id: CaseId, made: Made, rng: &mut ChaCha8Rng) -> anyhow::Result<TransactionCase> {
        let Made { name, scene, accounts, data } = made;
        let program_id = scene.callers[0].address();
        let changes = vec![format!("by {:?}, of {:?}", scene.callers[0], scene.callers[1])];
        let instruction = Instruction { program_id, accounts, data };
        let accounts = scene.into_accounts();
        Self::assemble(id, name, changes, vec![instruction], accounts, rng)
    }

    fn nested(&self, id: CaseId, rng: &mut ChaCha8Rng) -> anyhow::Result<TransactionCase> {
        let mut scene = calls::Scene::new(rng, &self.lengths);
        let mut instructions = Vec::new();
        for _ in 0..one(rng, &[1, 1, 1, 2]) {
            let mut accounts = scene.listed();
            if chance(rng, 20) {
                let i = rng.random_range(0..accounts.len());
                let twice = accounts[i].clone();
                accounts.push(twice);
            }
            accounts.push(AccountMeta::new_readonly(MEMO, false));
            let caller = scene.callers[usize::from(chance(rng, 20))];
            let depth = rng.random_range(1..6);
            let data = scene.plan(caller, &accounts, depth, rng).encode();
            instructions.push(Instruction { program_id: caller.address(), accounts, data });
        }
        let changes = vec![format!("callers {:?}", scene.callers)];
        let accounts = scene.into_accounts();
        Self::assemble(id, "nested".into(), changes, instructions, accounts, rng)
    }

    fn assemble(
        id: CaseId,
        name: String,
        mut changes: Vec<String>,
        mut instructions: Vec<Instruction>,
        accounts: Vec<(Address, solana_account::Account)>,
        rng: &mut ChaCha8Rng,
    ) -> anyhow::Result<TransactionCase> {
        let mut settings = Settings {
            log_limit: if chance(rng, 10) { Some(LOG_LIMIT) } else { None },
            ..Settings::default()
        };
        if chance(rng, 8) {
            let heap = one(rng, &[33, 64, 65, 256]) * 1024;
            let data = [&[1][..], &u32::to_le_bytes(heap)].concat();
            instructions.insert(0, Instruction { program_id: compute_budget::ID, accounts: vec![], data });
            changes.push(format!("{heap} bytes of heap"));
        } else if chance(rng, 8) {
            let units = one(rng, &[1000, 2000, 3000, 5000, 10_000, 20_000]);
            settings.budget = Some(Budget::units(rng.random_range(0..units)));
            changes.push(format!("{:?}", settings.budget));
        }
        Ok(TransactionCase {
            id,
            name,
            changes,
            programs: calls::programs(),
            accounts,
            transaction: transaction(&instructions, PAYER, chance(rng, 10), id.index)?,
            settings,
        })
    }
}

impl TransactionSuite for Cpi {
    fn name(&self) -> &'static str {
        NAME
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn size(&self) -> u64 {
        let [shapes, calls] = [EACH[0] * SHAPES.len() as u64, EACH[1] * CALLS.len() as u64];
        shapes + calls + RANDOM.iter().sum::<u64>() + SWEPT.iter().product::<u64>()
    }

    fn case(&mut self, index: u64) -> anyhow::Result<TransactionCase> {
        let id = CaseId { suite: NAME, seed: self.seed, index };
        let mut rng = rng(NAME, self.seed, index);
        let rng = &mut rng;
        let (part, within) = Self::locate(index);
        let pick = |count: usize| Some((within % count as u64) as usize);
        let other = chance(rng, 12);
        let made = match part {
            0 => {
                let description = if other { Some(rng.random_range(0..CALLS.len())) } else { None };
                let word = chance(rng, 4);
                faults::make(pick(SHAPES.len()), description, word, rng, &self.lengths)
            }
            1 => {
                let shape = if other { Some(rng.random_range(0..SHAPES.len())) } else { None };
                faults::make(shape, pick(CALLS.len()), false, rng, &self.lengths)
            }
            2 => {
                let shape = if other { Some(rng.random_range(0..SHAPES.len())) } else { None };
                faults::make(shape, None, true, rng, &self.lengths)
            }
            3 => return self.nested(id, rng),
            _ => {
                let (case, units) = &self.swept[(within / SWEPT[1]) as usize % self.swept.len()];
                let step = within % SWEPT[1];
                // One in ten is just about enough.
                let units = match step.checked_sub(SWEPT[1] - 10) {
                    Some(near) => (units + near).saturating_sub(7),
                    None => rng.random_range(0..=*units),
                };
                let settings = Settings { budget: Some(Budget::units(units)), ..Settings::default() };
                return Ok(TransactionCase { id, settings, ..(**case).clone() });
            }
        };
        self.single(id, made, rng)
    }

    fn part(&self, index: u64) -> &'static str {
        PARTS[Self::locate(index).0]
    }
}
