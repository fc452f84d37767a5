//! solana-svm's conformance entry point for one syscall.

use crate::call::{Call, Effects, PROGRAM_ID};
use agave_feature_set as features;
use prost::Message;
use protosol::protos::{
    AcctState, FeatureSet, FixtureMetadata, InstrContext, ReturnData, SyscallContext, SyscallFixture,
    SyscallInvocation, VmContext,
};
use solana_svm::conformance::syscall::execute_vm_syscall;
use std::sync::LazyLock;
use svmllm::host::SYSVAR_IDS;
use svmllm_replay::firedancer::entry_points;

/// The loaders, in base 58.
const FIRST_LOADER: &str = "BPFLoader1111111111111111111111111111111111";
const UPGRADEABLE_LOADER: &str = "BPFLoaderUpgradeab1e11111111111111111111111";
const SYSVAR_OWNER: &str = "Sysvar1111111111111111111111111111111111111";

/// Every feature but the ones mainnet has not switched on that change memory or calls; the gated syscalls
/// are there to be compared.
static FEATURES: LazyLock<FeatureSet> = LazyLock::new(|| {
    let off = [
        features::virtual_address_space_adjustments::id(),
        features::account_data_direct_mapping::id(),
        features::direct_account_pointers_in_program_input::id(),
        features::raise_cpi_nesting_limit_to_8::id(),
    ];
    let id = |key: &[u8]| u64::from_le_bytes(key[..8].try_into().unwrap_or_default());
    let on = features::FEATURE_NAMES.keys().filter(|key| !off.contains(key));
    FeatureSet { features: on.map(|key| id(key.as_ref())).collect() }
});

fn address(text: &str) -> Vec<u8> {
    bs58::decode(text).into_vec().unwrap_or_default()
}

/// Runs a syscall.
pub fn run(call: &Call) -> Effects {
    let effects = execute_vm_syscall(context(call));
    Effects {
        result: if effects.error == 0 { Ok(effects.r0) } else { Err((effects.error_kind, effects.error)) },
        units: effects.cu_avail,
        heap: effects.heap,
        stack: effects.stack,
        input: effects.input_data_regions.into_iter().flat_map(|region| region.content).collect(),
    }
}

/// A syscall with what it comes to, as a fixture.
pub fn fixture(call: &Call) -> Vec<u8> {
    let input = context(call);
    SyscallFixture {
        metadata: Some(FixtureMetadata { fn_entrypoint: entry_points::SYSCALL.into() }),
        output: Some(execute_vm_syscall(input.clone())),
        input: Some(input),
    }
    .encode_to_vec()
}

/// What a syscall starts from.
fn context(call: &Call) -> SyscallContext {
    let loader = if call.first_loader { FIRST_LOADER } else { UPGRADEABLE_LOADER };
    let mut accounts = vec![AcctState {
        address: PROGRAM_ID.to_vec(),
        lamports: 1,
        data: Vec::new(),
        executable: true,
        owner: address(loader),
    }];
    for (id, data) in SYSVAR_IDS.iter().zip(call.sysvars.accounts()) {
        if let Some(data) = data {
            accounts.push(AcctState {
                address: address(id),
                lamports: 1,
                data: data.to_vec(),
                executable: false,
                owner: address(SYSVAR_OWNER),
            });
        }
    }
    let [r1, r2, r3, r4, r5] = call.arguments;
    SyscallContext {
        vm_ctx: Some(VmContext {
            heap_max: call.heap_length as u64,
            rodata: call.rodata.clone(),
            r1,
            r2,
            r3,
            r4,
            r5,
            r10: 0x2_0000_1000,
            return_data: call
                .return_data
                .as_ref()
                .map(|kept| ReturnData { program_id: kept.program_id.to_vec(), data: kept.data.clone() }),
            ..Default::default()
        }),
        instr_ctx: Some(InstrContext {
            program_id: PROGRAM_ID.to_vec(),
            accounts,
            instr_accounts: Vec::new(),
            data: call.data.clone(),
            cu_avail: call.units,
            features: Some(FEATURES.clone()),
        }),
        syscall_invocation: Some(SyscallInvocation {
            function_name: call.name.as_bytes().to_vec(),
            heap_prefix: call.heap.clone(),
            stack_prefix: call.stack.clone(),
        }),
    }
}
