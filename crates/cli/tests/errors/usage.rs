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
    let what = "and is not defined for f32: it works on the bits of integers";
    let (first, any) = (format!("convert first: {CONVERT}"), format!("use any or all for truth, or convert first: {CONVERT}"));
    let flagged = |kernel| {
        let mut command = run(&[kernel, "--op", "and", "--flags"], &[&flags]);
        command.arg(&floats);
        command
    };
    assert_fails(run(&["reduce", "--op", "and"], &[&floats]), 1, what, &any);
    assert_fails(flagged("segreduce"), 1, what, &any);
    assert_fails(run(&["scan", "--op", "and"], &[&floats]), 1, what, &first);
    assert_fails(flagged("segscan"), 1, what, &first);
    let by_key = ["reducebykey", "--op", "and", "--out-keys", "k.npy", "--out-values", "v.npy"];
    assert_fails(run(&by_key, &[&flags, &floats]), 1, what, &first);
    assert_fails(run(&["transform", "and"], &[&floats, &floats]), 1, what, &first);
    assert_fails(run(&["transform", "neg"], &[&flags]), 1, "neg is not defined for bool", &first);

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
    assert_fails(wavelane(&explain), 2, "sqrt is not defined for u8", &first);
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
    let advice = "leave --wide out, or convert with array.astype(…)";
    let what = |of: &str| format!("--wide is for sums of integers of up to 32 bits, and this is {of}");
    for kernel in [&["reduce"][..], &["scan"], &["segreduce", "--length", "2"], &["segscan", "--length", "2"]] {
        assert_fails(run(&[kernel, &["--op", "sum", "--wide"]].concat(), &[&floats]), 1, &what("sum of f32"), advice);
        assert_fails(run(&[kernel, &["--op", "max", "--wide"]].concat(), &[&integers]), 1, &what("max of i32"), advice);
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
    assert_fails(run(&["reduce", "--op", "sum", "--axis", "2"], &[&square]), 1, what, &advice("reduce the whole array"));
    assert_fails(run(&["scan", "--op", "sum", "--axis", "2"], &[&square]), 1, what, &advice("scan the whole array as one"));
    let mut take = run(&["take", "--axis", "2", "--indices"], &[&index]);
    take.arg(&square);
    assert_fails(take, 1, what, &advice("take from the whole array as one"));
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
            &format!("--mask {} has the shape (3, 2), and the array (2, 3)", turned.display()),
            "give a mask of the array's shape, or a flat one: mask.reshape(a.shape), or mask.ravel()",
        );
        let what = format!("--mask {} has 5 entries, and the array 6 elements", short.display());
        assert_fails(masked(&short), 1, &what, "give one entry for each element");
        let what = format!("--mask {} is of type f32", array.display());
        assert_fails(masked(&array), 1, &what, "use an array of truth values, such as a > 0");
    }
}

/// Nothing that is asked for is passed over in silence.
#[test]
fn options_that_would_have_no_effect() {
    let square = npy("no-effect.npy", "<f4", "(2, 2)", &[0; 16]);
    let lengths = npy("no-effect-lengths.npy", "<u4", "(4,)", &[0; 16]);
    let with_decode = "use --decode VALUES.npy --lengths L.npy to write runs out, or INPUT.npy --out-lengths L.npy to encode";
    let mut encode = run(&["rle", "--lengths"], &[&lengths]);
    encode.arg(&square);
    assert_fails(encode, 2, "--lengths has no effect without --decode", with_decode);
    assert_fails(run(&["rle", "--lengths"], &[&lengths]), 2, "--lengths has no effect without --decode", with_decode);
    assert_fails(run(&["rle", "--decode"], &[&square]), 2, "--decode needs --lengths", with_decode);
    assert_mentions(run(&["rle"], &[]), 2, "rle was given nothing to encode", "name a .npy file, or give --decode");
    let mut both = run(&["rle", "--decode"], &[&square]);
    both.arg("--lengths").arg(&lengths).arg(&square);
    assert_fails(both, 2, "--decode names the values of runs, and there is an input beside it", with_decode);
    let mut decode = run(&["rle", "--decode"], &[&square]);
    decode.arg("--lengths").arg(&lengths).args(["--out-lengths", "l.npy"]);
    assert_fails(decode, 2, "--out-lengths has no effect with --decode", with_decode);
    let usage = "Usage: wavelane run rle <INPUT.npy> [OPTIONS], or wavelane run rle --decode <VALUES.npy> --lengths <L.npy> [OPTIONS]";
    assert_mentions(run(&["rle", "--fast"], &[]), 2, "unexpected argument '--fast'", usage);

    let (what, advice) =
        ("--strategy has no effect along an axis that is not the last", "leave --strategy out: there is one way along other axes");
    assert_fails(run(&["scan", "--op", "sum", "--axis", "0", "--strategy", "single-pass"], &[&square]), 1, what, advice);
    let explain =
        ["explain", "scan", "--op", "sum", "--dtype", "u32", "--shape", "2,2", "--profile", "minimal", "--strategy", "one-workgroup"];
    assert_fails(wavelane(&[&explain[..], &["--axis", "-2"]].concat()), 2, what, advice);
    assert!(super::output(wavelane(&[&explain[..], &["--axis", "1"]].concat())).status.success());

    let transform = ["explain", "transform", "neg", "--dtype", "f32", "--n", "4", "--with", "4"];
    assert_fails(wavelane(&transform), 2, "--with has no effect: neg takes 1 operand", "leave --with out, or choose an operator of two");
    let nonzero = ["explain", "nonzero", "--dtype", "f32", "--n", "4", "--mask"];
    let elsewhere = "--mask is an option of: explain select, explain partition; Usage: wavelane explain nonzero";
    assert_mentions(wavelane(&nonzero), 2, "unexpected argument '--mask'", elsewhere);
}

