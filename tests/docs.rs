//! The tables in the documentation are generated from the code and compared with it.
//!
//! Refresh them with `UPDATE_DOCS=1 cargo test --test docs`.

#[path = "common/page.rs"]
mod page;

use page::check;
use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use svmllm::{
    alu,
    host::{Environment, Machine, Mode, Program, Setup, Version, assemble, syscall_names::ALL_SYSCALLS},
    syscalls::hashes::{blake3, keccak, sha256, sha512},
    tables::{
        Array, Boundary, Counted, Counts, Evaluator, Indexed, Site, Weights,
        alphabet::{AlphabetId, Bit, Nibble},
        catalogue::TableId,
        decode,
    },
};

const PAGE: &str = "docs/WHAT_IS_IN_THE_WEIGHTS.md";

/// The doc comments of a source file, each with the first line of code after it.
fn doc_comments(source: &str) -> Vec<(String, String)> {
    let mut comments = Vec::new();
    let mut comment = String::new();
    for line in source.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            write!(comment, "{text}").unwrap();
        } else if !comment.is_empty() && !line.starts_with("#[") {
            let text = std::mem::take(&mut comment);
            comments.push((text.trim().replace('|', "\\|"), line.to_owned()));
        }
    }
    comments
}

/// A number with its thousands separated.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Parameters and non-zeros of some tensors.
fn size<'a>(arrays: impl IntoIterator<Item = &'a Array>) -> (String, String) {
    let (mut all, mut non_zeros) = (0, 0);
    for array in arrays {
        all += array.data.len() as u64;
        non_zeros += array.data.iter().filter(|x| **x != 0.0).count() as u64;
    }
    (grouped(all), grouped(non_zeros))
}

fn names(ids: &[AlphabetId]) -> String {
    let mut runs: Vec<(&str, usize)> = Vec::new();
    for id in ids {
        match runs.last_mut() {
            Some((name, count)) if *name == id.name() => *count += 1,
            _ => runs.push((id.name(), 1)),
        }
    }
    let each = |(name, count): &(&str, usize)| {
        if *count == 1 { (*name).to_owned() } else { format!("{count} {name}") }
    };
    runs.iter().map(each).collect::<Vec<_>>().join(", ")
}

/// The results of a suite.
fn results(suite: &str) -> serde_json::Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("results/{suite}.json"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// What is said of each syscall by hand, and how many of its calls were compared.
#[test]
fn calls() {
    const PAGE: &str = "docs/SYSCALLS.md";
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE)).unwrap();
    let (_, rest) = page.split_once("<!-- begin names -->\n").unwrap();
    let (table, _) = rest.split_once("<!-- end names -->").unwrap();
    let suites = ["syscalls", "curves"].map(results);
    let calls = results("cpi")["cases"].as_u64().unwrap();
    let mut names = Vec::new();
    let mut text =
        "| name | registered | weights | cost | cases |\n| --- | --- | --- | --- | ---: |\n".to_owned();
    for line in table.lines().skip(2) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let name = cells[0].trim_matches('`');
        names.push(name);
        let counted = suites.iter().find_map(|suite| suite["syscalls"][name]["cases"].as_u64());
        let cases = match counted {
            Some(cases) => grouped(cases),
            None if name.starts_with("sol_invoke") => format!("{} transactions", grouped(calls)),
            None => "in tests only".into(),
        };
        writeln!(text, "| {} | {cases} |", cells[..4].join(" | ")).unwrap();
    }
    assert_eq!(names, ALL_SYSCALLS);
    check(PAGE, "names", &text);
}

#[test]
fn alphabets() {
    let comments = doc_comments(include_str!("../src/tables/alphabet.rs"));
    let mut text = "| alphabet | letters | a digit of it says |\n| --- | ---: | --- |\n".to_owned();
    for id in AlphabetId::ALL {
        let lines = [format!("pub struct {id:?};"), format!("{id:?} {{")];
        let about = comments.iter().find(|(_, line)| lines.contains(line));
        let about = &about.expect("a documented alphabet").0;
        writeln!(text, "| `{}` | {} | {about} |", id.name(), id.radix()).unwrap();
    }
    check(PAGE, "alphabets", &text);
}

