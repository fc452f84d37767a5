//! A machine that notes what is asked of it and what it answers.

use std::{cell::RefCell, fmt::Debug, rc::Rc};

use super::Bank;

/// The key of the account for airdrops is each machine's own, and so is what it signs.
const AIRDROP_PUBKEY: &str = "airdrop_pubkey";
const AIRDROP: &str = "airdrop";

/// A call of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The method.
    pub method: &'static str,
    /// What it gave back, as text.
    pub result: String,
}

/// A machine whose calls are noted. Clones note theirs in the same place.
pub struct Watched<B> {
    /// The machine.
    pub(super) bank: B,
    calls: Rc<RefCell<Vec<Call>>>,
}

impl<B: Clone> Clone for Watched<B> {
    fn clone(&self) -> Self {
        self.note_only("clone");
        Self { bank: self.bank.clone(), calls: Rc::clone(&self.calls) }
    }
}

impl<B: Default> Default for Watched<B> {
    fn default() -> Self {
        Self::begin("default", B::default())
    }
}

impl<B> Watched<B> {
    /// Watches a machine made by a method.
    pub(super) fn begin(method: &'static str, bank: B) -> Self {
        let watched = Self { bank, calls: Rc::default() };
        watched.note_only(method);
        watched
    }

    /// The calls so far.
    pub fn calls(&self) -> Vec<Call> {
        self.calls.borrow().clone()
    }

    fn note(&self, method: &'static str, result: &impl Debug) {
        self.calls.borrow_mut().push(Call { method, result: format!("{result:?}") });
    }

    /// Notes a call whose result says nothing, or must not be compared.
    pub(super) fn note_only(&self, method: &'static str) {
        self.note(method, &());
    }

    /// Notes something else that is to be compared, under the method it was asked of.
    pub fn observe(&self, method: &'static str, what: &impl Debug) {
        self.note(method, what);
    }
}

impl<B: Bank> Watched<B> {
    pub(super) fn build(self, method: &'static str, build: impl FnOnce(B) -> B) -> Self {
        self.note_only(method);
        Self { bank: build(self.bank), calls: self.calls }
    }

    pub(super) fn read<T: Debug>(&self, method: &'static str, read: impl FnOnce(&B) -> T) -> T {
        let result = read(&self.bank);
        match method {
            AIRDROP_PUBKEY => self.note_only(method),
            _ => self.note(method, &result),
        }
        result
    }

    pub(super) fn write<T: Debug>(&mut self, method: &'static str, write: impl FnOnce(&mut B) -> T) -> T {
        let result = write(&mut self.bank);
        match method {
            AIRDROP => self.note_only(method),
            _ => self.note(method, &result),
        }
        result
    }
}
