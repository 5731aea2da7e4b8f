//! The trace as text.

use super::{DispatchRecord, Trace, rate};

const HEAD: [&str; 8] = ["kernel", "path", "groups", "times", "time", "bytes", "GB/s", "of peak"];

/// Dispatches that are shown in one line.
struct Line<'a> {
    first: &'a DispatchRecord,
    times: usize,
    /// Together; none if one of them has none.
    nanoseconds: Option<f64>,
    bytes: Option<u64>,
}

impl Trace {
    /// A line for each dispatch: kernel, path, groups, time, bytes moved, GB/s, and the share of `peak_gb_s` that this is. What is not known is `-`, and
    /// a device without a clock is said to have none.
    pub fn table(&self, peak_gb_s: Option<f64>) -> String {
        self.text(self.records().iter().map(line), false, peak_gb_s)
    }

    /// Like [`Trace::table`], with one line for all dispatches of the same kernel, path and groups: how many there were, their bytes and time together, and
    /// the rate of all. The longest come first.
    pub fn summary(&self, peak_gb_s: Option<f64>) -> String {
        let mut lines: Vec<Line<'_>> = Vec::new();
        for record in self.records() {
            let alike = |line: &&mut Line<'_>| {
                let first = line.first;
                (&first.kernel, &first.path, first.groups) == (&record.kernel, &record.path, record.groups)
            };
            match lines.iter_mut().find(alike) {
                Some(line) => {
                    line.times += 1;
                    line.nanoseconds = line.nanoseconds.zip(record.nanoseconds()).map(|(sum, one)| sum + one);
                    line.bytes = line.bytes.zip(record.bytes).map(|(sum, one)| sum.saturating_add(one));
                }
                None => lines.push(line(record)),
            }
        }
        lines.sort_by(|a, b| b.nanoseconds.unwrap_or(0.0).total_cmp(&a.nanoseconds.unwrap_or(0.0)));
        self.text(lines.into_iter(), true, peak_gb_s)
    }

    fn text<'a>(&self, lines: impl Iterator<Item = Line<'a>>, with_times: bool, peak_gb_s: Option<f64>) -> String {
        let mut rows = vec![HEAD.map(str::to_owned)];
        rows.extend(lines.map(|line| cells(&line, peak_gb_s)));
        let shown = |column: usize| with_times || HEAD[column] != "times";
        let mut widths = [0; HEAD.len()];
        for row in &rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let mut text = String::new();
        for row in &rows {
            let cells: Vec<String> = (0..HEAD.len()).filter(|&column| shown(column)).map(|i| padded(&row[i], widths[i], i < 2)).collect();
            text.push_str(cells.join("  ").trim_end());
            text.push('\n');
        }
        if !self.clock().usable() {
            text.push_str(&format!("clock {}\n", self.clock().describe()));
        }
        if let Some(peak) = peak_gb_s {
            text.push_str(&format!("peak {peak:.1} GB/s\n"));
        }
        text
    }
}

fn line(record: &DispatchRecord) -> Line<'_> {
    Line { first: record, times: 1, nanoseconds: record.nanoseconds(), bytes: record.bytes }
}

fn cells(line: &Line<'_>, peak_gb_s: Option<f64>) -> [String; HEAD.len()] {
    let unknown = || "-".to_owned();
    let rate = line.bytes.zip(line.nanoseconds).and_then(|(bytes, nanoseconds)| rate(bytes, nanoseconds));
    let share = rate.zip(peak_gb_s.filter(|&peak| peak > 0.0)).map(|(rate, peak)| 100.0 * rate / peak);
    [
        line.first.kernel.clone(),
        line.first.path.clone().unwrap_or_else(unknown),
        line.first.groups.map_or_else(|| "indirect".into(), |[x, y, z]| format!("{x}×{y}×{z}")),
        line.times.to_string(),
        line.nanoseconds.map_or_else(unknown, time),
        line.bytes.map_or_else(unknown, bytes),
        rate.map_or_else(unknown, |rate| format!("{rate:.2}")),
        share.map_or_else(unknown, |share| format!("{share:.1} %")),
    ]
}

