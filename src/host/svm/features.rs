//! Feature sets.

use agave_feature_set::FeatureSet;
use solana_address::Address;
use std::{ops::RangeInclusive, sync::Arc};

use crate::host::{Version, syscall_names::ALL_SYSCALLS};

/// Features active on mainnet: an address and the slot of its activation a line.
const MAINNET: &str = include_str!("mainnet_features.txt");

/// Features active on mainnet, with the slots of their activation.
pub(super) fn mainnet_features() -> impl Iterator<Item = (Address, u64)> {
    MAINNET.lines().filter_map(|line| {
        let (address, slot) = line.split_once(' ')?;
        Some((address.parse().ok()?, slot.parse().ok()?))
    })
}

/// The feature set of mainnet.
pub fn mainnet_feature_set() -> FeatureSet {
    let mut features = FeatureSet::default();
    for (address, slot) in mainnet_features() {
        features.activate(&address, slot);
    }
    features
}

/// The latest slot at which one of mainnet's features was activated.
pub(super) fn mainnet_slot() -> u64 {
    mainnet_features().map(|(_, slot)| slot).max().unwrap_or(0)
}

/// Names of the syscalls there are.
pub(super) fn syscalls(features: &FeatureSet) -> Arc<[&'static str]> {
    let features = features.runtime_features();
    let is_there = |name: &&str| match *name {
        "sol_blake3" => features.blake3_syscall_enabled,
        "sol_sha512" => features.enable_sha512_syscall,
        "sol_curve_validate_point" | "sol_curve_group_op" | "sol_curve_multiscalar_mul" => {
            features.curve25519_syscall_enabled
        }
        "sol_curve_decompress" | "sol_curve_pairing_map" => features.enable_bls12_381_syscall,
        "sol_get_fees_sysvar" => !features.disable_fees_sysvar,
        "sol_get_last_restart_slot" => features.last_restart_slot_sysvar,
        "sol_alt_bn128_group_op" => features.enable_alt_bn128_syscall,
        "sol_alt_bn128_compression" => features.enable_alt_bn128_compression_syscall,
        "sol_big_mod_exp" => features.enable_big_mod_exp_syscall,
        "sol_poseidon" => features.enable_poseidon_syscall,
        "sol_remaining_compute_units" => features.remaining_compute_units_syscall_enabled,
        "sol_get_sysvar" => features.get_sysvar_syscall_enabled,
        "sol_get_epoch_stake" => features.enable_get_epoch_stake_syscall,
        _ => true,
    };
    ALL_SYSCALLS.into_iter().filter(is_there).collect()
}

/// Versions of programs that are run; an empty range if there are none.
pub(super) fn versions(features: &FeatureSet) -> RangeInclusive<Version> {
    let features = features.runtime_features();
    let first = if !features.disable_sbpf_v0_execution || features.reenable_sbpf_v0_execution {
        Version::V0
    } else {
        Version::V3
    };
    let last = if features.enable_sbpf_v3_deployment_and_execution {
        Version::V3
    } else if features.enable_sbpf_v2_deployment_and_execution {
        Version::V2
    } else if features.enable_sbpf_v1_deployment_and_execution {
        Version::V1
    } else {
        Version::V0
    };
    first..=last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::syscall_names::MAINNET_SYSCALLS;

    #[test]
    fn mainnets_syscalls_and_versions() {
        let features = mainnet_feature_set();
        let mut names = syscalls(&features).to_vec();
        names.sort_unstable();
        assert_eq!(names, MAINNET_SYSCALLS);
        assert_eq!(versions(&features), Version::V0..=Version::V3);
        assert_eq!(versions(&FeatureSet::default()), Version::V0..=Version::V0);
    }

    #[test]
    fn the_list_is_read_whole() {
        assert_eq!(mainnet_features().count(), MAINNET.lines().count());
        assert_eq!(mainnet_feature_set().active().len(), 242);
        assert_eq!(mainnet_slot(), 440_208_000);
    }
}
