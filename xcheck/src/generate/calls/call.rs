//! A call as the two interfaces describe it in the caller's memory.

use std::collections::BTreeMap;

use solana_address::Address;
use solana_instruction::AccountMeta;
use svmllm::host::INPUT_ADDRESS;

use super::{GROWTH, Plan};
use crate::transaction::Loader;

/// Addresses of an account's fields in a program's input, and its data's length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Of the address.
    pub key: u64,
    /// Of the owner.
    pub owner: u64,
    /// Of the balance.
    pub lamports: u64,
    /// Of the data; their length lies before them.
    pub data: u64,
    /// How long the data are.
    pub length: u64,
}

/// Where the accounts of a program's instruction are. `length` tells how long their data are.
pub fn places(loader: Loader, accounts: &[AccountMeta], length: impl Fn(&Address) -> u64) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    let mut at = INPUT_ADDRESS + 8;
    for (number, account) in accounts.iter().enumerate() {
        let first = accounts[..number].iter().position(|earlier| earlier.pubkey == account.pubkey);
        let aligned = loader != Loader::V1;
        if let Some(first) = first {
            places.push(places[first]);
            at += if aligned { 8 } else { 1 };
            continue;
        }
        let length = length(&account.pubkey);
        if aligned {
            places.push(Place { key: at + 8, owner: at + 40, lamports: at + 72, data: at + 88, length });
            at += 88 + length.next_multiple_of(8) + GROWTH + 8;
        } else {
            let data = at + 51;
            places.push(Place { key: at + 3, owner: data + length, lamports: at + 35, data, length });
            at = data + length + 32 + 1 + 8;
        }
    }
    places
}

/// An account that the called instruction lists.
#[derive(Clone, Debug)]
pub struct Meta {
    /// Its address.
    pub key: Address,
    /// Where the C interface finds the address; it is put on the heap if nowhere.
    pub at: Option<u64>,
    /// Whether it signs; bytes other than 0 and 1 are hostile.
    pub signer: u8,
    /// Whether it may be written.
    pub writable: u8,
}

/// What the caller says an account is.
#[derive(Clone, Debug)]
pub struct Info {
    /// Where its fields are.
    pub place: Place,
    /// Whether it signs.
    pub signer: u8,
    /// Whether it may be written.
    pub writable: u8,
    /// Where Rust's cell around the balance is, if not on the heap.
    pub lamports_cell: Option<u64>,
    /// Where Rust's cell around the data is, if not on the heap.
    pub data_cell: Option<u64>,
}

/// A call before it lies in memory.
#[derive(Clone, Debug)]
pub struct Call {
    /// Rust's interface, else that of C.
    pub rust: bool,
    /// The program called.
    pub program: Address,
    /// The accounts it gets.
    pub metas: Vec<Meta>,
    /// The instruction data.
    pub data: Vec<u8>,
    /// The accounts the caller describes.
    pub infos: Vec<Info>,
    /// Seeds of addresses that the caller signs for.
    pub signers: Vec<Vec<Vec<u8>>>,
    /// Whether the only account described is the one in the read-only data of a caller of version 3.
    pub constant: bool,
}

/// A call that lies in memory.
#[derive(Clone, Debug)]
pub struct Laid {
    /// The arguments of the syscall.
    pub registers: [u64; 5],
    /// Offsets in the heap of the words that describe it, by what they are.
    pub words: BTreeMap<&'static str, Vec<usize>>,
}

