//! Memos.

use rand::Rng;
use solana_address::Address;

use super::{chance, key, one, wallet};
use crate::{
    generate::bytes,
    transaction::{Draft, Slot},
};

const TEXTS: [&str; 8] =
    ["", "a", "memo", "Grüße", "世界", "🦀🦀", "a line\nand another", "quotes \" and \\ slashes \t"];

/// A memo: text, rarely not quite, and up to five accounts that should sign.
pub fn memo(program: Address, rng: &mut impl Rng) -> Draft {
    let mut data = match rng.random_range(0..10) {
        0..=4 => one(rng, &TEXTS).as_bytes().to_vec(),
        5 => "🦀 é ".repeat(rng.random_range(1..60)).into_bytes(),
        6 => {
            let len = rng.random_range(1..900);
            "x".repeat(len).into_bytes()
        }
        7 => {
            let len = rng.random_range(1..40);
            bytes(rng, len)
        }
        _ => one(rng, &INVALID).to_vec(),
    };
    let mut changes = Vec::new();
    if std::str::from_utf8(&data).is_err() {
        changes.push("text that is none".into());
    } else if chance(rng, 15) && !data.is_empty() {
        data.truncate(rng.random_range(0..data.len()));
        changes.push("text cut anywhere".into());
    }
    let slots = (0..one(rng, &[0, 0, 1, 1, 2, 3, 5])).map(|number| {
        let account = chance(rng, 80).then(|| wallet(1_000_000_000));
        let slot =
            Slot { writable: chance(rng, 30), ..Slot::read(key(&format!("signer {number}")), account) };
        if chance(rng, 80) { slot.signing() } else { slot }
    });
    let slots: Vec<_> = slots.collect();
    if slots.iter().any(|slot| !slot.signer) {
        changes.push("not every account signs".into());
    }
    Draft { changes, ..Draft::new("Memo", program, slots, data) }
}

/// Bytes that are not UTF-8, for different reasons.
const INVALID: [&[u8]; 8] = [
    b"\xff",
    b"ab\xc3",
    b"\xc0\xaf",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xe4\xb8",
    b"ok \x80 not",
    b"\xf0\x82\x82\xac",
];
