//! Syscalls.

pub mod curves;
