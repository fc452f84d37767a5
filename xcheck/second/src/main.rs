//! LiteSVM 0.17 on Agave 4.3.2 as an oracle that answers over standard input and output.

#[path = "../../src/transaction/wire.rs"]
mod wire;

use std::{
    io::{self, BufReader},
    time::Instant,
};

use agave_feature_set::FeatureSet;
use anyhow::{Context, ensure};
use litesvm::LiteSVM;
use solana_compute_budget::compute_budget::ComputeBudget;

use wire::{Answer, Bank, Hello, Question};

fn main() -> anyhow::Result<()> {
    let mut input = BufReader::new(io::stdin().lock());
    let mut output = io::stdout().lock();
    let hello = Hello { name: "LiteSVM".into(), version: "0.17.0".into(), agave: false };
    wire::write(&mut output, &hello)?;
    let mut bank: Option<LiteSVM> = None;
    while let Some(mut question) = wire::read::<Question>(&mut input)? {
        if let Some(new) = question.bank.take() {
            bank = Some(fresh(new)?);
        }
        let bank = bank.clone().context("the first question has no bank")?;
        wire::write(&mut output, &answer(bank, question)?)?;
    }
    Ok(())
}

fn fresh(Bank { features, blockhash, accounts }: Bank) -> anyhow::Result<LiteSVM> {
    let mut active = FeatureSet::default();
    features.iter().for_each(|(feature, slot)| active.activate(feature, *slot));
    let mut bank = LiteSVM::default()
        .with_feature_set(active)
        .with_builtins()
        .with_sigverify(false)
        .with_transaction_history(0);
    ensure!(bank.latest_blockhash() == blockhash, "this version starts with another blockhash");
    for (address, account) in accounts {
        bank.set_account(address, account).with_context(|| format!("account {address}"))?;
    }
    Ok(bank)
}

fn answer(bank: LiteSVM, question: Question) -> anyhow::Result<Answer> {
    let Question { budget, log_limit, checks_blockhash, accounts, transaction, addresses, .. } = question;
    let mut bank = bank
        .with_log_bytes_limit(log_limit.map(usize::try_from).transpose()?)
        .with_blockhash_check(checks_blockhash);
    if let Some((compute_unit_limit, heap_size)) = budget {
        let budget = ComputeBudget::new_with_defaults(false);
        bank = bank.with_compute_budget(ComputeBudget { compute_unit_limit, heap_size, ..budget });
    }
    for (address, account) in accounts {
        bank.set_account(address, account).with_context(|| format!("account {address}"))?;
    }
    let started = Instant::now();
    let sent = bank.send_transaction(transaction);
    let nanoseconds = u64::try_from(started.elapsed().as_nanos())?;
    let (result, meta) = match sent {
        Ok(meta) => (Ok(()), meta),
        Err(failed) => (Err(failed.err), failed.meta),
    };
    Ok(Answer {
        result,
        signature: meta.signature,
        logs: meta.logs,
        inner_instructions: meta.inner_instructions,
        units: meta.compute_units_consumed,
        return_data: (meta.return_data.program_id, meta.return_data.data),
        fee: meta.fee,
        accounts: addresses.into_iter().map(|address| (address, bank.get_account(&address))).collect(),
        nanoseconds,
    })
}
