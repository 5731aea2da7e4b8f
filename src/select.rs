//! Which path a kernel takes on a device: a pure function of capabilities, quirks, tuning and what the kernel needs, with its
//! reasons. The one place where this is decided.

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk, QuirkEffect, SubgroupOperations};

use crate::{DeviceClass, Error, Path, Tuning};

/// What a kernel asks of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathNeeds {
    /// 32-bit words of shared memory per invocation where all of them meet there. They may on every path: lanes of a subgroup can exchange
    /// data without, but not every kernel lays its work out so that they are the ones that must.
    pub shared_words: u32,
    /// 32-bit words of shared memory that a workgroup takes beside those.
    pub shared_words_beside: u32,
    /// Whether subgroup arithmetic knows the kernel's operator. Where not, the path of arithmetic does by shared memory what it would do with it, and
    /// is not worth taking.
    pub arithmetic: bool,
    /// Whether subgroup arithmetic is on 64-bit integers (`shaderSubgroupExtendedTypes`).
    pub wide_arithmetic: bool,
    /// Whether the paths of subgroups have ballots.
    pub ballots: bool,
}

/// The path a kernel takes, and at what size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathChoice {
    /// The path.
    pub path: Path,
    /// Invocations of a workgroup; a power of two.
    pub workgroup_size: u32,
    /// The subgroup size that the pipeline must require, where the driver would else be free to choose.
    pub subgroup_size: Option<u32>,
    /// Whether the pipeline asks for full subgroups (`VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT`).
    pub full_subgroups: bool,
    /// The most subgroups a workgroup has on this path; 1 where there are none.
    pub max_subgroups: u32,
    /// Why, a sentence each.
    pub reasons: Vec<String>,
}

impl PathChoice {
    /// The same for a dispatch that has no subgroup operations.
    pub(crate) fn without_subgroups(&self) -> Self {
        Self { subgroup_size: None, full_subgroups: false, reasons: Vec::new(), ..*self }
    }
}

