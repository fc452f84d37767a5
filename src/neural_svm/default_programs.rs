//! The programs LiteSVM ships.

use agave_feature_set::{FeatureSet, replace_spl_token_with_p_token};
use litesvm::LiteSVM;
use solana_address::{Address, address};
use solana_sdk_ids::{
    address_lookup_table, bpf_loader, bpf_loader_deprecated, bpf_loader_upgradeable, stake,
};
use std::sync::{Arc, LazyLock};

use super::NeuralSvm;

/// A program: its address, its loader, its ELF file.
type Program = (Address, Address, Arc<[u8]>);

const TOKEN: Address = address!("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");

/// Addresses of the programs, and the loader of each.
fn shipped(has_p_token: bool) -> [(Address, Address); 7] {
    [
        (TOKEN, if has_p_token { bpf_loader_upgradeable::ID } else { bpf_loader::ID }),
        (address!("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"), bpf_loader_upgradeable::ID),
        (address!("Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo"), bpf_loader_deprecated::ID),
        (address!("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"), bpf_loader::ID),
        (address!("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"), bpf_loader::ID),
        (address_lookup_table::ID, bpf_loader_upgradeable::ID),
        (stake::ID, bpf_loader_upgradeable::ID),
    ]
}

/// Takes the files out of a LiteSVM, which keeps them to itself otherwise. It runs nothing.
fn take(has_p_token: bool) -> Vec<Program> {
    let mut features = FeatureSet::all_enabled();
    if !has_p_token {
        features.deactivate(&replace_spl_token_with_p_token::ID);
    }
    let lite = LiteSVM::default().with_feature_set(features).with_builtins().with_default_programs();
    let file = |(address, loader): (Address, Address)| {
        let elf = lite.accounts_db().try_program_elf_bytes(&address).ok()?;
        Some((address, loader, elf.into()))
    };
    shipped(has_p_token).into_iter().filter_map(file).collect()
}

static WITH_P_TOKEN: LazyLock<Vec<Program>> = LazyLock::new(|| take(true));
static WITH_SPL_TOKEN: LazyLock<Vec<Program>> = LazyLock::new(|| take(false));

impl NeuralSvm {
    /// The programs LiteSVM ships, by the same bytes: token, Token-2022, both memo programs, associated token
    /// accounts, address lookup tables and stake. The feature set says which token program it is.
    pub fn with_default_programs(mut self) -> Self {
        let has_p_token = self.svm.feature_set().is_active(&replace_spl_token_with_p_token::ID);
        for (address, loader, elf) in if has_p_token { &*WITH_P_TOKEN } else { &*WITH_SPL_TOKEN } {
            // LiteSVM runs them too; with a feature set that knows none of their versions they are left out.
            let _ = self.svm.add_program(*address, elf, *loader);
        }
        self
    }
}
