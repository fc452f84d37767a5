//! Random damage to files, aimed at the fields and the edges of their structures.

use rand::seq::{IndexedRandom, IteratorRandom};
use std::collections::BTreeSet;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::File;
use super::bytes::field::{self, Field};
use super::bytes::{get, put};
use super::draft::Draft;

/// Most records of one table whose fields are changed; real programs have thousands of relocations.
const RECORDS: usize = 48;
/// Programs up to this many bytes are chosen more often than larger ones.
const SMALL: usize = 40_000;
/// How often, in percent, a mutant is made of one of our own files, of a small and of a large program.
const SHARES: [(usize, u32); 3] = [(0, 30), (1, 57), (2, 13)];

/// Mutants by number: each depends on the seed and its number only.
pub struct Mutants {
    seed: u64,
    /// Our own files, small programs and large ones.
    groups: [Vec<(File, Places)>; 3],
}

/// What is worth changing in a file.
struct Places {
    /// Fields by table: offset in the file and width.
    tables: Vec<Vec<Field>>,
    /// Where the headers of the sections are.
    sections: Vec<usize>,
    /// Where the sections' names and the symbols' names start.
    names: Vec<usize>,
    /// Where structures start and end.
    edges: Vec<usize>,
}

impl Mutants {
    /// Mutants of these programs and of our own small files.
    pub fn new(programs: Vec<File>, seed: u64) -> Self {
        let own = [("own v0", Draft::v0()), ("own v3", Draft::v3(true)), ("own v3 text", Draft::v3(false))]
            .map(|(name, draft)| with_places(File { name: name.into(), bytes: draft.bytes }));
        let (small, large) =
            programs.into_iter().map(with_places).partition(|(file, _)| file.bytes.len() <= SMALL);
        Self { seed, groups: [own.into(), small, large] }
    }

    /// The mutant of that number, and how it was made.
    pub fn get(&self, number: u64) -> (Vec<u8>, String) {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(number);
        let (group, _) =
            SHARES.choose_weighted(&mut rng, |(_, share)| *share).expect("some share is not zero");
        let (file, places) = self.groups[*group].choose(&mut rng).expect("there are files");
        let mut bytes = file.bytes.clone();
        let mut steps = file.name.clone();
        for _ in 0..*[1, 1, 1, 1, 2, 2, 2, 2, 3].choose(&mut rng).expect("not empty") {
            steps += "; ";
            steps += &places.change(&mut bytes, &mut rng);
        }
        (bytes, steps)
    }

    /// Every file cut at each edge of a structure, and one byte before and behind it.
    pub fn truncations(&self) -> impl Iterator<Item = (&[u8], String)> {
        self.groups.iter().flatten().flat_map(|(file, places)| {
            let lengths = places.edges.iter().flat_map(|edge| edge.saturating_sub(1)..=edge + 1);
            let lengths: BTreeSet<usize> = lengths.filter(|length| *length < file.bytes.len()).collect();
            lengths
                .into_iter()
                .map(|length| (&file.bytes[..length], format!("{} cut to {length:#x}", file.name)))
        })
    }
}

fn with_places(file: File) -> (File, Places) {
    let places = Places::of(&file.bytes);
    (file, places)
}

