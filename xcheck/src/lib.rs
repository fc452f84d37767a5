//! Differential checks of `svmllm` against the reference implementations.

pub mod elf;
