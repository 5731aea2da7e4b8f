//! What the self-test works on: shapes, axes and values, the same on every run.

use half::f16;
use wavelane_reference::{Element, Nan, Op, Values};

use crate::npy::shape_text;

/// One array and one way to reduce it.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    pub shape: Vec<usize>,
    pub axis: Option<usize>,
    pub pattern: Pattern,
    pub nan: Nan,
    pub wide: bool,
}

impl Case {
    /// Whether it is large enough for the order of its additions to depend on chance, were it left to chance.
    pub fn is_large(&self) -> bool {
        self.shape.iter().product::<usize>() >= 100_000
    }

    /// The case in words.
    pub fn text(&self) -> String {
        let along = self.axis.map(|axis| format!(" along axis {axis}")).unwrap_or_default();
        let nan = if self.nan == Nan::Ignore { ", NaN ignored" } else { "" };
        let wide = if self.wide { ", wide" } else { "" };
        format!("shape {}{along}, {:?} values{nan}{wide}", shape_text(&self.shape), self.pattern)
    }
}

/// What an array is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Values of all sizes that sums and products can bear.
    Random,
    /// The same value everywhere: every element ties.
    Equal,
    /// The type's extremes, zeros of both signs and, of floats, infinities among random values.
    Extreme,
    /// A few NaN among random values (integers have none).
    WithNan,
}

/// Lengths at and around the sizes of subgroups, of workgroups and of what a workgroup reads.
const LENGTHS: [usize; 21] = [0, 1, 2, 3, 31, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1023, 1025, 4095, 4097, 65_537, 500_009];
const QUICK_LENGTHS: [usize; 4] = [0, 1, 257, 100_003];

/// The cases of an operation on a type.
pub fn cases(op: Op, element: Element, quick: bool) -> Vec<Case> {
    let case = |shape: &[usize], axis, pattern| Case { shape: shape.to_vec(), axis, pattern, nan: Nan::Propagate, wide: false };
    let lengths: &[usize] = if quick { &QUICK_LENGTHS } else { &LENGTHS };
    let mut cases: Vec<Case> = lengths.iter().map(|&length| case(&[length], None, Pattern::Random)).collect();
    let shapes: &[[usize; 3]] = if quick { &[[7, 33, 65]] } else { &[[7, 33, 65], [2, 1000, 3], [1, 5, 4099], [300, 1, 7]] };
    for shape in shapes {
        cases.extend((0..3).map(|axis| case(shape, Some(axis), Pattern::Random)));
    }
    cases.push(case(&[3, 0, 2], Some(1), Pattern::Random));
    if !quick {
        // More lines than one dimension of a dispatch has workgroups, of both kinds of axis.
        cases.push(case(&[70_001, 3], Some(1), Pattern::Random));
        cases.push(case(&[3, 70_001], Some(0), Pattern::Random));
    }
    // Shapes from above, as every further one may cost the making of pipelines.
    let (rows, columns) = ((&[7, 33, 65][..], Some(2)), (&[7, 33, 65][..], Some(1)));
    cases.push(case(&[257], None, Pattern::Equal));
    cases.extend([rows, columns].map(|(shape, axis)| case(shape, axis, Pattern::Extreme)));
    if element.is_float() {
        for nan in [Nan::Propagate, Nan::Ignore] {
            cases.extend([(&[100_003][..], None), rows, columns].map(|(shape, axis)| Case { nan, ..case(shape, axis, Pattern::WithNan) }));
        }
    }
    if op == Op::Sum && matches!(element, Element::U32 | Element::I32) {
        cases
            .extend([(&[100_003][..], None), rows, columns].map(|(shape, axis)| Case { wide: true, ..case(shape, axis, Pattern::Random) }));
    }
    cases
}

/// Factors of a product of floats: one of thousands more leaves f16 and f32 behind.
const MOST_FACTORS: usize = 2049;

/// Whether there is such a reduction of a type.
pub fn is_defined(op: Op, element: Element) -> bool {
    !(matches!(op, Op::And | Op::Or | Op::Xor) && element.is_float())
}

/// Each operation with each type that it is defined for.
pub fn each(operations: &'static [Op]) -> impl Iterator<Item = (Op, Element)> {
    let pairs = operations.iter().flat_map(|&op| Element::ALL.map(|element| (op, element)));
    pairs.filter(|&(op, element)| is_defined(op, element))
}

