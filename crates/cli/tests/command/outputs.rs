//! Files that results are written to, and what is left where that fails.

use std::path::Path;
use std::process::Command;

use libtest_mimic::Failed;

use super::{Driver, Tested, bytes_of, call, folder, npy, parts, require};

/// A result takes its input's place, and what is no file is written to.
pub fn places(driver: &Driver) -> Tested {
    let folder = folder(driver, "places")?;
    let four = npy(&folder, "four.npy", "<i4", false, "(4,)", &bytes_of(&[3i32, 1, 3, 2], i32::to_le_bytes))?;
    call(&["run", "scan", &four, "--op", "sum", "-o", &four])?.prints("")?;
    let (_, data) = parts(Path::new(&four))?;
    require(data == bytes_of(&[3i32, 4, 7, 9], i32::to_le_bytes), || format!("{data:?}"))?;
    if cfg!(unix) {
        call(&["run", "unique", &four, "--counts", "/dev/null"])?.prints("3\n4\n7\n9\n")?;
    }
    if cfg!(target_os = "linux") {
        call(&["run", "unique", &four, "-o", "/dev/full"])?.fails_with("cannot write /dev/full: no space left on device")?;
    }
    Ok(())
}

/// Of several results that fail to be written none is, and what was there before stays.
pub fn failures(driver: &Driver) -> Tested {
    let folder = folder(driver, "failures")?;
    let _ = std::fs::remove_dir_all(folder.join("results"));
    std::fs::create_dir_all(folder.join("results"))?;
    let four = npy(&folder, "four.npy", "<i4", false, "(2, 2)", &bytes_of(&[3i32, 3, 1, 2], i32::to_le_bytes))?;
    let path = |name: &str| folder.join("results").join(name).to_string_lossy().into_owned();
    let (first, second) = (path("first.npy"), path("second.npy"));
    let none = "/nonexistent/x.npy";
    let fail: [&[&str]; 7] = [
        &["unique", &four, "--index", &first, "--counts", none, "-o", &second],
        &["unique", &four, "--index", &first, "--inverse", &second, "-o", none],
        &["select", &four, "--where", "lt", "3", "--rows", "--out-offsets", &first, "-o", none],
        &["partition", &four, "--where", "lt", "3", "--rows", "--out-offsets", &first, "-o", none],
        &["rle", &four, "--out-lengths", &first, "--rows", "--out-offsets", none, "-o", &second],
        &["sort", &four, "--values", &four, "--out-values", &first, "-o", none],
        &["sort", &four, "--values", &four, "--out-values", none, "-o", &first],
    ];
    for arguments in fail {
        call(&[&["run"], arguments].concat())?.fails_with("cannot write /nonexistent/x.npy: no such file or directory")?;
    }
    let flat = npy(&folder, "flat.npy", "<i4", false, "(2,)", &bytes_of(&[3i32, 3], i32::to_le_bytes))?;
    call(&["run", "reducebykey", &flat, &flat, "--op", "sum", "--out-keys", &first, "--out-values", none])?
        .fails_with("cannot write /nonexistent/x.npy")?;
    let left = names(&folder.join("results"))?;
    require(left.is_empty(), || format!("{left:?} are left"))
}

/// A disk that is full, or a limit, keeps the old file. On lavapipe alone: other drivers keep memory in files that the limit is for, too.
pub fn full(driver: &Driver) -> Tested {
    if !cfg!(target_os = "linux") || !driver.name.starts_with("lavapipe") {
        return Ok(());
    }
    let folder = folder(driver, "full")?;
    let _ = std::fs::remove_dir_all(folder.join("results"));
    std::fs::create_dir_all(folder.join("results"))?;
    let output = folder.join("results").join("result.npy");
    std::fs::write(&output, "old")?;
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" run fill --dtype u8 --shape 1000000 --value 1 -o \"$1\"";
    let run = Command::new("sh").args(["-c", script, env!("CARGO_BIN_EXE_wavelane")]).arg(&output).output()?;
    let text = String::from_utf8_lossy(&run.stderr).into_owned();
    require(run.status.code() == Some(1) && text.contains("result.npy: file too large"), || format!("{:?} {text}", run.status))?;
    let left = names(&folder.join("results"))?;
    require(std::fs::read(&output)? == b"old" && left == ["result.npy"], || format!("{left:?} are left"))
}

fn names(folder: &Path) -> Result<Vec<String>, Failed> {
    std::fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}
