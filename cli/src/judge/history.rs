//! What a vault did before.

use serde::Deserialize;

/// Most withdrawals a history may have.
pub const MAX_WITHDRAWALS: usize = 100_000;

/// Money that leaves a vault.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Withdrawal {
    /// When, in seconds since 1970.
    pub time: u64,
    /// How much, in the smallest unit.
    pub amount: u64,
    /// Where to. Two destinations are the same if these texts are.
    pub destination: String,
}

/// The withdrawals that went through before, in any order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct History {
    /// The withdrawals.
    pub withdrawals: Vec<Withdrawal>,
}

/// A history that cannot be one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// Something in it has yet to happen.
    #[error("withdrawal {number} of the history is at {time}, after the one in question at {now}")]
    Future {
        /// Which, counted from 1.
        number: usize,
        /// When it is.
        time: u64,
        /// When the withdrawal in question is.
        now: u64,
    },
    /// There is too much of it.
    #[error("a history of {0} withdrawals is too long: at most {MAX_WITHDRAWALS}")]
    TooLong(usize),
}

impl History {
    /// Checks that all of it lies before a withdrawal at `now`, or at the same time.
    pub fn check(&self, now: u64) -> Result<(), HistoryError> {
        if self.withdrawals.len() > MAX_WITHDRAWALS {
            return Err(HistoryError::TooLong(self.withdrawals.len()));
        }
        match self.withdrawals.iter().position(|past| past.time > now) {
            None => Ok(()),
            Some(index) => {
                Err(HistoryError::Future { number: index + 1, time: self.withdrawals[index].time, now })
            }
        }
    }

    /// Whether money went there before.
    pub fn knows(&self, destination: &str) -> bool {
        self.withdrawals.iter().any(|past| past.destination == destination)
    }

    /// Twice the median of the past amounts, which is a whole number; `None` without any.
    pub fn twice_the_median(&self) -> Option<u128> {
        let mut amounts: Vec<u64> = self.withdrawals.iter().map(|past| past.amount).collect();
        amounts.sort_unstable();
        let upper = amounts.get(amounts.len() / 2)?;
        let lower = amounts.get((amounts.len() - 1) / 2)?;
        Some(u128::from(*lower) + u128::from(*upper))
    }

    /// Withdrawals at most `seconds` before `now`.
    pub fn since(&self, now: u64, seconds: u64) -> impl Iterator<Item = &Withdrawal> {
        self.withdrawals.iter().filter(move |past| now.saturating_sub(past.time) <= seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(amounts: &[u64]) -> History {
        let each = |(time, amount): (usize, &u64)| Withdrawal {
            time: time as u64,
            amount: *amount,
            destination: format!("to {amount}"),
        };
        History { withdrawals: amounts.iter().enumerate().map(each).collect() }
    }

    #[test]
    fn medians() {
        for (amounts, twice) in [
            (&[][..], None),
            (&[7], Some(14)),
            (&[9, 1], Some(10)),
            (&[9, 1, 4], Some(8)),
            (&[1, 2, 2, 100], Some(4)),
            (&[u64::MAX, u64::MAX], Some(2 * u128::from(u64::MAX))),
        ] {
            assert_eq!(history(amounts).twice_the_median(), twice, "{amounts:?}");
        }
    }

    #[test]
    fn what_is_later_is_refused() {
        let history = history(&[1, 2, 3]);
        assert_eq!(history.check(2), Ok(()));
        assert_eq!(history.check(1), Err(HistoryError::Future { number: 3, time: 2, now: 1 }));
        assert!(history.knows("to 2") && !history.knows("to 4"));
        assert_eq!(history.since(2, 1).count(), 2);
    }
}
