//! What a validator does otherwise than LiteSVM.

use solana_address::Address;
use solana_hash::Hash;
use solana_instruction::Instruction;
use solana_instruction_error::InstructionError;
use solana_message::VersionedMessage;
use solana_nonce::{
    state::{Data, DurableNonce, State},
    versions::Versions,
};
use solana_sdk_ids::{bpf_loader, compute_budget, incinerator, system_program, sysvar};
use solana_system_interface::instruction as system;
use solana_transaction::versioned::VersionedTransaction;
use solana_transaction_error::TransactionError;
use svmllm::host::svm::{Rules, Svm};
use svmllm::tables::Indexed;

use crate::both::{Both, MEMO_4, TOKEN, account, meta, unsigned};

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

fn memo() -> Instruction {
    Instruction { program_id: MEMO_4, accounts: vec![], data: b"memo".to_vec() }
}

/// What becomes of a transaction under LiteSVM's rules and a validator's, each on its own bank.
fn outcomes(
    [lite, agave]: &mut [Svm<'static, Indexed>; 2],
    transaction: VersionedTransaction,
) -> [Result<(), TransactionError>; 2] {
    [lite, agave].map(|svm| {
        let result = svm.send_transaction(transaction.clone());
        result.map(drop).map_err(|failed| failed.err)
    })
}

fn failed(index: u8, error: InstructionError) -> Result<(), TransactionError> {
    Err(TransactionError::InstructionError(index, error))
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
    for (mut svm, runs) in both_rules().into_iter().zip([false, true]) {
        let mut program = svm.get_account(&MEMO_4).unwrap();
        program.executable = false;
        svm.set_account(MEMO_4, program).unwrap();
        let result = svm.send_transaction(unsigned(PAYER, &[memo()], Hash::default()));
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

/// A validator loads a program from what its account holds now; LiteSVM keeps what it loaded last.
#[test]
fn a_program_is_what_its_account_holds() {
    let mut both = both_rules();
    let mut program = both[0].get_account(&MEMO_4).unwrap();
    let file = std::mem::replace(&mut program.data, vec![0; 100]);
    program.executable = false;
    let send = |both: &mut _| outcomes(both, unsigned(PAYER, &[memo()], Hash::default()));
    both.iter_mut().for_each(|svm| svm.set_account(MEMO_4, program.clone()).unwrap());
    let unmarked = Err(TransactionError::InvalidProgramForExecution);
    assert_eq!(send(&mut both), [unmarked.clone(), failed(0, InstructionError::UnsupportedProgramId)]);
    program.data = file;
    both.iter_mut().for_each(|svm| svm.set_account(MEMO_4, program.clone()).unwrap());
    assert_eq!(send(&mut both), [unmarked, Ok(())]);
}

/// The slot of a deployment must be over.
#[test]
fn a_program_is_in_use_from_the_next_slot_on() {
    let mut both = both_rules();
    // An instruction that the program does not know.
    let instruction = Instruction { program_id: TOKEN, accounts: vec![], data: vec![255; 3] };
    let transaction = unsigned(PAYER, &[instruction], Hash::default());
    let [lite, agave] = outcomes(&mut both, transaction.clone());
    assert_eq!(agave, failed(0, InstructionError::UnsupportedProgramId));
    assert_ne!(agave, lite);
    let slot = litesvm::MAINNET_DEFAULT_SLOT + 1;
    both.iter_mut().for_each(|svm| svm.warp_to_slot(slot));
    assert_eq!(outcomes(&mut both, transaction), [lite.clone(), lite]);
}

/// A validator reads what is asked of the compute budget before it looks up addresses and counts locks, and
/// judges it before the age; LiteSVM judges it all after the age.
#[test]
fn the_compute_budget_comes_first() {
    let request =
        |data: &[u8]| Instruction { program_id: compute_budget::ID, accounts: vec![], data: data.to_vec() };
    let unit_limit = request(&[2, 1, 0, 0, 0]);
    let heap = request(&[1, 1, 0, 0, 0]);
    let malformed = failed(0, InstructionError::InvalidInstructionData);
    let doubled = Err(TransactionError::DuplicateInstruction(1));
    let old = Err(TransactionError::BlockhashNotFound);
    let twice = Err(TransactionError::AccountLoadedTwice);
    for (instructions, agave, agave_named_twice) in [
        (vec![request(&[9])], &malformed, &malformed),
        (vec![unit_limit.clone(), unit_limit], &doubled, &doubled),
        (vec![heap], &malformed, &twice),
    ] {
        let mut both = both_rules().map(|svm| svm.with_blockhash_check(true));
        let mut instructions = instructions;
        instructions.push(system::transfer(&PAYER, &OTHER, 1));
        let mut transaction = unsigned(PAYER, &instructions, Hash::default());
        assert_eq!(outcomes(&mut both, transaction.clone()), [old.clone(), agave.clone()]);
        if let VersionedMessage::Legacy(message) = &mut transaction.message {
            let other = message.account_keys.iter().position(|key| *key == OTHER).unwrap();
            message.account_keys[other] = PAYER;
        }
        assert_eq!(outcomes(&mut both, transaction), [twice.clone(), agave_named_twice.clone()]);
    }
}

/// What LiteSVM finds out when it gets there, a validator sees before.
#[test]
fn instructions_and_their_accounts_are_counted_before() {
    let many = vec![system::transfer(&PAYER, &PAYER, 0); 65];
    let [lite, agave] = outcomes(&mut both_rules(), unsigned(PAYER, &many, Hash::default()));
    assert_eq!(lite, failed(64, InstructionError::MaxInstructionTraceLengthExceeded));
    assert_eq!(agave, Err(TransactionError::SanitizeFailure));

    let wide = Instruction { accounts: vec![meta(PAYER, true, true); 256], ..memo() };
    let [lite, agave] = outcomes(&mut both_rules(), unsigned(PAYER, &[wide], Hash::default()));
    assert!(matches!(lite, Err(TransactionError::InstructionError(0, _))), "{lite:?}");
    assert_eq!(agave, Err(TransactionError::SanitizeFailure));
}

/// A payer below the minimum that pays a fee may get nothing of it back: a validator takes its rent state after
/// the fee, LiteSVM before.
#[test]
fn rent_is_judged_from_after_the_fee() {
    for (gift, agave) in
        [(0, Ok(())), (1, Err(TransactionError::InsufficientFundsForRent { account_index: 0 }))]
    {
        let mut both = both_rules();
        for svm in &mut both {
            svm.set_account(PAYER, account(500_000, Vec::new(), system_program::ID)).unwrap();
            svm.set_account(OTHER, account(1 << 30, Vec::new(), system_program::ID)).unwrap();
        }
        let instruction = system::transfer(&OTHER, &PAYER, gift);
        let transaction = unsigned(PAYER, &[instruction], Hash::default());
        assert_eq!(outcomes(&mut both, transaction), [Ok(()), agave]);
    }
}

/// The incinerator may pay rent after a transaction, but not after its fee.
#[test]
fn the_incinerator_pays_no_fee_below_the_minimum() {
    let mut both = both_rules();
    for svm in &mut both {
        svm.set_account(incinerator::ID, account(892_000, Vec::new(), system_program::ID)).unwrap();
    }
    let transaction = unsigned(incinerator::ID, &[memo()], Hash::default());
    let refused = Err(TransactionError::InsufficientFundsForRent { account_index: 0 });
    assert_eq!(outcomes(&mut both, transaction), [Ok(()), refused]);
}

/// A nonce transaction that fails keeps the payer's new rent epoch; any other one keeps the old.
#[test]
fn the_rent_epoch_of_a_payer_whose_transaction_fails() {
    let nonce = DurableNonce::from_blockhash(&Hash::new_from_array([5; 32]));
    let fails = system::transfer(&PAYER, &OTHER, u64::MAX);
    let advance = system::advance_nonce_account(&OTHER, &PAYER);
    let with_nonce = unsigned(PAYER, &[advance, fails.clone()], *nonce.as_hash());
    for (transaction, epochs) in
        [(unsigned(PAYER, &[fails], Hash::default()), [0, 0]), (with_nonce, [0, u64::MAX])]
    {
        let checks = *transaction.message.recent_blockhash() != Hash::default();
        let mut both = both_rules().map(|svm| svm.with_blockhash_check(checks));
        for svm in &mut both {
            svm.set_account(OTHER, account(1 << 30, nonce_data(&nonce), system_program::ID)).unwrap();
        }
        let results = outcomes(&mut both, transaction);
        assert!(results.iter().all(Result::is_err), "{results:?}");
        assert_eq!(both.map(|svm| svm.get_account(&PAYER).unwrap().rent_epoch), epochs);
    }
}

/// A program that has returned nothing is not named, and what is not processed has no fee.
#[test]
fn what_is_reported() {
    for (mut svm, named) in both_rules().into_iter().zip([MEMO_4, Address::default()]) {
        let meta = svm.send_transaction(unsigned(PAYER, &[memo()], Hash::default())).unwrap();
        assert_eq!(meta.return_data.program_id, named);
    }
    for (mut svm, fee) in both_rules().into_iter().zip([5000, 0]) {
        let failed = svm.send_transaction(unsigned(OTHER, &[memo()], Hash::default())).unwrap_err();
        assert_eq!((failed.err, failed.meta.fee), (TransactionError::AccountNotFound, fee));
    }
}

/// Nobody can sign for the instructions sysvar. If it could pay: LiteSVM never loads it from the store and asks
/// the next account to pay; a validator loads the payer from the store, and finds there what is no sysvar.
#[test]
fn the_instructions_sysvar_is_not_read_from_the_store() {
    let stranger = Address::new_from_array([7; 32]);
    for owner in [stranger, system_program::ID, sysvar::ID, bpf_loader::ID] {
        let mut both = both_rules();
        let preset = account(1 << 30, vec![1, 2, 3], owner);
        both.iter_mut().for_each(|svm| svm.set_account(sysvar::instructions::ID, preset.clone()).unwrap());
        let accounts = vec![meta(sysvar::instructions::ID, false, true); 3];
        let instruction = Instruction { accounts, ..system::transfer(&PAYER, &PAYER, 0) };
        let instructions = [instruction, system::transfer(&PAYER, &PAYER, 0)];
        // The account made for the transaction has the sysvar's owner and cannot be written or debited.
        let read = outcomes(&mut both, unsigned(PAYER, &instructions, Hash::default()));
        assert_eq!(read, [0, 1].map(|_| failed(0, InstructionError::MissingRequiredSignature)), "{owner}");
        for svm in &both {
            assert_eq!(svm.get_account(&sysvar::instructions::ID), Some(preset.clone()));
        }
    }
    let mut both = both_rules();
    let wallet = account(1 << 30, Vec::new(), system_program::ID);
    both.iter_mut().for_each(|svm| svm.set_account(sysvar::instructions::ID, wallet.clone()).unwrap());
    let mut transaction = unsigned(PAYER, &[system::transfer(&PAYER, &PAYER, 0)], Hash::default());
    if let VersionedMessage::Legacy(message) = &mut transaction.message {
        message.account_keys[0] = sysvar::instructions::ID;
    }
    let [lite, agave] = outcomes(&mut both, transaction);
    assert_eq!(lite, Err(TransactionError::AccountNotFound));
    assert_eq!(agave, failed(0, InstructionError::InvalidAccountOwner));
}
