//! The devices and arrays that schedules are checked with.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::TestCaseError;
use wavelane_device::{Capabilities, Features, Limits, Profile, Quirk, QuirkEffect, Subgroup, SubgroupOperations, quirks_of};

use super::Target;
use crate::reduce::schedule::{ReduceStrategy, Variant};
use crate::reduce::{FloatResult, NanPolicy, Reduce, ReduceOp};
use crate::shaders::reduce::combine;
use crate::{DType, DeviceClass, Error, Path, Tuning};

pub(super) static FORBID_LAST_ARRIVAL: Quirk = Quirk {
    id: "test",
    vendor_id: None,
    device_name_contains: &[],
    driver_id: None,
    driver_versions: None,
    without_size_control: false,
    effect: QuirkEffect::ForbidLastWorkgroupDone,
    summary: "a test",
    link: "https://example.org",
};

/// A device that can do everything, with subgroups of `subgroup_size`.
pub(super) fn able_device(subgroup_size: u32) -> Capabilities {
    let limits = Limits {
        max_compute_work_group_size: [1024, 1024, 64],
        max_compute_work_group_invocations: 1024,
        min_storage_buffer_offset_alignment: 16,
        ..Limits::default()
    };
    let (size, operations) = (subgroup_size, SubgroupOperations::all());
    let subgroup = Subgroup { size, min_size: size, max_size: size, operations, extended_types: true, ..Subgroup::default() };
    let features = Features { shader_int64: true, shader_float64: true, ..Features::default() };
    Capabilities { device_name: "able".into(), limits, subgroup, features, ..Capabilities::default() }
}

pub(super) fn target(capabilities: Capabilities, path: Option<Path>) -> Target {
    let tuning = Tuning::of(DeviceClass::of(&capabilities));
    Target { capabilities, quirks: Vec::new(), tuning, path }
}

/// One reduction for each state, element size and result size.
fn reductions() -> Vec<(ReduceOp, DType)> {
    vec![
        (ReduceOp::Sum, DType::U32),
        (ReduceOp::Max, DType::F16),
        (ReduceOp::Any, DType::F16),
        (ReduceOp::Mean, DType::I32),
        (ReduceOp::Var, DType::F32),
        (ReduceOp::Var, DType::F64),
        (ReduceOp::ArgMin, DType::F32),
        (ReduceOp::ArgMax, DType::I64),
        (ReduceOp::Xor, DType::U64),
        (ReduceOp::Norm2, DType::U64),
    ]
}

pub(super) fn shapes() -> Vec<(Vec<usize>, Option<usize>)> {
    vec![
        (vec![], None),
        (vec![1], None),
        (vec![0], None),
        (vec![5], None),
        (vec![257], None),
        (vec![10_007], None),
        (vec![3, 2500], Some(0)),
        (vec![3, 2500], Some(1)),
        (vec![2503, 3], Some(0)),
        (vec![2503, 3], Some(1)),
        (vec![7, 700, 2], Some(1)),
        (vec![40, 9, 25], Some(1)),
        (vec![400, 17], Some(1)),
        (vec![65, 66], Some(0)),
        (vec![1500, 1, 3], Some(1)),
        (vec![5, 0, 3], Some(1)),
        (vec![0, 3], Some(1)),
    ]
}

/// Every reduction of every shape on a device; `lower` narrows it.
fn check_all(lower: impl Fn(&mut Target)) {
    for path in Path::ALL {
        let mut target = target(able_device(8), Some(path));
        lower(&mut target);
        for (op, dtype) in reductions() {
            for (shape, axis) in shapes() {
                let reduce = Reduce { axis, ..Reduce::new(op, dtype, &shape) };
                match target.check(&reduce) {
                    Ok(_) => {}
                    Err(Error::EmptyReduction { .. }) if op.needs_elements() && shape.contains(&0) => {}
                    Err(error) => panic!("{reduce:?}: {error}"),
                }
            }
        }
    }
}

