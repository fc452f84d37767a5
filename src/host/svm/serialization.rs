//! A program's input: its accounts and instruction data as one block of bytes, and the way back.
//!
//! Two layouts exist. Programs of loader v1 get fields one after the other without padding; later programs
//! get them aligned to 8 bytes, with room for each account to grow.

use solana_account::ReadableAccount;
use solana_address::Address;
use solana_instruction_error::InstructionError;

use super::context::{
    MAX_ACCOUNT_DATA_LEN, MAX_ACCOUNTS_PER_INSTRUCTION, MAX_DATA_INCREASE, TransactionContext,
};
use crate::host::INPUT_ADDRESS;

/// Marks an account that is not a duplicate.
const NOT_DUPLICATE: u8 = u8::MAX;
/// What every account shows as its rent epoch.
const RENT_EPOCH: u64 = u64::MAX;
/// Alignment of the aligned layout.
const ALIGNMENT: usize = 8;

/// Where an account's fields lie in the program's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AccountPlace {
    /// Length of its data when the program began, in bytes.
    pub original_len: usize,
    /// Address of its address.
    pub key: u64,
    /// Address of its owner.
    pub owner: u64,
    /// Address of its balance.
    pub lamports: u64,
    /// Address of its data; the data's length lies in the 8 bytes before.
    pub data: u64,
}

/// A program's input.
#[derive(Debug)]
pub(super) struct Input {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// For each of the instruction's accounts; a duplicate has its original's place.
    pub places: Vec<AccountPlace>,
    /// Address of the instruction data.
    pub data_address: u64,
}

/// Writes an input from its start.
struct Writer(Vec<u8>);

impl Writer {
    /// Appends bytes and tells their address.
    fn put(&mut self, bytes: &[u8]) -> u64 {
        let address = INPUT_ADDRESS + self.0.len() as u64;
        self.0.extend_from_slice(bytes);
        address
    }

    fn number(&mut self, value: u64) -> u64 {
        self.put(&value.to_le_bytes())
    }

    fn zeros(&mut self, count: usize) {
        self.0.resize(self.0.len() + count, 0);
    }

    /// The instruction data and the program's address end both layouts.
    fn finish(mut self, places: Vec<AccountPlace>, data: &[u8], program: &Address) -> Input {
        self.number(data.len() as u64);
        let data_address = self.put(data);
        self.put(program.as_ref());
        Input { bytes: self.0, places, data_address }
    }
}

/// Bytes after the data of an account that are reserved for its growth and alignment.
fn reserve(length: usize) -> usize {
    MAX_DATA_INCREASE + length.wrapping_neg() % ALIGNMENT
}

/// The input of the current instruction.
///
/// # Errors
/// Too many accounts.
pub(super) fn serialize(context: &TransactionContext, aligned: bool) -> Result<Input, InstructionError> {
    let frame = context.current()?;
    if frame.accounts.len() > MAX_ACCOUNTS_PER_INSTRUCTION {
        return Err(InstructionError::MaxAccountsExceeded);
    }
    let room: usize = (frame.accounts.iter())
        .map(|account| context.account(account.index).data().len() + MAX_DATA_INCREASE + 128)
        .sum();
    let mut writer = Writer(Vec::with_capacity(room + frame.data.len() + 64));
    let mut places: Vec<AccountPlace> = Vec::with_capacity(frame.accounts.len());
    writer.number(frame.accounts.len() as u64);
    for (number, instruction_account) in frame.accounts.iter().enumerate() {
        if let Some(first) = frame.duplicate_of(number) {
            writer.put(&[first as u8]);
            writer.zeros(if aligned { 7 } else { 0 });
            places.push(places[first]);
            continue;
        }
        let key = context.key(instruction_account.index);
        let account = context.account(instruction_account.index);
        let (signer, writable) = (instruction_account.signer as u8, instruction_account.writable as u8);
        let executable = account.executable() as u8;
        let length = account.data().len();
        let place = if aligned {
            writer.put(&[NOT_DUPLICATE, signer, writable, executable, 0, 0, 0, 0]);
            let key = writer.put(key.as_ref());
            let owner = writer.put(account.owner().as_ref());
            let lamports = writer.number(account.lamports());
            writer.number(length as u64);
            let data = writer.put(account.data());
            writer.zeros(reserve(length));
            AccountPlace { original_len: length, key, owner, lamports, data }
        } else {
            writer.put(&[NOT_DUPLICATE, signer, writable]);
            let key = writer.put(key.as_ref());
            let lamports = writer.number(account.lamports());
            writer.number(length as u64);
            let data = writer.put(account.data());
            let owner = writer.put(account.owner().as_ref());
            writer.put(&[executable]);
            AccountPlace { original_len: length, key, owner, lamports, data }
        };
        writer.number(RENT_EPOCH);
        places.push(place);
    }
    Ok(writer.finish(places, &frame.data, context.key(frame.program)))
}

