//! Rows: what `Indexed` looks up, taken from the tensors by their structure.

use crate::tables::{
    alphabet::AlphabetId,
    catalogue::TableId,
    decode::GROUPS,
    labels::Labels,
    stairs::Stair,
    weights::{Weights, WeightsError, one_hot, product_terms},
};

/// Entries of a table's row array: inputs are packed into at most 10 bits.
pub(crate) const ROWS: usize = 1024;
/// Entries of the row array of a wide table: three nibbles.
pub(crate) const WIDE_ROWS: usize = 4096;
/// The tables of three nibbles.
const WIDE: [TableId; 2] = [TableId::Choose, TableId::Chi];

/// Place of a table of three nibbles among the wide ones.
pub(crate) const fn wide(id: TableId) -> usize {
    let mut place = 0;
    while place < WIDE.len() && WIDE[place] as usize != id as usize {
        place += 1;
    }
    place
}

/// Bits a digit takes in a row index.
pub(crate) const fn bits(id: AlphabetId) -> u32 {
    usize::BITS - (id.radix() - 1).leading_zeros()
}

/// One control row: the position each gate group shows, packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ControlRow(u64);

impl ControlRow {
    /// Where a group's position starts: the first group takes eight bits, the others four.
    const fn shift(group: usize) -> usize {
        if group == 0 { 0 } else { 4 + 4 * group }
    }

    fn pack(positions: &[u8; GROUPS.len()]) -> Self {
        const {
            let mut group = 0;
            while group < GROUPS.len() {
                assert!(GROUPS[group].radix() <= if group == 0 { 256 } else { 16 });
                group += 1;
            }
            assert!(Self::shift(GROUPS.len()) <= 64);
        }
        let place = |(group, position): (usize, &u8)| u64::from(*position) << Self::shift(group);
        Self(positions.iter().enumerate().map(place).fold(0, |row, part| row | part))
    }

    /// The position a group shows.
    #[inline(always)]
    pub fn position(self, group: usize) -> u8 {
        let mask = if group == 0 { 255 } else { 15 };
        (self.0 >> Self::shift(group)) as u8 & mask
    }
}

/// Every row of the machine, by position of the input digits.
pub(crate) struct Rows {
    pub labels: Labels,
    pub tables: Box<[[u8; ROWS]; TableId::ALL.len()]>,
    /// Tables of three nibbles, by [`wide`].
    pub wide: Box<[[u8; WIDE_ROWS]; WIDE.len()]>,
    /// By phase, then opcode: phase << 8 | high << 4 | low.
    pub decode: Box<[ControlRow; 2048]>,
    /// Integer activation of a pair of digits: a | b << 4.
    pub product: Box<[u32; 256]>,
    /// Columns are sums of exactly the terms of their place.
    pub plain_columns: bool,
    /// Coefficients of the columns, term by term, where they are not plain.
    pub columns: Vec<[i64; 16]>,
    /// For each admitted integer, three positions packed low to high in 4 bits each.
    pub settle: Vec<u16>,
    /// For each admitted integer, two positions packed in 4 bits each.
    pub settle_small: Vec<u8>,
    /// Coefficients of a digit at each of the three places.
    pub digits: [[u32; 16]; 3],
}

/// Where the 1s of a hidden unit sit, one per input; its place in the row array.
fn address(name: &str, row: &[f32], inputs: &[AlphabetId]) -> Result<usize, WeightsError> {
    let (mut offset, mut shift, mut index) = (0, 0, 0);
    for id in inputs {
        let position = one_hot(&row[offset..offset + id.radix()])
            .ok_or_else(|| WeightsError::structure(name, "a hidden unit does not have one 1 per input"))?;
        index |= position << shift;
        shift += bits(*id);
        offset += id.radix();
    }
    Ok(index)
}

/// Takes a table apart: calls `emit(index, unit)` for each hidden unit after checking that each input
/// combination is owned once and that exactly its unit fires.
fn units(
    weights: &Weights,
    name: &str,
    inputs: &[AlphabetId],
    mut emit: impl FnMut(usize, usize) -> Result<(), WeightsError>,
) -> Result<(), WeightsError> {
    let (w1_name, b1_name) = (format!("{name}.w1"), format!("{name}.b1"));
    let (w1, b1) = (weights.get(&w1_name)?, weights.get(&b1_name)?);
    let mut owned = vec![false; 1 << inputs.iter().map(|id| bits(*id)).sum::<u32>()];
    for unit in 0..b1.data.len() {
        if b1.data[unit] != 1.0 - inputs.len() as f32 {
            return Err(WeightsError::structure(&b1_name, "a bias is not 1 minus the number of inputs"));
        }
        let index = address(&w1_name, w1.row(unit), inputs)?;
        if std::mem::replace(&mut owned[index], true) {
            return Err(WeightsError::structure(&w1_name, "two hidden units own the same input"));
        }
        emit(index, unit)?;
    }
    Ok(())
}

/// The integer a coefficient is, if it is one below 2^24.
pub(super) fn integer(name: &str, value: f32) -> Result<i64, WeightsError> {
    if value.fract() == 0.0 && value.abs() < 16_777_216.0 {
        Ok(value as i64)
    } else {
        Err(WeightsError::structure(name, format!("{value} is not an integer below 2^24")))
    }
}

