//! Histograms that cannot be, and what is no number of a bin.

use super::{assert_fails, assert_mentions, npy, wavelane};

fn run(arguments: &[&str], files: &[&std::path::Path]) -> std::process::Command {
    let mut command = wavelane(&[&["run"], arguments].concat());
    command.args(files);
    command
}

#[test]
fn bins_that_cannot_be() {
    let floats = npy("bins-of-floats.npy", "<f4", "(2,)", &[0; 8]);
    let histogram = |options: &[&str]| run(&[&["histogram"], options].concat(), &[&floats]);
    assert_fails(
        histogram(&["--bins", "0", "--range", "0", "1"]),
        2,
        "a histogram of 0 bins was asked for",
        "give at least one bin, or two edges",
    );
    assert_mentions(histogram(&["--bins", "3", "--range", "1", "0"]), 2, "1.0 to 0.0 is no range of f32", "the lesser one first");
    assert_mentions(histogram(&["--bins", "3", "--range", "nan", "0"]), 2, "NaN to 0.0 is no range of f32", "two finite numbers");
    assert_mentions(histogram(&["--bins", "100000", "--range", "1e6", "1000001"]), 1, "too narrow for f32", "use fewer bins");
    assert_mentions(histogram(&["--bins", "3"]), 2, "--range", "--help");
    assert_fails(histogram(&[]), 2, "no bins were given", "use --bins B --range LO HI, or --edges E.npy");
    let (channels, advice) =
        ("--channels 3 is out of range for an array of shape (2,)", "use 1 to 2, or leave --channels out to count all as one");
    assert_fails(histogram(&["--bins", "3", "--range", "0", "1", "--channels", "3"]), 1, channels, advice);
    let square = npy("edges-of-two-dimensions.npy", "<f4", "(1, 1)", &[0; 4]);
    assert_mentions(
        run(&["histogram", "--edges"], &[&square, &floats]),
        1,
        "edges-of-two-dimensions.npy holds f32 of shape (1, 1), and edges are numbers in one",
        "array.ravel",
    );
    assert_mentions(run(&["histogram", "--range", "0", "1", "--edges"], &[&square, &floats]), 2, "--range", "--help");
    let one = npy("one-edge.npy", "<f4", "(1,)", &[0; 4]);
    assert_mentions(
        run(&["histogram", "--edges"], &[&one, &floats]),
        1,
        "one-edge.npy holds 1 edge, and a bin lies between two",
        "one edge more",
    );
    let nan = npy("nan-edge.npy", "<f4", "(2,)", &[0, 0, 0, 0, 0, 0, 0xc0, 0x7f]);
    let what = "nan-edge.npy: edge 1 of the bins is NaN, and edges are numbers";
    assert_mentions(run(&["histogram", "--edges"], &[&nan, &floats]), 1, what, "ascending edges");
}

#[test]
fn ranges_beyond_the_type_and_bins_beyond_all() {
    let floats = npy("ranges-of-floats.npy", "<f4", "(2,)", &[0; 8]);
    let histogram = |options: &[&str]| run(&[&["histogram"], options].concat(), &[&floats]);
    let range = |low: &str, high: &str| histogram(&["--bins", "3", "--range", low, high]);
    assert_mentions(range("0", "1e39"), 1, "0.0 to 1e39 is no range of f32", "give numbers up to 3.4e38");
    assert_mentions(range("-1e+300", "-1e-05"), 1, "-1e300 to -1e-5 is no range of f32", "give numbers up to 3.4e38");
    assert_mentions(range("-inf", "1"), 2, "-inf to 1.0 is no range of f32", "two finite numbers");
    assert_mentions(range("--bins", "1"), 2, "'--bins' for '--range <LO> <HI>': a number is needed", "--help");
    let many = histogram(&["--bins", "8589934592", "--range", "0", "1"]);
    assert_mentions(many, 2, "a histogram of more than 67108864 bins was asked for", "use fewer bins");
}

#[test]
fn values_that_ask_for_too_many_bins_are_named() {
    let far = npy("bincount-of-far-values.npy", "<i8", "(2,)", &[[0, 0, 0, 0, 0, 1, 0, 0], [0; 8]].concat());
    let what = format!("element 0 of {} is {}, and there is no room for as many bins", far.display(), 1u64 << 40);
    assert_mentions(run(&["bincount"], &[&far]), 1, &what, "wavelane run unique --counts");
    let near = npy("bincount-of-near-values.npy", "<i8", "(2,)", &[0; 16]);
    let least = (1u64 << 40).to_string();
    assert_mentions(run(&["bincount", "--minlength", &least], &[&near]), 2, "more than 4294967295 bins", "ask for fewer by --minlength");
}

#[test]
fn weights_that_do_not_fit() {
    let floats = npy("weighted-floats.npy", "<f4", "(2,)", &[0; 8]);
    let doubles = npy("weights-of-doubles.npy", "<f8", "(2,)", &[0; 16]);
    let one = npy("one-weight.npy", "<f4", "(1,)", &[0; 4]);
    let weighted = |weights| {
        let mut command = run(&["histogram", "--bins", "3", "--range", "0", "1", "--weights"], &[weights]);
        command.arg(&floats);
        command
    };
    assert_mentions(
        weighted(&doubles),
        1,
        "weights-of-doubles.npy holds f64, which is not summed; there are: u32, i32, f32",
        "wavelane run convert",
    );
    // Those of bincount become ones that are summed.
    let bins = npy("bins-of-doubles.npy", "<i4", "(2,)", &[0; 8]);
    assert_mentions(
        run(&["bincount", "--weights"], &[&doubles, &bins]),
        1,
        "weights-of-doubles.npy holds f64, which is not summed; there are: bool, u8, u16, i8, i16, f16, u32, i32, f32",
        "wavelane run convert",
    );
    let what = format!("--weights {} has the shape (1,), and the array (2,)", one.display());
    assert_fails(weighted(&one), 1, &what, "give one weight for each element");
}

#[test]
fn what_is_no_number_of_a_bin() {
    let floats = npy("bincount-of-floats.npy", "<f4", "(2,)", &[0; 8]);
    let square = npy("bincount-of-a-square.npy", "|u1", "(1, 2)", &[0; 2]);
    assert_mentions(run(&["bincount"], &[&floats]), 1, "bincount-of-floats.npy holds f32", "wavelane run convert");
    assert_mentions(run(&["bincount"], &[&square]), 1, "bincount-of-a-square.npy has the shape (1, 2)", "array.ravel");
    let negative = npy("bincount-negative.npy", "<i4", "(3,)", &[[1, 0, 0, 0], [0xfd, 0xff, 0xff, 0xff], [0xff; 4]].concat());
    assert_fails(
        run(&["bincount"], &[&negative]),
        1,
        &format!("element 1 of {} is -3, and there is no bin of a negative value", negative.display()),
        "leave such values out, or count them with wavelane run histogram --bins B --range LO HI",
    );
    assert_fails(
        wavelane(&["explain", "bincount", "--dtype", "f32", "--n", "5", "--bins", "3", "--profile", "minimal"]),
        2,
        "bins by value are of integers, and elements are f32",
        "give a range of even bins, or edges: histogram has --bins and --range, and --edges",
    );
}
