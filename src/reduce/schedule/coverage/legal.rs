//! What a device asks of every dispatch.

use std::ops::RangeInclusive;

use wavelane_device::{Capabilities, Quirk, QuirkEffect, SubgroupOperations};

use super::super::{ReduceSchedule, ReduceStep, StepKernel};
use crate::features::missing_feature;
use crate::schedule::StepRange;
use crate::shader::Module;
use crate::shaders::reduce as shaders;

/// The figures of a step's module.
struct Figures {
    capabilities: &'static [&'static str],
    spirv: &'static [u32],
    local_size: [u32; 3],
    push_constant_bytes: u32,
    storage_buffers: u32,
}

fn figures(step: &ReduceStep) -> Figures {
    fn of<C>(module: Option<&'static Module<C>>, constants: &C, push_constant_bytes: u32, storage_buffers: u32) -> Option<Figures> {
        let module = module?;
        let local_size = (module.local_size)(constants);
        Some(Figures { capabilities: module.capabilities, spirv: module.spirv, local_size, push_constant_bytes, storage_buffers })
    }
    macro_rules! of {
        ($kernel:ident, $constants:expr) => {{
            use shaders::$kernel::{BINDINGS, PUSH_CONSTANT_BYTES, module};
            of(module(&step.module), $constants, PUSH_CONSTANT_BYTES, BINDINGS.len() as u32)
        }};
    }
    let figures = match &step.kernel {
        StepKernel::Rows(constants, _) => of!(rows, constants),
        StepKernel::Columns(constants, _) => of!(columns, constants),
        StepKernel::Combine(constants, _) => of!(combine, constants),
    };
    figures.unwrap_or_else(|| panic!("there is no module {} of {}", step.module, step.kernel()))
}

/// Checks every step of a schedule against the device.
pub(super) fn check_legal(schedule: &ReduceSchedule, capabilities: &Capabilities, quirks: &[&'static Quirk]) {
    let limits = &capabilities.limits;
    let range_of = |range: StepRange, bytes: u64| {
        assert!(range.offset.is_multiple_of(schedule.binding_alignment), "{range:?} against {}", schedule.binding_alignment);
        assert!(range.size > 0 && range.size.is_multiple_of(4), "{range:?}");
        assert!(range.size <= u64::from(limits.max_storage_buffer_range), "{range:?} reaches too far");
        assert!(range.offset + range.size <= bytes, "{range:?} of {bytes} bytes");
    };
    assert!(schedule.binding_alignment.is_multiple_of(limits.min_storage_buffer_offset_alignment));
    assert!(schedule.binding_alignment.is_multiple_of(16), "wide loads lie on multiples of 16 bytes");
    assert!(schedule.scratch_bytes <= u64::from(limits.max_storage_buffer_range), "{} bytes of scratch", schedule.scratch_bytes);
    assert!(schedule.counter_bytes <= schedule.scratch_bytes);
    assert!(schedule.count_offset.is_none_or(|offset| offset >= schedule.counter_bytes && offset + 4 <= schedule.scratch_bytes));
    assert_eq!(schedule.last_arrival, schedule.counter_bytes > 0);
    if quirks.iter().any(|quirk| quirk.effect == QuirkEffect::ForbidLastWorkgroupDone) {
        assert!(!schedule.last_arrival);
    }
    let known_to_work = quirks.iter().filter_map(|quirk| match quirk.effect {
        QuirkEffect::LimitSharedMemory { bytes } => Some(bytes),
        _ => None,
    });
    let shared_bytes = known_to_work.fold(limits.max_compute_shared_memory_size, u32::min);
    for step in &schedule.steps {
        for range in [step.input, step.pivots].into_iter().flatten() {
            range_of(range, schedule.input_bytes);
        }
        range_of(step.output, schedule.output_bytes);
        for axis in 0..3 {
            let most = limits.max_compute_work_group_count[axis];
            assert!((1..=most).contains(&step.groups[axis]), "{:?} workgroups", step.groups);
        }
        // The kernels number workgroups in 32 bits.
        assert!(step.groups.iter().map(|&count| u64::from(count)).product::<u64>() <= 1 << 32, "{:?} workgroups", step.groups);
        assert!(step.shared_bytes() <= shared_bytes, "{} bytes of shared memory, of {shared_bytes}", step.shared_bytes());

        let Figures { capabilities: needed, spirv, local_size, push_constant_bytes, storage_buffers } = figures(step);
        assert_eq!(local_size, [schedule.choice.workgroup_size, 1, 1]);
        assert!(local_size[0] <= limits.max_compute_work_group_size[0]);
        assert!(local_size[0] <= limits.max_compute_work_group_invocations);
        assert!(push_constant_bytes <= limits.max_push_constants_size);
        assert!(storage_buffers <= limits.max_per_stage_descriptor_storage_buffers);
        assert_eq!(missing_feature(needed, capabilities), None, "{}", step.module);
        let subgroup = &capabilities.subgroup;
        for operation in needed.iter().filter_map(|needed| needed.strip_prefix("GroupNonUniform")) {
            let bit = match operation {
                "" => SubgroupOperations::BASIC,
                "Arithmetic" => SubgroupOperations::ARITHMETIC,
                "Shuffle" => SubgroupOperations::SHUFFLE,
                _ => panic!("{} needs {operation}, which no path is chosen by", step.module),
            };
            assert!(subgroup.operations.contains(bit) && subgroup.compute_stage, "{} needs {bit:?}", step.module);
        }
        assert!(subgroup.extended_types || !exchanges_64_bit_integers(spirv), "{} needs shaderSubgroupExtendedTypes", step.module);
    }
}

/// Whether a module has a subgroup operation on 64-bit integers.
fn exchanges_64_bit_integers(spirv: &[u32]) -> bool {
    const TYPE_INT: u32 = 21;
    const TYPE_VECTOR: u32 = 23;
    const GROUP_NON_UNIFORM: RangeInclusive<u32> = 333..=366;
    let mut wide_types = Vec::new();
    let mut rest = spirv.get(5..).unwrap_or_default();
    while let Some(&first) = rest.first() {
        let (opcode, words) = (first & 0xffff, (first >> 16) as usize);
        let operands = &rest[1..words];
        match opcode {
            TYPE_INT if operands[1] == 64 => wide_types.push(operands[0]),
            TYPE_VECTOR if wide_types.contains(&operands[1]) => wide_types.push(operands[0]),
            _ if GROUP_NON_UNIFORM.contains(&opcode) && wide_types.contains(&operands[0]) => return true,
            _ => {}
        }
        rest = &rest[words..];
    }
    false
}

#[test]
fn subgroup_operations_on_64_bit_integers_are_found() {
    let found = |name| shaders::combine::module(name).map(|module| exchanges_64_bit_integers(module.spirv));
    assert_eq!(found("u64.subgroup"), Some(true));
    assert_eq!(found("u64.shuffle"), Some(false));
    assert_eq!(found("u32.subgroup"), Some(false));
}
