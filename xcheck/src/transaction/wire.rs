//! Cases and outcomes as bytes, for an oracle that is a process of its own.
//!
//! A frame is its length as a little-endian `u32`, then that many bytes of bincode. The oracle first writes a
//! [`Hello`]; then it answers each [`Question`] with an [`Answer`] until its input ends.

use std::io::{self, ErrorKind, Read, Write};

use bincode::Options;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use solana_account::Account;
use solana_address::Address;
use solana_hash::Hash;
use solana_message::inner_instruction::InnerInstruction;
use solana_signature::Signature;
use solana_transaction::versioned::VersionedTransaction;
use solana_transaction_error::TransactionError;

/// Who answers.
#[derive(Debug, Serialize, Deserialize)]
pub struct Hello {
    /// The oracle's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Whether it follows the rules of a validator; else LiteSVM's.
    pub agave: bool,
}

/// What a bank starts with.
#[derive(Debug, Serialize, Deserialize)]
pub struct Bank {
    /// Active features, each with the slot it was activated at.
    pub features: Vec<(Address, u64)>,
    /// The latest blockhash.
    pub blockhash: Hash,
    /// All accounts, those before others that these need.
    pub accounts: Vec<(Address, Account)>,
}

/// One transaction to run.
#[derive(Debug, Serialize, Deserialize)]
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
#[derive(Debug, Serialize, Deserialize)]
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

/// Longest frame: far above the largest set of programs.
const LIMIT: u32 = 1 << 28;

/// What is said of a longer one.
fn too_long() -> io::Error {
    io::Error::new(ErrorKind::InvalidData, "a frame of more than 256 MiB")
}

/// Numbers have their usual width, and nothing follows the value.
fn encoding() -> impl Options {
    bincode::DefaultOptions::new().with_fixint_encoding()
}

/// Writes a frame.
///
/// # Errors
/// The other side is gone, or the value takes more than 256 MiB.
pub fn write(to: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let bytes = encoding().serialize(value).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).ok().filter(|length| *length <= LIMIT);
    to.write_all(&length.ok_or_else(too_long)?.to_le_bytes())?;
    to.write_all(&bytes)?;
    to.flush()
}

/// Reads a frame; `None` where the other side has ended.
///
/// # Errors
/// `UnexpectedEof` for a frame that is cut off; `InvalidData` for one that is too long or holds something
/// else.
pub fn read<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = Vec::new();
    from.take(4).read_to_end(&mut length)?;
    if length.is_empty() {
        return Ok(None);
    }
    let length = <[u8; 4]>::try_from(length).map_err(|_| ErrorKind::UnexpectedEof)?;
    let length = u32::from_le_bytes(length);
    if length > LIMIT {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    if from.take(length.into()).read_to_end(&mut bytes)? < length as usize {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    let value = encoding().deserialize(&bytes);
    value.map(Some).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello() -> Vec<u8> {
        let mut frame = Vec::new();
        let hello = Hello { name: "an oracle".into(), version: "1.2.3".into(), agave: true };
        write(&mut frame, &hello).unwrap();
        frame
    }

    /// What reading bytes as a greeting comes to.
    fn read_hello(mut bytes: &[u8]) -> Result<Option<Hello>, ErrorKind> {
        read(&mut bytes).map_err(|error| error.kind())
    }

    #[test]
    fn frames_follow_one_another() {
        let frames = [hello(), hello()].concat();
        let mut rest = &frames[..];
        for _ in 0..2 {
            let hello: Hello = read(&mut rest).unwrap().unwrap();
            assert_eq!((hello.name.as_str(), hello.version.as_str()), ("an oracle", "1.2.3"));
            assert!(hello.agave);
        }
        assert!(read::<Hello>(&mut rest).unwrap().is_none());
    }

    #[test]
    fn a_frame_is_cut_off() {
        let frame = hello();
        assert!(read_hello(&[]).unwrap().is_none());
        for length in 1..frame.len() {
            assert_eq!(read_hello(&frame[..length]).unwrap_err(), ErrorKind::UnexpectedEof, "{length}");
        }
    }

    #[test]
    fn a_frame_is_too_long() {
        for length in [LIMIT + 1, u32::MAX] {
            assert_eq!(read_hello(&length.to_le_bytes()).unwrap_err(), ErrorKind::InvalidData);
        }
        // The longest one there may be is only missing here.
        assert_eq!(read_hello(&LIMIT.to_le_bytes()).unwrap_err(), ErrorKind::UnexpectedEof);
    }

    #[test]
    fn a_frame_holds_something_else() {
        let frame = |content: &[u8]| [&(content.len() as u32).to_le_bytes(), content].concat();
        let content = &hello()[4..];
        let mut no_bool = content.to_vec();
        *no_bool.last_mut().unwrap() = 2;
        let longer = [content, &[0]].concat();
        let mut no_text = content.to_vec();
        no_text[8] = 0xff;
        let mut long_text = content.to_vec();
        long_text[..8].copy_from_slice(&u64::MAX.to_le_bytes());
        for content in [&[][..], &content[..9], &no_bool, &longer, &no_text, &long_text] {
            assert_eq!(read_hello(&frame(content)).unwrap_err(), ErrorKind::InvalidData, "{content:?}");
        }
    }
}