#[test]
fn ordinary_limits() {
    check_all(|_| {});
}

#[test]
fn a_storage_range_of_4_kib() {
    check_all(|target| target.capabilities.limits.max_storage_buffer_range = 4096);
}

#[test]
fn a_storage_range_of_16_kib_less_a_byte_with_offsets_of_1_kib() {
    check_all(|target| {
        target.capabilities.limits.max_storage_buffer_range = (16 << 10) - 1;
        target.capabilities.limits.min_storage_buffer_offset_alignment = 1024;
    });
}

#[test]
fn seven_workgroups_in_x() {
    check_all(|target| target.capabilities.limits.max_compute_work_group_count = [7, 65_535, 1]);
}

#[test]
fn workgroups_of_32() {
    check_all(|target| target.capabilities.limits.max_compute_work_group_invocations = 32);
}

#[test]
fn workgroups_that_cannot_combine_what_others_stored() {
    check_all(|target| target.quirks = vec![&FORBID_LAST_ARRIVAL]);
}

/// Tuning is the caller's, whatever it says.
#[test]
fn the_least_tuning() {
    for (workgroup_size, shared_memory_budget) in [(0, 0), (1, 1), (2, 1 << 10), (3, 1 << 10), (128, 0)] {
        let mut target = target(able_device(4), Some(Path::SharedMemory));
        target.tuning = Tuning { workgroup_size, shared_memory_budget, fill_workgroups: 0, ..target.tuning };
        for (shape, axis) in shapes() {
            let reduce = Reduce { axis, ..Reduce::new(ReduceOp::Sum, DType::F32, &shape) };
            assert!(target.check(&reduce).is_ok(), "{reduce:?}");
        }
    }
}

/// The invocations of a column meet in shared memory on every path.
#[test]
fn large_workgroups_fit_shared_memory_on_every_path() {
    for path in Path::ALL {
        let mut target = target(able_device(32), Some(path));
        target.tuning = Tuning { workgroup_size: 1024, shared_memory_budget: 64 << 10, fill_workgroups: 16, ..target.tuning };
        for bytes in [16 << 10, 4 << 10, 1 << 10] {
            target.capabilities.limits.max_compute_shared_memory_size = bytes;
            for (op, dtype) in reductions() {
                let reduce = Reduce::new(op, dtype, &[500, 20]).along(0);
                assert!(target.check(&reduce).is_ok(), "{reduce:?} by {path} with {bytes} bytes");
            }
        }
    }
}

#[test]
fn many_results_of_no_elements_take_one_dispatch() -> Result<(), Error> {
    let schedule = target(able_device(8), None).check(&Reduce::new(ReduceOp::Sum, DType::F32, &[100_000, 0]).along(1))?;
    assert_eq!(schedule.steps.len(), 1);
    Ok(())
}

#[test]
fn every_strategy_is_among_the_cases() -> Result<(), Error> {
    let mut seen = [false; 5];
    for path in Path::ALL {
        for (shape, axis) in shapes() {
            let reduce = Reduce { axis, ..Reduce::new(ReduceOp::Sum, DType::F32, &shape) };
            let index = match target(able_device(8), Some(path)).plan(&reduce)?.strategy {
                ReduceStrategy::Nothing | ReduceStrategy::InvocationPerRow => 0,
                ReduceStrategy::LanesPerRow(_) => 1,
                ReduceStrategy::SubgroupPerRow => 2,
                ReduceStrategy::WorkgroupsPerRow(_) => 3,
                ReduceStrategy::Columns { .. } => 4,
            };
            seen[index] = true;
        }
    }
    assert_eq!(seen, [true; 5]);
    Ok(())
}

