//! A program's life through the loader, and tokens.

use anyhow::{Context, ensure};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};
use solana_keypair::Keypair;
use solana_sdk_ids::{bpf_loader_upgradeable, system_program, sysvar};
use solana_signer::Signer;
use solana_system_interface::instruction::create_account;
use svmllm::{host::Version, types::TransactionResult};

use super::bodies::{keypair, signed};
use crate::{
    bank::{Bank, Watched},
    generate::{
        own,
        spl::{ASSOCIATED_TOKEN, MEMO, TOKEN, one, rent, wallet},
    },
};

/// Bytes written to a buffer in one transaction.
const CHUNK: usize = 900;

/// An instruction of the loader.
fn loader(number: u32, data: &[u8], accounts: &[(Address, bool, bool)]) -> Instruction {
    let accounts = accounts
        .iter()
        .map(|(address, signer, writable)| AccountMeta {
            pubkey: *address,
            is_signer: *signer,
            is_writable: *writable,
        })
        .collect();
    let data = [&number.to_le_bytes()[..], data].concat();
    Instruction { program_id: bpf_loader_upgradeable::ID, accounts, data }
}

/// Who deploys a program, and where.
struct Deployment<B> {
    bank: Watched<B>,
    payer: Keypair,
    authority: Keypair,
    program: Keypair,
    data: Address,
}

impl<B: Bank> Deployment<B> {
    fn new(rng: &mut ChaCha8Rng) -> anyhow::Result<Self> {
        let mut bank = Watched::<B>::new();
        let (payer, authority, program) = (keypair(rng), keypair(rng), keypair(rng));
        ensure!(bank.set_account(payer.pubkey(), wallet(100_000_000_000)).is_ok());
        let (data, _) =
            Address::find_program_address(&[program.pubkey().as_ref()], &bpf_loader_upgradeable::ID);
        Ok(Self { bank, payer, authority, program, data })
    }

    fn send(&mut self, instructions: &[Instruction], signers: &[&Keypair]) -> TransactionResult {
        let payer = self.payer.insecure_clone();
        let signers = [&[&payer][..], signers].concat();
        let transaction = signed(instructions, &signers, self.bank.latest_blockhash());
        self.bank.send_transaction(transaction)
    }

    /// Writes a file to a new buffer.
    fn buffer(&mut self, file: &[u8], rng: &mut ChaCha8Rng) -> anyhow::Result<Address> {
        let buffer = keypair(rng);
        let (payer, authority) = (self.payer.pubkey(), self.authority.insecure_clone());
        let length = 37 + file.len();
        let create = create_account(
            &payer,
            &buffer.pubkey(),
            rent(length),
            length as u64,
            &bpf_loader_upgradeable::ID,
        );
        let accounts = [(buffer.pubkey(), false, true), (authority.pubkey(), false, false)];
        let made = self.send(&[create, loader(0, &[], &accounts)], &[&buffer]);
        ensure!(made.is_ok(), "the buffer: {made:?}");
        for (number, chunk) in file.chunks(CHUNK).enumerate() {
            let offset = (number * CHUNK) as u32;
            let data = [&offset.to_le_bytes()[..], &(chunk.len() as u64).to_le_bytes(), chunk].concat();
            let accounts = [(buffer.pubkey(), false, true), (authority.pubkey(), true, false)];
            let written = self.send(&[loader(1, &data, &accounts)], &[&authority]);
            ensure!(written.is_ok(), "a chunk: {written:?}");
        }
        Ok(buffer.pubkey())
    }

    fn deploy(&mut self, file: &[u8], rng: &mut ChaCha8Rng) -> anyhow::Result<TransactionResult> {
        let buffer = self.buffer(file, rng)?;
        let (payer, authority) = (self.payer.pubkey(), self.authority.insecure_clone());
        let program = self.program.insecure_clone();
        let create = create_account(&payer, &program.pubkey(), rent(36), 36, &bpf_loader_upgradeable::ID);
        let accounts = [
            (payer, true, true),
            (self.data, false, true),
            (program.pubkey(), false, true),
            (buffer, false, true),
            (sysvar::rent::ID, false, false),
            (sysvar::clock::ID, false, false),
            (system_program::ID, false, false),
            (authority.pubkey(), true, false),
        ];
        let length = (file.len() as u64).to_le_bytes();
        Ok(self.send(&[create, loader(2, &length, &accounts)], &[&program, &authority]))
    }

