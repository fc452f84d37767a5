//! Transactions with the real programs of the Solana Program Library, calls and all, against LiteSVM.

use std::sync::Arc;

use rand::{Rng, seq::IteratorRandom};
use solana_address::Address;

use crate::{
    case::CaseId,
    generate::{
        bundle::{self, Bundle},
        own, rng,
        spl::{PAYER, TOKEN, TOKEN_2022, chance, flows, hostile, one, stake, tables},
    },
    transaction::{
        Budget, Draft, Loader, ProgramFile, Settings, TransactionCase, TransactionSuite, transaction,
    },
};

/// The suite's name.
pub const NAME: &str = "spl";

/// The parts, and how many transactions they have.
const PARTS: [(&str, u64); 6] = [
    ("tokens", 180),
    ("tokens of Token-2022", 120),
    ("extensions", 200),
    ("associated accounts", 160),
    ("lookup tables", 160),
    ("stake", 216),
];

/// The suite `spl`.
pub struct Spl {
    seed: u64,
    programs: Arc<[ProgramFile]>,
}

impl Spl {
    /// The suite.
    ///
    /// # Errors
    /// A program is missing.
    pub fn new(seed: u64) -> anyhow::Result<Self> {
        let version = own::VERSIONS[0];
        let address = own::address("logs", version, Loader::V3);
        let elf = own::elf("logs", version)?.into();
        Ok(Self { seed, programs: Arc::new([ProgramFile { address, loader: Loader::V3, elf }]) })
    }

    fn locate(index: u64) -> (usize, u64) {
        let mut within = index;
        for (part, (_, size)) in PARTS.iter().enumerate() {
            if within < *size {
                return (part, within);
            }
            within -= size;
        }
        (PARTS.len() - 1, within)
    }
}

impl TransactionSuite for Spl {
    fn name(&self) -> &'static str {
        NAME
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn size(&self) -> u64 {
        PARTS.iter().map(|(_, size)| size).sum()
    }

    fn case(&mut self, index: u64) -> anyhow::Result<TransactionCase> {
        let id = CaseId { suite: NAME, seed: self.seed, index };
        let mut rng = rng(NAME, self.seed, index);
        let rng = &mut rng;
        let (part, within) = Self::locate(index);
        let hook = self.programs[0].address;
        let mut drafts: Vec<Draft> = match part {
            0 => flows::tokens(TOKEN, false, hook, rng),
            1 => flows::tokens(TOKEN_2022, false, hook, rng),
            2 => flows::tokens(TOKEN_2022, true, hook, rng),
            3 => flows::associated_accounts(rng),
            4 => tables::instructions(rng),
            _ => vec![stake::instruction((within % stake::NAMES.len() as u64) as u32, rng)],
        };
        // What a transaction of several instructions is about is its last one.
        let name = drafts.last().map_or_else(String::new, |draft| draft.name.clone());
        if chance(rng, 30)
            && let Some(draft) = drafts.iter_mut().choose(rng)
        {
            hostile::spoil(draft, rng);
        }
        let mut bundle = Bundle::default();
        drafts.into_iter().for_each(|draft| bundle.push(draft));
        if chance(rng, 8) {
            bundle.limit(bundle::budget(rng), 0);
        }
        let mut settings = Settings::default();
        if chance(rng, 8) {
            let most = one(rng, &[10_000, 40_000, 150_000]);
            settings.budget = Some(Budget::units(rng.random_range(0..most)));
        }
        bundle.changes.push(format!("{settings:?}"));
        Ok(TransactionCase {
            id,
            name,
            changes: bundle.changes,
            programs: self.programs.clone(),
            accounts: bundle.accounts.into_iter().collect(),
            transaction: transaction(&bundle.instructions, PAYER, chance(rng, 20), id.index)?,
            settings,
        })
    }

    fn timed(&self) -> Vec<(&'static str, TransactionCase)> {
        let rows = [("associated_account", TOKEN), ("associated_account_2022", TOKEN_2022)];
        let case = |(row, program): (&'static str, Address)| {
            let mut bundle = Bundle::default();
            bundle.push(flows::associated_account(program));
            let case = TransactionCase {
                id: CaseId { suite: NAME, seed: self.seed, index: 0 },
                name: row.into(),
                changes: Vec::new(),
                programs: self.programs.clone(),
                accounts: bundle.accounts.into_iter().collect(),
                transaction: transaction(&bundle.instructions, PAYER, false, 0).ok()?,
                settings: Settings::default(),
            };
            Some((row, case))
        };
        rows.into_iter().filter_map(case).collect()
    }

    fn part(&self, index: u64) -> &'static str {
        PARTS[Self::locate(index).0].0
    }
}
