//! Axes, bits and values that an array does not have.

use super::{assert_fails, assert_mentions, npy, wavelane};

fn sort(kernel: &str, arguments: &[&str], file: &std::path::Path) -> std::process::Command {
    let mut command = wavelane(&["run", kernel]);
    command.args(arguments).arg(file);
    command
}

#[test]
fn axes_that_an_array_does_not_have() {
    let square = npy("sort-square.npy", "<f4", "(1, 1)", &[0; 4]);
    for kernel in ["sort", "argsort"] {
        for axis in ["2", "-3", "9223372036854775807"] {
            assert_fails(
                sort(kernel, &["--axis", axis], &square),
                1,
                &format!("--axis {axis} is out of range for an array of 2 dimensions"),
                "use 0 to 1, or -2 to -1, or leave it out to sort along the last axis",
            );
        }
        assert_mentions(sort(kernel, &["--axis", "all"], &square), 2, "an axis is a whole number, or none", "--help");
    }
}

#[test]
fn bits_that_elements_do_not_have() {
    let bytes = npy("sort-bytes.npy", "|u1", "(2,)", &[0; 2]);
    let advice = "give the first bit and the one behind the last, of the bits that a key has";
    // Those that no elements have are wrong usage.
    for (begin, end, code) in [("0", "9", 1), ("5", "4", 2), ("0", "65", 2)] {
        let what = format!("a sort by bits {begin} to {end} was asked for, and keys of u8 have 8");
        assert_fails(sort("sort", &["--bits", begin, end], &bytes), code, &what, advice);
        assert_fails(sort("argsort", &["--bits", begin, end], &bytes), code, &what, advice);
    }
    assert_mentions(sort("sort", &["--bits", "3"], &bytes), 2, "--bits", "--help");
}

/// Which file it is that has offsets of no segments.
#[test]
fn offsets_that_cannot_be() {
    let bytes = npy("sort-segmented.npy", "|u1", "(2, 2)", &[0; 4]);
    let advice = "give where each segment begins, ascending, and where the last one ends";
    let cases: [(&str, &[u8], &str); 3] = [
        ("(0,)", &[], " has no elements, and there is at least one offset"),
        ("(2,)", &[0, 5], ": offset 1 is 5, and the array has 4 elements"),
        ("(3,)", &[0, 3, 2], ": offset 2 is 2, and the one before it 3"),
    ];
    for (number, (shape, data, words)) in cases.into_iter().enumerate() {
        let offsets = npy(&format!("sort-offsets-{number}.npy"), "|u1", shape, data);
        let shown = offsets.to_string_lossy();
        for kernel in ["sort", "argsort"] {
            assert_fails(sort(kernel, &["--offsets", &shown], &bytes), 1, &format!("--offsets {shown}{words}"), advice);
        }
    }
}

#[test]
fn values_that_do_not_fit() {
    let keys = npy("sort-keys.npy", "<f4", "(2,)", &[0; 8]);
    let one = npy("sort-one-value.npy", "<f4", "(1,)", &[0; 4]);
    let one = one.to_string_lossy();
    assert_fails(
        sort("sort", &["--values", &one, "--out-values", "w.npy"], &keys),
        1,
        &format!("--values {one} has the shape (1,), and the array (2,)"),
        "give one value for each element",
    );
    assert_mentions(sort("sort", &["--values", &one], &keys), 2, "--out-values", "--help");
    assert_mentions(sort("sort", &["--out-values", "w.npy"], &keys), 2, "--values", "--help");
    assert_fails(
        sort("sort", &["--values", &one, "--out-values", "w.npy", "-o", "w.npy"], &keys),
        2,
        "two results would go to w.npy",
        "name another file for one of them",
    );
}

#[test]
fn plans_of_sorts_need_no_driver() {
    for (kernel, words) in [("sort", "keys of [2, 3000] f16 along axis 0"), ("argsort", "positions of keys of [2, 3000] f16 along axis 0")]
    {
        let arguments = ["explain", kernel, "--dtype", "f16", "--shape", "2,3000", "--axis", "0", "--profile", "mali-g610"];
        let output = super::output(wavelane(&arguments));
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(text.contains(words), "{text}");
    }
    let arguments = ["explain", "sort", "--dtype", "u32", "--n", "1000", "--values", "u8", "--json", "--profile", "minimal"];
    let output = super::output(wavelane(&arguments));
    assert!(String::from_utf8_lossy(&output.stdout).contains("keys with values of u32 of [1000] u32"));
}
