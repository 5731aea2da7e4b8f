//! One interface for all variants of a kernel.
//!
//! The compiler leaves out what a variant does not use, so each module shows a part of the interface that its source
//! declares. The union is what the host code fills in; where two modules contradict each other, there is none.

use crate::error::Error;
use crate::names::{snake_case, upper_case};
use crate::reflect::{Binding, BindingAccess, BindingKind, Reflection, Scalar};
use std::collections::BTreeMap;

/// The union of the interfaces of a kernel's modules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Union {
    /// By offset.
    pub(super) members: BTreeMap<u32, Member>,
    /// By `constant_id`.
    pub(super) constants: BTreeMap<u32, Constant>,
    /// Set and binding by the name in capitals. One binding can have several names, as views of different types.
    pub(super) bindings: BTreeMap<String, (u32, u32)>,
    /// Of set 0, by their numbers.
    pub(super) resources: BTreeMap<u32, Resource>,
}

/// What stands at a binding, and what any of the modules does with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Resource {
    pub(super) kind: BindingKind,
    pub(super) reads: bool,
    pub(super) writes: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) scalar: Scalar,
    pub(super) count: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Constant {
    pub(super) name: String,
    pub(super) scalar: Scalar,
    pub(super) default: u32,
    /// `false` while only unnamed declarations were seen; a named one in another module wins.
    named: bool,
}

/// The bytes that a scalar takes.
pub(super) fn bytes(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::Bool | Scalar::U32 | Scalar::I32 | Scalar::F32 => 4,
        Scalar::U64 | Scalar::I64 | Scalar::F64 => 8,
    }
}

impl Union {
    /// `modules` are names and interfaces; `kernel` names the kernel in errors.
    pub(super) fn of(kernel: &str, modules: &[(&str, Reflection)]) -> Result<Union, Error> {
        let mut union = Union::default();
        for (name, reflection) in modules {
            union.add(reflection).map_err(|problem| conflict(kernel, format!("{problem} (seen at {name})")))?;
        }
        union.check().map_err(|problem| conflict(kernel, problem))?;
        Ok(union)
    }

    fn add(&mut self, reflection: &Reflection) -> Result<(), String> {
        for member in reflection.push_constants.iter().flat_map(|block| &block.members) {
            let found = Member { name: snake_case(&member.name), scalar: member.scalar, count: member.count };
            let before = self.members.entry(member.offset).or_insert_with(|| found.clone());
            if *before != found {
                return Err(format!("the push constant at offset {} is both {} and {}", member.offset, describe(before), describe(&found)));
            }
        }
        for constant in &reflection.constants {
            let fallback = || {
                let axis = reflection.local_size.iter().position(|size| size.constants() == [constant.id]);
                axis.map_or_else(|| format!("constant_{}", constant.id), |axis| format!("local_size_{}", ["x", "y", "z"][axis]))
            };
            let named = constant.name.is_some();
            let name = constant.name.as_deref().map_or_else(fallback, snake_case);
            let found = Constant { name, scalar: constant.scalar, default: constant.default, named };
            let before = self.constants.entry(constant.id).or_insert_with(|| found.clone());
            if before.scalar != found.scalar {
                return Err(format!("the specialization constant {} has different types", found.name));
            }
            match (before.named, named) {
                (false, true) => *before = found,
                (true, true) if *before != found => {
                    return Err(format!(
                        "constant_id {} is both {} and {}",
                        constant.id,
                        describe_constant(before),
                        describe_constant(&found)
                    ));
                }
                _ => {}
            }
        }
        for binding in &reflection.bindings {
            let place = (binding.set, binding.binding);
            let name = if binding.name.is_empty() { format!("{}_{}", place.0, place.1) } else { upper_case(&binding.name) };
            let before = *self.bindings.entry(name.clone()).or_insert(place);
            if before != place {
                return Err(format!("{name} is at set {} binding {} and at set {} binding {}", before.0, before.1, place.0, place.1));
            }
            if binding.set == 0 && matches!(binding.kind, BindingKind::StorageBuffer | BindingKind::StorageImage) {
                self.add_resource(binding)?;
            }
        }
        Ok(())
    }

    fn add_resource(&mut self, binding: &Binding) -> Result<(), String> {
        let found =
            Resource { kind: binding.kind, reads: binding.access != BindingAccess::Write, writes: binding.access != BindingAccess::Read };
        let resource = self.resources.entry(binding.binding).or_insert(found);
        if resource.kind != found.kind {
            return Err(format!("binding {} is both {:?} and {:?}", binding.binding, resource.kind, found.kind));
        }
        resource.reads |= found.reads;
        resource.writes |= found.writes;
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        let mut end = 0;
        for (offset, member) in &self.members {
            if *offset != end {
                return Err(format!("the push constant {} starts at offset {offset}, and the one before ends at {end}", member.name));
            }
            end = offset.saturating_add(bytes(member.scalar).saturating_mul(member.count));
        }
        let alignment = self.members.values().map(|member| bytes(member.scalar)).max().unwrap_or(1);
        if end % alignment != 0 {
            return Err(format!("the push constants end at {end}, which is no multiple of their alignment {alignment}"));
        }
        distinct("push constants", self.members.values().map(|member| member.name.as_str()))?;
        distinct("specialization constants", self.constants.values().map(|constant| constant.name.as_str()))
    }

    /// The size of the push constants.
    pub(super) fn push_constant_bytes(&self) -> u32 {
        self.members.last_key_value().map_or(0, |(offset, member)| offset.saturating_add(bytes(member.scalar).saturating_mul(member.count)))
    }
}

