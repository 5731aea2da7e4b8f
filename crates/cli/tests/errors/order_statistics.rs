//! Places and quantiles that there are none of.

use super::{assert_fails, assert_mentions, npy, wavelane};

fn run(kernel: &str, arguments: &[&str], file: &std::path::Path) -> std::process::Command {
    let mut command = wavelane(&["run", kernel]);
    command.args(arguments).arg(file);
    command
}

#[test]
fn places_that_there_are_none_of() {
    let six = npy("nth-six.npy", "<f4", "(2, 3)", &[0; 24]);
    for k in ["3", "-4", "9223372036854775807", "-9223372036854775808"] {
        assert_fails(run("nth", &["--k", k], &six), 1, &format!("--k {k} is no place of rows of 3"), "use 0 to 2, or -3 to -1");
    }
    let none = npy("nth-none.npy", "<f4", "(2, 0)", &[]);
    assert_fails(run("nth", &["--k", "0"], &none), 1, "--k 0 is no place of rows of 0", "give rows with elements");
    let words = "invalid value '1.5' for '--k <K>': a whole number is needed, as in 0 for the first place or -1 for the last";
    assert_mentions(run("nth", &["--k", "1.5"], &six), 2, words, "--help");
    assert_mentions(run("nth", &["--k", "0", "--axis", "0"], &six), 1, "--axis 0 is not the last axis", "--axis none");
}

#[test]
fn partitions_around_no_place() {
    let six = npy("partition-six.npy", "<f4", "(2, 3)", &[0; 24]);
    for k in ["3", "-4"] {
        assert_fails(run("partition", &["--k", k], &six), 1, &format!("--k {k} is no place of rows of 3"), "use 0 to 2, or -3 to -1");
    }
    assert_mentions(run("partition", &[], &six), 2, "--where <lt|le|gt|ge|eq|ne> <VALUE>|--mask <M.npy>|--k <K>", "--help");
    assert_mentions(run("partition", &["--k", "1", "--where", "lt", "3"], &six), 2, "cannot be used with '--where", "--help");
    assert_mentions(run("partition", &["--k", "1", "--rows"], &six), 2, "cannot be used with '--rows'", "--help");
    assert_mentions(run("partition", &["--where", "lt", "3", "--axis", "1"], &six), 2, "cannot be used with '--axis", "--help");
    assert_mentions(
        run("partition", &["--where", "lt", "3", "--out-indices", "x.npy"], &six),
        2,
        "cannot be used with '--out-indices",
        "--help",
    );
    let offsets = run("partition", &["--k", "1", "--out-offsets", "x.npy"], &six);
    assert_mentions(offsets, 2, "--out-offsets has no effect with --k", "leave it out");
    assert_mentions(run("partition", &["--k", "1", "--axis", "0"], &six), 1, "--axis 0 is not the last axis", "--axis none");
    let rows = ["explain", "partition", "--dtype", "f32", "--n", "10", "--row-length", "4", "--k", "1"];
    assert_mentions(wavelane(&rows), 2, "rows of 4 elements were asked for in an array of 10", "pad the array");
}

#[test]
fn quantiles_that_there_are_none_of() {
    let six = npy("quantile-six.npy", "<f4", "(2, 3)", &[0; 24]);
    assert_fails(run("quantile", &["--q", "0.5,1.5"], &six), 2, "quantile 1.5 was asked for", "give a number from 0 to 1");
    assert_fails(run("quantile", &["--q", "-0.5"], &six), 2, "quantile -0.5 was asked for", "give a number from 0 to 1");
    assert_mentions(run("quantile", &[], &six), 2, "--q", "--help");
    let words = "a number from 0 to 1 is needed for each quantile, with commas between them, as in 0.25,0.5";
    assert_mentions(run("quantile", &["--q", "0.5,"], &six), 2, &format!("invalid value '' for '--q <Q,…>': {words}"), "--help");
    assert_mentions(run("quantile", &["--q", "half"], &six), 2, &format!("invalid value 'half' for '--q <Q,…>': {words}"), "--help");
    assert_fails(run("quantile", &["--q", "-1e+3"], &six), 2, "quantile -1000 was asked for", "give a number from 0 to 1");
    let advice = "transpose the array, or leave --axis out to take the whole array";
    assert_mentions(run("median", &["--axis", "0"], &six), 1, "--axis 0 is not the last axis", advice);
    let advice = "put commas and no spaces between several numbers: --q 0.5,0.6";
    assert_fails(run("quantile", &["--q", "0.5", "0.6"], &six), 2, "--q was given 0.5, and 0.6 apart from it", advice);
    assert_fails(run("quantile", &["--q", "0.5,", "0.6"], &six), 2, "--q was given 0.5, and 0.6 apart from it", advice);
    let none = npy("quantile-none.npy", "<f4", "(0,)", &[]);
    let what = "a quantile was asked for of rows without keys";
    assert_fails(run("quantile", &["--q", "0.5"], &none), 1, what, "give at least one key for each row");
    let truth = npy("quantile-truth.npy", "|b1", "(2,)", &[0, 1]);
    let what = "quantiles lie between numbers, and elements are bool";
    assert_fails(run("quantile", &["--q", "0.5"], &truth), 1, what, "convert them first: wavelane run convert");
}

#[test]
fn plans_need_no_driver() {
    for (kernel, options, words) in [
        ("nth", &["--k", "-1"][..], "the key at place 299999 of each row of [2, 300000] f16"),
        ("median", &["--axis", "1"], "the keys at 3 places of each row of [2, 300000] f16"),
        ("quantile", &["--q", "0.5,0.25"], "the keys at 5 places of [2, 300000] f16"),
    ] {
        let arguments = [&["explain", kernel, "--dtype", "f16", "--shape", "2,300000", "--profile", "mali-g610"], options].concat();
        let output = super::output(wavelane(&arguments));
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(text.contains(words), "{text}");
    }
}
