//! The command on each driver: results as text and as files, devices, and what only a device can refuse.

#[path = "command/compaction.rs"]
mod compaction;
#[path = "command/elementwise.rs"]
mod elementwise;
#[path = "../../../tests/harness/mod.rs"]
mod harness;
#[path = "command/histogram.rs"]
mod histogram;
#[path = "command/order_statistics.rs"]
mod order_statistics;
#[path = "command/outputs.rs"]
mod outputs;
#[path = "command/sort.rs"]
mod sort;
#[path = "command/sorted.rs"]
mod sorted;
#[path = "command/top_k.rs"]
mod top_k;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use harness::{Case, Driver};
use libtest_mimic::Failed;

fn main() -> ExitCode {
    harness::main(vec![
        Case::new("results_as_text", results_as_text),
        Case::new("results_as_files", results_as_files),
        Case::new("types_of_results", types_of_results),
        Case::new("orders_of_bytes_and_axes", orders_of_bytes_and_axes),
        Case::new("types_of_64_bits", types_of_64_bits),
        Case::new("every_path_says_the_same", every_path_says_the_same),
        Case::new("nan", nan),
        Case::new("empty", empty),
        Case::new("refusals", refusals),
        Case::new("info", info),
        Case::new("elementwise", elementwise::elementwise),
        Case::new("masks", compaction::masks),
        Case::new("rows", compaction::rows),
        Case::new("flags", compaction::flags),
        Case::new("initial_values_of_segments", compaction::initial_values_of_segments),
        Case::new("histograms", histogram::histograms),
        Case::new("values", histogram::values),
        Case::new("sorts", sort::sorts),
        Case::new("argsorts", sort::argsorts),
        Case::new("values_of_keys", sort::values),
        Case::new("places_of_results", outputs::places),
        Case::new("results_that_fail", outputs::failures),
        Case::new("full_disks", outputs::full),
        Case::new("searches", sorted::searches),
        Case::new("merges", sorted::merges),
        Case::new("sets", sorted::sets),
        Case::new("top_k", top_k::top_k),
        Case::new("nth", order_statistics::nth),
        Case::new("partitions_around_a_place", order_statistics::partitions),
        Case::new("medians", order_statistics::medians),
        Case::new("quantiles", order_statistics::quantiles),
        Case::new("explain", explain),
        Case::new("selftest", selftest).narrowed(),
    ])
}

type Tested = Result<(), Failed>;

