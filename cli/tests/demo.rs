//! `svmllm demo`.

mod common;

use common::{Folder, noise, svmllm};

/// The result a demo prints.
fn demo(args: &[&str]) -> String {
    let call = svmllm(&[&["demo"], args].concat());
    assert_eq!(call.code, 0, "{call:?}");
    for figure in ["steps", "layers", "observations", "time"] {
        assert!(!call.field(figure).is_empty());
    }
    call.field("result").to_owned()
}

#[test]
fn without_a_name_they_are_listed() {
    let call = svmllm(&["demo"]);
    assert_eq!(call.code, 0);
    let names = call.out.lines().filter_map(|line| line.strip_prefix("svmllm demo ")?.split(' ').next());
    assert_eq!(
        names.collect::<Vec<_>>(),
        [
            "fib",
            "factorial",
            "gcd",
            "isqrt",
            "prime",
            "sort",
            "checksum",
            "collatz",
            "transfer",
            "guard",
            "crc32"
        ]
    );
}

#[test]
fn fibonacci() {
    let (mut this, mut next) = (0u64, 1u64);
    for n in 0..=100 {
        if n % 25 == 0 || n == 1 {
            assert_eq!(demo(&["fib", &n.to_string()]), this.to_string());
        }
        (this, next) = (next, this.wrapping_add(next));
    }
    assert_eq!(demo(&["fib"]), "2880067194370816120");
    assert_eq!(demo(&["fib", "--preset", "small"]), "55");
    assert_eq!(demo(&["fib", "3", "--evaluator", "dense"]), "2");
    assert_eq!(demo(&["fib", "3", "--full"]), "2");
}

#[test]
fn crc32_equals_a_known_one() {
    let folder = Folder::new();
    for length in [0, 1, 2, 9, 255, 4097, 100_000] {
        let bytes = noise(length, 3);
        let crc = format!("{:08x}", crc32fast::hash(&bytes));
        assert_eq!(demo(&["crc32", &folder.write("file", bytes)]), crc, "{length} bytes");
    }
    let text = folder.write("check", "123456789");
    assert_eq!(demo(&["crc32", &text]), "cbf43926");
    assert_eq!(demo(&["crc32", &text, "--evaluator", "dense"]), "cbf43926");
}

#[test]
fn the_others() {
    let folder = Folder::new();
    let packet = folder.write("packet", [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]);
    for (args, result) in [
        (&["checksum", &packet][..], "220d"),
        (&["collatz", "27"], "111"),
        (&["collatz", "1"], "0"),
        (&["factorial"], "2432902008176640000"),
        (&["factorial", "0"], "1"),
        (&["gcd", "12", "18"], "6"),
        (&["gcd", "0", "5"], "5"),
        (&["isqrt", "99"], "9"),
        (&["isqrt", "18446744073709551615"], "4294967295"),
        (&["prime", "97"], "prime"),
        (&["prime", "91"], "not prime"),
        (&["sort", "3", "1", "2"], "1 2 3"),
        (&["gcd", "0"], "701408733"),
        (&["checksum"], "f62a"),
        (&["sort", "18446744073709551615", "0"], "0 18446744073709551615"),
    ] {
        assert_eq!(demo(args), result, "{args:?}");
    }
}

#[test]
fn bad_usage() {
    for (args, code) in [
        (&["nothing"][..], 2),
        (&["crc32", "a", "b"], 2),
        (&["fib", "--preset", "nowhere"], 2),
        (&["fib", "3", "--preset", "small"], 2),
        (&["crc32", "/nowhere"], 2),
        (&["crc32", "/"], 2),
        (&["fib", "x"], 2),
        (&["fib", "-1"], 2),
        (&["fib", "1", "2"], 2),
        (&["fib", "18446744073709551616"], 2),
        (&["factorial", "64"], 1),
    ] {
        let call = svmllm(&[&["demo"], args].concat());
        assert_eq!(call.code, code, "{call:?}");
        assert!(!call.err.is_empty(), "{call:?}");
    }
}
