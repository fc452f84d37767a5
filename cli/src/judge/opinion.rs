//! A second opinion, for instance of a language model.

use super::{Finding, History, Verdict, Withdrawal};

/// Someone else to ask once the rules have spoken.
///
/// An opinion can make a verdict stricter. It cannot make one milder, and it is not asked about what the code
/// rejects.
pub trait Opinion {
    /// What should happen instead of `finding`, and why; `None` for no opinion.
    fn opinion(
        &self,
        withdrawal: &Withdrawal,
        balance: u64,
        history: &History,
        finding: &Finding,
    ) -> Option<(Verdict, String)>;
}

/// The place where a model would be asked: it has no opinion.
pub struct NoOpinion;

impl Opinion for NoOpinion {
    fn opinion(&self, _: &Withdrawal, _: u64, _: &History, _: &Finding) -> Option<(Verdict, String)> {
        None
    }
}
