//! What a transaction did, and how two runs of it differ.

use std::{collections::BTreeMap, fmt};

use solana_account::Account;
use solana_address::Address;
use solana_message::inner_instruction::InnerInstruction;
use solana_signature::Signature;
use solana_transaction_error::TransactionError;

use crate::outcome::{Difference, bytes, logs, value};

/// Everything a transaction leaves behind.
#[derive(Clone, Debug, PartialEq)]
pub struct TransactionOutcome {
    /// Whether it succeeded.
    pub result: Result<(), TransactionError>,
    /// Its signature as the bank reports it.
    pub signature: Signature,
    /// Log lines.
    pub logs: Vec<String>,
    /// Instructions called by its instructions.
    pub inner_instructions: Vec<Vec<InnerInstruction>>,
    /// Compute units consumed.
    pub units: u64,
    /// The program that set return data, and the data.
    pub return_data: (Address, Vec<u8>),
    /// Lamports charged.
    pub fee: u64,
    /// Every account it names, and every one set before it, as they are afterwards.
    pub accounts: BTreeMap<Address, Option<Account>>,
}

impl TransactionOutcome {
    /// How it ended, as coverage counts it: `ok`, an instruction's error or the transaction's.
    pub fn label(&self) -> String {
        match &self.result {
            Ok(()) => "ok".into(),
            Err(TransactionError::InstructionError(_, error)) => format!("{error:?}"),
            Err(error) => format!("{error:?}"),
        }
    }
}

/// Text by `Debug`.
struct Text<'a, T>(&'a T);

impl<T: fmt::Debug> fmt::Display for Text<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl<T: PartialEq> PartialEq for Text<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

/// Compares two outcomes: what explains most comes first.
pub fn compare(expected: &TransactionOutcome, actual: &TransactionOutcome) -> Option<Difference> {
    value("result", &Text(&expected.result), &Text(&actual.result))
        .or_else(|| logs(&expected.logs, &actual.logs))
        .or_else(|| value("compute units", &expected.units, &actual.units))
        .or_else(|| {
            let (expected, actual) = (&expected.inner_instructions, &actual.inner_instructions);
            value("inner instructions", &Text(expected), &Text(actual))
        })
        .or_else(|| value("return data", &Text(&expected.return_data), &Text(&actual.return_data)))
        .or_else(|| value("fee", &expected.fee, &actual.fee))
        .or_else(|| value("signature", &expected.signature, &actual.signature))
        .or_else(|| accounts(&expected.accounts, &actual.accounts))
}

fn accounts(
    expected: &BTreeMap<Address, Option<Account>>,
    actual: &BTreeMap<Address, Option<Account>>,
) -> Option<Difference> {
    let addresses = expected.keys().chain(actual.keys());
    addresses.into_iter().find_map(|address| {
        let of = |accounts: &BTreeMap<Address, Option<Account>>| accounts.get(address).cloned().flatten();
        account(address, of(expected), of(actual))
    })
}

fn account(address: &Address, expected: Option<Account>, actual: Option<Account>) -> Option<Difference> {
    let field = |name: &str| format!("account {address} {name}");
    let (Some(e), Some(a)) = (&expected, &actual) else {
        return value(&field("existence"), &expected.is_some(), &actual.is_some());
    };
    value(&field("lamports"), &e.lamports, &a.lamports)
        .or_else(|| value(&field("owner"), &e.owner, &a.owner))
        .or_else(|| value(&field("data length"), &e.data.len(), &a.data.len()))
        .or_else(|| bytes(&field("data"), &e.data, &a.data))
        .or_else(|| value(&field("executable"), &e.executable, &a.executable))
        .or_else(|| value(&field("rent epoch"), &e.rent_epoch, &a.rent_epoch))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: Address = Address::new_from_array([0; 32]);

    fn outcome() -> TransactionOutcome {
        let account = Account { lamports: 1, data: vec![1, 2], ..Account::default() };
        TransactionOutcome {
            result: Ok(()),
            signature: Signature::default(),
            logs: vec!["a".into()],
            inner_instructions: vec![vec![]],
            units: 3,
            return_data: (ADDRESS, vec![]),
            fee: 5000,
            accounts: BTreeMap::from([(ADDRESS, Some(account))]),
        }
    }

    fn data(outcome: &mut TransactionOutcome) -> &mut Account {
        outcome.accounts.get_mut(&ADDRESS).unwrap().as_mut().unwrap()
    }

    #[test]
    fn every_field_is_compared() {
        type Change = fn(&mut TransactionOutcome);
        let cases: [(Change, &str); 14] = [
            (
                |o| o.result = Err(TransactionError::AccountInUse),
                "result: expected Ok(()), got Err(AccountInUse)",
            ),
            (|o| o.logs[0].push('b'), "log at 0: expected \"a\", got \"ab\""),
            (|o| o.units = 4, "compute units: expected 3, got 4"),
            (|o| o.inner_instructions.clear(), "inner instructions: expected [[]], got []"),
            (|o| o.return_data.1.push(7), "return data: expected"),
            (|o| o.fee = 0, "fee: expected 5000, got 0"),
            (|o| o.signature = Signature::from([1; 64]), "signature: expected"),
            (|o| _ = o.accounts.insert(ADDRESS, None), " existence: expected true, got false"),
            (|o| data(o).lamports = 2, " lamports: expected 1, got 2"),
            (|o| data(o).owner = Address::new_from_array([1; 32]), " owner: expected"),
            (|o| data(o).data.push(0), " data length: expected 2, got 3"),
            (|o| data(o).data[1] = 9, " data at 1: expected 0x02, got 0x09"),
            (|o| data(o).executable = true, " executable: expected false, got true"),
            (|o| data(o).rent_epoch = 1, " rent epoch: expected 0, got 1"),
        ];
        assert_eq!(compare(&outcome(), &outcome()), None);
        for (change, text) in cases {
            let mut actual = outcome();
            change(&mut actual);
            let difference = compare(&outcome(), &actual).unwrap().to_string();
            assert!(difference.contains(text), "{difference}");
        }
    }
}
