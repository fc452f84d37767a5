//! The weights: written by a program, saved, loaded and digested.

use super::{
    alphabet::AlphabetId,
    catalogue::{TableId, WordConst},
    decode,
    labels::Labels,
    lists::WordList,
    stairs::Stair,
};
use sha2::{Digest, Sha256};
use std::{collections::BTreeMap, io::Read, path::Path, sync::LazyLock};

/// The bound every activation and inner sum stays below, so that any order of summation is exact in
/// 32-bit floats.
pub const BOUND: f64 = 16_777_216.0;

/// Most parameters the machine may have.
pub const MAX_PARAMETERS: usize = 4_000_000;

/// Longest weights file read, in bytes: twice what the most parameters allowed need.
const MAX_FILE_BYTES: u64 = 8 * MAX_PARAMETERS as u64;

/// Why weights cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// The file could not be read or written.
    #[error("weights file: {0}")]
    Io(#[from] std::io::Error),
    /// The file is not a safetensors file.
    #[error("weights file is not safetensors: {0}")]
    Format(String),
    /// A tensor is missing.
    #[error("tensor {0} is missing")]
    Missing(String),
    /// There is a tensor the machine does not know.
    #[error("tensor {0} is not part of the machine")]
    Unknown(String),
    /// A tensor has the wrong shape.
    #[error("tensor {name} has shape {found:?}, expected {expected:?}")]
    Shape {
        /// Tensor.
        name: String,
        /// Shape found.
        found: Vec<usize>,
        /// Shape expected.
        expected: Vec<usize>,
    },
    /// A tensor is not of 32-bit floats.
    #[error("tensor {0} is not of 32-bit floats")]
    Kind(String),
    /// A table does not have the structure in which exactly one hidden unit fires, or an answer is not
    /// one-hot.
    #[error("tensor {name}: {reason}")]
    Structure {
        /// Tensor.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// A layer could reach 2^24, where 32-bit floats stop being exact.
    #[error("layer {name} can reach {bound}, at or above 2^24")]
    Bound {
        /// Layer.
        name: String,
        /// The bound computed.
        bound: f64,
    },
}

impl WeightsError {
    pub(crate) fn structure(name: &str, reason: impl Into<String>) -> Self {
        Self::Structure { name: name.into(), reason: reason.into() }
    }
}

/// A named tensor: row-major 32-bit floats.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Lengths of the dimensions.
    pub shape: Vec<usize>,
    /// Entries, the last dimension varying fastest.
    pub data: Vec<f32>,
}

impl Array {
    /// All zeros.
    pub fn zeros(shape: &[usize]) -> Self {
        Self { shape: shape.to_vec(), data: vec![0.0; shape.iter().product()] }
    }

    /// Row `row` of a matrix.
    pub fn row(&self, row: usize) -> &[f32] {
        let width = self.shape[1];
        &self.data[row * width..(row + 1) * width]
    }

    /// Entry (row, column) of a matrix.
    pub fn at_mut(&mut self, row: usize, column: usize) -> &mut f32 {
        &mut self.data[row * self.shape[1] + column]
    }
}

/// Every tensor of the machine, by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    tensors: BTreeMap<String, Array>,
}

/// Number of digit products that reach the low sixteen columns of a product.
pub(crate) const PRODUCT_TERMS: usize = 136;

/// The pairs (i, j), i + j < 16, of lanes whose product is a term, in the order of the terms.
pub(crate) fn product_terms() -> impl Iterator<Item = (usize, usize)> {
    (0..16).flat_map(|i| (0..16 - i).map(move |j| (i, j)))
}

impl Weights {
    /// The machine's weights.
    pub fn generate() -> Self {
        Self::generate_labelled(&Labels::identity())
    }

    /// The machine's weights with the one-hot positions of each alphabet permuted.
    pub fn generate_labelled(labels: &Labels) -> Self {
        let mut writer = Writer { labels, tensors: BTreeMap::new() };
        for id in AlphabetId::ALL {
            let mut embed = Array::zeros(&[id.radix(), id.radix()]);
            for letter in 0..id.radix() {
                *embed.at_mut(letter, labels.position(id, letter)) = 1.0;
            }
            writer.tensors.insert(format!("alphabet.{}", id.name()), embed);
        }
        for constant in WordConst::ALL {
            writer.words(format!("constant.{constant:?}").to_lowercase(), &[constant.value()]);
        }
        for list in WordList::ALL {
            writer.words(format!("list.{}", list.name()), list.values());
        }
        for id in TableId::ALL {
            let spec = id.spec();
            writer.table(&format!("table.{}", spec.name), spec.inputs, &[spec.output], |letters| {
                vec![(spec.function)(letters)]
            });
        }
        writer.table(
            "table.decode",
            &[AlphabetId::Phase, AlphabetId::Nibble, AlphabetId::Nibble],
            &decode::GROUPS,
            |x| decode::letters(x[0], (x[1] | x[2] << 4) as u8).to_vec(),
        );
        writer.product();
        for stair in Stair::ALL {
            stair.write(labels, &mut writer.tensors);
        }
        super::wide::write(labels, &mut writer.tensors);
        super::numbers::write(&mut writer.tensors);
        for head in HEADS {
            for constant in ["decay", "write"] {
                writer.tensors.insert(format!("head.{head}.{constant}"), one(1.0));
            }
        }
        writer.tensors.insert("attention.exact".into(), one(-7.0));
        Self { tensors: writer.tensors }
    }