/// The most elements that running results of an operation can bear.
pub fn most_of(op: Op, element: Element) -> usize {
    if op == Op::Prod && element.is_float() { MOST_FACTORS } else { usize::MAX }
}

/// Random values that an operation can bear.
pub fn random(op: Op, element: Element, count: usize) -> Values {
    let case = Case { shape: vec![count], axis: None, pattern: Pattern::Random, nan: Nan::Propagate, wide: false };
    values(&case, op, element)
}

/// Values of a pattern, for what moves and compares.
pub fn of_pattern(pattern: Pattern, element: Element, count: usize) -> Values {
    let case = Case { shape: vec![count], axis: None, pattern, nan: Nan::Propagate, wide: false };
    values(&case, Op::Max, element)
}

/// Runs of 1 to 9 equal values, of which there are few: a type's extremes, of floats also zeros of both signs, infinities and NaN, and some others.
pub fn runs(element: Element, count: usize) -> Values {
    let palette = of_pattern(Pattern::Extreme, element, 24).bits().into_iter().chain(of_pattern(Pattern::WithNan, element, 16).bits());
    let palette = Values::from_bits(element, palette);
    let mut random = Random(0x5eed ^ count as u64);
    let (mut left, mut at) = (0, 0);
    let positions = (0..count).map(|_| {
        if left == 0 {
            let bits = random.next();
            (left, at) = (1 + bits % 9, (bits >> 32) as usize % palette.len());
        }
        left -= 1;
        at
    });
    let positions: Vec<usize> = positions.collect();
    palette.take(positions)
}

/// The case's array, for an operation.
pub fn values(case: &Case, op: Op, element: Element) -> Values {
    let count = case.shape.iter().product();
    let mut random = Random(0x5eed ^ count as u64);
    // The squares of 64-bit integers must not overflow f32, which is what results come in where there is no f64.
    let shift = if matches!(op, Op::Var | Op::Norm2) { 24 } else { 0 };
    let mut numbers = (0..count).map(|at| number(case.pattern, op, at, &mut random));
    match element {
        Element::U8 => Values::U8(numbers.by_ref().map(|n| n.integer(op) as u8).collect()),
        Element::U16 => Values::U16(numbers.by_ref().map(|n| n.integer(op) as u16).collect()),
        Element::I8 => Values::I8(numbers.by_ref().map(|n| n.integer(op) as i8).collect()),
        Element::I16 => Values::I16(numbers.by_ref().map(|n| n.integer(op) as i16).collect()),
        Element::U32 => Values::U32(numbers.by_ref().map(|n| n.integer(op) as u32).collect()),
        Element::I32 => Values::I32(numbers.by_ref().map(|n| n.integer(op) as i32).collect()),
        Element::U64 => Values::U64(numbers.by_ref().map(|n| n.integer(op) >> shift).collect()),
        Element::I64 => Values::I64(numbers.by_ref().map(|n| n.integer(op) as i64 >> shift).collect()),
        Element::F32 => Values::F32(numbers.by_ref().map(|n| n.float(op, f64::from(f32::MAX)) as f32).collect()),
        Element::F64 => Values::F64(numbers.by_ref().map(|n| n.float(op, f64::MAX)).collect()),
        Element::F16 => Values::F16(numbers.by_ref().map(|n| f16::from_f64(n.float(op, f64::from(f16::MAX)))).collect()),
    }
}

/// A number before it has a type.
enum Number {
    Bits(u64),
    Largest,
    Smallest,
    Zero,
    NegativeZero,
    Infinity(f64),
    Nan,
}

fn number(pattern: Pattern, op: Op, at: usize, random: &mut Random) -> Number {
    let bits = random.next();
    // Sums, squares and products of a type's extremes overflow in an order-dependent way; extremes are for what compares and for bits.
    let bears_extremes = matches!(op, Op::Min | Op::Max | Op::And | Op::Or | Op::Xor | Op::Any | Op::All | Op::ArgMin | Op::ArgMax);
    match pattern {
        Pattern::Random => Number::Bits(bits),
        Pattern::Equal => Number::Bits(0x0123_4567_89ab_cdef),
        Pattern::WithNan if at % 37 == 11 => Number::Nan,
        Pattern::Extreme if bears_extremes => match bits % 11 {
            0 => Number::Largest,
            1 => Number::Smallest,
            2 => Number::Zero,
            3 => Number::NegativeZero,
            4 => Number::Infinity(1.0),
            5 => Number::Infinity(-1.0),
            _ => Number::Bits(random.next()),
        },
        Pattern::Extreme if at % 61 == 17 => Number::Infinity(1.0),
        _ => Number::Bits(bits),
    }
}

