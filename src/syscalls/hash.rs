//! Hashes of slices.

use super::{
    call::{Abort, Call, Failure, Returns},
    hashes::Hasher,
    memory::{Align, Output, Slice},
    text::Line,
};
use crate::{
    machine::Lazy,
    tables::{
        Site, Word,
        alphabet::{Nibble, Quarter},
    },
};

impl<S: Lazy> Call<'_, S> {
    /// `sol_sha256(slices, count, digest)` and its kin; `name` is what the log calls the function.
    pub fn hash<H: Hasher<S>>(&mut self, name: &'static str) -> Returns<Word<S>, S> {
        let e = self.e;
        let [slices, count, to, ..] = self.arguments.clone();
        let limit = e.literal::<20_000>();
        if self.observe(&self.less(&limit, &count), Site::TooManySlices)? {
            let mut line = Line::new(name);
            line.fixed(" Hashing ");
            line.decimal(e, &count);
            line.fixed(" sequences in one syscall is over the limit 20000");
            self.context.log.push(line);
            return Err(Failure::Abort(Abort::TooManySlices));
        }
        self.charge(&e.literal::<85>())?;
        let length = if H::WORDS == 8 { e.literal::<64>() } else { e.literal::<32>() };
        let [to] = self.outputs([Output { address: &to, length: &length, align: Align::One }])?;
        let slices = self.pairs(&slices, &count)?;
        let mut hasher = H::new(e);
        self.each_pair(&slices, |call, address, length| {
            let bytes = call.bytes(address, length)?;
            let (zero, one) = (e.digit::<Nibble, 0>(), e.digit::<Quarter, 1>());
            let half = e.shift_right(length, &zero, &one, &zero);
            call.charge(&call.larger(&e.literal::<10>(), &half))?;
            call.feed(&mut hasher, &bytes)
        })?;
        let digest = hasher.finish(e).map_err(Failure::Observation)?;
        self.write_words(&to.place, digest.as_ref());
        Ok(e.literal::<0>())
    }

    /// Takes bytes of memory into a hash.
    pub fn feed<H: Hasher<S>>(&mut self, hasher: &mut H, bytes: &Slice<S>) -> Returns<(), S> {
        self.forward(&bytes.length, |call, start, count| {
            let word = call.read(&bytes.place, start);
            hasher.update(call.e, &word, count).map_err(Failure::Observation)
        })
    }
}
