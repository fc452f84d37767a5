//! Differential checks.

fn main() {}
