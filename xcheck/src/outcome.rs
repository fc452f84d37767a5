//! What a run did, and how two runs differ.

use std::fmt;

use serde::Serialize;
use svmllm::host::EbpfError;

/// Everything a run of a [`Case`](crate::Case) leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Register 0 on success, else the error.
    pub status: Result<u64, EbpfError>,
    /// Instructions counted, a failing one included.
    pub instructions: u64,
    /// Compute units left.
    pub remaining: u64,
    /// r0 to r10 at the end; on an error those before the failing instruction.
    pub registers: [u64; 11],
    /// r0 to r10 and the program counter before each executed instruction.
    pub trace: Vec<[u64; 12]>,
    /// Stack memory after the run, frame after frame, without the gaps; zeros at the end may be left out.
    pub stack: Vec<u8>,
    /// Heap memory after the run; zeros at the end may be left out.
    pub heap: Vec<u8>,
    /// Input memory after the run.
    pub input: Vec<u8>,
    /// Log lines.
    pub logs: Vec<String>,
}

/// The first thing in which two outcomes differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What differs: a register, `pc`, or a field of [`Outcome`].
    pub field: String,
    /// The step before which registers differ, or the offset of the byte that differs.
    pub at: Option<usize>,
    /// The oracle's value.
    pub expected: String,
    /// The subject's value.
    pub actual: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.field)?;
        if let Some(at) = self.at {
            write!(f, " at {at}")?;
        }
        write!(f, ": expected {}, got {}", self.expected, self.actual)
    }
}

/// Compares two outcomes, earliest divergence first: the common steps, then how the run ended, then what
/// it left.
pub fn compare(expected: &Outcome, actual: &Outcome) -> Option<Difference> {
    steps(&expected.trace, &actual.trace)
        .or_else(|| value("status", &StatusText(&expected.status), &StatusText(&actual.status)))
        .or_else(|| value("instructions", &expected.instructions, &actual.instructions))
        .or_else(|| value("remaining", &expected.remaining, &actual.remaining))
        .or_else(|| value("trace length", &expected.trace.len(), &actual.trace.len()))
        .or_else(|| registers(&expected.registers, &actual.registers, None))
        .or_else(|| bytes("stack", &expected.stack, &actual.stack))
        .or_else(|| bytes("heap", &expected.heap, &actual.heap))
        .or_else(|| value("input length", &expected.input.len(), &actual.input.len()))
        .or_else(|| bytes("input", &expected.input, &actual.input))
        .or_else(|| logs(&expected.logs, &actual.logs))
}

#[derive(PartialEq)]
struct StatusText<'a>(&'a Result<u64, EbpfError>);

impl fmt::Display for StatusText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Ok(r0) => write!(f, "ok {r0:#x}"),
            Err(error) => write!(f, "{error:?}"),
        }
    }
}

pub(crate) fn value<T: PartialEq + fmt::Display>(
    field: &str,
    expected: &T,
    actual: &T,
) -> Option<Difference> {
    (expected != actual).then(|| Difference {
        field: field.into(),
        at: None,
        expected: expected.to_string(),
        actual: actual.to_string(),
    })
}

fn steps(expected: &[[u64; 12]], actual: &[[u64; 12]]) -> Option<Difference> {
    let step = expected.iter().zip(actual).position(|(e, a)| e != a)?;
    registers(&expected[step], &actual[step], Some(step))
}

fn registers(expected: &[u64], actual: &[u64], at: Option<usize>) -> Option<Difference> {
    let index = expected.iter().zip(actual).position(|(e, a)| e != a)?;
    Some(Difference {
        field: if index == 11 { "pc".into() } else { format!("r{index}") },
        at,
        expected: format!("{:#x}", expected[index]),
        actual: format!("{:#x}", actual[index]),
    })
}

/// Compares memory; what one of them leaves out at its end is zero.
pub(crate) fn bytes(field: &str, expected: &[u8], actual: &[u8]) -> Option<Difference> {
    let common = expected.len().min(actual.len());
    let (longer, rest) =
        (expected.len().max(actual.len()), &[&expected[common..], &actual[common..]].concat());
    if expected[..common] == actual[..common] && rest.iter().all(|byte| *byte == 0) {
        return None;
    }
    let byte = |memory: &[u8], at: usize| memory.get(at).copied().unwrap_or(0);
    let at = (0..longer).find(|&at| byte(expected, at) != byte(actual, at))?;
    Some(Difference {
        field: field.into(),
        at: Some(at),
        expected: format!("{:#04x}", byte(expected, at)),
        actual: format!("{:#04x}", byte(actual, at)),
    })
}

pub(crate) fn logs(expected: &[String], actual: &[String]) -> Option<Difference> {
    let line = (0..expected.len().max(actual.len())).find(|&i| expected.get(i) != actual.get(i))?;
    let show = |logs: &[String]| logs.get(line).map_or("nothing".into(), |text| format!("{text:?}"));
    Some(Difference { field: "log".into(), at: Some(line), expected: show(expected), actual: show(actual) })
}

#[cfg(test)]
mod tests {
    use svmllm::host::AccessType;

    use super::*;

    fn outcome() -> Outcome {
        Outcome {
            status: Ok(1),
            instructions: 2,
            remaining: 3,
            registers: [0; 11],
            trace: vec![[0; 12], [1; 12]],
            stack: vec![0; 8],
            heap: vec![0; 8],
            input: vec![7],
            logs: vec!["a".into()],
        }
    }

    #[test]
    fn every_field_is_compared() {
        type Change = fn(&mut Outcome);
        let cases: [(Change, &str); 12] = [
            (|o| o.status = Ok(2), "status: expected ok 0x1, got ok 0x2"),
            (|o| o.instructions = 9, "instructions: expected 2, got 9"),
            (|o| o.remaining = 9, "remaining: expected 3, got 9"),
            (|o| o.registers[10] = 9, "r10: expected 0x0, got 0x9"),
            (|o| o.trace[1][11] = 9, "pc at 1: expected 0x1, got 0x9"),
            (|o| o.trace.truncate(1), "trace length: expected 2, got 1"),
            (|o| o.stack[3] = 1, "stack at 3: expected 0x00, got 0x01"),
            (|o| o.heap.push(3), "heap at 8: expected 0x00, got 0x03"),
            (|o| o.input.push(0), "input length: expected 1, got 2"),
            (|o| o.input[0] = 8, "input at 0: expected 0x07, got 0x08"),
            (|o| o.logs.clear(), "log at 0: expected \"a\", got nothing"),
            (
                |o| o.status = Err(EbpfError::AccessViolation(AccessType::Load, 1, 2, "heap")),
                "status: expected ok 0x1, got AccessViolation(Load, 1, 2, \"heap\")",
            ),
        ];
        assert_eq!(compare(&outcome(), &outcome()), None);
        assert_eq!(compare(&outcome(), &Outcome { heap: vec![], ..outcome() }), None);
        for (change, text) in cases {
            let mut actual = outcome();
            change(&mut actual);
            assert_eq!(compare(&outcome(), &actual).unwrap().to_string(), text);
        }
    }
}
