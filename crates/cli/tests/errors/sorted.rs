//! Arrays that are not what kernels on sorted ones take.

use super::{assert_fails, assert_mentions, npy, wavelane};

fn of_two(kernel: &str, first: &std::path::Path, second: &std::path::Path) -> std::process::Command {
    let mut command = wavelane(&["run", kernel]);
    command.arg(first).arg(second);
    command
}

#[test]
fn searches_of_what_does_not_fit() {
    let array = npy("search-array.npy", "<f4", "(2,)", &[0; 8]);
    let square = npy("search-square.npy", "<f4", "(1, 1)", &[0; 4]);
    let bytes = npy("search-bytes.npy", "|u1", "(3,)", &[0; 3]);
    assert_fails(
        of_two("searchsorted", &array, &bytes),
        1,
        "values of type u8 do not fit an array of f32",
        "convert one of them: `wavelane run convert INPUT.npy --dtype TYPE -o OUT.npy`",
    );
    assert_fails(
        of_two("searchsorted", &square, &array),
        1,
        "a sorted array has one dimension, and this one of shape (1, 1) has 2",
        "flatten and sort it: `wavelane run sort INPUT.npy --axis none -o OUT.npy`",
    );
    assert_mentions(wavelane(&["run", "searchsorted", "a.npy"]), 2, "V.npy", "--help");
    let mut middle = of_two("searchsorted", &array, &array);
    middle.args(["--side", "middle"]);
    assert_mentions(middle, 2, "middle", "--help");
}

#[test]
fn plans_of_searches_need_no_driver() {
    let arguments =
        ["explain", "searchsorted", "--dtype", "f16", "--n", "3000", "--values", "70", "--side", "right", "--profile", "mali-g610"];
    let output = super::output(wavelane(&arguments));
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("positions of [70] f16 among 3000 sorted ones, behind equal ones"), "{text}");
}

#[test]
fn merges_of_what_does_not_fit() {
    let array = npy("merge-array.npy", "<f4", "(2,)", &[0; 8]);
    let one = npy("merge-one.npy", "<f4", "(1,)", &[0; 4]);
    let bytes = npy("merge-bytes.npy", "|u1", "(2,)", &[0; 2]);
    let convert = "convert one of them: `wavelane run convert INPUT.npy --dtype TYPE -o OUT.npy`";
    assert_fails(of_two("merge", &array, &bytes), 1, "elements of type u8 do not fit an array of f32", convert);
    let with = |first: &std::path::Path, second: &std::path::Path| {
        let mut command = of_two("merge", &array, &array);
        command.arg("--values").arg(first).arg("--second-values").arg(second).args(["--out-values", "w.npy"]);
        command
    };
    assert_fails(with(&array, &bytes), 1, "second values of type u8 do not fit values of f32", convert);
    let shape = format!("--second-values {} has the shape (1,), and the array (2,)", one.display());
    assert_fails(with(&array, &one), 1, &shape, "give one value for each element");
    let mut alone = of_two("merge", &array, &array);
    alone.arg("--values").arg(&array);
    assert_mentions(alone, 2, "--second-values", "--help");
}

#[test]
fn plans_of_merges_need_no_driver() {
    let arguments = ["explain", "merge", "--dtype", "f16", "--n", "3000", "--second", "70", "--values", "u8", "--profile", "mali-g610"];
    let output = super::output(wavelane(&arguments));
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("keys with values of u32 of 3000 and 70 f16"), "{text}");
}

#[test]
fn sets_of_two_types() {
    let array = npy("sets-array.npy", "<f4", "(2,)", &[0; 8]);
    let bytes = npy("sets-bytes.npy", "|u1", "(2,)", &[0; 2]);
    let convert = "convert one of them: `wavelane run convert INPUT.npy --dtype TYPE -o OUT.npy`";
    for kernel in ["union1d", "intersect1d", "setdiff1d", "setxor1d"] {
        assert_fails(of_two(kernel, &array, &bytes), 1, "elements of type u8 do not fit an array of f32", convert);
        let arguments = ["explain", kernel, "--dtype", "u16", "--n", "3000", "--second", "70", "--profile", "minimal"];
        let output = super::output(wavelane(&arguments));
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(text.contains("of 3000 and 70 u16"), "{text}");
    }
}
