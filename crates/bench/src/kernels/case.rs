//! A case: a kernel with its data, ready to be recorded.

use anyhow::{Context, Result};
use wavelane::record::{BufferRange, Recorder};
use wavelane::{BufferUse, Kernel, Path, Plan, ReduceBindings, ReducePlan, ScratchState};
use wavelane_reference::{Element, Values};

use super::Bench;

/// A kernel that is measured.
pub struct Case {
    /// Words, the first of which is the kernel.
    pub name: &'static str,
    make: Make,
}

type Make = Box<dyn Fn(&Bench, usize) -> Result<Prepared>>;

impl Case {
    pub fn new(name: &'static str, make: impl Fn(&Bench, usize) -> Result<Prepared> + 'static) -> Self {
        Self { name, make: Box::new(make) }
    }

    /// Whether the name has these words, of the last one at least the beginning.
    pub fn is_meant_by(&self, filter: &[String]) -> bool {
        format!(" {}", self.name).contains(&format!(" {}", filter.join(" ")))
    }

    /// The kernel planned for about so many elements, with its data.
    pub fn prepare(&self, bench: &Bench, elements: usize) -> Result<Prepared> {
        (self.make)(bench, elements)
    }
}

/// A kernel that is planned, and its data.
pub struct Prepared {
    pub work: Box<dyn Work>,
    /// What is in buffers at first, by their names in the schedule.
    pub inputs: Inputs,
    /// What times are divided by.
    pub elements: u64,
    /// Bytes that have to move whatever the algorithm: each input read once, each result written once.
    pub moved: u64,
    /// What the CPU says that results are.
    pub expect: Expect,
    /// What is timed beside it.
    pub beside: Option<Beside>,
}

/// The host's own way to the same results.
#[derive(Clone, Copy)]
pub struct Beside {
    pub name: &'static str,
    /// Nanoseconds of so many samples.
    pub time: fn(&Inputs, usize) -> Result<Vec<f64>>,
}

