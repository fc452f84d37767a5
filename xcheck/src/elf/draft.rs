//! Small ELF files with every structure the loader looks at.

use super::bytes::field::{self, Field};
use super::bytes::{get, put};

/// A file under construction.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The file so far.
    pub bytes: Vec<u8>,
}

/// Instruction slots of the small version 0 program. Calls of -1 and wide loads are relocated.
const TEXT: [u64; 9] = [
    0xffff_ffff_0000_1085, // call sol_log_
    0x0000_0001_0000_1085, // call slot 3
    0x0000_0000_0000_0095, // exit
    0x0000_0000_0000_0118, // lddw r1, .rodata; the address is put in below
    0x0000_0000_0000_0000,
    0x0000_0004_0000_0218, // lddw r2, data + 4
    0x0000_0000_0000_0000,
    0xffff_ffff_0000_1085, // call helper
    0x0000_0000_0000_0095, // exit
];

/// Sections of the version 0 file by number.
pub mod section {
    pub const TEXT: usize = 1;
    pub const RODATA: usize = 2;
    pub const DATA_REL_RO: usize = 3;
    pub const EH_FRAME: usize = 4;
    pub const DYNAMIC: usize = 5;
    pub const DYNSYM: usize = 6;
    pub const DYNSTR: usize = 7;
    pub const REL_DYN: usize = 8;
    pub const SHSTRTAB: usize = 9;
}

/// Symbols of the version 0 file by number.
pub mod symbol {
    pub const LOG: u64 = 1;
    pub const HELPER: u64 = 2;
    pub const DATA: u64 = 3;
    /// Where the name that is too long starts; no symbol has it.
    pub const LONG_NAME: u64 = 22;
}

/// The last name is one byte longer than names may be.
const DYNSTR: &[u8] =
    b"\0sol_log_\0helper\0data\0xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\0";
const SHSTRTAB: &[u8] =
    b"\0.text\0.rodata\0.data.rel.ro\0.eh_frame\0.dynamic\0.dynsym\0.dynstr\0.rel.dyn\0.shstrtab\0";
const NAMES: [&[u8]; 10] = [
    b"",
    b".text",
    b".rodata",
    b".data.rel.ro",
    b".eh_frame",
    b".dynamic",
    b".dynsym",
    b".dynstr",
    b".rel.dyn",
    b".shstrtab",
];
const KINDS: [u64; 10] = [0, 1, 1, 1, 1, 6, 11, 3, 9, 3];
const LOAD: u64 = 1;
const DYNAMIC: u64 = 2;

impl Draft {
    /// A version 0 program that is accepted for execution and for deployment: two loaded segments and a
    /// dynamic one, all sections of [`section`], a relocation of each kind.
    pub fn v0() -> Self {
        let segments = field::HEADER_SIZE;
        let text_at = segments + 3 * field::SEGMENT_SIZE;
        let text: Vec<u8> = TEXT.iter().flat_map(|slot| slot.to_le_bytes()).collect();
        let sizes = [0, text.len(), 16, 8, 8, 5 * 16, 4 * 24, DYNSTR.len(), 6 * 16, SHSTRTAB.len()];
        let mut offsets = [0; 10];
        let mut end = text_at;
        for (offset, size) in offsets.iter_mut().zip(sizes).skip(1) {
            *offset = end;
            end = (end + size).next_multiple_of(8);
        }

        let mut draft = Self { bytes: vec![0; end + 10 * field::SECTION_SIZE] };
        draft.write_header(0, 3, 0x107);
        draft.set(field::ENTRY, text_at as u64);
        draft.set(field::SECTIONS, end as u64);
        draft.set(field::SECTION_COUNT, 10);
        draft.set(field::NAMES_INDEX, section::SHSTRTAB as u64);
        for number in 1..10 {
            let name = SHSTRTAB.windows(NAMES[number].len()).position(|window| window == NAMES[number]);
            draft.set_section(number, field::S_NAME, name.expect("every name is there") as u64);
            draft.set_section(number, field::S_KIND, KINDS[number]);
            draft.set_section(number, field::S_FLAGS, if number == section::TEXT { 6 } else { 2 });
            draft.set_section(number, field::S_ADDRESS, offsets[number] as u64);
            draft.set_section(number, field::S_OFFSET, offsets[number] as u64);
            draft.set_section(number, field::S_SIZE, sizes[number] as u64);
        }

        let dynamic = offsets[section::DYNAMIC];
        draft.write_segment(0, [LOAD, 5, text_at as u64, text_at as u64, (dynamic - text_at) as u64]);
        draft.write_segment(1, [LOAD, 4, dynamic as u64, dynamic as u64, (end - dynamic) as u64]);
        draft.write_segment(2, [DYNAMIC, 6, dynamic as u64, dynamic as u64, sizes[section::DYNAMIC] as u64]);
        let tags =
            [(17, offsets[section::REL_DYN]), (18, 6 * 16), (19, 16), (6, offsets[section::DYNSYM]), (0, 0)];
        for (number, (tag, value)) in tags.into_iter().enumerate() {
            draft.write_words(dynamic + 16 * number, &[tag, value as u64]);
        }

        draft.write(text_at, &text);
        put(&mut draft.bytes, text_at + 3 * 8 + 4, 4, offsets[section::RODATA] as u64);
        draft.write(offsets[section::RODATA], b"read-only bytes!");
        draft.write_words(offsets[section::DATA_REL_RO], &[(offsets[section::RODATA] as u64) << 32]);
        draft.write(offsets[section::EH_FRAME], b"unwind!!");
        draft.write(offsets[section::DYNSTR], DYNSTR);
        draft.write(offsets[section::SHSTRTAB], SHSTRTAB);
        let symbols = offsets[section::DYNSYM];
        draft.write_words(symbols + 24, &[0x10_0000_0001, 0, 0]);
        draft.write_words(symbols + 48, &[0x12_0000_000a, text_at as u64 + 16, 8]);
        draft.write_words(symbols + 72, &[0x11_0000_0011, offsets[section::RODATA] as u64, 8]);
        let slot = |number: usize| text_at as u64 + 8 * number as u64;
        let relocations = [
            (slot(0), symbol::LOG, 10),
            (slot(3), 0, 8),
            (slot(5), symbol::DATA, 1),
            (slot(7), symbol::HELPER, 10),
            (offsets[section::DATA_REL_RO] as u64, 0, 8),
            (slot(0), symbol::LOG, 10),
        ];
        for (number, (offset, symbol, kind)) in relocations.into_iter().enumerate() {
            draft.write_words(offsets[section::REL_DYN] + 16 * number, &[offset, symbol << 32 | kind]);
        }
        draft
    }

