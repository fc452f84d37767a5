//! LiteSVM's results in svmllm's types.

use litesvm::{error::LiteSVMError, types as lite};
use solana_account::Account;
use solana_address::Address;
use solana_compute_budget::compute_budget::ComputeBudget as LiteBudget;
use solana_hash::Hash;
use svmllm::{
    host::svm::{ComputeBudget, SvmError},
    types::{
        FailedTransactionMetadata, SimulatedTransactionInfo, TransactionMetadata, TransactionResult,
        TransactionReturnData,
    },
};

/// A result that has a counterpart among svmllm's types.
pub trait Ours<T> {
    /// It.
    fn ours(self) -> T;
}

macro_rules! the_same {
    ($($type:ty),*) => {
        $(impl Ours<$type> for $type {
            fn ours(self) -> $type {
                self
            }
        })*
    };
}

the_same!(
    (),
    bool,
    u64,
    Address,
    Hash,
    Option<u64>,
    Option<Account>,
    Option<ComputeBudget>,
    TransactionResult,
    Result<SimulatedTransactionInfo, FailedTransactionMetadata>
);

/// In the order of addresses: machines give accounts in any.
impl Ours<Vec<(Address, Account)>> for Vec<(Address, Account)> {
    fn ours(mut self) -> Self {
        self.sort_by_key(|(address, _)| *address);
        self
    }
}

impl Ours<Option<TransactionResult>> for Option<&TransactionResult> {
    fn ours(self) -> Option<TransactionResult> {
        self.cloned()
    }
}

impl Ours<Result<(), String>> for Result<(), SvmError> {
    fn ours(self) -> Result<(), String> {
        self.map_err(|error| error.to_string())
    }
}

impl Ours<Result<(), String>> for Result<(), LiteSVMError> {
    fn ours(self) -> Result<(), String> {
        self.map_err(|error| error.to_string())
    }
}

impl Ours<TransactionMetadata> for lite::TransactionMetadata {
    fn ours(self) -> TransactionMetadata {
        let Self { signature, logs, inner_instructions, compute_units_consumed, return_data, fee } = self;
        TransactionMetadata {
            signature,
            logs,
            inner_instructions,
            compute_units_consumed,
            return_data: TransactionReturnData { program_id: return_data.program_id, data: return_data.data },
            fee,
        }
    }
}

impl Ours<FailedTransactionMetadata> for lite::FailedTransactionMetadata {
    fn ours(self) -> FailedTransactionMetadata {
        FailedTransactionMetadata { err: self.err, meta: self.meta.ours() }
    }
}

impl Ours<TransactionResult> for lite::TransactionResult {
    fn ours(self) -> TransactionResult {
        self.map(Ours::ours).map_err(Ours::ours)
    }
}

impl Ours<Option<TransactionResult>> for Option<&lite::TransactionResult> {
    fn ours(self) -> Option<TransactionResult> {
        self.cloned().map(Ours::ours)
    }
}

impl Ours<Result<SimulatedTransactionInfo, FailedTransactionMetadata>>
    for Result<lite::SimulatedTransactionInfo, lite::FailedTransactionMetadata>
{
    fn ours(self) -> Result<SimulatedTransactionInfo, FailedTransactionMetadata> {
        let info = |lite::SimulatedTransactionInfo { meta, post_accounts }| SimulatedTransactionInfo {
            meta: Ours::ours(meta),
            post_accounts,
        };
        self.map(info).map_err(Ours::ours)
    }
}

impl Ours<Option<ComputeBudget>> for Option<LiteBudget> {
    fn ours(self) -> Option<ComputeBudget> {
        self.map(|budget| ComputeBudget {
            compute_unit_limit: budget.compute_unit_limit,
            max_instruction_stack_depth: budget.max_instruction_stack_depth,
            max_instruction_trace_length: budget.max_instruction_trace_length,
            heap_size: budget.heap_size,
        })
    }
}

/// A transaction's result in svmllm's types.
pub fn transaction_result(result: lite::TransactionResult) -> TransactionResult {
    result.ours()
}

/// A budget in Agave's type, with the usual costs.
pub fn lite_budget(budget: ComputeBudget) -> LiteBudget {
    LiteBudget {
        compute_unit_limit: budget.compute_unit_limit,
        max_instruction_stack_depth: budget.max_instruction_stack_depth,
        max_instruction_trace_length: budget.max_instruction_trace_length,
        heap_size: budget.heap_size,
        ..LiteBudget::new_with_defaults(false)
    }
}
