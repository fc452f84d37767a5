//! Bounds of the layers: the sum of |w| max|x| of every layer, inner sums included, stays below 2^24,
//! so that 32-bit floats are exact in any order of summation.

use super::{
    catalogue::TableId,
    stairs::Stair,
    weights::{Array, BOUND, HEADS, Weights, WeightsError},
};

/// Largest sum of |w| `input` + |b| over the rows of a layer.
fn layer(name: &str, w: &Array, bias: Option<&Array>, input: f64) -> Result<f64, WeightsError> {
    let width = w.shape.get(1).copied().unwrap_or(1).max(1);
    let mut bound = 0.0f64;
    for (row, weights) in w.data.chunks(width).enumerate() {
        let bias = bias.map_or(0.0, |b| f64::from(b.data[row]).abs());
        bound = bound.max(weights.iter().map(|w| f64::from(*w).abs() * input).sum::<f64>() + bias);
    }
    if bound.is_nan() || bound >= BOUND {
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
    let term = weights.get("product.value")?.data.iter().fold(0.0f64, |m, v| m.max(f64::from(v.abs())));
    layer("product.columns", weights.get("product.columns")?, None, term)?;
    layer("product.digits", weights.get("product.digits")?, None, 1.0)?;
    for stair in Stair::ALL {
        let name = format!("stair.{}", stair.name());
        let get = |part: &str| weights.get(&format!("{name}.{part}"));
        let hidden = layer(&name, get("w1")?, Some(get("b1")?), stair.limit() as f64)?;
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
