//! Instances, devices, capabilities, profiles and memory, on each driver.

mod harness;

use std::process::ExitCode;
use std::sync::Arc;

use harness::gpu::{device, ensure, instance};
use harness::{Case, Driver};
use libtest_mimic::Failed;
use wavelane_device::{
    Buffer, BufferDescription, Capabilities, Device, DeviceChoice, Error, Instance, InstanceOptions, Limits, MemoryUse, Profile,
    SubgroupOperations, Validation, choose,
};

const USES: [MemoryUse; 4] = [MemoryUse::Device, MemoryUse::Upload, MemoryUse::Readback, MemoryUse::Shared];
#[cfg(target_os = "linux")]
const BROKEN_LOADER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/broken_loader");

fn main() -> ExitCode {
    harness::main(vec![
        #[cfg(target_os = "linux")]
        Case::once("a_missing_loader_is_an_error", &[("LD_LIBRARY_PATH", BROKEN_LOADER)], no_loader),
        Case::once(
            "a_missing_driver_is_an_error",
            &[("VK_DRIVER_FILES", "/nowhere.json"), ("VK_ICD_FILENAMES", "/nowhere.json")],
            no_driver,
        ),
        Case::once("a_missing_layer_is_an_error", &[("VK_LAYER_PATH", "/nowhere")], no_layer),
        Case::new("the_subgroup_size_is_the_drivers", subgroup_size),
        Case::new("limits_are_vulkans", |_| limits()),
        Case::new("capabilities_survive_json", |_| json()),
        Case::new("a_device_is_chosen_by_index_and_name", |_| choice()),
        Case::new("every_memory_use_can_be_written_and_read", |_| write_and_read()),
        Case::new("neighbours_in_memory_stay_apart", |_| neighbours()),
        Case::new("impossible_buffers_are_errors", |_| impossible_buffers()),
        Case::new("memory_is_counted", |_| statistics()),
        Case::new("a_buffer_keeps_its_device", |_| buffer_outlives_handle()),
        Case::new("the_minimal_profile_takes_everything_away", |_| minimal()),
        Case::new("every_profile_narrows", |_| profiles()),
    ])
}

fn bare_instance(validation: Validation) -> Result<Arc<Instance>, Error> {
    Instance::new(&InstanceOptions { application_name: "wavelane tests".to_owned(), validation })
}

/// Fails unless the error reads like this: a part of its text, and a part of its advice.
fn says<T>(result: Result<T, Error>, text: &str, advice: &str) -> Result<(), Failed> {
    let Err(error) = result else { return Err(format!("no error, where {text:?} was due").into()) };
    ensure(error.to_string().contains(text), || format!("{error:?} reads {error}, not {text:?}"))?;
    ensure(!error.to_string().contains('\n'), || format!("more than a line: {error}"))?;
    ensure(error.advice().contains(advice), || format!("{error:?} advises {:?}, not {advice:?}", error.advice()))
}

#[cfg(target_os = "linux")]
fn no_loader() -> Result<(), Failed> {
    says(bare_instance(Validation::Off), "the Vulkan loader could not be opened", "apt install libvulkan1")
}

fn no_driver() -> Result<(), Failed> {
    let adapters = bare_instance(Validation::Off).and_then(|instance| instance.adapters());
    says(adapters, "no Vulkan driver was found", "apt install mesa-vulkan-drivers")
}

fn no_layer() -> Result<(), Failed> {
    says(bare_instance(Validation::On), "VK_LAYER_KHRONOS_validation is not installed", "vulkan-validationlayers")
}

fn subgroup_size(driver: &Driver) -> Result<(), Failed> {
    let device = device(None)?;
    let subgroup = &device.capabilities().subgroup;
    ensure(subgroup.size.is_power_of_two() && subgroup.size <= 128, || format!("size {}", subgroup.size))?;
    ensure((subgroup.min_size..=subgroup.max_size).contains(&subgroup.size), || format!("{subgroup:?}"))?;
    ensure(driver.subgroup_size.is_none_or(|size| size == subgroup.size), || format!("{} has size {}", driver.name, subgroup.size))
}

