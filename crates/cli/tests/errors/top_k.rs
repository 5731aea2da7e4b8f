//! More elements than there are, and axes that are not the last.

use super::{assert_fails, assert_mentions, npy, wavelane};

fn top_k(arguments: &[&str], file: &std::path::Path) -> std::process::Command {
    let mut command = wavelane(&["run", "topk"]);
    command.args(arguments).arg(file);
    command
}

#[test]
fn more_than_there_are() {
    let six = npy("topk-six.npy", "<f4", "(2, 3)", &[0; 24]);
    assert_fails(top_k(&["--k", "4"], &six), 1, "the first 4 keys were asked for of rows of 3", "ask for 3 at most");
    let most = u64::MAX.to_string();
    let what = format!("the first {most} keys were asked for of rows of 6");
    assert_fails(top_k(&["--k", &most, "--axis", "none"], &six), 1, &what, "ask for 6 at most");
    let words = "invalid value '-1' for '--k <K>': a whole number from 0 to 18446744073709551615 is needed";
    assert_mentions(top_k(&["--k", "-1"], &six), 2, words, "--help");
    assert_mentions(top_k(&[], &six), 2, "--k", "--help");
}

#[test]
fn axes_that_rows_are_not_along() {
    let six = npy("topk-axes.npy", "<f4", "(2, 3)", &[0; 24]);
    assert_fails(
        top_k(&["--k", "1", "--axis", "0"], &six),
        1,
        "--axis 0 is not the last axis of an array of 2 dimensions, and rows are along that",
        "transpose the array, leave --axis out to take rows along the last axis, or take the whole array by --axis none",
    );
    assert_mentions(top_k(&["--k", "1", "--axis", "2"], &six), 1, "--axis 2 is out of range", "axis");
    assert_fails(
        top_k(&["--k", "1", "-o", "x.npy", "--out-indices", "x.npy"], &six),
        2,
        "two results would go to x.npy",
        "name another file for one of them",
    );
}

#[test]
fn plans_need_no_driver() {
    let arguments = ["explain", "topk", "--dtype", "f16", "--shape", "2,300000", "--k", "5", "--smallest", "--profile", "mali-g610"];
    let output = super::output(wavelane(&arguments));
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("5 smallest keys with positions of each row of [2, 300000] f16"), "{text}");
}
