//! The text of the generated bindings. That such text compiles and does what it says is proved where it is used.

mod support;

use std::fs;
use support::{Scratch, sample};
use wavelane_shader::Build;

#[test]
fn the_text_declares_what_the_sample_has() {
    let out = Scratch::new();
    Build::new("glsl").runtime("engine::shader").write(&sample(), &out.0).unwrap();
    let text = fs::read_to_string(out.0.join("shaders.rs")).unwrap();
    let tile = text.split("pub mod tile {").nth(1).unwrap();
    for line in [
        "#[bytemuck(crate = \"engine::shader::bytemuck\")]",
        "pub count: u32,",
        "pub offset: i32,",
        "pub type_: u32,",
        "pub color: [f32; 4],",
        "const _: () = assert!(::core::mem::offset_of!(PushConstants, color) == 16);",
        "const _: () = assert!(::core::mem::size_of::<PushConstants>() == 32);",
        "pub const PUSH_CONSTANT_BYTES: u32 = 32;",
        "pub workgroup_size: u32,",
        "pub flip: bool,",
        "pub shift: i32,",
        "pub ratio: f32,",
        "pub const fn entries(&self) -> [(u32, u32); 5] {",
        "shift: -2,",
        "pub const BINDING_SOURCE_WORDS: u32 = 0;",
        "pub const BINDING_SOURCE_QUADS: u32 = 0;",
        "pub const BINDING_TARGET: u32 = 1;",
        "pub const BINDINGS: [engine::shader::BindingDescription; 2] = [",
        "engine::shader::BindingDescription::storage_buffer(engine::shader::Access::ComputeRead),",
        "pub static MODULES: &[engine::shader::Module<SpecializationConstants>] = &[",
        "name: \"shared_memory\",",
        "name: \"subgroup\",",
        "local_size: |c| [c.workgroup_size, 1u32, 1u32],",
    ] {
        assert!(tile.lines().any(|found| found == line), "no line {line:?} in\n{tile}");
    }
    let copy = text.split("pub mod copy {").nth(1).unwrap().split("pub mod").next().unwrap();
    assert!(!copy.contains("struct PushConstants"));
    assert!(copy.contains("pub const PUSH_CONSTANT_BYTES: u32 = 0;"));
    assert!(copy.contains("shared_bytes: |_| 0u32,"));
    let fixed = text.split("pub mod fixed {").nth(1).unwrap();
    assert!(fixed.contains("pub local_size_x: u32,"));
    assert!(fixed.contains("local_size: |c| [c.local_size_x, 2u32, 1u32],"));
}

#[test]
fn text_that_did_not_change_is_not_written_again() {
    let out = Scratch::new();
    let build = Build::new("glsl");
    build.write(&sample(), &out.0).unwrap();
    let file = out.0.join("shaders.rs");
    let before = fs::metadata(&file).unwrap().modified().unwrap();
    build.write(&sample(), &out.0).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), before);
}
