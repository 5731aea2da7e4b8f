//! Searches in sorted arrays, merges of them, and set operations.

use super::{Driver, Tested, bytes_of, call, folder, npy, parts, require};

pub fn searches(driver: &Driver) -> Tested {
    let folder = folder(driver, "searches")?;
    let array = npy(&folder, "array.npy", "<i4", false, "(5,)", &bytes_of(&[-5i32, 0, 0, 7, 9], i32::to_le_bytes))?;
    let values = npy(&folder, "values.npy", "<i4", false, "(2, 2)", &bytes_of(&[0i32, 10, -6, 7], i32::to_le_bytes))?;
    call(&["run", "searchsorted", &array, &values, "--validate"])?.prints("1 5\n0 3\n")?;
    call(&["run", "searchsorted", &array, &values, "--side", "right"])?.prints("3 5\n0 4\n")?;
    let output = folder.join("positions.npy");
    call(&["run", "searchsorted", &array, &values, "-o", &output.to_string_lossy()])?.prints("")?;
    let (header, data) = parts(&output)?;
    require(header.contains("'<i8'") && header.contains("(2, 2)"), || header.clone())?;
    require(data == bytes_of(&[1i64, 5, 0, 3], i64::to_le_bytes), || format!("{data:?}"))?;
    let none = npy(&folder, "none.npy", "<i4", false, "(0,)", &[])?;
    call(&["run", "searchsorted", &array, &none])?.prints("")?;
    call(&["run", "searchsorted", &none, &values])?.prints("0 0\n0 0\n")?;
    let floats = bytes_of(&[-0.0f32, 0.0, f32::NAN], f32::to_le_bytes);
    let floats = npy(&folder, "floats.npy", "<f4", false, "(3,)", &floats)?;
    call(&["run", "searchsorted", &floats, &floats, "--side", "right"])?.prints("2\n2\n3\n")
}

/// Values of every size come back in their own type.
pub fn merges(driver: &Driver) -> Tested {
    let folder = folder(driver, "merges")?;
    let a = npy(&folder, "a.npy", "<i4", false, "(3,)", &bytes_of(&[-5i32, 0, 7], i32::to_le_bytes))?;
    let b = npy(&folder, "b.npy", "<i4", false, "(2,)", &bytes_of(&[0i32, 9], i32::to_le_bytes))?;
    call(&["run", "merge", &a, &b, "--validate"])?.prints("-5\n0\n0\n7\n9\n")?;
    let falling = npy(&folder, "falling.npy", "<i4", false, "(2,)", &bytes_of(&[9i32, 0], i32::to_le_bytes))?;
    call(&["run", "merge", &falling, &falling, "--descending"])?.prints("9\n9\n0\n0\n")?;
    let none = npy(&folder, "none.npy", "<i4", false, "(0,)", &[])?;
    call(&["run", "merge", &none, &b])?.prints("0\n9\n")?;
    call(&["run", "merge", &none, &none])?.prints("")?;
    let output = folder.join("values.npy");
    let out = output.to_string_lossy();
    let wide = |x: [i64; 3]| bytes_of(&x, i64::to_le_bytes);
    let files = [
        ("|u1", vec![1, 2, 3], vec![4, 255], vec![1, 2, 4, 3, 255]),
        ("<i8", wide([1, 2, 3]), bytes_of(&[4i64, -5], i64::to_le_bytes), bytes_of(&[1i64, 2, 4, 3, -5], i64::to_le_bytes)),
    ];
    for (descr, first, second, wanted) in files {
        let first = npy(&folder, "va.npy", descr, false, "(3,)", &first)?;
        let second = npy(&folder, "vb.npy", descr, false, "(2,)", &second)?;
        let values = ["--values", &first, "--second-values", &second, "--out-values", &out];
        call(&[&["run", "merge", &a, &b][..], &values].concat())?.prints("-5\n0\n0\n7\n9\n")?;
        let (header, data) = parts(&output)?;
        require(header.contains(descr) && header.contains("(5,)"), || header.clone())?;
        require(data == wanted, || format!("{descr}: {data:?} instead of {wanted:?}"))?;
    }
    Ok(())
}

pub fn sets(driver: &Driver) -> Tested {
    let folder = folder(driver, "sets")?;
    let a = npy(&folder, "a.npy", "<i4", false, "(2, 3)", &bytes_of(&[7i32, 0, 3, 7, -5, 0], i32::to_le_bytes))?;
    let b = npy(&folder, "b.npy", "<i4", false, "(4,)", &bytes_of(&[9i32, 7, 0, 7], i32::to_le_bytes))?;
    for (kernel, wanted) in
        [("union1d", "-5\n0\n3\n7\n9\n"), ("intersect1d", "0\n7\n"), ("setdiff1d", "-5\n3\n"), ("setxor1d", "-5\n3\n9\n")]
    {
        call(&["run", kernel, &a, &b, "--validate"])?.prints(wanted)?;
    }
    let sorted = npy(&folder, "sorted.npy", "<i4", false, "(4,)", &bytes_of(&[0i32, 7, 7, 9], i32::to_le_bytes))?;
    call(&["run", "setdiff1d", &sorted, &sorted, "--assume-sorted"])?.prints("")?;
    call(&["run", "union1d", &sorted, &sorted, "--assume-sorted"])?.prints("0\n7\n9\n")?;
    let none = npy(&folder, "none.npy", "<i4", false, "(0,)", &[])?;
    call(&["run", "union1d", &none, &b])?.prints("0\n7\n9\n")?;
    call(&["run", "intersect1d", &none, &none])?.prints("")?;
    // A NaN is in no other array.
    let floats = bytes_of(&[f32::NAN, 1.0, f32::NAN], f32::to_le_bytes);
    let floats = npy(&folder, "floats.npy", "<f4", false, "(3,)", &floats)?;
    call(&["run", "union1d", &floats, &floats])?.prints("1.0\nnan\n")?;
    call(&["run", "intersect1d", &floats, &floats])?.prints("1.0\n")?;
    call(&["run", "setdiff1d", &floats, &floats])?.prints("nan\n")?;
    call(&["run", "setxor1d", &floats, &floats])?.prints("nan\nnan\n")?;
    let truth = npy(&folder, "truth.npy", "|b1", false, "(3,)", &[1, 0, 1])?;
    call(&["run", "union1d", &truth, &truth])?.prints("False\nTrue\n")
}
