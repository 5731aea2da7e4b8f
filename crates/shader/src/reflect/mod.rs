//! What a SPIR-V module tells about its interface.
//!
//! Compute shaders with one entry point are understood. Names come from `OpName` and `OpMemberName`, so a module without
//! debug names still reflects but its members are called `member_0` and its constants have no name.

mod constants;
mod globals;
mod interface;
mod layout;

use crate::error::Error;
use crate::expression::{Expression, Operation};
use globals::Globals;

/// The interface of one module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reflection {
    /// Major and minor version of SPIR-V.
    pub spirv_version: (u8, u8),
    /// SPIR-V's names of the capabilities that the module declares.
    pub capabilities: Vec<String>,
    /// The SPIR-V extensions that the module declares.
    pub extensions: Vec<String>,
    /// The entry point's name, `main` as a rule.
    pub entry_point: String,
    /// What is bound to it, sorted by set and binding. One binding declared several times, as views of different types, is
    /// here as often; [`Reflection::descriptors`] has it once.
    pub bindings: Vec<Binding>,
    /// Its push constants.
    pub push_constants: Option<PushConstants>,
    /// Its specialization constants, sorted by id.
    pub constants: Vec<SpecializationConstant>,
    /// Invocations of a workgroup in x, y and z.
    pub local_size: [Expression; 3],
    /// Its shared variables.
    pub shared: Vec<SharedVariable>,
}

/// A resource that a descriptor binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The descriptor set.
    pub set: u32,
    /// The number within the set.
    pub binding: u32,
    /// The variable's name, or its block's where the variable has none; empty without debug names.
    pub name: String,
    /// What kind of descriptor it is.
    pub kind: BindingKind,
    /// What the module may do with it.
    pub access: BindingAccess,
}

/// Kinds of descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BindingKind {
    StorageBuffer,
    UniformBuffer,
    StorageImage,
    SampledImage,
    Sampler,
    CombinedImageSampler,
}

/// What a module may do with a resource, as its declaration says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BindingAccess {
    Read,
    Write,
    ReadWrite,
}

/// The push-constant block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushConstants {
    /// Sorted by offset.
    pub members: Vec<Member>,
}

/// A member of the push-constant block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name in GLSL.
    pub name: String,
    /// Where it starts, in bytes.
    pub offset: u32,
    /// What it holds.
    pub scalar: Scalar,
    /// How many of them: 1, or 2 to 4 for a vector.
    pub count: u32,
}

/// The types of members and constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Scalar {
    Bool,
    U32,
    I32,
    F32,
    U64,
    I64,
    F64,
}

/// A specialization constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecializationConstant {
    /// Its `constant_id`.
    pub id: u32,
    /// Its name; a workgroup size declared with `local_size_x_id` alone has none.
    pub name: Option<String>,
    /// A type of 32 bits.
    pub scalar: Scalar,
    /// The bits of its default.
    pub default: u32,
}

/// A variable in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedVariable {
    /// Its name in GLSL.
    pub name: String,
    /// Its size in bytes by the rules of std430.
    pub bytes: Expression,
    /// Its alignment in bytes.
    pub alignment: u32,
}

impl Reflection {
    /// Reads the interface out of a module. `module` names it in errors.
    pub fn of_words(module: &str, words: &[u32]) -> Result<Reflection, Error> {
        Self::read(words).map_err(|problem| Error::spirv(module, problem))
    }

    fn read(words: &[u32]) -> Result<Reflection, String> {
        let globals = Globals::read(words)?;
        Ok(Reflection {
            spirv_version: globals.version,
            capabilities: globals.capabilities(),
            extensions: globals.extensions(),
            entry_point: globals.entry_point()?.name,
            bindings: interface::bindings(&globals)?,
            push_constants: interface::push_constants(&globals)?,
            constants: constants::declared(&globals)?,
            local_size: constants::local_size(&globals)?,
            shared: interface::shared(&globals)?,
        })
    }

    /// The bindings as a descriptor set layout needs them: each once, with the first of its names and the access of all views.
    pub fn descriptors(&self) -> Vec<Binding> {
        let mut merged: Vec<Binding> = Vec::new();
        for binding in &self.bindings {
            match merged.last_mut().filter(|last| (last.set, last.binding) == (binding.set, binding.binding)) {
                Some(last) if last.access != binding.access => last.access = BindingAccess::ReadWrite,
                Some(_) => {}
                None => merged.push(binding.clone()),
            }
        }
        merged
    }

    /// The bytes of shared memory that a workgroup takes at most: what std430 needs in the worst order of the variables.
    pub fn shared_bytes(&self) -> Expression {
        let alignment = self.shared.iter().map(|variable| variable.alignment).max().unwrap_or(1);
        self.shared.iter().fold(Expression::Literal(0), |sum, variable| {
            let padded = Expression::apply(Operation::RoundUp, vec![variable.bytes.clone(), Expression::Literal(alignment)]);
            Expression::apply(Operation::AddSizes, vec![sum, padded])
        })
    }
}
