//! `link-sbpf OBJECT PROGRAM`: links an object file made by clang into a version 0 program.

use std::process::ExitCode;

use sbpf_linker::{OptimizationConfig, ProgramOptions, SbpfArch, link_program};

/// Bytes of a stack frame of version 0.
const FRAME: i32 = 4096;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [object, program] = arguments.as_slice() else {
        eprintln!("usage: link-sbpf OBJECT PROGRAM");
        return ExitCode::FAILURE;
    };
    match link(object, program) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{object}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn link(object: &str, program: &str) -> Result<(), String> {
    let object = std::fs::read(object).map_err(|error| error.to_string())?;
    let options = ProgramOptions::new(OptimizationConfig::disabled(), SbpfArch::V0, FRAME);
    let linked = link_program(&object, options)
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    std::fs::write(program, linked).map_err(|error| error.to_string())
}
