//! Agave's transaction processor as an oracle that answers over standard input and output.
//!
//! `solana-svm` loads the accounts and runs the instructions. What a bank does before, the checks of the
//! transaction, and after, the choice of the accounts to store, is done here as `solana-runtime` 4.2.2 does it
//! in `bank/check_transactions.rs` and `account_saver.rs`.

#[path = "../../../src/transaction/wire.rs"]
mod wire;

use std::{
    collections::HashMap,
    io::{self, BufReader},
    sync::{Arc, RwLock},
    time::Instant,
};

use agave_feature_set::FeatureSet;
use agave_precompiles::{Precompile, get_precompile};
use agave_reserved_account_keys::ReservedAccountKeys;
use anyhow::{Context, anyhow};
use solana_account::{Account, AccountSharedData, ReadableAccount};
use solana_address::Address;
use solana_address_lookup_table_interface::{error::AddressLookupError, state::AddressLookupTable};
use solana_builtins::BUILTINS;
use solana_clock::Slot;
use solana_compute_budget::compute_budget::{ComputeBudget, SVMTransactionExecutionBudget};
use solana_fee::{FeeFeatures, calculate_fee_details};
use solana_hash::Hash;
use solana_message::{
    AddressLoader,
    v0::{LoadedAddresses, MessageAddressTableLookup},
};
use solana_nonce::state::DurableNonce;
use solana_nonce_account::verify_nonce_account;
use solana_precompile_error::PrecompileError;
use solana_program_runtime::{
    execution_budget::SVMTransactionExecutionAndFeeBudgetLimits,
    loaded_programs::{BlockRelation, ForkGraph, ProgramRuntimeEnvironments},
    program_cache_entry::ProgramCacheEntry,
};
use solana_runtime_transaction::{
    runtime_transaction::RuntimeTransaction, transaction_meta::TransactionMeta,
};
use solana_slot_hashes::SlotHashes;
use solana_svm::{
    account_loader::CheckedTransactionDetails,
    transaction_processing_result::ProcessedTransaction,
    transaction_processor::{
        ExecutionRecordingConfig, TransactionBatchProcessor, TransactionProcessingConfig,
        TransactionProcessingEnvironment,
    },
};
use solana_svm_callback::{InvokeContextCallback, TransactionProcessingCallback};
use solana_svm_transaction::svm_message::{SVMMessage, SVMStaticMessage};
use solana_syscalls::create_program_runtime_environment;
use solana_transaction::{
    sanitized::{MAX_TX_ACCOUNT_LOCKS, MessageHash, SanitizedTransaction},
    versioned::{TransactionVersion, VersionedTransaction},
};
use solana_transaction_error::{AddressLoaderError, TransactionError, TransactionResult};

use wire::{Answer, Hello, Question};

/// Lamports that a signature costs, and that nonce accounts record.
const LAMPORTS_PER_SIGNATURE: u64 = 5_000;

fn main() -> anyhow::Result<()> {
    let mut input = BufReader::new(io::stdin().lock());
    let mut output = io::stdout().lock();
    let hello = Hello { name: "Agave".into(), version: "4.2.2".into(), agave: true };
    wire::write(&mut output, &hello)?;
    let mut bank: Option<Bank> = None;
    while let Some(mut question) = wire::read::<Question>(&mut input)? {
        if let Some(new) = question.bank.take() {
            bank = Some(Bank::new(new));
        }
        let bank = bank.clone().context("the first question has no bank")?;
        wire::write(&mut output, &answer(bank, question)?)?;
    }
    Ok(())
}

/// Accounts and what transactions on them depend on.
#[derive(Clone)]
struct Bank {
    features: FeatureSet,
    blockhash: Hash,
    accounts: HashMap<Address, AccountSharedData>,
}

/// Transactions run one after another.
struct NoForks;

impl ForkGraph for NoForks {
    fn relationship(&self, first: Slot, second: Slot) -> BlockRelation {
        match first.cmp(&second) {
            std::cmp::Ordering::Less => BlockRelation::Ancestor,
            std::cmp::Ordering::Equal => BlockRelation::Equal,
            std::cmp::Ordering::Greater => BlockRelation::Descendant,
        }
    }
}

