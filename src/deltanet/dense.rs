//! Heads on candle tensors: the delta rule as written, one matrix a page.

use super::{FRAME_WORDS, Heads, HeadsBoundary, PAGE, ROWS};
use crate::tables::{
    Boundary, Dense, DenseError, Evaluator, Word,
    alphabet::{Alphabet, Bit, Nibble, Span},
};
use candle_core::{Result, Tensor};
use rustc_hash::FxHashMap;
use std::{cell::RefCell, rc::Rc};

type Digit<A> = <Dense as Evaluator>::Digit<A>;

/// Numbers in a word.
const WORD: usize = 256;

/// The state of one head.
#[derive(Clone)]
pub struct Head(Tensor);

/// Pages of a memory, made from the bytes when they are first needed.
#[derive(Clone)]
pub struct Paged {
    /// What fresh pages hold.
    source: Rc<[u8]>,
    pages: RefCell<FxHashMap<u64, Tensor>>,
}

impl Paged {
    /// Whether a RAM has page `number`.
    fn has(&self, number: u64) -> bool {
        number < self.source.len().div_ceil(PAGE) as u64
    }
}

/// Keys and values of an exact match.
#[derive(Clone)]
pub struct Match {
    /// Shape \[128, entries\]; `None` if there are no entries.
    keys: Option<Tensor>,
    /// Shape \[entries, 256 + 2\]: what a match adds to the answer for none.
    values: Option<Tensor>,
    /// Shape \[1, 256 + 2\]: the answer for no match.
    default: Tensor,
}

impl Dense {
    /// S <- a (S - b k k^T S) + b k v^T for each row of `keys`; the rows of `keys` are orthogonal.
    ///
    /// Shapes: state \[rows, width\], keys \[n, rows\], strengths \[n, 1\], values \[n, width\].
    fn delta(
        &self,
        head: &str,
        state: &Tensor,
        keys: &Tensor,
        strengths: &Tensor,
        values: &Tensor,
    ) -> Result<Tensor> {
        let constant = |name: &str| self.heads[&format!("head.{head}.{name}")];
        let written = (keys.broadcast_mul(strengths)? * constant("write"))?.t()?.contiguous()?;
        let erased = (state - written.matmul(&keys.matmul(state)?)?)?;
        (erased * constant("decay"))? + written.matmul(values)?
    }

    /// The activation of letter 1, as \[1, 1\].
    fn strength(&self, bit: &Digit<Bit>) -> Result<Tensor> {
        self.digit_tensor(bit).narrow(1, self.position_of::<Bit>(1), 1)
    }

    /// Key over the rows of a page, from the two lowest lanes.
    fn row_key(&self, address: &Word<Self>) -> Tensor {
        let lane = |lane| self.digit_tensor(&self.lane(address, lane)).clone();
        self.pair(&lane(0), &lane(1))
    }

    /// The page an address points at: the host chooses which matrix is used.
    fn page_number(&self, address: &Word<Self>) -> u64 {
        match self.read_out(address) {
            Ok(value) => value >> 8,
            Err(error) => {
                self.fail(error);
                0
            }
        }
    }

    /// Number of the page an offset points into, and that page and the next as one, shape \[512, 32\].
    fn two_pages(&self, ram: &Paged, offset: &Word<Self>) -> (u64, Tensor) {
        let number = self.page_number(offset) & u64::from(u32::MAX >> 8);
        let pages = [number, number + 1].map(|number| self.ram_page(ram, number));
        (number, self.keep(Tensor::cat(&pages, 0), (2 * PAGE, 32)))
    }

    /// Page `number` of a RAM, shape \[256, 32\].
    fn ram_page(&self, ram: &Paged, number: u64) -> Tensor {
        let fresh = || {
            let start = usize::try_from(number).unwrap_or(usize::MAX).saturating_mul(PAGE);
            let nibbles: Vec<u32> = (0..PAGE)
                .map(|row| ram.source.get(start.saturating_add(row)).copied().unwrap_or(0))
                .flat_map(|byte| [u32::from(byte) & 15, u32::from(byte) >> 4])
                .collect();
            self.keep(self.nibbles(&nibbles).reshape((PAGE, 32)), (PAGE, 32))
        };
        // A full step reads every RAM at whatever offset it has: pages that do not exist are not kept.
        if !ram.has(number) {
            return fresh();
        }
        ram.pages.borrow_mut().entry(number).or_insert_with(fresh).clone()
    }

