//! How programs describe a call in memory: the structures of the C and of the Rust interface.

use solana_address::Address;
use solana_instruction_error::InstructionError;

use super::{
    super::{
        context::{MAX_ACCOUNTS_PER_INSTRUCTION, MAX_DATA_INCREASE, MAX_INSTRUCTION_DATA_LEN},
        logs::Logs,
        serialization::AccountPlace,
    },
    Abort, BYTES_PER_UNIT,
    port::{Access, Port, word},
};
use crate::{
    deltanet::HeadsBoundary,
    host::{Abi, INPUT_ADDRESS, SeedsError, SyscallError},
};

/// Most signers, and most seeds of each.
const MAX_SIGNERS: usize = 16;
/// Longest seed, in bytes.
const MAX_SEED_LENGTH: usize = 32;
/// Most account descriptions.
const MAX_INFOS: usize = 255;
/// Bytes an account description is paid for as.
const INFO_BYTES: u64 = 80;
/// Bytes an account of the call is paid for as.
const META_BYTES: u64 = 34;
/// Bytes of an address.
const KEY: u64 = 32;

/// What is to be called.
pub(in super::super) struct Call {
    /// The program.
    pub program: Address,
    /// Accounts: address, signer, writable.
    pub accounts: Vec<(Address, bool, bool)>,
    /// Data.
    pub data: Vec<u8>,
}

fn key(bytes: &[u8]) -> Address {
    let mut key = [0; 32];
    key.copy_from_slice(&bytes[..32]);
    Address::new_from_array(key)
}

/// Reads the instruction to call.
pub(super) fn read_call<E: HeadsBoundary>(
    port: &mut Port<'_, '_, E>,
    abi: Abi,
    address: u64,
) -> Result<Call, Abort<E::Error>> {
    let load = Access::Load;
    let (program, metas, meta_count, data, data_length, meta_size) = match abi {
        Abi::C => {
            let fields = port.read(address, 40, 8, load)?;
            let program = key(&port.read(word(&fields, 0), KEY, 1, load)?);
            (program, word(&fields, 8), word(&fields, 16), word(&fields, 24), word(&fields, 32), 16)
        }
        Abi::Rust => {
            // Vectors are an address, a capacity and a length.
            let fields = port.read(address, 80, 8, load)?;
            let program = key(&fields[48..]);
            (program, word(&fields, 0), word(&fields, 16), word(&fields, 24), word(&fields, 40), META_BYTES)
        }
    };
    let meta_alignment = if abi == Abi::C { 8 } else { 1 };
    let metas = port.list(metas, meta_count, meta_size, meta_alignment, load)?;
    let data = port.list(data, data_length, 1, 1, load)?;
    if meta_count > MAX_ACCOUNTS_PER_INSTRUCTION as u64 {
        return Err(SyscallError::MaxInstructionAccountsExceeded {
            num_accounts: meta_count,
            max_accounts: MAX_ACCOUNTS_PER_INSTRUCTION as u64,
        }
        .into());
    }
    if data.len() > MAX_INSTRUCTION_DATA_LEN {
        return Err(SyscallError::MaxInstructionDataLenExceeded {
            data_len: data.len() as u64,
            max_data_len: MAX_INSTRUCTION_DATA_LEN as u64,
        }
        .into());
    }
    port.charge(data.len() as u64 / BYTES_PER_UNIT + meta_count * META_BYTES / BYTES_PER_UNIT)?;
    let mut accounts = Vec::with_capacity(meta_count as usize);
    for meta in metas.chunks_exact(meta_size as usize) {
        let (signer, writable) = match abi {
            Abi::C => (meta[9], meta[8]),
            Abi::Rust => (meta[32], meta[33]),
        };
        if signer > 1 || writable > 1 {
            return Err(InstructionError::InvalidArgument.into());
        }
        let key = match abi {
            Abi::C => key(&port.read(word(meta, 0), KEY, 1, load)?),
            Abi::Rust => key(meta),
        };
        accounts.push((key, signer == 1, writable == 1));
    }
    Ok(Call { program, accounts, data })
}

/// Reads the seeds of the addresses that the calling program signs for, and derives those.
pub(super) fn read_signers<E: HeadsBoundary>(
    port: &mut Port<'_, '_, E>,
    address: u64,
    count: u64,
) -> Result<Vec<Address>, Abort<E::Error>> {
    let load = Access::Load;
    let signers = port.list(address, count, 16, 8, load)?;
    if signers.len() / 16 > MAX_SIGNERS {
        return Err(SyscallError::TooManySigners.into());
    }
    let mut addresses = Vec::with_capacity(signers.len() / 16);
    for signer in signers.chunks_exact(16) {
        let slices = port.list(word(signer, 0), word(signer, 8), 16, 8, load)?;
        if slices.len() / 16 > MAX_SIGNERS {
            return Err(InstructionError::MaxSeedLengthExceeded.into());
        }
        let mut seeds = Vec::with_capacity(slices.len() / 16);
        for slice in slices.chunks_exact(16) {
            seeds.push(port.list(word(slice, 0), word(slice, 8), 1, 1, load)?);
        }
        if seeds.iter().any(|seed| seed.len() > MAX_SEED_LENGTH) {
            return Err(SyscallError::BadSeeds(SeedsError::MaxSeedLengthExceeded).into());
        }
        let seeds: Vec<&[u8]> = seeds.iter().map(Vec::as_slice).collect();
        let address = port.machine.derive_address(&seeds).map_err(Abort::Evaluator)?;
        let address = address.ok_or(SyscallError::BadSeeds(SeedsError::InvalidSeeds))?;
        addresses.push(Address::new_from_array(address));
    }
    Ok(addresses)
}

