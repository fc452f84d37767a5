//! Tables, weights and the evaluators that run them.

pub mod alphabet;
mod bounds;
pub mod catalogue;
mod counted;
pub mod decode;
mod dense;
mod evaluator;
mod indexed;
mod labels;
mod lists;
mod moduli;
pub mod numbers;
pub mod poseidon;
pub mod shallow;
mod site;
#[cfg(test)]
mod spoiled_tests;
mod stairs;
#[cfg(test)]
pub(crate) mod testing;
mod verify;
mod verify_wide;
mod weights;
mod wide;

pub use counted::{Counted, Counts, Deep};
pub use dense::{Dense, DenseError};
pub use evaluator::{ADDENDS, Boundary, Evaluator, Sequencer, Word};
pub use indexed::{Indexed, Lanes};
pub use labels::Labels;
pub use lists::WordList;
pub(crate) use moduli::RESIDUE_DIGITS;
pub use moduli::{ModulusId, Power};
pub use site::Site;
pub use stairs::Stair;
pub use verify::{Checked, VerifyError, verify};
pub use weights::{Array, MAX_PARAMETERS, Weights, WeightsError};
pub(crate) use wide::COMPLEMENT;
pub use wide::ModulusNumber;
