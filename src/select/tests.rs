use proptest::prelude::*;
use proptest::sample::{select as any_of, subsequence};
use wavelane_device::{Capabilities, DeviceType, Limits, Profile, Quirk, QuirkEffect, Subgroup, SubgroupOperations};

use super::{PathChoice, PathNeeds, select};
use crate::{DeviceClass, Error, Path, Tuning};

const NARROW: PathNeeds = PathNeeds { shared_words: 1, shared_words_beside: 1, arithmetic: true, wide_arithmetic: false, ballots: false };

/// A device with subgroups of 32 that can do everything.
fn device() -> Capabilities {
    let limits = Limits { max_compute_work_group_size: [1024, 1024, 64], max_compute_work_group_invocations: 1024, ..Limits::default() };
    let operations = SubgroupOperations::all();
    let subgroup = Subgroup { size: 32, min_size: 32, max_size: 32, operations, extended_types: true, ..Subgroup::default() };
    Capabilities { device_name: "Able 1000".into(), device_type: DeviceType::DiscreteGpu, limits, subgroup, ..Capabilities::default() }
}

fn with(change: impl FnOnce(&mut Capabilities)) -> Capabilities {
    let mut capabilities = device();
    change(&mut capabilities);
    capabilities
}

fn quirk(effect: QuirkEffect) -> &'static [&'static Quirk] {
    let (summary, link) = ("the driver is known for it", "https://example.org/fault");
    let (vendor_id, driver_id, driver_versions) = (None, None, None);
    let device_name_contains = &[];
    let quirk = Quirk {
        id: "test",
        vendor_id,
        device_name_contains,
        driver_id,
        driver_versions,
        without_size_control: false,
        effect,
        summary,
        link,
    };
    Box::leak(Box::new([&*Box::leak(Box::new(quirk))]))
}

