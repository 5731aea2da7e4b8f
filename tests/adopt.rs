//! Instances and devices that a host makes with plain ash and lends, on each driver.

#[path = "adopt/host.rs"]
mod host;

mod harness;
mod multiply_add;

use std::ffi::CStr;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::thread;

use harness::Case;
use harness::gpu::ensure;
use host::{CountingLock, GONE, Host, HostInstance, Keep};
use libtest_mimic::Failed;
use multiply_add::{PATIENCE, WORKGROUP, holds, push_constants};
use wavelane_device::{
    Adapter, Buffer, BufferDescription, Device, DeviceOptions, Error, Features, Instance, InstanceOptions, MemoryUse, Profile, QueueLock,
    QueueRole, Requirements, Subgroup, SubgroupOperations, Version, vk,
};
use wavelane_record::{Access, Binding, BufferBarrier, BufferRange, Recorder};

const COUNT: u32 = 10_007;

fn main() -> ExitCode {
    harness::main(vec![
        Case::new("a_lent_device_works", |_| lent()),
        Case::new("ours_may_be_dropped_last", |_| dropped_last()),
        Case::new("a_buffer_may_be_the_last_of_all", |_| buffer_last()),
        Case::new("two_devices_of_ours_share_one_of_the_hosts", |_| twice()),
        Case::new("a_queue_is_shared_under_the_hosts_lock", |_| shared(true)),
        Case::new("a_queue_is_shared_under_a_mutex", |_| shared(false)),
        Case::new("nothing_enabled_is_nothing_reported", |_| nothing_enabled()),
        Case::new("what_is_enabled_is_reported_in_either_form", |_| some_enabled()),
        Case::new("requirements_enable_what_a_device_of_our_own_has", |_| required(vk::API_VERSION_1_3, false)),
        Case::new("requirements_name_the_extensions_that_vulkan_1_1_needs", |_| required(vk::API_VERSION_1_1, false)),
        Case::new("requirements_merge_into_the_hosts_structures", |_| required(vk::API_VERSION_1_3, true)),
        Case::new("synchronization2_of_the_core_is_used", |_| core_synchronization2()),
        Case::new("a_profile_narrows_a_lent_device", |_| profile()),
        Case::new("a_lent_instance_makes_devices", |_| instance_only()),
        Case::new("wrong_loans_are_errors", |_| errors()),
        // The harness has to see what happens on a host's instance, too.
        Case::new("a_missing_barrier_on_a_lent_device_is_noticed", |_| missing_barrier()).must_fail("SYNC-HAZARD-WRITE-AFTER-WRITE"),
        Case::new("what_is_left_behind_is_noticed", |_| left_behind()).must_fail("vkDestroyDevice"),
    ])
}

/// Multiplies numbers by 3 and adds 1, on the device.
fn compute(device: &Arc<Device>) -> Result<(), Failed> {
    let pipeline = multiply_add::pipeline(device, 1)?;
    let buffer = || Buffer::new(device, &BufferDescription { size: u64::from(COUNT) * 4, memory: MemoryUse::Shared, name: "lent" });
    let (from, to) = (buffer()?, buffer()?);
    from.write(0, &(0..COUNT).flat_map(u32::to_ne_bytes).collect::<Vec<u8>>())?;
    let mut recorder = Recorder::new(device)?;
    recorder.begin_timing("multiply")?;
    let bindings = [&from, &to].map(|buffer| Binding::Buffer(BufferRange::whole(buffer)));
    // SAFETY: as many elements are bound as are counted.
    unsafe { recorder.dispatch(&pipeline, &bindings, &push_constants(COUNT, 3), [COUNT.div_ceil(WORKGROUP), 1, 1]) }?;
    recorder.end_timing()?;
    recorder.barrier(&[BufferBarrier::new(BufferRange::whole(&to), Access::ComputeWrite, Access::HostRead)])?;
    recorder.submit()?.wait(PATIENCE)?;
    holds(&to, |i| i * 3 + 1)
}

