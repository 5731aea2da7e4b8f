//! The feature structures themselves, to ask a device and to make one.

use std::ffi::c_void;
use std::fmt;

use ash::vk;

use super::rows::{Bit, ROWS};
use super::{Switches, chain};
use crate::extensions::Extensions;

/// Feature structures with the bits set of what is to be enabled, to be chained into a `vk::DeviceCreateInfo`.
///
/// [`Requirements::features`](crate::Requirements::features) makes them.
#[derive(Clone, Default)]
pub struct FeatureChain {
    // Links between the fields are made anew on every use, so that the whole may be moved.
    core: vk::PhysicalDeviceFeatures2<'static>,
    storage_16: vk::PhysicalDevice16BitStorageFeatures<'static>,
    storage_8: vk::PhysicalDevice8BitStorageFeatures<'static>,
    float16_int8: vk::PhysicalDeviceShaderFloat16Int8Features<'static>,
    int64_atomics: vk::PhysicalDeviceShaderAtomicInt64Features<'static>,
    float_atomics: vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT<'static>,
    device_address: vk::PhysicalDeviceBufferDeviceAddressFeatures<'static>,
    memory_model: vk::PhysicalDeviceVulkanMemoryModelFeatures<'static>,
    timeline: vk::PhysicalDeviceTimelineSemaphoreFeatures<'static>,
    synchronization2: vk::PhysicalDeviceSynchronization2Features<'static>,
    size_control: vk::PhysicalDeviceSubgroupSizeControlFeatures<'static>,
    extended_types: vk::PhysicalDeviceShaderSubgroupExtendedTypesFeatures<'static>,
    rotate: vk::PhysicalDeviceShaderSubgroupRotateFeaturesKHR<'static>,
    cooperative_matrix: vk::PhysicalDeviceCooperativeMatrixFeaturesKHR<'static>,
    dot_product: vk::PhysicalDeviceShaderIntegerDotProductFeatures<'static>,
    executable: vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR<'static>,
    host_query_reset: vk::PhysicalDeviceHostQueryResetFeatures<'static>,
    on: Switches,
}

impl fmt::Debug for FeatureChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FeatureChain").field(&self.names()).finish()
    }
}

impl FeatureChain {
    /// The structures that turn exactly these features on.
    pub(crate) fn enabling(wanted: &Switches) -> Self {
        let mut chain = Self { on: wanted.clone(), ..Self::default() };
        // What has no bit is turned on by its extension alone.
        for row in ROWS.iter().filter(|row| row.bit.is_none()) {
            *(row.switch)(&mut chain.on) = false;
        }
        chain
    }

    /// What a device has: `ask` gets a chain of those structures that the device knows, for it to fill in.
    pub(crate) fn ask(extensions: &Extensions, ask: impl FnOnce(&mut vk::PhysicalDeviceFeatures2<'_>)) -> Switches {
        let mut chain = Self::default();
        let known = |kind| ROWS.iter().any(|row| row.bit.is_some_and(|bit| bit.structure == kind) && row.usable(extensions));
        chain.core.p_next = chain.link(known, std::ptr::null());
        ask(&mut chain.core);
        // SAFETY: the chain was linked from this value's own fields, which are where they were.
        unsafe { Switches::read(std::ptr::from_ref(&chain.core).cast(), extensions) }
    }

    /// The Vulkan names of the features that are turned on.
    pub fn names(&self) -> Vec<&'static str> {
        let mut on = self.on.clone();
        ROWS.iter().filter(|row| *(row.switch)(&mut on)).map(|row| row.name).collect()
    }

    /// Whether no feature is turned on.
    pub fn is_empty(&self) -> bool {
        self.on == Switches::default()
    }

    /// The features of Vulkan 1.0 that are turned on, for a caller who hands those over in `VkDeviceCreateInfo::pEnabledFeatures`.
    pub fn core_features(&self) -> vk::PhysicalDeviceFeatures {
        let mut copy = self.clone();
        copy.set_bits();
        copy.core.features
    }

    /// Chains the structures into the caller's `info`. Where it holds feature structures already, [`FeatureChain::merge_into`] comes first, and this takes
    /// what it returns.
    ///
    /// Structures without a feature turned on are left out. Where `info` has `pEnabledFeatures`, Vulkan allows no `VkPhysicalDeviceFeatures2` beside it:
    /// then [`FeatureChain::core_features`] are the caller's to add there.
    ///
    /// ```no_run
    /// use wavelane_device::{Adapter, Requirements, vk};
    ///
    /// # fn example(adapter: &Adapter, queues: &[vk::DeviceQueueCreateInfo<'_>]) {
    /// let requirements = Requirements::of(adapter);
    /// let extensions: Vec<_> = requirements.extensions().iter().map(|name| name.as_ptr()).collect();
    /// let mut features = requirements.features();
    /// let info = vk::DeviceCreateInfo::default().queue_create_infos(queues).enabled_extension_names(&extensions);
    /// let info = features.push_on(info);
    /// # let _ = info;
    /// # }
    /// ```
    pub fn push_on<'a>(&'a mut self, mut info: vk::DeviceCreateInfo<'a>) -> vk::DeviceCreateInfo<'a> {
        self.set_bits();
        let used = self.used();
        info.p_next = self.link(|kind| used.iter().any(|bit| bit.structure == kind), info.p_next).cast_const();
        if used.iter().any(|bit| bit.structure == self.core.s_type) && info.p_enabled_features.is_null() {
            self.core.p_next = info.p_next.cast_mut();
            info.p_next = std::ptr::from_ref(&self.core).cast();
        }
        info
    }

