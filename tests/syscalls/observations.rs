//! What the host sees of a call: how many bits and branches, as formulas of its lengths.

use crate::{
    address, big_mod_exp,
    call::{Call, Case, HEAP, evaluators, noise},
    curves, hash, log, memory,
    page::check,
    return_data, sysvar,
};
use std::{collections::BTreeMap, fmt::Write as _};
use svmllm::{
    host::{Mode, syscall_names::ALL_SYSCALLS},
    tables::{Counted, Site},
};

/// How often something is asked, and the formula in words.
type Times = (Site, &'static str, fn(u64) -> u64);

/// A call of a length n, and what it asks.
struct Row {
    what: &'static str,
    case: fn(u64) -> Case,
    lengths: &'static [u64],
    asks: Vec<Times>,
}

/// The formulas of a row. What a reader sees is the source of what is computed.
macro_rules! asks {
    (|$n:ident| $($site:ident: $times:expr),+ $(,)?) => {
        vec![$((Site::$site, stringify!($times), |$n: u64| { let _ = $n; $times })),+]
    };
}

/// Bytes that fill words, and others.
const BYTES: &[u64] = &[1, 2, 7, 8, 9, 15, 16, 17, 40, 63, 64, 65, 200, 249];
const ONE: &[u64] = &[1];

fn row(what: &'static str, case: fn(u64) -> Case, lengths: &'static [u64], asks: Vec<Times>) -> Row {
    Row { what, case, lengths, asks }
}

/// One row a syscall at least, for calls that succeed.
#[rustfmt::skip]
fn rows() -> Vec<Row> {
    vec![
        row("`abort`", |_| Call::new("abort", []).fails(svmllm::host::SyscallError::Abort, 0), ONE, Vec::new()),
        row("`sol_panic_`, file name of n bytes", |n| log::panic(&vec![b'x'; n as usize]), BYTES, asks!(|n|
            UnitsShort: 1, EmptySlice: 1, HugeSlice: 1, Region: 1, InBounds: 1,
            LastChunk: n / 8 + 1, NothingLeft: 1, Utf8: 1)),
        row("`sol_log_`, n bytes", |n| log::logged(&vec![b'x'; n as usize]), BYTES, asks!(|n|
            UnitsShort: 1, EmptySlice: 1, HugeSlice: 1, Region: 1, InBounds: 1,
            LastChunk: n / 8 + 1, NothingLeft: 1, Utf8: 1)),
        row("`sol_log_`, no bytes", |_| log::logged(b""), ONE, asks!(|n|
            UnitsShort: 1, EmptySlice: 1, LastChunk: 1, NothingLeft: 1, Utf8: 1)),
        row("`sol_log_64_`", |n| log::hexadecimal([n; 5]), BYTES, asks!(|n| UnitsShort: 1)),
        row("`sol_log_pubkey`", |n| log::base58([n as u8; 32]), BYTES, asks!(|n|
            UnitsShort: 1, Region: 1, InBounds: 1)),
        row("`sol_log_compute_units_`", log::decimal, BYTES, asks!(|n| UnitsShort: 1)),
        row("`sol_log_data`, one field of n bytes", |n| log::fields(&[&noise(n, n as usize)]), BYTES, asks!(|n|
            UnitsShort: 3, EmptySlice: 2, HugeSlice: 2, Region: 2, InBounds: 2, Unaligned: 1,
            LastChunk: n / 3 + 1, NothingLeft: 5, OneLeft: (n % 3).min(1))),
        row("`sol_log_data`, n fields of one byte", |n| log::fields(&vec![b"x".as_slice(); n as usize]), BYTES,
            asks!(|n|
            UnitsShort: 3, EmptySlice: n + 1, HugeSlice: n + 1, Region: n + 1, InBounds: n + 1, Unaligned: 1,
            LastChunk: n, NothingLeft: 3 * n + 2, OneLeft: n)),
        row("`sol_memcpy_`, n bytes towards lower addresses",
            |n| memory::copy("sol_memcpy_", 0, n as usize, n as usize), BYTES, asks!(|n|
            ShortLength: 1, UnitsShort: 1, Overlap: 1, EmptySlice: 3, HugeSlice: 2, Region: 3, InBounds: 3,
            CopyDown: 1, LastChunk: n / 8 + 1, NothingLeft: 1)),
        row("`sol_memmove_`, n bytes towards lower addresses",
            |n| memory::copy("sol_memmove_", 0, 1, n as usize), BYTES, asks!(|n|
            ShortLength: 1, UnitsShort: 1, EmptySlice: 3, HugeSlice: 2, Region: 3, InBounds: 3,
            CopyDown: 1, LastChunk: n / 8 + 1, NothingLeft: 1)),
        row("`sol_memmove_`, n bytes towards higher addresses",
            |n| memory::copy("sol_memmove_", 1, 0, n as usize), BYTES, asks!(|n|
            ShortLength: 1, UnitsShort: 1, EmptySlice: 3, HugeSlice: 2, Region: 3, InBounds: 3,
            CopyDown: 1, LastChunk: n / 8 + 1)),
        row("`sol_memset_`, n bytes", |n| memory::fill(n, n as usize), BYTES, asks!(|n|
            ShortLength: 1, UnitsShort: 1, EmptySlice: 2, HugeSlice: 1, Region: 2, InBounds: 2,
            LastChunk: n / 8 + 1, NothingLeft: 1)),
        row("`sol_memcmp_`, n equal bytes", |n| memory::compare(&vec![7; n as usize], &vec![7; n as usize]), BYTES,
            asks!(|n|
            ShortLength: 1, UnitsShort: 1, EmptySlice: 4, HugeSlice: 3, Region: 4, InBounds: 4, Unaligned: 1,
            LastChunk: n / 8 + 1, BytesDiffer: n / 8)),
        row("`sol_sha256`, one slice of n bytes", |n| hash::hashed("sol_sha256", &[n as usize]), BYTES, asks!(|n|
            TooManySlices: 1, UnitsShort: 2, EmptySlice: 4, HugeSlice: 3, Region: 4, InBounds: 4, Unaligned: 1,
            LastChunk: n / 8 + 1, NothingLeft: 3, BlockFull: n.div_ceil(8), LengthFits: 1)),
        row("`sol_sha256`, n slices of one byte", |n| hash::hashed("sol_sha256", &vec![1; n as usize]), BYTES,
            asks!(|n|
            TooManySlices: 1, UnitsShort: n + 1, EmptySlice: n + 3, HugeSlice: n + 2, Region: n + 3,
            InBounds: n + 3, Unaligned: 1, LastChunk: n, NothingLeft: 2 * n + 1, BlockFull: n, LengthFits: 1)),
        row("`sol_sha512`, one slice of n bytes", |n| hash::hashed("sol_sha512", &[n as usize]), BYTES, asks!(|n|
            TooManySlices: 1, UnitsShort: 2, EmptySlice: 4, HugeSlice: 3, Region: 4, InBounds: 4, Unaligned: 1,
            LastChunk: n / 8 + 1, NothingLeft: 3, BlockFull: n.div_ceil(8), LengthFits: 1)),
        row("`sol_keccak256`, one slice of n bytes", |n| hash::hashed("sol_keccak256", &[n as usize]), BYTES,
            asks!(|n|
            TooManySlices: 1, UnitsShort: 2, EmptySlice: 4, HugeSlice: 3, Region: 4, InBounds: 4, Unaligned: 1,
            LastChunk: n / 8 + 1, NothingLeft: 3, BlockFull: n.div_ceil(8))),
        row("`sol_blake3`, one slice of n bytes", |n| hash::hashed("sol_blake3", &[n as usize]),
            &[1, 64, 65, 1024, 1025, 2048, 2049, 4097], asks!(|n|
            TooManySlices: 1, UnitsShort: 2, EmptySlice: 4, HugeSlice: 3, Region: 4, InBounds: 4, Unaligned: 1,
            LastChunk: n / 8 + 1, NothingLeft: 3, BlockFull: n.div_ceil(8), ChunkFull: (n - 1) / 64,
            SubtreeOpen: (n - 1) / 1024 * 2 - u64::from(((n - 1) / 1024).count_ones()))),
        row("`sol_create_program_address`, one seed of n bytes",
            |n| {
                let seed = noise(n, n as usize);
                address::create(&[&seed], &address::program_where(&[&seed], false))
            },
            &[1, 7, 8, 9, 31, 32], asks!(|n|
            UnitsShort: 1, EmptySlice: 4, HugeSlice: 3, Region: 5, InBounds: 5, Unaligned: 1, SeedLength: 2,
            LastChunk: n / 8 + 1, NothingLeft: 3, BlockFull: n.div_ceil(8) + 7, LengthFits: 1, OnCurve: 1)),
        row("`sol_create_program_address`, n seeds of one byte",
            |n| {
                let seeds = vec![b"s".as_slice(); n as usize];
                address::create(&seeds, &address::program_where(&seeds, false))
            },
            &[1, 2, 7, 16], asks!(|n|
            UnitsShort: 1, EmptySlice: n + 3, HugeSlice: n + 2, Region: n + 4, InBounds: n + 4, Unaligned: 1,
            SeedLength: n + 1, LastChunk: n, NothingLeft: 2 * n + 1, BlockFull: n + 7, LengthFits: 1, OnCurve: 1)),
        row("`sol_try_find_program_address`, one seed of one byte, the n-th bump",
            |n| address::find(&[b"s"], &address::program(&[b"s"], n as u8)), &[1, 2, 3, 5], asks!(|n|
            UnitsShort: n, EmptySlice: 6, HugeSlice: 4, Region: 7, InBounds: 7, Unaligned: 1, SeedLength: 2,
            SeedsFull: 1, LastChunk: n, NothingLeft: 2 * n + 2, BlockFull: 9 * n, LengthFits: n, OnCurve: n,
            Overlap: 1)),
        row("clock, rent, epoch rewards or last restart slot, of n bytes", |n| sysvar::getter([4, 3, 0, 2], n),
            &[8, 24, 40, 96], getter()),
        row("epoch schedule or fees, of n bytes", |n| sysvar::getter([5, 1, 1, 1], n), &[8, 40], getter()),
        row("`sol_get_sysvar`, n bytes", |n| sysvar::part(0, 0, n as usize), &[1, 7, 8, 9, 39, 40], asks!(|n|
            ShortLength: 1, UnitsShort: 1, Unaligned: 1, PointerRange: 1, EmptySlice: 2, HugeSlice: 1, Region: 3,
            InBounds: 3, Overflow: 2, SameAddress: 1, SysvarRange: 1, LastChunk: n / 8 + 1, NothingLeft: 1)),
        row("`sol_get_sysvar`, a byte of the n-th sysvar", |n| sysvar::part(n as usize - 1, 0, 1), &[1, 4, 7],
            asks!(|n|
            ShortLength: 1, UnitsShort: 1, Unaligned: 1, PointerRange: 1, EmptySlice: 2, HugeSlice: 1, Region: 3,
            InBounds: 3, Overflow: 2, SameAddress: n, SysvarRange: 1, LastChunk: 1, NothingLeft: 1)),
        row("`sol_get_epoch_stake`, of all", |_| sysvar::stake(0, &[]).returns(1234, 100), ONE, asks!(|n|
            UnitsShort: 1, NullPointer: 1)),
        row("`sol_get_epoch_stake`, the n-th account",
            |n| sysvar::stake(HEAP, &[n as u8 + 2; 32]).returns([33, u64::MAX, 55][n as usize - 1], 110),
            &[1, 2, 3], asks!(|n|
            UnitsShort: 1, NullPointer: 1, Region: 1, InBounds: 1, SameAddress: n)),
        row("`sol_set_return_data`, n bytes", |n| return_data::set(n as usize), BYTES, asks!(|n|
            ShortLength: 1, UnitsShort: 1, ReturnDataFits: 1, EmptySlice: 1, HugeSlice: 1, Region: 1, InBounds: 1,
            LastChunk: n / 8 + 1, NothingLeft: 1)),
        row("`sol_get_return_data`, n bytes", |n| return_data::get(n as usize, 1024), BYTES, asks!(|n|
            ShortLength: 1, UnitsShort: 2, EmptySlice: 5, HugeSlice: 2, Region: 4, InBounds: 4, Overlap: 1,
            LastChunk: n / 8 + 1, NothingLeft: 1)),
        row("`sol_get_return_data`, where there is none", |_| return_data::get(0, 9), ONE, asks!(|n|
            UnitsShort: 1, EmptySlice: 1)),
        row("`sol_get_processed_sibling_instruction`, with n bytes of data and one account",
            |n| return_data::only(noise(n, n as usize), 1), BYTES, asks!(|n|
            UnitsShort: 1, EmptySlice: 10, HugeSlice: 5, Region: 10, InBounds: 10, Unaligned: 2, Overlap: 6,
            SiblingFits: 1, LastChunk: n / 8 + 6, NothingLeft: 3)),
        row("`sol_get_processed_sibling_instruction`, with one byte of data and n accounts",
            |n| return_data::only(vec![7], n as usize), &[1, 2, 3, 4, 9], asks!(|n|
            UnitsShort: 1, EmptySlice: 10, HugeSlice: 5, Region: 10, InBounds: 10, Unaligned: 2, Overlap: 6,
            SiblingFits: 1, LastChunk: 34 * n / 8 + 2, NothingLeft: 3)),
        row("`sol_get_processed_sibling_instruction`, of fewer than n",
            |n| return_data::none(n - 1), &[1, 2, 9], asks!(|n| UnitsShort: 1, NothingLeft: n - 1)),
        row("`sol_get_stack_height`", |_| Call::new("sol_get_stack_height", []).returns(1, 100), ONE, asks!(|n|
            UnitsShort: 1)),
        row("`sol_remaining_compute_units`",
            |n| Call::new("sol_remaining_compute_units", []).units(n + 100).returns(n, 100), BYTES, asks!(|n|
            UnitsShort: 1)),
        row("`sol_alloc_free_`, giving",
            |n| Call::new("sol_alloc_free_", [n, 0]).heap(vec![0; 300]).returns(HEAP, 0), BYTES, asks!(|n|
            NullPointer: 1, HeapFull: 1)),
        row("`sol_alloc_free_`, taking back", |n| Call::new("sol_alloc_free_", [n, HEAP]).returns(0, 0), BYTES,
            asks!(|n| NullPointer: 1)),
        row("`sol_curve_validate_point`, the n-th group over 2^255 - 19", curves::validate, &[1, 2], asks!(|n|
            Selector: n, UnitsShort: 1, Region: 1, InBounds: 1)),
        row("`sol_curve_validate_point`, the n-th group of BLS12-381", |n| curves::validate(2 + n), &[1, 2],
            asks!(|n| Selector: 2 * n + 1, UnitsShort: 1, Region: 1, InBounds: 1, PointValid: 1, InGroup: 1)),
        row("`sol_curve_group_op`, a multiple in the n-th group over 2^255 - 19",
            |n| curves::operate(n, 2), &[1, 2], asks!(|n|
            Selector: n + 1, UnitsShort: 1, EmptySlice: 2, HugeSlice: 1, Region: 4, InBounds: 4, PointValid: 1)),
        row("`sol_curve_group_op`, a sum (n = 1) or a difference (n = 2) of Edwards points",
            |n| curves::operate(1, n - 1), &[1, 2], asks!(|n|
            Selector: n + 2, UnitsShort: 1, EmptySlice: 2, HugeSlice: 1, Region: 4, InBounds: 4, PointValid: 1)),
        row("`sol_curve_group_op`, a multiple in the n-th group of BLS12-381",
            |n| curves::operate_bls12_381(n, 2), &[1, 2], asks!(|n|
            Selector: 2 * n + 4, UnitsShort: 1, EmptySlice: 2, HugeSlice: 1, Region: 4, InBounds: 4,
            PointValid: 1, InGroup: 1)),
        row("`sol_curve_group_op`, a sum (n = 1) or a difference (n = 2) in the first group of BLS12-381",
            |n| curves::operate_bls12_381(1, n - 1), &[1, 2], asks!(|n|
            Selector: n + 3, UnitsShort: 1, EmptySlice: 2, HugeSlice: 1, Region: 4, InBounds: 4, PointValid: 1)),
        row("`sol_curve_multiscalar_mul`, n Edwards points", curves::multiscalar, &[1, 2, 5], asks!(|n|
            SliceCount: 1, Selector: 1, UnitsShort: 1, EmptySlice: 4, HugeSlice: 3, Region: 4, InBounds: 4,
            NothingLeft: 2 * n + 2, PointValid: 1)),
        row("`sol_curve_decompress`, the n-th group of BLS12-381", curves::decompress, &[1, 2], asks!(|n|
            Selector: 2 * n - 1, UnitsShort: 1, EmptySlice: 2, HugeSlice: 1, Region: 3, InBounds: 3,
            PointValid: 1, InGroup: 1)),
        row("`sol_curve_pairing_map`, n pairs", curves::pairing_map, &[1, 2], asks!(|n|
            Selector: 1, UnitsShort: 1, EmptySlice: 4, HugeSlice: 3, Region: 4, InBounds: 4, SliceCount: 1,
            LastChunk: 36 * n + 2, NothingLeft: 2, PointValid: 1, InGroup: 1)),
        row("`sol_secp256k1_recover`", |_| curves::recover(), ONE, asks!(|n|
            UnitsShort: 1, EmptySlice: 3, HugeSlice: 2, Region: 4, InBounds: 4, RecoveryId: 1, PointValid: 1,
            KeyAtInfinity: 1)),
        row("`sol_alt_bn128_group_op`, a sum (n = 1) or a multiple (n = 2) in the first group",
            |n| curves::bn254_operate(2 * n - 2), &[1, 2], asks!(|n|
            Selector: 2 * n - 1, UnitsShort: 1, EmptySlice: 3, HugeSlice: 2, Region: 3, InBounds: 3,
            InputLength: 1, LastChunk: 21 - 4 * n, NothingLeft: 1, PointValid: 1)),
        row("`sol_alt_bn128_group_op`, a sum in the second group", |_| curves::bn254_operate(4), ONE, asks!(|n|
            Selector: 7, UnitsShort: 1, EmptySlice: 3, HugeSlice: 2, Region: 3, InBounds: 3, InputLength: 1,
            LastChunk: 33, NothingLeft: 1, PointValid: 1)),
        row("`sol_alt_bn128_group_op`, a multiple in the second group", |_| curves::bn254_operate(6), ONE,
            asks!(|n|
            Selector: 9, UnitsShort: 1, EmptySlice: 3, HugeSlice: 2, Region: 3, InBounds: 3, InputLength: 1,
            LastChunk: 21, NothingLeft: 1, PointValid: 1, InGroup: 1)),
        row("`sol_alt_bn128_group_op`, a pairing of n pairs", curves::bn254_pairing, &[1, 2], asks!(|n|
            Selector: 5, UnitsShort: 1, EmptySlice: 3, HugeSlice: 2, Region: 3, InBounds: 3, InputLength: 1,
            LastChunk: 24 * n + 1, NothingLeft: 1, PointValid: 1, InGroup: 1)),
        row("`sol_alt_bn128_compression`, to the short form in the n-th group",
            |n| curves::bn254_compression(2 * n - 2), &[1, 2], asks!(|n|
            Selector: 4 * n - 3, UnitsShort: 1, EmptySlice: 3, HugeSlice: 2, Region: 3, InBounds: 3,
            InputLength: 1, LastChunk: 8 * n + 1, NothingLeft: 1, PointValid: 1)),
        row("`sol_alt_bn128_compression`, to the long form in the n-th group",
            |n| curves::bn254_compression(2 * n - 1), &[1, 2], asks!(|n|
            Selector: 4 * n - 1, UnitsShort: 1, EmptySlice: 3, HugeSlice: 2, Region: 3, InBounds: 3,
            InputLength: 1, LastChunk: 4 * n + 1, NothingLeft: 1, PointValid: 1)),
        row("`sol_poseidon`, n inputs", curves::poseidon, &[1, 2, 5], asks!(|n|
            Selector: 2, SliceCount: 1, UnitsShort: 1, EmptySlice: n + 3, HugeSlice: n + 2, Region: n + 3,
            InBounds: n + 3, Unaligned: 1, NothingLeft: n + 1, InputLength: n, PointValid: 1)),
        row("`sol_big_mod_exp`, n bytes to the power of one byte", big_mod_exp::of_length, &[1, 7, 8, 9, 40],
            asks!(|n|
            UnitsShort: 2, Unaligned: 1, InputLength: 1, EmptySlice: 5, HugeSlice: 4, Region: 6, InBounds: 6,
            LastChunk: 3 * (n / 8) + 4, NothingLeft: 4, ModulusOdd: 1)),
    ]
}

/// What the getter of a structure of n bytes asks.
#[rustfmt::skip]
fn getter() -> Vec<Times> {
    asks!(|n|
        UnitsShort: 1, Unaligned: 2, PointerRange: 1, EmptySlice: 2, HugeSlice: 1, Region: 2, InBounds: 2,
        LastChunk: n / 8 + 1, NothingLeft: 1)
}

/// What every call asks besides: that the instruction is a call, and of which syscall; and if it returns,
/// that the number is no function's as well.
fn expected(row: &Row, n: u64, returns: bool) -> BTreeMap<Site, u64> {
    let mut sites = BTreeMap::from([(Site::Unit, 1), (Site::SyscallFound, 1), (Site::Syscall, 1)]);
    if returns {
        sites.extend([(Site::Unit, 2), (Site::FunctionFound, 1)]);
    }
    sites.extend(row.asks.iter().map(|(site, _, times)| (*site, times(n))));
    sites.retain(|_, times| *times > 0);
    sites
}

#[test]
fn formulas() {
    let e = Counted::new(evaluators::fresh());
    for row in rows() {
        for n in row.lengths {
            let case = (row.case)(*n);
            assert_eq!(case.call.run(e.inner(), Mode::Lazy), case.expected, "{}, n = {n}", row.what);
            let mut machine = case.call.machine(&e, Mode::Lazy);
            e.restart();
            machine.step().unwrap();
            let counts = e.counts();
            let sites = Site::ALL.into_iter().map(|site| (site, counts.at(site)));
            let found: BTreeMap<_, _> = sites.filter(|(_, times)| *times > 0).collect();
            let expected = expected(&row, *n, case.expected.result.is_ok());
            assert_eq!(found, expected, "{}, n = {n}", row.what);
        }
    }
}

/// Every syscall that the weights compute has a formula.
#[test]
fn every_syscall_has_one() {
    let called: Vec<Case> =
        rows().iter().flat_map(|row| row.lengths.iter().map(|n| (row.case)(*n))).collect();
    let computed = ALL_SYSCALLS.iter().copied().filter(|name| !name.starts_with("sol_invoke_"));
    assert_eq!(crate::call::names(&called), computed.collect());
}

#[test]
fn documented() {
    let mut text = "| call | observations |\n| --- | --- |\n".to_owned();
    for row in rows() {
        let one = |(site, formula, _): &Times| match *formula {
            "1" => format!("{site:?}"),
            formula => format!("{site:?} {formula}"),
        };
        let asks: Vec<String> = row.asks.iter().map(one).collect();
        let asks = if asks.is_empty() { "none".to_owned() } else { asks.join("; ") };
        writeln!(text, "| {} | {asks} |", row.what).unwrap();
    }
    check("docs/SYSCALLS.md", "observations", &text);
}