/// Fails unless the error reads like this: a part of its text, and a part of its advice.
fn says<T>(result: Result<T, Error>, text: &str, advice: &str) -> Result<(), Failed> {
    let Err(error) = result else { return Err(format!("no error, where {text:?} was due").into()) };
    ensure(error.to_string().contains(text), || format!("{error:?} reads {error}, not {text:?}"))?;
    ensure(error.advice().contains(advice), || format!("{error:?} advises {:?}, not {advice:?}", error.advice()))
}

fn gone() -> usize {
    GONE.load(Ordering::SeqCst)
}

/// Ours goes first, then the host's.
fn lent() -> Result<(), Failed> {
    let host = Host::bare()?;
    let device = host.lend_bare(Keep::Nobody)?;
    compute(&device)?;
    ensure(device.is_adopted() && device.instance().is_adopted(), || "the device does not say whose it is".to_owned())?;
    ensure(device.raw().handle() == host.raw.handle() && device.physical_device() == host.physical, || "other handles".to_owned())?;
    let queue = device.queue(QueueRole::Transfer);
    ensure(queue.raw() == host.queue && queue.family() == host.family, || "another queue".to_owned())?;
    drop(device);
    // What is the host's still works.
    // SAFETY: the host's device is alive, and no other thread uses it.
    unsafe { host.raw.device_wait_idle() }?;
    ensure(gone() == 0, || "the host's device is gone".to_owned())?;
    drop(host);
    ensure(gone() == 1, || "the host's device is not gone".to_owned())
}

/// The host lets go before anything is done; what is kept goes with our last handle.
fn dropped_last() -> Result<(), Failed> {
    let host = Host::bare()?;
    let device = host.lend_bare(Keep::Both)?;
    let instance = Arc::clone(device.instance());
    drop(host);
    compute(&device)?;
    drop(device);
    ensure(gone() == 0, || "our instance is left, and what it keeps is gone".to_owned())?;
    ensure(!instance.adapters()?.is_empty(), || "no adapters".to_owned())?;
    drop(instance);
    ensure(gone() == 1, || "the host's device is not gone".to_owned())?;

    // Kept by the device alone.
    let host = Host::bare()?;
    let device = host.lend_bare(Keep::Device)?;
    drop(host);
    compute(&device)?;
    ensure(gone() == 1, || "our device is left, and what it keeps is gone".to_owned())?;
    drop(device);
    ensure(gone() == 2, || "the host's device is not gone".to_owned())
}

fn buffer_last() -> Result<(), Failed> {
    let host = Host::bare()?;
    let device = host.lend_bare(Keep::Both)?;
    drop(host);
    let buffer = Buffer::new(&device, &BufferDescription { size: 1000, memory: MemoryUse::Shared, name: "last" })?;
    drop(device);
    buffer.write(10, &[1, 2, 3])?;
    let mut bytes = [0; 3];
    buffer.read(10, &mut bytes)?;
    ensure(bytes == [1, 2, 3] && gone() == 0, || format!("{bytes:?}, {} gone", gone()))?;
    drop(buffer);
    ensure(gone() == 1, || "the host's device is not gone".to_owned())
}

/// As the host's two parts would, that know nothing of each other but the lock.
fn twice() -> Result<(), Failed> {
    let host = Host::bare()?;
    let lock = Arc::new(CountingLock::default());
    let queues = [host.compute(Some(lock.clone()))];
    let lend = || host.lend(&[], &vk::PhysicalDeviceFeatures2::default(), &queues, &DeviceOptions::default(), Keep::Nobody);
    let (first, second) = (lend()?, lend()?);
    thread::scope(|scope| {
        let other = scope.spawn(|| (0..8).try_for_each(|_| compute(&first)));
        (0..8).try_for_each(|_| compute(&second))?;
        other.join().map_err(|_| "a thread panicked")?
    })?;
    drop(first);
    compute(&second)?;
    ensure(lock.most.load(Ordering::SeqCst) == 1, || "two were within the lock".to_owned())?;
    ensure(lock.uses.load(Ordering::SeqCst) >= 17, || format!("{:?} uses of the lock", lock.uses))
}

