//! Wide numbers on rows.
//!
//! A linear layer is summed here as it stands in its tensor: coefficient times activation, added up in
//! 16-bit lanes, or coefficient-1 sums of rows looked up. The bounds checked when the weights are taken
//! keep every sum below 2^16, so that no lane runs over.

use super::{
    Lanes,
    digits::lanes,
    rows::{Rows, shown, unsigned},
};
use crate::tables::{
    alphabet::Nibble,
    moduli::{MAX_WORDS, ModulusId, RESIDUE_DIGITS},
    numbers::{NumberConst, NumberSet},
    stairs::Stair,
    weights::{Weights, WeightsError},
    wide::{COLUMN_LIMIT, COMPLEMENT, ModulusNumber, PLACES},
};

/// Columns of one chunk: as many as a word has digits.
const CHUNK: usize = 16;
/// Chunks of the widest sum: a product, and one for what a spread puts above it.
const CHUNKS: usize = 2 * MAX_WORDS + 1;

/// Integer activations, sixteen a chunk; chunks from `used` on are zeros.
#[derive(Clone, Copy, Debug)]
pub struct Sums {
    chunks: [[u16; CHUNK]; CHUNKS],
    used: usize,
}

impl Sums {
    #[inline(always)]
    fn new(used: usize) -> Self {
        Self { chunks: [[0; CHUNK]; CHUNKS], used }
    }
}

/// Coefficients of a row of columns.
type Row = [[u16; CHUNK]; MAX_WORDS];

/// What one modulus adds.
pub(crate) struct ModulusRows {
    /// By input column.
    pub fold: Vec<Row>,
    /// By place, then position of the digit.
    pub residue: [[Row; 16]; RESIDUE_DIGITS],
    pub numbers: Vec<Row>,
}

/// Rows and coefficients of wide numbers.
pub(crate) struct WideRows {
    /// Coefficient of the multiple read by each position.
    pub multiples: [u16; 16],
    /// For each place, coefficient of each position.
    pub digits: [[u16; 16]; PLACES],
    /// Values of the two digits of a byte.
    pub pairs: Box<[[u16; 2]; 256]>,
    pub complements: Box<[[u16; 2]; 256]>,
    /// For each integer of a column, the values of its four digits, a byte each.
    pub spread: Box<[u32]>,
    /// For two small columns, 7 bits each: their digits and what is left over, a nibble each.
    pub small: Box<[u16]>,
    pub moduli: Vec<ModulusRows>,
    /// By set.
    pub numbers: Vec<Vec<Row>>,
}

/// A row of a matrix by its columns.
fn row(name: &str, entries: impl Iterator<Item = f32>) -> Result<Row, WeightsError> {
    let mut row = [[0; CHUNK]; MAX_WORDS];
    for (entry, place) in entries.zip(row.as_flattened_mut()) {
        *place = small_coefficient(name, entry)?;
    }
    Ok(row)
}

fn small_coefficient(name: &str, entry: f32) -> Result<u16, WeightsError> {
    u16::try_from(unsigned(name, entry)?)
        .map_err(|_| WeightsError::structure(name, "a coefficient is above 65,535"))
}

impl ModulusRows {
    fn extract(weights: &Weights, id: ModulusId) -> Result<Self, WeightsError> {
        let name = |part: &str| format!("modulus.{}.{part}", id.name());
        let (fold_name, residue_name, numbers_name) = (name("fold"), name("residue"), name("numbers"));
        let (fold, residue) = (weights.get(&fold_name)?, weights.get(&residue_name)?);
        let numbers = weights.get(&numbers_name)?;
        let column = |array: &crate::tables::Array, input: usize| -> Vec<f32> {
            (0..id.digits()).map(|k| array.row(k)[input]).collect()
        };
        let mut rows = Self {
            fold: Vec::new(),
            residue: [[[[0; CHUNK]; MAX_WORDS]; 16]; RESIDUE_DIGITS],
            numbers: Vec::new(),
        };
        for input in 0..=id.digits() {
            rows.fold.push(row(&fold_name, column(fold, input).into_iter())?);
        }
        for (input, digit) in rows.residue.as_flattened_mut().iter_mut().enumerate() {
            *digit = row(&residue_name, column(residue, input).into_iter())?;
        }
        for number in 0..numbers.shape[0] {
            rows.numbers.push(row(&numbers_name, numbers.row(number).iter().copied())?);
        }
        Ok(rows)
    }
}