#[test]
fn parameters() {
    let weights = Weights::generate();
    let mut networks: BTreeMap<&str, Vec<(&str, &Array)>> = BTreeMap::new();
    for (name, array) in weights.tensors() {
        let (network, part) = name.rsplit_once('.').expect("a network and a part of it");
        networks.entry(network).or_default().push((part, array));
    }
    let comments = doc_comments(include_str!("../src/tables/catalogue.rs"));
    let mut text = "| table | inputs | output | units | parameters | non-zero | computes |\n\
                    | --- | --- | --- | ---: | ---: | ---: | --- |\n"
        .to_owned();
    let mut row = |name: &str, inputs: &[AlphabetId], output: &str, about: &str, network: &str| {
        let parts = networks.remove(network).expect("the table is there");
        let units: usize = inputs.iter().map(|id| id.radix()).product();
        let (all, non_zeros) = size(parts.iter().map(|(_, array)| *array));
        let (inputs, units) = (names(inputs), grouped(units as u64));
        writeln!(text, "| `{name}` | {inputs} | {output} | {units} | {all} | {non_zeros} | {about} |")
            .unwrap();
    };
    for id in TableId::ALL {
        let spec = id.spec();
        let handle = format!("TableId::{id:?})");
        let about = comments.iter().find(|(_, line)| line.contains(&handle));
        let about = &about.expect("a documented handle").0;
        let network = format!("table.{}", spec.name);
        row(spec.name, spec.inputs, spec.output.name(), about, &network);
    }
    row(
        "decode",
        &[AlphabetId::Phase, AlphabetId::Nibble, AlphabetId::Nibble],
        &names(&decode::GROUPS),
        "The control gates of an opcode.",
        "table.decode",
    );
    text.push_str("\n| other tensors | shape | parameters | non-zero |\n| --- | --- | ---: | ---: |\n");
    for (network, parts) in networks {
        for (part, array) in parts {
            let shape: Vec<String> = array.shape.iter().map(ToString::to_string).collect();
            let (all, non_zeros) = size([array]);
            writeln!(text, "| `{network}.{part}` | {} | {all} | {non_zeros} |", shape.join(" x ")).unwrap();
        }
    }
    let (all, non_zeros) = (weights.parameters() as u64, weights.non_zeros() as u64);
    let total = format!(
        "{} parameters, of which {} are not zero, in {} tensors",
        grouped(all),
        grouped(non_zeros),
        weights.tensors().count()
    );
    writeln!(text, "\nTotal: {total}.").unwrap();
    check(PAGE, "parameters", &text);
    check("README.md", "parameters", &format!("The weights are {total}.\n"));
}

/// The sources below a folder, by their path in the repository.
fn sources(folder: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().into_string().unwrap());
        if entry.file_type().unwrap().is_dir() {
            found.extend(sources(&path));
        } else if path.ends_with(".rs") && !path.ends_with("tests.rs") {
            found.insert(path, fs::read_to_string(entry.path()).unwrap());
        }
    }
    found
}

#[test]
fn sites() {
    let comments = doc_comments(include_str!("../src/tables/site.rs"));
    let mut text = "| site | asks | made in |\n| --- | --- | --- |\n".to_owned();
    // What makes observations: the machine, syscalls, and the host that drives them.
    let sources: Vec<_> = ["src/machine", "src/syscalls", "src/host"].into_iter().flat_map(sources).collect();
    for site in Site::ALL {
        let about = comments.iter().find(|(_, line)| *line == format!("{site:?},"));
        let about = &about.expect("a documented site").0;
        let mut places = Vec::new();
        for (path, source) in &sources {
            let mut function = "";
            for line in source.lines().map(str::trim) {
                if let Some((_, rest)) = line.split_once("fn ") {
                    function = rest.split(['(', '<']).next().unwrap_or(rest);
                }
                if line.contains(&format!("Site::{site:?})")) {
                    let place = format!("`{path}`, `{function}`");
                    if !places.contains(&place) {
                        places.push(place);
                    }
                }
            }
        }
        assert!(!places.is_empty(), "{site:?} is made nowhere");
        writeln!(text, "| `{site:?}` | {about} | {} |", places.join("; ")).unwrap();
    }
    check(PAGE, "sites", &text);
}

