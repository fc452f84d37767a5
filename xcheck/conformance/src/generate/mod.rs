//! Hostile syscalls: pointers at, across and beyond every edge, lengths at every limit.

mod curve25519;
mod pairings;
pub mod points;

use crate::call::{Call, INPUT_ADDRESS};
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use svmllm::host::{HEAP_ADDRESS, ReturnData, STACK_ADDRESS, SYSVAR_IDS, Sysvars};

/// A suite: families and names, drawn from in turn.
pub type Suite = &'static [(&'static str, &'static str)];

/// The syscalls of curves and fields.
pub const CURVES: Suite = &[
    ("edwards", "sol_curve_validate_point"),
    ("edwards", "sol_curve_group_op"),
    ("edwards", "sol_curve_multiscalar_mul"),
    ("ristretto", "sol_curve_validate_point"),
    ("ristretto", "sol_curve_group_op"),
    ("ristretto", "sol_curve_multiscalar_mul"),
    ("secp256k1", "sol_secp256k1_recover"),
    ("bn254", "sol_alt_bn128_group_op"),
    ("bn254", "sol_alt_bn128_group_op"),
    ("bn254", "sol_alt_bn128_compression"),
    ("bn254_pairing", "sol_alt_bn128_group_op"),
    ("bls12_381", "sol_curve_validate_point"),
    ("bls12_381", "sol_curve_group_op"),
    ("bls12_381", "sol_curve_decompress"),
    ("bls12_381_pairing", "sol_curve_pairing_map"),
    ("poseidon", "sol_poseidon"),
];

/// All others, except `sol_big_mod_exp`: the weights have the rules of 4.3, the reference here is older.
pub const SYSCALLS: Suite = &[
    ("logs", "abort"),
    ("logs", "sol_panic_"),
    ("logs", "sol_log_"),
    ("logs", "sol_log_64_"),
    ("logs", "sol_log_pubkey"),
    ("logs", "sol_log_compute_units_"),
    ("logs", "sol_log_data"),
    ("addresses", "sol_create_program_address"),
    ("addresses", "sol_try_find_program_address"),
    ("hashes", "sol_sha256"),
    ("hashes", "sol_keccak256"),
    ("hashes", "sol_blake3"),
    ("hashes", "sol_sha512"),
    ("sysvars", "sol_get_clock_sysvar"),
    ("sysvars", "sol_get_epoch_schedule_sysvar"),
    ("sysvars", "sol_get_rent_sysvar"),
    ("sysvars", "sol_get_last_restart_slot"),
    ("sysvars", "sol_get_epoch_rewards_sysvar"),
    ("sysvars", "sol_get_sysvar"),
    ("sysvars", "sol_get_epoch_stake"),
    ("memory", "sol_memcpy_"),
    ("memory", "sol_memmove_"),
    ("memory", "sol_memset_"),
    ("memory", "sol_memcmp_"),
    ("context", "sol_get_processed_sibling_instruction"),
    ("context", "sol_get_stack_height"),
    ("context", "sol_set_return_data"),
    ("context", "sol_get_return_data"),
    ("memory", "sol_alloc_free_"),
    ("context", "sol_remaining_compute_units"),
];

/// More units than any call below needs.
pub const AMPLE: u64 = 2_000_000;

const STACK_BYTES: u64 = 64 * 4096;

/// Draws calls.
pub struct Generator {
    rng: ChaCha8Rng,
    call: Call,
}

impl Generator {
    /// The call of a suite with a number, of a seed.
    pub fn call(suite: Suite, seed: u64, index: u64) -> Call {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(index);
        let (family, name) = suite[index as usize % suite.len()];
        let heap_length = *[0, 1, 64, 1000, 4096, 32 * 1024].choose(&mut rng).unwrap_or(&4096);
        // Points need room, if one is to be right.
        let heap_length = if suite == CURVES && rng.random_bool(0.9) { 32 * 1024 } else { heap_length };
        let mut bytes = |limit: usize| {
            let length = rng.random_range(0..=limit);
            (0..length).map(|_| if rng.random_bool(0.3) { rng.random() } else { b'a' }).collect::<Vec<u8>>()
        };
        let call = Call {
            family,
            name,
            arguments: [0; 5],
            units: AMPLE,
            heap: bytes(2048),
            heap_length,
            stack: bytes(9000),
            rodata: bytes(600),
            data: bytes(200),
            first_loader: false,
            sysvars: Sysvars::default(),
            return_data: None,
        };
        let mut this = Self { rng, call };
        this.surroundings();
        this.arguments();
        this.call
    }

