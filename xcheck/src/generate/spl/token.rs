//! The instructions that all token programs share.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use solana_address::Address;
use solana_sdk_ids::sysvar;

use super::{
    NATIVE_MINT, NATIVE_MINT_2022, TOKEN_2022, account, chance, key, one, rent,
    state::{Holding, Mint, Multisig, signer, standing},
    wallet,
};
use crate::transaction::{Draft, Slot};

/// The names of the instructions by their first byte.
pub const NAMES: [&str; 25] = [
    "InitializeMint",
    "InitializeAccount",
    "InitializeMultisig",
    "Transfer",
    "Approve",
    "Revoke",
    "SetAuthority",
    "MintTo",
    "Burn",
    "CloseAccount",
    "FreezeAccount",
    "ThawAccount",
    "TransferChecked",
    "ApproveChecked",
    "MintToChecked",
    "BurnChecked",
    "InitializeAccount2",
    "SyncNative",
    "InitializeAccount3",
    "InitializeMultisig2",
    "InitializeMint2",
    "GetAccountDataSize",
    "InitializeImmutableOwner",
    "AmountToUiAmount",
    "UiAmountToAmount",
];

/// A mint, two token accounts of it and who may do what with them.
pub(super) struct Scene<'a> {
    pub(super) program: Address,
    pub(super) rng: &'a mut ChaCha8Rng,
    pub(super) mint_address: Address,
    pub(super) mint: Mint,
    pub(super) source: Holding,
    pub(super) destination: Holding,
}

impl<'a> Scene<'a> {
    /// A scene in which most instructions succeed.
    pub fn new(program: Address, rng: &'a mut ChaCha8Rng) -> Self {
        Self::with_native(program, 12, rng)
    }

    /// The same, where the tokens are lamports with this chance in percent.
    fn with_native(program: Address, percent: u32, rng: &'a mut ChaCha8Rng) -> Self {
        let native = chance(rng, percent);
        let mint_address = match native {
            false => key("mint"),
            true if program == TOKEN_2022 => NATIVE_MINT_2022,
            true => NATIVE_MINT,
        };
        let rent = native.then(|| rent(Holding::LEN));
        let mut holding = |owner| {
            let amount = if native { one(rng, &[0, 1, 5_000_000_000]) } else { amount(rng) };
            let delegated = chance(rng, 30);
            let part = rng.random_range(0..=amount);
            Holding {
                mint: mint_address,
                owner,
                amount,
                delegate: delegated.then(|| key("delegate")),
                state: standing::INITIALIZED,
                native: rent,
                delegated: if delegated { part } else { 0 },
                close: chance(rng, 25).then(|| key("closer")),
            }
        };
        let (source, destination) = (holding(key("owner")), holding(key("other owner")));
        let supply = if native { 0 } else { source.amount.saturating_add(destination.amount) };
        let mint = Mint {
            authority: (!native).then(|| key("minter")),
            supply,
            decimals: if native { 9 } else { one(rng, &[0, 2, 6, 9, 18, 255]) },
            initialized: true,
            freeze: (!native && chance(rng, 90)).then(|| key("freezer")),
        };
        Self { program, rng, mint_address, mint, source, destination }
    }

    /// The mint as an account of the instruction, written or not.
    pub fn mint(&self, writable: bool) -> Slot {
        Slot { writable, ..Slot::read(self.mint_address, self.mint.account(self.program)) }
    }

    pub(super) fn source(&self) -> Slot {
        Slot::write(key("source"), self.source.account(self.program))
    }

    pub(super) fn destination(&self) -> Slot {
        Slot::write(key("destination"), self.destination.account(self.program))
    }

    /// An account of zeros that belongs to the program.
    pub fn blank(&mut self, name: &str, len: usize) -> Slot {
        let mut account = account(self.program, vec![0; len]);
        account.lamports += one(self.rng, &[0, 1, 1_000_000]);
        Slot::write(key(name), account)
    }

