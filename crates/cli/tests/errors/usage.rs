//! Options that do not fit the kernel, the array, or each other.

use super::{assert_fails, assert_mentions, npy, wavelane};

fn run(arguments: &[&str], files: &[&std::path::Path]) -> std::process::Command {
    let mut command = wavelane(&[&["run"], arguments].concat());
    command.args(files);
    command
}

#[test]
fn operators_that_there_are_by_key() {
    let keys = npy("keys.npy", "<u4", "(1,)", &[0; 4]);
    let by_key = ["reducebykey", "--op", "mean", "--out-keys", "k.npy", "--out-values", "v.npy"];
    let what = "invalid value 'mean' for '--op <OP>' [possible values: sum, prod, min, max, and, or, xor]";
    assert_mentions(run(&by_key, &[&keys, &keys]), 2, what, "--help");
    assert_mentions(wavelane(&["explain", "reducebykey", "--op", "mean", "--key", "u32", "--dtype", "f32", "--n", "5"]), 2, what, "--help");
}

#[test]
fn masks_of_another_shape() {
    let array = npy("masked.npy", "<f4", "(2, 3)", &[0; 24]);
    let turned = npy("turned-mask.npy", "|b1", "(3, 2)", &[1; 6]);
    let short = npy("short-mask.npy", "|b1", "(5,)", &[1; 5]);
    for kernel in ["select", "partition"] {
        let masked = |mask| {
            let mut command = run(&[kernel, "--mask"], &[mask]);
            command.arg(&array);
            command
        };
        assert_fails(
            masked(&turned),
            1,
            "the mask has the shape (3, 2), and the array (2, 3)",
            "give a mask of the array's shape, or a flat one: mask.reshape(a.shape), or mask.ravel()",
        );
        assert_fails(masked(&short), 1, "the mask has 5 entries, and the array 6 elements", "give one entry for each element");
    }
}
