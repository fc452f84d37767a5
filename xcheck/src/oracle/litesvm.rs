//! LiteSVM: whole transactions on Agave's own program runtime.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::Context;
use litesvm::{LiteSVM, types::TransactionMetadata};
use solana_address::Address;
use solana_compute_budget::compute_budget::ComputeBudget;

use crate::transaction::{Budget, ProgramFile, Runtime, Settings, TransactionCase, TransactionOutcome};

/// The version of LiteSVM this crate is pinned to.
pub const VERSION: &str = "0.16.0";

/// LiteSVM with signature and blockhash checks off and no history.
#[derive(Default)]
pub struct LiteSvm {
    /// Banks without programs of a case, by the features switched off.
    banks: Vec<(Vec<Address>, LiteSVM)>,
    /// The bank of the last case, before its accounts were set: loading programs takes long.
    prepared: Option<Prepared>,
}

struct Prepared {
    inactive: Vec<Address>,
    programs: Arc<[ProgramFile]>,
    bank: LiteSVM,
}

impl LiteSvm {
    /// No bank yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The file of a program that LiteSVM ships.
    ///
    /// # Errors
    /// No such program.
    pub fn shipped(&mut self, address: Address) -> anyhow::Result<Vec<u8>> {
        let bank = self.bank(&[]);
        let account = bank.get_account(&address).with_context(|| format!("no program {address}"))?;
        let elf = bank.accounts_db().try_program_elf_bytes(&address).ok();
        Ok(elf.map_or(account.data, |elf| elf.to_vec()))
    }

    fn bank(&mut self, inactive: &[Address]) -> LiteSVM {
        if let Some((_, bank)) = self.banks.iter().find(|(features, _)| features == inactive) {
            return bank.clone();
        }
        let mut features = LiteSVM::mainnet_feature_set();
        for feature in inactive {
            features.deactivate(feature);
        }
        let bank = LiteSVM::default()
            .with_feature_set(features)
            .with_builtins()
            .with_lamports(1_000_000_000_000_000)
            .with_sysvars()
            .with_feature_accounts()
            .with_default_programs()
            .with_sigverify(false)
            .with_blockhash_check(false)
            .with_transaction_history(0);
        self.banks.push((inactive.to_vec(), bank.clone()));
        bank
    }

    fn prepare(&mut self, case: &TransactionCase) -> anyhow::Result<LiteSVM> {
        let inactive = &case.settings.inactive;
        if let Some(prepared) = &self.prepared
            && prepared.inactive == *inactive
            && (Arc::ptr_eq(&prepared.programs, &case.programs) || prepared.programs == case.programs)
        {
            return Ok(prepared.bank.clone());
        }
        let mut bank = self.bank(inactive);
        for program in case.programs.iter() {
            let added = bank.add_program_with_loader(program.address, &program.elf, program.loader.address());
            added.with_context(|| format!("program {}", program.address))?;
        }
        self.prepared = Some(Prepared {
            inactive: inactive.clone(),
            programs: case.programs.clone(),
            bank: bank.clone(),
        });
        Ok(bank)
    }
}

impl Runtime for LiteSvm {
    fn name(&self) -> String {
        "LiteSVM".into()
    }

    fn run(&mut self, case: &TransactionCase) -> anyhow::Result<TransactionOutcome> {
        let Settings { budget, log_limit, .. } = case.settings;
        let mut bank = self.prepare(case)?.with_log_bytes_limit(log_limit);
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
        let accounts: BTreeMap<_, _> =
            case.addresses().map(|address| (address, bank.get_account(&address))).collect();
        Ok(TransactionOutcome {
            result,
            signature,
            logs,
            inner_instructions,
            units: compute_units_consumed,
            return_data: (return_data.program_id, return_data.data),
            fee,
            accounts,
        })
    }
}
