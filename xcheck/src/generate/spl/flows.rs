//! Several instructions of the token programs that belong together, calls of other programs among them.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use solana_address::Address;
use solana_sdk_ids::system_program;
use solana_system_interface::instruction::SystemInstruction;

use super::{
    ASSOCIATED_TOKEN, MEMO, PAYER, TOKEN, TOKEN_2022, account, chance, key, one, rent,
    state::{Holding, Mint, standing},
};
use crate::transaction::{Draft, Slot};

/// Where a wallet's tokens of a mint are.
pub fn associated(owner: &Address, program: &Address, mint: &Address) -> Address {
    let seeds = [owner.as_ref(), program.as_ref(), mint.as_ref()];
    Address::find_program_address(&seeds, &ASSOCIATED_TOKEN).0
}

fn payer() -> Slot {
    Slot::write(PAYER, None).signing()
}

/// Makes an associated token account.
fn associate(owner: Address, program: Address, mint: &Slot, idempotent: bool) -> Draft {
    let address = associated(&owner, &program, &mint.address);
    let slots = vec![
        payer(),
        Slot::write(address, None),
        Slot::read(owner, None),
        Slot { signer: false, writable: false, ..mint.clone() },
        Slot::read(system_program::ID, None),
        Slot::read(program, None),
    ];
    let (name, data) = if idempotent { ("CreateIdempotent", vec![1]) } else { ("Create", vec![]) };
    Draft::new(name, ASSOCIATED_TOKEN, slots, data)
}

/// An extension of a mint: the instruction that prepares it, and its length.
fn extension(hook: Address, rng: &mut ChaCha8Rng) -> (&'static str, Vec<u8>, usize) {
    let who = key("minter").to_bytes();
    let some = [&[1][..], &who].concat();
    match rng.random_range(0..10) {
        0 => ("InitializeMintCloseAuthority", [&[25][..], &some].concat(), 32),
        1 | 2 => {
            let points: u16 = one(rng, &[0, 1, 100, 9_999, 10_000]);
            let most: u64 = one(rng, &[0, 1, 1000, u64::MAX]);
            let data = [&[26, 0][..], &some, &some, &points.to_le_bytes(), &most.to_le_bytes()].concat();
            ("TransferFee Initialize", data, 108)
        }
        3 => ("DefaultAccountState Initialize", vec![28, 0, one(rng, &[1, 1, 2])], 1),
        4 => ("InitializeNonTransferableMint", vec![32], 0),
        5 => ("InterestBearing Initialize", [&[33, 0][..], &who, &500i16.to_le_bytes()].concat(), 52),
        6 => ("InitializePermanentDelegate", [&[35][..], &who].concat(), 32),
        7 => ("TransferHook Initialize", [&[36, 0][..], &who, hook.as_ref()].concat(), 64),
        8 => ("MetadataPointer Initialize", [&[39, 0][..], &who, key("new mint").as_ref()].concat(), 64),
        _ => ("Pausable Initialize", [&[44, 0][..], &who].concat(), 33),
    }
}

