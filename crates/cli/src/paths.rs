//! Which path each kernel would take on a device.

use serde::Serialize;
use wavelane::device::{Capabilities, quirks_of};
use wavelane::{DType, Error, Kernel, Path, PathChoice, Reduce, ReduceOp, Scan, ScanOp};

use crate::arguments::Global;
use crate::convert;
use crate::report::Failure;

/// The paths of one kernel, for each type.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KernelPaths {
    kernel: &'static str,
    types: Vec<TypePath>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct TypePath {
    dtype: DType,
    #[serde(flatten)]
    taken: Taken,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
enum Taken {
    Path { path: Path, workgroup_size: u32, reasons: Vec<String> },
    None { unavailable: String },
}

/// The paths of the kernels in which lanes cooperate. Sums of 2^20 elements stand for the reductions, and for the scans and what is made of them.
pub fn of(capabilities: &Capabilities, global: &Global) -> Result<Vec<KernelPaths>, Failure> {
    let forced = convert::path(global)?;
    let quirks = quirks_of(capabilities);
    let shape = [1 << 20];
    let reduce = |dtype| Reduce::new(ReduceOp::Sum, dtype, &shape).schedule(capabilities, &quirks, forced).map(|schedule| schedule.choice);
    let scan = |dtype| Scan::new(ScanOp::Sum, dtype, &shape).schedule(capabilities, &quirks, forced).map(|schedule| schedule.choice);
    Ok(vec![KernelPaths::new("reduce", reduce), KernelPaths::new("scan", scan)])
}

impl KernelPaths {
    fn new(kernel: &'static str, choose: impl Fn(DType) -> Result<PathChoice, Error>) -> Self {
        let of = |dtype| {
            let taken = match choose(dtype) {
                Ok(PathChoice { path, workgroup_size, reasons, .. }) => Taken::Path { path, workgroup_size, reasons },
                Err(error) => Taken::None { unavailable: error.to_string() },
            };
            TypePath { dtype, taken }
        };
        Self { kernel, types: DType::ALL.into_iter().map(of).collect() }
    }
}

impl KernelPaths {
    /// Labelled lines: types of the same fate together.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
        for kind in &self.types {
            let fate = match &kind.taken {
                Taken::Path { path, workgroup_size, reasons } => {
                    format!("path {path}, {workgroup_size} invocations: {}", reasons.join("; "))
                }
                Taken::None { unavailable } => unavailable.clone(),
            };
            match groups.iter_mut().find(|(known, _)| *known == fate) {
                Some((_, names)) => names.push(kind.dtype.name()),
                None => groups.push((fate, vec![kind.dtype.name()])),
            }
        }
        groups.into_iter().map(|(fate, names)| (self.kernel, format!("{}: {fate}", names.join(" ")))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_the_same_fate_share_a_line() {
        let taken = |path| Taken::Path { path, workgroup_size: 128, reasons: vec!["a".to_owned(), "b".to_owned()] };
        let kind = |dtype, taken| TypePath { dtype, taken };
        let paths = KernelPaths {
            kernel: "reduce",
            types: vec![
                kind(DType::U32, taken(Path::Subgroup)),
                kind(DType::U64, taken(Path::SharedMemory)),
                kind(DType::F32, taken(Path::Subgroup)),
                kind(DType::F64, Taken::None { unavailable: "f64 sum needs shaderFloat64".to_owned() }),
            ],
        };
        let want =
            ["u32 f32: path subgroup, 128 invocations: a; b", "u64: path lsm, 128 invocations: a; b", "f64: f64 sum needs shaderFloat64"];
        assert_eq!(paths.lines(), want.map(|line| ("reduce", line.to_owned())));
    }

    #[test]
    fn json_tells_paths_from_their_absence() {
        let json = serde_json::to_value(TypePath { dtype: DType::F64, taken: Taken::None { unavailable: "x".to_owned() } }).unwrap();
        assert_eq!(json, serde_json::json!({ "dtype": "f64", "unavailable": "x" }));
    }
}
