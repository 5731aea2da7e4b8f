//! `regenerate-spirv [--check] [GLSL_FOLDER]`: compiles a GLSL folder into its `spirv` folder.
//!
//! With `--check` nothing is written, and the exit code is 1 if any file differs.

use std::path::PathBuf;
use std::process::ExitCode;
use wavelane_shader::regenerate::regenerate;

fn main() -> ExitCode {
    let mut check = false;
    let mut folder = None;
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--check" => check = true,
            _ if folder.is_none() && !argument.starts_with('-') => folder = Some(PathBuf::from(argument)),
            _ => {
                eprintln!("error: unexpected argument {argument:?}");
                eprintln!("help: regenerate-spirv [--check] [GLSL_FOLDER]");
                return ExitCode::from(2);
            }
        }
    }
    let folder = folder.unwrap_or_else(|| PathBuf::from("glsl"));
    match regenerate(&folder, !check) {
        Ok(outcome) => {
            for difference in &outcome.differences {
                println!("{difference}");
            }
            let (modules, kib) = (outcome.modules, outcome.bytes.div_ceil(1024));
            match (outcome.differences.len(), check) {
                (0, _) => println!("{modules} modules, {kib} KiB: all as committed"),
                (n, false) => println!("{modules} modules, {kib} KiB: {n} files written"),
                (n, true) => {
                    eprintln!("error: {n} files of {} are not what the sources compile to", folder.join("spirv").display());
                    eprintln!("help: run `scripts/regenerate-spirv` and commit what it changes");
                    return ExitCode::FAILURE;
                }
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            eprintln!("help: {}", error.advice());
            ExitCode::FAILURE
        }
    }
}