/// The limits once more, read as Vulkan 1.0 gives them.
fn limits() -> Result<(), Failed> {
    let device = device(None)?;
    // SAFETY: the physical device belongs to the instance, which is alive.
    let raw = unsafe { device.instance().raw().get_physical_device_properties(device.physical_device()) }.limits;
    let ours = &device.capabilities().limits;
    let expected = Limits {
        max_compute_work_group_count: raw.max_compute_work_group_count,
        max_compute_work_group_size: raw.max_compute_work_group_size,
        max_compute_work_group_invocations: raw.max_compute_work_group_invocations,
        max_compute_shared_memory_size: raw.max_compute_shared_memory_size,
        max_storage_buffer_range: raw.max_storage_buffer_range,
        min_storage_buffer_offset_alignment: raw.min_storage_buffer_offset_alignment,
        max_push_constants_size: raw.max_push_constants_size,
        max_memory_allocation_count: raw.max_memory_allocation_count,
        non_coherent_atom_size: raw.non_coherent_atom_size,
        max_per_stage_descriptor_storage_buffers: raw.max_per_stage_descriptor_storage_buffers,
        max_per_stage_descriptor_storage_images: raw.max_per_stage_descriptor_storage_images,
        max_bound_descriptor_sets: raw.max_bound_descriptor_sets,
        ..ours.clone()
    };
    ensure(*ours == expected, || format!("{ours:?} instead of {expected:?}"))?;
    ensure(ours.max_memory_allocation_size > 0 && ours.max_buffer_size > 0, || format!("{ours:?}"))
}

fn json() -> Result<(), Failed> {
    let device = device(None)?;
    let text = serde_json::to_string_pretty(device.capabilities())?;
    let back: Capabilities = serde_json::from_str(&text)?;
    ensure(back == *device.capabilities(), || format!("{back:?} came back from {text}"))
}

fn choice() -> Result<(), Failed> {
    let adapters = instance()?.adapters()?;
    let name = adapters.first().ok_or("no adapter")?.capabilities().device_name.clone();
    let chosen = |text: &str| {
        let choice: DeviceChoice = text.parse().unwrap_or_else(|never| match never {});
        choose(&adapters, &choice).map(|adapter| adapter.index())
    };
    ensure(chosen("0") == Ok(0), || format!("index 0 of {} chose {:?}", adapters.len(), chosen("0")))?;
    ensure(chosen(&name.to_uppercase()).is_ok(), || format!("{name} chose {:?}", chosen(&name)))?;
    says(chosen("1000"), "device 1000 was asked for, but there are only: 0 ", "by its index or a part of its name")?;
    says(chosen("no such GPU"), "no device's name contains `no such GPU`; there are: 0 ", "by its index or a part of its name")
}

fn buffer(device: &Arc<Device>, size: u64, memory: MemoryUse) -> Result<Buffer, Error> {
    Buffer::new(device, &BufferDescription { size, memory, name: "tested" })
}

