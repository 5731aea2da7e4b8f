//! Vulkan calls that fail: typed errors, nothing leaked, no hang, and a new context works.

#[path = "faults/cases.rs"]
mod cases;
#[path = "faults/expected.rs"]
mod expected;
#[path = "harness/faults/mod.rs"]
mod faults;
mod harness;
#[path = "faults/job.rs"]
mod job;
#[path = "faults/matrix.rs"]
mod matrix;

use std::process::ExitCode;

use harness::Case;
use job::Setting;

fn main() -> ExitCode {
    let mut cases = cases::cases();
    for setting in [Setting::Discrete, Setting::Minimal] {
        for (group, _) in matrix::GROUPS {
            let name = format!("matrix::{setting:?}::{group}").to_lowercase();
            cases.push(Case::new(name, move |_| matrix::run(setting, group)));
        }
    }
    harness::main(cases)
}