impl TransactionProcessingCallback for Bank {
    fn get_account_shared_data(&self, address: &Address) -> Option<(AccountSharedData, Slot)> {
        self.accounts.get(address).map(|account| (account.clone(), 0))
    }
}

/// There are no stakes.
impl InvokeContextCallback for Bank {
    fn is_precompile(&self, program: &Address) -> bool {
        self.precompile(program).is_some()
    }

    fn process_precompile(
        &self,
        program: &Address,
        data: &[u8],
        instructions: Vec<&[u8]>,
    ) -> Result<(), PrecompileError> {
        let precompile = self.precompile(program).ok_or(PrecompileError::InvalidPublicKey)?;
        precompile.verify(data, &instructions, &self.features)
    }
}

impl Bank {
    fn precompile<'a>(&self, program: &'a Address) -> Option<&'a Precompile> {
        get_precompile(program, |feature| self.features.is_active(feature))
    }
}

/// Looks addresses up as `Accounts::load_lookup_table_addresses_into` of `solana-accounts-db` does.
struct Tables<'a> {
    bank: &'a Bank,
    slot: Slot,
    hashes: Option<Arc<SlotHashes>>,
}

impl Tables<'_> {
    fn lookup(
        &self,
        lookup: &MessageAddressTableLookup,
        hashes: &SlotHashes,
        loaded: &mut LoadedAddresses,
    ) -> Result<(), AddressLookupError> {
        let account = self.bank.accounts.get(&lookup.account_key);
        let account = account.ok_or(AddressLookupError::LookupTableAccountNotFound)?;
        if *account.owner() != solana_sdk_ids::address_lookup_table::ID {
            return Err(AddressLookupError::InvalidAccountOwner);
        }
        let table = AddressLookupTable::deserialize(account.data())
            .map_err(|_| AddressLookupError::InvalidAccountData)?;
        loaded.writable.extend(table.lookup(self.slot, &lookup.writable_indexes, hashes)?);
        loaded.readonly.extend(table.lookup(self.slot, &lookup.readonly_indexes, hashes)?);
        Ok(())
    }
}

impl AddressLoader for &Tables<'_> {
    fn load_addresses(
        self,
        lookups: &[MessageAddressTableLookup],
    ) -> Result<LoadedAddresses, AddressLoaderError> {
        let hashes = self.hashes.as_deref().ok_or(AddressLoaderError::SlotHashesSysvarNotFound)?;
        let mut loaded = LoadedAddresses::default();
        for lookup in lookups {
            self.lookup(lookup, hashes, &mut loaded).map_err(|error| match error {
                AddressLookupError::LookupTableAccountNotFound => {
                    AddressLoaderError::LookupTableAccountNotFound
                }
                AddressLookupError::InvalidAccountOwner => AddressLoaderError::InvalidAccountOwner,
                AddressLookupError::InvalidAccountData => AddressLoaderError::InvalidAccountData,
                AddressLookupError::InvalidLookupIndex => AddressLoaderError::InvalidLookupIndex,
            })?;
        }
        Ok(loaded)
    }
}

type Transaction = RuntimeTransaction<SanitizedTransaction>;

impl Bank {
    fn new(wire::Bank { features: active, blockhash, accounts }: wire::Bank) -> Self {
        let mut features = FeatureSet::default();
        active.iter().for_each(|(feature, slot)| features.activate(feature, *slot));
        let mut bank = Self { features, blockhash, accounts: HashMap::new() };
        accounts.into_iter().for_each(|(address, account)| bank.set(address, account.into()));
        bank
    }

    /// Puts an account; one without lamports is none.
    fn set(&mut self, address: Address, account: AccountSharedData) {
        if account.lamports() == 0 {
            self.accounts.remove(&address);
        } else {
            self.accounts.insert(address, account);
        }
    }

    /// What is said of a transaction by itself, as in `Bank::verify_transaction`.
    fn sanitize(&self, transaction: VersionedTransaction, tables: &Tables) -> TransactionResult<Transaction> {
        let snapshot = self.features.snapshot();
        if !snapshot.enable_tx_v1 && transaction.version() == TransactionVersion::Number(1) {
            return Err(TransactionError::UnsupportedVersion);
        }
        let mut reserved = ReservedAccountKeys::default();
        reserved.update_active_set(&self.features);
        let transaction = RuntimeTransaction::try_create(
            transaction,
            MessageHash::Compute,
            None,
            tables,
            &reserved.active,
            snapshot.limit_instruction_accounts,
        )?;
        let locks = if snapshot.increase_tx_account_lock_limit { MAX_TX_ACCOUNT_LOCKS } else { 64 };
        SanitizedTransaction::validate_account_locks(transaction.message(), locks)?;
        Ok(transaction)
    }

