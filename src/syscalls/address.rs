//! Addresses derived from seeds.
//!
//! Such an address is the SHA-256 of the seeds, the program's address and a marker, provided that it is
//! not a point of the curve whose points are public keys.

use super::{
    call::{Abort, Call, Failure, Returns},
    hashes::{Hasher, Sha256},
    memory::{Align, Output, Slice},
};
use crate::{
    alu,
    machine::Lazy,
    tables::{
        Evaluator, Site, Word,
        alphabet::{Bit, Nibble},
    },
};

/// Seeds and the program they belong to.
struct Seeds<S: Lazy> {
    slices: Vec<Slice<S>>,
    program_id: [Word<S>; 4],
}

/// An address, and whether it is a point of the curve.
pub type Sealed<S> = ([Word<S>; 4], <S as Evaluator>::Digit<Bit>);

/// Ends the hash of an address's seeds. Gives the address, and whether it is a point of the curve.
///
/// # Errors
/// An observed activation is not one-hot.
pub fn seal<S: Lazy>(
    e: &S,
    mut hasher: Sha256<S>,
    bump: Option<&Word<S>>,
    program_id: &[Word<S>; 4],
) -> Result<Sealed<S>, S::Error> {
    let (one, five, eight) = (e.digit::<Nibble, 1>(), e.digit::<Nibble, 5>(), e.digit::<Nibble, 8>());
    // "ProgramDerivedAddress", the first byte lowest.
    let marker = [
        e.literal::<0x446d_6172_676f_7250>(),
        e.literal::<0x6441_6465_7669_7265>(),
        e.literal::<0x0073_7365_7264>(),
    ];
    let [a, b, c, d] = program_id;
    let [x, y, z] = &marker;
    let rest = [(a, &eight), (b, &eight), (c, &eight), (d, &eight), (x, &eight), (y, &eight), (z, &five)];
    for (bytes, count) in bump.map(|bump| (bump, &one)).into_iter().chain(rest) {
        hasher.update(e, bytes, count)?;
    }
    let address = hasher.finish(e)?;
    let on_curve = alu::field::is_on_curve(e, &address);
    Ok((address, on_curve))
}

impl<S: Lazy> Call<'_, S> {
    /// Translates the seeds and the program's address.
    fn seeds(&mut self) -> Returns<Seeds<S>, S> {
        let e = self.e;
        let [seeds, count, program_id, ..] = self.arguments.clone();
        let list = self.pairs(&seeds, &count)?;
        if self.observe(&self.less(&e.literal::<16>(), &count), Site::SeedLength)? {
            return Err(Failure::Abort(Abort::BadSeeds));
        }
        let mut slices = Vec::new();
        self.each_pair(&list, |call, address, length| {
            if call.observe(&call.less(&e.literal::<32>(), length), Site::SeedLength)? {
                return Err(Failure::Abort(Abort::BadSeeds));
            }
            slices.push(call.bytes(address, length)?);
            Ok(())
        })?;
        Ok(Seeds { slices, program_id: self.address(&program_id)? })
    }

    /// The address of seeds, with one byte more if there is a bump; `None` if it is a point of the curve.
    fn derive(&mut self, seeds: &Seeds<S>, bump: Option<&Word<S>>) -> Returns<Option<[Word<S>; 4]>, S> {
        let e = self.e;
        let mut hasher = Sha256::new(e);
        for seed in &seeds.slices {
            self.feed(&mut hasher, seed)?;
        }
        let sealed = seal(e, hasher, bump, &seeds.program_id).map_err(Failure::Observation)?;
        let (address, on_curve) = sealed;
        Ok((!self.observe(&on_curve, Site::OnCurve)?).then_some(address))
    }

    /// `sol_create_program_address(seeds, count, program, address)`.
    pub fn create_program_address(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        self.charge(&e.literal::<1500>())?;
        let seeds = self.seeds()?;
        let Some(address) = self.derive(&seeds, None)? else { return Ok(e.literal::<1>()) };
        let to = self.arguments[3].clone();
        let [to] = self.outputs([Output { address: &to, length: &e.literal::<32>(), align: Align::One }])?;
        self.write_words(&to.place, &address);
        Ok(e.literal::<0>())
    }

    /// `sol_try_find_program_address(seeds, count, program, address, bump)`: tries the bumps from 255 down
    /// to 1.
    pub fn try_find_program_address(&mut self) -> Returns<Word<S>, S> {
        let e = self.e;
        let cost = e.literal::<1500>();
        self.charge(&cost)?;
        let seeds = self.seeds()?;
        let [_, count, _, address_to, bump_to] = self.arguments.clone();
        // With sixteen seeds the bump is one too many.
        let full = self.observe(&self.equal(&count, &e.literal::<16>()), Site::SeedsFull)?;
        let mut bump = e.literal::<255>();
        while !self.observe(&e.is_zero(&bump), Site::NothingLeft)? {
            let found = if full { None } else { self.derive(&seeds, Some(&bump))? };
            if let Some(address) = found {
                let [bump_to, to] = self.outputs([
                    Output { address: &bump_to, length: &e.literal::<1>(), align: Align::One },
                    Output { address: &address_to, length: &e.literal::<32>(), align: Align::One },
                ])?;
                self.write(&bump_to.place, &e.literal::<0>(), &e.digit::<Nibble, 1>(), &bump);
                self.write_words(&to.place, &address);
                return Ok(e.literal::<0>());
            }
            bump = alu::subtract(e, &bump, &e.literal::<1>());
            self.charge(&cost)?;
        }
        Ok(e.literal::<1>())
    }
}
