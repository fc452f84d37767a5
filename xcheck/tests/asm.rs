//! The assembler against solana-sbpf's: the same texts accepted, with the same slots, functions and
//! entry.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr::NonNull,
    sync::{Arc, Once},
};

use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use solana_sbpf::{
    memory_region::MemoryMapping,
    program::{BuiltinProgram, SBPFVersion},
    vm::{Config, ContextObject},
};
use svmllm::host::{AsmError, AsmErrorKind, Version, assemble, symbol_key};

const VERSIONS: [(Version, SBPFVersion); 4] = [
    (Version::V0, SBPFVersion::V0),
    (Version::V1, SBPFVersion::V1),
    (Version::V2, SBPFVersion::V2),
    (Version::V3, SBPFVersion::V3),
];

/// A context for executables that are never run.
struct NoContext;

impl ContextObject for NoContext {
    fn consume(&mut self, _amount: u64) {}
    fn get_remaining(&self) -> u64 {
        0
    }
    fn active_mapping_ptr(&mut self) -> NonNull<MemoryMapping> {
        NonNull::dangling()
    }
}

/// Text, entry and functions.
type Assembled = (Vec<u8>, usize, BTreeMap<u32, usize>);

struct Reference {
    version: Version,
    loader: Arc<BuiltinProgram<NoContext>>,
}

impl Reference {
    fn all() -> Vec<Self> {
        static QUIET: Once = Once::new();
        QUIET.call_once(|| {
            let report = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                if panic.location().is_none_or(|place| !place.file().contains("solana-sbpf")) {
                    report(panic);
                }
            }));
        });
        let new = |(version, newest)| {
            let config = Config { enabled_sbpf_versions: SBPFVersion::V0..=newest, ..Config::default() };
            Self { version, loader: Arc::new(BuiltinProgram::new_loader(config)) }
        };
        VERSIONS.map(new).into()
    }

    fn assemble(&self, source: &str) -> Result<Assembled, String> {
        let program = solana_sbpf::assembler::assemble(source, self.loader.clone())?;
        Ok((
            program.get_text_bytes().1.to_vec(),
            program.get_entrypoint_instruction_offset(),
            program.get_function_registry().iter().map(|(key, (_, pc))| (key, pc)).collect(),
        ))
    }

    /// Whether both accept the text; nothing where there is no verdict to compare.
    fn compare(&self, source: &str) -> Option<bool> {
        let ours =
            assemble(source, self.version).map(|program| (program.text, program.entry_pc, program.functions));
        if let Err(AsmError { kind: AsmErrorKind::Fill(_), .. }) = ours {
            // The reference fills until memory runs out.
            return None;
        }
        // Its arithmetic on 64-bit numbers overflows, which panics in a debug build.
        let theirs = catch_unwind(AssertUnwindSafe(|| self.assemble(source))).ok()?;
        match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => {
                assert_eq!(ours, theirs, "{:?} {source:?}", self.version);
                Some(true)
            }
            (Err(_), Err(_)) => Some(false),
            (ours, theirs) => {
                panic!("{:?} {source:?}: {ours:?}, but the reference says {theirs:?}", self.version)
            }
        }
    }
}

const STEMS: [&str; 24] = [
    "add", "sub", "mul", "div", "or", "and", "lsh", "rsh", "mod", "xor", "mov", "arsh", "hor", "neg", "lmul",
    "uhmul", "shmul", "udiv", "urem", "sdiv", "srem", "be", "le", "swap",
];
const CONDITIONS: [&str; 11] =
    ["jeq", "jgt", "jge", "jlt", "jle", "jset", "jne", "jsgt", "jsge", "jslt", "jsle"];

/// All mnemonics, and near misses.
fn mnemonics() -> Vec<String> {
    let mut names: Vec<String> =
        ["lddw", "ldxq", "ja", "syscall", "call", "callx", "exit", "return", "nop", "lddw64", "call64"]
            .map(String::from)
            .into();
    for stem in STEMS.iter().chain(&CONDITIONS) {
        names.extend(["", "8", "16", "32", "64"].map(|width| format!("{stem}{width}")));
    }
    for access in ["ldx", "st", "stx", "ld"] {
        names.extend(["", "b", "h", "w", "dw"].map(|width| format!("{access}{width}")));
    }
    names
}

const OPERANDS: [&str; 24] = [
    "r0",
    "r1",
    "r10",
    "r15",
    "r16",
    "0",
    "1",
    "-1",
    "- 3",
    "0x10",
    "32768",
    "-32769",
    "0x80000000",
    "-2147483648",
    "0xffffffffffffffff",
    "99999999999999999999",
    "[r1]",
    "[r10-8]",
    "[r16+0]",
    "[r3+40000]",
    "entrypoint",
    "function_a",
    "here",
    "nowhere",
];

