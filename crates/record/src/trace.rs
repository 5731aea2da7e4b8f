//! What a run did on the device, dispatch by dispatch: as a trace for Perfetto and Chrome, and as a table. Plain data; nothing here touches Vulkan.

mod clock;
mod json;
mod peak;
mod table;

pub use self::clock::{DeviceClock, DeviceSpan};
pub use self::peak::measure_copy_rate;

use wavelane_device::{Device, QueueRole};

use crate::profile::DispatchProfile;

/// One dispatch of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DispatchRecord {
    /// Name of its pipeline.
    pub kernel: String,
    /// How the invocations of a workgroup exchange data, where that is known: `lsm`, `subgroup`, `shuffle`.
    pub path: Option<String>,
    /// Workgroups in x, y and z; none where the device itself took them from a buffer.
    pub groups: Option<[u32; 3]>,
    /// When it ran; none where the device has no usable clock.
    pub span: Option<DeviceSpan>,
    /// Bytes of memory it reads and writes by the kernel's own account, where that is known.
    pub bytes: Option<u64>,
    /// The queue it ran on, by name.
    pub queue: String,
    /// Number of its submission within the run.
    pub submission: u64,
    /// Barriers recorded between the dispatch before and this one.
    pub barriers_before: u32,
}

/// The dispatches of a run, in the order in which they were added.
///
/// ```
/// use wavelane_record::{DeviceClock, DispatchRecord, Trace};
///
/// let mut trace = Trace::new("Mali-G610", DeviceClock::new(48, 52.0));
/// // What the two timestamps around the dispatch say.
/// let span = trace.clock_mut().span(1000, 11_000);
/// trace.push(DispatchRecord {
///     kernel: "reduce.rows".into(),
///     path: Some("shuffle".into()),
///     groups: Some([256, 1, 1]),
///     span,
///     bytes: Some(4 << 20),
///     queue: "compute".into(),
///     ..Default::default()
/// });
/// println!("{}", trace.table(Some(34.0)));
/// assert!(trace.to_json().contains(r#""name":"reduce.rows""#));
/// ```
#[derive(Clone, Debug)]
pub struct Trace {
    device: String,
    clock: DeviceClock,
    records: Vec<DispatchRecord>,
    submissions: u64,
}

impl DispatchRecord {
    /// How long it took, in nanoseconds.
    pub fn nanoseconds(&self) -> Option<f64> {
        self.span.map(DeviceSpan::nanoseconds)
    }

    /// Bytes moved in each nanosecond, which is GB/s. None where bytes or time are not known, or the time is shorter than a tick.
    pub fn gb_per_second(&self) -> Option<f64> {
        rate(self.bytes?, self.nanoseconds()?)
    }
}

impl Trace {
    /// An empty trace of a device.
    pub fn new(device: impl Into<String>, clock: DeviceClock) -> Self {
        Self { device: device.into(), clock, records: Vec::new(), submissions: 0 }
    }

    /// An empty trace of this device.
    pub fn of(device: &Device) -> Self {
        let clock = &device.capabilities().timestamps;
        // One clock, of whose bits some queues may show fewer. What a queue without any ran has no times, and needs no clock.
        let queues =
            [QueueRole::Compute, QueueRole::AsyncCompute, QueueRole::Transfer].map(|role| device.queue(role).timestamp_valid_bits());
        let bits = queues.into_iter().filter(|&bits| bits > 0).fold(clock.valid_bits, u32::min);
        Self::new(device.capabilities().shown_name(), DeviceClock::new(bits, clock.period_ns))
    }

    /// The device's name.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// The clock that turns the device's timestamps into the trace's nanoseconds.
    pub fn clock(&self) -> &DeviceClock {
        &self.clock
    }

    /// The clock, to turn timestamps with.
    pub fn clock_mut(&mut self) -> &mut DeviceClock {
        &mut self.clock
    }

    /// Adds the dispatches of a submission, from [`Submission::profile`](crate::Submission::profile) or
    /// [`Recorder::foreign_profile`](crate::Recorder::foreign_profile), and gives them back to be completed by what the recorder does not know: path and
    /// bytes. Submissions are numbered in the order in which they are added, and are best added in the order in which they ran.
    pub fn add(&mut self, queue: &str, dispatches: &[DispatchProfile]) -> &mut [DispatchRecord] {
        let first = self.records.len();
        let submission = self.submissions;
        self.submissions += 1;
        for dispatch in dispatches {
            let span = dispatch.ticks.and_then(|(begin, end)| self.clock.span(begin, end));
            self.records.push(DispatchRecord {
                kernel: dispatch.kernel.clone(),
                path: None,
                groups: dispatch.groups,
                span,
                bytes: None,
                queue: queue.to_owned(),
                submission,
                barriers_before: dispatch.barriers_before,
            });
        }
        &mut self.records[first..]
    }

    /// Adds a dispatch.
    pub fn push(&mut self, record: DispatchRecord) {
        self.records.push(record);
    }

    /// The dispatches so far.
    pub fn records(&self) -> &[DispatchRecord] {
        &self.records
    }

    /// The dispatches so far, to add what the recorder did not know: path and bytes.
    pub fn records_mut(&mut self) -> &mut [DispatchRecord] {
        &mut self.records
    }
}

/// GB/s.
fn rate(bytes: u64, nanoseconds: f64) -> Option<f64> {
    (nanoseconds > 0.0).then(|| bytes as f64 / nanoseconds)
}
