//! What the tests of the elementwise kernels share: data, contexts, and recordings with offsets.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::time::Duration;

use half::f16;
use libtest_mimic::Failed;
use wavelane::device::{Buffer, BufferDescription, Capabilities, MemoryUse, Profile, Validation};
use wavelane::record::{Access, BufferBarrier, BufferRange, Recorder};
use wavelane::{Context, ContextOptions, DType, Error, Kernel, Path, Plan, Tensor};
use wavelane_reference::{Element, Values};

use crate::harness::gpu::ensure;

const PATIENCE: Duration = Duration::from_secs(60);

/// Lengths around everything that is a size somewhere: words, blocks, quads, workgroups.
pub const LENGTHS: [usize; 18] = [0, 1, 2, 3, 4, 5, 7, 15, 17, 127, 128, 129, 255, 256, 257, 1000, 4097, 65_537];

/// The driver's device, narrowed to a profile if one is given.
pub fn context(profile: Option<Profile>) -> Result<Context, Failed> {
    Ok(Context::new(&ContextOptions { profile, validation: Validation::On, ..Default::default() })?)
}

pub fn minimal() -> Result<Context, Failed> {
    context(Some(Profile::named("minimal")?))
}

/// Contexts on the driver's device with limits lowered further than any real one, so that small arrays meet them.
pub fn narrow() -> Result<Vec<Context>, Failed> {
    let lowers: [fn(&mut Capabilities); 4] = [
        |capabilities| capabilities.limits.max_storage_buffer_range = 4096,
        |capabilities| {
            capabilities.limits.max_storage_buffer_range = 1 << 14;
            capabilities.limits.min_storage_buffer_offset_alignment = 1024;
        },
        |capabilities| capabilities.limits.max_compute_work_group_count = [7, 3, 2],
        |capabilities| capabilities.limits.max_compute_work_group_invocations = 32,
    ];
    let real = context(None)?.device().capabilities().clone();
    let narrowed = lowers.into_iter().map(|lower| {
        let mut capabilities = real.clone();
        lower(&mut capabilities);
        context(Some(Profile { name: "narrow".into(), source: "a limit lowered by a test".into(), capabilities }))
    });
    narrowed.collect()
}

/// The device as it is behind those of [`narrow`].
pub fn narrow_and_whole() -> Result<Vec<Context>, Failed> {
    let mut contexts = narrow()?;
    contexts.push(context(None)?);
    Ok(contexts)
}

/// Counts in the middle of a word, of a wide load and of a piece, at the most there can be, and beyond.
pub fn counts(most: usize) -> Vec<u32> {
    let most = most as u32;
    vec![0, 1, 2, 3, 5, 6, 1000, 4096, 4097, most - 1, most, most + 1, u32::MAX]
}

pub fn element(dtype: DType) -> Element {
    match dtype {
        DType::U8 => Element::U8,
        DType::U16 => Element::U16,
        DType::I8 => Element::I8,
        DType::I16 => Element::I16,
        DType::U32 => Element::U32,
        DType::I32 => Element::I32,
        DType::F32 => Element::F32,
        DType::F16 => Element::F16,
        DType::U64 => Element::U64,
        DType::I64 => Element::I64,
        DType::F64 => Element::F64,
    }
}

/// Whether the device can compute with a type. Written down apart from the library's own judgement.
pub fn computes(context: &Context, dtype: DType) -> bool {
    let features = &context.device().capabilities().features;
    match dtype {
        DType::U64 | DType::I64 => features.shader_int64,
        DType::F64 => features.shader_float64,
        _ => true,
    }
}

/// A small, reproducible generator (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
}

/// Any bits, which are any number of the type; of floats now and then NaN, infinite or subnormal.
pub fn any_bits(dtype: DType, count: usize, seed: u64) -> Values {
    let mut random = Random(seed ^ count as u64);
    Values::from_bits(element(dtype), (0..count).map(|_| random.next()))
}

