//! What the library's sources and dependencies have to keep to, so that "it is in the weights" is
//! something a test can show. That a circuit cannot look at a digit is shown by the examples of
//! `svmllm::tables::Evaluator` that must not compile.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every source file below a directory; none if there is no such directory.
fn sources(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

/// The code of a file: without comments, and without what only tests compile. Tests stand at the foot
/// of a file or in a file of their own.
fn code(path: &Path) -> String {
    if path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests")) {
        return String::new();
    }
    let text = fs::read_to_string(path).unwrap();
    let body = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = body.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// Identifiers of some code.
fn names(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !name.is_empty())
}

/// The files that hold circuits.
fn circuits() -> Vec<(PathBuf, String)> {
    let directories = ["src/alu", "src/machine", "src/syscalls"].map(|directory| root().join(directory));
    let files: Vec<_> = directories
        .iter()
        .flat_map(|directory| sources(directory))
        .map(|path| {
            let code = code(&path);
            (path, code)
        })
        .collect();
    assert!(files.len() >= 10, "the circuits have moved: {files:?}");
    files
}

#[test]
fn circuits_never_name_what_looks_inside() {
    let forbidden =
        ["Dense", "Indexed", "Boundary", "HeadsBoundary", "Any", "any", "embed", "embed_digit", "read_out"]
            .into_iter()
            .chain(["read_digit", "ram_bytes", "to_bytes", "from_bytes", "transmute", "unsafe"]);
    let forbidden: Vec<&str> = forbidden.collect();
    for (path, code) in circuits() {
        for name in names(&code) {
            assert!(!forbidden.contains(&name), "{} names {name}", path.display());
        }
    }
}

/// Opaque values have no arithmetic; what a circuit could compute with is numbers of its own, and it has
/// no use for these.
#[test]
fn circuits_do_no_native_arithmetic() {
    let families = ["wrapping_", "overflowing_", "checked_", "saturating_", "rotate_", "count_", "leading_"];
    let types = ["u8", "u16", "u32", "u64", "u128", "i8", "i16", "i32", "i64", "i128", "f32", "f64"];
    let methods = ["pow", "abs_diff", "rem_euclid", "div_euclid", "from_str_radix", "to_le_bytes"];
    for (path, code) in circuits() {
        for name in names(&code) {
            let native = families.iter().any(|family| name.starts_with(family))
                || types.contains(&name)
                || methods.contains(&name);
            assert!(!native, "{} uses {name}", path.display());
        }
    }
}

/// A full step and the circuits below it are generic over an evaluator that cannot be observed; of the
/// machine only the lazy step asks for more.
#[test]
fn observations_are_made_where_they_are_declared() {
    let drivers = [root().join("src/machine/lazy.rs"), root().join("src/syscalls")];
    for (path, code) in circuits() {
        if drivers.iter().any(|driver| path.starts_with(driver)) {
            continue;
        }
        for name in names(&code) {
            let observes = ["Sequencer", "observe", "observe_gate"].contains(&name);
            assert!(!observes, "{} names {name}", path.display());
        }
    }
}

#[test]
fn the_library_has_no_unsafe_code() {
    let library = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    assert!(library.lines().any(|line| line == "#![forbid(unsafe_code)]"));
}

/// The reference's crates are for comparison only.
#[test]
fn no_other_virtual_machine_is_linked() {
    for package in ["svmllm", "svmllm-cli"] {
        let tree = Command::new(env!("CARGO"))
            .args(["tree", "--offline", "--locked", "-e", "normal", "--prefix", "none", "-p", package])
            .current_dir(root())
            .output()
            .unwrap();
        assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
        let tree = String::from_utf8(tree.stdout).unwrap();
        let crates: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
        assert!(crates.contains(&"candle-core"), "{package}: {tree}");
        for other in ["solana-sbpf", "litesvm", "solana-svm", "solana-program-runtime"] {
            assert!(!crates.contains(&other), "{package} depends on {other}");
        }
    }
}
