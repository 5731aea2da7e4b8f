//! The committed SPIR-V is used only while it belongs to its sources.

mod support;

use std::fs;
use support::Scratch;
use wavelane_shader::{Build, Error};

/// Runs the build on a folder and returns the generated text.
fn build(scratch: &Scratch) -> Result<String, Error> {
    let out = Scratch::new();
    Build::new("glsl").regenerate_command("make shaders").write(&scratch.0, &out.0)?;
    Ok(fs::read_to_string(out.0.join("shaders.rs")).unwrap())
}

fn problem(scratch: &Scratch) -> String {
    let error = build(scratch).unwrap_err();
    if matches!(error, Error::Stale { .. }) {
        assert_eq!(error.advice(), "run `make shaders` and commit what it changes");
    }
    error.to_string()
}

#[test]
fn an_untouched_folder_builds() {
    let scratch = Scratch::copy_of_sample();
    let text = build(&scratch).unwrap();
    assert!(text.contains("pub mod sample {"));
    assert_eq!(build(&scratch).unwrap(), text);
}

#[test]
fn line_ends_of_a_checkout_do_not_matter() {
    let scratch = Scratch::copy_of_sample();
    scratch.edit("sample/tile.comp", "\n", "\r\n");
    build(&scratch).unwrap();
}

#[test]
fn a_changed_source_is_named() {
    let scratch = Scratch::copy_of_sample();
    scratch.edit("sample/tile.comp", "barrier();", "barrier(); ");
    assert!(problem(&scratch).ends_with("spirv is stale: sample/tile.comp has changed"));
    scratch.edit("include/load.glsl", "uint load", "uint  load");
    assert!(problem(&scratch).ends_with("stale: include/load.glsl has changed, sample/tile.comp has changed"));
}

#[test]
fn changed_variants_are_named() {
    let scratch = Scratch::copy_of_sample();
    scratch.edit("sample/variants.json", "\"1.6\"", "\"1.5\"");
    assert!(problem(&scratch).ends_with("stale: sample/variants.json has changed"));
}

#[test]
fn new_and_missing_sources_are_named() {
    let scratch = Scratch::copy_of_sample();
    fs::write(scratch.0.join("include/more.glsl"), "").unwrap();
    assert!(problem(&scratch).ends_with("stale: include/more.glsl is new"));
    fs::remove_file(scratch.0.join("include/more.glsl")).unwrap();
    fs::remove_file(scratch.0.join("include/load.glsl")).unwrap();
    assert!(problem(&scratch).ends_with("stale: include/load.glsl is gone"));
}

#[test]
fn missing_extra_and_foreign_modules_are_named() {
    let scratch = Scratch::copy_of_sample();
    let spirv = scratch.0.join("spirv");
    fs::write(spirv.join("sample/old.spv"), "").unwrap();
    assert!(problem(&scratch).ends_with("stale: sample/old.spv belongs to no variant"));
    fs::remove_file(spirv.join("sample/old.spv")).unwrap();
    fs::copy(spirv.join("sample/tile.subgroup.spv"), spirv.join("sample/tile.shared_memory.spv")).unwrap();
    assert!(problem(&scratch).ends_with("stale: the modules of sample/tile are not those that manifest.json records"));
    fs::remove_file(spirv.join("sample/tile.subgroup.spv")).unwrap();
    assert!(problem(&scratch).ends_with("stale: sample/tile.subgroup.spv is missing"));
}

#[test]
fn a_missing_or_torn_manifest_is_an_error() {
    let scratch = Scratch::copy_of_sample();
    fs::write(scratch.0.join("spirv/manifest.json"), "{").unwrap();
    assert!(problem(&scratch).contains("manifest.json: EOF while parsing"));
    fs::remove_file(scratch.0.join("spirv/manifest.json")).unwrap();
    assert!(problem(&scratch).contains("stale: manifest.json is missing"));
}

#[test]
fn another_compiler_is_an_error() {
    let scratch = Scratch::copy_of_sample();
    scratch.edit("spirv/manifest.json", "shaderc ", "other ");
    assert!(problem(&scratch).contains("stale: it was made with `other "));
}

#[test]
fn a_folder_without_kernels_gives_no_modules() {
    let empty = Scratch::new();
    assert_eq!(build(&empty).unwrap(), "// Generated from GLSL by wavelane-shader.\n");
    fs::remove_dir(&empty.0).unwrap();
    assert!(build(&empty).is_ok());
}

#[test]
fn a_kernel_that_no_description_lists_is_an_error() {
    let scratch = Scratch::copy_of_sample();
    fs::write(scratch.0.join("sample/extra.comp"), "").unwrap();
    assert_eq!(problem(&scratch), "sample/variants.json: does not list sample/extra.comp");
    fs::remove_file(scratch.0.join("sample/variants.json")).unwrap();
    assert_eq!(problem(&scratch), "sample/variants.json: missing, although sample/ has kernel sources");
}

#[test]
fn the_compiler_recorded_is_the_one_in_the_lock_file() {
    let lock = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock")).unwrap();
    let package = lock.split("[[package]]").find(|package| package.contains("name = \"shaderc\"\n")).unwrap();
    let version = package.split("version = \"").nth(1).unwrap().split('"').next().unwrap();
    assert!(wavelane_shader::manifest::COMPILER.starts_with(&format!("shaderc {version}:")), "the lock file has shaderc {version}");
}
