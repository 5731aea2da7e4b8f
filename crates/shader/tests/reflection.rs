//! Reflection of the sample's modules, and of modules that are broken.

mod support;

use std::fs;
use wavelane_shader::reflect::{Binding, BindingAccess, BindingKind, Member, Reflection, Scalar, SpecializationConstant};
use wavelane_shader::{Expression, strip, words_of_bytes};

fn words(name: &str) -> Vec<u32> {
    words_of_bytes(name, &fs::read(support::sample().join("spirv/sample").join(name)).unwrap()).unwrap()
}

fn reflection(name: &str) -> Reflection {
    Reflection::of_words(name, &words(name)).unwrap()
}

fn binding(set: u32, binding: u32, name: &str, kind: BindingKind, access: BindingAccess) -> Binding {
    Binding { set, binding, name: name.into(), kind, access }
}

#[test]
fn capabilities_are_those_of_the_path() {
    assert_eq!(reflection("tile.shared_memory.spv").capabilities, ["Shader"]);
    assert_eq!(reflection("tile.subgroup.spv").capabilities, ["Shader", "GroupNonUniform", "GroupNonUniformArithmetic"]);
    assert_eq!(reflection("tile.subgroup.spv").spirv_version, (1, 3));
    assert_eq!(reflection("copy.default.spv").spirv_version, (1, 0));
    assert_eq!(reflection("copy.default.spv").extensions, Vec::<String>::new());
}

#[test]
fn bindings_have_names_kinds_and_access() {
    use BindingAccess::{Read, ReadWrite, Write};
    use BindingKind::{CombinedImageSampler, StorageBuffer, StorageImage, UniformBuffer};
    let views = reflection("tile.subgroup.spv");
    let expected = [
        binding(0, 0, "SourceWords", StorageBuffer, Read),
        binding(0, 0, "SourceQuads", StorageBuffer, Read),
        binding(0, 1, "target", StorageBuffer, ReadWrite),
    ];
    assert_eq!(views.bindings, expected);
    assert_eq!(views.descriptors(), [expected[0].clone(), expected[2].clone()]);
    let expected = [
        binding(0, 1, "target", StorageBuffer, Write),
        binding(0, 2, "parameters", UniformBuffer, Read),
        binding(1, 0, "picture", StorageImage, Write),
        binding(1, 1, "photo", CombinedImageSampler, Read),
    ];
    assert_eq!(reflection("copy.default.spv").bindings, expected);
}

#[test]
fn push_constants_have_offsets_and_types() {
    let members = reflection("tile.subgroup.spv").push_constants.unwrap().members;
    let expected = [
        ("count", 0, Scalar::U32, 1),
        ("offset", 4, Scalar::I32, 1),
        ("scale", 8, Scalar::F32, 1),
        ("type", 12, Scalar::U32, 1),
        ("color", 16, Scalar::F32, 4),
    ];
    let expected = expected.map(|(name, offset, scalar, count)| Member { name: name.into(), offset, scalar, count });
    assert_eq!(members, expected);
    assert_eq!(reflection("copy.default.spv").push_constants, None);
}

#[test]
fn specialization_constants_have_names_types_and_defaults() {
    let expected = [
        (0, Some("WORKGROUP_SIZE"), Scalar::U32, 64),
        (1, Some("TILE"), Scalar::U32, 4),
        (2, Some("flip"), Scalar::Bool, 0),
        (3, Some("shift"), Scalar::I32, (-2i32).cast_unsigned()),
        (4, Some("ratio"), Scalar::F32, 0.5f32.to_bits()),
    ];
    let constant = |(id, name, scalar, default): (u32, Option<&str>, Scalar, u32)| SpecializationConstant {
        id,
        name: name.map(str::to_string),
        scalar,
        default,
    };
    assert_eq!(reflection("tile.subgroup.spv").constants, expected.map(constant));
    assert_eq!(reflection("fixed.default.spv").constants, [constant((7, None, Scalar::U32, 1))]);
}

