//! Elements at places of their order, medians and quantiles.

use super::{Driver, Tested, bytes_of, call, folder, npy, parts, require};

pub fn nth(driver: &Driver) -> Tested {
    let folder = folder(driver, "nth")?;
    let six = npy(&folder, "six.npy", "<i4", false, "(2, 3)", &bytes_of(&[5i32, -1, 5, 0, 7, -9], i32::to_le_bytes))?;
    call(&["run", "nth", "--validate", &six, "--k", "1"])?.prints("5\n0\n")?;
    call(&["run", "nth", &six, "--k", "-1", "--axis", "-1"])?.prints("5\n7\n")?;
    call(&["run", "nth", &six, "--k", "0", "--axis", "none"])?.prints("-9\n")?;
    let output = folder.join("out.npy");
    call(&["run", "nth", &six, "--k", "2", "-o", &output.to_string_lossy()])?.prints("")?;
    let (header, data) = parts(&output)?;
    require(header.contains("'<i4'") && header.contains("(2,)"), || header.clone())?;
    require(data == bytes_of(&[5i32, 7], i32::to_le_bytes), || format!("{data:?}"))
}

pub fn partitions(driver: &Driver) -> Tested {
    let folder = folder(driver, "partitions")?;
    let eight = npy(&folder, "eight.npy", "<i4", false, "(2, 4)", &bytes_of(&[5i32, -1, 5, 0, 7, -9, 3, 3], i32::to_le_bytes))?;
    call(&["run", "partition", "--validate", &eight, "--k", "1"])?.prints("-1 0 5 5\n-9 3 3 7\n")?;
    call(&["run", "partition", &eight, "--kth", "-1", "--axis", "none"])?.prints("5\n-1\n5\n0\n-9\n3\n3\n7\n")?;
    let [output, places] = ["out.npy", "places.npy"].map(|name| folder.join(name).to_string_lossy().into_owned());
    call(&["run", "partition", &eight, "--k", "3", "--axis", "1", "-o", &output, "--out-indices", &places])?.prints("")?;
    let (header, data) = parts(&folder.join("out.npy"))?;
    require(header.contains("'<i4'") && header.contains("(2, 4)"), || header.clone())?;
    require(data == bytes_of(&[-1i32, 0, 5, 5, -9, 3, 3, 7], i32::to_le_bytes), || format!("{data:?}"))?;
    let (header, data) = parts(&folder.join("places.npy"))?;
    require(header.contains("'<i8'") && header.contains("(2, 4)"), || header.clone())?;
    require(data == bytes_of(&[1i64, 3, 0, 2, 1, 2, 3, 0], i64::to_le_bytes), || format!("{data:?}"))?;
    let truth = npy(&folder, "truth.npy", "|b1", false, "(4,)", &[1, 0, 1, 0])?;
    call(&["run", "partition", &truth, "--k", "0"])?.prints("False\nFalse\nTrue\nTrue\n")
}

pub fn medians(driver: &Driver) -> Tested {
    let folder = folder(driver, "medians")?;
    let six = npy(&folder, "six.npy", "|u1", false, "(2, 3)", &[5, 255, 6, 0, 7, 250])?;
    call(&["run", "median", "--validate", &six])?.prints("6.5\n")?;
    call(&["run", "median", &six, "--axis", "1"])?.prints("6.0\n7.0\n")?;
    let floats = bytes_of(&[1.5f32, 2.0, f32::NAN, 0.25, 4.0, 3.0], f32::to_le_bytes);
    let floats = npy(&folder, "floats.npy", "<f4", false, "(2, 3)", &floats)?;
    call(&["run", "median", &floats, "--axis", "-1"])?.prints("nan\n3.0\n")?;
    let truth = npy(&folder, "truth.npy", "|b1", false, "(4,)", &[0, 1, 0, 1])?;
    call(&["run", "median", &truth])?.prints("0.5\n")?;
    let none = npy(&folder, "none.npy", "<f8", false, "(0,)", &[])?;
    call(&["run", "median", &none])?.prints("nan\n")
}

pub fn quantiles(driver: &Driver) -> Tested {
    let folder = folder(driver, "quantiles")?;
    let five = npy(&folder, "five.npy", "<i8", false, "(5,)", &bytes_of(&[10i64, -10, 0, 20, 30], i64::to_le_bytes))?;
    call(&["run", "quantile", "--validate", &five, "--q", "0.5"])?.prints("10.0\n")?;
    call(&["run", "quantile", &five, "--q", "0,0.125,1"])?.prints("-10.0\n-5.0\n30.0\n")?;
    let six = npy(&folder, "six.npy", "<f4", false, "(2, 3)", &bytes_of(&[1f32, 2.0, 4.0, 8.0, 16.0, 32.0], f32::to_le_bytes))?;
    let output = folder.join("out.npy");
    call(&["run", "quantile", &six, "--q", "0.25,0.5", "--axis", "-1", "-o", &output.to_string_lossy()])?.prints("")?;
    let (header, data) = parts(&output)?;
    require(header.contains("'<f8'") && header.contains("(2, 2)"), || header.clone())?;
    require(data == bytes_of(&[1.5f64, 12.0, 2.0, 16.0], f64::to_le_bytes), || format!("{data:?}"))
}
