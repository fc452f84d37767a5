//! How digits are held: a digit as the position of its 1, sixteen of them packed in one integer.

use std::marker::PhantomData;

use super::rows::ControlRow;
use crate::tables::alphabet::Nibble;

/// A digit: the position of its 1.
#[derive(Debug)]
pub struct Digit<A>(pub(super) u8, PhantomData<A>);

/// Sixteen digits: their positions, four bits each, lane 0 lowest.
#[derive(Debug)]
pub struct Lanes<A>(pub(super) u64, PhantomData<A>);

/// Sixteen integer activations, each at most the bound of the layer that wrote it.
#[derive(Clone, Copy, Debug)]
pub struct Columns(pub(super) [u32; 16]);

/// The control gates of an instruction: its row of the control matrix.
#[derive(Clone, Copy, Debug)]
pub struct Control(pub(super) ControlRow);

impl<A> Clone for Digit<A> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<A> Copy for Digit<A> {}
impl<A> Clone for Lanes<A> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<A> Copy for Lanes<A> {}

impl Lanes<Nibble> {
    /// The eight bytes, each a pair of positions: how a RAM stores a word.
    #[inline(always)]
    pub(crate) fn to_bytes(self) -> [u8; 8] {
        self.0.to_le_bytes()
    }

    /// See [`to_bytes`](Self::to_bytes).
    #[inline(always)]
    pub(crate) fn from_bytes(bytes: [u8; 8]) -> Self {
        lanes(u64::from_le_bytes(bytes))
    }
}

#[inline(always)]
pub(super) fn digit<A>(position: u8) -> Digit<A> {
    Digit(position, PhantomData)
}

#[inline(always)]
pub(super) fn lanes<A>(packed: u64) -> Lanes<A> {
    Lanes(packed, PhantomData)
}

/// Sixteen copies of a position.
#[inline(always)]
pub(super) const fn repeat(position: u8) -> u64 {
    // Copying by shifts keeps this a matter of places, not of values.
    let mut packed = position as u64;
    packed |= packed << 4;
    packed |= packed << 8;
    packed |= packed << 16;
    packed | packed << 32
}

/// Every other lane, from lane 0 on.
pub(super) const EVEN_LANES: u64 = 0x0f0f_0f0f_0f0f_0f0f;

/// The low `count` lanes.
#[inline(always)]
pub(super) const fn low_lanes(count: usize) -> u64 {
    if count >= 16 { u64::MAX } else { (1 << (4 * count)) - 1 }
}
