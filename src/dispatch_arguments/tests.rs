use wavelane_device::{Capabilities, Limits, Profile};

use super::DispatchArguments;
use crate::Error;

fn device(most_groups: [u32; 3]) -> Capabilities {
    let limits = Limits { max_compute_work_group_count: most_groups, ..Limits::default() };
    Capabilities { device_name: "tested".into(), limits, ..Capabilities::default() }
}

#[test]
fn every_profile_can() -> Result<(), Error> {
    for name in Profile::names() {
        let capabilities = Profile::named(name).map_err(Error::Device)?.capabilities;
        let schedule = DispatchArguments::new(64, u32::MAX).lists(100).schedule(&capabilities)?;
        assert_eq!((schedule.count_bytes, schedule.record_bytes), (400, 2000), "{name}");
        assert!(schedule.groups[0] * schedule.choice.workgroup_size >= 100, "{name}");
        assert!(schedule.explain().contains("100 lists"), "{name}");
    }
    Ok(())
}

#[test]
fn dispatches_that_a_full_list_could_not_have_are_refused() {
    let most = [7, 5, 3];
    assert!(DispatchArguments::new(10, 1050).schedule(&device(most)).is_ok());
    let error = DispatchArguments::new(10, 1051).schedule(&device(most)).err();
    let text = error.map(|error| error.to_string()).unwrap_or_default();
    assert_eq!(text, "a dispatch of 106 workgroups by count does not fit tested: maxComputeWorkGroupCount is [7, 5, 3]");
    assert!(matches!(DispatchArguments::new(1, 1).schedule(&device([0; 3])), Err(Error::Unplannable { .. })));
    // Numbers of workgroups, padding included, would leave 32 bits for a list that is nearly full.
    assert!(matches!(DispatchArguments::new(1, u32::MAX).schedule(&device([65_535; 3])), Err(Error::Unplannable { .. })));
    assert!(DispatchArguments::new(2, u32::MAX).schedule(&device([65_535; 3])).is_ok());
}

#[test]
fn workgroups_without_elements_are_refused() {
    let error = DispatchArguments::new(0, 5).schedule(&device([65_535; 3]));
    assert_eq!(error, Err(Error::NoElementsPerGroup));
}

#[test]
fn lists_beyond_the_limits_are_refused() {
    let mut narrow = device([7, 65_535, 1]);
    assert!(DispatchArguments::new(1, 7).lists(7 * 64).schedule(&narrow).is_ok());
    assert!(matches!(DispatchArguments::new(1, 7).lists(7 * 64 + 1).schedule(&narrow), Err(Error::Unplannable { .. })));
    narrow.limits.max_storage_buffer_range = 2000;
    assert!(DispatchArguments::new(1, 7).lists(100).schedule(&narrow).is_ok());
    assert!(matches!(DispatchArguments::new(1, 7).lists(101).schedule(&narrow), Err(Error::Unplannable { .. })));
}
