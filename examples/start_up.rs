//! How long a start takes, with and without the pipeline cache. The first run fills the folder, the second begins with what it left.
//!
//!     cargo run --release --example start_up -- [FOLDER [DEVICE]]
//!
//! Drivers may have a cache of their own besides, which hides the difference (`__GL_SHADER_DISK_CACHE=0` turns NVIDIA's off,
//! `MESA_SHADER_CACHE_DISABLE=true` Mesa's).

use std::path::PathBuf;
use std::time::Instant;

use wavelane::device::{Device, DeviceChoice, DeviceOptions, Instance, InstanceOptions, choose};
use wavelane::{DType, Path, Pipelines, Reduce, ReduceOp};

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().map_or_else(|| std::env::temp_dir().join("wavelane-pipelines"), PathBuf::from);
    let choice = match arguments.next() {
        Some(name) => name.parse()?,
        None => DeviceChoice::from_env(),
    };
    let begun = Instant::now();
    let instance = Instance::new(&InstanceOptions::default())?;
    let options = DeviceOptions { pipeline_cache: Some(folder), ..Default::default() };
    let device = Device::new(choose(&instance.adapters()?, &choice)?, &options)?;
    println!("{}", device.capabilities().device_name);
    println!("  device opened           {:>10.1?}", begun.elapsed());
    println!("  pipeline cache          {:?}", device.pipeline_cache_report().start);

    let pipelines = Pipelines::new(&device);
    for path in [Path::SharedMemory, Path::Subgroup, Path::Shuffle] {
        for op in [ReduceOp::Sum, ReduceOp::Max, ReduceOp::Var, ReduceOp::ArgMin] {
            // What the device lacks is left out.
            let _ = Reduce::new(op, DType::F32, &[1 << 24]).plan_with(&pipelines, Some(path));
            let _ = Reduce::new(op, DType::F32, &[4096, 4096]).along(0).plan_with(&pipelines, Some(path));
        }
    }
    let report = device.pipeline_cache_report();
    println!("  {:>3} pipelines made      {:>10.1?}", report.pipelines, report.creation_time);
    println!("  until ready to dispatch {:>10.1?}", begun.elapsed());
    let begun = Instant::now();
    let saved = device.save_pipeline_cache();
    println!("  saved                   {:>10.1?}  {saved:?}", begun.elapsed());
    Ok(())
}
