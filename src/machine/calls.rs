//! Calls: frames pushed and popped.

use super::{FIRST_SAVED, FRAME_POINTER, State, decode, state::Image};
use crate::{
    alu,
    deltanet::{FRAME_WORDS, Heads},
    tables::{
        Word,
        alphabet::{Bit, Nibble, Quarter, Version},
        catalogue::{EQUAL, LESS, WordConst},
    },
};

/// The digits 6 to 10: registers a frame keeps.
pub fn saved<E: Heads>(e: &E) -> [E::Digit<Nibble>; FRAME_WORDS - 1] {
    const { assert!(FIRST_SAVED + FRAME_WORDS - 2 == FRAME_POINTER) };
    [e.digit::<_, 6>(), e.digit::<_, 7>(), e.digit::<_, 8>(), e.digit::<_, 9>(), e.digit::<_, 10>()]
}

/// The depth after one more call, and whether that is one too many.
#[inline]
pub fn deeper<E: Heads>(e: &E, depth: &Word<E>) -> (Word<E>, E::Digit<Bit>) {
    let depth = e.increment(depth);
    let too_deep = e.apply1(EQUAL, &e.compare(&depth, &e.word(WordConst::MaxDepth)));
    (depth, too_deep)
}

/// Whether a slot number lies inside the text.
#[inline]
pub fn in_text<E: Heads>(e: &E, image: &Image<E>, pc: &Word<E>) -> E::Digit<Bit> {
    e.apply1(LESS, &e.compare(pc, &image.slot_count))
}

/// The slot number an address in the text stands for, rounded down.
#[inline]
pub fn slot_of<E: Heads>(e: &E, image: &Image<E>, address: &Word<E>) -> Word<E> {
    let zero = e.digit::<Nibble, 0>();
    let distance = alu::subtract(e, address, &image.text_address);
    e.shift_right(&distance, &zero, &e.digit::<Quarter, 3>(), &zero)
}

/// Saves the caller's registers and the slot to return to, with the given strength.
#[inline]
pub fn save<E: Heads>(e: &E, state: &mut State<E>, strength: &E::Digit<Bit>, back: &Word<E>) {
    let kept = saved(e).map(|key| e.bank_read(&state.registers, &key));
    let [r6, r7, r8, r9, r10] = &kept;
    e.frame_write(&mut state.frames, &state.depth, strength, [r6, r7, r8, r9, r10, back]);
}

/// How far a call moves the frame pointer: past a frame and the gap after it, not at all where the
/// program does it, or past a frame.
pub fn frame_stride<E: Heads>(e: &E, version: &E::Digit<Version>) -> Word<E> {
    let none = e.word(WordConst::Zero);
    e.attend(version, [&e.word(WordConst::FrameStride), &none, &none, &e.word(WordConst::FrameSize)])
}

/// The frame pointer of the callee.
#[inline]
pub fn next_frame_pointer<E: Heads>(e: &E, image: &Image<E>, registers: &E::Bank) -> Word<E> {
    let pointer = e.bank_read(registers, &e.digit::<Nibble, FRAME_POINTER>());
    alu::add(e, &pointer, &image.frame_stride)
}

/// The slot a static call of a function leads to.
#[inline]
pub fn relative<E: Heads>(e: &E, slot: &Word<E>, next: &Word<E>) -> Word<E> {
    alu::add(e, next, &decode::immediate(e, slot))
}

/// Restores what [`save`] kept at `depth`, with the given strength; returns the slot to return to.
#[inline]
pub fn restore<E: Heads>(e: &E, state: &mut State<E>, strength: &E::Digit<Bit>, depth: &Word<E>) -> Word<E> {
    let frame = e.frame_read(&state.frames, depth);
    for (key, value) in saved(e).iter().zip(&frame) {
        e.bank_write(&mut state.registers, key, strength, value);
    }
    let [.., back] = frame;
    back
}
