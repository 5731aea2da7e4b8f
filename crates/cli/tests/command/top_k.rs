//! The largest and smallest elements, and where they stand.

use super::{Driver, Tested, bytes_of, call, folder, npy, parts, require};

pub fn top_k(driver: &Driver) -> Tested {
    let folder = folder(driver, "topk")?;
    let six = npy(&folder, "six.npy", "<i4", false, "(2, 3)", &bytes_of(&[5i32, -1, 5, 0, 7, -9], i32::to_le_bytes))?;
    call(&["run", "topk", "--validate", &six, "--k", "2"])?.prints("5 5\n7 0\n")?;
    call(&["run", "topk", &six, "--k", "2", "--smallest", "--axis", "1"])?.prints("-1 5\n-9 0\n")?;
    call(&["run", "topk", &six, "--k", "4", "--axis", "none"])?.prints("7\n5\n5\n0\n")?;
    call(&["run", "topk", &six, "--k", "0", "--axis", "none"])?.prints("")?;
    let floats = bytes_of(&[f32::NAN, 0.0, f32::INFINITY, -0.0, -1.5], f32::to_le_bytes);
    let floats = npy(&folder, "floats.npy", "<f4", false, "(5,)", &floats)?;
    call(&["run", "topk", &floats, "--k", "3"])?.prints("nan\ninf\n0.0\n")?;
    call(&["run", "topk", &floats, "--k", "3", "--smallest"])?.prints("-1.5\n0.0\n-0.0\n")?;
    let truth = npy(&folder, "truth.npy", "|b1", false, "(4,)", &[0, 1, 0, 1])?;
    call(&["run", "topk", &truth, "--k", "3"])?.prints("True\nTrue\nFalse\n")?;
    let (output, indices) = (folder.join("out.npy"), folder.join("indices.npy"));
    let (out, places) = (output.to_string_lossy(), indices.to_string_lossy());
    call(&["run", "topk", &six, "--k", "1", "-o", &out, "--out-indices", &places])?.prints("")?;
    let (header, data) = parts(&output)?;
    require(header.contains("'<i4'") && header.contains("(2, 1)"), || header.clone())?;
    require(data == bytes_of(&[5i32, 7], i32::to_le_bytes), || format!("{data:?}"))?;
    let (header, data) = parts(&indices)?;
    require(header.contains("'<i8'") && header.contains("(2, 1)"), || header.clone())?;
    require(data == bytes_of(&[0i64, 1], i64::to_le_bytes), || format!("{data:?}"))
}
