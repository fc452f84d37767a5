//! Recovery of a public key from an ECDSA signature.

use super::{
    call::{Call, Returns},
    curves::{encoding::reverse_bytes, secp256k1},
    memory::{Align, Output, Place},
};
use crate::{
    alu,
    machine::Lazy,
    tables::{
        Site, Word,
        alphabet::{Nibble, Quarter},
        catalogue::LOW_BIT,
    },
};

impl<S: Lazy> Call<'_, S> {
    /// `sol_secp256k1_recover(hash, recovery id, signature, public key)`: 0, or 2 for a recovery id that is
    /// none, 3 for a signature that nobody can have made.
    pub fn secp256k1_recover(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        self.charge(&e.literal::<25_000>())?;
        let [hash, recovery_id, signature, to, _] = self.arguments.clone();
        let (thirty_two, sixty_four) = (e.literal::<32>(), e.literal::<64>());
        let [to] = self.outputs([Output { address: &to, length: &sixty_four, align: Align::One }])?;
        let hash = self.address(&hash)?;
        let signature = self.bytes(&signature, &sixty_four)?.place;
        let known = self.less(&recovery_id, &e.literal::<4>());
        if !self.observe(&known, Site::RecoveryId)? {
            return Ok(e.literal::<2>());
        }
        let s = Place { region: signature.region, offset: alu::add(e, &signature.offset, &thirty_two) };
        let [hash, r, s] = [hash, self.read_32(&signature), self.read_32(&s)].map(|n| reverse_bytes(e, &n));
        let (zero, one) = (e.digit::<Nibble, 0>(), e.digit::<Quarter, 1>());
        let odd = e.apply1(LOW_BIT, &e.lane(&recovery_id, 0));
        let high = e.apply1(LOW_BIT, &e.lane(&e.shift_right(&recovery_id, &zero, &one, &zero), 0));
        let signature = secp256k1::read(e, [&r, &s], [&odd, &high]);
        if !self.observe(&signature.valid, Site::PointValid)? {
            return Ok(e.literal::<3>());
        }
        let key = secp256k1::recover(e, &hash, &signature);
        if self.observe(&key.infinity, Site::KeyAtInfinity)? {
            return Ok(e.literal::<3>());
        }
        let words = [reverse_bytes(e, &key.x), reverse_bytes(e, &key.y)].concat();
        self.write_words(&to.place, &words);
        Ok(e.literal::<0>())
    }
}