/// A mint is made, accounts of it too, and tokens move. `hook` is called by transfers that have a hook.
pub fn tokens(program: Address, extended: bool, hook: Address, rng: &mut ChaCha8Rng) -> Vec<Draft> {
    let mint = Slot::write(key("new mint"), None);
    let mut extensions: Vec<(&str, Vec<u8>, usize)> = Vec::new();
    if extended {
        for _ in 0..one(rng, &[1, 1, 2, 3]) {
            let extension = extension(hook, rng);
            if extensions.iter().all(|(name, ..)| *name != extension.0) {
                extensions.push(extension);
            }
        }
    }
    let behind: usize = extensions.iter().map(|(_, _, len)| 4 + len).sum();
    let len = if extensions.is_empty() { Mint::LEN } else { Holding::LEN + 1 + behind };
    let create = SystemInstruction::CreateAccount {
        lamports: rent(len).saturating_sub(u64::from(chance(rng, 3))),
        space: len as u64,
        owner: program,
    };
    let data = wincode::serialize(&create).expect("an instruction serializes");
    let mut drafts =
        vec![Draft::new("CreateAccount", system_program::ID, vec![payer(), mint.clone().signing()], data)];
    let fee = extensions.iter().any(|(name, ..)| name.starts_with("TransferFee"));
    for (name, data, _) in extensions {
        drafts.push(Draft::new(name, program, vec![mint.clone()], data));
    }
    let decimals = one(rng, &[0, 6, 9]);
    let freezer = if chance(rng, 60) { [&[1][..], key("freezer").as_ref()].concat() } else { vec![0] };
    let data = [&[20, decimals][..], key("minter").as_ref(), &freezer].concat();
    drafts.push(Draft::new("InitializeMint2", program, vec![mint.clone()], data));
    let owners = [key("owner"), key("other owner")];
    for owner in owners {
        drafts.push(associate(owner, program, &mint, chance(rng, 40)));
    }
    if chance(rng, 10) {
        drafts.push(associate(owners[0], program, &mint, chance(rng, 70)));
    }
    let [source, destination] =
        owners.map(|owner| Slot::write(associated(&owner, &program, &mint.address), None));
    let signing = |name: &str| Slot::read(key(name), None).signing();
    let amount: u64 = one(rng, &[1000, 1_000_000, u64::MAX]);
    let data = [&[7][..], &amount.to_le_bytes()].concat();
    drafts.push(Draft::new("MintTo", program, vec![mint.clone(), source.clone(), signing("minter")], data));
    for _ in 0..rng.random_range(0..5) {
        let part = one(rng, &[0, 1, 10, 500, amount, amount / 2]).to_le_bytes();
        let (name, slots, data) = match rng.random_range(0..11) {
            0..=3 => {
                let mut slots = vec![
                    source.clone(),
                    Slot { writable: false, ..mint.clone() },
                    destination.clone(),
                    signing("owner"),
                ];
                slots.push(Slot::read(hook, None));
                ("TransferChecked", slots, [&[12][..], &part, &[decimals]].concat())
            }
            4 => (
                "Transfer",
                vec![source.clone(), destination.clone(), signing("owner")],
                [&[3][..], &part].concat(),
            ),
            5 => ("Burn", vec![source.clone(), mint.clone(), signing("owner")], [&[8][..], &part].concat()),
            6 => {
                let slots = vec![source.clone(), Slot::read(key("delegate"), None), signing("owner")];
                ("Approve", slots, [&[4][..], &part].concat())
            }
            7 => {
                let tag = one(rng, &[10, 11]);
                let slots =
                    vec![source.clone(), Slot { writable: false, ..mint.clone() }, signing("freezer")];
                (if tag == 10 { "FreezeAccount" } else { "ThawAccount" }, slots, vec![tag])
            }
            8 => {
                let slots = vec![destination.clone(), Slot::write(PAYER, None), signing("other owner")];
                ("CloseAccount", slots, vec![9])
            }
            9 if fee => {
                let slots = vec![mint.clone(), destination.clone()];
                ("TransferFee HarvestWithheldTokensToMint", slots, vec![26, 4])
            }
            9 if extended => {
                // Room for the required extension is made by the program itself.
                let slots =
                    vec![source.clone(), payer(), Slot::read(system_program::ID, None), signing("owner")];
                ("Reallocate", slots, vec![29, 8, 0])
            }
            _ => ("memo", vec![signing("owner")], b"for you".to_vec()),
        };
        let program = if name == "memo" { MEMO } else { program };
        drafts.push(Draft::new(name, program, slots, data));
    }
    drafts
}

fn plain(supply: u64) -> Mint {
    Mint { authority: Some(key("minter")), supply, decimals: 6, initialized: true, freeze: None }
}

/// The creation of an associated token account that is not there yet.
pub fn associated_account(program: Address) -> Draft {
    let mint = Slot::read(key("mint"), plain(5_000).account(program));
    associate(key("owner"), program, &mint, false)
}

/// An instruction of the associated token program, or two.
pub fn associated_accounts(rng: &mut ChaCha8Rng) -> Vec<Draft> {
    let program = one(rng, &[TOKEN, TOKEN_2022]);
    let mint = Slot::read(key("mint"), plain(5_000).account(program));
    let owner = key("owner");
    let address = associated(&owner, &program, &mint.address);
    let holding = |mint: Address, owner, amount| {
        let held = Holding {
            mint,
            owner,
            amount,
            delegate: None,
            state: standing::INITIALIZED,
            native: None,
            delegated: 0,
            close: None,
        };
        held.account(program)
    };
    if chance(rng, 60) {
        let idempotent = chance(rng, 60);
        let mut draft = associate(owner, program, &mint, idempotent);
        match rng.random_range(0..8) {
            0 => draft.slots[1].account = Some(holding(mint.address, owner, 7)),
            1 => draft.slots[1].account = Some(holding(mint.address, key("stranger"), 7)),
            2 => draft.slots[1].account = Some(account(system_program::ID, vec![])),
            3 => draft.slots[1].account = Some(super::wallet(1)),
            4 => draft.data = vec![one(rng, &[0, 1, 2, 3])],
            _ => {}
        }
        return vec![draft];
    }
    // Tokens in an account that belongs to another associated account.
    let nested_mint = match rng.random_range(0..3) {
        0 => mint.clone(),
        _ => Slot::read(key("nested mint"), plain(9_000).account(program)),
    };
    let nested = associated(&address, &program, &nested_mint.address);
    let destination = associated(&owner, &program, &nested_mint.address);
    let amount = one(rng, &[0, 1, 900]);
    let slots = vec![
        Slot::write(nested, holding(nested_mint.address, address, amount)),
        nested_mint.clone(),
        Slot::write(destination, holding(nested_mint.address, owner, 0)),
        Slot::read(address, holding(mint.address, owner, 3)),
        mint.clone(),
        Slot::write(owner, None).signing(),
        Slot::read(program, None),
    ];
    let recover = Draft::new("RecoverNested", ASSOCIATED_TOKEN, slots, vec![2]);
    if chance(rng, 30) {
        vec![recover, associate(address, program, &nested_mint, true)]
    } else {
        vec![recover]
    }
}
