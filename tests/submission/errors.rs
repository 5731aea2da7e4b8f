//! Calls that are refused, with what they say.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane_device::{Buffer, Device, ForeignBuffer, Image, ImageDescription, MemoryUse, QueueRole, vk};
use wavelane_record::{
    Access, BindingDescription, BufferRange, ComputePipeline, ComputePipelineDescription, ImageBarrier, Recorder, RecorderOptions,
};

use crate::harness::gpu::ensure;
use crate::multiply_add::{PATIENCE, buffer, counted, dispatch, pipeline, says, spirv};

const BINDINGS: [BindingDescription; 2] =
    [BindingDescription::storage_buffer(Access::ComputeRead), BindingDescription::storage_buffer(Access::ComputeWrite)];

fn description(spirv: &[u32]) -> ComputePipelineDescription<'_> {
    ComputePipelineDescription {
        name: "changed",
        spirv,
        bindings: &BINDINGS,
        push_constant_bytes: 8,
        specialization: &[],
        required_subgroup_size: None,
        full_subgroups: false,
        dispatch_base: false,
    }
}

pub fn calls(device: &Arc<Device>) -> Result<(), Failed> {
    let (from, to) = (counted(device, 64)?, buffer(device, 64, MemoryUse::Device)?);
    let [from, whole] = [&from, &to].map(BufferRange::whole);
    let mut recorder = Recorder::new(device)?;

    let words = spirv(include_bytes!("../data/shaders/multiply_add.spv"));
    // SAFETY: the module is valid, and the description is of it.
    let without_base = unsafe { ComputePipeline::new(device, &description(&words)) }?;
    ensure(!without_base.takes_base(), || "a base without being asked".to_owned())?;
    // SAFETY: refused.
    let based = unsafe { recorder.dispatch_base(&without_base, &[from.into(), whole.into()], &[0; 8], [1, 0, 0], [1; 3]) };
    says(based, "pipeline `changed` was not made to be dispatched from a base")?;
    let bindings = [BINDINGS[0], BindingDescription::storage_buffer(Access::TransferWrite)];
    // SAFETY: refused.
    let odd = unsafe { ComputePipeline::new(device, &ComputePipelineDescription { bindings: &bindings, ..description(&words) }) };
    says(odd, "binding 1 of pipeline `changed` was declared with access TransferWrite, which is none of a shader's")?;

    for (usage, lacks) in [
        (vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST, "STORAGE_BUFFER"),
        (vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST, "TRANSFER_SRC"),
        (vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_SRC, "TRANSFER_DST"),
    ] {
        let described = ForeignBuffer { size: 256, usage, name: "foreign", keep: None };
        // SAFETY: the buffer outlives the handle.
        let foreign = unsafe { Buffer::from_raw(device, to.raw(), &described) }?;
        let range = BufferRange::whole(&foreign);
        let refused = match lacks {
            "STORAGE_BUFFER" => dispatch(&mut recorder, &without_base, from, range, 1),
            "TRANSFER_SRC" => recorder.copy(range, from),
            _ => recorder.fill(range, 0),
        };
        says(refused, &format!("buffer `foreign` was not created with usage {lacks}"))?;
    }
    says(BufferRange::new(&to, 200, 57), "57 bytes at offset 200 do not lie within a range of 256 bytes")?;
    says(BufferRange::new(&to, u64::MAX, 2), "do not lie within a range of 256 bytes")?;

    // A queue that only copies is where the device has one for that.
    let mut copies = Recorder::with_options(device, &RecorderOptions { queue: QueueRole::Transfer, ..RecorderOptions::default() })?;
    let refused = dispatch(&mut copies, &without_base, from, whole, 1);
    if device.queue(QueueRole::Transfer).flags().contains(vk::QueueFlags::COMPUTE) {
        refused?;
    } else {
        says(refused, "pipeline `changed` was dispatched on a transfer queue, which cannot compute")?;
    }

    // Nothing that was refused was recorded.
    ensure((recorder.dispatches(), recorder.barriers()) == (0, 0), || format!("{recorder:?}"))?;
    recorder.submit()?.wait(PATIENCE)?;
    let over = "the recording was ended, and the recorder can record again only after a reset";
    says(dispatch(&mut recorder, &without_base, from, whole, 1), over)?;
    says(recorder.copy(from, whole), over)?;
    says(recorder.update(whole, &[0; 256]), over)?;
    says(recorder.begin_timing("late"), over)?;
    says(recorder.end_timing(), over)?;
    says(recorder.submit(), over)?;
    says(recorder.finish(), over)
}

/// Pipelines, buffers and images stay with their device.
pub fn two_devices(one: &Arc<Device>, other: &Arc<Device>) -> Result<(), Failed> {
    let (ours, theirs) = (pipeline(one, 0)?, pipeline(other, 0)?);
    let (our_buffer, their_buffer) = (counted(one, 64)?, counted(other, 64)?);
    let [our_range, their_range] = [&our_buffer, &their_buffer].map(BufferRange::whole);
    let image = Image::new(other, &ImageDescription { extent: [4, 4, 1], format: vk::Format::R32_UINT, name: "theirs" })?;
    let mut recorder = Recorder::new(one)?;
    says(dispatch(&mut recorder, &theirs, our_range, our_range, 1), "pipeline `multiply_add` belongs to another device than the recorder")?;
    let elsewhere = "`tested` belongs to another device than the recorder";
    says(dispatch(&mut recorder, &ours, our_range, their_range, 1), elsewhere)?;
    says(recorder.fill(their_range, 0), elsewhere)?;
    says(recorder.copy(our_range, their_range), elsewhere)?;
    says(recorder.update(their_range, &[0; 256]), elsewhere)?;
    says(recorder.copy_to_image(our_range.slice(0, 64)?, &image), "`theirs` belongs to another device than the recorder")?;
    says(recorder.barrier(&[crate::multiply_add::written(&their_buffer, Access::HostRead)]), elsewhere)?;
    recorder.assume(their_range, Access::ComputeWrite);
    says(recorder.hand_over(their_range, Access::HostRead), elsewhere)?;
    says(
        recorder.barriers_of(&[], &[ImageBarrier::discard(&image, Access::ComputeRead)]),
        "`theirs` belongs to another device than the recorder",
    )?;
    let mut their_recorder = Recorder::new(other)?;
    let differ = "recorders for different queues cannot be submitted together";
    says(Recorder::submit_together(&mut [&mut recorder, &mut their_recorder], &[]), differ)?;
    Ok(recorder.submit()?.wait(PATIENCE)?)
}