    /// Who signs: a wallet, or a multisig account and those of its signers that sign.
    pub fn authority(&mut self, who: Address) -> Vec<Slot> {
        if !chance(self.rng, 25) {
            let account = chance(self.rng, 80).then(|| wallet(1_000_000_000));
            return vec![Slot::read(who, account).signing()];
        }
        let count = one(self.rng, &[1, 2, 3, 5, Multisig::MOST]);
        let needed = self.rng.random_range(1..=count);
        let multisig =
            Multisig { needed: needed as u8, initialized: true, signers: (0..count).map(signer).collect() };
        let mut slots = vec![Slot::read(who, multisig.account(self.program))];
        let first = self.rng.random_range(0..=count - needed);
        slots.extend((first..first + needed).map(|number| Slot::read(signer(number), None).signing()));
        if chance(self.rng, 20) {
            slots.last_mut().expect("there is one").signer = false;
        }
        slots
    }

    /// The owner of the source, now and then its delegate.
    fn spender(&mut self) -> Vec<Slot> {
        let delegate = self.source.delegate.filter(|_| chance(self.rng, 40));
        self.authority(delegate.unwrap_or(self.source.owner))
    }

    /// An amount out of what there is, now and then more.
    pub fn part(&mut self, of: u64) -> u64 {
        match self.rng.random_range(0..12) {
            0 => 0,
            1 => of,
            2 => of.wrapping_add(1),
            3 => u64::MAX,
            _ => self.rng.random_range(0..=of),
        }
    }

    fn decimals(&mut self) -> u8 {
        if chance(self.rng, 90) { self.mint.decimals } else { self.rng.random() }
    }

    /// An optional key as instructions hold it.
    pub fn option(&mut self, name: &str) -> Vec<u8> {
        match self.rng.random_range(0..3) {
            0 => vec![0],
            _ => [&[1], key(name).as_ref()].concat(),
        }
    }

    fn multisig(&mut self, rent: bool) -> (Vec<Slot>, Vec<u8>) {
        let count = one(self.rng, &[1, 1, 2, 3, 5, Multisig::MOST, Multisig::MOST + 1, 0]);
        let needed = self.rng.random_range(0..=count + 1) as u8;
        let mut slots = vec![self.blank("multisig", Multisig::LEN)];
        slots.extend(rent.then(rent_sysvar));
        slots.extend((0..count).map(|number| Slot::read(signer(number), None)));
        (slots, vec![needed])
    }

    /// Where something goes: a wallet, or the source itself.
    fn receiver(&mut self) -> Slot {
        match self.rng.random_range(0..10) {
            0 => self.source(),
            1 => self.destination(),
            _ => Slot::write(key("receiver"), chance(self.rng, 70).then(|| wallet(7_000_000))),
        }
    }
}

/// The rent sysvar as an account of the instruction.
pub fn rent_sysvar() -> Slot {
    Slot::read(sysvar::rent::ID, None)
}

/// A number of tokens.
fn amount(rng: &mut impl Rng) -> u64 {
    match rng.random_range(0..6) {
        0 => one(rng, &[0, 1, u64::MAX, u64::MAX / 2, 1 << 32]),
        1 => rng.random(),
        _ => rng.random_range(0..1_000_000_000),
    }
}

/// An instruction as the program wants it, or nearly.
///
/// # Panics
/// Panics if no instruction has this number.
pub fn instruction(program: Address, number: u8, rng: &mut ChaCha8Rng) -> Draft {
    let native = if number == 17 { 70 } else { 12 };
    let mut scene = Scene::with_native(program, native, rng);
    let (slots, data) = parts(&mut scene, number);
    Draft::new(NAMES[usize::from(number)], program, slots, [vec![number], data].concat())
}

