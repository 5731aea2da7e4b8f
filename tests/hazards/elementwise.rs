//! Kernels that treat elements one by one, as many as the device counts.

use wavelane::{
    Convert, ConvertBindings, DType, Fill, FillBindings, Gather, GatherBindings, Iota, IotaBindings, Scatter, ScatterBindings, Transform,
    TransformBindings, TransformOp,
};

use super::{Maker, shared_form};

pub fn kernels() -> Vec<Maker> {
    let mut all: Vec<Maker> = Vec::new();
    all.push(Box::new(|device| {
        let fill = Fill::new(7u32, &[100_003]).counted();
        shared_form::counted(device, &fill, false, |[output, count, ..]| Some(FillBindings { output: output?, count }))
    }));
    all.push(Box::new(|device| {
        let iota = Iota::new(0u32, 1, 100_003).counted();
        shared_form::counted(device, &iota, false, |[output, count, ..]| Some(IotaBindings { output: output?, count }))
    }));
    all.push(Box::new(|device| {
        let convert = Convert::new(DType::U8, DType::F32, &[100_003]).counted();
        shared_form::counted(device, &convert, false, |[input, output, count, ..]| {
            Some(ConvertBindings { input: input?, output: output?, count })
        })
    }));
    all.push(Box::new(|device| {
        let gather = Gather::new(DType::F16, &[1009], &[30_011]).counted();
        shared_form::counted(device, &gather, false, |[input, indices, output, count, ..]| {
            Some(GatherBindings { input: input?, indices: indices?, output: output?, count })
        })
    }));
    // In pieces, which wait for each other.
    for narrow in [false, true] {
        all.push(Box::new(move |device| {
            let scatter = Scatter::new(DType::U8, &[1009], 50_021).counted();
            shared_form::counted(device, &scatter, narrow, |[values, indices, target, count, ..]| {
                Some(ScatterBindings { values: values?, indices: indices?, target: target?, count })
            })
        }));
    }
    for transform in [
        Transform::binary(TransformOp::Add, DType::F32, &[307, 101], &[101]),
        Transform::unary(TransformOp::Neg, DType::U8, &[100_003]).in_place(),
    ] {
        all.push(Box::new(move |device| {
            shared_form::counted(device, &transform.clone().counted(), false, |[a, b, output, count, ..]| {
                Some(TransformBindings { a: a?, b, output, count })
            })
        }));
    }
    all
}