/// What a call of the command gave.
struct Called {
    line: String,
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn call(arguments: &[&str]) -> Result<Called, Failed> {
    call_with(arguments, &[])
}

fn call_with(arguments: &[&str], environment: &[(&str, &str)]) -> Result<Called, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavelane"));
    for variable in ["RUST_LOG", "WAVELANE_DEVICE", "WAVELANE_PATH"] {
        command.env_remove(variable);
    }
    let output = command.args(arguments).envs(environment.iter().copied()).output()?;
    Ok(Called {
        line: arguments.join(" "),
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

impl Called {
    fn prints(&self, wanted: &str) -> Tested {
        require(self.code == Some(0) && self.stdout == wanted, || format!("{} does not print {wanted:?}: {self}", self.line))
    }

    fn is_done(&self) -> Tested {
        require(self.code == Some(0), || format!("{} fails: {self}", self.line))
    }

    /// Exit code 1, and a text in the first of two lines.
    fn fails_with(&self, text: &str) -> Tested {
        let two = matches!(self.stderr.lines().collect::<Vec<_>>()[..], [what, advice]
            if what.starts_with("error: ") && what.contains(text) && advice.starts_with("help: "));
        require(two && self.code == Some(1) && self.stdout.is_empty(), || format!("{} does not fail with {text:?}: {self}", self.line))
    }
}

impl std::fmt::Display for Called {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "exit {:?}\n{}{}", self.code, self.stdout, self.stderr)
    }
}

fn require(condition: bool, message: impl FnOnce() -> String) -> Tested {
    if condition { Ok(()) } else { Err(Failed::from(message())) }
}

/// A folder for a case on a driver.
fn folder(driver: &Driver, case: &str) -> Result<PathBuf, Failed> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{case}", driver.name));
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Writes a `.npy` file, and gives its path.
fn npy(folder: &Path, name: &str, descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Result<String, Failed> {
    let fortran = if fortran { "True" } else { "False" };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    while !(10 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let length = (header.len() as u16).to_le_bytes();
    let path = folder.join(name);
    std::fs::write(&path, [b"\x93NUMPY\x01\x00", length.as_slice(), header.as_bytes(), data].concat())?;
    Ok(path.to_string_lossy().into_owned())
}

fn bytes_of<T: Copy, const N: usize>(values: &[T], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|&value| bytes(value)).collect()
}

/// The header's text and the data of a `.npy` file of version 1.0.
fn parts(path: &Path) -> Result<(String, Vec<u8>), Failed> {
    let bytes = std::fs::read(path)?;
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    Ok((String::from_utf8_lossy(&bytes[10..10 + length]).trim_end().to_owned(), bytes[10 + length..].to_vec()))
}

const HEIGHTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/jacksboro_dem.npy");

fn results_as_text(driver: &Driver) -> Tested {
    for (op, wanted) in [("min", "236.0\n"), ("max", "1076.0\n"), ("argmin", "116411\n"), ("argmax", "119910\n"), ("any", "True\n")] {
        call(&["run", "reduce", "--op", op, "--validate", HEIGHTS])?.prints(wanted)?;
    }
    let rows = call(&["run", "reduce", "--op", "max", "--axis", "1", HEIGHTS])?;
    rows.is_done()?;
    require(rows.stdout.starts_with("774.0\n782.0\n798.0\n796.0\n"), || rows.to_string())?;
    require(rows.stdout.lines().count() == 344, || rows.to_string())?;
    require(rows.stderr.is_empty(), || rows.to_string())?;
    let data = bytes_of(&[1i32, 2, 3, 4, 5, 6, 7, 8], i32::to_le_bytes);
    let file = npy(&folder(driver, "text")?, "eight.npy", "<i4", false, "(2, 2, 2)", &data)?;
    call(&["run", "reduce", "--op", "sum", "--axis", "-1", &file])?.prints("3 7\n11 15\n")?;
    call(&["run", "reduce", "--op", "sum", "--axis", "0", "--keepdims", &file])?.prints("6 8\n10 12\n")?;
    // Of what is told, only standard error hears.
    let told = call(&["run", "reduce", "--op", "prod", "-v", &file])?;
    told.prints("40320\n")?;
    require(told.stderr.contains("path "), || told.to_string())
}

fn results_as_files(driver: &Driver) -> Tested {
    let folder = folder(driver, "files")?;
    let output = folder.join("result.npy");
    let out = output.to_string_lossy();
    call(&["run", "reduce", "--op", "max", "--axis", "1", "--keepdims", "--validate", "-o", &out, HEIGHTS])?.prints("")?;
    let (header, data) = parts(&output)?;
    require(header == "{'descr': '<f4', 'fortran_order': False, 'shape': (344, 1), }", || header)?;
    require(data.len() == 344 * 4 && data[..4] == 774f32.to_le_bytes(), || format!("{} bytes", data.len()))?;
    call(&["run", "reduce", "--op", "max", "-o", "/nonexistent/result.npy", HEIGHTS])?
        .fails_with("cannot write /nonexistent/result.npy: no such file or directory")
}

/// Each result has numpy's type.
fn types_of_results(driver: &Driver) -> Tested {
    let folder = folder(driver, "types")?;
    let halves = bytes_of(&[half::f16::from_f32(1.0), half::f16::from_f32(2.5)], half::f16::to_le_bytes);
    let halves = npy(&folder, "halves.npy", "<f2", false, "(2,)", &halves)?;
    let truth = npy(&folder, "truth.npy", "|b1", false, "(3,)", &[1, 0, 1])?;
    let integers = npy(&folder, "integers.npy", "<u4", false, "(2,)", &bytes_of(&[u32::MAX, 2], u32::to_le_bytes))?;
    let cases: [(&str, &[&str], &str, &[u8]); 11] = [
        (&halves, &["mean"], "<f2", &half::f16::from_f32(1.75).to_le_bytes()),
        (&halves, &["max"], "<f2", &half::f16::from_f32(2.5).to_le_bytes()),
        (&halves, &["argmax"], "<i8", &1i64.to_le_bytes()),
        (&truth, &["sum"], "<i8", &2i64.to_le_bytes()),
        (&truth, &["all"], "|b1", &[0]),
        (&truth, &["max"], "|b1", &[1]),
        (&truth, &["xor"], "|b1", &[0]),
        (&integers, &["sum"], "<u4", &1u32.to_le_bytes()),
        (&integers, &["sum", "--wide"], "<u8", &0x1_0000_0001u64.to_le_bytes()),
        (&integers, &["any"], "|b1", &[1]),
        (&integers, &["mean"], "<f8", &2_147_483_648.5f64.to_le_bytes()),
    ];
    for (file, op, descr, wanted) in cases {
        let output = folder.join("result.npy");
        let out = output.to_string_lossy();
        call(&[&["run", "reduce", "-o", &out, file, "--op"], op].concat())?.is_done()?;
        let (header, data) = parts(&output)?;
        // Without 64-bit floats, means of integers are computed in 32 bits.
        let rounded = (descr == "<f8").then(|| 2_147_483_648f64.to_le_bytes().to_vec());
        require(header == format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (), }}"), || {
            format!("{op:?} of {file}: {header}")
        })?;
        require(data == wanted || rounded.as_ref() == Some(&data), || format!("{op:?} of {file}: {data:?} instead of {wanted:?}"))?;
    }
    Ok(())
}

