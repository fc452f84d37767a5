//! The Solana virtual machine, computed by hand-set neural-network weights.
#![forbid(unsafe_code)]

pub mod host;
