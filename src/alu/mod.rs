//! Circuits on 64-bit words. Every function is generic over the evaluator and straight-line.

mod bytes;
mod divide;
pub mod field;
mod high;
mod jump;
mod shift;
mod signed;
pub mod wide;
mod words;

pub use bytes::{keep_bytes, swap_bytes};
pub use divide::divide;
pub use high::{multiply_high, multiply_high_signed};
pub use jump::{compare_signed, test};
pub use shift::{ShiftCount, shift_arithmetic, shift_count, shift_left, shift_right};
pub use signed::{SignedQuotient, divide_signed};
pub use words::{add, bitwise_and, bitwise_or, bitwise_xor, extend, multiply, negate, subtract};
