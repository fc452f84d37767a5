//! Every syscall the weights compute, against what native code makes of it: the result, the units, the
//! log, the memory and the return data.
//!
//! Each case runs on plain weights, on permuted ones and in full steps; some run on tensors.

mod address;
mod big_mod_exp;
mod call;
mod curves;
mod hash;
mod log;
mod memory;
mod observations;
#[path = "../common/page.rs"]
mod page;
mod programs;
mod return_data;
mod sysvar;
mod text;

use call::{
    Case, agree,
    evaluators::{dense, plain},
    names,
};
use std::collections::BTreeMap;
use svmllm::host::{Mode, syscall_names::ALL_SYSCALLS};

/// Every case but those of long loops.
fn cases() -> Vec<Case> {
    [
        address::cases(),
        big_mod_exp::cases(),
        hash::cases(),
        log::cases(),
        memory::cases(),
        return_data::cases(),
        sysvar::cases(),
    ]
    .concat()
}

/// The cheapest case of each syscall and each way it ends.
fn one_of_each() -> Vec<Case> {
    let mut chosen = BTreeMap::new();
    for case in cases() {
        let ending = case.expected.result.as_ref().map_or_else(|error| error.name(), |_| "ok".into());
        let key = (case.call.name, ending);
        let cost = |case: &Case| case.call.units - case.expected.units;
        if chosen.get(&key).is_none_or(|known| cost(&case) < cost(known)) {
            chosen.insert(key, case);
        }
    }
    chosen.into_values().collect()
}

#[test]
fn on_tensors() {
    let dense = dense();
    for case in one_of_each() {
        let found = case.call.run(&dense, Mode::Lazy);
        assert_eq!(found, case.expected, "{} {:x?}", case.call.name, case.call.arguments);
    }
}

#[test]
fn every_computed_syscall_has_a_case() {
    // What the host runs, and the curves and what is built on them.
    let elsewhere = |name: &str| {
        ["sol_invoke_", "sol_curve_", "sol_alt_bn128_", "sol_secp256k1_", "sol_poseidon"]
            .iter()
            .any(|family| name.starts_with(family))
    };
    let tested = names(&cases());
    for name in ALL_SYSCALLS {
        assert_eq!(tested.contains(name), !elsewhere(name), "{name}");
    }
}

/// Runs out of units before, at and after each charge of a syscall.
#[test]
fn every_budget_short_of_the_cost_is_short() {
    for case in one_of_each() {
        let cost = case.call.units - case.expected.units;
        if case.expected.result.is_ok() && cost > 0 && case.call.name != "sol_remaining_compute_units" {
            let exact = case.with_units(cost);
            assert_eq!(exact.expected.units, 0);
            agree(&exact);
            // Some write before they are charged again; what the program ends with is the same.
            let short = case.call.clone().units(cost - 1);
            let (found, expected) = (short.run(plain(), Mode::Lazy), short.runs_out().expected);
            assert_eq!(
                (found.result, found.units),
                (expected.result, 0),
                "{} {:x?}",
                case.call.name,
                case.call.arguments
            );
        }
    }
}
