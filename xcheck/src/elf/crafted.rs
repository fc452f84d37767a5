//! A file for each error, and for each quirk that is no error.

use super::Purpose;
use super::bytes::field;
use super::bytes::put;
use super::draft::{Draft, section, symbol};

/// A file made by hand, with what loading it must give: `accepted` or the error.
#[derive(Clone, Debug)]
pub struct Crafted {
    /// What is special about it.
    pub name: &'static str,
    /// The file.
    pub bytes: Vec<u8>,
    execution: &'static str,
    deployment: &'static str,
}

impl Crafted {
    /// The outcome for a purpose, as a [`Report`](super::Report) counts it.
    pub fn expected(&self, purpose: Purpose) -> &'static str {
        match purpose {
            Purpose::Execution => self.execution,
            Purpose::Deployment => self.deployment,
        }
    }
}

const ACCEPTED: &str = "accepted";
const BOUNDS: &str = "ValueOutOfBounds";
const FILE_HEADER: &str = "FailedToParse InvalidFileHeader";
const SECTION_HEADER: &str = "FailedToParse InvalidSectionHeader";
const DYNAMIC_TABLE: &str = "FailedToParse InvalidDynamicSectionTable";

/// All files made by hand.
pub fn crafted() -> Vec<Crafted> {
    let mut cases = Cases::default();
    structure(&mut cases);
    names(&mut cases);
    dynamic(&mut cases);
    kind_and_sections(&mut cases);
    calls_and_relocations(&mut cases);
    image(&mut cases);
    version_3(&mut cases);
    cases.0
}

#[derive(Default)]
struct Cases(Vec<Crafted>);

impl Cases {
    /// A changed version 0 file with the same outcome for both purposes.
    fn both(&mut self, name: &'static str, outcome: &'static str, change: impl FnOnce(&mut Draft)) {
        self.differ(name, outcome, outcome, change);
    }

    /// A changed version 0 file with an outcome for execution and one for deployment.
    fn differ(
        &mut self,
        name: &'static str,
        execution: &'static str,
        deployment: &'static str,
        change: impl FnOnce(&mut Draft),
    ) {
        self.push(name, execution, deployment, Draft::v0(), change);
    }

    /// A changed version 3 file.
    fn v3(&mut self, name: &'static str, outcome: &'static str, data: bool, change: impl FnOnce(&mut Draft)) {
        self.push(name, outcome, outcome, Draft::v3(data), change);
    }

    fn push(
        &mut self,
        name: &'static str,
        execution: &'static str,
        deployment: &'static str,
        mut draft: Draft,
        change: impl FnOnce(&mut Draft),
    ) {
        change(&mut draft);
        self.0.push(Crafted { name, bytes: draft.bytes, execution, deployment });
    }
}

fn structure(cases: &mut Cases) {
    cases.both("version 0", ACCEPTED, |_| {});
    cases.both("version 1", ACCEPTED, |d| d.set(field::FLAGS, 1));
    cases.both("version 2", ACCEPTED, |d| d.set(field::FLAGS, 2));
    cases.both("version 4", "UnsupportedSBPFVersion", |d| d.set(field::FLAGS, 4));
    cases.both("empty file", BOUNDS, |d| d.bytes.clear());
    cases.both("half a file header", BOUNDS, |d| d.bytes.truncate(56));
    cases.both("ABI version and padding", ACCEPTED, |d| d.set((8, 8), u64::MAX));
    cases.both("magic", FILE_HEADER, |d| d.set((0, 1), 0));
    cases.both("32-bit class", FILE_HEADER, |d| d.set((4, 1), 1));
    cases.both("big endian", FILE_HEADER, |d| d.set((5, 1), 2));
    cases.both("names behind the sections", FILE_HEADER, |d| d.set(field::NAMES_INDEX, 10));
    cases.both("segments in the file header", "FailedToParse Overlap", |d| d.set(field::SEGMENTS, 32));
    cases.both("segments between words", "FailedToParse InvalidAlignment", |d| d.set(field::SEGMENTS, 65));
    cases.both("no segments, between words", "FailedToParse InvalidAlignment", |d| {
        d.set(field::SEGMENTS, 65);
        d.set(field::SEGMENT_COUNT, 0);
    });
    cases.both("no segments, in the file header", "FailedToParse Overlap", |d| {
        d.set(field::SEGMENTS, 8);
        d.set(field::SEGMENT_COUNT, 0);
    });
    cases.both("the file header as a section header", "FailedToParse Overlap", |d| {
        d.set(field::SECTIONS, 0);
        d.set(field::SECTION_COUNT, 1);
        d.set(field::NAMES_INDEX, 0);
    });
    cases.both("sections behind the end", BOUNDS, |d| d.set(field::SECTIONS, 1 << 20));
    cases.both("first section not empty", SECTION_HEADER, |d| d.set_section(0, field::S_KIND, 1));
    cases.both("segments descend", "InvalidProgramHeader", |d| d.set_segment(0, field::P_ADDRESS, 1 << 20));
    cases.both("segment behind the end", BOUNDS, |d| d.set_segment(0, field::P_FILE_SIZE, 1 << 20));
    cases.both("section over a header", "FailedToParse Overlap", |d| {
        d.set_section(section::TEXT, field::S_OFFSET, 0);
    });
    cases.both("sections descend", "FailedToParse SectionNotInOrder", |d| {
        let text = d.section(section::TEXT, field::S_OFFSET);
        d.set_section(section::RODATA, field::S_OFFSET, text);
    });
}