    /// Page `number` of the slots, shape \[256, 256 + 2\]: a word, and whether it is there.
    fn slot_page(&self, slots: &Paged, number: u64) -> Tensor {
        let mut pages = slots.pages.borrow_mut();
        let page = pages.entry(number).or_insert_with(|| {
            let start = usize::try_from(number).unwrap_or(usize::MAX).saturating_mul(PAGE * 8);
            let slots: Vec<Option<u64>> = (0..PAGE)
                .map(|row| start.saturating_add(row * 8))
                .map(|at| slots.source.get(at..at.saturating_add(8))?.try_into().ok().map(u64::from_le_bytes))
                .collect();
            let nibbles: Vec<u32> = slots
                .iter()
                .flat_map(|slot| (0..16).map(|lane| (slot.unwrap_or(0) >> (4 * lane)) as u32 & 15))
                .collect();
            let there: Vec<u32> = slots.iter().map(|slot| u32::from(slot.is_some())).collect();
            let page = self
                .nibbles(&nibbles)
                .reshape((PAGE, WORD))
                .and_then(|words| Tensor::cat(&[&words, &self.bits(&there)], 1));
            self.keep(page, (PAGE, WORD + 2))
        });
        page.clone()
    }

    /// A word and a bit side by side, shape \[1, 256 + 2\].
    fn found(&self, value: u64, there: bool) -> Tensor {
        let row = || {
            let word = self.tensor(&self.embed(value)).reshape((1, WORD))?;
            Tensor::cat(&[&word, &self.letter_tensor(Bit::ID, usize::from(there))], 1)
        };
        self.keep(row(), (1, WORD + 2))
    }

    fn split_found(&self, row: &Tensor) -> (Word<Self>, Digit<Bit>) {
        (
            self.word_from(row.narrow(1, 0, WORD).and_then(|t| t.reshape((16, 16)))),
            self.digit_from(row.narrow(1, WORD, 2)),
        )
    }

    /// Keys of eight consecutive rows over two pages, shape \[8, 512\]: the first key, moved on.
    fn eight_keys(&self, key: &Tensor) -> Result<Tensor> {
        let rows =
            (0..ROWS).map(|step| key.pad_with_zeros(1, step, PAGE - step)).collect::<Result<Vec<_>>>()?;
        Tensor::cat(&rows, 0)
    }

    /// Write strengths of eight rows for a span, shape \[8, 1\].
    fn strengths(&self, span: &Digit<Span>) -> Result<Tensor> {
        let mut matrix = vec![0f32; ROWS * Span::LETTERS.len()];
        for letter in 1..Span::LETTERS.len() {
            for row in 0..letter {
                matrix[row * Span::LETTERS.len() + self.position_of::<Span>(letter)] = 1.0;
            }
        }
        let matrix = Tensor::from_slice(&matrix, (ROWS, Span::LETTERS.len()), self.device())?;
        matrix.matmul(&self.digit_tensor(span).t()?)
    }
}

impl Heads for Dense {
    type Bank = Head;
    type Ram = Paged;
    type Frames = Head;
    type Slots = Paged;
    type Dictionary = Match;

    fn bank_read(&self, bank: &Head, key: &Digit<Nibble>) -> Word<Self> {
        self.word_from(self.digit_tensor(key).matmul(&bank.0).and_then(|t| t.reshape((16, 16))))
    }

    fn bank_write(&self, bank: &mut Head, key: &Digit<Nibble>, strength: &Digit<Bit>, value: &Word<Self>) {
        let next = self.strength(strength).and_then(|strength| {
            let value = self.tensor(value).reshape((1, WORD))?;
            self.delta("registers", &bank.0, self.digit_tensor(key), &strength, &value)
        });
        bank.0 = self.keep(next, (16, WORD));
    }

    fn page(&self) -> Paged {
        self.ram(&[0; PAGE])
    }

    fn ram_read(&self, ram: &Paged, offset: &Word<Self>) -> Word<Self> {
        let (_, pages) = self.two_pages(ram, offset);
        let read = || self.eight_keys(&self.row_key(offset))?.matmul(&pages)?.reshape((16, 16));
        self.word_from(read())
    }

    fn ram_write(&self, ram: &mut Paged, offset: &Word<Self>, span: &Digit<Span>, value: &Word<Self>) {
        let (number, pages) = self.two_pages(ram, offset);
        let write = || {
            let keys = self.eight_keys(&self.row_key(offset))?;
            let values = self.tensor(value).reshape((ROWS, 32))?;
            self.delta("ram", &pages, &keys, &self.strengths(span)?, &values)
        };
        let both = self.keep(write(), (2 * PAGE, 32));
        for (half, number) in [number, number + 1].into_iter().enumerate() {
            if ram.has(number) {
                let page = self.keep(both.narrow(0, half * PAGE, PAGE), (PAGE, 32));
                ram.pages.get_mut().insert(number, page);
            }
        }
    }

    fn frame_read(&self, frames: &Head, depth: &Word<Self>) -> [Word<Self>; FRAME_WORDS] {
        let row = self.keep(self.row_key(depth).matmul(&frames.0), (1, FRAME_WORDS * WORD));
        std::array::from_fn(|i| {
            self.word_from(row.narrow(1, i * WORD, WORD).and_then(|t| t.reshape((16, 16))))
        })
    }

