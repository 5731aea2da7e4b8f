//! What the kernels that share a form have in common on the command line: a context, messages, and results.

use std::path::{Path, PathBuf};

use wavelane::{Context, ContextOptions, DType, Kernel, Outcome, Plan, Tensor};

use crate::arguments::Global;
use crate::npy::{Array, Kind};
use crate::report::{self, Ending, Failure};
use crate::{convert, device, files, npy, numpy, text};

/// A context, and what the command says of it.
pub struct Session {
    pub context: Context,
}

impl Session {
    pub fn open(global: &Global, options: &ContextOptions) -> Result<Session, Failure> {
        Ok(Session { context: super::context(global, options)? })
    }

    /// What a kernel gave, or why it failed; with `-v` how it ran.
    pub fn finish<K: Kernel, T>(&self, outcome: Result<Outcome<Plan<K>, T>, wavelane::Error>) -> Result<T, Failure> {
        // Messages explain a failure better than the failure does.
        device::check_validation(&self.context.validation_messages())?;
        let outcome = outcome.map_err(convert::failure)?;
        let choice = &outcome.plan.schedule().choice;
        log::info!("{}: path {} ({})", self.context.device().capabilities().device_name, choice.path, choice.reasons.join("; "));
        match outcome.gpu_time_ns {
            Some(time) if time > 0.0 => {
                log::info!("{:.3} ms on the device, {:.2} GB/s", time / 1e6, outcome.bytes_moved as f64 / time);
            }
            _ => log::info!("the device gives no usable time"),
        }
        log::debug!("{}", outcome.plan.explain());
        Ok(outcome.tensor)
    }
}

/// The type as which elements are moved: truth values are bytes.
pub fn moved(kind: Kind) -> DType {
    if kind == Kind::Bool { DType::U8 } else { convert::dtype(numpy::element(kind)) }
}

/// An array whose elements are moved.
pub fn moved_tensor(array: Array) -> Result<Tensor, Failure> {
    Tensor::new(moved(array.kind), array.shape, array.bytes).map_err(convert::failure)
}

/// An array whose elements are computed with.
pub fn tensor(array: Array) -> Result<Tensor, Failure> {
    let (dtype, shape) = (convert::dtype(numpy::element(array.kind)), array.shape.clone());
    Tensor::new(dtype, shape, numpy::device_bytes(array)).map_err(convert::failure)
}

/// Refuses an array whose elements are of another type than those that it belongs to.
pub fn same_kind(what: &str, array: &Array, other: &Array) -> Result<(), Failure> {
    if array.kind == other.kind {
        return Ok(());
    }
    Err(Failure::new(
        format!("{what} of type {} do not fit an array of {}", array.kind.name(), other.kind.name()),
        format!("convert one of them: {}", numpy::CONVERT),
    ))
}

/// Extents from the command line.
pub fn shape(given: &[u64]) -> Result<Vec<usize>, Failure> {
    let extent = |&extent: &u64| {
        usize::try_from(extent).map_err(|_| {
            Failure::usage(format!("an extent of {extent} is more than this machine can address"), "give a smaller one".to_owned())
        })
    };
    given.iter().map(extent).collect()
}

/// Writes a result to a file, or shows it.
pub fn give(output: &Option<PathBuf>, kind: Kind, tensor: &Tensor) -> Result<Ending, Failure> {
    write(output.as_deref(), &Array { kind, shape: tensor.shape().to_vec(), bytes: tensor.bytes().to_vec() })
}

/// Writes an array to a file, or shows it.
pub fn write(output: Option<&Path>, array: &Array) -> Result<Ending, Failure> {
    match output {
        Some(path) => npy::write(path, array)?,
        None => report::print(&text::of_array(array))?,
    }
    Ok(Ending::Done)
}

/// Refuses results that would overwrite each other. [`files::check`] does so, too, and looks at inputs.
pub fn distinct<'a>(outputs: impl IntoIterator<Item = Option<&'a PathBuf>>) -> Result<(), Failure> {
    let given: Vec<&PathBuf> = outputs.into_iter().flatten().collect();
    for (at, path) in given.iter().enumerate() {
        if let Some(other) = given[..at].iter().find(|other| files::are_one(other, path)) {
            let spelled = if other == path { String::new() } else { format!(", which {} is too", other.display()) };
            return Err(Failure::usage(
                format!("two results would go to {}{spelled}", path.display()),
                "name another file for one of them".to_owned(),
            ));
        }
    }
    Ok(())
}
