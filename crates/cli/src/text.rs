//! Arrays as text: every value with the digits that numpy prints, a row a line.

use half::f16;

use crate::npy::{Array, Kind};

/// A single value on a line of its own; of an array, the values along the last axis on one line, separated by spaces; of a one-dimensional array,
/// one value a line. An empty line stands between the two-dimensional parts of larger arrays. `numpy.loadtxt` reads it back.
pub fn of_array(array: &Array) -> String {
    let columns = match array.shape.as_slice() {
        [] | [_] => 1,
        [.., columns] => *columns,
    };
    let rows = match array.shape.as_slice() {
        [_, .., rows, _] => *rows,
        _ => usize::MAX,
    };
    let mut text = String::new();
    for (at, element) in array.bytes.chunks_exact(array.kind.size()).enumerate() {
        let (row, column) = (at / columns, at % columns);
        match column {
            0 if row > 0 && row.is_multiple_of(rows) => text.push_str("\n\n"),
            0 if row > 0 => text.push('\n'),
            0 => {}
            _ => text.push(' '),
        }
        text.push_str(&of_element(array.kind, element));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

fn of_element(kind: Kind, bytes: &[u8]) -> String {
    match kind {
        Kind::Bool => if bytes == [0] { "False" } else { "True" }.to_owned(),
        Kind::U8 => u8::from_ne_bytes(fixed(bytes)).to_string(),
        Kind::U16 => u16::from_ne_bytes(fixed(bytes)).to_string(),
        Kind::I8 => i8::from_ne_bytes(fixed(bytes)).to_string(),
        Kind::I16 => i16::from_ne_bytes(fixed(bytes)).to_string(),
        Kind::U32 => u32::from_ne_bytes(fixed(bytes)).to_string(),
        Kind::I32 => i32::from_ne_bytes(fixed(bytes)).to_string(),
        Kind::U64 => u64::from_ne_bytes(fixed(bytes)).to_string(),
        Kind::I64 => i64::from_ne_bytes(fixed(bytes)).to_string(),
        Kind::F16 => of_half(f16::from_ne_bytes(fixed(bytes))),
        Kind::F32 => float(&format!("{:e}", f32::from_ne_bytes(fixed(bytes)))),
        Kind::F64 => float(&format!("{:e}", f64::from_ne_bytes(fixed(bytes)))),
    }
}

/// The first `N` bytes; an element always has as many.
fn fixed<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.iter_mut().zip(bytes).for_each(|(to, &from)| *to = from);
    array
}

/// The fewest digits that give the value back.
fn of_half(value: f16) -> String {
    let wide = value.to_f32();
    let shortest =
        (0..=4).map(|digits| format!("{wide:.digits$e}")).find(|text| text.parse::<f32>().is_ok_and(|x| f16::from_f32(x) == value));
    float(&shortest.unwrap_or_else(|| format!("{wide:e}")))
}

/// Turns Rust's shortest scientific notation (`1.25e-3`) into Python's: plain between 1e-4 and 1e16, with `.0` for whole numbers.
fn float(scientific: &str) -> String {
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific.to_lowercase();
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits = mantissa.replace('.', "");
    if !(-4..16).contains(&exponent) {
        let mark = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{mantissa}e{mark}{:02}", exponent.abs());
    }
    if exponent < 0 {
        return format!("{sign}0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize - 1));
    }
    let whole = exponent as usize + 1;
    match digits.len() > whole {
        true => format!("{sign}{}.{}", &digits[..whole], &digits[whole..]),
        false => format!("{sign}{digits}{}.0", "0".repeat(whole - digits.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f64_text(value: f64) -> String {
        of_element(Kind::F64, &value.to_ne_bytes())
    }

    /// Each pair is a value and what `print(numpy.float64(value))` shows.
    #[test]
    fn float64_as_python() {
        let cases = [
            (1076.0, "1076.0"),
            (0.1, "0.1"),
            (-0.0, "-0.0"),
            (1.0 / 3.0, "0.3333333333333333"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e16, "1.5e+16"),
            (1.5e300, "1.5e+300"),
            (123456789.25, "123456789.25"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (-0.00012345, "-0.00012345"),
            (5e-324, "5e-324"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ];
        for (value, want) in cases {
            assert_eq!(f64_text(value), want);
        }
    }

    #[test]
    fn smaller_floats_take_fewer_digits() {
        let f32_text = |value: f32| of_element(Kind::F32, &value.to_ne_bytes());
        assert_eq!([0.1, 16777216.0, 3.4028235e38].map(f32_text), ["0.1", "16777216.0", "3.4028235e+38"]);
        let f16_text = |value: f32| of_element(Kind::F16, &f16::from_f32(value).to_ne_bytes());
        assert_eq!([0.1, 65504.0, 6e-8, 0.3333].map(f16_text), ["0.1", "65500.0", "6e-08", "0.3333"]);
        assert_eq!([f32::NAN, f32::INFINITY].map(f16_text), ["nan", "inf"]);
    }

    fn u32s(shape: &[usize]) -> Array {
        let count = shape.iter().product::<usize>() as u32;
        Array { kind: Kind::U32, shape: shape.to_vec(), bytes: (0..count).flat_map(u32::to_ne_bytes).collect() }
    }

    #[test]
    fn layout() {
        assert_eq!(of_array(&u32s(&[])), "0\n");
        assert_eq!(of_array(&u32s(&[3])), "0\n1\n2\n");
        assert_eq!(of_array(&u32s(&[2, 3])), "0 1 2\n3 4 5\n");
        assert_eq!(of_array(&u32s(&[2, 2, 2])), "0 1\n2 3\n\n4 5\n6 7\n");
        assert_eq!(of_array(&u32s(&[1, 1, 1])), "0\n");
        assert_eq!(of_array(&u32s(&[0])), "");
        assert_eq!(of_array(&u32s(&[3, 0])), "");
    }

    #[test]
    fn truth_as_python() {
        let array = Array { kind: Kind::Bool, shape: vec![2], bytes: vec![1, 0] };
        assert_eq!(of_array(&array), "True\nFalse\n");
    }
}