    fn surroundings(&mut self) {
        let rng = &mut self.rng;
        self.call.first_loader = rng.random_bool(0.15);
        if rng.random_bool(0.3) {
            let length = *[0, 1, 31, 32, 300, 1024].choose(rng).unwrap_or(&1);
            let data = (0..length).map(|_| rng.random()).collect();
            self.call.return_data = Some(ReturnData { program_id: rng.random(), data });
        }
        let sysvars = &mut self.call.sysvars;
        // Filled with what no default has.
        for bytes in [&mut sysvars.clock, &mut sysvars.last_restart_slot].into_iter().flatten() {
            rng.fill(bytes.as_mut_slice());
        }
        if let Some(rewards) = &mut sysvars.epoch_rewards {
            rng.fill(rewards.as_mut_slice());
            rewards[80] = u8::from(rng.random_bool(0.5));
        }
        // The harness itself needs the rent.
        for sysvar in [
            &mut sysvars.clock,
            &mut sysvars.epoch_schedule,
            &mut sysvars.epoch_rewards,
            &mut sysvars.last_restart_slot,
            &mut sysvars.slot_hashes,
            &mut sysvars.stake_history,
        ] {
            if rng.random_bool(0.05) {
                *sysvar = None;
            }
        }
    }

    /// A length around the limits of the syscalls, or a short one.
    fn length(&mut self) -> u64 {
        let edges = [
            0,
            1,
            2,
            3,
            7,
            8,
            9,
            15,
            16,
            17,
            31,
            32,
            33,
            100,
            249,
            250,
            251,
            500,
            1023,
            1024,
            1025,
            4096,
            10_240,
            1 << 20,
            1 << 32,
            i64::MAX as u64,
            1 << 63,
            u64::MAX - 8,
            u64::MAX,
        ];
        match self.rng.random_range(0..10) {
            0..4 => self.rng.random_range(0..80),
            4..6 => self.rng.random_range(0..1500),
            6..9 => *edges.choose(&mut self.rng).unwrap_or(&0),
            _ => self.rng.random(),
        }
    }

    /// First address and bytes of a region.
    fn region(&mut self) -> (u64, u64) {
        let heap = (HEAP_ADDRESS, self.call.heap_length as u64);
        let input = (INPUT_ADDRESS, self.call.input().len() as u64);
        let frame = 2 * 4096 * self.rng.random_range(0..64);
        let regions = [
            heap,
            heap,
            (STACK_ADDRESS + frame, 4096),
            (STACK_ADDRESS, 4096),
            (STACK_ADDRESS, 2 * STACK_BYTES),
            (0x1_0000_0000, self.call.rodata.len() as u64),
            input,
            (0, 0),
        ];
        *regions.choose(&mut self.rng).unwrap_or(&heap)
    }

    /// An address of `length` bytes of a type aligned to `align`: mostly a good one.
    fn pointer(&mut self, length: u64, align: u64) -> u64 {
        let (start, size) = self.region();
        let rng = &mut self.rng;
        match rng.random_range(0..20) {
            0..12 => {
                let room = size.saturating_sub(length);
                let offset = rng.random_range(0..=room.min(6000));
                start + offset / align * align
            }
            12..14 => start.wrapping_add(rng.random_range(0..=size)),
            14..16 => {
                let end = start.wrapping_add(size).wrapping_sub(length);
                end.wrapping_add(rng.random_range(0..4)).wrapping_sub(1)
            }
            16 => start.wrapping_sub(rng.random_range(1..9)),
            17 => *[0, 1, 8, u64::MAX, u64::MAX - 7, 0x5_0000_0000, 0x2_0000_1000, 0x1_ffff_ffff]
                .choose(rng)
                .unwrap_or(&0),
            18 => rng.random(),
            _ => start,
        }
    }

