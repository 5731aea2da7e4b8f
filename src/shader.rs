//! Compiled shader modules and what is known about them.
//!
//! The bindings generated from GLSL are made of these types, in this crate and in any other that runs `wavelane-shader`
//! from its build script.

/// For the generated code, so that its crate needs no dependency of its own.
#[doc(hidden)]
pub use bytemuck;

/// One compiled variant of a kernel; `C` is the kernel's specialization constants.
#[derive(Debug)]
pub struct Module<C: 'static> {
    /// The dotted name of the variant.
    pub name: &'static str,
    /// The SPIR-V, with entry point `main`.
    pub spirv: &'static [u32],
    /// The SPIR-V version.
    pub spirv_version: (u8, u8),
    /// SPIR-V's names of the capabilities that the device must have.
    pub capabilities: &'static [&'static str],
    /// The SPIR-V extensions that the device must have.
    pub extensions: &'static [&'static str],
    /// What this variant binds, sorted by set and binding. A resource that it does not use is not among them.
    pub bindings: &'static [Binding],
    /// The workgroup's size under these constants.
    pub local_size: fn(&C) -> [u32; 3],
    /// The bytes of shared memory that a workgroup takes at most under these constants; the largest `u32` where they are more.
    pub shared_bytes: fn(&C) -> u32,
}

/// A resource that a module binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The descriptor set.
    pub set: u32,
    /// The number within the set.
    pub binding: u32,
    /// Its name in GLSL.
    pub name: &'static str,
    /// What kind of descriptor it is.
    pub kind: BindingKind,
    /// What the module may do with it.
    pub access: BindingAccess,
}

/// Kinds of descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingKind {
    /// `buffer` blocks.
    StorageBuffer,
    /// `uniform` blocks.
    UniformBuffer,
    /// Images that are loaded and stored.
    StorageImage,
    /// Images that are sampled, without their sampler.
    SampledImage,
    /// Samplers alone.
    Sampler,
    /// Images that are sampled, with their sampler.
    CombinedImageSampler,
}

/// What a module may do with a resource, as its declaration says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingAccess {
    /// It only reads.
    Read,
    /// It only writes.
    Write,
    /// It does both.
    ReadWrite,
}
