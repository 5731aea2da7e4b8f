//! Histograms and counts of values.

use super::{Driver, Tested, bytes_of, call, folder, npy, require};

pub fn histograms(driver: &Driver) -> Tested {
    let folder = folder(driver, "histograms")?;
    let floats = bytes_of(&[0.0f32, 0.25, 0.5, 1.0, 1.5, f32::NAN], f32::to_le_bytes);
    let six = npy(&folder, "six.npy", "<f4", false, "(6,)", &floats)?;
    call(&["run", "histogram", &six, "--bins", "2", "--range", "0", "1"])?.prints("2\n2\n")?;
    call(&["run", "histogram", &six, "--bins", "2", "--range", "-1", "1"])?.prints("0\n4\n")?;
    let edges = npy(&folder, "edges.npy", "<i8", false, "(3,)", &bytes_of(&[0i64, 1, 2], i64::to_le_bytes))?;
    call(&["run", "histogram", &six, "--edges", &edges])?.prints("3\n2\n")?;
    // Beyond 2^53 integers are compared as integers.
    let times = [0i64, 5, 100, 199, 200].map(|step| 1_700_000_000_000_000_000 + step);
    let times = npy(&folder, "times.npy", "<i8", false, "(5,)", &bytes_of(&times, i64::to_le_bytes))?;
    let steps = [0i64, 100, 200].map(|step| 1_700_000_000_000_000_000 + step);
    let steps = npy(&folder, "steps.npy", "<i8", false, "(3,)", &bytes_of(&steps, i64::to_le_bytes))?;
    call(&["run", "histogram", &times, "--edges", &steps])?.prints("2\n3\n")?;
    call(&["run", "histogram", &six, "--bins", "1", "--range", "-1e-05", "1"])?.prints("4\n")?;
    let weights = npy(&folder, "weights.npy", "<f4", false, "(6,)", &bytes_of(&[1e30f32, 1.0, 4.0, -1e30, 7.0, 7.0], f32::to_le_bytes))?;
    call(&["run", "histogram", &six, "--bins", "1", "--range", "0", "1", "--weights", &weights])?.prints("5.0\n")?;
    // Two rows of two pixels of three channels.
    let image = npy(&folder, "image.npy", "|u1", false, "(2, 2, 3)", &[0, 1, 9, 1, 1, 9, 0, 0, 9, 0, 0, 9])?;
    let apart = ["run", "histogram", &image, "--bins", "2", "--range", "0", "1", "--channels", "2"];
    call(&apart)?.prints("3 1\n2 2\n")?;
    let output = folder.join("rows.npy");
    let rows = call(&[&apart[..], &["--rows", "-o", &output.to_string_lossy()]].concat())?;
    require(rows.stdout.is_empty() && output.is_file(), || rows.to_string())
}

pub fn values(driver: &Driver) -> Tested {
    let folder = folder(driver, "values")?;
    let four = npy(&folder, "four.npy", "<i4", false, "(4,)", &bytes_of(&[3i32, 0, 3, 1], i32::to_le_bytes))?;
    call(&["run", "bincount", &four])?.prints("1\n1\n0\n2\n")?;
    call(&["run", "bincount", &four, "--minlength", "5"])?.prints("1\n1\n0\n2\n0\n")?;
    let bytes = npy(&folder, "bytes.npy", "|u1", false, "(4,)", &[255, 1, 255, 3])?;
    call(&["run", "bincount", &four, "--weights", &bytes])?.prints("1.0\n3.0\n0.0\n510.0\n")?;
    let signed = npy(&folder, "signed.npy", "|i1", false, "(4,)", &bytes_of(&[-2i8, -100, 5, 0], i8::to_le_bytes))?;
    call(&["run", "bincount", &four, "--weights", &signed])?.prints("-100.0\n0.0\n0.0\n3.0\n")?;
    let places = npy(&folder, "places.npy", "<i2", false, "(3,)", &bytes_of(&[2i16, 0, 2], i16::to_le_bytes))?;
    call(&["run", "bincount", &places])?.prints("1\n0\n2\n")?;
    call(&["run", "bincount", &signed])?.fails_with("-2")?;
    // More than a buffer may have there.
    let far = npy(&folder, "far.npy", "<u4", false, "(2,)", &bytes_of(&[7u32, 1 << 30], u32::to_le_bytes))?;
    call(&["run", "bincount", &far, "--profile", "minimal"])?.fails_with("is 1073741824, and there is no room for as many bins")?;
    let none = npy(&folder, "none.npy", "<i4", false, "(0,)", &[])?;
    call(&["run", "bincount", &none, "--minlength", "2"])?.prints("0\n0\n")
}
