//! Translation: from an address to a region, an offset, and whether the access is allowed.

use crate::{
    deltanet::Heads,
    tables::{
        Word,
        alphabet::{Bit, Nibble, Quarter, Region, Size},
        catalogue::{BIT_AND, BIT_NOT, LOW_BIT, NOT_GREATER, REGION, WordConst},
    },
};

/// The bytes of the regions from address 0 on.
pub struct Memory<E: Heads> {
    /// In order of [`Region`].
    pub rams: [E::Ram; 5],
}

/// What is mapped of a region.
pub struct Extent<E: Heads> {
    /// Bytes.
    pub length: Word<E>,
    /// Addresses covered, gaps included: what counts as inside when an error names the region.
    pub covered: Word<E>,
    /// For each [`Size`], the largest offset at which an access of that width ends inside.
    pub last: [Word<E>; 4],
    /// For each [`Size`], whether there is such an offset.
    pub fits: [E::Digit<Bit>; 4],
    /// Whether writes are allowed.
    pub writable: E::Digit<Bit>,
}

impl<E: Heads> Extent<E> {
    /// The limits of a region of `length` bytes; `widths` are the words 1, 2, 4 and 8.
    pub fn new(
        e: &E,
        length: &Word<E>,
        covered: &Word<E>,
        widths: &[Word<E>; 4],
        writable: E::Digit<Bit>,
    ) -> Self {
        let limits = widths.each_ref().map(|width| e.sub_words(length, width, &e.digit::<Bit, 0>()));
        Self {
            length: length.clone(),
            covered: covered.clone(),
            fits: limits.each_ref().map(|(_, borrow)| e.apply1(BIT_NOT, borrow)),
            last: limits.map(|(last, _)| last),
            writable,
        }
    }

    /// Whether an access of width `size` at `offset` ends inside.
    #[inline]
    pub fn admits(&self, e: &E, size: &E::Digit<Size>, offset: &Word<E>) -> E::Digit<Bit> {
        let fits = e.attend_digit(size, self.fits.each_ref());
        let last = e.attend(size, self.last.each_ref());
        e.apply2(BIT_AND, &fits, &e.apply1(NOT_GREATER, &e.compare(offset, &last)))
    }
}

/// The region an address points at, and the offset from its start.
#[inline]
pub fn locate<E: Heads>(e: &E, address: &Word<E>) -> (E::Digit<Region>, Word<E>) {
    let above = e.is_zero(&e.shift_down(address, 9, &e.digit::<Nibble, 0>()));
    let region = e.apply2(REGION, &e.lane(address, 8), &above);
    (region, e.merge(address, &e.word(WordConst::Zero), 8))
}

/// The offset in a stack whose frames of 4096 bytes have gaps of the same size between them: bit 12
/// says "gap" and is left out. Only the start of an access is looked at, so that one may run from the
/// end of a frame into the next.
#[inline]
pub fn close_gaps<E: Heads>(e: &E, gaps: &E::Digit<Bit>, offset: &Word<E>) -> (Word<E>, E::Digit<Bit>) {
    let zero = e.digit::<Nibble, 0>();
    let halved = e.shift_right(offset, &zero, &e.digit::<Quarter, 1>(), &zero);
    let closed = e.merge(offset, &halved, 3);
    let in_gap = e.apply2(BIT_AND, gaps, &e.apply1(LOW_BIT, &e.lane(offset, 3)));
    (e.attend(gaps, [offset, &closed]), e.apply1(BIT_NOT, &in_gap))
}
