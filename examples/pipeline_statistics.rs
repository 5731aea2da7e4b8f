//! What the driver made of the reduction's kernels on each path that the device can take: registers, spills, shared memory, instructions.
//!
//!     cargo run --release --example pipeline_statistics -- [--all] [device]
//!
//! `--all` shows the driver's own figures, too.

use wavelane::device::{Device, DeviceChoice, DeviceOptions, Instance, InstanceOptions, choose};
use wavelane::{DType, Path, Reduce, ReduceOp};

fn main() -> anyhow::Result<()> {
    let (flags, names): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let all = flags.iter().any(|flag| flag == "--all");
    let instance = Instance::new(&InstanceOptions::default())?;
    let adapters = instance.adapters()?;
    let choice = match names.first() {
        Some(name) => name.parse()?,
        None => DeviceChoice::from_env(),
    };
    let options = DeviceOptions { capture_statistics: true, ..Default::default() };
    let device = Device::new(choose(&adapters, &choice)?, &options)?;
    println!("{}\n", device.capabilities().device_name);
    println!(
        "{:<36} {:>8} {:>9} {:>6} {:>8} {:>12} {:>8} {:>14}",
        "", "subgroup", "registers", "spills", "shared B", "instructions", "code B", "resident"
    );
    for path in [Path::SharedMemory, Path::Subgroup, Path::Shuffle] {
        let plan = match Reduce::new(ReduceOp::Sum, DType::F32, &[1 << 24]).plan(&device, Some(path)) {
            Ok(plan) => plan,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        for pipeline in plan.pipelines() {
            let statistics = pipeline.statistics()?;
            if let Some(missing) = statistics.missing {
                println!("{:<36} {missing}", pipeline.name());
            }
            for executable in &statistics.executables {
                let summary = executable.summary();
                let shown = |figure: Option<u64>| figure.map_or_else(|| "-".to_owned(), |figure| figure.to_string());
                let resident = match (summary.resident_subgroups, summary.resident_invocations) {
                    (Some(subgroups), _) => format!("{subgroups} subgroups"),
                    (None, invocations) => shown(invocations),
                };
                println!(
                    "{:<36} {:>8} {:>9} {:>6} {:>8} {:>12} {:>8} {resident:>14}",
                    pipeline.name(),
                    shown(summary.subgroup_size.map(u64::from)),
                    shown(summary.registers),
                    shown(summary.spills),
                    shown(summary.shared_memory_bytes),
                    shown(summary.instructions),
                    shown(summary.code_bytes),
                );
                for figure in executable.statistics.iter().filter(|_| all) {
                    println!("    {:<32} {:<12} {}", figure.name, figure.value.to_string(), figure.description);
                }
            }
        }
    }
    Ok(())
}
