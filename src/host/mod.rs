//! Host code: what surrounds the machine and computes nothing the machine is asked to compute.

mod error;
mod program;

pub use error::{AccessType, EbpfError};
pub use program::{Program, Version};
