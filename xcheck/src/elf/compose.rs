//! Files made of bare programs, to be run where only files are.

use std::collections::BTreeMap;

use svmllm::host::{Program, Version, symbol_key, syscall_names::MAINNET_SYSCALLS};

use super::bytes::field::{HEADER_SIZE, SECTION_SIZE, SEGMENT_SIZE};
use super::bytes::put;

const SLOT: usize = 8;
const CALL: u8 = 0x85;
const LOAD: u64 = 1;
const CODE: u64 = 1 << 32;
/// What a call of nothing known, or of what lies behind the text, is made a call of.
const UNKNOWN: &str = "unknown";

/// A file that loads as this program.
///
/// Version 3 has `data` at address 0, zeros behind them up to a multiple of 8; earlier versions have nothing but the text, at the start of the
/// program's region. Their files load for execution only.
pub fn compose(program: &Program, data: &[u8]) -> Vec<u8> {
    match program.version {
        Version::V3 => strict(program, data),
        _ => lenient(program),
    }
}

fn header(version: Version, entry: u64) -> Vec<u8> {
    let mut bytes = vec![0; HEADER_SIZE];
    bytes[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    let fields = [
        (16, 2, 3),
        (18, 2, 247),
        (20, 4, 1),
        (24, 8, entry),
        (32, 8, HEADER_SIZE as u64),
        (48, 4, version as u64),
    ];
    let sizes = [(52, 2, HEADER_SIZE as u64), (54, 2, SEGMENT_SIZE as u64), (58, 2, SECTION_SIZE as u64)];
    for (at, width, value) in fields.into_iter().chain(sizes) {
        put(&mut bytes, at, width, value);
    }
    bytes
}

fn words(words: &[u64]) -> impl Iterator<Item = u8> {
    words.iter().flat_map(|word| word.to_le_bytes())
}

/// A header, one or two segments and what is in them.
fn strict(program: &Program, data: &[u8]) -> Vec<u8> {
    let mut data = data.to_vec();
    data.resize(data.len().next_multiple_of(SLOT), 0);
    let mut segments = vec![(4, 0, &data[..]), (1, CODE, &program.text[..])];
    segments.retain(|(_, _, bytes)| !bytes.is_empty());
    let mut file = header(Version::V3, CODE + (program.entry_pc * SLOT) as u64);
    put(&mut file, 56, 2, segments.len() as u64);
    let mut offset = (HEADER_SIZE + segments.len() * SEGMENT_SIZE) as u64;
    for (flags, address, bytes) in &segments {
        let size = bytes.len() as u64;
        file.extend(words(&[flags << 32 | LOAD, offset, *address, *address, size, size, 0]));
        offset += size;
    }
    segments.iter().for_each(|(_, _, bytes)| file.extend(*bytes));
    file
}

/// A header, the text, the tables its calls need, and the section headers.
fn lenient(program: &Program) -> Vec<u8> {
    let (text, calls) = unlinked(program);
    let mut names = vec![0];
    let mut symbols: Vec<u8> = words(&[0; 3]).collect();
    let mut numbers = BTreeMap::new();
    for name in calls.values() {
        numbers.entry(*name).or_insert_with(|| {
            symbols.extend(words(&[0x10 << 32 | names.len() as u64, 0, 0]));
            names.extend(name.bytes().chain([0]));
            symbols.len() as u64 / 24 - 1
        });
    }
    let relocation =
        |(pc, name): (&usize, &&str)| [(HEADER_SIZE + pc * SLOT) as u64, numbers[name] << 32 | 10];
    let relocations: Vec<u8> =
        calls.iter().flat_map(|call| words(&relocation(call)).collect::<Vec<_>>()).collect();

    // Everything has the address of its offset, but the text: 0, where addresses in programs count from.
    let mut file = header(program.version, (program.entry_pc * SLOT) as u64);
    let mut sections: Vec<[u64; 4]> = Vec::new();
    let mut place = |file: &mut Vec<u8>, kind: u64, bytes: &[u8]| {
        file.resize(file.len().next_multiple_of(8), 0);
        sections.push([kind, file.len() as u64, file.len() as u64, bytes.len() as u64]);
        file.extend(bytes);
        file.len() - bytes.len()
    };
    place(&mut file, 1, &text);
    let symbols_at = place(&mut file, 11, &symbols) as u64;
    let relocations_at = place(&mut file, 9, &relocations) as u64;
    let tags = [17, relocations_at, 18, relocations.len() as u64, 19, 16, 6, symbols_at, 0, 0];
    // Without a relocation there is nothing to be found.
    let tags = if calls.is_empty() { &tags[8..] } else { &tags[..] };
    place(&mut file, 6, &words(tags).collect::<Vec<_>>());
    place(&mut file, 3, &names);
    let section_names = b"\0.text\0.dynsym\0.rel.dyn\0.dynamic\0.dynstr\0.shstrtab\0";
    place(&mut file, 3, section_names);
    sections[0][1] = 0;

    file.resize(file.len().next_multiple_of(8), 0);
    let table = file.len() as u64;
    file.extend(words(&[0; 8]));
    let mut name = 1;
    for [kind, address, offset, size] in &sections {
        file.extend(words(&[kind << 32 | name, 2, *address, *offset, *size, 0, 8, 0]));
        name += section_names[name as usize..].iter().position(|byte| *byte == 0).unwrap_or(0) as u64 + 1;
    }
    for (at, width, value) in
        [(40, 8, table), (60, 2, sections.len() as u64 + 1), (62, 2, sections.len() as u64)]
    {
        put(&mut file, at, width, value);
    }
    file
}

/// The text as it is before loading, and the syscalls that slots call by name.
fn unlinked(program: &Program) -> (Vec<u8>, BTreeMap<usize, &'static str>) {
    let mut text = program.text.clone();
    let count = text.len() / SLOT;
    let mut calls = BTreeMap::new();
    for (pc, slot) in text.chunks_exact_mut(SLOT).enumerate().filter(|(_, slot)| slot[0] == CALL) {
        let key = u32::from_le_bytes(slot[4..].try_into().expect("half a slot"));
        let immediate = match program.functions.get(&key).filter(|target| **target < count) {
            Some(target) => *target as i32 - pc as i32 - 1,
            None => {
                let name = MAINNET_SYSCALLS.into_iter().find(|name| symbol_key(name.as_bytes()) == key);
                calls.insert(pc, name.unwrap_or(UNKNOWN));
                -1
            }
        };
        slot[4..].copy_from_slice(&immediate.to_le_bytes());
    }
    (text, calls)
}

#[cfg(test)]
mod tests {
    use svmllm::host::{
        assemble,
        elf::{LoadOptions, load},
    };

    use super::*;
    use crate::elf::{Pair, Purpose};

    const SOURCE: &str = "
        mov64 r6, 1
        syscall sol_log_64_
        call function_last
        syscall sol_log_64_
        syscall sol_log_compute_units_
        exit
        function_last:
        mov64 r0, 0
        exit";

    /// The text with the target in every call inside it: a file and an assembler have different keys.
    fn resolved(program: &Program) -> Vec<u8> {
        let mut text = program.text.clone();
        for slot in text.chunks_exact_mut(SLOT).filter(|slot| slot[0] == CALL) {
            let key = u32::from_le_bytes(slot[4..].try_into().unwrap());
            if let Some(target) = program.functions.get(&key) {
                slot[4..].copy_from_slice(&(*target as u32).to_le_bytes());
            }
        }
        text
    }

    /// What was composed loads as what it was composed of, in the reference too.
    #[test]
    fn composed_files_load() {
        let pair = Pair::new(Purpose::Execution);
        for version in [Version::V0, Version::V1, Version::V2, Version::V3] {
            for source in [SOURCE, "mov64 r0, 0\nexit"] {
                let program = assemble(source, version).unwrap();
                let file = compose(&program, b"data");
                let loaded = pair.compare(&file).unwrap().unwrap();
                assert_eq!(resolved(&loaded), resolved(&program), "{version:?}");
                assert_eq!(loaded.entry_pc, program.entry_pc);
                assert_eq!(loaded.text_address, CODE);
                assert_eq!(load(&file, &LoadOptions::execution()).unwrap(), loaded);
            }
        }
    }
}
