//! Feature sets.

use agave_feature_set::FeatureSet;
use solana_address::Address;

/// Features active on mainnet: an address and the slot of its activation a line.
const MAINNET: &str = include_str!("mainnet_features.txt");

/// Features active on mainnet, with the slots of their activation.
pub(super) fn mainnet_features() -> impl Iterator<Item = (Address, u64)> {
    MAINNET.lines().filter_map(|line| {
        let (address, slot) = line.split_once(' ')?;
        Some((address.parse().ok()?, slot.parse().ok()?))
    })
}

/// The feature set of mainnet.
pub fn mainnet_feature_set() -> FeatureSet {
    let mut features = FeatureSet::default();
    for (address, slot) in mainnet_features() {
        features.activate(&address, slot);
    }
    features
}

/// The latest slot at which one of mainnet's features was activated.
pub(super) fn mainnet_slot() -> u64 {
    mainnet_features().map(|(_, slot)| slot).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read_whole() {
        assert_eq!(mainnet_features().count(), MAINNET.lines().count());
        assert_eq!(mainnet_feature_set().active().len(), 242);
        assert_eq!(mainnet_slot(), 440_208_000);
    }
}