fn names(cases: &mut Cases) {
    cases
        .both("no section names", "FailedToParse NoSectionNameStringTable", |d| d.set(field::NAMES_INDEX, 0));
    cases
        .both("names are no strings", SECTION_HEADER, |d| d.set_section(section::SHSTRTAB, field::S_KIND, 1));
    cases.both("name without end", "FailedToParse StringTooLong", |d| {
        let size = d.section(section::SHSTRTAB, field::S_SIZE);
        d.set_section(section::SHSTRTAB, field::S_SIZE, size - 1);
    });
    cases.both("name that is not UTF-8", "FailedToParse StringTooLong", |d| {
        let at = d.offset(section::SHSTRTAB);
        d.write_words(at + 8, &[u64::MAX; 3]);
    });
    cases.both("two .dynstr", SECTION_HEADER, |d| rename(d, section::RODATA, section::DYNSTR));
}

fn dynamic(cases: &mut Cases) {
    cases.both("no dynamic table", ACCEPTED, |d| {
        d.set_segment(2, field::P_KIND, 4);
        d.set_section(section::DYNAMIC, field::S_KIND, 1);
    });
    cases.both("dynamic section instead of segment", ACCEPTED, |d| d.set_segment(2, field::P_FILE_SIZE, 8));
    cases.both("unusable dynamic segment before a good one", ACCEPTED, |d| {
        d.set_segment(0, field::P_KIND, 2);
        d.set_segment(0, field::P_FILE_SIZE, 8);
        d.set_section(section::DYNAMIC, field::S_KIND, 1);
    });
    cases.both("dynamic table of half entries", DYNAMIC_TABLE, |d| {
        d.set_segment(2, field::P_FILE_SIZE, 8);
        d.set_section(section::DYNAMIC, field::S_SIZE, 8);
    });
    cases.both("relocation size", DYNAMIC_TABLE, |d| set_dynamic(d, 2, 24));
    cases.both("no relocations", DYNAMIC_TABLE, |d| set_dynamic(d, 1, 0));
    cases.both("relocations outside of segments", ACCEPTED, |d| d.set_segment(1, field::P_MEMORY_SIZE, 8));
    cases.both("relocations nowhere", DYNAMIC_TABLE, |d| set_dynamic(d, 0, 1 << 40));
    cases.both("endless segment", BOUNDS, |d| d.set_segment(0, field::P_MEMORY_SIZE, u64::MAX));
    cases.both("endless segment behind the relocations'", ACCEPTED, |d| {
        d.set_segment(2, field::P_ADDRESS, u64::MAX);
    });
    cases.both("endless relocations", BOUNDS, |d| set_dynamic(d, 1, u64::MAX));
    cases.both("symbols nowhere", DYNAMIC_TABLE, |d| set_dynamic(d, 3, 4));
    cases.both("symbols in read-only data", SECTION_HEADER, |d| {
        let address = d.section(section::RODATA, field::S_ADDRESS);
        set_dynamic(d, 3, address);
    });
    cases.both("half a symbol", "FailedToParse InvalidSize", |d| {
        d.set_section(section::DYNSYM, field::S_SIZE, 36);
    });
}

