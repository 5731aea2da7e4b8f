//! Reductions of segments: few and long, many and short, and one long beside many short ones.

use anyhow::Result;
use wavelane::{DType, ReduceOp, SegmentedReduce, SegmentedReduceBindings};
use wavelane_reference::{Element, Nan, Op, Segments, Values, segmented_reduce, segmented_reduce_bound};

use super::Bench;
use super::case::{Case, Expected, Planned, Prepared};
use super::data::{self, words};

/// The shapes that have to keep up with the reduction of as many elements.
pub const SHAPES: [&str; 3] =
    ["segmented_reduce sum u32 16_equal", "segmented_reduce sum u32 many_of_16", "segmented_reduce sum u32 one_beside_many_of_1"];

pub fn cases() -> Vec<Case> {
    let [equal, many, one] = SHAPES;
    vec![
        Case::new(equal, |bench, n| reduced(bench, ReduceOp::Sum, DType::U32, sixteen_equal(n))),
        Case::new(many, |bench, n| reduced(bench, ReduceOp::Sum, DType::U32, many_of_sixteen(n))),
        Case::new(one, |bench, n| reduced(bench, ReduceOp::Sum, DType::U32, one_beside_many(n))),
        Case::new("segmented_reduce var f32 16_equal", |bench, n| reduced(bench, ReduceOp::Var, DType::F32, sixteen_equal(n))),
        Case::new("segmented_reduce var f32 many_of_16", |bench, n| reduced(bench, ReduceOp::Var, DType::F32, many_of_sixteen(n))),
        Case::new("segmented_reduce var f32 one_beside_many_of_1", |bench, n| {
            reduced(bench, ReduceOp::Var, DType::F32, one_beside_many(n))
        }),
    ]
}

fn sixteen_equal(n: usize) -> Vec<u32> {
    (0..=16).map(|segment| (segment * n / 16) as u32).collect()
}

fn many_of_sixteen(n: usize) -> Vec<u32> {
    (0..=n / 16).map(|segment| 16 * segment as u32).collect()
}

/// One segment of `n` elements behind 2^16 of one each; behind fewer where those would be most of the elements.
fn one_beside_many(n: usize) -> Vec<u32> {
    let many = (n / 256).min(1 << 16);
    (0..=many).chain([many + n]).map(|offset| offset as u32).collect()
}

fn reduced(bench: &Bench, op: ReduceOp, dtype: DType, offsets: Vec<u32>) -> Result<Prepared> {
    let (n, segments) = (offsets[offsets.len() - 1] as usize, offsets.len() - 1);
    let work = Planned::new(bench, &SegmentedReduce::new(op, dtype, n, segments), |ranges| {
        Some(SegmentedReduceBindings {
            input: ranges.get("input"),
            told: Some(ranges.get("offsets")?),
            count: None,
            found: None,
            output: ranges.get("output")?,
            scratch: ranges.get("scratch"),
        })
    })?;
    let input = if dtype == DType::F32 { data::f32s(n) } else { data::u32s(n) };
    let inputs = vec![("input", input), ("offsets", Values::U32(offsets))];
    Ok(Prepared::new(work, inputs, (n, 4 * n + 4 * (segments + 1) + 4 * segments), move |inputs| {
        let (input, segments) = (&inputs[0].1, Segments::Offsets(words(&inputs[1].1)?));
        let of = if op == ReduceOp::Var { Op::Var } else { Op::Sum };
        let results = segmented_reduce(of, input, &segments, Nan::Propagate, false)?;
        if dtype != DType::F32 {
            return Ok(vec![Expected::exactly("output", results)]);
        }
        let bounds = segmented_reduce_bound(of, input, &segments, Nan::Propagate, Element::F32)?;
        Ok(vec![Expected::within("output", Element::F32, results, bounds)])
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_what_their_names_say() {
        let n = 1 << 20;
        assert_eq!(sixteen_equal(n).last(), Some(&(n as u32)));
        assert_eq!((many_of_sixteen(n).len(), many_of_sixteen(n).last()), (n / 16 + 1, Some(&(n as u32))));
        let offsets = one_beside_many(n);
        assert_eq!((offsets.len() - 1, offsets[4095], offsets[4096], offsets[4097]), (4097, 4095, 4096, 4096 + n as u32));
        assert_eq!(one_beside_many(1 << 26).len() - 1, (1 << 16) + 1);
    }
}
