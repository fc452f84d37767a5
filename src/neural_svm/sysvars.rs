//! Sysvars, and what stands for time.

use solana_hash::Hash;
use solana_sysvar::Sysvar;
use solana_sysvar_id::SysvarId;

use super::NeuralSvm;

impl NeuralSvm {
    /// The blockhash that transactions must name.
    pub fn latest_blockhash(&self) -> Hash {
        self.svm.latest_blockhash()
    }

    /// Puts a sysvar.
    pub fn set_sysvar<T>(&mut self, sysvar: &T)
    where
        T: Sysvar + SysvarId + wincode::Serialize<Src = T>,
    {
        self.svm.set_sysvar(sysvar);
    }

    /// A sysvar.
    ///
    /// # Panics
    /// As LiteSVM does: there is none, or its account does not hold one. [`Self::try_get_sysvar`] does not.
    pub fn get_sysvar<T>(&self) -> T
    where
        T: Sysvar + SysvarId + wincode::DeserializeOwned<Dst = T>,
    {
        self.try_get_sysvar().expect("the sysvar has been set")
    }

    /// A sysvar; `None` if there is none that can be read.
    pub fn try_get_sysvar<T>(&self) -> Option<T>
    where
        T: Sysvar + SysvarId + wincode::DeserializeOwned<Dst = T>,
    {
        self.svm.try_get_sysvar()
    }

    /// Replaces the latest blockhash; transactions that name the old one are no longer accepted.
    pub fn expire_blockhash(&mut self) {
        self.svm.expire_blockhash();
    }

    /// Sets the clock's slot.
    pub fn warp_to_slot(&mut self, slot: u64) {
        self.svm.warp_to_slot(slot);
    }
}
