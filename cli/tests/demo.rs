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

/// Every preset that is listed runs, with these results.
#[test]
fn presets() {
    let results = [
        ("fib", &["2880067194370816120", "55", "12200160415121876738", "817770325994397771"][..]),
        ("factorial", &["2432902008176640000", "120", "7034535277573963776", "1585267068834414592"]),
        ("gcd", &["1", "12", "4294967295", "5"]),
        ("isqrt", &["1414213562", "9", "4294967295"]),
        ("prime", &["prime", "prime", "not prime", "not prime"]),
        ("sort", &["23 26 31 41 53 58 59 84 93 97", "1 2 3 4 5 6 7 8", "0 18446744073709551615"]),
        ("checksum", &["f62a", "5945"]),
        ("collatz", &["111", "524", "16"]),
        (
            "transfer",
            &["70 and 80", "refused, too little (1)", "0 and 100", "refused, the balance would overflow (2)"],
        ),
        (
            "guard",
            &[
                "allowed",
                "refused, the limit of the day (4)",
                "refused, the balance is too small (3)",
                "refused, the vault is closed (2)",
            ],
        ),
        ("crc32", &["cbf43926", "e9913f79"]),
    ];
    let list = svmllm(&["demo"]).out;
    let mut listed = 0;
    for (name, results) in results {
        let part = list.split("svmllm demo ").find(|part| part.starts_with(name)).unwrap();
        let labels: Vec<&str> = part
            .lines()
            .filter_map(|line| line.trim().strip_prefix("--preset \"")?.split('"').next())
            .collect();
        assert_eq!(labels.len(), results.len(), "{name}: {labels:?}");
        listed += labels.len();
        for (label, result) in labels.iter().zip(results) {
            assert_eq!(demo(&[name, "--preset", label]), *result, "{name} {label}");
        }
    }
    assert_eq!(listed, list.matches("--preset").count());
}

#[test]
fn fibonacci() {
    let (mut this, mut next) = (0u64, 1u64);
    for n in 0..=100 {
        if n % 10 == 0 || n < 4 {
            assert_eq!(demo(&["fib", &n.to_string()]), this.to_string());
        }
        (this, next) = (next, this.wrapping_add(next));
    }
    assert_eq!(demo(&["fib"]), "2880067194370816120");
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