impl WideRows {
    /// Takes the coefficients from the tensors and composes rows from those of the staircases.
    pub fn extract(weights: &Weights, rows: &Rows) -> Result<Self, WeightsError> {
        let multiples = weights.get("wide.multiples")?;
        let places = weights.get("wide.digits")?;
        let mut wide = Self {
            multiples: [0; 16],
            digits: [[0; 16]; PLACES],
            pairs: Box::new([[0; 2]; 256]),
            complements: Box::new([[0; 2]; 256]),
            spread: vec![0; COLUMN_LIMIT].into(),
            small: vec![0; 1 << 14].into(),
            moduli: Vec::new(),
            numbers: Vec::new(),
        };
        for position in 0..16 {
            wide.multiples[position] = small_coefficient("wide.multiples", multiples.data[position])?;
            for place in 0..PLACES {
                let entry = places.row(place)[position];
                wide.digits[place][position] = small_coefficient("wide.digits", entry)?;
            }
        }
        for byte in 0..256 {
            let digits = [byte & 15, byte >> 4];
            wide.pairs[byte] = digits.map(|position| wide.digits[0][position]);
            wide.complements[byte] = digits.map(|position| wide.digits[COMPLEMENT][position]);
        }
        let remainder = weights.get("stair.top.remainder")?;
        for (x, top) in shown(weights, Stair::Top, COLUMN_LIMIT)?.into_iter().enumerate() {
            let top = usize::from(top[0]);
            // Below 0 and above the top a staircase shows its first and last step.
            let rest = x as i64 + super::rows::integer("stair.top.remainder", remainder.data[top])?;
            let low = usize::from(rows.settle[rest.clamp(0, rows.settle.len() as i64 - 1) as usize]);
            for (place, position) in [low & 15, low >> 4 & 15, low >> 8, top].into_iter().enumerate() {
                wide.spread[x] |= u32::from(wide.digits[place][position]) << (8 * place);
            }
        }
        for (pair, entry) in wide.small.iter_mut().enumerate() {
            let [low, high] = [pair & 127, pair >> 7].map(|column| u16::from(rows.settle_small[column]));
            *entry = low & 15 | (high & 15) << 4 | (low >> 4) << 8 | (high >> 4) << 12;
        }
        for id in ModulusId::ALL {
            wide.moduli.push(ModulusRows::extract(weights, id)?);
        }
        for set in NumberSet::ALL {
            let name = format!("number.{}", set.name());
            let array = weights.get(&name)?;
            let rows = (0..array.shape[0]).map(|number| row(&name, array.row(number).iter().copied()));
            wide.numbers.push(rows.collect::<Result<_, _>>()?);
        }
        Ok(wide)
    }

    /// See [`Evaluator::product_sums`](crate::tables::Evaluator::product_sums).
    #[inline]
    pub fn product<const N: usize>(&self, a: &[Lanes<Nibble>; N], b: &[Lanes<Nibble>; N]) -> Sums {
        if N <= 4 { self.product_in::<N, 80, 72>(a, b) } else { self.product_in::<N, 112, 104>(a, b) }
    }

