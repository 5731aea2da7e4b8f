//! What the figures must not break.

use std::fmt;

use serde::Serialize;
use wavelane::device::DeviceType;

use super::report::{Figures, Row};
use super::{reduce, scan, segmented_reduce, sort};

/// The most that the times per element of a scan may differ by, from 2^16 to 2^26 elements: the work for an element is the same in a short and in a long array. What
/// grows with the length, such as a second level of sums, workgroups that wait for others, or a strategy taken beyond its sizes, would show here.
const FLAT: f64 = 2.0;
const FLAT_SIZES: std::ops::RangeInclusive<u32> = 16..=26;

/// The most times that a reduction of segments may take of the reduction of as many elements. Both read the elements once, and the former its offsets as well, so that what
/// lies above is work that is shared badly: workgroups that idle beside a long segment, or lanes that idle in short ones.
const SEGMENTS: f64 = 2.0;
/// The least elements for which that holds, as a power of two. With fewer, a GPU shows the time between two dispatches, of which the former has one more.
const SEGMENTS_LEAST: u32 = 20;

/// The most times that a sort of keys on a device that runs on the processor may take of rayon's on the same cores, and the elements for which that holds, as a power of two. A radix sort does less than one that
/// compares, and a driver's code is not the compiler's; what lies above are keys that are read more often than they need be.
const HOST: f64 = 3.0;
const HOST_SIZE: u32 = 22;

/// A ratio beside its bar.
#[derive(Debug, Serialize)]
pub struct Judged {
    what: String,
    ratio: f64,
    bar: f64,
}

impl Judged {
    pub fn is_kept(&self) -> bool {
        self.ratio <= self.bar
    }
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = if self.is_kept() { "kept" } else { "BROKEN" };
        write!(f, "bar {}: {:.2}, at most {}: {kept}", self.what, self.ratio, self.bar)
    }
}

/// Every bar that the rows have figures for.
pub fn judge(rows: &[Row], device: DeviceType) -> Vec<Judged> {
    let mut judged = Vec::from_iter(flat(rows, device));
    judged.extend(host(rows, device));
    for name in segmented_reduce::SHAPES {
        for (log2, segmented) in of(rows, name).filter(|(log2, _)| *log2 >= SEGMENTS_LEAST) {
            let Some((_, whole)) = of(rows, reduce::FLAT).find(|(other, _)| *other == log2) else { continue };
            let ratio = segmented.ns.median / whole.ns.median;
            judged.push(Judged { what: format!("{name}, 2^{log2}, against {}", reduce::FLAT), ratio, bar: SEGMENTS });
        }
    }
    judged
}

/// The sort's time against what the host takes for the same keys, where both run on the same cores.
fn host(rows: &[Row], device: DeviceType) -> Option<Judged> {
    let (log2, figures) = of(rows, sort::KEYS).find(|(log2, _)| *log2 == HOST_SIZE && device == DeviceType::Cpu)?;
    let other = figures.beside.as_ref()?;
    Some(Judged {
        what: format!("{}, 2^{log2}, against {}", sort::KEYS, other.name),
        ratio: figures.ns.median / other.ns.median,
        bar: HOST,
    })
}

/// The scan's times per element against each other.
fn flat(rows: &[Row], device: DeviceType) -> Option<Judged> {
    let mut sizes: Vec<_> = of(rows, scan::AUTO).filter(|(log2, _)| FLAT_SIZES.contains(log2)).collect();
    sizes.sort_by_key(|(log2, _)| *log2);
    if sizes.len() < 2 {
        return None;
    }
    let times: Vec<f64> = sizes.iter().map(|(_, figures)| figures.ns_per_element).collect();
    // On a GPU small arrays cost what a dispatch costs, so that an element of theirs may cost any number of times more: only growth is against the bar there.
    let both_ways = device == DeviceType::Cpu;
    let ratios = times.iter().enumerate().flat_map(|(at, small)| times[at + 1..].iter().map(move |large| large / small));
    let ratio = ratios.map(|ratio| if both_ways { ratio.max(1.0 / ratio) } else { ratio }).fold(0.0, f64::max);
    let how =
        if both_ways { "the times of an element, against each other" } else { "an element of a larger array, against one of a smaller" };
    let (least, most) = (sizes[0].0, sizes[sizes.len() - 1].0);
    Some(Judged { what: format!("{}, 2^{least} to 2^{most}, {how}", scan::AUTO), ratio, bar: FLAT })
}

