//! The trace in Chrome's event format, which Perfetto (<https://ui.perfetto.dev>) and `chrome://tracing` open.

use serde_json::{Map, Value, json};

use super::{DispatchRecord, Trace};

/// The one process of the trace: the device.
const PROCESS: u32 = 1;

/// A row of the viewer: dispatches of one queue that do not overlap.
struct Lane {
    queue: String,
    /// Its number among the lanes of the queue.
    number: usize,
    busy_until_ns: f64,
}

impl Trace {
    /// The trace as JSON: the device as the process, its queues as threads, each dispatch as a span with what is known of it, and the rates as a
    /// counter. Dispatches without times are in no span, and never shown as if they took none: they are listed under `otherData` with the reason.
    pub fn to_json(&self) -> String {
        let mut lanes = Vec::new();
        let mut events = vec![json!({ "ph": "M", "name": "process_name", "pid": PROCESS, "args": { "name": self.device() } })];
        let mut spans = Vec::new();
        let mut untimed = Vec::new();
        for record in self.records() {
            let Some(span) = record.span else {
                untimed.push(Value::Object(with_name(record)));
                continue;
            };
            let thread = lane(&mut lanes, &record.queue, span.begin_ns, span.end_ns);
            let (begin, end) = (span.begin_ns / 1e3, span.end_ns / 1e3);
            spans.push(json!({
                "ph": "X", "name": record.kernel, "cat": "dispatch", "pid": PROCESS, "tid": thread, "ts": begin, "dur": end - begin,
                "args": arguments(record),
            }));
            if let Some(rate) = record.gb_per_second() {
                for (at, rate) in [(begin, rate), (end, 0.0)] {
                    spans.push(json!({ "ph": "C", "name": "GB/s", "pid": PROCESS, "ts": at, "args": { "GB/s": rate } }));
                }
            }
        }
        for (lane, thread) in lanes.iter().zip(1..) {
            let name = if lane.number == 0 { lane.queue.clone() } else { format!("{} (beside, {})", lane.queue, lane.number) };
            events.push(json!({ "ph": "M", "name": "thread_name", "pid": PROCESS, "tid": thread, "args": { "name": name } }));
            events.push(json!({ "ph": "M", "name": "thread_sort_index", "pid": PROCESS, "tid": thread, "args": { "sort_index": thread } }));
        }
        events.extend(spans);
        let about = json!({ "device": self.device(), "clock": self.clock().describe(), "dispatches without times": untimed });
        // An event a line, so that a person can search the file.
        let lines: Vec<String> = events.iter().map(Value::to_string).collect();
        format!("{{\"displayTimeUnit\":\"ns\",\"otherData\":{about},\"traceEvents\":[\n{}\n]}}\n", lines.join(",\n"))
    }
}

/// The thread to show a span on, from 1 on: the queue's, or where another span of it still runs then, one beside.
fn lane(lanes: &mut Vec<Lane>, queue: &str, begin_ns: f64, end_ns: f64) -> usize {
    let mut number = 0;
    for (index, lane) in lanes.iter_mut().enumerate().filter(|(_, lane)| lane.queue == queue) {
        if lane.busy_until_ns <= begin_ns {
            lane.busy_until_ns = end_ns;
            return index + 1;
        }
        number += 1;
    }
    lanes.push(Lane { queue: queue.to_owned(), number, busy_until_ns: end_ns });
    lanes.len()
}

/// What is known of a dispatch besides name and time.
fn arguments(record: &DispatchRecord) -> Map<String, Value> {
    let mut arguments = Map::new();
    let groups = record.groups.map_or_else(|| json!("from a buffer"), |groups| json!(groups));
    arguments.insert("groups".into(), groups);
    arguments.insert("submission".into(), json!(record.submission));
    arguments.insert("barriers before".into(), json!(record.barriers_before));
    for (name, value) in [
        ("path", record.path.as_ref().map(|path| json!(path))),
        ("bytes", record.bytes.map(|bytes| json!(bytes))),
        ("GB/s", record.gb_per_second().map(|rate| json!(rate))),
    ] {
        if let Some(value) = value {
            arguments.insert(name.into(), value);
        }
    }
    arguments
}

fn with_name(record: &DispatchRecord) -> Map<String, Value> {
    let mut all = arguments(record);
    all.insert("kernel".into(), json!(record.kernel));
    all.insert("queue".into(), json!(record.queue));
    all
}

