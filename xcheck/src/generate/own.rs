//! Instructions for the programs under `programs/`, sensible ones and senseless ones.

use std::{path::Path, sync::Arc};

use anyhow::Context;
use rand::{Rng, seq::IteratorRandom};
use rand_chacha::ChaCha8Rng;
use solana_account::Account;
use solana_address::Address;
use solana_sdk_ids::sysvar;
use svmllm::host::Version;

use super::{
    bytes,
    spl::{chance, key, one, rent},
};
use crate::transaction::{Draft, Loader, ProgramFile, Slot};

/// The programs made for transactions.
pub const NAMES: [&str; 11] = [
    "recursion",
    "dispatch",
    "logs",
    "faults",
    "widths",
    "resize",
    "vault",
    "returns",
    "sysvars",
    "memory",
    "heap",
];

/// The versions each of them is compiled for.
pub const VERSIONS: [Version; 2] = [Version::V0, Version::V3];

/// The loaders each of them is added under; the first loader's parameters are not what they expect.
pub const LOADERS: [Loader; 3] = [Loader::V1, Loader::V2, Loader::V3];

/// Where a program is.
pub fn address(name: &str, version: Version, loader: Loader) -> Address {
    key(&format!("{name} {version:?} by {loader:?}"))
}

/// A compiled program.
///
/// # Errors
/// There is no such file.
pub fn elf(name: &str, version: Version) -> anyhow::Result<Vec<u8>> {
    let suffix = if version == Version::V3 { "_v3" } else { "" };
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../programs");
    let path = programs.join(name).join(format!("{name}{suffix}.so"));
    std::fs::read(&path).with_context(|| path.display().to_string())
}

/// Every program for every version under every loader.
///
/// # Errors
/// A file is missing.
pub fn programs() -> anyhow::Result<Vec<ProgramFile>> {
    let mut programs = Vec::new();
    for name in NAMES {
        for version in VERSIONS {
            let elf: Arc<[u8]> = elf(name, version)?.into();
            for loader in LOADERS {
                programs.push(ProgramFile {
                    address: address(name, version, loader),
                    loader,
                    elf: elf.clone(),
                });
            }
        }
    }
    Ok(programs)
}

/// An instruction for the program of that name, which is at `program`.
///
/// # Panics
/// Panics if there is no such program.
pub fn instruction(name: &str, program: Address, rng: &mut ChaCha8Rng) -> Draft {
    let count = one(rng, &[1, 1, 2, 3]);
    let mut slots = accounts(program, count, rng);
    let mut data = match name {
        "recursion" => recursion(rng),
        "dispatch" => dispatch(rng),
        "logs" => {
            let many = one(rng, &[0, 1, 2, 16, 18]);
            slots = accounts(program, many, rng);
            text(rng)
        }
        "faults" => faults(rng),
        "widths" => widths(&slots, rng),
        "resize" => resize(&slots, rng),
        "vault" => steps(rng, |rng| {
            let amount = amount(&slots, rng);
            let mut step = vec![one(rng, &[0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8])];
            step.extend([(); 2].map(|()| rng.random_range(0..=slots.len()) as u8));
            step.push(0);
            step.extend(amount.to_le_bytes());
            step
        }),
        "returns" => {
            let lengths = [0u16, 0, 1, 32, 100, 249, 250, 500, 1000, 1024, 1025, 1100];
            let [set, read] = [(); 2].map(|()| one(rng, &lengths).to_le_bytes());
            [&set[..], &read, &[rng.random()]].concat()
        }
        "sysvars" => {
            if chance(rng, 25) {
                vec![]
            } else {
                slots = vec![Slot::read(one(rng, &SYSVARS), None)];
                let [offset, length] =
                    [(); 2].map(|()| one(rng, &[0u32, 0, 1, 8, 16, 17, 24, 40, 81, 96, 97, 520, 20_488]));
                [offset.to_le_bytes(), length.to_le_bytes()].concat()
            }
        }
        "memory" => memory(&slots, rng),
        "heap" => {
            let len = rng.random_range(0..60);
            [vec![one(rng, &[0, 0, 0, 3, 40, 255])], bytes(rng, len)].concat()
        }
        _ => panic!("no program {name}"),
    };
    let mut changes = Vec::new();
    if chance(rng, 4) {
        data.pop();
        changes.push("last byte of the data left out".into());
    }
    if chance(rng, 4) {
        slots.clear();
        changes.push("no accounts".into());
    }
    Draft { changes, ..Draft::new(name, program, slots, data) }
}

