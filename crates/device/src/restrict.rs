//! Narrowing a real device to a simulated one.

use crate::profile::Profile;
use crate::{Capabilities, Features, Limits, Subgroup, SubgroupOperations, Timestamps, Unsimulated};

impl Capabilities {
    /// These capabilities, narrowed to what the profile has too: the lesser of every limit, the greater of every alignment, features that
    /// both have. Name, ids and memory stay the device's own, for they say what really runs.
    ///
    /// # Subgroups
    ///
    /// A device's subgroup size cannot be changed to one that it does not have:
    ///
    /// - Where the device can be required to run at a size that the profile has too, its range becomes what both have.
    /// - Where every size the device may run at is within the profile's range, the device's sizes stay.
    /// - Otherwise, and always for a profile of size 1, the profile's subgroups cannot be simulated: every operation above
    ///   [`SubgroupOperations::BASIC`] is taken away, so that only paths that need none are left. [`Subgroup::unsimulated`] tells of it.
    pub fn restrict(&self, profile: &Profile) -> Self {
        let other = &profile.capabilities;
        let features = self.features.and(&other.features);
        let mut cooperative_matrices = self.cooperative_matrices.clone();
        cooperative_matrices.retain(|shape| features.cooperative_matrix && other.cooperative_matrices.contains(shape));
        Self {
            api_version: self.api_version.min(other.api_version),
            profile: Some(profile.name.clone()),
            limits: self.limits.lesser(&other.limits),
            subgroup: self.subgroup.narrow(&other.subgroup),
            features,
            cooperative_matrices,
            timestamps: self.timestamps.lesser(&other.timestamps),
            ..self.clone()
        }
    }
}

impl Limits {
    fn lesser(&self, other: &Self) -> Self {
        let each = |a: [u32; 3], b: [u32; 3]| [a[0].min(b[0]), a[1].min(b[1]), a[2].min(b[2])];
        Self {
            max_compute_work_group_count: each(self.max_compute_work_group_count, other.max_compute_work_group_count),
            max_compute_work_group_size: each(self.max_compute_work_group_size, other.max_compute_work_group_size),
            max_compute_work_group_invocations: self.max_compute_work_group_invocations.min(other.max_compute_work_group_invocations),
            max_compute_shared_memory_size: self.max_compute_shared_memory_size.min(other.max_compute_shared_memory_size),
            max_storage_buffer_range: self.max_storage_buffer_range.min(other.max_storage_buffer_range),
            min_storage_buffer_offset_alignment: self.min_storage_buffer_offset_alignment.max(other.min_storage_buffer_offset_alignment),
            max_push_constants_size: self.max_push_constants_size.min(other.max_push_constants_size),
            max_memory_allocation_size: self.max_memory_allocation_size.min(other.max_memory_allocation_size),
            max_memory_allocation_count: self.max_memory_allocation_count.min(other.max_memory_allocation_count),
            max_buffer_size: self.max_buffer_size.min(other.max_buffer_size),
            non_coherent_atom_size: self.non_coherent_atom_size.max(other.non_coherent_atom_size),
            min_imported_host_pointer_alignment: self.min_imported_host_pointer_alignment.max(other.min_imported_host_pointer_alignment),
            max_per_stage_descriptor_storage_buffers: self
                .max_per_stage_descriptor_storage_buffers
                .min(other.max_per_stage_descriptor_storage_buffers),
            max_per_stage_descriptor_storage_images: self
                .max_per_stage_descriptor_storage_images
                .min(other.max_per_stage_descriptor_storage_images),
            max_bound_descriptor_sets: self.max_bound_descriptor_sets.min(other.max_bound_descriptor_sets),
        }
    }
}