/// The host submits from a thread of its own while ours does.
fn shared(counted: bool) -> Result<(), Failed> {
    let host = Host::bare()?;
    let counting = Arc::new(CountingLock::default());
    let lock: Arc<dyn QueueLock> = if counted { counting.clone() } else { Arc::new(Mutex::new(())) };
    let queues = [host.compute(Some(lock.clone()))];
    let device = host.lend(&[], &vk::PhysicalDeviceFeatures2::default(), &queues, &DeviceOptions::default(), Keep::Nobody)?;
    let rounds = 40;
    thread::scope(|scope| {
        let hosts = scope.spawn(|| -> Result<(), Failed> {
            // SAFETY: the queue is used within its lock alone, and the fence by this thread alone.
            unsafe {
                let fence = host.raw.create_fence(&vk::FenceCreateInfo::default(), None)?;
                for _ in 0..rounds {
                    let mut result = Ok(());
                    lock.run_locked(&mut || result = host.raw.queue_submit(host.queue, &[], fence));
                    result?;
                    host.raw.wait_for_fences(&[fence], true, u64::MAX)?;
                    host.raw.reset_fences(&[fence])?;
                }
                host.raw.destroy_fence(fence, None);
            }
            Ok(())
        });
        (0..rounds).try_for_each(|_| compute(&device))?;
        device.wait_idle()?;
        hosts.join().map_err(|_| "the host's thread panicked")?
    })?;
    let (uses, most) = (counting.uses.load(Ordering::SeqCst), counting.most.load(Ordering::SeqCst));
    ensure(!counted || (uses > 2 * rounds && most == 1), || format!("{uses} uses of the lock, {most} at once"))
}

/// On a host for Vulkan 1.1 that enables nothing, only what needs no enabling is there; limits and memory are the hardware's.
fn nothing_enabled() -> Result<(), Failed> {
    let host = Host::bare()?;
    let device = host.lend_bare(Keep::Nobody)?;
    let capabilities = device.capabilities();
    ensure(capabilities.features == Features::default(), || format!("{:?}", capabilities.features))?;
    ensure((capabilities.api_version.major, capabilities.api_version.minor) == (1, 1), || capabilities.api_version.to_string())?;
    ensure(device.synchronization2().is_none() && device.push_descriptor().is_none(), || "functions are loaded".to_owned())?;
    ensure(device.debug_utils().is_some(), || "objects are not named".to_owned())?;

    let adapter = ours()?;
    let hardware = adapter.capabilities();
    ensure(capabilities.memory == hardware.memory, || format!("{:?} instead of {:?}", capabilities.memory, hardware.memory))?;
    // A figure of Vulkan 1.3 cannot be asked for on 1.1.
    let mut limits = capabilities.limits.clone();
    limits.max_buffer_size = hardware.limits.max_buffer_size;
    ensure(limits == hardware.limits, || format!("{limits:?} instead of {:?}", hardware.limits))?;
    let size = hardware.subgroup.size;
    // These take an extension.
    let extended = SubgroupOperations::ROTATE | SubgroupOperations::ROTATE_CLUSTERED | SubgroupOperations::PARTITIONED;
    let operations = hardware.subgroup.operations - extended;
    let subgroup = Subgroup { size, min_size: size, max_size: size, operations, ..Subgroup::default() };
    ensure(capabilities.subgroup == subgroup, || format!("{:?} instead of {subgroup:?}", capabilities.subgroup))?;
    compute(&device)
}

/// The library's own instance, for comparison.
fn ours() -> Result<Adapter, Failed> {
    let options = InstanceOptions { application_name: "wavelane tests".to_owned(), ..InstanceOptions::default() };
    Instance::new(&options)?.adapters()?.into_iter().next().ok_or_else(|| "no adapter".into())
}