/// Bytes without a short period, so that a shift or a gap shows.
fn pattern(length: usize, seed: u32) -> Vec<u8> {
    (0..length as u32).map(|i| (i.wrapping_add(seed).wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

fn read(buffer: &Buffer, offset: u64, length: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; length];
    buffer.read(offset, &mut bytes).map(|()| bytes)
}

fn write_and_read() -> Result<(), Failed> {
    let device = device(None)?;
    for memory in USES {
        let buffer = buffer(&device, 100_003, memory)?;
        ensure(buffer.size() == 100_003, || format!("size {}", buffer.size()))?;
        if !buffer.is_mapped() {
            ensure(memory == MemoryUse::Device, || format!("{memory:?} is not mapped"))?;
            says(buffer.write(0, &[1]), "buffer `tested` is not mapped", "copy through a buffer for upload or readback")?;
            says(read(&buffer, 0, 1), "buffer `tested` is not mapped", "copy through a buffer for upload or readback")?;
            continue;
        }
        for (offset, length) in [(0, 100_003), (0, 0), (100_003, 0), (1, 1), (63, 2), (100_002, 1), (257, 4099)] {
            let bytes = pattern(length, offset as u32);
            buffer.write(offset, &bytes)?;
            ensure(read(&buffer, offset, length)? == bytes, || format!("{memory:?}: {length} bytes at {offset} came back otherwise"))?;
        }
        for (offset, length) in [(100_003, 1), (100_000, 4), (u64::MAX, 1), (0, 100_004)] {
            says(buffer.write(offset, &vec![0; length]), "do not lie within buffer `tested` of 100003 bytes", "against the buffer's size")?;
            says(read(&buffer, offset, length), "do not lie within buffer `tested` of 100003 bytes", "against the buffer's size")?;
        }
    }
    Ok(())
}

/// Small buffers share memory objects: what is written, and flushed, to one must not show in the next.
fn neighbours() -> Result<(), Failed> {
    let device = device(None)?;
    for memory in [MemoryUse::Upload, MemoryUse::Readback, MemoryUse::Shared] {
        let buffers = (1..40).map(|size| buffer(&device, size, memory)).collect::<Result<Vec<_>, _>>()?;
        for (seed, buffer) in buffers.iter().enumerate() {
            buffer.write(0, &pattern(buffer.size() as usize, seed as u32))?;
        }
        for (seed, buffer) in buffers.iter().enumerate() {
            let length = buffer.size() as usize;
            ensure(read(buffer, 0, length)? == pattern(length, seed as u32), || format!("{memory:?}: buffer {seed} was changed"))?;
        }
    }
    Ok(())
}

fn impossible_buffers() -> Result<(), Failed> {
    let device = device(None)?;
    let limits = &device.capabilities().limits;
    let largest = limits.max_buffer_size.min(limits.max_memory_allocation_size);
    for memory in USES {
        says(buffer(&device, 0, memory), "buffer `tested` was asked for with 0 bytes", "at least one byte")?;
        if let Some(more) = largest.checked_add(1) {
            let text = format!("buffer `tested` needs {more} bytes, and the device's max");
            says(buffer(&device, more, memory), &text, "split the data over several buffers")?;
        }
        // Some drivers report no limit; then memory must run out, not the program.
        says(buffer(&device, u64::MAX, memory), "buffer `tested`", "")?;
    }
    Ok(())
}

fn statistics() -> Result<(), Failed> {
    let device = device(None)?;
    let before = device.memory_statistics();
    ensure(before.live_bytes == 0 && before.allocations == 0, || format!("{before:?} in a new device"))?;
    let (one, two) = (buffer(&device, 1 << 20, MemoryUse::Device)?, buffer(&device, 1 << 16, MemoryUse::Upload)?);
    let during = device.memory_statistics();
    ensure(during.live_bytes >= (1 << 20) + (1 << 16) && during.allocations == 2, || format!("{during:?} with two buffers"))?;
    drop((one, two));
    let after = device.memory_statistics();
    ensure(after.live_bytes == 0 && after.allocations == 0, || format!("{after:?} when they are gone"))?;
    ensure(after.peak_bytes == during.live_bytes, || format!("{after:?} after {during:?}"))
}

fn buffer_outlives_handle() -> Result<(), Failed> {
    let device = device(None)?;
    let buffer = buffer(&device, 256, MemoryUse::Upload)?;
    drop(device);
    buffer.write(0, &[1, 2, 3])?;
    ensure(read(&buffer, 0, 3)? == [1, 2, 3], || "written bytes are gone".to_owned())
}

fn minimal() -> Result<(), Failed> {
    let device = device(Some(Profile::named("minimal")?))?;
    let capabilities = device.capabilities();
    ensure(capabilities.profile.as_deref() == Some("minimal"), || format!("profile {:?}", capabilities.profile))?;
    ensure(capabilities.limits.max_compute_shared_memory_size == 16 << 10, || format!("{:?}", capabilities.limits))?;
    ensure(capabilities.limits.max_compute_work_group_invocations == 128, || format!("{:?}", capabilities.limits))?;
    ensure(capabilities.subgroup.operations == SubgroupOperations::BASIC, || format!("{:?}", capabilities.subgroup))?;
    ensure(capabilities.features == wavelane_device::Features::default(), || format!("{:?}", capabilities.features))?;
    ensure(device.push_descriptor().is_none() && device.synchronization2().is_none(), || "extensions are enabled".to_owned())?;
    // What is not enabled must be missed by the layer too; buffers need none of it.
    let buffer = buffer(&device, 4096, MemoryUse::Upload)?;
    buffer.write(0, &pattern(4096, 1))?;
    ensure(read(&buffer, 0, 4096)? == pattern(4096, 1), || "bytes came back otherwise".to_owned())
}

fn profiles() -> Result<(), Failed> {
    let adapters = instance()?.adapters()?;
    let host = choose(&adapters, &DeviceChoice::Best)?.capabilities().clone();
    for name in Profile::names() {
        let profile = Profile::named(name)?;
        let narrowed = host.restrict(&profile);
        let (ours, theirs, hosts) = (&narrowed.limits, &profile.capabilities.limits, &host.limits);
        let shared = ours.max_compute_shared_memory_size;
        ensure(shared == theirs.max_compute_shared_memory_size.min(hosts.max_compute_shared_memory_size), || format!("{name}: {ours:?}"))?;
        let alignment = ours.min_storage_buffer_offset_alignment;
        let most = theirs.min_storage_buffer_offset_alignment.max(hosts.min_storage_buffer_offset_alignment);
        ensure(alignment == most, || format!("{name}: {ours:?}"))?;
        let allowed = profile.capabilities.subgroup.operations & host.subgroup.operations;
        ensure(allowed.contains(narrowed.subgroup.operations), || format!("{name}: {:?}", narrowed.subgroup))?;
        ensure(narrowed.restrict(&profile) == narrowed, || format!("{name}: narrowing twice narrows more"))?;
        let device = device(Some(profile))?;
        ensure(device.capabilities().limits == narrowed.limits, || format!("{name}: the device has {:?}", device.capabilities().limits))?;
        ensure(device.push_descriptor().is_some() == narrowed.features.push_descriptor, || format!("{name}: push descriptors"))?;
        ensure(device.synchronization2().is_some() == narrowed.features.synchronization2, || format!("{name}: synchronization2"))?;
    }
    says(Profile::named("no such phone"), "there is no profile `no such phone`; there are: ", "choose one of the profiles listed")
}
