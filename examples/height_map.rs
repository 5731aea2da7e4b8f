//! Reduces a real height map on a Vulkan device, checks every figure against the CPU, and says which path was taken and why.
//!
//! `cargo run --release --example height_map [FILE.npy]`; the default is the terrain around the Jacksboro fault in `tests/data/`.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context as _, ensure};
use wavelane::{Context, DType, Outcome, Reduce, ReduceOp, Tensor};
use wavelane_reference as reference;

/// A line of the table.
struct Line {
    what: &'static str,
    result: String,
    check: String,
    path: String,
    time: String,
    rate: String,
}

fn main() -> anyhow::Result<()> {
    let file = std::env::args().nth(1).unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/jacksboro_dem.npy").into());
    let (heights, shape) = read(&file)?;
    let context = Context::new(&Default::default())?;
    let tensor = Tensor::from_slice(&heights, &shape)?;
    // Within this folder, as a person would name it.
    let shown = std::env::current_dir().ok().and_then(|here| Some(Path::new(&file).strip_prefix(here).ok()?.display().to_string()));
    let shown = shown.unwrap_or_else(|| file.clone());
    println!("{shown}: {} × {} heights on {}\n", shape[0], shape[1], context.device().capabilities().device_name);

    let whole = |op| Reduce::new(op, DType::F32, &shape);
    let jobs = [
        ("minimum", whole(ReduceOp::Min)),
        ("maximum", whole(ReduceOp::Max)),
        ("mean", whole(ReduceOp::Mean)),
        ("maximum of each row", whole(ReduceOp::Max).along(1)),
    ];
    let mut lines = Vec::new();
    let mut explained = Vec::new();
    for (what, reduce) in jobs {
        // The first run warms caches and compiles; the second is timed.
        context.reduce(&reduce, &tensor)?;
        let outcome = context.reduce(&reduce, &tensor)?;
        lines.push(line(what, &reduce, &heights, &outcome)?);
        explained.push(format!("{what}\n{}", outcome.plan.explain()));
    }
    println!("{:<20} {:<29} {:<21} {:<9} {:>10} {:>7}", "", "result", "CPU check", "path", "GPU time", "GB/s");
    for Line { what, result, check, path, time, rate } in lines {
        println!("{what:<20} {result:<29} {check:<21} {path:<9} {time:>10} {rate:>7}");
    }
    println!("\nHow the mean and the rows were done:\n\n{}\n\n{}", explained[2], explained[3]);
    Ok(())
}

fn read(file: &str) -> anyhow::Result<(Vec<f32>, Vec<usize>)> {
    let source = BufReader::new(File::open(file).with_context(|| format!("cannot open {file}"))?);
    let npy = npyz::NpyFile::new(source).with_context(|| format!("{file} is not a NumPy file"))?;
    let shape: Vec<usize> = npy.shape().iter().map(|&length| length as usize).collect();
    ensure!(shape.len() == 2 && !shape.contains(&0), "{file}: a height map has two axes, and this has shape {shape:?}");
    ensure!(npy.order() == npyz::Order::C, "{file}: the array is in Fortran order; write it with numpy.ascontiguousarray");
    Ok((npy.into_vec().with_context(|| format!("{file} does not hold 32-bit floats"))?, shape))
}

/// Compares what the device gave with the CPU's answer: exactly for extremes, within f32's rounding for the mean.
fn line(what: &'static str, reduce: &Reduce, heights: &[f32], outcome: &Outcome) -> anyhow::Result<Line> {
    let device: Vec<f32> = outcome.tensor.to_vec()?;
    let op = match reduce.op {
        ReduceOp::Min => reference::Op::Min,
        ReduceOp::Max => reference::Op::Max,
        _ => reference::Op::Mean,
    };
    let values = reference::Values::F32(heights.to_vec());
    let expected = reference::reduce(op, &values, &reduce.shape, reduce.axis, reference::Nan::Propagate, false)?;
    let expected: Vec<f64> = expected.to_f64();
    let worst = device.iter().zip(&expected).map(|(&got, want)| (f64::from(got) - want).abs() / want.abs()).fold(0.0, f64::max);
    let bound = if reduce.op == ReduceOp::Mean { 1e-6 } else { 0.0 };
    ensure!(device.len() == expected.len() && worst <= bound, "{what}: the device's {device:?} is not the CPU's {expected:?}");
    let result = match device.as_slice() {
        [one] => format!("{one}"),
        [first, second, .., last] => format!("{} rows: {first}, {second}, … {last}", device.len()),
        few => format!("{few:?}"),
    };
    let check = if worst == 0.0 { "equal".into() } else { format!("equal within {worst:.1e}") };
    let time = outcome.gpu_time_ns.map_or_else(|| "no clock".into(), |ns| format!("{:.1} µs", ns / 1e3));
    let rate = outcome.gpu_time_ns.map_or_else(|| "-".into(), |ns| format!("{:.2}", outcome.bytes_moved as f64 / ns));
    let path = outcome.plan.path().to_string();
    Ok(Line { what, result, check, path, time, rate })
}
