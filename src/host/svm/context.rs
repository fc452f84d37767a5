//! The accounts, instructions and balances of one running transaction.

use solana_account::{AccountSharedData, ReadableAccount, WritableAccount};
use solana_address::Address;
use solana_instruction_error::InstructionError;
use solana_rent::Rent;
use solana_sdk_ids::sysvar;

use super::rent::is_exempt;
use crate::types::TransactionReturnData;

/// Most accounts of an instruction.
pub(super) const MAX_ACCOUNTS_PER_INSTRUCTION: usize = 255;
/// Longest data of a cross-program instruction, in bytes.
pub(super) const MAX_INSTRUCTION_DATA_LEN: usize = 10 * 1024;
/// Longest data of an account, in bytes.
pub(super) const MAX_ACCOUNT_DATA_LEN: usize = 10 * 1024 * 1024;
/// How much longer an instruction may make the data of an account, in bytes.
pub(super) const MAX_DATA_INCREASE: usize = 10 * 1024;
/// How much longer a transaction may make the data of all its accounts, in bytes.
const MAX_DATA_INCREASE_PER_TRANSACTION: i64 = 2 * MAX_ACCOUNT_DATA_LEN as i64;

/// An account as an instruction names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InstructionAccount {
    /// Number among the transaction's accounts.
    pub index: usize,
    /// Whether it has signed.
    pub signer: bool,
    /// Whether the instruction may change it.
    pub writable: bool,
}

/// One instruction, at the top level or called by another.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// Number of the program among the transaction's accounts.
    pub program: usize,
    /// Accounts, with duplicates.
    pub accounts: Vec<InstructionAccount>,
    /// Data.
    pub data: Vec<u8>,
    /// Number of the calling instruction in the trace.
    pub caller: Option<usize>,
    /// How deep it is nested: 1 at the top level.
    pub height: usize,
}

impl Frame {
    /// Number of the first account of this instruction that is the transaction's account `index`.
    pub fn position(&self, index: usize) -> Option<usize> {
        self.accounts.iter().position(|account| account.index == index)
    }

    /// Number of the account of this instruction that the account `number` repeats.
    pub fn duplicate_of(&self, number: usize) -> Option<usize> {
        let first = self.position(self.accounts[number].index)?;
        (first != number).then_some(first)
    }
}

/// What a transaction's instructions share.
pub(super) struct TransactionContext {
    accounts: Vec<(Address, AccountSharedData)>,
    touched: Vec<bool>,
    max_height: usize,
    max_trace: usize,
    trace: Vec<Frame>,
    prepared: Option<Frame>,
    stack: Vec<usize>,
    next_top_level: usize,
    calls: usize,
    lamports_delta: i128,
    resize_delta: i64,
    /// Data returned by the program called last.
    pub return_data: TransactionReturnData,
}

impl TransactionContext {
    /// A transaction of the given top-level instructions, none of them begun. Instructions may nest
    /// `max_height` deep; at most `max_trace` are executed.
    pub fn new(
        accounts: Vec<(Address, AccountSharedData)>,
        instructions: Vec<Frame>,
        max_height: usize,
        max_trace: usize,
    ) -> Self {
        Self {
            touched: vec![false; accounts.len()],
            accounts,
            max_height,
            max_trace,
            trace: instructions,
            prepared: None,
            stack: Vec::new(),
            next_top_level: 0,
            calls: 0,
            lamports_delta: 0,
            resize_delta: 0,
            return_data: TransactionReturnData::default(),
        }
    }

    /// The accounts as they are left.
    pub fn into_accounts(self) -> Vec<(Address, AccountSharedData)> {
        self.accounts
    }

    /// How many accounts there are.
    pub fn account_count(&self) -> usize {
        self.accounts.len()
    }

    /// Whether a program has written to an account.
    pub fn is_touched(&self, index: usize) -> bool {
        self.touched[index]
    }