/// Segments of nothing, and offsets that are no line of numbers.
#[test]
fn segments_that_cannot_be() {
    let bytes = npy("segmented.npy", "|u1", "(4,)", &[1, 2, 3, 4]);
    for kernel in ["segreduce", "segscan"] {
        let length = |text| run(&[kernel, "--op", "sum", "--length", text], &[&bytes]);
        for text in ["0", "-1"] {
            let what = format!("invalid value '{text}' for '--length <N>': a whole number from 1 to {} is needed", usize::MAX);
            assert_mentions(length(text), 2, &what, "help");
        }
        let square = npy("square-offsets.npy", "<u4", "(1, 2)", &[0, 0, 0, 0, 4, 0, 0, 0]);
        assert_mentions(
            run(&[kernel, "--op", "sum", "--offsets"], &[&square, &bytes]),
            1,
            "square-offsets.npy has the shape (1, 2), and one dimension is needed",
            "ravel",
        );
        let floats = npy("float-offsets.npy", "<f8", "(2,)", &[0; 16]);
        let what = format!("--offsets {} holds f64, and offsets are integers", floats.display());
        assert_fails(run(&[kernel, "--op", "sum", "--offsets"], &[&floats, &bytes]), 1, &what, "convert with array.astype(…)");
        let below = npy("offsets-below.npy", "<i4", "(2,)", &[0, 0, 0, 0, 255, 255, 255, 255]);
        let what = format!("--offsets {}: offset 1 is -1, which no element has", below.display());
        let advice = "offsets count from 0, up to the number of elements";
        assert_fails(run(&[kernel, "--op", "sum", "--offsets"], &[&below, &bytes]), 1, &what, advice);
        let short = npy("short-flags.npy", "|b1", "(3,)", &[1; 3]);
        let what = format!("--flags {} has 3 elements, and 4 are needed", short.display());
        assert_fails(run(&[kernel, "--op", "sum", "--flags"], &[&short, &bytes]), 1, &what, "give one for each element");
    }
    // What is no line of elements is named, and not taken for segments that it may not have.
    let square = npy("square-keys.npy", "<u4", "(2, 2)", &[0; 16]);
    let by_key = ["reducebykey", "--op", "sum", "--out-keys", "k.npy", "--out-values", "v.npy"];
    let what = |name: &str| format!("{name} {} has the shape (2, 2), and one dimension is needed", square.display());
    assert_fails(run(&by_key, &[&square, &bytes]), 1, &what("the keys"), "flatten it with array.ravel()");
    assert_fails(run(&by_key, &[&bytes, &square]), 1, &what("the values"), "flatten it with array.ravel()");
    assert_fails(run(&["segscan", "--op", "sum", "--length", "2"], &[&square]), 1, &what("the input"), "flatten it with array.ravel()");
}

/// Lengths of runs, and which file has those that are none.
#[test]
fn lengths_that_cannot_be() {
    let bytes = npy("decoded.npy", "|u1", "(2,)", &[1, 2]);
    let decode = |lengths: &std::path::Path| run(&["rle", "--decode"], &[&bytes, std::path::Path::new("--lengths"), lengths]);
    let advice = "lengths are integers from 0 to 4294967295";
    let floats = npy("float-lengths.npy", "<f8", "(2,)", &[0; 16]);
    assert_fails(decode(&floats), 1, &format!("--lengths {} is of type f64", floats.display()), advice);
    let below = npy("lengths-below.npy", "<i4", "(2,)", &[0, 0, 0, 0, 255, 255, 255, 255]);
    assert_fails(decode(&below), 1, &format!("--lengths {}: -1 is not the length of a run", below.display()), advice);
    let three = npy("three-lengths.npy", "|u1", "(3,)", &[1; 3]);
    let what = format!("--decode {} has 2 values, and --lengths {} 3 lengths", bytes.display(), three.display());
    assert_fails(decode(&three), 1, &what, "give one length for each value");
}