    /// A version 3 program of 4 slots, with 16 bytes of read-only data or without.
    pub fn v3(with_data: bool) -> Self {
        const CODE: [u64; 4] =
            [0x0000_0001_0000_00b7, 0x0000_0001_0000_1085, 0x0000_0000_0000_0095, 0x0000_0000_0000_0095];
        let count = if with_data { 2 } else { 1 };
        let start = field::HEADER_SIZE + count * field::SEGMENT_SIZE;
        let data: &[u8] = if with_data { b"read-only bytes!" } else { b"" };
        let mut draft = Self { bytes: vec![0; start + data.len() + 8 * CODE.len()] };
        draft.write_header(3, count as u64, 247);
        draft.set(field::ENTRY, 1 << 32 | 8);
        if with_data {
            draft.write_segment(0, [LOAD, 4, start as u64, 0, data.len() as u64]);
        }
        let code = start + data.len();
        draft.write_segment(count - 1, [LOAD, 1, code as u64, 1 << 32, 8 * CODE.len() as u64]);
        draft.write(start, data);
        draft.write_words(code, &CODE);
        draft
    }

    /// Changes a field of the file header.
    pub fn set(&mut self, (at, width): Field, value: u64) {
        put(&mut self.bytes, at, width, value);
    }

    /// Changes a field of the section header of that number.
    pub fn set_section(&mut self, number: usize, (at, width): Field, value: u64) {
        let start = self.get(field::SECTIONS) as usize + number * field::SECTION_SIZE;
        put(&mut self.bytes, start + at, width, value);
    }

    /// Changes a field of the program header of that number.
    pub fn set_segment(&mut self, number: usize, (at, width): Field, value: u64) {
        let start = self.get(field::SEGMENTS) as usize + number * field::SEGMENT_SIZE;
        put(&mut self.bytes, start + at, width, value);
    }

    /// A field of the file header.
    pub fn get(&self, (at, width): Field) -> u64 {
        get(&self.bytes, at, width)
    }

    /// A field of the section header of that number.
    pub fn section(&self, number: usize, (at, width): Field) -> u64 {
        let start = self.get(field::SECTIONS) as usize + number * field::SECTION_SIZE;
        get(&self.bytes, start + at, width)
    }

    /// Where the bytes of the section of that number start.
    pub fn offset(&self, number: usize) -> usize {
        self.section(number, field::S_OFFSET) as usize
    }

    /// Overwrites 64-bit numbers from `at` on.
    pub fn write_words(&mut self, at: usize, words: &[u64]) {
        for (number, word) in words.iter().enumerate() {
            put(&mut self.bytes, at + 8 * number, 8, *word);
        }
    }

    fn write(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn write_header(&mut self, version: u64, segments: u64, machine: u64) {
        self.write(0, b"\x7fELF\x02\x01\x01");
        self.set(field::KIND, 3);
        self.set(field::MACHINE, machine);
        self.set((20, 4), 1);
        self.set(field::SEGMENTS, field::HEADER_SIZE as u64);
        self.set(field::FLAGS, version);
        self.set((52, 2), field::HEADER_SIZE as u64);
        self.set((54, 2), field::SEGMENT_SIZE as u64);
        self.set(field::SEGMENT_COUNT, segments);
        self.set((58, 2), field::SECTION_SIZE as u64);
    }

    fn write_segment(&mut self, number: usize, [kind, flags, offset, address, size]: [u64; 5]) {
        let at = field::HEADER_SIZE + number * field::SEGMENT_SIZE;
        self.write_words(at, &[flags << 32 | kind, offset, address, address, size, size, 8]);
    }
}
