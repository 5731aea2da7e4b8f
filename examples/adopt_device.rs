//! A program that makes everything of Vulkan itself, with plain ash, and lends it: instance, device, queue, buffers, command buffer, semaphore.
//!
//! Wavelane records a sum into the program's command buffer. The program submits it, waits with its own timeline semaphore, and destroys its device after
//! Wavelane's handles are gone.
//!
//! `cargo run --release --example adopt_device`; with `VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation` the calls are validated.

use std::sync::{Arc, Mutex};

use anyhow::{Context as _, ensure};
use wavelane::device::{
    AdoptedDevice, AdoptedInstance, AdoptedQueue, Buffer, BufferDescription, Device, DeviceChoice, DeviceOptions, ForeignBuffer, Instance,
    MemoryUse, QueueLock, QueueRole, Requirements, ash, choose, vk,
};
use wavelane::record::{Access, BufferBarrier, BufferRange, Recorder, RecorderOptions};
use wavelane::{DType, Reduce, ReduceBindings, ReduceOp, ScratchState};

const COUNT: usize = 1_000_000;
const API_VERSION: u32 = vk::API_VERSION_1_2;

fn main() -> anyhow::Result<()> {
    // SAFETY: the calls below are Vulkan's, in the order and with the lifetimes that it asks for.
    unsafe { run() }
}

unsafe fn run() -> anyhow::Result<()> {
    // SAFETY: see `main`.
    unsafe {
        // The program's instance.
        let entry = ash::Entry::load().context("the Vulkan loader could not be opened")?;
        let application = vk::ApplicationInfo::default().application_name(c"adopt_device").api_version(API_VERSION);
        let instance = entry.create_instance(&vk::InstanceCreateInfo::default().application_info(&application), None)?;

        // Lent, to ask what there is and what to enable.
        let lent = AdoptedInstance { entry: &entry, instance: &instance, api_version: API_VERSION, extensions: &[], keep: None };
        let ours = Instance::adopt(lent)?;
        let adapters = ours.adapters()?;
        let adapter = choose(&adapters, &DeviceChoice::from_env())?;
        let requirements = Requirements::of(adapter);
        println!("{}\n\n{requirements}", adapter.capabilities().device_name);

        // The program's device: what the program wants for itself, and into the same structures what Wavelane can use.
        let (physical, family) = (adapter.raw(), adapter.queue_family().family);
        let mut twelve = vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true);
        let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut twelve);
        let mut rest = requirements.features().merge_into(&mut features);
        let mut features = rest.push_on_features2(features);
        let extensions = requirements.extensions();
        let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
        let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&names).push_next(&mut features);
        let raw = instance.create_device(physical, &info, None)?;
        let queue = raw.get_device_queue(family, 0);
        // Whoever submits to the queue holds this.
        let submitting = Arc::new(Mutex::new(()));

        // Lent, in turn.
        let lock: Arc<dyn QueueLock> = submitting.clone();
        let lent = AdoptedDevice {
            instance: &ours,
            physical_device: physical,
            device: &raw,
            extensions: &extensions,
            features: &features,
            queues: &[AdoptedQueue { queue, family, index: 0, role: QueueRole::Compute, lock: Some(lock) }],
            keep: None,
        };
        let device = Device::adopt(lent, &DeviceOptions::default())?;

        // The program's buffers, and a plan for them.
        let plan = Reduce::new(ReduceOp::Sum, DType::F32, &[COUNT]).plan(&device, None)?;
        let schedule = plan.schedule();
        let input = Mapped::new(&instance, physical, &raw, schedule.input_bytes)?;
        let output = Mapped::new(&instance, physical, &raw, schedule.output_bytes)?;
        std::slice::from_raw_parts_mut(input.pointer.cast::<f32>(), COUNT).fill(0.25);
        let foreign = |buffer: &Mapped, name| {
            Buffer::from_raw(&device, buffer.raw, &ForeignBuffer { size: buffer.size, usage: Mapped::USAGE, name, keep: None })
        };
        let (values, sum) = (foreign(&input, "values")?, foreign(&output, "sum")?);
        let description = BufferDescription { size: schedule.scratch_bytes.max(4), memory: MemoryUse::Device, name: "scratch" };
        let scratch = Buffer::new(&device, &description)?;

        // The program's command buffer, filled by Wavelane.
        let pool = raw.create_command_pool(&vk::CommandPoolCreateInfo::default().queue_family_index(family), None)?;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let commands = raw.allocate_command_buffers(&info)?;
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        raw.begin_command_buffer(commands[0], &begin)?;
        let mut recorder = Recorder::foreign(&device, commands[0], &RecorderOptions::default())?;
        let bindings = ReduceBindings {
            input: BufferRange::whole(&values),
            output: BufferRange::whole(&sum),
            scratch: Some(BufferRange::whole(&scratch)),
            scratch_state: ScratchState::Unknown,
            count: None,
        };
        plan.record(&mut recorder, &bindings)?;
        recorder.barrier(&[BufferBarrier::new(BufferRange::whole(&sum), Access::ComputeWrite, Access::HostRead)])?;
        raw.end_command_buffer(commands[0])?;

        // Submitted and waited for by the program.
        let mut timeline = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let semaphore = raw.create_semaphore(&vk::SemaphoreCreateInfo::default().push_next(&mut timeline), None)?;
        let (semaphores, values_signalled) = ([semaphore], [1]);
        let mut values_info = vk::TimelineSemaphoreSubmitInfo::default().signal_semaphore_values(&values_signalled);
        let submit = vk::SubmitInfo::default().command_buffers(&commands).signal_semaphores(&semaphores).push_next(&mut values_info);
        {
            let _held = submitting.lock();
            raw.queue_submit(queue, &[submit], vk::Fence::null())?;
        }
        let wait = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values_signalled);
        raw.wait_semaphores(&wait, 10_000_000_000)?;
        let result = output.pointer.cast::<f32>().read();
        println!("sum of {COUNT} times 0.25: {result}, by {} on the program's device", plan.path());

        // Wavelane's handles go first, then the program's own.
        drop((recorder, plan, values, sum, scratch, device, adapters, ours));
        raw.destroy_semaphore(semaphore, None);
        raw.destroy_command_pool(pool, None);
        input.destroy(&raw);
        output.destroy(&raw);
        raw.destroy_device(None);
        instance.destroy_instance(None);
        ensure(result)
    }
}