    fn upgrade(&mut self, file: &[u8], rng: &mut ChaCha8Rng) -> anyhow::Result<TransactionResult> {
        let buffer = self.buffer(file, rng)?;
        let authority = self.authority.insecure_clone();
        let accounts = [
            (self.data, false, true),
            (self.program.pubkey(), false, true),
            (buffer, false, true),
            (self.payer.pubkey(), false, true),
            (sysvar::rent::ID, false, false),
            (sysvar::clock::ID, false, false),
            (authority.pubkey(), true, false),
        ];
        Ok(self.send(&[loader(3, &[], &accounts)], &[&authority]))
    }

    fn call(&mut self, data: &[u8]) -> TransactionResult {
        let accounts = vec![AccountMeta::new_readonly(self.payer.pubkey(), true)];
        let call = Instruction { program_id: self.program.pubkey(), accounts, data: data.to_vec() };
        self.bank.expire_blockhash();
        self.send(&[call], &[])
    }

    fn next_slot(&mut self) {
        let clock: solana_clock::Clock = self.bank.get_sysvar();
        self.bank.warp_to_slot(clock.slot + 1);
    }

    /// Looks at everything.
    fn look(&self) {
        for address in [self.data, self.program.pubkey(), self.payer.pubkey()] {
            self.bank.get_account(&address);
        }
    }
}

/// A program is deployed, called, upgraded, called, extended, handed over and closed.
pub(super) fn deployed_upgraded_closed<B: Bank>(rng: &mut ChaCha8Rng) -> anyhow::Result<Watched<B>> {
    let mut life = Deployment::<B>::new(rng)?;
    let (first, second) = (own::elf("returns", Version::V0)?, own::elf("logs", Version::V0)?);
    let deployed = life.deploy(&first, rng)?;
    ensure!(deployed.is_ok(), "deployed: {deployed:?}");
    let data = [3, 0, 0, 0, rng.random()];
    ensure!(life.call(&data).is_ok_and(|meta| meta.return_data.data.len() == 3));
    life.look();
    // Not twice in a slot.
    ensure!(life.upgrade(&first, rng)?.is_err());
    life.next_slot();
    let larger = life.upgrade(&[0; 20_000], rng)?;
    ensure!(larger.is_err());
    let authority = life.authority.insecure_clone();
    let (payer, program) = (life.payer.pubkey(), life.program.pubkey());
    let extend = [
        (life.data, false, true),
        (program, false, true),
        (system_program::ID, false, false),
        (payer, true, true),
    ];
    let more = 10_240u32.to_le_bytes();
    let extended = life.send(&[loader(6, &more, &extend)], &[]);
    ensure!(extended.is_ok(), "extended: {extended:?}");
    ensure!(life.call(&data).is_ok());
    life.next_slot();
    let upgraded = life.upgrade(&second, rng)?;
    ensure!(upgraded.is_ok(), "upgraded: {upgraded:?}");
    let called = life.call(&data).unwrap_or_else(|failed| failed.meta);
    ensure!(called.return_data.data.is_empty());
    life.look();
    // A file that is no program is not deployed.
    life.next_slot();
    ensure!(life.upgrade(&second[..second.len() / 2], rng)?.is_err());
    let new = keypair(rng);
    let number = one(rng, &[4, 7]);
    let accounts =
        [(life.data, false, true), (authority.pubkey(), true, false), (new.pubkey(), number == 7, false)];
    let both = [&authority, &new];
    let signers = if number == 7 { &both[..] } else { &both[..1] };
    ensure!(life.send(&[loader(number, &[], &accounts)], signers).is_ok());
    let close = |authority: &Keypair, life: &Deployment<B>| {
        let accounts = [
            (life.data, false, true),
            (payer, false, true),
            (authority.pubkey(), true, false),
            (program, false, true),
        ];
        loader(5, &[], &accounts)
    };
    ensure!(life.send(&[close(&authority, &life)], &[&authority]).is_err());
    let closing = close(&new, &life);
    ensure!(life.send(&[closing], &[&new]).is_ok());
    let _ = life.call(&data);
    life.look();
    Ok(life.bank)
}