    /// The tensor called `name`.
    ///
    /// # Errors
    /// [`WeightsError::Missing`].
    pub fn get(&self, name: &str) -> Result<&Array, WeightsError> {
        self.tensors.get(name).ok_or_else(|| WeightsError::Missing(name.into()))
    }

    /// The tensor called `name`, to be changed: for experiments with spoiled weights.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Array> {
        self.tensors.get_mut(name)
    }

    /// Every tensor with its name, in order of names.
    pub fn tensors(&self) -> impl Iterator<Item = (&str, &Array)> {
        self.tensors.iter().map(|(name, array)| (name.as_str(), array))
    }

    /// Entries of all tensors, zeros included.
    pub fn parameters(&self) -> usize {
        self.tensors.values().map(|a| a.data.len()).sum()
    }

    /// Entries of all tensors that are not zero.
    pub fn non_zeros(&self) -> usize {
        self.tensors.values().map(|a| a.data.iter().filter(|x| **x != 0.0).count()).sum()
    }

    /// SHA-256 over names, shapes and little-endian entries, in order of names.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for (name, array) in &self.tensors {
            hash.update((name.len() as u64).to_le_bytes());
            hash.update(name);
            hash.update((array.shape.len() as u64).to_le_bytes());
            for &length in &array.shape {
                hash.update((length as u64).to_le_bytes());
            }
            for entry in &array.data {
                hash.update(entry.to_le_bytes());
            }
        }
        hex::encode(hash.finalize())
    }

    /// Writes a safetensors file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), WeightsError> {
        std::fs::write(path, self.to_bytes()?)?;
        Ok(())
    }

    /// The weights as the bytes of a safetensors file.
    ///
    /// # Errors
    /// [`WeightsError::Format`] if a tensor cannot be described.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WeightsError> {
        let bytes: BTreeMap<&str, Vec<u8>> = self
            .tensors
            .iter()
            .map(|(name, a)| (name.as_str(), a.data.iter().flat_map(|x| x.to_le_bytes()).collect()))
            .collect();
        let views = self
            .tensors
            .iter()
            .map(|(name, a)| {
                let view = safetensors::tensor::TensorView::new(
                    safetensors::Dtype::F32,
                    a.shape.clone(),
                    &bytes[name.as_str()],
                );
                view.map(|view| (name.as_str(), view)).map_err(|e| WeightsError::Format(e.to_string()))
            })
            .collect::<Result<Vec<_>, _>>()?;
        safetensors::serialize(views, None).map_err(|e| WeightsError::Format(e.to_string()))
    }

    /// Reads a safetensors file and checks that it holds exactly the machine's tensors, with their
    /// shapes and within the bounds of exact arithmetic.
    ///
    /// # Errors
    /// The file cannot be read, or is not such a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, WeightsError> {
        let mut bytes = Vec::new();
        std::fs::File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(WeightsError::Format(format!("it is longer than {MAX_FILE_BYTES} bytes")));
        }
        Self::from_bytes(&bytes)
    }

    /// Like [`load`](Self::load), from the bytes of the file.
    ///
    /// # Errors
    /// The bytes are not a file of the machine's weights.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        let file =
            safetensors::SafeTensors::deserialize(bytes).map_err(|e| WeightsError::Format(e.to_string()))?;
        let mut tensors = BTreeMap::new();
        for (name, view) in file.iter() {
            if view.dtype() != safetensors::Dtype::F32 {
                return Err(WeightsError::Kind(name.into()));
            }
            let data =
                view.data().as_chunks::<4>().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect();
            tensors.insert(name.to_owned(), Array { shape: view.shape().to_vec(), data });
        }
        let weights = Self { tensors };
        weights.check()?;
        Ok(weights)
    }

    /// Checks names, shapes and bounds.
    ///
    /// # Errors
    /// The first tensor that is missing, unknown, of another shape, or out of bounds.
    pub fn check(&self) -> Result<(), WeightsError> {
        let expected = shapes();
        for (name, shape) in expected {
            let found = self.get(name)?;
            if found.shape != *shape {
                return Err(WeightsError::Shape {
                    name: name.clone(),
                    found: found.shape.clone(),
                    expected: shape.clone(),
                });
            }
        }
        if let Some(name) = self.tensors.keys().find(|name| !expected.contains_key(*name)) {
            return Err(WeightsError::Unknown(name.clone()));
        }
        super::bounds::check_heads(self)?;
        super::bounds::check(self)?;
        super::wide::check(self)?;
        super::bounds::check_integers(self)
    }

    /// The labelling that the embeddings describe.
    ///
    /// # Errors
    /// An embedding is not a permutation matrix.
    pub fn labels(&self) -> Result<Labels, WeightsError> {
        let mut all = BTreeMap::new();
        for id in AlphabetId::ALL {
            let name = format!("alphabet.{}", id.name());
            let embed = self.get(&name)?;
            let positions: Option<Vec<usize>> =
                (0..id.radix()).map(|letter| one_hot(embed.row(letter))).collect();
            let positions = positions.ok_or_else(|| WeightsError::structure(&name, "not one-hot"))?;
            all.insert(id as usize, positions);
        }
        Labels::from_positions(|id| all[&(id as usize)].clone())
            .ok_or_else(|| WeightsError::structure("alphabet", "an embedding is not a permutation"))
    }
}

