//! A drop-in for LiteSVM: the same methods, with every program on the weights.

mod accounts;
#[cfg(feature = "default-programs")]
mod default_programs;
mod settings;
mod sysvars;
mod transactions;

use solana_keypair::Keypair;
use solana_sha256_hasher::hash;
use std::sync::{Arc, LazyLock};

use crate::{
    host::svm::Svm,
    tables::{Indexed, Weights},
};

/// Lamports of a SOL.
const LAMPORTS_PER_SOL: u64 = 1_000_000_000;

/// The generated weights, read once a process.
static NETWORK: LazyLock<Arc<Indexed>> = LazyLock::new(|| {
    Arc::new(
        Indexed::new(&Weights::generate()).expect("generated weights have the structure they are read by"),
    )
});

/// LiteSVM's methods, by the same names, on the weights.
///
/// The first of them, made by [`Self::new`] or [`Self::default`], generates the network, which takes a moment;
/// all others of the process share it. A clone copies accounts and settings and shares the network and the
/// programs.
///
/// ```
/// use solana_keypair::Keypair;
/// use solana_message::{Message, VersionedMessage};
/// use solana_signer::Signer;
/// use solana_system_interface::instruction::transfer;
/// use solana_transaction::versioned::VersionedTransaction;
/// use svmllm::NeuralSvm;
///
/// let mut svm = NeuralSvm::new(); // was: LiteSVM::new()
/// let (from, to) = (Keypair::new(), Keypair::new().pubkey());
/// svm.airdrop(&from.pubkey(), 1_000_000_000)?;
/// let message = Message::new_with_blockhash(
///     &[transfer(&from.pubkey(), &to, 1_000_000)],
///     Some(&from.pubkey()),
///     &svm.latest_blockhash(),
/// );
/// let meta = svm.send_transaction(VersionedTransaction::try_new(VersionedMessage::Legacy(message), &[&from])?)?;
/// assert_eq!(meta.compute_units_consumed, 150);
/// assert_eq!(svm.get_balance(&to), Some(1_000_000));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// What LiteSVM takes or gives in types of Agave's runtime is not here; `docs/NEURAL_SVM.md` lists it.
#[derive(Clone)]
pub struct NeuralSvm {
    svm: Svm<'static, Indexed>,
}

/// No accounts and no checks; the `with_` methods add what [`NeuralSvm::new`] has.
impl Default for NeuralSvm {
    fn default() -> Self {
        Self::with_network(Arc::clone(&NETWORK))
    }
}

impl NeuralSvm {
    /// Mainnet's features, builtins, sysvars and feature accounts, an account for airdrops with a million SOL,
    /// all checks on. The cargo feature `default-programs` adds the programs LiteSVM ships, `precompiles` those
    /// that check signatures.
    pub fn new() -> Self {
        Self::default().into_basic()
    }

    /// The same as [`Self::default`] on other weights.
    pub fn with_network(network: Arc<Indexed>) -> Self {
        Self { svm: Svm::shared(network) }
    }

    /// Adds to a fresh one what [`Self::new`] has.
    pub fn into_basic(self) -> Self {
        let svm = self
            .with_mainnet_features()
            .with_builtins()
            .with_lamports(1_000_000 * LAMPORTS_PER_SOL)
            .with_sysvars()
            .with_feature_accounts();
        #[cfg(feature = "default-programs")]
        let svm = svm.with_default_programs();
        #[cfg(feature = "precompiles")]
        let svm = svm.with_precompiles();
        svm.with_sigverify(true).with_blockhash_check(true)
    }

    /// The transaction host it stands for.
    pub fn host(&self) -> &Svm<'static, Indexed> {
        &self.svm
    }
}

/// Pays for airdrops: always the same, so that runs can be repeated.
fn airdrop_keypair() -> Keypair {
    Keypair::new_from_array(hash(b"svmllm airdrop").to_bytes())
}
