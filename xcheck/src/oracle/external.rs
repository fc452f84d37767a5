//! An oracle in a process of its own, for versions that cannot be linked beside the pinned ones.

use std::{
    ffi::OsStr,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::Arc,
};

use anyhow::Context;
use litesvm::LiteSVM;
use solana_account::Account;
use solana_address::Address;
use solana_sdk_ids::sysvar;

use super::litesvm::{AGAVE_SLOT, LiteSvm, features};
use crate::{
    report::OracleVersion,
    transaction::{
        Budget, ProgramFile, Runtime, TransactionCase, TransactionOutcome,
        wire::{self, Answer, Bank, Hello, Question},
    },
};

/// A program that answers over its standard input and output, as `xcheck/second` does.
pub struct External {
    process: Child,
    input: ChildStdin,
    output: ChildStdout,
    version: OracleVersion,
    agave: bool,
    /// Gives the accounts every bank starts with, so that both sides start with the same.
    pinned: LiteSvm,
    /// What the process's bank was last made from.
    bank: Option<(Vec<Address>, Arc<[ProgramFile]>)>,
}

impl External {
    /// Starts the program.
    ///
    /// # Errors
    /// It does not start or does not say what it is.
    pub fn start(program: impl AsRef<OsStr>) -> anyhow::Result<Self> {
        let program = program.as_ref();
        let shown = program.to_string_lossy().into_owned();
        let mut process = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {shown}"))?;
        let input = process.stdin.take().context("no pipe to the oracle")?;
        let mut output = process.stdout.take().context("no pipe from the oracle")?;
        let hello: Option<Hello> =
            wire::read(&mut output).with_context(|| format!("{shown} is no oracle"))?;
        let Hello { name, version, agave } = hello.with_context(|| format!("{shown} ended at once"))?;
        let version = OracleVersion { name: name.leak(), version: version.leak() };
        Ok(Self { process, input, output, version, agave, pinned: LiteSvm::new(), bank: None })
    }

    /// What it is.
    pub fn version(&self) -> OracleVersion {
        self.version.clone()
    }

    /// Whether it follows the rules of a validator; else LiteSVM's.
    pub fn is_agave(&self) -> bool {
        self.agave
    }

    /// The bank a case needs, unless the process has it.
    fn bank(&mut self, case: &TransactionCase) -> anyhow::Result<Option<Bank>> {
        let TransactionCase { programs, settings, .. } = case;
        let same = |(inactive, last): &(Vec<Address>, Arc<[ProgramFile]>)| {
            *inactive == settings.inactive && (Arc::ptr_eq(last, programs) || last == programs)
        };
        if self.bank.as_ref().is_some_and(same) {
            return Ok(None);
        }
        let mut bank = self.pinned.prepared(case)?;
        if self.agave {
            bank.warp_to_slot(AGAVE_SLOT);
        }
        self.bank = Some((settings.inactive.clone(), programs.clone()));
        Ok(Some(Bank {
            features: features(&settings.inactive).active().iter().map(|(id, slot)| (*id, *slot)).collect(),
            blockhash: bank.latest_blockhash(),
            accounts: accounts(&bank),
        }))
    }

    fn ask(&mut self, case: &TransactionCase) -> anyhow::Result<Answer> {
        let question = Question {
            bank: self.bank(case)?,
            budget: case.settings.budget.map(|Budget { units, heap }| (units, heap)),
            log_limit: case.settings.log_limit.map(|limit| limit as u64),
            checks_blockhash: case.settings.checks_blockhash,
            accounts: case.accounts.clone(),
            transaction: case.transaction.clone(),
            addresses: case.addresses().collect(),
        };
        wire::write(&mut self.input, &question)?;
        wire::read(&mut self.output)?.context("the oracle ended")
    }
}

/// All accounts of a bank, in an order in which each can be put: sysvars, the data of programs, programs.
fn accounts(bank: &LiteSVM) -> Vec<(Address, Account)> {
    let accounts = bank.accounts_db().inner.iter();
    let mut accounts: Vec<_> =
        accounts.map(|(address, account)| (*address, Account::from(account.clone()))).collect();
    accounts.sort_by_key(|(address, account)| (account.executable, account.owner != sysvar::ID, *address));
    accounts
}

impl Drop for External {
    fn drop(&mut self) {
        // Ends it even where it is in the middle of something; nothing of it is kept.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Runtime for External {
    fn name(&self) -> String {
        self.version.name.into()
    }

    fn time(&mut self, case: &TransactionCase) -> anyhow::Result<u64> {
        Ok(self.ask(case)?.nanoseconds)
    }

    fn run(&mut self, case: &TransactionCase) -> anyhow::Result<TransactionOutcome> {
        let answer = self.ask(case)?;
        Ok(TransactionOutcome {
            result: answer.result,
            signature: answer.signature,
            logs: answer.logs,
            inner_instructions: answer.inner_instructions,
            units: answer.units,
            return_data: answer.return_data,
            fee: answer.fee,
            accounts: answer.accounts.into_iter().collect(),
        })
    }
}
