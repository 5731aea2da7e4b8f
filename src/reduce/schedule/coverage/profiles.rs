//! Every reduction on every profile: a schedule that is legal and covers the array, or the error that the profile calls for.

use wavelane_device::{Capabilities, Profile, quirks_of};

use super::Target;
use crate::reduce::schedule::Variant;
use crate::reduce::{FloatResult, NanPolicy, Reduce, ReduceOp};
use crate::{DType, DeviceClass, Error, Path, Tuning};

fn targets(path: Option<Path>) -> Vec<(&'static str, Target)> {
    let target = |name| {
        let capabilities = match Profile::named(name) {
            Ok(profile) => Capabilities { profile: Some(profile.name), ..profile.capabilities },
            Err(error) => panic!("{name}: {error}"),
        };
        let (quirks, tuning) = (quirks_of(&capabilities), Tuning::of(DeviceClass::of(&capabilities)));
        (name, Target { capabilities, quirks, tuning, path })
    };
    Profile::names().into_iter().map(target).collect()
}

/// Every reduction that has a meaning, of arrays of a shape.
fn reductions(shape: &[usize], axis: Option<usize>) -> Vec<Reduce> {
    let mut all = Vec::new();
    for op in ReduceOp::ALL {
        for dtype in DType::ALL {
            let plain = Reduce { axis, ..Reduce::new(op, dtype, shape) };
            all.extend([plain.clone(), plain.clone().ignoring_nan(), plain.clone().wide(), plain.with_float_result(FloatResult::F64)]);
        }
    }
    all.retain(|reduce| Variant::of(reduce).is_ok());
    assert!(all.iter().any(|reduce| reduce.wide) && all.iter().any(|reduce| reduce.nan == NanPolicy::Ignore));
    all
}

/// Whether the profile lacks what the error says, and the reduction is one that needs it.
fn is_right(error: &Error, reduce: &Reduce, target: &Target) -> bool {
    let features = &target.capabilities.features;
    match error {
        Error::TypeUnsupported { feature: "shaderInt64", .. } => !features.shader_int64 && reduce.dtype.size() == 8,
        Error::TypeUnsupported { feature: "shaderFloat64", .. } => {
            !features.shader_float64 && (reduce.dtype == DType::F64 || reduce.float_result == FloatResult::F64)
        }
        Error::PathUnavailable { path, device, .. } => {
            Some(*path) == target.path && *path != Path::SharedMemory && device.contains(&target.capabilities.device_name)
        }
        _ => false,
    }
}

#[test]
fn every_reduction_is_legal_or_refused_for_what_the_profile_lacks() {
    for path in [None, Some(Path::SharedMemory), Some(Path::Subgroup), Some(Path::Shuffle)] {
        for (name, target) in targets(path) {
            let mut planned = 0;
            for (shape, axis) in
                [(vec![], None), (vec![100_003], None), (vec![37, 1000], Some(0)), (vec![37, 1000], Some(1)), (vec![7, 130, 5], Some(1))]
            {
                for reduce in reductions(&shape, axis) {
                    match target.plan(&reduce) {
                        Ok(schedule) => {
                            planned += 1;
                            assert!(path.is_none_or(|path| path == schedule.path()));
                            assert!(!schedule.explain().is_empty());
                        }
                        Err(error) => assert!(is_right(&error, &reduce, &target), "{name}: {reduce:?}: {error}"),
                    }
                }
            }
            assert!(planned > 0 || path.is_some_and(|path| path != Path::SharedMemory), "{name} {path:?}");
        }
    }
}

#[test]
fn small_arrays_are_covered_on_every_profile() {
    for (name, target) in targets(None) {
        for (shape, axis) in [(vec![3001], None), (vec![11, 300], Some(0)), (vec![300, 11], Some(1)), (vec![5, 90, 7], Some(1))] {
            for (op, dtype) in [(ReduceOp::Sum, DType::F32), (ReduceOp::Var, DType::I32), (ReduceOp::ArgMax, DType::F16)] {
                let reduce = Reduce { axis, ..Reduce::new(op, dtype, &shape) };
                assert!(target.check(&reduce).is_ok(), "{name}: {reduce:?}");
            }
        }
    }
}

/// The paths that field reports and the profiles' own figures call for.
#[test]
fn profiles_take_the_paths_they_should() -> Result<(), Error> {
    for (name, target) in targets(None) {
        let choice = target.plan(&Reduce::new(ReduceOp::Sum, DType::F32, &[100_003]))?.choice;
        let expected = match name {
            "minimal" | "powervr-ge8320" => (Path::SharedMemory, None),
            "v3d-7.1" => (Path::Shuffle, None),
            // Their subgroup size varies: it is required.
            "adreno-610" | "adreno-750" => (Path::Subgroup, Some(64)),
            _ => (Path::Subgroup, None),
        };
        assert_eq!((choice.path, choice.subgroup_size), expected, "{name}: {:?}", choice.reasons);
    }
    Ok(())
}

#[test]
fn refused_paths_name_the_operation() {
    for (name, path, missing) in [
        ("minimal", Path::Subgroup, "the device has no subgroup arithmetic (VK_SUBGROUP_FEATURE_ARITHMETIC_BIT)"),
        ("minimal", Path::Shuffle, "the device has no subgroup shuffles (VK_SUBGROUP_FEATURE_SHUFFLE_BIT)"),
        ("mali-g52", Path::Shuffle, "the device has no subgroup shuffles (VK_SUBGROUP_FEATURE_SHUFFLE_BIT)"),
        ("v3d-7.1", Path::Subgroup, "the device has no subgroup arithmetic (VK_SUBGROUP_FEATURE_ARITHMETIC_BIT)"),
        ("powervr-ge8320", Path::Subgroup, "subgroups of one lane"),
    ] {
        let Some((_, target)) = targets(Some(path)).into_iter().find(|(known, _)| *known == name) else { panic!("{name}") };
        match target.plan(&Reduce::new(ReduceOp::Sum, DType::F32, &[100_003])) {
            Err(error @ Error::PathUnavailable { .. }) => {
                let text = error.to_string();
                assert!(text.starts_with(&format!("path {path} was asked for on ")) && text.contains(missing), "{text}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}
