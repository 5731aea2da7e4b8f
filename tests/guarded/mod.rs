//! The buffers of a plan, in one, each with as much before and behind it as its offset is aligned to: what a kernel writes beside them shows.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::time::Duration;

use libtest_mimic::Failed;
use wavelane::device::{Buffer, BufferDescription, MemoryUse};
use wavelane::record::{Access, BufferBarrier, BufferRange, Recorder};
use wavelane::{Context, Error, Kernel, Plan};

use super::harness::gpu::ensure;

const PATIENCE: Duration = Duration::from_secs(120);

/// What is in memory before and behind, and must still be there afterwards.
pub const GUARD: u8 = 0xa5;

/// That a recording with these buffers is refused for the one that is named, or for two that overlap (`a and b`), and that nothing is recorded.
pub fn refused<K: Kernel>(context: &Context, plan: &Plan<K>, bindings: &K::Bindings<'_>, binding: &str) -> Result<(), Failed> {
    let mut recorder = Recorder::new(context.device())?;
    let error = plan.record(&mut recorder, bindings);
    let right = match &error {
        Err(Error::BindingTooSmall { binding: found, .. }) => *found == binding,
        Err(Error::BindingsOverlap { first, second }) => binding == format!("{first} and {second}"),
        _ => false,
    };
    ensure(right && recorder.dispatches() == 0, || format!("{binding}: {error:?} after {} dispatches", recorder.dispatches()))
}

/// The buffers of one plan.
pub struct Memory {
    pub buffer: Buffer,
    places: Vec<(u64, u64)>,
}

impl Memory {
    pub fn new<K: Kernel>(context: &Context, plan: &Plan<K>) -> Result<Self, Failed> {
        let alignment = plan.schedule().binding_alignment();
        let mut end = alignment;
        let mut places = Vec::new();
        for need in &plan.schedule().buffers {
            places.push((end, need.bytes));
            end += need.bytes.next_multiple_of(alignment) + alignment;
        }
        let buffer = Buffer::new(context.device(), &BufferDescription { size: end, memory: MemoryUse::Shared, name: "all" })?;
        buffer.write(0, &vec![GUARD; end as usize])?;
        Ok(Self { buffer, places })
    }

    /// The range of a buffer of the schedule's, if it has bytes.
    pub fn range(&self, index: usize) -> Result<Option<BufferRange<'_>>, Failed> {
        match self.places.get(index) {
            Some(&(offset, size)) if size > 0 => Ok(Some(BufferRange::new(&self.buffer, offset, size)?)),
            _ => Ok(None),
        }
    }

    /// The range of a buffer that the plan must have.
    pub fn needed(&self, index: usize) -> Result<BufferRange<'_>, Failed> {
        self.range(index)?.ok_or_else(|| format!("buffer {index} has no bytes").into())
    }

    pub fn write(&self, index: usize, bytes: &[u8]) -> Result<(), Failed> {
        Ok(self.buffer.write(self.places[index].0, bytes)?)
    }

    pub fn read(&self, index: usize) -> Result<Vec<u8>, Failed> {
        let (offset, size) = self.places[index];
        let mut bytes = vec![0; size as usize];
        self.buffer.read(offset, &mut bytes)?;
        Ok(bytes)
    }

    /// That nothing between the buffers was touched.
    pub fn check_guards(&self) -> Result<(), Failed> {
        let mut all = vec![0; self.buffer.size() as usize];
        self.buffer.read(0, &mut all)?;
        let owned = |at: u64| self.places.iter().any(|&(offset, size)| (offset..offset + size).contains(&at));
        match (0..).zip(&all).find(|&(at, &byte)| byte != GUARD && !owned(at)) {
            Some((at, _)) => Err(format!("byte {at} was written, and belongs to no buffer: {:?}", self.places).into()),
            None => Ok(()),
        }
    }

    /// Runs a plan on these buffers, once.
    pub fn run<K: Kernel>(&self, context: &Context, plan: &Plan<K>, bindings: &K::Bindings<'_>) -> Result<(), Failed> {
        let mut recorder = Recorder::new(context.device())?;
        plan.record(&mut recorder, bindings)?;
        let all = BufferRange::whole(&self.buffer);
        recorder.barrier(&[BufferBarrier::new(all, Access::Anything, Access::HostRead)])?;
        recorder.submit()?.wait(PATIENCE)?;
        Ok(())
    }
}
