//! Real programs and our own, one instruction a transaction, against LiteSVM.

use std::sync::Arc;

use agave_feature_set::{deprecate_rent_exemption_threshold, replace_spl_token_with_p_token};
use anyhow::Context;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use solana_address::{Address, address};
use solana_instruction::Instruction;
use svmllm::host::Version;

use crate::{
    case::CaseId,
    elf::shipped,
    generate::{
        own, rng,
        spl::{
            self, MEMO, MEMO_1, PAYER, TOKEN, TOKEN_2022, chance, extensions, hostile, memo, one, token,
            wallet,
        },
    },
    oracle::litesvm::LiteSvm,
    transaction::{
        Budget, Draft, LOG_LIMIT, Loader, ProgramFile, Runtime, Settings, TransactionCase, TransactionSuite,
        transaction,
    },
};

/// The suite's name.
pub const NAME: &str = "programs";

/// The row of a transfer by p-token.
pub const P_TOKEN_ROW: &str = "p_token_transfer";

/// The most compute units that are swept.
const MOST_UNITS: u64 = 7000;

const COMPUTE_BUDGET: Address = address!("ComputeBudget111111111111111111111111111111");

/// Transactions with each kind of memo.
const MEMOS: u64 = 200;
/// Transactions with each instruction of p-token, of SPL Token 3.5.0, of Token-2022, of our own programs.
const EACH: [u64; 4] = [50, 40, 30, 150];
/// Transactions with one of [`FEATURES`] switched off.
const SWITCHED: u64 = 400;
/// Features of mainnet that change what these programs do.
const FEATURES: [Address; 2] = [replace_spl_token_with_p_token::ID, deprecate_rent_exemption_threshold::ID];

/// The suite `programs`.
pub struct Programs {
    seed: u64,
    /// Added to the bank: nothing, SPL Token 3.5.0, our own programs.
    none: Arc<[ProgramFile]>,
    classic: Arc<[ProgramFile]>,
    own: Arc<[ProgramFile]>,
    parts: Vec<(Part, u64)>,
}

/// What cases of a part are about.
#[derive(Clone, Debug)]
enum Part {
    Memo(&'static str, Address),
    PToken,
    Classic,
    Token2022,
    Own,
    Features,
    /// One instruction with every budget up to what it needs and one more.
    Budgets(Sweep, Arc<TransactionCase>),
}

/// The names of a sweep: as a part of the suite, and of the row that says how long the instruction takes.
#[derive(Clone, Copy, Debug)]
struct Sweep {
    part: &'static str,
    row: &'static str,
}

impl Programs {
    /// The suite; the oracle says how much the instructions need whose budgets are swept.
    ///
    /// # Errors
    /// A program is missing.
    pub fn new(seed: u64, oracle: &mut LiteSvm) -> anyhow::Result<Self> {
        let token = shipped()?.into_iter().find(|file| file.name == "litesvm/spl_token-3.5.0.so");
        let elf: Arc<[u8]> = token.context("SPL Token 3.5.0 is not in LiteSVM's folder")?.bytes.into();
        let classic = [(TOKEN, Loader::V2), (classic(), Loader::V3)];
        let mut suite = Self {
            seed,
            none: Arc::new([]),
            classic: classic
                .map(|(address, loader)| ProgramFile { address, loader, elf: elf.clone() })
                .into(),
            own: own::programs()?.into(),
            parts: vec![
                (Part::Memo("Memo 1.0.0", MEMO_1), MEMOS),
                (Part::Memo("Memo 4.0.0", MEMO), MEMOS),
                (Part::PToken, EACH[0] * (token::NAMES.len() + token::P_TOKEN.len()) as u64),
                (Part::Classic, EACH[1] * token::NAMES.len() as u64),
                (Part::Token2022, EACH[2] * (token::NAMES.len() + 1 + extensions::NAMES.len()) as u64),
                (Part::Own, EACH[3] * own::NAMES.len() as u64),
                (Part::Features, SWITCHED),
            ],
        };
        suite.add_budgets(oracle)?;
        Ok(suite)
    }

