//! The kernels that the chains of a trial have in common. Pipelines take longer to make than to run, so each trial draws some kernels with operator, type,
//! path and strategy, and its chains combine those with other sizes, options and data.

use libtest_mimic::Failed;
use wavelane::{
    Bins, Condition, DType, Gather, Histogram, Iota, Kernel, MaskForm, Merge, NanPolicy, Nonzero, NthElement, OrderStrategy, Partition,
    PartitionAt, Path, Reduce, ReduceByKey, ReduceOp, RunLengthDecode, Scan, ScanOp, ScanStrategy, SearchSorted, SegmentSource,
    SegmentedReduce, SegmentedScan, Select, SetOp, SetOperation, Sort, TopK, Transform, TransformOp, Unique,
};

use super::data::Random;
use super::planned::unless_refused;
use super::rig::Rig;

/// How a selection is told what to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Compare,
    Mask(MaskForm),
}

/// What comes of a sort or a merge: keys alone, values with them, or positions alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    Nothing,
    Values(DType),
    Positions,
}

/// A kernel with what makes its pipelines others.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    Scan { op: ScanOp, wide: bool },
    SegmentedScan { op: ScanOp, source: SegmentSource },
    SegmentedReduce { op: ReduceOp, nan: NanPolicy },
    Reduce { op: ReduceOp, nan: NanPolicy, wide: bool },
    ReduceByKey { op: ReduceOp, key: DType },
    Select { by: By, positions: bool, rows: bool },
    Nonzero,
    Partition { by: By, rows: bool },
    Runs { rows: bool },
    SortedUnique,
    RunLengthDecode,
    Fill,
    Iota,
    Convert,
    Gather,
    Scatter,
    Transform { op: TransformOp },
    Histogram { weights: Option<DType> },
    Sort { moved: Moved },
    SearchSorted,
    Merge { moved: Moved },
    SetOperation { op: SetOp },
    TopK { order: OrderStrategy },
    NthElement { order: OrderStrategy },
    PartitionAt { order: OrderStrategy },
}

/// How many forms there are.
const FORMS: usize = 25;

/// More of those that have more of their own to draw.
const AGAIN: [usize; 5] = [0, 1, 3, 5, 16];

#[derive(Clone, Copy, Debug)]
pub struct Variant {
    pub form: Form,
    /// Type of the elements.
    pub dtype: DType,
    pub path: Option<Path>,
    pub strategy: Option<ScanStrategy>,
}

/// Reductions whose results are exact, or can be.
const REDUCTIONS: [ReduceOp; 11] = [
    ReduceOp::Sum,
    ReduceOp::Prod,
    ReduceOp::Min,
    ReduceOp::Max,
    ReduceOp::And,
    ReduceOp::Or,
    ReduceOp::Xor,
    ReduceOp::Any,
    ReduceOp::All,
    ReduceOp::ArgMin,
    ReduceOp::ArgMax,
];

/// Operators of elements whose results are exact, or can be.
fn transforms(dtype: DType) -> Vec<TransformOp> {
    let exact = |op: &TransformOp| op.takes(dtype) && !op.needs_floats() && (!dtype.is_float() || *op != TransformOp::Div);
    TransformOp::ALL.into_iter().filter(exact).collect()
}

/// The types of a trial: u32, as positions are, one that every device computes with, and any other.
pub fn types(random: &mut Random) -> [DType; 3] {
    let other = random.pick(&[DType::U8, DType::U16, DType::I8, DType::I16, DType::F16, DType::F16, DType::U64, DType::I64, DType::F64]);
    [DType::U32, random.pick(&[DType::I32, DType::F32]), other]
}

/// Each form once or twice, in variants that the device has.
pub fn pool(rig: &Rig, types: &[DType], random: &mut Random) -> Result<Vec<Variant>, Failed> {
    let mut pool = Vec::new();
    for form in (0..FORMS).chain(AGAIN) {
        // A device without a type or path takes others. Every form has one that every device takes.
        let mut drawn = None;
        for _ in 0..1000 {
            let variant = draw(form, types, random);
            if is_possible(&variant, rig)? {
                drawn = Some(variant);
                break;
            }
        }
        pool.push(drawn.ok_or_else(|| format!("no variant of form {form} is possible"))?);
    }
    Ok(pool)
}

