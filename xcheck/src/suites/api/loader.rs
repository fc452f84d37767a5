//! The upgradeable loader, in transactions and called by programs, against LiteSVM.

use std::{collections::BTreeMap, sync::Arc};

use rand_chacha::ChaCha8Rng;
use solana_account::Account;
use solana_address::Address;
use solana_loader_v3_interface::state::UpgradeableLoaderState as State;
use solana_sdk_ids::{bpf_loader_upgradeable, system_program, sysvar};
use svmllm::host::{
    elf::{self, LoadOptions},
    verify,
};

use crate::{
    case::CaseId,
    generate::{
        bundle::Bundle,
        calls::{self, CALLERS},
        loader::{CALLABLE, NAMES, instruction},
        rng,
        spl::{PAYER, chance, hostile::spoil, key, one},
    },
    oracle::litesvm::LiteSvm,
    transaction::{
        Budget, Draft, ProgramFile, Settings, Slot, TransactionCase, TransactionSuite, transaction,
    },
};

/// The suite's name; it is a part of `api` where results are written.
pub const NAME: &str = "loader";

/// Transactions with each instruction at the top level, and with those that may be called through either
/// interface.
const EACH: [u64; 2] = [250, 150];
/// Transactions that change a program and use it.
const USED: u64 = 250;

const PARTS: [&str; 3] = ["loader", "loader, called", "loader, program used at once"];

/// The suite `loader`.
pub struct Loader {
    seed: u64,
    none: Arc<[ProgramFile]>,
    lengths: BTreeMap<Address, u64>,
}

impl Loader {
    /// The suite.
    ///
    /// # Errors
    /// The oracle cannot be set up.
    pub fn new(seed: u64, oracle: &mut LiteSvm) -> anyhow::Result<Self> {
        let known = [
            system_program::ID,
            bpf_loader_upgradeable::ID,
            sysvar::rent::ID,
            sysvar::clock::ID,
            sysvar::epoch_schedule::ID,
        ];
        let lengths = oracle.lengths(&calls::programs(), &known)?;
        Ok(Self { seed, none: Arc::new([]), lengths })
    }

    fn locate(index: u64) -> (usize, u64) {
        let sizes = [EACH[0] * NAMES.len() as u64, EACH[1] * CALLABLE.len() as u64, USED];
        let mut within = index;
        for (part, size) in sizes.into_iter().enumerate() {
            if within < size {
                return (part, within);
            }
            within -= size;
        }
        (PARTS.len() - 1, within)
    }

    /// An instruction, spoiled now and then.
    fn draft(number: usize, rng: &mut ChaCha8Rng) -> Draft {
        let mut draft = instruction(number, rng);
        if chance(rng, 25) {
            spoil(&mut draft, rng);
        }
        draft
    }

    /// A program changed, and called by the next instruction.
    fn used(rng: &mut ChaCha8Rng) -> Vec<Draft> {
        let number = one(rng, &[2, 3, 3, 5, 6]);
        let change = instruction(number, rng);
        let programs = ["program a", "program b", "program c"].map(key);
        let program = change.slots.iter().find(|slot| programs.contains(&slot.address));
        let program = program.map_or(programs[0], |slot| slot.address);
        let call = Draft::new("call", program, vec![Slot::read(PAYER, None)], vec![0, 0, 0, 0, 0]);
        if chance(rng, 20) { vec![call, change] } else { vec![change, call] }
    }
}

/// Takes the mark of a program from accounts that do not load, which no store takes as marked.
fn unmark(accounts: &mut [(Address, Account)]) {
    let loads = |account: &Account| {
        let Ok(State::Program { programdata_address }) = wincode::deserialize(&account.data) else {
            return false;
        };
        let Some((_, data)) = accounts.iter().find(|(address, _)| *address == programdata_address) else {
            return true;
        };
        let file = data.data.get(State::size_of_programdata_metadata()..).unwrap_or_default();
        elf::load(file, &LoadOptions::execution())
            .is_ok_and(|program| verify(&program.text, program.version).is_ok())
    };
    let wrong: Vec<usize> = (0..accounts.len())
        .filter(|number| accounts[*number].1.executable)
        .filter(|number| {
            let account = &accounts[*number].1;
            account.owner != bpf_loader_upgradeable::ID || !loads(account)
        })
        .collect();
    for number in wrong {
        accounts[number].1.executable = false;
    }
}

impl TransactionSuite for Loader {
    fn name(&self) -> &'static str {
        NAME
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn size(&self) -> u64 {
        EACH[0] * NAMES.len() as u64 + EACH[1] * CALLABLE.len() as u64 + USED
    }

    fn part(&self, index: u64) -> &'static str {
        PARTS[Self::locate(index).0]
    }

    fn case(&mut self, index: u64) -> anyhow::Result<TransactionCase> {
        let rng = &mut rng(NAME, self.seed, index);
        let (part, within) = Self::locate(index);
        let mut programs = self.none.clone();
        let drafts = match part {
            0 => vec![Self::draft((within / EACH[0]) as usize, rng)],
            1 => {
                let number = CALLABLE[(within / EACH[1]) as usize];
                let draft = Self::draft(number, rng);
                programs = calls::programs();
                let length = |address: &Address| self.lengths.get(address).copied().unwrap_or(0);
                vec![calls::forward(draft, one(rng, &CALLERS), chance(rng, 50), &[], length)]
            }
            _ => Self::used(rng),
        };
        let name = drafts.iter().map(|draft| draft.name.as_str()).collect::<Vec<_>>().join(", ");
        let mut bundle = Bundle::default();
        drafts.into_iter().for_each(|draft| bundle.push(draft));
        let mut settings = Settings::default();
        if chance(rng, 5) {
            settings.budget = Some(Budget::units(one(rng, &[0, 2369, 2370, 2519, 2520, 3000])));
        }
        // Programs come after their data, which they are loaded from.
        let mut accounts: Vec<_> = bundle.accounts.into_iter().collect();
        unmark(&mut accounts);
        accounts.sort_by_key(|(_, account)| account.executable);
        Ok(TransactionCase {
            id: CaseId { suite: NAME, seed: self.seed, index },
            name,
            changes: bundle.changes,
            programs,
            accounts,
            transaction: transaction(&bundle.instructions, PAYER, false, index)?,
            settings,
        })
    }
}