impl Places {
    /// The places of a file whose headers are in order.
    fn of(bytes: &[u8]) -> Self {
        let read = |(at, width): Field| get(bytes, at, width) as usize;
        let mut places = Self { tables: vec![], sections: vec![], names: vec![], edges: vec![0] };
        places.add_records(0, 1, field::HEADER_SIZE, &field::HEADER);
        let segments = read(field::SEGMENT_COUNT);
        places.add_records(read(field::SEGMENTS), segments, field::SEGMENT_SIZE, &field::SEGMENT);
        let (start, count) = (read(field::SECTIONS), read(field::SECTION_COUNT));
        places.add_records(start, count, field::SECTION_SIZE, &field::SECTION);
        places.sections = (0..count).map(|number| start + number * field::SECTION_SIZE).collect();

        let names = places.sections.get(read(field::NAMES_INDEX)).copied();
        for header in places.sections.clone() {
            let read = |(at, width): Field| read((header + at, width));
            let (offset, size) = (read(field::S_OFFSET), read(field::S_SIZE));
            places.edges.extend([offset, offset.saturating_add(size)]);
            match read(field::S_KIND) {
                1 if read(field::S_FLAGS) & 4 != 0 => places.add_records(offset, size / 8, 8, &field::SLOT),
                2 | 11 => places.add_records(offset, size / 24, 24, &field::SYMBOL),
                3 => places.add_names(bytes, offset, size),
                6 | 9 => places.add_records(offset, size / 16, 16, &field::PAIR),
                _ => {}
            }
            if let Some(names) = names {
                let names = get(bytes, names + field::S_OFFSET.0, 8) as usize;
                places.names.push(names + read(field::S_NAME));
            }
        }
        places.edges.retain(|edge| *edge <= bytes.len());
        places
    }

    /// Notes the fields of a table, of evenly spread records if it has many.
    fn add_records(&mut self, start: usize, count: usize, size: usize, fields: &[Field]) {
        let step = count.div_ceil(RECORDS).max(1);
        let records = (0..count).step_by(step).map(|number| start + number * size);
        let fields = records.flat_map(|record| fields.iter().map(move |(at, width)| (record + at, *width)));
        self.add_table(start, count * size, fields.collect());
    }

    /// Notes every byte of the first names of a section as a field.
    fn add_names(&mut self, bytes: &[u8], start: usize, size: usize) {
        self.add_table(start, size, (start..start + size.min(8 * RECORDS)).map(|at| (at, 1)).collect());
        let bytes = bytes.get(start..start + size).unwrap_or_default();
        let starts = bytes.iter().enumerate().filter(|(_, byte)| **byte == 0).map(|(at, _)| start + at + 1);
        self.names.extend(starts.take(RECORDS));
    }

    fn add_table(&mut self, start: usize, size: usize, fields: Vec<Field>) {
        if !fields.is_empty() {
            self.edges.extend([start, start.saturating_add(size)]);
            self.tables.push(fields);
        }
    }

    fn change(&self, bytes: &mut Vec<u8>, rng: &mut ChaCha8Rng) -> String {
        match rng.random_range(0..100) {
            0..68 => self.change_field(bytes, rng),
            68..74 => self.resize(bytes, rng),
            74..86 => self.move_section(bytes, rng),
            86..90 => self.copy_section(bytes, rng),
            90..95 => self.write_name(bytes, rng),
            95..98 => {
                let version = rng.random_range(0..6);
                put(bytes, field::FLAGS.0, field::FLAGS.1, version);
                format!("version {version}")
            }
            _ => {
                let at = rng.random_range(0..bytes.len().max(1));
                let value = rng.random();
                put(bytes, at, 1, value);
                format!("byte {at:#x} = {value:#x}")
            }
        }
    }

    fn change_field(&self, bytes: &mut [u8], rng: &mut ChaCha8Rng) -> String {
        let table = self.tables.choose(rng).expect("a file has a header");
        let (at, width) = *table.choose(rng).expect("tables are not empty");
        let value = self.value(get(bytes, at, width), table, bytes, rng);
        put(bytes, at, width, value);
        format!("{width} bytes at {at:#x} = {value:#x}")
    }

