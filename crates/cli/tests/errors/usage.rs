//! Options that do not fit the kernel, the array, or each other.

use super::{assert_fails, assert_mentions, npy, wavelane};

const CONVERT: &str = "`wavelane run convert INPUT.npy --dtype TYPE -o OUT.npy`";

fn run(arguments: &[&str], files: &[&std::path::Path]) -> std::process::Command {
    let mut command = wavelane(&[&["run"], arguments].concat());
    command.args(files);
    command
}

/// Whatever the kernel, one text says that an operator does not take a type.
#[test]
fn operators_that_a_type_does_not_have() {
    let floats = npy("bits-of-floats.npy", "<f4", "(2,)", &[0; 8]);
    let flags = npy("bits-of-flags.npy", "|b1", "(2,)", &[1, 0]);
    let what = "and is not defined for float32: it works on the bits of integers";
    let (first, any) = (format!("convert first: {CONVERT}"), format!("use any or all for truth, or convert first: {CONVERT}"));
    let flagged = |kernel| {
        let mut command = run(&[kernel, "--op", "and", "--flags"], &[&flags]);
        command.arg(&floats);
        command
    };
    assert_fails(run(&["reduce", "--op", "and"], &[&floats]), 2, what, &any);
    assert_fails(flagged("segreduce"), 2, what, &any);
    assert_fails(run(&["scan", "--op", "and"], &[&floats]), 2, what, &first);
    assert_fails(flagged("segscan"), 2, what, &first);
    let by_key = ["reducebykey", "--op", "and", "--out-keys", "k.npy", "--out-values", "v.npy"];
    assert_fails(run(&by_key, &[&flags, &floats]), 2, what, &first);
    assert_fails(run(&["transform", "and"], &[&floats, &floats]), 2, what, &first);
    assert_fails(run(&["transform", "neg"], &[&flags]), 2, "neg is not defined for bool", &first);

    for kernel in [
        &["reduce", "--op", "and"][..],
        &["scan", "--op", "and"],
        &["segreduce", "--op", "and", "--flags"],
        &["segscan", "--op", "and", "--flags"],
        &["reducebykey", "--op", "and", "--key", "u32"],
        &["transform", "and"],
    ] {
        let explain = [&["explain"], kernel, &["--dtype", "f32", "--n", "5", "--profile", "minimal"]].concat();
        assert_mentions(wavelane(&explain), 2, what, "convert first");
    }
    let explain = ["explain", "transform", "sqrt", "--dtype", "u8", "--n", "5", "--profile", "minimal"];
    assert_fails(wavelane(&explain), 2, "sqrt is not defined for uint8", &first);
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
fn wide_sums() {
    let floats = npy("wide-floats.npy", "<f4", "(2,)", &[0; 8]);
    let integers = npy("wide-integers.npy", "<i4", "(2,)", &[0; 8]);
    let advice = "leave --wide out, or convert with array.astype";
    let what = |of: &str| format!("--wide is for sums of integers of up to 32 bits, and this is {of}");
    for kernel in [&["reduce"][..], &["scan"], &["segreduce", "--length", "2"], &["segscan", "--length", "2"]] {
        assert_fails(run(&[kernel, &["--op", "sum", "--wide"]].concat(), &[&floats]), 2, &what("sum of f32"), advice);
        assert_fails(run(&[kernel, &["--op", "max", "--wide"]].concat(), &[&integers]), 2, &what("max of i32"), advice);
    }
    let explain = ["explain", "reducebykey", "--op", "max", "--wide", "--key", "u32", "--dtype", "i32", "--n", "5"];
    assert_fails(wavelane(&explain), 2, &what("max of i32"), advice);
}

/// What leaving the axis out does depends on the kernel.
#[test]
fn axes_of_each_kernel() {
    let square = npy("axes.npy", "<f4", "(1, 1)", &[0; 4]);
    let index = npy("axes-index.npy", "<i8", "(1,)", &[0; 8]);
    let what = "--axis 2 is out of range for an array of 2 dimensions";
    let advice = |whole: &str| format!("use 0 to 1, or -2 to -1, or leave it out to {whole}");
    assert_fails(run(&["reduce", "--op", "sum", "--axis", "2"], &[&square]), 2, what, &advice("reduce the whole array"));
    assert_fails(run(&["scan", "--op", "sum", "--axis", "2"], &[&square]), 2, what, &advice("scan the whole array as one"));
    let mut take = run(&["take", "--axis", "2", "--indices"], &[&index]);
    take.arg(&square);
    assert_fails(take, 2, what, &advice("take from the whole array as one"));
    let explain = ["explain", "scan", "--op", "sum", "--dtype", "f32", "--shape", "2,3", "--axis", "2"];
    assert_fails(wavelane(&explain), 2, what, &advice("scan the whole array as one"));
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

/// Nothing that is asked for is passed over in silence.
#[test]
fn options_that_would_have_no_effect() {
    let square = npy("no-effect.npy", "<f4", "(2, 2)", &[0; 16]);
    let lengths = npy("no-effect-lengths.npy", "<u4", "(4,)", &[0; 16]);
    let mut encode = run(&["rle", "--lengths"], &[&lengths]);
    encode.arg(&square);
    assert_fails(
        encode,
        2,
        "--lengths has no effect without --decode",
        "use --decode VALUES.npy --lengths L.npy to write runs out, or --out-lengths L.npy to encode",
    );
    let mut decode = run(&["rle", "--decode"], &[&square]);
    decode.arg("--lengths").arg(&lengths).args(["--out-lengths", "l.npy"]);
    assert_mentions(decode, 2, "cannot be used with", "Usage");

    let (what, advice) =
        ("--strategy has no effect along an axis that is not the last", "leave --strategy out: there is one way along other axes");
    assert_fails(run(&["scan", "--op", "sum", "--axis", "0", "--strategy", "single-pass"], &[&square]), 2, what, advice);
    let explain =
        ["explain", "scan", "--op", "sum", "--dtype", "u32", "--shape", "2,2", "--profile", "minimal", "--strategy", "one-workgroup"];
    assert_fails(wavelane(&[&explain[..], &["--axis", "-2"]].concat()), 2, what, advice);
    assert!(super::output(wavelane(&[&explain[..], &["--axis", "1"]].concat())).status.success());

    let transform = ["explain", "transform", "neg", "--dtype", "f32", "--n", "4", "--with", "4"];
    assert_fails(wavelane(&transform), 2, "--with has no effect: neg takes 1 operand", "leave --with out, or choose an operator of two");
    let nonzero = ["explain", "nonzero", "--dtype", "f32", "--n", "4", "--mask"];
    assert_mentions(wavelane(&nonzero), 2, "unexpected argument '--mask'", "--help");
}

/// Segments of nothing, and offsets that are no line of numbers.
#[test]
fn segments_that_cannot_be() {
    let bytes = npy("segmented.npy", "|u1", "(4,)", &[1, 2, 3, 4]);
    for kernel in ["segreduce", "segscan"] {
        let length = |text| run(&[kernel, "--op", "sum", "--length", text], &[&bytes]);
        assert_mentions(length("0"), 2, "invalid value '0' for '--length <N>'", "help");
        assert_mentions(length("-1"), 2, "invalid value '-1' for '--length <N>'", "help");
        let square = npy("square-offsets.npy", "<u4", "(1, 2)", &[0, 0, 0, 0, 4, 0, 0, 0]);
        assert_mentions(run(&[kernel, "--op", "sum", "--offsets"], &[&square, &bytes]), 1, "has 2 dimensions", "ravel");
    }
}

/// Truth values begin with truth values.
#[test]
fn initial_values_of_truth_values() {
    let flags = npy("scanned-flags.npy", "|b1", "(2,)", &[1, 1]);
    let scan = |text| run(&["scan", "--op", "and", "--initial", text], &[&flags]);
    assert_mentions(scan("2"), 2, "--initial 2 is no bool value", "true or false");
    let small = npy("scanned-bytes.npy", "|u1", "(1,)", &[1]);
    assert_mentions(run(&["scan", "--op", "sum", "--initial", "256"], &[&small]), 2, "--initial 256 is no u8 value", "from 0 to 255");
}

#[test]
fn rows_are_of_arrays_with_two_axes() {
    let (flat, deep) = (npy("flat-rows.npy", "<u4", "(4,)", &[0; 16]), npy("deep-rows.npy", "<u4", "(2, 2)", &[0; 16]));
    let what = "--rows takes an array of 2 dimensions or more, and this one has the shape (4,)";
    assert_mentions(run(&["select", "--where", "lt", "1", "--rows"], &[&flat]), 2, what, "a.reshape(rows, -1)");
    assert_mentions(run(&["partition", "--where", "lt", "1", "--rows"], &[&flat]), 2, what, "leave --rows out");
    let offsets = run(&["select", "--where", "lt", "1", "--out-offsets", "o.npy"], &[&deep]);
    assert_mentions(offsets, 2, "--rows", "--help");
    let twice = run(&["rle", "--rows", "--out-offsets", "o.npy", "-o", "o.npy"], &[&deep]);
    assert_mentions(twice, 2, "two results would go to o.npy", "name another file");
    let decode = ["rle", "--decode", "v.npy", "--lengths", "l.npy", "--rows"];
    assert_mentions(run(&decode, &[]), 2, "--rows has no effect with --decode", "leave it out");
    let explain = ["explain", "select", "--dtype", "u32", "--n", "100", "--row-length", "7", "--profile", "minimal"];
    let what = "rows of 7 elements were asked for in an array of 100, which is no whole number of them";
    assert_mentions(wavelane(&explain), 1, what, "the length of the array's last axis");
}
