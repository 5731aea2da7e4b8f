//! `regenerate-spirv [--check] [GLSL_FOLDER…]`: compiles GLSL folders, each into the folder `spirv` inside it.
//!
//! With `--check` nothing is written, and the exit code is 1 if any file differs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use wavelane_shader::Error;
use wavelane_shader::regenerate::regenerate;

fn main() -> ExitCode {
    let mut check = false;
    let mut folders = Vec::new();
    for argument in std::env::args_os().skip(1) {
        if argument == "--check" {
            check = true;
        } else if argument.to_string_lossy().starts_with('-') {
            eprintln!("error: unexpected argument {}", argument.display());
            eprintln!("help: regenerate-spirv [--check] [GLSL_FOLDER…]");
            return ExitCode::from(2);
        } else {
            folders.push(PathBuf::from(argument));
        }
    }
    if folders.is_empty() {
        folders.push(PathBuf::from("glsl"));
    }
    let mut different = 0;
    for folder in &folders {
        match run(folder, check) {
            Ok(count) => different += count,
            Err(error) => {
                eprintln!("error: {error}");
                eprintln!("help: {}", error.advice());
                return ExitCode::FAILURE;
            }
        }
    }
    if check && different > 0 {
        eprintln!("error: {different} committed files are not what the sources compile to");
        eprintln!("help: run `scripts/regenerate-spirv` and commit what it changes");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn run(folder: &Path, check: bool) -> Result<usize, Error> {
    let outcome = regenerate(folder, !check)?;
    let (label, modules, kib) = (folder.display(), outcome.modules, outcome.bytes.div_ceil(1024));
    for difference in &outcome.differences {
        println!("{label}: {difference}");
    }
    match (outcome.differences.len(), check) {
        (0, _) => println!("{label}: {modules} modules, {kib} KiB, all as committed"),
        (count, true) => println!("{label}: {modules} modules, {kib} KiB, {count} files differ"),
        (count, false) => println!("{label}: {modules} modules, {kib} KiB, {count} files written"),
    }
    Ok(outcome.differences.len())
}
