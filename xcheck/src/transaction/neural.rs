//! The transaction host with its programs on the machine, as what is checked.

use std::time::Instant;

use anyhow::{Context, anyhow};
use litesvm::MAINNET_DEFAULT_SLOT;
use solana_address::Address;
use svmllm::{
    deltanet::HeadsBoundary,
    host::{
        Mode,
        svm::{ComputeBudget, Rules, Svm, mainnet_feature_set},
    },
    tables::{Dense, Indexed, Weights},
};

use super::{Banks, Budget, ProgramFile, Runtime, Settings, TransactionCase, TransactionOutcome};
use crate::oracle::litesvm::{AGAVE_SLOT, LiteSvm};

/// Transactions on the weights.
pub struct Neural<E: HeadsBoundary + 'static> {
    name: &'static str,
    evaluator: &'static E,
    mode: Mode,
    rules: Rules,
    banks: Banks<Svm<'static, E>>,
    /// Gives the programs every bank starts with.
    shipping: LiteSvm,
}

impl<E: HeadsBoundary> Neural<E> {
    /// Transactions on an evaluator. Banks refer to it, so it stays until the process ends.
    pub fn new(name: &'static str, evaluator: E, mode: Mode, rules: Rules) -> Self {
        Self {
            name,
            evaluator: Box::leak(Box::new(evaluator)),
            mode,
            rules,
            banks: Banks::default(),
            shipping: LiteSvm::new(),
        }
    }
}

/// What runs transactions on an evaluator of the generated weights; `None` if there is none of that name.
///
/// # Errors
/// The weights are refused.
pub fn by_name(name: &str, rules: Rules) -> Option<anyhow::Result<Box<dyn Runtime>>> {
    fn boxed<E: HeadsBoundary<Error: Send + Sync> + 'static>(
        name: &'static str,
        evaluator: Result<E, impl Into<anyhow::Error>>,
        mode: Mode,
        rules: Rules,
    ) -> anyhow::Result<Box<dyn Runtime>> {
        Ok(Box::new(Neural::new(name, evaluator.map_err(Into::into)?, mode, rules)))
    }
    let weights = Weights::generate();
    Some(match name {
        "indexed" => boxed("indexed", Indexed::new(&weights), Mode::Lazy, rules),
        "indexed-full" => boxed("indexed-full", Indexed::new(&weights), Mode::Full, rules),
        "dense" => boxed("dense", Dense::new(&weights), Mode::Lazy, rules),
        "dense-full" => boxed("dense-full", Dense::new(&weights), Mode::Full, rules),
        _ => return None,
    })
}

/// A bank with mainnet's features but some.
fn fresh<E: HeadsBoundary>(
    evaluator: &'static E,
    mode: Mode,
    rules: Rules,
    inactive: &[Address],
    shipped: Vec<ProgramFile>,
) -> anyhow::Result<Svm<'static, E>> {
    let mut features = mainnet_feature_set();
    for feature in inactive {
        features.deactivate(feature);
    }
    let mut bank = Svm::bare(evaluator)
        .with_mode(mode)
        .with_rules(rules)
        .with_feature_set(features)
        .with_builtins()
        .with_sysvars()
        .with_feature_accounts()
        .with_transaction_history(0);
    shipped.iter().try_for_each(|program| add(&mut bank, rules, program))?;
    Ok(bank)
}

fn add<E: HeadsBoundary>(bank: &mut Svm<E>, rules: Rules, program: &ProgramFile) -> anyhow::Result<()> {
    bank.warp_to_slot(MAINNET_DEFAULT_SLOT);
    bank.add_program(program.address, &program.elf, program.loader.address())
        .with_context(|| format!("program {}", program.address))?;
    if rules == Rules::Agave {
        bank.warp_to_slot(AGAVE_SLOT);
    }
    Ok(())
}

impl<E: HeadsBoundary> Neural<E> {
    /// The bank in which a case's transaction runs.
    fn bank(&mut self, case: &TransactionCase) -> anyhow::Result<Svm<'static, E>> {
        let Settings { budget, log_limit, checks_blockhash, .. } = case.settings;
        let make = |inactive: &[Address]| {
            fresh(self.evaluator, self.mode, self.rules, inactive, self.shipping.shipped(inactive)?)
        };
        let add = |bank: &mut Svm<'static, E>, program: &ProgramFile| add(bank, self.rules, program);
        let mut bank = self.banks.prepare(case, make, add)?.with_log_bytes_limit(log_limit);
        bank = bank.with_blockhash_check(checks_blockhash);
        if let Some(Budget { units, heap }) = budget {
            bank = bank.with_compute_budget(ComputeBudget {
                compute_unit_limit: units,
                heap_size: heap,
                max_instruction_stack_depth: 5,
                max_instruction_trace_length: 64,
            });
        }
        for (address, account) in &case.accounts {
            bank.set_account(*address, account.clone()).with_context(|| format!("account {address}"))?;
        }
        Ok(bank)
    }
}

impl<E: HeadsBoundary> Runtime for Neural<E>
where
    E::Error: Send + Sync,
{
    fn name(&self) -> String {
        self.name.into()
    }

    fn time(&mut self, case: &TransactionCase) -> anyhow::Result<u64> {
        let mut bank = self.bank(case)?;
        let transaction = case.transaction.clone();
        let started = Instant::now();
        let result = bank.try_send_transaction(transaction)?;
        let elapsed = started.elapsed().as_nanos() as u64;
        result.map_err(|failed| anyhow!("{:?}", failed.err))?;
        Ok(elapsed)
    }

    fn run(&mut self, case: &TransactionCase) -> anyhow::Result<TransactionOutcome> {
        let mut bank = self.bank(case)?;
        let (result, meta) = match bank.try_send_transaction(case.transaction.clone())? {
            Ok(meta) => (Ok(()), meta),
            Err(failed) => (Err(failed.err), failed.meta),
        };
        Ok(TransactionOutcome {
            result,
            signature: meta.signature,
            logs: meta.logs,
            inner_instructions: meta.inner_instructions,
            units: meta.compute_units_consumed,
            return_data: (meta.return_data.program_id, meta.return_data.data),
            fee: meta.fee,
            accounts: case.addresses().map(|address| (address, bank.get_account(&address))).collect(),
        })
    }
}