fn draw(form: usize, types: &[DType], random: &mut Random) -> Variant {
    let dtype = random.pick(types);
    let op = random.pick(&ScanOp::ALL);
    let reduction = random.pick(&REDUCTIONS);
    let nan = if random.one_in(3) { NanPolicy::Ignore } else { NanPolicy::Propagate };
    let key = random.pick(types);
    let by = random.pick(&[By::Compare, By::Compare, By::Mask(MaskForm::Words), By::Mask(MaskForm::Bytes)]);
    let is_wide = random.one_in(4);
    let rows = random.one_in(3);
    let strategies = [None, Some(ScanStrategy::OneWorkgroup), Some(ScanStrategy::ReduceThenScan), Some(ScanStrategy::SinglePass)];
    let form = match form {
        0 => Form::Scan { op, wide: is_wide && op == ScanOp::Sum },
        1 => {
            let source =
                random.pick(&[SegmentSource::Flags, SegmentSource::Keys(key), SegmentSource::Offsets(1), SegmentSource::Length(17)]);
            Form::SegmentedScan { op, source }
        }
        2 => Form::SegmentedReduce { op: reduction, nan },
        3 => Form::Reduce { op: reduction, nan, wide: is_wide && reduction == ReduceOp::Sum },
        4 => Form::ReduceByKey { op: random.pick(&REDUCTIONS[..7]), key },
        5 => Form::Select { by, positions: random.one_in(4), rows },
        6 => Form::Nonzero,
        7 => Form::Partition { by, rows },
        8 => Form::Runs { rows },
        9 => Form::SortedUnique,
        10 => Form::RunLengthDecode,
        11 => Form::Fill,
        12 => Form::Iota,
        13 => Form::Convert,
        14 => Form::Gather,
        15 => Form::Scatter,
        16 => Form::Transform { op: random.pick(&transforms(dtype)) },
        17 => Form::Histogram { weights: random.pick(&[None, None, Some(DType::U32), Some(DType::I32), Some(DType::F32)]) },
        18 => Form::SearchSorted,
        19 | 21 => {
            let values = random.pick(&[DType::U32, DType::F32, key]);
            // Narrow values do not move: whoever has such takes positions.
            let moved = if values.size() < 4 { Moved::Positions } else { Moved::Values(values) };
            let moved = random.pick(&[Moved::Nothing, Moved::Positions, moved]);
            if form == 19 { Form::Merge { moved } } else { Form::Sort { moved } }
        }
        20 => Form::SetOperation { op: random.pick(&SetOp::ALL) },
        _ => {
            let order = random.pick(&[OrderStrategy::Comparisons, OrderStrategy::Rows, OrderStrategy::Parts]);
            [Form::NthElement { order }, Form::TopK { order }, Form::PartitionAt { order }][form - 22]
        }
    };
    let path = random.pick(&[None, Some(Path::SharedMemory), Some(Path::Subgroup), Some(Path::Shuffle)]);
    Variant { form, dtype, path, strategy: random.pick(&strategies) }
}

/// Whether the device, and the library, take a variant.
fn is_possible(variant: &Variant, rig: &Rig) -> Result<bool, Failed> {
    let Variant { form, dtype, path, strategy } = *variant;
    const LEN: usize = 1000;
    let in_rows = |rows: bool| rows.then_some(LEN);
    let condition = Condition::Mask(MaskForm::Words);
    let zero = wavelane::Scalar::zero(dtype);
    match form {
        Form::Scan { op, wide } => planned(&Scan { wide, strategy, any_order: true, ..Scan::new(op, dtype, &[LEN]) }, path, rig),
        Form::SegmentedScan { op, source } => {
            planned(&SegmentedScan { strategy, any_order: true, ..SegmentedScan::new(op, dtype, LEN, source) }, path, rig)
        }
        Form::SegmentedReduce { op, nan } => planned(&SegmentedReduce { nan, ..SegmentedReduce::new(op, dtype, LEN, 1) }, path, rig),
        Form::Reduce { op, nan, wide } => {
            let reduce = Reduce { nan, wide, ..Reduce::new(op, dtype, &[LEN]) };
            let schedule = reduce.schedule(rig.device.capabilities(), rig.device.quirks(), path);
            Ok(unless_refused(schedule)?.is_some())
        }
        Form::ReduceByKey { op, key } => {
            planned(&ReduceByKey { strategy, any_order: true, ..ReduceByKey::new(op, key, dtype, LEN) }, path, rig)
        }
        Form::Select { rows, .. } => {
            planned(&Select { strategy, row_length: in_rows(rows), ..Select::new(condition, dtype, LEN) }, path, rig)
        }
        Form::Nonzero => planned(&Nonzero { strategy, ..Nonzero::new(dtype, LEN) }, path, rig),
        Form::Partition { rows, .. } => {
            planned(&Partition { strategy, row_length: in_rows(rows), ..Partition::new(condition, dtype, LEN) }, path, rig)
        }
        Form::Runs { rows } => planned(&Unique { strategy, row_length: in_rows(rows), ..Unique::runs(dtype, LEN) }, path, rig),
        Form::SortedUnique => planned(&Unique { strategy, ..Unique::new(dtype, LEN) }, path, rig),
        Form::RunLengthDecode => planned(&RunLengthDecode::new(dtype, LEN, LEN), path, rig),
        Form::Iota => planned(&Iota { start: zero, step: zero, count: LEN, counted: false }, path, rig),
        Form::Gather => planned(&Gather::new(dtype, &[LEN], &[LEN]), path, rig),
        Form::Transform { op } if op.operands() == 1 => planned(&Transform::unary(op, dtype, &[LEN]), path, rig),
        Form::Transform { op } => planned(&Transform::binary(op, dtype, &[LEN], &[LEN]), path, rig),
        Form::Histogram { weights } => {
            let bins = Bins::Even { bins: 10, low: 0.0, high: 1.0 };
            planned(&Histogram { weights, ..Histogram::new(dtype, bins, LEN) }, path, rig)
        }
        Form::SearchSorted => planned(&SearchSorted::new(dtype, LEN, &[LEN]), path, rig),
        Form::SetOperation { op } => planned(&SetOperation::new(op, dtype, LEN, LEN), path, rig),
        Form::Merge { .. } => planned(&Merge::new(dtype, LEN, LEN), path, rig),
        Form::Sort { .. } => planned(&Sort::new(dtype, &[LEN]), path, rig),
        Form::NthElement { .. } => planned(&NthElement::new(dtype, &[LEN], 10), path, rig),
        Form::TopK { .. } => planned(&TopK::new(dtype, &[LEN], 10), path, rig),
        Form::PartitionAt { .. } => planned(&PartitionAt::new(dtype, &[LEN], 10), path, rig),
        // These take every type on every device.
        Form::Fill | Form::Convert | Form::Scatter => Ok(true),
    }
}

fn planned<K: Kernel>(kernel: &K, path: Option<Path>, rig: &Rig) -> Result<bool, Failed> {
    let schedule = kernel.schedule(rig.device.capabilities(), rig.device.quirks(), path);
    Ok(unless_refused(schedule)?.is_some())
}
