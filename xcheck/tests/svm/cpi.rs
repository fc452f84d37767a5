//! Programs calling programs, by a program that is told what to put where in its memory and what to call.

use std::collections::BTreeMap;

use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;
use solana_account::Account;
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};
use solana_sdk_ids::{bpf_loader, bpf_loader_upgradeable, compute_budget, system_program};
use solana_system_interface::instruction::SystemInstruction;
use solana_transaction_error::TransactionError;
use svmllm::host::{HEAP_ADDRESS, INPUT_ADDRESS, Version, assemble};

use crate::both::{Both, MEMO_4, account, meta, pick, random, random_address};

/// The instruction data is a [`Plan`].
const FORWARD: &str = "
    mov64 r6, r2
    ldxdw r3, [r6+0]
    ldxdw r7, [r6+56]
    ldxdw r8, [r6+64]
    mov64 r2, r7
    add64 r2, r8
    lsh64 r2, 4
    add64 r2, r6
    add64 r2, 80
    lddw r1, 0x300000000
    syscall sol_memcpy_
    mov64 r9, r6
    add64 r9, 80
before:
    jeq r7, 0, call
    ldxdw r1, [r9+0]
    ldxdw r2, [r9+8]
    stxdw [r1+0], r2
    add64 r9, 16
    sub64 r7, 1
    ja before
call:
    ldxdw r1, [r6+16]
    ldxdw r2, [r6+24]
    ldxdw r3, [r6+32]
    ldxdw r4, [r6+40]
    ldxdw r5, [r6+48]
    ldxdw r0, [r6+8]
    jeq r0, 0, call_c
    jeq r0, 1, call_rust
    ja after
call_c:
    syscall sol_invoke_signed_c
    ja after
call_rust:
    syscall sol_invoke_signed_rust
after:
    jeq r8, 0, end
    ldxdw r1, [r9+0]
    ldxdw r2, [r9+8]
    stxdw [r1+0], r2
    add64 r9, 16
    sub64 r8, 1
    ja after
end:
    ldxdw r0, [r6+72]
    exit";

/// The program as a file of version 3: a header, one segment, the code.
fn forwarder() -> Vec<u8> {
    const CODE: u64 = 1 << 32;
    let text = assemble(FORWARD, Version::V3).expect("it is a program").text;
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(16, 0);
    file.extend([3, 0, 247, 0, 1, 0, 0, 0]);
    file.extend([CODE, 64, 0].map(u64::to_le_bytes).concat());
    file.extend([3, 0, 0, 0, 64, 0, 56, 0, 1, 0, 64, 0, 0, 0, 0, 0]);
    let length = text.len() as u64;
    file.extend([1 << 32 | 1, 120, CODE, CODE, length, length, 8].map(u64::to_le_bytes).concat());
    file.extend(text);
    file
}

/// What the program does: it copies a block to its heap, writes words, calls, writes words, and returns.
#[derive(Clone, Default)]
struct Plan {
    /// 0 for the C interface, 1 for Rust's, else there is no call.
    abi: u64,
    registers: [u64; 5],
    before: Vec<(u64, u64)>,
    after: Vec<(u64, u64)>,
    result: u64,
    heap: Vec<u8>,
}

impl Plan {
    fn encode(&self) -> Vec<u8> {
        let mut words = vec![self.heap.len() as u64, self.abi];
        words.extend(self.registers);
        words.extend([self.before.len() as u64, self.after.len() as u64, self.result]);
        words.extend(self.before.iter().chain(&self.after).flat_map(|(address, value)| [*address, *value]));
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend(&self.heap);
        bytes
    }

    /// Puts bytes on the heap and tells their address.
    fn put(&mut self, bytes: &[u8]) -> u64 {
        self.heap.resize(self.heap.len().next_multiple_of(8), 0);
        let address = HEAP_ADDRESS + self.heap.len() as u64;
        self.heap.extend(bytes);
        address
    }

    fn put_words(&mut self, words: &[u64]) -> u64 {
        self.put(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>())
    }
}

/// Where an account's fields lie in a program's input.
#[derive(Clone, Copy, Debug)]
struct Place {
    key: u64,
    owner: u64,
    lamports: u64,
    data: u64,
    length: u64,
}

fn places(accounts: &[AccountMeta], store: &BTreeMap<Address, Account>) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    let mut at = INPUT_ADDRESS + 8;
    for (number, account) in accounts.iter().enumerate() {
        if let Some(first) = accounts[..number].iter().position(|earlier| earlier.pubkey == account.pubkey) {
            places.push(places[first]);
            at += 8;
            continue;
        }
        let length = store.get(&account.pubkey).map_or(0, |account| account.data.len()) as u64;
        places.push(Place { key: at + 8, owner: at + 40, lamports: at + 72, data: at + 88, length });
        at += 88 + length.next_multiple_of(8) + 10240 + 8;
    }
    places
}

