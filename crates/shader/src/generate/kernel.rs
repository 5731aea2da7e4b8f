//! The Rust module of one kernel.

use super::union::{Member, Union};
use super::{Built, path_literal};
use crate::reflect::{BindingKind, Reflection, Scalar};

pub(super) fn source(built: &Built, modules: &[(&str, Reflection)], union: &Union, runtime: &str) -> String {
    let kernel = &built.kernel;
    // Sizes come out of GLSL arithmetic, whose style is not Rust's.
    let mut out = format!("/// `{}`\n#[allow(clippy::all, unused_parens)]\npub mod {} {{\n", kernel.source, kernel.name);
    push_constants(&mut out, union, runtime);
    specialization_constants(&mut out, union);
    for (name, (set, binding)) in &union.bindings {
        out.push_str(&format!("/// In set {set}.\npub const BINDING_{name}: u32 = {binding};\n"));
    }
    bindings(&mut out, union, runtime);
    out.push_str(&format!("/// All variants, sorted by name.\npub static MODULES: &[{runtime}::Module<SpecializationConstants>] = &[\n"));
    for (index, (_, reflection)) in modules.iter().enumerate() {
        out.push_str(&module(built, index, reflection, union, runtime));
    }
    out.push_str("];\n/// The variant with this name.\n");
    out.push_str(&format!("pub fn module(name: &str) -> Option<&'static {runtime}::Module<SpecializationConstants>> {{\n"));
    out.push_str("MODULES.binary_search_by(|module| module.name.cmp(name)).ok().map(|index| &MODULES[index])\n}\n}\n");
    out
}

fn bindings(out: &mut String, union: &Union, runtime: &str) {
    // A number that no module uses is laid out all the same, so that the ones after it keep theirs.
    let count = union.resources.last_key_value().map_or(0, |(number, _)| number.saturating_add(1));
    out.push_str("/// What set 0 is laid out for, and what the variants together do with it.\n");
    out.push_str(&format!("pub const BINDINGS: [{runtime}::BindingDescription; {count}] = [\n"));
    for number in 0..count {
        let resource = union.resources.get(&number);
        let kind = match resource.map(|resource| resource.kind) {
            Some(BindingKind::StorageImage) => "storage_image",
            _ => "storage_buffer",
        };
        let access = match resource.map(|resource| (resource.reads, resource.writes)) {
            Some((true, true)) => "ComputeReadWrite",
            Some((false, true)) => "ComputeWrite",
            _ => "ComputeRead",
        };
        out.push_str(&format!("{runtime}::BindingDescription::{kind}({runtime}::Access::{access}),\n"));
    }
    out.push_str("];\n");
}

fn push_constants(out: &mut String, union: &Union, runtime: &str) {
    let bytes = union.push_constant_bytes();
    if bytes > 0 {
        out.push_str("/// The push constants, laid out as the shader reads them.\n#[repr(C)]\n");
        out.push_str(&format!(
            "#[derive(Clone, Copy, Debug, Default, PartialEq, {runtime}::bytemuck::Pod, {runtime}::bytemuck::Zeroable)]\n"
        ));
        out.push_str(&format!("#[bytemuck(crate = \"{runtime}::bytemuck\")]\npub struct PushConstants {{\n"));
        for (offset, member) in &union.members {
            out.push_str(&format!("/// At offset {offset}.\npub {}: {},\n", member.name, member_type(member)));
        }
        out.push_str("}\n");
        for (offset, member) in &union.members {
            out.push_str(&format!("const _: () = assert!(::core::mem::offset_of!(PushConstants, {}) == {offset});\n", member.name));
        }
        out.push_str(&format!("const _: () = assert!(::core::mem::size_of::<PushConstants>() == {bytes});\n"));
    }
    out.push_str(&format!("/// The size of the push constants in bytes.\npub const PUSH_CONSTANT_BYTES: u32 = {bytes};\n"));
}