/// The shape of every tensor.
fn shapes() -> &'static BTreeMap<String, Vec<usize>> {
    static SHAPES: LazyLock<BTreeMap<String, Vec<usize>>> = LazyLock::new(|| {
        Weights::generate().tensors.into_iter().map(|(name, array)| (name, array.shape)).collect()
    });
    &SHAPES
}

/// The heads that carry constants.
pub(crate) const HEADS: [&str; 3] = ["registers", "ram", "frames"];

/// A single number.
fn one(value: f32) -> Array {
    Array { shape: vec![1], data: vec![value] }
}

/// The position of the 1 in a one-hot vector; `None` if it is anything else.
pub(crate) fn one_hot(row: &[f32]) -> Option<usize> {
    let position = row.iter().position(|&x| x == 1.0)?;
    row.iter().enumerate().all(|(i, &x)| (i == position) || x == 0.0).then_some(position)
}

struct Writer<'a> {
    labels: &'a Labels,
    tensors: BTreeMap<String, Array>,
}

impl Writer<'_> {
    /// Writes constant words, one below the other: sixteen rows a word.
    fn words(&mut self, name: String, values: &[u64]) {
        let mut words = Array::zeros(&[16 * values.len(), 16]);
        for (row, letter) in
            values.iter().flat_map(|value| (0..16).map(move |i| value >> (4 * i))).enumerate()
        {
            *words.at_mut(row, self.labels.position(AlphabetId::Nibble, letter as usize & 15)) = 1.0;
        }
        self.tensors.insert(name, words);
    }

    /// Writes a table: one hidden unit per combination of input letters.
    fn table(
        &mut self,
        name: &str,
        inputs: &[AlphabetId],
        outputs: &[AlphabetId],
        function: impl Fn(&[usize]) -> Vec<usize>,
    ) {
        let units: usize = inputs.iter().map(|id| id.radix()).product();
        let width: usize = inputs.iter().map(|id| id.radix()).sum();
        let height: usize = outputs.iter().map(|id| id.radix()).sum();
        let mut w1 = Array::zeros(&[units, width]);
        let mut w2 = Array::zeros(&[height, units]);
        for unit in 0..units {
            let mut letters = Vec::with_capacity(inputs.len());
            let (mut rest, mut offset) = (unit, 0);
            for id in inputs {
                letters.push(rest % id.radix());
                rest /= id.radix();
                let position = self.labels.position(*id, letters[letters.len() - 1]);
                *w1.at_mut(unit, offset + position) = 1.0;
                offset += id.radix();
            }
            let mut offset = 0;
            for (id, letter) in outputs.iter().zip(function(&letters)) {
                *w2.at_mut(offset + self.labels.position(*id, letter), unit) = 1.0;
                offset += id.radix();
            }
        }
        let bias = -(inputs.len() as f32 - 1.0);
        self.tensors.insert(format!("{name}.w1"), w1);
        self.tensors.insert(format!("{name}.b1"), Array { shape: vec![units], data: vec![bias; units] });
        self.tensors.insert(format!("{name}.w2"), w2);
    }

    /// Writes the product layers: digit pairs to integers, terms to columns, digits to columns.
    fn product(&mut self) {
        let nibbles = [AlphabetId::Nibble; 2];
        self.table("product", &nibbles, &[], |_| vec![]);
        self.tensors.remove("product.w2");
        let values = (0..256).map(|unit| ((unit % 16) * (unit / 16)) as f32).collect();
        self.tensors.insert("product.value".into(), Array { shape: vec![1, 256], data: values });
        let mut columns = Array::zeros(&[16, PRODUCT_TERMS]);
        for (term, (i, j)) in product_terms().enumerate() {
            *columns.at_mut(i + j, term) = 1.0;
        }
        self.tensors.insert("product.columns".into(), columns);
        let mut digits = Array::zeros(&[3, 16]);
        for place in 0..3 {
            for letter in 0..16 {
                *digits.at_mut(place, self.labels.position(AlphabetId::Nibble, letter)) = letter as f32;
            }
        }
        self.tensors.insert("product.digits".into(), digits);
    }
}

#[cfg(test)]
#[path = "weights_tests.rs"]
mod tests;