fn ensure(result: f32) -> anyhow::Result<()> {
    ensure!(result == COUNT as f32 / 4.0, "the sum is {result}");
    Ok(())
}

/// A buffer of the program's, mapped.
struct Mapped {
    raw: vk::Buffer,
    memory: vk::DeviceMemory,
    size: u64,
    pointer: *mut std::ffi::c_void,
}

impl Mapped {
    const USAGE: vk::BufferUsageFlags = vk::BufferUsageFlags::STORAGE_BUFFER;

    unsafe fn new(instance: &ash::Instance, physical: vk::PhysicalDevice, device: &ash::Device, size: u64) -> anyhow::Result<Self> {
        let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        // SAFETY: see `main`.
        unsafe {
            let raw = device.create_buffer(&vk::BufferCreateInfo::default().size(size).usage(Self::USAGE), None)?;
            let needs = device.get_buffer_memory_requirements(raw);
            let types = instance.get_physical_device_memory_properties(physical);
            let index = (0..types.memory_type_count)
                .find(|&index| {
                    needs.memory_type_bits >> index & 1 == 1 && types.memory_types[index as usize].property_flags.contains(wanted)
                })
                .context("no memory that the host can map")?;
            let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index);
            let memory = device.allocate_memory(&info, None)?;
            device.bind_buffer_memory(raw, memory, 0)?;
            let pointer = device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())?;
            Ok(Self { raw, memory, size, pointer })
        }
    }

    unsafe fn destroy(self, device: &ash::Device) {
        // SAFETY: see `main`.
        unsafe {
            device.destroy_buffer(self.raw, None);
            device.free_memory(self.memory, None);
        }
    }
}
