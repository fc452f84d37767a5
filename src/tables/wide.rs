//! The tensors of wide numbers: multiples, sums of digits, and for each modulus what folds high columns
//! and high digits into low ones.
//!
//! A product of wide numbers is a head of sixteen values, the multiples of one factor's digits, read by
//! every digit of the other (`wide.multiples`), and a sum of the rows read (`wide.terms`). Everything
//! after that is linear layers and staircases.

use super::{
    alphabet::AlphabetId::Nibble,
    labels::Labels,
    moduli::{Limbs, MAX_WORDS, ModulusId, RESIDUE_DIGITS, digits},
    numbers::NumberSet,
    weights::{Array, Weights, WeightsError},
};
use std::collections::BTreeMap;

/// Columns stay below this: the staircases admit no more.
pub(crate) const COLUMN_LIMIT: usize = 1 << 16;

/// Places of a digit: coefficients of the four digits a column settles to, then those of a digit's
/// complement.
pub(crate) const PLACES: usize = 5;

/// The row of `wide.digits` that holds the complement, 15 minus the digit.
pub(crate) const COMPLEMENT: usize = 4;

/// A number of the catalogue that belongs to a modulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModulusNumber {
    /// 1 - 16^D, modulo the modulus: turns a + (16^D - 1 - b) into a - b.
    Difference,
    /// 16^D minus this power of two, given by its exponent, times the modulus.
    Complement(usize),
}

impl ModulusNumber {
    /// Row of the modulus's tensor.
    pub(crate) const fn row(self) -> usize {
        match self {
            Self::Difference => 0,
            Self::Complement(halving) => 1 + halving,
        }
    }
}

/// Writes every tensor.
pub(crate) fn write(labels: &Labels, tensors: &mut BTreeMap<String, Array>) {
    let by_position = |value: fn(usize) -> usize| {
        let mut row = vec![0.0; 16];
        for letter in 0..16 {
            row[labels.position(Nibble, letter)] = value(letter) as f32;
        }
        row
    };
    tensors.insert("wide.multiples".into(), Array { shape: vec![16], data: by_position(|k| k) });
    let places =
        (0..PLACES).flat_map(|place| by_position(if place == COMPLEMENT { |k| 15 - k } else { |k| k }));
    tensors.insert("wide.digits".into(), Array { shape: vec![PLACES, 16], data: places.collect() });
    let terms = vec![1.0; 16 * MAX_WORDS];
    tensors.insert("wide.terms".into(), Array { shape: vec![terms.len()], data: terms });
    for id in ModulusId::ALL {
        modulus(id, labels, tensors);
    }
}

fn modulus(id: ModulusId, labels: &Labels, tensors: &mut BTreeMap<String, Array>) {
    let count = id.digits();
    let name = |part: &str| format!("modulus.{}.{part}", id.name());
    let mut insert = |part: &str, array| tensors.insert(name(part), array);
    let mut fold = Array::zeros(&[count, count + 1]);
    let mut power = id.shifted([1, 0, 0, 0, 0, 0], count);
    for place in 0..=count {
        for (k, digit) in digits(&power, count).enumerate() {
            *fold.at_mut(k, place) = digit as f32;
        }
        power = id.shifted(power, 1);
    }
    insert("fold", fold);
    let mut residue = Array::zeros(&[count, 16 * RESIDUE_DIGITS]);
    for place in 0..RESIDUE_DIGITS {
        let one = id.shifted([1, 0, 0, 0, 0, 0], count - 1 + place);
        let mut multiple: Limbs = [0; MAX_WORDS];
        for letter in 0..16 {
            for (k, digit) in digits(&multiple, count).enumerate() {
                *residue.at_mut(k, 16 * place + labels.position(Nibble, letter)) = digit as f32;
            }
            multiple = id.plus(multiple, one);
        }
    }
    insert("residue", residue);
    let numbers: Vec<Limbs> =
        std::iter::once(id.difference()).chain((0..id.halvings()).map(|j| id.complement(j))).collect();
    let data = numbers.iter().flat_map(|x| digits(x, count)).map(|digit| digit as f32).collect();
    insert("numbers", Array { shape: vec![numbers.len(), count], data });
}

/// Bounds of everything that is summed, computed from the tensors.
///
/// # Errors
/// [`WeightsError::Bound`] for the first sum that could leave what the staircases admit;
/// [`WeightsError::Structure`] where the rows of a product are not simply added.
pub(crate) fn check(weights: &Weights) -> Result<(), WeightsError> {
    let refuse = |name: &str, bound: f64, limit: usize| {
        // A NaN is not below either.
        if bound < limit as f64 { Ok(()) } else { Err(WeightsError::Bound { name: name.into(), bound }) }
    };
    let largest = |data: &[f32]| {
        data.iter().fold(0.0f64, |m, v| if v.is_nan() { f64::INFINITY } else { m.max(f64::from(v.abs())) })
    };
    if weights.get("wide.terms")?.data.iter().any(|&term| term != 1.0) {
        return Err(WeightsError::structure("wide.terms", "rows of a product are added with coefficient 1"));
    }
    let labels = weights.labels()?;
    let places = weights.get("wide.digits")?;
    let digit = largest(&places.data);
    let read = digit * largest(&weights.get("wide.multiples")?.data);
    let small = super::stairs::Stair::Small.limit();
    for id in ModulusId::ALL {
        let count = id.digits();
        let name = |part: &str| format!("modulus.{}.{part}", id.name());
        let product = |k: usize| read * (k + 1).min(2 * count - 1 - k) as f64;
        refuse("wide.multiples", product(count - 1), COLUMN_LIMIT)?;
        // What a column settles to: a digit of it is at most what the column has at that place.
        let settled = |column: f64, place: usize| {
            let highest = (column / f64::from(1u32 << (4 * place))).min(15.0) as usize;
            let value = |letter| places.row(place)[labels.position(Nibble, letter)];
            (0..=highest).map(|letter| f64::from(value(letter))).fold(0.0, f64::max)
        };
        let mut high = vec![0.0; count];
        for k in count..2 * count - 1 {
            for place in 0..4 {
                if let Some(sum) = high.get_mut(k - count + place) {
                    *sum += settled(product(k), place);
                }
            }
        }
        let fold = weights.get(&name("fold"))?;
        for k in 0..count {
            // A sum of products is settled twice before up to four of its kind are added.
            let sum = fold.row(k).iter().map(|w| f64::from(w.abs())).sum::<f64>() + 1.0;
            refuse(&name("fold"), sum * 4.0 * (digit + 3.0), COLUMN_LIMIT)?;
            let folded: f64 =
                fold.row(k).iter().zip(&high).map(|(w, bound)| f64::from(w.abs()) * bound).sum();
            refuse(&name("fold"), product(k) + folded, COLUMN_LIMIT)?;
        }
        let residue = weights.get(&name("residue"))?;
        for k in 0..count {
            let rows: f64 = residue.row(k).chunks(16).map(largest).sum();
            refuse(&name("residue"), digit + rows, small)?;
        }
        let numbers = weights.get(&name("numbers"))?;
        refuse(&name("numbers"), largest(&numbers.data) + 2.0 * digit, small)?;
    }
    for set in NumberSet::ALL {
        let name = format!("number.{}", set.name());
        refuse(&name, largest(&weights.get(&name)?.data), small)?;
    }
    // A product's columns, settled, and two more numbers: see `alu::wide::modular`.
    refuse("wide.digits", (4.0 + 2.0) * digit, small)
}