fn orders_of_bytes_and_axes(driver: &Driver) -> Tested {
    let folder = folder(driver, "orders")?;
    let big = npy(&folder, "big.npy", ">f4", false, "(3,)", &bytes_of(&[1.5f32, -2.0, 4.0], f32::to_be_bytes))?;
    call(&["run", "reduce", "--op", "sum", &big])?.prints("3.5\n")?;
    let columns = npy(&folder, "columns.npy", "<i4", true, "(2, 3)", &bytes_of(&[1i32, 4, 2, 5, 3, 6], i32::to_le_bytes))?;
    call(&["run", "reduce", "--op", "sum", "--axis", "0", &columns])?.prints("5\n7\n9\n")?;
    call(&["run", "reduce", "--op", "sum", "--axis", "1", &columns])?.prints("6\n15\n")
}

/// They run where the device has them, and are refused by the feature's name where not.
fn types_of_64_bits(driver: &Driver) -> Tested {
    let folder = folder(driver, "wide")?;
    let info = call(&["info", "--json"])?;
    let info: serde_json::Value = serde_json::from_str(&info.stdout)?;
    let features = &info["devices"][0]["capabilities"]["features"];
    let integers = npy(&folder, "integers.npy", "<i8", false, "(2,)", &bytes_of(&[i64::MAX, 2], i64::to_le_bytes))?;
    let sum = call(&["run", "reduce", "--op", "sum", &integers])?;
    match features["shader_int64"] == true {
        true => sum.prints("-9223372036854775807\n")?,
        false => sum.fails_with("shaderInt64")?,
    }
    let floats = npy(&folder, "floats.npy", "<f8", false, "(2,)", &bytes_of(&[1e300, 0.5], f64::to_le_bytes))?;
    let sum = call(&["run", "reduce", "--op", "sum", &floats])?;
    if features["shader_float64"] == true { sum.prints("1e+300\n") } else { sum.fails_with("shaderFloat64") }
}

fn every_path_says_the_same(_: &Driver) -> Tested {
    for path in ["auto", "lsm", "subgroup", "shuffle"] {
        let run = call(&["run", "reduce", "--op", "max", "--path", path, "-v", HEIGHTS])?;
        if path == "subgroup" || path == "shuffle" {
            // A device may lack what a path needs, and then says so.
            if run.code == Some(1) {
                run.fails_with(&format!("path {path} was asked for on "))?;
                continue;
            }
        }
        run.prints("1076.0\n")?;
        require(path == "auto" || run.stderr.contains(&format!("path {path}")), || run.to_string())?;
    }
    let forced = call_with(&["run", "reduce", "--op", "max", "-v", HEIGHTS], &[("WAVELANE_PATH", "lsm")])?;
    require(forced.stderr.contains("path lsm"), || forced.to_string())?;
    let outweighed = call_with(&["run", "reduce", "--op", "max", "--path", "auto", "-v", HEIGHTS], &[("WAVELANE_PATH", "lsm")])?;
    require(!outweighed.stderr.contains("path lsm"), || outweighed.to_string())?;
    call(&["run", "reduce", "--op", "max", "--profile", "minimal", "--validate", HEIGHTS])?.prints("1076.0\n")
}

