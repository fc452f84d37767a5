//! The syscalls of curves and fields, called by a program: values known from elsewhere, edges of the
//! encodings, charges and the order of the checks.

use std::{collections::BTreeMap, sync::LazyLock};
use svmllm::{
    host::{
        Ended, Environment, HEAP_ADDRESS, Machine, Mode, Program, Setup, Version, symbol_key,
        syscall_names::ALL_SYSCALLS,
    },
    tables::{Indexed, Weights, alphabet::Region},
};

static EVALUATOR: LazyLock<Indexed> = LazyLock::new(|| Indexed::new(&Weights::generate()).unwrap());

/// Where the tests have results written to, on the heap.
const RESULT: usize = 4096;
/// Its address.
const TO: u64 = HEAP_ADDRESS + RESULT as u64;
const UNITS: u64 = 1_000_000;

/// What a call came to: r0 or the name of the error, units used, and 576 bytes at the result's place.
#[derive(Debug, PartialEq)]
struct Outcome {
    result: Result<u64, String>,
    used: u64,
    written: Vec<u8>,
}

impl Outcome {
    /// The bytes written by a call that succeeded at a price.
    fn wrote(&self, length: usize, price: u64) -> &[u8] {
        assert_eq!((&self.result, self.used), (&Ok(0), price));
        assert!(self.written[length..].iter().all(|&byte| byte == 0xee));
        &self.written[..length]
    }

    /// It returned 1 at a price and wrote nothing.
    fn refused(&self, price: u64) {
        assert_eq!((&self.result, self.used), (&Ok(1), price));
        assert!(self.written.iter().all(|&byte| byte == 0xee));
    }

    /// It failed at a price and wrote nothing.
    fn failed(&self, error: &str, price: u64) {
        assert_eq!((self.result.as_ref().unwrap_err().as_str(), self.used), (error, price));
        assert!(self.written.iter().all(|&byte| byte == 0xee));
    }
}

fn call(name: &str, arguments: [u64; 5], heap: &[u8], units: u64) -> Outcome {
    let mut text = vec![0x85, 0, 0, 0];
    text.extend(symbol_key(name.as_bytes()).to_le_bytes());
    text.extend([0x95, 0, 0, 0, 0, 0, 0, 0]);
    let program = Program::from_text(Version::V0, text, 0, BTreeMap::new());
    let mut memory = heap.to_vec();
    assert!(memory.len() <= RESULT);
    memory.resize(RESULT, 0);
    memory.extend([0xee; 576]);
    let setup = Setup {
        input: Vec::new(),
        heap: 32 * 1024,
        budget: units + 1,
        registers: (1..).zip(arguments).collect(),
        memory: vec![(HEAP_ADDRESS, memory)],
    };
    let environment = Environment { syscalls: ALL_SYSCALLS.into(), ..Environment::default() };
    let mut machine = Machine::new(&*EVALUATOR, &program, &setup, &environment, Mode::Lazy).unwrap();
    let result = match machine.step().unwrap().cloned() {
        None => Ok(machine.register(0).unwrap()),
        Some(Ended::Error(error)) => Err(error.name()),
        Some(other) => panic!("{other:?}"),
    };
    Outcome {
        result,
        used: units - machine.remaining().unwrap(),
        written: machine.bytes(Region::Heap).unwrap()[RESULT..RESULT + 576].to_vec(),
    }
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().map(|digit| digit.to_digit(16).unwrap() as u8).collect();
    digits.chunks(2).map(|pair| 16 * pair[0] + pair[1]).collect()
}

/// The other order of bytes.
fn flip(bytes: &[u8], width: usize) -> Vec<u8> {
    bytes.chunks(width).flat_map(|chunk| chunk.iter().rev().copied()).collect()
}

fn bn254(operation: u64, input: &[u8]) -> Outcome {
    let arguments = [operation, HEAP_ADDRESS, input.len() as u64, TO, 0];
    call("sol_alt_bn128_group_op", arguments, input, UNITS)
}

fn bn254_compression(operation: u64, input: &[u8]) -> Outcome {
    let arguments = [operation, HEAP_ADDRESS, input.len() as u64, TO, 0];
    call("sol_alt_bn128_compression", arguments, input, UNITS)
}

/// (1, 2).
fn bn254_first() -> Vec<u8> {
    let mut point = vec![0; 64];
    (point[31], point[63]) = (1, 2);
    point
}

const BN254_TWICE: &str = "030644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd3\
                           15ed738c0e0a7c92e7845f96b2ae9c0a68a6a449e3538fc7ff3ebf7a5a18a2c4";
const BN254_SECOND: &str = "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2\
                            1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed\
                            090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b\
                            12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa";
const BN254_MODULUS: &str = "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47";

