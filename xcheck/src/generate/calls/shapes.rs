//! What is called, and what caller and callee do to their accounts.

use std::collections::BTreeMap;

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use solana_account::Account;
use solana_address::Address;
use solana_instruction::AccountMeta;
use solana_sdk_ids::{
    bpf_loader, bpf_loader_deprecated, bpf_loader_upgradeable, compute_budget, ed25519_program,
    native_loader, secp256k1_program, secp256r1_program, system_program, sysvar,
};
use solana_system_interface::instruction::SystemInstruction;
use svmllm::host::{HEAP_ADDRESS, INPUT_ADDRESS, STACK_ADDRESS};

use super::{
    Call, GROWTH, PROGRAM_ADDRESS, Plan,
    faults::Change,
    scene::{DERIVED, Field, MINE, Poke, READ, RESULTS, Scene, THEIRS, WALLET},
};
use crate::generate::{
    bytes,
    spl::{PAYER, chance, key, one},
};

/// A call of the second caller by the first one, before it is written down.
pub struct Shape {
    pub(super) scene: Scene,
    /// What the caller's instruction lists.
    pub(super) outer: Vec<AccountMeta>,
    /// What the callee's instruction lists.
    pub(super) inner: Vec<AccountMeta>,
    pub(super) program: Address,
    /// The callee's data if it is not told what to do.
    pub(super) data: Option<Vec<u8>>,
    /// What the caller does before the call, after it, and what the callee does.
    pub(super) before: Vec<Poke>,
    pub(super) after: Vec<Poke>,
    pub(super) inside: Vec<Poke>,
    /// What the callee does after that.
    pub(super) callee: Plan,
    /// Calls with the same description.
    pub(super) calls: u64,
    /// Whether memory is shown around the call.
    pub(super) shows: bool,
}

