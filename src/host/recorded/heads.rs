//! Memories, noted.

use super::{Kind, Recorded, Shown};
use crate::{
    deltanet::{FRAME_WORDS, Heads, HeadsBoundary},
    tables::{
        Word,
        alphabet::{Bit, Nibble, Span},
    },
};

impl<E: HeadsBoundary> Recorded<'_, E> {
    fn word_shown(&self, word: &Word<E>) -> Shown {
        self.lanes_shown::<Nibble>(word)
    }
}

impl<E: HeadsBoundary> Heads for Recorded<'_, E> {
    type Bank = E::Bank;
    type Ram = E::Ram;
    type Frames = E::Frames;
    type Slots = E::Slots;
    type Dictionary = E::Dictionary;

    fn bank_read(&self, bank: &E::Bank, key: &E::Digit<Nibble>) -> Word<E> {
        let word = self.inner.bank_read(bank, key);
        self.note(Kind::Read, "registers", || {
            [vec![self.digit_shown::<Nibble>(key)], vec![self.word_shown(&word)]]
        });
        word
    }

    fn bank_write(
        &self,
        bank: &mut E::Bank,
        key: &E::Digit<Nibble>,
        strength: &E::Digit<Bit>,
        value: &Word<E>,
    ) {
        self.note(Kind::Write, "registers", || {
            let (key, strength) = (self.digit_shown::<Nibble>(key), self.digit_shown::<Bit>(strength));
            [vec![key, strength, self.word_shown(value)], vec![]]
        });
        self.inner.bank_write(bank, key, strength, value);
    }

    fn page(&self) -> E::Ram {
        self.inner.page()
    }

    fn ram_read(&self, ram: &E::Ram, offset: &Word<E>) -> Word<E> {
        let word = self.inner.ram_read(ram, offset);
        self.note(Kind::Read, "memory", || [vec![self.word_shown(offset)], vec![self.word_shown(&word)]]);
        word
    }

    fn ram_write(&self, ram: &mut E::Ram, offset: &Word<E>, span: &E::Digit<Span>, value: &Word<E>) {
        self.note(Kind::Write, "memory", || {
            let span = self.digit_shown::<Span>(span);
            [vec![self.word_shown(offset), span, self.word_shown(value)], vec![]]
        });
        self.inner.ram_write(ram, offset, span, value);
    }

    fn frame_read(&self, frames: &E::Frames, depth: &Word<E>) -> [Word<E>; FRAME_WORDS] {
        let words = self.inner.frame_read(frames, depth);
        self.note(Kind::Read, "frames", || {
            [vec![self.word_shown(depth)], words.iter().map(|word| self.word_shown(word)).collect()]
        });
        words
    }

    fn frame_write(
        &self,
        frames: &mut E::Frames,
        depth: &Word<E>,
        strength: &E::Digit<Bit>,
        values: [&Word<E>; FRAME_WORDS],
    ) {
        self.note(Kind::Write, "frames", || {
            let mut inputs = vec![self.word_shown(depth), self.digit_shown::<Bit>(strength)];
            inputs.extend(values.iter().map(|word| self.word_shown(word)));
            [inputs, vec![]]
        });
        self.inner.frame_write(frames, depth, strength, values);
    }

    fn fetch(&self, slots: &E::Slots, pc: &Word<E>) -> (Word<E>, E::Digit<Bit>) {
        let (slot, present) = self.inner.fetch(slots, pc);
        self.note(Kind::Fetch, "program", || {
            [vec![self.word_shown(pc)], vec![self.word_shown(&slot), self.digit_shown::<Bit>(&present)]]
        });
        (slot, present)
    }

    fn find(&self, dictionary: &E::Dictionary, key: &Word<E>) -> (Word<E>, E::Digit<Bit>) {
        let (word, found) = self.inner.find(dictionary, key);
        self.note(Kind::Find, "calls", || {
            [vec![self.word_shown(key)], vec![self.word_shown(&word), self.digit_shown::<Bit>(&found)]]
        });
        (word, found)
    }
}

impl<E: HeadsBoundary> HeadsBoundary for Recorded<'_, E> {
    fn bank(&self) -> E::Bank {
        self.inner.bank()
    }

    fn ram(&self, bytes: &[u8]) -> E::Ram {
        self.inner.ram(bytes)
    }

    fn blank_ram(&self, length: usize) -> E::Ram {
        self.inner.blank_ram(length)
    }

    fn ram_bytes(&self, ram: &E::Ram, length: usize) -> Result<Vec<u8>, E::Error> {
        self.inner.ram_bytes(ram, length)
    }

    fn frames(&self) -> E::Frames {
        self.inner.frames()
    }

    fn slots(&self, slots: &[u64]) -> E::Slots {
        self.inner.slots(slots)
    }

    fn dictionary(&self, entries: &[(u32, u64)]) -> E::Dictionary {
        self.inner.dictionary(entries)
    }
}
