//! Curves, pairings and hashes over fields, as circuits on opaque words.
//!
//! Numbers are words with the least significant first; where bytes come in another order, wiring puts
//! them right ([`encoding`]). What can be invalid comes with a bit that says whether it is valid, and
//! the value beside it then means nothing.

pub mod edwards;
pub mod encoding;
pub mod ristretto;
pub mod secp256k1;
pub mod weierstrass;
