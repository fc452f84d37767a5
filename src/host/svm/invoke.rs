//! Calling programs: one instruction after another, each on a builtin or on the machine.

use agave_feature_set::FeatureSet;
use solana_account::ReadableAccount;
use solana_address::Address;
use solana_hash::Hash;
use solana_instruction_error::InstructionError;
use solana_sdk_ids::native_loader;
use std::{collections::HashSet, fmt, sync::Arc};

use super::{
    Rules,
    accounts::Accounts,
    builtins::Builtin,
    cache::Cache,
    context::TransactionContext,
    cpi::Abort,
    logs::Logs,
    programs::{self, Entry},
    recording::Recording,
};
use crate::{
    deltanet::HeadsBoundary,
    host::{EpochStake, Mode},
    types::TransactionReturnData,
};

/// Why a program failed: by an error that the transaction reports, or by one that only the log shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The transaction reports it.
    Instruction(InstructionError),
    /// The text for the log; the transaction reports that the program failed to complete.
    Other(String),
}

impl From<InstructionError> for Failure {
    fn from(error: InstructionError) -> Self {
        Self::Instruction(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Instruction(error) => error.fmt(f),
            Self::Other(text) => f.write_str(text),
        }
    }
}

impl From<Failure> for InstructionError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Instruction(error) => error,
            Failure::Other(_) => Self::ProgramFailedToComplete,
        }
    }
}

/// What the instructions of a transaction run in.
pub(super) struct InvokeContext<'a, E: HeadsBoundary> {
    /// Runs the programs.
    pub evaluator: &'a E,
    /// What is on it.
    pub cache: &'a Cache<E>,
    /// How steps are computed.
    pub mode: Mode,
    /// Whose rules apply.
    pub rules: Rules,
    /// Where programs and sysvars are found.
    pub accounts: &'a Accounts,
    /// Active features.
    pub features: &'a FeatureSet,
    /// Stakes that programs can ask for.
    pub epoch_stake: &'a Arc<EpochStake>,
    /// Names of the syscalls there are.
    pub syscalls: &'a Arc<[&'static str]>,
    /// The transaction's blockhash.
    pub blockhash: Hash,
    /// What a nonce account records as the fee of a signature, in lamports.
    pub lamports_per_signature: u64,
    /// Heap of each program, in bytes.
    pub heap: u32,
    /// The transaction's own state.
    pub context: TransactionContext,
    /// Compute units left.
    pub meter: u64,
    /// The log.
    pub logs: Logs,
    /// Programs that were deployed, changed or closed: not to be run before the transaction has ended.
    pub withheld: HashSet<Address>,
    /// What programs did so far, if that is to be noted.
    pub recording: Option<Recording>,
}

impl<E: HeadsBoundary> InvokeContext<'_, E> {
    /// Pays for something.
    ///
    /// # Errors
    /// `ComputationalBudgetExceeded`; the meter is empty then.
    pub fn charge(&mut self, units: u64) -> Result<(), InstructionError> {
        let rest = self.meter.checked_sub(units);
        self.meter = rest.unwrap_or(0);
        rest.map(drop).ok_or(InstructionError::ComputationalBudgetExceeded)
    }

    /// Adds a line to the log.
    pub fn remark(&mut self, line: fmt::Arguments<'_>) {
        self.logs.line(line.to_string());
    }

    /// Runs the next instruction of the top level. Also tells how many compute units its program used.
    ///
    /// # Errors
    /// An activation was not exactly one-hot.
    pub fn process_top_level(&mut self) -> Result<(Result<(), InstructionError>, u64), E::Error> {
        match self.process_precompile() {
            Some(result) => Ok((result, 0)),
            None => self.process_instruction(),
        }
    }

    /// Runs the next instruction: that of the top level, or the prepared one. Also tells how many compute
    /// units its program used.
    ///
    /// # Errors
    /// An activation was not exactly one-hot.
    pub fn process_instruction(&mut self) -> Result<(Result<(), InstructionError>, u64), E::Error> {
        if let Err(error) = self.context.push() {
            return Ok((Err(error), 0));
        }
        let (result, units) = match self.builtin() {
            Ok(builtin) => {
                let before = self.meter;
                let result = self.call(builtin)?;
                (result, before - self.meter)
            }
            Err(error) => (Err(error), 0),
        };
        // An instruction that began also ends, whatever came of it.
        let popped = self.context.pop();
        Ok((result.and(popped), units))
    }

    /// What runs the current instruction's program: itself if it is a builtin, else its loader.
    fn builtin(&self) -> Result<Builtin, InstructionError> {
        let program = self.context.current()?.program;
        let owner = self.context.account(program).owner();
        let id = if *owner == native_loader::ID {
            self.context.key(program)
        } else if programs::is_loader(owner) {
            owner
        } else {
            return Err(InstructionError::UnsupportedProgramId);
        };
        Builtin::find(id).ok_or(InstructionError::UnsupportedProgramId)
    }

    /// Runs the current instruction's program between its log lines.
    fn call(&mut self, builtin: Builtin) -> Result<Result<(), InstructionError>, E::Error> {
        let index = match self.context.current() {
            Ok(frame) => frame.program,
            Err(error) => return Ok(Err(error)),
        };
        let program = *self.context.key(index);
        let is_builtin = *self.context.account(index).owner() == native_loader::ID;
        self.context.return_data = TransactionReturnData { program_id: program, data: Vec::new() };
        let name = program.to_string();
        self.logs.invoke(&name, self.context.height());
        let before = self.meter;
        let result = if is_builtin {
            match builtin.run(self) {
                Ok(()) => Ok(()),
                Err(Abort::Failure(failure)) => Err(failure),
                Err(Abort::Evaluator(error)) => return Err(error),
            }
        } else {
            self.run_loaded(&program, &name)?
        };
        Ok(match result {
            Ok(()) => {
                self.logs.success(&name);
                if is_builtin && self.meter == before {
                    Err(InstructionError::BuiltinProgramsMustConsumeComputeUnits)
                } else {
                    Ok(())
                }
            }
            Err(failure) => {
                self.logs.failure(&name, &failure);
                Err(failure.into())
            }
        })
    }

    /// Runs a program from an ELF file.
    fn run_loaded(&mut self, program: &Address, name: &str) -> Result<Result<(), Failure>, E::Error> {
        let entry = match self.rules {
            Rules::LiteSvm => self.accounts.program(program).cloned(),
            Rules::Agave => self.accounts.deployed(program).map(|file| {
                file.map_or(Entry::Closed, |file| self.cache.deployed(program, file, &self.accounts.options))
            }),
        };
        let remark = match entry {
            _ if self.withheld.contains(program) => "Program is not deployed",
            Some(Entry::Loaded(loaded)) => return self.execute(&loaded, name),
            Some(Entry::Closed) => "Program is not deployed",
            None => "Program is not cached",
        };
        self.logs.line(remark.into());
        Ok(Err(InstructionError::UnsupportedProgramId.into()))
    }
}

/// There are no precompiles without the feature `precompiles`.
#[cfg(not(feature = "precompiles"))]
impl<E: HeadsBoundary> InvokeContext<'_, E> {
    /// Whether a program is a precompile.
    pub(super) fn is_precompile(&self, _: &Address) -> bool {
        false
    }

    fn process_precompile(&mut self) -> Option<Result<(), InstructionError>> {
        None
    }
}