fn kind_and_sections(cases: &mut Cases) {
    cases.both("ABI", "WrongAbi", |d| d.set(field::OS_ABI, 3));
    cases.both("machine", "WrongMachine", |d| d.set(field::MACHINE, 62));
    cases.both("plain BPF machine", ACCEPTED, |d| d.set(field::MACHINE, 247));
    cases.both("executable", "WrongType", |d| d.set(field::KIND, 2));
    cases.both("no .text", "NotOneTextSection", |d| rename(d, section::TEXT, section::RODATA));
    cases.both("two .text", "NotOneTextSection", |d| rename(d, section::RODATA, section::TEXT));
    cases.both(".data", "WritableSectionNotSupported", |d| {
        write_name(d, section::EH_FRAME, b".datax\0");
        d.set_section(section::EH_FRAME, field::S_FLAGS, 3);
    });
    cases.both(".data that is not loaded", ACCEPTED, |d| {
        write_name(d, section::EH_FRAME, b".data\0");
        d.set_section(section::EH_FRAME, field::S_FLAGS, 1);
    });
    cases.both(".data that is not writable", ACCEPTED, |d| write_name(d, section::EH_FRAME, b".data\0"));
    cases.both(".bss", "WritableSectionNotSupported", |d| write_name(d, section::EH_FRAME, b".bss.x\0"));
    cases.both("section without bytes behind the end", BOUNDS, |d| {
        d.set_section(section::REL_DYN, field::S_KIND, 8);
        d.set_section(section::REL_DYN, field::S_SIZE, 1 << 20);
    });
    cases.both("entry behind .text", "EntrypointOutOfBounds", |d| {
        d.set(field::ENTRY, d.section(section::RODATA, field::S_ADDRESS));
    });
    cases.both("entry between slots", "InvalidEntrypoint", |d| d.set(field::ENTRY, d.get(field::ENTRY) + 4));
    cases.both(".text outside of its region", BOUNDS, |d| {
        d.set_section(section::TEXT, field::S_ADDRESS, (1 << 32) + 8);
        d.set(field::ENTRY, (1 << 32) + 8);
        set_relocation(d, 1, None, 2);
    });
    cases.both(".text at the end of addresses", BOUNDS, |d| {
        d.set_section(section::TEXT, field::S_ADDRESS, u64::MAX - 15);
        d.set(field::ENTRY, u64::MAX - 15);
    });
}

