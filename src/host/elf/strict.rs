//! Loading of version 3 files: at most two segments in a fixed layout, and nothing else is read.

use std::collections::BTreeMap;

use super::error::{ElfError, ParserError};
use super::format::{FileHeader, MACHINE_BPF, NO_OS_ABI, Segment};
use super::reader::{Record, Table, end_of, slice};
use super::relocate::SLOT;
use crate::host::program::{DATA_ADDRESS, PROGRAM_ADDRESS, Program, Version};

/// Addresses in a region.
const REGION_SIZE: u64 = 1 << 32;
const BAD_HEADER: ElfError = ElfError::FailedToParse(ParserError::InvalidFileHeader);

/// Loads the file as a program of the given version.
pub(super) fn load(file: &[u8], version: Version) -> Result<Program, ElfError> {
    let header = FileHeader::decode(file).ok_or(ElfError::ValueOutOfBounds)?;
    let segments = segments(file, &header)?;
    let first = segments.get(0).ok_or(BAD_HEADER)?;
    let start = (FileHeader::SIZE + Segment::SIZE * usize::from(header.segment_count)) as u64;

    // Read-only data may be left out; then the code comes first.
    let (image, code) = if first.flags == Segment::READABLE {
        let second = segments.get(1).ok_or(BAD_HEADER)?;
        let data = segment_bytes(file, &first, Segment::READABLE, DATA_ADDRESS, start)?;
        (data, second)
    } else {
        (&[][..], first)
    };
    let text = segment_bytes(file, &code, Segment::EXECUTABLE, PROGRAM_ADDRESS, start + image.len() as u64)?;

    let slot = header.entry.checked_sub(PROGRAM_ADDRESS).filter(|offset| offset.is_multiple_of(SLOT));
    let entry_pc = slot
        .and_then(|offset| usize::try_from(offset / SLOT).ok())
        .filter(|pc| *pc < text.len() / SLOT as usize)
        .ok_or(BAD_HEADER)?;
    Ok(Program {
        version,
        text: text.to_vec(),
        text_address: PROGRAM_ADDRESS,
        entry_pc,
        functions: BTreeMap::new(),
        image: image.to_vec(),
        image_address: DATA_ADDRESS,
    })
}

/// The program headers, which directly follow the file header.
fn segments<'a>(file: &'a [u8], header: &FileHeader) -> Result<Table<'a, Segment>, ElfError> {
    let in_order = header.is_elf64()
        && header.os_abi == NO_OS_ABI
        && header.abi_version_and_padding == [0; 8]
        && header.machine == MACHINE_BPF
        && header.segments_offset == FileHeader::SIZE as u64;
    if !in_order {
        return Err(BAD_HEADER);
    }
    let size = Segment::SIZE as u64 * u64::from(header.segment_count);
    Table::new(file, header.segments_offset, size).map_err(|_| BAD_HEADER)
}

/// The bytes of a segment that must have these flags, be mapped at `address` and start at `offset`.
fn segment_bytes<'a>(
    file: &'a [u8],
    segment: &Segment,
    flags: u32,
    address: u64,
    offset: u64,
) -> Result<&'a [u8], ElfError> {
    let in_order = segment.kind == Segment::LOAD
        && segment.flags == flags
        && segment.offset == offset
        && segment.offset < file.len() as u64
        && segment.offset.is_multiple_of(SLOT)
        && segment.address == address
        && segment.physical_address == address
        && segment.file_size == segment.memory_size
        && segment.file_size.is_multiple_of(SLOT)
        && segment.memory_size < REGION_SIZE;
    if !in_order {
        return Err(ElfError::InvalidProgramHeader);
    }
    end_of(segment.offset, segment.file_size)
        .and_then(|end| slice(file, segment.offset, end))
        .map_err(|_| ElfError::InvalidProgramHeader)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXIT: [u8; 8] = [0x95, 0, 0, 0, 0, 0, 0, 0];

    /// One segment of two `exit`, entered at the second.
    fn file() -> Vec<u8> {
        let mut file = b"\x7fELF\x02\x01\x01".to_vec();
        file.resize(16, 0);
        file.extend([3, 0, 247, 0, 1, 0, 0, 0]);
        file.extend([PROGRAM_ADDRESS + 8, 64, 0].map(u64::to_le_bytes).concat());
        file.extend([3, 0, 0, 0, 64, 0, 56, 0, 1, 0, 64, 0, 0, 0, 0, 0]);
        file.extend(
            [1 << 32 | 1, 120, PROGRAM_ADDRESS, PROGRAM_ADDRESS, 16, 16, 8].map(u64::to_le_bytes).concat(),
        );
        file.extend([EXIT, EXIT].concat());
        file
    }

    #[test]
    fn code_alone_has_an_empty_image() {
        let program = load(&file(), Version::V3).unwrap();
        assert_eq!(program.text, [EXIT, EXIT].concat());
        assert_eq!((program.text_address, program.entry_pc), (PROGRAM_ADDRESS, 1));
        assert_eq!((program.image.len(), program.image_address), (0, DATA_ADDRESS));
    }

    #[test]
    fn no_byte_may_be_missing() {
        let file = file();
        for length in 0..file.len() {
            load(&file[..length], Version::V3).unwrap_err();
        }
    }
}