    /// An account of the transaction.
    pub fn account(&self, index: usize) -> &AccountSharedData {
        &self.accounts[index].1
    }

    /// The address of an account of the transaction.
    pub fn key(&self, index: usize) -> &Address {
        &self.accounts[index].0
    }

    /// The number of the account with this address.
    pub fn find(&self, key: &Address) -> Option<usize> {
        self.accounts.iter().position(|(address, _)| address == key)
    }

    /// All instructions: those of the top level, then the called ones in the order of their calls.
    pub fn trace(&self) -> &[Frame] {
        &self.trace
    }

    /// How many instructions are being executed, each called by the one before.
    pub fn height(&self) -> usize {
        self.stack.len()
    }

    /// Number in the trace of the instruction being executed.
    pub fn current_index(&self) -> Result<usize, InstructionError> {
        self.stack.last().copied().ok_or(InstructionError::CallDepth)
    }

    /// The instruction being executed.
    pub fn current(&self) -> Result<&Frame, InstructionError> {
        Ok(&self.trace[self.current_index()?])
    }

    /// The program being executed.
    pub fn program(&self) -> Result<&Address, InstructionError> {
        Ok(self.key(self.current()?.program))
    }

    /// The instructions executed before the current one by the same caller, the nearest first.
    pub fn siblings(&self) -> impl Iterator<Item = &Frame> {
        let current = self.stack.last().copied();
        let before = &self.trace[..current.unwrap_or(0)];
        let caller = current.and_then(|index| self.trace[index].caller);
        before.iter().rev().filter(move |frame| frame.caller == caller)
    }

    /// The next instruction to be called, set by [`Self::prepare`].
    pub fn prepared(&self) -> Option<&Frame> {
        self.prepared.as_ref()
    }

    /// Sets the next instruction to be called.
    pub fn prepare(&mut self, frame: Frame) {
        self.prepared = Some(frame);
    }

    /// The instruction that [`Self::push`] will begin.
    pub fn next(&self) -> Option<&Frame> {
        if self.stack.is_empty() { self.trace.get(self.next_top_level) } else { self.prepared.as_ref() }
    }

    /// Begins the next instruction: that of the top level, or the prepared one.
    pub fn push(&mut self) -> Result<(), InstructionError> {
        let program = self.next().ok_or(InstructionError::CallDepth)?.program;
        let running = |index: &usize| self.trace[*index].program == program;
        if self.stack.iter().any(running) && !self.stack.last().is_some_and(running) {
            return Err(InstructionError::ReentrancyNotAllowed);
        }
        if !self.stack.is_empty() && self.lamports_delta != 0 {
            return Err(InstructionError::UnbalancedInstruction);
        }
        if self.next_top_level + self.calls >= self.max_trace {
            return Err(InstructionError::MaxInstructionTraceLengthExceeded);
        }
        let height = self.stack.len() + 1;
        let index = if self.stack.is_empty() {
            self.next_top_level += 1;
            self.next_top_level - 1
        } else {
            let frame = self.prepared.take().ok_or(InstructionError::CallDepth)?;
            self.calls += 1;
            self.trace.push(Frame { height, ..frame });
            self.trace.len() - 1
        };
        if height > self.max_height {
            return Err(InstructionError::CallDepth);
        }
        self.stack.push(index);
        self.store_current_index()
    }

    /// Writes the number of the top-level instruction into the instructions sysvar.
    fn store_current_index(&mut self) -> Result<(), InstructionError> {
        let Some(index) = self.find(&sysvar::instructions::ID) else { return Ok(()) };
        let number = (self.next_top_level - 1) as u16;
        let account = &mut self.accounts[index].1;
        if account.owner() != &sysvar::ID {
            return Err(InstructionError::InvalidAccountOwner);
        }
        let data = account.data_as_mut_slice();
        let place = data.last_chunk_mut::<2>().ok_or(InstructionError::AccountDataTooSmall)?;
        *place = number.to_le_bytes();
        Ok(())
    }