    /// What a transaction runs under and pays, as in `Bank::check_age_and_compute_budget_limits`.
    fn limits(
        &self,
        transaction: &Transaction,
        budget: Option<ComputeBudget>,
    ) -> TransactionResult<SVMTransactionExecutionAndFeeBudgetLimits> {
        let config = transaction.transaction_configuration(&self.features)?;
        let fee_details = calculate_fee_details(
            transaction,
            LAMPORTS_PER_SIGNATURE,
            config.priority_fee_lamports,
            FeeFeatures::from(&self.features),
        );
        let deeper = self.features.snapshot().raise_cpi_nesting_limit_to_8;
        let budget = budget.map(|budget| budget.to_budget()).unwrap_or(SVMTransactionExecutionBudget {
            compute_unit_limit: config.compute_unit_limit.into(),
            heap_size: config.updated_heap_bytes,
            ..SVMTransactionExecutionBudget::new_with_defaults(deeper)
        });
        Ok(SVMTransactionExecutionAndFeeBudgetLimits {
            budget,
            loaded_accounts_data_size_limit: config.loaded_accounts_data_size_limit,
            fee_details,
        })
    }

    /// The nonce account of a transaction, if that is what makes it recent; as in
    /// `Bank::check_transaction_age`.
    fn check_age(&self, transaction: &Transaction) -> TransactionResult<Option<Address>> {
        let blockhash = transaction.recent_blockhash();
        if *blockhash == self.blockhash {
            return Ok(None);
        }
        let nonce = || {
            if blockhash == DurableNonce::from_blockhash(&self.blockhash).as_hash() {
                return None;
            }
            let address = transaction.get_durable_nonce()?;
            verify_nonce_account(self.accounts.get(address)?, blockhash)?;
            Some(*address)
        };
        nonce().map(Some).ok_or(TransactionError::BlockhashNotFound)
    }

    /// Keeps what a processed transaction leaves, as `collect_accounts_to_store` does.
    fn commit(&mut self, transaction: &Transaction, processed: &ProcessedTransaction) {
        let rollback = match processed {
            ProcessedTransaction::Executed(executed) if executed.execution_details.status.is_ok() => {
                let loaded = &executed.loaded_transaction;
                for (index, (address, account)) in loaded.accounts.iter().enumerate() {
                    if transaction.is_writable(index)
                        && loaded.touched_flags[index]
                        && (!transaction.is_invoked(index) || transaction.is_instruction_account(index))
                    {
                        self.set(*address, account.clone());
                    }
                }
                return;
            }
            ProcessedTransaction::Executed(executed) => &executed.loaded_transaction.rollback_accounts,
            ProcessedTransaction::FeesOnly(transaction) => &transaction.rollback_accounts,
        };
        rollback.iter().for_each(|(address, account)| self.set(*address, account.clone()));
    }
}

/// A processor with the sysvars and builtins of a bank.
fn processor(
    bank: &Bank,
    forks: &Arc<RwLock<NoForks>>,
) -> anyhow::Result<TransactionBatchProcessor<NoForks>> {
    let clock = bank.accounts.get(&solana_sdk_ids::sysvar::clock::ID).context("no clock")?;
    let clock: solana_clock::Clock = bincode::deserialize(clock.data())?;
    let deeper = bank.features.snapshot().raise_cpi_nesting_limit_to_8;
    let environment = create_program_runtime_environment(
        &bank.features.runtime_features(),
        &SVMTransactionExecutionBudget::new_with_defaults(deeper),
        false,
        false,
    )
    .map_err(|error| anyhow!("{error}"))?;
    let processor =
        TransactionBatchProcessor::new(clock.slot, clock.epoch, Arc::downgrade(forks), Some(environment));
    processor.fill_missing_sysvar_cache_entries(bank);
    for builtin in BUILTINS {
        if builtin.enable_feature_id.is_none_or(|feature| bank.features.is_active(&feature)) {
            let entry = ProgramCacheEntry::new_builtin(0, builtin.name.len(), builtin.register_fn);
            processor.add_builtin(builtin.program_id, entry);
        }
    }
    Ok(processor)
}

