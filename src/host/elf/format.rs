//! The records of a 64-bit little-endian ELF file, and the numbers in them that matter here.

use super::reader::{Field, Record};

/// Declares records whose fields follow one another without padding.
macro_rules! records {
    ($($(#[$meta:meta])* struct $name:ident { $($field:ident: $kind:ty,)* })*) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        pub(super) struct $name { $(pub(super) $field: $kind,)* }

        impl Record for $name {
            const SIZE: usize = 0 $(+ size_of::<$kind>())*;

            fn decode(mut bytes: &[u8]) -> Option<Self> {
                Some(Self { $($field: <$kind as Field>::take(&mut bytes)?,)* })
            }
        }
    )* };
}

records! {
    /// What a file starts with.
    struct FileHeader {
        magic: [u8; 4],
        class: u8,
        encoding: u8,
        ident_version: u8,
        os_abi: u8,
        abi_version_and_padding: [u8; 8],
        kind: u16,
        machine: u16,
        version: u32,
        entry: u64,
        segments_offset: u64,
        sections_offset: u64,
        _version_flags: u32,
        header_size: u16,
        segment_header_size: u16,
        segment_count: u16,
        section_header_size: u16,
        section_count: u16,
        section_names_index: u16,
    }

    /// A program header.
    struct Segment {
        kind: u32,
        flags: u32,
        offset: u64,
        address: u64,
        physical_address: u64,
        file_size: u64,
        memory_size: u64,
        _alignment: u64,
    }

    /// A section header.
    struct Section {
        name: u32,
        kind: u32,
        flags: u64,
        address: u64,
        offset: u64,
        size: u64,
        _link: u32,
        _info: u32,
        _alignment: u64,
        _entry_size: u64,
    }

    /// An entry of a symbol table.
    struct Symbol {
        name: u32,
        info: u8,
        _other: u8,
        _section: u16,
        value: u64,
        _size: u64,
    }

    /// An entry of the dynamic table.
    struct DynamicEntry {
        tag: u64,
        value: u64,
    }

    /// A relocation without addend.
    struct Relocation {
        offset: u64,
        info: u64,
    }
}

pub(super) const MAGIC: [u8; 4] = *b"\x7fELF";
pub(super) const CLASS_64: u8 = 2;
pub(super) const LITTLE_ENDIAN: u8 = 1;
pub(super) const CURRENT_VERSION: u8 = 1;
pub(super) const NO_OS_ABI: u8 = 0;
pub(super) const SHARED_OBJECT: u16 = 3;
pub(super) const MACHINE_BPF: u16 = 247;
pub(super) const MACHINE_SBPF: u16 = 263;
pub(super) const NO_SECTION: u16 = 0;

impl FileHeader {
    /// Whether the file is a 64-bit little-endian ELF of the one version there is, with the record sizes of
    /// this module.
    pub(super) fn is_elf64(&self) -> bool {
        self.magic == MAGIC
            && self.class == CLASS_64
            && self.encoding == LITTLE_ENDIAN
            && self.ident_version == CURRENT_VERSION
            && self.version == u32::from(CURRENT_VERSION)
            && usize::from(self.header_size) == FileHeader::SIZE
            && usize::from(self.segment_header_size) == Segment::SIZE
    }
}

impl Segment {
    pub(super) const LOAD: u32 = 1;
    pub(super) const DYNAMIC: u32 = 2;
    pub(super) const EXECUTABLE: u32 = 1;
    pub(super) const READABLE: u32 = 4;
}

impl Section {
    pub(super) const NULL: u32 = 0;
    pub(super) const SYMBOLS: u32 = 2;
    pub(super) const STRINGS: u32 = 3;
    pub(super) const DYNAMIC: u32 = 6;
    pub(super) const NO_BITS: u32 = 8;
    pub(super) const DYNAMIC_SYMBOLS: u32 = 11;
    const WRITABLE_DATA: u64 = 0x1 | 0x2;

    /// Whether the section is loaded as writable memory.
    pub(super) fn is_writable(&self) -> bool {
        self.flags & Self::WRITABLE_DATA == Self::WRITABLE_DATA
    }

    /// Offset and size in the file of what is loaded; a section without bytes counts as empty at offset 0.
    pub(super) fn loaded_bytes(&self) -> (u64, u64) {
        if self.kind == Self::NO_BITS { (0, 0) } else { (self.offset, self.size) }
    }

    /// Whether an address lies in the section.
    pub(super) fn contains_address(&self, address: u64) -> bool {
        (self.address..self.address.saturating_add(self.size)).contains(&address)
    }
}

impl Symbol {
    const FUNCTION: u8 = 2;

    pub(super) fn is_function(&self) -> bool {
        self.info & 0xf == Self::FUNCTION
    }
}

impl DynamicEntry {
    pub(super) const END: u64 = 0;
    pub(super) const SYMBOLS: u64 = 6;
    pub(super) const RELOCATIONS: u64 = 17;
    pub(super) const RELOCATIONS_SIZE: u64 = 18;
    pub(super) const RELOCATION_SIZE: u64 = 19;
}

impl Relocation {
    /// A 64-bit address of a symbol, split over the two slots of a load.
    pub(super) const ABSOLUTE_64: u32 = 1;
    /// An address that gets the base of the program region.
    pub(super) const RELATIVE: u32 = 8;
    /// The target of a call.
    pub(super) const CALL_32: u32 = 10;

    pub(super) fn kind(&self) -> u32 {
        self.info as u32
    }

    pub(super) fn symbol(&self) -> u32 {
        (self.info >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_sizes_are_those_of_the_format() {
        assert_eq!(
            [
                FileHeader::SIZE,
                Segment::SIZE,
                Section::SIZE,
                Symbol::SIZE,
                DynamicEntry::SIZE,
                Relocation::SIZE
            ],
            [64, 56, 64, 24, 16, 16]
        );
    }
}