struct World {
    random: ChaCha8Rng,
    store: BTreeMap<Address, Account>,
    programs: [Address; 2],
    pool: Vec<Address>,
    derived: Address,
    bump: u8,
}

impl World {
    fn new(seed: u64, both: &mut Both) -> Self {
        let mut random = random(seed);
        let programs = [random_address(&mut random), random_address(&mut random)];
        for (program, loader) in programs.into_iter().zip([bpf_loader_upgradeable::ID, bpf_loader::ID]) {
            both.lite.add_program_with_loader(program, &forwarder(), loader).unwrap();
            both.svm.add_program(program, &forwarder(), loader).unwrap();
        }
        let (derived, bump) = Address::find_program_address(&[b"seed"], &programs[0]);
        let mut pool: Vec<Address> = (0..7).map(|_| random_address(&mut random)).collect();
        pool.push(derived);
        Self { random, store: BTreeMap::new(), programs, pool, derived, bump }
    }

    fn chance(&mut self, of: u32) -> bool {
        self.random.random_range(0..of) == 0
    }

    fn fill(&mut self, both: &mut Both) {
        for number in 0..self.pool.len() {
            let owner = [
                system_program::ID,
                system_program::ID,
                self.programs[0],
                self.programs[0],
                self.programs[1],
                self.programs[1],
                MEMO_4,
                system_program::ID,
            ][number];
            let lamports = pick(&mut self.random, &[1_000_000, 10_000_000, 1 << 40]);
            let length = if owner == system_program::ID { 0 } else { self.random.random_range(0..40) };
            let mut data = vec![0; length];
            if !self.chance(3) {
                self.random.fill_bytes(&mut data);
            }
            let filled = account(lamports, data, owner);
            self.store.insert(self.pool[number], filled.clone());
            both.set_account(self.pool[number], filled);
        }
        self.store.retain(|address, _| self.pool.contains(address));
        for program in [system_program::ID, MEMO_4, self.programs[0], self.programs[1]] {
            let known = both.lite.get_account(&program).expect("it is there");
            self.store.insert(program, known);
        }
    }

    /// An instruction for one of the programs, of accounts that the caller has.
    fn callee(&mut self, caller: &[AccountMeta], depth: u32) -> Instruction {
        let random = &mut self.random;
        let mut accounts: Vec<AccountMeta> = (0..random.random_range(0..5))
            .map(|_| caller[random.random_range(0..caller.len())].clone())
            .collect();
        if random.random_range(0..12) == 0 {
            accounts.push(meta(pick(random, &self.pool), false, false));
        }
        for account in &mut accounts {
            match random.random_range(0..20) {
                0 => account.is_writable = !account.is_writable,
                1 => account.is_signer = !account.is_signer,
                2 | 3 => account.is_signer |= account.pubkey == self.derived,
                _ => {}
            }
        }
        match random.random_range(0..8) {
            0 => {
                let data = [&b"memo"[..], b"", b"\xff"][random.random_range(0..3)].to_vec();
                Instruction { program_id: MEMO_4, accounts, data }
            }
            1..=3 => {
                let lamports = pick(random, &[0, 1, 5_000_000, u64::MAX]);
                let owner = self.programs[0];
                let space = pick(random, &[0, 8, 10_240, 10_241]);
                let instruction = match random.random_range(0..5) {
                    0 => SystemInstruction::CreateAccount { lamports, space, owner },
                    1 => SystemInstruction::Allocate { space },
                    2 => SystemInstruction::Assign { owner },
                    _ => SystemInstruction::Transfer { lamports },
                };
                let data = wincode::serialize(&instruction).unwrap();
                if random.random_range(0..3) != 0 {
                    let signing: Vec<_> = caller.iter().filter(|account| account.is_signer).collect();
                    if !signing.is_empty() {
                        let from = signing[random.random_range(0..signing.len())].clone();
                        let to = caller[random.random_range(0..caller.len())].clone();
                        accounts.splice(0..0, [from, to]);
                    }
                }
                Instruction { program_id: system_program::ID, accounts, data }
            }
            _ => {
                let program_id = pick(random, &self.programs);
                for program in [self.programs[0], self.programs[1], system_program::ID, MEMO_4] {
                    accounts.push(meta(program, false, false));
                }
                let data = self.plan(program_id, &accounts, depth).encode();
                Instruction { program_id, accounts, data }
            }
        }
    }

