//! Rent states, and what the fee payer must have.

use solana_account::{AccountSharedData, ReadableAccount, WritableAccount};
use solana_address::Address;
use solana_nonce::state::State as NonceState;
use solana_nonce_account::{SystemAccountKind, get_system_account_kind};
use solana_rent::Rent;
use solana_sdk_ids::incinerator;
use solana_transaction_error::TransactionError;

/// How an account stands with respect to rent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RentState {
    /// It has no lamports.
    Uninitialized,
    /// It has lamports, but not enough to be exempt.
    Paying {
        /// Its balance.
        lamports: u64,
        /// Length of its data, in bytes.
        size: usize,
    },
    /// It is exempt.
    Exempt,
}

/// Whether a balance makes data of this length exempt. Nothing does if the data is too long for an account.
pub(super) fn is_exempt(rent: &Rent, lamports: u64, size: usize) -> bool {
    rent.try_minimum_balance(size).is_some_and(|minimum| lamports >= minimum)
}

impl RentState {
    /// The state of an account.
    pub fn of(rent: &Rent, account: &AccountSharedData) -> Self {
        let (lamports, size) = (account.lamports(), account.data().len());
        if lamports == 0 {
            Self::Uninitialized
        } else if is_exempt(rent, lamports, size) {
            Self::Exempt
        } else {
            Self::Paying { lamports, size }
        }
    }

    /// An account that pays rent must have done so before, with the same data and no smaller a balance.
    pub fn may_become(self, after: Self) -> bool {
        match (self, after) {
            (_, Self::Uninitialized | Self::Exempt) => true,
            (Self::Paying { lamports: before, size }, Self::Paying { lamports, size: new_size }) => {
                size == new_size && lamports <= before
            }
            (_, Self::Paying { .. }) => false,
        }
    }

    /// Checks what has become of the transaction's account `index`.
    ///
    /// # Errors
    /// `InsufficientFundsForRent`.
    pub fn check(self, after: Self, address: &Address, index: usize) -> Result<(), TransactionError> {
        if *address == incinerator::ID || self.may_become(after) {
            Ok(())
        } else {
            Err(TransactionError::InsufficientFundsForRent { account_index: index as u8 })
        }
    }
}

/// What a fee payer must keep: a nonce account its minimum balance.
fn fee_payer_minimum(rent: &Rent, kind: &SystemAccountKind) -> u64 {
    match kind {
        SystemAccountKind::System => 0,
        SystemAccountKind::Nonce => rent.try_minimum_balance(NonceState::size()).unwrap_or(u64::MAX),
    }
}

/// Takes the fee from the account that pays it. Gives its states before and after.
///
/// # Errors
/// The account does not exist, may not pay fees, or cannot afford this one.
pub(super) fn pay_fee(
    account: &mut AccountSharedData,
    rent: &Rent,
    fee: u64,
) -> Result<(RentState, RentState), TransactionError> {
    if account.lamports() == 0 {
        return Err(TransactionError::AccountNotFound);
    }
    let kind = get_system_account_kind(account).ok_or(TransactionError::InvalidAccountForFee)?;
    let before = RentState::of(rent, account);
    let rest = (account.lamports().checked_sub(fee_payer_minimum(rent, &kind)))
        .and_then(|free| free.checked_sub(fee))
        .ok_or(TransactionError::InsufficientFundsForFee)?;
    account.set_lamports(rest + fee_payer_minimum(rent, &kind));
    Ok((before, RentState::of(rent, account)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_old_and_unchanged_accounts_may_pay_rent() {
        let paying = |lamports, size| RentState::Paying { lamports, size };
        let states = [RentState::Uninitialized, RentState::Exempt, paying(5, 1)];
        for before in states {
            for after in [RentState::Uninitialized, RentState::Exempt] {
                assert!(before.may_become(after));
            }
            assert!(!before.may_become(paying(6, 1)));
            assert!(!before.may_become(paying(5, 2)));
            assert_eq!(before.may_become(paying(5, 1)), before == paying(5, 1));
        }
    }

    #[test]
    fn data_too_long_for_an_account_is_never_exempt() {
        assert!(!is_exempt(&Rent::default(), u64::MAX, 10 * 1024 * 1024 + 1));
    }
}
