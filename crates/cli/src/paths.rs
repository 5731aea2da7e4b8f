//! Which path each kernel would take on a device.

use serde::Serialize;
use wavelane::device::{Capabilities, quirks_of};
use wavelane::{DType, Path, Reduce, ReduceOp};

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

/// The paths of every kernel. A sum of 2^20 elements stands for the reductions.
pub fn of(capabilities: &Capabilities, global: &Global) -> Result<Vec<KernelPaths>, Failure> {
    let forced = convert::path(global)?;
    let quirks = quirks_of(capabilities);
    let types = DType::ALL
        .into_iter()
        .map(|dtype| {
            let taken = match Reduce::new(ReduceOp::Sum, dtype, &[1 << 20]).schedule(capabilities, &quirks, forced) {
                Ok(schedule) => Taken::Path {
                    path: schedule.choice.path,
                    workgroup_size: schedule.choice.workgroup_size,
                    reasons: schedule.choice.reasons,
                },
                Err(error) => Taken::None { unavailable: error.to_string() },
            };
            TypePath { dtype, taken }
        })
        .collect();
    Ok(vec![KernelPaths { kernel: "reduce", types }])
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
