//! Loading of version 0 to 2 files: sections, relocations, one program region.

use super::LoadOptions;
use super::error::ElfError;
use super::format::{MACHINE_BPF, MACHINE_SBPF, NO_OS_ABI, SHARED_OBJECT, Section};
use super::image;
use super::reader::{end_of, slice};
use super::registry::Registry;
use super::relocate::{SLOT, apply_relocations, relocate_calls, slot_of};
use super::sections::Sections;
use crate::host::program::{PROGRAM_ADDRESS, Program, Version};

/// Loads the file as a program of the given version.
pub(super) fn load(file: &[u8], version: Version, options: &LoadOptions) -> Result<Program, ElfError> {
    let sections = Sections::parse(file)?;
    let text = validate(file, &sections)?;
    if text.address > PROGRAM_ADDRESS || (options.is_deployment() && text.address != text.offset) {
        return Err(ElfError::ValueOutOfBounds);
    }

    let mut bytes = file.to_vec();
    let mut registry = Registry::new(options);
    relocate_calls(&mut bytes, &text, &mut registry)?;
    apply_relocations(&mut bytes, &sections, &text, &mut registry, options)?;

    let entry = sections.header.entry;
    if !(entry - text.address).is_multiple_of(SLOT) {
        return Err(ElfError::InvalidEntrypoint);
    }
    let entry_pc = slot_of(entry, &text)?;
    registry.register_entrypoint(entry_pc)?;

    let image = image::build(&bytes, &sections, options)?;
    Ok(Program {
        version,
        text: executed_text(&image, &text)?.to_vec(),
        text_address: PROGRAM_ADDRESS + text.address,
        entry_pc,
        functions: registry.into_functions(),
        image,
        image_address: PROGRAM_ADDRESS,
    })
}

/// What runs is what the image holds at the address of `.text`: a section laid over it changes the code.
fn executed_text<'a>(image: &'a [u8], text: &Section) -> Result<&'a [u8], ElfError> {
    let (_, size) = text.loaded_bytes();
    slice(image, text.address, end_of(text.address, size)?)
}

/// Checks the file's kind and its sections, and gives back the only `.text`, which the entry lies in.
fn validate(file: &[u8], sections: &Sections) -> Result<Section, ElfError> {
    let header = &sections.header;
    if header.os_abi != NO_OS_ABI {
        return Err(ElfError::WrongAbi);
    }
    if ![MACHINE_BPF, MACHINE_SBPF].contains(&header.machine) {
        return Err(ElfError::WrongMachine);
    }
    if header.kind != SHARED_OBJECT {
        return Err(ElfError::WrongType);
    }

    let mut texts = sections.named().filter(|(name, _)| *name == b".text");
    let (Some((_, text)), None) = (texts.next(), texts.next()) else {
        return Err(ElfError::NotOneTextSection);
    };
    if let Some((name, _)) = sections.named().find(|(name, section)| is_writable_data(name, section)) {
        return Err(ElfError::WritableSectionNotSupported(String::from_utf8_lossy(name).into_owned()));
    }
    // Sections without bytes in the file were not looked at by the parser; here their extent counts too.
    for section in sections.iter() {
        slice(file, section.offset, end_of(section.offset, section.size)?)?;
    }
    if !text.contains_address(header.entry) {
        return Err(ElfError::EntrypointOutOfBounds);
    }
    Ok(text)
}

fn is_writable_data(name: &[u8], section: &Section) -> bool {
    let data = name.starts_with(b".data") && !name.starts_with(b".data.rel");
    name.starts_with(b".bss") || (data && section.is_writable())
}