/// The 8-byte number at an address of the input.
fn number(bytes: &[u8], address: u64) -> Result<u64, InstructionError> {
    let start = (address - INPUT_ADDRESS) as usize;
    let field = bytes.get(start..).and_then(|rest| rest.first_chunk::<8>());
    field.map(|field| u64::from_le_bytes(*field)).ok_or(InstructionError::InvalidArgument)
}

/// The bytes at an address of the input.
fn slice(bytes: &[u8], address: u64, length: usize) -> Result<&[u8], InstructionError> {
    let start = (address - INPUT_ADDRESS) as usize;
    bytes.get(start..start + length).ok_or(InstructionError::InvalidArgument)
}

/// Takes over what the current instruction's program left in its input: for each account its balance, data
/// and, in the aligned layout, length and owner. Everything else that the program wrote is ignored.
///
/// # Errors
/// A change that the program may not make, in the order of the accounts.
pub(super) fn deserialize(
    context: &mut TransactionContext,
    aligned: bool,
    bytes: &[u8],
    places: &[AccountPlace],
) -> Result<(), InstructionError> {
    for (account, place) in places.iter().enumerate() {
        if context.current()?.duplicate_of(account).is_some() {
            continue;
        }
        let mut borrowed = context.borrow(account)?;
        let lamports = number(bytes, place.lamports)?;
        if lamports != borrowed.lamports() {
            borrowed.set_lamports(lamports)?;
        }
        let mut length = place.original_len;
        if aligned {
            length = number(bytes, place.data - 8)? as usize;
            let increase = length.saturating_sub(place.original_len);
            if increase > MAX_DATA_INCREASE || length > MAX_ACCOUNT_DATA_LEN {
                return Err(InstructionError::InvalidRealloc);
            }
        }
        borrowed.update_data(slice(bytes, place.data, length)?)?;
        if aligned {
            let owner = slice(bytes, place.owner, 32)?;
            if borrowed.owner().as_ref() != owner {
                let owner = Address::try_from(owner).map_err(|_| InstructionError::InvalidArgument)?;
                borrowed.set_owner(&owner)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{
        super::context::{Frame, InstructionAccount},
        *,
    };
    use solana_account::AccountSharedData;

    const PROGRAM: Address = Address::new_from_array([7; 32]);

    /// A transaction of one program and the given accounts, owned by it, all of them writable, in the
    /// middle of an instruction that names them by number.
    fn running(data: &[&[u8]], numbers: &[usize], instruction: &[u8]) -> TransactionContext {
        let mut accounts = vec![(PROGRAM, AccountSharedData::default())];
        for (number, data) in data.iter().enumerate() {
            let mut account = AccountSharedData::new(100 + number as u64, 0, &PROGRAM);
            account.set_data_from_slice(data);
            accounts.push((Address::new_from_array([number as u8; 32]), account));
        }
        let frame = Frame {
            program: 0,
            accounts: (numbers.iter())
                .map(|number| InstructionAccount { index: number + 1, signer: false, writable: true })
                .collect(),
            data: instruction.to_vec(),
            caller: None,
            height: 1,
        };
        let mut context = TransactionContext::new(accounts, vec![frame], 5, 64);
        context.push().unwrap();
        context
    }

    #[test]
    fn aligned_layout() {
        let context = running(&[b"abc"], &[0, 0], b"data");
        let input = serialize(&context, true).unwrap();
        let mut expected = vec![2, 0, 0, 0, 0, 0, 0, 0, 255, 0, 1, 0, 0, 0, 0, 0];
        expected.extend([0; 32]);
        expected.extend([7; 32]);
        expected.extend(100u64.to_le_bytes());
        expected.extend(3u64.to_le_bytes());
        expected.extend(b"abc");
        expected.extend([0; 10240 + 5]);
        expected.extend([255; 8]);
        expected.extend([0; 8]);
        expected.extend(4u64.to_le_bytes());
        expected.extend(b"data");
        expected.extend([7; 32]);
        assert_eq!(input.bytes, expected);
        assert_eq!(input.places[0], input.places[1]);
        assert_eq!(input.data_address, INPUT_ADDRESS + expected.len() as u64 - 36);
    }

    #[test]
    fn unaligned_layout() {
        let context = running(&[b"abc"], &[0, 0], b"data");
        let input = serialize(&context, false).unwrap();
        let mut expected = vec![2, 0, 0, 0, 0, 0, 0, 0, 255, 0, 1];
        expected.extend([0; 32]);
        expected.extend(100u64.to_le_bytes());
        expected.extend(3u64.to_le_bytes());
        expected.extend(b"abc");
        expected.extend([7; 32]);
        expected.push(0);
        expected.extend([255; 8]);
        expected.push(0);
        expected.extend(4u64.to_le_bytes());
        expected.extend(b"data");
        expected.extend([7; 32]);
        assert_eq!(input.bytes, expected);
    }

    #[test]
    fn instruction_data_lies_where_measured() {
        for (lengths, offset) in [(&[][..], 16), (&[0][..], 10352), (&[1][..], 10360), (&[8][..], 10360)] {
            let data: Vec<Vec<u8>> = lengths.iter().map(|length| vec![1; *length]).collect();
            let data: Vec<&[u8]> = data.iter().map(Vec::as_slice).collect();
            let context = running(&data, if lengths.is_empty() { &[] } else { &[0] }, b"x");
            let input = serialize(&context, true).unwrap();
            assert_eq!(input.data_address - INPUT_ADDRESS, offset, "{lengths:?}");
        }
    }

    /// What comes of changing one field of the input of a program that owns the account.
    fn changed(aligned: bool, change: impl Fn(&mut [u8], AccountPlace)) -> Result<(), InstructionError> {
        let mut context = running(&[b"abc"], &[0], b"");
        let mut input = serialize(&context, aligned).unwrap();
        change(&mut input.bytes, input.places[0]);
        deserialize(&mut context, aligned, &input.bytes, &input.places)
    }

    fn set(bytes: &mut [u8], address: u64, value: &[u8]) {
        let start = (address - INPUT_ADDRESS) as usize;
        bytes[start..start + value.len()].copy_from_slice(value);
    }

    #[test]
    fn lengths_are_judged() {
        for (length, expected) in [
            (0, Ok(())),
            (3 + 10240, Ok(())),
            (3 + 10241, Err(InstructionError::InvalidRealloc)),
            (u64::MAX, Err(InstructionError::InvalidRealloc)),
        ] {
            let result = changed(true, |bytes, place| set(bytes, place.data - 8, &length.to_le_bytes()));
            assert_eq!(result, expected, "{length}");
            // The unaligned layout ignores the length.
            let result = changed(false, |bytes, place| set(bytes, place.data - 8, &length.to_le_bytes()));
            assert_eq!(result, Ok(()), "{length}");
        }
    }

    #[test]
    fn an_owner_is_given_away_only_with_zero_data() {
        let give = |bytes: &mut [u8], place: AccountPlace| set(bytes, place.owner, &[9; 32]);
        assert_eq!(changed(true, give), Err(InstructionError::ModifiedProgramId));
        assert_eq!(changed(false, give), Ok(()));
        let clear = |bytes: &mut [u8], place: AccountPlace| {
            set(bytes, place.data, &[0; 3]);
            give(bytes, place);
        };
        assert_eq!(changed(true, clear), Ok(()));
    }

    #[test]
    fn lamports_must_balance_at_the_end() {
        let mut context = running(&[b""], &[0], b"");
        let mut input = serialize(&context, true).unwrap();
        set(&mut input.bytes, input.places[0].lamports, &1u64.to_le_bytes());
        deserialize(&mut context, true, &input.bytes, &input.places).unwrap();
        assert_eq!(context.pop(), Err(InstructionError::UnbalancedInstruction));
    }

    #[test]
    fn too_many_accounts() {
        let numbers = vec![0; MAX_ACCOUNTS_PER_INSTRUCTION + 1];
        let context = running(&[b""], &numbers, b"");
        assert_eq!(serialize(&context, true).unwrap_err(), InstructionError::MaxAccountsExceeded);
        assert!(serialize(&running(&[b""], &numbers[1..], b""), true).is_ok());
    }
}
