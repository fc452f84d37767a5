//! Fused rows of sums of many words: a pair of digits at a time.

use super::{
    fused::{Fused, GENERATE, KILL},
    rows::Rows,
};
use crate::tables::alphabet::Nibble;

/// Rows over the integer activations of bytes, pairs of digits.
pub(crate) struct SumRows {
    /// The activation of a byte: that of its low digit and sixteen times that of its high digit.
    pub value: Box<[u32; 256]>,
    /// For each activation: the byte it settles to | the activation of what is left over << 8.
    pub settle: Box<[u16; 4096]>,
    /// A chain of these gives what the shallow form gives: see [`SumRows::agrees`].
    pub sound: bool,
}

impl SumRows {
    pub fn compose(rows: &Rows, fused: &Fused) -> Self {
        let digit = |position: usize| rows.digits[0][position];
        let value =
            super::fused::filled(|byte| digit(byte & 15).saturating_add(digit(byte >> 4).saturating_mul(16)));
        let settle = super::fused::filled(|x| {
            let row = rows.settle[x];
            let over = digit(usize::from(row >> 8)).min(255) as u16;
            row & 255 | over << 8
        });
        let sums = Self { value, settle, sound: false };
        Self { sound: sums.agrees(rows, fused), ..sums }
    }

    /// Whether every row of both forms keeps the value of what it is given.
    ///
    /// The shallow form settles columns of digits and adds what is left over of each to the next place;
    /// the byte form settles columns of bytes, lowest first, and takes what is left over along. Both are
    /// the sum of the values modulo 2^64, for every word, if settling and adding bytes keep values, a
    /// missing carry has value 0, and a killed carry is one. All that holds of the machine's own
    /// weights; of spoiled ones it may not, and then the shallow form is used.
    fn agrees(&self, rows: &Rows, fused: &Fused) -> bool {
        let value = |byte: u16| self.value[usize::from(byte & 255)];
        let settles = || {
            (0..4096u32).all(|x| {
                let row = self.settle[x as usize];
                value(row) + (u32::from(row >> 8) << 8) == x
            })
        };
        let adds = || {
            (0..1 << 16).all(|pair: usize| {
                let row = fused.add[pair];
                let sum = value(pair as u16) + value((pair >> 8) as u16);
                [0, 1].into_iter().all(|bit| {
                    let byte = fused.inc[usize::from(row & 255) | bit << 8];
                    // The row of one behaviour and no others: what leaves it is bit 1 of the carries.
                    let leaving = fused.ripple[usize::from(row >> 8) | bit << 8] >> 1 & 1;
                    value(u16::from(byte)) + (u32::from(leaving) << 8) == sum + bit as u32
                })
            })
        };
        let kills = [0, 1].into_iter().all(|bit| fused.ripple[usize::from(KILL) | bit << 8] >> 1 & 1 == 0);
        let zero = rows.labels.position_of::<Nibble>(0);
        debug_assert_ne!(KILL, GENERATE);
        fused.sound && kills && rows.digits[0][zero] == 0 && settles() && adds()
    }
}
