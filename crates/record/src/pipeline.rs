//! Compute pipelines.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use ash::vk;
use smallvec::SmallVec;
use wavelane_device::{Capabilities, Device, QuirkEffect};

use crate::access::Access;
use crate::binding::{BindingDescription, BindingKind};
use crate::error::Error;

/// A specialization constant of 32 bits; floats and booleans by their bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecializationConstant {
    /// `constant_id` in the shader.
    pub id: u32,
    /// Its value.
    pub value: u32,
}

/// How to make a [`ComputePipeline`].
#[derive(Clone, Copy, Debug)]
pub struct ComputePipelineDescription<'a> {
    /// Name, for errors, profilers and validation messages.
    pub name: &'a str,
    /// The module, with an entry point `main`.
    pub spirv: &'a [u32],
    /// What it binds: bindings 0, 1, … of set 0.
    pub bindings: &'a [BindingDescription],
    /// Size of its push constants in bytes.
    pub push_constant_bytes: u32,
    /// Values for its specialization constants.
    pub specialization: &'a [SpecializationConstant],
    /// The subgroup size it must run at. Where the device has size control, none means any of its sizes, which the shader reads in
    /// `gl_SubgroupSize`; where it has not, none is the only choice.
    pub required_subgroup_size: Option<u32>,
    /// Whether every subgroup must be full. The workgroup's size in x must then be a multiple of the required subgroup size, or without
    /// one of the largest.
    pub full_subgroups: bool,
    /// Whether [`Recorder::dispatch_base`](crate::Recorder::dispatch_base) is to work with it.
    pub dispatch_base: bool,
}

/// A compute pipeline. Cloning gives another handle to the same; the last one dropped destroys it, and a recorder that dispatched it holds one. Any number of threads
/// may record it at once.
#[derive(Clone)]
pub struct ComputePipeline {
    inner: Arc<Inner>,
}

struct Inner {
    device: Arc<Device>,
    name: Arc<str>,
    raw: vk::Pipeline,
    layout: vk::PipelineLayout,
    set_layout: vk::DescriptorSetLayout,
    bindings: SmallVec<[BindingDescription; 8]>,
    push_constant_bytes: u32,
    dispatch_base: bool,
}

/// Held while a driver that cannot compile on two threads compiles.
static ONE_COMPILER: Mutex<()> = Mutex::new(());

impl fmt::Debug for ComputePipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComputePipeline").field("name", &self.inner.name).field("raw", &self.inner.raw).finish_non_exhaustive()
    }
}

