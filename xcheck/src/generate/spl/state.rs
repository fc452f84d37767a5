//! Accounts of the token programs, as their bytes.

use solana_account::Account;
use solana_address::Address;

use super::{account, key};

/// The state of a holding.
pub mod standing {
    pub const INITIALIZED: u8 = 1;
    pub const FROZEN: u8 = 2;
}

/// A mint: 82 bytes.
#[derive(Clone, Debug)]
pub struct Mint {
    pub authority: Option<Address>,
    pub supply: u64,
    pub decimals: u8,
    pub initialized: bool,
    pub freeze: Option<Address>,
}

/// A token account: 165 bytes.
#[derive(Clone, Debug)]
pub struct Holding {
    pub mint: Address,
    pub owner: Address,
    pub amount: u64,
    pub delegate: Option<Address>,
    pub state: u8,
    /// The lamports kept for rent, if it holds lamports.
    pub native: Option<u64>,
    pub delegated: u64,
    pub close: Option<Address>,
}

/// Several signers of whom some must sign: 355 bytes.
#[derive(Clone, Debug)]
pub struct Multisig {
    pub needed: u8,
    pub initialized: bool,
    pub signers: Vec<Address>,
}

impl Mint {
    /// Bytes of a mint.
    pub const LEN: usize = 82;

    /// Its bytes.
    pub fn pack(&self) -> Vec<u8> {
        [
            &option(self.authority)[..],
            &self.supply.to_le_bytes(),
            &[self.decimals, self.initialized.into()],
            &option(self.freeze),
        ]
        .concat()
    }

    /// An account that holds it.
    pub fn account(&self, program: Address) -> Account {
        account(program, self.pack())
    }
}

impl Holding {
    /// Bytes of a token account.
    pub const LEN: usize = 165;

    /// Its bytes.
    pub fn pack(&self) -> Vec<u8> {
        let native = [u32::from(self.native.is_some()).to_le_bytes().to_vec(), {
            self.native.unwrap_or(0).to_le_bytes().to_vec()
        }]
        .concat();
        [
            self.mint.as_ref(),
            self.owner.as_ref(),
            &self.amount.to_le_bytes(),
            &option(self.delegate),
            &[self.state],
            &native,
            &self.delegated.to_le_bytes(),
            &option(self.close),
        ]
        .concat()
    }

    /// An account that holds it, with the lamports it says it has.
    pub fn account(&self, program: Address) -> Account {
        let mut account = account(program, self.pack());
        if let Some(rent) = self.native {
            account.lamports = rent.saturating_add(self.amount);
        }
        account
    }
}

impl Multisig {
    /// Bytes of a multisig account.
    pub const LEN: usize = 355;
    /// The most signers it has room for.
    pub const MOST: usize = 11;

    /// Its bytes.
    pub fn pack(&self) -> Vec<u8> {
        let mut bytes = vec![self.needed, self.signers.len() as u8, self.initialized.into()];
        self.signers.iter().for_each(|signer| bytes.extend(signer.as_ref()));
        bytes.resize(Self::LEN, 0);
        bytes
    }

    /// An account that holds it.
    pub fn account(&self, program: Address) -> Account {
        account(program, self.pack())
    }
}

/// An optional key as accounts hold it: a word that says whether it is there, then the key or zeros.
fn option(key: Option<Address>) -> [u8; 36] {
    let mut bytes = [0; 36];
    if let Some(key) = key {
        bytes[0] = 1;
        bytes[4..].copy_from_slice(key.as_ref());
    }
    bytes
}

/// The signers of a multisig account by number.
pub fn signer(number: usize) -> Address {
    key(&format!("signer {number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_have_their_programs_lengths() {
        let (mint, owner) = (key("mint"), key("owner"));
        let holding = Holding {
            mint,
            owner,
            amount: 1,
            delegate: None,
            state: standing::INITIALIZED,
            native: Some(5),
            delegated: 0,
            close: Some(owner),
        };
        let mint = Mint { authority: None, supply: 1, decimals: 2, initialized: true, freeze: Some(owner) };
        let multisig = Multisig { needed: 1, initialized: true, signers: vec![owner] };
        assert_eq!(mint.pack().len(), Mint::LEN);
        assert_eq!(holding.pack().len(), Holding::LEN);
        assert_eq!(multisig.pack().len(), Multisig::LEN);
        assert_eq!(holding.account(owner).lamports, 6);
    }
}
