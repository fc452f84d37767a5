//! What the operations are made of: tensors, their letters and their rows.

use candle_core::{DType, Device, Tensor};

use super::{
    super::{alphabet::*, stairs::Stair, weights::one_hot},
    Dense, DenseError, Digit, Lanes, digit, lanes,
    layers::Layer,
};

impl Dense {
    /// The device the tensors are on.
    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// Takes the result of candle operations; on a failure keeps it for the next reading and goes on
    /// with zeros of the expected shape.
    pub(crate) fn keep(&self, result: candle_core::Result<Tensor>, shape: (usize, usize)) -> Tensor {
        result.unwrap_or_else(|error| {
            self.fail(DenseError::Candle(error.to_string()));
            self.zeros(shape)
        })
    }

    /// Remembers a failure for the next reading.
    pub(crate) fn fail(&self, error: DenseError) {
        self.failure.borrow_mut().get_or_insert(error);
    }

    pub(super) fn zeros(&self, shape: (usize, usize)) -> Tensor {
        Tensor::zeros(shape, DType::F32, &self.device)
            .or_else(|_| Tensor::zeros(shape, DType::F32, &Device::Cpu))
            .unwrap_or_else(|error| unreachable!("zeros on the CPU: {error}"))
    }

    /// Runs a table on rows of concatenated inputs.
    pub(super) fn look_up(&self, layer: &Layer, inputs: &[&Tensor], shape: (usize, usize)) -> Tensor {
        self.keep(layer.run(inputs), shape)
    }

    /// The position shown by each row of a one-hot tensor.
    pub(crate) fn positions(&self, tensor: &Tensor, what: &str) -> Result<Vec<usize>, DenseError> {
        if let Some(failure) = self.failure.borrow().as_ref() {
            return Err(failure.clone());
        }
        let rows = tensor.to_vec2::<f32>().map_err(|e| DenseError::Candle(e.to_string()))?;
        rows.into_iter()
            .map(|row| one_hot(&row).ok_or(DenseError::NotOneHot { what: what.into(), values: row }))
            .collect()
    }

    /// The letter shown by each lane.
    pub(crate) fn letters<A: Alphabet>(&self, a: &Lanes<A>, what: &str) -> Result<Vec<usize>, DenseError> {
        let positions = self.positions(&a.0, what)?;
        Ok(positions.into_iter().map(|p| self.labels.letter_of::<A>(p)).collect())
    }

    pub(super) fn letter<A: Alphabet>(&self, a: &Digit<A>, what: &str) -> Result<usize, DenseError> {
        let positions = self.positions(&a.0, what)?;
        positions
            .first()
            .map(|p| self.labels.letter_of::<A>(*p))
            .ok_or_else(|| DenseError::Candle("an empty digit".into()))
    }

    /// A letter as a tensor of shape \[1, radix\].
    pub(crate) fn letter_tensor(&self, id: AlphabetId, letter: usize) -> Tensor {
        self.keep(self.embeddings[id as usize].narrow(0, letter, 1), (1, id.radix()))
    }

    /// Letters as a tensor of shape \[count, radix\].
    pub(super) fn embed_all(&self, id: AlphabetId, letters: &[u32]) -> Tensor {
        let rows = Tensor::new(letters, &self.device)
            .and_then(|index| self.embeddings[id as usize].index_select(&index, 0));
        self.keep(rows, (letters.len(), id.radix()))
    }

    /// Nibbles as a tensor of shape \[count, 16\].
    pub(crate) fn nibbles(&self, letters: &[u32]) -> Tensor {
        self.embed_all(AlphabetId::Nibble, letters)
    }

    /// Bits as a tensor of shape \[count, 2\].
    pub(crate) fn bits(&self, letters: &[u32]) -> Tensor {
        self.embed_all(AlphabetId::Bit, letters)
    }

