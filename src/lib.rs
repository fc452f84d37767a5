//! The Solana virtual machine, computed by hand-set neural-network weights.
//!
//! A program writes every weight; nothing is trained. Each instruction is one forward pass: fetch by
//! attention over the program, decode by a constant matrix, execute by tables, remember by delta-rule
//! heads. Results, errors and compute units equal those of solana-sbpf's interpreter.
//!
//! ```
//! use svmllm::host::{Ended, Environment, Machine, Mode, Setup, Version, assemble, verify};
//! use svmllm::tables::{Indexed, Weights};
//!
//! let network = Indexed::new(&Weights::generate())?;
//! let program = assemble("mov64 r0, 6\nmul64 r0, 7\nexit", Version::V0)?;
//! verify(&program.text, program.version)?;
//! let mut machine = Machine::new(&network, &program, &Setup::default(), &Environment::default(), Mode::Lazy)?;
//! assert_eq!(machine.run()?, Ended::Exit(42));
//! assert_eq!(machine.used()?, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`tables::Weights`] are the numbers: generated, saved, loaded, digested.
//! - [`tables::Indexed`], [`tables::Dense`] and [`tables::Counted`] are the evaluators: rows of the
//!   weights, candle tensors, and a wrapper that counts layers and observations.
//! - [`host::Machine`] runs one program, a [`host::Program`] from [`host::assemble`], from
//!   [`host::elf`] or from bare instruction slots. It does not verify; [`host::verify`] does.
//! - [`NeuralSvm`] is a drop-in for LiteSVM.
//! - [`host::svm::Svm`], which it is made of, runs transactions over a store of accounts, with every program in them on the weights.
//! - [`export`] writes a step as an ONNX graph, and the machine as a checkpoint of Qwen3.5.
//! - [`machine`], [`alu`] and [`deltanet`] are the circuits. They are generic over
//!   [`tables::Evaluator`], which has no way to look at a value.
//!
//! candle reads `/proc/cpuinfo` on every matrix product unless the environment variable
//! `RAYON_NUM_THREADS` is set; set it before the process starts if you use [`tables::Dense`].
#![forbid(unsafe_code)]

pub mod alu;
pub mod deltanet;
pub mod export;
pub mod host;
pub mod machine;
mod neural_svm;
pub mod syscalls;
pub mod tables;
pub mod types;

pub use neural_svm::NeuralSvm;

/// The examples in the README and the documentation run too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../docs/NEURAL_SVM.md")]
struct Readme;