impl Laid {
    /// Puts words that have names.
    fn put(&mut self, plan: &mut Plan, words: &[(&'static str, u64)]) -> u64 {
        let address = plan.put_words(&words.iter().map(|(_, word)| *word).collect::<Vec<_>>());
        let start = plan.heap.len() - 8 * words.len();
        for (number, (name, _)) in words.iter().enumerate() {
            self.words.entry(name).or_default().push(start + 8 * number);
        }
        address
    }
}

impl Call {
    /// A call in which nothing is wrong, by a caller with these accounts at these places.
    pub fn new(
        rust: bool,
        program: Address,
        accounts: &[AccountMeta],
        data: Vec<u8>,
        outer: &[AccountMeta],
        places: &[Place],
    ) -> Self {
        let meta = |account: &AccountMeta| Meta {
            key: account.pubkey,
            at: outer
                .iter()
                .position(|known| known.pubkey == account.pubkey)
                .map(|number| places[number].key),
            signer: account.is_signer.into(),
            writable: account.is_writable.into(),
        };
        let info = |(account, place): (&AccountMeta, &Place)| Info {
            place: *place,
            signer: account.is_signer.into(),
            writable: account.is_writable.into(),
            lamports_cell: None,
            data_cell: None,
        };
        Self {
            rust,
            program,
            metas: accounts.iter().map(meta).collect(),
            data,
            infos: outer.iter().zip(places).map(info).collect(),
            signers: Vec::new(),
            constant: false,
        }
    }

    /// Puts the call on the heap.
    pub fn lay(&self, plan: &mut Plan) -> Laid {
        let mut laid = Laid { registers: [0; 5], words: BTreeMap::new() };
        let data = plan.put(&self.data);
        let instruction =
            if self.rust { self.lay_rust(plan, &mut laid, data) } else { self.lay_c(plan, &mut laid, data) };
        let infos = self.lay_infos(plan, &mut laid);
        let signers = self.lay_signers(plan, &mut laid);
        laid.registers = [instruction, infos, self.infos.len() as u64, signers, self.signers.len() as u64];
        if self.constant {
            laid.registers[1..3].copy_from_slice(&[0, 1]);
        }
        laid
    }

    fn lay_rust(&self, plan: &mut Plan, laid: &mut Laid, data: u64) -> u64 {
        let mut bytes = Vec::new();
        for meta in &self.metas {
            bytes.extend(meta.key.to_bytes());
            bytes.extend([meta.signer, meta.writable]);
        }
        let metas = plan.put(&bytes);
        let id = self.program.to_bytes();
        let (id, _) = id.as_chunks::<8>();
        let mut words = vec![
            ("metas pointer", metas),
            ("metas capacity", 0),
            ("metas length", self.metas.len() as u64),
            ("data pointer", data),
            ("data capacity", 0),
            ("data length", self.data.len() as u64),
        ];
        words.extend(id.iter().map(|word| ("program", u64::from_le_bytes(*word))));
        laid.put(plan, &words)
    }

    fn lay_c(&self, plan: &mut Plan, laid: &mut Laid, data: u64) -> u64 {
        let program = plan.put(&self.program.to_bytes());
        let mut words = Vec::new();
        for meta in &self.metas {
            let key = meta.at.unwrap_or_else(|| plan.put(&meta.key.to_bytes()));
            let flags = u64::from(meta.writable) | u64::from(meta.signer) << 8;
            words.extend([("meta key pointer", key), ("meta flags", flags)]);
        }
        let metas = laid.put(plan, &words);
        let words = [
            ("program pointer", program),
            ("metas pointer", metas),
            ("metas length", self.metas.len() as u64),
            ("data pointer", data),
            ("data length", self.data.len() as u64),
        ];
        laid.put(plan, &words)
    }

    fn lay_infos(&self, plan: &mut Plan, laid: &mut Laid) -> u64 {
        let mut words = Vec::new();
        for Info { place, signer, writable, lamports_cell, data_cell } in &self.infos {
            let flags = u64::from(*signer) | u64::from(*writable) << 8;
            if self.rust {
                let lamports = lamports_cell.unwrap_or_else(|| {
                    let cell =
                        [("count", 1), ("count", 1), ("borrow", 0), ("lamports pointer", place.lamports)];
                    laid.put(plan, &cell)
                });
                let data = data_cell.unwrap_or_else(|| {
                    let cell = [
                        ("count", 1),
                        ("count", 1),
                        ("borrow", 0),
                        ("account data pointer", place.data),
                        ("account data length", place.length),
                    ];
                    laid.put(plan, &cell)
                });
                words.extend([
                    ("key pointer", place.key),
                    ("lamports cell", lamports),
                    ("data cell", data),
                    ("owner pointer", place.owner),
                    ("rent epoch", 0),
                    ("flags", flags),
                ]);
            } else {
                words.extend([
                    ("key pointer", place.key),
                    ("lamports pointer", place.lamports),
                    ("account data length", place.length),
                    ("account data pointer", place.data),
                    ("owner pointer", place.owner),
                    ("rent epoch", 0),
                    ("flags", flags),
                ]);
            }
        }
        laid.put(plan, &words)
    }

    fn lay_signers(&self, plan: &mut Plan, laid: &mut Laid) -> u64 {
        let mut lists = Vec::new();
        for seeds in &self.signers {
            let mut words = Vec::new();
            for seed in seeds {
                words.extend([("seed pointer", plan.put(seed)), ("seed length", seed.len() as u64)]);
            }
            lists.extend([("seeds pointer", laid.put(plan, &words)), ("seeds length", seeds.len() as u64)]);
        }
        laid.put(plan, &lists)
    }
}