    /// A value to put in the place of `old`: a special number, a neighbour, or one from elsewhere in the file.
    fn value(&self, old: u64, table: &[Field], bytes: &[u8], rng: &mut ChaCha8Rng) -> u64 {
        const SPECIAL: [u64; 34] = [
            0,
            1,
            2,
            3,
            4,
            5,
            6,
            7,
            8,
            9,
            10,
            11,
            16,
            18,
            24,
            34,
            35,
            56,
            64,
            65,
            0x7f,
            0x85,
            0xf7,
            0xff,
            0x107,
            0xffff,
            0x7fff_ffff,
            0xffff_ffff,
            1 << 32,
            0x1_0000_0008,
            2 << 32,
            i64::MAX as u64,
            1 << 63,
            u64::MAX,
        ];
        const NEAR: [u64; 7] = [0, 1, 4, 8, 16, 24, 64];
        let near = *NEAR.choose(rng).expect("not empty");
        let near = if rng.random() { near } else { near.wrapping_neg() };
        let base = match rng.random_range(0..8) {
            0 | 1 => return *SPECIAL.choose(rng).expect("not empty"),
            2 => return old ^ 1 << rng.random_range(0..64),
            3 => *SPECIAL.choose(rng).expect("not empty"),
            4 => *self.edges.choose(rng).expect("not empty") as u64,
            5 => bytes.len() as u64,
            6 => {
                let (at, width) = *table.choose(rng).expect("tables are not empty");
                return get(bytes, at, width);
            }
            _ => old,
        };
        base.wrapping_add(near)
    }

    /// Cuts the file at or near an edge, or makes it longer.
    fn resize(&self, bytes: &mut Vec<u8>, rng: &mut ChaCha8Rng) -> String {
        let edge = *self.edges.choose(rng).expect("not empty");
        let length = if rng.random_bool(0.8) {
            edge.saturating_add_signed(*[-8, -1, 0, 0, 1, 8].choose(rng).expect("not empty"))
        } else {
            bytes.len() + rng.random_range(1..64)
        };
        let length = length.min(bytes.len() + 64);
        bytes.resize(length, rng.random());
        format!("length {length:#x}")
    }

    /// Lays a section over another one: in memory, in the file, or by name.
    fn move_section(&self, bytes: &mut [u8], rng: &mut ChaCha8Rng) -> String {
        let (Some(moved), Some(other)) = (self.sections.choose(rng), self.sections.choose(rng)) else {
            return "no section".into();
        };
        let (at, width) = *[
            field::S_ADDRESS,
            field::S_ADDRESS,
            field::S_OFFSET,
            field::S_NAME,
            field::S_KIND,
            field::S_SIZE,
        ]
        .choose(rng)
        .expect("not empty");
        let shift =
            if at < field::S_ADDRESS.0 { 0 } else { *[0, 0, 4, 8, 64].choose(rng).expect("not empty") };
        let value = get(bytes, other + at, width).wrapping_add(shift);
        put(bytes, moved + at, width, value);
        format!("section header at {moved:#x}: {width} bytes at {at} = {value:#x}")
    }

    /// Puts one section header in the place of another, or swaps them.
    fn copy_section(&self, bytes: &mut [u8], rng: &mut ChaCha8Rng) -> String {
        let (Some(&a), Some(&b)) = (self.sections.choose(rng), self.sections.choose(rng)) else {
            return "no section".into();
        };
        let swap = rng.random();
        for at in (0..field::SECTION_SIZE).step_by(8) {
            let (first, second) = (get(bytes, a + at, 8), get(bytes, b + at, 8));
            put(bytes, a + at, 8, second);
            if swap {
                put(bytes, b + at, 8, first);
            }
        }
        format!("section header {b:#x} to {a:#x}, swap {swap}")
    }

    /// Overwrites a name with one the loader knows.
    fn write_name(&self, bytes: &mut [u8], rng: &mut ChaCha8Rng) -> String {
        const NAMES: [&[u8]; 16] = [
            b".text",
            b".rodata",
            b".eh_frame",
            b".data.rel.ro",
            b".data",
            b".data.x",
            b".bss",
            b".dynstr",
            b".symtab",
            b".strtab",
            b".text.x",
            b"entrypoint",
            b"sol_log_",
            b"sol_alloc_free_",
            b"abort",
            b"\xff\xfe",
        ];
        let Some(at) = self.names.iter().choose(rng) else {
            return "no name".into();
        };
        let name = *NAMES.choose(rng).expect("not empty");
        for (i, byte) in name.iter().chain(&[0]).enumerate() {
            put(bytes, at + i, 1, (*byte).into());
        }
        format!("name {:?} at {at:#x}", String::from_utf8_lossy(name))
    }
}
