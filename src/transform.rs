//! An operator of each element, or of each pair of two arrays. See `docs/kernels/transform.md`.

mod operand;
mod operator;
mod schedule;

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};
use wavelane_record::BufferRange;

pub use operand::Operand;
pub use operator::TransformOp;

use crate::context::{Context, Outcome, check_input};
use crate::kernel::{Bindings, Kernel, Plan};
use crate::layout::Layout;
use crate::schedule::{MOST_BUFFERS, Schedule};
use crate::{DType, Error, Path, Tensor, Tuning};

/// Computes an operator of each element of an array, or of each pair of two, whose shapes stretch as numpy's do. Plain data; [`Kernel::plan`] makes
/// it ready for a device.
///
/// ```
/// use wavelane::{DType, Operand, Transform, TransformOp};
///
/// // Each row of an array less another row.
/// let rows = Transform::binary(TransformOp::Sub, DType::F32, &[344, 403], &[403]);
/// assert_eq!(rows.result_shape().unwrap(), [344, 403]);
/// // The roots of an array that lies the other way around.
/// let turned = Operand::contiguous(&[344, 403]).transposed();
/// let roots = Transform::new(TransformOp::Sqrt, DType::F32, vec![turned]);
/// assert_eq!(roots.result_shape().unwrap(), [403, 344]);
/// // The first results, as many as a buffer of the device says.
/// let some = Transform::unary(TransformOp::Exp, DType::F32, &[1_000_000]).counted();
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Transform {
    /// The operator.
    pub op: TransformOp,
    /// Type of the operands' elements.
    pub dtype: DType,
    /// Where the operands lie: one, or two for operators of pairs.
    pub operands: Vec<Operand>,
    /// Whether results take the first operand's place.
    #[serde(default)]
    pub in_place: bool,
    /// Whether the number of results, of the first in C order, is read on the device, when the work runs; the operands' shapes have the most it can be then.
    #[serde(default)]
    pub counted: bool,
}

/// The buffers of one recording of a [`Transform`].
#[derive(Clone, Copy, Debug)]
pub struct TransformBindings<'a> {
    /// The first operand, which results take the place of where the transform is in place.
    pub a: BufferRange<'a>,
    /// The second operand, for operators of pairs. It may be the same range as the first, if that stays as it is.
    pub b: Option<BufferRange<'a>>,
    /// Where the results go, unless the transform is in place.
    pub output: Option<BufferRange<'a>>,
    /// The u32 that a counted transform takes its number of results from.
    pub count: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for TransformBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[0] = Some(self.a);
        ranges[1] = self.b;
        ranges[2] = self.output;
        ranges[3] = self.count;
        ranges
    }
}

impl Transform {
    /// An operator of operands that lie anyhow.
    pub fn new(op: TransformOp, dtype: DType, operands: Vec<Operand>) -> Self {
        Self { op, dtype, operands, in_place: false, counted: false }
    }

    /// An operator of each element of an array in C order.
    pub fn unary(op: TransformOp, dtype: DType, shape: &[usize]) -> Self {
        Self::new(op, dtype, vec![Operand::contiguous(shape)])
    }

    /// An operator of each pair of two arrays in C order.
    pub fn binary(op: TransformOp, dtype: DType, a: &[usize], b: &[usize]) -> Self {
        Self::new(op, dtype, vec![Operand::contiguous(a), Operand::contiguous(b)])
    }

    /// Has results take the first operand's place, which must lie as they do: in C order without gaps, and be as large.
    pub fn in_place(mut self) -> Self {
        self.in_place = true;
        self
    }

    /// Takes the number of results from a buffer of the device when the work runs ([`TransformBindings::count`]). A greater count is taken for the most that
    /// there can be.
    pub fn counted(mut self) -> Self {
        self.counted = true;
        self
    }

    /// Type of the results: u32 for comparisons, else the operands'.
    pub fn result_dtype(&self) -> DType {
        self.op.result_dtype(self.dtype)
    }

    /// Shape of the results, which lie in C order.
    ///
    /// # Errors
    /// [`Error::Broadcast`] and [`Error::TooManyElements`].
    pub fn result_shape(&self) -> Result<Vec<usize>, Error> {
        operand::broadcast(&self.operands)
    }
}

impl Kernel for Transform {
    type Bindings<'a> = TransformBindings<'a>;

    fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        _quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        schedule::schedule(self, capabilities, tuning, path)
    }
}

impl Context {
    /// Computes an operator of an array's elements, or of two arrays': of all of them, whether or not the transform is counted. An operand that lies in C order is an array of its shape; of one that lies in
    /// another way the array's elements count, whatever their shape.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if an array is not what `transform` describes; what [`Kernel::plan`] says; memory, submission, device loss.
    pub fn transform(&self, transform: &Transform, operands: &[&Tensor]) -> Result<Outcome<Plan<Transform>>, Error> {
        let (dtype, result_dtype) = (transform.dtype, transform.result_dtype());
        if operands.len() != transform.operands.len() {
            return Err(Error::OperandCount { op: transform.op, found: operands.len() });
        }
        let mut uploads = Vec::with_capacity(2);
        for (at, (operand, tensor)) in transform.operands.iter().zip(operands).enumerate() {
            let bytes = (operand.reach()? * dtype.size()) as usize;
            if *operand == Operand::contiguous(&operand.shape) {
                check_input((dtype, &operand.shape), tensor)?;
            } else if tensor.dtype() != dtype || tensor.bytes().len() < bytes {
                let found = format!("{} {:?}", tensor.dtype(), tensor.shape());
                return Err(Error::InputMismatch { expected: format!("{dtype} of at least {bytes} bytes"), found });
            }
            uploads.push((at, &tensor.bytes()[..bytes]));
        }
        let shape = transform.result_shape()?;
        let bytes = Layout::of(&shape, None)?.count * result_dtype.size();
        if bytes == 0 {
            uploads.clear();
        }
        let output = if transform.in_place { 0 } else { 2 };
        // The host knows what it hands over.
        let transform = Transform { counted: false, ..transform.clone() };
        self.run(&transform, &uploads, |downloads| Tensor::new(result_dtype, shape, downloads.bytes(output, bytes)?))
    }
}
