//! Instructions for the upgradeable loader, good ones and hostile ones.

use std::sync::LazyLock;

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use solana_account::Account;
use solana_address::Address;
use solana_loader_v3_interface::state::UpgradeableLoaderState as State;
use solana_sdk_ids::{bpf_loader_upgradeable, system_program, sysvar};
use svmllm::host::{DEFAULT_SLOT, Version};

use super::{
    bytes, own,
    spl::{PAYER, chance, key, one, rent, wallet},
};
use crate::transaction::{Draft, Slot};

/// The loader's instructions, by number; the last is one it does not have.
pub const NAMES: [&str; 9] = [
    "InitializeBuffer",
    "Write",
    "DeployWithMaxDataLen",
    "Upgrade",
    "SetAuthority",
    "Close",
    "ExtendProgram",
    "SetAuthorityChecked",
    "none",
];

/// Those that programs may call.
pub const CALLABLE: [usize; 4] = [3, 4, 5, 7];

/// Compiled programs that load.
static FILES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let files = [("returns", Version::V0), ("dispatch", Version::V0), ("returns", Version::V3)];
    files.map(|(name, version)| own::elf(name, version).expect("it is in the repository")).into()
});

/// A state and what follows it.
fn holding(state: State, rest: &[u8]) -> Vec<u8> {
    let room = match state {
        State::Uninitialized => State::size_of_uninitialized(),
        State::Buffer { .. } => State::size_of_buffer_metadata(),
        State::Program { .. } => State::size_of_program(),
        State::ProgramData { .. } => State::size_of_programdata_metadata(),
    };
    let mut data = wincode::serialize(&state).expect("a state is written");
    data.resize(room, 0);
    data.extend(rest);
    data
}

/// The accounts of one instruction.
struct Scene<'a> {
    rng: &'a mut ChaCha8Rng,
    changes: Vec<String>,
    program: Address,
    data: Address,
    authority: Address,
}

impl<'a> Scene<'a> {
    fn new(rng: &'a mut ChaCha8Rng) -> Self {
        let program = key(one(rng, &["program a", "program b", "program c"]));
        let (data, _) = Address::find_program_address(&[program.as_ref()], &bpf_loader_upgradeable::ID);
        let authority = if chance(rng, 20) { PAYER } else { key("authority") };
        Self { rng, changes: Vec::new(), program, data, authority }
    }

    /// Something that is seldom so.
    fn odd(&mut self, what: &str) -> bool {
        let odd = chance(self.rng, 5);
        if odd {
            self.changes.push(what.into());
        }
        odd
    }

    fn file(&mut self) -> Vec<u8> {
        let mut file = one(self.rng, &[&FILES[0], &FILES[0], &FILES[1], &FILES[2]]).clone();
        if self.odd("file cut") {
            file.truncate(self.rng.random_range(0..file.len()));
        }
        if self.odd("file spoiled") {
            let place = self.rng.random_range(0..file.len().max(1));
            if let Some(byte) = file.get_mut(place) {
                *byte ^= 1 << self.rng.random_range(0..8);
            }
        }
        file
    }

    fn account(&mut self, data: Vec<u8>) -> Account {
        let mut account = Account {
            lamports: rent(data.len()),
            data,
            owner: bpf_loader_upgradeable::ID,
            executable: false,
            rent_epoch: u64::MAX,
        };
        if self.odd("another owner") {
            account.owner = system_program::ID;
        }
        if self.odd("another balance") {
            account.lamports = one(self.rng, &[1, account.lamports - 1, account.lamports + 1, 1_000_000_000]);
        }
        if self.odd("data cut") {
            let length = self.rng.random_range(0..=account.data.len());
            account.data.truncate(length);
        }
        account
    }

    fn option(&mut self, authority: Address) -> Option<Address> {
        if self.odd("no authority") {
            return None;
        }
        Some(if self.odd("another authority") { key("someone else") } else { authority })
    }

    fn buffer(&mut self) -> Slot {
        let authority_address = self.option(self.authority);
        let file = self.file();
        let state = if self.odd("no buffer") {
            State::Program { programdata_address: self.data }
        } else {
            State::Buffer { authority_address }
        };
        let account = self.account(holding(state, &file));
        Slot::write(key("buffer"), account)
    }

    fn program_data(&mut self) -> Slot {
        let upgrade_authority_address = self.option(self.authority);
        let slot = if self.odd("deployed just now") { DEFAULT_SLOT } else { 7 };
        let mut file = FILES[0].clone();
        let room = one(self.rng, &[0, 100, 20_000, 20_000]);
        file.resize(file.len() + room, 0);
        if self.odd("old file spoiled") {
            file[self.rng.random_range(0..64)] ^= 1;
        }
        let state = State::ProgramData { slot, upgrade_authority_address };
        let account = self.account(holding(state, &file));
        Slot::write(self.data, account)
    }

    /// A program, marked as one.
    fn program(&mut self) -> Slot {
        let programdata_address = if self.odd("other data") { key("other data") } else { self.data };
        let mut account = self.account(holding(State::Program { programdata_address }, &[]));
        account.executable = true;
        Slot::write(self.program, account)
    }

    fn authority(&mut self) -> Slot {
        Slot::read(self.authority, None).signing()
    }

