//! The System Program.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use solana_address::Address;
use solana_hash::Hash;
use solana_instruction::Instruction;
use solana_nonce::{
    state::{Data, DurableNonce, State},
    versions::Versions,
};
use solana_sdk_ids::{system_program, sysvar};
use solana_system_interface::instruction::SystemInstruction;

use crate::both::{Both, account, meta, pick, random, random_address};

const SEEDS: [&str; 4] =
    ["", "seed", "a seed of thirty-two characters!", "one character more than thirty-two"];

/// Addresses to choose from, and what lies there.
fn pool(random: &mut ChaCha8Rng) -> Vec<Address> {
    let mut pool: Vec<Address> = (0..5).map(|_| random_address(random)).collect();
    let base = pool[0];
    for seed in &SEEDS[..3] {
        for owner in [system_program::ID, pool[1]] {
            pool.push(Address::create_with_seed(&base, seed, &owner).unwrap());
        }
    }
    pool
}

fn nonce(random: &mut ChaCha8Rng, authority: Address, both: &Both) -> Vec<u8> {
    let blockhash =
        pick(random, &[both.lite.latest_blockhash(), Hash::new_from_array([3; 32]), Hash::default()]);
    let data = Data::new(authority, DurableNonce::from_blockhash(&blockhash), 5000);
    let state = pick(random, &[0, 1, 2]);
    let state = if state == 0 { State::Uninitialized } else { State::Initialized(data) };
    let versions = match random.random_range(0..3) {
        0 => Versions::Legacy(Box::new(state)),
        _ => Versions::Current(Box::new(state)),
    };
    let mut bytes = wincode::serialize(&versions).unwrap();
    bytes.resize(pick(random, &[80, 80, 80, 79, 81, bytes.len()]), 0);
    bytes
}

fn fill(random: &mut ChaCha8Rng, both: &mut Both, pool: &[Address]) {
    for address in pool {
        let lamports = pick(random, &[0, 1, 890_880, 1_447_680, 1_000_000_000, u64::MAX / 2, u64::MAX]);
        let owner = pick(random, &[system_program::ID, system_program::ID, system_program::ID, pool[1]]);
        let data = match random.random_range(0..5) {
            0 | 1 => Vec::new(),
            2 => vec![0; random.random_range(1..20)],
            _ => {
                let authority = pick(random, pool);
                nonce(random, authority, both)
            }
        };
        both.set_account(*address, account(lamports, data, owner));
    }
}

fn instruction(random: &mut ChaCha8Rng, pool: &[Address]) -> SystemInstruction {
    let lamports =
        pick(random, &[0, 1, 890_880, 1_447_680, 5_000_000, 1_000_000_000, u64::MAX / 2, u64::MAX]);
    let space = pick(random, &[0, 1, 80, 1000, 10 << 20, (10 << 20) + 1, 1 << 32, u64::MAX]);
    let marked = Address::new_from_array(*b"xxxxxxxxxxxProgramDerivedAddress");
    let owner = pick(random, &[system_program::ID, pool[1], pool[2], marked]);
    let base = pick(random, &[pool[0], pool[0], pool[3]]);
    let seed = pick(random, &SEEDS).to_string();
    let authority = pick(random, pool);
    match random.random_range(0..14) {
        0 => SystemInstruction::CreateAccount { lamports, space, owner },
        1 => SystemInstruction::Assign { owner },
        2 => SystemInstruction::Transfer { lamports },
        3 => SystemInstruction::CreateAccountWithSeed { base, seed, lamports, space, owner },
        4 => SystemInstruction::AdvanceNonceAccount,
        5 => SystemInstruction::WithdrawNonceAccount(lamports),
        6 => SystemInstruction::InitializeNonceAccount(authority),
        7 => SystemInstruction::AuthorizeNonceAccount(authority),
        8 => SystemInstruction::Allocate { space },
        9 => SystemInstruction::AllocateWithSeed { base, seed, space, owner },
        10 => SystemInstruction::AssignWithSeed { base, seed, owner },
        11 => SystemInstruction::TransferWithSeed { lamports, from_seed: seed, from_owner: owner },
        12 => SystemInstruction::UpgradeNonceAccount,
        _ => SystemInstruction::CreateAccountAllowPrefund { lamports, space, owner },
    }
}

/// An instruction with accounts that mostly fit.
fn random_instruction(random: &mut ChaCha8Rng, pool: &[Address]) -> Instruction {
    let instruction = instruction(random, pool);
    let mut data = wincode::serialize(&instruction).unwrap();
    match random.random_range(0..20) {
        0 => data.truncate(random.random_range(0..=data.len())),
        1 => data.push(1),
        2 => data[0] = random.random(),
        _ => {}
    }
    let mut keys: Vec<Address> = (0..4).map(|_| pick(random, pool)).collect();
    let sysvars = [sysvar::recent_blockhashes::ID, sysvar::rent::ID];
    match instruction {
        SystemInstruction::AdvanceNonceAccount => keys[1] = sysvars[0],
        SystemInstruction::InitializeNonceAccount(_) => keys[1..3].copy_from_slice(&sysvars),
        SystemInstruction::WithdrawNonceAccount(_) => keys[2..4].copy_from_slice(&sysvars),
        _ => {}
    }
    if random.random_range(0..10) == 0 {
        keys.truncate(random.random_range(0..4));
    }
    let accounts = keys.into_iter().map(|key| {
        meta(key, random.random_range(0..5) != 0 && pool.contains(&key), random.random_range(0..8) != 0)
    });
    Instruction { program_id: system_program::ID, accounts: accounts.collect(), data }
}

#[test]
fn random_instructions() {
    let mut random = random(11);
    let mut succeeded = 0;
    for round in 0..60 {
        let mut both = Both::unchecked();
        let pool = pool(&mut random);
        let payer = random_address(&mut random);
        fill(&mut random, &mut both, &pool);
        both.set_account(payer, account(10_000_000_000, Vec::new(), system_program::ID));
        for step in 0..25 {
            let count = random.random_range(1..3);
            let instructions: Vec<_> = (0..count).map(|_| random_instruction(&mut random, &pool)).collect();
            let what = format!("round {round}, step {step}");
            succeeded += u32::from(both.run(&what, payer, &instructions).is_ok());
            if random.random_range(0..10) == 0 {
                both.lite.expire_blockhash();
                both.svm.expire_blockhash();
            }
        }
    }
    assert!(succeeded > 40, "{succeeded}");
}