    fn frame_write(
        &self,
        frames: &mut Head,
        depth: &Word<Self>,
        strength: &Digit<Bit>,
        values: [&Word<Self>; FRAME_WORDS],
    ) {
        let next = self.strength(strength).and_then(|strength| {
            let values =
                values.iter().map(|v| self.tensor(v).reshape((1, WORD))).collect::<Result<Vec<_>>>()?;
            self.delta("frames", &frames.0, &self.row_key(depth), &strength, &Tensor::cat(&values, 1)?)
        });
        frames.0 = self.keep(next, (PAGE, FRAME_WORDS * WORD));
    }

    fn fetch(&self, slots: &Paged, pc: &Word<Self>) -> (Word<Self>, Digit<Bit>) {
        let page = self.slot_page(slots, self.page_number(pc));
        self.split_found(&self.keep(self.row_key(pc).matmul(&page), (1, WORD + 2)))
    }

    fn find(&self, dictionary: &Match, key: &Word<Self>) -> (Word<Self>, Digit<Bit>) {
        let (Some(keys), Some(values)) = (&dictionary.keys, &dictionary.values) else {
            return self.split_found(&dictionary.default);
        };
        let read = || {
            let query = self.tensor(key).narrow(0, 0, 8)?.reshape((1, 128))?;
            // Eight digits in common make exactly 1.
            let hit = (query.matmul(keys)? + self.heads["attention.exact"])?.relu()?;
            &dictionary.default + hit.matmul(values)?
        };
        self.split_found(&self.keep(read(), (1, WORD + 2)))
    }
}

impl HeadsBoundary for Dense {
    fn bank(&self) -> Head {
        let zero = self.tensor(&self.embed(0)).reshape((1, WORD));
        Head(self.keep(zero.and_then(|z| z.broadcast_as((16, WORD))?.contiguous()), (16, WORD)))
    }

    fn ram(&self, bytes: &[u8]) -> Paged {
        Paged { source: bytes.into(), pages: RefCell::default() }
    }

    fn ram_bytes(&self, ram: &Paged, length: usize) -> std::result::Result<Vec<u8>, DenseError> {
        let mut bytes = ram.source[..length.min(ram.source.len())].to_vec();
        for (number, page) in ram.pages.borrow().iter() {
            let start = usize::try_from(*number).unwrap_or(usize::MAX).saturating_mul(PAGE);
            if start >= bytes.len() {
                continue;
            }
            let nibbles = page.reshape((2 * PAGE, 16)).map_err(|e| DenseError::Candle(e.to_string()))?;
            let positions = self.positions(&nibbles, "a RAM row")?;
            let end = bytes.len().min(start + PAGE);
            for (byte, pair) in bytes[start..end].iter_mut().zip(positions.chunks(2)) {
                let letter = |i: usize| self.letter_of::<Nibble>(pair[i]) as u8;
                *byte = letter(0) | letter(1) << 4;
            }
        }
        Ok(bytes)
    }

    fn frames(&self) -> Head {
        let zero = self.tensor(&self.embed(0)).reshape((1, WORD));
        let rows = zero.and_then(|z| z.repeat((PAGE, FRAME_WORDS)));
        Head(self.keep(rows, (PAGE, FRAME_WORDS * WORD)))
    }

    fn slots(&self, slots: &[u64]) -> Paged {
        let bytes: Vec<u8> = slots.iter().flat_map(|slot| slot.to_le_bytes()).collect();
        Paged { source: bytes.into(), pages: RefCell::default() }
    }

    fn dictionary(&self, entries: &[(u32, u64)]) -> Match {
        let default = self.found(0, false);
        let rows = || -> Result<(Tensor, Tensor)> {
            let keys = entries
                .iter()
                .map(|(key, _)| self.tensor(&self.embed(u64::from(*key))).narrow(0, 0, 8)?.reshape((1, 128)))
                .collect::<Result<Vec<_>>>()?;
            let values = entries
                .iter()
                .map(|(_, value)| self.found(*value, true) - &default)
                .collect::<Result<Vec<_>>>()?;
            Ok((Tensor::cat(&keys, 0)?.t()?.contiguous()?, Tensor::cat(&values, 0)?))
        };
        let (keys, values) = match rows() {
            _ if entries.is_empty() => (None, None),
            Ok((keys, values)) => (Some(keys), Some(values)),
            Err(error) => {
                self.fail(DenseError::Candle(error.to_string()));
                (None, None)
            }
        };
        Match { keys, values, default }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::testing::dense;

    /// A full step reads and writes, with strength 0, wherever its registers point.
    #[test]
    fn pages_that_do_not_exist_are_not_kept() {
        let e = dense();
        let mut ram = e.ram(&[1; 300]);
        for offset in (0..40).map(|i| i * 0x0123_4567) {
            let offset = e.embed(offset);
            e.ram_read(&ram, &offset);
            e.ram_write(&mut ram, &offset, &e.embed_digit::<Span>(0), &offset);
        }
        assert!(ram.pages.borrow().len() <= 2);
    }
}