impl Number {
    fn integer(self, op: Op) -> u64 {
        match self {
            // Of even numbers, products are soon 0.
            Number::Bits(bits) if op == Op::Prod => bits.rotate_left(17) | 1,
            Number::Bits(bits) => bits.rotate_left(17),
            // As i32 and u32 these are both extremes too.
            Number::Largest | Number::Infinity(_) => 0x7fff_ffff_7fff_ffff,
            Number::Smallest => 0x8000_0000_8000_0000,
            Number::NegativeZero => u64::MAX,
            Number::Zero | Number::Nan => 0,
        }
    }

    fn float(self, op: Op, largest: f64) -> f64 {
        match self {
            Number::Bits(bits) => {
                let unit = (bits >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0;
                match op {
                    // A million factors must stay in range.
                    Op::Prod => (1.0 + unit / 512.0).copysign(f64::from((bits & 1) as i32) - 0.5),
                    // An offset that a variance by difference of squares would not survive.
                    Op::Var => 300.0 + unit,
                    _ => unit * 100.0,
                }
            }
            Number::Largest => largest,
            Number::Smallest => -largest,
            Number::Zero => 0.0,
            Number::NegativeZero => -0.0,
            Number::Infinity(sign) => sign * f64::INFINITY,
            Number::Nan => f64::NAN,
        }
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(count: usize, pattern: Pattern) -> Case {
        Case { shape: vec![count], axis: None, pattern, nan: Nan::Propagate, wide: false }
    }

    #[test]
    fn the_same_on_every_run() {
        let case = case(1000, Pattern::Random);
        for element in Element::ALL {
            assert_eq!(values(&case, Op::Sum, element), values(&case, Op::Sum, element));
        }
    }

    #[test]
    fn products_stay_in_range() {
        for element in [Element::F16, Element::F32, Element::F64] {
            let product: f64 = values(&case(1_000_003, Pattern::Random), Op::Prod, element).to_f64().iter().product();
            assert!(product.abs() > 1e-30 && product.abs() < 1e30, "{product}");
        }
    }

    #[test]
    fn patterns_hold_what_they_say() {
        let floats = values(&case(200, Pattern::Extreme), Op::Max, Element::F32).to_f64();
        for wanted in [f64::from(f32::MAX), f64::from(f32::MIN), 0.0, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(floats.contains(&wanted), "{wanted}");
        }
        let integers = values(&case(200, Pattern::Extreme), Op::Max, Element::I32).to_f64();
        assert!(integers.contains(&f64::from(i32::MAX)) && integers.contains(&f64::from(i32::MIN)));
        assert!(values(&case(200, Pattern::WithNan), Op::Sum, Element::F16).to_f64().iter().any(|x| x.is_nan()));
        let equal = values(&case(9, Pattern::Equal), Op::Sum, Element::F64).to_f64();
        assert!(equal.iter().all(|&x| x == equal[0] && x != 0.0));
    }

    #[test]
    fn runs_of_few_values() {
        let runs = runs(Element::F32, 2000);
        let bits = runs.bits();
        assert!(bits.contains(&0) && bits.contains(&0x8000_0000) && runs.to_f64().iter().any(|x| x.is_nan()));
        assert!(bits.windows(2).filter(|pair| pair[0] != pair[1]).count() < 1000);
    }

    #[test]
    fn quick_is_less() {
        let elements = |quick| cases(Op::Max, Element::F32, quick).iter().map(|case| case.shape.iter().product::<usize>()).sum::<usize>();
        assert!(cases(Op::Max, Element::F32, true).len() < cases(Op::Max, Element::F32, false).len());
        assert!(elements(true) * 3 < elements(false));
        assert!(cases(Op::Max, Element::F32, true).iter().any(|case| case.nan == Nan::Ignore));
    }
}
