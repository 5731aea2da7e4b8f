//! Which path each kernel would take on a device.

use serde::Serialize;
use wavelane::device::{Capabilities, Quirk, quirks_of};
use wavelane::{
    Bins, Compare, Condition, DType, Error, Histogram, Kernel, Nonzero, NthElement, Partition, Path, PathChoice, Reduce, ReduceByKey,
    ReduceOp, Scalar, Scan, ScanOp, SegmentSource, SegmentedReduce, SegmentedScan, Select, SetOp, SetOperation, Sort, TopK, Unique,
};

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

/// Elements of the arrays that stand for all.
const LENGTH: usize = 1 << 20;

/// The paths of the kernels in which lanes cooperate, by their names on the command line. Sums stand for all operators.
pub fn of(capabilities: &Capabilities, global: &Global) -> Result<Vec<KernelPaths>, Failure> {
    let device = Device { capabilities, quirks: quirks_of(capabilities), forced: convert::path(global)? };
    let reduce = |dtype| {
        let schedule = Reduce::new(ReduceOp::Sum, dtype, &[LENGTH]).schedule(capabilities, &device.quirks, device.forced);
        schedule.map(|schedule| schedule.choice)
    };
    let positive = |dtype| Condition::Compare(Compare::Gt, Scalar::zero(dtype));
    Ok(vec![
        KernelPaths::new("reduce", reduce),
        KernelPaths::new("scan", |dtype| device.choice(Scan::new(ScanOp::Sum, dtype, &[LENGTH]))),
        KernelPaths::new("segscan", |dtype| device.choice(SegmentedScan::new(ScanOp::Sum, dtype, LENGTH, SegmentSource::Flags))),
        KernelPaths::new("segreduce", |dtype| device.choice(SegmentedReduce::new(ReduceOp::Sum, dtype, LENGTH, LENGTH / 64))),
        KernelPaths::new("reducebykey", |dtype| device.choice(ReduceByKey::new(ReduceOp::Sum, DType::U32, dtype, LENGTH))),
        KernelPaths::new("select", |dtype| device.choice(Select::new(positive(dtype), dtype, LENGTH))),
        KernelPaths::new("nonzero", |dtype| device.choice(Nonzero::new(dtype, LENGTH))),
        KernelPaths::new("partition", |dtype| device.choice(Partition::new(positive(dtype), dtype, LENGTH))),
        KernelPaths::new("unique", |dtype| device.choice(Unique::new(dtype, LENGTH))),
        KernelPaths::new("histogram", |dtype| {
            device.choice(Histogram::new(dtype, Bins::Even { bins: 256, low: 0.0, high: 256.0 }, LENGTH))
        }),
        KernelPaths::new("sort", |dtype| device.choice(Sort::new(dtype, &[LENGTH]))),
        KernelPaths::new("union1d", |dtype| device.choice(SetOperation::new(SetOp::Union, dtype, LENGTH / 2, LENGTH / 2))),
        KernelPaths::new("topk", |dtype| device.choice(TopK::new(dtype, &[LENGTH], 100))),
        KernelPaths::new("nth", |dtype| device.choice(NthElement::new(dtype, &[LENGTH], LENGTH / 2))),
        KernelPaths::new("rle", |dtype| device.choice(Unique::runs(dtype, LENGTH).with_counts())),
    ])
}

/// A device, and the path that is forced on it.
struct Device<'a> {
    capabilities: &'a Capabilities,
    quirks: Vec<&'static Quirk>,
    forced: Option<Path>,
}

impl Device<'_> {
    fn choice(&self, kernel: impl Kernel) -> Result<PathChoice, Error> {
        Ok(kernel.schedule(self.capabilities, &self.quirks, self.forced)?.choice)
    }
}

/// Labelled lines. Kernels with the same answer as one before share its lines.
pub fn lines(kernels: &[KernelPaths]) -> Vec<(&'static str, String)> {
    let mut groups: Vec<(&KernelPaths, Vec<&str>)> = Vec::new();
    for kernel in kernels {
        match groups.iter_mut().find(|(first, _)| first.types == kernel.types) {
            Some((_, others)) => others.push(kernel.kernel),
            None => groups.push((kernel, Vec::new())),
        }
    }
    let mut lines = Vec::new();
    for (kernel, others) in groups {
        lines.extend(kernel.lines());
        if !others.is_empty() {
            lines.push((kernel.kernel, format!("so do {}", others.join(", "))));
        }
    }
    lines
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
    fn lines(&self) -> Vec<(&'static str, String)> {
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
    fn kernels_with_the_same_answer_share_lines() {
        let none = |text: &str| vec![TypePath { dtype: DType::F64, taken: Taken::None { unavailable: text.to_owned() } }];
        let kernels =
            [("select", "x"), ("scan", "y"), ("unique", "x"), ("rle", "x")].map(|(kernel, text)| KernelPaths { kernel, types: none(text) });
        let want = [("select", "f64: x"), ("select", "so do unique, rle"), ("scan", "f64: y")];
        assert_eq!(lines(&kernels), want.map(|(label, line)| (label, line.to_owned())));
    }

    #[test]
    fn every_kernel_has_a_path_for_32_bits() {
        let kernels = of(&Capabilities::default(), &Global { path: Some(crate::arguments::PathChoice::Lsm), ..Global::default() }).unwrap();
        assert_eq!(kernels.len(), 15);
        for kernel in kernels {
            let taken = kernel.types.iter().find(|kind| kind.dtype == DType::U32).map(|kind| &kind.taken);
            assert!(matches!(taken, Some(Taken::Path { path: Path::SharedMemory, .. })), "{}: {taken:?}", kernel.kernel);
        }
    }

    #[test]
    fn json_tells_paths_from_their_absence() {
        let json = serde_json::to_value(TypePath { dtype: DType::F64, taken: Taken::None { unavailable: "x".to_owned() } }).unwrap();
        assert_eq!(json, serde_json::json!({ "dtype": "f64", "unavailable": "x" }));
    }
}
