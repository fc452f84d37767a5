//! Wide numbers as tensors: columns of shape \[count, 1\].

use super::{Dense, Lanes, lanes};
use crate::tables::{
    alphabet::Nibble,
    moduli::{ModulusId, RESIDUE_DIGITS},
    numbers::{NumberConst, NumberSet},
    stairs::Stair,
    wide::{ModulusNumber, PLACES},
};
use candle_core::{Result, Tensor};

/// Integer activations as a tensor of shape \[columns, 1\].
#[derive(Clone, Debug)]
pub struct Sums(Tensor);

/// The tensors of one modulus.
pub(crate) struct Modulus {
    /// Shape \[D, D + 1\].
    pub fold: Tensor,
    /// Shape \[D, 16 digits\].
    pub residue: Tensor,
    /// Shape \[count, D\].
    pub numbers: Tensor,
}

/// The tensors of wide numbers.
pub(crate) struct Wide {
    /// Shape \[1, 16\].
    pub multiples: Tensor,
    /// For each place, shape \[16, 1\].
    pub digits: Vec<Tensor>,
    /// Shape \[1, 96\].
    pub terms: Tensor,
    /// Shape \[16, 1\].
    pub top_remainder: Tensor,
    pub moduli: Vec<Modulus>,
    /// For each set, shape \[count, D\].
    pub numbers: Vec<Tensor>,
}

impl Wide {
    pub fn new(get: &impl Fn(&str) -> Result<Tensor>) -> Result<Self> {
        let modulus = |id: &ModulusId| {
            let part = |part: &str| get(&format!("modulus.{}.{part}", id.name()));
            Ok(Modulus { fold: part("fold")?, residue: part("residue")?, numbers: part("numbers")? })
        };
        Ok(Self {
            multiples: get("wide.multiples")?.unsqueeze(0)?,
            digits: (0..PLACES)
                .map(|place| get("wide.digits")?.narrow(0, place, 1)?.t()?.contiguous())
                .collect::<Result<_>>()?,
            terms: get("wide.terms")?.unsqueeze(0)?,
            top_remainder: get("stair.top.remainder")?.unsqueeze(1)?,
            moduli: ModulusId::ALL.iter().map(modulus).collect::<Result<_>>()?,
            numbers: NumberSet::ALL
                .iter()
                .map(|set| get(&format!("number.{}", set.name())))
                .collect::<Result<_>>()?,
        })
    }
}

fn sums(e: &Dense, columns: Result<Tensor>, count: usize) -> Sums {
    Sums(e.keep(columns, (count, 1)))
}

/// All digits of a number, shape \[16 N, 16\].
fn rows<const N: usize>(a: &[Lanes<Nibble>; N]) -> Result<Tensor> {
    Tensor::cat(&a.each_ref().map(|word| &word.0), 0)
}

/// `count` rows from row `from` on, zeros where there are none.
fn window(columns: &Tensor, from: usize, count: usize) -> Result<Tensor> {
    let there = columns.dim(0)?.saturating_sub(from).min(count);
    let zeros = |count| Tensor::zeros((count, 1), columns.dtype(), columns.device());
    match there {
        0 => zeros(count),
        _ if there == count => columns.narrow(0, from, count),
        _ => Tensor::cat(&[&columns.narrow(0, from, there)?, &zeros(count - there)?], 0),
    }
}

pub(super) fn product<const N: usize>(e: &Dense, a: &[Lanes<Nibble>; N], b: &[Lanes<Nibble>; N]) -> Sums {
    let count = 16 * N;
    let columns = || {
        // The head: for each digit a key may show, the multiples of every digit of a.
        let values = rows(a)?.matmul(&e.wide.digits[0])?.matmul(&e.wide.multiples)?;
        let read = rows(b)?.matmul(&values.t()?.contiguous()?)?;
        // Row j moves j columns up: rows of 2 D numbers, read again as rows of 2 D - 1.
        let moved = read.pad_with_zeros(1, 0, count)?.flatten_all()?;
        let moved = moved.narrow(0, 0, count * (2 * count - 1))?.reshape((count, 2 * count - 1))?;
        let terms = e.wide.terms.narrow(1, 0, count)?.contiguous()?;
        window(&terms.matmul(&moved)?.t()?.contiguous()?, 0, 2 * count)
    };
    sums(e, columns(), 2 * count)
}

