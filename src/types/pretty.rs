//! Logs in colour, as LiteSVM shows them.

use std::fmt::Write;

/// What a program itself wrote.
const LOG: &str = "Program log:";
/// Other beginnings of lines, after which spaces do not matter.
const SOURCES: [&str; 3] = ["Program", "process_instruction:", "solana_runtime:"];
/// Words that make a line one about an error, if a colon or a space follows.
const ERRORS: [&str; 5] = ["error", "err", "failure", "failed", "fail"];

/// Escape sequences of the terminal.
const RED: &str = "\u{1b}[1;38;5;9m";
const GREEN: &str = "\u{1b}[32m";
const LIGHT: &str = "\u{1b}[1;38;5;243m";
const GREY: &str = "\u{1b}[38;5;239m";
const RESET: &str = "\u{1b}[0m";

/// One line for each that is not empty.
pub(super) fn format(lines: &[String]) -> String {
    let mut text = String::new();
    for line in lines.iter().filter(|line| !line.is_empty()) {
        let source = [LOG].into_iter().chain(SOURCES).find(|source| line.starts_with(source));
        let rest = source.map_or(line.as_str(), |source| line[source.len()..].trim_start());
        let colour = colour(source, rest);
        // Writing to a string does not fail.
        let _ = match source {
            None | Some(LOG) => writeln!(text, "{colour}{rest}{RESET}"),
            Some(source) => writeln!(text, "{colour}{source} {rest}{RESET}"),
        };
    }
    text
}

fn colour(source: Option<&str>, rest: &str) -> &'static str {
    let lower = rest.to_lowercase();
    let tells_error = |word: &str| [": ", " "].iter().any(|end| lower.contains(&std::format!("{word}{end}")));
    if ERRORS.iter().any(|word| tells_error(word)) {
        RED
    } else if lower.contains("signer privilege escalated") {
        LIGHT
    } else if source == Some(LOG) {
        GREEN
    } else {
        GREY
    }
}