    /// Puts bytes into heap or stack and gives their address, where there is room.
    fn place(&mut self, bytes: &[u8], align: u64) -> u64 {
        let on_heap = self.rng.random_bool(0.7);
        let (target, start, room) = if on_heap {
            (&mut self.call.heap, HEAP_ADDRESS, self.call.heap_length.min(8192))
        } else {
            (&mut self.call.stack, STACK_ADDRESS, 4096)
        };
        let Some(free) = room.checked_sub(bytes.len()) else { return start };
        let mut at = self.rng.random_range(0..=free);
        if self.rng.random_bool(0.93) {
            at = at / align as usize * align as usize;
        }
        if target.len() < at + bytes.len() {
            target.resize(at + bytes.len(), b'z');
        }
        target[at..at + bytes.len()].copy_from_slice(bytes);
        start + at as u64
    }

    /// A list of (address, length), `count` of them if they fit.
    fn pairs(&mut self, count: u64, longest: u64) -> u64 {
        let entries = count.min(40);
        let mut list = Vec::new();
        for _ in 0..entries {
            let length = match self.rng.random_range(0..20) {
                0 => self.length(),
                1 => longest + 1,
                2 => longest,
                _ => self.rng.random_range(0..=longest.min(64)),
            };
            let address = self.pointer(length, 1);
            list.extend(address.to_le_bytes());
            list.extend(length.to_le_bytes());
        }
        if self.rng.random_bool(0.9) { self.place(&list, 8) } else { self.pointer(16 * count, 8) }
    }

    /// A number of slices or seeds.
    fn count(&mut self, limit: u64) -> u64 {
        match self.rng.random_range(0..20) {
            0 => limit,
            1 => limit + 1,
            2 => self.length(),
            _ => self.rng.random_range(0..6),
        }
    }

    fn text(&mut self) -> Vec<u8> {
        let samples: [&[u8]; 14] = [
            b"hello",
            "größer \u{20ac} \u{10348}".as_bytes(),
            &[0xc0, 0x80],
            &[0xe0, 0x9f, 0x80],
            &[0xed, 0xa0, 0x80],
            &[0xf4, 0x90, 0x80, 0x80],
            &[0xf0, 0x8f, 0xbf, 0xbf],
            &[0xf0, 0x90, 0x80],
            &[0xe2, 0x82],
            &[0xff],
            &[0x80],
            &[0xef, 0xbf, 0xbf],
            &[0xdf, 0xbf],
            b"\0\n\t",
        ];
        let parts = self.rng.random_range(0..8);
        (0..parts).flat_map(|_| samples.choose(&mut self.rng).copied().unwrap_or_default()).copied().collect()
    }

    fn string(&mut self) -> (u64, u64) {
        if self.rng.random_bool(0.5) {
            let text = self.text();
            return (self.place(&text, 1), text.len() as u64);
        }
        let length = self.length();
        (self.pointer(length, 1), length)
    }

    fn arguments(&mut self) {
        let (length, count) = (self.length(), self.count(16));
        self.call.arguments = match self.call.family {
            "edwards" | "ristretto" | "secp256k1" => self.curve25519_arguments(),
            "bn254" | "bn254_pairing" => self.bn254_arguments(),
            "bls12_381" | "bls12_381_pairing" => self.bls12_381_arguments(),
            "poseidon" => self.poseidon_arguments(),
            _ => self.other_arguments(length, count),
        };
    }

