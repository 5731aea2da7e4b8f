//! What the command says when it cannot do what it was asked to: two lines, an exit code, no panic. None of these needs a device; all of them run
//! where no driver can be found, which also shows that what is wrong whatever the device is said before a device is looked for.

#[path = "errors/files.rs"]
mod files;
#[path = "errors/histogram.rs"]
mod histogram;
#[path = "errors/order_statistics.rs"]
mod order_statistics;
#[path = "errors/sort.rs"]
mod sort;
#[path = "errors/sorted.rs"]
mod sorted;
#[path = "errors/top_k.rs"]
mod top_k;
#[path = "errors/usage.rs"]
mod usage;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn wavelane(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavelane"));
    for variable in ["RUST_LOG", "WAVELANE_DEVICE", "WAVELANE_PATH"] {
        command.env_remove(variable);
    }
    command.env("VK_DRIVER_FILES", "/nonexistent.json").env("VK_ICD_FILENAMES", "/nonexistent.json").args(arguments);
    command
}

fn output(mut command: Command) -> Output {
    command.output().expect("the command starts")
}

/// Requires an exit code and exactly the two lines.
#[track_caller]
fn assert_fails(command: Command, code: i32, what: &str, advice: &str) {
    let output = output(command);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(text, format!("error: {what}\nhelp: {advice}\n"));
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert!(output.stdout.is_empty());
}

/// Requires an exit code, two lines, and a text in each of them.
#[track_caller]
fn assert_mentions(command: Command, code: i32, what: &str, advice: &str) {
    let output = output(command);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{text}");
    match text.lines().collect::<Vec<_>>()[..] {
        [first, second] => {
            assert!(first.starts_with("error: ") && first.contains(what), "{text}");
            assert!(second.starts_with("help: ") && second.contains(advice), "{text}");
        }
        _ => panic!("not two lines: {text}"),
    }
}

/// A file in a folder of this test binary's own.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).expect("the file can be written");
    path
}

