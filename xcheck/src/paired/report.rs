//! A difference between two machines, to be read.

use std::fmt;

use super::parting::{Parting, Step};
use crate::outcome::Difference;

/// A difference between the machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The method that was called.
    pub method: &'static str,
    /// The first field that differs, with LiteSVM's value as the expected one.
    pub difference: Difference,
    /// Where the programs part; `None` if that cannot be told.
    pub parting: Option<Parting>,
}

impl std::error::Error for Divergence {}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { field, at, expected, actual } = &self.difference;
        write!(f, "{}: {field}", self.method)?;
        if let Some(at) = at {
            write!(f, " at {at}")?;
        }
        writeln!(f, " differs")?;
        writeln!(f, "  LiteSVM: {expected}")?;
        writeln!(f, "  weights: {actual}")?;
        match &self.parting {
            None => writeln!(f, "what the programs did cannot be told"),
            Some(parting) => parting.fmt(f),
        }
    }
}

impl fmt::Display for Parting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { last, alike, expected, actual } = self;
        if expected.is_none() && actual.is_none() {
            writeln!(f, "the programs executed the same {alike} instructions, the last of them:")?;
        } else {
            writeln!(f, "the programs part after {alike} instructions, the last of them:")?;
        }
        for Step { program, pc, text, .. } in last {
            writeln!(f, "  {program} {pc:5}  {text}")?;
        }
        match (expected, actual) {
            (None, None) => Ok(()),
            (Some(expected), Some(actual)) => {
                for (number, (expected, actual)) in expected.iter().zip(actual).enumerate() {
                    if expected != actual {
                        let name = if number == 11 { "pc".into() } else { format!("r{number}") };
                        writeln!(
                            f,
                            "then {name} is {expected:#x} on LiteSVM and {actual:#x} on the weights"
                        )?;
                    }
                }
                Ok(())
            }
            (Some(_), None) => writeln!(f, "then LiteSVM goes on and the weights do not"),
            (None, Some(_)) => writeln!(f, "then the weights go on and LiteSVM does not"),
        }
    }
}
