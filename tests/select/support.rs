//! What the tests of selections, partitions and runs share.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::Failed;
use wavelane::device::{Buffer, BufferDescription, Capabilities, Device, MemoryUse, Profile, Validation};
use wavelane::record::{Access, BufferBarrier, BufferRange, Recorder};
use wavelane::{Compare, Context, ContextOptions, DType, Path, Scalar, ScanStrategy, Schedule, SelectBindings};
use wavelane_reference::{self as reference, Values};

use super::data::{Pattern, Random, element, values};
use super::harness::Case;
use super::harness::gpu::lowered;

/// Lengths around everything that is a size somewhere: wide loads, rows and tiles of workgroups of 128 (1024 elements of 64 bits, 2048 of 32, 4096 of 16), primes.
pub const LENGTHS: [usize; 22] =
    [0, 1, 2, 3, 4, 5, 8, 9, 255, 256, 257, 1023, 1024, 1025, 2047, 2049, 4095, 4097, 10_007, 16_384, 16_385, 65_537];

pub const STRATEGIES: [Option<ScanStrategy>; 4] =
    [None, Some(ScanStrategy::OneWorkgroup), Some(ScanStrategy::ReduceThenScan), Some(ScanStrategy::SinglePass)];

/// The driver's device, with a path forced, and as another device.
pub fn context(path: Option<Path>, profile: Option<Profile>) -> Result<Context, Failed> {
    Ok(Context::new(&ContextOptions { path, profile, validation: Validation::On, ..Default::default() })?)
}

/// The least device.
pub fn minimal() -> Result<Profile, Failed> {
    Ok(Profile::named("minimal")?)
}

/// One case for each path, and one on the least device.
pub fn on_each_path(name: &str, run: fn(&Context) -> Result<(), Failed>) -> Vec<Case> {
    // The further subgroup sizes of a driver get one of the two paths that use them, not the same by every name.
    let elsewhere = [Path::Subgroup, Path::Shuffle][name.len() / 6 % 2];
    let mut cases: Vec<_> = Path::ALL
        .into_iter()
        .map(|path| Case::new(format!("{name}::{path}"), move |_| run(&context(Some(path), None)?)).without_subgroups(path != elsewhere))
        .collect();
    cases.push(Case::new(format!("{name}::as_minimal"), move |_| run(&context(None, Some(minimal()?))?)).narrowed());
    cases
}

/// The driver's device with limits lowered further than any real one's, so that small arrays meet them.
pub fn on_narrow_devices(run: fn(&Context) -> Result<(), Failed>) -> Vec<Case> {
    type Lower = fn(&mut Capabilities);
    let limits: [(&str, Lower); 4] = [
        ("storage_range_of_20_kib", |capabilities| capabilities.limits.max_storage_buffer_range = 20 << 10),
        ("offsets_of_1_kib", |capabilities| {
            capabilities.limits.max_storage_buffer_range = 1 << 15;
            capabilities.limits.min_storage_buffer_offset_alignment = 1024;
        }),
        ("7_workgroups_in_x", |capabilities| capabilities.limits.max_compute_work_group_count = [7, 65_535, 1]),
        ("workgroups_of_32", |capabilities| capabilities.limits.max_compute_work_group_invocations = 32),
    ];
    let case = |(name, lower): (&str, Lower)| {
        Case::new(format!("limits::{name}"), move |_| {
            let profile = lowered(lower)?;
            run(&context(None, Some(profile))?)
        })
        .narrowed()
    };
    limits.into_iter().map(case).collect()
}

/// The bindings of a selection or a partition, each a buffer, in the order of the schedule.
pub fn select_bindings(buffers: &[Buffer]) -> SelectBindings<'_> {
    let whole = |index: usize| BufferRange::whole(&buffers[index]);
    SelectBindings {
        input: whole(0),
        output: whole(1),
        scratch: Some(whole(2)),
        count: Some(whole(3)),
        selected: whole(4),
        mask: Some(whole(5)),
        offsets: Some(whole(6)),
    }
}

/// Which of the elements are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Density {
    None,
    All,
    Half,
    Sparse,
}

impl Density {
    pub const ALL: [Self; 4] = [Self::None, Self::All, Self::Half, Self::Sparse];

    pub fn mask(self, len: usize) -> Vec<bool> {
        let mut random = Random::new(len as u64 ^ 0x5e1);
        (0..len)
            .map(|at| match self {
                Self::None => false,
                Self::All => true,
                Self::Half => random.next() & 64 != 0,
                Self::Sparse => at % 97 == 96,
            })
            .collect()
    }
}

/// A value that about half of the elements are less than, one that some are equal to, and special ones.
pub fn pivots(dtype: DType) -> Vec<Scalar> {
    match dtype {
        DType::U16 => vec![Scalar::from(0x8000u16), Scalar::from(3u16)],
        DType::U8 => vec![Scalar::from(0x80u8), Scalar::from(3u8)],
        DType::I8 => vec![Scalar::from(0i8), Scalar::from(-1i8)],
        DType::I16 => vec![Scalar::from(0i16), Scalar::from(-1i16)],
        DType::U32 => vec![Scalar::from(0x8000_0000u32), Scalar::from(3u32)],
        DType::I32 => vec![Scalar::from(0i32), Scalar::from(-1i32)],
        DType::U64 => vec![Scalar::from(1u64 << 63), Scalar::from(5u64), Scalar::from(u64::MAX)],
        DType::I64 => vec![Scalar::from(0i64), Scalar::from(-1i64)],
        DType::F16 => [0.0, -0.0, 1.5, f32::NAN].map(|x| Scalar::from(half::f16::from_f32(x))).to_vec(),
        DType::F32 => [0.0, -0.0, 1.5, f32::NAN].map(Scalar::from).to_vec(),
        DType::F64 => [0.0, -0.0, 1.5, f64::NAN].map(Scalar::from).to_vec(),
    }
}

