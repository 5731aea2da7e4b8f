//! One interface for all variants of a kernel.
//!
//! The compiler leaves out what a variant does not use, so each module shows a part of the interface that its source
//! declares. The union is what the host code fills in; where two modules contradict each other, there is none.

use crate::error::Error;
use crate::names::{snake_case, upper_case};
use crate::reflect::{BindingKind, Reflection, Scalar};
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
    pub(super) storage_buffers: u32,
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
            if binding.set == 0 && binding.kind == BindingKind::StorageBuffer {
                self.storage_buffers = self.storage_buffers.max(binding.binding.saturating_add(1));
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        let mut end = 0;
        for (offset, member) in &self.members {
            if *offset != end {
                return Err(format!("the push constant {} starts at offset {offset}, and the one before ends at {end}", member.name));
            }
            end = offset.saturating_add(bytes(member.scalar) * member.count);
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
        self.members.last_key_value().map_or(0, |(offset, member)| offset.saturating_add(bytes(member.scalar) * member.count))
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