fn of<'a>(rows: &'a [Row], name: &str) -> impl Iterator<Item = (u32, &'a Figures)> {
    rows.iter().filter(move |row| row.case == name).filter_map(|row| Some((row.log2?, row.figures.as_ref()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(case: &'static str, times: &[(u32, f64)]) -> Vec<Row> {
        let row = |&(log2, per_element): &(u32, f64)| {
            let elements = 1 << log2;
            Row::measured(case, log2, Figures::steady(elements, per_element * elements as f64))
        };
        times.iter().map(row).collect()
    }

    fn is_flat(times: &[(u32, f64)], device: DeviceType) -> bool {
        judge(&rows(scan::AUTO, times), device).iter().all(Judged::is_kept)
    }

    #[test]
    fn a_scan_is_flat_or_not() {
        let (cpu, gpu) = (DeviceType::Cpu, DeviceType::DiscreteGpu);
        assert!(is_flat(&[(16, 3.0), (20, 2.0), (26, 3.9)], cpu));
        assert!(!is_flat(&[(16, 3.0), (20, 1.4), (26, 2.0)], cpu) && !is_flat(&[(26, 5.0), (16, 2.0)], cpu));
        // What a dispatch costs weighs on small arrays alone.
        assert!(is_flat(&[(16, 80.0), (20, 6.0), (26, 3.0)], gpu));
        assert!(!is_flat(&[(16, 80.0), (20, 3.0), (26, 6.1)], gpu));
        // Beyond the bar's sizes anything goes, and one figure is no comparison.
        assert!(is_flat(&[(16, 3.0), (20, 3.0), (28, 9.0)], cpu));
        assert!(judge(&rows(scan::AUTO, &[(16, 3.0)]), cpu).is_empty());
    }

    #[test]
    fn a_sort_is_held_against_the_hosts() {
        let row = |log2: u32, time: f64| {
            let figures = Figures::steady(1 << log2, time).beside(Some(("the host's sort", vec![100.0])));
            Row::measured(sort::KEYS, log2, figures)
        };
        let is_kept = |rows: &[Row], device| judge(rows, device).iter().map(Judged::is_kept).collect::<Vec<_>>();
        assert_eq!(is_kept(&[row(20, 900.0), row(22, 299.0)], DeviceType::Cpu), [true]);
        assert_eq!(is_kept(&[row(22, 301.0)], DeviceType::Cpu), [false]);
        // A GPU is not the host's cores, and no other size has the bar.
        assert!(is_kept(&[row(22, 301.0)], DeviceType::DiscreteGpu).is_empty());
        assert!(is_kept(&[row(24, 301.0)], DeviceType::Cpu).is_empty());
        assert!(is_kept(&rows(sort::KEYS, &[(22, 9.0)]), DeviceType::Cpu).is_empty());
    }

    #[test]
    fn segments_are_held_against_the_flat_reduction_of_their_size() {
        let mut all = rows(reduce::FLAT, &[(16, 1.0), (20, 1.0), (24, 2.0)]);
        all.extend(rows(segmented_reduce::SHAPES[0], &[(16, 9.0), (20, 1.9), (24, 3.9), (26, 9.0)]));
        all.extend(rows(segmented_reduce::SHAPES[2], &[(20, 2.1)]));
        let kept: Vec<bool> = judge(&all, DeviceType::Cpu).iter().map(Judged::is_kept).collect();
        assert_eq!(kept, [true, true, false]);
    }
}