fn calls_and_relocations(cases: &mut Cases) {
    cases.both("call out of .text", "RelativeJumpOutOfBounds", |d| set_text(d, 1, 0x0000_0007_0000_1085));
    cases.both("call before .text", "RelativeJumpOutOfBounds", |d| set_text(d, 1, 0xffff_fffd_0000_1085));
    cases.both("call opcode in a wide load", ACCEPTED, |d| set_text(d, 4, 0x0000_0000_0000_0085));
    cases.both("call of every register", ACCEPTED, |d| set_text(d, 1, 0x0000_0001_0000_9085));
    cases.both("relocation kind 0", "UnknownRelocation", |d| set_relocation(d, 1, None, 0));
    cases.both("relocation kind 2", "UnknownRelocation", |d| set_relocation(d, 1, None, 2));
    cases.both("address 0", "InvalidVirtualAddress", |d| set_text(d, 3, 0x0000_0000_0000_0118));
    cases.both("address that is in the region already", ACCEPTED, |d| {
        set_text(d, 3, 0x0000_0000_0000_0118);
        set_text(d, 4, 0x0000_0001_0000_0000);
    });
    cases.both("address at the end of .text", ACCEPTED, |d| {
        let end = d.section(section::RODATA, field::S_OFFSET);
        set_relocation(d, 4, Some(end), 8);
    });
    cases.both("address of a symbol at the end of addresses", ACCEPTED, |d| {
        set_symbol(d, symbol::DATA, 8, 8, u64::MAX);
    });
    cases.both("call of symbol 99", "UnknownSymbol", |d| set_relocation(d, 0, None, 99 << 32 | 10));
    cases.both("address of symbol 99", "UnknownSymbol", |d| set_relocation(d, 2, None, 99 << 32 | 1));
    cases
        .both("symbol name behind the names", "UnknownSymbol", |d| set_symbol(d, symbol::LOG, 0, 4, 1 << 16));
    cases.both("symbol name that is too long", "UnknownSymbol", |d| {
        set_symbol(d, symbol::LOG, 0, 4, symbol::LONG_NAME);
    });
    cases.differ("longest symbol name", ACCEPTED, "UnresolvedSymbol", |d| {
        set_symbol(d, symbol::LOG, 0, 4, symbol::LONG_NAME + 1);
    });
    cases.both("local function", ACCEPTED, |d| set_symbol(d, symbol::HELPER, 4, 1, 0x02));
    cases.differ("function that is no function", ACCEPTED, "UnresolvedSymbol", |d| {
        set_symbol(d, symbol::HELPER, 4, 1, 0x1a);
    });
    cases.both("no symbol names", "UnknownSymbol", |d| rename(d, section::DYNSTR, section::REL_DYN));
    cases.both("function outside of .text", BOUNDS, |d| set_symbol(d, symbol::HELPER, 8, 8, 8));
    cases.both("relocation at the end", BOUNDS, |d| {
        let end = d.bytes.len() as u64;
        set_relocation(d, 4, Some(end - 4), 8);
    });
    cases.both("relocation of the last slot", ACCEPTED, |d| {
        let end = d.bytes.len() as u64;
        set_relocation(d, 4, Some(end - 8), 8);
    });
    cases.both("relocation of the file header", ACCEPTED, |d| set_relocation(d, 4, Some(0), 8));
    cases.both("relocation at the end of addresses", BOUNDS, |d| set_relocation(d, 4, Some(u64::MAX - 2), 8));
    cases.differ("unknown syscall", ACCEPTED, "UnresolvedSymbol", |d| write_symbol_name(d, b"sol_gol_\0"));
    cases.differ("retired syscall", ACCEPTED, "UnresolvedSymbol", |d| {
        write_symbol_name(d, b"sol_alloc_free_\0")
    });
    cases.both("two entrypoints", "SymbolHashCollision", |d| {
        write_symbol_name(d, b"entrypoint\0");
        let text = d.section(section::TEXT, field::S_ADDRESS);
        for (symbol, slot) in [(symbol::LOG, 2), (symbol::HELPER, 3)] {
            set_symbol(d, symbol, 0, 8, 0x12_0000_0001);
            set_symbol(d, symbol, 8, 8, text + 8 * slot);
        }
    });
    cases.both("entrypoint elsewhere", ACCEPTED, |d| {
        write_symbol_name(d, b"entrypoint\0");
        let text = d.section(section::TEXT, field::S_ADDRESS);
        set_symbol(d, symbol::LOG, 0, 8, 0x12_0000_0001);
        set_symbol(d, symbol::LOG, 8, 8, text + 16);
    });
}

fn image(cases: &mut Cases) {
    cases.both(".text without bytes", ACCEPTED, |d| d.set_section(section::TEXT, field::S_KIND, 8));
    cases.differ("read-only data over .text", ACCEPTED, BOUNDS, |d| {
        let address = d.section(section::TEXT, field::S_ADDRESS);
        d.set_section(section::RODATA, field::S_ADDRESS, address + 8);
    });
    cases.differ(".text over read-only data", ACCEPTED, BOUNDS, |d| {
        rename(d, section::RODATA, section::EH_FRAME);
        let address = d.section(section::RODATA, field::S_ADDRESS);
        d.set_section(section::TEXT, field::S_ADDRESS, address - 8);
        d.set(field::ENTRY, address);
        set_symbol(d, symbol::HELPER, 8, 8, address);
    });
    cases.differ("address is not the offset", ACCEPTED, BOUNDS, |d| {
        let address = d.section(section::EH_FRAME, field::S_ADDRESS);
        d.set_section(section::EH_FRAME, field::S_ADDRESS, address + 4);
    });
    cases.differ("image as long as the file", ACCEPTED, BOUNDS, |d| {
        let end = d.bytes.len() as u64;
        d.set_section(section::EH_FRAME, field::S_ADDRESS, end - 8);
    });
    cases.both("image one byte longer than the file", BOUNDS, |d| {
        let end = d.bytes.len() as u64;
        d.set_section(section::EH_FRAME, field::S_ADDRESS, end - 7);
    });
    cases.both("image much longer than the file", BOUNDS, |d| {
        d.set_section(section::RODATA, field::S_ADDRESS, 1 << 20);
    });
    cases.both("read-only data outside of its region", BOUNDS, |d| {
        d.set_section(section::RODATA, field::S_ADDRESS, 1 << 33);
    });
}

