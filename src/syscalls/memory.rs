//! Translation of a syscall's pointers, and copies.
//!
//! The order of the checks and which of them a zero length skips are the reference's: see
//! `solana-program-runtime`, `memory.rs`, and `translate_mut!` of `solana-syscalls`.

use super::call::{Abort, Call, Failure, Returns};
use crate::{
    alu,
    deltanet::Heads,
    machine::{Lazy, close_gaps, locate},
    tables::{
        Site, Word,
        alphabet::{Bit, Nibble, Region, Size},
        catalogue::{ALIGNED, BIT_AND, BIT_NOT, EQUAL, NEGATIVE, NON_ZERO, NOT_GREATER, TAIL},
    },
};

/// A translated address.
pub struct Place<S: Heads> {
    /// Which RAM.
    pub region: usize,
    /// Which row.
    pub offset: Word<S>,
}

impl<S: Heads> Clone for Place<S> {
    fn clone(&self) -> Self {
        Self { region: self.region, offset: self.offset.clone() }
    }
}

/// A translated range.
pub struct Slice<S: Heads> {
    /// First byte.
    pub place: Place<S>,
    /// Number of bytes; if none, the place means nothing.
    pub length: Word<S>,
}

impl<S: Heads> Clone for Slice<S> {
    fn clone(&self) -> Self {
        Self { place: self.place.clone(), length: self.length.clone() }
    }
}

/// What a type asks of its address.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Nothing.
    One,
    /// A multiple of 4.
    Four,
    /// A multiple of 8.
    Eight,
    /// A multiple of 16.
    Sixteen,
}

/// An output of a syscall before translation.
pub struct Output<'w, S: Heads> {
    /// First byte.
    pub address: &'w Word<S>,
    /// Number of bytes.
    pub length: &'w Word<S>,
    /// What its type asks for.
    pub align: Align,
}

