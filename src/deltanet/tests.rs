//! Heads against plain memories: the same operations on every evaluator, the same answers.

use super::{FRAME_WORDS, HeadsBoundary, PAGE, ROWS};
use crate::tables::{
    alphabet::Span,
    testing::{dense, indexed, one, relabelled, relabelled_dense, word},
};
use proptest::{collection::vec, prelude::*, sample::select};
use std::{collections::BTreeMap, fmt::Debug};

/// Checks `run` against `expected` on every evaluator.
macro_rules! same_on_every_evaluator {
    ($expected:expr, $run:ident($($argument:expr),*)) => {{
        let expected = $expected;
        assert_eq!($run(indexed(), $($argument),*), expected, "indexed");
        assert_eq!($run(relabelled(), $($argument),*), expected, "indexed, relabelled");
        assert_eq!($run(&dense(), $($argument),*), expected, "dense");
        assert_eq!($run(&relabelled_dense(), $($argument),*), expected, "dense, relabelled");
    }};
}

/// One long random sequence, the same every time.
fn sequence<T: Debug>(length: usize, operation: impl Strategy<Value = T>) -> Vec<T> {
    one(vec(operation, length))
}

#[derive(Clone, Debug)]
enum Access {
    Read(u64),
    Write(u64, usize, u64),
}

/// Runs accesses on a RAM: every value read, then the bytes at the end.
fn on_ram<E: HeadsBoundary>(e: &E, bytes: &[u8], accesses: &[Access]) -> (Vec<u64>, Vec<u8>) {
    let mut ram = e.ram(bytes);
    let mut read = Vec::new();
    for access in accesses {
        match access {
            Access::Read(offset) => read.push(e.read_out(&e.ram_read(&ram, &e.embed(*offset))).unwrap()),
            Access::Write(offset, span, value) => {
                e.ram_write(&mut ram, &e.embed(*offset), &e.embed_digit::<Span>(*span), &e.embed(*value));
            }
        }
    }
    (read, e.ram_bytes(&ram, bytes.len()).unwrap())
}

/// The same on bytes.
fn on_bytes(bytes: &[u8], accesses: &[Access]) -> (Vec<u64>, Vec<u8>) {
    let mut rows = bytes.to_vec();
    rows.resize(bytes.len().next_multiple_of(PAGE), 0);
    let mut read = Vec::new();
    let row = |offset: u64, i: usize| offset as u32 as usize + i;
    for access in accesses {
        match access {
            Access::Read(offset) => {
                let eight = std::array::from_fn(|i| rows.get(row(*offset, i)).copied().unwrap_or(0));
                read.push(u64::from_le_bytes(eight));
            }
            Access::Write(offset, span, value) => {
                for (i, byte) in value.to_le_bytes().into_iter().take(*span).enumerate() {
                    if let Some(row) = rows.get_mut(row(*offset, i)) {
                        *row = byte;
                    }
                }
            }
        }
    }
    rows.truncate(bytes.len());
    (read, rows)
}

/// Offsets anywhere, around page borders, around the end of the bytes and of the pages, far outside.
fn offsets(length: usize) -> impl Strategy<Value = u64> {
    let pages = length.next_multiple_of(PAGE) as u64;
    let near = |border: u64| (0..2 * ROWS as u64 + 2).prop_map(move |i| (border + i).saturating_sub(9));
    prop_oneof![
        4 => 0..pages + 1,
        2 => near(PAGE as u64),
        2 => near(length as u64),
        2 => near(pages),
        1 => select(vec![0xffff_ffff, 0xffff_fff9, 0x8000_0000, 0x1_0000_0000, 0x7_0000_0003, u64::MAX]),
    ]
}

fn accesses(length: usize) -> impl Strategy<Value = Access> {
    prop_oneof![
        offsets(length).prop_map(Access::Read),
        (offsets(length), 0..=8usize, word()).prop_map(|(at, span, value)| Access::Write(at, span, value)),
    ]
}

#[test]
fn ram_keeps_bytes() {
    for length in [0, 1, 8, 255, 256, 700] {
        let bytes: Vec<u8> = (0..length).map(|i| (i * 37 % 251) as u8).collect();
        let accesses = sequence(400, accesses(length));
        same_on_every_evaluator!(on_bytes(&bytes, &accesses), on_ram(&bytes, &accesses));
    }
}

/// Every span at every distance from a page border and from the end, each read back.
#[test]
fn ram_writes_across_borders() {
    let length = PAGE + 20;
    let starts = [PAGE, length, length.next_multiple_of(PAGE)];
    let accesses: Vec<Access> = starts
        .into_iter()
        .flat_map(|border| {
            (border - ROWS - 1..=border + ROWS).flat_map(|at| (0..=8usize).map(move |s| (at, s)))
        })
        .flat_map(|(at, span)| {
            let value = 0x1122_3344_5566_7788 ^ (at as u64) << 32 ^ (span as u64) << 60;
            [Access::Write(at as u64, span, value), Access::Read(at as u64), Access::Read(at as u64 - 3)]
        })
        .collect();
    let bytes = vec![0xee; length];
    same_on_every_evaluator!(on_bytes(&bytes, &accesses), on_ram(&bytes, &accesses));
}

type Row = [u64; FRAME_WORDS];

