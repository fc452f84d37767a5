//! Instructions of the Stake Program.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use solana_account::Account;
use solana_address::Address;
use solana_sdk_ids::{stake, system_program, sysvar, vote};

use super::{account, chance, key, one, rent};
use crate::transaction::{Draft, Slot};

/// The instructions by their number.
pub const NAMES: [&str; 18] = [
    "Stake Initialize",
    "Stake Authorize",
    "DelegateStake",
    "Stake Split",
    "Stake Withdraw",
    "Stake Deactivate",
    "SetLockup",
    "Stake Merge",
    "AuthorizeWithSeed",
    "InitializeChecked",
    "AuthorizeChecked",
    "AuthorizeCheckedWithSeed",
    "SetLockupChecked",
    "GetMinimumDelegation",
    "DeactivateDelinquent",
    "Redelegate",
    "MoveStake",
    "MoveLamports",
];

/// Bytes of a stake account.
pub const LEN: usize = 200;
/// Lamports that may be staked at least.
const MINIMUM: u64 = 1_000_000_000;
/// Bytes of a vote account.
const VOTE_LEN: usize = 3762;

/// What a stake account is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Uninitialized,
    Initialized,
    Delegated { activated: u64, deactivated: u64 },
}

/// Who may do what with a stake account, and until when not.
#[derive(Clone, Debug)]
struct Owners {
    staker: Address,
    withdrawer: Address,
    unlocked: u64,
}

impl Owners {
    fn authorized(&self) -> Vec<u8> {
        [self.staker.to_bytes(), self.withdrawer.to_bytes()].concat()
    }

    fn lockup(&self) -> Vec<u8> {
        [&self.unlocked.to_le_bytes()[..], &0u64.to_le_bytes(), key("custodian").as_ref()].concat()
    }

    fn state(&self, state: State, stake: u64) -> Vec<u8> {
        let tag: u32 = match state {
            State::Uninitialized => 0,
            State::Initialized => 1,
            State::Delegated { .. } => 2,
        };
        let mut data = tag.to_le_bytes().to_vec();
        if state != State::Uninitialized {
            data.extend(rent(LEN).to_le_bytes());
            data.extend(self.authorized());
            data.extend(self.lockup());
        }
        if let State::Delegated { activated, deactivated } = state {
            data.extend(key("vote").to_bytes());
            data.extend([stake, activated, deactivated].map(u64::to_le_bytes).concat());
            data.extend(0.25f64.to_le_bytes());
            data.extend(0u64.to_le_bytes());
        }
        data.resize(LEN, 0);
        data
    }
}

struct Scene<'a> {
    rng: &'a mut ChaCha8Rng,
    owners: Owners,
}

impl Scene<'_> {
    fn state(&mut self) -> State {
        let [active, never] = [0, u64::MAX];
        match self.rng.random_range(0..8) {
            0 => State::Uninitialized,
            1..=3 => State::Initialized,
            4 => State::Delegated { activated: active, deactivated: active },
            5 => State::Delegated { activated: never, deactivated: never },
            _ => State::Delegated { activated: active, deactivated: never },
        }
    }

    fn stake(&mut self, name: &str, state: State) -> Slot {
        let staked = one(self.rng, &[MINIMUM, 2 * MINIMUM, 5 * MINIMUM, 5 * MINIMUM, MINIMUM - 1]);
        let more = one(self.rng, &[0, 0, 1, MINIMUM]);
        let data = self.owners.state(state, staked);
        let lamports = rent(LEN) + staked + more;
        let owner = if chance(self.rng, 3) { system_program::ID } else { stake::ID };
        Slot::write(key(name), Account { lamports, ..account(owner, data) })
    }

    fn vote(&mut self) -> Slot {
        let mut data = vec![0; VOTE_LEN];
        data[0] = one(self.rng, &[2, 2, 2, 1, 3, 0]);
        let owner = if chance(self.rng, 5) { key("stranger") } else { vote::ID };
        Slot::read(one(self.rng, &[key("vote"), key("vote"), key("other vote")]), account(owner, data))
    }

    fn staker(&mut self) -> Slot {
        let who = if chance(self.rng, 10) { self.owners.withdrawer } else { self.owners.staker };
        Slot::read(who, None).signing()
    }

    fn withdrawer(&mut self) -> Slot {
        let who = if chance(self.rng, 10) { self.owners.staker } else { self.owners.withdrawer };
        Slot::read(who, None).signing()
    }

    fn amount(&mut self) -> u64 {
        let all = rent(LEN) + MINIMUM;
        let some = self.rng.random_range(0..3 * MINIMUM);
        one(self.rng, &[0, 1, MINIMUM, MINIMUM, MINIMUM - 1, all, all + 1, 2 * MINIMUM, some, some, u64::MAX])
    }

    fn custodian(&mut self, slots: &mut Vec<Slot>) {
        if chance(self.rng, 30) {
            slots.push(Slot::read(key("custodian"), None).signing());
        }
    }
}

fn clock() -> Slot {
    Slot::read(sysvar::clock::ID, None)
}

fn history() -> Slot {
    Slot::read(sysvar::stake_history::ID, None)
}

/// One of [`NAMES`], with accounts that mostly fit.
///
/// # Panics
/// Panics if no instruction has this number.
pub fn instruction(number: u32, rng: &mut ChaCha8Rng) -> Draft {
    let unlocked = one(rng, &[0, 0, 0, 0, u64::MAX >> 1]);
    let owners = Owners { staker: key("staker"), withdrawer: key("withdrawer"), unlocked };
    let mut scene = Scene { rng, owners };
    let (slots, rest) = parts(number, &mut scene);
    let data = [&number.to_le_bytes()[..], &rest].concat();
    Draft::new(NAMES[number as usize], stake::ID, slots, data)
}