/// Robust access, timeline semaphores, 16-bit storage and controlled subgroup sizes: each feature in its own structure, and the core versions' structures.
fn some_enabled() -> Result<(), Failed> {
    let halves = ours()?.capabilities().features.storage_buffer_16bit;
    let expected = |features: &Features| {
        let expected =
            Features { timeline_semaphore: true, storage_buffer_16bit: halves, robust_buffer_access: true, ..Features::default() };
        ensure(*features == expected, || format!("{features:?} instead of {expected:?}"))
    };
    let own = {
        let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures::default().timeline_semaphore(true);
        let mut storage = vk::PhysicalDevice16BitStorageFeatures::default().storage_buffer16_bit_access(halves);
        let mut sizes = vk::PhysicalDeviceSubgroupSizeControlFeatures::default().subgroup_size_control(true).compute_full_subgroups(true);
        lend_with(&mut robust().push_next(&mut timeline).push_next(&mut storage).push_next(&mut sizes))?
    };
    let gathered = {
        let mut eleven = vk::PhysicalDeviceVulkan11Features::default().storage_buffer16_bit_access(halves);
        let mut twelve = vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true);
        let mut thirteen = vk::PhysicalDeviceVulkan13Features::default().subgroup_size_control(true).compute_full_subgroups(true);
        lend_with(&mut robust().push_next(&mut eleven).push_next(&mut twelve).push_next(&mut thirteen))?
    };
    expected(&own.capabilities().features)?;
    ensure(own.capabilities() == gathered.capabilities(), || format!("{:?} and {:?}", own.capabilities(), gathered.capabilities()))?;
    let adapter = ours()?;
    let (subgroup, hardware) = (&own.capabilities().subgroup, &adapter.capabilities().subgroup);
    ensure(subgroup.size_control && subgroup.full_subgroups, || format!("{subgroup:?}"))?;
    ensure((subgroup.min_size, subgroup.max_size) == (hardware.min_size, hardware.max_size), || format!("{subgroup:?}"))?;
    ensure(own.capabilities().limits == adapter.capabilities().limits, || format!("{:?}", own.capabilities().limits))?;
    compute(&own)?;
    compute(&gathered)
}

/// What our own devices leave off.
fn robust() -> vk::PhysicalDeviceFeatures2<'static> {
    vk::PhysicalDeviceFeatures2::default().features(vk::PhysicalDeviceFeatures::default().robust_buffer_access(true))
}

/// A host for Vulkan 1.3 with these features and no extensions, and its device, which keeps the host.
fn lend_with(features: &mut vk::PhysicalDeviceFeatures2<'_>) -> Result<Arc<Device>, Failed> {
    let host = HostInstance::new(vk::API_VERSION_1_3)?.device(&[], vk::DeviceCreateInfo::default().push_next(features))?;
    Ok(host.lend(&[], features, &[host.compute(None)], &DeviceOptions::default(), Keep::Device)?)
}