/// Numbers as programs have them, with the extremes of the type among them.
pub fn numbers(dtype: DType, count: usize, seed: u64) -> Values {
    let mut random = Random(seed ^ ((count as u64) << 8));
    let float = |random: &mut Random| {
        let bits = random.next();
        let unit = (bits >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0;
        match bits % 23 {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => f64::NEG_INFINITY,
            3 => 0.0,
            4 => -0.0,
            5 => unit.signum() * 2.5,
            6 => 1.0 + unit * 1e-3,
            7 => (unit * 8.0).round(),
            8..=12 => unit * 10.0,
            13..=15 => unit * 1000.0,
            _ => unit,
        }
    };
    let integer = |random: &mut Random| match random.next() {
        bits if bits % 11 == 0 => [0, 1, u64::MAX, 1 << 63, i64::MAX as u64, 1 << 31, 0x7fff_ffff, 33][(bits / 11 % 8) as usize],
        bits if bits % 3 == 0 => (bits >> 32) % 70,
        bits if bits % 3 == 1 => ((bits >> 32) % 70).wrapping_neg(),
        bits => bits.rotate_left(17),
    };
    match dtype {
        DType::F16 => Values::F16((0..count).map(|_| f16::from_f64(float(&mut random))).collect()),
        DType::F32 => Values::F32((0..count).map(|_| float(&mut random) as f32).collect()),
        DType::F64 => Values::F64((0..count).map(|_| float(&mut random)).collect()),
        _ => Values::from_bits(element(dtype), (0..count).map(|_| integer(&mut random))),
    }
}

pub fn tensor(dtype: DType, shape: &[usize], values: &Values) -> Result<Tensor, Error> {
    Tensor::new(dtype, shape.to_vec(), values.to_bytes())
}

/// Requires a result to be the twin's bit for bit, but that NaN is NaN.
pub fn same(got: &Tensor, want: &Values, label: impl Fn() -> String) -> Result<(), Failed> {
    near(got, want, &[], label)
}

/// Requires a result to be the twin's, within a bound for each element, if there are bounds. Twins may give a wider float, which is rounded then.
pub fn near(got: &Tensor, want: &Values, bounds: &[f64], label: impl Fn() -> String) -> Result<(), Failed> {
    let kind = element(got.dtype());
    let values = Values::from_bytes(kind, got.bytes()).ok_or("half an element")?;
    ensure(values.len() == want.len(), || format!("{}: {} results, and the twin has {}", label(), values.len(), want.len()))?;
    let rounded = if want.element() == kind { want.clone() } else { wavelane_reference::convert(want, kind) };
    let (got_bits, want_bits) = (values.bits(), rounded.bits());
    let (got_f64, exact, rounded) = (values.to_f64(), want.to_f64(), rounded.to_f64());
    for at in 0..want.len() {
        let bound = bounds.get(at).copied().unwrap_or(0.0);
        let equal = got_bits[at] == want_bits[at]
            || (kind.is_float() && got_f64[at].is_nan() && rounded[at].is_nan())
            || (bound > 0.0 && (got_f64[at] == rounded[at] || (got_f64[at] - exact[at]).abs() <= bound));
        ensure(equal, || {
            format!("{}: result {at} of {} is {:?} and not {:?} (within {bound:e})", label(), want.len(), got_f64[at], exact[at])
        })?;
    }
    Ok(())
}

pub fn shared(context: &Context, name: &str, size: u64) -> Result<Buffer, Failed> {
    Ok(Buffer::new(context.device(), &BufferDescription { size, memory: MemoryUse::Shared, name })?)
}

/// What lies around the bytes that are bound, and in them where nothing is given.
pub const UNTOUCHED: u8 = 0xa5;

/// Records a kernel three times into one command buffer, with each binding at an offset, and bytes behind it that must stay as they are. `given` has what is
/// in each buffer at first. Gives what is in them then.
pub fn recorded<K: Kernel>(
    context: &Context,
    kernel: &K,
    given: &[Option<&[u8]>],
    bind: impl for<'a> Fn(&[BufferRange<'a>]) -> K::Bindings<'a>,
) -> Result<Vec<Vec<u8>>, Failed> {
    // A forced path makes no difference to these kernels.
    recorded_plan(context, &kernel.plan(context.device(), Some(Path::Shuffle))?, given, bind)
}

