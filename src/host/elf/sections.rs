//! The structure of a version 0 to 2 file, which is found through its sections.
//!
//! The order of the checks decides which error a file with several faults gets.

use super::dynamic::Dynamic;
use super::error::{ElfError, ParserError};
use super::format::{FileHeader, NO_SECTION, Section, Segment};
use super::reader::{Record, Table, end_of, slice};

/// Longest section name, its final zero included.
const SECTION_NAME_LIMIT: usize = 16;

/// A file whose headers, sections and dynamic table are in order.
#[derive(Debug)]
pub(super) struct Sections<'a> {
    file: &'a [u8],
    pub(super) header: FileHeader,
    sections: Table<'a, Section>,
    names: Section,
    pub(super) dynamic: Dynamic<'a>,
    /// The section of the dynamic symbols' names.
    dynamic_names: Option<Section>,
}

impl<'a> Sections<'a> {
    /// Finds and checks everything the file header leads to.
    pub(super) fn parse(file: &'a [u8]) -> Result<Self, ElfError> {
        let header = FileHeader::decode(file).ok_or(ElfError::ValueOutOfBounds)?;
        if !header.is_elf64()
            || usize::from(header.section_header_size) != Section::SIZE
            || header.section_names_index >= header.section_count
        {
            return Err(ParserError::InvalidFileHeader.into());
        }

        let header_span = Span::new(0, FileHeader::SIZE as u64)?;
        let segments_span = Span::of_table::<Segment>(header.segments_offset, header.segment_count)?;
        segments_span.must_not_meet(header_span)?;
        let segments = segments_span.table::<Segment>(file)?;
        let sections_span = Span::of_table::<Section>(header.sections_offset, header.section_count)?;
        sections_span.must_not_meet(header_span)?;
        sections_span.must_not_meet(segments_span)?;
        let sections = sections_span.table::<Section>(file)?;

        if sections.get(0).is_none_or(|section| section.kind != Section::NULL) {
            return Err(ParserError::InvalidSectionHeader.into());
        }
        check_segments(file, segments)?;
        check_section_bytes(file, sections, [header_span, segments_span, sections_span])?;

        if header.section_names_index == NO_SECTION {
            return Err(ParserError::NoSectionNameStringTable.into());
        }
        let names = sections.get(header.section_names_index.into()).ok_or(ElfError::ValueOutOfBounds)?;
        let dynamic_names = check_section_names(file, sections, &names)?;
        let dynamic = Dynamic::parse(file, segments, sections)?;
        Ok(Self { file, header, sections, names, dynamic, dynamic_names })
    }

    /// Each section with its name.
    pub(super) fn named(&self) -> impl Iterator<Item = (&'a [u8], Section)> {
        // Every name was read once by `parse`, so none is lost here.
        self.sections
            .iter()
            .filter_map(|section| Some((section_name(self.file, &self.names, &section).ok()?, section)))
    }

    /// All sections.
    pub(super) fn iter(&self) -> impl Iterator<Item = Section> {
        self.sections.iter()
    }

    /// The name of a dynamic symbol.
    pub(super) fn dynamic_symbol_name(&self, offset: u32) -> Option<&'a [u8]> {
        const LIMIT: usize = 64;
        string(self.file, self.dynamic_names.as_ref()?, offset, LIMIT).ok()
    }
}

/// Bytes of the file, from the first to the one behind the last.
#[derive(Clone, Copy)]
struct Span {
    start: u64,
    end: u64,
}

impl Span {
    fn new(start: u64, size: u64) -> Result<Self, ElfError> {
        Ok(Self { start, end: end_of(start, size)? })
    }

    fn of_table<R: Record>(start: u64, count: u16) -> Result<Self, ElfError> {
        Self::new(start, u64::from(count) * R::SIZE as u64)
    }

    fn table<R: Record>(self, file: &[u8]) -> Result<Table<'_, R>, ElfError> {
        Table::new(file, self.start, self.end - self.start)
    }

    /// An empty span may touch another, but not lie inside it.
    fn must_not_meet(self, other: Self) -> Result<(), ElfError> {
        if self.end <= other.start || other.end <= self.start {
            Ok(())
        } else {
            Err(ParserError::Overlap.into())
        }
    }
}

fn check_segments(file: &[u8], segments: Table<Segment>) -> Result<(), ElfError> {
    let mut lowest = 0;
    for segment in segments.iter().filter(|segment| segment.kind == Segment::LOAD) {
        if segment.address < lowest {
            return Err(ElfError::InvalidProgramHeader);
        }
        if end_of(segment.offset, segment.file_size)? > file.len() as u64 {
            return Err(ElfError::ValueOutOfBounds);
        }
        lowest = segment.address;
    }
    Ok(())
}

fn check_section_bytes(file: &[u8], sections: Table<Section>, headers: [Span; 3]) -> Result<(), ElfError> {
    let mut lowest = 0;
    for section in sections.iter().filter(|section| section.kind != Section::NO_BITS) {
        let span = Span::new(section.offset, section.size)?;
        for header in headers {
            span.must_not_meet(header)?;
        }
        if span.start < lowest {
            return Err(ParserError::SectionNotInOrder.into());
        }
        lowest = span.end;
        if span.end > file.len() as u64 {
            return Err(ElfError::ValueOutOfBounds);
        }
    }
    Ok(())
}

/// Reads every section name and gives back the section called `.dynstr`.
fn check_section_names(
    file: &[u8],
    sections: Table<Section>,
    names: &Section,
) -> Result<Option<Section>, ElfError> {
    const UNIQUE: [&[u8]; 3] = [b".symtab", b".strtab", b".dynstr"];
    let mut found = [None; UNIQUE.len()];
    for section in sections.iter() {
        let name = section_name(file, names, &section)?;
        if let Some(index) = UNIQUE.iter().position(|unique| *unique == name)
            && found[index].replace(section).is_some()
        {
            return Err(ParserError::InvalidSectionHeader.into());
        }
    }
    Ok(found[2])
}

fn section_name<'a>(file: &'a [u8], names: &Section, section: &Section) -> Result<&'a [u8], ElfError> {
    string(file, names, section.name, SECTION_NAME_LIMIT)
}

/// The zero-terminated string at an offset in a section of strings. `limit` counts the zero.
fn string<'a>(file: &'a [u8], section: &Section, offset: u32, limit: usize) -> Result<&'a [u8], ElfError> {
    if section.kind != Section::STRINGS {
        return Err(ParserError::InvalidSectionHeader.into());
    }
    let start = end_of(section.offset, offset.into())?;
    let end = end_of(section.offset, section.size)?.min(end_of(start, limit as u64)?);
    let bytes = slice(file, start, end)?;
    let length = bytes.iter().position(|byte| *byte == 0).ok_or_else(|| {
        // Bytes that are not UTF-8 are shown as the reference shows them.
        ParserError::StringTooLong(String::from_utf8_lossy(bytes).into_owned(), limit)
    })?;
    Ok(&bytes[..length])
}