pub type Inputs = Vec<(&'static str, Values)>;
type Expect = Box<dyn Fn(&[(&'static str, Values)]) -> Result<Vec<Expected>>>;

impl Prepared {
    pub fn new(
        work: impl Work + 'static,
        inputs: Inputs,
        (elements, moved): (usize, usize),
        expect: impl Fn(&[(&'static str, Values)]) -> Result<Vec<Expected>> + 'static,
    ) -> Self {
        Self { work: Box::new(work), inputs, elements: elements as u64, moved: moved as u64, expect: Box::new(expect), beside: None }
    }
}

/// The results that belong at the beginning of a buffer.
pub struct Expected {
    pub buffer: &'static str,
    /// The type that they have there; the CPU computes some in a wider one.
    pub element: Element,
    pub values: Values,
    /// How far each may be off.
    pub bounds: Vec<f64>,
}

impl Expected {
    /// Results that must be equal.
    pub fn exactly(buffer: &'static str, values: Values) -> Self {
        let bounds = vec![0.0; values.len()];
        Self { buffer, element: values.element(), values, bounds }
    }

    /// A count.
    pub fn count(buffer: &'static str, count: usize) -> Self {
        Self::exactly(buffer, Values::U32(vec![count as u32]))
    }

    /// Results of this type, each within its bound.
    pub fn within(buffer: &'static str, element: Element, values: Values, bounds: Vec<f64>) -> Self {
        Self { buffer, element, values, bounds }
    }
}

/// A buffer that a kernel needs.
pub struct Need {
    pub name: &'static str,
    pub bytes: u64,
    /// Whether it must be zero at first.
    pub zeroed: bool,
}

/// The ranges of one set of buffers, by their names in the schedule.
pub struct Ranges<'a>(pub Vec<(&'static str, BufferRange<'a>)>);

impl<'a> Ranges<'a> {
    pub fn get(&self, name: &str) -> Option<BufferRange<'a>> {
        self.0.iter().find(|(of, _)| *of == name).map(|(_, range)| *range)
    }
}

/// What is recorded again and again.
pub trait Work {
    fn needs(&self) -> Vec<Need>;
    fn record(&self, recorder: &mut Recorder, ranges: &Ranges<'_>) -> Result<()>;
    fn path(&self) -> Path;
    fn strategy(&self) -> String;
}

type Bind<K> = for<'a> fn(&Ranges<'a>) -> Option<<K as Kernel>::Bindings<'a>>;

/// A plan, and how its bindings are made of ranges.
pub struct Planned<K: Kernel> {
    plan: Plan<K>,
    bind: Bind<K>,
}

impl<K: Kernel> Planned<K> {
    pub fn new(bench: &Bench, kernel: &K, bind: Bind<K>) -> Result<Self> {
        Ok(Self { plan: kernel.plan_with(&bench.pipelines, bench.path)?, bind })
    }
}

impl<K: Kernel> Work for Planned<K> {
    fn needs(&self) -> Vec<Need> {
        let needs = self.plan.schedule().buffers.iter().filter(|need| need.bytes > 0);
        // What a kernel reads before it writes there is nobody's poison.
        needs.map(|need| Need { name: need.name, bytes: need.bytes, zeroed: need.usage == BufferUse::InPlace }).collect()
    }

    fn record(&self, recorder: &mut Recorder, ranges: &Ranges<'_>) -> Result<()> {
        let bindings = (self.bind)(ranges).context("a buffer has no such name in the schedule")?;
        Ok(self.plan.record(recorder, &bindings)?)
    }

    fn path(&self) -> Path {
        self.plan.path()
    }

    fn strategy(&self) -> String {
        self.plan.schedule().strategy.clone()
    }
}

impl Work for ReducePlan {
    fn needs(&self) -> Vec<Need> {
        let schedule = self.schedule();
        let need = |name, bytes| Need { name, bytes, zeroed: name == "scratch" };
        let all = [need("input", schedule.input_bytes), need("output", schedule.output_bytes), need("scratch", schedule.scratch_bytes)];
        all.into_iter().filter(|need| need.bytes > 0).collect()
    }

    fn record(&self, recorder: &mut Recorder, ranges: &Ranges<'_>) -> Result<()> {
        let output = ranges.get("output").context("a reduction without results")?;
        let bindings = ReduceBindings {
            input: ranges.get("input").unwrap_or(output),
            output,
            scratch: ranges.get("scratch"),
            // Every reduction leaves its counters as the next one needs them, so there is nothing to clear between samples either.
            scratch_state: ScratchState::Zeroed,
            count: None,
        };
        Ok(ReducePlan::record(self, recorder, &bindings)?)
    }

    fn path(&self) -> Path {
        ReducePlan::path(self)
    }

    fn strategy(&self) -> String {
        let schedule = self.schedule();
        let joined = if schedule.last_arrival { ", the last workgroup joins" } else { "" };
        let dispatches = if schedule.steps.len() == 1 { String::new() } else { format!(", {} dispatches", schedule.steps.len()) };
        format!("{:?}{joined}{dispatches}", schedule.strategy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_is_words_of_the_name() {
        let case = Case::new("scan sum u32 exclusive reduce_then_scan", |_, _| anyhow::bail!("never made"));
        let is_meant = |filter: &[&str]| case.is_meant_by(&filter.iter().map(|&text| text.to_owned()).collect::<Vec<_>>());
        assert!(is_meant(&[]) && is_meant(&["scan"]) && is_meant(&["scan", "sum"]) && is_meant(&["sum u32 excl"]) && is_meant(&["reduce"]));
        assert!(!is_meant(&["can"]) && !is_meant(&["scan", "f32"]) && !is_meant(&["reduce sum"]) && !is_meant(&["u32", "scan"]));
    }
}