/// Enables everything that is asked for, and so gets what a device of ours on the same instance has.
fn required(api_version: u32, merged: bool) -> Result<(), Failed> {
    let instance = HostInstance::new(api_version)?;
    let lent = instance.lend()?;
    let adapter = lent.adapter(instance.physical()?)?;
    let requirements = Requirements::of(&adapter);
    let own = Device::new(&adapter, &DeviceOptions { single_queue: true, ..DeviceOptions::default() })?;
    let mut expected = own.capabilities().clone();
    if expected.api_version.minor > lent.api_version().minor {
        expected.api_version = lent.api_version();
    }
    let functions = (own.push_descriptor().is_some(), own.synchronization2().is_some());
    drop((own, adapter, lent));

    let extensions: Vec<&CStr> = requirements.extensions();
    let mut wanted = requirements.features();
    let mut eleven = vk::PhysicalDeviceVulkan11Features::default();
    let mut twelve = vk::PhysicalDeviceVulkan12Features::default().scalar_block_layout(true);
    let mut thirteen = vk::PhysicalDeviceVulkan13Features::default();
    let mut features = vk::PhysicalDeviceFeatures2::default();
    if merged {
        features = features.push_next(&mut eleven).push_next(&mut twelve).push_next(&mut thirteen);
        // SAFETY: the chain was made by `push_next`.
        wanted = unsafe { wanted.merge_into(&mut features) };
    }
    let mut features = wanted.push_on_features2(features);
    let host = instance.device(&extensions, vk::DeviceCreateInfo::default().push_next(&mut features))?;
    let device = host.lend(&extensions, &features, &[host.compute(None)], &DeviceOptions::default(), Keep::Nobody)?;
    let capabilities = device.capabilities();
    ensure(*capabilities == expected, || format!("{capabilities:?}\nwhere a device of our own has\n{expected:?}"))?;
    ensure(expected.features.timeline_semaphore && expected.features.synchronization2, || format!("{:?}", expected.features))?;
    let loaded = (device.push_descriptor().is_some(), device.synchronization2().is_some());
    ensure(loaded == functions, || format!("{loaded:?} and {functions:?}"))?;
    compute(&device)
}

/// Vulkan 1.3 has the feature and its functions without the extension.
fn core_synchronization2() -> Result<(), Failed> {
    let mut thirteen = vk::PhysicalDeviceVulkan13Features::default().synchronization2(true);
    let device = lend_with(&mut vk::PhysicalDeviceFeatures2::default().push_next(&mut thirteen))?;
    ensure(device.capabilities().features.synchronization2 && device.synchronization2().is_some(), || "it is off".to_owned())?;
    compute(&device)?;
    // Said to be enabled on an instance whose version does not have it: not to be used.
    let host = Host::bare()?;
    let features = vk::PhysicalDeviceFeatures2::default().push_next(&mut thirteen);
    let device = host.lend(&[], &features, &[host.compute(None)], &DeviceOptions::default(), Keep::Nobody)?;
    ensure(!device.capabilities().features.synchronization2 && device.synchronization2().is_none(), || "it is on".to_owned())
}

fn profile() -> Result<(), Failed> {
    let mut twelve = vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true).host_query_reset(true);
    let mut thirteen = vk::PhysicalDeviceVulkan13Features::default().synchronization2(true).subgroup_size_control(true);
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut twelve).push_next(&mut thirteen);
    let host = HostInstance::new(vk::API_VERSION_1_3)?.device(&[], vk::DeviceCreateInfo::default().push_next(&mut features))?;
    let options = DeviceOptions { profile: Some(Profile::named("minimal")?), ..DeviceOptions::default() };
    let device = host.lend(&[], &features, &[host.compute(None)], &options, Keep::Device)?;
    let capabilities = device.capabilities();
    ensure(capabilities.features == Features::default() && !capabilities.subgroup.size_control, || format!("{capabilities:?}"))?;
    ensure(capabilities.limits.max_compute_work_group_invocations == 128, || format!("{:?}", capabilities.limits))?;
    ensure(device.synchronization2().is_none(), || "synchronization2 is used".to_owned())?;
    compute(&device)
}

/// The instance is the host's, the device ours.
fn instance_only() -> Result<(), Failed> {
    let host = HostInstance::new(vk::API_VERSION_1_2)?;
    let instance = host.lend()?;
    ensure(instance.api_version() == Version::new(1, 2, 0), || instance.api_version().to_string())?;
    let adapters = instance.adapters()?;
    let adapter = instance.adapter(host.physical()?)?;
    ensure(adapter.index() == 0 && !adapters.is_empty(), || format!("{} of {}", adapter.index(), adapters.len()))?;
    let device = Device::new(&adapter, &DeviceOptions::default())?;
    ensure(!device.is_adopted(), || "the device is said to be the host's".to_owned())?;
    compute(&device)?;
    drop((device, adapter, adapters, instance));
    // SAFETY: the instance is alive.
    unsafe { host.raw.enumerate_physical_devices() }?;
    Ok(())
}