    /// Rows are `LENGTH` columns long, with eight zeros on either side, so that eight of them, each a
    /// column further up, are added as windows of `WIDTH` columns.
    #[inline(always)]
    fn product_in<const N: usize, const LENGTH: usize, const WIDTH: usize>(
        &self,
        a: &[Lanes<Nibble>; N],
        b: &[Lanes<Nibble>; N],
    ) -> Sums {
        let mut values = [0u16; LENGTH];
        for (word, place) in a.iter().zip(values[ROWS..].chunks_exact_mut(CHUNK)) {
            place.copy_from_slice(Self::values(&self.pairs, word.0).as_flattened());
        }
        let mut rows = [[0u16; LENGTH]; 16];
        for (row, multiple) in rows.iter_mut().zip(self.multiples) {
            for (place, value) in row.iter_mut().zip(values) {
                *place = value.wrapping_mul(multiple);
            }
        }
        let mut sums = Sums::new(2 * N);
        let columns = sums.chunks.as_flattened_mut();
        for (eight, start) in (0..2 * N).zip((0..).step_by(ROWS)) {
            let keys = (b[eight / 2].0 >> (32 * (eight % 2))) as u32;
            let windows: [&[u16; WIDTH]; ROWS] = std::array::from_fn(|up| {
                let row = &rows[(keys >> (4 * up) & 15) as usize];
                row[ROWS - up..].first_chunk().unwrap_or_else(|| unreachable!("a window lies in its row"))
            });
            let [a, b, c, d, e, f, g, h] = windows;
            if let Some(sums) = columns[start..].first_chunk_mut::<WIDTH>() {
                for (k, sum) in sums.iter_mut().enumerate() {
                    let low = a[k].wrapping_add(b[k]).wrapping_add(c[k].wrapping_add(d[k]));
                    let high = e[k].wrapping_add(f[k]).wrapping_add(g[k].wrapping_add(h[k]));
                    *sum = sum.wrapping_add(low).wrapping_add(high);
                }
            }
        }
        sums
    }

    /// Values of the digits of a word.
    #[inline(always)]
    fn values(pairs: &[[u16; 2]; 256], word: u64) -> [[u16; 2]; 8] {
        word.to_le_bytes().map(|byte| pairs[usize::from(byte)])
    }

    /// See [`Evaluator::digit_sums`](crate::tables::Evaluator::digit_sums).
    #[inline]
    pub fn digit_values<const N: usize>(&self, a: &[Lanes<Nibble>; N]) -> Sums {
        Self::all_values(&self.pairs, a)
    }

    /// See [`Evaluator::complement_sums`](crate::tables::Evaluator::complement_sums).
    #[inline]
    pub fn complement_values<const N: usize>(&self, a: &[Lanes<Nibble>; N]) -> Sums {
        Self::all_values(&self.complements, a)
    }

    #[inline(always)]
    fn all_values<const N: usize>(pairs: &[[u16; 2]; 256], a: &[Lanes<Nibble>; N]) -> Sums {
        let mut sums = Sums::new(N);
        for (word, chunk) in a.iter().zip(&mut sums.chunks) {
            chunk.copy_from_slice(Self::values(pairs, word.0).as_flattened());
        }
        sums
    }

    /// See [`Evaluator::modulus_sums`](crate::tables::Evaluator::modulus_sums).
    #[inline]
    pub fn number(&self, id: ModulusId, number: ModulusNumber) -> Sums {
        let mut sums = Sums::new(id.words());
        sums.chunks[..MAX_WORDS].copy_from_slice(&self.moduli[id as usize].numbers[number.row()]);
        sums
    }

    /// See [`Evaluator::number_sums`](crate::tables::Evaluator::number_sums).
    #[inline]
    pub fn constant(&self, number: NumberConst) -> Sums {
        let mut sums = Sums::new(number.set.words());
        sums.chunks[..MAX_WORDS].copy_from_slice(&self.numbers[number.set as usize][number.row]);
        sums
    }

