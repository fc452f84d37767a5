//! The oracle: solana-sbpf's loader with Agave's configuration.

use std::ptr::NonNull;
use std::sync::Arc;

use solana_sbpf::elf::{ElfError, Executable};
use solana_sbpf::memory_region::MemoryMapping;
use solana_sbpf::program::{BuiltinProgram, JitCompiler, SBPFVersion};
use solana_sbpf::vm::{Config, ContextObject, EncryptedHostAddressToEbpfVm};
use svmllm::host::syscall_names::{MAINNET_SYSCALLS, deployment_syscalls};
use svmllm::host::{Program, Version};

use super::{Purpose, Refusal};

/// Nothing is run, so nothing is needed to run it.
struct NoContext;

impl ContextObject for NoContext {
    fn consume(&mut self, _amount: u64) {}

    fn get_remaining(&self) -> u64 {
        0
    }

    fn active_mapping_ptr(&mut self) -> NonNull<MemoryMapping> {
        unreachable!("loading maps no memory")
    }
}

/// A loader with the syscalls and the settings of the mainnet feature set.
pub struct Reference(Arc<BuiltinProgram<NoContext>>);

impl Reference {
    /// The loader for one purpose.
    pub fn new(purpose: Purpose) -> Self {
        fn call(_: EncryptedHostAddressToEbpfVm<NoContext>, _: u64, _: u64, _: u64, _: u64, _: u64) {}
        fn generate(_: &mut JitCompiler<NoContext>) {}

        let mut loader = BuiltinProgram::new_loader(Config {
            max_call_depth: 64,
            stack_frame_size: 4096,
            enable_symbol_and_section_labels: false,
            reject_broken_elfs: purpose == Purpose::Deployment,
            enabled_sbpf_versions: SBPFVersion::V0..=SBPFVersion::V3,
            optimize_rodata: false,
            aligned_memory_mapping: true,
            ..Config::default()
        });
        let names: Vec<_> = match purpose {
            Purpose::Execution => MAINNET_SYSCALLS.into(),
            Purpose::Deployment => deployment_syscalls().collect(),
        };
        for name in names {
            loader.register_function(name, (call, generate)).expect("no two syscalls have the same key");
        }
        Self(Arc::new(loader))
    }

    /// Loads the file and gives only whether it is accepted, which costs no more than the loading.
    pub fn accepts(&self, file: &[u8]) -> bool {
        Executable::load(file, self.0.clone()).is_ok()
    }

    /// Loads the file, with the result in our terms.
    pub fn load(&self, file: &[u8]) -> Result<Program, Refusal> {
        let executable = Executable::load(file, self.0.clone()).map_err(refusal)?;
        let (text_address, text) = executable.get_text_bytes();
        Ok(Program {
            version: match executable.get_sbpf_version() {
                SBPFVersion::V0 => Version::V0,
                SBPFVersion::V1 => Version::V1,
                SBPFVersion::V2 => Version::V2,
                SBPFVersion::V3 => Version::V3,
                other => unreachable!("{other:?} is not enabled"),
            },
            text: text.to_vec(),
            text_address,
            entry_pc: executable.get_entrypoint_instruction_offset(),
            functions: executable.get_function_registry().iter().map(|(key, (_, pc))| (key, pc)).collect(),
            image: executable.get_ro_section().to_vec(),
            image_address: executable.get_ro_region().vm_addr,
        })
    }
}

fn refusal(error: ElfError) -> Refusal {
    let debug = format!("{error:?}");
    let name = debug.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default().to_owned();
    Refusal { name, detail: error.to_string() }
}