    /// The tensor of a word, for heads.
    pub(crate) fn tensor<'a>(&self, word: &'a Lanes<Nibble>) -> &'a Tensor {
        &word.0
    }

    /// The tensor of a digit, for heads.
    pub(crate) fn digit_tensor<'a, A>(&self, digit: &'a Digit<A>) -> &'a Tensor {
        &digit.0
    }

    /// A tensor of shape \[16, 16\] as a word, for heads.
    pub(crate) fn word_from(&self, tensor: candle_core::Result<Tensor>) -> Lanes<Nibble> {
        lanes(self.keep(tensor, (16, 16)))
    }

    /// A tensor of shape \[1, radix\] as a digit, for heads.
    pub(crate) fn digit_from<A: Alphabet>(&self, tensor: candle_core::Result<Tensor>) -> Digit<A> {
        digit(self.keep(tensor, (1, A::ID.radix())))
    }

    /// The one-hot pair of two digits: shape \[1, 256\], letter a + 16 b hot.
    pub(crate) fn pair(&self, a: &Tensor, b: &Tensor) -> Tensor {
        self.keep(self.layers.product.hidden(&[a, b]), (1, 256))
    }

    /// Position of a letter, for heads.
    pub(crate) fn position_of<A: Alphabet>(&self, letter: usize) -> usize {
        self.labels.position_of::<A>(letter)
    }

    /// Letter at a position, for heads.
    pub(crate) fn letter_of<A: Alphabet>(&self, position: usize) -> usize {
        self.labels.letter_of::<A>(position)
    }

    pub(super) fn stair(&self, stair: Stair, columns: &Tensor, digits: usize) -> Tensor {
        self.keep(self.layers.stairs[stair as usize].run(&[columns]), (16, 16 * digits))
    }

    pub(super) fn slice(&self, tensor: &Tensor, start: usize, length: usize) -> Tensor {
        let rows = tensor.dims().first().copied().unwrap_or(1);
        self.keep(tensor.narrow(1, start, length), (rows, length))
    }

    /// Moves rows towards higher lanes; the freed ones are `fill`.
    pub(super) fn move_up(&self, a: &Tensor, count: usize, fill: &Tensor) -> candle_core::Result<Tensor> {
        let fill = fill.broadcast_as((count.min(16), fill.dim(1)?))?;
        if count == 0 {
            return Ok(a.clone());
        }
        if count >= 16 {
            return fill.contiguous();
        }
        Tensor::cat(&[&fill.contiguous()?, &a.narrow(0, 0, 16 - count)?], 0)
    }

    pub(super) fn move_down(&self, a: &Tensor, count: usize, fill: &Tensor) -> candle_core::Result<Tensor> {
        let fill = fill.broadcast_as((count.min(16), fill.dim(1)?))?;
        if count == 0 {
            return Ok(a.clone());
        }
        if count >= 16 {
            return fill.contiguous();
        }
        Tensor::cat(&[&a.narrow(0, count, 16 - count)?, &fill.contiguous()?], 0)
    }

    /// Moves rows towards lower lanes, around the end, within each `part` lanes.
    pub(super) fn roll(&self, a: &Tensor, part: usize, count: usize) -> candle_core::Result<Tensor> {
        let lanes: Vec<u32> =
            (0..16).map(|lane| (lane / part * part + (lane % part + count) % part) as u32).collect();
        a.contiguous()?.index_select(&Tensor::new(lanes.as_slice(), &self.device)?, 0)
    }

    /// A one-hot key against values flattened to rows.
    pub(super) fn attention(&self, key: &Tensor, values: &[&Tensor]) -> candle_core::Result<Tensor> {
        let shape = values.first().map(|v| v.dims().to_vec()).unwrap_or_default();
        let rows = values.iter().map(|v| v.reshape((1, ()))).collect::<candle_core::Result<Vec<_>>>()?;
        key.matmul(&Tensor::cat(&rows, 0)?)?.reshape(shape)
    }

    /// Values given by letter, put in order of positions.
    pub(super) fn by_position<A: Alphabet, T: Copy>(&self, values: &[T]) -> Vec<T> {
        (0..values.len()).map(|position| values[self.labels.letter_of::<A>(position)]).collect()
    }
}
