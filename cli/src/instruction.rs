//! One instruction of a program on accounts from a JSON file: what `run --accounts` does.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    str::FromStr,
};

use anyhow::{Context, anyhow, ensure};
use serde::{Deserialize, Serialize};
use solana_account::Account;
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};
use solana_message::Message;
use solana_signature::Signature;
use solana_transaction::{Transaction, versioned::VersionedTransaction};
use svmllm::{
    deltanet::HeadsBoundary,
    host::{
        Mode,
        svm::{ComputeBudget, Svm},
    },
    types::TransactionMetadata,
};

use crate::{source, wire::Hex};

/// Largest program file, in bytes: an account holds no more.
const MAX_PROGRAM: usize = 10 * 1024 * 1024;
/// Who pays for the transaction where no account in the file does.
const PAYER: Address = Address::new_from_array(*b"the account that pays the fee  .");
/// The program's address if the file gives none.
const PROGRAM: Address = Address::new_from_array(*b"the address of the program run .");

/// An address in base 58.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Base58(Address);

impl<'de> Deserialize<'de> for Base58 {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Address::from_str(&text)
            .map(Self)
            .map_err(|error| serde::de::Error::custom(format_args!("address {text:?}: {error}")))
    }
}

/// Which loader a program belongs to.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Loader {
    /// The first: unaligned input.
    V1,
    /// The second.
    V2,
    /// The upgradeable one.
    #[default]
    V3,
}

impl Loader {
    fn address(self) -> Address {
        match self {
            Self::V1 => solana_sdk_ids::bpf_loader_deprecated::ID,
            Self::V2 => solana_sdk_ids::bpf_loader::ID,
            Self::V3 => solana_sdk_ids::bpf_loader_upgradeable::ID,
        }
    }
}

/// The file `--accounts` names.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instructed {
    /// Address of the program.
    program_id: Option<Base58>,
    /// Its loader.
    #[serde(default)]
    loader: Loader,
    /// Instruction data.
    #[serde(default)]
    data: Hex,
    /// The instruction's accounts, in order; an address may come again.
    #[serde(default)]
    accounts: Vec<Given>,
    /// Other programs it may call.
    #[serde(default)]
    programs: Vec<Other>,
}

/// An account of the instruction.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    address: Base58,
    #[serde(default)]
    signer: bool,
    #[serde(default)]
    writable: bool,
    /// Balance; an account that is not given one does not exist, or is a program or sysvar that does.
    lamports: Option<u64>,
    owner: Option<Base58>,
    #[serde(default)]
    data: Hex,
    #[serde(default)]
    executable: bool,
}

/// Another program.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Other {
    id: Base58,
    /// An ELF file, relative to the JSON file.
    file: PathBuf,
    #[serde(default)]
    loader: Loader,
}

/// What came of it, as JSON.
#[derive(Serialize)]
struct Printed {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    compute_units: u64,
    logs: Vec<String>,
    return_data: Hex,
    accounts: Vec<Changed>,
}

/// An account the instruction changed.
#[derive(Serialize)]
struct Changed {
    address: String,
    lamports: u64,
    owner: String,
    data: Hex,
}

/// Limits given on the command line.
pub struct Limits {
    /// Compute units.
    pub compute_units: u64,
    /// Bytes of each program's heap.
    pub heap: usize,
}