impl Subgroup {
    fn narrow(&self, other: &Self) -> Self {
        let size_control = self.size_control && other.size_control;
        let required_size_in_compute = size_control && self.required_size_in_compute && other.required_size_in_compute;
        // Without control of the size, this device runs at the one it reports.
        let (own_min, own_max) = if size_control { (self.min_size, self.max_size) } else { (self.size, self.size) };
        let (both_min, both_max) = (own_min.max(other.min_size), own_max.min(other.max_size));
        let within = other.min_size <= own_min && own_max <= other.max_size;
        let (min_size, max_size, same_sizes) =
            if required_size_in_compute && both_min <= both_max { (both_min, both_max, true) } else { (own_min, own_max, within) };
        let both = self.operations & other.operations;
        let is_simulated = same_sizes && other.max_size != 1;
        let operations = if is_simulated { both } else { both & SubgroupOperations::BASIC };
        let taken = Unsimulated { sizes: [other.min_size, other.max_size], operations: both.difference(operations) };
        Self {
            size: self.size.clamp(min_size, max_size),
            min_size,
            max_size,
            operations,
            compute_stage: self.compute_stage && other.compute_stage,
            size_control,
            required_size_in_compute,
            full_subgroups: size_control && self.full_subgroups && other.full_subgroups,
            max_workgroup_subgroups: match (size_control, self.max_workgroup_subgroups, other.max_workgroup_subgroups) {
                (false, ..) => 0,
                // A count of subgroups says nothing to those of another size.
                (true, own, others) if same_sizes && others != 0 => own.min(others),
                (true, own, _) => own,
            },
            extended_types: self.extended_types && other.extended_types,
            unsimulated: if taken.operations.is_empty() { self.unsimulated } else { Some(taken) },
        }
    }
}

impl Timestamps {
    fn lesser(&self, other: &Self) -> Self {
        let valid_bits = self.valid_bits.min(other.valid_bits);
        if valid_bits == 0 { Self::default() } else { Self { valid_bits, period_ns: self.period_ns } }
    }
}

