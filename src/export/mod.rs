//! The machine in the formats of other tools: a step as an ONNX graph, the machine as a language model's checkpoint.

pub mod onnx;
pub mod qwen;
