//! Syscalls as circuits.

pub mod hashes;
