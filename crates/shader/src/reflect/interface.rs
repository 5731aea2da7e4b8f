//! Variables at module scope: descriptors, push constants, shared memory.

use super::globals::Globals;
use super::{Binding, BindingAccess, BindingKind, Member, PushConstants, SharedVariable, layout};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Capability, Decoration, Op, StorageClass};

struct Variable {
    id: u32,
    class: StorageClass,
    /// What the variable's pointer points to.
    pointee: u32,
}

fn variables(globals: &Globals) -> Result<Vec<Variable>, String> {
    let variable = |instruction: &Instruction| {
        let id = instruction.result_id.unwrap_or_default();
        let pointer = globals.definition(instruction.result_type.unwrap_or_default())?;
        match (pointer.class.opcode, pointer.operands.as_slice()) {
            (Op::TypePointer, [Operand::StorageClass(class), Operand::IdRef(pointee)]) => {
                Ok(Variable { id, class: *class, pointee: *pointee })
            }
            _ => Err(format!("the variable %{id} is of no pointer type")),
        }
    };
    globals.all(Op::Variable).map(variable).collect()
}

pub(super) fn bindings(globals: &Globals) -> Result<Vec<Binding>, String> {
    let mut found = Vec::new();
    for variable in variables(globals)? {
        if !matches!(variable.class, StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::UniformConstant) {
            continue;
        }
        let resource = element(globals, variable.pointee)?;
        let name = Some(globals.name(variable.id)).filter(|name| !name.is_empty()).unwrap_or_else(|| globals.name(resource));
        let number = |decoration| globals.decoration(variable.id, decoration).and_then(|words| words.first().copied());
        let (Some(set), Some(binding)) = (number(Decoration::DescriptorSet), number(Decoration::Binding)) else {
            return Err(format!("the resource {name:?} has no set or binding"));
        };
        let kind = kind(globals, &variable, resource)?;
        let flag = |decoration| globals.decoration(variable.id, decoration).is_some() || every_member(globals, resource, decoration);
        let access = match kind {
            BindingKind::StorageBuffer | BindingKind::StorageImage => {
                match (flag(Decoration::NonWritable), flag(Decoration::NonReadable)) {
                    (true, false) => BindingAccess::Read,
                    (false, true) => BindingAccess::Write,
                    _ => BindingAccess::ReadWrite,
                }
            }
            _ => BindingAccess::Read,
        };
        found.push(Binding { set, binding, name, kind, access });
    }
    // Stable, so that several views of one binding keep the order of their declarations.
    found.sort_by_key(|binding| (binding.set, binding.binding));
    Ok(found)
}

/// What an array of descriptors holds, or the type itself.
fn element(globals: &Globals, id: u32) -> Result<u32, String> {
    let instruction = globals.definition(id)?;
    match (instruction.class.opcode, instruction.operands.first()) {
        (Op::TypeArray | Op::TypeRuntimeArray, Some(Operand::IdRef(element))) => Ok(*element),
        _ => Ok(id),
    }
}

fn kind(globals: &Globals, variable: &Variable, resource: u32) -> Result<BindingKind, String> {
    let instruction = globals.definition(resource)?;
    match (variable.class, instruction.class.opcode, instruction.operands.as_slice()) {
        (StorageClass::StorageBuffer, Op::TypeStruct, _) => Ok(BindingKind::StorageBuffer),
        // Before SPIR-V 1.3 a storage buffer was a uniform one with another decoration.
        (StorageClass::Uniform, Op::TypeStruct, _) if globals.decoration(resource, Decoration::BufferBlock).is_some() => {
            Ok(BindingKind::StorageBuffer)
        }
        (StorageClass::Uniform, Op::TypeStruct, _) => Ok(BindingKind::UniformBuffer),
        (StorageClass::UniformConstant, Op::TypeSampler, _) => Ok(BindingKind::Sampler),
        (StorageClass::UniformConstant, Op::TypeSampledImage, _) => Ok(BindingKind::CombinedImageSampler),
        // The sixth operand says whether the image is sampled (1) or loaded and stored (2).
        (StorageClass::UniformConstant, Op::TypeImage, [_, _, _, _, _, Operand::LiteralBit32(2), ..]) => Ok(BindingKind::StorageImage),
        (StorageClass::UniformConstant, Op::TypeImage, _) => Ok(BindingKind::SampledImage),
        (class, other, _) => Err(format!("%{} is a resource of the unsupported kind {class:?} Op{other:?}", variable.id)),
    }
}

fn every_member(globals: &Globals, id: u32, decoration: Decoration) -> bool {
    let Ok(instruction) = globals.definition(id) else { return false };
    let members = instruction.operands.len() as u32;
    instruction.class.opcode == Op::TypeStruct
        && members > 0
        && (0..members).all(|member| globals.member_decoration(id, member, decoration).is_some())
}

pub(super) fn push_constants(globals: &Globals) -> Result<Option<PushConstants>, String> {
    let Some(variable) = variables(globals)?.into_iter().find(|variable| variable.class == StorageClass::PushConstant) else {
        return Ok(None);
    };
    let block = globals.definition(variable.pointee)?;
    if block.class.opcode != Op::TypeStruct {
        return Err("the push constants are no block".into());
    }
    let mut members = Vec::new();
    for (index, id) in block.operands.iter().filter_map(Operand::id_ref_any).enumerate() {
        let index = index as u32;
        let name = globals.member_name(variable.pointee, index);
        let offset = globals.member_decoration(variable.pointee, index, Decoration::Offset).and_then(|words| words.first().copied());
        let offset = offset.ok_or_else(|| format!("the push constant {name} has no offset"))?;
        let (scalar, count) = layout::vector(globals, id)
            .filter(|(scalar, _)| *scalar != super::Scalar::Bool)
            .ok_or_else(|| format!("the push constant {name} is no scalar or vector of 32 or 64 bits"))?;
        members.push(Member { name, offset, scalar, count });
    }
    members.sort_by_key(|member| member.offset);
    Ok(Some(PushConstants { members }))
}

pub(super) fn shared(globals: &Globals) -> Result<Vec<SharedVariable>, String> {
    // With this capability shared blocks may overlap, and their sizes do not add up.
    if globals.capabilities().contains(&format!("{:?}", Capability::WorkgroupMemoryExplicitLayoutKHR)) {
        return Err("shared memory with explicit layout is not supported".into());
    }
    let variables = variables(globals)?.into_iter().filter(|variable| variable.class == StorageClass::Workgroup);
    let shared = variables.map(|variable| {
        let layout = layout::of_type(globals, variable.pointee)?;
        Ok(SharedVariable { name: globals.name(variable.id), bytes: layout.bytes, alignment: layout.alignment })
    });
    shared.collect()
}
