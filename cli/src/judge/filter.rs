//! The rules of thumb, in the order in which they are asked.

use serde::Serialize;

use super::{Finding, History, Verdict, Withdrawal};

/// What decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The program failed, or returned something other than 0.
    Code,
    /// More than three withdrawals in 15 minutes that move half of the balance or more.
    Drain,
    /// 50 times the median or more, to a destination never seen.
    HugeToNew,
    /// 10 times the median or more.
    Huge,
    /// 3 times the median or more, to a destination never seen.
    LargeToNew,
    /// None of these.
    Ordinary,
    /// Someone else was asked and is stricter.
    SecondOpinion,
}

/// The time in which many withdrawals are too many, in seconds.
const WINDOW: u64 = 15 * 60;
/// How many are not yet too many.
const FEW: usize = 3;

/// The verdict of the rules on a withdrawal that the code accepts, from a vault that holds `balance` before it.
///
/// Withdrawals of the last 15 minutes count with this one, and the balance they are compared with is what
/// there was before the first of them. The median is that of all past amounts; without any, no rule that needs
/// it applies.
pub fn rules(withdrawal: &Withdrawal, balance: u64, history: &History) -> Finding {
    let Withdrawal { time, amount, destination } = withdrawal;
    let (mut count, mut earlier) = (1, 0u128);
    for past in history.since(*time, WINDOW) {
        count += 1;
        earlier += u128::from(past.amount);
    }
    let (moved, before) = (earlier + u128::from(*amount), earlier + u128::from(balance));
    if count > FEW && 2 * moved >= before {
        let reason = format!("{count} withdrawals in 15 minutes move {moved} of {before}");
        return Finding { verdict: Verdict::Block, rule: Rule::Drain, reason };
    }
    let is_new = !history.knows(destination);
    let Some(twice) = history.twice_the_median() else {
        let reason = "there is no past to compare it with".to_owned();
        return Finding { verdict: Verdict::Allow, rule: Rule::Ordinary, reason };
    };
    let at_least = |times: u128| 2 * u128::from(*amount) >= times * twice;
    let (verdict, rule, what) = if is_new && at_least(50) {
        (Verdict::Block, Rule::HugeToNew, "at least 50 times the median")
    } else if at_least(10) {
        (Verdict::Hold, Rule::Huge, "at least 10 times the median")
    } else if is_new && at_least(3) {
        (Verdict::Hold, Rule::LargeToNew, "at least 3 times the median")
    } else {
        let whom = if is_new { "a new destination" } else { "a known destination" };
        let reason = format!("nothing unusual: {amount} to {whom}, the median is {}", halved(twice));
        return Finding { verdict: Verdict::Allow, rule: Rule::Ordinary, reason };
    };
    let whom = if is_new { "a destination never seen" } else { "a known destination" };
    let reason = format!("{amount} to {whom} is {what} of {}", halved(twice));
    Finding { verdict, rule, reason }
}

/// Half of a number, in decimals.
fn halved(twice: u128) -> String {
    format!("{}{}", twice / 2, if twice % 2 == 1 { ".5" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A past of withdrawals long ago to "a".
    fn past(amounts: &[u64]) -> History {
        let each = |amount: &u64| Withdrawal { time: 0, amount: *amount, destination: "a".into() };
        History { withdrawals: amounts.iter().map(each).collect() }
    }

    fn next(amount: u64, destination: &str) -> Withdrawal {
        Withdrawal { time: 1_000_000, amount, destination: destination.into() }
    }

    #[test]
    fn each_threshold_at_its_edge() {
        let history = past(&[9, 10, 11]);
        for (amount, destination, rule) in [
            (29, "b", Rule::Ordinary),
            (30, "b", Rule::LargeToNew),
            (30, "a", Rule::Ordinary),
            (99, "a", Rule::Ordinary),
            (99, "b", Rule::LargeToNew),
            (100, "a", Rule::Huge),
            (100, "b", Rule::Huge),
            (499, "b", Rule::Huge),
            (500, "b", Rule::HugeToNew),
            (500, "a", Rule::Huge),
            (u64::MAX, "a", Rule::Huge),
        ] {
            let finding = rules(&next(amount, destination), u64::MAX, &history);
            assert_eq!(finding.rule, rule, "{amount} to {destination}: {finding:?}");
            let verdict = match rule {
                Rule::HugeToNew => Verdict::Block,
                Rule::Huge | Rule::LargeToNew => Verdict::Hold,
                _ => Verdict::Allow,
            };
            assert_eq!(finding.verdict, verdict);
        }
    }

    #[test]
    fn a_median_between_two_amounts() {
        let history = past(&[1, 2]);
        // Three times 1.5 is 4.5.
        assert_eq!(rules(&next(4, "b"), 1_000, &history).rule, Rule::Ordinary);
        let finding = rules(&next(5, "b"), 1_000, &history);
        assert_eq!(finding.rule, Rule::LargeToNew);
        assert!(finding.reason.ends_with("of 1.5"), "{}", finding.reason);
    }

    #[test]
    fn without_a_past_only_a_drain_counts() {
        assert_eq!(rules(&next(u64::MAX, "b"), u64::MAX, &History::default()).rule, Rule::Ordinary);
    }

    #[test]
    fn a_drain() {
        // Before them there was 1000 and what is in the window of `recent` withdrawals of 100.
        let vault = |recent: u64, age: u64, amount: u64| {
            let each = |_| Withdrawal { time: 1_000_000 - age, amount: 100, destination: "a".into() };
            let history = History { withdrawals: (0..recent).map(each).collect() };
            rules(&next(amount, "a"), 1_000 - 100 * recent, &history).rule
        };
        assert_eq!(vault(3, 900, 200), Rule::Drain);
        assert_eq!(vault(3, 901, 200), Rule::Ordinary);
        assert_eq!(vault(3, 900, 199), Rule::Ordinary);
        assert_eq!(vault(2, 900, 800), Rule::Ordinary);
        assert_eq!(vault(4, 0, 100), Rule::Drain);
        assert_eq!(vault(3, 0, u64::MAX), Rule::Drain);
    }

    /// A drain is asked about first.
    #[test]
    fn the_order_of_the_rules() {
        let each = |time| Withdrawal { time, amount: 1, destination: "a".into() };
        let history = History { withdrawals: (999_990..1_000_000).map(each).collect() };
        assert_eq!(rules(&next(900, "b"), 1_000, &history).rule, Rule::Drain);
        assert_eq!(rules(&next(400, "b"), 1_000, &history).rule, Rule::HugeToNew);
    }
}
