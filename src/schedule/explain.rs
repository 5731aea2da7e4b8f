//! A schedule as text.

use std::fmt::Write as _;

use super::{Schedule, StepAction};
use crate::PathChoice;

/// Steps that are shown one by one.
const SHOWN: usize = 8;

impl Schedule {
    /// The schedule as text: path, reasons, group size, dispatches, barriers, scratch, bytes moved.
    pub fn explain(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        writeln!(text, "{:<13} {}", self.kernel, self.title)?;
        writeln!(text, "device        {}", self.device)?;
        writeln!(text, "path          {}", self.choice.path)?;
        for reason in &self.choice.reasons {
            writeln!(text, "  because     {reason}")?;
        }
        let shared = self.dispatches().map(|dispatch| dispatch.shared_bytes).max().unwrap_or(0);
        let subgroups = self.choice.required_subgroups();
        writeln!(text, "workgroup     {} invocations, {shared} bytes of shared memory{subgroups}", self.choice.workgroup_size)?;
        writeln!(text, "strategy      {}", self.strategy)?;
        writeln!(text, "dispatches    {}", self.dispatches().count())?;
        for step in self.steps.iter().take(SHOWN) {
            match &step.action {
                StepAction::Fill { buffer, range, .. } => {
                    writeln!(text, "  fill        {} bytes of {}", range.size, self.buffers[*buffer].name)?
                }
                StepAction::Copy { from, to, range, .. } => {
                    writeln!(text, "  copy        {} bytes of {} to {}", range.size, self.buffers[*from].name, self.buffers[*to].name)?;
                }
                StepAction::Dispatch(dispatch) => {
                    let [x, y, z] = dispatch.groups;
                    let name = dispatch.kernel.rsplit('.').next().unwrap_or_default();
                    writeln!(text, "  {name:<11} {} in {x} × {y} × {z} workgroups", dispatch.module)?;
                }
            }
        }
        if self.steps.len() > SHOWN {
            writeln!(text, "  …           {} more", self.steps.len() - SHOWN)?;
        }
        writeln!(text, "barriers      {}", self.barriers())?;
        writeln!(text, "scratch       {} bytes", self.scratch_bytes())?;
        write!(text, "bytes moved   {}", self.bytes_moved)
    }
}

impl PathChoice {
    /// What the pipeline requires of subgroups, as the end of a sentence.
    pub(crate) fn required_subgroups(&self) -> String {
        match (self.subgroup_size, self.full_subgroups) {
            (Some(size), true) => format!(", full subgroups of {size} required"),
            (Some(size), false) => format!(", subgroups of {size} required"),
            (None, true) => ", full subgroups required".into(),
            (None, false) => String::new(),
        }
    }
}