impl Features {
    fn and(&self, other: &Self) -> Self {
        macro_rules! both {
            ($($field:ident),* $(,)?) => { Self { $($field: self.$field && other.$field),* } };
        }
        both!(
            shader_float16,
            shader_float64,
            shader_int8,
            shader_int16,
            shader_int64,
            storage_buffer_8bit,
            uniform_and_storage_buffer_8bit,
            storage_buffer_16bit,
            uniform_and_storage_buffer_16bit,
            buffer_int64_atomics,
            shared_int64_atomics,
            buffer_float32_atomics,
            buffer_float32_atomic_add,
            shared_float32_atomic_add,
            buffer_float64_atomic_add,
            buffer_device_address,
            vulkan_memory_model,
            vulkan_memory_model_device_scope,
            timeline_semaphore,
            synchronization2,
            cooperative_matrix,
            integer_dot_product,
            pipeline_executable_statistics,
            push_descriptor,
            host_query_reset,
            robust_buffer_access,
            memory_budget,
            external_memory_host,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    fn profile(name: &str) -> Result<Profile, Error> {
        Profile::named(name)
    }

    fn with_subgroup(min_size: u32, max_size: u32, control: bool) -> Subgroup {
        Subgroup {
            size: max_size,
            min_size,
            max_size,
            operations: SubgroupOperations::all(),
            size_control: control,
            required_size_in_compute: control,
            full_subgroups: control,
            max_workgroup_subgroups: if control { 32 } else { 0 },
            ..Subgroup::default()
        }
    }

    #[test]
    fn every_profile_narrowed_to_itself_stays_the_same() -> Result<(), Error> {
        for name in Profile::names() {
            let one = profile(name)?;
            let narrowed = one.capabilities.restrict(&one);
            assert_eq!(narrowed.profile.as_deref(), Some(name));
            let mut expected = one.capabilities.clone();
            expected.profile = Some(name.to_owned());
            if expected.subgroup.max_size == 1 {
                let operations = expected.subgroup.operations.difference(SubgroupOperations::BASIC);
                expected.subgroup.unsimulated = (!operations.is_empty()).then_some(Unsimulated { sizes: [1, 1], operations });
                expected.subgroup.operations = SubgroupOperations::BASIC;
            }
            assert_eq!(narrowed, expected, "{name}");
        }
        Ok(())
    }

    #[test]
    fn limits_shrink_and_alignments_grow() -> Result<(), Error> {
        let narrowed = profile("nvidia-h200")?.capabilities.restrict(&profile("minimal")?);
        assert_eq!(narrowed.limits, Limits::default());
        assert_eq!(narrowed.features, Features::default());
        assert_eq!(narrowed.timestamps, Timestamps::default());
        assert_eq!(narrowed.device_name, "NVIDIA H200");
        assert_eq!(narrowed.api_version, crate::Version::new(1, 1, 0));
        assert!(!narrowed.memory.unified, "memory stays the device's own");
        // The other way round: the profile's larger limits give nothing.
        let narrowed = profile("minimal")?.capabilities.restrict(&profile("nvidia-h200")?);
        assert_eq!(narrowed.limits, Limits::default());
        Ok(())
    }

    #[test]
    fn a_range_that_can_be_required_is_intersected() {
        let narrowed = with_subgroup(8, 32, true).narrow(&with_subgroup(16, 128, true));
        assert_eq!((narrowed.min_size, narrowed.max_size, narrowed.size), (16, 32, 32));
        assert_eq!(narrowed.unsimulated, None);
        assert!(narrowed.operations.contains(SubgroupOperations::ARITHMETIC));
        let narrowed = with_subgroup(8, 32, true).narrow(&with_subgroup(4, 16, true));
        assert_eq!((narrowed.min_size, narrowed.max_size, narrowed.size), (8, 16, 16));
    }

    #[test]
    fn sizes_that_the_device_does_not_have_cannot_be_simulated() {
        for other in [with_subgroup(64, 128, true), with_subgroup(16, 16, false), with_subgroup(1, 1, false)] {
            let narrowed = with_subgroup(8, 8, true).narrow(&other);
            assert_eq!((narrowed.min_size, narrowed.max_size, narrowed.size), (8, 8, 8), "{other:?}");
            assert_eq!(narrowed.operations, SubgroupOperations::BASIC, "{other:?}");
            let taken = Unsimulated {
                sizes: [other.min_size, other.max_size],
                operations: SubgroupOperations::all().difference(SubgroupOperations::BASIC),
            };
            assert_eq!(narrowed.unsimulated, Some(taken), "{other:?}");
            // What the profile has not is not taken away by its sizes.
            let voting = Subgroup { operations: SubgroupOperations::BASIC | SubgroupOperations::VOTE, ..other.clone() };
            let narrowed = with_subgroup(8, 8, true).narrow(&voting);
            assert_eq!(narrowed.unsimulated.map(|taken| taken.operations), Some(SubgroupOperations::VOTE), "{other:?}");
        }
    }

    #[test]
    fn without_size_control_the_reported_size_is_what_runs() {
        let narrowed = with_subgroup(8, 32, true).narrow(&with_subgroup(32, 32, false));
        assert_eq!((narrowed.min_size, narrowed.max_size), (32, 32));
        assert!(!narrowed.size_control && !narrowed.full_subgroups);
        assert_eq!(narrowed.max_workgroup_subgroups, 0);
        assert!(narrowed.operations.contains(SubgroupOperations::SHUFFLE));
        // A range that contains the device's only size is simulated by that size.
        let narrowed = with_subgroup(32, 32, false).narrow(&with_subgroup(32, 64, true));
        assert!(narrowed.operations.contains(SubgroupOperations::SHUFFLE));
    }

    #[test]
    fn a_range_that_cannot_be_required_must_lie_within_the_profiles() {
        let varying = Subgroup { required_size_in_compute: false, ..with_subgroup(32, 64, true) };
        assert_eq!(varying.narrow(&with_subgroup(64, 64, true)).operations, SubgroupOperations::BASIC);
        assert!(varying.narrow(&with_subgroup(16, 128, true)).operations.contains(SubgroupOperations::VOTE));
    }
}
