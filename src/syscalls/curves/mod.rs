//! Curves, pairings and hashes over fields, as circuits on opaque words.
//!
//! Numbers are words with the least significant first; where bytes come in another order, wiring puts
//! them right ([`encoding`]). What can be invalid comes with a bit that says whether it is valid, and
//! the value beside it then means nothing.

pub mod bls12_381;
pub mod bn254;
pub mod edwards;
pub mod encoding;
pub mod pairing;
pub mod poseidon;
pub mod ristretto;
pub mod secp256k1;
pub mod sextic;
pub mod weierstrass;
