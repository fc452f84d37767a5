//! The machine in the formats of other tools.

pub mod onnx;
pub mod qwen;