impl ComputePipeline {
    /// Makes a pipeline.
    ///
    /// # Errors
    ///
    /// A typed error for each limit or feature of the device that the description goes beyond; [`Error::PipelineRefused`] where the
    /// driver does not take the module.
    ///
    /// # Safety
    ///
    /// The words must be a valid SPIR-V module that needs no feature the device lacks, and use bindings, push constants and specialization constants as the
    /// description says. Drivers do not check any of it.
    pub unsafe fn new(device: &Arc<Device>, description: &ComputePipelineDescription<'_>) -> Result<Self, Error> {
        check(device.capabilities(), description)?;
        // From here on, dropping the half-made pipeline cleans up.
        let mut inner = Inner {
            device: Arc::clone(device),
            name: description.name.into(),
            raw: vk::Pipeline::null(),
            layout: vk::PipelineLayout::null(),
            set_layout: vk::DescriptorSetLayout::null(),
            bindings: description.bindings.into(),
            push_constant_bytes: description.push_constant_bytes,
            dispatch_base: description.dispatch_base,
        };
        inner.make_layouts()?;
        inner.make_pipeline(description)?;
        device.set_name(inner.raw, description.name);
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Vulkan's handle.
    pub fn raw(&self) -> vk::Pipeline {
        self.inner.raw
    }

    /// Its layout: set 0 with the bindings, and the push constants.
    pub fn layout(&self) -> vk::PipelineLayout {
        self.inner.layout
    }

    /// The layout of set 0; null where there are no bindings. Of the push-descriptor kind where the device has push descriptors.
    pub fn set_layout(&self) -> vk::DescriptorSetLayout {
        self.inner.set_layout
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Its name, shared.
    pub(crate) fn label(&self) -> &Arc<str> {
        &self.inner.name
    }

    /// What it binds.
    pub fn bindings(&self) -> &[BindingDescription] {
        &self.inner.bindings
    }

    /// Whether it may be dispatched from another workgroup than the first.
    pub fn takes_base(&self) -> bool {
        self.inner.dispatch_base
    }

    /// Size of its push constants in bytes.
    pub fn push_constant_bytes(&self) -> u32 {
        self.inner.push_constant_bytes
    }

    /// A number that no other living pipeline has.
    pub(crate) fn id(&self) -> u64 {
        // Aligned allocations differ in their higher bits.
        (Arc::as_ptr(&self.inner).addr() >> 4) as u64
    }

    /// The device it belongs to.
    pub fn device(&self) -> &Arc<Device> {
        &self.inner.device
    }
}

impl Inner {
    fn make_layouts(&mut self) -> Result<(), Error> {
        let device = self.device.raw();
        let mut set_layouts = Vec::new();
        // No set at all rather than an empty one, which some drivers skip, shifting the numbers of others.
        if !self.bindings.is_empty() {
            let bindings: Vec<_> = (0u32..)
                .zip(&self.bindings)
                .map(|(binding, description)| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(binding)
                        .descriptor_type(description.kind.descriptor_type())
                        .descriptor_count(1)
                        .stage_flags(vk::ShaderStageFlags::COMPUTE)
                })
                .collect();
            let mut info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            if self.device.push_descriptor().is_some() {
                info = info.flags(vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR);
            }
            // SAFETY: the device is alive, the number of bindings within its limit.
            self.set_layout = unsafe { device.create_descriptor_set_layout(&info, None) }
                .map_err(|result| Error::vulkan("vkCreateDescriptorSetLayout", result))?;
            set_layouts.push(self.set_layout);
        }
        let push_constants =
            [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::COMPUTE, offset: 0, size: self.push_constant_bytes }];
        let mut info = vk::PipelineLayoutCreateInfo::default().set_layouts(&set_layouts);
        if self.push_constant_bytes > 0 {
            info = info.push_constant_ranges(&push_constants);
        }
        // SAFETY: the device is alive, the push constants within its limit.
        self.layout =
            unsafe { device.create_pipeline_layout(&info, None) }.map_err(|result| Error::vulkan("vkCreatePipelineLayout", result))?;
        Ok(())
    }

    fn make_pipeline(&mut self, description: &ComputePipelineDescription<'_>) -> Result<(), Error> {
        let device = self.device.raw();
        let refused = |result| match Error::vulkan("vkCreateComputePipelines", result) {
            lost if lost.is_device_lost() => lost,
            _ => Error::PipelineRefused { pipeline: description.name.to_owned(), result },
        };
        // SAFETY: the words are a SPIR-V module as far as its header; that the rest is valid is for whoever compiled it.
        let module = unsafe { device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(description.spirv), None) }
            .map_err(refused)?;

