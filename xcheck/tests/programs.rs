//! The programs under `programs/` compute what their headers say, on solana-sbpf.

use std::{path::PathBuf, ptr::NonNull, sync::Arc};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use solana_sbpf::{
    aligned_memory::AlignedMemory,
    ebpf,
    elf::Executable,
    memory_region::{MemoryMapping, MemoryRegion},
    program::{BuiltinProgram, FunctionRegistry, SBPFVersion},
    verifier::RequisiteVerifier,
    vm::{CallFrame, Config, ContextObject, EbpfVm, ExecutionMode},
};
use svmllm::{
    host::{
        Ended, Environment, Machine, Mode, Program, Setup, Version, assemble,
        elf::{self, LoadOptions},
        verify,
    },
    tables::{Indexed, Weights},
};
use svmllm_xcheck::generate::own;

struct Context {
    remaining: u64,
    mapping: MemoryMapping,
}

impl ContextObject for Context {
    fn consume(&mut self, amount: u64) {
        self.remaining = self.remaining.saturating_sub(amount);
    }
    fn get_remaining(&self) -> u64 {
        self.remaining
    }
    fn active_mapping_ptr(&mut self) -> NonNull<MemoryMapping> {
        NonNull::from_mut(&mut self.mapping)
    }
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../programs").join(name)
}

fn loader() -> Arc<BuiltinProgram<Context>> {
    let enabled_sbpf_versions = SBPFVersion::V0..=SBPFVersion::V3;
    // As Agave has it: memory is one aligned region every 2^32.
    let config = Config { enabled_sbpf_versions, aligned_memory_mapping: true, ..Config::default() };
    Arc::new(BuiltinProgram::new_loader(config))
}

/// A program from `programs/`, assembled or loaded.
fn load(name: &str) -> Executable<Context> {
    let loader = loader();
    let executable = if name.ends_with(".s") {
        let source = std::fs::read_to_string(path(name)).unwrap();
        let program = assemble(&source, Version::V0).unwrap();
        let mut functions = FunctionRegistry::default();
        for (key, pc) in program.functions {
            let name: &[u8] = if pc == program.entry_pc { b"entrypoint" } else { b"" };
            functions.register_function(key, name, pc).unwrap();
        }
        Executable::from_text_bytes(&program.text, loader, SBPFVersion::V0, functions).unwrap()
    } else {
        Executable::load(&std::fs::read(path(name)).unwrap(), loader).unwrap()
    };
    executable.verify::<RequisiteVerifier>().unwrap();
    executable
}

/// Runs it; returns r0, or the error, and leaves `input` as the program does.
fn run(executable: &Executable<Context>, input: &mut [u8]) -> Result<u64, String> {
    let config = executable.get_config();
    let version = executable.get_sbpf_version();
    let mut stack = AlignedMemory::<{ ebpf::HOST_ALIGN }>::zero_filled(config.stack_size());
    let regions = vec![
        executable.get_ro_region(),
        MemoryRegion::new_gapped(
            &raw mut stack.as_slice_mut()[..],
            ebpf::MM_STACK_START,
            if version.stack_frame_gaps() { config.stack_frame_size as u64 } else { 0 },
        ),
        MemoryRegion::new(&raw mut input[..], ebpf::MM_INPUT_START),
    ];
    // SAFETY: the regions are distinct and outlive the mapping.
    let mapping = unsafe { MemoryMapping::new(regions, config, version) }.unwrap();
    let mut context = Context { remaining: 10_000_000, mapping };
    let loader = executable.get_loader().clone();
    let mut vm = EbpfVm::new(loader, version, &mut context, config.stack_size());
    vm.registers[1] = ebpf::MM_INPUT_START;
    let mut frames = vec![CallFrame::default(); config.max_call_depth];
    let (_, result) = vm.execute_program(executable, &mut ExecutionMode::Interpreted, &mut frames);
    Result::from(result).map_err(|error| error.to_string())
}

/// The program's result on the given words.
fn on_words(name: &str, words: &[u64]) -> Result<u64, String> {
    let mut input: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    run(&load(name), &mut input)
}

