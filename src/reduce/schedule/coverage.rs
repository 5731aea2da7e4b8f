//! Schedules against a model of the kernels: on devices narrower than any real one, every element is read exactly once and every result
//! comes from all of its elements and nothing else; on real devices with the longest arrays, every limit is kept.

mod cases;
mod counted;
mod legal;
mod memory;
mod profiles;
mod walk;
mod workgroup;

use wavelane_device::{Capabilities, Quirk};

use self::counted::counts;
use self::legal::check_legal;
use self::memory::Memory;
use self::walk::{Run, walk};
use super::{Layout, ReduceSchedule, Variant};
use crate::reduce::Reduce;
use crate::{Error, Path, Tuning};

/// A device and how it is to be used.
#[derive(Clone, Debug)]
struct Target {
    capabilities: Capabilities,
    quirks: Vec<&'static Quirk>,
    tuning: Tuning,
    path: Option<Path>,
}

impl Target {
    /// Plans, and checks each step against the device's limits.
    fn plan(&self, reduce: &Reduce) -> Result<ReduceSchedule, Error> {
        let schedule = reduce.schedule_tuned(&self.capabilities, &self.quirks, &self.tuning, self.path)?;
        check_legal(&schedule, &self.capabilities, &self.quirks);
        Ok(schedule)
    }

    /// [`Target::plan`], and walks through all steps. Of a counted reduction, with every count that is a boundary somewhere.
    fn check(&self, reduce: &Reduce) -> Result<ReduceSchedule, Error> {
        let schedule = self.plan(reduce)?;
        let state_words = Variant::of(reduce)?.state.words();
        let mut layout = Layout::of(&reduce.shape, reduce.axis)?;
        if layout.count == 0 {
            layout = Layout { outer: layout.results(), count: 0, inner: 1 };
        }
        let reported = schedule.choice.subgroup_size.unwrap_or(self.capabilities.subgroup.size);
        // A driver that is not told a size may run at another than it reports; no result may depend on it.
        let smaller = if schedule.choice.subgroup_size.is_none() && reported > 4 { reported / 2 } else { reported };
        for counted in counts(reduce, layout) {
            for (subgroup_size, backwards) in [(reported, false), (smaller, true)] {
                let mut memory = Memory::new(&schedule, layout, state_words, counted);
                walk(&schedule, &mut memory, Run { subgroup_size, backwards });
                memory.check();
            }
        }
        Ok(schedule)
    }
}