#[test]
fn bn254_adds_and_multiplies() {
    let (point, twice) = (bn254_first(), hex(BN254_TWICE));
    let both = [&*point, &point].concat();
    assert_eq!(bn254(0, &both).wrote(64, 334), twice);
    assert_eq!(bn254(0x80, &flip(&both, 32)).wrote(64, 334), flip(&twice, 32));
    // A short input of the big order ends with zeros: the point at infinity.
    assert_eq!(bn254(0, &point).wrote(64, 334), point);
    assert_eq!(bn254(0, &[]).wrote(64, 334), [0; 64]);
    bn254(0x80, &flip(&point, 32)).refused(334);
    bn254(0, &[&*both, &[0]].concat()).refused(334);
    let mut two = [0; 32];
    two[31] = 2;
    assert_eq!(bn254(2, &[&*point, &two].concat()).wrote(64, 3840), twice);
    assert_eq!(bn254(2, &point).wrote(64, 3840), [0; 64]);
    let second = hex(BN254_SECOND);
    let sum = bn254(4, &[&*second, &second].concat());
    assert_eq!(bn254(6, &[&*second, &two].concat()).wrote(128, 15_670), sum.wrote(128, 535));
    bn254(4, &second).refused(535);
    for unknown in [1, 5, 7, 0x81, 0x100] {
        bn254(unknown, &both).failed("InvalidAttribute", 0);
    }
}

#[test]
fn bn254_reads_what_its_library_reads() {
    let modulus = hex(BN254_MODULUS);
    let with = |at: usize, bytes: &[u8]| {
        let mut point = bn254_first();
        point[at..at + bytes.len()].copy_from_slice(bytes);
        bn254(0, &point)
    };
    with(0, &modulus).refused(334);
    with(32, &modulus).refused(334);
    with(63, &[3]).refused(334);
    // Bit 254 of y alone is the point at infinity, bit 255 alone is nothing, both are wrong.
    assert_eq!(with(32, &[0x40]).wrote(64, 334), [0; 64]);
    assert_eq!(with(32, &[0x80]).wrote(64, 334), bn254_first());
    with(32, &[0xc0]).refused(334);
    with(0, &[0x40]).refused(334);
}

#[test]
fn bn254_points_become_short_and_long_again() {
    for (point, compress, decompress, width, [short, long]) in
        [(hex(BN254_TWICE), 0, 1, 32, [130, 498]), (hex(BN254_SECOND), 2, 3, 64, [186, 13_710])]
    {
        let x = bn254_compression(compress, &point).wrote(width, short).to_vec();
        assert_eq!(bn254_compression(decompress, &x).wrote(2 * width, long), point);
        let little = bn254_compression(compress | 0x80, &flip(&point, width));
        assert_eq!(little.wrote(width, short), flip(&x, width));
        let little = bn254_compression(decompress | 0x80, &flip(&x, width));
        assert_eq!(little.wrote(2 * width, long), flip(&point, width));
        bn254_compression(compress, &x).refused(short);
        bn254_compression(decompress, &point).refused(long);
    }
    bn254_compression(4, &[0; 64]).failed("InvalidAttribute", 0);
}

#[test]
fn bn254_pairings_multiply() {
    let (p, q) = (bn254_first(), hex(BN254_SECOND));
    let mut minus = p.clone();
    // p - 2.
    minus[32..].copy_from_slice(&hex(BN254_MODULUS));
    minus[63] -= 2;
    let one = |bit| {
        let mut number = [0; 32];
        number[31] = bit;
        number
    };
    let price = |pairs: u64| 36_364 + 12_121 * pairs.saturating_sub(1) + 85 + 192 * pairs + 32;
    let undone = [&*p, &q, &minus, &q].concat();
    assert_eq!(bn254(3, &undone).wrote(32, price(2)), one(1));
    assert_eq!(bn254(3, &undone[..192]).wrote(32, price(1)), one(0));
    assert_eq!(bn254(3, &[]).wrote(32, price(0)), one(1));
    bn254(3, &undone[..191]).refused(36_364 + 85 + 191 + 32);
    // The result is translated first.
    let arguments = [3, 0, 192, 0x5_0000_0000, 0];
    call("sol_alt_bn128_group_op", arguments, &[], UNITS).failed("AccessViolation", price(1));
    call("sol_alt_bn128_group_op", arguments, &[], 100).failed("ComputationalBudgetExceeded", 100);
}

const BLS_FIRST: &str = "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac58\
                         6c55e83ff97a1aeffb3af00adb22c6bb";
const BLS_SECOND: &str = "93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049\
                          334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051\
                          c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8";

fn decompress(curve: u64, x: &[u8]) -> Outcome {
    call("sol_curve_decompress", [curve, HEAP_ADDRESS, TO, 0, 0], x, UNITS)
}

