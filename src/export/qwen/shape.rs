//! The dimensions of a checkpoint.

/// How wide the tokens of a checkpoint are, and the dimensions of its layers.
///
/// All dimensions are those of the fields of the same meaning in `config.json`.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// The name on the command line.
    pub name: &'static str,
    /// Width of the residual stream: `pins` times a power of 4.
    pub width: usize,
    /// Columns that hold a large constant, so that the root mean square is a power of 2.
    pub pins: usize,
    /// Hidden units of a layer.
    pub hidden_units: usize,
    /// Layers; every fourth is one of full attention.
    pub layers: usize,
    /// Rows of the embedding.
    pub vocabulary: usize,
    /// Key heads of a DeltaNet layer, a divisor of [`VALUE_HEADS`].
    pub key_heads: usize,
    /// Entries of a DeltaNet key.
    pub key_size: usize,
    /// Entries of a DeltaNet value; two of them hold a bit.
    pub value_size: usize,
    /// Heads that query, in an attention layer.
    pub query_heads: usize,
    /// Heads with keys and values, in an attention layer.
    pub memory_heads: usize,
    /// Entries of an attention key; a quarter of them rotate with the position.
    pub head_size: usize,
    /// Index of the rotary pair whose phase says which of two writes is the later.
    pub recency_pair: usize,
    /// Tokens for which that phase grows.
    pub context: usize,
    /// Bits of a limb, the part of a 64-bit value that one token carries: 8 or 16.
    pub limb_bits: usize,
    /// Bits of a program counter, and of every other index that a `pc` token carries.
    pub pc_bits: usize,
}

/// Value heads of a DeltaNet layer: four slots of four.
pub const VALUE_HEADS: usize = 16;

impl Shape {
    /// The dimensions of Qwen3.5-0.8B, with limbs of 16 bits.
    pub fn large() -> Self {
        Self {
            name: "0.8b",
            width: 1024,
            pins: 1,
            hidden_units: 3584,
            layers: 24,
            vocabulary: 248_320,
            key_heads: 16,
            key_size: 128,
            value_size: 128,
            query_heads: 8,
            memory_heads: 2,
            head_size: 256,
            recency_pair: 22,
            context: 65_536,
            limb_bits: 16,
            pc_bits: 16,
        }
    }

    /// A small shape of the same architecture, with limbs of a byte and programs of up to 4,095 slots.
    pub fn small() -> Self {
        Self {
            name: "ci",
            width: 768,
            pins: 3,
            hidden_units: 704,
            layers: 22,
            vocabulary: 8576,
            key_heads: 4,
            key_size: 64,
            value_size: 32,
            query_heads: 8,
            memory_heads: 2,
            head_size: 128,
            recency_pair: 10,
            context: 24_576,
            limb_bits: 8,
            pc_bits: 12,
        }
    }

    /// The shape of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        [Self::large(), Self::small()].into_iter().find(|shape| shape.name == name)
    }

    /// Limbs of a 64-bit value.
    pub const fn limbs(&self) -> usize {
        64 / self.limb_bits
    }

    /// Whether a layer is one of full attention.
    pub const fn is_attention(layer: usize) -> bool {
        layer % 4 == 3
    }

    /// Whether a DeltaNet read gives 0 and 1 exactly. The reciprocal root of the key size, by which queries
    /// are scaled, is exact for a power of 4 only.
    pub const fn reads_exactly(&self) -> bool {
        self.key_size.trailing_zeros().is_multiple_of(2)
    }

    /// Entries of an attention key that rotate.
    pub const fn rotary(&self) -> usize {
        self.head_size / 4
    }

    /// The base of the rotary frequencies.
    pub const fn rope_base(&self) -> f32 {
        1e7
    }
}
