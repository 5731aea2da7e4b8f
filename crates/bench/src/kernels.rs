//! How long kernels take on the device, each after its results were compared with the CPU's.

mod bars;
mod case;
mod clock;
mod compact;
mod data;
mod elementwise;
mod histogram;
mod reduce;
mod reduce_by_key;
mod report;
mod scan;
mod segmented_reduce;
mod segmented_scan;
mod sets;
mod sort;
mod sorted;
mod top_k;
mod verify;

use anyhow::{Result, bail};
use wavelane::{Path, Pipelines};

use crate::arguments::Kernels;
use crate::{open, write_json};
use case::{Case, Prepared};
use clock::Clock;
use report::{Figures, Report, Row};
use sets::Sets;

/// What the cases share.
pub struct Bench {
    pub pipelines: Pipelines,
    /// The path that every kernel takes, if one is forced.
    pub path: Option<Path>,
    /// Samples of each figure.
    pub samples: usize,
    /// Sets of buffers that they take in turns.
    pub sets: usize,
}

/// Every case, family by family.
fn cases() -> Vec<Case> {
    [
        reduce::cases(),
        scan::cases(),
        segmented_scan::cases(),
        segmented_reduce::cases(),
        reduce_by_key::cases(),
        compact::cases(),
        histogram::cases(),
        sort::cases(),
        sorted::cases(),
        top_k::cases(),
        elementwise::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Measures what the arguments ask for, and says whether no result was wrong and, if that was asked, no bar is broken.
pub fn run(arguments: &Kernels) -> Result<bool> {
    let chosen: Vec<Case> = cases().into_iter().filter(|case| case.is_meant_by(&arguments.filter)).collect();
    if chosen.is_empty() {
        bail!("no case has `{}` in its name; `--list` names them", arguments.filter.join(" "));
    }
    if arguments.list {
        chosen.iter().for_each(|case| println!("{}", case.name));
        return Ok(true);
    }
    let adapter = open::adapter(arguments.device.as_deref())?;
    let device = open::device(&adapter, None)?;
    let path = arguments.path.map_or_else(Path::from_env, |forced| Ok(forced.0))?;
    let bench = Bench { pipelines: Pipelines::new(&device), path, samples: arguments.samples as usize, sets: arguments.sets as usize };
    let clock = Clock::new(&device)?;
    let mut report = Report::new(&adapter, &bench, &clock);
    print!("{report}");
    for case in &chosen {
        measure(case, &bench, &clock, &arguments.sizes, |row| {
            println!("{row}");
            report.rows.push(row);
        });
    }
    if arguments.check {
        report.judge(device.capabilities().device_type);
    }
    if let Some(path) = &arguments.json {
        write_json(path, &report)?;
    }
    Ok(report.is_good(arguments.check))
}

/// Gives the rows of a case as they come. One that cannot be planned here, or whose results are wrong, has a single row that says so.
fn measure(case: &Case, bench: &Bench, clock: &Clock, sizes: &[u32], mut give: impl FnMut(Row)) {
    let verified = case.prepare(bench, verify::ELEMENTS).and_then(|prepared| verify::verify(&prepared, bench));
    match verified {
        Err(error) => return give(Row::skipped(case.name, None, &error)),
        Ok(Err(wrong)) => return give(Row::wrong(case.name, wrong)),
        Ok(Ok(())) => {}
    }
    let figures = |log2: u32| -> Result<Figures> {
        let Prepared { work, inputs, elements, moved, beside, .. } = case.prepare(bench, 1 << log2)?;
        let sets = Sets::new(bench.pipelines.device(), work.as_ref(), &inputs, bench.sets)?;
        let times = clock.measure(work.as_ref(), &sets, bench.samples)?;
        drop(sets);
        let beside = beside.map(|beside| Ok::<_, anyhow::Error>((beside.name, (beside.time)(&inputs, bench.samples)?))).transpose()?;
        Ok(Figures::new(work.as_ref(), elements, moved, times).beside(beside))
    };
    for &log2 in sizes {
        give(match figures(log2) {
            Ok(figures) => Row::measured(case.name, log2, figures),
            Err(error) => Row::skipped(case.name, Some(log2), &error),
        });
    }
}
