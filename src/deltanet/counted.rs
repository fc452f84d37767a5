//! Heads that count their reads and writes.

use super::{FRAME_WORDS, Heads, HeadsBoundary};
use crate::tables::{
    Counted, Word,
    alphabet::{Bit, Nibble, Span},
};

impl<E: Heads> Heads for Counted<E> {
    type Bank = E::Bank;
    type Ram = E::Ram;
    type Frames = E::Frames;
    type Slots = E::Slots;
    type Dictionary = E::Dictionary;

    fn bank_read(&self, bank: &E::Bank, key: &Self::Digit<Nibble>) -> Word<Self> {
        self.read(&[self.depth(key)], self.inner().bank_read(bank, &key.value))
    }

    fn bank_write(
        &self,
        bank: &mut E::Bank,
        key: &Self::Digit<Nibble>,
        strength: &Self::Digit<Bit>,
        value: &Word<Self>,
    ) {
        self.written();
        self.inner().bank_write(bank, &key.value, &strength.value, &value.value);
    }

    fn page(&self) -> E::Ram {
        self.inner().page()
    }

    fn ram_read(&self, ram: &E::Ram, offset: &Word<Self>) -> Word<Self> {
        self.read(&[self.depth(offset)], self.inner().ram_read(ram, &offset.value))
    }

    fn ram_write(&self, ram: &mut E::Ram, offset: &Word<Self>, span: &Self::Digit<Span>, value: &Word<Self>) {
        self.written();
        self.inner().ram_write(ram, &offset.value, &span.value, &value.value);
    }

    fn frame_read(&self, frames: &E::Frames, depth: &Word<Self>) -> [Word<Self>; FRAME_WORDS] {
        let frame = self.read(&[self.depth(depth)], self.inner().frame_read(frames, &depth.value));
        frame.value.each_ref().map(|word| frame.with(word.clone()))
    }

    fn frame_write(
        &self,
        frames: &mut E::Frames,
        depth: &Word<Self>,
        strength: &Self::Digit<Bit>,
        values: [&Word<Self>; FRAME_WORDS],
    ) {
        self.written();
        self.inner().frame_write(frames, &depth.value, &strength.value, values.map(|word| &word.value));
    }

    fn fetch(&self, slots: &E::Slots, pc: &Word<Self>) -> (Word<Self>, Self::Digit<Bit>) {
        let (slot, present) = self.inner().fetch(slots, &pc.value);
        let slot = self.read(&[self.depth(pc)], slot);
        let present = slot.with(present);
        (slot, present)
    }

    fn find(&self, dictionary: &E::Dictionary, key: &Word<Self>) -> (Word<Self>, Self::Digit<Bit>) {
        let (word, found) = self.inner().find(dictionary, &key.value);
        let word = self.read(&[self.depth(key)], word);
        let found = word.with(found);
        (word, found)
    }
}

impl<E: HeadsBoundary> HeadsBoundary for Counted<E> {
    fn bank(&self) -> E::Bank {
        self.inner().bank()
    }

    fn ram(&self, bytes: &[u8]) -> E::Ram {
        self.inner().ram(bytes)
    }

    fn blank_ram(&self, length: usize) -> E::Ram {
        self.inner().blank_ram(length)
    }

    fn clear_ram(&self, ram: &mut E::Ram, length: usize) {
        self.inner().clear_ram(ram, length);
    }

    fn ram_bytes(&self, ram: &E::Ram, length: usize) -> Result<Vec<u8>, Self::Error> {
        self.inner().ram_bytes(ram, length)
    }

    fn frames(&self) -> E::Frames {
        self.inner().frames()
    }

    fn slots(&self, slots: &[u64]) -> E::Slots {
        self.inner().slots(slots)
    }

    fn dictionary(&self, entries: &[(u32, u64)]) -> E::Dictionary {
        self.inner().dictionary(entries)
    }
}
