//! Programs that check signatures before anything runs: ed25519, secp256k1 and secp256r1, by Agave's library.

use agave_precompiles::{get_precompile, get_precompiles};
use solana_account::Account;
use solana_address::Address;
use solana_instruction_error::InstructionError;
use solana_sdk_ids::native_loader;

use super::{Svm, invoke::InvokeContext};
use crate::deltanet::HeadsBoundary;

impl<E: HeadsBoundary> Svm<'_, E> {
    /// Puts the accounts of the precompiles. Without them no transaction can name one.
    pub fn with_precompiles(mut self) -> Self {
        for precompile in get_precompiles() {
            if precompile.feature.is_none_or(|feature| self.features.is_active(&feature)) {
                let account =
                    Account { lamports: 1, owner: native_loader::ID, executable: true, ..Account::default() };
                self.accounts.insert(precompile.program_id, account.into());
            }
        }
        self
    }
}

impl<E: HeadsBoundary> InvokeContext<'_, E> {
    /// Whether a program is a precompile.
    pub(super) fn is_precompile(&self, program: &Address) -> bool {
        get_precompile(program, |feature| self.features.is_active(feature)).is_some()
    }

    /// Runs the next instruction of the top level if its program is a precompile, else does nothing.
    pub(super) fn process_precompile(&mut self) -> Option<Result<(), InstructionError>> {
        let program = *self.context.key(self.context.next()?.program);
        let precompile = get_precompile(&program, |feature| self.features.is_active(feature))?;
        if let Err(error) = self.context.push() {
            return Some(Err(error));
        }
        let top_level = self.context.trace().iter().take_while(|frame| frame.caller.is_none());
        let all: Vec<&[u8]> = top_level.map(|frame| frame.data.as_slice()).collect();
        let verified = self.context.current().and_then(|frame| {
            precompile.verify(&frame.data, &all, self.features).map_err(InstructionError::from)
        });
        Some(verified.and(self.context.pop()))
    }
}
