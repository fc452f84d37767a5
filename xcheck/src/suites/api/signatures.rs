//! Programs that check signatures, and programs a machine may not have.

use anyhow::ensure;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use solana_hash::Hash;
use solana_instruction::Instruction;
use solana_sdk_ids::{ed25519_program, secp256k1_program, secp256r1_program};
use solana_signer::Signer;
use solana_system_interface::instruction::transfer;

use super::bodies::{keypair, signed};
use crate::{
    bank::{Bank, Watched},
    generate::{
        bytes,
        spl::{chance, key, one, wallet},
    },
};

/// Offsets of a signature, a key and a message in the data of an instruction.
fn offsets(values: [u16; 7]) -> Vec<u8> {
    values.into_iter().flat_map(u16::to_le_bytes).collect()
}

/// A right instruction of the ed25519 program.
fn ed25519(rng: &mut ChaCha8Rng) -> Instruction {
    let signer = keypair(rng);
    let length = rng.random_range(0..40);
    let message = bytes(rng, length);
    let own = u16::MAX;
    let mut data = vec![1, 0];
    data.extend(offsets([48, own, 16, own, 112, length as u16, own]));
    data.extend(signer.pubkey().to_bytes());
    data.extend(signer.sign_message(&message).as_ref());
    data.extend(message);
    Instruction { program_id: ed25519_program::ID, accounts: vec![], data }
}

/// A right instruction of the secp256k1 program: a signature made by a known key of a known message, as the
/// program's own documentation lays it out.
fn secp256k1(rng: &mut ChaCha8Rng) -> Instruction {
    let secret = k256::ecdsa::SigningKey::from_slice(&[rng.random_range(1..255); 32]).expect("a key");
    let length = rng.random_range(0..40);
    let message = bytes(rng, length);
    let hash = <sha3::Keccak256 as sha3::Digest>::digest(&message);
    let (signature, recovery) = secret.sign_prehash_recoverable(&hash).expect("it signs");
    let point = secret.verifying_key().to_encoded_point(false);
    let address = <sha3::Keccak256 as sha3::Digest>::digest(&point.as_bytes()[1..]);
    let mut data = vec![1];
    let number = |value: usize| (value as u16).to_le_bytes();
    data.extend(number(32));
    data.push(0);
    data.extend(number(12));
    data.push(0);
    data.extend(number(97));
    data.extend(number(length));
    data.push(0);
    data.extend(&address[12..]);
    data.extend(signature.to_bytes());
    data.push(recovery.to_byte());
    data.extend(message);
    Instruction { program_id: secp256k1_program::ID, accounts: vec![], data }
}

/// A right instruction of the secp256r1 program.
fn secp256r1(rng: &mut ChaCha8Rng) -> Instruction {
    use p256::ecdsa::{Signature, SigningKey, signature::Signer as _};

    let secret = SigningKey::from_slice(&[rng.random_range(1..255); 32]).expect("a key");
    let length = rng.random_range(0..40);
    let message = bytes(rng, length);
    let signature: Signature = secret.sign(&message);
    let signature = signature.normalize_s().unwrap_or(signature);
    let own = u16::MAX;
    let mut data = vec![1, 0];
    data.extend(offsets([49, own, 16, own, 113, length as u16, own]));
    data.extend(secret.verifying_key().to_encoded_point(true).as_bytes());
    data.extend(signature.to_bytes());
    data.extend(message);
    Instruction { program_id: secp256r1_program::ID, accounts: vec![], data }
}

/// A right signature passes, one with a changed byte does not, and each costs a fee.
pub(super) fn signatures<B: Bank>(rng: &mut ChaCha8Rng) -> anyhow::Result<Watched<B>> {
    let mut bank = Watched::<B>::new().with_blockhash_check(false);
    let payer = keypair(rng);
    ensure!(bank.set_account(payer.pubkey(), wallet(10_000_000_000)).is_ok());
    for make in [ed25519, secp256k1, secp256r1] {
        let right = make(rng);
        let sent = bank.send_transaction(signed(std::slice::from_ref(&right), &[&payer], Hash::default()));
        ensure!(sent.as_ref().is_ok_and(|meta| meta.fee == 10_000), "{}: {sent:?}", right.program_id);
        for _ in 0..12 {
            let mut wrong = right.clone();
            match rng.random_range(0..5) {
                0 => wrong.data.truncate(rng.random_range(0..wrong.data.len())),
                1 => wrong.data[0] = one(rng, &[0, 2, 255]),
                2 => wrong.data.push(rng.random()),
                _ => {
                    let place = rng.random_range(0..wrong.data.len());
                    wrong.data[place] ^= 1 << rng.random_range(0..8);
                }
            }
            let mut instructions = vec![wrong];
            if chance(rng, 40) {
                let pay = transfer(&payer.pubkey(), &key("to"), 890_880);
                instructions.insert(usize::from(chance(rng, 50)), pay);
            }
            let _ = bank.send_transaction(signed(&instructions, &[&payer], Hash::default()));
        }
    }
    Ok(bank)
}
