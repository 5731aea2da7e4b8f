//! Sorts, and the positions that sort.

use super::{Driver, Tested, bytes_of, call, folder, npy, parts, require};

pub fn sorts(driver: &Driver) -> Tested {
    let folder = folder(driver, "sorts")?;
    let six = npy(&folder, "six.npy", "<i4", false, "(2, 3)", &bytes_of(&[5i32, -1, 5, 0, 7, -9], i32::to_le_bytes))?;
    call(&["run", "sort", "--validate", &six])?.prints("-1 5 5\n-9 0 7\n")?;
    call(&["run", "sort", &six, "--axis", "-2"])?.prints("0 -1 -9\n5 7 5\n")?;
    call(&["run", "sort", &six, "--axis", "none", "--descending"])?.prints("7\n5\n5\n0\n-1\n-9\n")?;
    // By the lowest bit alone: the even one first, and all others where they were.
    call(&["run", "sort", &six, "--bits", "0", "1"])?.prints("5 -1 5\n0 7 -9\n")?;
    let floats = bytes_of(&[f32::NAN, 0.0, f32::INFINITY, -0.0, -1.5], f32::to_le_bytes);
    let floats = npy(&folder, "floats.npy", "<f4", false, "(5,)", &floats)?;
    call(&["run", "sort", &floats])?.prints("-1.5\n0.0\n-0.0\ninf\nnan\n")?;
    call(&["run", "sort", &floats, "--descending"])?.prints("nan\ninf\n0.0\n-0.0\n-1.5\n")?;
    // Small integers have a sign: numpy's int8 and int16.
    let bytes = npy(&folder, "bytes.npy", "|i1", false, "(5,)", &bytes_of(&[-1i8, 127, -128, 0, 5], i8::to_le_bytes))?;
    call(&["run", "sort", &bytes])?.prints("-128\n-1\n0\n5\n127\n")?;
    call(&["run", "argsort", &bytes, "--descending"])?.prints("1\n4\n3\n0\n2\n")?;
    call(&["run", "select", &bytes, "--where", "lt", "0"])?.prints("-1\n-128\n")?;
    call(&["run", "median", &bytes])?.prints("0.0\n")?;
    let pairs = npy(&folder, "pairs.npy", "<i2", false, "(4,)", &bytes_of(&[300i16, -300, -32_768, 32_767], i16::to_le_bytes))?;
    let output = folder.join("pairs-sorted.npy");
    call(&["run", "sort", &pairs, "-o", &output.to_string_lossy()])?.is_done()?;
    let (header, data) = parts(&output)?;
    require(header.contains("'<i2'") && data == bytes_of(&[-32_768i16, -300, 300, 32_767], i16::to_le_bytes), || header)?;
    let truth = npy(&folder, "truth.npy", "|b1", false, "(4,)", &[1, 0, 1, 0])?;
    call(&["run", "sort", &truth])?.prints("False\nFalse\nTrue\nTrue\n")?;
    let none = npy(&folder, "none.npy", "<f8", false, "(0,)", &[])?;
    call(&["run", "sort", &none])?.prints("")?;
    // A single value stays one, and is a row of one where the whole array is asked for.
    let single = npy(&folder, "single.npy", "<f4", false, "()", &3f32.to_le_bytes())?;
    let output = folder.join("sorted.npy");
    let place = output.to_string_lossy();
    for (axis, shape) in [(&[][..], "()"), (&["--axis", "none"], "(1,)")] {
        let arguments = [&["run", "sort", &single, "-o", &place], axis].concat();
        call(&arguments)?.prints("")?;
        let header = parts(&output)?.0;
        require(header.contains(&format!("'shape': {shape}")), || header.clone())?;
    }
    // Segments, with what is outside of them where it was.
    let offsets = npy(&folder, "offsets.npy", "<i8", false, "(4,)", &bytes_of(&[1i64, 3, 3, 5], i64::to_le_bytes))?;
    call(&["run", "sort", &six, "--offsets", &offsets])?.prints("5\n-1\n5\n0\n7\n-9\n")?;
    call(&["run", "argsort", &six, "--offsets", &offsets, "--descending"])?.prints("0\n1\n0\n1\n0\n0\n")
}

pub fn argsorts(driver: &Driver) -> Tested {
    let folder = folder(driver, "argsorts")?;
    let six = npy(&folder, "six.npy", "<u2", false, "(2, 3)", &bytes_of(&[5u16, 1, 5, 0, 7, 2], u16::to_le_bytes))?;
    call(&["run", "argsort", "--validate", &six])?.prints("1 0 2\n0 2 1\n")?;
    call(&["run", "argsort", &six, "--descending"])?.prints("0 2 1\n1 2 0\n")?;
    call(&["run", "argsort", &six, "--axis", "none"])?.prints("3\n1\n5\n0\n2\n4\n")?;
    let output = folder.join("positions.npy");
    call(&["run", "argsort", &six, "--axis", "0", "-o", &output.to_string_lossy()])?.prints("")?;
    let (header, data) = parts(&output)?;
    require(header.contains("'<i8'") && header.contains("(2, 3)"), || header.clone())?;
    require(data == bytes_of(&[1i64, 0, 1, 0, 1, 0], i64::to_le_bytes), || format!("{data:?}"))
}

/// Values of every size come back in their own type.
pub fn values(driver: &Driver) -> Tested {
    let folder = folder(driver, "values-of-keys")?;
    let keys = npy(&folder, "keys.npy", "<f8", false, "(4,)", &bytes_of(&[2.0, f64::NAN, -0.5, 2.0], f64::to_le_bytes))?;
    let output = folder.join("values.npy");
    let out = output.to_string_lossy();
    let files = [
        ("|u1", vec![9, 8, 7, 255], vec![7, 9, 255, 8]),
        ("<u2", bytes_of(&[1u16, 2, 3, 65_535], u16::to_le_bytes), bytes_of(&[3u16, 1, 65_535, 2], u16::to_le_bytes)),
        ("<f4", bytes_of(&[1f32, 2.0, 3.0, -4.0], f32::to_le_bytes), bytes_of(&[3f32, 1.0, -4.0, 2.0], f32::to_le_bytes)),
        ("<i8", bytes_of(&[1i64, 2, 3, -4], i64::to_le_bytes), bytes_of(&[3i64, 1, -4, 2], i64::to_le_bytes)),
    ];
    for (descr, given, wanted) in files {
        let given = npy(&folder, "given.npy", descr, false, "(4,)", &given)?;
        call(&["run", "sort", &keys, "--values", &given, "--out-values", &out])?.prints("-0.5\n2.0\n2.0\nnan\n")?;
        let (header, data) = parts(&output)?;
        require(header.contains(descr), || header.clone())?;
        require(data == wanted, || format!("{descr}: {data:?} instead of {wanted:?}"))?;
    }
    Ok(())
}
