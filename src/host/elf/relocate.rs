//! Rewriting of calls and addresses in a copy of the file.

use super::LoadOptions;
use super::error::ElfError;
use super::format::{Relocation, Section, Symbol};
use super::reader::{end_of, read_u32, slice_mut, write};
use super::registry::Registry;
use super::sections::Sections;
use crate::host::murmur3::symbol_key;
use crate::host::program::PROGRAM_ADDRESS;

/// Length of an instruction slot in bytes.
pub(super) const SLOT: u64 = 8;
/// Where the immediate is in a slot.
const IMMEDIATE: u64 = 4;
const CALL: u8 = 0x85;

/// Puts the key of the called function into every slot of `.text` that looks like a call, the second half of
/// a wide load and data included. An immediate of -1 waits for a relocation.
pub(super) fn relocate_calls(
    bytes: &mut [u8],
    text: &Section,
    registry: &mut Registry,
) -> Result<(), ElfError> {
    let (start, size) = text.loaded_bytes();
    let (slots, _) = slice_mut(bytes, start, end_of(start, size)?)?.as_chunks_mut::<8>();
    let count = slots.len();
    for (pc, slot) in slots.iter_mut().enumerate() {
        let [opcode, _, _, _, immediate @ ..] = slot;
        let distance = i32::from_le_bytes(*immediate);
        if *opcode != CALL || distance == -1 {
            continue;
        }
        let target = (pc + 1)
            .checked_add_signed(distance as isize)
            .filter(|target| *target < count)
            .ok_or(ElfError::RelativeJumpOutOfBounds(pc))?;
        *immediate = registry.register(b"", target)?.to_le_bytes();
    }
    Ok(())
}

/// Carries out the relocations of the file on `bytes`. Tables and names are read from the untouched file.
pub(super) fn apply_relocations(
    bytes: &mut [u8],
    sections: &Sections,
    text: &Section,
    registry: &mut Registry,
    options: &LoadOptions,
) -> Result<(), ElfError> {
    for relocation in sections.dynamic.relocations.iter() {
        match relocation.kind() {
            Relocation::ABSOLUTE_64 => relocate_absolute(bytes, &relocation, sections)?,
            Relocation::RELATIVE => relocate_relative(bytes, relocation.offset, text)?,
            Relocation::CALL_32 => {
                let symbol = symbol_of(sections, &relocation)?;
                let name =
                    sections.dynamic_symbol_name(symbol.name).ok_or(ElfError::UnknownSymbol(symbol.name))?;
                let key = if symbol.is_function() && symbol.value != 0 {
                    register_symbol(registry, name, &symbol, text)?
                } else {
                    syscall_key(options, name, relocation.offset)?
                };
                write(bytes, end_of(relocation.offset, IMMEDIATE)?, key.to_le_bytes())?;
            }
            unknown => return Err(ElfError::UnknownRelocation(unknown)),
        }
    }
    Ok(())
}

fn symbol_of(sections: &Sections, relocation: &Relocation) -> Result<Symbol, ElfError> {
    let index = relocation.symbol();
    usize::try_from(index)
        .ok()
        .and_then(|index| sections.dynamic.symbols.get(index))
        .ok_or(ElfError::UnknownSymbol(index))
}

/// Adds the symbol's address to the first immediate of a wide load and spreads the sum over both.
fn relocate_absolute(bytes: &mut [u8], relocation: &Relocation, sections: &Sections) -> Result<(), ElfError> {
    let addend = read_u32(bytes, end_of(relocation.offset, IMMEDIATE)?)?;
    let address = symbol_of(sections, relocation)?.value.saturating_add(addend.into());
    write_wide_immediate(bytes, relocation.offset, in_program_region(address))
}

/// Moves an address into the program region: in `.text` that of a wide load, elsewhere a 64-bit number.
fn relocate_relative(bytes: &mut [u8], offset: u64, text: &Section) -> Result<(), ElfError> {
    let (start, size) = text.loaded_bytes();
    let low = end_of(offset, IMMEDIATE)?;
    if (start..start.saturating_add(size)).contains(&offset) {
        let address =
            u64::from(read_u32(bytes, low)?) | u64::from(read_u32(bytes, end_of(low, SLOT)?)?) << 32;
        if address == 0 {
            return Err(ElfError::InvalidVirtualAddress(address));
        }
        write_wide_immediate(bytes, offset, in_program_region(address))
    } else {
        // Old toolchains put the low half of the address into the high half of the number; the rest is
        // overwritten unread.
        let address = PROGRAM_ADDRESS + u64::from(read_u32(bytes, low)?);
        write(bytes, offset, address.to_le_bytes())
    }
}

fn in_program_region(address: u64) -> u64 {
    if address < PROGRAM_ADDRESS { PROGRAM_ADDRESS + address } else { address }
}

fn write_wide_immediate(bytes: &mut [u8], offset: u64, address: u64) -> Result<(), ElfError> {
    let low = end_of(offset, IMMEDIATE)?;
    write(bytes, low, (address as u32).to_le_bytes())?;
    write(bytes, end_of(low, SLOT)?, ((address >> 32) as u32).to_le_bytes())
}

fn register_symbol(
    registry: &mut Registry,
    name: &[u8],
    symbol: &Symbol,
    text: &Section,
) -> Result<u32, ElfError> {
    if !text.contains_address(symbol.value) {
        return Err(ElfError::ValueOutOfBounds);
    }
    registry.register(name, slot_of(symbol.value, text)?)
}

/// The slot of `.text` that an address at or behind its start falls into.
pub(super) fn slot_of(address: u64, text: &Section) -> Result<usize, ElfError> {
    usize::try_from(address.saturating_sub(text.address) / SLOT).map_err(|_| ElfError::ValueOutOfBounds)
}

/// The key of a name that must be a syscall for a deployment, and may be anything for an execution.
fn syscall_key(options: &LoadOptions, name: &[u8], offset: u64) -> Result<u32, ElfError> {
    let key = symbol_key(name);
    if options.is_deployment() && !options.is_syscall(key) {
        let name = String::from_utf8_lossy(name).into_owned();
        return Err(ElfError::UnresolvedSymbol(name, offset / SLOT, offset));
    }
    Ok(key)
}
