//! Transactions processed last.

use indexmap::IndexMap;
use solana_signature::Signature;

use crate::types::TransactionResult;

/// Results by signature; the oldest is dropped when there is no room.
///
/// The room is the map's own, as LiteSVM's is, with what follows from that: less room than the map has is cut down
/// to what it holds, so that nothing is kept any more of a fresh one, and a clone has no more room than it needs.
#[derive(Clone)]
pub(super) struct History(IndexMap<Signature, TransactionResult>);

impl Default for History {
    fn default() -> Self {
        Self(IndexMap::with_capacity(32))
    }
}

impl History {
    /// Changes how many results are kept; of too many the first remain.
    pub fn set_capacity(&mut self, capacity: usize) {
        let room = self.0.capacity();
        if capacity <= room {
            self.0.truncate(capacity);
            self.0.shrink_to_fit();
        } else {
            self.0.reserve(capacity - room);
        }
    }

    /// The result of a transaction.
    pub fn get(&self, signature: &Signature) -> Option<&TransactionResult> {
        self.0.get(signature)
    }

    /// Keeps a result.
    pub fn add(&mut self, signature: Signature, result: TransactionResult) {
        let room = self.0.capacity();
        if room == 0 {
            return;
        }
        if self.0.len() == room {
            self.0.shift_remove_index(0);
        }
        self.0.insert(signature, result);
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
        let mut fresh = History::default();
        fresh.set_capacity(5);
        fresh.add(signature(1), Ok(TransactionMetadata::default()));
        assert!(fresh.get(&signature(1)).is_none());
        history.set_capacity(0);
        history.add(signature(40), Ok(TransactionMetadata::default()));
        assert!(history.get(&signature(40)).is_none());
    }
}
