//! What a validator does otherwise than LiteSVM.

use solana_address::Address;
use solana_hash::Hash;
use solana_instruction::Instruction;
use solana_nonce::{
    state::{Data, DurableNonce, State},
    versions::Versions,
};
use solana_sdk_ids::{compute_budget, system_program};
use solana_system_interface::instruction as system;
use solana_transaction_error::TransactionError;
use svmllm::host::svm::{Rules, Svm};
use svmllm::tables::Indexed;

use crate::both::{Both, MEMO_4, TOKEN, account, unsigned};

const PAYER: Address = Address::new_from_array([1; 32]);
const OTHER: Address = Address::new_from_array([2; 32]);

/// The machine under both rules, with a payer.
fn both_rules() -> [Svm<'static, Indexed>; 2] {
    [Rules::LiteSvm, Rules::Agave].map(|rules| {
        let mut svm = Both::unchecked().svm.with_rules(rules);
        svm.set_account(PAYER, account(1_000_000_000, Vec::new(), system_program::ID)).unwrap();
        svm
    })
}

fn nonce_data(nonce: &DurableNonce) -> Vec<u8> {
    wincode::serialize(&Versions::new(State::Initialized(Data::new(PAYER, *nonce, 5000)))).unwrap()
}

#[test]
fn a_transaction_that_cannot_be_loaded_pays() {
    let limit = Instruction { program_id: compute_budget::ID, accounts: vec![], data: vec![4, 1, 0, 0, 0] };
    for (mut svm, paid) in both_rules().into_iter().zip([0, 5000]) {
        let failed =
            svm.send_transaction(unsigned(PAYER, std::slice::from_ref(&limit), Hash::default())).unwrap_err();
        assert_eq!(failed.err, TransactionError::MaxLoadedAccountsDataSizeExceeded);
        assert_eq!(failed.meta.fee, 5000);
        assert_eq!(svm.get_balance(&PAYER), Some(1_000_000_000 - paid));
    }
}

#[test]
fn a_failed_transaction_advances_its_nonce() {
    let old = DurableNonce::from_blockhash(&Hash::new_from_array([5; 32]));
    let instructions =
        [system::advance_nonce_account(&OTHER, &PAYER), system::transfer(&PAYER, &OTHER, u64::MAX)];
    let advanced = |svm: &Svm<Indexed>| DurableNonce::from_blockhash(&svm.latest_blockhash());
    for (svm, advances) in both_rules().into_iter().zip([false, true]) {
        let mut svm = svm.with_blockhash_check(true);
        svm.set_account(OTHER, account(1 << 30, nonce_data(&old), system_program::ID)).unwrap();
        let result = svm.send_transaction(unsigned(PAYER, &instructions, *old.as_hash()));
        assert!(matches!(result.unwrap_err().err, TransactionError::InstructionError(1, _)));
        let expected = if advances { advanced(&svm) } else { old };
        assert_eq!(svm.get_account(&OTHER).unwrap().data, nonce_data(&expected));
        assert_eq!(svm.get_balance(&PAYER), Some(1_000_000_000 - 5000));
    }
}

#[test]
fn programs_need_no_mark() {
    let memo = Instruction { program_id: MEMO_4, accounts: vec![], data: b"memo".to_vec() };
    for (mut svm, runs) in both_rules().into_iter().zip([false, true]) {
        let mut program = svm.get_account(&MEMO_4).unwrap();
        program.executable = false;
        svm.set_account(MEMO_4, program).unwrap();
        let result = svm.send_transaction(unsigned(PAYER, std::slice::from_ref(&memo), Hash::default()));
        assert_eq!(result.is_ok(), runs, "{result:?}");
    }
}

#[test]
fn the_data_of_programs_counts() {
    let instruction = Instruction { program_id: TOKEN, accounts: vec![], data: vec![] };
    let size = Both::unchecked().svm.get_account(&TOKEN).unwrap().data.len() as u32 + 3 * 64 + 22 + 10;
    let limit = [&[4][..], &size.to_le_bytes()].concat();
    let limit = Instruction { program_id: compute_budget::ID, accounts: vec![], data: limit };
    for (mut svm, fits) in both_rules().into_iter().zip([true, false]) {
        let instructions = [limit.clone(), instruction.clone()];
        let failed = svm.send_transaction(unsigned(PAYER, &instructions, Hash::default())).unwrap_err();
        assert_eq!(failed.err != TransactionError::MaxLoadedAccountsDataSizeExceeded, fits);
    }
}

#[test]
fn what_no_program_writes_to_stays_as_it_is() {
    for (mut svm, epoch) in both_rules().into_iter().zip([u64::MAX, 0]) {
        svm.set_account(OTHER, account(1 << 30, Vec::new(), system_program::ID)).unwrap();
        let transfer = system::transfer(&PAYER, &OTHER, 0);
        assert!(svm.send_transaction(unsigned(PAYER, &[transfer], Hash::default())).is_ok());
        assert_eq!(svm.get_account(&OTHER).unwrap().rent_epoch, epoch);
    }
}