fn parts(number: u32, scene: &mut Scene<'_>) -> (Vec<Slot>, Vec<u8>) {
    let which = one(scene.rng, &[0u32, 1, 1, 2]);
    let likely = |scene: &mut Scene<'_>, state| if chance(scene.rng, 75) { state } else { scene.state() };
    // One that has always been staked, or is from this epoch on.
    let activated = one(scene.rng, &[0, u64::MAX]);
    let active = State::Delegated { activated, deactivated: u64::MAX };
    let authority = |scene: &mut Scene<'_>| if which == 0 { scene.staker() } else { scene.withdrawer() };
    match number {
        0 | 9 => {
            let state = likely(scene, State::Uninitialized);
            let slot = scene.stake("stake", state);
            let mut slots = vec![slot, Slot::read(sysvar::rent::ID, None)];
            if number == 0 {
                return (slots, [scene.owners.authorized(), scene.owners.lockup()].concat());
            }
            slots.extend([Slot::read(key("staker"), None), Slot::read(key("withdrawer"), None).signing()]);
            (slots, vec![])
        }
        1 | 10 => {
            let state = scene.state();
            let mut slots = vec![scene.stake("stake", state), clock(), authority(scene)];
            if number == 10 {
                slots.push(Slot::read(key("new authority"), None).signing());
            }
            scene.custodian(&mut slots);
            let new = if number == 1 { key("new authority").to_bytes().to_vec() } else { vec![] };
            (slots, [new, which.to_le_bytes().to_vec()].concat())
        }
        2 => {
            let state = likely(scene, State::Initialized);
            let config = Slot::read(key("config"), None);
            (
                vec![scene.stake("stake", state), scene.vote(), clock(), history(), config, scene.staker()],
                vec![],
            )
        }
        3 => {
            let state = likely(scene, active);
            let mut other = scene.stake("split", State::Uninitialized);
            let account = other.account.as_mut().expect("it has one");
            account.lamports =
                one(scene.rng, &[rent(LEN), rent(LEN), rent(LEN), 0, rent(LEN) - 1, 2 * MINIMUM]);
            let slots = vec![scene.stake("stake", state), other, scene.staker()];
            (slots, scene.amount().to_le_bytes().to_vec())
        }
        4 => {
            let state = scene.state();
            let to = Slot::write(key("receiver"), None);
            let mut slots = vec![scene.stake("stake", state), to, clock(), history(), scene.withdrawer()];
            scene.custodian(&mut slots);
            (slots, scene.amount().to_le_bytes().to_vec())
        }
        5 => {
            let state = likely(scene, active);
            (vec![scene.stake("stake", state), clock(), scene.staker()], vec![])
        }
        6 | 12 => {
            let state = likely(scene, State::Initialized);
            let custodian = Slot::read(key("custodian"), None).signing();
            let who = if chance(scene.rng, 50) { custodian } else { scene.withdrawer() };
            let mut slots = vec![scene.stake("stake", state), who];
            let mut data = vec![0];
            if chance(scene.rng, 50) {
                data = [&[1][..], &scene.rng.random::<u32>().to_le_bytes(), &[0; 4]].concat();
            }
            data.push(0);
            if number == 6 {
                data.push(0);
            } else if chance(scene.rng, 50) {
                slots.push(Slot::read(key("new custodian"), None).signing());
            }
            (slots, data)
        }
        7 => {
            let [a, b] =
                [(); 2].map(|()| if chance(scene.rng, 40) { State::Initialized } else { scene.state() });
            let slots =
                vec![scene.stake("stake", a), scene.stake("other", b), clock(), history(), scene.staker()];
            (slots, vec![])
        }
        8 | 11 => {
            let base = key("base");
            let derived = Address::create_with_seed(&base, "seed", &system_program::ID).expect("it is short");
            [scene.owners.staker, scene.owners.withdrawer] = [derived; 2];
            let state = scene.state();
            let mut slots = vec![scene.stake("stake", state), Slot::read(base, None).signing(), clock()];
            if number == 11 {
                slots.push(Slot::read(key("new authority"), None).signing());
            }
            scene.custodian(&mut slots);
            let new = if number == 8 { key("new authority").to_bytes().to_vec() } else { vec![] };
            let seed = one(scene.rng, &[&b"seed"[..], b"seed", b"seed", b"seeds"]);
            let length = (seed.len() as u64).to_le_bytes();
            (slots, [&new, &which.to_le_bytes()[..], &length, seed, system_program::ID.as_ref()].concat())
        }
        13 => (vec![], vec![]),
        14 => {
            let state = likely(scene, active);
            let reference = Slot { address: key("other vote"), ..scene.vote() };
            (vec![scene.stake("stake", state), scene.vote(), reference], vec![])
        }
        15 => {
            let state = scene.state();
            (
                vec![
                    scene.stake("stake", state),
                    scene.stake("other", State::Uninitialized),
                    scene.vote(),
                    scene.staker(),
                ],
                vec![],
            )
        }
        16 | 17 => {
            let likely_state = if number == 16 { active } else { State::Initialized };
            let [a, b] = [(); 2].map(|()| likely(scene, likely_state));
            let slots = vec![scene.stake("stake", a), scene.stake("other", b), scene.staker()];
            (slots, scene.amount().to_le_bytes().to_vec())
        }
        _ => panic!("no instruction {number}"),
    }
}
