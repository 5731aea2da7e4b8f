//! Elements to reduce: reproducible, and chosen so that mistakes show.

use half::f16;
use wavelane::{DType, Tensor};
use wavelane_reference::{Element, Values};

/// What the elements are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Anything of the type for integers; floats of both signs and many magnitudes, all finite.
    Random,
    /// All the same.
    Equal,
    /// Few values, so that extremes have ties, and zeros of both signs among floats.
    Ties,
    /// Now and then NaN, for floats.
    Nan,
    /// Infinities of both signs, for floats.
    Infinite,
}

/// A small, reproducible generator (splitmix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// From 0 to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
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

/// `count` elements. `calm` keeps floats near 1, so that products stay finite.
pub fn values(dtype: DType, count: usize, pattern: Pattern, calm: bool, seed: u64) -> Values {
    let mut random = Random::new(seed ^ ((count as u64) << 8) ^ dtype.size());
    let mut integer = || match pattern {
        Pattern::Equal => 77,
        Pattern::Ties => [3, 5, 0, u64::MAX][(random.next() % 4) as usize],
        _ => random.next(),
    };
    match dtype {
        DType::U8 => return Values::U8((0..count).map(|_| integer() as u8).collect()),
        DType::U16 => return Values::U16((0..count).map(|_| integer() as u16).collect()),
        DType::I8 => return Values::I8((0..count).map(|_| integer() as i8).collect()),
        DType::I16 => return Values::I16((0..count).map(|_| integer() as i16).collect()),
        DType::U32 => return Values::U32((0..count).map(|_| integer() as u32).collect()),
        DType::I32 => return Values::I32((0..count).map(|_| integer() as i32).collect()),
        DType::U64 => return Values::U64((0..count).map(|_| integer()).collect()),
        DType::I64 => return Values::I64((0..count).map(|_| integer() as i64).collect()),
        DType::F16 | DType::F32 | DType::F64 => {}
    }
    let mut float = || {
        let scale = if calm { 1.0 } else { 2f64.powi((random.next() % 12) as i32 - 6) };
        let plain = if calm { 0.99 + 0.02 * random.unit() } else { (random.unit() - 0.45) * scale };
        match (pattern, random.next() % 97) {
            (Pattern::Equal, _) => 0.1,
            (Pattern::Ties, pick) => [1.5, -2.25, 0.0, -0.0][(pick % 4) as usize],
            (Pattern::Nan, 13) => f64::NAN,
            (Pattern::Infinite, 13) => f64::INFINITY,
            (Pattern::Infinite, 14) => f64::NEG_INFINITY,
            _ => plain,
        }
    };
    match dtype {
        DType::F16 => Values::F16((0..count).map(|_| f16::from_f64(float())).collect()),
        DType::F32 => Values::F32((0..count).map(|_| float() as f32).collect()),
        _ => Values::F64((0..count).map(|_| float()).collect()),
    }
}

pub fn tensor(dtype: DType, shape: &[usize], values: &Values) -> Result<Tensor, wavelane::Error> {
    Tensor::new(dtype, shape.to_vec(), values.to_bytes())
}
