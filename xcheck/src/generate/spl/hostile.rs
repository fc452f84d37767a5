//! Ways to spoil an instruction.

use rand::{Rng, seq::IteratorRandom};
use rand_chacha::ChaCha8Rng;
use solana_address::Address;

use super::{
    MEMO, PAYER, TOKEN, TOKEN_2022, account, chance, key, one,
    state::{Holding, Mint, Multisig},
};
use crate::transaction::{Draft, Slot};

/// Spoils an instruction in some way; says in its `changes` how.
pub fn spoil(draft: &mut Draft, rng: &mut ChaCha8Rng) {
    // Not every way fits every instruction.
    for _ in 0..20 {
        let done = match rng.random_range(0..3) {
            0 => list(draft, rng),
            1 => contents(draft, rng),
            _ if chance(rng, 50) => token(draft, rng),
            _ => data(draft, rng),
        };
        if let Some(change) = done {
            draft.changes.push(change);
            return;
        }
    }
}

/// The number of some account for which `fits`.
fn slot(draft: &Draft, rng: &mut ChaCha8Rng, fits: impl Fn(&Slot) -> bool) -> Option<usize> {
    (0..draft.slots.len()).filter(|&i| fits(&draft.slots[i])).choose(rng)
}

/// Changes which accounts are listed, and how.
fn list(draft: &mut Draft, rng: &mut ChaCha8Rng) -> Option<String> {
    let any = slot(draft, rng, |_| true)?;
    Some(match rng.random_range(0..10) {
        0 | 1 => {
            let i = slot(draft, rng, |slot| slot.signer)?;
            draft.slots[i].signer = false;
            format!("account {i} does not sign")
        }
        2 => {
            let i = slot(draft, rng, |slot| slot.writable)?;
            draft.slots[i].writable = false;
            format!("account {i} is read-only")
        }
        3 => {
            let i = slot(draft, rng, |slot| !slot.signer)?;
            draft.slots[i].signer = true;
            format!("account {i} signs")
        }
        4 => {
            draft.slots.remove(any);
            format!("account {any} is left out")
        }
        5 => {
            draft.slots.truncate(any);
            format!("only {any} accounts")
        }
        6 => {
            let other = slot(draft, rng, |_| true)?;
            draft.slots[any] = draft.slots[other].clone();
            format!("account {any} is account {other} again")
        }
        7 => {
            let other = slot(draft, rng, |_| true)?;
            draft.slots.swap(any, other);
            format!("accounts {any} and {other} swapped")
        }
        8 => {
            let extra = one(rng, &[PAYER, MEMO, key("stranger")]);
            let at = rng.random_range(0..=draft.slots.len());
            draft.slots.insert(at, Slot { signer: chance(rng, 30), ..Slot::read(extra, None) });
            format!("{extra} before account {at}")
        }
        _ => {
            let bit = rng.random_range(0..256);
            let mut bytes = draft.slots[any].address.to_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            draft.slots[any].address = Address::new_from_array(bytes);
            format!("bit {bit} of account {any}'s address")
        }
    })
}

/// Changes what an account holds, whatever that is.
fn contents(draft: &mut Draft, rng: &mut ChaCha8Rng) -> Option<String> {
    let i = slot(draft, rng, |slot| slot.account.is_some())?;
    let slot = &mut draft.slots[i];
    let account = slot.account.as_mut()?;
    Some(match rng.random_range(0..8) {
        0 | 1 => {
            account.owner = one(rng, &[TOKEN, TOKEN_2022, Address::default(), key("stranger")]);
            format!("account {i} is owned by {}", account.owner)
        }
        2 => {
            account.data.fill(0);
            format!("account {i} is all zeros")
        }
        3 => {
            let len = account.data.len();
            let lengths = [0, 1, len.saturating_sub(1), len + 1, Mint::LEN, Holding::LEN, Multisig::LEN, 170];
            account.data.resize(one(rng, &lengths), 0);
            format!("account {i} has {} bytes", account.data.len())
        }
        4 => {
            slot.account = None;
            format!("account {i} does not exist")
        }
        5 => {
            account.lamports =
                one(rng, &[0, 1, account.lamports / 2, account.lamports.saturating_sub(1), u64::MAX / 2]);
            format!("account {i} has {} lamports", account.lamports)
        }
        6 => {
            let at = (0..account.data.len()).choose(rng)?;
            account.data[at] = rng.random();
            format!("byte {at} of account {i} is {}", account.data[at])
        }
        _ => {
            let other = one(rng, &[Mint::LEN, Holding::LEN, Multisig::LEN]);
            *account = self::account(account.owner, super::super::bytes(rng, other));
            format!("account {i} is {other} random bytes")
        }
    })
}

