//! Programs in assembly for every version, to be run in transactions.
//!
//! The sources keep to what all versions have: no `lddw`, no `neg`, and a frame taken by hand where the
//! version has none of fixed size.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use solana_account::Account;
use solana_address::Address;
use svmllm::host::{Program, Version, assemble};

use super::{
    bytes,
    spl::{chance, key, one, rent},
};
use crate::transaction::{Draft, Slot};

/// The kinds of programs.
pub const NAMES: [&str; 8] = ["log", "data", "calls", "account", "stack", "heap", "width", "unknown call"];

/// Loads an address with the given upper half into a register.
fn region(register: &str, number: u32) -> String {
    format!("mov64 {register}, {number}\nlsh64 {register}, 32\n")
}

/// An instruction for a program of that kind, and the program.
///
/// # Panics
/// Panics if there is no such kind.
pub fn program(name: &str, version: Version, program: Address, rng: &mut ChaCha8Rng) -> (Draft, Program) {
    let small: i32 = rng.random_range(0..40);
    let any: i32 = rng.random();
    let end = format!("mov64 r0, {}\nexit\n", one(rng, &[0, 0, 0, 1, 3, -1]));
    let body = match name {
        "log" => format!(
            "mov64 r6, r2
            mov64 r1, {any}
            mov32 r2, {any}
            mov64 r3, r10
            mov64 r4, {small}
            mov64 r5, -1
            syscall sol_log_64_
            mov64 r1, r6
            ldxdw r2, [r6-8]
            syscall sol_log_
            syscall sol_log_compute_units_
            {end}"
        ),
        "data" => format!(
            "mov64 r6, r2
            mov64 r1, r2
            mov64 r2, {small}
            syscall sol_set_return_data
            mov64 r1, r6
            syscall sol_log_pubkey
            {end}"
        ),
        "calls" => format!(
            "mov64 r6, {small}
            mov64 r7, 7
            mov64 r1, {depth}
            call function_down
            mov64 r1, r0
            mov64 r2, r6
            mov64 r3, r7
            mov64 r4, r10
            mov64 r5, 0
            syscall sol_log_64_
            {end}
            function_down:
            {frame}
            mov64 r6, r1
            mov64 r7, r10
            stxdw [r10-8], r6
            jeq r1, 0, bottom
            add64 r1, -1
            call function_down
            ldxdw r1, [r10-8]
            add64 r0, r1
            exit
            bottom:
            mov64 r0, {small}
            exit",
            depth = one(rng, &[0, 1, 5, 61, 62, 63, 64, 100]),
            frame = if matches!(version, Version::V1 | Version::V2) { "add64 r10, -64" } else { "" },
        ),
        "account" => format!(
            "ldxdw r6, [r1+80]
            add64 r6, {more}
            stxdw [r1+80], r6
            ldxdw r7, [r1+88]
            add64 r7, {growth}
            stxdw [r1+88], r7
            stb [r1+{at}], {small}
            {end}",
            more = one(rng, &[0, 0, 1, -1]),
            growth = one(rng, &[0, 0, 1, -1, 10_240, 10_241]),
            at = one(rng, &[40, 8, 10, 96, 96, 97, 103, 10_400]),
        ),
        "stack" => format!(
            "stxdw [r10{at:+}], r1
            ldxdw r1, [r10{at:+}]
            mov64 r2, r10
            mov64 r3, 0
            mov64 r4, 0
            mov64 r5, 0
            syscall sol_log_64_
            {end}",
            at = one(rng, &[-8, -16, -4096, -4104, -4, 0, 8, 4088, 4096]),
        ),
        "heap" => format!(
            "{heap}
            mov64 r1, r6
            mov64 r2, {any}
            mov64 r3, {length}
            syscall sol_memset_
            mov64 r1, r6
            add64 r1, {distance}
            mov64 r2, r6
            mov64 r3, {length}
            syscall sol_memmove_
            ldxdw r1, [r6+{small}]
            mov64 r2, r0
            syscall sol_log_64_
            {end}",
            heap = region("r6", 3),
            length = one(rng, &[0, 1, 9, 100, 3000, 32_768, 32_769]),
            distance = rng.random_range(0..20),
        ),
        "width" => format!(
            "{heap}
            stdw [r6+0], {any}
            stw [r6+{a}], {any}
            sth [r6+{b}], {any}
            stb [r6+{c}], {any}
            ldxb r1, [r6+{a}]
            ldxh r2, [r6+{b}]
            ldxw r3, [r6+{c}]
            ldxdw r4, [r6+{small}]
            mov32 r5, r4
            arsh32 r5, {shift}
            syscall sol_log_64_
            {end}",
            heap = region("r6", 3),
            a = rng.random_range(0..12),
            b = rng.random_range(0..12),
            c = rng.random_range(0..12),
            shift = rng.random_range(0..32),
        ),
        "unknown call" => format!(
            "{}
            {end}",
            one(
                rng,
                &[
                    "syscall sol_sha512",
                    "syscall sol_blake3",
                    "syscall abort",
                    "syscall sol_get_stack_height"
                ]
            )
        ),
        _ => panic!("no kind {name}"),
    };
    let len = one(rng, &[0, 1, 8, 9, 100]);
    let data = if chance(rng, 50) { vec![0; len] } else { bytes(rng, len) };
    let owner = if chance(rng, 80) { program } else { key("stranger") };
    let account = Account { lamports: rent(len) + 1, data, owner, executable: false, rent_epoch: u64::MAX };
    let mut slots = vec![Slot { writable: chance(rng, 80), ..Slot::read(key("account"), account) }];
    if chance(rng, 20) && name != "account" {
        slots.clear();
    }
    let len = rng.random_range(0..60);
    let data =
        if chance(rng, 80) { "transaction ".repeat(5).as_bytes()[..len].to_vec() } else { bytes(rng, len) };
    let program_of = assemble(&body, version).unwrap_or_else(|error| panic!("{name}: {error}\n{body}"));
    (Draft::new(name, program, slots, data), program_of)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn every_version_has_every_program() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for version in [Version::V0, Version::V1, Version::V2, Version::V3] {
            for name in NAMES {
                for _ in 0..20 {
                    let (_, program) = program(name, version, key("program"), &mut rng);
                    svmllm::host::verify(&program.text, version)
                        .unwrap_or_else(|error| panic!("{name} {version:?}: {error}"));
                }
            }
        }
    }
}
