//! Fill, iota, convert, take, put and transform.

use super::{Driver, Tested, bytes_of, call, folder, npy, parts, require};

pub fn elementwise(driver: &Driver) -> Tested {
    let folder = folder(driver, "elementwise")?;
    call(&["run", "fill", "--dtype", "f32", "--shape", "2,3", "--value", "1.5", "--validate"])?.prints("1.5 1.5 1.5\n1.5 1.5 1.5\n")?;
    call(&["run", "fill", "--dtype", "f16", "--shape", "3", "--value", "-inf"])?.prints("-inf\n-inf\n-inf\n")?;
    // No file and no device makes this right, and there is nothing to combine.
    for arguments in [&["fill", "--value", "1", "--shape", "65536,65536"][..], &["iota", "--n", "4294967296"]] {
        let many = call(&[&["run"], arguments, &["--dtype", "u8"]].concat())?;
        let is_said = many.stderr.contains("4294967296 elements, and at most 4294967295 are supported");
        require(many.code == Some(2) && is_said && many.stderr.contains("treat its parts one by one"), || many.to_string())?;
    }
    // As numpy has it, and says so.
    let huge = call(&["run", "fill", "--dtype", "f16", "--value", "1e9"])?;
    huge.prints("inf\n")?;
    require(huge.stderr.contains("--value 1e9 is more than f16 holds, and becomes infinite"), || huge.to_string())?;
    call(&["run", "iota", "--dtype", "i32", "--n", "4", "--start", "-1", "--step", "-2", "--validate"])?.prints("-1\n-3\n-5\n-7\n")?;
    call(&["run", "iota", "--dtype", "uint8", "--n", "3", "--start", "254"])?.prints("254\n255\n0\n")?;

    call(&["run", "iota", "--dtype", "i8", "--n", "3", "--start", "126"])?.prints("126\n127\n-128\n")?;
    call(&["run", "fill", "--dtype", "int16", "--value", "-300"])?.prints("-300\n")?;

    let six = bytes_of(&[10i32, 11, 12, 13, 14, 15], i32::to_le_bytes);
    let six = npy(&folder, "six.npy", "<i4", false, "(2, 3)", &six)?;
    let at = npy(&folder, "at.npy", "<i8", false, "(2,)", &bytes_of(&[-1i64, 0], i64::to_le_bytes))?;
    let values = npy(&folder, "values.npy", "|u1", false, "(2,)", &[7, 8])?;
    call(&["run", "take", &six, "--indices", &at, "--validate"])?.prints("15\n10\n")?;
    call(&["run", "gather", &six, "--indices", &at, "--axis", "1"])?.prints("12 10\n15 13\n")?;
    call(&["run", "put", &six, "--indices", &at, "--values", &values, "--validate"])?.prints("8 11 12\n13 14 7\n")?;
    let same = npy(&folder, "same.npy", "<i4", false, "(3,)", &bytes_of(&[1i32, 1, -5], i32::to_le_bytes))?;
    // One index three times: the last value stays, which is the first again.
    call(&["run", "scatter", &six, "--indices", &same, "--values", &values])?.prints("10 7 12\n13 14 15\n")?;

    call(&["run", "convert", &six, "--dtype", "u8", "--validate"])?.prints("10 11 12\n13 14 15\n")?;
    let signed = npy(&folder, "signed.npy", "|i1", false, "(4,)", &bytes_of(&[-1i8, -128, 127, 0], i8::to_le_bytes))?;
    call(&["run", "convert", &signed, "--dtype", "i64"])?.prints("-1\n-128\n127\n0\n")?;
    call(&["run", "convert", &signed, "--dtype", "u16"])?.prints("65535\n65408\n127\n0\n")?;
    call(&["run", "transform", "abs", &signed])?.prints("1\n-128\n127\n0\n")?;
    call(&["run", "reduce", &signed, "--op", "min"])?.prints("-128\n")?;
    call(&["run", "scan", &signed, "--op", "min", "--exclusive"])?.prints("127\n-1\n-128\n-128\n")?;
    call(&["run", "transform", "neg", &six, "--validate"])?.prints("-10 -11 -12\n-13 -14 -15\n")?;
    let row = npy(&folder, "row.npy", "<i4", false, "(3,)", &bytes_of(&[0i32, 4, 12], i32::to_le_bytes))?;
    call(&["run", "transform", "div", &six, &row])?.prints("0 2 1\n0 3 1\n")?;
    call(&["run", "transform", "le", &six, &row])?.prints("False False True\nFalse False False\n")?;
    let truth = npy(&folder, "truth.npy", "|b1", false, "(2,)", &[1, 0])?;
    call(&["run", "transform", "not", &truth])?.prints("False\nTrue\n")?;

    let output = folder.join("result.npy");
    let out = output.to_string_lossy();
    call(&["run", "convert", &six, "--dtype", "f16", "-o", &out])?.is_done()?;
    let (header, data) = parts(&output)?;
    require(header == "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }" && data.len() == 12, || header)?;
    let bytes = npy(&folder, "bytes.npy", "|u1", false, "(1,)", &[16])?;
    // numpy.sqrt of uint8 is float16.
    call(&["run", "transform", "sqrt", &bytes, "-o", &out])?.is_done()?;
    let (header, data) = parts(&output)?;
    require(header.contains("'<f2'") && data == half::f16::from_f32(4.0).to_le_bytes(), || format!("{header} {data:?}"))?;

    let explained = call(&["explain", "transform", "add", "--dtype", "u8", "--shape", "3,1", "--with", "4"])?;
    explained.is_done()?;
    require(explained.stdout.starts_with("transform     add of u8 [3, 1] and [4] to u8 [3, 4]\n"), || explained.to_string())?;
    require(explained.stdout.contains("element by element along 2 axes"), || explained.to_string())?;
    for kernel in [
        &["fill", "--counted", "--n", "5"][..],
        &["iota", "--n", "5"],
        &["convert", "--to", "f16", "--shape", "5,6"],
        &["take", "--indices", "3", "--shape", "5,6", "--axis", "0"],
        &["scatter", "--indices", "3", "--n", "7"],
    ] {
        call(&[&["explain"], kernel, &["--dtype", "u16", "--json", "--profile", "minimal"]].concat())?.is_done()?;
    }
    Ok(())
}
