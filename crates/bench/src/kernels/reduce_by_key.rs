//! Reductions of the elements beside equal keys.

use wavelane::{DType, ReduceByKey, ReduceByKeyBindings, ReduceOp};
use wavelane_reference::{Nan, Op, reduce_by_key};

use super::case::{Case, Expected, Planned, Prepared};
use super::data;

pub fn cases() -> Vec<Case> {
    vec![Case::new("reduce_by_key sum u32 runs_of_16", |bench, n| {
        let work = Planned::new(bench, &ReduceByKey::new(ReduceOp::Sum, DType::U32, DType::U32, n), |ranges| {
            Some(ReduceByKeyBindings {
                keys: ranges.get("keys")?,
                input: ranges.get("input")?,
                key_output: ranges.get("key output")?,
                output: ranges.get("output")?,
                runs: ranges.get("runs")?,
                count: None,
                scratch: ranges.get("scratch"),
            })
        })?;
        let inputs = vec![("keys", data::keys(n)), ("input", data::u32s(n))];
        Ok(Prepared::new(work, inputs, (n, 8 * n + 8 * data::runs(n)), |inputs| {
            let (keys, results) = reduce_by_key(Op::Sum, &inputs[0].1, &inputs[1].1, Nan::Propagate, false)?;
            let count = Expected::count("runs", keys.len());
            Ok(vec![count, Expected::exactly("key output", keys), Expected::exactly("output", results)])
        }))
    })]
}
