//! Vulkan calls that fail: typed errors, nothing leaked, no hang, and a new context works.

#[path = "faults/caches.rs"]
mod caches;
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
mod multiply_add;
#[path = "faults/recordings.rs"]
mod recordings;

use std::process::ExitCode;

use harness::Case;
use job::{Setting, Work};

fn main() -> ExitCode {
    let mut cases = cases::cases();
    for setting in [Setting::Discrete, Setting::Minimal] {
        for (job, work) in [("reductions", job::reductions as Work), ("recordings", recordings::recordings), ("caches", caches::caches)] {
            for group in matrix::groups_of(job) {
                let name = format!("{job}::{setting:?}::{group}").to_lowercase();
                // Calls fail before the driver sees them, and the settings have what drivers differ by: memory, fences, pools of sets.
                cases.push(Case::new(name, move |_| matrix::run(setting, work, group)).above_drivers());
            }
        }
    }
    harness::main(cases)
}