/// What is called, and what the two programs do to their accounts.
pub const SHAPES: [(&str, Change<Shape>); 42] = [
    ("nothing special", |_, _| {}),
    ("callee grows its account", |shape, rng| {
        let length = shape.length(THEIRS) + one(rng, &[1, 8, GROWTH, GROWTH + 1]);
        shape.inside(THEIRS, Field::Length, length);
    }),
    ("callee shrinks its account", |shape, rng| {
        let length = shape.length(THEIRS).saturating_sub(one(rng, &[1, 8, 30]));
        shape.inside(THEIRS, Field::Length, length);
    }),
    ("callee shrinks, another call grows", |shape, rng| {
        let length = shape.length(THEIRS);
        shape.inside(THEIRS, Field::Length, one(rng, &[0, 3, 8]));
        shape.after(THEIRS, Field::Length, length + one(rng, &[0, 0, 8]));
    }),
    ("caller shrinks, then grows", |shape, rng| {
        let length = shape.length(MINE);
        shape.before(MINE, Field::Length, one(rng, &[0, 3, 8, 33]));
        shape.after(MINE, Field::Length, length + one(rng, &[0, 0, 8]));
    }),
    ("callee gives its account away", |shape, rng| {
        if chance(rng, 50) {
            shape.zero(THEIRS);
        }
        shape.inside(THEIRS, Field::Owner, rng.random());
    }),
    ("callee moves lamports", |shape, rng| {
        let amount = rng.random_range(0..2000);
        shape.inside(THEIRS, Field::Lamports, shape.lamports(THEIRS) - amount);
        shape.inside(one(rng, &[MINE, WALLET, DERIVED]), Field::Lamports, shape.lamports(MINE) + amount);
    }),
    ("callee moves lamports to another account", |shape, rng| {
        let (amount, to) = (rng.random_range(0..2000), one(rng, &[MINE, WALLET, DERIVED, READ]));
        shape.inside(THEIRS, Field::Lamports, shape.lamports(THEIRS) - amount);
        shape.inside(to, Field::Lamports, shape.lamports(to) + amount);
    }),
    ("callee makes or loses lamports", |shape, rng| {
        let value = shape.lamports(THEIRS).wrapping_add_signed(one(rng, &[-1, 1, 1000]));
        shape.inside(THEIRS, Field::Lamports, value);
    }),
    ("callee spends the caller's lamports", |shape, _| {
        shape.inside(MINE, Field::Lamports, shape.lamports(MINE) - 1);
        shape.inside(THEIRS, Field::Lamports, shape.lamports(THEIRS) + 1);
    }),
    ("callee writes the caller's data", |shape, rng| {
        shape.inside(MINE, Field::Data(0), rng.random());
    }),
    ("callee writes its data", |shape, rng| shape.inside(THEIRS, Field::Data(0), rng.random())),
    ("caller grows its account", |shape, rng| {
        let length = shape.length(MINE) + one(rng, &[1, 8, GROWTH, GROWTH + 1]);
        shape.before(MINE, Field::Length, length);
        if chance(rng, 60) {
            shape.before(MINE, Field::Data(shape.length(MINE)), rng.random());
        }
    }),
    ("caller grows the callee's account", |shape, rng| {
        let length = shape.length(THEIRS) + one(rng, &[1, GROWTH, GROWTH + 1]);
        shape.before(THEIRS, Field::Length, length);
    }),
    ("caller writes the callee's data", |shape, rng| {
        shape.before(THEIRS, Field::Data(0), rng.random());
    }),
    ("caller writes behind the callee's data", |shape, rng| {
        shape.before(THEIRS, Field::Data(shape.length(THEIRS) + rng.random_range(0..100)), rng.random());
    }),
    ("caller writes what is there already", |shape, rng| {
        let slot = one(rng, &[MINE, THEIRS, READ]);
        let account = &shape.scene.accounts[&shape.outer[slot].pubkey];
        if let Some(word) = account.data.first_chunk() {
            shape.before(slot, Field::Data(0), u64::from_le_bytes(*word));
        }
    }),
    ("caller changes what it may only read", |shape, rng| {
        let field = one(rng, &[Field::Lamports, Field::Length, Field::Owner, Field::Data(0)]);
        shape.before(READ, field, rng.random_range(0..20));
    }),
    ("caller makes or loses lamports", |shape, rng| {
        let value = shape.lamports(MINE).wrapping_add_signed(one(rng, &[-1, 1, 1000]));
        shape.before(MINE, Field::Lamports, value);
    }),
    ("caller moves lamports", |shape, rng| {
        let (amount, to) = (rng.random_range(0..2000), one(rng, &[THEIRS, WALLET, DERIVED, READ]));
        shape.before(MINE, Field::Lamports, shape.lamports(MINE) - amount);
        shape.before(to, Field::Lamports, shape.lamports(to) + amount);
    }),
    ("caller moves lamports half before, half after", |shape, rng| {
        let amount = rng.random_range(1..2000);
        shape.before(MINE, Field::Lamports, shape.lamports(MINE) - amount);
        shape.after(WALLET, Field::Lamports, shape.lamports(WALLET) + amount);
    }),
    ("caller gives its account away", |shape, rng| {
        if chance(rng, 70) {
            shape.zero(MINE);
        }
        shape.before(MINE, Field::Owner, rng.random());
    }),
    ("calls itself", |shape, _| shape.program = shape.scene.callers[0].address()),
    ("is called back", |shape, rng| {
        let [first, second] = shape.scene.callers;
        let places = shape.scene.places(second, &shape.inner);
        let rust = rng.random();
        let call = Call::new(rust, first.address(), &[], Plan::default().encode(), &shape.inner, &places);
        let registers = call.lay(&mut shape.callee).registers;
        shape.callee.call(rust, registers);
    }),
    ("calls itself deeper", |shape, rng| {
        let [_, second] = shape.scene.callers;
        let places = shape.scene.places(second, &shape.inner);
        for _ in 0..rng.random_range(0..5) {
            let rust = rng.random();
            let mut plan = Plan::default();
            let data = shape.callee.encode();
            let call = Call::new(rust, second.address(), &shape.inner, data, &shape.inner, &places);
            let registers = call.lay(&mut plan).registers;
            plan.call(rust, registers);
            shape.callee = plan;
        }
    }),
    ("callee returns an error", |shape, rng| shape.callee.end(one(rng, &RESULTS))),
    ("callee faults", |shape, rng| {
        let addresses = [0, PROGRAM_ADDRESS, STACK_ADDRESS - 1, HEAP_ADDRESS + 32 * 1024, INPUT_ADDRESS - 1];
        shape.callee.store(one(rng, &addresses), 1);
    }),
    ("callee gives data back", |shape, rng| {
        let len = one(rng, &[0, 1, 32, 40, 1024, 1025]);
        shape.callee.give_back(&bytes(rng, len));
    }),
    ("siblings are looked up", |shape, rng| {
        shape.calls = rng.random_range(1..4);
        shape.callee.show_sibling(rng.random_range(0..2));
    }),
    ("writable without right", |shape, rng| {
        let read = shape.outer[READ].pubkey;
        shape.inner.iter_mut().filter(|meta| meta.pubkey == read).for_each(|meta| meta.is_writable = true);
        if chance(rng, 30) {
            shape.inner.rotate_left(2);
        }
    }),
    ("signing without right", |shape, rng| {
        let i = rng.random_range(0..shape.inner.len());
        shape.inner[i].is_signer = true;
    }),
    ("account that the transaction does not have", |shape, rng| {
        let at = rng.random_range(0..=shape.inner.len());
        shape.inner.insert(at, AccountMeta::new_readonly(key("unknown"), false));
    }),
    ("account that the caller does not have", |shape, rng| {
        let at = rng.random_range(0..=shape.inner.len());
        shape.inner.insert(
            at,
            AccountMeta { is_writable: chance(rng, 40), ..AccountMeta::new_readonly(PAYER, false) },
        );
    }),
    ("account twice with other flags", |shape, rng| {
        let mut meta = shape.inner[rng.random_range(0..shape.inner.len())].clone();
        meta.is_writable ^= chance(rng, 50);
        meta.is_signer ^= chance(rng, 50);
        let at = rng.random_range(0..=shape.inner.len());
        shape.inner.insert(at, meta);
    }),
    ("caller has an account twice", |shape, rng| {
        let mut meta = shape.outer[rng.random_range(0..5)].clone();
        meta.is_writable &= chance(rng, 50);
        meta.is_signer &= chance(rng, 50);
        shape.outer.push(meta);
    }),
    ("program that may not be called", |shape, rng| {
        let programs = [
            native_loader::ID,
            bpf_loader::ID,
            bpf_loader_deprecated::ID,
            bpf_loader_upgradeable::ID,
            bpf_loader_upgradeable::ID,
            bpf_loader_upgradeable::ID,
            ed25519_program::ID,
            secp256k1_program::ID,
            secp256r1_program::ID,
            compute_budget::ID,
        ];
        shape.program = one(rng, &programs);
        shape.outer.push(AccountMeta::new_readonly(shape.program, false));
        // What may be called of the upgradeable loader is left to suites of that loader.
        let tag = one(rng, &[0, 1, 2, 6, 8, 9, 10, 255]);
        shape.data = Some(if chance(rng, 10) { vec![] } else { vec![tag, 0, 0, 0] });
    }),
    ("program that the caller does not have", |shape, _| {
        let program = shape.program;
        shape.outer.retain(|meta| meta.pubkey != program);
    }),
    ("no program", |shape, rng| {
        shape.program = one(rng, &[shape.outer[WALLET].pubkey, key("unknown"), shape.outer[MINE].pubkey])
    }),
    ("sysvars", |shape, rng| {
        let sysvar = one(rng, &[sysvar::instructions::ID, sysvar::instructions::ID, sysvar::clock::ID]);
        let meta = AccountMeta { is_writable: chance(rng, 20), ..AccountMeta::new_readonly(sysvar, false) };
        shape.outer.push(meta.clone());
        if sysvar != sysvar::instructions::ID {
            shape.inner.push(meta);
        }
    }),
    ("called often", |shape, rng| {
        shape.shows = false;
        shape.calls = one(rng, &[10, 62, 63, 64, 70]);
    }),
    ("long data", |shape, rng| {
        shape.shows = false;
        let length = one(rng, &[9_000, 10_239, 10_240, 10_241, 11_000]);
        let now = shape.callee.encode().len();
        shape.callee.heap.resize(shape.callee.heap.len() + length - now, 7);
    }),
    ("system program", |shape, rng| {
        let [wallet, derived, mine] = [WALLET, DERIVED, MINE].map(|slot| shape.outer[slot].clone());
        let signing = AccountMeta { is_signer: true, ..derived };
        let lamports = one(rng, &[0, 1, 1000, 2_000_000, u64::MAX]);
        let owner = shape.scene.callers[0].address();
        let (instruction, accounts) = match rng.random_range(0..4) {
            0 => (SystemInstruction::Transfer { lamports }, vec![signing, mine]),
            1 => (SystemInstruction::Transfer { lamports }, vec![wallet, mine]),
            2 => {
                let space = one(rng, &[0, 8, GROWTH, GROWTH + 1]);
                if chance(rng, 70) {
                    shape.scene.accounts.remove(&signing.pubkey);
                }
                (
                    SystemInstruction::CreateAccount { lamports: 80_000_000, space, owner },
                    vec![wallet, signing],
                )
            }
            _ => (SystemInstruction::Assign { owner }, vec![signing]),
        };
        shape.program = system_program::ID;
        shape.data = Some(wincode::serialize(&instruction).expect("an instruction serializes"));
        shape.inner = accounts;
    }),
];