fn nan(driver: &Driver) -> Tested {
    let folder = folder(driver, "nan")?;
    let some = npy(&folder, "some.npy", "<f4", false, "(3,)", &bytes_of(&[2.0, f32::NAN, 1.0], f32::to_le_bytes))?;
    let only = npy(&folder, "only.npy", "<f4", false, "(2,)", &bytes_of(&[f32::NAN; 2], f32::to_le_bytes))?;
    call(&["run", "reduce", "--op", "min", &some])?.prints("nan\n")?;
    call(&["run", "reduce", "--op", "argmin", &some])?.prints("1\n")?;
    call(&["run", "reduce", "--op", "min", "--nan", "ignore", &some])?.prints("1.0\n")?;
    call(&["run", "reduce", "--op", "argmin", "--nan", "ignore", &some])?.prints("2\n")?;
    call(&["run", "reduce", "--op", "max", "--nan", "ignore", &only])?.prints("nan\n")?;
    call(&["run", "reduce", "--op", "argmax", "--nan", "ignore", &only])?
        .fails_with("argmax ignoring NaN has no value, as there is nothing but NaN (result 0)")
}

fn empty(driver: &Driver) -> Tested {
    let file = npy(&folder(driver, "empty")?, "empty.npy", "<u4", false, "(2, 0)", &[])?;
    for (op, wanted) in [("sum", "0\n"), ("prod", "1\n"), ("and", "4294967295\n"), ("all", "True\n"), ("mean", "nan\n")] {
        call(&["run", "reduce", "--op", op, "--validate", &file])?.prints(wanted)?;
    }
    call(&["run", "reduce", "--op", "prod", "--axis", "1", &file])?.prints("1\n1\n")?;
    call(&["run", "reduce", "--op", "max", "--axis", "0", &file])?.prints("")?;
    call(&["run", "reduce", "--op", "argmin", "--axis", "1", &file])?.fails_with("argmin of no elements")
}

/// What only a device can refuse.
fn refusals(driver: &Driver) -> Tested {
    call(&["info", "--device", "77"])?.fails_with("device 77 was asked for, but there are only: 0 ")?;
    call(&["run", "reduce", "--op", "sum", "--device", "abacus", HEIGHTS])?
        .fails_with("no device's name contains `abacus`; there are: 0 ")?;
    call_with(&["info"], &[("WAVELANE_DEVICE", "77")])?.fails_with("device 77 was asked for")?;
    for (path, missing) in [("subgroup", "VK_SUBGROUP_FEATURE_ARITHMETIC_BIT"), ("shuffle", "VK_SUBGROUP_FEATURE_SHUFFLE_BIT")] {
        call(&["run", "reduce", "--op", "sum", "--path", path, "--profile", "minimal", HEIGHTS])?.fails_with(missing)?;
        // Both devices have it, and have no size of subgroups in common.
        if let Some(size) = driver.subgroup_size.filter(|&size| size != 32) {
            let what = format!("subgroups of {size} cannot stand for the profile's, which are of 32");
            call(&["run", "scan", "--op", "sum", "--path", path, "--profile", "nvidia-h200", HEIGHTS])?.fails_with(&what)?;
        }
    }
    call(&["selftest", "--quick", "--path", "shuffle", "--profile", "minimal"]).and_then(|selftest| {
        require(selftest.code == Some(1) && selftest.stderr.contains("nothing could be checked"), || selftest.to_string())
    })
}

