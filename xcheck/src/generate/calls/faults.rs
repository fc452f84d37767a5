//! Single calls with something wrong in them, or something special.

use std::collections::BTreeMap;

use rand::{Rng, seq::IteratorRandom};
use rand_chacha::ChaCha8Rng;
use solana_address::Address;
use solana_instruction::AccountMeta;
use svmllm::host::{HEAP_ADDRESS, INPUT_ADDRESS, STACK_ADDRESS};

use super::{
    Call, Laid, PROGRAM_ADDRESS, Plan,
    scene::{DERIVED, Field, MINE, Poke, Scene, THEIRS},
    shapes::Shape,
};
pub use super::{descriptions::CALLS, shapes::SHAPES};
use crate::generate::spl::{chance, one};

/// How a case is told to run.
pub struct Made {
    /// What is wrong or special, in words.
    pub name: String,
    /// The accounts and programs.
    pub scene: Scene,
    /// What the caller's instruction lists.
    pub accounts: Vec<AccountMeta>,
    /// Its data.
    pub data: Vec<u8>,
}

/// Something done to a call.
pub type Change<T> = fn(&mut T, &mut ChaCha8Rng);

/// A call with something wrong or special: a shape, a description, and a word in memory if asked for.
pub fn make(
    shape: Option<usize>,
    description: Option<usize>,
    word: bool,
    rng: &mut ChaCha8Rng,
    lengths: &BTreeMap<Address, u64>,
) -> Made {
    let mut names: Vec<String> = Vec::new();
    let mut made = Shape::new(rng, lengths);
    if let Some(number) = shape {
        let (name, change) = SHAPES[number];
        change(&mut made, rng);
        names.push(name.into());
    }
    let Shape { scene, outer, inner, program, data, before, after, inside, callee, calls, shows } = made;
    let data = data.unwrap_or_else(|| {
        let mut plan = Plan::default();
        let places = scene.places(scene.callers[1], &inner);
        plan.poke(&inside, &inner, &places);
        plan.then(callee);
        if shows {
            plan.show(&[(places[0].lamports, 16 + places[0].length), (places[1].lamports, 56)]);
        }
        plan.encode()
    });
    let caller = scene.callers[0];
    let places = scene.places(caller, &outer);
    let rust = rng.random();
    let mut call = Call::new(rust, program, &inner, data, &outer, &places);
    call.signers.push(scene.derived[0].1.clone());
    for Poke { account, field, value } in &before {
        // What is written over a length, the interface is told as well, mostly.
        if let (Field::Length, Some(number)) =
            (field, outer.iter().position(|meta| meta.pubkey == *account).filter(|_| chance(rng, 80)))
        {
            call.infos[number].place.length = *value;
        }
    }
    if let Some(number) = description {
        let (name, change) = CALLS[number];
        change(&mut call, rng);
        names.push(name.into());
    }
    let mut plan = Plan::default();
    plan.poke(&before, &outer, &places);
    let mut laid = call.lay(&mut plan);
    if word {
        names.push(spoil(&mut laid, &mut plan, rng));
    }
    plan.call(rust, laid.registers);
    if calls != 1 {
        plan.repeat(1, calls - 1);
    }
    if shows {
        plan.show(&[(places[MINE].lamports, 64), (places[THEIRS].lamports, 48), (places[DERIVED].owner, 48)]);
        plan.show_returned();
        plan.show_sibling(rng.random_range(0..3));
    }
    plan.poke(&after, &outer, &places);
    if shows {
        plan.show(&[(places[MINE].lamports, 64), (places[THEIRS].lamports, 48)]);
    }
    Made { name: names.join(", "), scene, accounts: outer, data: plan.encode() }
}

/// Spoils a word or a register of the description.
fn spoil(laid: &mut Laid, plan: &mut Plan, rng: &mut ChaCha8Rng) -> String {
    const REGISTERS: [&str; 5] = ["instruction", "infos", "number of infos", "signers", "number of signers"];
    let (name, at) = if chance(rng, 25) {
        let register = rng.random_range(0..5);
        (REGISTERS[register], Err(register))
    } else {
        let (name, places) = laid.words.iter().choose(rng).expect("there are words");
        (*name, Ok(*places.iter().choose(rng).expect("there is one")))
    };
    let old = match at {
        Ok(at) => u64::from_le_bytes(*plan.heap[at..].first_chunk().expect("a word")),
        Err(register) => laid.registers[register],
    };
    let bit = 1 << rng.random_range(0..64);
    let values = [
        0,
        0,
        1,
        old.wrapping_add(1),
        old.wrapping_sub(1),
        old.wrapping_add(8),
        old.wrapping_sub(8),
        old ^ bit,
        PROGRAM_ADDRESS,
        STACK_ADDRESS,
        HEAP_ADDRESS,
        HEAP_ADDRESS + 32 * 1024 - 8,
        HEAP_ADDRESS + 32 * 1024,
        INPUT_ADDRESS,
        INPUT_ADDRESS - 8,
        INPUT_ADDRESS + 8,
        u64::MAX,
        1 << 63,
        (1 << 63) - 1,
        1 << 60,
        255,
        256,
    ];
    let new = one(rng, &values);
    match at {
        Ok(at) => plan.heap[at..at + 8].copy_from_slice(&new.to_le_bytes()),
        Err(register) => laid.registers[register] = new,
    }
    name.into()
}
