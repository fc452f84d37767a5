//! Bounds-checked reading of a file, refusing what the reference refuses in the order it refuses it.

use std::marker::PhantomData;

use super::error::{ElfError, ParserError};

/// Tables start at multiples of this many bytes, empty ones too.
const TABLE_ALIGNMENT: u64 = 8;

/// A field of a record.
pub(super) trait Field: Sized {
    /// Reads the field and moves `bytes` behind it; `None` if they end too early.
    fn take(bytes: &mut &[u8]) -> Option<Self>;
}

impl<const N: usize> Field for [u8; N] {
    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let (head, rest) = bytes.split_first_chunk()?;
        *bytes = rest;
        Some(*head)
    }
}

macro_rules! integer_fields {
    ($($kind:ty)*) => { $(
        impl Field for $kind {
            fn take(bytes: &mut &[u8]) -> Option<Self> {
                Field::take(bytes).map(Self::from_le_bytes)
            }
        }
    )* };
}
integer_fields!(u8 u16 u32 u64);

/// A fixed-size record.
pub(super) trait Record: Sized {
    /// Length in bytes.
    const SIZE: usize;

    /// Reads a record; `None` if there are fewer than [`SIZE`](Self::SIZE) bytes.
    fn decode(bytes: &[u8]) -> Option<Self>;
}

/// Records one after another, decoded as they are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'a, R> {
    bytes: &'a [u8],
    records: PhantomData<R>,
}

impl<R> Default for Table<'_, R> {
    fn default() -> Self {
        Self { bytes: &[], records: PhantomData }
    }
}

impl<'a, R: Record> Table<'a, R> {
    /// The table in `size` bytes at `offset`.
    pub(super) fn new(file: &'a [u8], offset: u64, size: u64) -> Result<Self, ElfError> {
        let end = end_of(offset, size)?;
        if !size.is_multiple_of(R::SIZE as u64) {
            return Err(ParserError::InvalidSize.into());
        }
        let bytes = slice(file, offset, end)?;
        if !offset.is_multiple_of(TABLE_ALIGNMENT) {
            return Err(ParserError::InvalidAlignment.into());
        }
        Ok(Self { bytes, records: PhantomData })
    }

    /// The record of that number.
    pub(super) fn get(self, index: usize) -> Option<R> {
        R::decode(self.bytes.get(index.checked_mul(R::SIZE)?..)?)
    }

    /// All records.
    pub(super) fn iter(self) -> impl Iterator<Item = R> {
        self.bytes.chunks_exact(R::SIZE).filter_map(R::decode)
    }
}

/// `offset + size`.
pub(super) fn end_of(offset: u64, size: u64) -> Result<u64, ElfError> {
    offset.checked_add(size).ok_or(ElfError::ValueOutOfBounds)
}

/// The bytes of the file from `start` to `end`.
pub(super) fn slice(file: &[u8], start: u64, end: u64) -> Result<&[u8], ElfError> {
    range(start, end).and_then(|range| file.get(range)).ok_or(ElfError::ValueOutOfBounds)
}

/// As [`slice`], for writing.
pub(super) fn slice_mut(file: &mut [u8], start: u64, end: u64) -> Result<&mut [u8], ElfError> {
    range(start, end).and_then(|range| file.get_mut(range)).ok_or(ElfError::ValueOutOfBounds)
}

fn range(start: u64, end: u64) -> Option<std::ops::Range<usize>> {
    Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
}

/// Reads four bytes.
pub(super) fn read_u32(file: &[u8], offset: u64) -> Result<u32, ElfError> {
    let mut bytes = slice(file, offset, end_of(offset, 4)?)?;
    u32::take(&mut bytes).ok_or(ElfError::ValueOutOfBounds)
}

/// Overwrites the bytes at `offset`.
pub(super) fn write<const N: usize>(file: &mut [u8], offset: u64, bytes: [u8; N]) -> Result<(), ElfError> {
    slice_mut(file, offset, end_of(offset, N as u64)?)?.copy_from_slice(&bytes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Record for [u8; 4] {
        const SIZE: usize = 4;

        fn decode(mut bytes: &[u8]) -> Option<Self> {
            Self::take(&mut bytes)
        }
    }

    fn table(offset: u64, size: u64) -> Result<Vec<[u8; 4]>, ElfError> {
        Table::new(&[7; 16], offset, size).map(|table| table.iter().collect())
    }

    #[test]
    fn tables_are_checked_for_size_then_bounds_then_alignment() {
        assert_eq!(table(8, 8), Ok(vec![[7; 4]; 2]));
        assert_eq!(table(16, 0), Ok(vec![]));
        assert_eq!(table(17, 3), Err(ParserError::InvalidSize.into()));
        assert_eq!(table(17, 4), Err(ElfError::ValueOutOfBounds));
        assert_eq!(table(4, 0), Err(ParserError::InvalidAlignment.into()));
        assert_eq!(table(u64::MAX, 4), Err(ElfError::ValueOutOfBounds));
    }

    #[test]
    fn accesses_end_with_the_file() {
        let mut file = [0; 8];
        write(&mut file, 4, [1, 2, 3, 4]).unwrap();
        assert_eq!(read_u32(&file, 4), Ok(0x0403_0201));
        for offset in [5, 8, u64::MAX - 3, u64::MAX] {
            assert_eq!(read_u32(&file, offset), Err(ElfError::ValueOutOfBounds));
            assert_eq!(write(&mut file, offset, [0; 4]), Err(ElfError::ValueOutOfBounds));
        }
    }
}
