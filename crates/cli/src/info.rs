//! `wavelane info`: the devices, what they can do, and which path each kernel would take.

use serde_json::{Value, json};
use wavelane::device::{Adapter, Capabilities, DeviceChoice, Instance, SubgroupOperations, Version, choose, quirks_of};

use crate::arguments::Global;
use crate::device;
use crate::paths::{self, KernelPaths};
use crate::report::{self, Ending, Failure};

pub fn run(global: &Global, json: bool) -> Result<Ending, Failure> {
    let profile = device::profile(global)?;
    let instance = Instance::new(&device::instance_options(global)).map_err(device::failure)?;
    let adapters = instance.adapters().map_err(device::failure)?;
    let choice = device::choice(global);
    let chosen = choose(&adapters, &choice).map_err(device::failure)?;
    let devices: Vec<Described> = adapters
        .iter()
        .filter(|adapter| choice == DeviceChoice::Best || adapter.index() == chosen.index())
        .map(|adapter| {
            let capabilities = match &profile {
                Some(profile) => adapter.capabilities().restrict(profile),
                None => adapter.capabilities().clone(),
            };
            Ok(Described { kernels: paths::of(&capabilities, global)?, capabilities, adapter, chosen: adapter.index() == chosen.index() })
        })
        .collect::<Result<_, Failure>>()?;
    if json {
        report::print(&format!("{:#}\n", to_json(instance.api_version(), &devices)))?;
    } else {
        report::print(&devices.iter().map(to_text).collect::<Vec<_>>().join("\n"))?;
    }
    device::check_validation(&instance.take_validation_messages())?;
    Ok(Ending::Done)
}

struct Described<'a> {
    adapter: &'a Adapter,
    capabilities: Capabilities,
    kernels: Vec<KernelPaths>,
    chosen: bool,
}

fn to_json(loader: Version, devices: &[Described]) -> Value {
    let devices: Vec<Value> = devices
        .iter()
        .map(|device| {
            let quirks: Vec<Value> = quirks_of(&device.capabilities)
                .iter()
                .map(|quirk| json!({ "id": quirk.id, "summary": quirk.summary, "link": quirk.link }))
                .collect();
            json!({
                "index": device.adapter.index(),
                "chosen": device.chosen,
                "score": device.adapter.score(),
                "queue_family": device.adapter.queue_family().family,
                "capabilities": device.capabilities,
                "quirks": quirks,
                "kernels": device.kernels,
            })
        })
        .collect();
    json!({ "vulkan": loader.to_string(), "devices": devices })
}

fn to_text(device: &Described) -> String {
    let chosen = if device.chosen { "  (used unless told otherwise)" } else { "" };
    let mut text = format!("{}  {}{chosen}\n", device.adapter.index(), device.capabilities.device_name);
    let mut lines = describe(&device.capabilities);
    lines.extend(quirks_of(&device.capabilities).iter().map(|quirk| ("quirk", format!("{}: {}", quirk.id, quirk.summary))));
    lines.extend(paths::lines(&device.kernels));
    let mut last = "";
    for (label, line) in &lines {
        let shown = if *label == last { "" } else { label };
        text.push_str(&format!("   {shown:<16} {line}\n"));
        last = label;
    }
    text
}

/// Capabilities as labelled lines.
fn describe(capabilities: &Capabilities) -> Vec<(&'static str, String)> {
    let limits = &capabilities.limits;
    let mut lines = Vec::new();
    if let Some(profile) = &capabilities.profile {
        lines.push(("profile", format!("{profile} (simulated: the real device is narrowed to it)")));
    }
    let driver = [capabilities.driver_name.as_str(), capabilities.driver_info.as_str()].join(" ");
    let driver = if driver.trim().is_empty() { String::new() } else { format!(", driver {}", driver.trim()) };
    lines.push(("device", format!("{}, Vulkan {}{driver}", device_type(capabilities), capabilities.api_version)));
    lines.push((
        "ids",
        format!(
            "vendor {:#06x}, device {:#06x}, driver {}, driver version {:#x}",
            capabilities.vendor_id, capabilities.device_id, capabilities.driver_id, capabilities.driver_version
        ),
    ));
    lines.push((
        "workgroups",
        format!(
            "{} of at most {}, {} invocations",
            by(limits.max_compute_work_group_count),
            by(limits.max_compute_work_group_size),
            limits.max_compute_work_group_invocations
        ),
    ));
    lines.push(("shared memory", bytes(limits.max_compute_shared_memory_size.into())));
    lines.extend(subgroups(capabilities).into_iter().map(|line| ("subgroups", line)));
    lines.push((
        "buffers",
        format!(
            "{} a storage binding, offsets by {}, {} a buffer; {} of push constants",
            bytes(limits.max_storage_buffer_range.into()),
            bytes(limits.min_storage_buffer_offset_alignment),
            bytes(limits.max_buffer_size),
            bytes(limits.max_push_constants_size.into())
        ),
    ));
    let heaps = &capabilities.memory.heaps;
    let heaps: Vec<String> =
        heaps.iter().map(|heap| format!("{}{}", bytes(heap.size), if heap.device_local { " device-local" } else { "" })).collect();
    let unified = if capabilities.memory.unified { ", unified" } else { "" };
    lines.push(("memory", format!("{}{unified}", if heaps.is_empty() { "no heaps".to_owned() } else { heaps.join(", ") })));
    lines.push(("timestamps", timestamps(capabilities)));
    lines.push(("features", names(features(capabilities))));
    if !capabilities.cooperative_matrices.is_empty() {
        lines.push(("matrices", format!("{} shapes of cooperative matrix (see --json)", capabilities.cooperative_matrices.len())));
    }
    lines
}

