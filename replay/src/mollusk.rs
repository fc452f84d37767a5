//! Mollusk's `.fix` files: protocol buffers of an instruction and its effects.
//!
//! The messages are those of the crate `mollusk-svm-fuzz-fixture`, whose build needs a compiler of protocol
//! buffers; field numbers are from its `.proto` files. A fixture's programs are called by the accounts it brings;
//! an ELF file that it does not bring is given by [`Replayer::with_program`](crate::Replayer::with_program).

use prost::Message;
use solana_account::Account;
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};
use solana_instruction_error::InstructionError;
use solana_program_error::ProgramError;

use crate::{
    Layout, ReplayError, Replayed, Replayer, address, compare, compare_account, compare_bytes, feature_set,
};

mod sysvars;

pub use sysvars::{
    Clock, EpochRewards, EpochSchedule, RecentBlockhashEntry, RecentBlockhashes, Rent, SlotHashEntry,
    SlotHashes, StakeHistory, StakeHistoryEntry, Sysvars,
};

/// Limits of an instruction; what it costs to do things cannot be replaced and is not read.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct ComputeBudget {
    /// Compute units.
    #[prost(uint64, tag = "1")]
    pub compute_unit_limit: u64,
    /// How deep instructions may be nested.
    #[prost(uint64, tag = "5")]
    pub max_instruction_stack_depth: u64,
    /// Most instructions, called ones included.
    #[prost(uint64, tag = "6")]
    pub max_instruction_trace_length: u64,
    /// Heap, in bytes.
    #[prost(uint32, tag = "29")]
    pub heap_size: u32,
}

/// Active features, by the first eight bytes of their addresses.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Features {
    /// They.
    #[prost(fixed64, repeated, tag = "1")]
    pub features: Vec<u64>,
}

/// An account.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct AccountState {
    /// Its address.
    #[prost(bytes = "vec", tag = "1")]
    pub address: Vec<u8>,
    /// Its balance.
    #[prost(uint64, tag = "2")]
    pub lamports: u64,
    /// Its data.
    #[prost(bytes = "vec", tag = "3")]
    pub data: Vec<u8>,
    /// Whether it is a program.
    #[prost(bool, tag = "4")]
    pub executable: bool,
    /// When it next pays rent.
    #[prost(uint64, tag = "5")]
    pub rent_epoch: u64,
    /// Its owner.
    #[prost(bytes = "vec", tag = "6")]
    pub owner: Vec<u8>,
}

impl AccountState {
    /// An account as a fixture holds it.
    pub fn new(address: &Address, account: &Account) -> Self {
        Self {
            address: address.to_bytes().to_vec(),
            lamports: account.lamports,
            data: account.data.clone(),
            executable: account.executable,
            rent_epoch: account.rent_epoch,
            owner: account.owner.to_bytes().to_vec(),
        }
    }

    fn read(self) -> Result<(Address, Account), ReplayError> {
        let Self { address: key, lamports, data, executable, rent_epoch, owner } = self;
        let owner = address("an account's owner", &owner)?;
        Ok((address("an account", &key)?, Account { lamports, data, owner, executable, rent_epoch }))
    }
}

/// An account of an instruction.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct InstructionAccount {
    /// Its number among the accounts.
    #[prost(uint32, tag = "1")]
    pub index: u32,
    /// Whether it signs.
    #[prost(bool, tag = "2")]
    pub is_signer: bool,
    /// Whether it may be written.
    #[prost(bool, tag = "3")]
    pub is_writable: bool,
}

/// What an instruction runs on.
#[derive(Clone, PartialEq, Message)]
pub struct Context {
    /// Its limits.
    #[prost(message, optional, tag = "1")]
    pub compute_budget: Option<ComputeBudget>,
    /// Active features.
    #[prost(message, optional, tag = "2")]
    pub feature_set: Option<Features>,
    /// Sysvars.
    #[prost(message, optional, tag = "3")]
    pub sysvars: Option<Sysvars>,
    /// The program called.
    #[prost(bytes = "vec", tag = "4")]
    pub program_id: Vec<u8>,
    /// Accounts of the instruction.
    #[prost(message, repeated, tag = "5")]
    pub instr_accounts: Vec<InstructionAccount>,
    /// Instruction data.
    #[prost(bytes = "vec", tag = "6")]
    pub data: Vec<u8>,
    /// All accounts.
    #[prost(message, repeated, tag = "7")]
    pub accounts: Vec<AccountState>,
}

