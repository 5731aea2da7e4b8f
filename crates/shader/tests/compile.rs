//! The compiler gives the committed bytes, and its messages reach the reader.

#![cfg(feature = "compile")]

mod support;

use std::fs;
use support::Scratch;
use wavelane_shader::Build;
use wavelane_shader::regenerate::regenerate;

#[test]
fn the_committed_modules_come_out_again() {
    let scratch = Scratch::copy_of_sample();
    assert_eq!(regenerate(&scratch.0, false).unwrap().differences, Vec::<String>::new());
}

#[test]
fn comments_and_line_numbers_leave_the_bytes_alone() {
    let scratch = Scratch::copy_of_sample();
    scratch.edit("sample/tile.comp", "void main() {", "// Another comment.\n\nvoid main() {");
    assert_eq!(regenerate(&scratch.0, false).unwrap().differences, ["changed manifest.json"]);
}

#[test]
fn regeneration_writes_adds_and_removes() {
    let scratch = Scratch::copy_of_sample();
    fs::write(scratch.0.join("spirv/sample/old.spv"), "").unwrap();
    fs::remove_file(scratch.0.join("spirv/sample/copy.default.spv")).unwrap();
    let differences = regenerate(&scratch.0, true).unwrap().differences;
    assert_eq!(differences, ["removed sample/old.spv", "new sample/copy.default.spv"]);
    assert_eq!(regenerate(&scratch.0, true).unwrap().differences, Vec::<String>::new());
}

#[test]
fn compiled_bindings_equal_those_of_the_committed_modules() {
    let scratch = Scratch::copy_of_sample();
    let text = |compile: bool| {
        let out = Scratch::new();
        Build::new("glsl").compile(compile).write(&scratch.0, &out.0).unwrap();
        let text = fs::read_to_string(out.0.join("shaders.rs")).unwrap();
        text.replace(&out.0.display().to_string(), "").replace(&scratch.0.display().to_string(), "")
    };
    assert_eq!(text(true), text(false));
}

#[test]
fn messages_name_the_file_and_the_variant() {
    let scratch = Scratch::copy_of_sample();
    scratch.edit("include/load.glsl", "words[i] +", "wordz[i] +");
    let error = regenerate(&scratch.0, true).unwrap_err().to_string();
    assert!(error.starts_with("2 of 4 modules do not compile:\nsample/tile as shared_memory\n"), "{error}");
    assert!(error.contains("include/load.glsl:6: error: 'wordz' : undeclared identifier"), "{error}");
    // Nothing was written.
    assert!(regenerate(&support::sample(), false).unwrap().differences.is_empty());
}

#[test]
fn a_missing_include_and_a_warning_are_errors() {
    let scratch = Scratch::copy_of_sample();
    scratch.edit("sample/tile.comp", "include/load.glsl", "include/lost.glsl");
    let error = regenerate(&scratch.0, false).unwrap_err().to_string();
    assert!(error.contains("\"include/lost.glsl\" is neither beside sample/tile.comp nor under the GLSL folder"), "{error}");
    let scratch = Scratch::copy_of_sample();
    scratch.edit("sample/copy.comp", "#version 450", "#version 450\n#extension GL_no_such_extension : enable");
    let error = regenerate(&scratch.0, false).unwrap_err().to_string();
    assert!(error.contains("1 of 4 modules"), "{error}");
    assert!(error.contains("extension not supported"), "{error}");
}
