//! Results that would overwrite each other, or what is read. Said before anything is read or a device is looked for.

use std::path::{Path, PathBuf};

use super::{assert_fails, assert_mentions, npy, wavelane};

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A folder of a test's own, with an array of bytes named `a.npy` in it.
fn folder(name: &str) -> PathBuf {
    let array = npy(&format!("{name}.npy"), "|b1", "(2, 2)", &[1; 4]);
    let folder = array.with_extension("d");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    std::fs::rename(array, folder.join("a.npy")).expect("the file can be moved");
    folder
}

#[test]
fn two_results_in_one_file() {
    let folder = folder("two-results");
    let (a, there) = (text(&folder.join("a.npy")), text(&folder.join("there.npy")));
    std::fs::write(&there, "old").expect("the file can be written");
    let one = |first: &str, second: &str| {
        let what = format!("two results would go to {second}, which {first} is too");
        let mut command = wavelane(&["run", "select", &a, "--where", "lt", "3", "--rows", "-o", first, "--out-offsets", second]);
        command.current_dir(&folder);
        assert_fails(command, 2, &what, "name another file for one of them");
    };
    one("r.npy", "./r.npy");
    one("there.npy", &there);
    one("../two-results.d/r.npy", "r.npy");
    #[cfg(unix)]
    for (target, link) in [("there.npy", "link.npy"), ("new.npy", "dangling.npy")] {
        let link = folder.join(link);
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(target, &link).expect("the link can be made");
        one(target, &text(&link));
    }
    let hard = folder.join("hard.npy");
    let _ = std::fs::remove_file(&hard);
    std::fs::hard_link(&there, &hard).expect("the link can be made");
    if cfg!(unix) {
        one("there.npy", "hard.npy");
    }
    assert_eq!(std::fs::read(&there).expect("the file is there"), b"old");
}

/// Every kernel with more than an input and `-o`.
#[test]
fn results_in_place_of_what_is_read() {
    let folder = folder("read");
    let cases: [(&[&str], &str); 19] = [
        (&["select", "a.npy", "--mask", "m.npy", "-o", "m.npy"], "-o m.npy would overwrite --mask m.npy"),
        (
            &["select", "a.npy", "--mask", "m.npy", "--rows", "--out-offsets", "./a.npy"],
            "--out-offsets ./a.npy would overwrite the input a.npy",
        ),
        (
            &["partition", "a.npy", "--where", "lt", "1", "--rows", "--out-offsets", "a.npy", "-o", "w.npy"],
            "would overwrite the input a.npy",
        ),
        (&["unique", "a.npy", "--counts", "a.npy"], "--counts a.npy would overwrite the input a.npy"),
        (&["unique", "a.npy", "--index", "a.npy"], "--index a.npy would overwrite the input a.npy"),
        (&["unique", "a.npy", "--inverse", "a.npy"], "--inverse a.npy would overwrite the input a.npy"),
        (&["rle", "a.npy", "--out-lengths", "a.npy"], "--out-lengths a.npy would overwrite the input a.npy"),
        (&["rle", "--decode", "a.npy", "--lengths", "m.npy", "-o", "m.npy"], "-o m.npy would overwrite --lengths m.npy"),
        (&["segreduce", "a.npy", "--op", "sum", "--offsets", "m.npy", "-o", "m.npy"], "-o m.npy would overwrite --offsets m.npy"),
        (&["segscan", "a.npy", "--op", "sum", "--keys", "m.npy", "-o", "m.npy"], "-o m.npy would overwrite --keys m.npy"),
        (&["reducebykey", "a.npy", "m.npy", "--op", "sum", "--out-keys", "a.npy", "--out-values", "v"], "would overwrite the keys a.npy"),
        (&["reducebykey", "a.npy", "m.npy", "--op", "sum", "--out-keys", "k", "--out-values", "m.npy"], "would overwrite the values m.npy"),
        (&["histogram", "a.npy", "--edges", "m.npy", "-o", "m.npy"], "-o m.npy would overwrite --edges m.npy"),
        (&["bincount", "a.npy", "--weights", "m.npy", "-o", "m.npy"], "-o m.npy would overwrite --weights m.npy"),
        (&["sort", "a.npy", "--values", "m.npy", "--out-values", "m.npy"], "--out-values m.npy would overwrite --values m.npy"),
        (&["argsort", "a.npy", "--offsets", "m.npy", "-o", "m.npy"], "-o m.npy would overwrite --offsets m.npy"),
        (&["take", "a.npy", "--indices", "m.npy", "-o", "m.npy"], "-o m.npy would overwrite --indices m.npy"),
        (&["put", "a.npy", "--indices", "i.npy", "--values", "m.npy", "-o", "m.npy"], "-o m.npy would overwrite --values m.npy"),
        (&["transform", "add", "a.npy", "m.npy", "-o", "m.npy"], "-o m.npy would overwrite the second operand m.npy"),
    ];
    for (arguments, what) in cases {
        let mut command = wavelane(&[&["run"], arguments].concat());
        command.current_dir(&folder);
        assert_mentions(command, 2, what, "name another file for the result");
    }
    // That the result takes the input's place is meant, and only a driver is missing.
    for arguments in [&["nonzero", "a.npy", "-o", "a.npy"][..], &["transform", "and", "a.npy", "./a.npy", "-o", "a.npy"]] {
        let mut command = wavelane(&[&["run"], arguments].concat());
        command.current_dir(&folder);
        assert_mentions(command, 1, "no Vulkan driver was found", "");
    }
}