/// [`recorded`] of a kernel that is planned.
pub fn recorded_plan<K: Kernel>(
    context: &Context,
    plan: &Plan<K>,
    given: &[Option<&[u8]>],
    bind: impl for<'a> Fn(&[BufferRange<'a>]) -> K::Bindings<'a>,
) -> Result<Vec<Vec<u8>>, Failed> {
    let kernel = plan.kernel();
    let needs = &plan.schedule().buffers;
    let mut buffers = Vec::new();
    for (need, given) in needs.iter().zip(given) {
        let offset = need.alignment * 3;
        let buffer = shared(context, need.name, offset + need.bytes.max(4) + 64)?;
        buffer.write(0, &vec![UNTOUCHED; buffer.size() as usize])?;
        if let Some(given) = given {
            buffer.write(offset, given)?;
        }
        buffers.push((buffer, offset, need.bytes));
    }
    let ranges = buffers.iter().map(|(buffer, offset, bytes)| BufferRange::new(buffer, *offset, (*bytes).max(4)));
    let ranges = ranges.collect::<Result<Vec<_>, _>>()?;
    let bindings = bind(&ranges);
    let mut recorder = Recorder::new(context.device())?;
    for round in 0..3 {
        if round > 0 {
            let barriers: Vec<_> =
                ranges.iter().map(|&range| BufferBarrier::new(range, Access::ComputeReadWrite, Access::ComputeReadWrite)).collect();
            recorder.barrier(&barriers)?;
        }
        plan.record(&mut recorder, &bindings)?;
    }
    let barriers: Vec<_> = ranges.iter().map(|&range| BufferBarrier::new(range, Access::ComputeReadWrite, Access::HostRead)).collect();
    recorder.barrier(&barriers)?;
    recorder.submit()?.wait(PATIENCE)?;
    let mut contents = Vec::new();
    for (buffer, offset, size) in &buffers {
        let mut bytes = vec![0; buffer.size() as usize];
        buffer.read(0, &mut bytes)?;
        let (begin, end) = (*offset as usize, (offset + size) as usize);
        let outside = bytes[..begin].iter().chain(&bytes[end..]).all(|&byte| byte == UNTOUCHED);
        ensure(outside, || format!("{kernel:?} wrote outside of a binding of {size} bytes"))?;
        contents.push(bytes[begin..end].to_vec());
    }
    Ok(contents)
}

/// Requires a buffer to begin with elements of the twin's, and all behind them to be what was there `before`; but what shares the last one's word is 0,
/// unless that `stays` too.
pub fn begins(
    bytes: &[u8],
    (dtype, want): (DType, &Values),
    bounds: &[f64],
    before: &[u8],
    stays: bool,
    label: &str,
) -> Result<(), Failed> {
    let size = want.len() * dtype.size() as usize;
    near(&Tensor::new(dtype, vec![want.len()], bytes[..size].to_vec())?, want, bounds, || label.to_owned())?;
    let mut rest = before.to_vec();
    rest.resize(bytes.len(), UNTOUCHED);
    if !stays {
        rest[size..size.next_multiple_of(4)].fill(0);
    }
    match (size..bytes.len()).find(|&at| bytes[at] != rest[at]) {
        Some(at) => Err(format!("{label}: byte {at} behind {size} that are written is {} and not {}", bytes[at], rest[at]).into()),
        None => Ok(()),
    }
}

/// Requires an error with this text, and one line of advice.
pub fn refused<T: std::fmt::Debug>(result: Result<T, Error>, text: &str) -> Result<(), Failed> {
    match result {
        Err(error) => ensure(error.to_string() == text && !error.advice().is_empty() && !error.advice().contains('\n'), || {
            format!("`{error}` (advice `{}`) and not `{text}`", error.advice())
        }),
        Ok(found) => Err(format!("{found:?} and not `{text}`").into()),
    }
}

/// Requires that each of these bindings is refused with a text that begins so, and that nothing is recorded then.
pub fn refused_bindings<K: Kernel>(context: &Context, kernel: &K, bad: &[(K::Bindings<'_>, &str)]) -> Result<(), Failed> {
    let plan = kernel.plan(context.device(), None)?;
    for (bindings, text) in bad {
        let mut recorder = Recorder::new(context.device())?;
        let said = plan.record(&mut recorder, bindings).err().map(|error| error.to_string());
        ensure(said.as_deref().is_some_and(|said| said.starts_with(text)) && recorder.dispatches() == 0, || {
            format!("{said:?} and not {text}")
        })?;
    }
    Ok(())
}
