//! The programs that come with the command.

use anyhow::{Context, bail, ensure};
use svmllm::host::{Program, Version};

use crate::source;

/// A program that comes with the command.
pub struct Sample {
    /// What it is called.
    pub name: &'static str,
    /// What it computes.
    pub about: &'static str,
    /// The program itself.
    pub code: Code,
    /// What its input is made from.
    pub takes: Takes,
    /// Arguments worth trying, the first of them what is used without any.
    pub presets: &'static [Preset],
    show: fn(&[u8], u64) -> String,
}

/// A program as it was written or compiled.
pub enum Code {
    /// Commented assembly.
    Assembly(&'static str),
    /// An ELF file.
    Elf(&'static [u8]),
}

/// Arguments with a name.
pub struct Preset {
    /// What is special about them.
    pub label: &'static str,
    /// What they are; for a program that takes bytes, a text.
    pub arguments: &'static [&'static str],
}

/// What a sample's input is made from.
pub enum Takes {
    /// Numbers with these names.
    Numbers(&'static [&'static str]),
    /// Any number of numbers, their count before them.
    List,
    /// Bytes, their length before them; and about how many instructions a byte takes.
    Bytes(f64),
}

const fn preset(label: &'static str, arguments: &'static [&'static str]) -> Preset {
    Preset { label, arguments }
}

/// Every sample.
pub const SAMPLES: [Sample; 11] = [
    Sample {
        name: "fib",
        about: "the Nth Fibonacci number, modulo 2^64",
        code: Code::Assembly(include_str!("../../programs/fib/fib.s")),
        takes: Takes::Numbers(&["N"]),
        presets: &[
            preset("ninetieth", &["90"]),
            preset("small", &["10"]),
            preset("last below 2^64", &["93"]),
            preset("wraps", &["1000"]),
        ],
        show: number,
    },
    Sample {
        name: "factorial",
        about: "N!, modulo 2^64, by recursion",
        code: Code::Assembly(include_str!("../../programs/factorial/factorial.s")),
        takes: Takes::Numbers(&["N"]),
        presets: &[
            preset("last below 2^64", &["20"]),
            preset("small", &["5"]),
            preset("wraps", &["25"]),
            preset("deepest", &["63"]),
        ],
        show: number,
    },
    Sample {
        name: "gcd",
        about: "the greatest common divisor of A and B",
        code: Code::Assembly(include_str!("../../programs/gcd/gcd.s")),
        takes: Takes::Numbers(&["A", "B"]),
        presets: &[
            preset("neighbouring Fibonacci numbers", &["1134903170", "701408733"]),
            preset("small", &["48", "36"]),
            preset("large", &["18446744073709551615", "4294967295"]),
            preset("with zero", &["0", "5"]),
        ],
        show: number,
    },
    Sample {
        name: "isqrt",
        about: "the integer square root of N",
        code: Code::Assembly(include_str!("../../programs/isqrt/isqrt.s")),
        takes: Takes::Numbers(&["N"]),
        presets: &[
            preset("nineteen digits", &["2000000000000000000"]),
            preset("one below a square", &["99"]),
            preset("largest", &["18446744073709551615"]),
        ],
        show: number,
    },
    Sample {
        name: "prime",
        about: "whether N is prime, by trial division",
        code: Code::Assembly(include_str!("../../programs/primes/prime.s")),
        takes: Takes::Numbers(&["N"]),
        presets: &[
            preset("a million and three", &["1000003"]),
            preset("small", &["97"]),
            preset("seven times thirteen", &["91"]),
            preset("a Carmichael number", &["561"]),
        ],
        show: |_, result| (if result == 1 { "prime" } else { "not prime" }).to_owned(),
    },
    Sample {
        name: "sort",
        about: "numbers in ascending order",
        code: Code::Assembly(include_str!("../../programs/sort/sort.s")),
        takes: Takes::List,
        presets: &[
            preset("digits of pi", &["31", "41", "59", "26", "53", "58", "97", "93", "23", "84"]),
            preset("backwards", &["8", "7", "6", "5", "4", "3", "2", "1"]),
            preset("extremes", &["18446744073709551615", "0"]),
        ],
        show: sorted,
    },
    Sample {
        name: "checksum",
        about: "the Internet checksum of a file",
        code: Code::Assembly(include_str!("../../programs/checksum/checksum.s")),
        takes: Takes::Bytes(3.5),
        presets: &[preset("digits", &["123456789"]), preset("a greeting", &["Hello, weights!"])],
        show: |_, result| format!("{result:04x}"),
    },
    Sample {
        name: "collatz",
        about: "the number of Collatz steps from N to 1",
        code: Code::Assembly(include_str!("../../programs/collatz/collatz.s")),
        takes: Takes::Numbers(&["N"]),
        presets: &[
            preset("famous", &["27"]),
            preset("longest below a million", &["837799"]),
            preset("a power of two", &["65536"]),
        ],
        show: number,
    },
    Sample {
        name: "transfer",
        about: "the balances after a token transfer of N from A to B",
        code: Code::Assembly(include_str!("../../programs/transfer/transfer.s")),
        takes: Takes::Numbers(&["A", "B", "N"]),
        presets: &[
            preset("enough", &["100", "50", "30"]),
            preset("too little", &["100", "50", "101"]),
            preset("everything", &["100", "0", "100"]),
            preset("overflow", &["100", "18446744073709551600", "30"]),
        ],
        show: transferred,
    },
    Sample {
        name: "guard",
        about: "whether a vault lets a withdrawal through",
        code: Code::Assembly(include_str!("../../programs/guard/guard.s")),
        takes: Takes::Numbers(&["BALANCE", "AMOUNT", "LIMIT", "SPENT", "NOW", "OPENS"]),
        presets: &[
            preset("within the limit", &["1000", "80", "100", "20", "1700000000", "1600000000"]),
            preset("over the limit", &["1000", "81", "100", "20", "1700000000", "1600000000"]),
            preset("too small a balance", &["50", "80", "100", "0", "1700000000", "1600000000"]),
            preset("still closed", &["1000", "80", "100", "0", "1700000000", "1800000000"]),
        ],
        show: guarded,
    },
    Sample {
        name: "crc32",
        about: "the CRC-32 of a file, compiled from C",
        code: Code::Elf(include_bytes!("../../programs/crc32/crc32.so")),
        takes: Takes::Bytes(15.0),
        presets: &[preset("digits", &["123456789"]), preset("a greeting", &["Hello, weights!"])],
        show: |_, result| format!("{result:08x}"),
    },
];

fn number(_: &[u8], result: u64) -> String {
    result.to_string()
}

/// The numbers of an input region.
fn words(input: &[u8]) -> impl Iterator<Item = u64> {
    input.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word))
}