/// Truth values begin with truth values.
#[test]
fn initial_values_of_truth_values() {
    let flags = npy("scanned-flags.npy", "|b1", "(2,)", &[1, 1]);
    let scan = |text| run(&["scan", "--op", "and", "--initial", text], &[&flags]);
    assert_mentions(scan("2"), 1, "--initial 2 is no bool value", "true or false");
    assert_mentions(scan("much"), 2, "--initial much is no bool value", "true or false");
    let small = npy("scanned-bytes.npy", "|u1", "(1,)", &[1]);
    assert_mentions(run(&["scan", "--op", "sum", "--initial", "256"], &[&small]), 1, "--initial 256 is no u8 value", "from 0 to 255");
}

#[test]
fn rows_are_of_arrays_with_two_axes() {
    let (flat, deep) = (npy("flat-rows.npy", "<u4", "(4,)", &[0; 16]), npy("deep-rows.npy", "<u4", "(2, 2)", &[0; 16]));
    let what = "--rows takes an array of 2 dimensions or more, and this one has the shape (4,)";
    assert_mentions(run(&["select", "--where", "lt", "1", "--rows"], &[&flat]), 1, what, "a.reshape(rows, -1)");
    assert_mentions(run(&["partition", "--where", "lt", "1", "--rows"], &[&flat]), 1, what, "leave --rows out");
    let offsets = run(&["select", "--where", "lt", "1", "--out-offsets", "o.npy"], &[&deep]);
    assert_mentions(offsets, 2, "--rows", "--help");
    let twice = run(&["rle", "--rows", "--out-offsets", "o.npy", "-o", "o.npy"], &[&deep]);
    assert_mentions(twice, 2, "two results would go to o.npy", "name another file");
    let decode = ["rle", "--decode", "v.npy", "--lengths", "l.npy", "--rows"];
    assert_mentions(run(&decode, &[]), 2, "--rows has no effect with --decode", "leave it out");
    let explain = ["explain", "select", "--dtype", "u32", "--n", "100", "--row-length", "7", "--profile", "minimal"];
    let what = "rows of 7 elements were asked for in an array of 100, which is no whole number of them";
    assert_mentions(wavelane(&explain), 2, what, "the length of the array's last axis");
}

/// What is wrong by what a file holds is 1, and by what the command line alone says is 2: with no kernel, and with either of `run` and `explain`, otherwise.
#[test]
fn exit_codes_tell_files_from_the_command_line() {
    let floats = npy("codes.npy", "<f4", "(4,)", &[0; 16]);
    let cases: [(&[&str], &[&str], &str); 6] = [
        (&["scan", "--op", "sum", "--axis", "1"], &["scan", "--op", "sum", "--axis", "1"], "--axis 1 is out of range"),
        (&["reduce", "--op", "xor"], &["reduce", "--op", "xor"], "xor is not defined for f32"),
        (&["sort", "--axis", "1"], &["sort", "--axis", "1"], "--axis 1 is out of range"),
        (&["sort", "--bits", "0", "33"], &["argsort", "--bits", "0", "33"], "keys of f32 have 32"),
        (&["segscan", "--op", "sum", "--wide", "--length", "2"], &["segscan", "--op", "sum", "--wide", "--flags"], "--wide is for sums"),
        (&["select", "--where", "lt", "1", "--rows"], &["select", "--row-length", "3"], "rows"),
    ];
    for (in_run, in_explain, what) in cases {
        assert_mentions(run(in_run, &[&floats]), 1, what, "");
        let explain = [&["explain"], in_explain, &["--dtype", "f32", "--n", "4", "--profile", "minimal"]].concat();
        assert_mentions(wavelane(&explain), 2, what, "");
    }
    // The type of the elements decides whether they have a value, but not whether it is one.
    let bytes = npy("codes-of-bytes.npy", "|u1", "(4,)", &[0; 4]);
    assert_fails(
        run(&["select", "--where", "lt", "300"], &[&bytes]),
        1,
        "--where 300 is no u8 value",
        "give an integer from 0 to 255, or another type of elements",
    );
    assert_mentions(run(&["select", "--where", "lt", "much"], &[&bytes]), 2, "--where much is no u8 value", "from 0 to 255");
    assert_mentions(run(&["select", "--where", "like", "1"], &[&bytes]), 2, "there is no comparison 'like'", "lt, le");
}

