//! One buffer in which all arrays of a chain lie, with gaps between them, and what was done last with each of them.

use libtest_mimic::Failed;
use wavelane::device::{Buffer, BufferDescription, Device, MemoryUse};
use wavelane::record::{Access, BufferBarrier, BufferRange};

use std::sync::Arc;

/// What is in memory that nothing was written to.
const UNTOUCHED: u8 = 0xa5;

/// Some bytes of the buffer.
#[derive(Clone, Debug, Default)]
pub struct Slot {
    pub offset: u64,
    pub size: u64,
    /// How it was written last, unless by the host.
    written: Option<Access>,
    /// What that was made visible to.
    seen_by: Vec<Access>,
    /// What read it since.
    read_by: Vec<Access>,
}

/// The buffer's bytes before the chain runs, and who has which of them.
pub struct Arena {
    pub slots: Vec<Slot>,
    image: Vec<u8>,
    alignment: u64,
}

impl Arena {
    pub fn new(device: &Device) -> Self {
        // Of bindings; gaps are as large, and show what is written beside.
        let alignment = device.capabilities().limits.min_storage_buffer_offset_alignment.max(16);
        Self { slots: Vec::new(), image: vec![UNTOUCHED; alignment as usize], alignment }
    }

    /// A new slot, of whole words.
    pub fn slot(&mut self, bytes: u64) -> usize {
        let (offset, size) = (self.image.len() as u64, bytes.next_multiple_of(4).max(4));
        let end = (offset + size).next_multiple_of(self.alignment) + self.alignment;
        self.image.resize(end as usize, UNTOUCHED);
        self.slots.push(Slot { offset, size, ..Slot::default() });
        self.slots.len() - 1
    }

    /// A new slot that has this in it from the start.
    pub fn upload(&mut self, bytes: &[u8], room: u64) -> usize {
        let slot = self.slot(room.max(bytes.len() as u64));
        let begin = self.slots[slot].offset as usize;
        self.image[begin..begin + bytes.len()].copy_from_slice(bytes);
        slot
    }

    pub fn buffer(&self, device: &Arc<Device>) -> Result<Buffer, Failed> {
        let size = self.image.len() as u64;
        let buffer = Buffer::new(device, &BufferDescription { size, memory: MemoryUse::Shared, name: "arrays" })?;
        buffer.write(0, &self.image)?;
        Ok(buffer)
    }

    /// Fails if anything was written between the slots.
    pub fn check_gaps(&self, bytes: &[u8]) -> Result<(), String> {
        let mut begin = 0;
        let ends = self.slots.iter().map(|slot| (slot.offset, slot.offset + slot.size)).chain([(bytes.len() as u64, 0)]);
        for (end, next) in ends {
            match (begin..end as usize).find(|&at| bytes[at] != UNTOUCHED) {
                Some(at) => return Err(format!("byte {at} was written, beside the arrays that begin or end at {begin} and {end}")),
                None => begin = next as usize,
            }
        }
        Ok(())
    }
}

impl Slot {
    pub fn range<'a>(&self, buffer: &'a Buffer) -> Result<BufferRange<'a>, Failed> {
        Ok(BufferRange::new(buffer, self.offset, self.size)?)
    }

    /// Whether the device has written it.
    pub fn is_written(&self) -> bool {
        self.written.is_some()
    }

    /// The barriers that make it ready for these accesses.
    pub fn make_ready<'a>(&mut self, range: BufferRange<'a>, before: &[Access]) -> Vec<BufferBarrier<'a>> {
        let mut barriers = Vec::new();
        for &access in before {
            if let Some(written) = self.written.filter(|_| !self.seen_by.contains(&access)) {
                barriers.push(BufferBarrier::new(range, written, access));
                self.seen_by.push(access);
            }
            if access.writes() {
                barriers.extend(self.read_by.iter().map(|&read| BufferBarrier::new(range, read, access)));
            }
        }
        barriers
    }

    /// Notes what a kernel has done.
    pub fn note(&mut self, after: &[Access]) {
        if let Some(&written) = after.iter().find(|access| access.writes()) {
            *self = Slot { written: Some(written), seen_by: Vec::new(), read_by: Vec::new(), ..*self };
        }
        for &access in after.iter().filter(|access| !access.writes() && !self.read_by.contains(access)).collect::<Vec<_>>() {
            self.read_by.push(access);
        }
    }
}