fn specialization_constants(out: &mut String, union: &Union) {
    out.push_str("/// The specialization constants of all variants.\n#[derive(Clone, Copy, Debug, PartialEq)]\n");
    out.push_str("pub struct SpecializationConstants {\n");
    for (id, constant) in &union.constants {
        out.push_str(&format!("/// `constant_id` {id}.\npub {}: {},\n", constant.name, scalar_type(constant.scalar)));
    }
    out.push_str("}\n");

    out.push_str("impl SpecializationConstants {\n/// Pairs of `constant_id` and the value's bits.\n");
    out.push_str("/// Pipelines need all of them: a shader's own default for a workgroup size is 1.\n");
    out.push_str(&format!("pub const fn entries(&self) -> [(u32, u32); {}] {{\n[", union.constants.len()));
    for (id, constant) in &union.constants {
        let bits = match constant.scalar {
            Scalar::F32 => format!("self.{}.to_bits()", constant.name),
            Scalar::I32 => format!("self.{}.cast_unsigned()", constant.name),
            Scalar::Bool => format!("self.{} as u32", constant.name),
            _ => format!("self.{}", constant.name),
        };
        out.push_str(&format!("({id}, {bits}), "));
    }
    out.push_str("]\n}\n}\n");

    out.push_str("impl Default for SpecializationConstants {\nfn default() -> Self {\nSelf {\n");
    for constant in union.constants.values() {
        let value = match constant.scalar {
            Scalar::F32 => format!("f32::from_bits({:#x})", constant.default),
            Scalar::I32 => constant.default.cast_signed().to_string(),
            Scalar::Bool => (constant.default != 0).to_string(),
            _ => constant.default.to_string(),
        };
        out.push_str(&format!("{}: {value},\n", constant.name));
    }
    out.push_str("}\n}\n}\n");
}

fn module(built: &Built, index: usize, reflection: &Reflection, union: &Union, runtime: &str) -> String {
    let variant = &built.kernel.variants[index];
    let path = path_literal(&built.folder.join(built.kernel.file(variant)));
    let words = built.modules[index].len() / 4;
    let constant = |id: u32| {
        union.constants.get(&id).map_or_else(
            || "0u32".to_string(),
            |constant| match constant.scalar {
                Scalar::I32 => format!("c.{}.cast_unsigned()", constant.name),
                Scalar::Bool => format!("u32::from(c.{})", constant.name),
                Scalar::F32 => format!("c.{}.to_bits()", constant.name),
                _ => format!("c.{}", constant.name),
            },
        )
    };
    let shared = reflection.shared_bytes();
    let closure = |body: String, constants: usize| format!("|{}| {body}", if constants == 0 { "_" } else { "c" });
    let sizes = reflection.local_size.each_ref().map(|size| size.to_rust(&constant)).join(", ");
    let size_constants = reflection.local_size.iter().map(|size| size.constants().len()).sum();
    let bindings: Vec<String> = reflection
        .descriptors()
        .iter()
        .map(|b| {
            let (set, binding, name, kind, access) = (b.set, b.binding, &b.name, b.kind, b.access);
            format!(
                "{runtime}::Binding {{ set: {set}, binding: {binding}, name: {name:?}, kind: {runtime}::BindingKind::{kind:?}, \
                 access: {runtime}::BindingAccess::{access:?} }}"
            )
        })
        .collect();
    format!(
        "{runtime}::Module {{\nname: {name:?},\n\
         spirv: {{ static WORDS: [u32; {words}] = {runtime}::bytemuck::must_cast(*include_bytes!({path})); &WORDS }},\n\
         spirv_version: {version:?},\ncapabilities: &{capabilities:?},\nextensions: &{extensions:?},\nbindings: &[{bindings}],\n\
         local_size: {local_size},\nshared_bytes: {shared_bytes},\n}},\n",
        name = variant.name,
        version = reflection.spirv_version,
        capabilities = reflection.capabilities,
        extensions = reflection.extensions,
        bindings = bindings.join(", "),
        local_size = closure(format!("[{sizes}]"), size_constants),
        shared_bytes = closure(shared.to_rust(&constant), shared.constants().len()),
    )
}

fn member_type(member: &Member) -> String {
    let scalar = scalar_type(member.scalar);
    if member.count == 1 { scalar.into() } else { format!("[{scalar}; {}]", member.count) }
}

fn scalar_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::U32 => "u32",
        Scalar::I32 => "i32",
        Scalar::F32 => "f32",
        Scalar::U64 => "u64",
        Scalar::I64 => "i64",
        Scalar::F64 => "f64",
    }
}