fn info(driver: &Driver) -> Tested {
    let text = call(&["info", "--validate"])?;
    text.is_done()?;
    for label in ["device", "workgroups", "shared memory", "subgroups", "features", "reduce"] {
        require(text.stdout.lines().any(|line| line.trim_start().starts_with(label)), || format!("{label} is not in {text}"))?;
    }
    let json = call(&["info", "--json"])?;
    let json: serde_json::Value = serde_json::from_str(&json.stdout)?;
    let device = &json["devices"][0];
    let size = &device["capabilities"]["subgroup"]["size"];
    require(driver.subgroup_size.is_none_or(|wanted| *size == wanted), || format!("a subgroup size of {size}"))?;
    require(device["chosen"] == true && device["kernels"][0]["kernel"] == "reduce", || device.to_string())?;
    let kernels = [
        "scan",
        "segscan",
        "segreduce",
        "reducebykey",
        "select",
        "nonzero",
        "partition",
        "unique",
        "rle",
        "sort",
        "union1d",
        "topk",
        "nth",
    ];
    for kernel in kernels {
        // On its own line, or among those that do as another.
        require(text.stdout.contains(&format!(" {kernel}")), || format!("{kernel} is not in {text}"))?;
        let kernels = device["kernels"].as_array().map(Vec::as_slice).unwrap_or_default();
        let types = kernels.iter().find(|found| found["kernel"] == kernel).and_then(|found| found["types"].as_array());
        require(types.is_some_and(|types| types.len() == 11 && types[0]["path"].is_string()), || format!("{kernel}: {kernels:?}"))?;
    }
    let narrowed = call(&["info", "--json", "--profile", "minimal", "--device", "0"])?;
    let narrowed: serde_json::Value = serde_json::from_str(&narrowed.stdout)?;
    require(narrowed["devices"][0]["capabilities"]["profile"] == "minimal", || narrowed.to_string())?;
    require(narrowed["devices"][0]["kernels"][0]["types"][0]["path"] == "lsm", || narrowed.to_string())
}

fn explain(_: &Driver) -> Tested {
    let json =
        call(&["explain", "reduce", "--dtype", "f32", "--shape", "344,403", "--axis", "1", "--op", "max", "--json", "--path", "lsm"])?;
    let json: serde_json::Value = serde_json::from_str(&json.stdout)?;
    require(json["path"] == "lsm" && json["result"]["shape"] == serde_json::json!([344]), || json.to_string())?;
    call(&["explain", "reduce", "--dtype", "f32", "--n", "1000000"])?.is_done()
}

fn selftest(_: &Driver) -> Tested {
    let called = call(&["selftest", "--quick", "--json", "--path", "lsm", "--profile", "minimal"])?;
    called.is_done()?;
    let report: serde_json::Value = serde_json::from_str(&called.stdout)?;
    // The profile has no 64-bit types. What only moves elements needs none, and iota counts in words.
    let kernels = [
        ("reduce", [16, 6]),
        ("scan", [16, 6]),
        ("segscan", [8, 3]),
        ("segreduce", [16, 6]),
        ("reducebykey", [8, 3]),
        ("select", [88, 0]),
        ("nonzero", [11, 0]),
        ("partition", [88, 0]),
        ("unique", [22, 0]),
        ("rle", [33, 0]),
        ("histogram", [30, 0]),
        ("sort", [22, 0]),
        ("searchsorted", [11, 0]),
        ("merge", [11, 0]),
        ("sets", [22, 0]),
        ("topk", [11, 0]),
        ("nth", [22, 0]),
        ("fill", [11, 0]),
        ("iota", [10, 1]),
        ("convert", [121, 0]),
        ("gather", [22, 0]),
        ("scatter", [22, 0]),
        ("transform", [40, 15]),
    ];
    let rows = report["rows"].as_array().map(Vec::as_slice).unwrap_or_default();
    for (kernel, wanted) in kernels {
        let count = |status: &str| rows.iter().filter(|row| row["kernel"] == kernel && row["status"] == status).count();
        let found = ["ok", "skipped"].map(count);
        require(found == wanted, || format!("{kernel}: {found:?} rows are ok and skipped, and should be {wanted:?}"))?;
    }
    let [ok, skipped] = [0, 1].map(|at| kernels.iter().map(|(_, counts)| counts[at]).sum::<usize>());
    require(report["counts"]["ok"] == ok && report["counts"]["skipped"] == skipped, || report["counts"].to_string())?;
    require(report["counts"]["failed"] == 0, || report["counts"].to_string())?;
    // Invocations that exchange nothing have one path, which stands with those that need nothing.
    require(rows.iter().all(|row| row["path"] == "lsm"), || "another path than the one asked for".to_owned())?;
    require(called.stderr.is_empty(), || called.stderr.clone())
}
