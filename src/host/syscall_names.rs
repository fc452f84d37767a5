//! The names under which Agave registers its syscalls.

/// Syscalls registered when a program *runs* on the mainnet feature set.
pub const MAINNET_SYSCALLS: [&str; 38] = [
    "abort",
    "sol_alloc_free_",
    "sol_alt_bn128_compression",
    "sol_alt_bn128_group_op",
    "sol_create_program_address",
    "sol_curve_decompress",
    "sol_curve_group_op",
    "sol_curve_multiscalar_mul",
    "sol_curve_pairing_map",
    "sol_curve_validate_point",
    "sol_get_clock_sysvar",
    "sol_get_epoch_rewards_sysvar",
    "sol_get_epoch_schedule_sysvar",
    "sol_get_epoch_stake",
    "sol_get_last_restart_slot",
    "sol_get_processed_sibling_instruction",
    "sol_get_rent_sysvar",
    "sol_get_return_data",
    "sol_get_stack_height",
    "sol_get_sysvar",
    "sol_invoke_signed_c",
    "sol_invoke_signed_rust",
    "sol_keccak256",
    "sol_log_",
    "sol_log_64_",
    "sol_log_compute_units_",
    "sol_log_data",
    "sol_log_pubkey",
    "sol_memcmp_",
    "sol_memcpy_",
    "sol_memmove_",
    "sol_memset_",
    "sol_panic_",
    "sol_poseidon",
    "sol_secp256k1_recover",
    "sol_set_return_data",
    "sol_sha256",
    "sol_try_find_program_address",
];

/// The one syscall that deployed programs may call and newly deployed ones may not.
pub const EXECUTION_ONLY_SYSCALL: &str = "sol_alloc_free_";

/// Syscalls registered when a program is *deployed* on the mainnet feature set.
pub fn deployment_syscalls() -> impl Iterator<Item = &'static str> {
    MAINNET_SYSCALLS.into_iter().filter(|name| *name != EXECUTION_ONLY_SYSCALL)
}

/// Every syscall the reference has a name for, in the order of
/// [`Syscall`](crate::tables::alphabet::Syscall).
pub const ALL_SYSCALLS: [&str; 43] = [
    "abort",
    "sol_panic_",
    "sol_log_",
    "sol_log_64_",
    "sol_log_pubkey",
    "sol_log_compute_units_",
    "sol_create_program_address",
    "sol_try_find_program_address",
    "sol_sha256",
    "sol_keccak256",
    "sol_secp256k1_recover",
    "sol_blake3",
    "sol_sha512",
    "sol_curve_validate_point",
    "sol_curve_group_op",
    "sol_curve_multiscalar_mul",
    "sol_curve_decompress",
    "sol_curve_pairing_map",
    "sol_get_clock_sysvar",
    "sol_get_epoch_schedule_sysvar",
    "sol_get_fees_sysvar",
    "sol_get_rent_sysvar",
    "sol_get_last_restart_slot",
    "sol_get_epoch_rewards_sysvar",
    "sol_memcpy_",
    "sol_memmove_",
    "sol_memset_",
    "sol_memcmp_",
    "sol_get_processed_sibling_instruction",
    "sol_get_stack_height",
    "sol_set_return_data",
    "sol_get_return_data",
    "sol_invoke_signed_c",
    "sol_invoke_signed_rust",
    "sol_alloc_free_",
    "sol_alt_bn128_group_op",
    "sol_big_mod_exp",
    "sol_poseidon",
    "sol_remaining_compute_units",
    "sol_alt_bn128_compression",
    "sol_get_sysvar",
    "sol_get_epoch_stake",
    "sol_log_data",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mainnet_name_is_a_name() {
        assert!(MAINNET_SYSCALLS.iter().all(|name| ALL_SYSCALLS.contains(name)));
        assert_eq!(ALL_SYSCALLS.len(), crate::tables::alphabet::Syscall::LETTERS.len());
    }
}
