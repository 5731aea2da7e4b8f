//! Kernels whose invocations have nothing to do with each other.

use wavelane::{
    Convert, ConvertBindings, DType, Fill, FillBindings, Gather, GatherBindings, Iota, IotaBindings, Scatter, ScatterBindings, Transform,
    TransformBindings, TransformOp,
};
use wavelane_reference::{BinaryOp, Element, Values, convert, fill, gather, iota, scatter, transform_binary, transform_binary_bound};

use super::case::{Case, Expected, Planned, Prepared};
use super::data::{self, words};

/// The value that a fill writes.
const VALUE: u32 = 0x1234_5678;

pub fn cases() -> Vec<Case> {
    let mut cases = writing();
    cases.extend(moving());
    cases.push(Case::new("transform add f32", |bench, n| {
        let work = Planned::new(bench, &Transform::binary(TransformOp::Add, DType::F32, &[n], &[n]), |ranges| {
            Some(TransformBindings { a: ranges.get("a")?, b: ranges.get("b"), output: ranges.get("output"), count: None })
        })?;
        let inputs = vec![("a", data::f32s(n)), ("b", data::f32s(n))];
        Ok(Prepared::new(work, inputs, (n, 12 * n), |inputs| {
            let (a, b) = (&inputs[0].1, &inputs[1].1);
            let (results, _) = transform_binary(BinaryOp::Add, a, &[a.len()], b, &[b.len()])?;
            let bounds = transform_binary_bound(BinaryOp::Add, Element::F32, &results);
            Ok(vec![Expected::within("output", Element::F32, results, bounds)])
        }))
    }));
    cases
}

fn writing() -> Vec<Case> {
    vec![
        Case::new("fill u32", |bench, n| {
            let work =
                Planned::new(bench, &Fill::new(VALUE, &[n]), |ranges| Some(FillBindings { output: ranges.get("output")?, count: None }))?;
            Ok(Prepared::new(work, Vec::new(), (n, 4 * n), move |_| {
                Ok(vec![Expected::exactly("output", fill(&Values::U32(vec![VALUE]), n)?)])
            }))
        }),
        Case::new("iota u32", |bench, n| {
            let work =
                Planned::new(bench, &Iota::new(5u32, 3, n), |ranges| Some(IotaBindings { output: ranges.get("output")?, count: None }))?;
            Ok(Prepared::new(work, Vec::new(), (n, 4 * n), move |_| {
                let results = iota(Element::U32, n, &Values::U32(vec![5]), &Values::U32(vec![3]))?;
                Ok(vec![Expected::exactly("output", results)])
            }))
        }),
    ]
}

fn moving() -> Vec<Case> {
    vec![
        Case::new("convert u32 f32", |bench, n| {
            let work = Planned::new(bench, &Convert::new(DType::U32, DType::F32, &[n]), |ranges| {
                Some(ConvertBindings { input: ranges.get("input")?, output: ranges.get("output")?, count: None })
            })?;
            Ok(Prepared::new(work, vec![("input", data::u32s(n))], (n, 8 * n), |inputs| {
                Ok(vec![Expected::exactly("output", convert(&inputs[0].1, Element::F32))])
            }))
        }),
        Case::new("gather u32 random", |bench, n| {
            let work = Planned::new(bench, &Gather::new(DType::U32, &[n], &[n]), |ranges| {
                let (input, indices) = (ranges.get("input")?, ranges.get("indices")?);
                Some(GatherBindings { input, indices, output: ranges.get("output")?, count: None })
            })?;
            let inputs = vec![("input", data::u32s(n)), ("indices", data::indices(n))];
            Ok(Prepared::new(work, inputs, (n, 12 * n), |inputs| {
                Ok(vec![Expected::exactly("output", gather(&inputs[0].1, words(&inputs[1].1)?)?)])
            }))
        }),
        // Each index once: of two values for one place it would be chance which stays.
        Case::new("scatter u32 random", |bench, n| {
            let work = Planned::new(bench, &Scatter::new(DType::U32, &[n], n), |ranges| {
                let (values, indices) = (ranges.get("values")?, ranges.get("indices")?);
                Some(ScatterBindings { values, indices, target: ranges.get("target")?, count: None })
            })?;
            let inputs = vec![("values", data::u32s(n)), ("indices", data::permutation(n))];
            Ok(Prepared::new(work, inputs, (n, 12 * n), |inputs| {
                let values = &inputs[0].1;
                let nothing = Values::U32(vec![0; values.len()]);
                Ok(vec![Expected::exactly("target", scatter(values, words(&inputs[1].1)?, &nothing)?)])
            }))
        }),
    ]
}
