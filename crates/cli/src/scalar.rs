//! Single values on the command line.

use half::f16;
use wavelane::Scalar;
use wavelane_reference::Element;

use crate::report::Failure;

/// A value of a type from its text: what the type does not hold is refused, as numpy does.
pub fn parse(option: &str, element: Element, text: &str) -> Result<Scalar, Failure> {
    if element.is_float() {
        let Ok(value) = text.trim().parse::<f64>() else {
            return Err(refused(text, format!("{option} {text} is no number"), "give one such as 1.5, -3e7, inf or nan".to_owned()));
        };
        let (scalar, is_finite) = match element {
            Element::F16 => (f16::from_f64(value).into(), f16::from_f64(value).is_finite()),
            Element::F32 => ((value as f32).into(), (value as f32).is_finite()),
            _ => (value.into(), value.is_finite()),
        };
        // As numpy does, where integers are refused. Text such as 1e999 is infinite from the start there, and here.
        if value.is_finite() && !is_finite {
            log::warn!("{option} {text} is more than {} holds, and becomes infinite", element.name());
        }
        return Ok(scalar);
    }
    let (least, most) = match element {
        Element::U8 => (0, i128::from(u8::MAX)),
        Element::U16 => (0, i128::from(u16::MAX)),
        Element::I8 => (i128::from(i8::MIN), i128::from(i8::MAX)),
        Element::I16 => (i128::from(i16::MIN), i128::from(i16::MAX)),
        Element::U32 => (0, i128::from(u32::MAX)),
        Element::I32 => (i128::from(i32::MIN), i128::from(i32::MAX)),
        Element::U64 => (0, i128::from(u64::MAX)),
        _ => (i128::from(i64::MIN), i128::from(i64::MAX)),
    };
    match text.trim().parse::<i128>() {
        Ok(value) if (least..=most).contains(&value) => Ok(Scalar::from_bits(crate::convert::dtype(element), value as u64)),
        _ => Err(refused(
            text,
            format!("{option} {text} is no {} value", element.name()),
            format!("give an integer from {least} to {most}, or another type of elements"),
        )),
    }
}

/// A value that elements of a type do not have; or elements of no type, if it is no value at all.
pub fn refused(text: &str, what: String, advice: String) -> Failure {
    let is_value = text.trim().parse::<f64>().is_ok() || matches!(text, "true" | "True" | "false" | "False");
    if is_value { Failure::unfit(what, advice) } else { Failure::usage(what, advice) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_by_type() {
        assert_eq!(parse("--value", Element::I32, "-5"), Ok((-5i32).into()));
        assert_eq!(parse("--value", Element::I8, "-128"), Ok((-128i8).into()));
        assert_eq!(parse("--value", Element::U64, "18446744073709551615"), Ok(u64::MAX.into()));
        assert_eq!(parse("--value", Element::F16, "-inf"), Ok(f16::NEG_INFINITY.into()));
        assert_eq!(parse("--value", Element::F32, "1e-3"), Ok(1e-3f32.into()));
    }

    #[test]
    fn what_a_type_does_not_hold() {
        let failure = parse("--value", Element::U8, "256").unwrap_err();
        assert_eq!(failure.what, "--value 256 is no u8 value");
        assert_eq!(failure.advice, "give an integer from 0 to 255, or another type of elements");
        assert_eq!(
            parse("--value", Element::I8, "128").unwrap_err().advice,
            "give an integer from -128 to 127, or another type of elements"
        );
        assert!(parse("--value", Element::I16, "-32769").is_err());
        assert!(parse("--step", Element::U32, "-1").is_err());
        assert!(parse("--start", Element::I32, "1.5").is_err());
        assert!(parse("--value", Element::F32, "one").is_err());
    }
}
