//! Programs on the machine.

use solana_address::Address;
use solana_instruction::Instruction;
use solana_sdk_ids::system_program;

use crate::both::{ATA, Both, MEMO_1, MEMO_4, TOKEN, account, meta, random, random_address};

#[test]
fn memos() {
    let mut random = random(1);
    let mut both = Both::unchecked();
    let payer = random_address(&mut random);
    both.set_account(payer, account(10_000_000_000, Vec::new(), system_program::ID));
    for program_id in [MEMO_1, MEMO_4] {
        for data in [&b"hello"[..], b"", b"\xff\xfe", &[b'x'; 600]] {
            for signer in [false, true] {
                let accounts = vec![meta(payer, signer, false)];
                let instruction = Instruction { program_id, accounts, data: data.to_vec() };
                let _ = both.run("memo", payer, &[instruction]);
            }
        }
    }
}

fn token(data: Vec<u8>, accounts: &[(Address, bool, bool)]) -> Instruction {
    let accounts = accounts.iter().map(|(key, signer, writable)| meta(*key, *signer, *writable)).collect();
    Instruction { program_id: TOKEN, accounts, data }
}

#[test]
fn tokens() {
    let mut random = random(2);
    let mut both = Both::unchecked();
    let payer = random_address(&mut random);
    let mint = random_address(&mut random);
    both.set_account(payer, account(10_000_000_000, Vec::new(), system_program::ID));
    both.set_account(mint, account(1_461_600, vec![0; 82], TOKEN));
    let mut initialize = vec![20, 6];
    initialize.extend(payer.to_bytes());
    initialize.push(0);
    let done = both.run("initialize mint", payer, &[token(initialize, &[(mint, false, true)])]);
    assert!(done.is_ok(), "{done:?}");
    let owned = [random_address(&mut random), random_address(&mut random)];
    for address in owned {
        both.set_account(address, account(2_039_280, vec![0; 165], TOKEN));
        let data = [&[18][..], &payer.to_bytes()].concat();
        for _ in 0..2 {
            let accounts = [(address, false, true), (mint, false, false)];
            let _ = both.run("initialize account", payer, &[token(data.clone(), &accounts)]);
        }
    }
    let amount = |tag: u8, amount: u64| [&[tag][..], &amount.to_le_bytes()].concat();
    let mint_to =
        token(amount(7, 1000), &[(mint, false, true), (owned[0], false, true), (payer, true, false)]);
    let done = both.run("mint", payer, &[mint_to]);
    assert!(done.is_ok(), "{done:?}");
    for units in [0, 999, 1, 1] {
        let transfer = token(
            amount(3, units),
            &[(owned[0], false, true), (owned[1], false, true), (payer, true, false)],
        );
        let _ = both.run("transfer", payer, &[transfer]);
    }
}

#[test]
fn associated_accounts() {
    let mut random = random(3);
    let mut both = Both::unchecked();
    let payer = random_address(&mut random);
    let (mint, other) = (random_address(&mut random), random_address(&mut random));
    both.set_account(payer, account(10_000_000_000, Vec::new(), system_program::ID));
    both.set_account(mint, account(1_461_600, vec![0; 82], TOKEN));
    let mut initialize = vec![20, 6];
    initialize.extend(payer.to_bytes());
    initialize.push(0);
    let done = both.run("initialize mint", payer, &[token(initialize, &[(mint, false, true)])]);
    assert!(done.is_ok(), "{done:?}");
    for wallet in [payer, other] {
        let (address, _) =
            Address::find_program_address(&[wallet.as_ref(), TOKEN.as_ref(), mint.as_ref()], &ATA);
        let accounts = [
            (payer, true, true),
            (address, false, true),
            (wallet, false, false),
            (mint, false, false),
            (system_program::ID, false, false),
            (TOKEN, false, false),
        ];
        let accounts = accounts.map(|(key, signer, writable)| meta(key, signer, writable)).to_vec();
        for (data, works) in [(vec![], true), (vec![], false), (vec![1], true)] {
            let instruction = Instruction { program_id: ATA, accounts: accounts.clone(), data };
            let done = both.run("create an associated account", payer, &[instruction]);
            assert_eq!(done.is_ok(), works, "{done:?}");
        }
    }
}