fn answer(mut bank: Bank, question: Question) -> anyhow::Result<Answer> {
    let Question { budget, log_limit, checks_blockhash, accounts, transaction, addresses, .. } = question;
    accounts.into_iter().for_each(|(address, account)| bank.set(address, account.into()));
    let forks = Arc::new(RwLock::new(NoForks));
    let processor = processor(&bank, &forks)?;
    let budget = budget.map(|(compute_unit_limit, heap_size)| ComputeBudget {
        compute_unit_limit,
        heap_size,
        ..ComputeBudget::new_with_defaults(false)
    });
    // Without a number the processor takes one of its own.
    let log_limit = log_limit.map_or(Ok(usize::MAX), usize::try_from)?;
    let started = Instant::now();
    let processed = process(&bank, &processor, transaction, budget, log_limit, checks_blockhash);
    let nanoseconds = u64::try_from(started.elapsed().as_nanos())?;
    let mut answer = Answer {
        result: Ok(()),
        signature: Default::default(),
        logs: Vec::new(),
        inner_instructions: Vec::new(),
        units: 0,
        return_data: Default::default(),
        fee: 0,
        accounts: Vec::new(),
        nanoseconds,
    };
    match processed {
        Err(error) => answer.result = Err(error),
        Ok((transaction, processed)) => {
            bank.commit(&transaction, &processed);
            answer.result = processed.status();
            answer.signature = *transaction.signatures().first().context("no signature")?;
            answer.fee = processed.fee_details().total_fee();
            answer.units = processed.executed_units();
            if let Some(details) = processed.execution_details() {
                answer.logs = details.log_messages.clone().unwrap_or_default();
                answer.inner_instructions = details.inner_instructions.clone().unwrap_or_default();
                let returned = details.return_data.clone();
                answer.return_data = returned.map(|data| (data.program_id, data.data)).unwrap_or_default();
            }
        }
    }
    let account = |address: Address| (address, bank.accounts.get(&address).cloned().map(Account::from));
    answer.accounts = addresses.into_iter().map(account).collect();
    Ok(answer)
}

/// Runs a transaction, as `Bank::load_and_execute_transactions` does.
fn process(
    bank: &Bank,
    processor: &TransactionBatchProcessor<NoForks>,
    transaction: VersionedTransaction,
    budget: Option<ComputeBudget>,
    log_limit: usize,
    checks_blockhash: bool,
) -> TransactionResult<(Transaction, ProcessedTransaction)> {
    let (hashes, rent) = {
        let cache = processor.sysvar_cache();
        (cache.get_slot_hashes().ok(), cache.get_rent().map(|rent| (*rent).clone()).unwrap_or_default())
    };
    let transaction = bank.sanitize(transaction, &Tables { bank, slot: processor.slot, hashes })?;
    let limits = bank.limits(&transaction, budget)?;
    let nonce = if checks_blockhash { bank.check_age(&transaction)? } else { None };
    let environment = &processor.program_runtime_environment;
    let environment = TransactionProcessingEnvironment {
        blockhash: bank.blockhash,
        blockhash_lamports_per_signature: LAMPORTS_PER_SIGNATURE,
        alpenglow_migration_succeeded: false,
        epoch_total_stake: 0,
        feature_set: bank.features.runtime_features(),
        program_runtime_environments: ProgramRuntimeEnvironments::new(
            environment.clone(),
            environment.clone(),
        ),
        rent,
    };
    let config = TransactionProcessingConfig {
        log_messages_bytes_limit: Some(log_limit),
        recording_config: ExecutionRecordingConfig {
            enable_transaction_balance_recording: false,
            ..ExecutionRecordingConfig::new_single_setting(true)
        },
        ..TransactionProcessingConfig::default()
    };
    let transactions = [transaction];
    let checked = vec![Ok(CheckedTransactionDetails::new(nonce, limits))];
    let mut output = processor.load_and_execute_sanitized_transactions(
        bank,
        &transactions,
        checked,
        &environment,
        &config,
    );
    let [transaction] = transactions;
    let processed = output.processing_results.pop().unwrap_or(Err(TransactionError::CommitCancelled))?;
    Ok((transaction, processed))
}
