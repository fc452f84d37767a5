//! Token-2022's instructions for extensions of mints and accounts, those that call no other program.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use solana_address::Address;

use super::{
    chance, key, one,
    state::{Holding, standing},
    token::Scene,
};
use crate::transaction::{Draft, Slot};

/// The names of the instructions.
pub const NAMES: [&str; 14] = [
    "InitializeMintCloseAuthority",
    "TransferFee Initialize",
    "DefaultAccountState Initialize",
    "DefaultAccountState Update",
    "MemoTransfer Enable",
    "MemoTransfer Disable",
    "InitializeNonTransferableMint",
    "InterestBearing Initialize",
    "InterestBearing Update",
    "CpiGuard Enable",
    "CpiGuard Disable",
    "InitializePermanentDelegate",
    "MetadataPointer Initialize",
    "Pausable Initialize",
];

/// Where extensions start: behind the length of a token account and a byte that says what the account is.
const START: usize = Holding::LEN + 1;
/// What that byte says of a mint and of a token account.
const KINDS: [u8; 2] = [1, 2];

/// An instruction as the program wants it, or nearly.
///
/// # Panics
/// Panics if no instruction has this number.
pub fn instruction(program: Address, number: usize, rng: &mut ChaCha8Rng) -> Draft {
    let mut scene = Scene::new(program, rng);
    let authority = key("authority").to_bytes();
    let (slots, data) = match number {
        0 => {
            let close = scene.option("closer");
            (vec![new_mint(&mut scene, 32)], [vec![25], close].concat())
        }
        1 => {
            let (config, withdraw) = (scene.option("authority"), scene.option("authority"));
            let points: u16 = scene.rng.random_range(0..11_000);
            let most = scene.part(1000).to_le_bytes();
            let data = [&[26, 0][..], &config, &withdraw, &points.to_le_bytes(), &most].concat();
            (vec![new_mint(&mut scene, 108)], data)
        }
        2 => (vec![new_mint(&mut scene, 1)], vec![28, 0, scene.rng.random_range(0..4)]),
        3 => {
            let state = one(scene.rng, &[0, 1, 1, 2, 2, 3]);
            let mut slots = vec![mint(&scene, 6, &[standing::FROZEN])];
            slots.append(&mut scene.authority(key("freezer")));
            (slots, vec![28, 1, state])
        }
        4 | 5 | 9 | 10 => {
            let (tag, extension) = if number < 9 { (30, 8) } else { (34, 11) };
            let present = chance(scene.rng, 50);
            let mut slots = vec![holding(&mut scene, extension, present)];
            slots.append(&mut scene.authority(scene.source.owner));
            (slots, vec![tag, u8::from(matches!(number, 5 | 10))])
        }
        6 => (vec![new_mint(&mut scene, 0)], vec![32]),
        7 => {
            let rate: i16 = scene.rng.random();
            (vec![new_mint(&mut scene, 52)], [&[33, 0][..], &authority, &rate.to_le_bytes()].concat())
        }
        8 => {
            let rate: i16 = scene.rng.random();
            let config = [&authority[..], &[0; 20]].concat();
            let mut slots = vec![mint(&scene, 10, &config)];
            slots.append(&mut scene.authority(key("authority")));
            (slots, [&[33, 1][..], &rate.to_le_bytes()].concat())
        }
        11 => (vec![new_mint(&mut scene, 32)], [&[35][..], &authority].concat()),
        12 => {
            let address = one(scene.rng, &[[0; 32], key("metadata").to_bytes()]);
            (vec![new_mint(&mut scene, 64)], [&[39, 0][..], &authority, &address].concat())
        }
        13 => (vec![new_mint(&mut scene, 33)], [&[44, 0][..], &authority].concat()),
        _ => panic!("no instruction {number}"),
    };
    Draft::new(NAMES[number], program, slots, data)
}

/// A blank account with room for a mint and one extension of `len` bytes.
fn new_mint(scene: &mut Scene, len: usize) -> Slot {
    scene.blank("new mint", START + 4 + len)
}

/// Puts an extension behind what an account holds already.
fn extended(slot: Slot, program: Address, kind: u8, extension: u16, value: &[u8]) -> Slot {
    let mut data = slot.account.expect("it has one").data;
    data.resize(Holding::LEN, 0);
    data.push(kind);
    data.extend(extension.to_le_bytes());
    data.extend((value.len() as u16).to_le_bytes());
    data.extend(value);
    Slot { account: Some(super::account(program, data)), ..slot }
}

fn mint(scene: &Scene, extension: u16, value: &[u8]) -> Slot {
    extended(scene.mint(true), scene.program, KINDS[0], extension, value)
}

/// A token account with an extension of one byte, or with room for it.
fn holding(scene: &mut Scene, extension: u16, present: bool) -> Slot {
    let value = scene.rng.random_range(0..2);
    let slot = extended(scene.source(), scene.program, KINDS[1], extension, &[value]);
    if present {
        return slot;
    }
    let mut account = slot.account.expect("it has one");
    account.data[START..].fill(0);
    Slot { account: Some(account), ..slot }
}
