//! LiteSVM: whole transactions on Agave's own program runtime.

use std::{collections::BTreeMap, time::Instant};

use agave_feature_set::FeatureSet;
use anyhow::{Context, anyhow};
use litesvm::{LiteSVM, MAINNET_DEFAULT_SLOT, types::TransactionMetadata};
use solana_address::Address;
use solana_compute_budget::compute_budget::ComputeBudget;
use solana_hash::Hash;

use crate::report::OracleVersion;
use crate::transaction::{
    Banks, Budget, Loader, ProgramFile, Runtime, SHIPPED, Settings, TransactionCase, TransactionOutcome,
};

/// The version of LiteSVM this crate is pinned to.
pub const VERSION: OracleVersion = OracleVersion { name: "LiteSVM", version: "0.16.0" };

/// The slot in which transactions run by the rules of a validator: programs are in use from the slot after that
/// of their deployment on, and LiteSVM deploys what it ships in the slot it starts with.
pub const AGAVE_SLOT: u64 = MAINNET_DEFAULT_SLOT + 1;

/// LiteSVM with signature and blockhash checks off and no history.
#[derive(Default)]
pub struct LiteSvm {
    banks: Banks<LiteSVM>,
}

impl LiteSvm {
    /// No bank yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The programs that LiteSVM ships, with some of mainnet's features switched off.
    ///
    /// # Errors
    /// One is not there.
    pub fn shipped(&mut self, inactive: &[Address]) -> anyhow::Result<Vec<ProgramFile>> {
        let bank = self.banks.fresh(inactive, fresh)?;
        let file = |address| {
            let owner = bank.get_account(&address).map(|account| account.owner);
            let loader = owner.and_then(Loader::at);
            let elf = bank.accounts_db().try_program_elf_bytes(&address).ok();
            let (loader, elf) = loader.zip(elf).with_context(|| format!("no program {address}"))?;
            Ok(ProgramFile { address, loader, elf: elf.into() })
        };
        SHIPPED.into_iter().map(file).collect()
    }

    /// The blockhash that transactions must name where that is checked.
    ///
    /// # Errors
    /// The bank cannot be made.
    pub fn blockhash(&mut self) -> anyhow::Result<Hash> {
        Ok(self.banks.fresh(&[], fresh)?.latest_blockhash())
    }

    /// How long the data of accounts are in a bank with these programs; those of the programs come along.
    ///
    /// # Errors
    /// A program does not load.
    pub fn lengths(
        &mut self,
        programs: &[ProgramFile],
        others: &[Address],
    ) -> anyhow::Result<BTreeMap<Address, u64>> {
        let mut bank = self.banks.fresh(&[], fresh)?;
        programs.iter().try_for_each(|program| add(&mut bank, program))?;
        let addresses = programs.iter().map(|program| program.address).chain(others.iter().copied());
        let length = |address| bank.get_account(&address).map_or(0, |account| account.data.len() as u64);
        Ok(addresses.map(|address| (address, length(address))).collect())
    }
}

/// Mainnet's features but some.
pub fn features(inactive: &[Address]) -> FeatureSet {
    let mut features = LiteSVM::mainnet_feature_set();
    inactive.iter().for_each(|feature| features.deactivate(feature));
    features
}

fn fresh(inactive: &[Address]) -> anyhow::Result<LiteSVM> {
    Ok(LiteSVM::default()
        .with_feature_set(features(inactive))
        .with_builtins()
        .with_lamports(1_000_000_000_000_000)
        .with_sysvars()
        .with_feature_accounts()
        .with_default_programs()
        .with_sigverify(false)
        .with_blockhash_check(false)
        .with_transaction_history(0))
}

fn add(bank: &mut LiteSVM, program: &ProgramFile) -> anyhow::Result<()> {
    bank.add_program_with_loader(program.address, &program.elf, program.loader.address())
        .with_context(|| format!("program {}", program.address))
}

impl LiteSvm {
    /// A bank with the features and programs of a case, but not its accounts.
    ///
    /// # Errors
    /// A program does not load.
    pub fn prepared(&mut self, case: &TransactionCase) -> anyhow::Result<LiteSVM> {
        self.banks.prepare(case, fresh, add)
    }

    /// The bank in which a case's transaction runs.
    pub(crate) fn bank(&mut self, case: &TransactionCase) -> anyhow::Result<LiteSVM> {
        let Settings { budget, log_limit, checks_blockhash, .. } = case.settings;
        let mut bank = self.prepared(case)?.with_log_bytes_limit(log_limit);
        bank = bank.with_blockhash_check(checks_blockhash);
        if let Some(Budget { units, heap }) = budget {
            let budget = ComputeBudget::new_with_defaults(false);
            bank = bank.with_compute_budget(ComputeBudget {
                compute_unit_limit: units,
                heap_size: heap,
                ..budget
            });
        }
        for (address, account) in &case.accounts {
            bank.set_account(*address, account.clone()).with_context(|| format!("account {address}"))?;
        }
        Ok(bank)
    }
}

impl Runtime for LiteSvm {
    fn name(&self) -> String {
        "reference".into()
    }

    fn time(&mut self, case: &TransactionCase) -> anyhow::Result<u64> {
        let mut bank = self.bank(case)?;
        let transaction = case.transaction.clone();
        let started = Instant::now();
        let result = bank.send_transaction(transaction);
        let elapsed = started.elapsed().as_nanos() as u64;
        result.map_err(|failed| anyhow!("{:?}", failed.err))?;
        Ok(elapsed)
    }

    fn run(&mut self, case: &TransactionCase) -> anyhow::Result<TransactionOutcome> {
        let mut bank = self.bank(case)?;
        let (result, meta) = match bank.send_transaction(case.transaction.clone()) {
            Ok(meta) => (Ok(()), meta),
            Err(failed) => (Err(failed.err), failed.meta),
        };
        let TransactionMetadata {
            signature,
            logs,
            inner_instructions,
            compute_units_consumed,
            return_data,
            fee,
        } = meta;
        Ok(TransactionOutcome {
            result,
            signature,
            logs,
            inner_instructions,
            units: compute_units_consumed,
            return_data: (return_data.program_id, return_data.data),
            fee,
            accounts: case.addresses().map(|address| (address, bank.get_account(&address))).collect(),
        })
    }
}
