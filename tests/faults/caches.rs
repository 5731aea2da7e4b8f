//! Pipeline caches on disk: two devices that begin with nothing and both save, and a third that begins with what they left.

use std::path::Path;
use std::sync::Arc;

use wavelane::device::{DeviceChoice, DeviceOptions, choose};
use wavelane::{Context, DType, Error, Reduce, ReduceOp, device};

/// All of it; what is wrong, if anything is. What a cache cannot do costs time, and nothing else.
pub fn caches(context: &Context) -> Result<Option<String>, Error> {
    let folder = std::env::temp_dir().join(format!("wavelane-faults-{}", std::process::id()));
    // It is not there as a rule.
    let _ = std::fs::remove_dir_all(&folder);
    let ended = kept_in(context, &folder);
    let _ = std::fs::remove_dir_all(&folder);
    ended.map(|()| None)
}

fn kept_in(context: &Context, folder: &Path) -> Result<(), Error> {
    let (first, second) = (device(context, folder)?, device(context, folder)?);
    let sum = Reduce::new(ReduceOp::Sum, DType::U32, &[1000]);
    let rows = Reduce::new(ReduceOp::Max, DType::F32, &[1000, 2]).along(1);
    sum.plan(&first, None)?;
    rows.plan(&second, None)?;
    // Each saves as it goes, the second beside what the first left.
    drop(first);
    drop(second);
    let third = device(context, folder)?;
    sum.plan(&third, None)?;
    rows.plan(&third, None)?;
    third.save_pipeline_cache();
    Ok(())
}

fn device(context: &Context, folder: &Path) -> Result<Arc<device::Device>, Error> {
    let adapters = context.device().instance().adapters()?;
    let options = DeviceOptions { pipeline_cache: Some(folder.to_owned()), ..DeviceOptions::default() };
    Ok(device::Device::new(choose(&adapters, &DeviceChoice::from_env())?, &options)?)
}