/// An instruction to measure: the first one after `before` steps of a program.
struct Kind {
    name: &'static str,
    program: Program,
    before: u64,
    budget: u64,
}

fn kind(name: &'static str, source: &str, before: u64) -> Kind {
    kind_in(Version::V0, name, source, before)
}

fn kind_in(version: Version, name: &'static str, source: &str, before: u64) -> Kind {
    let program = assemble(source, version).unwrap();
    Kind { name, program, before, budget: 1_000 }
}

/// Every unit, and every way to leave it, that a lazy step tells apart.
fn kinds() -> Vec<Kind> {
    let alu = |name, line: &str| kind(name, &format!("mov64 r1, 7\n{line}\nexit"), 1);
    let bare_in = |version, name, slot: [u8; 8]| Kind {
        name,
        program: Program::from_text(version, slot.to_vec(), 0, BTreeMap::new()),
        before: 0,
        budget: 1_000,
    };
    let bare = |name, slot| bare_in(Version::V0, name, slot);
    let v2 = |name, line: &str| kind_in(Version::V2, name, &format!("mov64 r1, -7\n{line}\nexit"), 1);
    let deep = "entrypoint:\ncall function_f\nexit\nfunction_f:\ncall function_f\nexit";
    vec![
        alu("mov", "mov64 r0, r1"),
        alu("add", "add64 r0, r1"),
        alu("sub", "sub64 r0, r1"),
        alu("and", "and64 r0, r1"),
        alu("or", "or64 r0, r1"),
        alu("xor", "xor64 r0, r1"),
        alu("lsh", "lsh64 r0, r1"),
        alu("rsh", "rsh64 r0, r1"),
        alu("arsh", "arsh64 r0, r1"),
        alu("mul", "mul64 r0, r1"),
        alu("neg", "neg64 r0"),
        alu("le", "le32 r0"),
        alu("be", "be32 r0"),
        alu("div", "div64 r0, r1"),
        alu("mod", "mod64 r0, r1"),
        alu("div or mod by zero", "div64 r1, r0"),
        alu("lddw", "lddw r0, 0x123456789"),
        kind("load", "ldxdw r0, [r10-8]\nexit", 0),
        kind("load where nothing is mapped", "ldxdw r0, [r0+0]\nexit", 0),
        kind("load outside its region", "ldxdw r0, [r10+0]\nexit", 0),
        kind("store", "stxdw [r10-8], r1\nexit", 0),
        kind("ja", "ja +0\nexit", 0),
        alu("conditional jump, unsigned, taken", "jne r0, r1, +0"),
        alu("conditional jump, unsigned, not taken", "jeq r0, r1, +0"),
        alu("conditional jump, signed, taken", "jslt r0, r1, +0"),
        alu("conditional jump, signed, not taken", "jsgt r0, r1, +0"),
        alu("jset, taken", "jset r1, r1, +0"),
        alu("jset, not taken", "jset r0, r1, +0"),
        kind("call", deep, 0),
        bare("call of nothing", [0x85, 0x10, 0, 0, 1, 2, 3, 4]),
        kind("call outside the text", "call 1000\nexit", 0),
        kind("call one too deep", deep, 63),
        kind("callx", "lddw r1, 0x100000018\ncallx r1\nexit", 1),
        kind("callx outside the text", "mov64 r1, 0\ncallx r1\nexit", 1),
        kind("exit from a call", "call function_f\nexit\nfunction_f:\nexit", 1),
        kind("exit from the first frame", "exit", 0),
        v2("v2: sub of an immediate", "sub64 r1, 9"),
        v2("v2: hor", "hor64 r1, 9"),
        v2("v2: uhmul", "uhmul64 r1, r1"),
        v2("v2: shmul", "shmul64 r1, r1"),
        v2("v2: sdiv", "sdiv64 r1, 2"),
        v2("v2: srem", "srem64 r1, 2"),
        kind_in(Version::V2, "v2: sdiv that overflows", "hor64 r1, -2147483648\nsdiv64 r1, -1\nexit", 1),
        kind_in(Version::V3, "v3: call", "call function_f\nexit\nfunction_f:\nexit", 0),
        bare_in(Version::V3, "v3: call outside the text", [0x85, 0x10, 0, 0, 1, 2, 3, 4]),
        bare_in(Version::V3, "v3: call of no syscall", [0x85, 0, 0, 0, 1, 2, 3, 4]),
        bare("unknown opcode", [0xff; 8]),
        kind("past the end of the text", "mov64 r0, 0", 1),
        Kind { budget: 0, ..kind("no units left", "exit", 0) },
    ]
}

