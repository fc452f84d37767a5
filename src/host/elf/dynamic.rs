//! The dynamic table: where relocations and the symbols they name are.

use super::error::{ElfError, ParserError};
use super::format::{DynamicEntry, Relocation, Section, Segment, Symbol};
use super::reader::{Record, Table, end_of};

/// What the dynamic table of a file leads to; empty without one.
#[derive(Debug, Default)]
pub(super) struct Dynamic<'a> {
    pub(super) relocations: Table<'a, Relocation>,
    pub(super) symbols: Table<'a, Symbol>,
}

impl<'a> Dynamic<'a> {
    pub(super) fn parse(
        file: &'a [u8],
        segments: Table<Segment>,
        sections: Table<Section>,
    ) -> Result<Self, ElfError> {
        let Some(table) = find_table(file, segments, sections)? else {
            return Ok(Self::default());
        };
        let values = Values::read(table);
        Ok(Self {
            relocations: find_relocations(file, segments, sections, &values)?,
            symbols: find_symbols(file, sections, &values)?,
        })
    }
}

/// The values of the entries that matter, 0 where there is none.
#[derive(Default)]
struct Values {
    symbols: u64,
    relocations: u64,
    relocations_size: u64,
    relocation_size: u64,
}

impl Values {
    /// Of several entries with the same tag the last one counts.
    fn read(table: Table<DynamicEntry>) -> Self {
        let mut values = Self::default();
        for entry in table.iter().take_while(|entry| entry.tag != DynamicEntry::END) {
            match entry.tag {
                DynamicEntry::SYMBOLS => values.symbols = entry.value,
                DynamicEntry::RELOCATIONS => values.relocations = entry.value,
                DynamicEntry::RELOCATIONS_SIZE => values.relocations_size = entry.value,
                DynamicEntry::RELOCATION_SIZE => values.relocation_size = entry.value,
                _ => {}
            }
        }
        values
    }
}

/// The table of the first dynamic segment; if that one is unusable, of the first dynamic section.
fn find_table<'a>(
    file: &'a [u8],
    segments: Table<Segment>,
    sections: Table<Section>,
) -> Result<Option<Table<'a, DynamicEntry>>, ElfError> {
    let in_segment = segments
        .iter()
        .find(|segment| segment.kind == Segment::DYNAMIC)
        .and_then(|segment| Table::new(file, segment.offset, segment.file_size).ok());
    if in_segment.is_some() {
        return Ok(in_segment);
    }
    sections
        .iter()
        .find(|section| section.kind == Section::DYNAMIC)
        .map(|section| {
            Table::new(file, section.offset, section.size)
                .map_err(|_| ParserError::InvalidDynamicSectionTable.into())
        })
        .transpose()
}

fn find_relocations<'a>(
    file: &'a [u8],
    segments: Table<Segment>,
    sections: Table<Section>,
    values: &Values,
) -> Result<Table<'a, Relocation>, ElfError> {
    const INVALID: ElfError = ElfError::FailedToParse(ParserError::InvalidDynamicSectionTable);

    let address = values.relocations;
    if address == 0 {
        return Ok(Table::default());
    }
    if values.relocation_size != Relocation::SIZE as u64 || values.relocations_size == 0 {
        return Err(INVALID);
    }
    let offset = match segment_at(segments, address)? {
        Some(segment) => end_of(address - segment.address, segment.offset)?,
        // Old toolchains left the relocations outside of every segment.
        None => section_starting_at(sections, address).ok_or(INVALID)?.offset,
    };
    end_of(offset, values.relocations_size)?;
    Table::new(file, offset, values.relocations_size).map_err(|_| INVALID)
}

fn find_symbols<'a>(
    file: &'a [u8],
    sections: Table<Section>,
    values: &Values,
) -> Result<Table<'a, Symbol>, ElfError> {
    if values.symbols == 0 {
        return Ok(Table::default());
    }
    let section =
        section_starting_at(sections, values.symbols).ok_or(ParserError::InvalidDynamicSectionTable)?;
    if ![Section::SYMBOLS, Section::DYNAMIC_SYMBOLS].contains(&section.kind) {
        return Err(ParserError::InvalidSectionHeader.into());
    }
    Table::new(file, section.offset, section.size)
}

/// The first segment of any kind that holds the address. An impossible one before it is an error.
fn segment_at(segments: Table<Segment>, address: u64) -> Result<Option<Segment>, ElfError> {
    for segment in segments.iter() {
        let end = end_of(segment.address, segment.memory_size)?;
        if (segment.address..end).contains(&address) {
            return Ok(Some(segment));
        }
    }
    Ok(None)
}

fn section_starting_at(sections: Table<Section>, address: u64) -> Option<Section> {
    sections.iter().find(|section| section.address == address)
}
