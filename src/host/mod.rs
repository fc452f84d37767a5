//! Host code: what surrounds the machine and computes nothing the machine is asked to compute.

pub mod elf;
mod error;
pub mod murmur3;
mod program;
pub mod syscall_names;

pub use error::{AccessType, EbpfError};
pub use program::{Program, Version};
