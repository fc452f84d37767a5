//! Bounds of the layers: the sum of |w| max|x| of every layer, inner sums included, stays below 2^24,
//! so that 32-bit floats are exact in any order of summation.

use super::{
    catalogue::TableId,
    evaluator::ADDENDS,
    stairs::Stair,
    weights::{Array, BOUND, HEADS, Weights, WeightsError},
    wide::COLUMN_LIMIT,
};

/// Largest sum of |w| `input` + |b| over the rows of a layer.
fn layer(name: &str, w: &Array, bias: Option<&Array>, input: f64) -> Result<f64, WeightsError> {
    let width = w.shape.get(1).copied().unwrap_or(1).max(1);
    let mut bound = 0.0f64;
    for (row, weights) in w.data.chunks(width).enumerate() {
        let bias = bias.map_or(0.0, |b| f64::from(b.data[row]).abs());
        let sum = weights.iter().map(|w| f64::from(*w).abs() * input).sum::<f64>() + bias;
        // `max` would drop a NaN.
        bound = if sum.is_nan() { f64::INFINITY } else { bound.max(sum) };
    }
    if bound >= BOUND {
        return Err(WeightsError::Bound { name: name.into(), bound });
    }
    Ok(bound)
}

/// Checks every layer.
///
/// # Errors
/// [`WeightsError::Bound`] for the first layer that is not below 2^24, or a missing tensor.
pub(crate) fn check(weights: &Weights) -> Result<(), WeightsError> {
    let tables = TableId::ALL.iter().map(|id| format!("table.{}", id.spec().name));
    for name in tables.chain(["table.decode".to_owned()]) {
        let [w1, b1, w2] = ["w1", "b1", "w2"].map(|part| weights.get(&format!("{name}.{part}")));
        let hidden = layer(&name, w1?, Some(b1?), 1.0)?;
        // At most one unit fires in a sound table; the layer bound below does not rely on it.
        layer(&name, w2?, None, hidden)?;
    }
    let hidden = layer("product", weights.get("product.w1")?, Some(weights.get("product.b1")?), 1.0)?;
    layer("product.value", weights.get("product.value")?, None, hidden)?;
    // Of the terms and digits that feed a sum one is on at a time, so the largest counts.
    let largest = |name: &str| -> Result<f64, WeightsError> {
        Ok(weights.get(name)?.data.iter().fold(0.0f64, |m, v| m.max(f64::from(v.abs()))))
    };
    let columns = layer("product.columns", weights.get("product.columns")?, None, largest("product.value")?)?;
    let places = weights.get("product.digits")?;
    layer("product.digits", places, None, 1.0)?;
    let places = largest("product.digits")? * places.shape[0] as f64;
    let sums = largest("product.digits")? * ADDENDS as f64;
    for stair in Stair::ALL {
        let name = format!("stair.{}", stair.name());
        let get = |part: &str| weights.get(&format!("{name}.{part}"));
        let input = match stair {
            Stair::Top => COLUMN_LIMIT as f64,
            Stair::High => columns.max(sums).max(COLUMN_LIMIT as f64 + largest("stair.top.remainder")?),
            Stair::Low => {
                let top = largest("stair.top.remainder")?;
                columns.max(sums).max(COLUMN_LIMIT as f64 + top) + largest("stair.high.remainder")?
            }
            Stair::Small => places,
        };
        let hidden = layer(&name, get("w1")?, Some(get("b1")?), input.max(stair.limit() as f64))?;
        layer(&name, get("w2")?, Some(get("b2")?), hidden)?;
    }
    Ok(())
}

/// Checks the constants with which heads are exact memories.
///
/// # Errors
/// [`WeightsError::Structure`] for the first that is not what an exact memory needs.
pub(crate) fn check_heads(weights: &Weights) -> Result<(), WeightsError> {
    for head in HEADS {
        for constant in ["decay", "write"] {
            let name = format!("head.{head}.{constant}");
            if weights.get(&name)?.data != [1.0] {
                return Err(WeightsError::structure(&name, "an exact memory needs 1"));
            }
        }
    }
    if weights.get("attention.exact")?.data != [-7.0] {
        return Err(WeightsError::structure("attention.exact", "a match of eight digits needs -7"));
    }
    Ok(())
}

/// Checks that the layers that feed sums hold integers.
///
/// A digit that is off by a fraction and then summed with coefficients such as 4 or 256 may come out as
/// an integer again, and be settled to a wrong answer that looks sound; so the fraction is refused here.
/// Everywhere else it survives until a digit is read.
///
/// # Errors
/// [`WeightsError::Structure`] for the first that does not.
pub(crate) fn check_integers(weights: &Weights) -> Result<(), WeightsError> {
    for (name, array) in weights.tensors() {
        let summed = ["product.", "stair.", "wide.", "modulus.", "number."]
            .into_iter()
            .any(|kind| name.starts_with(kind));
        if let Some(entry) = array.data.iter().find(|entry| summed && entry.fract() != 0.0) {
            return Err(WeightsError::structure(name, format!("{entry} is not an integer")));
        }
    }
    Ok(())
}
