//! A schedule as text.

use std::fmt::Write as _;

use super::{NanPolicy, ReduceSchedule, ReduceStrategy};

impl ReduceSchedule {
    /// The schedule as text: path, reasons, group size, dispatches, barriers, scratch, bytes moved.
    pub fn explain(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut text);
        text
    }

    /// Barriers that `record` puts between the dispatches and behind the copy of a count. The one behind a fill of the counters is left out.
    pub fn barriers(&self) -> usize {
        self.steps.len().saturating_sub(1) + usize::from(self.count_offset.is_some())
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        let reduce = &self.reduce;
        let along = reduce.axis.map_or_else(|| "of the whole array".into(), |axis| format!("along axis {axis}"));
        let counted = if reduce.counted { ", its length counted by the device" } else { "" };
        let nan = if reduce.nan == NanPolicy::Ignore { ", NaN left out" } else { "" };
        writeln!(
            text,
            "reduce        {} of {} {:?} {along}{counted}{nan} → {} {:?}",
            reduce.op, reduce.dtype, reduce.shape, self.result_dtype, self.result_shape
        )?;
        writeln!(text, "device        {}", self.device)?;
        writeln!(text, "path          {}", self.choice.path)?;
        for reason in &self.choice.reasons {
            writeln!(text, "  because     {reason}")?;
        }
        let subgroups = self.choice.required_subgroups();
        let shared = self.steps.iter().map(|step| step.shared_bytes()).max().unwrap_or(0);
        writeln!(text, "workgroup     {} invocations, {shared} bytes of shared memory{subgroups}", self.choice.workgroup_size)?;
        writeln!(text, "strategy      {}", self.strategy_text())?;
        writeln!(text, "dispatches    {}", self.steps.len())?;
        for step in self.steps.iter().take(8) {
            let [x, y, z] = step.groups;
            writeln!(text, "  {:<11} {} in {x} × {y} × {z} workgroups", step.kernel(), step.module)?;
        }
        if self.steps.len() > 8 {
            writeln!(text, "  …           {} more", self.steps.len() - 8)?;
        }
        writeln!(text, "barriers      {}", self.barriers())?;
        writeln!(text, "scratch       {} bytes", self.scratch_bytes)?;
        write!(text, "bytes moved   {}", self.bytes_moved)
    }

    fn strategy_text(&self) -> String {
        let how = match self.strategy {
            ReduceStrategy::Nothing => "there are no results".into(),
            ReduceStrategy::InvocationPerRow => "one invocation a row".into(),
            ReduceStrategy::LanesPerRow(lanes) => format!("{lanes} invocations a row"),
            ReduceStrategy::SubgroupPerRow => "one subgroup a row".into(),
            ReduceStrategy::WorkgroupsPerRow(1) => "one workgroup a row".into(),
            ReduceStrategy::WorkgroupsPerRow(splits) => format!("{splits} workgroups a row"),
            ReduceStrategy::Columns { columns, rows, splits } => {
                format!("tiles of {columns} columns × {rows} invocations a column, {splits} workgroups a column")
            }
        };
        match (self.scratch_bytes, self.last_arrival) {
            (0, _) => how,
            (_, true) => format!("{how}; the one that arrives last combines"),
            (_, false) => format!("{how}; another dispatch combines"),
        }
    }
}