pub(super) fn digits<const N: usize>(e: &Dense, a: &[Lanes<Nibble>; N], place: usize) -> Sums {
    sums(e, rows(a).and_then(|digits| digits.matmul(&e.wide.digits[place])), 16 * N)
}

pub(super) fn number(e: &Dense, id: ModulusId, number: ModulusNumber) -> Sums {
    let columns = e.wide.moduli[id as usize].numbers.narrow(0, number.row(), 1);
    sums(e, columns.and_then(|row| row.t()?.contiguous()), id.digits())
}

pub(super) fn constant(e: &Dense, number: NumberConst) -> Sums {
    let columns = e.wide.numbers[number.set as usize].narrow(0, number.row, 1);
    sums(e, columns.and_then(|row| row.t()?.contiguous()), 16 * number.set.words())
}

pub(super) fn join(e: &Dense, a: &Sums, b: &Sums) -> Sums {
    let count = a.0.dims()[0].max(b.0.dims()[0]);
    sums(e, window(&a.0, 0, count).and_then(|a| a + window(&b.0, 0, count)?), count)
}

pub(super) fn part(e: &Dense, columns: &Sums, from: usize, count: usize) -> Sums {
    sums(e, window(&columns.0, from, count), count)
}

pub(super) fn spread(e: &Dense, columns: &Sums, count: usize) -> Sums {
    let settled = || {
        let stair = |stair: Stair, x: &Tensor| e.layers.stairs[stair as usize].run(&[x]);
        let top = stair(Stair::Top, &columns.0)?;
        let rest = (&columns.0 + top.matmul(&e.wide.top_remainder)?)?;
        let high = stair(Stair::High, &rest)?;
        let low = stair(Stair::Low, &(&rest + high.matmul(&e.remainder)?)?)?;
        let digits = [low.narrow(1, 0, 16)?.contiguous()?, low.narrow(1, 16, 16)?.contiguous()?, high, top];
        let mut sum = window(&columns.0, columns.0.dim(0)?, count)?;
        for (place, digit) in digits.iter().enumerate() {
            let values = digit.matmul(&e.wide.digits[place])?;
            sum = (sum + window(&values.pad_with_zeros(0, place, 0)?, 0, count)?)?;
        }
        Ok(sum)
    };
    sums(e, settled(), count)
}

pub(super) fn fold(e: &Dense, id: ModulusId, columns: &Sums) -> Sums {
    let count = id.digits();
    let folded =
        window(&columns.0, 0, count + 1).and_then(|high| e.wide.moduli[id as usize].fold.matmul(&high));
    sums(e, folded, count)
}

pub(super) fn residue(e: &Dense, id: ModulusId, top: &Lanes<Nibble>) -> Sums {
    let digits = top.0.narrow(0, 0, RESIDUE_DIGITS).and_then(|digits| {
        e.wide.moduli[id as usize].residue.matmul(&digits.contiguous()?.reshape((16 * RESIDUE_DIGITS, 1))?)
    });
    sums(e, digits, id.digits())
}

pub(super) fn settle(e: &Dense, columns: &Sums, word: usize) -> [Lanes<Nibble>; 2] {
    let columns = e.keep(window(&columns.0, 16 * word, 16), (16, 1));
    let digits = e.stair(Stair::Small, &columns, 2);
    [e.slice(&digits, 0, 16), e.slice(&digits, 16, 16)].map(lanes)
}
