//! The layers on the device, transposed once so that a pass is plain matrix products.

use crate::tables::{catalogue::TableId, stairs::Stair};
use candle_core::{Result, Tensor};

/// A two-layer ReLU network on rows.
pub(crate) struct Layer {
    /// Shape \[inputs, units\].
    w1: Tensor,
    /// Shape \[1, units\].
    b1: Tensor,
    /// Shape \[units, outputs\].
    w2: Option<Tensor>,
    /// Shape \[1, outputs\].
    b2: Option<Tensor>,
}

impl Layer {
    fn new(get: &impl Fn(&str) -> Result<Tensor>, name: &str, second: bool, bias: bool) -> Result<Self> {
        let part = |part: &str| get(&format!("{name}.{part}"));
        Ok(Self {
            w1: part("w1")?.t()?.contiguous()?,
            b1: part("b1")?.unsqueeze(0)?,
            w2: if second { Some(part("w2")?.t()?.contiguous()?) } else { None },
            b2: if bias { Some(part("b2")?.unsqueeze(0)?) } else { None },
        })
    }

    /// The hidden activations for inputs given side by side.
    pub fn hidden(&self, inputs: &[&Tensor]) -> Result<Tensor> {
        let input = if let [one] = inputs { (*one).clone() } else { Tensor::cat(inputs, 1)? };
        input.contiguous()?.matmul(&self.w1)?.broadcast_add(&self.b1)?.relu()
    }

    /// Both layers.
    pub fn run(&self, inputs: &[&Tensor]) -> Result<Tensor> {
        let hidden = self.hidden(inputs)?;
        let output = match &self.w2 {
            Some(w2) => hidden.matmul(w2)?,
            None => hidden,
        };
        match &self.b2 {
            Some(b2) => output.broadcast_add(b2),
            None => Ok(output),
        }
    }
}

/// Every layer of the machine.
pub(crate) struct Layers {
    pub tables: Vec<Layer>,
    pub decode: Layer,
    /// The first layer of products; its units are the pairs of digits.
    pub product: Layer,
    pub stairs: Vec<Layer>,
}

impl Layers {
    pub fn new(get: &impl Fn(&str) -> Result<Tensor>) -> Result<Self> {
        Ok(Self {
            tables: TableId::ALL
                .iter()
                .map(|id| Layer::new(get, &format!("table.{}", id.spec().name), true, false))
                .collect::<Result<_>>()?,
            decode: Layer::new(get, "table.decode", true, false)?,
            product: Layer::new(get, "product", false, false)?,
            stairs: Stair::ALL
                .iter()
                .map(|stair| Layer::new(get, &format!("stair.{}", stair.name()), true, true))
                .collect::<Result<_>>()?,
        })
    }
}