pub(super) fn unsigned(name: &str, value: f32) -> Result<u32, WeightsError> {
    u32::try_from(integer(name, value)?)
        .map_err(|_| WeightsError::structure(name, "a coefficient is negative"))
}

/// Column `unit` of a second matrix as positions, one per output.
fn answer(
    weights: &Weights,
    name: &str,
    outputs: &[AlphabetId],
    unit: usize,
    positions: &mut [u8],
) -> Result<(), WeightsError> {
    let w2 = weights.get(name)?;
    let mut offset = 0;
    for (id, position) in outputs.iter().zip(positions) {
        let column: Vec<f32> = (0..id.radix()).map(|o| w2.row(offset + o)[unit]).collect();
        *position = one_hot(&column).ok_or_else(|| {
            WeightsError::structure(name, format!("the answer of unit {unit} is not one-hot"))
        })? as u8;
        offset += id.radix();
    }
    Ok(())
}

/// The positions a staircase shows for every integer below `limit`.
pub(super) fn shown(weights: &Weights, stair: Stair, limit: usize) -> Result<Vec<Vec<u8>>, WeightsError> {
    let rows = stair.rows(weights, limit)?.into_iter().enumerate();
    rows.map(|(x, digits)| {
        digits.ok_or_else(|| {
            let name = format!("stair.{}.w2", stair.name());
            WeightsError::structure(&name, format!("the answer for {x} is not one-hot"))
        })
    })
    .collect()
}

impl Rows {
    pub fn extract(weights: &Weights) -> Result<Self, WeightsError> {
        weights.check()?;
        let labels = weights.labels()?;
        let mut tables = Box::new([[0u8; ROWS]; TableId::ALL.len()]);
        let mut wide_tables = Box::new([[0u8; WIDE_ROWS]; WIDE.len()]);
        for id in TableId::ALL {
            let spec = id.spec();
            let name = format!("table.{}", spec.name);
            let w2 = format!("{name}.w2");
            units(weights, &name, spec.inputs, |index, unit| {
                let rows = match wide_tables.get_mut(wide(id)) {
                    Some(rows) => rows.as_mut_slice(),
                    None => tables[id as usize].as_mut_slice(),
                };
                answer(weights, &w2, &[spec.output], unit, &mut rows[index..=index])
            })?;
        }
        let mut decode = Box::new([ControlRow::default(); 2048]);
        let inputs = [AlphabetId::Phase, AlphabetId::Nibble, AlphabetId::Nibble];
        units(weights, "table.decode", &inputs, |index, unit| {
            // The packed index is phase | low << 3 | high << 7.
            let row = (index & 7) << 8 | index >> 3;
            let mut positions = [0; GROUPS.len()];
            answer(weights, "table.decode.w2", &GROUPS, unit, &mut positions)?;
            decode[row] = ControlRow::pack(&positions);
            Ok(())
        })?;
        let rows = Self {
            labels,
            tables,
            wide: wide_tables,
            decode,
            product: Box::new([0; 256]),
            plain_columns: true,
            columns: Vec::new(),
            settle: Vec::new(),
            settle_small: Vec::new(),
            digits: [[0; 16]; 3],
        };
        rows.sums(weights)
    }

    /// The position a table answers, by the packed positions of its inputs.
    pub fn answer(&self, id: TableId, index: usize) -> u8 {
        self.wide.get(wide(id)).map_or_else(|| self.tables[id as usize][index], |rows| rows[index])
    }

    /// Rows of the linear sums and staircases.
    fn sums(mut self, weights: &Weights) -> Result<Self, WeightsError> {
        let value = weights.get("product.value")?;
        let nibbles = [AlphabetId::Nibble; 2];
        let product = &mut self.product;
        units(weights, "product", &nibbles, |index, unit| {
            product[index] = unsigned("product.value", value.data[unit])?;
            Ok(())
        })?;
        let columns = weights.get("product.columns")?;
        for (term, (i, j)) in product_terms().enumerate() {
            let mut places = [0; 16];
            for (place, entry) in places.iter_mut().enumerate() {
                *entry = integer("product.columns", columns.row(place)[term])?;
                self.plain_columns &= *entry == i64::from(i + j == place);
            }
            self.columns.push(places);
        }
        let digits = weights.get("product.digits")?;
        for place in 0..3 {
            for position in 0..16 {
                self.digits[place][position] = unsigned("product.digits", digits.row(place)[position])?;
            }
        }
        let remainder = weights.get("stair.high.remainder")?;
        let limit = Stair::High.limit();
        let high = shown(weights, Stair::High, limit)?;
        let low = shown(weights, Stair::Low, limit)?;
        for (x, high) in high.iter().map(|digits| digits[0]).enumerate() {
            let rest = x as i64 + integer("stair.high.remainder", remainder.data[usize::from(high)])?;
            // Below 0 and above the top the staircase shows its first and last step.
            let low = &low[rest.clamp(0, limit as i64 - 1) as usize];
            self.settle.push(u16::from(low[0]) | u16::from(low[1]) << 4 | u16::from(high) << 8);
        }
        // One more than it admits, so that its last unit is seen to fire.
        for digits in shown(weights, Stair::Small, Stair::Small.limit() + 1)? {
            self.settle_small.push(digits[0] | digits[1] << 4);
        }
        Ok(self)
    }
}