/// Chooses the path of a kernel.
///
/// # Errors
/// [`Error::PathUnavailable`] if `forced` names a path that the device cannot take, with the operation or limit that is missing.
pub fn select(
    capabilities: &Capabilities,
    quirks: &[&'static Quirk],
    tuning: &Tuning,
    needs: &PathNeeds,
    forced: Option<Path>,
) -> Result<PathChoice, Error> {
    let mut reasons = Vec::new();
    if let Some(path) = forced {
        if let Some(missing) = obstacle(path, capabilities, quirks, tuning, needs) {
            return Err(Error::PathUnavailable { path, device: capabilities.shown_name(), missing });
        }
        reasons.push(format!("{path} is forced"));
        return Ok(choice(path, capabilities, quirks, tuning, needs, reasons));
    }
    for path in preference(capabilities, quirks, tuning, &mut reasons) {
        let hindrance = obstacle(path, capabilities, quirks, tuning, needs).or_else(|| unattractive(path, capabilities, needs));
        match hindrance {
            None => {
                reasons.push(merit(path, capabilities));
                return Ok(choice(path, capabilities, quirks, tuning, needs, reasons));
            }
            Some(hindrance) => reasons.push(format!("not {path}: {hindrance}")),
        }
    }
    reasons.push(merit(Path::SharedMemory, capabilities));
    Ok(choice(Path::SharedMemory, capabilities, quirks, tuning, needs, reasons))
}

/// The order in which paths are tried.
fn preference(capabilities: &Capabilities, quirks: &[&'static Quirk], tuning: &Tuning, reasons: &mut Vec<String>) -> [Path; 3] {
    if let Some(quirk) = quirks.iter().find(|quirk| quirk.effect == QuirkEffect::PreferShuffle) {
        reasons.push(format!("shuffle is tried first: {}", quirk.summary));
        return [Path::Shuffle, Path::Subgroup, Path::SharedMemory];
    }
    if DeviceClass::of(capabilities) == DeviceClass::Mobile {
        reasons.push("shared memory of mobile GPUs is ordinary cached memory, so subgroups are tried first".into());
    }
    tuning.paths
}

/// What makes a path impossible here, if anything does.
fn obstacle(path: Path, capabilities: &Capabilities, quirks: &[&'static Quirk], tuning: &Tuning, needs: &PathNeeds) -> Option<String> {
    let (operation, name) = match path {
        Path::SharedMemory => return None,
        Path::Subgroup => (SubgroupOperations::ARITHMETIC, "arithmetic (VK_SUBGROUP_FEATURE_ARITHMETIC_BIT)"),
        Path::Shuffle => (SubgroupOperations::SHUFFLE, "shuffles (VK_SUBGROUP_FEATURE_SHUFFLE_BIT)"),
    };
    let subgroup = &capabilities.subgroup;
    if !subgroup.operations.contains(operation) {
        if let Some(taken) = subgroup.unsimulated.filter(|taken| taken.operations.contains(operation)) {
            let sizes = |[min, max]: [u32; 2]| if min == max { min.to_string() } else { format!("{min} to {max}") };
            let (own, others) = (sizes([subgroup.min_size, subgroup.max_size]), sizes(taken.sizes));
            return Some(format!(
                "subgroups of {own} cannot stand for the profile's, which are of {others}, so that they exchange nothing"
            ));
        }
        return Some(format!("the device has no subgroup {name}"));
    }
    if needs.ballots && !subgroup.operations.contains(SubgroupOperations::BALLOT) {
        return Some("the device has no subgroup ballots (VK_SUBGROUP_FEATURE_BALLOT_BIT)".into());
    }
    if !subgroup.compute_stage {
        return Some(
            "the device has no subgroup operations in compute shaders (VkPhysicalDeviceSubgroupProperties::supportedStages)".into(),
        );
    }
    if path == Path::Subgroup && needs.wide_arithmetic && !subgroup.extended_types {
        return Some("the device has no subgroup arithmetic on 64-bit integers (shaderSubgroupExtendedTypes)".into());
    }
    let forbids =
        |quirk: &QuirkEffect| *quirk == QuirkEffect::ForbidSubgroup || (path == Path::Shuffle && *quirk == QuirkEffect::ForbidShuffle);
    if let Some(quirk) = quirks.iter().find(|quirk| forbids(&quirk.effect)) {
        return Some(format!("{} ({})", quirk.summary, quirk.link));
    }
    let (min, max) = (subgroup.min_size, subgroup.max_size);
    if min != max && !can_require_size(capabilities) {
        return Some(format!("the subgroup size varies from {min} to {max} and cannot be required (VK_EXT_subgroup_size_control)"));
    }
    let (size, workgroup) = (subgroup_size(capabilities), workgroup_size(capabilities, quirks, tuning, needs));
    if size > workgroup || !size.is_power_of_two() {
        return Some(format!("a workgroup of {workgroup} invocations does not hold full subgroups of {size}"));
    }
    let most = subgroup.max_workgroup_subgroups;
    if most != 0 && workgroup / size > most {
        return Some(format!("a workgroup of {workgroup} invocations has {} subgroups, and the device allows {most}", workgroup / size));
    }
    None
}

/// What makes a path that works here not worth taking.
fn unattractive(path: Path, capabilities: &Capabilities, needs: &PathNeeds) -> Option<String> {
    if path == Path::Subgroup && !needs.arithmetic {
        return Some("subgroup arithmetic does not know what is combined here".into());
    }
    let size = subgroup_size(capabilities);
    (path != Path::SharedMemory && size < 4).then(|| format!("a subgroup of {size} has too few lanes to gain by"))
}

fn merit(path: Path, capabilities: &Capabilities) -> String {
    let size = subgroup_size(capabilities);
    match path {
        Path::SharedMemory => "lsm needs nothing but shared memory".into(),
        Path::Subgroup => format!("subgroups of {size} have arithmetic in compute shaders, so one barrier replaces a tree of them"),
        Path::Shuffle => format!("subgroups of {size} can shuffle, so one barrier replaces a tree of them"),
    }
}

fn can_require_size(capabilities: &Capabilities) -> bool {
    capabilities.subgroup.size_control && capabilities.subgroup.required_size_in_compute
}

/// The subgroup size that a pipeline runs at: required where it would vary, else what the device reports.
pub(crate) fn subgroup_size(capabilities: &Capabilities) -> u32 {
    let subgroup = &capabilities.subgroup;
    if subgroup.min_size != subgroup.max_size { subgroup.size.max(subgroup.min_size).min(subgroup.max_size) } else { subgroup.size }.max(1)
}

/// The largest power of two within what is wanted and what the device allows.
fn workgroup_size(capabilities: &Capabilities, quirks: &[&'static Quirk], tuning: &Tuning, needs: &PathNeeds) -> u32 {
    let limits = &capabilities.limits;
    let most = tuning.workgroup_size.min(limits.max_compute_work_group_invocations).min(limits.max_compute_work_group_size[0]).max(1);
    let known_to_work = quirks.iter().filter_map(|quirk| match quirk.effect {
        QuirkEffect::LimitSharedMemory { bytes } => Some(bytes),
        _ => None,
    });
    let bytes = known_to_work.fold(tuning.shared_memory_budget.min(limits.max_compute_shared_memory_size), u32::min);
    let words = (bytes / 4).saturating_sub(needs.shared_words_beside);
    let fitting = words.checked_div(needs.shared_words).unwrap_or(u32::MAX);
    1 << most.min(fitting).max(1).ilog2()
}

fn choice(
    path: Path,
    capabilities: &Capabilities,
    quirks: &[&'static Quirk],
    tuning: &Tuning,
    needs: &PathNeeds,
    reasons: Vec<String>,
) -> PathChoice {
    let subgroup = &capabilities.subgroup;
    let workgroup_size = workgroup_size(capabilities, quirks, tuning, needs);
    if path == Path::SharedMemory {
        return PathChoice { path, workgroup_size, subgroup_size: None, full_subgroups: false, max_subgroups: 1, reasons };
    }
    let size = subgroup_size(capabilities);
    PathChoice {
        path,
        workgroup_size,
        subgroup_size: (subgroup.min_size != subgroup.max_size).then_some(size),
        full_subgroups: subgroup.full_subgroups,
        // One slot a subgroup. Were the driver to run smaller subgroups than it reports, the slots must still suffice.
        max_subgroups: workgroup_size / size.min(4),
        reasons,
    }
}

#[cfg(test)]
mod tests;