        let mut entries = Vec::with_capacity(description.specialization.len());
        let mut data = Vec::with_capacity(description.specialization.len() * 4);
        for constant in description.specialization {
            entries.push(vk::SpecializationMapEntry { constant_id: constant.id, offset: data.len() as u32, size: 4 });
            data.extend_from_slice(&constant.value.to_ne_bytes());
        }
        let specialization = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
        let subgroup = &self.device.capabilities().subgroup;
        let mut flags = vk::PipelineShaderStageCreateFlags::empty();
        if description.full_subgroups {
            flags |= vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS;
        }
        let required_size = description.required_subgroup_size.or(self.device.forced_subgroup_size());
        // Without this, a driver with several sizes reports one and may run another.
        if subgroup.size_control && required_size.is_none() && subgroup.min_size != subgroup.max_size {
            flags |= vk::PipelineShaderStageCreateFlags::ALLOW_VARYING_SUBGROUP_SIZE;
        }
        let mut required =
            vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default().required_subgroup_size(required_size.unwrap_or(0));
        let mut stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .flags(flags)
            .module(module)
            .name(c"main")
            .specialization_info(&specialization);
        if required_size.is_some() {
            stage = stage.push_next(&mut required);
        }
        let mut pipeline_flags = vk::PipelineCreateFlags::empty();
        if description.dispatch_base {
            pipeline_flags |= vk::PipelineCreateFlags::DISPATCH_BASE;
        }
        if self.device.captures_statistics() {
            pipeline_flags |= vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR;
        }
        let info = [vk::ComputePipelineCreateInfo::default().flags(pipeline_flags).stage(stage).layout(self.layout)];
        let made = {
            let one = self.device.quirks().iter().any(|quirk| quirk.effect == QuirkEffect::SingleThreadedPipelineCreation);
            let _held = one.then(|| ONE_COMPILER.lock().unwrap_or_else(PoisonError::into_inner));
            let begun = Instant::now();
            // SAFETY: module, layout and cache are of this device; everything `info` points to lives until the call returns.
            let made = unsafe { device.create_compute_pipelines(self.device.pipeline_cache(), &info, None) };
            if made.is_ok() {
                self.device.note_pipeline_creation(begun.elapsed());
            }
            made
        };
        // SAFETY: a pipeline does not need its module once it is made.
        unsafe { device.destroy_shader_module(module, None) };
        let pipelines = made.map_err(|(_, result)| refused(result))?;
        self.raw = pipelines.first().copied().unwrap_or_default();
        Ok(())
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let device = self.device.raw();
        // SAFETY: recorders and submissions that use the pipeline hold a handle to it, so nobody does any more; null handles are allowed.
        unsafe {
            device.destroy_pipeline(self.raw, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

/// Refuses what the device cannot do before a driver sees it.
fn check(capabilities: &Capabilities, description: &ComputePipelineDescription<'_>) -> Result<(), Error> {
    const MAGIC: u32 = 0x0723_0203;
    const HEADER_WORDS: usize = 5;
    let pipeline = || description.name.to_owned();
    if description.spirv.len() <= HEADER_WORDS || description.spirv[0] != MAGIC {
        return Err(Error::NotSpirv { pipeline: pipeline(), words: description.spirv.len() });
    }
    let limits = &capabilities.limits;
    let count = |kind| description.bindings.iter().filter(|binding| binding.kind == kind).count() as u32;
    for (asked, limit, what, limit_name) in [
        (
            count(BindingKind::StorageBuffer),
            limits.max_per_stage_descriptor_storage_buffers,
            "storage buffers",
            "maxPerStageDescriptorStorageBuffers",
        ),
        (
            count(BindingKind::StorageImage),
            limits.max_per_stage_descriptor_storage_images,
            "storage images",
            "maxPerStageDescriptorStorageImages",
        ),
        (description.push_constant_bytes, limits.max_push_constants_size, "bytes of push constants", "maxPushConstantsSize"),
    ] {
        if asked > limit {
            return Err(Error::Limit { pipeline: pipeline(), what, asked: asked.into(), limit: limit.into(), limit_name });
        }
    }
    if let Some(index) = description
        .bindings
        .iter()
        .position(|binding| !matches!(binding.access, Access::ComputeRead | Access::ComputeWrite | Access::ComputeReadWrite))
    {
        return Err(Error::BindingAccess { pipeline: pipeline(), binding: index, access: description.bindings[index].access });
    }
    if !description.push_constant_bytes.is_multiple_of(4) {
        return Err(Error::PushConstantWords { pipeline: pipeline(), bytes: description.push_constant_bytes });
    }
    let subgroup = &capabilities.subgroup;
    if let Some(asked) = description.required_subgroup_size {
        let offered = if !subgroup.size_control || !subgroup.required_size_in_compute {
            "no control of the size in compute shaders".into()
        } else if asked.is_power_of_two() && (subgroup.min_size..=subgroup.max_size).contains(&asked) {
            String::new()
        } else {
            format!("powers of two from {} to {}", subgroup.min_size, subgroup.max_size)
        };
        if !offered.is_empty() {
            return Err(Error::SubgroupSize { pipeline: pipeline(), asked, offered });
        }
    }
    if description.full_subgroups && !subgroup.full_subgroups {
        return Err(Error::FullSubgroups { pipeline: pipeline() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUFFERS: [BindingDescription; 5] = [BindingDescription::storage_buffer(Access::ComputeReadWrite); 5];
    const SPIRV: [u32; 6] = [0x0723_0203, 0x0001_0300, 0, 1, 0, 0];

    fn description(spirv: &[u32]) -> ComputePipelineDescription<'_> {
        ComputePipelineDescription {
            name: "sum",
            spirv,
            bindings: &BUFFERS[..3],
            push_constant_bytes: 16,
            specialization: &[],
            required_subgroup_size: None,
            full_subgroups: false,
            dispatch_base: false,
        }
    }

    fn text(capabilities: &Capabilities, description: &ComputePipelineDescription<'_>) -> Result<(), String> {
        check(capabilities, description).map_err(|error| error.to_string())
    }

    #[test]
    fn what_the_device_cannot_do_is_refused_with_both_figures() {
        let device = Capabilities::default();
        let good = description(&SPIRV);
        assert_eq!(text(&device, &good), Ok(()));
        assert_eq!(
            text(&device, &ComputePipelineDescription { bindings: &BUFFERS, ..good }),
            Err("pipeline `sum` needs 5 storage buffers, and the device's maxPerStageDescriptorStorageBuffers is 4".into())
        );
        assert_eq!(
            text(&device, &ComputePipelineDescription { push_constant_bytes: 132, ..good }),
            Err("pipeline `sum` needs 132 bytes of push constants, and the device's maxPushConstantsSize is 128".into())
        );
        let images = [BindingDescription::storage_image(Access::ComputeWrite); 5];
        assert_eq!(
            text(&device, &ComputePipelineDescription { bindings: &images, ..good }),
            Err("pipeline `sum` needs 5 storage images, and the device's maxPerStageDescriptorStorageImages is 4".into())
        );
        let host = [BindingDescription::storage_buffer(Access::HostRead)];
        assert_eq!(
            text(&device, &ComputePipelineDescription { bindings: &host, ..good }),
            Err("binding 0 of pipeline `sum` was declared with access HostRead, which is none of a shader's".into())
        );
        assert!(text(&device, &ComputePipelineDescription { push_constant_bytes: 6, ..good }).is_err());
        assert_eq!(
            text(&device, &ComputePipelineDescription { full_subgroups: true, ..good }),
            Err("pipeline `sum` requires full subgroups, and the device lacks computeFullSubgroups".into())
        );
        assert_eq!(text(&device, &description(&[])), Err("pipeline `sum` was given 0 words that are no SPIR-V module".into()));
        assert!(text(&device, &description(&[1, 2, 3, 4, 5, 6])).is_err());
    }

    #[test]
    fn a_subgroup_size_can_be_required_only_where_the_device_offers_it() {
        let mut device = Capabilities::default();
        let sized = |size| ComputePipelineDescription { required_subgroup_size: Some(size), ..description(&SPIRV) };
        assert_eq!(
            text(&device, &sized(32)),
            Err("pipeline `sum` requires subgroups of 32 lanes, and the device offers no control of the size in compute shaders".into())
        );
        (device.subgroup.min_size, device.subgroup.max_size, device.subgroup.size_control) = (8, 32, true);
        assert!(text(&device, &sized(32)).is_err(), "size control without the compute stage");
        device.subgroup.required_size_in_compute = true;
        assert_eq!(text(&device, &sized(32)), Ok(()));
        for size in [4, 24, 64] {
            assert_eq!(
                text(&device, &sized(size)),
                Err(format!("pipeline `sum` requires subgroups of {size} lanes, and the device offers powers of two from 8 to 32"))
            );
        }
    }
}