fn distinct<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map_or(Ok(()), |pair| Err(format!("two {what} are called {}", pair[0])))
}

fn describe(member: &Member) -> String {
    format!("{} ({:?} × {})", member.name, member.scalar, member.count)
}

fn describe_constant(constant: &Constant) -> String {
    format!("{} with default bits {:#x}", constant.name, constant.default)
}

fn conflict(kernel: &str, problem: String) -> Error {
    Error::Conflict { kernel: kernel.into(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::Expression;
    use crate::reflect;

    fn module(members: &[(&str, u32, Scalar)], constants: &[(u32, Option<&str>, Scalar, u32)], bindings: &[(&str, u32)]) -> Reflection {
        let member = |&(name, offset, scalar): &(&str, u32, Scalar)| reflect::Member { name: name.into(), offset, scalar, count: 1 };
        let constant = |&(id, name, scalar, default): &(u32, Option<&str>, Scalar, u32)| reflect::SpecializationConstant {
            id,
            name: name.map(str::to_string),
            scalar,
            default,
        };
        let binding = |&(name, binding): &(&str, u32)| reflect::Binding {
            set: 0,
            binding,
            name: name.into(),
            kind: BindingKind::StorageBuffer,
            access: reflect::BindingAccess::Read,
        };
        Reflection {
            spirv_version: (1, 3),
            capabilities: Vec::new(),
            extensions: Vec::new(),
            entry_point: "main".into(),
            bindings: bindings.iter().map(binding).collect(),
            push_constants: Some(reflect::PushConstants { members: members.iter().map(member).collect() }),
            constants: constants.iter().map(constant).collect(),
            local_size: [Expression::Constant(0), Expression::Literal(1), Expression::Literal(1)],
            shared: Vec::new(),
        }
    }

    fn union(a: Reflection, b: Reflection) -> Result<Union, String> {
        Union::of("family/kernel", &[("a", a), ("b", b)]).map_err(|error| error.to_string())
    }

    #[test]
    fn what_one_variant_leaves_out_another_adds() {
        let a = module(&[("count", 0, Scalar::U32)], &[(0, None, Scalar::U32, 1)], &[("Input", 0)]);
        let b =
            module(&[("Count", 0, Scalar::U32), ("step", 4, Scalar::F32)], &[(0, Some("SIZE"), Scalar::U32, 64)], &[("out", 2), ("in", 0)]);
        let union = union(a, b).unwrap();
        assert_eq!(union.push_constant_bytes(), 8);
        assert_eq!(union.constants[&0].name, "size");
        assert_eq!(union.constants[&0].default, 64);
        assert_eq!(union.bindings.keys().collect::<Vec<_>>(), ["IN", "INPUT", "OUT"]);
        assert_eq!(union.resources.keys().collect::<Vec<_>>(), [&0, &2]);
        assert!(union.resources.values().all(|resource| resource.reads && !resource.writes));
    }

    #[test]
    fn a_binding_is_accessed_as_by_all_variants_together() {
        let reading = module(&[], &[], &[("data", 0)]);
        let mut writing = reading.clone();
        writing.bindings[0].access = reflect::BindingAccess::Write;
        let both = union(reading.clone(), writing.clone()).unwrap();
        assert_eq!(both.resources[&0], Resource { kind: BindingKind::StorageBuffer, reads: true, writes: true });
        writing.bindings[0].kind = BindingKind::StorageImage;
        assert_eq!(union(reading, writing).unwrap_err(), "family/kernel: binding 0 is both StorageBuffer and StorageImage (seen at b)");
    }

    #[test]
    fn contradictions_are_named() {
        let error = |a, b| union(a, b).unwrap_err();
        let of_member = |member| module(&[member], &[], &[]);
        assert_eq!(
            error(of_member(("count", 0, Scalar::U32)), of_member(("count", 0, Scalar::I32))),
            "family/kernel: the push constant at offset 0 is both count (U32 × 1) and count (I32 × 1) (seen at b)"
        );
        assert_eq!(
            error(of_member(("count", 0, Scalar::U32)), of_member(("step", 8, Scalar::U32))),
            "family/kernel: the push constant step starts at offset 8, and the one before ends at 4"
        );
        assert_eq!(
            error(of_member(("count", 0, Scalar::U64)), of_member(("step", 8, Scalar::U32))),
            "family/kernel: the push constants end at 12, which is no multiple of their alignment 8"
        );
        assert_eq!(
            error(of_member(("count", 0, Scalar::U32)), of_member(("Count", 4, Scalar::U32))),
            "family/kernel: two push constants are called count"
        );
        let of_constant = |constant| module(&[], &[constant], &[]);
        assert_eq!(
            error(of_constant((0, Some("a"), Scalar::U32, 1)), of_constant((0, Some("a"), Scalar::U32, 2))),
            "family/kernel: constant_id 0 is both a with default bits 0x1 and a with default bits 0x2 (seen at b)"
        );
        assert_eq!(
            error(of_constant((0, Some("a"), Scalar::U32, 1)), of_constant((0, None, Scalar::I32, 1))),
            "family/kernel: the specialization constant local_size_x has different types (seen at b)"
        );
        let of_binding = |binding| module(&[], &[], &[binding]);
        assert_eq!(
            error(of_binding(("Input", 0)), of_binding(("input", 1))),
            "family/kernel: INPUT is at set 0 binding 0 and at set 0 binding 1 (seen at b)"
        );
    }
}