/// Its accounts, and its data after the first byte.
fn parts(scene: &mut Scene, number: u8) -> (Vec<Slot>, Vec<u8>) {
    let list = |accounts: Vec<Slot>, mut rest: Vec<Slot>| {
        let mut slots = accounts;
        slots.append(&mut rest);
        slots
    };
    match number {
        0 | 20 => {
            let mut slots = vec![scene.blank("new mint", Mint::LEN)];
            slots.extend((number == 0).then(rent_sysvar));
            let decimals = scene.rng.random();
            let freeze = scene.option("freezer");
            (slots, [&[decimals], key("minter").as_ref(), &freeze].concat())
        }
        1 => {
            let blank = scene.blank("new account", Holding::LEN);
            let owner = Slot::read(key("owner"), None);
            (vec![blank, scene.mint(false), owner, rent_sysvar()], vec![])
        }
        16 | 18 => {
            let mut slots = vec![scene.blank("new account", Holding::LEN), scene.mint(false)];
            slots.extend((number == 16).then(rent_sysvar));
            (slots, key("owner").as_ref().to_vec())
        }
        2 | 19 => scene.multisig(number == 2),
        3 | 12 => {
            let amount = scene.part(scene.source.amount).to_le_bytes().to_vec();
            let mut slots = vec![scene.source()];
            slots.extend((number == 12).then(|| scene.mint(false)));
            slots.push(if chance(scene.rng, 10) { scene.source() } else { scene.destination() });
            let data = if number == 12 { [amount, vec![scene.decimals()]].concat() } else { amount };
            (list(slots, scene.spender()), data)
        }
        4 | 13 => {
            let amount = scene.part(scene.source.amount).to_le_bytes().to_vec();
            let mut slots = vec![scene.source()];
            slots.extend((number == 13).then(|| scene.mint(false)));
            slots.push(Slot::read(key("delegate"), None));
            let data = if number == 13 { [amount, vec![scene.decimals()]].concat() } else { amount };
            (list(slots, scene.authority(scene.source.owner)), data)
        }
        5 => (list(vec![scene.source()], scene.spender()), vec![]),
        6 => set_authority(scene),
        7 | 14 => {
            let amount = scene.part(1_000_000_000);
            if chance(scene.rng, 70) {
                scene.mint.supply %= 1 << 40;
                scene.destination.amount %= 1 << 40;
            }
            let slots = vec![scene.mint(true), scene.destination()];
            let mut data = amount.to_le_bytes().to_vec();
            if number == 14 {
                data.push(scene.decimals());
            }
            (list(slots, scene.authority(key("minter"))), data)
        }
        8 | 15 => {
            let mut data = scene.part(scene.source.amount).to_le_bytes().to_vec();
            if number == 15 {
                data.push(scene.decimals());
            }
            (list(vec![scene.source(), scene.mint(true)], scene.spender()), data)
        }
        9 => {
            if chance(scene.rng, 80) && scene.source.native.is_none() {
                scene.source.amount = 0;
            }
            let receiver = scene.receiver();
            let who = scene.source.close.unwrap_or(scene.source.owner);
            (list(vec![scene.source(), receiver], scene.authority(who)), vec![])
        }
        10 | 11 => {
            let frozen = (number == 11) ^ chance(scene.rng, 10);
            scene.source.state = if frozen { standing::FROZEN } else { standing::INITIALIZED };
            (list(vec![scene.source(), scene.mint(false)], scene.authority(key("freezer"))), vec![])
        }
        17 => {
            let mut slot = scene.source();
            let more = one(scene.rng, &[0, 1, 500_000_000]);
            let account = slot.account.as_mut().expect("it has one");
            account.lamports += more;
            let sysvar = (scene.program != TOKEN_2022 && chance(scene.rng, 20)).then(rent_sysvar);
            (list(vec![slot], sysvar.into_iter().collect()), vec![])
        }
        21 => {
            let mut data = vec![];
            if chance(scene.rng, 40) {
                // Extensions of a token account, of a mint, and none.
                let kinds = [7u16, 7, 8, 1, 200];
                data = (0..scene.rng.random_range(1..4))
                    .flat_map(|_| one(scene.rng, &kinds).to_le_bytes())
                    .collect();
            }
            (vec![scene.mint(false)], data)
        }
        22 => {
            let len = if scene.program == TOKEN_2022 { Holding::LEN + 5 } else { Holding::LEN };
            (vec![scene.blank("new account", len)], vec![])
        }
        23 => {
            let amount = amount(scene.rng);
            (vec![scene.mint(false)], amount.to_le_bytes().to_vec())
        }
        24 => {
            let text = ui_amount(scene);
            (vec![scene.mint(false)], text.into_bytes())
        }
        _ => panic!("no instruction {number}"),
    }
}

