//! Partitions by masks, selections in rows, and segments by flags.

use super::{Driver, Tested, bytes_of, call, folder, npy, require};

pub fn masks(driver: &Driver) -> Tested {
    let folder = folder(driver, "masks")?;
    let six = npy(&folder, "six.npy", "<i4", false, "(2, 3)", &bytes_of(&[1i32, 2, 3, 4, 5, 6], i32::to_le_bytes))?;
    let same = npy(&folder, "same.npy", "|b1", false, "(2, 3)", &[0, 1, 0, 1, 0, 1])?;
    let flat = npy(&folder, "flat.npy", "|b1", false, "(6,)", &[0, 1, 0, 1, 0, 1])?;
    for mask in [&same, &flat] {
        call(&["run", "select", &six, "--mask", mask])?.prints("2\n4\n6\n")?;
    }
    // How many are selected is no warning: it is told where more is asked for.
    let parted = call(&["run", "partition", &six, "--mask", &same])?;
    parted.prints("2\n4\n6\n1\n3\n5\n")?;
    require(parted.stderr.is_empty(), || parted.to_string())?;
    let told = call(&["run", "partition", &six, "--mask", &same, "-v"])?;
    told.prints("2\n4\n6\n1\n3\n5\n")?;
    require(told.stderr.contains("INFO ") && told.stderr.contains("] 3 elements are selected\n"), || told.to_string())?;
    let output = folder.join("parted.npy");
    call(&["run", "partition", &six, "--mask", &same, "-o", &output.to_string_lossy()])?.prints("3\n")
}

/// Rows are along the last axis, also those of nothing.
pub fn rows(driver: &Driver) -> Tested {
    let folder = folder(driver, "rows")?;
    let six = npy(&folder, "six.npy", "<i4", false, "(2, 3)", &bytes_of(&[5i32, 2, 5, 5, 5, 1], i32::to_le_bytes))?;
    let offsets = folder.join("offsets.npy");
    let offsets = offsets.to_string_lossy();
    let told = |want: &[i64]| {
        let bytes = std::fs::read(&*offsets)?;
        require(bytes.ends_with(&bytes_of(want, i64::to_le_bytes)), || format!("the offsets are not {want:?}"))
    };
    let condition = ["--where", "lt", "5"];
    let in_rows = ["--rows", "--out-offsets", &offsets];
    call(&[&["run", "select", &six], &condition[..], &in_rows].concat())?.prints("2\n1\n")?;
    told(&[0, 1, 2])?;
    call(&[&["run", "partition", &six], &condition[..], &in_rows].concat())?.prints("2 5 5\n1 5 5\n")?;
    told(&[0, 1, 2])?;
    call(&[&["run", "rle", &six], &in_rows[..]].concat())?.prints("5 1\n2 1\n5 1\n5 2\n1 1\n")?;
    told(&[0, 3, 5])?;
    let none = npy(&folder, "none.npy", "<i4", false, "(2, 0)", &[])?;
    call(&[&["run", "select", &none], &condition[..], &in_rows].concat())?.prints("")?;
    told(&[0, 0, 0])
}

/// What comes before the first element begins each segment; whichever strategy finds it.
pub fn initial_values_of_segments(driver: &Driver) -> Tested {
    let folder = folder(driver, "initial")?;
    let five = npy(&folder, "five.npy", "<u4", false, "(5,)", &bytes_of(&[1u32, 2, 3, 4, 5], u32::to_le_bytes))?;
    let scan = ["run", "segscan", &five, "--op", "sum", "--length", "2", "--initial", "10"];
    call(&scan)?.prints("11\n13\n13\n17\n15\n")?;
    call(&[&scan[..], &["--exclusive", "--strategy", "reduce-then-scan"]].concat())?.prints("10\n11\n10\n13\n10\n")?;
    let told = call(&[&scan[..], &["--strategy", "one-workgroup", "-vv"]].concat())?;
    told.prints("11\n13\n13\n17\n15\n")?;
    require(told.stderr.contains("one workgroup"), || told.to_string())
}

/// A flag is what numpy calls nonzero, whatever its type.
pub fn flags(driver: &Driver) -> Tested {
    let folder = folder(driver, "flags")?;
    let five = npy(&folder, "five.npy", "<u4", false, "(5,)", &bytes_of(&[1u32, 2, 3, 4, 5], u32::to_le_bytes))?;
    let doubles = bytes_of(&[0.0, -0.0, f64::NAN, 0.0, 5e-324], f64::to_le_bytes);
    let singles = bytes_of(&[0.0f32, -0.0, f32::NAN, 0.0, 1e-45], f32::to_le_bytes);
    let halves = bytes_of(&[0x0000u16, 0x8000, 0x7e00, 0x0000, 0x0001], u16::to_le_bytes);
    let large = bytes_of(&[0i64, 0, 1 << 40, 0, -1], i64::to_le_bytes);
    let files = [
        npy(&folder, "doubles.npy", "<f8", false, "(5,)", &doubles)?,
        npy(&folder, "singles.npy", "<f4", false, "(5,)", &singles)?,
        npy(&folder, "halves.npy", "<f2", false, "(5,)", &halves)?,
        npy(&folder, "large.npy", "<i8", false, "(5,)", &large)?,
        npy(&folder, "truths.npy", "|b1", false, "(5,)", &[0, 0, 1, 0, 1])?,
    ];
    for flags in &files {
        call(&["run", "segscan", &five, "--op", "sum", "--flags", flags])?.prints("1\n3\n3\n7\n5\n")?;
        call(&["run", "segreduce", &five, "--op", "sum", "--flags", flags])?.prints("3\n7\n5\n")?;
    }
    Ok(())
}
