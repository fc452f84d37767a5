//! `link-sbpf VERSION OBJECT PROGRAM`: links an object file made by clang into a program of version 0 or 3.

use std::process::ExitCode;

use sbpf_linker::{OptimizationConfig, ProgramOptions, SbpfArch, link_program};

/// Bytes of a stack frame.
const FRAME: i32 = 4096;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (architecture, object, program) = match arguments.as_slice() {
        [version, object, program] if version == "0" => (SbpfArch::V0, object, program),
        [version, object, program] if version == "3" => (SbpfArch::V3, object, program),
        _ => {
            eprintln!("usage: link-sbpf 0|3 OBJECT PROGRAM");
            return ExitCode::FAILURE;
        }
    };
    match link(architecture, object, program) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{object}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn link(architecture: SbpfArch, object: &str, program: &str) -> Result<(), String> {
    let object = std::fs::read(object).map_err(|error| error.to_string())?;
    let options = ProgramOptions::new(OptimizationConfig::disabled(), architecture, FRAME);
    let linked = link_program(&object, options)
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    std::fs::write(program, linked).map_err(|error| error.to_string())
}
