//! The environment as the machine sees it: opaque digits.

use super::LoadedSysvars;
use crate::{
    deltanet::HeadsBoundary,
    host::{
        Environment, ReturnData, Sibling, Sysvars, environment::Address, symbol_key,
        syscall_names::ALL_SYSCALLS,
    },
    syscalls::{self, Blob, Context, MAX_RETURN_DATA},
    tables::{Word, alphabet::Bit},
};
use std::sync::Arc;

/// Call keys and numbers of syscalls; a name that is none is left out.
pub(super) fn keys(names: &[&str]) -> Vec<(u32, u64)> {
    let number = |name: &str| ALL_SYSCALLS.iter().position(|known| *known == name);
    names.iter().filter_map(|name| Some((symbol_key(name.as_bytes()), number(name)? as u64))).collect()
}

fn address<E: HeadsBoundary>(e: &E, address: &Address) -> [Word<E>; 4] {
    let (words, _) = address.as_chunks::<8>();
    std::array::from_fn(|i| e.embed(u64::from_le_bytes(words[i])))
}

fn blob<E: HeadsBoundary>(e: &E, bytes: &[u8]) -> Blob<E> {
    Blob { ram: e.ram(bytes), length: e.embed(bytes.len() as u64) }
}

/// Return data with room for the most there can be.
pub(super) fn return_data<E: HeadsBoundary>(e: &E, given: &ReturnData) -> syscalls::ReturnData<E> {
    let mut bytes = given.data.clone();
    bytes.resize(MAX_RETURN_DATA, 0);
    let length = given.data.len().min(MAX_RETURN_DATA);
    let data = Blob { ram: e.ram(&bytes), length: e.embed(length as u64) };
    syscalls::ReturnData { program_id: address(e, &given.program_id), data }
}

pub(super) fn sibling<E: HeadsBoundary>(e: &E, given: &Sibling) -> syscalls::Sibling<E> {
    let accounts: Vec<u8> = given
        .accounts
        .iter()
        .flat_map(|(address, signer, writable)| {
            address.iter().copied().chain([u8::from(*signer), u8::from(*writable)])
        })
        .collect();
    syscalls::Sibling {
        program_id: address(e, &given.program_id),
        data: blob(e, &given.data),
        accounts: blob(e, &accounts),
        account_count: e.embed(given.accounts.len() as u64),
    }
}

/// Embeds sysvars.
pub(super) fn sysvars<E: HeadsBoundary>(e: &E, given: &Sysvars) -> [Option<syscalls::Sysvar<E>>; 8] {
    given.entries().map(|entry| {
        entry.map(|entry| syscalls::Sysvar {
            id: address(e, &entry.id),
            account: blob(e, entry.account),
            image: entry.image.as_deref().map(|image| blob(e, image)),
        })
    })
}

/// Embeds an environment, with a heap of the given number of bytes.
pub(super) fn embed<E: HeadsBoundary>(
    e: &E,
    environment: &Environment,
    sysvars: &LoadedSysvars<E>,
    heap: usize,
) -> Context<E> {
    let stakes = &environment.epoch_stake;
    Context {
        program_id: address(e, &environment.program_id),
        aligned: e.embed_digit::<Bit>(usize::from(environment.aligned)),
        stack_height: e.embed(environment.stack_height),
        heap_length: e.embed(heap as u64),
        heap_used: e.embed(0),
        sysvars: Arc::clone(&sysvars.0),
        return_data: return_data(e, &environment.return_data),
        total_stake: e.embed(stakes.total),
        stakes: stakes
            .by_vote_account
            .iter()
            .map(|(account, stake)| (address(e, account), e.embed(*stake)))
            .collect(),
        siblings: environment.siblings.iter().map(|given| sibling(e, given)).collect(),
        log: Vec::new(),
    }
}
