//! The read-only program region of versions 0 to 2.

use super::LoadOptions;
use super::error::ElfError;
use super::format::Section;
use super::reader::{end_of, slice};
use super::sections::Sections;
use crate::host::program::PROGRAM_ADDRESS;

/// The sections that make up the region, by exact name.
const LOADED: [&[u8]; 4] = [b".text", b".rodata", b".data.rel.ro", b".eh_frame"];

/// Lays the loaded sections out at their addresses, zeros between them; where they meet the later one wins.
///
/// `bytes` is the relocated file. An image is never longer than it.
pub(super) fn build(bytes: &[u8], sections: &Sections, options: &LoadOptions) -> Result<Vec<u8>, ElfError> {
    let mut parts = Vec::with_capacity(LOADED.len());
    for (name, section) in sections.named() {
        if LOADED.contains(&name) {
            parts.push(part(bytes, &section, options)?);
        }
    }
    let lowest = parts.iter().map(|(address, _)| *address).min().unwrap_or(u64::MAX);
    let highest = parts.iter().map(|(address, data)| address + data.len() as u64).max().unwrap_or(0);
    let total: u64 = parts.iter().map(|(_, data)| data.len() as u64).sum();
    if options.is_deployment() && lowest.saturating_add(total) > highest {
        return Err(ElfError::ValueOutOfBounds);
    }

    let length = usize::try_from(highest).ok().filter(|length| *length <= bytes.len());
    let mut image = vec![0; length.ok_or(ElfError::ValueOutOfBounds)?];
    for (address, data) in parts {
        // `highest` covers every part, so each fits and its address is a `usize`.
        let start = address as usize;
        image[start..start + data.len()].copy_from_slice(data);
    }
    Ok(image)
}

/// Address in the region and bytes of one section. A deployment insists that the address is the offset in
/// the file.
fn part<'a>(bytes: &'a [u8], section: &Section, options: &LoadOptions) -> Result<(u64, &'a [u8]), ElfError> {
    if section.address > PROGRAM_ADDRESS || (options.is_deployment() && section.address != section.offset) {
        return Err(ElfError::ValueOutOfBounds);
    }
    let (start, size) = section.loaded_bytes();
    Ok((section.address, slice(bytes, start, end_of(start, size)?)?))
}
