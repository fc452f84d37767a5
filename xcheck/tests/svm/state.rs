//! What a fresh store holds.

use crate::both::Both;

#[test]
fn a_fresh_store_is_litesvms() {
    let Both { lite, svm } = Both::new();
    let expected = &lite.accounts_db().inner;
    for (address, expected) in expected {
        let actual = svm.get_shared_account(address);
        assert_eq!(actual, Some(expected), "{address}");
    }
    for (address, _) in svm.accounts() {
        assert!(expected.contains_key(address), "{address}");
    }
    assert_eq!(lite.latest_blockhash(), svm.latest_blockhash());
    assert_eq!(litesvm::LiteSVM::mainnet_feature_set().active(), svm.feature_set().active());
}

#[test]
fn time_passes_alike() {
    let Both { mut lite, mut svm } = Both::new();
    lite.expire_blockhash();
    svm.expire_blockhash();
    lite.warp_to_slot(12_345);
    svm.warp_to_slot(12_345);
    assert_eq!(lite.latest_blockhash(), svm.latest_blockhash());
    for id in [solana_sdk_ids::sysvar::clock::ID, solana_sdk_ids::sysvar::recent_blockhashes::ID] {
        assert_eq!(lite.get_account(&id), svm.get_account(&id));
    }
    for length in [0, 1, 165, 10 << 20, (10 << 20) + 1] {
        let expected = lite.minimum_balance_for_rent_exemption(length);
        assert_eq!(expected, svm.minimum_balance_for_rent_exemption(length));
    }
}
