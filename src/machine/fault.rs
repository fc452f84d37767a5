//! Where a failed access lies: the fields of the reference's access violations.

use super::{memory, state::Image};
use crate::{
    alu,
    deltanet::Heads,
    tables::{
        Word,
        alphabet::{Bit, Nibble, Region},
        catalogue::{LESS, WordConst},
    },
};

/// What an error says about an address.
pub struct Place<E: Heads> {
    /// The address counts as one of a stack frame.
    pub in_frame: E::Digit<Bit>,
    /// Index of that frame, signed.
    pub frame: Word<E>,
    /// The region that contains the address, [`Region::Nowhere`] if none does.
    pub region: E::Digit<Region>,
}

/// Finds the place of an address that could not be accessed.
///
/// The frame index is the distance from the start of the stack divided by 4096 and rounded towards
/// zero, so that the 4095 bytes below the stack belong to frame 0, and those from -1 to 64 count. Where the
/// program moves the frame pointer itself none does.
pub fn place<E: Heads>(e: &E, image: &Image<E>, address: &Word<E>) -> Place<E> {
    let zero = e.digit::<Nibble, 0>();
    let above = alu::subtract(e, address, &e.word(WordConst::StackStart));
    let below = alu::negate(e, &above);
    let less = |a: &Word<E>, limit| e.apply1(LESS, &e.compare(a, &e.word(limit)));
    // Unsigned, a distance in the other direction is never small.
    let near_above = less(&above, WordConst::StackFrames);
    let near_below = less(&below, WordConst::StackBelow);
    let up = e.shift_down(&above, 3, &zero);
    let down = alu::negate(e, &e.shift_down(&below, 3, &zero));

    let (region, offset) = memory::locate(e, address);
    let nowhere = e.digit::<Region, { Region::Nowhere as usize }>();
    let inside = |index: usize| e.apply1(LESS, &e.compare(&offset, &image.extents[index].covered));
    let none = e.digit::<Bit, 0>();
    let covered =
        e.attend_digit(&region, [&inside(0), &inside(1), &inside(2), &inside(3), &inside(4), &none]);
    let near = e.attend_digit(&near_above, [&near_below, &e.digit::<Bit, 1>()]);
    Place {
        in_frame: e.attend_digit(&image.version, [&near, &none, &none, &near]),
        frame: e.attend(&near_above, [&down, &up]),
        region: e.attend_digit(&covered, [&nowhere, &region]),
    }
}