    fn add_budgets(&mut self, oracle: &mut LiteSvm) -> anyhow::Result<()> {
        const TRANSFER: u8 = 3;
        type Make = fn(&mut ChaCha8Rng) -> Draft;
        let p_token: Make = |rng| token::instruction(TOKEN, TRANSFER, rng);
        let token_3: Make = |rng| token::instruction(classic(), TRANSFER, rng);
        let token_2022: Make = |rng| token::instruction(TOKEN_2022, TRANSFER, rng);
        let logs: Make = |rng| own::instruction("logs", own::address("logs", Version::V0, Loader::V3), rng);
        let memory: Make =
            |rng| own::instruction("memory", own::address("memory", Version::V3, Loader::V2), rng);
        let sweep = |part, row| Sweep { part, row };
        for (name, programs, make) in [
            (sweep("budgets of p-token", P_TOKEN_ROW), &self.none, p_token),
            (sweep("budgets of SPL Token 3.5.0", "token_3.5.0_transfer"), &self.classic, token_3),
            (sweep("budgets of Token-2022", "token_2022_transfer"), &self.none, token_2022),
            (sweep("budgets of logs", "logs"), &self.own, logs),
            (sweep("budgets of memory", "memory"), &self.own, memory),
        ] {
            // The first one that succeeds is swept.
            let mut found = None;
            for number in 0..100 {
                let draft = make(&mut rng(name.row, self.seed, number));
                let id = CaseId { suite: NAME, seed: self.seed, index: 0 };
                let case = plain(id, draft, programs.clone(), Settings::default())?;
                let outcome = oracle.run(&case)?;
                if outcome.result.is_ok() && outcome.logs.len() > 2 && outcome.units <= MOST_UNITS {
                    found = Some((case, outcome.units));
                    break;
                }
            }
            let (case, units) = found.with_context(|| format!("{}: none succeeds", name.part))?;
            self.parts.push((Part::Budgets(name, case.into()), units + 2));
        }
        Ok(())
    }

    fn locate(&self, index: u64) -> Option<(&Part, u64)> {
        let mut within = index;
        for (part, size) in &self.parts {
            if within < *size {
                return Some((part, within));
            }
            within -= size;
        }
        None
    }
}

impl TransactionSuite for Programs {
    fn name(&self) -> &'static str {
        NAME
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn size(&self) -> u64 {
        self.parts.iter().map(|(_, size)| size).sum()
    }

    fn case(&mut self, index: u64) -> anyhow::Result<TransactionCase> {
        let (part, within) = self.locate(index).with_context(|| format!("no case {index}"))?;
        let id = CaseId { suite: NAME, seed: self.seed, index };
        let mut rng = rng(NAME, self.seed, index);
        let rng = &mut rng;
        let pick = |count: usize| (within % count as u64) as usize;
        let (programs, mut draft) = match part {
            Part::Budgets(_, case) => {
                let settings = Settings { budget: Some(Budget::units(within)), ..Settings::default() };
                return Ok(TransactionCase { id, settings, ..(**case).clone() });
            }
            Part::Memo(_, program) => (&self.none, memo::memo(*program, rng)),
            Part::PToken => {
                let number = pick(token::NAMES.len() + token::P_TOKEN.len());
                let draft = match number.checked_sub(token::NAMES.len()) {
                    None => token::instruction(TOKEN, number as u8, rng),
                    Some(number) => token::p_token(TOKEN, token::P_TOKEN[number].0, rng),
                };
                (&self.none, draft)
            }
            Part::Classic => {
                let number = pick(token::NAMES.len());
                let program = if chance(rng, 50) { TOKEN } else { classic() };
                (&self.classic, token::instruction(program, number as u8, rng))
            }
            Part::Token2022 => {
                let number = pick(token::NAMES.len() + 1 + extensions::NAMES.len());
                let draft = match number.checked_sub(token::NAMES.len()) {
                    None => token::instruction(TOKEN_2022, number as u8, rng),
                    Some(0) => token::p_token(TOKEN_2022, token::P_TOKEN[0].0, rng),
                    Some(number) => extensions::instruction(TOKEN_2022, number - 1, rng),
                };
                (&self.none, draft)
            }
            Part::Features => {
                let number = rng.random_range(0..token::NAMES.len()) as u8;
                let draft = match rng.random_range(0..3) {
                    0 => own::instruction("sysvars", own::address("sysvars", Version::V0, Loader::V3), rng),
                    1 => token::instruction(TOKEN_2022, number, rng),
                    _ => token::instruction(TOKEN, number, rng),
                };
                (&self.own, draft)
            }
            Part::Own => {
                let name = own::NAMES[pick(own::NAMES.len())];
                let version = one(rng, &own::VERSIONS);
                let loader = own::LOADERS[if chance(rng, 5) { 0 } else { rng.random_range(1..3) }];
                (&self.own, own::instruction(name, own::address(name, version, loader), rng))
            }
        };
        let spoiled = match part {
            Part::Own => one(rng, &[0, 0, 0, 0, 1]),
            Part::Memo(..) => one(rng, &[0, 0, 1]),
            _ => one(rng, &[0, 0, 0, 1, 1, 1, 1, 2, 2, 3]),
        };
        for _ in 0..spoiled {
            hostile::spoil(&mut draft, rng);
        }
        let mut case = assemble(id, draft, programs.clone(), rng)?;
        if matches!(part, Part::Features) {
            case.settings.inactive = vec![FEATURES[pick(FEATURES.len())]];
        }
        Ok(case)
    }

