//! p-token's `TransferChecked`.

use anyhow::Context;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use svmllm::host::elf::{self, LoadOptions};

use super::{NAME, examples::Named};
use crate::{
    case::{Case, CaseId, INPUT_ADDRESS},
    elf::shipped,
};

/// The example's name.
pub(super) const TRANSFER: &str = "token-transfer";

/// A token account of p-token's layout.
fn token_account(mint: &[u8; 32], owner: &[u8; 32], amount: u64) -> Vec<u8> {
    let mut data = [&mint[..], owner, &amount.to_le_bytes()].concat();
    data.resize(165, 0);
    data[108] = 1; // Initialized.
    data
}

/// p-token's `TransferChecked` between two accounts of one mint, with what a validator gives it.
pub(super) fn case(seed: u64) -> anyhow::Result<Named> {
    const FILE: &str = "litesvm/pinocchio_token_program.so";
    const SYSTEM: [u8; 32] = [0; 32];
    let file = shipped()?.into_iter().find(|file| file.name == FILE).context(FILE)?;
    let program = elf::load(&file.bytes, &LoadOptions::execution())?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let [token, mint, source, destination, owner, receiver] =
        std::array::from_fn(|_| rng.random::<[u8; 32]>());
    let amount = 1_000_000_u64;
    let mut mint_data = vec![0; 82];
    mint_data[36..44].copy_from_slice(&(50 * amount).to_le_bytes());
    mint_data[44..46].copy_from_slice(&[6, 1]); // Decimals, initialized.
    let accounts = [
        (&source, &token, [0, 1], token_account(&mint, &owner, 3 * amount)),
        (&mint, &token, [0, 0], mint_data),
        (&destination, &token, [0, 1], token_account(&mint, &receiver, 7)),
        (&owner, &SYSTEM, [1, 0], Vec::new()),
    ];
    // As Agave serializes: with room to grow and padding to 8 bytes.
    let mut input = (accounts.len() as u64).to_le_bytes().to_vec();
    for (key, program, [signer, writable], data) in accounts {
        input.extend([0xff, signer, writable, 0, 0, 0, 0, 0]);
        input.extend([&key[..], program].concat());
        input.extend([2_039_280_u64.to_le_bytes(), (data.len() as u64).to_le_bytes()].concat());
        input.extend(&data);
        input.resize((input.len() + 10_240).next_multiple_of(8), 0);
        input.extend(u64::MAX.to_le_bytes());
    }
    let instruction = [&[12][..], &amount.to_le_bytes(), &[6]].concat();
    input.extend((instruction.len() as u64).to_le_bytes());
    let address = INPUT_ADDRESS + input.len() as u64;
    input.extend(instruction);
    input.extend(token);
    let case = Case {
        id: CaseId { suite: NAME, seed, index: 0 },
        program,
        input,
        heap: 0,
        budget: 10_000,
        registers: vec![(2, address)],
        memory: Vec::new(),
    };
    Ok(Named { name: TRANSFER.to_owned(), case, file: Some(file.bytes) })
}
