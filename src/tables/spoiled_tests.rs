//! Weights that are sound in form and wrong in content: whatever they compute, rows and tensors have to
//! compute the same. Fused rows may rest on nothing but what they check.

use super::{
    Boundary, Dense, Indexed, Weights, Word,
    alphabet::{Extend, Size},
    catalogue::{CHI, CHOOSE, TableId, WordConst},
    testing::EDGES,
};
use crate::alu;
use std::fmt::Debug;

/// Results of the word circuits on some words, as letters; an error as nothing.
fn results<E: Boundary>(e: &E, words: &[(u64, u64)]) -> Vec<Option<u64>> {
    let mut seen = Vec::new();
    let mut read = |word: &Word<E>| seen.push(e.read_out(word).ok());
    let mut letters = Vec::new();
    for (a, b) in words {
        let (x, y) = (e.embed(*a), e.embed(*b));
        for bit in [0, 1] {
            let carry = e.embed_digit(bit);
            for (word, leaving) in [e.add_words(&x, &y, &carry), e.sub_words(&x, &y, &carry)] {
                read(&word);
                letters.push(e.read_digit(&leaving).ok());
            }
        }
        let (less, was_zero) = e.decrement(&x);
        read(&less);
        letters.extend([e.read_digit(&was_zero).ok(), e.read_digit(&e.is_zero(&x)).ok()]);
        letters.extend(
            [e.compare(&x, &y), alu::compare_signed(e, &x, &y), alu::test(e, &x, &y)]
                .map(|c| e.read_digit(&c).ok()),
        );
        read(&e.increment(&x));
        read(&alu::multiply(e, &x, &y));
        [alu::bitwise_and(e, &x, &y), alu::bitwise_or(e, &x, &y), alu::bitwise_xor(e, &x, &y)]
            .iter()
            .for_each(&mut read);
        for half in [0, 1] {
            let count = alu::shift_count(e, &y, &e.embed_digit(half));
            read(&alu::shift_left(e, &x, &count));
            read(&alu::shift_right(e, &x, &count));
            read(&alu::shift_arithmetic(e, &x, &count));
        }
        read(&e.sum_words([&x, &y, &x, &x, &y]));
        read(&e.sum_halves([&y, &x, &y, &y, &x, &y, &x]));
        read(&e.roll::<7>(&x));
        read(&e.roll_halves::<6, 13>(&x));
        read(&e.shift_halves::<3>(&y));
        read(&e.zip3(CHOOSE, &x, &y, &e.roll::<20>(&x)));
        read(&e.zip3(CHI, &x, &y, &e.roll::<24>(&y)));
        for how in 0..Extend::LETTERS.len() {
            read(&e.extend(&e.embed_digit(how), &x));
        }
        for size in 0..Size::LETTERS.len() {
            read(&alu::keep_bytes(e, &e.embed_digit(size), &x));
        }
    }
    seen.extend(letters.into_iter().map(|letter| letter.map(|l| l as u64)));
    seen
}

/// Runs both evaluators on spoiled weights.
fn compare(what: impl Debug, weights: &Weights) {
    let words: Vec<(u64, u64)> =
        EDGES.iter().enumerate().map(|(i, a)| (*a, EDGES[(i * 7 + 3) % 20])).collect();
    let (rows, tensors) = (Indexed::new(weights).unwrap(), Dense::new(weights).unwrap());
    assert_eq!(results(&rows, &words), results(&tensors, &words), "{what:?}");
}

/// Gives a hidden unit the answer of the next one that answers something else.
fn spoil_row(weights: &mut Weights, name: &str, unit: usize) {
    let answers = weights.get_mut(&format!("{name}.w2")).unwrap();
    let (outputs, units) = (answers.shape[0], answers.shape[1]);
    let answer = |answers: &mut super::Array, unit: usize| -> Vec<f32> {
        (0..outputs).map(|output| *answers.at_mut(output, unit)).collect()
    };
    let own = answer(answers, unit);
    let other = (1..units).map(|k| answer(answers, (unit + k) % units)).find(|other| *other != own);
    for (output, entry) in other.unwrap().into_iter().enumerate() {
        *answers.at_mut(output, unit) = entry;
    }
}

/// The tables the word circuits use, several rows of each.
#[test]
fn wrong_rows_are_wrong_alike() {
    use TableId::*;
    let tables = [
        Add,
        AddCarry,
        Subtract,
        SubtractBorrow,
        Prefix,
        Increment,
        Decrement,
        CarryOut,
        And,
        Or,
        Xor,
        SignFill,
        FlipSign,
        NonZero,
        ShiftUp,
        ShiftDown,
        ShiftBits,
        ShiftDigits,
        Equal,
        Choose,
        Chi,
    ];
    for id in tables {
        let name = format!("table.{}", id.spec().name);
        let units = Weights::generate().get(&format!("{name}.b1")).unwrap().data.len();
        for unit in [0, units / 2, units - 1] {
            let mut weights = Weights::generate();
            spoil_row(&mut weights, &name, unit);
            compare((id, unit), &weights);
        }
    }
}

/// Another digit in the lowest and in a higher lane of each constant.
#[test]
fn wrong_constants_are_wrong_alike() {
    for constant in [WordConst::Zero, WordConst::One] {
        for lane in [0, 1, 9] {
            let mut weights = Weights::generate();
            let array = weights.get_mut(&format!("constant.{constant:?}").to_lowercase()).unwrap();
            array.data[16 * lane..16 * (lane + 1)].rotate_right(3);
            compare((constant, lane), &weights);
        }
    }
}

/// Coefficients of the sums: too small, too large, in the wrong column.
#[test]
fn wrong_sums_are_wrong_alike() {
    let spoil = [
        ("product.value", 255, 300.0),
        ("product.value", 17, 0.0),
        ("product.columns", 0, 2.0),
        ("product.columns", 1, -1.0),
        ("product.columns", 136 * 5 + 5, 40.0),
        ("product.digits", 15, 40.0),
        ("product.digits", 16 + 3, 0.0),
        ("stair.high.remainder", 1, -255.0),
        ("stair.high.remainder", 0, -1.0),
        ("stair.high.remainder", 2, 256.0),
    ];
    for (name, entry, value) in spoil {
        let mut weights = Weights::generate();
        weights.get_mut(name).unwrap().data[entry] = value;
        compare((name, entry), &weights);
    }
}
