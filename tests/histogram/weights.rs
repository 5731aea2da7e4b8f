//! Sums of weights, and counts of values.

use libtest_mimic::Failed;
use wavelane::{Bins, Context, DType, Histogram, Tensor};
use wavelane_reference::Values;

use super::STRATEGIES;
use super::data::{Pattern, values};
use super::harness::gpu::ensure;
use super::support::{Like, check, ten, twin};

pub fn weighted(context: &Context) -> Result<(), Failed> {
    for dtype in [DType::U8, DType::I8, DType::F16, DType::F32, DType::I64] {
        for (weights, wide) in
            [(DType::U32, false), (DType::U32, true), (DType::I32, false), (DType::I32, true), (DType::F32, false), (DType::F32, true)]
        {
            for (turn, len) in [1, 1001, 9001].into_iter().enumerate() {
                for (like, strategy) in [(Like::ALL[turn], STRATEGIES[turn % 2]), (Like::Equal, STRATEGIES[1 - turn % 2])] {
                    let histogram = Histogram { wide, ..Histogram::new(dtype, ten(dtype), len).weighted(weights).with_strategy(strategy) };
                    check(context, &histogram, &like.values(dtype, len))?;
                }
            }
        }
    }
    // More bins than shared memory has sums for.
    let elements = values(DType::U16, 5003, Pattern::Random, false, 1);
    check(context, &Histogram::new(DType::U16, Bins::Values { bins: 3000 }, 5003).weighted(DType::F32), &elements)?;
    check(context, &Histogram::new(DType::U16, Bins::Values { bins: 1 << 16 }, 5003).weighted(DType::F32).wide(), &elements)
}

/// Sums of weights that cancel each other, overflow, are subnormal, tie, or are no numbers: one in each bin.
pub fn special_weights(context: &Context) -> Result<(), Failed> {
    let least = f32::from_bits(1);
    let (infinite, nan) = (f32::INFINITY, f32::NAN);
    let sums: [&[f32]; 16] = [
        &[1e38, 1.0, -1e38],
        &[f32::MAX, f32::MAX],
        &[f32::MAX, f32::MAX, -f32::MAX],
        &[least, least, least],
        &[-least, 1.0, -1.0],
        &[16_777_216.0, 1.0],
        &[16_777_216.0, 1.0, least],
        &[-16_777_218.0, -1.0],
        &[f32::MIN_POSITIVE, -least],
        &[-0.0, -0.0],
        &[infinite, 1.0],
        &[-infinite, f32::MAX],
        &[infinite, -infinite],
        &[nan, infinite],
        &[1.0, -1.0, 1.0, -1.0],
        &[f32::MAX, f32::MAX * 0.5f32.powi(25)],
    ];
    let bins: Vec<u8> = sums.iter().zip(0..).flat_map(|(sum, bin)| sum.iter().map(move |_| bin)).collect();
    let flat: Vec<f32> = sums.iter().flat_map(|sum| sum.iter().copied()).collect();
    let input = Tensor::from_slice(&bins, &[bins.len()])?;
    let given = Tensor::from_slice(&flat, &[flat.len()])?;
    for strategy in STRATEGIES {
        let histogram = Histogram::new(DType::U8, Bins::Values { bins: 16 }, bins.len()).weighted(DType::F32).with_strategy(strategy);
        let single = context.histogram(&histogram, &input, Some(&given))?.tensor.to_vec::<f32>()?;
        let double = context.histogram(&histogram.clone().wide(), &input, Some(&given))?.tensor.to_vec::<f64>()?;
        let want = twin(&histogram, &Values::U8(bins.clone()), Some(&Values::F32(flat.clone())), &(0..bins.len()).collect::<Vec<_>>())?;
        let Values::F32(want) = want else { return Err("the twin's sums are not f32".into()) };
        for (bin, (got, want)) in single.iter().zip(&want).enumerate() {
            let same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
            ensure(same, || format!("the sum of {:?} is {got:e}, and {want:e} is right", sums[bin]))?;
        }
        let exact = [1.0, 2.0 * f64::from(f32::MAX), f64::from(f32::MAX), 3.0 * f64::from(least), -f64::from(least), 16_777_217.0];
        ensure(double[..6] == exact && double[10] == f64::INFINITY && double[12].is_nan(), || format!("{double:?}"))?;
        ensure(double[9].to_bits() == 0 && double[14].to_bits() == 0, || "a sum of nothing is not +0".into())?;
    }
    Ok(())
}

pub fn bincount(context: &Context) -> Result<(), Failed> {
    let of = |input: &[i32], least| -> Result<Vec<u32>, Failed> {
        Ok(context.bincount(&Tensor::from_slice(input, &[input.len()])?, None, least)?.tensor.to_vec()?)
    };
    ensure(of(&[1, 3, 1], 0)? == [0, 2, 0, 1] && of(&[1], 4)? == [0, 1, 0, 0], || "wrong counts".into())?;
    ensure(of(&[], 0)?.is_empty() && of(&[], 2)? == [0, 0], || "wrong counts of nothing".into())?;
    let weights = Tensor::from_slice(&[u32::MAX, 5, u32::MAX], &[3])?;
    let sums = context.bincount(&Tensor::from_slice(&[1u64, 0, 1], &[3])?, Some(&weights), 3)?.tensor;
    ensure(sums.to_vec::<f64>()? == [5.0, 8_589_934_590.0, 0.0], || format!("{sums:?}"))
}