fn choose(capabilities: &Capabilities, quirks: &[&'static Quirk], forced: Option<Path>) -> Result<PathChoice, Error> {
    select(capabilities, quirks, &Tuning::of(DeviceClass::of(capabilities)), &NARROW, forced)
}

fn path(capabilities: &Capabilities, quirks: &[&'static Quirk]) -> Result<Path, Error> {
    Ok(choose(capabilities, quirks, None)?.path)
}

/// What a forced path is refused for.
fn refusal(capabilities: &Capabilities, quirks: &[&'static Quirk], forced: Path) -> String {
    match choose(capabilities, quirks, Some(forced)) {
        Err(error @ Error::PathUnavailable { .. }) => error.to_string(),
        other => panic!("{forced} is not refused: {other:?}"),
    }
}

#[test]
fn the_best_path_that_works_is_taken() -> Result<(), Error> {
    assert_eq!(path(&device(), &[])?, Path::Subgroup);
    let without = |operation| with(|capabilities| capabilities.subgroup.operations.remove(operation));
    assert_eq!(path(&without(SubgroupOperations::ARITHMETIC), &[])?, Path::Shuffle);
    assert_eq!(path(&without(SubgroupOperations::SHUFFLE), &[])?, Path::Subgroup);
    assert_eq!(path(&without(SubgroupOperations::ARITHMETIC | SubgroupOperations::SHUFFLE), &[])?, Path::SharedMemory);
    assert_eq!(path(&with(|capabilities| capabilities.subgroup.compute_stage = false), &[])?, Path::SharedMemory);
    Ok(())
}

#[test]
fn a_forced_path_is_taken_or_refused_with_what_is_missing() -> Result<(), Error> {
    for forced in Path::ALL {
        let choice = choose(&device(), &[], Some(forced))?;
        assert_eq!(choice.path, forced);
        assert_eq!(choice.reasons, [format!("{forced} is forced")]);
        // No quirk, no lack stands in the way of shared memory.
        let bare = with(|capabilities| capabilities.subgroup = Subgroup::default());
        if forced == Path::SharedMemory {
            assert_eq!(choose(&bare, quirk(QuirkEffect::ForbidSubgroup), Some(forced))?.path, forced);
        }
    }
    let bare = with(|capabilities| capabilities.subgroup.operations = SubgroupOperations::BASIC);
    assert_eq!(
        refusal(&bare, &[], Path::Subgroup),
        "path subgroup was asked for on Able 1000, but the device has no subgroup arithmetic (VK_SUBGROUP_FEATURE_ARITHMETIC_BIT)"
    );
    assert_eq!(
        refusal(&bare, &[], Path::Shuffle),
        "path shuffle was asked for on Able 1000, but the device has no subgroup shuffles (VK_SUBGROUP_FEATURE_SHUFFLE_BIT)"
    );
    let elsewhere = with(|capabilities| {
        capabilities.subgroup.compute_stage = false;
        capabilities.profile = Some("narrow".into());
    });
    let text = refusal(&elsewhere, &[], Path::Shuffle);
    assert!(text.contains("Able 1000 (as narrow)") && text.contains("supportedStages"), "{text}");
    Ok(())
}

/// The device and the profile both have what is missing, and saying that the device lacks it would be wrong.
#[test]
fn operations_lost_to_a_profiles_sizes_are_told_as_that() {
    let narrow = with(|capabilities| {
        (capabilities.subgroup.size, capabilities.subgroup.min_size, capabilities.subgroup.max_size) = (8, 8, 8);
    });
    let profile = |sizes: (u32, u32), operations| {
        let mut capabilities = device();
        (capabilities.subgroup.min_size, capabilities.subgroup.max_size, capabilities.subgroup.operations) = (sizes.0, sizes.1, operations);
        Profile { name: "wide".into(), source: "the test".into(), capabilities }
    };
    let all = SubgroupOperations::all();
    let refused = refusal(&narrow.restrict(&profile((32, 32), all)), &[], Path::Subgroup);
    assert_eq!(
        refused,
        "path subgroup was asked for on Able 1000 (as wide), but subgroups of 8 cannot stand for the profile's, which are of 32, so that \
         they exchange nothing"
    );
    let refused = refusal(&narrow.restrict(&profile((32, 64), all)), &[], Path::Shuffle);
    assert!(refused.contains("which are of 32 to 64"), "{refused}");
    let reasons = choose(&narrow.restrict(&profile((32, 32), all)), &[], None).map(|choice| choice.reasons.join("; "));
    assert!(reasons.as_ref().is_ok_and(|reasons| reasons.contains("not subgroup: subgroups of 8 cannot stand for")), "{reasons:?}");
    // What one of them has not is missing whatever the sizes.
    let voting = SubgroupOperations::BASIC | SubgroupOperations::VOTE;
    let refused = refusal(&narrow.restrict(&profile((32, 32), voting)), &[], Path::Subgroup);
    assert!(refused.contains("the device has no subgroup arithmetic"), "{refused}");
}

#[test]
fn arithmetic_on_64_bit_integers_needs_extended_types() -> Result<(), Error> {
    let wide = PathNeeds { wide_arithmetic: true, ..NARROW };
    let tuning = Tuning::of(DeviceClass::Discrete);
    let narrow = with(|capabilities| capabilities.subgroup.extended_types = false);
    assert_eq!(select(&device(), &[], &tuning, &wide, None)?.path, Path::Subgroup);
    // Shuffles carry 64 bits as two words.
    assert_eq!(select(&narrow, &[], &tuning, &wide, None)?.path, Path::Shuffle);
    let refused = select(&narrow, &[], &tuning, &wide, Some(Path::Subgroup)).map_err(|error| error.to_string());
    assert!(refused.is_err_and(|text| text.contains("shaderSubgroupExtendedTypes")));
    Ok(())
}

#[test]
fn quirks_are_heeded() -> Result<(), Error> {
    let forbid = quirk(QuirkEffect::ForbidSubgroup);
    assert_eq!(path(&device(), forbid)?, Path::SharedMemory);
    for forced in [Path::Subgroup, Path::Shuffle] {
        let text = refusal(&device(), forbid, forced);
        assert!(text.contains("the driver is known for it (https://example.org/fault)"), "{text}");
    }

    let forbid = quirk(QuirkEffect::ForbidShuffle);
    assert_eq!(path(&device(), forbid)?, Path::Subgroup);
    assert_eq!(choose(&device(), forbid, Some(Path::Subgroup))?.path, Path::Subgroup);
    assert!(refusal(&device(), forbid, Path::Shuffle).contains("the driver is known for it"));
    let shuffle_only = with(|capabilities| capabilities.subgroup.operations.remove(SubgroupOperations::ARITHMETIC));
    assert_eq!(path(&shuffle_only, forbid)?, Path::SharedMemory);

    let prefer = quirk(QuirkEffect::PreferShuffle);
    let choice = choose(&device(), prefer, None)?;
    assert_eq!(choice.path, Path::Shuffle);
    assert_eq!(choice.reasons[0], "shuffle is tried first: the driver is known for it");
    let arithmetic_only = with(|capabilities| capabilities.subgroup.operations.remove(SubgroupOperations::SHUFFLE));
    assert_eq!(path(&arithmetic_only, prefer)?, Path::Subgroup);

    // A quirk of something else changes nothing.
    assert_eq!(choose(&device(), quirk(QuirkEffect::LinearWorkgroupsOnly), None)?, choose(&device(), &[], None)?);
    Ok(())
}

#[test]
fn workgroups_stay_within_shared_memory() -> Result<(), Error> {
    let needs = PathNeeds { shared_words: 5, shared_words_beside: 1, arithmetic: true, wide_arithmetic: false, ballots: false };
    let size = |capabilities: &Capabilities, quirks: &[&'static Quirk], budget: u32| -> Result<u32, Error> {
        let tuning = Tuning { workgroup_size: 1024, shared_memory_budget: budget, ..Tuning::of(DeviceClass::Discrete) };
        Ok(select(capabilities, quirks, &tuning, &needs, Some(Path::SharedMemory))?.workgroup_size)
    };
    let memory = |bytes| with(|capabilities| capabilities.limits.max_compute_shared_memory_size = bytes);
    assert_eq!(size(&memory(64 << 10), &[], 64 << 10)?, 1024);
    assert_eq!(size(&memory(16 << 10), &[], 64 << 10)?, 512);
    assert_eq!(size(&memory(64 << 10), &[], 8 << 10)?, 256);
    assert_eq!(size(&memory(64 << 10), quirk(QuirkEffect::LimitSharedMemory { bytes: 16 << 10 }), 64 << 10)?, 512);
    // 256 × 5 words fit exactly, and the one beside them does not.
    assert_eq!(size(&memory(256 * 20 + 4), &[], 64 << 10)?, 256);
    assert_eq!(size(&memory(256 * 20), &[], 64 << 10)?, 128);
    assert_eq!(size(&memory(0), &[], 64 << 10)?, 1);
    Ok(())
}

#[test]
fn a_size_that_varies_is_required() -> Result<(), Error> {
    let varying = |control: bool, required: bool| {
        with(|capabilities| {
            let subgroup = &mut capabilities.subgroup;
            (subgroup.size, subgroup.min_size, subgroup.max_size) = (16, 8, 32);
            (subgroup.size_control, subgroup.required_size_in_compute, subgroup.full_subgroups) = (control, required, control);
        })
    };
    for forced in [Path::Subgroup, Path::Shuffle] {
        let choice = choose(&varying(true, true), &[], Some(forced))?;
        assert_eq!((choice.subgroup_size, choice.full_subgroups), (Some(16), true));
    }
    assert_eq!(path(&varying(true, true), &[])?, Path::Subgroup);
    for (control, required) in [(true, false), (false, true), (false, false)] {
        let device = varying(control, required);
        let choice = choose(&device, &[], None)?;
        assert_eq!((choice.path, choice.subgroup_size, choice.full_subgroups), (Path::SharedMemory, None, false));
        let why = "the subgroup size varies from 8 to 32 and cannot be required (VK_EXT_subgroup_size_control)";
        assert!(choice.reasons.iter().any(|reason| reason == &format!("not subgroup: {why}")), "{:?}", choice.reasons);
        assert!(refusal(&device, &[], Path::Shuffle).ends_with(why));
    }
    // One size needs no requirement, whether or not it could be made.
    let fixed = with(|capabilities| (capabilities.subgroup.size_control, capabilities.subgroup.required_size_in_compute) = (true, true));
    assert_eq!(choose(&fixed, &[], None)?.subgroup_size, None);
    Ok(())
}

#[test]
fn subgroups_of_one_or_two_lanes_are_taken_only_when_forced() -> Result<(), Error> {
    for (size, automatic) in [(1, Path::SharedMemory), (2, Path::SharedMemory), (4, Path::Subgroup), (8, Path::Subgroup)] {
        let device = with(|capabilities| {
            let subgroup = &mut capabilities.subgroup;
            (subgroup.size, subgroup.min_size, subgroup.max_size) = (size, size, size);
        });
        let choice = choose(&device, &[], None)?;
        assert_eq!(choice.path, automatic, "subgroups of {size}");
        assert_eq!(choice.reasons.iter().any(|reason| reason.contains("too few lanes")), size < 4);
        for forced in [Path::Subgroup, Path::Shuffle] {
            let choice = choose(&device, &[], Some(forced))?;
            assert!(choice.max_subgroups >= choice.workgroup_size / size);
        }
    }
    Ok(())
}

#[test]
fn workgroups_hold_full_subgroups_and_no_more_than_the_device_allows() {
    let wide = with(|capabilities| {
        let subgroup = &mut capabilities.subgroup;
        (subgroup.size, subgroup.min_size, subgroup.max_size) = (64, 64, 64);
        capabilities.limits.max_compute_work_group_invocations = 32;
    });
    assert!(refusal(&wide, &[], Path::Subgroup).ends_with("a workgroup of 32 invocations does not hold full subgroups of 64"));
    let few = with(|capabilities| capabilities.subgroup.max_workgroup_subgroups = 4);
    assert!(refusal(&few, &[], Path::Subgroup).ends_with("a workgroup of 256 invocations has 8 subgroups, and the device allows 4"));
}

/// Capabilities are data, and data can say anything.
#[test]
fn sizes_the_wrong_way_round_are_no_panic() {
    let device = with(|capabilities| {
        let subgroup = &mut capabilities.subgroup;
        (subgroup.min_size, subgroup.max_size, subgroup.size_control, subgroup.required_size_in_compute) = (64, 8, true, true);
    });
    assert!(choose(&device, &[], None).is_ok());
}

fn any_subgroup() -> impl Strategy<Value = Subgroup> {
    let sizes = (any_of(vec![0, 1, 2, 3, 4, 8, 16, 32, 48, 64, 128]), 0..3u32, 0..3u32);
    let operations = subsequence(vec![SubgroupOperations::ARITHMETIC, SubgroupOperations::SHUFFLE], 0..=2);
    (sizes, operations, any::<[bool; 5]>(), any_of(vec![0, 1, 4, 32])).prop_map(|((size, below, above), operations, flags, most)| {
        let [compute_stage, size_control, required_size_in_compute, full_subgroups, extended_types] = flags;
        Subgroup {
            size,
            min_size: size >> below,
            max_size: size << above,
            operations: operations.into_iter().fold(SubgroupOperations::BASIC, |all, operation| all | operation),
            compute_stage,
            size_control,
            required_size_in_compute,
            full_subgroups,
            max_workgroup_subgroups: most,
            extended_types,
            unsimulated: None,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_choice_is_legal(
        subgroup in any_subgroup(),
        invocations in 1..2048u32,
        wanted in 0..2048u32,
        words in 0..6u32,
        wide_arithmetic: bool,
        forced in any_of(vec![None, Some(Path::SharedMemory), Some(Path::Subgroup), Some(Path::Shuffle)]),
    ) {
        let device = with(|capabilities| {
            capabilities.subgroup = subgroup.clone();
            capabilities.limits.max_compute_work_group_invocations = invocations;
        });
        let tuning = Tuning { workgroup_size: wanted, ..Tuning::of(DeviceClass::Discrete) };
        let needs = PathNeeds { shared_words: words, shared_words_beside: 1, arithmetic: true, wide_arithmetic, ballots: false };
        let choice = match select(&device, &[], &tuning, &needs, forced) {
            Ok(choice) => choice,
            Err(Error::PathUnavailable { path, .. }) => {
                prop_assert_eq!(Some(path), forced);
                prop_assert_ne!(path, Path::SharedMemory);
                return Ok(());
            }
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        prop_assert!(choice.workgroup_size.is_power_of_two() && choice.workgroup_size <= invocations.min(1024));
        prop_assert!(choice.workgroup_size * words * 4 <= 16 << 10);
        prop_assert!(!choice.reasons.is_empty());
        if forced.is_some() {
            prop_assert_eq!(Some(choice.path), forced);
        }
        if choice.path == Path::SharedMemory {
            prop_assert_eq!((choice.subgroup_size, choice.full_subgroups), (None, false));
            return Ok(());
        }
        let operation = if choice.path == Path::Subgroup { SubgroupOperations::ARITHMETIC } else { SubgroupOperations::SHUFFLE };
        prop_assert!(subgroup.compute_stage && subgroup.operations.contains(operation));
        prop_assert!(choice.path == Path::Shuffle || !wide_arithmetic || subgroup.extended_types);
        prop_assert!(!choice.full_subgroups || subgroup.full_subgroups);
        let varies = subgroup.min_size != subgroup.max_size;
        prop_assert_eq!(choice.subgroup_size.is_some(), varies);
        prop_assert!(!varies || (subgroup.size_control && subgroup.required_size_in_compute));
        let size = choice.subgroup_size.unwrap_or(subgroup.size.max(1));
        prop_assert!(size.is_power_of_two() && choice.workgroup_size.is_multiple_of(size));
        prop_assert!(!varies || (subgroup.min_size..=subgroup.max_size).contains(&size));
        prop_assert!(choice.max_subgroups >= choice.workgroup_size / size);
        prop_assert!(subgroup.max_workgroup_subgroups == 0 || choice.workgroup_size / size <= subgroup.max_workgroup_subgroups);
        prop_assert!(forced.is_some() || size >= 4);
    }
}
