//! Makes `$OUT_DIR/shaders.rs` from `glsl/`.
//!
//! By default the committed SPIR-V is used, after a check that it belongs to the sources; with the feature `compile-glsl`
//! the sources are compiled.

use std::process::ExitCode;

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    let build = wavelane_shader::Build::new("glsl").runtime("crate::shader");
    #[cfg(feature = "compile-glsl")]
    let build = build.compile(true);
    match build.emit() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Cargo prints each of these as an error of its own, above everything else.
            for line in error.to_string().lines().chain([format!("help: {}", error.advice()).as_str()]) {
                println!("cargo::error={line}");
            }
            ExitCode::FAILURE
        }
    }
}
