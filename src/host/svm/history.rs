//! Transactions processed last.

use solana_signature::Signature;
use std::collections::{HashMap, VecDeque};

use crate::types::TransactionResult;

/// Results by signature; the oldest is dropped when there is no room.
#[derive(Clone)]
pub(super) struct History {
    results: HashMap<Signature, TransactionResult>,
    order: VecDeque<Signature>,
    capacity: usize,
}

impl Default for History {
    fn default() -> Self {
        Self { results: HashMap::new(), order: VecDeque::new(), capacity: 32 }
    }
}

impl History {
    /// Changes how many results are kept; of too many the first remain.
    pub fn set_capacity(&mut self, capacity: usize) {
        self.capacity = capacity;
        for signature in self.order.drain(capacity.min(self.order.len())..) {
            self.results.remove(&signature);
        }
    }

    /// The result of a transaction.
    pub fn get(&self, signature: &Signature) -> Option<&TransactionResult> {
        self.results.get(signature)
    }

    /// Keeps a result.
    pub fn add(&mut self, signature: Signature, result: TransactionResult) {
        if self.capacity == 0 {
            return;
        }
        if self.order.len() == self.capacity
            && let Some(oldest) = self.order.pop_front()
        {
            self.results.remove(&oldest);
        }
        if self.results.insert(signature, result).is_none() {
            self.order.push_back(signature);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::TransactionMetadata;

    #[test]
    fn the_oldest_is_dropped() {
        let mut history = History::default();
        let signature = |number| Signature::from([number; 64]);
        for number in 0..33 {
            history.add(signature(number), Ok(TransactionMetadata::default()));
        }
        assert!(history.get(&signature(0)).is_none());
        assert!(history.get(&signature(1)).is_some());
        history.set_capacity(1);
        assert!(history.get(&signature(1)).is_some());
        assert!(history.get(&signature(2)).is_none());
        history.set_capacity(0);
        history.add(signature(40), Ok(TransactionMetadata::default()));
        assert!(history.get(&signature(40)).is_none());
    }
}
