//! From the device's ticks, which wrap around, to nanoseconds, which do not.

/// When something ran, in nanoseconds since the first timestamp of the trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceSpan {
    /// When it began. Below zero where something ran before what was traced first.
    pub begin_ns: f64,
    /// When it ended.
    pub end_ns: f64,
}

impl DeviceSpan {
    /// How long it took.
    pub fn nanoseconds(self) -> f64 {
        self.end_ns - self.begin_ns
    }
}

/// From so many bits on, half a clock's range is minutes at least, and what looks longer is a clock that ran backwards.
const LONG_BITS: u32 = 40;

/// The clock of a device, followed from one timestamp to the next.
///
/// Timestamps have fewer than 64 bits on many devices and begin again at 0, for some after seconds. A wrap is recognised as long as less than half the
/// clock's range lies between two timestamps that are added one after the other. Vulkan promises that timestamps of one queue can be
/// compared; devices use one clock for all of their queues, and so does this.
#[derive(Clone, Debug)]
pub struct DeviceClock {
    valid_bits: u32,
    period_ns: f64,
    /// The timestamp before, and where it lies from the first.
    last: Option<(u64, i64)>,
}

impl DeviceClock {
    /// A clock whose timestamps have this many bits that count, and ticks of so many nanoseconds.
    pub fn new(valid_bits: u32, period_ns: f64) -> Self {
        Self { valid_bits: valid_bits.min(64), period_ns, last: None }
    }

    /// Whether it tells time: it has bits that count, and ticks of some length.
    pub fn usable(&self) -> bool {
        self.valid_bits > 0 && self.period_ns.is_finite() && self.period_ns > 0.0
    }

    /// What it is, in words: `52 ns a tick, 48 bits`, or why there is none.
    pub fn describe(&self) -> String {
        if self.usable() {
            return format!("{} ns a tick, {} bits", self.period_ns, self.valid_bits);
        }
        if self.valid_bits == 0 {
            return "none: the queue has no timestamps (timestampValidBits is 0)".into();
        }
        format!("none: the driver gives no usable length of a tick (timestampPeriod is {})", self.period_ns)
    }

    /// The span between two timestamps; none where the clock does not tell time, or ran backwards between them. Spans are given in the order in
    /// which they ran, or nearly so.
    pub fn span(&mut self, begin: u64, end: u64) -> Option<DeviceSpan> {
        if !self.usable() {
            return None;
        }
        let mask = u64::MAX >> (64 - self.valid_bits);
        let long = end.wrapping_sub(begin) & mask;
        if self.valid_bits >= LONG_BITS && long > mask / 2 {
            return None;
        }
        let begins = match self.last {
            None => 0,
            Some((last, position)) => position.saturating_add(self.signed(begin.wrapping_sub(last))),
        };
        self.last = Some((begin, begins));
        let nanoseconds = |ticks: f64| ticks * self.period_ns;
        let begin_ns = nanoseconds(begins as f64);
        Some(DeviceSpan { begin_ns, end_ns: nanoseconds(begins as f64 + long as f64) })
    }

    /// The difference of two timestamps as the lesser way around.
    fn signed(&self, difference: u64) -> i64 {
        let unused = 64 - self.valid_bits;
        (difference << unused).cast_signed() >> unused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(clock: &mut DeviceClock, ticks: &[(u64, u64)]) -> Vec<Option<(f64, f64)>> {
        ticks.iter().map(|&(begin, end)| clock.span(begin, end).map(|span| (span.begin_ns, span.end_ns))).collect()
    }

    #[test]
    fn time_begins_with_the_first_timestamp() {
        let mut clock = DeviceClock::new(64, 2.0);
        assert_eq!(spans(&mut clock, &[(1000, 1010), (1020, 1025)]), [Some((0.0, 20.0)), Some((40.0, 50.0))]);
    }

    #[test]
    fn it_goes_on_where_the_clock_wraps_around_again_and_again() {
        for bits in [8, 36, 48] {
            let mut clock = DeviceClock::new(bits, 1.0);
            let range = 1u64 << bits;
            for step in 0..40u64 {
                let at = step * (range / 3);
                // Bits above those that count hold anything.
                let above = step.wrapping_mul(0x1234_5678_9abc_def1) << bits;
                let tick = |at: u64| ((at + 5) % range) | above;
                let expected = DeviceSpan { begin_ns: at as f64, end_ns: (at + 3) as f64 };
                assert_eq!(clock.span(tick(at), tick(at + 3)), Some(expected), "{bits} bits, step {step}");
            }
        }
    }

    #[test]
    fn a_span_over_the_wrap_has_its_length() {
        let mut clock = DeviceClock::new(32, 1.0);
        assert_eq!(spans(&mut clock, &[(u64::from(u32::MAX) - 9, 10), (30, 40)]), [Some((0.0, 20.0)), Some((40.0, 50.0))]);
    }

    #[test]
    fn what_began_earlier_lies_before() {
        let mut clock = DeviceClock::new(36, 1.0);
        assert_eq!(spans(&mut clock, &[(5, 9), ((1 << 36) - 5, 2), (6, 8)]), [Some((0.0, 4.0)), Some((-10.0, -3.0)), Some((1.0, 3.0))]);
    }

    #[test]
    fn a_clock_that_ran_backwards_gives_no_time() {
        assert_eq!(DeviceClock::new(64, 1.0).span(10, 9), None);
        assert_eq!(DeviceClock::new(48, 1.0).span(10, 9), None);
        // Half the range of a short clock is seconds, which a dispatch may take.
        assert!(DeviceClock::new(32, 1.0).span(0, 3_000_000_000).is_some_and(|span| span.nanoseconds() == 3e9));
    }

    #[test]
    fn without_a_clock_there_is_no_time_but_a_reason() {
        for (bits, period, reason) in [
            (0, 1.0, "timestampValidBits is 0"),
            (64, 0.0, "timestampPeriod is 0"),
            (64, f64::INFINITY, "is inf"),
            (64, f64::NAN, "is NaN"),
        ] {
            let mut clock = DeviceClock::new(bits, period);
            assert_eq!(clock.span(0, 100), None, "{bits} bits of {period} ns");
            assert!(clock.describe().starts_with("none: ") && clock.describe().contains(reason), "{}", clock.describe());
        }
        assert_eq!(DeviceClock::new(36, 52.0).describe(), "52 ns a tick, 36 bits");
    }
}