fn padded(cell: &str, width: usize, left: bool) -> String {
    if left { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
}

fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.2} µs", ns / 1e3),
        ns if ns < 1e9 => format!("{:.2} ms", ns / 1e6),
        ns => format!("{:.2} s", ns / 1e9),
    }
}

/// In powers of ten, as GB/s are.
fn bytes(bytes: u64) -> String {
    match bytes as f64 {
        b if b < 1e3 => format!("{b:.0} B"),
        b if b < 1e6 => format!("{:.1} kB", b / 1e3),
        b if b < 1e9 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.2} GB", b / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DeviceClock, DeviceSpan};
    use super::*;

    fn record(kernel: &str, path: Option<&str>, span: Option<(f64, f64)>, bytes: Option<u64>) -> DispatchRecord {
        DispatchRecord {
            kernel: kernel.into(),
            path: path.map(str::to_owned),
            groups: Some([64, 1, 1]),
            span: span.map(|(begin_ns, end_ns)| DeviceSpan { begin_ns, end_ns }),
            bytes,
            ..Default::default()
        }
    }

    fn trace(records: Vec<DispatchRecord>, bits: u32) -> Trace {
        let mut trace = Trace::new("GPU", DeviceClock::new(bits, 1.0));
        records.into_iter().for_each(|record| trace.push(record));
        trace
    }

    #[test]
    fn a_line_a_dispatch_with_what_is_known() {
        let mut indirect = record("fold", None, Some((3e6, 5e6)), None);
        indirect.groups = None;
        let trace = trace(vec![record("rows", Some("lsm"), Some((0.0, 250_000.0)), Some(100_000_000)), indirect], 64);
        let expected = "\
kernel  path    groups       time     bytes    GB/s  of peak
rows    lsm     64×1×1  250.00 µs  100.0 MB  400.00   50.0 %
fold    -     indirect    2.00 ms         -       -        -
peak 800.0 GB/s
";
        assert_eq!(trace.table(Some(800.0)), expected);
        assert!(!trace.table(None).contains("peak 8") && trace.table(Some(0.0)).contains("400.00        -"), "{}", trace.table(Some(0.0)));
    }

    #[test]
    fn without_a_clock_no_time_is_made_up() {
        let expected = "\
kernel  path  groups  time   bytes  GB/s  of peak
rows    -     64×1×1     -  1.0 kB     -        -
clock none: the queue has no timestamps (timestampValidBits is 0)
";
        assert_eq!(trace(vec![record("rows", None, None, Some(1000))], 0).table(None), expected);
    }

    #[test]
    fn dispatches_alike_are_added_up() {
        let trace = trace(
            vec![
                record("rows", Some("lsm"), Some((0.0, 100.0)), Some(500)),
                record("rows", Some("shuffle"), Some((0.0, 900.0)), Some(500)),
                record("rows", Some("lsm"), Some((200.0, 400.0)), Some(700)),
                record("rows", Some("part"), Some((0.0, 0.0)), Some(700)),
                record("rows", Some("part"), None, Some(700)),
            ],
            64,
        );
        let expected = "\
kernel  path     groups  times    time   bytes  GB/s  of peak
rows    shuffle  64×1×1      1  900 ns   500 B  0.56        -
rows    lsm      64×1×1      2  300 ns  1.2 kB  4.00        -
rows    part     64×1×1      2       -  1.4 kB     -        -
";
        assert_eq!(trace.summary(None), expected);
    }

    #[test]
    fn figures_have_the_unit_that_fits() {
        assert_eq!([0.0, 999.0, 1e3, 1.5e6, 2e9].map(time), ["0 ns", "999 ns", "1.00 µs", "1.50 ms", "2.00 s"]);
        assert_eq!([0, 999, 1000, 12_345_678, u64::MAX].map(bytes), ["0 B", "999 B", "1.0 kB", "12.3 MB", "18446744073.71 GB"]);
    }
}