fn validate(curve: u64, point: &[u8]) -> Outcome {
    call("sol_curve_validate_point", [curve, HEAP_ADDRESS, 0, 0, 0], point, UNITS)
}

fn operate(curve: u64, operation: u64, left: &[u8], right: &[u8]) -> Outcome {
    let arguments = [curve, operation, HEAP_ADDRESS, HEAP_ADDRESS + left.len() as u64, TO];
    call("sol_curve_group_op", arguments, &[left, right].concat(), UNITS)
}

#[test]
fn bls12_381_groups() {
    for (curve, x, width, [long, valid, add, subtract, multiply]) in [
        (5, hex(BLS_FIRST), 48, [2100, 1565, 128, 129, 4627]),
        (6, hex(BLS_SECOND), 96, [3050, 1968, 203, 204, 8255]),
    ] {
        let big = curve | 0x80;
        let point = decompress(big, &x).wrote(2 * width, long).to_vec();
        assert_eq!(decompress(curve, &flip(&x, width)).wrote(2 * width, long), flip(&point, width));
        assert_eq!((validate(big, &point).result, validate(curve, &point).result), (Ok(0), Ok(1)));
        assert_eq!(validate(curve, &flip(&point, width)).used, valid);
        let mut infinity = vec![0; 2 * width];
        infinity[0] = 0x40;
        assert_eq!(validate(big, &infinity).result, Ok(0));
        for wrong in [0, 0x60, 0x80, 0xc0, 0x41] {
            infinity[0] = wrong;
            assert_eq!(validate(big, &infinity).result, Ok(1), "{wrong:#x}");
        }
        infinity[0] = 0x40;
        assert_eq!(operate(big, 1, &point, &point).wrote(2 * width, subtract), infinity);
        let sum = operate(big, 0, &point, &point).wrote(2 * width, add).to_vec();
        let mut two = [0; 32];
        two[31] = 2;
        assert_eq!(operate(big, 2, &two, &point).wrote(2 * width, multiply), sum);
        operate(big, 2, &[0xff; 32], &point).refused(multiply);
        operate(big, 3, &point, &point).failed("InvalidAttribute", 0);
    }
    // x = 0, y = 2 is of order three.
    let mut small = vec![0; 96];
    small[95] = 2;
    assert_eq!(validate(0x85, &small).result, Ok(1));
    operate(0x85, 0, &small, &small).refused(128);
    decompress(4, &[0; 96]).failed("InvalidAttribute", 0);
    validate(7, &small).failed("InvalidAttribute", 0);
}

#[test]
fn bls12_381_pairings_have_a_limit_and_a_price() {
    let pair = |count, units| call("sol_curve_pairing_map", [4, count, 0, 0, TO], &[], units);
    let mut one = [0; 576];
    one[0] = 1;
    assert_eq!(pair(0, UNITS).wrote(576, 25_445), one);
    pair(1, UNITS).failed("AccessViolation", 25_445);
    pair(u64::MAX, UNITS).failed("ComputationalBudgetExceeded", UNITS);
    let arguments = [4, 9, HEAP_ADDRESS, HEAP_ADDRESS, TO];
    call("sol_curve_pairing_map", arguments, &[], UNITS).refused(25_445 + 8 * 13_023);
}

#[test]
fn poseidon_hashes() {
    let hash = |arguments: [u64; 2], inputs: &[Vec<u8>]| {
        let mut heap = Vec::new();
        let mut bytes = HEAP_ADDRESS + 1024;
        for input in inputs {
            heap.extend(bytes.to_le_bytes());
            heap.extend((input.len() as u64).to_le_bytes());
            bytes += input.len() as u64;
        }
        heap.resize(1024, 0);
        heap.extend(inputs.concat());
        let [parameters, order] = arguments;
        let arguments = [parameters, order, HEAP_ADDRESS, inputs.len() as u64, TO];
        call("sol_poseidon", arguments, &heap, UNITS)
    };
    let inputs = [vec![1; 32], vec![2; 32]];
    let expected = hex("0d54e1938f8a8c1c7deb5e0355f26319207b84fe9ca2ce1b26e735c829821990");
    assert_eq!(hash([0, 0], &inputs).wrote(32, 542 + 4 * 61), expected);
    assert_eq!(hash([0, 1], &inputs).wrote(32, 542 + 4 * 61), flip(&expected, 32));
    hash([0, 0], &[]).refused(542);
    hash([0, 0], &[vec![1; 31]]).refused(542 + 61);
    hash([0, 0], &[vec![0xff; 32]]).refused(542 + 61);
    hash([0, 0], &vec![vec![1; 32]; 13]).failed("InvalidLength", 0);
    hash([1, 2], &inputs).failed("InvalidParameters", 0);
    hash([0, 2], &inputs).failed("InvalidEndianness", 0);
}