    /// Chains the structures behind the caller's `features`, as [`FeatureChain::push_on`] would onto a `vk::DeviceCreateInfo`, and turns on the features of
    /// Vulkan 1.0 in it. The result serves to make the device and to [lend](crate::Device::adopt) it.
    ///
    /// Where `features` has structures behind it already, [`FeatureChain::merge_into`] comes first, and this takes what it returns.
    pub fn push_on_features2<'a>(&'a mut self, mut features: vk::PhysicalDeviceFeatures2<'a>) -> vk::PhysicalDeviceFeatures2<'a> {
        let behind = std::mem::replace(&mut features.p_next, std::ptr::null_mut());
        let first: *mut vk::BaseOutStructure<'_> = std::ptr::from_mut(&mut features).cast();
        let used = self.used();
        for bit in used.iter().filter(|bit| bit.structure == vk::StructureType::PHYSICAL_DEVICE_FEATURES_2) {
            // SAFETY: a chain of this one structure.
            unsafe { chain::write(first, *bit, true) };
        }
        self.set_bits();
        features.p_next = self.link(|kind| used.iter().any(|bit| bit.structure == kind), behind);
        features
    }

    /// Turns the features on in a chain that the caller has already, in whichever structure holds them there: a feature's own or
    /// `VkPhysicalDeviceVulkan11Features` to `VkPhysicalDeviceVulkan14Features`. What no structure of the chain has room for is returned, to be
    /// [pushed](FeatureChain::push_on) beside the chain; no kind of structure is there twice then.
    ///
    /// ```no_run
    /// use wavelane_device::{Adapter, Requirements, vk};
    ///
    /// # fn example(adapter: &Adapter, queues: &[vk::DeviceQueueCreateInfo<'_>]) {
    /// let mut mine = vk::PhysicalDeviceVulkan12Features::default().draw_indirect_count(true);
    /// let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut mine);
    /// // SAFETY: the chain was made by `push_next`.
    /// let mut rest = unsafe { Requirements::of(adapter).features().merge_into(&mut features) };
    /// println!("not among my structures: {:?}", rest.names());
    /// let info = rest.push_on(vk::DeviceCreateInfo::default().queue_create_infos(queues).push_next(&mut features));
    /// # let _ = info;
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// `features` and what its `pNext` links are valid Vulkan structures, as `push_next` makes them, that nobody else uses meanwhile.
    pub unsafe fn merge_into(mut self, features: &mut vk::PhysicalDeviceFeatures2<'_>) -> Self {
        let first: *mut vk::BaseOutStructure<'_> = std::ptr::from_mut(features).cast();
        for row in ROWS {
            let on = (row.switch)(&mut self.on);
            // SAFETY: the caller's promise.
            if *on && row.bits().any(|bit| unsafe { chain::write(first, bit, true) }) {
                *on = false;
            }
        }
        self
    }

    /// The bits to set.
    fn used(&self) -> Vec<Bit> {
        let mut on = self.on.clone();
        ROWS.iter().filter(|row| *(row.switch)(&mut on)).filter_map(|row| row.bit).collect()
    }

    /// Sets the bits of the structures by the switches.
    fn set_bits(&mut self) {
        let mut on = self.on.clone();
        let all = self.link(|_| true, std::ptr::null());
        self.core.p_next = all;
        let first: *mut vk::BaseOutStructure<'_> = std::ptr::from_mut(&mut self.core).cast();
        for row in ROWS {
            if let Some(bit) = row.bit {
                // SAFETY: the chain was linked from this value's own fields just now.
                unsafe { chain::write(first, bit, *(row.switch)(&mut on)) };
            }
        }
    }

    /// Links the structures of certain kinds, all but the core's, and `tail` behind the last; gives the first.
    fn link(&mut self, wanted: impl Fn(vk::StructureType) -> bool, tail: *const c_void) -> *mut c_void {
        macro_rules! link {
            ($($field:ident)*) => {{
                let mut first = tail.cast_mut();
                $(if wanted(self.$field.s_type) {
                    self.$field.p_next = first;
                    first = std::ptr::from_mut(&mut self.$field).cast();
                })*
                first
            }};
        }
        link!(
            storage_16 storage_8 float16_int8 int64_atomics float_atomics device_address memory_model timeline synchronization2 size_control
            extended_types rotate cooperative_matrix dot_product executable host_query_reset
        )
    }
}