/// The numbers after their count, as the program left them.
fn sorted(input: &[u8], _: u64) -> String {
    words(input).skip(1).map(|word| word.to_string()).collect::<Vec<_>>().join(" ")
}

fn transferred(input: &[u8], result: u64) -> String {
    match result {
        0 => words(input).take(2).map(|word| word.to_string()).collect::<Vec<_>>().join(" and "),
        1 => "refused, too little (1)".into(),
        _ => format!("refused, the balance would overflow ({result})"),
    }
}

fn guarded(_: &[u8], result: u64) -> String {
    let reason = match result {
        0 => return "allowed".into(),
        1 => "nothing is asked for",
        2 => "the vault is closed",
        3 => "the balance is too small",
        _ => "the limit of the day",
    };
    format!("refused, {reason} ({result})")
}

impl Sample {
    /// The sample with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        const ALL: &[Sample] = &SAMPLES;
        ALL.iter().find(|sample| sample.name == name)
    }

    /// The program, verified.
    pub fn program(&self) -> anyhow::Result<Program> {
        Ok(match self.code {
            Code::Assembly(text) => source::assemble(text, Version::V0)?,
            Code::Elf(file) => source::load_elf(file, false)?,
        })
    }

    /// The answer in words: what the input region holds after the run, and r0.
    pub fn answer(&self, input: &[u8], result: u64) -> String {
        (self.show)(input, result)
    }

    /// The preset with this label.
    pub fn preset(&self, label: &str) -> Option<&'static Preset> {
        self.presets.iter().find(|preset| preset.label == label)
    }
}

impl Takes {
    /// The arguments' names, as a usage line has them.
    pub fn usage(&self) -> String {
        match self {
            Self::Numbers(names) => {
                names.iter().map(|name| format!("[{name}]")).collect::<Vec<_>>().join(" ")
            }
            Self::List => "[N]...".into(),
            Self::Bytes(_) => "[FILE]".into(),
        }
    }

    /// The input region for arguments; those left out at the end are taken from `presets`. A text stands for
    /// its bytes.
    pub fn input<T: AsRef<str>>(&self, arguments: &[T], presets: &[Preset]) -> anyhow::Result<Vec<u8>> {
        let defaults = presets.first().map_or(&[][..], |preset| preset.arguments);
        let given: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        let number = |text: &str| text.parse::<u64>().with_context(|| format!("{text:?} is no number"));
        let words: Vec<u64> = match self {
            Self::Numbers(names) => {
                ensure!(given.len() <= names.len(), "expected {}", self.usage());
                let rest = defaults.get(given.len()..).unwrap_or_default();
                given.iter().chain(rest).map(|text| number(text)).collect::<anyhow::Result<_>>()?
            }
            Self::List => {
                let list = if given.is_empty() { defaults } else { &given };
                let numbers = list.iter().map(|text| number(text)).collect::<anyhow::Result<Vec<_>>>()?;
                [vec![numbers.len() as u64], numbers].concat()
            }
            Self::Bytes(_) => match given.as_slice() {
                [] => return Ok(counted(defaults.concat().as_bytes())),
                [text] => return Ok(counted(text.as_bytes())),
                _ => bail!("expected {}", self.usage()),
            },
        };
        Ok(words.into_iter().flat_map(u64::to_le_bytes).collect())
    }

    /// About how many instructions an input takes, where that is known.
    pub fn instructions(&self, input: &[u8]) -> Option<u64> {
        match self {
            Self::Bytes(each) => Some((each * input.len() as f64) as u64),
            _ => None,
        }
    }
}

/// Bytes after their length.
pub fn counted(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u64).to_le_bytes(), bytes].concat()
}
