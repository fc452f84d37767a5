//! The review in front of a wallet or a multisig: may the code do it, and would a sensible operator.
//!
//! The machine answers the first question. The second is answered by rules of thumb: they know amounts, times
//! and destinations, nothing else, and they can be wrong both ways.

mod filter;
mod history;
mod opinion;
mod transaction;

pub use history::{History, Withdrawal};
pub use opinion::{NoOpinion, Opinion};
pub use transaction::Transaction;

use filter::{Rule, rules};

use serde::Serialize;

/// What is to happen to a withdrawal, the mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It goes ahead.
    Allow,
    /// It waits for a person.
    Hold,
    /// It does not happen.
    Block,
}

impl Verdict {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Hold => "hold",
            Self::Block => "block",
        }
    }
}

/// A verdict with its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What is to happen.
    pub verdict: Verdict,
    /// The rule that says so.
    pub rule: Rule,
    /// Why, in words.
    pub reason: String,
}

/// What the code said when it ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeAnswer {
    /// It ran to its end and returned 0.
    Accepts,
    /// It returned another number.
    Refuses(u64),
    /// It failed.
    Fails(String),
}

/// The verdict on a withdrawal.
///
/// What the code rejects is blocked, whatever anyone thinks of it. Otherwise the rules decide, and `second`
/// may make their verdict stricter, never milder.
pub fn review(
    answer: &CodeAnswer,
    withdrawal: &Withdrawal,
    balance: u64,
    history: &History,
    second: &dyn Opinion,
) -> Finding {
    let rejected = match answer {
        CodeAnswer::Accepts => None,
        CodeAnswer::Refuses(code) => Some(format!("the program returned {code}, and only 0 is success")),
        CodeAnswer::Fails(error) => Some(format!("the program failed: {error}")),
    };
    if let Some(reason) = rejected {
        return Finding { verdict: Verdict::Block, rule: Rule::Code, reason };
    }
    let finding = rules(withdrawal, balance, history);
    match second.opinion(withdrawal, balance, history, &finding) {
        Some((verdict, reason)) if verdict > finding.verdict => {
            Finding { verdict, rule: Rule::SecondOpinion, reason }
        }
        _ => finding,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Always of one mind.
    struct Always(Verdict);

    impl Opinion for Always {
        fn opinion(&self, _: &Withdrawal, _: u64, _: &History, _: &Finding) -> Option<(Verdict, String)> {
            Some((self.0, "so it is".into()))
        }
    }

    const ALL: [Verdict; 3] = [Verdict::Allow, Verdict::Hold, Verdict::Block];

    /// A withdrawal that the rules give this verdict.
    fn withdrawal(verdict: Verdict) -> (Withdrawal, History) {
        let past = (0..5).map(|day| Withdrawal { time: day * 86_400, amount: 10, destination: "a".into() });
        let (amount, destination) = match verdict {
            Verdict::Allow => (10, "a"),
            Verdict::Hold => (100, "a"),
            Verdict::Block => (500, "b"),
        };
        let next = Withdrawal { time: 1_000_000, amount, destination: destination.into() };
        (next, History { withdrawals: past.collect() })
    }

    #[test]
    fn a_second_opinion_is_never_milder() {
        for by_rules in ALL {
            let (next, history) = withdrawal(by_rules);
            let review =
                |second: &dyn Opinion| review(&CodeAnswer::Accepts, &next, 100_000, &history, second);
            let alone = review(&NoOpinion);
            assert_eq!(alone.verdict, by_rules);
            for second in ALL {
                let finding = review(&Always(second));
                assert_eq!(finding.verdict, by_rules.max(second));
                assert_eq!(finding.rule == Rule::SecondOpinion, second > by_rules);
                assert_eq!(finding == alone, second <= by_rules);
            }
        }
    }

    #[test]
    fn nobody_overrides_the_code() {
        for answer in [CodeAnswer::Refuses(1), CodeAnswer::Refuses(u64::MAX), CodeAnswer::Fails("x".into())] {
            for second in ALL {
                let (next, history) = withdrawal(Verdict::Allow);
                let finding = review(&answer, &next, 100_000, &history, &Always(second));
                assert_eq!((finding.verdict, finding.rule), (Verdict::Block, Rule::Code));
            }
        }
    }
}
