//! Programs that are part of the runtime.

mod loader;
mod nonce;
mod system;

use solana_address::Address;
use solana_instruction_error::InstructionError;
use solana_sdk_ids::{
    bpf_loader, bpf_loader_deprecated, bpf_loader_upgradeable, compute_budget, system_program, vote,
    zk_elgamal_proof_program,
};

use super::{cpi::Abort, invoke::InvokeContext};
use crate::deltanet::HeadsBoundary;

/// A program that is part of the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    /// The System Program.
    System,
    /// The Compute Budget Program.
    ComputeBudget,
    /// Loader v1.
    DeprecatedLoader,
    /// Loader v2.
    Loader,
    /// Loader v3.
    UpgradeableLoader,
    /// The Vote Program, which this machine does not have.
    Vote,
    /// The ZK ElGamal Proof Program, which this machine does not have.
    ZkElGamalProof,
}

impl Builtin {
    /// All of them with their addresses and the names their accounts hold.
    pub const ALL: [(Self, Address, &'static str); 7] = [
        (Self::System, system_program::ID, "solana_system_program"),
        (Self::Vote, vote::ID, "solana_vote_program"),
        (Self::DeprecatedLoader, bpf_loader_deprecated::ID, "solana_bpf_loader_program"),
        (Self::Loader, bpf_loader::ID, "solana_bpf_loader_program"),
        (Self::UpgradeableLoader, bpf_loader_upgradeable::ID, "solana_bpf_loader_upgradeable_program"),
        (Self::ComputeBudget, compute_budget::ID, "compute_budget_program"),
        (Self::ZkElGamalProof, zk_elgamal_proof_program::ID, "zk_elgamal_proof_program"),
    ];

    /// The builtin at an address.
    pub fn find(address: &Address) -> Option<Self> {
        Self::ALL.iter().find(|(_, id, _)| id == address).map(|(builtin, ..)| *builtin)
    }

    /// Compute units of an instruction.
    fn units(self) -> u64 {
        match self {
            Self::System | Self::ComputeBudget => 150,
            Self::DeprecatedLoader => 1_140,
            Self::Loader => 570,
            Self::UpgradeableLoader => 2_370,
            Self::Vote => 2_100,
            Self::ZkElGamalProof => 0,
        }
    }

    /// Runs the current instruction.
    ///
    /// # Errors
    /// What the program answers; or an activation was not exactly one-hot.
    pub fn run<E: HeadsBoundary>(self, invoke: &mut InvokeContext<'_, E>) -> Result<(), Abort<E::Error>> {
        invoke.charge(self.units())?;
        let remark = match self {
            Self::System => return Ok(system::process(invoke)?),
            Self::UpgradeableLoader => return loader::process(invoke),
            Self::ComputeBudget => return Ok(()),
            Self::DeprecatedLoader => "Deprecated loader is no longer supported",
            Self::Loader => "BPF loader management instructions are no longer supported",
            Self::Vote => "The Vote Program is not supported by this machine",
            Self::ZkElGamalProof => "The ZK ElGamal Proof Program is not supported by this machine",
        };
        invoke.logs.line(remark.into());
        Err(InstructionError::UnsupportedProgramId.into())
    }
}