    /// Ends the current instruction.
    pub fn pop(&mut self) -> Result<(), InstructionError> {
        self.stack.pop().ok_or(InstructionError::CallDepth)?;
        if self.lamports_delta == 0 { Ok(()) } else { Err(InstructionError::UnbalancedInstruction) }
    }

    /// Account `number` of the current instruction, to be changed under the rules for its program.
    pub fn borrow(&mut self, number: usize) -> Result<BorrowedAccount<'_>, InstructionError> {
        let frame = self.current()?;
        let account = *frame.accounts.get(number).ok_or(InstructionError::MissingAccount)?;
        let program = frame.program;
        Ok(BorrowedAccount { context: self, account, program })
    }
}

/// An account of the current instruction. Every change is checked against what that instruction's program
/// may do.
pub(super) struct BorrowedAccount<'a> {
    context: &'a mut TransactionContext,
    account: InstructionAccount,
    program: usize,
}

impl BorrowedAccount<'_> {
    fn get(&self) -> &AccountSharedData {
        self.context.account(self.account.index)
    }

    /// The account, which counts as written to from now on.
    fn get_mut(&mut self) -> &mut AccountSharedData {
        self.context.touched[self.account.index] = true;
        &mut self.context.accounts[self.account.index].1
    }

    /// Its address.
    pub fn key(&self) -> &Address {
        self.context.key(self.account.index)
    }

    /// Its owner.
    pub fn owner(&self) -> &Address {
        self.get().owner()
    }

    /// Its balance.
    pub fn lamports(&self) -> u64 {
        self.get().lamports()
    }

    /// Its data.
    pub fn data(&self) -> &[u8] {
        self.get().data()
    }

    /// Whether the instruction may change it.
    pub fn is_writable(&self) -> bool {
        self.account.writable
    }

    fn is_owned_by_program(&self) -> bool {
        self.context.key(self.program) == self.owner()
    }

    /// Sets the balance.
    pub fn set_lamports(&mut self, lamports: u64) -> Result<(), InstructionError> {
        let old = self.lamports();
        if !self.is_owned_by_program() && lamports < old {
            return Err(InstructionError::ExternalAccountLamportSpend);
        }
        if !self.account.writable {
            return Err(InstructionError::ReadonlyLamportChange);
        }
        if lamports == old {
            return Ok(());
        }
        let delta = i128::from(lamports) - i128::from(old);
        self.context.lamports_delta =
            self.context.lamports_delta.checked_add(delta).ok_or(InstructionError::ArithmeticOverflow)?;
        self.get_mut().set_lamports(lamports);
        Ok(())
    }

    /// Adds to the balance.
    pub fn add_lamports(&mut self, lamports: u64) -> Result<(), InstructionError> {
        let sum = self.lamports().checked_add(lamports).ok_or(InstructionError::ArithmeticOverflow)?;
        self.set_lamports(sum)
    }

    /// Takes from the balance.
    pub fn sub_lamports(&mut self, lamports: u64) -> Result<(), InstructionError> {
        let rest = self.lamports().checked_sub(lamports).ok_or(InstructionError::ArithmeticOverflow)?;
        self.set_lamports(rest)
    }

    /// Whether the program may change the data.
    fn check_data_change(&self) -> Result<(), InstructionError> {
        if !self.account.writable {
            return Err(InstructionError::ReadonlyDataModified);
        }
        if !self.is_owned_by_program() {
            return Err(InstructionError::ExternalAccountDataModified);
        }
        Ok(())
    }

    /// Whether the program may give the data this length.
    fn check_resize(&self, length: usize) -> Result<(), InstructionError> {
        if length > MAX_ACCOUNT_DATA_LEN {
            return Err(InstructionError::InvalidRealloc);
        }
        if self.resized_by(length) > MAX_DATA_INCREASE_PER_TRANSACTION {
            return Err(InstructionError::MaxAccountsDataAllocationsExceeded);
        }
        self.check_data_change()
    }

    /// By how much all data of the transaction would have grown with this length.
    fn resized_by(&self, length: usize) -> i64 {
        self.context.resize_delta + length as i64 - self.data().len() as i64
    }

    /// Replaces the data by what a program has left in its memory: refused only if it differs.
    pub fn update_data(&mut self, data: &[u8]) -> Result<(), InstructionError> {
        match self.check_resize(data.len()) {
            Ok(()) => {
                self.context.resize_delta = self.resized_by(data.len());
                self.context.touched[self.account.index] = true;
                // Equal data stays shared with the store.
                if self.data() != data {
                    self.get_mut().set_data_from_slice(data);
                }
                Ok(())
            }
            Err(_) if self.data() == data => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The data, to be overwritten.
    pub fn data_mut(&mut self) -> Result<&mut [u8], InstructionError> {
        self.check_data_change()?;
        Ok(self.get_mut().data_as_mut_slice())
    }

    /// Overwrites the start of the data.
    pub fn write_data(&mut self, bytes: &[u8]) -> Result<(), InstructionError> {
        let data = self.data_mut()?;
        let place = data.get_mut(..bytes.len()).ok_or(InstructionError::AccountDataTooSmall)?;
        place.copy_from_slice(bytes);
        Ok(())
    }

    /// Cuts the data, or makes it longer by zeros.
    pub fn set_data_length(&mut self, length: usize) -> Result<(), InstructionError> {
        self.check_resize(length)?;
        if length != self.data().len() {
            self.context.resize_delta = self.resized_by(length);
            self.get_mut().resize(length, 0);
        }
        Ok(())
    }

    /// Marks the account executable, which only an account that is exempt from rent may be.
    pub fn set_executable(&mut self, rent: &Rent) -> Result<(), InstructionError> {
        if !is_exempt(rent, self.lamports(), self.data().len()) {
            return Err(InstructionError::ExecutableAccountNotRentExempt);
        }
        if !self.is_owned_by_program() || !self.account.writable {
            return Err(InstructionError::ExecutableModified);
        }
        if !self.get().executable() {
            self.get_mut().set_executable(true);
        }
        Ok(())
    }

    /// Gives the account to another program.
    pub fn set_owner(&mut self, owner: &Address) -> Result<(), InstructionError> {
        let zeroed = self.data().iter().all(|byte| *byte == 0);
        if !self.is_owned_by_program() || !self.account.writable || !zeroed {
            return Err(InstructionError::ModifiedProgramId);
        }
        if self.owner() != owner {
            self.get_mut().set_owner(*owner);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: Address = Address::new_from_array([1; 32]);
    const OTHER: Address = Address::new_from_array([2; 32]);

    /// Accounts 0 and 1 are programs, account 2 belongs to program 0, account 3 to program 1.
    fn context(top_level: &[usize], max_height: usize, max_trace: usize) -> TransactionContext {
        let account = |owner: &Address| AccountSharedData::new(100, 4, owner);
        let accounts = vec![
            (OWNER, account(&Address::default())),
            (OTHER, account(&Address::default())),
            (Address::new_from_array([3; 32]), account(&OWNER)),
            (Address::new_from_array([4; 32]), account(&OTHER)),
        ];
        let instructions = top_level.iter().map(|program| frame(*program, true)).collect();
        TransactionContext::new(accounts, instructions, max_height, max_trace)
    }

    fn frame(program: usize, writable: bool) -> Frame {
        let account = |index| InstructionAccount { index, signer: false, writable };
        Frame { program, accounts: vec![account(2), account(3)], data: vec![], caller: None, height: 1 }
    }

    #[test]
    fn programs_call_themselves_but_not_their_callers() {
        let mut context = context(&[0], 5, 64);
        context.push().unwrap();
        context.prepare(frame(0, true));
        context.push().unwrap();
        context.prepare(frame(1, true));
        context.push().unwrap();
        context.prepare(frame(0, true));
        assert_eq!(context.push(), Err(InstructionError::ReentrancyNotAllowed));
        assert_eq!(context.trace().iter().map(|frame| frame.height).collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn a_call_that_is_too_deep_is_in_the_trace() {
        let mut context = context(&[0], 2, 64);
        context.push().unwrap();
        context.prepare(frame(0, true));
        context.push().unwrap();
        context.prepare(frame(0, true));
        assert_eq!(context.push(), Err(InstructionError::CallDepth));
        assert_eq!(context.trace().len(), 3);
    }

    #[test]
    fn the_trace_counts_what_was_called() {
        let mut context = context(&[0, 0, 0], 5, 2);
        context.push().unwrap();
        context.prepare(frame(1, true));
        context.push().unwrap();
        context.pop().unwrap();
        context.pop().unwrap();
        assert_eq!(context.push(), Err(InstructionError::MaxInstructionTraceLengthExceeded));
        assert_eq!(context.trace().len(), 4);
    }

    #[test]
    fn lamports_balance_before_a_call() {
        let mut context = context(&[0], 5, 64);
        context.push().unwrap();
        context.borrow(0).unwrap().sub_lamports(1).unwrap();
        context.prepare(frame(1, true));
        assert_eq!(context.push(), Err(InstructionError::UnbalancedInstruction));
        context.borrow(1).unwrap().add_lamports(1).unwrap();
        context.push().unwrap();
    }

    #[test]
    fn only_owners_change_accounts_and_only_writable_ones() {
        let mut context = context(&[0], 5, 64);
        context.push().unwrap();
        let mut own = context.borrow(0).unwrap();
        own.update_data(b"abc").unwrap();
        assert_eq!(own.set_owner(&OTHER), Err(InstructionError::ModifiedProgramId));
        own.update_data(&[0; 8]).unwrap();
        own.set_owner(&OTHER).unwrap();
        assert_eq!(own.set_owner(&OWNER), Err(InstructionError::ModifiedProgramId));
        let mut foreign = context.borrow(1).unwrap();
        foreign.add_lamports(1).unwrap();
        assert_eq!(foreign.sub_lamports(1), Err(InstructionError::ExternalAccountLamportSpend));
        foreign.update_data(&[0; 4]).unwrap();
        assert_eq!(foreign.update_data(b"abcd"), Err(InstructionError::ExternalAccountDataModified));
        assert_eq!(foreign.update_data(&[0; 5]), Err(InstructionError::ExternalAccountDataModified));

        let mut read_only = super::tests::context(&[], 5, 64);
        read_only.trace = vec![frame(0, false)];
        read_only.push().unwrap();
        let mut own = read_only.borrow(0).unwrap();
        assert_eq!(own.add_lamports(1), Err(InstructionError::ReadonlyLamportChange));
        assert_eq!(own.update_data(b"abcd"), Err(InstructionError::ReadonlyDataModified));
        assert_eq!(own.set_owner(&OTHER), Err(InstructionError::ModifiedProgramId));
    }

    #[test]
    fn data_grows_up_to_limits() {
        let mut context = context(&[0], 5, 64);
        context.push().unwrap();
        let mut own = context.borrow(0).unwrap();
        assert_eq!(own.set_data_length(MAX_ACCOUNT_DATA_LEN + 1), Err(InstructionError::InvalidRealloc));
        own.set_data_length(MAX_ACCOUNT_DATA_LEN).unwrap();
        own.set_data_length(0).unwrap();
        context.resize_delta = MAX_DATA_INCREASE_PER_TRANSACTION;
        let mut own = context.borrow(0).unwrap();
        let error = InstructionError::MaxAccountsDataAllocationsExceeded;
        assert_eq!(own.set_data_length(1), Err(error.clone()));
        assert_eq!(own.update_data(&[0]), Err(error));
        own.set_data_length(0).unwrap();
    }
}