/// Every mnemonic with every list of up to two operands and many of three.
#[test]
fn every_mnemonic_and_operand() {
    let mut accepted = 0;
    for reference in Reference::all() {
        if reference.version == Version::V1 {
            // It differs from version 0 in one instruction, which is among the corners.
            continue;
        }
        for name in mnemonics() {
            let mut check = |operands: &str| {
                let source = format!("exit\nhere: {name} {operands}\nfunction_a:\nexit");
                accepted += usize::from(reference.compare(&source) == Some(true));
            };
            check("");
            for first in OPERANDS {
                check(first);
                for second in OPERANDS {
                    check(&format!("{first}, {second}"));
                    if name.starts_with('j') && first == "r1" {
                        OPERANDS.iter().for_each(|third| check(&format!("{first}, {second}, {third}")));
                    }
                }
            }
        }
    }
    assert!(accepted > 10_000, "only {accepted} texts were accepted");
}

/// Programs that use the dialect's corners.
const PROGRAMS: &[&str] = &[
    "",
    "exit",
    "  \n\t exit \n",
    "entrypoint: call function_f\nexit\nfunction_f: mov64 r0, 1\nexit",
    "function_f: exit\nentrypoint: call function_f\nexit",
    "function_first:\nentrypoint:\nexit",
    "entrypoint:\nexit\nentrypoint:\nexit",
    "a: a: ja a\nexit\na: exit",
    "start: mov r1, 1\njne r1, 0, start\nja end\nlddw r1, 0x1122334455667788\nend: exit",
    "call 0\nexit\ncall -3\ncall +1\ncall -100\nexit",
    "call 0x71e3cf80\nexit",
    "syscall sol_log_\nsyscall bpf_mem_frob\nsyscall 12\nsyscall abort\nexit",
    "call sol_log_\nexit",
    "call entrypoint\nexit",
    ".fill 3, 0x0102030405060708\nhere: ja here\n.fill 0, 1\nexit",
    ".fill 2 , 3",
    ".word 1",
    ".fill",
    "add64 r10, -64\nadd r10, 64\nadd32 r10, 1\nadd64 r10, 0xffffffffff\nsub64 r10, 8",
    "callx r99\ncallx r3\ncallx r15",
    "lddw r1, -1\nlddw r2, 0xffffffff\nlddw r3, 0x80000000\nlddw r4, -0x80000001\nexit",
    "mov64 r1,\n2",
    "mov64 r1 , 2",
    "mov64\tr1, 2",
    "mov64 r1, 0x",
    "mov64 r1, 2exit",
    "exit exit",
    "call_here\nexit\n_here: exit",
    "ja reset\nreset: exit",
    "ja r1\nr1: exit",
    "7: ja 7",
    "é: mov64 r0, 1\nja é\nexit",
    "mov64 r1, ٣",
    "stdw [r1 8], 1",
    "stdw [ r1], 1",
    "stdw [r1+8 ], 1",
    "stdw [r1 + 8], -1\nldxdw r2, [r1 -16]\nstxb [r1], r2",
    ": exit",
    "a : exit",
    "exit:",
    "mov64 r1, -0x8000000000000000",
    "call 0x7fffffffffffffff",
];

#[test]
fn corners() {
    for reference in Reference::all() {
        for program in PROGRAMS {
            reference.compare(program);
        }
    }
}

/// Runs of plausible tokens in any order, and programs with characters changed.
#[test]
fn garbage() {
    const TOKENS: [&str; 30] = [
        " ",
        " ",
        "\n",
        "\n",
        ",",
        ", ",
        ":",
        ".",
        "_",
        "r",
        "r1",
        "+",
        "-",
        "0x",
        "0",
        "5",
        "fill",
        "exit",
        "ja",
        "call",
        "mov64",
        "here",
        "[",
        "]",
        "[r1+2]",
        "\t",
        "é",
        "entrypoint",
        "function_",
        "@",
    ];
    let references = Reference::all();
    let mut rng = ChaCha8Rng::seed_from_u64(0xa5);
    let mut accepted = 0;
    for round in 0..60_000 {
        let source: String = if round % 2 == 0 {
            (0..rng.random_range(0..12)).map(|_| *TOKENS.choose(&mut rng).unwrap()).collect()
        } else {
            let mut characters: Vec<char> = PROGRAMS.choose(&mut rng).unwrap().chars().collect();
            for _ in 0..rng.random_range(1..4) {
                let at = rng.random_range(0..=characters.len());
                let end = (at + rng.random_range(0..2)).min(characters.len());
                let token = TOKENS.choose(&mut rng).unwrap();
                characters.splice(at..end, token.chars().take(rng.random_range(0..3)));
            }
            characters.into_iter().filter(|c| !";#/".contains(*c)).collect()
        };
        accepted += usize::from(references[round % 4].compare(&source) == Some(true));
    }
    assert!(accepted > 2_000, "only {accepted} texts were accepted");
}

/// A comment reads as nothing.
#[test]
fn comments() {
    let with = "# one\nentrypoint: ; two\n  mov64 r0, 1 // three; # four\n  call function_f # five\n  exit\n\
                function_f: exit//";
    let without = "\nentrypoint: \n  mov64 r0, 1 \n  call function_f \n  exit\nfunction_f: exit";
    for version in VERSIONS {
        let expected = assemble(without, version.0);
        assert!(expected.is_ok());
        assert_eq!(assemble(with, version.0), expected);
    }
}

#[test]
fn symbol_keys() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for length in 0..200 {
        let name: Vec<u8> = (0..length).map(|_| rng.random()).collect();
        assert_eq!(symbol_key(&name), solana_sbpf::ebpf::hash_symbol_name(&name));
    }
}
