//! What a transform does on a device: blocks of four where operands lie without gaps, and element by element where not.

use wavelane_device::Capabilities;

use super::operand::{Axes, MOST_AXES};
use super::{Operand, Transform};
use crate::elementwise::{BLOCK, Count, Elementwise, array_bytes, piece_range, size_log2};
use crate::layout::Layout;
use crate::schedule::{BufferUse, Schedule, ScheduleParts, StepAction, StepRange, dispatch};
use crate::{DType, Error, Path, Tuning};

/// What of a buffer an operator reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Read {
    /// Elements as the results lie.
    Along,
    /// One element for all results.
    One(u64),
}

struct Planner<'a> {
    transform: &'a Transform,
    device: Elementwise<'a>,
    axes: Axes,
    /// Elements of each operand's buffer.
    reach: Vec<u64>,
    results: u64,
    result_dtype: DType,
    counter: Count,
}

pub(super) fn schedule(transform: &Transform, capabilities: &Capabilities, tuning: &Tuning, path: Option<Path>) -> Result<Schedule, Error> {
    let Transform { op, dtype, operands, .. } = transform;
    if !op.takes(*dtype) {
        return Err(Error::TransformType { op: *op, dtype: *dtype });
    }
    if operands.len() != op.operands() {
        return Err(Error::OperandCount { op: *op, found: operands.len() });
    }
    let mut reach = operands.iter().map(Operand::reach).collect::<Result<Vec<_>, _>>()?;
    let shape = transform.result_shape()?;
    let results = Layout::of(&shape, None)?.count;
    if results == 0 {
        reach.fill(0);
    }
    let axes = Axes::of(operands, &shape);
    let device = Elementwise::new(capabilities, tuning, path);
    let needed = crate::shaders::transform::contiguous::module(module(*dtype)).map(|module| module.capabilities);
    device.check_features(op.name(), *dtype, needed.unwrap_or_default())?;
    let counter = Count::new(transform.counted, results, 3);
    let planner = Planner { transform, device, axes, reach, results, result_dtype: op.result_dtype(*dtype), counter };
    planner.check_in_place(&shape)?;
    planner.finish(&shape)
}

/// The number that elements are computed as.
fn module(dtype: DType) -> &'static str {
    match dtype {
        DType::U8 | DType::U16 | DType::U32 => "u32",
        DType::I8 | DType::I16 | DType::I32 => "i32",
        DType::F16 | DType::F32 => "f32",
        DType::U64 => "u64",
        DType::I64 => "i64",
        DType::F64 => "f64",
    }
}