    fn timed(&self) -> Vec<(&'static str, TransactionCase)> {
        let sweep = |part: &Part| match part {
            Part::Budgets(name, case) => Some((name.row, (**case).clone())),
            _ => None,
        };
        self.parts.iter().filter_map(|(part, _)| sweep(part)).collect()
    }

    fn part(&self, index: u64) -> &'static str {
        match self.locate(index) {
            Some((Part::Memo(name, _), _)) => name,
            Some((Part::Budgets(name, _), _)) => name.part,
            Some((Part::Features, _)) => "features off",
            Some((Part::PToken, _)) => "p-token",
            Some((Part::Classic, _)) => "SPL Token 3.5.0",
            Some((Part::Token2022, _)) => "Token-2022",
            Some((Part::Own, _)) => "our own",
            None => "none",
        }
    }
}

/// Where SPL Token 3.5.0 is besides its usual address.
fn classic() -> Address {
    spl::key("spl token 3.5.0")
}

/// A case of one instruction with nothing special about it.
fn plain(
    id: CaseId,
    draft: Draft,
    programs: Arc<[ProgramFile]>,
    settings: Settings,
) -> anyhow::Result<TransactionCase> {
    let accounts = std::iter::once((PAYER, wallet(10_000_000_000))).chain(draft.accounts()).collect();
    let transaction = transaction(&[draft.instruction()], PAYER, false, id.index)?;
    Ok(TransactionCase {
        id,
        name: draft.name,
        changes: draft.changes,
        programs,
        accounts,
        transaction,
        settings,
    })
}

/// A case of one instruction; now and then the bank, the payer or the transaction is special.
pub(super) fn assemble(
    id: CaseId,
    mut draft: Draft,
    programs: Arc<[ProgramFile]>,
    rng: &mut ChaCha8Rng,
) -> anyhow::Result<TransactionCase> {
    let log_limit = match rng.random_range(0..20) {
        0 => Some(200),
        1..=5 => Some(LOG_LIMIT),
        _ => None,
    };
    let mut settings = Settings { log_limit, ..Settings::default() };
    if chance(rng, 5) {
        let units = one(rng, &[0, 1, 100, 1000, 5000, 1_400_000]);
        let heap = one(rng, &[32, 33, 64, 65, 256]) * 1024;
        settings.budget = Some(Budget { units, heap });
        draft.changes.push(format!("{units} units, {heap} bytes of heap"));
    }
    let mut instructions: Vec<Instruction> = Vec::new();
    if chance(rng, 5) {
        let (kind, value): (u8, u32) =
            one(rng, &[(2, 0), (2, 500), (2, 300_000), (1, 32 * 1024), (1, 64 * 1024), (1, 1000), (3, 7)]);
        let data = [&[kind][..], &value.to_le_bytes(), if kind == 3 { &[0; 4] } else { &[] }].concat();
        instructions.push(Instruction { program_id: COMPUTE_BUDGET, accounts: vec![], data });
        draft.changes.push(format!("compute budget instruction {kind} of {value}"));
    }
    instructions.push(draft.instruction());
    let mut payer = wallet(10_000_000_000);
    if chance(rng, 3) {
        payer.lamports = one(rng, &[0, 4999, 5000, 5001, 895_880, 895_881]);
        draft.changes.push(format!("the payer has {} lamports", payer.lamports));
    }
    if chance(rng, 1) {
        payer.owner = TOKEN;
        draft.changes.push("the payer is not a wallet".into());
    }
    let mut accounts: Vec<_> = std::iter::once((PAYER, payer)).chain(draft.accounts()).collect();
    if chance(rng, 10) {
        accounts.iter_mut().for_each(|(_, account)| account.rent_epoch = 0);
    }
    let versioned = chance(rng, 20);
    let transaction = transaction(&instructions, PAYER, versioned, id.index)?;
    Ok(TransactionCase {
        id,
        name: draft.name,
        changes: draft.changes,
        programs,
        accounts,
        transaction,
        settings,
    })
}
