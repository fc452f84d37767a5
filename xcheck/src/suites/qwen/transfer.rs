//! p-token's `TransferChecked` on the checkpoint.

use std::time::Instant;

use anyhow::{Context, ensure};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use svmllm::{
    export::qwen::{
        Checkpoint,
        draft::{End, draft},
        prompt::Start,
        run::Model,
        shape::Shape,
        tokens::{Token, Vocabulary},
    },
    host::{
        Ended, Environment, Machine, Mode, Program, Setup,
        elf::{self, LoadOptions},
    },
    tables::{Indexed, Weights},
};

use crate::{case::INPUT_ADDRESS, elf::shipped};

/// A token account of p-token's layout.
fn token_account(mint: &[u8; 32], owner: &[u8; 32], amount: u64) -> Vec<u8> {
    let mut data = [&mint[..], owner, &amount.to_le_bytes()].concat();
    data.resize(165, 0);
    data[108] = 1; // Initialized.
    data
}

/// p-token's `TransferChecked` between two accounts of one mint: the program, and what a validator gives it.
fn token_transfer(seed: u64) -> anyhow::Result<(Program, Setup)> {
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
    Ok((program, Setup { input, registers: vec![(2, address)], ..Setup::default() }))
}

/// Runs p-token's transfer on the checkpoint of a shape, and compares every token with the machine's trace.
///
/// # Errors
/// The program cannot be loaded or run.
pub fn transfer(shape: Shape, seed: u64) -> anyhow::Result<Value> {
    let (program, setup) = token_transfer(seed)?;
    let evaluator = Indexed::new(&Weights::generate())?;
    let mut machine = Machine::new(&evaluator, &program, &setup, &Environment::default(), Mode::Lazy)?;
    let mut states = Vec::new();
    let ended = loop {
        states.push(machine.registers()?);
        if let Some(ended) = machine.step()? {
            break ended.clone();
        }
    };
    ensure!(ended == Ended::Exit(0), "the transfer ended with {ended:?}");
    let mut start = Start::new(&program, &setup)?;
    start.keep_touched(&states);
    let vocabulary = Vocabulary::new(&shape);
    let ids =
        |tokens: Vec<Token>| tokens.into_iter().filter_map(|token| vocabulary.id(token)).collect::<Vec<_>>();
    let prompt = ids(start.prompt(&shape)?);
    let expected = ids(draft(&shape, &program.text, &states, End::Result));
    let checkpoint = Checkpoint::build(shape)?;
    let model = Model::new(&checkpoint)?;
    let started = Instant::now();
    let answer = model.generate(&prompt, expected.len() + 8, |token| vocabulary.token(token) == Token::End);
    let seconds = started.elapsed().as_secs_f64();
    let differ =
        answer.iter().zip(&expected).filter(|(x, y)| x != y).count() + answer.len().abs_diff(expected.len());
    Ok(json!({
        "program": "p-token TransferChecked", "shape": model.shape().name, "instructions": states.len(),
        "prompt_tokens": prompt.len(), "tokens": expected.len(), "tokens_that_differ": differ,
        "tokens_a_second": ((prompt.len() + answer.len()) as f64 / seconds).round(),
        "prompt": prompt, "answer": answer,
    }))
}
