//! Heads on the indexed evaluator: with one-hot keys a read is one row, a write replaces one row.

use super::{FRAME_WORDS, Heads, HeadsBoundary, PAGE, ROWS};
use crate::tables::{
    Boundary, Evaluator, Indexed, Lanes,
    alphabet::{Bit, Nibble, Span},
};
use rustc_hash::FxHashMap;
use std::{convert::Infallible, sync::Arc};

type Digit<A> = <Indexed as Evaluator>::Digit<A>;
type Word = Lanes<Nibble>;

/// Sixteen words.
#[derive(Clone)]
pub struct Bank([Word; 16]);

/// Bytes as pairs of positions: whole pages, then eight rows never written, so that a read may start at
/// the last row.
#[derive(Clone)]
pub struct Ram {
    rows: Vec<u8>,
    /// Which 64ths of the rows have been written to.
    written: u64,
    /// A row's 64th is its number without this many bits.
    shift: u32,
}

impl Ram {
    fn new(rows: Vec<u8>) -> Self {
        let bits = usize::BITS - rows.len().leading_zeros();
        Self { rows, written: 0, shift: bits.saturating_sub(u64::BITS.ilog2()) }
    }
}

/// Call frames by depth.
#[derive(Clone)]
pub struct Frames(Vec<[Word; FRAME_WORDS]>);

/// Instruction slots.
#[derive(Clone)]
pub struct Slots(Arc<[Word]>);

/// Words by key, a key being eight packed letters.
#[derive(Clone)]
pub struct Dictionary(Arc<FxHashMap<u32, Word>>);

/// Frames a machine can have: depth is two digits.
const FRAMES: usize = 256;

impl Indexed {
    /// Row that a 32-bit offset points at.
    #[inline(always)]
    fn row(&self, offset: &Word) -> usize {
        self.letters(*offset) as u32 as usize
    }
}

impl Heads for Indexed {
    type Bank = Bank;
    type Ram = Ram;
    type Frames = Frames;
    type Slots = Slots;
    type Dictionary = Dictionary;

    #[inline(always)]
    fn bank_read(&self, bank: &Bank, key: &Digit<Nibble>) -> Word {
        bank.0[self.index(key) & 15]
    }

    #[inline(always)]
    fn bank_write(&self, bank: &mut Bank, key: &Digit<Nibble>, strength: &Digit<Bit>, value: &Word) {
        if self.index(strength) == 1 {
            bank.0[self.index(key) & 15] = *value;
        }
    }

    fn page(&self) -> Ram {
        self.ram(&[0; PAGE])
    }

    #[inline(always)]
    fn ram_read(&self, ram: &Ram, offset: &Word) -> Word {
        let row = self.row(offset);
        match ram.rows.get(row..row + ROWS).and_then(|rows| rows.try_into().ok()) {
            Some(rows) => Word::from_bytes(rows),
            None => self.positions(0),
        }
    }

    #[inline(always)]
    fn ram_write(&self, ram: &mut Ram, offset: &Word, span: &Digit<Span>, value: &Word) {
        let row = self.row(offset);
        let bytes = value.to_bytes();
        let count = self.index(span);
        // What would land outside the pages is lost.
        let end = ram.rows.len() - ROWS;
        let count = count.min(end.saturating_sub(row));
        if let Some(rows) = ram.rows.get_mut(row..row + count)
            && count > 0
        {
            rows.copy_from_slice(&bytes[..count]);
            ram.written |= 1 << (row >> ram.shift) | 1 << ((row + count - 1) >> ram.shift);
        }
    }

    #[inline]
    fn frame_read(&self, frames: &Frames, depth: &Word) -> [Word; FRAME_WORDS] {
        frames.0[self.row(depth) & (FRAMES - 1)]
    }

    #[inline]
    fn frame_write(
        &self,
        frames: &mut Frames,
        depth: &Word,
        strength: &Digit<Bit>,
        values: [&Word; FRAME_WORDS],
    ) {
        if self.index(strength) == 1 {
            frames.0[self.row(depth) & (FRAMES - 1)] = values.map(|value| *value);
        }
    }

    #[inline(always)]
    fn fetch(&self, slots: &Slots, pc: &Word) -> (Word, Digit<Bit>) {
        match usize::try_from(self.letters(*pc)).ok().and_then(|pc| slots.0.get(pc)) {
            Some(slot) => (*slot, self.bit(true)),
            None => (self.positions(0), self.bit(false)),
        }
    }

    #[inline]
    fn find(&self, dictionary: &Dictionary, key: &Word) -> (Word, Digit<Bit>) {
        match dictionary.0.get(&(self.letters(*key) as u32)) {
            Some(word) => (*word, self.bit(true)),
            None => (self.positions(0), self.bit(false)),
        }
    }
}

impl HeadsBoundary for Indexed {
    fn bank(&self) -> Bank {
        Bank([self.embed(0); 16])
    }

    fn ram(&self, bytes: &[u8]) -> Ram {
        let length = bytes.len().next_multiple_of(PAGE) + ROWS;
        let mut rows = Vec::with_capacity(length);
        if self.labels().is_identity() {
            rows.extend_from_slice(bytes);
        } else {
            rows.extend(bytes.iter().map(|byte| self.embed(u64::from(*byte)).to_bytes()[0]));
        }
        rows.resize(length, self.embed(0).to_bytes()[0]);
        Ram::new(rows)
    }

    fn blank_ram(&self, length: usize) -> Ram {
        Ram::new(vec![self.embed(0).to_bytes()[0]; length.next_multiple_of(PAGE) + ROWS])
    }

    fn clear_ram(&self, ram: &mut Ram, _: usize) {
        let blank = self.embed(0).to_bytes()[0];
        for (number, rows) in ram.rows.chunks_mut(1 << ram.shift).enumerate() {
            if ram.written >> number & 1 == 1 {
                rows.fill(blank);
            }
        }
        ram.written = 0;
    }

    fn ram_bytes(&self, ram: &Ram, length: usize) -> Result<Vec<u8>, Infallible> {
        let rows = &ram.rows[..length.min(ram.rows.len())];
        if self.labels().is_identity() {
            return Ok(rows.to_vec());
        }
        rows.iter().map(|row| Ok(self.read_out(&Word::from_bytes([*row; ROWS]))? as u8)).collect()
    }

    fn frames(&self) -> Frames {
        Frames(vec![[self.embed(0); FRAME_WORDS]; FRAMES])
    }

    fn slots(&self, slots: &[u64]) -> Slots {
        Slots(slots.iter().map(|slot| self.embed(*slot)).collect())
    }

    fn dictionary(&self, entries: &[(u32, u64)]) -> Dictionary {
        Dictionary(Arc::new(entries.iter().map(|(key, value)| (*key, self.embed(*value))).collect()))
    }
}