const SYSVARS: [Address; 9] = [
    sysvar::clock::ID,
    sysvar::epoch_schedule::ID,
    sysvar::epoch_rewards::ID,
    sysvar::rent::ID,
    sysvar::slot_hashes::ID,
    sysvar::stake_history::ID,
    sysvar::last_restart_slot::ID,
    sysvar::recent_blockhashes::ID,
    sysvar::instructions::ID,
];

/// Accounts of different lengths and owners, some listed twice.
fn accounts(program: Address, count: usize, rng: &mut ChaCha8Rng) -> Vec<Slot> {
    let mut slots: Vec<Slot> = Vec::new();
    for number in 0..count {
        if number > 0 && chance(rng, 12) {
            let first = slots.iter().choose(rng).expect("there is one").clone();
            slots.push(Slot { writable: first.writable && chance(rng, 80), ..first });
            continue;
        }
        let len = one(rng, &[0, 1, 7, 8, 9, 16, 64, 100, 1000]);
        let owner = match rng.random_range(0..10) {
            0 => Address::default(),
            1 => key("stranger"),
            _ => program,
        };
        let data = if chance(rng, 50) { vec![0; len] } else { bytes(rng, len) };
        let lamports = rent(len) + one(rng, &[0, 0, 1, 1_000_000, 100_000_000]);
        let account = Account { lamports, data, owner, executable: false, rent_epoch: u64::MAX };
        slots.push(Slot {
            signer: chance(rng, 50),
            writable: chance(rng, 80),
            ..Slot::read(key(&format!("account {number}")), account)
        });
    }
    slots
}

/// Up to five steps.
fn steps(rng: &mut ChaCha8Rng, mut step: impl FnMut(&mut ChaCha8Rng) -> Vec<u8>) -> Vec<u8> {
    (0..rng.random_range(0..6)).flat_map(|_| step(rng)).collect()
}

/// The data of an account, or nothing.
fn length(slots: &[Slot]) -> u64 {
    let account = slots.first().and_then(|slot| slot.account.as_ref());
    account.map_or(0, |account| account.data.len() as u64)
}

fn recursion(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let kind = rng.random_range(0..4);
    let [m, n]: [u32; 2] = match kind {
        0 => [rng.random_range(0..4), rng.random_range(0..4)],
        1 => [rng.random_range(0..30), one(rng, &[0, 1, 50, 61, 62, 63, 64, 65])],
        _ => [one(rng, &[0, 1, 10, 60, 61, 62, 63, 64, 70]), rng.random()],
    };
    [&[kind][..], &m.to_le_bytes(), &n.to_le_bytes()].concat()
}

fn dispatch(rng: &mut ChaCha8Rng) -> Vec<u8> {
    // Pushes first, so that most operations find what they need.
    let mut code: Vec<u8> = (0..rng.random_range(0..34)).map(|_| rng.random_range(16..=255)).collect();
    let operations = rng.random_range(0..40);
    code.extend(
        (0..operations).map(|_| if chance(rng, 30) { rng.random() } else { rng.random_range(0..13) }),
    );
    if chance(rng, 10) {
        code.push(13);
    }
    code
}

fn text(rng: &mut ChaCha8Rng) -> Vec<u8> {
    match rng.random_range(0..6) {
        0 => vec![],
        1 => {
            let len = rng.random_range(0..50);
            bytes(rng, len)
        }
        2 => "long ".repeat(rng.random_range(10..200)).into_bytes(),
        _ => "Grüße, 世界 🦀".as_bytes()[..one(rng, &[2, 3, 4, 9, 12, 15, 18, 20])].to_vec(),
    }
}

