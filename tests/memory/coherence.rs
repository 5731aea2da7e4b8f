//! Memory that is treated as not coherent: every flush and invalidation is made, and the validation layer checks its range. On the device's own atoms, and on the
//! largest that there may be.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane_device::{Buffer, BufferDescription, Device, DeviceOptions, MemoryUse, Profile, vk};
use wavelane_record::{Access, BufferBarrier, BufferRange, Recorder, StagingRing};

use crate::harness::gpu::{device_with, ensure};
use crate::multiply_add::PATIENCE;
use crate::support::{buffer, pattern, readbacks};

fn device(profile: Option<Profile>) -> Result<Arc<Device>, Failed> {
    device_with(&DeviceOptions { profile, assume_non_coherent: true, ..DeviceOptions::default() })
}

fn devices() -> Result<[Arc<Device>; 2], Failed> {
    let devices = [device(None)?, device(Some(Profile::named("minimal")?))?];
    let atom = devices[1].capabilities().limits.non_coherent_atom_size;
    ensure(atom >= 256, || format!("an atom of {atom} bytes"))?;
    Ok(devices)
}

/// First and last bytes of buffers that share memory objects and of some that have their own, beside neighbours that must not change.
pub fn edges() -> Result<(), Failed> {
    for device in devices()? {
        for memory in [MemoryUse::Upload, MemoryUse::Readback, MemoryUse::Shared] {
            let buffers = [1, 63, 64, 65, 255, 257, 4096, 100_003, (40 << 20) + 1, 1]
                .map(|size| Buffer::new(&device, &BufferDescription { size, memory, name: "edges" }))
                .into_iter()
                .collect::<Result<Vec<_>, _>>()?;
            ensure(buffers.iter().all(|buffer| buffer.is_mapped() && !buffer.is_coherent()), || format!("{buffers:?}"))?;
            for (index, buffer) in buffers.iter().enumerate() {
                let mark = index as u8 + 1;
                buffer.write(0, &[mark])?;
                buffer.write(buffer.size() - 1, &[mark])?;
                let length = buffer.size().min(300);
                buffer.write(buffer.size() - length, &vec![mark; length as usize])?;
            }
            for (index, buffer) in buffers.iter().enumerate() {
                let length = buffer.size().min(300) as usize;
                let mut found = vec![0; length];
                buffer.read(buffer.size() - length as u64, &mut found)?;
                ensure(found.iter().all(|&byte| byte == index as u8 + 1), || format!("{memory:?}: buffer {index} was changed"))?;
                // SAFETY: nothing writes the buffer meanwhile.
                let there = unsafe { buffer.mapped_bytes(buffer.size() - length as u64, length) }?;
                ensure(there == found, || format!("{memory:?}: buffer {index} differs in place"))?;
            }
        }
    }
    Ok(())
}

pub fn ring_and_readbacks() -> Result<(), Failed> {
    for device in devices()? {
        let atom = device.capabilities().limits.non_coherent_atom_size;
        let target = buffer(&device, 5000, MemoryUse::Device)?;
        let pool = readbacks(&device, 1 << 16);
        let mut ring = StagingRing::new(&device, 1000)?;
        ensure(ring.capacity().is_multiple_of(atom), || format!("a ring of {} bytes", ring.capacity()))?;
        for turn in 0..50u64 {
            let mut recorder = Recorder::new(&device)?;
            let part = BufferRange::new(&target, turn * 7, 1 + turn * 9 % 700)?;
            let bytes = pattern(turn, part.size() as usize);
            // Two parts never share an atom.
            let place = ring.place(&recorder, &bytes[..1], PATIENCE)?;
            ensure(place.offset().is_multiple_of(atom), || format!("{place:?}"))?;
            ring.stage(&mut recorder, part, &bytes, PATIENCE)?;
            recorder.barrier(&[BufferBarrier::new(part, Access::TransferWrite, Access::TransferRead)])?;
            let readback = pool.read(&mut recorder, part)?;
            recorder.submit()?;
            ensure(readback.wait(PATIENCE)?[..] == bytes[..], || format!("turn {turn} brought other bytes"))?;
        }
    }
    Ok(())
}

/// What a wrong range would come to: the layer reports it.
pub fn half_an_atom() -> Result<(), Failed> {
    let device = device(None)?;
    let info = vk::MemoryAllocateInfo::default().allocation_size(4096);
    let atom = device.capabilities().limits.non_coherent_atom_size;
    ensure(atom > 1, || "VUID-VkMappedMemoryRange needs no atoms here".to_owned())?;
    let kinds = &device.capabilities().memory.types;
    let visible = kinds.iter().position(|kind| kind.properties.contains(wavelane_device::MemoryProperties::HOST_VISIBLE));
    let info = info.memory_type_index(visible.ok_or("no memory for the host")? as u32);
    // SAFETY: but for the range, which is not made of whole atoms, everything is as it must be.
    unsafe {
        let memory = device.raw().allocate_memory(&info, None)?;
        device.raw().map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())?;
        let range = vk::MappedMemoryRange::default().memory(memory).offset(atom / 2).size(atom);
        let flushed = device.raw().flush_mapped_memory_ranges(&[range]);
        device.raw().free_memory(memory, None);
        flushed?;
    }
    Ok(())
}