#[test]
fn the_local_size_is_found_in_all_three_places() {
    let literal = Expression::Literal;
    assert_eq!(reflection("copy.default.spv").local_size, [literal(8), literal(4), literal(1)]);
    assert_eq!(reflection("fixed.default.spv").local_size, [Expression::Constant(7), literal(2), literal(1)]);
    assert_eq!(reflection("tile.shared_memory.spv").local_size, [Expression::Constant(0), literal(1), literal(1)]);
}

#[test]
fn shared_memory_is_a_function_of_the_constants() {
    let reflection = reflection("tile.shared_memory.spv");
    let named = |name: &str| reflection.shared.iter().find(|variable| variable.name == name).unwrap();
    let bytes = |workgroup: u32, tile: u32, expression: &Expression| expression.evaluate(&|id| if id == 0 { workgroup } else { tile });
    for (workgroup, tile) in [(64, 4), (128, 2), (37, 9)] {
        assert_eq!(bytes(workgroup, tile, &named("padded").bytes), (workgroup * tile + 1) * 4);
        assert_eq!(bytes(workgroup, tile, &named("half_group").bytes), workgroup / 2 * 16);
        // A uint and, on the next multiple of 16, a vec3: 32 bytes each by std430.
        let pairs = if tile > 2 { 8 } else { 3 };
        assert_eq!(bytes(workgroup, tile, &named("pairs").bytes), pairs * 32);
        let sum = ((workgroup * tile + 1) * 4).next_multiple_of(16) + workgroup / 2 * 16 + pairs * 32;
        assert_eq!(bytes(workgroup, tile, &reflection.shared_bytes()), sum);
    }
    assert_eq!(bytes(u32::MAX, 1, &reflection.shared_bytes()), u32::MAX);
    assert_eq!(named("padded").alignment, 4);
    assert_eq!(named("pairs").alignment, 16);
}

#[test]
fn broken_modules_are_errors() {
    let error = |words: &[u32]| Reflection::of_words("m.spv", words).unwrap_err().to_string();
    assert_eq!(error(&[1, 2, 3]), "m.spv: 3 words are shorter than a SPIR-V header");
    assert!(error(&[7; 6]).contains("magic number"));
    let header = &words("fixed.default.spv")[..5];
    assert_eq!(error(header), "m.spv: there is no entry point");
    assert!(words_of_bytes("m.spv", &[1, 2, 3, 4, 5]).unwrap_err().to_string().contains("5 bytes are not a whole number"));
}

#[test]
fn no_corruption_makes_it_panic_or_hang() {
    for name in ["copy.default.spv", "fixed.default.spv", "tile.subgroup.spv"] {
        let good = words(name);
        for at in 0..good.len() {
            for value in [0, 1, 2, 7, good[at] ^ 1, good[at] ^ 0x10000, good[at].wrapping_add(1), 64, u32::MAX] {
                let mut bad = good.clone();
                bad[at] = value;
                // Either answer is fine: many words do not matter to the interface.
                let _ = Reflection::of_words(name, &bad);
                let _ = strip(name, &bad);
            }
            assert!(strip(name, &good[..at]).is_ok() || Reflection::of_words(name, &good[..at]).is_err());
        }
    }
}

#[test]
fn types_and_constants_that_refer_to_themselves_are_errors() {
    // An array %9 of %9, in shared memory: OpTypeArray, OpTypePointer Workgroup, OpVariable, before the first function.
    let mut words = words("fixed.default.spv");
    let function = first_function(&words);
    let length = words_of_type_int_constant(&words);
    let cyclic = [(4 << 16) | 28, 900, 900, length, (4 << 16) | 32, 901, 4, 900, (4 << 16) | 59, 901, 902, 4];
    words.splice(function..function, cyclic);
    let error = Reflection::of_words("m.spv", &words).unwrap_err().to_string();
    assert_eq!(error, "m.spv: the type %900 contains itself or is too large");
}

fn first_function(words: &[u32]) -> usize {
    let mut at = 5;
    while words[at] & 0xffff != 54 {
        at += (words[at] >> 16) as usize;
    }
    at
}

/// The id of some OpConstant.
fn words_of_type_int_constant(words: &[u32]) -> u32 {
    let mut at = 5;
    while words[at] & 0xffff != 43 {
        at += (words[at] >> 16) as usize;
    }
    words[at + 2]
}