/// Addresses around everything that is mapped.
fn somewhere(rng: &mut ChaCha8Rng) -> u64 {
    let region = one(rng, &[0u64, 1, 1, 2, 2, 3, 3, 4, 4, 5]) << 32;
    let offset = match rng.random_range(0..4) {
        0 => 0,
        1 => rng.random_range(0..64),
        2 => one(rng, &[0xfff, 0x1000, 0x1001, 0x2000, 0x7ff8, 0x7ffc, 0x8000, 0x40_000, 0x7f_fff]),
        _ => rng.random::<u32>().into(),
    };
    (region + offset).wrapping_sub(u64::from(chance(rng, 10)))
}

fn faults(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let kind = rng.random_range(0..13);
    let [a, b]: [u64; 2] = match kind {
        0 => {
            let low = one(rng, &[0, 1, 42, u32::MAX.into()]);
            let errors = rng.random_range(0..30u64) << 32;
            let any = rng.random();
            [one(rng, &[low, errors, errors, errors | low, any]), 0]
        }
        2 => [rng.random(), rng.random::<u16>().into()],
        3 | 11 => [somewhere(rng), one(rng, &[0, 1, 8, 100, 5000, u64::MAX, 1 << 63])],
        6 | 7 => [rng.random(), one(rng, &[0, 1, 3, u64::MAX])],
        8 => [rng.random(), 0],
        _ => [somewhere(rng), rng.random()],
    };
    [&[kind][..], &a.to_le_bytes(), &b.to_le_bytes()].concat()
}

fn widths(slots: &[Slot], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let end = length(slots) as u32;
    steps(rng, |rng| {
        let what = one(rng, &[0u8, 1, 2]) << 4 | rng.random_range(0..8);
        let what = if chance(rng, 20) { 3 << 4 | rng.random_range(0..5) } else { what };
        let near = [0, 1, 7, 8, end / 2, end.wrapping_sub(8), end.wrapping_sub(1), end, end + 10_240];
        let near = match what >> 4 {
            0 => one(rng, &near),
            2 => one(rng, &[0, 9, 32 * 1024 - 8, 32 * 1024 - 7, 32 * 1024]),
            _ => rng.random_range(0..16),
        };
        let offset = if chance(rng, 90) { near } else { rng.random() };
        let value: u32 = rng.random();
        [&[what, 0, 0, 0][..], &offset.to_le_bytes(), &value.to_le_bytes()].concat()
    })
}

fn resize(slots: &[Slot], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let most = slots.len() + usize::from(chance(rng, 5));
    let count = rng.random_range(0..=most);
    let lengths = (0..count).flat_map(|number| {
        let old = length(slots.get(number..).unwrap_or_default()) as u32;
        let growth = [0, 1, 8, 100, 10_239, 10_240, 10_241].map(|more| old + more);
        let length = match rng.random_range(0..10) {
            0..=4 => one(rng, &growth),
            5 | 6 => old - old.min(one(rng, &[1, 8, 100, 1000])),
            7 => one(rng, &[10_485_760, 10_485_761, u32::MAX]),
            _ => old,
        };
        // What lies behind the growth an account may have is not filled, else that alone is what fails.
        let filler = if length <= old + 10_240 { one(rng, &[0, 0, 7]) } else { 0 };
        [&length.to_le_bytes()[..], &[filler]].concat()
    });
    lengths.collect()
}

fn amount(slots: &[Slot], rng: &mut ChaCha8Rng) -> u64 {
    let account = slots.iter().filter_map(|slot| slot.account.as_ref()).choose(rng);
    let lamports = account.map_or(0, |account| account.lamports);
    let some = rng.random_range(0..1_000_000);
    one(rng, &[0, 1, some, some, lamports, lamports + 1, lamports / 2, u64::MAX, 1 << 63])
}

fn memory(slots: &[Slot], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let end = length(slots);
    steps(rng, |rng| {
        let what = rng.random_range(0..4u8);
        let absolute = chance(rng, 25);
        let length = match rng.random_range(0..8) {
            0 => one(rng, &[0, 1, 8, 2500, 10_240, 10_241, u64::MAX, 1 << 63]),
            _ => rng.random_range(0..=end / 2 + 1),
        };
        let [to, from] = [(); 2].map(|()| match absolute {
            true => somewhere(rng),
            false => rng.random_range(0..=end),
        });
        let what = what | u8::from(absolute) << 4;
        [&[what, 0, 0, 0][..], &to.to_le_bytes(), &from.to_le_bytes(), &length.to_le_bytes()].concat()
    })
}
