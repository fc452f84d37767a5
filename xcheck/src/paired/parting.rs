//! Where the programs of two machines part.

use std::{
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
};

use agave_feature_set::FeatureSet;
use litesvm::{InvocationInspectCallback, LiteSVM};
use solana_account::{AccountSharedData, ReadableAccount};
use solana_address::Address;
use solana_program_runtime::invoke_context::InvokeContext;
use solana_transaction::{sanitized::SanitizedTransaction, versioned::VersionedTransaction};
use svmllm::{NeuralSvm, host::instruction_text, host::svm::Recording};

/// How many instructions are told before machines part.
const TOLD: usize = 8;

/// An instruction that was executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The program.
    pub program: Address,
    /// Its slot.
    pub pc: u64,
    /// It, in assembly.
    pub text: String,
    /// Registers 0 to 10 before it.
    pub registers: [u64; 11],
}

/// Where two machines part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parting {
    /// The last instructions that both executed alike, the last of them with different effects.
    pub last: Vec<Step>,
    /// Instructions executed alike.
    pub alike: usize,
    /// Registers and program counter after that on LiteSVM; `None` if its program had ended.
    pub expected: Option<[u64; 12]>,
    /// The same on the weights.
    pub actual: Option<[u64; 12]>,
}

/// Registers before each instruction, by the number of the instruction of the transaction.
type Traces = HashMap<usize, Vec<[u64; 12]>>;

/// Takes the traces out of LiteSVM.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Traces>>);

impl InvocationInspectCallback for Collector {
    fn before_invocation(
        &self,
        _: &LiteSVM,
        _: &SanitizedTransaction,
        _: &[u16],
        _: &mut InvokeContext,
        _: bool,
    ) {
    }

    fn after_invocation(
        &self,
        _: &LiteSVM,
        _: &SanitizedTransaction,
        _: &[u16],
        context: &InvokeContext,
        _: bool,
    ) {
        context.iterate_vm_traces(&|instruction, _, trace| {
            let mut traces = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            traces.insert(instruction.get_index_in_trace(), trace.to_vec());
        });
    }
}

/// Runs a transaction again on both, from the state before it, and finds where their programs part. `None` if a
/// run cannot be traced.
pub(super) fn find(
    lite: &LiteSVM,
    neural: &NeuralSvm,
    features: &FeatureSet,
    transaction: &VersionedTransaction,
) -> Option<Parting> {
    let expected = traces(lite, features, transaction)?;
    let Ok(actual) = neural.host().record_transaction(transaction.clone());
    Some(part(&expected, &actual))
}

/// What LiteSVM's programs do. Tracing is decided when a program is loaded, so all are loaded anew.
fn traces(lite: &LiteSVM, features: &FeatureSet, transaction: &VersionedTransaction) -> Option<Traces> {
    let traced = || {
        let mut traced = LiteSVM::new_debuggable(true)
            .with_feature_set(features.clone())
            .with_builtins()
            .with_sigverify(false)
            .with_blockhash_check(false)
            .with_transaction_history(0);
        if let Some(budget) = lite.get_compute_budget() {
            traced = traced.with_compute_budget(budget);
        }
        // Programs come after their data.
        let mut accounts: Vec<(&Address, &AccountSharedData)> = lite.accounts_db().inner.iter().collect();
        accounts.sort_by_key(|(address, account)| (account.executable(), **address));
        for (address, account) in accounts {
            // A closed program does not load; it does not run either.
            let _ = traced.set_account(*address, account.clone().into());
        }
        let collector = Collector::default();
        traced.set_invocation_inspect_callback(collector.clone());
        let _ = traced.send_transaction(transaction.clone());
        collector.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    };
    // Tracing a stripped file of version 3 panics in the reference.
    catch_unwind(AssertUnwindSafe(traced)).ok()
}

/// Compares steps in the order of their execution.
fn part(expected: &Traces, actual: &Recording) -> Parting {
    let mut done: HashMap<usize, usize> = HashMap::new();
    let mut alike = 0usize;
    let mut parted = None;
    for (run, registers) in &actual.steps {
        let instruction = actual.runs[*run].instruction;
        let at = done.entry(instruction).or_default();
        let theirs = expected.get(&instruction).and_then(|trace| trace.get(*at));
        if theirs != Some(registers) {
            parted = Some((theirs.copied(), Some(*registers)));
            break;
        }
        *at += 1;
        alike += 1;
    }
    // All of ours are there too: theirs may go on.
    let (expected, actual_registers) = parted.unwrap_or_else(|| {
        let mut left = expected.iter().filter_map(|(instruction, trace)| {
            trace.get(done.get(instruction).copied().unwrap_or(0)).map(|registers| (*instruction, *registers))
        });
        (left.next().map(|(_, registers)| registers), None)
    });
    let last = actual.steps[alike.saturating_sub(TOLD)..alike].iter().map(|(run, registers)| {
        let run = &actual.runs[*run];
        let [registers @ .., pc] = *registers;
        Step { program: run.address, pc, text: instruction_text(&run.program, pc as usize), registers }
    });
    Parting { last: last.collect(), alike, expected, actual: actual_registers }
}
