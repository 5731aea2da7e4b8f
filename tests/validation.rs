//! Canaries: what is wrong must fail its trial, or no other test means anything.

mod harness;

use std::process::ExitCode;
use std::sync::Arc;

use harness::Case;
use harness::gpu::{device, ensure};
use libtest_mimic::Failed;
use wavelane_device::{Buffer, BufferDescription, Device, MemoryUse, QueueRole, vk};

fn main() -> ExitCode {
    harness::main(vec![
        Case::once("an_error_fails_its_trial", &[], || Err("as meant".into())).must_fail("failed: as meant"),
        Case::once("a_panic_fails_its_trial", &[], || panic!("as meant")).must_fail("as meant"),
        Case::once("a_crash_fails_its_trial", &[], || std::process::abort()).must_fail("crashed"),
        Case::new("correct_use_is_silent", |_| copy(&Wrong::Nothing)),
        Case::new("core_validation_is_on", |_| copy(&Wrong::OutOfBounds))
            .must_fail("validation: Vulkan: VUID-vkCmdCopyBuffer-srcOffset-00113"),
        Case::new("synchronization_validation_is_on", |_| copy(&Wrong::NoBarrier))
            .must_fail("validation: Vulkan: SYNC-HAZARD-READ-AFTER-WRITE"),
        Case::new("what_outlives_its_device_is_noticed", |_| leak()).must_fail("validation: Vulkan: VUID-vkDestroyDevice-device-"),
        Case::new("an_instance_collects_its_messages", |_| collect()).must_fail("collected VUID-vkCmdCopyBuffer-srcOffset-00113"),
    ])
}

enum Wrong {
    Nothing,
    OutOfBounds,
    NoBarrier,
}

/// Records a fill and a copy of what was filled. It is never submitted: validation needs only the record, and no driver has to bear the fault.
fn copy(wrong: &Wrong) -> Result<(), Failed> {
    let device = device(None)?;
    record_copy(&device, wrong)
}

fn record_copy(device: &Arc<Device>, wrong: &Wrong) -> Result<(), Failed> {
    let buffer = |name| Buffer::new(device, &BufferDescription { size: 1024, memory: MemoryUse::Device, name });
    let (from, to) = (buffer("from")?, buffer("to")?);
    let raw = device.raw();
    let source_offset = if matches!(wrong, Wrong::OutOfBounds) { 1024 } else { 0 };
    let region = [vk::BufferCopy { src_offset: source_offset, dst_offset: 0, size: 512 }];
    let barrier =
        [vk::MemoryBarrier::default().src_access_mask(vk::AccessFlags::TRANSFER_WRITE).dst_access_mask(vk::AccessFlags::TRANSFER_READ)];
    // SAFETY: the pool and its command buffer are used by this thread alone, and destroyed before the device; the faults are only recorded.
    unsafe {
        let pool = raw.create_command_pool(
            &vk::CommandPoolCreateInfo::default().queue_family_index(device.queue(QueueRole::Compute).family()),
            None,
        )?;
        let info =
            vk::CommandBufferAllocateInfo::default().command_pool(pool).level(vk::CommandBufferLevel::PRIMARY).command_buffer_count(1);
        let commands = raw.allocate_command_buffers(&info)?[0];
        raw.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
        raw.cmd_fill_buffer(commands, from.raw(), 0, vk::WHOLE_SIZE, 7);
        if !matches!(wrong, Wrong::NoBarrier) {
            let transfer = vk::PipelineStageFlags::TRANSFER;
            raw.cmd_pipeline_barrier(commands, transfer, transfer, vk::DependencyFlags::empty(), &barrier, &[], &[]);
        }
        raw.cmd_copy_buffer(commands, from.raw(), to.raw(), &region);
        raw.end_command_buffer(commands)?;
        raw.destroy_command_pool(pool, None);
    }
    Ok(())
}

fn leak() -> Result<(), Failed> {
    let device = device(None)?;
    // SAFETY: leaving the fence behind is the fault to be noticed.
    unsafe { device.raw().create_fence(&vk::FenceCreateInfo::default(), None)? };
    Ok(())
}

fn collect() -> Result<(), Failed> {
    let device = device(None)?;
    record_copy(&device, &Wrong::OutOfBounds)?;
    let messages = device.instance().validation_messages();
    ensure(messages == device.instance().take_validation_messages(), || "looking took messages".to_owned())?;
    ensure(device.instance().validation_messages().is_empty(), || "taking left messages".to_owned())?;
    for message in messages {
        eprintln!("collected {}", message.id);
    }
    Ok(())
}