fn errors() -> Result<(), Failed> {
    let mut old = HostInstance::new(vk::API_VERSION_1_1)?;
    for api_version in [vk::API_VERSION_1_0, 0] {
        old.api_version = api_version;
        says(old.lend(), "the instance was made for Vulkan 1.0.0, and at least 1.1 is needed", "apiVersion")?;
    }

    let host = Host::bare()?;
    let other = HostInstance::new(vk::API_VERSION_1_1)?;
    let stranger = other.lend()?.adapter(host.physical);
    says(stranger, "the physical device does not belong to the instance", "the instance that the physical device was enumerated from")?;

    let lend = |queues: &[_]| host.lend(&[], &vk::PhysicalDeviceFeatures2::default(), queues, &DeviceOptions::default(), Keep::Nobody);
    let one = || host.compute(None);
    says(lend(&[]), "without a queue of role Compute", "VK_QUEUE_COMPUTE_BIT")?;
    let mut transfer = one();
    transfer.role = QueueRole::Transfer;
    says(lend(&[transfer.clone()]), "without a queue of role Compute", "VK_QUEUE_COMPUTE_BIT")?;
    says(
        lend(&[one(), transfer]),
        "the queue lent as Transfer (family 0, index 0) cannot be used: it is lent as Compute, too",
        "under one role",
    )?;
    let mut far = one();
    far.family = 77;
    says(lend(&[far]), "the queue lent as Compute (family 77, index 0) cannot be used: the device has only ", "vkGetDeviceQueue")?;
    let mut late = one();
    late.index = 1 << 20;
    says(lend(&[late]), "index 1048576) cannot be used: the family has only ", "vkGetDeviceQueue")?;
    let mut null = one();
    null.queue = vk::Queue::null();
    says(lend(&[null]), "cannot be used: its handle is null", "vkGetDeviceQueue")?;
    compute(&lend(&[one()])?)?;

    let mut model = vk::PhysicalDeviceVulkanMemoryModelFeatures::default().vulkan_memory_model(true);
    let half = lend_with(&mut vk::PhysicalDeviceFeatures2::default().push_next(&mut model));
    let text = half.err().map(|failed| failed.message().unwrap_or_default().to_owned()).unwrap_or_default();
    ensure(text.contains("vulkanMemoryModel is enabled without vulkanMemoryModelDeviceScope"), || format!("{text:?}"))
}

/// Two writes of the same bytes, with nothing between them.
fn missing_barrier() -> Result<(), Failed> {
    let host = Host::bare()?;
    let device = host.lend_bare(Keep::Nobody)?;
    let buffer = Buffer::new(&device, &BufferDescription { size: 64, memory: MemoryUse::Device, name: "written twice" })?;
    // By the host's own hand, as no recorder of ours is to be asked.
    // SAFETY: plain use of a command buffer; that a barrier is missing is what is tested.
    unsafe {
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(host.family);
        let pool = host.raw.create_command_pool(&pool, None)?;
        let commands =
            host.raw.allocate_command_buffers(&vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1))?[0];
        host.raw.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
        host.raw.cmd_fill_buffer(commands, buffer.raw(), 0, 64, 1);
        host.raw.cmd_fill_buffer(commands, buffer.raw(), 0, 64, 2);
        host.raw.end_command_buffer(commands)?;
        host.raw.destroy_command_pool(pool, None);
    }
    Ok(())
}

/// A buffer that outlives the host's device: against the contract, and so the harness must see it.
fn left_behind() -> Result<(), Failed> {
    let host = Host::bare()?;
    let device = host.lend_bare(Keep::Nobody)?;
    std::mem::forget(Buffer::new(&device, &BufferDescription { size: 1000, memory: MemoryUse::Shared, name: "left" })?);
    drop(device);
    drop(host);
    Ok(())
}
