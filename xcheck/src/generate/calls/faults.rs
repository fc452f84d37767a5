//! Single calls with something wrong in them, or something special.

use rand::{Rng, seq::IteratorRandom};
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
    Call, GROWTH, Laid, Plan,
    scene::{DERIVED, Field, MINE, Poke, READ, RESULTS, Scene, THEIRS, WALLET},
};
use crate::generate::{
    bytes,
    spl::{PAYER, chance, key, one},
};

/// Where the text is.
const PROGRAM_ADDRESS: u64 = 1 << 32;

/// A call of the second caller by the first one, before it is written down.
pub struct Shape {
    scene: Scene,
    /// What the caller's instruction lists.
    outer: Vec<AccountMeta>,
    /// What the callee's instruction lists.
    inner: Vec<AccountMeta>,
    program: Address,
    /// The callee's data if it is not told what to do.
    data: Option<Vec<u8>>,
    /// What the caller does before the call, after it, and what the callee does.
    before: Vec<Poke>,
    after: Vec<Poke>,
    inside: Vec<Poke>,
    /// What the callee does after that.
    callee: Plan,
    /// Calls with the same description.
    calls: u64,
    /// Whether memory is shown around the call.
    shows: bool,
}

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

type Change<T> = fn(&mut T, &mut ChaCha8Rng);

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
        let call =
            Call::new(rust, first.address(), &[], Plan::default().encode(), &shape.inner, &places);
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
        shape.inner.insert(at, AccountMeta { is_writable: chance(rng, 40), ..AccountMeta::new_readonly(PAYER, false) });
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
    ("no program", |shape, rng| shape.program = one(rng, &[shape.outer[WALLET].pubkey, key("unknown"), shape.outer[MINE].pubkey])),
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
                (SystemInstruction::CreateAccount { lamports: 80_000_000, space, owner }, vec![wallet, signing])
            }
            _ => (SystemInstruction::Assign { owner }, vec![signing]),
        };
        shape.program = system_program::ID;
        shape.data = Some(wincode::serialize(&instruction).expect("an instruction serializes"));
        shape.inner = accounts;
    }),
];