/// The program's result on `bytes` after their length.
fn on_bytes(name: &str, bytes: &[u8]) -> Result<u64, String> {
    let mut input = [&(bytes.len() as u64).to_le_bytes(), bytes].concat();
    run(&load(name), &mut input)
}

#[test]
#[ignore = "needs clang 19 and builds the linker"]
fn compiled_programs_match_their_sources() {
    let built = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let status = std::process::Command::new(path("build.sh")).arg(&built).status().unwrap();
    assert!(status.success());
    let read = |path: PathBuf| std::fs::read(path).unwrap();
    for name in own::NAMES.into_iter().chain(["crc32"]) {
        for file in [format!("{name}/{name}.so"), format!("{name}/{name}_v3.so")] {
            assert!(read(built.join(&file)) == read(path(&file)), "{file}");
        }
    }
}

/// A program on the machine: r0, or the error as the reference words it.
fn on_machine(program: &Program, input: &[u8], mode: Mode) -> Result<u64, String> {
    verify(&program.text, program.version).unwrap();
    let indexed = Indexed::new(&Weights::generate()).unwrap();
    let setup = Setup { input: input.to_vec(), budget: 10_000_000, ..Setup::default() };
    match Machine::new(&indexed, program, &setup, &Environment::bare(), mode).unwrap().run().unwrap() {
        Ended::Exit(r0) => Ok(r0),
        Ended::Error(error) => Err(error.to_string()),
        Ended::Invoke(_) => unreachable!("there are no syscalls"),
    }
}

/// The same source compiled for versions 0 and 3.
#[test]
fn crc32() {
    let mut random = [0; 1000];
    ChaCha8Rng::seed_from_u64(7).fill(&mut random[..]);
    for bytes in [&b""[..], b"123456789", &random] {
        let crc = !bytes.iter().fold(!0u32, |crc, &byte| {
            (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ ((crc & 1) * 0xedb8_8320))
        });
        let input = [&(bytes.len() as u64).to_le_bytes(), bytes].concat();
        for (name, version) in [("crc32/crc32.so", Version::V0), ("crc32/crc32_v3.so", Version::V3)] {
            assert_eq!(on_bytes(name, bytes), Ok(crc.into()), "{name}");
            let program = elf::load(&std::fs::read(path(name)).unwrap(), &LoadOptions::deployment()).unwrap();
            assert_eq!(program.version, version);
            assert_eq!(on_machine(&program, &input, Mode::Lazy), Ok(crc.into()), "{name}");
            assert_eq!(on_machine(&program, &input, Mode::Full), Ok(crc.into()), "{name}");
        }
    }
}

/// A version 3 file: header, two segments, data, text; it starts at its first slot.
fn strict_elf(data: &[u8], text: &[u8]) -> Vec<u8> {
    const CODE: u64 = 0x1_0000_0000;
    let (data_start, text_start) = (176, 176 + data.len() as u64);
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(16, 0);
    for (value, width) in
        [(3, 2), (247, 2), (1, 4), (CODE, 8), (64, 8), (0, 8), (3, 4), (64, 2), (56, 2), (2, 2)]
    {
        file.extend(&u64::to_le_bytes(value)[..width]);
    }
    file.resize(64, 0);
    for (flags, start, address, length) in
        [(4u64, data_start, 0, data.len() as u64), (1, text_start, CODE, text.len() as u64)]
    {
        for word in [1 | flags << 32, start, address, address, length, length, 0] {
            file.extend(word.to_le_bytes());
        }
    }
    [file, data.to_vec(), text.to_vec()].concat()
}