impl<S: Lazy> Call<'_, S> {
    /// Finds `length` bytes, at least one, at an address.
    fn map(&self, store: bool, address: &Word<S>, length: &Word<S>) -> Returns<Place<S>, S> {
        let e = self.e;
        let violation =
            || Err(Failure::Abort(Abort::Access { store, address: address.clone(), length: length.clone() }));
        let (region, offset) = locate(e, address);
        let region = e.observe_gate(&region, Site::Region).map_err(Failure::Observation)?;
        let Some(extent) = self.image.extents.get(region as usize) else {
            return violation();
        };
        let always = e.digit::<Bit, 1>();
        let (offset, starts) =
            if region == Region::Stack { close_gaps(e, &self.image.gaps, &offset) } else { (offset, always) };
        let (end, overflow) = e.add_words(&offset, length, &e.digit::<Bit, 0>());
        let ends = e.apply1(NOT_GREATER, &e.compare(&end, &extent.length));
        let ends = e.apply2(BIT_AND, &ends, &e.apply1(BIT_NOT, &overflow));
        let mut allowed = e.apply2(BIT_AND, &starts, &ends);
        if store {
            allowed = e.apply2(BIT_AND, &allowed, &extent.writable);
        }
        if !self.observe(&allowed, Site::InBounds)? {
            return violation();
        }
        Ok(Place { region: region as usize, offset })
    }

    /// Checks a place against what its type asks for, where the loader checks that at all.
    fn check_aligned(&self, place: &Place<S>, align: Align) -> Returns<(), S> {
        let e = self.e;
        let lowest = e.lane(&place.offset, 0);
        let aligned = match align {
            Align::One => return Ok(()),
            Align::Four => e.apply2(ALIGNED, &e.digit::<Size, { Size::Word as usize }>(), &lowest),
            Align::Eight => e.apply2(ALIGNED, &e.digit::<Size, { Size::Double as usize }>(), &lowest),
            Align::Sixteen => e.apply1(EQUAL, &e.apply1(NON_ZERO, &lowest)),
        };
        let fails = e.apply2(BIT_AND, &self.context.aligned, &e.apply1(BIT_NOT, &aligned));
        if self.observe(&fails, Site::Unaligned)? {
            return Err(Failure::Abort(Abort::Unaligned));
        }
        Ok(())
    }

    /// Translates a value of a type of `length` bytes, at least one.
    pub fn value(
        &self,
        store: bool,
        address: &Word<S>,
        length: &Word<S>,
        align: Align,
    ) -> Returns<Place<S>, S> {
        let place = self.map(store, address, length)?;
        self.check_aligned(&place, align)?;
        Ok(place)
    }

    /// Translates a range of `length` bytes in all; an empty one is not looked at.
    pub fn slice(
        &self,
        store: bool,
        address: &Word<S>,
        length: &Word<S>,
        align: Align,
    ) -> Returns<Slice<S>, S> {
        let e = self.e;
        if self.observe(&e.is_zero(length), Site::EmptySlice)? {
            let place = Place { region: Region::Null as usize, offset: e.literal::<0>() };
            return Ok(Slice { place, length: length.clone() });
        }
        if self.observe(&e.apply1(NEGATIVE, &e.lane(length, 15)), Site::HugeSlice)? {
            return Err(Failure::Abort(Abort::InvalidLength));
        }
        let place = self.value(store, address, length, align)?;
        Ok(Slice { place, length: length.clone() })
    }

    /// Translates bytes to be read.
    pub fn bytes(&self, address: &Word<S>, length: &Word<S>) -> Returns<Slice<S>, S> {
        self.slice(false, address, length, Align::One)
    }

    /// Translates 32 bytes to be read and reads them.
    pub fn address(&self, address: &Word<S>) -> Returns<[Word<S>; 4], S> {
        let place = self.value(false, address, &self.e.literal::<32>(), Align::One)?;
        Ok(self.read_32(&place))
    }

    /// Translates a list of `count` pairs of an address and a length, 16 bytes each.
    pub fn pairs(&self, address: &Word<S>, count: &Word<S>) -> Returns<Slice<S>, S> {
        let e = self.e;
        let zero = e.digit::<Nibble, 0>();
        let lost = e.apply1(EQUAL, &e.apply1(NON_ZERO, &e.lane(count, 15)));
        let length = e.attend(&lost, [&e.literal::<0xffff_ffff_ffff_ffff>(), &e.shift_up(count, 1, &zero)]);
        self.slice(false, address, &length, Align::Eight)
    }

    /// Translates every output of a syscall: all are mapped, then all are aligned, then no two may
    /// share a byte.
    pub fn outputs<const N: usize>(&self, outputs: [Output<'_, S>; N]) -> Returns<[Slice<S>; N], S> {
        for output in &outputs {
            if !self.observe(&self.e.is_zero(output.length), Site::EmptySlice)? {
                self.map(true, output.address, output.length)?;
            }
        }
        let mut slices = Vec::with_capacity(N);
        for Output { address, length, align } in &outputs {
            slices.push(self.slice(true, address, length, *align)?);
        }
        for (index, a) in slices.iter().enumerate() {
            for b in &slices[index + 1..] {
                if a.place.region == b.place.region && self.overlap(a, b)? {
                    return Err(Failure::Abort(Abort::CopyOverlapping));
                }
            }
        }
        // The array has as many slices as there were outputs.
        slices.try_into().map_err(|_| Failure::Abort(Abort::InvalidLength))
    }

    /// Whether two ranges of one region share a byte; empty ones share none.
    fn overlap(&self, a: &Slice<S>, b: &Slice<S>) -> Returns<bool, S> {
        let e = self.e;
        let meets = self.meets(&a.place.offset, &a.length, &b.place.offset, &b.length);
        let empty = |slice: &Slice<S>| e.apply1(BIT_NOT, &e.is_zero(&slice.length));
        let both = e.apply2(BIT_AND, &empty(a), &empty(b));
        self.observe(&e.apply2(BIT_AND, &meets, &both), Site::Overlap)
    }

    /// Whether the later of two starts is less than the other's length away.
    pub fn meets(&self, a: &Word<S>, a_length: &Word<S>, b: &Word<S>, b_length: &Word<S>) -> S::Digit<Bit> {
        let e = self.e;
        let (from_b, b_later) = e.sub_words(a, b, &e.digit::<Bit, 0>());
        let distance = e.attend(&b_later, [&from_b, &alu::negate(e, &from_b)]);
        // Equal starts count as b being later, which makes no difference to where a copy may go.
        let same = e.is_zero(&from_b);
        let length = e.attend(&b_later, [b_length, a_length]);
        let length = e.attend(&same, [&length, a_length]);
        self.less(&distance, &length)
    }

    /// Goes through `length` bytes from the first on, eight at a time: `each(call, start, count)` is
    /// given how many bytes came before and how many of the eight count.
    pub fn forward(
        &mut self,
        length: &Word<S>,
        mut each: impl FnMut(&mut Self, &Word<S>, &S::Digit<Nibble>) -> Returns<(), S>,
    ) -> Returns<(), S> {
        let e = self.e;
        let (eight, whole) = (e.literal::<8>(), e.digit::<Nibble, 8>());
        let (mut start, mut left) = (e.literal::<0>(), length.clone());
        loop {
            let (rest, short) = e.sub_words(&left, &eight, &e.digit::<Bit, 0>());
            if self.observe(&short, Site::LastChunk)? {
                break;
            }
            each(self, &start, &whole)?;
            left = rest;
            start = alu::add(e, &start, &eight);
        }
        if self.observe(&e.is_zero(&left), Site::NothingLeft)? {
            return Ok(());
        }
        each(self, &start, &e.lane(&left, 0))
    }

    /// Copies bytes between places whose ranges may overlap.
    pub fn copy(&mut self, from: &Place<S>, to: &Place<S>, length: &Word<S>) -> Returns<(), S> {
        let e = self.e;
        let down = e.apply1(NOT_GREATER, &e.compare(&to.offset, &from.offset));
        if self.observe(&down, Site::CopyDown)? {
            return self.forward(length, |call, start, count| {
                let word = call.read(from, start);
                call.write(to, start, count, &word);
                Ok(())
            });
        }
        // From the end, so that nothing is overwritten before it is read.
        let (eight, whole) = (e.literal::<8>(), e.digit::<Nibble, 8>());
        let mut left = length.clone();
        loop {
            let (rest, short) = e.sub_words(&left, &eight, &e.digit::<Bit, 0>());
            if self.observe(&short, Site::LastChunk)? {
                break;
            }
            let word = self.read(from, &rest);
            self.write(to, &rest, &whole, &word);
            left = rest;
        }
        let start = e.literal::<0>();
        let word = self.read(from, &start);
        self.write(to, &start, &e.lane(&left, 0), &word);
        Ok(())
    }

    /// Writes the first `count` bytes of a word, at most eight, at `at` bytes after a place.
    pub fn write(&mut self, place: &Place<S>, at: &Word<S>, count: &S::Digit<Nibble>, word: &Word<S>) {
        let offset = alu::add(self.e, &place.offset, at);
        let span = self.e.apply1(TAIL, count);
        self.e.ram_write(&mut self.state.memory.rams[place.region], &offset, &span, word);
    }

    /// Writes whole words at a place.
    pub fn write_words(&mut self, place: &Place<S>, words: &[Word<S>]) {
        let e = self.e;
        let whole = e.digit::<Nibble, 8>();
        let mut at = e.literal::<0>();
        for word in words {
            self.write(place, &at, &whole, word);
            at = alu::add(e, &at, &e.literal::<8>());
        }
    }
}

/// The first `count` bytes of a word, at most eight; the others become zero.
pub fn keep_rows<E: Heads>(e: &E, count: &E::Digit<Nibble>, a: &Word<E>) -> Word<E> {
    let zero = e.literal::<0>();
    let kept: [Word<E>; 9] = std::array::from_fn(|rows| e.merge(a, &zero, 2 * rows));
    e.attend(&e.apply1(TAIL, count), kept.each_ref())
}
