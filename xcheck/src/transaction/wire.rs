//! Cases and outcomes as bytes, for an oracle that is a process of its own.
//!
//! A frame is its length as a little-endian `u32`, then that many bytes of bincode. The oracle first writes a
//! [`Hello`]; then it answers each [`Question`] with an [`Answer`] until its input ends.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use solana_account::Account;
use solana_address::Address;
use solana_message::inner_instruction::InnerInstruction;
use solana_signature::Signature;
use solana_transaction::versioned::VersionedTransaction;
use solana_transaction_error::TransactionError;

/// Who answers.
#[derive(Serialize, Deserialize)]
pub struct Hello {
    /// The oracle's name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// A program to add.
#[derive(Serialize, Deserialize)]
pub struct Program {
    /// Its address.
    pub address: Address,
    /// The address of its loader.
    pub loader: Address,
    /// The file.
    pub elf: Vec<u8>,
}

/// What a bank starts with.
#[derive(Serialize, Deserialize)]
pub struct Bank {
    /// The slot that its clock shows.
    pub slot: u64,
    /// Active features, each with the slot it was activated at.
    pub features: Vec<(Address, u64)>,
    /// Programs, in the order they are added in.
    pub programs: Vec<Program>,
}

/// One transaction to run.
#[derive(Serialize, Deserialize)]
pub struct Question {
    /// The bank; `None` for the same as before.
    pub bank: Option<Bank>,
    /// Units and heap that win over what the transaction asks for.
    pub budget: Option<(u64, u32)>,
    /// Bytes of log kept; `None` for all.
    pub log_limit: Option<u64>,
    /// Whether the transaction needs the latest blockhash or a nonce.
    pub checks_blockhash: bool,
    /// Accounts set before the transaction, in order.
    pub accounts: Vec<(Address, Account)>,
    /// The transaction.
    pub transaction: VersionedTransaction,
    /// The accounts to report afterwards.
    pub addresses: Vec<Address>,
}

/// What became of it.
#[derive(Serialize, Deserialize)]
pub struct Answer {
    /// Whether it succeeded.
    pub result: Result<(), TransactionError>,
    /// Its signature.
    pub signature: Signature,
    /// Log lines.
    pub logs: Vec<String>,
    /// Instructions called by its instructions.
    pub inner_instructions: Vec<Vec<InnerInstruction>>,
    /// Compute units consumed.
    pub units: u64,
    /// The program that set return data, and the data.
    pub return_data: (Address, Vec<u8>),
    /// Lamports charged.
    pub fee: u64,
    /// The accounts asked for.
    pub accounts: Vec<(Address, Option<Account>)>,
    /// Nanoseconds that the transaction took.
    pub nanoseconds: u64,
}

/// Longest frame taken: far above the largest set of programs.
const LIMIT: u32 = 1 << 28;

/// Writes a frame.
///
/// # Errors
/// The other side is gone, or the value takes more than 256 MiB.
pub fn write(to: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let bytes = bincode::serialize(value).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).ok().filter(|length| *length <= LIMIT);
    let length = length.ok_or_else(|| io::Error::other("a frame of more than 256 MiB"))?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(&bytes)?;
    to.flush()
}

/// Reads a frame; `None` where the other side has ended.
///
/// # Errors
/// The frame is cut off, too long, or holds something else.
pub fn read<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    if from.read(&mut length[..1])? == 0 {
        return Ok(None);
    }
    from.read_exact(&mut length[1..])?;
    let length = u32::from_le_bytes(length);
    if length > LIMIT {
        return Err(io::Error::other("a frame of more than 256 MiB"));
    }
    let mut bytes = Vec::new();
    from.take(length.into()).read_to_end(&mut bytes)?;
    bincode::deserialize(&bytes).map(Some).map_err(io::Error::other)
}
