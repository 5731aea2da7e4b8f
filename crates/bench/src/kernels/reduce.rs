//! Reductions of a whole array.

use anyhow::Result;
use wavelane::{DType, Reduce, ReduceOp};
use wavelane_reference::{Element, Nan, Op, Values, reduce, reduce_bound};

use super::Bench;
use super::case::{Case, Expected, Prepared};
use super::data;

/// What reductions of segments are held against.
pub const FLAT: &str = "reduce sum u32";

pub fn cases() -> Vec<Case> {
    vec![
        Case::new(FLAT, |bench, n| {
            whole(bench, n, ReduceOp::Sum, data::u32s(n), |input| {
                Ok(Expected::exactly("output", reduce(Op::Sum, input, &[input.len()], None, Nan::Propagate, false)?))
            })
        }),
        Case::new("reduce sum f32", |bench, n| whole(bench, n, ReduceOp::Sum, data::f32s(n), |input| floats(Op::Sum, input))),
        Case::new("reduce var f32", |bench, n| whole(bench, n, ReduceOp::Var, data::f32s(n), |input| floats(Op::Var, input))),
    ]
}

fn floats(op: Op, input: &Values) -> Result<Expected> {
    let shape = [input.len()];
    let bounds = reduce_bound(op, input, &shape, None, Nan::Propagate, Element::F32)?;
    Ok(Expected::within("output", Element::F32, reduce(op, input, &shape, None, Nan::Propagate, false)?, bounds))
}

fn whole(bench: &Bench, n: usize, op: ReduceOp, input: Values, expect: impl Fn(&Values) -> Result<Expected> + 'static) -> Result<Prepared> {
    let dtype = if input.element() == Element::F32 { DType::F32 } else { DType::U32 };
    let plan = Reduce::new(op, dtype, &[n]).plan_with(&bench.pipelines, bench.path)?;
    Ok(Prepared::new(plan, vec![("input", input)], (n, 4 * n + 4), move |inputs| Ok(vec![expect(&inputs[0].1)?])))
}