/// How the call is described.
pub const CALLS: [(&str, Change<Call>); 25] = [
    ("signer byte", |call, rng| {
        let i = rng.random_range(0..call.metas.len());
        call.metas[i].signer = one(rng, &[2, 255, 0x80]);
    }),
    ("writable byte", |call, rng| {
        let i = rng.random_range(0..call.metas.len());
        call.metas[i].writable = one(rng, &[2, 255, 0x80]);
    }),
    ("many signers", |call, rng| {
        let seeds = call.signers[0].clone();
        call.signers = vec![seeds; one(rng, &[2, 16, 17])];
    }),
    ("many seeds", |call, rng| {
        let mut seeds = vec![vec![]; one(rng, &[13, 14, 15, 16, 20])];
        seeds.extend(call.signers[0].clone());
        call.signers[0] = seeds;
    }),
    ("long seed", |call, rng| call.signers[0][0].resize(one(rng, &[31, 32, 33, 100]), b'x')),
    ("other bump", |call, rng| call.signers[0][1] = vec![rng.random()]),
    ("no signers", |call, _| call.signers.clear()),
    ("no seeds", |call, rng| {
        call.signers[0].clear();
        if chance(rng, 50) {
            call.signers.push(vec![vec![]]);
        }
    }),
    ("signer that is not needed", |call, rng| {
        call.signers.push(vec![b"some other".to_vec(), vec![rng.random()]]);
    }),
    ("account not described", |call, rng| {
        call.infos.remove(rng.random_range(0..call.infos.len().min(6)));
    }),
    ("account described twice", |call, rng| {
        let i = rng.random_range(0..call.infos.len().min(6));
        let mut info = call.infos[i].clone();
        info.place.length = one(rng, &[0, info.place.length + 8, 1 << 40]);
        let at = one(rng, &[0, call.infos.len()]);
        call.infos.insert(at, info);
    }),
    ("rubbish described", |call, rng| {
        let mut info = call.infos[0].clone();
        info.place.key = one(rng, &[info.place.owner, call.infos[1].place.owner, INPUT_ADDRESS, 8]);
        [info.place.data, info.place.lamports, info.place.owner] = [7, 9, 11];
        let at = one(rng, &[0, call.infos.len()]);
        call.infos.insert(at, info);
    }),
    ("many described", |call, rng| {
        let info = call.infos[0].clone();
        call.infos.resize(one(rng, &[64, 254, 255, 256]), info);
    }),
    ("many listed", |call, rng| {
        let meta = call.metas[0].clone();
        call.metas.resize(one(rng, &[64, 254, 255, 256]), meta);
    }),
    ("none listed", |call, _| call.metas.clear()),
    ("key elsewhere", |call, rng| {
        let place = call.infos[0].place;
        pick(call, rng).key = one(rng, &[place.key, place.key + 1, place.key - 1, place.owner, HEAP_ADDRESS]);
    }),
    ("owner elsewhere", |call, rng| {
        let place = call.infos[0].place;
        pick(call, rng).owner = one(rng, &[place.owner, place.owner + 8, place.key, HEAP_ADDRESS, 0]);
    }),
    ("lamports elsewhere", |call, rng| {
        let place = call.infos[0].place;
        pick(call, rng).lamports =
            one(rng, &[place.lamports, place.lamports + 1, place.data - 8, HEAP_ADDRESS, 0]);
    }),
    ("data elsewhere", |call, rng| {
        let place = call.infos[0].place;
        pick(call, rng).data = one(rng, &[place.data, place.data + 1, place.key, HEAP_ADDRESS, 0]);
    }),
    ("other length", |call, rng| {
        let place = pick(call, rng);
        let length = place.length;
        let lengths =
            [0, 1, length + 1, length + GROWTH, length + GROWTH + 1, u64::MAX, 1 << 63, 10 << 20];
        place.length = one(rng, &lengths);
    }),
    ("lamports cell in the input", |call, rng| {
        let i = rng.random_range(0..call.infos.len().min(6));
        let place = call.infos[i].place;
        call.infos[i].lamports_cell = Some(one(rng, &[place.lamports, INPUT_ADDRESS - 8, place.data, place.data - 32]));
    }),
    ("data cell in the input", |call, rng| {
        let i = rng.random_range(0..call.infos.len().min(6));
        let place = call.infos[i].place;
        call.infos[i].data_cell = Some(one(rng, &[place.data, INPUT_ADDRESS - 32, INPUT_ADDRESS - 24, place.lamports]));
    }),
    ("listed key elsewhere", |call, rng| {
        let place = call.infos[0].place;
        let i = rng.random_range(0..call.metas.len());
        call.metas[i].at = Some(one(rng, &[place.owner, place.key + 1, 0, HEAP_ADDRESS, INPUT_ADDRESS + 8]));
    }),
    ("described in read-only memory", |call, rng| {
        call.constant = true;
        if chance(rng, 70) {
            let mine = call.infos[0].place.key;
            call.metas.retain(|meta| meta.at == Some(mine));
        }
    }),
    ("infos' flags", |call, rng| {
        let i = rng.random_range(0..call.infos.len());
        call.infos[i].signer = one(rng, &[0, 1, 2]);
        call.infos[i].writable = one(rng, &[0, 1, 2]);
    }),
];

fn pick<'a>(call: &'a mut Call, rng: &mut ChaCha8Rng) -> &'a mut super::Place {
    let some = rng.random_range(0..call.infos.len().min(6));
    &mut call.infos[some].place
}

impl Shape {
    fn new(rng: &mut ChaCha8Rng, lengths: &std::collections::BTreeMap<Address, u64>) -> Self {
        let scene = Scene::new(rng, lengths);
        let outer = scene.listed();
        let mut inner: Vec<AccountMeta> = [THEIRS, MINE, WALLET, DERIVED, READ].map(|slot| outer[slot].clone()).into();
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

/// A call with something wrong or special: a shape, a description, and a word in memory if asked for.
pub fn make(
    shape: Option<usize>,
    description: Option<usize>,
    word: bool,
    rng: &mut ChaCha8Rng,
    lengths: &std::collections::BTreeMap<Address, u64>,
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