    /// See [`Evaluator::join`](crate::tables::Evaluator::join).
    #[inline]
    pub fn join(a: &Sums, b: &Sums) -> Sums {
        let mut sums = Sums::new(a.used.max(b.used));
        for chunk in 0..sums.used {
            for (k, sum) in sums.chunks[chunk].iter_mut().enumerate() {
                *sum = a.chunks[chunk][k].wrapping_add(b.chunks[chunk][k]);
            }
        }
        sums
    }

    /// See [`Evaluator::part`](crate::tables::Evaluator::part).
    #[inline]
    pub fn part(sums: &Sums, from: usize, count: usize) -> Sums {
        let mut part = Sums::new(count.div_ceil(CHUNK));
        let there = &sums.chunks.as_flattened()[from..];
        let count = count.min(there.len());
        part.chunks.as_flattened_mut()[..count].copy_from_slice(&there[..count]);
        part
    }

    /// See [`Evaluator::spread`](crate::tables::Evaluator::spread).
    ///
    /// The four digits of a column are four byte lanes, and bytes are added up where columns overlap: a
    /// sum of at most 60 stays inside its lane.
    #[inline]
    pub fn spread_out(&self, sums: &Sums, count: usize) -> Sums {
        let mut out = Sums::new(count.div_ceil(CHUNK));
        let mut above = 0u64;
        for chunk in 0..out.used {
            for four in 0..4 {
                let mut lanes = above;
                for k in 0..4 {
                    let column = usize::from(sums.chunks[chunk][4 * four + k]);
                    lanes =
                        lanes.wrapping_add(u64::from(self.spread[column & (COLUMN_LIMIT - 1)]) << (8 * k));
                }
                for (k, byte) in (lanes as u32).to_le_bytes().into_iter().enumerate() {
                    out.chunks[chunk][4 * four + k] = u16::from(byte);
                }
                above = lanes >> 32;
            }
        }
        out.chunks.as_flattened_mut()[count..].fill(0);
        out
    }

    /// See [`Evaluator::fold`](crate::tables::Evaluator::fold).
    #[inline]
    pub fn fold(&self, id: ModulusId, sums: &Sums) -> Sums {
        let rows = self.moduli[id as usize].fold.as_slice();
        let mut out = Sums::new(id.words());
        let columns = &mut out.chunks.as_flattened_mut()[..id.digits()];
        for (row, &activation) in rows.iter().zip(sums.chunks.as_flattened()) {
            for (column, coefficient) in columns.iter_mut().zip(row.as_flattened()) {
                *column = column.wrapping_add(coefficient.wrapping_mul(activation));
            }
        }
        out
    }

    /// See [`Evaluator::residue`](crate::tables::Evaluator::residue).
    #[inline]
    pub fn residue(&self, id: ModulusId, top: &Lanes<Nibble>) -> Sums {
        let rows = &self.moduli[id as usize].residue;
        let rows: [&Row; RESIDUE_DIGITS] =
            std::array::from_fn(|place| &rows[place][(top.0 >> (4 * place) & 15) as usize]);
        let mut sums = Sums::new(id.words());
        for chunk in 0..sums.used.min(MAX_WORDS) {
            for row in rows {
                for (sum, term) in sums.chunks[chunk].iter_mut().zip(&row[chunk]) {
                    *sum = sum.wrapping_add(*term);
                }
            }
        }
        sums
    }

    /// See [`Evaluator::settle_sums`](crate::tables::Evaluator::settle_sums).
    #[inline]
    pub fn settle(&self, sums: &Sums, word: usize) -> [Lanes<Nibble>; 2] {
        let (mut digits, mut left) = (0u64, 0u64);
        for (byte, pair) in sums.chunks[word].as_chunks::<2>().0.iter().enumerate() {
            let index = usize::from(pair[0]) | usize::from(pair[1]) << 7;
            let entry = u64::from(self.small[index & 0x3fff]);
            digits |= (entry & 255) << (8 * byte);
            left |= (entry >> 8) << (8 * byte);
        }
        [lanes(digits), lanes(left)]
    }
}

/// Rows of a product that are added at once.
const ROWS: usize = 8;
