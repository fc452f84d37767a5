//! Verification of what `Indexed` uses for wide numbers.

use super::{
    moduli::{ModulusId, RESIDUE_DIGITS},
    numbers::NumberSet,
    stairs::Stair,
    verify::{Check, Checked, VerifyError, equal},
    wide::{COLUMN_LIMIT, COMPLEMENT, PLACES},
};
use candle_core::{DType, Tensor};

impl Check {
    /// Every coefficient by basis vectors, every integer a column may be, every pair of small columns.
    pub(super) fn wide(&self) -> Result<Vec<Checked>, VerifyError> {
        let mut done = vec![self.digits()?, self.spread()?, self.small()?];
        for id in ModulusId::ALL {
            done.push(self.modulus(id)?);
        }
        for set in NumberSet::ALL {
            let name = format!("number.{}", set.name());
            let rows = &self.indexed.wide.numbers[set as usize];
            done.push(self.matrix(&name, &self.dense.wide.numbers[set as usize].t()?, rows)?);
        }
        Ok(done)
    }

    fn basis(&self, size: usize) -> candle_core::Result<Tensor> {
        Tensor::eye(size, DType::F32, self.dense.device())
    }

    /// Values of digits at each place, and the multiples.
    fn digits(&self) -> Result<Checked, VerifyError> {
        let (dense, indexed) = (&self.dense.wide, &self.indexed.wide);
        for place in 0..PLACES {
            let values = self.basis(16)?.matmul(&dense.digits[place])?.to_vec2::<f32>()?;
            for (position, value) in values.iter().enumerate() {
                equal("wide.digits", position, value, vec![f32::from(indexed.digits[place][position])])?;
            }
        }
        for byte in 0..256 {
            for (place, pairs) in [(0, &indexed.pairs), (COMPLEMENT, &indexed.complements)] {
                let values =
                    [byte & 15, byte >> 4].map(|position| f32::from(indexed.digits[place][position]));
                equal("values of a byte", byte, &values, pairs[byte].map(f32::from).to_vec())?;
            }
        }
        let multiples = self.basis(1)?.matmul(&dense.multiples)?.to_vec2::<f32>()?;
        equal("wide.multiples", 0, &multiples[0], indexed.multiples.map(f32::from).to_vec())?;
        Ok(("wide.digits and wide.multiples".into(), 16 * PLACES + 16))
    }

    fn stair(&self, stair: Stair, input: &Tensor) -> candle_core::Result<Tensor> {
        self.dense.layers.stairs[stair as usize].run(&[input])
    }

    fn integers(&self, limit: usize) -> candle_core::Result<Tensor> {
        let values: Vec<f32> = (0..limit).map(|x| x as f32).collect();
        Tensor::from_vec(values, (limit, 1), self.dense.device())
    }

    /// The values of the four digits of every integer below 65,536.
    ///
    /// The two lower staircases are run on what the third leaves, 0 to 4095.
    fn spread(&self) -> Result<Checked, VerifyError> {
        let wide = &self.dense.wide;
        let value = |digits: Tensor, place: usize| digits.contiguous()?.matmul(&wide.digits[place]);
        let rest = self.integers(Stair::High.limit())?;
        let high = self.stair(Stair::High, &rest)?;
        let low = self.stair(Stair::Low, &(&rest + high.matmul(&self.dense.remainder)?)?)?;
        let lower = [value(low.narrow(1, 0, 16)?, 0)?, value(low.narrow(1, 16, 16)?, 1)?, value(high, 2)?];
        let lower = Tensor::cat(&lower, 1)?.to_vec2::<f32>()?;
        let columns = self.integers(COLUMN_LIMIT)?;
        let top = self.stair(Stair::Top, &columns)?;
        let rest = (&columns + top.matmul(&wide.top_remainder)?)?.to_vec2::<f32>()?;
        let top = value(top, 3)?.to_vec2::<f32>()?;
        for (x, (rest, top)) in rest.iter().zip(&top).enumerate() {
            let rest = lower.get(rest[0] as usize).filter(|_| rest[0] >= 0.0).map_or(&[][..], Vec::as_slice);
            let bytes = self.indexed.wide.spread[x].to_le_bytes();
            equal("stair.top", x, &[rest, top].concat(), bytes.map(f32::from).to_vec())?;
        }
        Ok(("stair.top".into(), COLUMN_LIMIT))
    }

    /// Two small columns at once.
    fn small(&self) -> Result<Checked, VerifyError> {
        let limit = Stair::Small.limit();
        let rows = &self.indexed.rows.settle_small;
        for (pair, entry) in self.indexed.wide.small.iter().enumerate() {
            let [low, high] = [pair % limit, pair / limit].map(|column| u16::from(rows[column]));
            let both = [low & 15, high & 15, low >> 4, high >> 4].map(f32::from);
            let entry = [0, 4, 8, 12].map(|shift| f32::from(entry >> shift & 15));
            equal("pairs of stair.small", pair, &both, entry.to_vec())?;
        }
        Ok(("pairs of stair.small".into(), limit * limit))
    }

    fn modulus(&self, id: ModulusId) -> Result<Checked, VerifyError> {
        let (dense, indexed) = (&self.dense.wide.moduli[id as usize], &self.indexed.wide.moduli[id as usize]);
        let name = |part: &str| format!("modulus.{}.{part}", id.name());
        let residue = indexed.residue.as_flattened();
        debug_assert_eq!(residue.len(), 16 * RESIDUE_DIGITS);
        let mut inputs = self.matrix(&name("fold"), &dense.fold, &indexed.fold)?.1;
        inputs += self.matrix(&name("residue"), &dense.residue, residue)?.1;
        inputs += self.matrix(&name("numbers"), &dense.numbers.t()?, &indexed.numbers)?.1;
        Ok((format!("modulus.{}", id.name()), inputs))
    }

    /// A linear layer, shape \[outputs, inputs\], by basis vectors.
    fn matrix(&self, name: &str, layer: &Tensor, rows: &[[[u16; 16]; 6]]) -> Result<Checked, VerifyError> {
        let (outputs, inputs) = layer.dims2()?;
        let columns = layer.contiguous()?.matmul(&self.basis(inputs)?)?.t()?.to_vec2::<f32>()?;
        for (input, column) in columns.iter().enumerate() {
            let row = rows[input].as_flattened()[..outputs].iter().copied().map(f32::from).collect();
            equal(name, input, column, row)?;
        }
        Ok((name.into(), inputs))
    }
}
