//! Rows and coefficients that no result depends on, and why.

use svmllm::{
    host::Version,
    tables::{alphabet::Phase, catalogue::TableId},
};

use super::{Spoil, calls};
use crate::isa;

/// Whether the opcode is a jump on equality or its opposite.
fn is_equality(version: Version, opcode: usize) -> bool {
    isa::find(version, opcode as u8)
        .is_some_and(|opcode| opcode.name.starts_with("jeq") || opcode.name.starts_with("jne"))
}

/// Rows that no verified program reaches, with the reason.
pub fn unreachable(spoil: &Spoil) -> Option<&'static str> {
    let (tensor, unit) = match spoil {
        Spoil::Row { tensor, unit } => (tensor, unit),
        Spoil::Coefficient { tensor, index } => return unused(tensor, *index),
    };
    let named = |id: TableId| *tensor == format!("table.{}.w2", id.spec().name);
    if named(TableId::Decrement) && unit / 48 == 1 {
        return Some("differences start without a borrow");
    }
    if named(TableId::CarryOut) && unit / 3 == 1 {
        return Some("where a carry comes in the one that leaves is not used");
    }
    // The first input varies fastest: the phase of the control matrix.
    if tensor == "table.decode.w2" {
        let (phase, opcode) = (Phase::LETTERS[unit % Phase::LETTERS.len()], unit / Phase::LETTERS.len());
        let known = |version| isa::find(version, opcode as u8).is_some();
        let reached = match phase {
            // An indirect call may lead to the second half of a constant, whose opcode is 0.
            Phase::V0 => known(Version::V0) || opcode == 0,
            Phase::V1 => known(Version::V1) || opcode == 0,
            Phase::V2 => known(Version::V2),
            Phase::V3 => known(Version::V3) || opcode == 0,
            Phase::Exhausted => isa::VERSIONS.into_iter().any(known) || opcode == 0,
            Phase::Overrun if opcode == 0 => true,
            Phase::Overrun => return Some("a slot that is missing reads as 0"),
        };
        if reached && isa::VERSIONS.get(phase as usize).is_some_and(|version| is_equality(*version, opcode)) {
            return Some("whether operands are equal does not depend on signs");
        }
        return (!reached).then_some("the verifier admits no such opcode");
    }
    if named(TableId::StaticCall) && *unit > 10 {
        return Some("the verifier admits no such register");
    }
    if named(TableId::StaticCall) && *unit > 1 {
        return Some("without syscalls, a call of one is as unsupported as a call of nothing");
    }
    for table in calls::TABLES {
        if named(table) {
            return calls::unreachable(table, *unit);
        }
    }
    if named(TableId::SwapSize) && ![1, 2, 4].contains(unit) {
        return Some("the verifier admits byte swaps of 16, 32 and 64 bits only");
    }
    None
}

/// Coefficients that no result depends on, with the reason.
fn unused(tensor: &str, index: usize) -> Option<&'static str> {
    let units = |limit: usize| 2 * (limit - 1);
    match tensor {
        "stair.low.w2" if (index / units(256)).is_multiple_of(16) => {
            Some("a digit 0 adds nothing to the next sum")
        }
        "stair.high.w2" if index / units(16) == 0 => Some("a digit 0 adds nothing to the next sum"),
        "stair.high.w2" if index / units(16) == 15 => Some("a column is at most 3600"),
        "stair.high.w2" if index % units(16) >= 28 => Some("a column is at most 3600"),
        "stair.top.w2" if index / units(16) == 0 => Some("a digit 0 adds nothing to the next sum"),
        "stair.top.w2" if index / units(16) == 15 || index % units(16) >= 28 => {
            Some("a column of four products is at most 57,600")
        }
        // Thresholds from 1 on, two units each.
        "stair.small.w2" if index % units(128) / 2 + 1 > 120 => Some("a sum of eight digits is at most 120"),
        "product.digits" if index >= 32 + 13 => Some("a column with a place two above is at most 3150"),
        "stair.low.b2" if index.is_multiple_of(16) => Some("a digit 0 adds nothing to the next sum"),
        "stair.high.b2" if index == 0 || index == 15 => Some("a digit 0 adds nothing to the next sum"),
        "stair.top.b2" if index == 0 => Some("a digit 0 adds nothing to the next sum"),
        "stair.high.remainder" if index == 15 => Some("a column is at most 3600"),
        "stair.top.remainder" if index == 15 => Some("a column of four products is at most 57,600"),
        // The highest of the four digits of a place, the fourth row.
        "wide.digits" if index == 3 * 16 + 15 => Some("a column of four products is at most 57,600"),
        _ if tensor.starts_with("modulus.") && tensor.ends_with(".residue") => {
            beyond_every_sum(tensor, index)
        }
        _ => None,
    }
}

/// Residues of digits that no product is known to have so far above the highest place.
///
/// A product of two numbers below 16^D is folded to less than 2^12 times 16^D: the third digit above the
/// capacity is small.
fn beyond_every_sum(tensor: &str, index: usize) -> Option<&'static str> {
    /// Columns: for each of four places, the digits.
    const COLUMNS: usize = 64;
    let highest = if tensor.starts_with("modulus.bls12_381.") { 6 } else { 3 };
    (index % COLUMNS > 3 * 16 + highest).then_some("no product is known to leave such a digit so far up")
}