#[cfg(test)]
mod tests {
    use super::super::{DeviceClock, DeviceSpan};
    use super::*;

    fn record(kernel: &str, queue: &str, span: Option<(f64, f64)>) -> DispatchRecord {
        DispatchRecord {
            kernel: kernel.into(),
            queue: queue.into(),
            groups: Some([4, 2, 1]),
            span: span.map(|(begin_ns, end_ns)| DeviceSpan { begin_ns, end_ns }),
            ..Default::default()
        }
    }

    fn parsed(records: Vec<DispatchRecord>, clock: DeviceClock) -> serde_json::Result<(Value, Vec<Value>)> {
        let mut trace = Trace::new("a \"GPU\"\n\u{1}", clock);
        records.into_iter().for_each(|record| trace.push(record));
        let whole: Value = serde_json::from_str(&trace.to_json())?;
        let events = whole["traceEvents"].as_array().cloned().unwrap_or_default();
        Ok((whole, events))
    }

    fn of_kind(events: &[Value], kind: &str) -> Vec<Value> {
        events.iter().filter(|event| event["ph"] == kind).cloned().collect()
    }

    #[test]
    fn a_dispatch_is_a_span_with_what_is_known_of_it() -> serde_json::Result<()> {
        let mut full = record("reduce \\ \"sum\"", "compute", Some((1500.0, 4000.0)));
        (full.path, full.bytes, full.submission, full.barriers_before) = (Some("lsm".into()), Some(5000), 7, 2);
        let (whole, events) = parsed(vec![full], DeviceClock::new(64, 1.0))?;
        let expected = json!({
            "ph": "X", "name": "reduce \\ \"sum\"", "cat": "dispatch", "pid": 1, "tid": 1, "ts": 1.5, "dur": 2.5,
            "args": { "groups": [4, 2, 1], "path": "lsm", "bytes": 5000, "GB/s": 2.0, "submission": 7, "barriers before": 2 },
        });
        assert_eq!(of_kind(&events, "X"), [expected]);
        let rates: Vec<_> = of_kind(&events, "C").iter().map(|event| (event["ts"].clone(), event["args"]["GB/s"].clone())).collect();
        assert_eq!(rates, [(json!(1.5), json!(2.0)), (json!(4.0), json!(0.0))]);
        assert_eq!(whole["otherData"]["device"], "a \"GPU\"\n\u{1}");
        assert_eq!(whole["otherData"]["clock"], "1 ns a tick, 64 bits");
        Ok(())
    }

    #[test]
    fn queues_are_threads_and_what_overlaps_goes_beside() -> serde_json::Result<()> {
        let records = vec![
            record("a", "compute", Some((0.0, 10.0))),
            record("b", "async compute", Some((5.0, 30.0))),
            record("c", "compute", Some((8.0, 20.0))),
            record("d", "compute", Some((10.0, 12.0))),
        ];
        let (_, events) = parsed(records, DeviceClock::new(64, 1.0))?;
        let names: Vec<_> =
            events.iter().filter(|event| event["name"] == "thread_name").map(|event| event["args"]["name"].clone()).collect();
        assert_eq!(names, ["compute", "async compute", "compute (beside, 1)"]);
        let threads: Vec<_> = of_kind(&events, "X").iter().map(|event| event["tid"].clone()).collect();
        assert_eq!(threads, [1, 2, 3, 1]);
        Ok(())
    }

    #[test]
    fn what_has_no_time_is_in_no_span_and_says_why() -> serde_json::Result<()> {
        let mut indirect = record("a", "compute", None);
        indirect.groups = None;
        let (whole, events) = parsed(vec![indirect, record("b", "compute", None)], DeviceClock::new(0, 1.0))?;
        assert_eq!(of_kind(&events, "X"), [Value::Null; 0]);
        let listed = &whole["otherData"]["dispatches without times"];
        assert_eq!((&listed[0]["kernel"], &listed[0]["groups"]), (&json!("a"), &json!("from a buffer")));
        assert_eq!(listed[1]["groups"], json!([4, 2, 1]));
        assert_eq!(whole["otherData"]["clock"], "none: the queue has no timestamps (timestampValidBits is 0)");
        Ok(())
    }

    #[test]
    fn an_empty_trace_is_valid_too() -> serde_json::Result<()> {
        let (_, events) = parsed(Vec::new(), DeviceClock::new(64, 1.0))?;
        assert_eq!(events.len(), 1);
        Ok(())
    }
}
