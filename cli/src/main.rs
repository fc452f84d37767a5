//! The command `svmllm`.

fn main() {}