/// Tokens are minted into an associated account and moved, with a memo.
pub(super) fn tokens<B: Bank>(rng: &mut ChaCha8Rng) -> anyhow::Result<Watched<B>> {
    let mut bank = Watched::<B>::new();
    let (payer, mint, taker) = (keypair(rng), keypair(rng), keypair(rng).pubkey());
    ensure!(bank.airdrop(&payer.pubkey(), 10_000_000_000).is_ok());
    let key = payer.pubkey();
    let make = create_account(&key, &mint.pubkey(), rent(82), 82, &TOKEN);
    let data = [&[20, 6][..], &key.to_bytes(), &[0]].concat();
    let begin =
        Instruction { program_id: TOKEN, accounts: vec![AccountMeta::new(mint.pubkey(), false)], data };
    let made = bank.send_transaction(signed(&[make, begin], &[&payer, &mint], bank.latest_blockhash()));
    ensure!(made.is_ok(), "{made:?}");
    let associated = |wallet: &Address| {
        let seeds = [wallet.as_ref(), TOKEN.as_ref(), mint.pubkey().as_ref()].map(<[u8]>::to_vec);
        let seeds: Vec<&[u8]> = seeds.iter().map(Vec::as_slice).collect();
        Address::find_program_address(&seeds, &ASSOCIATED_TOKEN).0
    };
    for wallet in [key, taker] {
        let accounts = vec![
            AccountMeta::new(key, true),
            AccountMeta::new(associated(&wallet), false),
            AccountMeta::new_readonly(wallet, false),
            AccountMeta::new_readonly(mint.pubkey(), false),
            AccountMeta::new_readonly(system_program::ID, false),
            AccountMeta::new_readonly(TOKEN, false),
        ];
        let open = Instruction { program_id: ASSOCIATED_TOKEN, accounts, data: vec![0] };
        let opened = bank.send_transaction(signed(&[open], &[&payer], bank.latest_blockhash()));
        ensure!(opened.is_ok(), "{opened:?}");
    }
    let amount = |tag: u8, amount: u64| [&[tag][..], &amount.to_le_bytes()].concat();
    let minted = rng.random_range(1..1_000_000);
    let accounts = vec![
        AccountMeta::new(mint.pubkey(), false),
        AccountMeta::new(associated(&key), false),
        AccountMeta::new_readonly(key, true),
    ];
    let mint_to = Instruction { program_id: TOKEN, accounts, data: amount(7, minted) };
    let moved = one(rng, &[0, 1, minted, minted + 1]);
    let accounts = vec![
        AccountMeta::new(associated(&key), false),
        AccountMeta::new(associated(&taker), false),
        AccountMeta::new_readonly(key, true),
    ];
    let pay = Instruction { program_id: TOKEN, accounts, data: amount(3, moved) };
    let memo = Instruction { program_id: MEMO, accounts: vec![], data: b"with thanks".to_vec() };
    let sent = bank.send_transaction(signed(&[mint_to, pay, memo], &[&payer], bank.latest_blockhash()));
    ensure!(sent.is_ok() == (moved <= minted), "{moved} of {minted}: {sent:?}");
    let held = bank.get_account(&associated(&taker)).context("it is open")?;
    let expected = if moved <= minted { moved } else { 0 };
    ensure!(held.data[64..72] == expected.to_le_bytes());
    bank.get_program_accounts(&TOKEN);
    Ok(bank)
}