/// The longest arrays there are, on real devices: nothing is walked, but every limit is kept, and dispatches stay few.
#[test]
fn the_longest_arrays_are_planned_within_every_profiles_limits() -> Result<(), Error> {
    const MOST: usize = u32::MAX as usize;
    for name in Profile::names() {
        let capabilities = Profile::named(name).map_err(Error::Device)?.capabilities;
        let quirks = quirks_of(&capabilities);
        let target = Target { quirks, ..target(capabilities, None) };
        for (op, dtype) in reductions() {
            for (shape, axis) in [
                (vec![MOST], None),
                (vec![MOST, 1], Some(1)),
                (vec![MOST / 2, 2], Some(1)),
                (vec![MOST / 2, 2], Some(0)),
                (vec![2, MOST / 2], Some(0)),
                (vec![2, MOST / 2], Some(1)),
                (vec![MOST / 100, 100], Some(1)),
                (vec![65_535, 65_537], Some(0)),
                (vec![65_535, 65_537], Some(1)),
                (vec![1 << 10, 1 << 11, 1 << 10], Some(1)),
                (vec![1 << 20, 2, 1 << 10], Some(1)),
                (vec![3, MOST / 300, 100], Some(1)),
                (vec![MOST, 0], Some(1)),
            ] {
                let reduce = Reduce { axis, ..Reduce::new(op, dtype, &shape) };
                match target.plan(&reduce) {
                    Ok(schedule) => assert!(schedule.steps.len() < 20_000, "{name}: {reduce:?} takes {} dispatches", schedule.steps.len()),
                    Err(Error::TypeUnsupported { .. }) => {}
                    Err(Error::EmptyReduction { .. }) if shape.contains(&0) => {}
                    Err(error) => panic!("{name}: {reduce:?}: {error}"),
                }
            }
        }
    }
    Ok(())
}

/// The host's figure of a state's words against what the shaders' arrays of states take.
#[test]
fn states_are_as_large_as_the_shaders_have_them() {
    for op in ReduceOp::ALL {
        for dtype in DType::ALL {
            for nan in [NanPolicy::Propagate, NanPolicy::Ignore] {
                let reduce = Reduce { nan, ..Reduce::new(op, dtype, &[1]) };
                for reduce in [reduce.clone(), reduce.clone().with_float_result(FloatResult::F64), reduce.wide()] {
                    let Ok(variant) = Variant::of(&reduce) else { continue };
                    let name = format!("{}.shared_memory", variant.state.name());
                    let module = combine::module(&name).unwrap_or_else(|| panic!("there is no module {name}"));
                    let bytes =
                        |exchange_slots| (module.shared_bytes)(&combine::SpecializationConstants { exchange_slots, ..Default::default() });
                    assert_eq!(bytes(3) - bytes(2), 4 * variant.state.words(), "{name}");
                }
            }
        }
    }
}

/// States of the pieces of a column that fill a descriptor to its last byte leave no room for the count in front of them.
#[test]
fn the_count_has_room_beside_the_states_of_pieces() {
    let mut target = target(able_device(4), None);
    target.capabilities.limits.max_storage_buffer_range = 16 << 10;
    // Two pieces of 15 rows, and 8 bytes of state for each of 1024 columns of both.
    let reduce = Reduce::new(ReduceOp::Sum, DType::U8, &[30, 1024]).along(0).wide();
    for reduce in [reduce.clone(), reduce.counted()] {
        target.check(&reduce).unwrap();
    }
}

/// Capabilities are data, and data can say anything: whatever it says, the answer is an error.
#[test]
fn devices_that_cannot_be_are_an_error() {
    let no_groups = |target: &mut Target| target.capabilities.limits.max_compute_work_group_count = [0; 3];
    let no_reach = |target: &mut Target| target.capabilities.limits.max_storage_buffer_range = 0;
    let far_apart = |target: &mut Target| target.capabilities.limits.min_storage_buffer_offset_alignment = 1 << 40;
    for lower in [no_groups, no_reach, far_apart] {
        let mut target = target(able_device(4), None);
        lower(&mut target);
        for (shape, axis) in shapes() {
            let reduce = Reduce { axis, ..Reduce::new(ReduceOp::Sum, DType::F32, &shape) };
            match target.plan(&reduce) {
                Ok(schedule) => assert!(schedule.steps.is_empty(), "{reduce:?}"),
                Err(error) => assert!(matches!(error, Error::Unplannable { .. }), "{error}"),
            }
        }
    }
}

