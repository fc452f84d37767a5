//! Staircases: ReLU layers that turn an integer activation back into digits.
//!
//! A threshold t is two hidden units, relu(x - t + 1) - relu(x - t): 0 below t, 1 from t on. The second
//! layer writes, for each threshold, the change between two neighbouring answers.

use super::{
    alphabet::AlphabetId,
    labels::Labels,
    weights::{Array, Weights, WeightsError},
};
use std::collections::BTreeMap;

/// Names a staircase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stair {
    /// 0..4096 in steps of 256: the third digit. Its *remainder* coefficients take 256 times that digit
    /// away again.
    High,
    /// 0..256: the two digits of a byte, the lower first.
    Low,
    /// 0..128: a digit and what is left over in units of 16.
    Small,
    /// 0..65536 in steps of 4096: the fourth digit. Its *remainder* coefficients take 4096 times that
    /// digit away again, which leaves what `High` admits.
    Top,
}

impl Stair {
    /// Every staircase.
    pub const ALL: [Self; 4] = [Self::High, Self::Low, Self::Small, Self::Top];

    /// Name used in tensor names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Low => "low",
            Self::Small => "small",
            Self::Top => "top",
        }
    }

    /// Integers below this are admitted.
    pub const fn limit(self) -> usize {
        match self {
            Self::High => 4096,
            Self::Low => 256,
            Self::Small => 128,
            Self::Top => 65_536,
        }
    }

    /// Distance between thresholds.
    const fn step(self) -> usize {
        match self {
            Self::Top => 4096,
            Self::High => 256,
            Self::Low | Self::Small => 1,
        }
    }

    /// Digits written for a value.
    fn digits(self, value: usize) -> Vec<usize> {
        match self {
            Self::High | Self::Top => vec![value / self.step()],
            Self::Low | Self::Small => vec![value % 16, value / 16],
        }
    }

    /// Writes the tensors.
    pub(crate) fn write(self, labels: &Labels, tensors: &mut BTreeMap<String, Array>) {
        let steps: Vec<usize> = (1..).map(|k| k * self.step()).take_while(|&t| t < self.limit()).collect();
        let outputs = self.digits(0).len() * 16;
        let mut w1 = Array::zeros(&[steps.len() * 2, 1]);
        let mut b1 = Array::zeros(&[steps.len() * 2]);
        let mut w2 = Array::zeros(&[outputs, steps.len() * 2]);
        let mut b2 = Array::zeros(&[outputs]);
        let hot = |value: usize| {
            self.digits(value)
                .into_iter()
                .enumerate()
                .map(|(place, letter)| place * 16 + labels.position(AlphabetId::Nibble, letter))
                .collect::<Vec<_>>()
        };
        for position in hot(0) {
            b2.data[position] = 1.0;
        }
        for (k, &threshold) in steps.iter().enumerate() {
            for (unit, bias, sign) in
                [(2 * k, 1.0 - threshold as f32, 1.0), (2 * k + 1, -(threshold as f32), -1.0)]
            {
                *w1.at_mut(unit, 0) = 1.0;
                b1.data[unit] = bias;
                for (before, after) in hot(threshold - self.step()).into_iter().zip(hot(threshold)) {
                    *w2.at_mut(before, unit) -= sign;
                    *w2.at_mut(after, unit) += sign;
                }
            }
        }
        let name = self.name();
        tensors.insert(format!("stair.{name}.w1"), w1);
        tensors.insert(format!("stair.{name}.b1"), b1);
        tensors.insert(format!("stair.{name}.w2"), w2);
        tensors.insert(format!("stair.{name}.b2"), b2);
        if self.step() > 1 {
            let mut remainder = Array::zeros(&[16]);
            for letter in 0..16 {
                let position = labels.position(AlphabetId::Nibble, letter);
                remainder.data[position] = -((self.step() * letter) as f32);
            }
            tensors.insert(format!("stair.{name}.remainder"), remainder);
        }
    }

    /// Runs the layers on every integer below `limit` and returns the position shown by each digit;
    /// `None` where the answer is not one-hot.
    ///
    /// # Errors
    /// A tensor is missing.
    pub(crate) fn rows(self, weights: &Weights, limit: usize) -> Result<Vec<Option<Vec<u8>>>, WeightsError> {
        let get = |part: &str| weights.get(&format!("stair.{}.{part}", self.name()));
        let (w1, b1, w2, b2) = (get("w1")?, get("b1")?, get("w2")?, get("b2")?);
        let units = b1.data.len();
        // The hidden layer is piecewise linear in the input, but a spoiled tensor may be anything, so
        // every unit is evaluated for every integer.
        let columns: Vec<Vec<(usize, f32)>> = (0..units)
            .map(|u| (0..b2.data.len()).map(|o| (o, w2.row(o)[u])).filter(|(_, w)| *w != 0.0).collect())
            .collect();
        Ok((0..limit)
            .map(|x| {
                let mut sums: Vec<f32> = b2.data.clone();
                for (unit, column) in columns.iter().enumerate() {
                    let hidden = (w1.data[unit] * x as f32 + b1.data[unit]).max(0.0);
                    if hidden != 0.0 {
                        for &(output, weight) in column {
                            sums[output] += weight * hidden;
                        }
                    }
                }
                sums.chunks(16).map(|digit| super::weights::one_hot(digit).map(|p| p as u8)).collect()
            })
            .collect())
    }
}
