//! Prompts: a program, what it finds in memory and registers, and its limits, as frames of tokens.

use std::collections::BTreeMap;

use super::{
    shape::Shape,
    tokens::{Section, Token, Vocabulary},
};

/// What the frames of the part with limits say, by their index. Indices 1 to 4 are the lengths in bytes of the regions
/// that start at that number times 2^32; the stack's is fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Bytes of the program's read-only data.
    Program,
    /// Bytes of the heap.
    Heap,
    /// Bytes of the input.
    Input,
    /// Instructions that the program may run: 24 bits.
    Meter,
    /// Slots of the text.
    TextLength,
    /// Offset of the text from the start of its region: 24 bits.
    TextOffset,
}

impl Limit {
    /// Its number.
    pub const fn index(self) -> u16 {
        match self {
            Self::Program => 1,
            Self::Heap => 3,
            Self::Input => 4,
            Self::Meter => 16,
            Self::TextLength => 17,
            Self::TextOffset => 18,
        }
    }
}

/// Something that no token says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// A slot, a function, a cell or a limit beyond the shape.
    #[error("index {index} in the part {part} is beyond the {bits} bits of an index")]
    Index {
        /// The part of the prompt.
        part: &'static str,
        /// The index.
        index: u64,
        /// Bits of an index.
        bits: usize,
    },
    /// A limit of more bits than the machine keeps.
    #[error("the limit {0:?} has more than 24 bits")]
    Limit(Limit),
    /// A region that ends beyond 32 bits.
    #[error("a region of {0} bytes")]
    Region(u64),
}

/// A machine before its first instruction. Cells are rows of 8 bytes, numbered from the start of their region; those
/// of the stack leave out the gaps. What is not there is 0, but for slots and cells of the program, which trap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// Slots of the text.
    pub slots: BTreeMap<u64, [u8; 8]>,
    /// Functions: slots by key.
    pub functions: BTreeMap<u32, u64>,
    /// Cells of the program's read-only data.
    pub program: BTreeMap<u64, [u8; 8]>,
    /// Cells of the stack.
    pub stack: BTreeMap<u64, [u8; 8]>,
    /// Cells of the heap.
    pub heap: BTreeMap<u64, [u8; 8]>,
    /// Cells of the input.
    pub input: BTreeMap<u64, [u8; 8]>,
    /// r0 to r9.
    pub registers: [u64; 10],
    /// Bytes of the program's read-only data, of the heap and of the input.
    pub lengths: [u64; 3],
    /// Instructions that may run.
    pub budget: u64,
    /// Slots of the text.
    pub text_length: u64,
    /// Where the text starts in its region.
    pub text_offset: u64,
    /// The first slot.
    pub entry: u64,
}

/// The limbs of a value from the lowest to the highest that is not 0, and at least one.
pub fn limbs(shape: &Shape, vocabulary: &Vocabulary, value: u64) -> impl Iterator<Item = Token> {
    let bits = shape.limb_bits;
    let last = (1..shape.limbs()).rev().find(|limb| value >> (limb * bits) != 0).unwrap_or(0);
    let indexed = vocabulary.has_indices();
    (0..=last).map(move |limb| {
        let payload = (value >> (limb * bits) & ((1 << bits) - 1)) as u16;
        let index = if indexed { limb as u8 } else { 0 };
        if limb < last { Token::More(index, payload) } else { Token::Last(index, payload) }
    })
}

impl Start {
    /// The prompt. Its last token is the head of the first instruction.
    ///
    /// # Errors
    /// Something is too large for the shape.
    pub fn prompt(&self, shape: &Shape) -> Result<Vec<Token>, PromptError> {
        let vocabulary = Vocabulary::new(shape);
        let head = |part: &'static str, index: u64| {
            let fits = index >> shape.pc_bits == 0;
            fits.then_some(Token::Pc(index as u16)).ok_or(PromptError::Index {
                part,
                index,
                bits: shape.pc_bits,
            })
        };
        let mut tokens = Vec::new();
        let mut part =
            |section: Section, frames: &mut dyn Iterator<Item = (u64, u64)>| -> Result<(), PromptError> {
                for (at, (index, value)) in frames.enumerate() {
                    if at == 0 {
                        tokens.push(Token::Section(section));
                    }
                    tokens.push(head(section.text(), index)?);
                    tokens.extend(limbs(shape, &vocabulary, value));
                }
                Ok(())
            };
        let value = |(index, bytes): (&u64, &[u8; 8])| (*index, u64::from_le_bytes(*bytes));
        part(Section::Code, &mut self.slots.iter().map(value))?;
        part(Section::Functions, &mut self.functions.iter().map(|(key, pc)| (*pc, u64::from(*key))))?;
        part(Section::Program, &mut self.program.iter().map(value))?;
        for (section, cells) in
            [(Section::Stack, &self.stack), (Section::Heap, &self.heap), (Section::Input, &self.input)]
        {
            part(section, &mut cells.iter().map(value).filter(|(_, value)| *value != 0))?;
        }
        let registers = (0..).zip(self.registers);
        part(Section::Registers, &mut registers.filter(|(_, value)| *value != 0))?;
        part(
            Section::Limits,
            &mut self.limits(shape)?.into_iter().map(|(limit, value)| (limit.index().into(), value)),
        )?;
        tokens.push(Token::Section(Section::Run));
        tokens.push(head(Section::Run.text(), self.entry)?);
        if self.slots.is_empty() {
            tokens.insert(0, Token::Section(Section::Code));
        }
        Ok(tokens)
    }

    fn limits(&self, shape: &Shape) -> Result<Vec<(Limit, u64)>, PromptError> {
        if let Some(length) = self.lengths.iter().find(|length| **length > 1 << 31) {
            return Err(PromptError::Region(*length));
        }
        let [program, heap, input] = self.lengths;
        let small = [
            (Limit::Meter, self.budget),
            (Limit::TextLength, self.text_length),
            (Limit::TextOffset, self.text_offset),
        ];
        // The meter counts one more than its limit.
        if let Some((limit, _)) = small.iter().find(|(_, value)| *value >= (1 << 24) - 1) {
            return Err(PromptError::Limit(*limit));
        }
        if self.text_length >> shape.pc_bits != 0 {
            let (part, index) = (Section::Limits.text(), self.text_length);
            return Err(PromptError::Index { part, index, bits: shape.pc_bits });
        }
        let regions = [(Limit::Program, program), (Limit::Heap, heap), (Limit::Input, input)];
        Ok(regions.into_iter().chain(small).collect())
    }
}

/// Bytes as cells; the last is filled up with zeros.
pub fn cells(bytes: &[u8]) -> BTreeMap<u64, [u8; 8]> {
    let cell = |chunk: &[u8]| std::array::from_fn(|i| chunk.get(i).copied().unwrap_or(0));
    (0..).zip(bytes.chunks(8).map(cell)).collect()
}
