//! Compiled shader modules and what is known about them.
//!
//! The bindings generated from GLSL are made of these types, in this crate and in any other that runs `wavelane-shader`
//! from its build script.

/// For the generated code, so that its crate needs no dependency of its own.
#[doc(hidden)]
pub use bytemuck;
pub use wavelane_record::{Access, BindingDescription};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shaders::dispatch_arguments::write;
    use crate::shaders::reduce::{columns, combine, rows};
    use crate::shaders::{convert, fill, gather, iota, scatter, transform};

    /// A module with its sizes under the kernel's default constants.
    struct Seen {
        label: String,
        spirv: &'static [u32],
        capabilities: &'static [&'static str],
        bindings: &'static [Binding],
        local_size: [u32; 3],
        shared_bytes: u32,
    }

    fn see<C: Default>(kernel: &str, modules: &'static [Module<C>]) -> Vec<Seen> {
        let constants = C::default();
        let see = |module: &'static Module<C>| Seen {
            label: format!("{kernel} {}", module.name),
            spirv: module.spirv,
            capabilities: module.capabilities,
            bindings: module.bindings,
            local_size: (module.local_size)(&constants),
            shared_bytes: (module.shared_bytes)(&constants),
        };
        modules.iter().map(see).collect()
    }

    fn all() -> Vec<Seen> {
        let mut all = see("rows", rows::MODULES);
        all.extend(see("columns", columns::MODULES));
        all.extend(see("combine", combine::MODULES));
        all.extend(see("write", write::MODULES));
        all.extend(see("fill", fill::write::MODULES));
        all.extend(see("counted fill", fill::counted::MODULES));
        all.extend(see("iota", iota::write::MODULES));
        all.extend(see("counted iota", iota::counted::MODULES));
        all.extend(see("convert", convert::write::MODULES));
        all.extend(see("gather", gather::take::MODULES));
        all.extend(see("scatter", scatter::put::MODULES));
        all.extend(see("transform", transform::contiguous::MODULES));
        all.extend(see("strided transform", transform::strided::MODULES));
        assert!(!all.is_empty());
        all
    }

    #[test]
    fn modules_are_words_of_spirv() {
        for seen in all() {
            assert_eq!(seen.spirv.first(), Some(&0x0723_0203), "{}", seen.label);
        }
    }

    #[test]
    fn modules_are_found_by_name() {
        for module in rows::MODULES {
            assert_eq!(rows::module(module.name).map(|found| found.name), Some(module.name));
        }
        assert!(rows::module("f32").is_none());
    }

    #[test]
    fn the_shared_memory_path_needs_nothing_of_subgroups() {
        for seen in all() {
            let subgroups = seen.capabilities.iter().any(|capability| capability.starts_with("GroupNonUniform"));
            let has_subgroups = [".subgroup", ".shuffle"].iter().any(|path| seen.label.ends_with(path));
            assert_eq!(subgroups, has_subgroups, "{}: {:?}", seen.label, seen.capabilities);
        }
    }

    #[test]
    fn default_workgroups_fit_the_smallest_device() {
        for seen in all() {
            assert!(seen.local_size.iter().product::<u32>() <= 128, "{}: {:?}", seen.label, seen.local_size);
            assert!(seen.shared_bytes <= 16384, "{}: {} bytes", seen.label, seen.shared_bytes);
        }
    }

    #[test]
    fn each_binding_is_a_storage_buffer_and_listed_once() {
        for seen in all() {
            let places: Vec<_> = seen.bindings.iter().map(|binding| (binding.set, binding.binding)).collect();
            assert!(places.is_sorted_by(|a, b| a < b), "{}: {places:?}", seen.label);
            assert!(seen.bindings.iter().all(|binding| binding.kind == BindingKind::StorageBuffer), "{}", seen.label);
        }
    }

    #[test]
    fn constants_reach_the_pipeline_as_bits() {
        let constants = rows::SpecializationConstants { workgroup_size: 256, ..Default::default() };
        assert!(constants.entries().contains(&(0, 256)));
        let module = &rows::MODULES[0];
        assert_eq!((module.local_size)(&constants), [256, 1, 1]);
    }
}
