//! Host code: what surrounds the machine and computes nothing the machine is asked to compute.

mod error;
mod machine;
mod program;

pub use error::{AccessType, EbpfError};
pub use machine::{
    Ended, HEAP_ADDRESS, INPUT_ADDRESS, MAX_REGION_BYTES, Machine, Mode, STACK_ADDRESS, STACK_BYTES, Setup, SetupError,
};
pub use program::{Program, Version};