/// What an instruction came to.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Effects {
    /// Compute units used.
    #[prost(uint64, tag = "1")]
    pub compute_units_consumed: u64,
    /// How long it took, in nanoseconds; not compared.
    #[prost(uint64, tag = "2")]
    pub execution_time: u64,
    /// 0, or the number of the error.
    #[prost(uint64, tag = "3")]
    pub program_result: u64,
    /// Data returned.
    #[prost(bytes = "vec", tag = "4")]
    pub return_data: Vec<u8>,
    /// Accounts afterwards.
    #[prost(message, repeated, tag = "5")]
    pub resulting_accounts: Vec<AccountState>,
}

/// A fixture.
#[derive(Clone, PartialEq, Message)]
pub struct Fixture {
    /// What an instruction runs on.
    #[prost(message, optional, tag = "1")]
    pub input: Option<Context>,
    /// What it came to.
    #[prost(message, optional, tag = "2")]
    pub output: Option<Effects>,
}

/// The number of a result: 0, that of the program error, or the largest if there is no such program error.
pub fn result_number(result: &Result<(), InstructionError>) -> u64 {
    match result {
        Ok(()) => 0,
        Err(error) => ProgramError::try_from(error.clone()).map_or(u64::MAX, u64::from),
    }
}

/// Replays a fixture.
pub(crate) fn replay(replayer: &Replayer, file: &[u8]) -> Result<Replayed, ReplayError> {
    let Fixture { input, output } = Fixture::decode(file).map_err(ReplayError::Unknown)?;
    let input = input.ok_or(ReplayError::Missing("input"))?;
    let mut accounts: Vec<(Address, Account)> =
        input.accounts.into_iter().map(AccountState::read).collect::<Result<_, _>>()?;
    let meta = |account: InstructionAccount| {
        let (pubkey, _) = (accounts.get(account.index as usize))
            .ok_or_else(|| ReplayError::invalid("an instruction account", "there is none of its number"))?;
        let InstructionAccount { is_signer, is_writable, .. } = account;
        Ok(AccountMeta { pubkey: *pubkey, is_signer, is_writable })
    };
    let instruction = Instruction {
        program_id: address("the program", &input.program_id)?,
        accounts: input.instr_accounts.into_iter().map(meta).collect::<Result<_, ReplayError>>()?,
        data: input.data,
    };
    let before = accounts.clone();
    for sysvar in input.sysvars.unwrap_or_default().accounts()? {
        if accounts.iter().all(|(known, _)| *known != sysvar.0) {
            accounts.push(sysvar);
        }
    }
    let features = feature_set(&input.feature_set.unwrap_or_default().features);
    let mut store = replayer.store(features, &accounts);
    let mut units = 1_400_000;
    if let Some(budget) = input.compute_budget {
        units = budget.compute_unit_limit;
        store = store.with_compute_budget(svmllm::host::svm::ComputeBudget {
            compute_unit_limit: units,
            max_instruction_stack_depth: budget.max_instruction_stack_depth as usize,
            max_instruction_trace_length: budget.max_instruction_trace_length as usize,
            heap_size: budget.heap_size,
        });
    }
    let Ok(outcome) = store.run_instruction(&instruction, &accounts, units);
    let mut differences = Vec::new();
    if let Some(output) = &output {
        compare(&mut differences, "result", &output.program_result, &result_number(&outcome.result));
        compare(&mut differences, "compute units", &output.compute_units_consumed, &outcome.units);
        compare_bytes(&mut differences, "return data", &output.return_data, &outcome.return_data);
        for recorded in &output.resulting_accounts {
            let (key, recorded) = recorded.clone().read()?;
            // What the instruction does not name, or fails to change, stays as it was.
            let after = if outcome.result.is_ok() { &outcome.accounts } else { &before };
            let got = after.iter().chain(&before).find(|(known, _)| *known == key);
            match got {
                Some((_, got)) => compare_account(&mut differences, &key, &recorded, got),
                None => differences.push(format!("account {key}: recorded, but not there")),
            }
        }
    }
    Ok(Replayed {
        layout: Layout::Mollusk,
        result: outcome.result.as_ref().map_or_else(ToString::to_string, |()| "ok".into()),
        units: outcome.units,
        changed: changed(&before, outcome.accounts),
        logs: outcome.logs,
        differences: output.map(|_| differences),
    })
}

/// Those accounts that are not as before.
pub(crate) fn changed(
    before: &[(Address, Account)],
    after: Vec<(Address, Account)>,
) -> Vec<(Address, Option<Account>)> {
    let has_changed = |(address, account): &(Address, Account)| {
        let known = before.iter().find(|(known, _)| known == address);
        known.map_or(account != &Account::default(), |(_, known)| known != account)
    };
    after.into_iter().filter(has_changed).map(|(address, account)| (address, Some(account))).collect()
}