impl Instructed {
    /// Reads the file.
    ///
    /// # Errors
    /// It cannot be read, or does not say what it should.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text = source::read_file(path, MAX_PROGRAM).with_context(|| path.display().to_string())?;
        serde_json::from_slice(&text).with_context(|| path.display().to_string())
    }

    fn program_id(&self) -> Address {
        self.program_id.map_or(PROGRAM, |id| id.0)
    }

    /// Runs the instruction and prints what came of it; whether it succeeded.
    ///
    /// # Errors
    /// A program or account is refused.
    pub fn run<E: HeadsBoundary>(
        &self,
        evaluator: &E,
        mode: Mode,
        program: &Path,
        base: &Path,
        limits: &Limits,
        json: bool,
    ) -> anyhow::Result<bool> {
        let heap_size = u32::try_from(limits.heap).context("--heap")?;
        ensure!((32 * 1024..=256 * 1024).contains(&heap_size), "--heap: from 32768 to 262144 bytes");
        let mut svm = Svm::new(evaluator)
            .with_mode(mode)
            .with_sigverify(false)
            .with_blockhash_check(false)
            .with_log_bytes_limit(None)
            .with_compute_budget(ComputeBudget {
                compute_unit_limit: limits.compute_units,
                max_instruction_stack_depth: 5,
                max_instruction_trace_length: 64,
                heap_size,
            });
        let others = self.programs.iter().map(|other| (other.id.0, base.join(&other.file), other.loader));
        let all = [(self.program_id(), program.to_owned(), self.loader)].into_iter().chain(others);
        for (id, path, loader) in all {
            let file = source::read_file(&path, MAX_PROGRAM).with_context(|| path.display().to_string())?;
            svm.add_program(id, &file, loader.address()).with_context(|| path.display().to_string())?;
        }
        for given in &self.accounts {
            let Some(lamports) = given.lamports else { continue };
            let owner = given.owner.map_or(solana_sdk_ids::system_program::ID, |owner| owner.0);
            let account = Account {
                lamports,
                data: given.data.0.clone(),
                owner,
                executable: given.executable,
                rent_epoch: u64::MAX,
            };
            svm.set_account(given.address.0, account).with_context(|| given.address.0.to_string())?;
        }
        let payer = Account { lamports: 1_000_000_000_000, ..Account::default() };
        svm.set_account(PAYER, payer).context("the payer")?;
        let metas = self.accounts.iter().map(|given| AccountMeta {
            pubkey: given.address.0,
            is_signer: given.signer,
            is_writable: given.writable,
        });
        let instruction = Instruction {
            program_id: self.program_id(),
            accounts: metas.collect(),
            data: self.data.0.clone(),
        };
        let message = Message::new_with_blockhash(&[instruction], Some(&PAYER), &svm.latest_blockhash());
        let signatures = vec![Signature::default(); usize::from(message.header.num_required_signatures)];
        let transaction = VersionedTransaction::from(Transaction { signatures, message });
        let before = svm.clone();
        let outcome = svm.try_send_transaction(transaction).map_err(|error| anyhow!("evaluator: {error}"))?;
        let (error, meta) = match outcome {
            Ok(meta) => (None, meta),
            Err(failed) => (Some(failed.err.to_string()), failed.meta),
        };
        let printed = Printed {
            status: if error.is_none() { "ok" } else { "error" },
            accounts: self.changed(&before, &svm),
            error,
            compute_units: meta.compute_units_consumed,
            return_data: Hex(meta.return_data.data.clone()),
            logs: meta.logs.clone(),
        };
        let mut out = io::stdout().lock();
        if json {
            serde_json::to_writer(&mut out, &printed)?;
            writeln!(out)?;
        } else {
            print(&mut out, &printed, &meta)?;
        }
        Ok(printed.error.is_none())
    }

    /// The accounts that are no longer what they were.
    fn changed<E: HeadsBoundary>(&self, before: &Svm<'_, E>, after: &Svm<'_, E>) -> Vec<Changed> {
        let mut addresses: Vec<Address> = Vec::new();
        for given in &self.accounts {
            if !addresses.contains(&given.address.0) {
                addresses.push(given.address.0);
            }
        }
        let differs = |address: &Address| before.get_account(address) != after.get_account(address);
        addresses.retain(differs);
        let account = |address: Address| {
            let account = after.get_account(&address).unwrap_or_default();
            Changed {
                address: address.to_string(),
                lamports: account.lamports,
                owner: account.owner.to_string(),
                data: Hex(account.data),
            }
        };
        addresses.into_iter().map(account).collect()
    }
}

fn print(out: &mut impl Write, printed: &Printed, meta: &TransactionMetadata) -> io::Result<()> {
    writeln!(out, "result         {}", printed.error.as_deref().unwrap_or("ok"))?;
    writeln!(out, "compute units  {}", printed.compute_units)?;
    if !meta.return_data.data.is_empty() {
        writeln!(out, "return data    {}", hex::encode(&meta.return_data.data))?;
    }
    for line in &printed.logs {
        writeln!(out, "log            {line}")?;
    }
    for account in &printed.accounts {
        writeln!(out, "account        {}", account.address)?;
        writeln!(out, "  lamports     {}", account.lamports)?;
        writeln!(out, "  owner        {}", account.owner)?;
        writeln!(out, "  data         {} bytes {}", account.data.0.len(), hex::encode(&account.data.0))?;
    }
    Ok(())
}