pub fn twin_compare(compare: Compare) -> reference::Compare {
    reference::Compare::ALL[compare as usize]
}

/// The twin's one value.
pub fn twin_value(value: Scalar) -> Result<Values, Failed> {
    let bytes = value.bits().to_le_bytes();
    Values::from_bytes(element(value.dtype()), &bytes[..value.dtype().size() as usize]).ok_or_else(|| "no value".into())
}

/// Patterns that a type has.
pub fn patterns(dtype: DType) -> &'static [Pattern] {
    if dtype.is_float() { &[Pattern::Random, Pattern::Ties, Pattern::Nan, Pattern::Infinite] } else { &[Pattern::Random, Pattern::Ties] }
}

/// Elements that stand in runs: of length 1 each, of one in all, of random lengths, of few values at random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    Single,
    One,
    Random,
    Ties,
}

impl Runs {
    pub const ALL: [Self; 4] = [Self::Single, Self::One, Self::Random, Self::Ties];

    pub fn values(self, dtype: DType, len: usize) -> Values {
        let mut random = Random::new(len as u64 ^ 0x7ead);
        let (mut word, mut left) = (0u64, 0);
        let bits = (0..len).map(|at| match self {
            Self::Single => at as u64,
            Self::One => 7,
            Self::Ties => 0,
            Self::Random => {
                if left == 0 {
                    word = random.next();
                    left = if random.next() & 7 == 0 { random.next() % 500 } else { random.next() % 4 };
                } else {
                    left -= 1;
                }
                word
            }
        });
        match self {
            Self::Ties => values(dtype, len, Pattern::Ties, false, 3),
            _ => from_bits(dtype, bits),
        }
    }
}

/// Elements from their lower bits.
pub fn from_bits(dtype: DType, bits: impl Iterator<Item = u64>) -> Values {
    match dtype {
        DType::U8 => Values::U8(bits.map(|word| word as u8).collect()),
        DType::U16 => Values::U16(bits.map(|word| word as u16).collect()),
        DType::I8 => Values::I8(bits.map(|word| word as i8).collect()),
        DType::I16 => Values::I16(bits.map(|word| word as i16).collect()),
        DType::U32 => Values::U32(bits.map(|word| word as u32).collect()),
        DType::I32 => Values::I32(bits.map(|word| word as i32).collect()),
        DType::U64 => Values::U64(bits.collect()),
        DType::I64 => Values::I64(bits.map(|word| word as i64).collect()),
        DType::F16 => Values::F16(bits.map(|word| half::f16::from_bits(word as u16)).collect()),
        DType::F32 => Values::F32(bits.map(|word| f32::from_bits(word as u32)).collect()),
        DType::F64 => Values::F64(bits.map(f64::from_bits).collect()),
    }
}

/// Where two sequences of bytes differ first, by elements.
pub fn difference(got: &[u8], want: &[u8], size: usize) -> Option<String> {
    if got == want {
        return None;
    }
    let at = got.chunks(size).zip(want.chunks(size)).position(|(got, want)| got != want);
    Some(format!("{} results, and {} are right; the first wrong one at {at:?}", got.len() / size, want.len() / size))
}

/// Bytes of one element.
pub fn size(dtype: DType) -> usize {
    dtype.size() as usize
}

/// What buffers have in them before anything is written.
pub const UNTOUCHED: u8 = 0xa5;

/// A buffer for each of a schedule's, with these bytes at their beginnings.
pub fn buffers(device: &Arc<Device>, schedule: &Schedule, contents: &[(&str, &[u8])]) -> Result<Vec<Buffer>, Failed> {
    let make = |need: &wavelane::BufferNeed| -> Result<Buffer, Failed> {
        let description = BufferDescription { size: need.bytes.max(4), memory: MemoryUse::Shared, name: need.name };
        let buffer = Buffer::new(device, &description)?;
        buffer.write(0, &vec![UNTOUCHED; description.size as usize])?;
        if let Some((_, bytes)) = contents.iter().find(|(name, _)| *name == need.name) {
            buffer.write(0, bytes)?;
        }
        Ok(buffer)
    };
    schedule.buffers.iter().map(make).collect()
}

/// Submits what was recorded, and gives the bytes of all buffers afterwards.
pub fn finish(mut recorder: Recorder, schedule: &Schedule, buffers: &[Buffer]) -> Result<Vec<Vec<u8>>, Failed> {
    for (index, buffer) in buffers.iter().enumerate() {
        if let Some(written) = schedule.written_by(index) {
            recorder.barrier(&[BufferBarrier::new(BufferRange::whole(buffer), written, Access::HostRead)])?;
        }
    }
    recorder.submit()?.wait(Duration::from_secs(100))?;
    let bytes = |buffer: &Buffer| -> Result<Vec<u8>, Failed> {
        let mut bytes = vec![0; buffer.size() as usize];
        buffer.read(0, &mut bytes)?;
        Ok(bytes)
    };
    buffers.iter().map(bytes).collect()
}

/// The u32 at the beginning of some bytes.
pub fn word(bytes: &[u8]) -> u32 {
    u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}