/// A `.npy` file of version 1.0.
fn npy(name: &str, descr: &str, shape: &str, data: &[u8]) -> PathBuf {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    while !(10 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let length = (header.len() as u16).to_le_bytes();
    file(name, &[b"\x93NUMPY\x01\x00", length.as_slice(), header.as_bytes(), data].concat())
}

fn reduce(path: &Path, arguments: &[&str]) -> Command {
    let mut command = wavelane(&["run", "reduce"]);
    command.args(arguments).arg(path);
    command
}

#[test]
fn missing_file() {
    assert_fails(
        reduce(Path::new("/nonexistent/heights.npy"), &["--op", "sum"]),
        1,
        "cannot open /nonexistent/heights.npy: no such file or directory",
        "check the path, and that the file may be read",
    );
}

#[test]
fn folder_instead_of_a_file() {
    assert_fails(reduce(Path::new("/"), &["--op", "sum"]), 1, "cannot read /: it is a folder", "name a .npy file in it");
}

#[test]
fn no_npy_file() {
    let path = file("heights.csv", b"1,2,3\n4,5,6\n");
    let what = format!("{} is not a readable .npy file: it does not begin as one", path.display());
    assert_fails(reduce(&path, &["--op", "sum"]), 1, &what, "write it with numpy.save(path, array)");
}

#[test]
fn garbled_header() {
    let path = file("garbled.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': nonsens");
    let what = format!("{} is not a readable .npy file: its header has an unexpected 'n'", path.display());
    assert_fails(reduce(&path, &["--op", "sum"]), 1, &what, "write it with numpy.save(path, array)");
}

#[test]
fn every_beginning_of_a_file_is_refused() {
    let whole = std::fs::read(npy("whole.npy", "<f4", "(2,)", &[0; 8])).expect("the file can be read");
    for length in (0..whole.len()).step_by(7) {
        let path = file("beginning.npy", &whole[..length]);
        assert_mentions(reduce(&path, &["--op", "sum"]), 1, "beginning.npy is", "");
    }
}

#[test]
fn data_cut_short() {
    let path = npy("short.npy", "<f4", "(1000,)", &[0; 12]);
    let what = format!("{} is cut short: its header promises 4000 bytes of data, and it has 12", path.display());
    assert_fails(reduce(&path, &["--op", "sum"]), 1, &what, "copy or write the file again");
}

#[test]
fn shape_beyond_all_memory() {
    let path = npy("huge.npy", "<f8", "(4294967296, 4294967296)", &[]);
    assert_mentions(
        reduce(&path, &["--op", "sum"]),
        1,
        "claims a shape of (4294967296, 4294967296), which no memory can hold",
        "numpy.save",
    );
}

#[test]
fn wrong_type() {
    let path = npy("complex.npy", "<c8", "(1,)", &[0; 8]);
    assert_fails(
        reduce(&path, &["--op", "sum"]),
        1,
        &format!("{} holds elements of type complex64, which is not supported", path.display()),
        "convert with array.astype(…) to one of: bool, float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64",
    );
}

#[test]
fn bits_of_floats() {
    let path = npy("floats.npy", "<f4", "(1,)", &[0; 4]);
    assert_mentions(reduce(&path, &["--op", "xor"]), 1, "xor is not defined for f32: it works on the bits of integers", "any or all");
    assert_mentions(
        reduce(&path, &["--op", "sum", "--wide"]),
        1,
        "--wide is for sums of integers of up to 32 bits, and this is sum of f32",
        "leave --wide out",
    );
}

#[test]
fn axis_out_of_range() {
    let path = npy("square.npy", "<f4", "(1, 1)", &[0; 4]);
    for axis in ["2", "-3", "9223372036854775807", "-9223372036854775808"] {
        let what = format!("--axis {axis} is out of range for an array of 2 dimensions");
        assert_fails(
            reduce(&path, &["--op", "sum", "--axis", axis]),
            1,
            &what,
            "use 0 to 1, or -2 to -1, or leave it out to reduce the whole array",
        );
    }
    assert_mentions(
        reduce(&path, &["--op", "sum", "--axis", "99999999999999999999"]),
        2,
        "'99999999999999999999' for '--axis <K>'",
        "--help",
    );
    assert_mentions(reduce(&path, &["--op", "sum", "--axis", "x"]), 2, "'x' for '--axis <K>'", "--help");
}

#[test]
fn words_that_do_not_exist() {
    let path = npy("words.npy", "<f4", "(1,)", &[0; 4]);
    assert_mentions(reduce(&path, &["--op", "median"]), 2, "'median' for '--op <OP>'", "--help");
    assert_mentions(reduce(&path, &["--op", "sum", "--path", "fast"]), 2, "'fast' for '--path <PATH>'", "--help");
    assert_mentions(reduce(&path, &["--op", "sum", "--nan", "drop"]), 2, "'drop' for '--nan <NAN>'", "--help");
    assert_mentions(reduce(&path, &[]), 2, "required arguments were not provided: --op <OP>", "Usage: wavelane run reduce");
    assert_mentions(wavelane(&["run", "resort"]), 2, "unrecognized subcommand 'resort'", "--help");
    assert_mentions(wavelane(&["--fast"]), 2, "unexpected argument '--fast'", "--help");
}

#[test]
fn unknown_profile() {
    let path = npy("profile.npy", "<f4", "(1,)", &[0; 4]);
    assert_mentions(reduce(&path, &["--op", "sum", "--profile", "abacus"]), 2, "`abacus`; there are: adreno-610", "choose one");
    assert_mentions(wavelane(&["info", "--profile", "/nonexistent/abacus.json"]), 2, "/nonexistent/abacus.json", "");
    let file = file("profile.json", b"{\"name\": \"x\"}");
    assert_mentions(wavelane(&["info", "--profile", &file.to_string_lossy()]), 2, "profile.json cannot be read", "");
}

#[test]
fn unknown_path_in_the_environment() {
    let mut command = wavelane(&["explain", "reduce", "--dtype", "f32", "--n", "5", "--profile", "minimal"]);
    command.env("WAVELANE_PATH", "fast");
    assert_fails(
        command,
        2,
        "WAVELANE_PATH: there is no path `fast`; there are: auto, subgroup, shuffle, lsm",
        "choose one of them; auto leaves the choice to Wavelane",
    );
}

#[test]
fn no_driver() {
    let path = npy("driver.npy", "<f4", "(1,)", &[0; 4]);
    assert_mentions(reduce(&path, &["--op", "sum"]), 1, "no Vulkan driver was found", "apt install mesa-vulkan-drivers");
    assert_mentions(wavelane(&["info"]), 1, "no Vulkan driver was found", "VK_DRIVER_FILES");
    assert_mentions(wavelane(&["selftest", "--quick"]), 1, "no Vulkan driver was found", "apt install mesa-vulkan-drivers");
    assert_mentions(wavelane(&["explain", "reduce", "--dtype", "f32", "--n", "5"]), 1, "no Vulkan driver was found", "apt install");
}

#[test]
fn a_path_that_a_profile_does_not_have() {
    let command = wavelane(&["explain", "reduce", "--dtype", "f32", "--n", "5", "--profile", "minimal", "--path", "subgroup"]);
    assert_mentions(command, 1, "no subgroup arithmetic (VK_SUBGROUP_FEATURE_ARITHMETIC_BIT)", "lsm");
    let command = wavelane(&["explain", "reduce", "--dtype", "u64", "--n", "5", "--profile", "minimal"]);
    assert_mentions(command, 1, "needs shaderInt64", "32-bit type");
}

#[test]
fn too_many_elements() {
    let command = wavelane(&["explain", "reduce", "--dtype", "f32", "--n", "4294967296", "--profile", "nvidia-h200"]);
    assert_mentions(command, 2, "4294967296 elements, and at most 4294967295 are supported", "split the array");
    let shape = "18446744073709551615,18446744073709551615";
    let command = wavelane(&["explain", "reduce", "--dtype", "f32", "--shape", shape, "--profile", "nvidia-h200"]);
    assert_mentions(command, 2, "more than 2^64", "split the array");
    for kernel in ["fill", "iota"] {
        let command = wavelane(&["explain", kernel, "--dtype", "u8", "--n", "4294967296", "--profile", "nvidia-h200"]);
        assert_mentions(command, 2, "4294967296 elements, and at most 4294967295 are supported", "split the array, and treat its parts");
    }
}

#[test]
fn nothing_to_choose_from() {
    let command = wavelane(&["explain", "reduce", "--op", "min", "--dtype", "f32", "--n", "0", "--profile", "minimal"]);
    assert_mentions(command, 2, "min of no elements", "at least one element");
}

#[test]
fn plans_for_a_profile_need_no_driver() {
    let output = output(wavelane(&["explain", "reduce", "--dtype", "f32", "--n", "1000000", "--profile", "mali-g610"]));
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    for part in ["reduce ", "path ", "because ", "workgroup ", "dispatches ", "barriers ", "scratch ", "bytes moved "] {
        assert!(text.lines().any(|line| line.trim_start().starts_with(part)), "{part} is not in\n{text}");
    }
}

#[test]
fn help_and_version() {
    for arguments in [&["--help"][..], &["--version"], &["run", "reduce", "--help"], &["help", "selftest"]] {
        let output = output(wavelane(arguments));
        assert_eq!(output.status.code(), Some(0));
        assert!(!output.stdout.is_empty() && output.stderr.is_empty());
    }
}

#[test]
fn a_reader_that_has_gone_is_no_failure() {
    let mut command = wavelane(&["explain", "reduce", "--dtype", "f32", "--n", "1000000", "--profile", "minimal"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn elements_by_index() {
    let array = npy("taken.npy", "<f4", "(3,)", &[0; 12]);
    let beyond = npy("beyond.npy", "<i8", "(2,)", &[[0; 8], (-4i64).to_le_bytes()].concat());
    let floats = npy("index-floats.npy", "<f8", "(1,)", &[0; 8]);
    let take = |indices: &Path| {
        let mut command = wavelane(&["run", "take", "--indices"]);
        command.arg(indices).arg(&array);
        command
    };
    let what = format!("--indices {}: index -4 (at 1) is out of range for 3 elements", beyond.display());
    assert_fails(take(&beyond), 1, &what, "use 0 to 2, or -3 to -1");
    assert_mentions(take(&floats), 1, "index-floats.npy holds f64, and indices are integers", "array.astype");
    let empty = npy("taken-empty.npy", "<f4", "(0,)", &[]);
    let mut nothing = wavelane(&["run", "take", "--indices"]);
    nothing.arg(&beyond).arg(&empty);
    assert_mentions(nothing, 1, "index 0 (at 0) is out of range for 0 elements", "give no indices");
    let mut along = take(&beyond);
    along.args(["--axis", "1"]);
    assert_mentions(along, 1, "--axis 1 is out of range", "--axis 0");
    let mut put = wavelane(&["run", "put", "--indices"]);
    put.arg(&beyond).arg("--values").arg(&array).arg(&array);
    assert_mentions(put, 1, "index -4 (at 1)", "use 0 to 2");
    let truth = npy("put-truth.npy", "|b1", "(1,)", &[1]);
    let mut put = wavelane(&["run", "put", "--indices"]);
    put.arg(&beyond).arg("--values").arg(&truth).arg(&array);
    assert_mentions(put, 1, &format!("--values {} holds bool, and the array f32", truth.display()), "array.astype");
}

#[test]
fn values_that_a_type_does_not_hold() {
    let fill = |value| wavelane(&["run", "fill", "--dtype", "u8", "--shape", "3", "--value", value]);
    assert_fails(fill("256"), 2, "--value 256 is no u8 value", "give an integer from 0 to 255, or another type of elements");
    let mut iota = wavelane(&["run", "iota", "--dtype", "f32", "--n", "3", "--step"]);
    iota.arg("much");
    assert_mentions(iota, 2, "--step much is no number", "such as 1.5");
}

#[test]
fn operators_of_elements() {
    let bytes = npy("bytes.npy", "|u1", "(3,)", &[0; 3]);
    let floats = npy("four.npy", "<f4", "(3,)", &[0; 12]);
    let transform = |op: &str, operands: &[&Path]| {
        let mut command = wavelane(&["run", "transform", op]);
        command.args(operands);
        command
    };
    assert_mentions(transform("add", &[&bytes]), 2, "add takes 2 operands, and was given 1", "two to binary ones");
    assert_mentions(transform("add", &[&bytes, &floats]), 1, "bytes.npy holds u8, ", "wavelane run convert");
    assert_mentions(transform("xor", &[&floats, &floats]), 1, "xor is not defined for f32", "wavelane run convert");
    assert_mentions(transform("median", &[&floats]), 2, "invalid value 'median'", "help");
}
