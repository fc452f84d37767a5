//! The Solana virtual machine, computed by hand-set neural-network weights.
#![forbid(unsafe_code)]

pub mod alu;
pub mod deltanet;
pub mod host;
pub mod machine;
pub mod tables;