/// Data at address 0, a jump on 32 bits, a static call, a call through the destination register, frames
/// next to each other; and code that cannot be read.
#[test]
fn hand_made_files_of_version_3() {
    let calls = "
        mov64 r7, 0
        ldxdw r0, [r7+8]
        lddw r2, 0x1fffffffb
        jslt32 r2, 0, negative
        exit
        negative:
        call function_double
        lddw r3, 0x100000068
        callx r3
        ldxdw r4, [r10+4088]
        add64 r0, r4
        exit
        function_double:
        add64 r0, r0
        stxdw [r10-8], r0
        exit";
    let reads_code = "lddw r1, 0x100000000\n ldxb r0, [r1+0]\n exit";
    let data: Vec<u8> = [7u64, 21].iter().flat_map(|word| word.to_le_bytes()).collect();
    let violation = "Access violation reading 1 bytes at address 0x100000000 (in unallocated region)";
    for (source, expected) in [(calls, Ok(168)), (reads_code, Err(violation.to_owned()))] {
        let text = assemble(source, Version::V3).unwrap().text;
        let file = strict_elf(&data, &text);
        let executable = Executable::load(&file, loader()).unwrap();
        executable.verify::<RequisiteVerifier>().unwrap();
        let reference = run(&executable, &mut [0; 8]);
        let program = elf::load(&file, &LoadOptions::deployment()).unwrap();
        for mode in [Mode::Lazy, Mode::Full] {
            assert_eq!(on_machine(&program, &[0; 8], mode), reference);
        }
        assert_eq!(reference, expected);
    }
}

#[test]
fn fib() {
    for (n, expected) in [(0, 0), (1, 1), (2, 1), (10, 55), (93, 12_200_160_415_121_876_738)] {
        assert_eq!(on_words("fib/fib.s", &[n]), Ok(expected));
    }
}

#[test]
fn gcd() {
    for (a, b, expected) in [(0, 0, 0), (12, 0, 12), (0, 12, 12), (48, 36, 12), (u64::MAX, 3 << 40, 3)] {
        assert_eq!(on_words("gcd/gcd.s", &[a, b]), Ok(expected));
    }
}

#[test]
fn factorial() {
    for (n, expected) in
        [(0, 1), (1, 1), (5, 120), (20, 2_432_902_008_176_640_000), (21, 14_197_454_024_290_336_768)]
    {
        assert_eq!(on_words("factorial/factorial.s", &[n]), Ok(expected));
    }
    assert!(on_words("factorial/factorial.s", &[63]).is_ok());
    let error = on_words("factorial/factorial.s", &[64]).unwrap_err();
    assert_eq!(error, "exceeded max BPF to BPF call depth");
}

#[test]
fn isqrt() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let random = std::iter::from_fn(|| Some(rng.random::<u64>() >> rng.random_range(0..64))).take(50);
    for n in [0, 1, 2, 3, 4, u64::MAX, (1 << 62) - 1, 1 << 62].into_iter().chain(random) {
        assert_eq!(on_words("isqrt/isqrt.s", &[n]), Ok(n.isqrt()), "{n}");
    }
}

#[test]
fn prime() {
    for n in 0..200 {
        let expected = n >= 2 && (2..n).all(|d| n % d != 0);
        assert_eq!(on_words("primes/prime.s", &[n]), Ok(expected.into()), "{n}");
    }
    assert_eq!(on_words("primes/prime.s", &[1_000_000_007]), Ok(1));
}

#[test]
fn sort() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    for n in 0..40u64 {
        let mut words: Vec<u64> = (0..n).map(|_| rng.random::<u64>() >> rng.random_range(0..64)).collect();
        let mut input: Vec<u8> = [n].iter().chain(&words).flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(run(&load("sort/sort.s"), &mut input), Ok(n));
        words.sort();
        let sorted: Vec<u8> = [n].iter().chain(&words).flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(input, sorted);
    }
}

#[test]
fn collatz() {
    for (n, expected) in [(1, 0), (2, 1), (3, 7), (27, 111), (837_799, 524)] {
        assert_eq!(on_words("collatz/collatz.s", &[n]), Ok(expected));
    }
}

#[test]
fn checksum() {
    assert_eq!(on_bytes("checksum/checksum.s", b""), Ok(0xffff));
    assert_eq!(on_bytes("checksum/checksum.s", &[0, 1, 0xf2, 3, 0xf4, 0xf5, 0xf6, 0xf7]), Ok(0x220d));
    let bytes: Vec<u8> = (0..=254).collect();
    let sum: u64 =
        bytes.chunks(2).map(|pair| u64::from(pair[0]) << 8 | u64::from(*pair.get(1).unwrap_or(&0))).sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    assert_eq!(on_bytes("checksum/checksum.s", &bytes), Ok(folded ^ 0xffff));
}
