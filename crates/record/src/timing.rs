//! GPU timestamps.

use ash::vk;
use wavelane_device::{Device, Timestamps};

use crate::error::Error;

const FIRST_POOL_QUERIES: u32 = 64;

/// How long a part of the recorded work took.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// The label it was given.
    pub label: String,
    /// Nanoseconds on the device's clock. `None` where the device has no usable clock, or the work is not done.
    pub nanoseconds: Option<f64>,
}

/// Where a timestamp is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query {
    pool: vk::QueryPool,
    index: u32,
}

/// A part of the work between two timestamps; none where the device has no clock.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) label: String,
    pub(crate) queries: Option<(Query, Query)>,
}

/// A recorder's query pools: each twice as large as the one before, kept from one recording to the next.
#[derive(Default)]
pub(crate) struct QueryPools {
    pools: Vec<vk::QueryPool>,
    current: usize,
    used: u32,
}

impl QueryPools {
    /// Two queries for a span, reset in `commands` before their first use.
    pub(crate) fn pair(&mut self, device: &Device, commands: vk::CommandBuffer) -> Result<(Query, Query), Error> {
        if self.used + 2 > capacity(self.current) {
            self.current += 1;
            self.used = 0;
        }
        if self.current >= self.pools.len() {
            let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(capacity(self.current));
            // SAFETY: the device is alive.
            let pool =
                unsafe { device.raw().create_query_pool(&info, None) }.map_err(|result| Error::vulkan("vkCreateQueryPool", result))?;
            device.set_name(pool, "wavelane timestamps");
            self.pools.push(pool);
        }
        let Some(&pool) = self.pools.get(self.current) else { return Err(Error::NotRecording) };
        if self.used == 0 {
            // SAFETY: the command buffer is being recorded outside of a render pass; the pool is of its device and has so many queries.
            unsafe { device.raw().cmd_reset_query_pool(commands, pool, 0, capacity(self.current)) };
        }
        let index = self.used;
        self.used += 2;
        Ok((Query { pool, index }, Query { pool, index: index + 1 }))
    }

    /// Starts over for a new recording.
    pub(crate) fn restart(&mut self) {
        (self.current, self.used) = (0, 0);
    }

    /// Destroys the pools. None may be in use.
    pub(crate) fn destroy(&mut self, device: &Device) {
        for pool in self.pools.drain(..) {
            // SAFETY: nothing in flight uses the pool, as the caller promises.
            unsafe { device.raw().destroy_query_pool(pool, None) };
        }
    }
}

/// Size of the pool with this number. The smallest is far from using up `u32`, but a caller who asks for billions is not to overflow it.
fn capacity(pool: usize) -> u32 {
    FIRST_POOL_QUERIES << pool.min(10)
}

/// Writes a timestamp once everything recorded before is done.
pub(crate) fn write(device: &Device, commands: vk::CommandBuffer, query: Query) {
    // SAFETY: the command buffer is being recorded, the query was reset in it and not written since.
    unsafe {
        match device.synchronization2() {
            Some(functions) => {
                functions.cmd_write_timestamp2(commands, vk::PipelineStageFlags2::ALL_COMMANDS, query.pool, query.index);
            }
            None => device.raw().cmd_write_timestamp(commands, vk::PipelineStageFlags::BOTTOM_OF_PIPE, query.pool, query.index),
        }
    }
}

/// The times of spans whose work is done.
pub(crate) fn read(device: &Device, spans: &[Span]) -> Vec<Timing> {
    let clock = &device.capabilities().timestamps;
    spans
        .iter()
        .map(|span| {
            let ticks = span.queries.and_then(|queries| read_ticks(device, queries));
            Timing { label: span.label.clone(), nanoseconds: ticks.and_then(|(begin, end)| elapsed(clock, begin, end)) }
        })
        .collect()
}

/// What the clock said at two timestamps whose work is done.
pub(crate) fn read_ticks(device: &Device, (begin, end): (Query, Query)) -> Option<(u64, u64)> {
    Some((ticks(device, begin)?, ticks(device, end)?))
}

fn ticks(device: &Device, query: Query) -> Option<u64> {
    // The second word says whether the first is there: no waiting, and no trust in drivers that answer too early.
    let mut words = [[0u64; 2]];
    let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
    // SAFETY: the query was reset and written by work that is done; the result has the size that the flags call for.
    match unsafe { device.raw().get_query_pool_results(query.pool, query.index, &mut words, flags) } {
        Ok(()) if words[0][1] != 0 => Some(words[0][0]),
        Ok(()) | Err(vk::Result::NOT_READY) => None,
        Err(result) => {
            log::debug!("vkGetQueryPoolResults failed: {result:?}");
            None
        }
    }
}

/// Nanoseconds between two timestamps of a clock that wraps around at its valid bits.
fn elapsed(clock: &Timestamps, begin: u64, end: u64) -> Option<f64> {
    if clock.valid_bits == 0 || !clock.period_ns.is_finite() || clock.period_ns <= 0.0 {
        return None;
    }
    let mask = if clock.valid_bits >= 64 { u64::MAX } else { (1 << clock.valid_bits) - 1 };
    Some((end.wrapping_sub(begin) & mask) as f64 * clock.period_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_may_wrap_around() {
        let clock = Timestamps { valid_bits: 36, period_ns: 2.0 };
        assert_eq!(elapsed(&clock, 10, 25), Some(30.0));
        assert_eq!(elapsed(&clock, (1 << 36) - 5, 5), Some(20.0));
        // Bits above the valid ones mean nothing.
        assert_eq!(elapsed(&clock, 1 << 40 | 10, 25), Some(30.0));
        assert_eq!(elapsed(&Timestamps { valid_bits: 64, period_ns: 1.0 }, u64::MAX, 1), Some(2.0));
    }

    #[test]
    fn without_a_clock_there_is_no_time() {
        for clock in [(0, 1.0), (64, 0.0), (64, f64::NAN), (64, f64::INFINITY)] {
            assert_eq!(elapsed(&Timestamps { valid_bits: clock.0, period_ns: clock.1 }, 0, 5), None, "{clock:?}");
        }
    }
}