/// Writes (row, strength, values) to the call frames; returns every row after each write.
fn on_frames<E: HeadsBoundary>(e: &E, writes: &[(u64, bool, Row)]) -> Vec<Row> {
    let mut frames = e.frames();
    let read = |frames: &E::Frames, row: u64| {
        e.frame_read(frames, &e.embed(row)).map(|word| e.read_out(&word).unwrap())
    };
    let mut seen = Vec::new();
    for (row, on, values) in writes {
        let words = values.map(|value| e.embed(value));
        e.frame_write(&mut frames, &e.embed(*row), &e.embed_digit(usize::from(*on)), words.each_ref());
        seen.push(read(&frames, *row));
    }
    seen.extend((0..256).map(|row| read(&frames, row)));
    seen
}

fn on_rows(writes: &[(u64, bool, Row)]) -> Vec<Row> {
    let mut rows = [Row::default(); 256];
    let mut seen = Vec::new();
    for (row, on, values) in writes {
        // Two digits of the depth count.
        let row = &mut rows[*row as usize & 255];
        if *on {
            *row = *values;
        }
        seen.push(*row);
    }
    seen.extend(rows);
    seen
}

#[test]
fn frames_keep_words_at_every_depth() {
    let row = || prop::array::uniform::<_, FRAME_WORDS>(word());
    let mut writes = sequence(100, (prop_oneof![0u64..256, word()], any::<bool>(), row()));
    writes.extend((0..256).map(|depth| (depth, depth % 5 != 0, [depth ^ 0xabcd; FRAME_WORDS])));
    same_on_every_evaluator!(on_rows(&writes), on_frames(&writes));
}

/// Writes (row, strength, value) to a register file; returns what the row shows, then all rows.
fn on_bank<E: HeadsBoundary>(e: &E, writes: &[(usize, bool, u64)]) -> Vec<u64> {
    let mut bank = e.bank();
    let read = |bank: &E::Bank, row: usize| e.read_out(&e.bank_read(bank, &e.embed_digit(row))).unwrap();
    let mut seen: Vec<u64> = (0..16).map(|row| read(&bank, row)).collect();
    for (row, on, value) in writes {
        e.bank_write(&mut bank, &e.embed_digit(*row), &e.embed_digit(usize::from(*on)), &e.embed(*value));
        seen.push(read(&bank, *row));
    }
    seen.extend((0..16).map(|row| read(&bank, row)));
    seen
}

fn on_registers(writes: &[(usize, bool, u64)]) -> Vec<u64> {
    let mut registers = [0; 16];
    let mut seen = registers.to_vec();
    for (row, on, value) in writes {
        if *on {
            registers[*row] = *value;
        }
        seen.push(registers[*row]);
    }
    seen.extend(registers);
    seen
}

#[test]
fn bank_keeps_words() {
    let writes = sequence(600, (0usize..16, any::<bool>(), word()));
    same_on_every_evaluator!(on_registers(&writes), on_bank(&writes));
}

/// A word and whether it was there.
type Found = (u64, bool);

fn fetched<E: HeadsBoundary>(e: &E, slots: &[u64], pcs: &[u64]) -> Vec<Found> {
    let slots = e.slots(slots);
    let fetch = |pc: &u64| {
        let (slot, there) = e.fetch(&slots, &e.embed(*pc));
        (e.read_out(&slot).unwrap(), e.read_digit(&there).unwrap() == 1)
    };
    pcs.iter().map(fetch).collect()
}

#[test]
fn fetch_ends_with_the_text() {
    for length in [0, 1, 255, 256, 300] {
        let slots: Vec<u64> = sequence(length, word());
        let end = length as u64;
        let mut pcs: Vec<u64> = (end.saturating_sub(3)..end + 300).collect();
        pcs.extend(sequence(64, word()));
        // Equal to a slot that exists in all digits but one.
        pcs.extend((0..16).map(|lane| end.saturating_sub(1) ^ 8 << (4 * lane)));
        let found = |pc: &u64| {
            let slot = usize::try_from(*pc).ok().and_then(|pc| slots.get(pc));
            (slot.copied().unwrap_or(0), slot.is_some())
        };
        let expected: Vec<Found> = pcs.iter().map(found).collect();
        same_on_every_evaluator!(expected, fetched(&slots, &pcs));
    }
}

fn looked_up<E: HeadsBoundary>(e: &E, entries: &[(u32, u64)], keys: &[u64]) -> Vec<Found> {
    let dictionary = e.dictionary(entries);
    let find = |key: &u64| {
        let (value, there) = e.find(&dictionary, &e.embed(*key));
        (e.read_out(&value).unwrap(), e.read_digit(&there).unwrap() == 1)
    };
    keys.iter().map(find).collect()
}

#[test]
fn dictionaries_match_whole_keys() {
    for count in [0, 1, 40] {
        let entries: BTreeMap<u32, u64> = sequence(count, (any::<u32>(), word())).into_iter().collect();
        let pairs: Vec<(u32, u64)> = entries.iter().map(|(key, value)| (*key, *value)).collect();
        let mut keys = vec![0, 1, u64::from(u32::MAX)];
        for key in entries.keys().map(|key| u64::from(*key)) {
            // Digits 8 to 15 do not count; each of the others does.
            keys.extend([key, key | 0xdead_beef << 32]);
            keys.extend((0..8).flat_map(|lane| [1, 8, 15].map(|change| key ^ change << (4 * lane))));
        }
        let found = |key: &u64| {
            let value = entries.get(&(*key as u32));
            (value.copied().unwrap_or(0), value.is_some())
        };
        let expected: Vec<Found> = keys.iter().map(found).collect();
        same_on_every_evaluator!(expected, looked_up(&pairs, &keys));
    }
}