/// Changes a field of a mint, a token account or a multisig account.
fn token(draft: &mut Draft, rng: &mut ChaCha8Rng) -> Option<String> {
    let packed = |slot: &Slot| {
        slot.account.as_ref().is_some_and(|account| match account.data.len() {
            Mint::LEN | Holding::LEN | Multisig::LEN => true,
            len => len > Holding::LEN,
        })
    };
    let i = slot(draft, rng, packed)?;
    let data = &mut draft.slots[i].account.as_mut()?.data;
    let fields: &[(&str, usize, usize)] = match data.len() {
        Mint::LEN => &[
            ("authority present", 0, 1),
            ("authority", 4, 32),
            ("supply", 36, 8),
            ("decimals", 44, 1),
            ("initialized", 45, 1),
            ("freezer present", 46, 1),
            ("freezer", 50, 32),
        ],
        Multisig::LEN => &[("needed", 0, 1), ("count", 1, 1), ("initialized", 2, 1), ("signer", 3, 32)],
        _ => &[
            ("mint", 0, 32),
            ("owner", 32, 32),
            ("amount", 64, 8),
            ("delegate present", 72, 1),
            ("delegate", 76, 32),
            ("state", 108, 1),
            ("state", 108, 1),
            ("native", 109, 1),
            ("rent kept", 113, 8),
            ("delegated", 121, 8),
            ("closer present", 129, 1),
            ("closer", 133, 32),
        ],
    };
    let (name, at, len) = one(rng, fields);
    let field = &mut data[at..at + len];
    let value = match len {
        1 => one(rng, &[0, 1, 1, 2, 2, 3, 255]),
        _ => one(rng, &[0, 255, 1, 0x80]),
    };
    match (len, value) {
        (8, 1 | 0x80) => field.copy_from_slice(&rng.random_range(0..1_000_000u64).to_le_bytes()),
        (32, _) => {
            let new = one(rng, &[key("owner"), key("delegate"), key("stranger"), key("mint"), PAYER]);
            field.copy_from_slice(new.as_ref());
        }
        _ => field.fill(value),
    }
    Some(format!("{name} of account {i} is {:?}", &data[at..at + len.min(8)]))
}

/// Changes the instruction's data.
fn data(draft: &mut Draft, rng: &mut ChaCha8Rng) -> Option<String> {
    let data = &mut draft.data;
    Some(match rng.random_range(0..7) {
        0 => {
            data.truncate((0..data.len()).choose(rng)?);
            format!("only {} bytes of data", data.len())
        }
        1 => {
            data.clear();
            "no data".into()
        }
        2 => {
            let len = rng.random_range(1..40);
            data.extend(super::super::bytes(rng, len));
            format!("{len} more bytes of data")
        }
        3 => {
            *data.first_mut()? = rng.random();
            format!("instruction {}", data[0])
        }
        4 => {
            let at = (0..data.len()).choose(rng)?;
            data[at] = rng.random();
            format!("byte {at} of the data is {}", data[at])
        }
        5 => {
            let bytes = data.get_mut(1..9)?;
            let amount = one(rng, &[0, 1, u64::MAX, u64::MAX - 1, 1 << 63]);
            bytes.copy_from_slice(&amount.to_le_bytes());
            format!("amount {amount}")
        }
        _ => {
            let byte = data.last_mut()?;
            *byte = byte.wrapping_add(1);
            format!("last byte of the data is {byte}")
        }
    })
}
