//! Instructions for the programs of the Solana Program Library, good ones and hostile ones.

pub mod extensions;
pub mod flows;
pub mod hostile;
pub mod memo;
pub mod stake;
mod state;
pub mod tables;
pub mod token;

use rand::{Rng, seq::IndexedRandom};
use solana_account::Account;
use solana_address::{Address, address};

/// SPL Token; the bank has p-token there.
pub const TOKEN: Address = address!("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
/// Token-2022.
pub const TOKEN_2022: Address = address!("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb");
/// Memo 1.0.0.
pub const MEMO_1: Address = address!("Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo");
/// Memo 4.0.0.
pub const MEMO: Address = address!("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");
/// The program of associated token accounts.
pub const ASSOCIATED_TOKEN: Address = address!("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");
/// The mint of wrapped lamports.
pub const NATIVE_MINT: Address = address!("So11111111111111111111111111111111111111112");
/// The same in Token-2022.
pub const NATIVE_MINT_2022: Address = address!("9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXej9");
/// Who pays for every transaction.
pub const PAYER: Address = Address::new_from_array(*b"the payer of every transaction !");

/// An address made of a name.
pub fn key(name: &str) -> Address {
    let mut bytes = [b'.'; 32];
    bytes[..name.len()].copy_from_slice(name.as_bytes());
    Address::new_from_array(bytes)
}

/// Lamports that free an account of so many bytes from rent.
pub fn rent(len: usize) -> u64 {
    (len as u64 + 128) * 6960
}

/// An account with some data and lamports enough.
pub fn account(owner: Address, data: Vec<u8>) -> Account {
    Account { lamports: rent(data.len()), data, owner, executable: false, rent_epoch: u64::MAX }
}

/// A wallet: lamports and nothing else.
pub fn wallet(lamports: u64) -> Account {
    Account { lamports, rent_epoch: u64::MAX, ..Account::default() }
}

/// Whether something with this chance, in percent, happens.
pub fn chance(rng: &mut impl Rng, percent: u32) -> bool {
    rng.random_range(0..100) < percent
}

/// One of some values.
pub fn one<T: Copy>(rng: &mut impl Rng, values: &[T]) -> T {
    *values.choose(rng).expect("there is something to choose")
}
