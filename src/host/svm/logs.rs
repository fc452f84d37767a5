//! The log of a transaction, cut off at a number of bytes.

use base64::{Engine, prelude::BASE64_STANDARD};
use std::fmt;

/// Lines of a log.
#[derive(Debug, Default)]
pub(super) struct Logs {
    lines: Vec<String>,
    limit: Option<usize>,
    written: usize,
    truncated: bool,
}

impl Logs {
    /// An empty log of fewer than `limit` bytes.
    pub fn new(limit: Option<usize>) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Adds a line, or once a line does not fit the remark that lines are missing. A shorter line may still
    /// fit later.
    pub fn line(&mut self, line: String) {
        let written = self.written.saturating_add(line.len());
        if self.limit.is_some_and(|limit| written >= limit) {
            if !self.truncated {
                self.truncated = true;
                self.lines.push("Log truncated".into());
            }
        } else {
            self.written = written;
            self.lines.push(line);
        }
    }

    /// "Program P invoke \[height\]"; programs are named by their address in base 58.
    pub fn invoke(&mut self, program: &str, height: usize) {
        self.line(format!("Program {program} invoke [{height}]"));
    }

    /// "Program P consumed N of M compute units".
    pub fn consumed(&mut self, program: &str, units: u64, of: u64) {
        self.line(format!("Program {program} consumed {units} of {of} compute units"));
    }

    /// "Program return: P base64", if there is data.
    pub fn return_data(&mut self, program: &str, data: &[u8]) {
        if !data.is_empty() {
            self.line(format!("Program return: {program} {}", BASE64_STANDARD.encode(data)));
        }
    }

    /// "Program P success".
    pub fn success(&mut self, program: &str) {
        self.line(format!("Program {program} success"));
    }

    /// "Program P failed: E".
    pub fn failure(&mut self, program: &str, error: &impl fmt::Display) {
        self.line(format!("Program {program} failed: {error}"));
    }

    /// The lines.
    pub fn into_lines(self) -> Vec<String> {
        self.lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_exclusive_and_short_lines_still_fit() {
        let mut logs = Logs::new(Some(10));
        for line in ["12345", "678901", "", "1234", "x"] {
            logs.line(line.into());
        }
        assert_eq!(logs.into_lines(), ["12345", "Log truncated", "", "1234"]);
    }

    #[test]
    fn without_a_limit_nothing_is_cut() {
        let mut logs = Logs::new(None);
        logs.line("x".repeat(20_000));
        assert_eq!(logs.into_lines().len(), 1);
    }
}