/// A description of an account in the calling program's memory.
pub(super) struct Info {
    abi: Abi,
    address: u64,
    fields: Vec<u8>,
    /// The address it says it describes the account of.
    pub key: Address,
}

/// Reads the descriptions of accounts. The callee's accounts are looked up among them.
pub(super) fn read_infos<E: HeadsBoundary>(
    port: &mut Port<'_, '_, E>,
    abi: Abi,
    address: u64,
    count: u64,
) -> Result<Vec<Info>, Abort<E::Error>> {
    let size: u64 = match abi {
        Abi::C => 56,
        Abi::Rust => 48,
    };
    if address.saturating_add(count.saturating_mul(size)) >= INPUT_ADDRESS {
        return Err(SyscallError::InvalidPointer.into());
    }
    let fields = port.list(address, count, size, 8, Access::Load)?;
    if count > MAX_INFOS as u64 {
        return Err(SyscallError::MaxInstructionAccountInfosExceeded {
            num_account_infos: count,
            max_account_infos: MAX_INFOS as u64,
        }
        .into());
    }
    port.charge(count * INFO_BYTES / BYTES_PER_UNIT)?;
    let infos = fields.chunks_exact(size as usize).enumerate().map(|(number, fields)| {
        let key = key(&port.read(word(fields, 0), KEY, 1, Access::Load)?);
        Ok(Info { abi, address: address + number as u64 * size, fields: fields.to_vec(), key })
    });
    infos.collect()
}

/// An account as the calling program has it.
pub(super) struct CallerAccount {
    /// Its balance.
    pub lamports: u64,
    /// Its owner.
    pub owner: Address,
    /// Its data.
    pub data: Vec<u8>,
    /// Where its fields lie in the input.
    pub place: AccountPlace,
    /// Where the program keeps the length of the data outside the input.
    pub length_address: u64,
}

/// Fails unless a pointer of a description points where the account's field was put.
fn check_pointer<X>(logs: &mut Logs, pointer: u64, expected: u64, field: &str) -> Result<(), Abort<X>> {
    if pointer == expected {
        return Ok(());
    }
    logs.line(format!("Invalid account info pointer `{field}': {pointer:#x} != {expected:#x}"));
    Err(SyscallError::InvalidPointer.into())
}

/// Fails if a cell lies where the runtime keeps accounts.
fn check_cell<X>(address: u64) -> Result<(), Abort<X>> {
    if address < INPUT_ADDRESS { Ok(()) } else { Err(SyscallError::InvalidPointer.into()) }
}

impl Info {
    /// Follows the description's pointers, which must lead to the account's place in the input.
    pub fn translate<E: HeadsBoundary>(
        &self,
        port: &mut Port<'_, '_, E>,
        logs: &mut Logs,
        place: &AccountPlace,
    ) -> Result<CallerAccount, Abort<E::Error>> {
        /// Two counters and a borrow flag lie before the value of an `Rc<RefCell<_>>`.
        const CELL: u64 = 24;

        let store = Access::Store;
        let field = |offset| word(&self.fields, offset);
        let (lamports, owner, length_address);
        match self.abi {
            Abi::C => {
                check_pointer(logs, field(0), place.key, "key")?;
                check_pointer(logs, field(32), place.owner, "owner")?;
                check_pointer(logs, field(8), place.lamports, "lamports")?;
                check_pointer(logs, field(24), place.data, "data")?;
                lamports = port.number(place.lamports, 8, store)?;
                owner = port.read(place.owner, KEY, 1, store)?;
                length_address = self.address.saturating_add(16);
            }
            Abi::Rust => {
                check_pointer(logs, field(0), place.key, "key")?;
                check_pointer(logs, field(24), place.owner, "owner")?;
                let cell = field(8).wrapping_add(CELL);
                let pointer = port.number(cell, 8, Access::Load)?;
                check_cell(cell)?;
                check_pointer(logs, pointer, place.lamports, "lamports")?;
                lamports = port.number(pointer, 8, store)?;
                owner = port.read(place.owner, KEY, 1, store)?;
                let cell = field(16).wrapping_add(CELL);
                check_cell(cell)?;
                let slice = port.read(cell, 16, 8, Access::Load)?;
                check_pointer(logs, word(&slice, 0), place.data, "data")?;
                length_address = cell.saturating_add(8);
            }
        }
        check_cell(length_address)?;
        let length = port.number(length_address, 1, store)?;
        let increase = if port.aligned { MAX_DATA_INCREASE } else { 0 };
        if length > (place.original_len + increase) as u64 {
            return Err(InstructionError::InvalidRealloc.into());
        }
        let data = port.list(place.data, length, 1, 1, store)?;
        Ok(CallerAccount { lamports, owner: key(&owner), data, place: *place, length_address })
    }
}
