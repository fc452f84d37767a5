//! The verifier against solana-sbpf's: the same verdict, to the letter, on the same text.

use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use solana_sbpf::{
    program::SBPFVersion,
    verifier::{RequisiteVerifier, Verifier},
    vm::Config,
};
use svmllm::host::{Version, verify};

const VERSIONS: [(Version, SBPFVersion); 4] = [
    (Version::V0, SBPFVersion::V0),
    (Version::V1, SBPFVersion::V1),
    (Version::V2, SBPFVersion::V2),
    (Version::V3, SBPFVersion::V3),
];

/// Immediates at which a rule changes its mind.
const IMMEDIATES: [i32; 16] = [0, 1, 2, 9, 10, 16, 31, 32, 63, 64, 65, 128, -1, -64, i32::MAX, i32::MIN];

const EXIT: [u8; 8] = [0x95, 0, 0, 0, 0, 0, 0, 0];

/// Whether both agree, and how: the variant's name, or nothing for an accepted text.
fn compare(text: &[u8], (version, reference): (Version, SBPFVersion), config: &Config) -> &'static str {
    let ours = verify(text, version);
    let theirs = RequisiteVerifier::verify(text, config, reference);
    match (&ours, &theirs) {
        (Ok(()), Ok(())) => "",
        (Err(ours), Err(theirs)) => {
            let debug = format!("{theirs:?}");
            assert_eq!(format!("{ours:?}"), debug, "{version:?} {text:02x?}");
            assert_eq!(ours.to_string(), theirs.to_string(), "{version:?} {text:02x?}");
            assert_eq!(debug.split('(').next(), Some(ours.name()));
            ours.name()
        }
        _ => panic!("{version:?} {text:02x?}: {ours:?}, but the reference says {theirs:?}"),
    }
}

/// Every version, opcode and pair of registers, with telling immediates and offsets, before a slot
/// that an `lddw` can take and before one that it cannot.
#[test]
fn every_opcode_and_register() {
    let config = Config::default();
    for version in VERSIONS {
        for opcode in 0..=255 {
            for registers in 0..=255 {
                let imm = IMMEDIATES[usize::from(registers) % IMMEDIATES.len()];
                for (offset, imm) in [(0i16, 16i32), (1, imm), (-2, imm ^ 1)] {
                    let mut slot = [opcode, registers, 0, 0, 0, 0, 0, 0];
                    slot[2..4].copy_from_slice(&offset.to_le_bytes());
                    slot[4..].copy_from_slice(&imm.to_le_bytes());
                    compare(&[slot, EXIT, EXIT].concat(), version, &config);
                    compare(&[slot, [0; 8], EXIT].concat(), version, &config);
                }
            }
            for imm in IMMEDIATES {
                let mut slot = [opcode, 0, 0, 0, 0, 0, 0, 0];
                slot[4..].copy_from_slice(&imm.to_le_bytes());
                compare(&[slot, EXIT].concat(), version, &config);
                slot[1] = 10;
                compare(&[slot, EXIT].concat(), version, &config);
            }
        }
    }
}

#[test]
fn random_texts() {
    const TEXTS: usize = 200_000;
    let config = Config::default();
    let mut seen = std::collections::BTreeSet::new();
    let mut rng = ChaCha8Rng::seed_from_u64(0x5eed);
    for version in VERSIONS {
        let known: Vec<u8> = (0..=255)
            .filter(|&opcode| {
                let text = [[opcode, 0, 0, 0, 16, 0, 0, 0], EXIT].concat();
                compare(&text, version, &config) != "UnknownOpCode"
            })
            .collect();
        for _ in 0..TEXTS {
            let slots = rng.random_range(0..12);
            let mut text: Vec<u8> = (0..slots).flat_map(|_| random_slots(&mut rng, &known)).collect();
            match rng.random_range(0..20) {
                0 => text.truncate(rng.random_range(0..=text.len())),
                1 => rng.fill(text.as_mut_slice()),
                _ => {}
            }
            seen.insert(compare(&text, version, &config));
        }
    }
    let expected = [
        "",
        "CannotWriteR10",
        "DivisionByZero",
        "IncompleteLDDW",
        "InvalidDestinationRegister",
        "InvalidRegister",
        "InvalidSourceRegister",
        "JumpOutOfCode",
        "JumpToMiddleOfLDDW",
        "LDDWCannotBeLast",
        "NoProgram",
        "ProgramLengthNotMultiple",
        "ShiftWithOverflow",
        "UnalignedImmediate",
        "UnknownOpCode",
        "UnsupportedLEBEArgument",
    ];
    assert_eq!(Vec::from_iter(seen), expected);
}

/// A slot that is likely to be accepted; an `lddw` mostly brings its second half.
fn random_slots(rng: &mut ChaCha8Rng, known: &[u8]) -> Vec<u8> {
    let rare = |rng: &mut ChaCha8Rng| rng.random_ratio(1, 30);
    let opcode = if rare(rng) { rng.random() } else { *known.choose(rng).unwrap() };
    let limit = if rare(rng) { 16 } else { 11 };
    let (dst, src) = (rng.random_range(0..limit), rng.random_range(0..limit));
    let offset: i16 = if rare(rng) { rng.random() } else { rng.random_range(-3..4) };
    let imm = if rare(rng) { rng.random() } else { *IMMEDIATES.choose(rng).unwrap() };
    let mut slots = vec![opcode, src << 4 | dst];
    slots.extend(offset.to_le_bytes());
    slots.extend(imm.to_le_bytes());
    if opcode == 0x18 && !rare(rng) {
        slots.extend([0, 0, 0, 0]);
        slots.extend(imm.to_le_bytes());
    }
    slots
}