fn set_authority(scene: &mut Scene) -> (Vec<Slot>, Vec<u8>) {
    let kinds = if chance(scene.rng, 90) { 4 } else { 20 };
    let kind = scene.rng.random_range(0..kinds);
    let new = if kind == 2 && chance(scene.rng, 90) {
        [&[1], key("new authority").as_ref()].concat()
    } else {
        scene.option("new authority")
    };
    let (slot, who) = match kind {
        0 => (scene.mint(true), key("minter")),
        1 => (scene.mint(true), key("freezer")),
        2 => (scene.source(), scene.source.owner),
        _ => (scene.source(), scene.source.close.unwrap_or(scene.source.owner)),
    };
    let mut slots = vec![slot];
    slots.append(&mut scene.authority(who));
    (slots, [vec![kind], new].concat())
}

/// A number as people write it, or nearly.
fn ui_amount(scene: &mut Scene) -> String {
    let number: u32 = scene.rng.random();
    let fraction: u16 = scene.rng.random();
    match scene.rng.random_range(0..10) {
        0 => String::new(),
        1 => ".".into(),
        2 => format!(".{fraction}"),
        3 => format!("{number}."),
        4 => u128::MAX.to_string(),
        5 => format!("-{number}"),
        6 => format!("{number}.{fraction}.1"),
        7 => format!("+{number}"),
        8 => number.to_string(),
        _ => format!("{}.{}", number % 100_000, fraction % 100),
    }
}

/// Instructions only p-token knows, by their first byte.
pub const P_TOKEN: [(u8, &str); 3] = [(38, "WithdrawExcessLamports"), (45, "UnwrapLamports"), (255, "Batch")];

/// One of [`P_TOKEN`]; the first one Token-2022 has as well.
///
/// # Panics
/// Panics if none has this number.
pub fn p_token(program: Address, number: u8, rng: &mut ChaCha8Rng) -> Draft {
    let name = P_TOKEN.iter().find(|(tag, _)| *tag == number).expect("one of them").1;
    if number == 255 {
        return batch(program, name, rng);
    }
    let mut scene = Scene::with_native(program, if number == 45 { 70 } else { 12 }, rng);
    let excess = one(scene.rng, &[0, 1, 1_000_000]);
    let (mut slot, who) = match scene.rng.random_range(0..3) {
        0 if number == 38 => (scene.mint(true), key("minter")),
        _ => (scene.source(), scene.source.owner),
    };
    slot.account.as_mut().expect("it has one").lamports += excess;
    let mut slots = vec![slot, scene.receiver()];
    slots.append(&mut scene.authority(who));
    let mut data = vec![number];
    if number == 45 {
        match scene.rng.random_range(0..3) {
            0 => data.push(0),
            _ => {
                data.push(1);
                data.extend(scene.part(scene.source.amount).to_le_bytes());
            }
        }
    }
    Draft::new(name, program, slots, data)
}

/// Up to four instructions in one.
fn batch(program: Address, name: &str, rng: &mut ChaCha8Rng) -> Draft {
    let mut draft = Draft::new(name, program, vec![], vec![255]);
    for _ in 0..rng.random_range(0..4) {
        let number = one(rng, &[3, 3, 4, 5, 8, 12, 12, 17, 20]);
        let inner = instruction(program, number, rng);
        draft.data.extend([inner.slots.len() as u8, inner.data.len() as u8]);
        draft.data.extend(inner.data);
        draft.slots.extend(inner.slots);
    }
    draft
}