impl Planner<'_> {
    fn check_in_place(&self, shape: &[usize]) -> Result<(), Error> {
        if !self.transform.in_place {
            return Ok(());
        }
        if self.result_dtype.size() != self.transform.dtype.size() {
            return Err(Error::NotInPlace { reason: "truth values have 4 bytes, and the elements have not" });
        }
        // Of the first operand alone: another one's axes keep its own from merging.
        let axes = Axes::of(&self.transform.operands[..1], shape);
        match axes.strides[0][..] {
            _ if self.results == 0 => Ok(()),
            [] | [1] if self.transform.operands[0].offset == 0 => Ok(()),
            _ => Err(Error::NotInPlace { reason: "the operand does not lie as the result does, in C order without gaps" }),
        }
    }

    /// How an operand can be read in blocks, if it can.
    fn read(&self, operand: usize) -> Option<Read> {
        let offset = self.transform.operands[operand].offset;
        match self.axes.strides[operand][..] {
            [] => Some(Read::One(offset)),
            [1] if offset == 0 => Some(Read::Along),
            ref strides if strides.iter().all(|&stride| stride == 0) => Some(Read::One(offset)),
            _ => None,
        }
    }

    fn finish(self, shape: &[usize]) -> Result<Schedule, Error> {
        let Transform { op, dtype, operands, in_place, .. } = self.transform;
        let reads: Option<Vec<Read>> = (0..operands.len()).map(|operand| self.read(operand)).collect();
        let actions = match &reads {
            _ if self.results == 0 => Vec::new(),
            Some(reads) => self.contiguous(reads)?,
            None => self.strided()?,
        };
        let strategy = match reads {
            Some(_) => format!("{BLOCK} elements an invocation, without gaps"),
            None => format!("element by element along {} axes", self.axes.extents.len()),
        };
        let (size, result_size) = (dtype.size(), self.result_dtype.size());
        let need = |name, usage, operand: usize| {
            let elements = self.reach.get(operand).copied().unwrap_or(0);
            self.device.need(name, usage, elements, size)
        };
        let buffers = vec![
            need("a", if *in_place { BufferUse::InPlace } else { BufferUse::Input }, 0),
            need("b", BufferUse::Input, 1),
            self.device.need("output", BufferUse::Output, if *in_place { 0 } else { self.results }, result_size),
            self.counter.need(&self.device),
        ];
        let shapes: Vec<String> = operands.iter().map(|operand| format!("{:?}", operand.shape)).collect();
        let place = if *in_place { ", in place" } else { "" };
        let parts = ScheduleParts {
            kernel: "transform",
            title: format!("{op} of {dtype} {} to {} {shape:?}{place}{}", shapes.join(" and "), self.result_dtype, self.counter.title()),
            strategy,
            buffers,
            actions,
            bytes_moved: self.reach.iter().map(|&elements| elements.min(self.results) * size).sum::<u64>()
                + self.results * result_size
                + self.counter.bytes(),
            choice: self.device.choice,
        };
        Schedule::new(parts, self.device.limits)
    }

    /// Which buffer the results go to.
    fn output(&self) -> usize {
        if self.transform.in_place { 0 } else { 2 }
    }

    /// What `KEEP_REST` is in `glsl/transform/operators.glsl`: in place the elements that are not counted stay, be they in the last word that is written.
    fn keep_rest(&self) -> u32 {
        u32::from(self.transform.in_place && self.counter.on_device())
    }

    fn contiguous(&self, reads: &[Read]) -> Result<Vec<StepAction>, Error> {
        let Transform { op, dtype, .. } = self.transform;
        let (size, result_size, workgroup_size) = (dtype.size(), self.result_dtype.size(), self.device.choice.workgroup_size);
        let one = |operand: usize| match reads.get(operand) {
            Some(Read::One(at)) => Some(*at as u32),
            _ => None,
        };
        for operand in (0..reads.len()).filter(|&operand| one(operand).is_some()) {
            self.device.check_whole("an operand of which one element is read", array_bytes(self.reach[operand], size))?;
        }
        let mut actions = Vec::new();
        for (first, count) in self.device.pieces("a transform", self.results, size.max(result_size), BLOCK)? {
            let range = |operand: usize| match one(operand) {
                Some(_) => StepRange::first(array_bytes(self.reach[operand], size)),
                None => piece_range(first, count, size),
            };
            // Where there is one operand, it stands in for the second, which is not read.
            let b = if reads.len() == 2 { (1, range(1)) } else { (0, range(0)) };
            actions.push(dispatch!(
                transform::contiguous,
                module(*dtype).into(),
                shader::SpecializationConstants {
                    workgroup_size,
                    size_log2: size_log2(*dtype),
                    result_size_log2: size_log2(self.result_dtype),
                    operator: *op as u32,
                    binary: u32::from(reads.len() == 2),
                    a_is_one: u32::from(one(0).is_some()),
                    b_is_one: u32::from(one(1).is_some()),
                    counted: self.counter.constant(),
                    keep_rest: self.keep_rest(),
                },
                shader::PushConstants {
                    elements: count as u32,
                    first: first as u32,
                    a_one: one(0).unwrap_or(0),
                    b_one: one(1).unwrap_or(0),
                },
                self.device.groups(count.div_ceil(BLOCK))?,
                vec![(0, range(0)), b, (self.output(), piece_range(first, count, result_size)), self.counter.binding((0, range(0)))]
            ));
        }
        Ok(actions)
    }

    fn strided(&self) -> Result<Vec<StepAction>, Error> {
        let Transform { op, dtype, operands, .. } = self.transform;
        let rank = self.axes.extents.len();
        if rank > MOST_AXES {
            return Err(Error::TooManyAxes { found: rank, limit: MOST_AXES });
        }
        let (size, result_size, workgroup_size) = (dtype.size(), self.result_dtype.size(), self.device.choice.workgroup_size);
        for &reach in &self.reach {
            self.device.check_whole("an operand with gaps", array_bytes(reach, size))?;
        }
        let padded = |values: &[i64], otherwise: u32| -> [u32; MOST_AXES] {
            // Negative strides wrap, and so does the sum that they are part of.
            std::array::from_fn(|axis| values.get(axis).map_or(otherwise, |&value| value as u32))
        };
        let strides = |operand: usize| padded(self.axes.strides.get(operand).map_or(&[], Vec::as_slice), 0);
        let extents: Vec<i64> = self.axes.extents.iter().map(|&extent| extent as i64).collect();
        let [extents, a_strides, b_strides] = [padded(&extents, 1), strides(0), strides(1)];
        let offset = |operand: usize| operands.get(operand).map_or(0, |operand| operand.offset as u32);
        let low = |all: [u32; MOST_AXES]| [all[0], all[1], all[2], all[3]];
        let high = |all: [u32; MOST_AXES]| [all[4], all[5]];
        let whole = |operand: usize| (operand, StepRange::first(array_bytes(self.reach[operand], size)));
        let b = if operands.len() == 2 { whole(1) } else { whole(0) };
        let share = (4 / result_size).max(1);
        let mut actions = Vec::new();
        for (first, count) in self.device.pieces("a transform", self.results, result_size, share)? {
            actions.push(dispatch!(
                transform::strided,
                module(*dtype).into(),
                shader::SpecializationConstants {
                    workgroup_size,
                    size_log2: size_log2(*dtype),
                    result_size_log2: size_log2(self.result_dtype),
                    operator: *op as u32,
                    binary: u32::from(operands.len() == 2),
                    rank: rank as u32,
                    counted: self.counter.constant(),
                    keep_rest: self.keep_rest(),
                },
                shader::PushConstants {
                    extents: low(extents),
                    a_strides: low(a_strides),
                    b_strides: low(b_strides),
                    extents_4_5: high(extents),
                    a_strides_4_5: high(a_strides),
                    b_strides_4_5: high(b_strides),
                    a_offset: offset(0),
                    b_offset: offset(1),
                    elements: count as u32,
                    first: first as u32,
                },
                self.device.groups(count.div_ceil(share))?,
                vec![whole(0), b, (self.output(), piece_range(first, count, result_size)), self.counter.binding(whole(0))]
            ));
        }
        Ok(actions)
    }
}
