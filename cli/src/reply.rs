//! What is said about a run, in JSON.

use serde::Serialize;
use svmllm::host::Ended;

use crate::{
    session::Report,
    source::Rejection,
    wire::{Hex, Number},
};

/// How it went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// `ok`, `error`, `rejected` or `invalid`.
    pub status: &'static str,
    /// The variant of the reference's error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The text of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl Verdict {
    /// Nothing went wrong.
    pub const OK: Self = Self { status: "ok", error: None, detail: None };

    /// There was nothing to run.
    pub fn invalid(detail: impl ToString) -> Self {
        Self { status: "invalid", error: None, detail: Some(detail.to_string()) }
    }

    /// The end of a run.
    pub fn of(ended: &Ended) -> Self {
        match ended {
            Ended::Exit(_) => Self::OK,
            Ended::Error(error) => {
                Self { status: "error", error: Some(error.name()), detail: Some(error.to_string()) }
            }
            Ended::Invoke(_) => Self {
                status: "error",
                error: Some("NotComputed".to_owned()),
                detail: Some("there is no other program to call".to_owned()),
            },
        }
    }
}

impl From<&Rejection> for Verdict {
    fn from(rejection: &Rejection) -> Self {
        Self {
            status: "rejected",
            error: Some(rejection.name().to_owned()),
            detail: Some(rejection.to_string()),
        }
    }
}

/// What a run left behind.
#[derive(Debug, Serialize)]
pub struct Outcome {
    #[serde(skip_serializing_if = "Option::is_none")]
    r0: Option<Number>,
    instructions: u64,
    remaining: u64,
    registers: [Number; 11],
    input: Hex,
    logs: Vec<String>,
    dump: Vec<Option<Hex>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Vec<[Number; 12]>>,
}

impl Outcome {
    /// The outcome of a run, with its trace if there is one.
    pub fn new(report: Report, trace: Option<Vec<[u64; 12]>>) -> Self {
        Self {
            r0: match report.ended {
                Ended::Exit(value) => Some(Number(value)),
                _ => None,
            },
            instructions: report.instructions,
            remaining: report.remaining,
            registers: report.registers.map(Number),
            input: Hex(report.input),
            logs: report.logs,
            dump: report.dump.into_iter().map(|bytes| bytes.map(Hex)).collect(),
            trace: trace.map(|rows| rows.into_iter().map(|row| row.map(Number)).collect()),
        }
    }
}