fn subgroups(capabilities: &Capabilities) -> Vec<String> {
    let subgroup = &capabilities.subgroup;
    let sizes = match subgroup.min_size == subgroup.max_size {
        true => format!("{} lanes", subgroup.size),
        false => format!("{} lanes, {} to {}", subgroup.size, subgroup.min_size, subgroup.max_size),
    };
    let control = match (subgroup.size_control, subgroup.required_size_in_compute) {
        (true, true) => ", the size can be required",
        (true, false) => ", the size can vary and not be required",
        (false, _) => ", no size control",
    };
    let full = if subgroup.full_subgroups { ", full subgroups can be asked for" } else { "" };
    let stage = if subgroup.compute_stage { "" } else { " (none of them in compute shaders)" };
    let extended = if subgroup.extended_types { "; 8-, 16- and 64-bit types too" } else { "" };
    let mut lines = vec![format!("{sizes}{control}{full}"), format!("{}{extended}{stage}", names(operations(subgroup.operations)))];
    if let Some(taken) = subgroup.unsimulated {
        let lanes = match taken.sizes {
            [least, most] if least == most => most.to_string(),
            [least, most] => format!("{least} to {most}"),
        };
        lines.push(format!("left out, as the profile's subgroups have {lanes} lanes: {}", names(operations(taken.operations))));
    }
    lines
}

fn operations(operations: SubgroupOperations) -> Vec<String> {
    operations.iter_names().map(|(name, _)| name.to_lowercase()).collect()
}

/// The features that are there, by their names in JSON.
fn features(capabilities: &Capabilities) -> Vec<String> {
    match serde_json::to_value(&capabilities.features) {
        Ok(Value::Object(features)) => {
            features.into_iter().filter(|(_, there)| *there == Value::Bool(true)).map(|(name, _)| name).collect()
        }
        _ => Vec::new(),
    }
}

fn names(names: Vec<String>) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn device_type(capabilities: &Capabilities) -> String {
    match serde_json::to_value(capabilities.device_type) {
        Ok(Value::String(name)) => name.replace('_', " ").replace("gpu", "GPU").replace("cpu", "CPU (software)"),
        _ => "unknown".to_owned(),
    }
}

fn timestamps(capabilities: &Capabilities) -> String {
    let timestamps = &capabilities.timestamps;
    match timestamps.valid_bits == 0 || timestamps.period_ns == 0.0 {
        true => "none".to_owned(),
        false => format!("{} bits of {} ns", timestamps.valid_bits, timestamps.period_ns),
    }
}

fn by(extents: [u32; 3]) -> String {
    extents.map(|extent| extent.to_string()).join(" × ")
}

/// A size in the largest unit that keeps it readable.
pub fn bytes(size: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if size < 1024 {
        return format!("{size} B");
    }
    let unit = ((size.ilog2() / 10) as usize).min(UNITS.len());
    let scaled = size as f64 / 1024f64.powi(unit as i32);
    let digits = usize::from(scaled.fract() != 0.0);
    format!("{scaled:.digits$} {}", UNITS[unit - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(
            [0, 256, 1024, 16 << 10, 1 << 27, u64::from(u32::MAX)].map(bytes),
            ["0 B", "256 B", "1 KiB", "16 KiB", "128 MiB", "4.0 GiB"]
        );
        assert_eq!([1536, u64::MAX].map(bytes), ["1.5 KiB", "16384 PiB"]);
    }

    #[test]
    fn the_least_device() {
        let lines = describe(&Capabilities::default());
        let line = |label| lines.iter().find(|(at, _)| *at == label).map(|(_, line)| line.as_str());
        assert_eq!(line("device"), Some("other, Vulkan 1.1.0"));
        assert_eq!(line("shared memory"), Some("16 KiB"));
        assert_eq!(line("workgroups"), Some("65535 × 65535 × 65535 of at most 128 × 128 × 64, 128 invocations"));
        assert_eq!(line("subgroups"), Some("1 lanes, no size control"));
        assert_eq!(line("features"), Some("none"));
        assert_eq!(line("timestamps"), Some("none"));
        assert_eq!(line("memory"), Some("no heaps"));
        assert_eq!(line("profile"), None);
    }

    #[test]
    fn features_go_by_their_names() {
        let mut capabilities = Capabilities::default();
        capabilities.features.shader_int64 = true;
        capabilities.features.push_descriptor = true;
        assert_eq!(features(&capabilities), ["push_descriptor", "shader_int64"]);
    }
}
