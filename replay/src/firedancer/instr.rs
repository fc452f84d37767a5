//! One instruction.

use prost::Message;
use protosol::protos::{InstrEffects, InstrFixture};
use solana_account::Account;
use solana_instruction_error::InstructionError;
use solana_sdk_ids::{ed25519_program, secp256k1_program, secp256r1_program};

use super::{errors::instruction_error_number, features, read_account, read_context};
use crate::{
    Layout, ReplayError, Replayed, Replayer, compare, compare_account, compare_bytes, mollusk::changed,
};

/// Replays a fixture.
pub(super) fn replay(replayer: &Replayer, file: &[u8]) -> Result<Replayed, ReplayError> {
    let fixture = InstrFixture::decode(file).map_err(ReplayError::Unknown)?;
    let context = fixture.input.ok_or(ReplayError::Missing("input"))?;
    let (accounts, instruction) = read_context(&context)?;
    let store = replayer.store(features(&context), &accounts);
    let Ok(outcome) = store.run_instruction(&instruction, &accounts, context.cu_avail);
    let precompiles = [ed25519_program::ID, secp256k1_program::ID, secp256r1_program::ID];
    let custom = match &outcome.result {
        // By convention.
        Err(InstructionError::Custom(_)) if precompiles.contains(&instruction.program_id) => 0,
        Err(InstructionError::Custom(code)) => *code,
        _ => 0,
    };
    let mut differences = Vec::new();
    if let Some(output) = &fixture.output {
        let InstrEffects { result, custom_err, modified_accounts, cu_avail, return_data } = output;
        let number = outcome.result.as_ref().err().map_or(0, instruction_error_number);
        compare(&mut differences, "result", result, &number);
        compare(&mut differences, "custom error", custom_err, &custom);
        compare(&mut differences, "compute units left", cu_avail, &(context.cu_avail - outcome.units));
        compare_bytes(&mut differences, "return data", return_data, &outcome.return_data);
        for recorded in modified_accounts {
            let (key, recorded) = read_account(recorded.clone())?;
            let got = outcome.accounts.iter().find(|(known, _)| *known == key);
            let got = got.map_or_else(Account::default, |(_, account)| account.clone());
            compare_account(&mut differences, &key, &recorded, &got);
        }
    }
    Ok(Replayed {
        layout: Layout::Instr,
        result: outcome.result.as_ref().map_or_else(ToString::to_string, |()| "ok".into()),
        units: outcome.units,
        changed: changed(&accounts, outcome.accounts),
        logs: outcome.logs,
        differences: fixture.output.map(|_| differences),
    })
}