    fn sysvar(&mut self, address: Address) -> Slot {
        let address = if self.odd("another sysvar") { sysvar::epoch_schedule::ID } else { address };
        Slot::read(address, None)
    }

    fn slots(&mut self, number: usize) -> Vec<Slot> {
        match number {
            0 => {
                let state = if self.odd("initialized") {
                    State::Buffer { authority_address: None }
                } else {
                    State::Uninitialized
                };
                let length = one(self.rng, &[0, 33, 33, 100]);
                let account = self.account(holding(state, &vec![0; length]));
                vec![Slot::write(key("buffer"), account), Slot::read(self.authority, None)]
            }
            1 => vec![self.buffer(), self.authority()],
            2 => {
                let length = one(self.rng, &[32, 32, 32, 31, 40]);
                let program = self.account(holding(State::Uninitialized, &vec![0; length]));
                let data = if self.odd("data not derived") { key("elsewhere") } else { self.data };
                let there = self.odd("data there already").then(|| wallet(1_000_000));
                vec![
                    Slot::write(PAYER, None).signing(),
                    Slot::write(data, there),
                    Slot::write(self.program, program),
                    self.buffer(),
                    self.sysvar(sysvar::rent::ID),
                    self.sysvar(sysvar::clock::ID),
                    Slot::read(system_program::ID, None),
                    self.authority(),
                ]
            }
            3 => {
                let data = self.program_data();
                let program = self.program();
                let spill = one(self.rng, &[key("spill"), key("spill"), PAYER, key("buffer"), self.data]);
                vec![
                    data,
                    program,
                    self.buffer(),
                    Slot::write(spill, None),
                    self.sysvar(sysvar::rent::ID),
                    self.sysvar(sysvar::clock::ID),
                    self.authority(),
                ]
            }
            4 | 7 => {
                let account = match self.rng.random_range(0..5) {
                    0 => self.program_data(),
                    1 => self.program(),
                    2 => self.program_data(),
                    _ => self.buffer(),
                };
                let mut slots = vec![account, self.authority()];
                if number == 7 || chance(self.rng, 70) {
                    let new = Slot::read(key("new authority"), None);
                    slots.push(if number == 7 { new.signing() } else { new });
                }
                slots
            }
            5 => match self.rng.random_range(0..6) {
                0 => {
                    let account = self.account(holding(State::Uninitialized, &[0; 50]));
                    vec![Slot::write(key("buffer"), account), Slot::write(key("spill"), wallet(1_000_000))]
                }
                1 | 2 => {
                    vec![self.buffer(), Slot::write(key("spill"), wallet(1_000_000)), self.authority()]
                }
                _ => {
                    let data = self.program_data();
                    let program = self.program();
                    let spill = one(self.rng, &[key("spill"), key("spill"), PAYER, self.data]);
                    vec![data, Slot::write(spill, None), self.authority(), program]
                }
            },
            6 => {
                let data = self.program_data();
                let program = self.program();
                let mut slots = vec![data, program];
                if chance(self.rng, 90) {
                    slots.push(Slot::read(system_program::ID, None));
                    slots.push(Slot::write(PAYER, None).signing());
                }
                slots
            }
            _ => vec![self.buffer(), self.authority()],
        }
    }

    fn data(&mut self, number: usize, slots: &[Slot]) -> Vec<u8> {
        let mut data = (number as u32).to_le_bytes().to_vec();
        let length = |number: usize| {
            let account = slots.get(number).and_then(|slot| slot.account.as_ref());
            account.map_or(0, |account| account.data.len())
        };
        match number {
            1 => {
                let length = length(0).saturating_sub(37) as u32;
                let offset = one(self.rng, &[0, 0, 1, 500, length.saturating_sub(10), length, u32::MAX]);
                let count = one(self.rng, &[0, 1, 10, 11, 600]);
                data.extend(offset.to_le_bytes());
                data.extend((count as u64).to_le_bytes());
                data.extend(bytes(self.rng, count));
            }
            2 => {
                let file = length(3).saturating_sub(37) as u64;
                let limit = 10 * 1024 * 1024 - 45;
                let lengths =
                    [file, file, file, file + 1000, file.saturating_sub(1), 0, limit, limit + 1, u64::MAX];
                data.extend(one(self.rng, &lengths).to_le_bytes());
            }
            6 => {
                let lengths = [10_240u32, 10_240, 10_240, 10_239, 20_000, 1, 0, 11_000_000, u32::MAX];
                data.extend(one(self.rng, &lengths).to_le_bytes());
            }
            8 => {
                data = one(self.rng, &[8u32, 9, 10, 255, u32::MAX]).to_le_bytes().to_vec();
            }
            _ => {}
        }
        if self.odd("data longer") {
            data.extend([0, 1, 2]);
        }
        if self.odd("data shorter") {
            data.pop();
        }
        data
    }
}

/// The instruction of a number in [`NAMES`].
pub fn instruction(number: usize, rng: &mut ChaCha8Rng) -> Draft {
    let mut scene = Scene::new(rng);
    let slots = scene.slots(number);
    let data = scene.data(number, &slots);
    let Scene { changes, .. } = scene;
    Draft { changes, ..Draft::new(NAMES[number], bpf_loader_upgradeable::ID, slots, data) }
}
