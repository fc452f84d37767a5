//! Reading out what a program logged.

use super::{Machine, index};
use crate::{
    deltanet::HeadsBoundary,
    syscalls::{Line, Piece, Slice},
    tables::alphabet::{Bit, Nibble, Region},
};

impl<E: HeadsBoundary> Machine<'_, E> {
    /// The lines logged since the last call.
    ///
    /// # Errors
    /// An activation is not exactly one-hot.
    pub fn take_logs(&mut self) -> Result<Vec<String>, E::Error> {
        let lines = std::mem::take(&mut self.context.log);
        lines.iter().map(|line| self.line(line)).collect()
    }

    fn line(&self, line: &Line<E>) -> Result<String, E::Error> {
        let e = self.evaluator;
        let mut bytes = Vec::new();
        for piece in &line.0 {
            match piece {
                Piece::Fixed(text) => bytes.extend_from_slice(text.as_bytes()),
                Piece::Bytes(word, count) => {
                    let count = e.read_digit::<Nibble>(count)?.min(8);
                    bytes.extend_from_slice(&e.read_out(word)?.to_le_bytes()[..count]);
                }
                Piece::Character { low, high, shown } => {
                    if e.read_digit::<Bit>(shown)? == 1 {
                        let (low, high) = (e.read_digit::<Nibble>(low)?, e.read_digit::<Nibble>(high)?);
                        bytes.push((low | high << 4) as u8);
                    }
                }
            }
        }
        // The weights have checked what came from memory.
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The bytes of a translated range.
    pub(super) fn slice(&self, slice: &Slice<E>) -> Result<Vec<u8>, E::Error> {
        let e = self.evaluator;
        let (start, length) =
            (e.read_out(&slice.place.offset)? as usize, e.read_out(&slice.length)? as usize);
        debug_assert!(slice.place.region <= index(Region::Input));
        let mut bytes = e.ram_bytes(&self.state.memory.rams[slice.place.region], start + length)?;
        Ok(bytes.split_off(start))
    }
}
