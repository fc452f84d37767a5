//! The hash Poseidon over the scalar field of BN254.

use super::weierstrass::not;
use crate::{
    alu::{
        field::{self, BN254_ORDER as F},
        wide::Number,
    },
    tables::{
        Evaluator,
        alphabet::Bit,
        numbers::NumberConst,
        poseidon::{FULL_ROUNDS, MAX_WIDTH, rounds},
    },
};

/// The hash of one to twelve elements, canonical.
///
/// # Panics
/// There are none, or more than twelve.
pub fn hash<E: Evaluator>(e: &E, inputs: &[Number<E, 4>]) -> Number<E, 4> {
    let width = inputs.len() + 1;
    assert!((2..=MAX_WIDTH).contains(&width), "Poseidon of {} inputs", inputs.len());
    let matrix: Vec<Number<E, 4>> = (0..width * width)
        .map(|at| field::constant(e, NumberConst::poseidon_matrix(width, at / width, at % width)))
        .collect();
    let fifth_power = |x: &Number<E, 4>| {
        let square = F.square(e, x);
        F.multiply(e, &F.square(e, &square), x)
    };
    let mut state: Vec<Number<E, 4>> = std::iter::once(F.zero(e)).chain(inputs.iter().cloned()).collect();
    let (half, all) = (FULL_ROUNDS / 2, rounds(width));
    for round in 0..all {
        let full = round < half || round >= all - half;
        let boxed: Vec<Number<E, 4>> = state
            .iter()
            .enumerate()
            .map(|(lane, x)| {
                let x = F.add_constant(e, x, NumberConst::poseidon_round(width, round, lane));
                if full || lane == 0 { fifth_power(&x) } else { x }
            })
            .collect();
        state =
            matrix.chunks(width).map(|row| F.dot(e, &row.iter().zip(&boxed).collect::<Vec<_>>())).collect();
    }
    F.canonical(e, &state[0])
}

/// Whether a number is a canonical input.
pub fn is_input<E: Evaluator>(e: &E, number: &Number<E, 4>) -> E::Digit<Bit> {
    not(e, &F.exceeds(e, number))
}