fn any_target() -> impl Strategy<Value = Target> {
    let limits = (
        10..17u32,
        0..16u32,
        select(vec![16, 32, 64, 256, 1024]),
        select(vec![[7, 65_535, 1], [65_535; 3], [1, 1 << 20, 1]]),
        select(vec![32, 64, 128, 256]),
        select(vec![2048, 4096, 16 << 10]),
    );
    let subgroup = (select(vec![4, 8, 16, 32]), subsequence(vec![SubgroupOperations::ARITHMETIC, SubgroupOperations::SHUFFLE], 0..=2));
    let how = (any::<bool>(), select(vec![0, 1, 5, 16, 128, 2048]), select(vec![8, 64, 128, 256]), any::<bool>());
    (limits, subgroup, how).prop_map(|(limits, (size, operations), (forbid, fill_workgroups, workgroup_size, varies))| {
        let (reach, less, alignment, groups, invocations, shared) = limits;
        let mut capabilities = able_device(size);
        let subgroup = &mut capabilities.subgroup;
        subgroup.operations = operations.into_iter().fold(SubgroupOperations::BASIC, |all, operation| all | operation);
        if varies {
            (subgroup.min_size, subgroup.max_size, subgroup.size_control) = (size / 2, size * 2, true);
            (subgroup.required_size_in_compute, subgroup.full_subgroups) = (true, true);
        }
        capabilities.limits.max_storage_buffer_range = (1 << reach) - less;
        capabilities.limits.min_storage_buffer_offset_alignment = alignment;
        capabilities.limits.max_compute_work_group_count = groups;
        capabilities.limits.max_compute_work_group_invocations = invocations;
        capabilities.limits.max_compute_shared_memory_size = shared;
        let mut target = target(capabilities, None);
        target.tuning = Tuning { workgroup_size, fill_workgroups, ..target.tuning };
        if forbid {
            target.quirks = vec![&FORBID_LAST_ARRIVAL];
        }
        target
    })
}

fn any_reduce() -> impl Strategy<Value = Reduce> {
    let length = || prop_oneof![Just(1usize), 1..6usize, 1..80usize, 1..3000usize];
    let shape = proptest::collection::vec(length(), 1..4).prop_filter("short", |shape| shape.iter().product::<usize>() <= 20_000);
    (select(ReduceOp::ALL.to_vec()), select(DType::ALL.to_vec()), shape, 0..4usize, any::<[bool; 4]>())
        .prop_map(|(op, dtype, shape, axis, [ignore, wide, double, counted])| Reduce {
            axis: (axis < shape.len()).then_some(axis),
            nan: if ignore { NanPolicy::Ignore } else { NanPolicy::Propagate },
            wide: wide && op == ReduceOp::Sum && !dtype.is_float() && dtype.size() <= 4,
            float_result: if double { FloatResult::F64 } else { FloatResult::F32 },
            counted,
            ..Reduce::new(op, dtype, &shape)
        })
        .prop_filter("the operator has a meaning for the type", |reduce| Variant::of(reduce).is_ok())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_array_on_any_device(target in any_target(), reduce in any_reduce()) {
        match target.check(&reduce) {
            Ok(_) => {}
            // States of all pieces of a row stand in scratch at once; a device whose descriptors reach less than those is none.
            Err(Error::Unplannable { .. }) if target.capabilities.limits.max_storage_buffer_range < 16 << 10 => {}
            Err(error) => return Err(TestCaseError::fail(format!("{error}"))),
        }
    }
}
