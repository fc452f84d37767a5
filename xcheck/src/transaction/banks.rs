//! Banks kept between cases, since loading programs takes long.

use std::sync::Arc;

use solana_address::Address;

use super::{ProgramFile, TransactionCase};

/// Banks with the programs of cases added, but not their accounts.
pub struct Banks<B> {
    /// Banks without programs of a case, by the features switched off.
    fresh: Vec<(Vec<Address>, B)>,
    /// The bank of the last case.
    prepared: Option<Prepared<B>>,
}

struct Prepared<B> {
    inactive: Vec<Address>,
    programs: Arc<[ProgramFile]>,
    bank: B,
}

impl<B> Default for Banks<B> {
    fn default() -> Self {
        Self { fresh: Vec::new(), prepared: None }
    }
}

impl<B: Clone> Banks<B> {
    /// A bank with mainnet's features but some.
    ///
    /// # Errors
    /// `make` fails.
    pub fn fresh(
        &mut self,
        inactive: &[Address],
        make: impl FnOnce(&[Address]) -> anyhow::Result<B>,
    ) -> anyhow::Result<B> {
        if let Some((_, bank)) = self.fresh.iter().find(|(features, _)| features == inactive) {
            return Ok(bank.clone());
        }
        let bank = make(inactive)?;
        self.fresh.push((inactive.to_vec(), bank.clone()));
        Ok(bank)
    }

    /// A bank for a case, its programs added by `add`.
    ///
    /// # Errors
    /// `make` or `add` fails.
    pub fn prepare(
        &mut self,
        case: &TransactionCase,
        make: impl FnOnce(&[Address]) -> anyhow::Result<B>,
        mut add: impl FnMut(&mut B, &ProgramFile) -> anyhow::Result<()>,
    ) -> anyhow::Result<B> {
        let TransactionCase { programs, settings, .. } = case;
        let fits = |prepared: &&Prepared<B>| {
            let same = Arc::ptr_eq(&prepared.programs, programs) || prepared.programs == *programs;
            same && prepared.inactive == settings.inactive
        };
        if let Some(prepared) = self.prepared.as_ref().filter(fits) {
            return Ok(prepared.bank.clone());
        }
        let mut bank = self.fresh(&settings.inactive, make)?;
        for program in programs.iter() {
            add(&mut bank, program)?;
        }
        let (inactive, programs) = (settings.inactive.clone(), programs.clone());
        self.prepared = Some(Prepared { inactive, programs, bank: bank.clone() });
        Ok(bank)
    }
}