impl Shape {
    /// A call in which nothing is wrong.
    pub(super) fn new(rng: &mut ChaCha8Rng, lengths: &BTreeMap<Address, u64>) -> Self {
        let scene = Scene::new(rng, lengths);
        let outer = scene.listed();
        let mut inner: Vec<AccountMeta> =
            [THEIRS, MINE, WALLET, DERIVED, READ].map(|slot| outer[slot].clone()).into();
        inner[3].is_signer = true;
        // The callee can call itself and its caller.
        inner.extend(outer[6..].iter().cloned());
        Self {
            program: scene.callers[1].address(),
            scene,
            outer,
            inner,
            data: None,
            before: vec![],
            after: vec![],
            inside: vec![],
            callee: Plan::default(),
            calls: 1,
            shows: chance(rng, 60),
        }
    }

    fn account(&self, slot: usize) -> &Account {
        &self.scene.accounts[&self.outer[slot].pubkey]
    }

    fn length(&self, slot: usize) -> u64 {
        self.scene.length(&self.outer[slot].pubkey)
    }

    fn lamports(&self, slot: usize) -> u64 {
        self.account(slot).lamports
    }

    fn zero(&mut self, slot: usize) {
        let account = self.scene.accounts.get_mut(&self.outer[slot].pubkey).expect("it is there");
        account.data.fill(0);
    }

    fn poke(&self, slot: usize, field: Field, value: u64) -> Poke {
        Poke { account: self.outer[slot].pubkey, field, value }
    }

    fn before(&mut self, slot: usize, field: Field, value: u64) {
        self.before.push(self.poke(slot, field, value));
    }

    fn after(&mut self, slot: usize, field: Field, value: u64) {
        self.after.push(self.poke(slot, field, value));
    }

    fn inside(&mut self, slot: usize, field: Field, value: u64) {
        self.inside.push(self.poke(slot, field, value));
    }
}