/// What another kernel has is named; and nobody means a file of that name.
#[test]
fn options_and_words_of_other_kernels() {
    let array = npy("elsewhere.npy", "<u4", "(2, 2)", &[0; 16]);
    let rows = "help: --rows is an option of: run select, run partition, run rle, run histogram; Usage: ";
    for kernel in [&["nonzero"][..], &["unique", "--runs"], &["sort"]] {
        let output = super::output(run(&[kernel, &["--rows"]].concat(), &[&array]));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(rows) && !text.contains("-- --rows"), "{text}");
    }
    let mean = |kernel| run(&[kernel, "--op", "mean", "--length", "2"], &[&array]);
    assert_mentions(
        mean("segscan"),
        2,
        "invalid value 'mean' for '--op <OP>'",
        "help: --op mean is known to: run reduce, run segreduce; For",
    );
    let output = super::output(run(&["scan", "--op", "maen"], &[&array]));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("similar"), "all that there are is listed");
}

/// Numbers are refused with what is allowed, and a minus sign makes no option of them.
#[test]
fn numbers_out_of_range() {
    let array = npy("numbers.npy", "<u4", "(2, 2)", &[0; 16]);
    let count = "a whole number from 0 to 18446744073709551615 is needed";
    let axis = "a whole number is needed, as in 0 for the first axis or -1 for the last";
    let extents = format!("{count} for each extent, with commas between them, as in 2,3");
    let cases: [(&[&str], &str, &str); 18] = [
        (&["run", "iota", "--dtype", "u8", "--n", "-1"], "'-1' for '--n <N>'", count),
        (&["run", "iota", "--dtype", "u8", "--n", "many"], "'many' for '--n <N>'", count),
        (&["explain", "iota", "--dtype", "u8", "--n", "-1"], "'-1' for '--n <N>'", count),
        (&["explain", "reduce", "--dtype", "u8", "--n", "1e6"], "'1e6' for '--n <N>'", count),
        (&["explain", "select", "--dtype", "u8", "--n", "5", "--row-length", "-5"], "'-5' for '--row-length <N>'", count),
        (&["explain", "rle", "--dtype", "u8", "--n", "5", "--decode", "-5"], "'-5' for '--decode <RUNS>'", count),
        (&["explain", "segscan", "--op", "sum", "--dtype", "u8", "--n", "5", "--offsets", "-5"], "'-5' for '--offsets <COUNT>'", count),
        (&["run", "scan", "--op", "sum", "--axis", "x"], "'x' for '--axis <K>'", axis),
        (&["run", "reduce", "--op", "sum", "--axis", "1.5"], "'1.5' for '--axis <K>'", axis),
        (&["run", "take", "--indices", "i.npy", "--axis", ""], "'' for '--axis <K>'", axis),
        (&["run", "fill", "--dtype", "u8", "--value", "1", "--shape", "2,-3"], "'-3' for '--shape <N,N,…>'", &extents),
        (&["run", "fill", "--dtype", "u8", "--value", "1", "--shape", "-3,2"], "'-3' for '--shape <N,N,…>'", &extents),
        (&["run", "fill", "--dtype", "u8", "--value", "1", "--shape", ""], "'' for '--shape <N,N,…>'", &extents),
        (&["explain", "transform", "add", "--dtype", "u8", "--n", "3", "--with", "x"], "'x' for '--with <N,N,…>'", &extents),
        (&["run", "histogram", "--range", "0", "1", "--bins", "-2"], "'-2' for '--bins <B>'", count),
        (&["run", "histogram", "--bins", "2", "--range", "0", "much"], "'much' for '--range <LO> <HI>'", "a number is needed, as in 1.5"),
        (&["run", "bincount", "--minlength", "-2"], "'-2' for '--minlength <N>'", count),
        (&["run", "sort", "--bits", "-1", "4"], "'-1' for '--bits <B> <E>'", "a whole number from 0 to 4294967295 is needed"),
    ];
    for (arguments, given, allowed) in cases {
        let mut command = wavelane(arguments);
        if arguments[0] == "run" && !["iota", "fill"].contains(&arguments[1]) {
            command.arg(&array);
        }
        assert_mentions(command, 2, &format!("invalid value {given}: {allowed}"), "--help");
    }
}

/// The names that `--profile` takes are told by the help, and by the page of devices.
#[test]
fn profiles_are_listed() {
    let output = super::output(wavelane(&["info", "--help"]));
    let help: String = String::from_utf8_lossy(&output.stdout).split_whitespace().collect();
    let devices = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/devices.md")).expect("the page is there");
    for name in wavelane_device::Profile::names() {
        assert!(help.contains(&format!("{name},")), "{name} is not in {help}");
        assert!(devices.contains(&format!("| `{name}` |")), "{name} is not in docs/devices.md");
    }
}