fn version_3(cases: &mut Cases) {
    const SEGMENT: &str = "InvalidProgramHeader";
    cases.v3("version 3", ACCEPTED, true, |_| {});
    cases.v3("version 3, code only", ACCEPTED, false, |_| {});
    cases.v3("version 3, any sections", ACCEPTED, true, |d| d.set(field::SECTIONS, u64::MAX));
    cases.v3("version 3, any type", ACCEPTED, true, |d| d.set(field::KIND, 0));
    cases.v3("version 3, half a file header", BOUNDS, true, |d| d.bytes.truncate(60));
    cases.v3("version 3, machine of sBPF", FILE_HEADER, true, |d| d.set(field::MACHINE, 0x107));
    cases.v3("version 3, padding", FILE_HEADER, true, |d| d.set((15, 1), 1));
    cases.v3("version 3, no segments", FILE_HEADER, true, |d| d.set(field::SEGMENT_COUNT, 0));
    cases.v3("version 3, too many segments", FILE_HEADER, true, |d| d.set(field::SEGMENT_COUNT, 9));
    cases.v3("version 3, data only", FILE_HEADER, false, |d| d.set_segment(0, (4, 4), 4));
    cases.v3("version 3, writable code", SEGMENT, true, |d| d.set_segment(1, (4, 4), 3));
    cases.v3("version 3, gap", SEGMENT, true, |d| {
        let size = get_segment(d, 0, field::P_FILE_SIZE);
        d.set_segment(0, field::P_FILE_SIZE, size - 8);
    });
    cases.v3("version 3, code elsewhere", SEGMENT, true, |d| d.set_segment(1, field::P_ADDRESS, 2 << 32));
    cases.v3("version 3, cut code", SEGMENT, true, |d| d.bytes.truncate(d.bytes.len() - 8));
    cases.v3("version 3, half a slot", SEGMENT, true, |d| {
        d.set_segment(1, field::P_FILE_SIZE, 28);
        d.set_segment(1, field::P_MEMORY_SIZE, 28);
    });
    cases.v3("version 3, nothing behind the headers", SEGMENT, false, |d| {
        d.bytes.truncate(field::HEADER_SIZE + field::SEGMENT_SIZE);
        d.set_segment(0, field::P_FILE_SIZE, 0);
        d.set_segment(0, field::P_MEMORY_SIZE, 0);
    });
    cases.v3("version 3, entry between slots", FILE_HEADER, true, |d| d.set(field::ENTRY, 1 << 32 | 4));
    cases.v3("version 3, entry behind the code", FILE_HEADER, true, |d| d.set(field::ENTRY, 1 << 32 | 32));
    cases.v3("version 3, entry before the code", FILE_HEADER, true, |d| d.set(field::ENTRY, (1 << 32) - 8));
    cases.v3("version 3, last entry there is", FILE_HEADER, true, |d| d.set(field::ENTRY, u64::MAX - 7));
}

/// Gives a section the name of another one.
fn rename(draft: &mut Draft, number: usize, other: usize) {
    let name = draft.section(other, field::S_NAME);
    draft.set_section(number, field::S_NAME, name);
}

fn write_name(draft: &mut Draft, number: usize, name: &[u8]) {
    let at = draft.offset(section::SHSTRTAB) + draft.section(number, field::S_NAME) as usize;
    draft.bytes[at..at + name.len()].copy_from_slice(name);
}

/// Overwrites the name of the first symbol, and those behind it if it is long.
fn write_symbol_name(draft: &mut Draft, name: &[u8]) {
    let at = draft.offset(section::DYNSTR) + 1;
    draft.bytes[at..at + name.len()].copy_from_slice(name);
}

fn set_dynamic(draft: &mut Draft, entry: usize, value: u64) {
    let at = draft.offset(section::DYNAMIC) + 16 * entry + 8;
    draft.write_words(at, &[value]);
}

fn set_text(draft: &mut Draft, slot: usize, word: u64) {
    let at = draft.offset(section::TEXT) + 8 * slot;
    draft.write_words(at, &[word]);
}

fn set_relocation(draft: &mut Draft, number: usize, offset: Option<u64>, info: u64) {
    let at = draft.offset(section::REL_DYN) + 16 * number;
    if let Some(offset) = offset {
        draft.write_words(at, &[offset]);
    }
    draft.write_words(at + 8, &[info]);
}

fn set_symbol(draft: &mut Draft, number: u64, at: usize, width: usize, value: u64) {
    let at = draft.offset(section::DYNSYM) + 24 * number as usize + at;
    put(&mut draft.bytes, at, width, value);
}

fn get_segment(draft: &Draft, number: usize, (at, width): field::Field) -> u64 {
    draft.get((field::HEADER_SIZE + number * field::SEGMENT_SIZE + at, width))
}