/// What one step asks for, and whether the program goes on after it.
fn measure(e: &Counted<Indexed>, kind: &Kind, mode: Mode) -> (Counts, bool) {
    let setup = Setup { budget: kind.budget, ..Setup::default() };
    let mut machine = Machine::new(e, &kind.program, &setup, &Environment::default(), mode).unwrap();
    assert!(machine.run_for(kind.before).unwrap().is_none(), "{} comes too late", kind.name);
    e.restart();
    let goes_on = machine.step().unwrap().is_none();
    (e.counts(), goes_on)
}

fn observations(counts: &Counts) -> String {
    let made = Site::ALL.into_iter().filter(|site| counts.at(*site) > 0);
    let each = made.map(|site| match counts.at(site) {
        1 => format!("{site:?}"),
        count => format!("{count} {site:?}"),
    });
    each.collect::<Vec<_>>().join(", ")
}

fn figures(counts: &Counts) -> String {
    format!(
        "{} | {} | {} | {} | {}",
        counts.depth, counts.layers, counts.lookups, counts.reads, counts.writes
    )
}

#[test]
fn steps() {
    let e = Counted::new(Indexed::new(&Weights::generate()).unwrap());
    let mut text = "| lazy step | observations | of | depth | layers | lookups | reads | writes |\n\
                    | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |\n"
        .to_owned();
    let mut full: Option<Counts> = None;
    for kind in kinds() {
        let (lazy, goes_on) = measure(&e, &kind, Mode::Lazy);
        let (seen, of) = (lazy.observed(), observations(&lazy));
        writeln!(text, "| {} | {seen} | {of} | {} |", kind.name, figures(&lazy)).unwrap();
        assert_eq!(lazy.at(Site::Halt), 0, "{}", kind.name);

        let (counts, still) = measure(&e, &kind, Mode::Full);
        assert_eq!(goes_on, still, "{}", kind.name);
        assert_eq!((counts.observed(), counts.at(Site::Halt)), (1, 1), "{}", kind.name);
        // The step that ends a run is followed by reading its result.
        if goes_on {
            assert_eq!(full.get_or_insert_with(|| counts.clone()), &counts, "{}", kind.name);
        }
    }
    let full = full.expect("some program goes on");
    let (seen, of) = (full.observed(), observations(&full));
    writeln!(text, "| **full step, any instruction** | {seen} | {of} | {} |", figures(&full)).unwrap();
    check(PAGE, "steps", &text);
}

#[test]
fn width_and_operand_make_no_difference() {
    let e = Counted::new(Indexed::new(&Weights::generate()).unwrap());
    let measured = |line: &str, mode| {
        let source = format!("mov64 r1, 7\n{line}\nexit");
        measure(&e, &kind("variant", &source, 1), mode)
    };
    for operation in ["mov", "add", "sub", "and", "or", "xor", "lsh", "rsh", "arsh", "mul", "div", "mod"] {
        for mode in [Mode::Lazy, Mode::Full] {
            let first = measured(&format!("{operation}64 r0, r1"), mode);
            for variant in ["64 r0, 7", "32 r0, r1", "32 r0, 7"] {
                assert_eq!(measured(&format!("{operation}{variant}"), mode), first, "{operation}{variant}");
            }
        }
    }
}

/// What a circuit asks for, from given words on.
fn cost<T>(e: &Counted<Indexed>, circuit: impl FnOnce(&Counted<Indexed>) -> T) -> Counts {
    e.restart();
    circuit(e);
    e.counts()
}