    /// Words written into accounts: balances, lengths, data.
    fn pokes(&mut self, program: Address, accounts: &[AccountMeta], places: &[Place]) -> Vec<(u64, u64)> {
        let mut pokes = Vec::new();
        let owned: Vec<usize> = (0..accounts.len())
            .filter(|number| {
                let known = self.store.get(&accounts[*number].pubkey);
                known.is_some_and(|account| account.owner == program) && accounts[*number].is_writable
            })
            .collect();
        for _ in 0..self.random.random_range(0..3) {
            let any = self.random.random_range(0..accounts.len());
            let number =
                if owned.is_empty() || self.chance(6) { any } else { pick(&mut self.random, &owned) };
            let place = places[number];
            let balance = self.store.get(&accounts[number].pubkey).map_or(0, |account| account.lamports);
            match self.random.random_range(0..6) {
                0 => {
                    let amount = self.random.random_range(0..1000);
                    pokes.push((place.lamports, balance.wrapping_sub(amount)));
                    let other = self.random.random_range(0..accounts.len());
                    let known = self.store.get(&accounts[other].pubkey).map_or(0, |account| account.lamports);
                    if other != number {
                        pokes.push((places[other].lamports, known.wrapping_add(amount)));
                    }
                }
                1 => {
                    let lengths = [0, 1, place.length + 8, place.length + 10_240, place.length + 10_241];
                    pokes.push((place.data - 8, pick(&mut self.random, &lengths)));
                }
                2 => pokes.push((place.owner, self.random.random())),
                3 => pokes.push((place.data + self.random.random_range(0..32), self.random.random())),
                4 => pokes.push((place.data, 0)),
                _ => pokes.push((place.data + self.random.random_range(0..10_240), self.random.random())),
            }
        }
        pokes
    }

    /// What a program with these accounts does.
    fn plan(&mut self, program: Address, accounts: &[AccountMeta], depth: u32) -> Plan {
        let places = places(accounts, &self.store);
        let mut plan = Plan { abi: 2, ..Plan::default() };
        if self.chance(2) {
            plan.before = self.pokes(program, accounts, &places);
        }
        if self.chance(3) {
            plan.after = self.pokes(program, accounts, &places);
        }
        if self.chance(20) {
            plan.result = pick(&mut self.random, &[1, 7, 1 << 32, 2 << 32, 26 << 32, 99 << 32, u64::MAX]);
        }
        if depth == 0 || accounts.is_empty() || self.chance(4) {
            return plan;
        }
        plan.abi = self.random.random_range(0..2);
        let call = self.callee(accounts, depth - 1);
        self.describe(&mut plan, &call, accounts, &places);
        plan
    }

    /// Puts the description of a call on the heap of the program that does it.
    fn describe(&mut self, plan: &mut Plan, call: &Instruction, accounts: &[AccountMeta], places: &[Place]) {
        let data = plan.put(&call.data);
        let program = plan.put(&call.program_id.to_bytes());
        let mut infos = Vec::new();
        let rust = plan.abi == 1;
        let flags = |account: &AccountMeta| {
            let (signer, writable) = (u64::from(account.is_signer), u64::from(account.is_writable));
            if rust { signer | writable << 8 } else { writable | signer << 8 }
        };
        let instruction = if rust {
            let mut metas = Vec::new();
            for account in &call.accounts {
                metas.extend(account.pubkey.to_bytes());
                metas.extend([u8::from(account.is_signer), u8::from(account.is_writable)]);
            }
            let metas = plan.put(&metas);
            let mut words = vec![metas, 0, call.accounts.len() as u64, data, 0, call.data.len() as u64];
            let (id, _) = call.program_id.as_array().as_chunks::<8>();
            words.extend(id.iter().map(|word| u64::from_le_bytes(*word)));
            plan.put_words(&words)
        } else {
            let mut metas = Vec::new();
            for account in &call.accounts {
                let known = accounts.iter().position(|known| known.pubkey == account.pubkey);
                let key = match known {
                    Some(number) => places[number].key,
                    None => plan.put(&account.pubkey.to_bytes()),
                };
                metas.extend([key, flags(account)]);
            }
            let metas = plan.put_words(&metas);
            plan.put_words(&[program, metas, call.accounts.len() as u64, data, call.data.len() as u64])
        };
        for (account, place) in accounts.iter().zip(places) {
            if self.chance(40) {
                continue;
            }
            let changed = plan.before.iter().find(|(address, _)| *address == place.data - 8);
            let length = changed.map_or(place.length, |(_, length)| *length);
            if rust {
                let lamports = plan.put_words(&[1, 1, 0, place.lamports]);
                let data = plan.put_words(&[1, 1, 0, place.data, length]);
                infos.extend([place.key, lamports, data, place.owner, 0, flags(account)]);
            } else {
                infos.extend([place.key, place.lamports, length, place.data, place.owner, 0, flags(account)]);
            }
        }
        let size = if rust { 6 } else { 7 };
        let count = infos.len() as u64 / size;
        let infos = plan.put_words(&infos);
        let seed = plan.put(b"seed");
        let bump = plan.put(&[self.bump]);
        let slices = plan.put_words(&[seed, 4, bump, 1]);
        let signers = plan.put_words(&[slices, 2, slices, 2]);
        let signer_count = pick(&mut self.random, &[0, 1, 1, 1, 2]);
        plan.registers = [instruction, infos, count, signers, signer_count];
        self.spoil(plan);
    }