    fn other_arguments(&mut self, length: u64, count: u64) -> [u64; 5] {
        match self.call.name {
            "sol_panic_" | "sol_log_" => {
                let (text, length) = self.string();
                [text, length, self.rng.random(), self.rng.random(), 0]
            }
            "sol_log_64_" => self.rng.random(),
            "sol_log_pubkey" => [self.pointer(32, 1), 0, 0, 0, 0],
            "sol_log_data" => {
                let count = self.count(20);
                [self.pairs(count, 100), count, 0, 0, 0]
            }
            "sol_create_program_address" | "sol_try_find_program_address" => {
                let seeds = self.pairs(count, 32);
                [seeds, count, self.pointer(32, 1), self.pointer(32, 1), self.pointer(1, 1)]
            }
            "sol_sha256" | "sol_keccak256" | "sol_blake3" | "sol_sha512" => {
                let count = self.count(20_000);
                [self.pairs(count, 1500), count, self.pointer(64, 1), 0, 0]
            }
            "sol_get_clock_sysvar"
            | "sol_get_epoch_schedule_sysvar"
            | "sol_get_rent_sysvar"
            | "sol_get_last_restart_slot" => [self.pointer(40, 8), 0, 0, 0, 0],
            "sol_get_epoch_rewards_sysvar" => [self.pointer(96, 16), 0, 0, 0, 0],
            "sol_get_sysvar" => self.sysvar(length),
            "sol_get_epoch_stake" => {
                [if self.rng.random_bool(0.2) { 0 } else { self.pointer(32, 1) }, 0, 0, 0, 0]
            }
            "sol_memcpy_" | "sol_memmove_" => {
                let to = self.pointer(length, 1);
                let near = to.wrapping_add(self.rng.random_range(0..40)).wrapping_sub(20);
                let from = if self.rng.random_bool(0.3) { near } else { self.pointer(length, 1) };
                [to, from, length, 0, 0]
            }
            "sol_memset_" => [self.pointer(length, 1), self.rng.random(), length, 0, 0],
            "sol_memcmp_" => self.comparison(length),
            "sol_get_processed_sibling_instruction" => {
                let index = self.rng.random_range(0..3);
                [index, self.pointer(16, 8), self.pointer(32, 1), self.pointer(8, 1), self.pointer(34, 1)]
            }
            "sol_set_return_data" => [self.pointer(length, 1), length, 0, 0, 0],
            "sol_get_return_data" => {
                let to = self.pointer(length.min(1024), 1);
                let near = to.wrapping_add(self.rng.random_range(0..80)).wrapping_sub(40);
                let program = if self.rng.random_bool(0.4) { near } else { self.pointer(32, 1) };
                [to, length, program, 0, 0]
            }
            "sol_alloc_free_" => [length, if self.rng.random_bool(0.8) { 0 } else { length }, 0, 0, 0],
            _ => self.rng.random(),
        }
    }

    fn sysvar(&mut self, length: u64) -> [u64; 5] {
        let mut id = [0; 32];
        let name = SYSVAR_IDS.choose(&mut self.rng).copied().unwrap_or_default();
        let known = bs58::decode(name).onto(&mut id).is_ok() && self.rng.random_bool(0.9);
        if !known {
            self.rng.fill(&mut id);
        }
        let id = if self.rng.random_bool(0.9) { self.place(&id, 1) } else { self.pointer(32, 1) };
        let offset = if self.rng.random_bool(0.6) { self.rng.random_range(0..50) } else { self.length() };
        [id, self.pointer(length, 1), offset, length, 0]
    }

    /// Two ranges that mostly agree, and where the result goes.
    fn comparison(&mut self, length: u64) -> [u64; 5] {
        let result = self.pointer(4, 4);
        if self.rng.random_bool(0.6) {
            let length = self.rng.random_range(0..100);
            let mut bytes: Vec<u8> = (0..length).map(|_| self.rng.random()).collect();
            let a = self.place(&bytes, 1);
            if !bytes.is_empty() && self.rng.random_bool(0.8) {
                let at = self.rng.random_range(0..bytes.len());
                bytes[at] = self.rng.random();
            }
            let b = self.place(&bytes, 1);
            return [a, b, length, result, 0];
        }
        [self.pointer(length, 1), self.pointer(length, 1), length, result, 0]
    }
}
