//! One full step as an ONNX graph.
//!
//! The circuit of [`full_step`](crate::machine::full_step) is traced by an evaluator that writes operations
//! down instead of running them. The graph's constants are the tensors of the weights under their own names;
//! everything else in it is matrix products, sums, ReLU and rearrangement.
//!
//! It is a step of version 0 for programs of up to 256 slots and 64 functions that use registers, jumps and
//! calls. It has no memory: regions are empty, so a load or store fails, and no syscalls.

mod evaluator;
mod graph;
mod heads;
mod proto;
mod wide;

use self::{
    evaluator::{Tracer, value},
    graph::Finished,
    heads::Match,
};
use crate::{
    machine::{self, Extent, Image, Memory, State},
    tables::{
        Evaluator, Weights, WeightsError,
        alphabet::{AlphabetId, Bit, Version},
        catalogue::WordConst,
    },
};

/// Slots of a program.
const SLOTS: usize = 256;
/// Functions of a program.
const FUNCTIONS: usize = 64;
/// Numbers in a word.
const WORD: usize = 256;
/// Where the text of a bare program starts.
const TEXT_ADDRESS: u64 = 0x1_0000_0000;

/// The file of the step, for any tool that runs ONNX.
///
/// Inputs, of 32-bit floats: `slots` \[256, 258\], for each slot its 16 digits and a bit that it is there;
/// `slot_count` \[16, 16\]; `function_keys` \[64, 128\], eight digits each; `function_values` \[64, 258\], the
/// slot number and a bit that there is one, less the same for none; and the state `registers` \[16, 256\],
/// `pc`, `meter` and `depth` \[16, 16\], `frames` \[256, 1536\]. Outputs: the state after the step, under names
/// that end in `_next`, and `halt` \[1, 4\] and `fault` \[1, 10\].
///
/// # Errors
/// The weights are not the machine's.
pub fn step(weights: &Weights) -> Result<Vec<u8>, WeightsError> {
    let about = "One full step of sBPF version 0 on the weights of svmllm, without memory and syscalls";
    Ok(trace(weights)?.to_bytes(about))
}

fn trace(weights: &Weights) -> Result<Finished, WeightsError> {
    let e = Tracer::new(weights)?;
    let word = |name: &str| value(e.graph.input(name, [16, 16]));
    let slots = e.graph.input("slots", [SLOTS, WORD + 2]);
    let slot_count = word("slot_count");
    let functions = Match {
        keys: e.graph.input("function_keys", [FUNCTIONS, WORD / 2]),
        values: e.graph.input("function_values", [FUNCTIONS, WORD + 2]),
    };
    let version = e.digit::<Version, { Version::V0 as usize }>();
    let zero = || e.word(WordConst::Zero);
    let extents = std::array::from_fn(|_| Extent {
        length: zero(),
        covered: zero(),
        last: std::array::from_fn(|_| zero()),
        fits: std::array::from_fn(|_| e.digit::<Bit, 0>()),
        writable: e.digit::<Bit, 0>(),
    });
    let image = Image {
        frame_stride: machine::frame_stride(&e, &version),
        version,
        slots,
        slot_count,
        text_address: value(e.word_of(TEXT_ADDRESS)),
        functions: Some(functions),
        syscalls: None,
        extents,
        gaps: e.digit::<Bit, 1>(),
    };
    let mut state = State {
        registers: e.graph.input("registers", [16, WORD]),
        pc: word("pc"),
        meter: word("meter"),
        depth: word("depth"),
        frames: e.graph.input("frames", [SLOTS, 6 * WORD]),
        memory: Memory { rams: [(); 5] },
    };
    let step = machine::full_step(&e, &image, &mut state);
    let outputs = vec![
        ("registers_next", [16, WORD], state.registers),
        ("pc_next", [16, 16], state.pc.0),
        ("meter_next", [16, 16], state.meter.0),
        ("depth_next", [16, 16], state.depth.0),
        ("frames_next", [SLOTS, 6 * WORD], state.frames),
        ("halt", [1, AlphabetId::Halt.radix()], step.halt.0),
        ("fault", [1, AlphabetId::Fault.radix()], step.fault.0),
    ];
    Ok(e.graph.finish(outputs))
}

#[cfg(test)]
mod tests;
