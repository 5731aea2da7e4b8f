//! Known driver faults that concern compute, as data.

use ash::vk::DriverId;

use crate::{Capabilities, quirk_table};

/// What a fault means for Wavelane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuirkEffect {
    /// Subgroup operations give wrong results or cost more than shared memory: the subgroup and shuffle paths are not taken.
    ForbidSubgroup,
    /// Shuffles give wrong results; subgroup arithmetic is not affected.
    ForbidShuffle,
    /// A butterfly of shuffles is faster than subgroup arithmetic.
    PreferShuffle,
    /// Workgroups must extend in x alone.
    LinearWorkgroupsOnly,
    /// One workgroup cannot rely on seeing, within a dispatch, what others wrote before: no last-workgroup-done schemes.
    ForbidLastWorkgroupDone,
    /// A workgroup must not use more shared memory than this, whatever the limit says.
    LimitSharedMemory {
        /// The most that is known to work.
        bytes: u32,
    },
    /// A write-after-read barrier needs full access masks on both sides.
    FullBarrierForWriteAfterRead,
    /// Two pipelines must not be made at the same time.
    SingleThreadedPipelineCreation,
    /// The pipeline cache's data must not be stored.
    NoPipelineCachePersistence,
    /// Cooperative matrices give wrong results or fail: they are not turned on.
    ForbidCooperativeMatrix,
}

/// A known fault of a driver: which devices have it, and what it means. All conditions must hold.
#[derive(Debug, PartialEq, Eq)]
pub struct Quirk {
    /// A short name.
    pub id: &'static str,
    /// The device's vendor, if it matters.
    pub vendor_id: Option<u32>,
    /// Parts of device names, one of which must be in the device's, whatever the case of letters; empty for any device.
    pub device_name_contains: &'static [&'static str],
    /// The driver (`VkDriverId`), if it matters. A driver that does not tell its id is taken to be the vendor's own, where a vendor is given.
    pub driver_id: Option<DriverId>,
    /// First and last driver version, in the vendor's encoding, if they matter.
    pub driver_versions: Option<(u32, u32)>,
    /// Whether only devices without control of the subgroup size are meant.
    pub without_size_control: bool,
    /// What follows.
    pub effect: QuirkEffect,
    /// What is wrong, in one line.
    pub summary: &'static str,
    /// Where it was reported.
    pub link: &'static str,
}

impl Quirk {
    /// Whether a device has the fault.
    pub fn applies_to(&self, capabilities: &Capabilities) -> bool {
        let name = capabilities.device_name.to_lowercase();
        let driver = |id: DriverId| {
            capabilities.driver_id == id.as_raw()
                // Mesa's drivers and layered ones all tell their id.
                || (capabilities.driver_id == 0 && self.vendor_id.is_some() && quirk_table::is_vendors_own(id))
        };
        self.vendor_id.is_none_or(|vendor| vendor == capabilities.vendor_id)
            && (self.device_name_contains.is_empty() || self.device_name_contains.iter().any(|part| name.contains(&part.to_lowercase())))
            && self.driver_id.is_none_or(driver)
            && self.driver_versions.is_none_or(|(first, last)| (first..=last).contains(&capabilities.driver_version))
            && !(self.without_size_control && capabilities.subgroup.size_control)
    }
}

/// The known faults of a device, by its ids, name and driver.
pub fn quirks_of(capabilities: &Capabilities) -> Vec<&'static Quirk> {
    quirk_table::QUIRKS.iter().filter(|quirk| quirk.applies_to(capabilities)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, Profile};

    fn ids(capabilities: &Capabilities) -> Vec<&'static str> {
        quirks_of(capabilities).iter().map(|quirk| quirk.id).collect()
    }

    fn device(vendor_id: u32, name: &str, driver: DriverId) -> Capabilities {
        Capabilities { vendor_id, device_name: name.into(), driver_id: driver.as_raw(), ..Capabilities::default() }
    }

    #[test]
    fn profiles_have_their_devices_quirks() -> Result<(), Error> {
        for (name, expected) in [
            ("minimal", &[][..]),
            ("nvidia-h200", &[]),
            ("swiftshader", &[]),
            ("v3d-7.1", &[]),
            ("mali-g610", &["arm-cooperative-matrix"]),
            ("adreno-610", &["adreno-write-after-read", "adreno-cooperative-matrix"]),
            ("adreno-750", &["adreno-large-shared-memory", "adreno-write-after-read", "adreno-cooperative-matrix"]),
            ("adreno-830", &["adreno-large-shared-memory", "adreno-write-after-read", "adreno-cooperative-matrix"]),
            ("powervr-ge8320", &["powervr-one-lane-subgroups", "powervr-pipeline-threads"]),
        ] {
            assert_eq!(ids(&Profile::named(name)?.capabilities), expected, "{name}");
        }
        Ok(())
    }

    #[test]
    fn mesas_driver_does_not_get_the_vendors_workarounds() {
        let turnip = device(0x5143, "Turnip Adreno (TM) 750", DriverId::MESA_TURNIP);
        assert_eq!(ids(&turnip), [""; 0]);
        let panvk = device(0x13b5, "Mali-G610", DriverId::MESA_PANVK);
        assert_eq!(ids(&panvk), ["panvk-arithmetic"]);
    }

    #[test]
    fn a_driver_that_does_not_tell_its_id_is_the_vendors() {
        let untold = device(0x5143, "Adreno (TM) 630", DriverId::from_raw(0));
        assert_eq!(ids(&untold), ["adreno-write-after-read", "adreno-cooperative-matrix"]);
        let nothing = device(0, "", DriverId::from_raw(0));
        assert_eq!(ids(&nothing), [""; 0]);
    }

    #[test]
    fn driver_versions_bound_a_quirk() {
        let mut adreno = device(0x5143, "Adreno (TM) 840", DriverId::QUALCOMM_PROPRIETARY);
        let version = |minor: u32, patch: u32| 512 << 22 | minor << 12 | patch;
        adreno.driver_version = version(842, 19);
        assert!(ids(&adreno).contains(&"adreno-840-shuffle"));
        assert!(ids(&adreno).contains(&"adreno-840-square-workgroups"));
        adreno.driver_version = version(900, 0);
        assert!(!ids(&adreno).contains(&"adreno-840-shuffle"));
    }

    #[test]
    fn apple_and_intel() {
        let mut moltenvk = device(0x106b, "Apple M4", DriverId::MOLTENVK);
        assert_eq!(ids(&moltenvk), ["moltenvk-device-scope"]);
        moltenvk.vendor_id = 0x1002;
        assert_eq!(ids(&moltenvk), ["moltenvk-device-scope", "moltenvk-amd-half-subgroups"]);
        let mut intel = device(0x8086, "Intel(R) UHD Graphics 620", DriverId::INTEL_PROPRIETARY_WINDOWS);
        assert_eq!(ids(&intel), ["intel-reported-subgroup-size"]);
        intel.subgroup.size_control = true;
        assert_eq!(ids(&intel), [""; 0]);
    }

    #[test]
    fn every_quirk_is_described_and_named_once() {
        for (index, quirk) in quirk_table::QUIRKS.iter().enumerate() {
            assert!(quirk.link.starts_with("https://"), "{}", quirk.id);
            assert!(!quirk.summary.is_empty() && !quirk.summary.contains('\n'), "{}", quirk.id);
            assert!(quirk_table::QUIRKS[..index].iter().all(|other| other.id != quirk.id), "{}", quirk.id);
        }
    }
}
