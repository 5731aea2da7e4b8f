//! Reductions against their CPU twin.

use std::cell::OnceCell;

use wavelane::{Context, Error, FloatResult, Reduce, Tensor};
use wavelane_reference::{self as reference, Element, Op, Values};

use super::data::{self, Case};
use super::trial::{Job, Trial, Trouble, is_fatal, near, tensor};
use crate::convert;

/// One that adds, and one that compares and remembers where.
const QUICK_OPERATORS: [Op; 2] = [Op::Sum, Op::ArgMin];

pub fn jobs(quick: bool) -> Vec<Job> {
    let operators: &[Op] = if quick { &QUICK_OPERATORS } else { &Op::ALL };
    let pairs = operators.iter().flat_map(|&op| Element::ALL.map(|element| (op, element)));
    let defined = pairs.filter(|&(op, element)| data::is_defined(op, element));
    defined.map(|(op, element)| Job::new("reduce", op.name(), element, move |trial| check(trial, op, element, quick))).collect()
}

fn check(trial: &mut Trial, op: Op, element: Element, quick: bool) -> Result<(), Trouble> {
    for case in data::cases(op, element, quick) {
        if trial.is_over() {
            break;
        }
        let input = data::values(&case, op, element);
        let expected = Expected::of(&case, op, &input);
        let tensor = tensor(&input, &case.shape)?;
        trial.on_each(&case.text(), |context| check_case(context, &case, op, &tensor, &expected))?;
    }
    Ok(())
}

/// What the CPU says of a case.
struct Expected<'a> {
    case: &'a Case,
    op: Op,
    input: &'a Values,
    values: Result<Values, reference::Error>,
    /// Bounds for results in f32 and in f64, once they were asked for.
    bounds: [OnceCell<Vec<f64>>; 2],
}

impl<'a> Expected<'a> {
    fn of(case: &'a Case, op: Op, input: &'a Values) -> Expected<'a> {
        let values = reference::reduce(op, input, &case.shape, case.axis, case.nan, case.wide);
        Expected { case, op, input, values, bounds: Default::default() }
    }

    fn bounds(&self, result: Element) -> Result<Vec<f64>, reference::Error> {
        let known = &self.bounds[usize::from(result == Element::F64)];
        if let Some(bounds) = known.get() {
            return Ok(bounds.clone());
        }
        let Case { shape, axis, nan, .. } = self.case;
        let bounds = reference::reduce_bound(self.op, self.input, shape, *axis, *nan, result)?;
        Ok(known.get_or_init(|| bounds).clone())
    }
}

/// Runs a case, with every type of result that there is, and returns how many checks were made.
fn check_case(context: &Context, case: &Case, op: Op, tensor: &Tensor, expected: &Expected) -> Result<usize, Trouble> {
    let double = context.device().capabilities().features.shader_float64;
    let choice = matches!(op, Op::Mean | Op::Var | Op::Norm1 | Op::Norm2) && !tensor.dtype().is_float() && double;
    let results: &[FloatResult] = if choice { &[FloatResult::F32, FloatResult::F64] } else { &[FloatResult::F32] };
    for &float_result in results {
        let reduce = Reduce {
            axis: case.axis,
            nan: convert::nan_policy(case.nan),
            wide: case.wide,
            float_result,
            ..Reduce::new(convert::reduce_op(op), tensor.dtype(), &case.shape)
        };
        let (got, want) = match (context.reduce(&reduce, tensor), &expected.values) {
            (Ok(outcome), Ok(want)) => (outcome.tensor, want),
            (Err(Error::EmptyReduction { .. }), Err(reference::Error::Empty { .. })) => continue,
            (Err(error), Err(want)) if !is_fatal(&error) => return Err(format!("`{error}` where the CPU says `{want}`").into()),
            (Err(error), _) => return Err(error.into()),
            (Ok(_), Err(want)) => return Err(format!("a result where the CPU says `{want}`").into()),
        };
        near(&got, want, |result| expected.bounds(result))?;
        if case.is_large() && context.reduce(&reduce, tensor)?.tensor.bytes() != got.bytes() {
            return Err("a second run gives other bits".to_owned().into());
        }
    }
    Ok(results.len())
}
