//! Orders of bytes.

use crate::{alu::wide::Number, tables::Evaluator};

/// A number whose bytes come the other way round: the words in the opposite order, and the bytes of each.
pub fn reverse_bytes<E: Evaluator, const N: usize>(e: &E, a: &Number<E, N>) -> Number<E, N> {
    std::array::from_fn(|i| e.reverse_bytes(&a[N - 1 - i]))
}
