//! What syscalls see and change besides the memory and the registers.

use super::text::Line;
use crate::{
    deltanet::Heads,
    tables::{Word, alphabet::Bit},
};
use std::sync::Arc;

/// Bytes of a RAM.
pub struct Blob<S: Heads> {
    /// The bytes.
    pub ram: S::Ram,
    /// How many there are.
    pub length: Word<S>,
}

/// A sysvar.
pub struct Sysvar<S: Heads> {
    /// Address of its account.
    pub id: [Word<S>; 4],
    /// The account's bytes.
    pub account: Blob<S>,
    /// The bytes of the structure in memory, for those that have a getter.
    pub image: Option<Blob<S>>,
}

/// Data a program leaves for its caller.
pub struct ReturnData<S: Heads> {
    /// Who left it.
    pub program_id: [Word<S>; 4],
    /// What; there is room for [`MAX_RETURN_DATA`](super::MAX_RETURN_DATA) bytes.
    pub data: Blob<S>,
}

/// An instruction that ran before, as a program may ask for it.
pub struct Sibling<S: Heads> {
    /// Its program.
    pub program_id: [Word<S>; 4],
    /// Its data.
    pub data: Blob<S>,
    /// Its accounts: 34 bytes each.
    pub accounts: Blob<S>,
    /// Number of accounts.
    pub account_count: Word<S>,
}

/// Index of each sysvar with a getter in [`Context::sysvars`].
#[derive(Clone, Copy)]
#[allow(missing_docs)] // the sysvars' own names
pub enum SysvarIndex {
    Clock,
    EpochSchedule,
    EpochRewards,
    Rent,
    LastRestartSlot,
    SlotHashes,
    StakeHistory,
    Fees,
}

impl SysvarIndex {
    /// How many `sol_get_sysvar` knows; what comes after them has a getter only.
    pub const BY_ADDRESS: usize = Self::Fees as usize;
}

/// What a program's syscalls share.
pub struct Context<S: Heads> {
    /// The running program.
    pub program_id: [Word<S>; 4],
    /// Pointers to types must be aligned.
    pub aligned: S::Digit<Bit>,
    /// 1 for an instruction of the transaction itself.
    pub stack_height: Word<S>,
    /// Bytes of the heap.
    pub heap_length: Word<S>,
    /// Bytes of the heap given away.
    pub heap_used: Word<S>,
    /// Sysvars by [`SysvarIndex`]; `None` for one the runtime does not have.
    pub sysvars: Arc<[Option<Sysvar<S>>; 8]>,
    /// The last return data.
    pub return_data: ReturnData<S>,
    /// Stake of the whole cluster.
    pub total_stake: Word<S>,
    /// Stake of vote accounts.
    pub stakes: Vec<([Word<S>; 4], Word<S>)>,
    /// Instructions that ran before, the last one first.
    pub siblings: Vec<Sibling<S>>,
    /// Lines logged.
    pub log: Vec<Line<S>>,
}
