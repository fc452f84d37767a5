//! The machine: one pass an instruction.
//!
//! A step fetches a slot, decodes it to control gates, executes, translates addresses and writes back.
//! [`lazy_step`] skips the units whose gate is off, by observing which one is on; [`full_step`]
//! computes every unit and lets the gates choose, and is generic over an evaluator that cannot be
//! observed at all.

mod calls;
mod decode;
mod execute;
mod fault;
mod full;
mod lazy;
mod memory;
mod state;

pub use calls::frame_stride;
pub use fault::{Place, place};
pub use full::{Effect, FullStep, effect, full_step};
pub use lazy::{Lazy, after_syscall, lazy_step};
pub use memory::{Extent, Memory, close_gaps, locate};
pub use state::{Access, Image, State, Stop};

/// First of the four registers a call keeps for the caller.
pub const FIRST_SAVED: usize = 6;
/// The frame pointer.
pub const FRAME_POINTER: usize = 10;