#[test]
fn depths() {
    let e = &Counted::new(Indexed::new(&Weights::generate()).unwrap());
    let (x, y) = (e.embed(0x0123_4567_89ab_cdef), e.embed(0x29));
    let wide = e.digit::<Bit, 0>();
    let count = |e: &Counted<Indexed>| alu::shift_count(e, &y, &wide);
    let rows = [
        ("add", cost(e, |e| alu::add(e, &x, &y))),
        ("subtract, negate", cost(e, |e| alu::subtract(e, &x, &y))),
        ("and, or, xor", cost(e, |e| alu::bitwise_xor(e, &x, &y))),
        ("compare, unsigned", cost(e, |e| e.compare(&x, &y))),
        ("compare, signed", cost(e, |e| alu::compare_signed(e, &x, &y))),
        ("compare with zero", cost(e, |e| e.is_zero(&x))),
        ("shift left", cost(e, |e| alu::shift_left(e, &x, &count(e)))),
        ("shift right", cost(e, |e| alu::shift_right(e, &x, &count(e)))),
        ("shift right, signed", cost(e, |e| alu::shift_arithmetic(e, &x, &count(e)))),
        ("multiply", cost(e, |e| alu::multiply(e, &x, &y))),
        ("divide", cost(e, |e| alu::divide(e, &x, &y))),
        ("sum of 16", cost(e, |e| e.sum_words([&x; 16]))),
        ("SHA-256 block", cost(e, |e| sha256::compress(e, &sha256::start(e), &[&x; 8].map(Clone::clone)))),
        ("SHA-512 block", cost(e, |e| sha512::compress(e, &sha512::start(e), &[&x; 16].map(Clone::clone)))),
        ("Keccak-f", cost(e, |e| keccak::permute(e, &[&x; 25].map(Clone::clone)))),
        (
            "BLAKE3 block",
            cost(e, |e| {
                let block = [&x; 8].map(Clone::clone);
                blake3::compress(e, &blake3::start(e), &block, &y, &y, &e.digit::<Nibble, 0>())
            }),
        ),
    ];
    assert_eq!(rows[0].1.depth, 4);
    let mut text = "| circuit | depth | layers | lookups | reads |\n\
                    | --- | ---: | ---: | ---: | ---: |\n"
        .to_owned();
    for (name, Counts { depth, layers, lookups, reads, .. }) in rows {
        writeln!(text, "| {name} | {depth} | {layers} | {lookups} | {reads} |").unwrap();
    }
    check(PAGE, "depths", &text);
}

/// Every tensor of the file, by network.
#[test]
fn layout() {
    const PAGE: &str = "docs/WEIGHTS.md";
    let weights = Weights::generate();
    let shape = |name: &str| {
        let shape = &weights.get(name).unwrap().shape;
        shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(" × ")
    };
    let mut rest: std::collections::BTreeSet<&str> = weights.tensors().map(|(name, _)| name).collect();
    let mut text = "| table | inputs, in order | output | `w1` | `b1` | `w2` |\n\
                    | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    let tables =
        TableId::ALL.map(|id| (id.spec().name, names(id.spec().inputs), id.spec().output.name().to_owned()));
    let inputs = [AlphabetId::Phase, AlphabetId::Nibble, AlphabetId::Nibble];
    let decode = ("decode", names(&inputs), names(&decode::GROUPS));
    for (name, inputs, output) in tables.into_iter().chain([decode]) {
        let parts = ["w1", "b1", "w2"].map(|part| format!("table.{name}.{part}"));
        let shapes = parts.each_ref().map(|part| shape(part));
        assert!(parts.iter().all(|part| rest.remove(part.as_str())), "{name}");
        writeln!(text, "| `table.{name}` | {inputs} | {output} | {} |", shapes.join(" | ")).unwrap();
    }
    text.push_str("\n| tensor | shape |\n| --- | --- |\n");
    for name in rest {
        writeln!(text, "| `{name}` | {} |", shape(name)).unwrap();
    }
    check(PAGE, "layout", &text);
}
