//! What is to be judged: a call of a program that guards a vault, and the withdrawal it is about.

use serde::Deserialize;
use svmllm::host::{Ended, Setup};

use super::{CodeAnswer, Withdrawal};
use crate::wire::{Hex, Number};

/// A withdrawal, and the program that has to agree to it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transaction {
    /// The name of a demo, or where files may be named a file.
    pub program: String,
    /// The bytes of the input region.
    pub input: Input,
    /// Compute units to spend.
    pub compute_units: Option<Number>,
    /// What the vault holds before the withdrawal.
    pub balance: u64,
    /// The withdrawal in question.
    pub withdrawal: Withdrawal,
}

/// The bytes of an input region.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Input {
    /// Words, little end first.
    Words(Vec<Field>),
    /// Hex digits.
    Bytes(Hex),
}

/// A word of an input region.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Field {
    /// A figure of the transaction, so that program and rules cannot be told different things.
    Named(Name),
    /// A number.
    Number(Number),
}

/// A figure of the transaction.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Name {
    /// What the vault holds.
    Balance,
    /// How much is withdrawn.
    Amount,
    /// When.
    Time,
}

impl Transaction {
    /// What the program starts from.
    pub fn setup(&self) -> Setup {
        let defaults = Setup::default();
        let word = |field: &Field| match field {
            Field::Named(Name::Balance) => self.balance,
            Field::Named(Name::Amount) => self.withdrawal.amount,
            Field::Named(Name::Time) => self.withdrawal.time,
            Field::Number(Number(number)) => *number,
        };
        let input = match &self.input {
            Input::Words(fields) => fields.iter().flat_map(|field| word(field).to_le_bytes()).collect(),
            Input::Bytes(Hex(bytes)) => bytes.clone(),
        };
        let budget = self.compute_units.map_or(defaults.budget, |units| units.0);
        Setup { input, budget, ..defaults }
    }
}

impl From<&Ended> for CodeAnswer {
    fn from(ended: &Ended) -> Self {
        match ended {
            Ended::Exit(0) => Self::Accepts,
            Ended::Exit(code) => Self::Refuses(*code),
            Ended::Error(error) => Self::Fails(error.to_string()),
            Ended::Invoke(_) => Self::Fails("there is no other program to call".into()),
        }
    }
}
