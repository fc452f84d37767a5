//! The command, as a shell would call it.
#![allow(missing_docs, dead_code)] // each test file uses its part

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// What a call gave.
#[derive(Debug)]
pub struct Call {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Call {
    /// The value behind a word at the start of a line.
    pub fn field(&self, name: &str) -> &str {
        let line = self.out.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("no {name} in {self:?}")).trim()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }
}

/// Calls `svmllm` with arguments and standard input.
pub fn svmllm_with(args: &[&str], input: &[u8]) -> Call {
    let mut child = Command::new(env!("CARGO_BIN_EXE_svmllm"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        // A command that reads nothing closes the pipe.
        scope.spawn(move || {
            let _ = stdin.write_all(input);
        });
        child.wait_with_output().unwrap()
    });
    let call = Call {
        code: output.status.code().expect("an exit code, not a signal"),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    };
    assert!(!call.err.contains("panicked"), "{call:?}");
    call
}

/// Calls `svmllm` with arguments.
pub fn svmllm(args: &[&str]) -> Call {
    svmllm_with(args, b"")
}

/// A file of the repository.
pub fn repository(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path).to_str().unwrap().to_owned()
}

/// Files that go away with it.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file and gives its path.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

/// Bytes that look random and are always the same.
pub fn noise(length: usize, mut seed: u64) -> Vec<u8> {
    (0..length)
        .map(|_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 56) as u8
        })
        .collect()
}