    /// Sometimes something is wrong.
    fn spoil(&mut self, plan: &mut Plan) {
        let wrong = [0, 1, 8, 16, 255, 256, 1 << 20, HEAP_ADDRESS, INPUT_ADDRESS, u64::MAX, 1 << 60];
        match self.random.random_range(0..14) {
            0 => {
                let number = self.random.random_range(0..5);
                let offset = pick(&mut self.random, &wrong);
                plan.registers[number] = match self.random.random_range(0..3) {
                    0 => offset,
                    1 => plan.registers[number].wrapping_add(offset),
                    _ => plan.registers[number].wrapping_sub(offset),
                };
            }
            1 | 2 => {
                let words = plan.heap.len() / 8;
                let at = 8 * self.random.random_range(0..words);
                let word: &mut [u8; 8] = plan.heap[at..].first_chunk_mut().unwrap();
                let old = u64::from_le_bytes(*word);
                let offset = pick(&mut self.random, &wrong);
                let new = match self.random.random_range(0..4) {
                    0 => offset,
                    1 => old.wrapping_add(offset),
                    2 => old ^ 1 << self.random.random_range(0..64),
                    _ => old.wrapping_sub(1),
                };
                *word = new.to_le_bytes();
            }
            _ => {}
        }
    }
}

#[test]
fn random_calls() {
    let mut both = Both::unchecked();
    let mut world = World::new(31, &mut both);
    let payer = random_address(&mut world.random);
    both.set_account(payer, account(1 << 50, Vec::new(), system_program::ID));
    let mut labels: BTreeMap<String, u32> = BTreeMap::new();
    for round in 0..400 {
        world.fill(&mut both);
        let program_id = pick(&mut world.random, &world.programs);
        let mut accounts: Vec<AccountMeta> = Vec::new();
        for _ in 0..world.random.random_range(1..6) {
            let key = pick(&mut world.random, &world.pool);
            let signer = world.chance(2) && key != world.derived;
            accounts.push(meta(key, signer, !world.chance(4)));
        }
        for program in [world.programs[0], world.programs[1], system_program::ID, MEMO_4] {
            accounts.push(meta(program, false, false));
        }
        let depth = world.random.random_range(1..7);
        let data = world.plan(program_id, &accounts, depth).encode();
        let mut instructions = vec![Instruction { program_id, accounts, data }];
        if world.chance(8) {
            let units: u32 = world.random.random_range(0..20_000);
            let data = [&[2][..], &units.to_le_bytes()].concat();
            instructions.insert(0, Instruction { program_id: compute_budget::ID, accounts: vec![], data });
        }
        let label = match both.run(&format!("round {round}"), payer, &instructions) {
            Ok(done) => format!("ok after {} calls", done.inner_instructions.concat().len()),
            Err(failed) => match failed.err {
                TransactionError::InstructionError(_, error) => {
                    let reason = failed.meta.logs.iter().find(|line| line.contains(" failed: "));
                    let reason = reason.and_then(|line| line.split(" failed: ").nth(1)).unwrap_or("");
                    let reason: String = reason.chars().filter(|c| !c.is_ascii_digit()).take(40).collect();
                    format!("{error:?} ({reason})")
                }
                error => format!("{error:?}"),
            },
        };
        *labels.entry(label).or_default() += 1;
    }
    println!("{labels:#?}");
    let succeeded: u32 =
        labels.iter().filter(|(label, _)| label.starts_with("ok")).map(|(_, count)| count).sum();
    assert!(succeeded > 80, "{labels:#?}");
    assert!(labels.len() > 20, "{labels:#?}");
}
