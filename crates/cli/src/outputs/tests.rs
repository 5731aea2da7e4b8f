use std::path::PathBuf;

use super::*;
use crate::npy::Kind;

/// An empty folder of a test's own.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("wavelane-outputs-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn bytes(values: &[u8]) -> Array {
    Array { kind: Kind::U8, shape: vec![values.len()], bytes: values.to_vec() }
}

/// The names in a folder, so that none is left over.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn all_or_none() {
    let folder = folder("all-or-none");
    let [first, second, third] = ["first.npy", "second.npy", "third"].map(|name| folder.join(name));
    fs::write(&first, "old").unwrap();
    fs::create_dir_all(&third).unwrap();
    let (one, two) = (bytes(&[1]), bytes(&[2, 3]));
    let failure = write_files(&[(&first, &one), (&second, &two), (&third, &one)]).unwrap_err();
    assert_eq!(failure.what, format!("cannot write {}: is a directory", third.display()));
    assert_eq!((fs::read(&first).unwrap(), names(&folder)), (b"old".to_vec(), vec!["first.npy".to_owned(), "third".to_owned()]));
    write_files(&[(&first, &one), (&second, &two)]).unwrap();
    assert_eq!((npy::read(&first).unwrap(), npy::read(&second).unwrap()), (one, two));
    assert_eq!(names(&folder), ["first.npy", "second.npy", "third"]);
    fs::remove_dir_all(folder).unwrap();
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder("links");
    let [file, link, new, dangling] = ["file.npy", "link.npy", "new.npy", "dangling.npy"].map(|name| folder.join(name));
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("file.npy", &link).unwrap();
    symlink("new.npy", &dangling).unwrap();
    write_files(&[(&link, &bytes(&[7])), (&dangling, &bytes(&[8]))]).unwrap();
    assert_eq!((npy::read(&file).unwrap().bytes, npy::read(&new).unwrap().bytes), (vec![7], vec![8]));
    assert!(link.is_symlink() && dangling.is_symlink());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(names(&folder).len(), 4);
    fs::remove_dir_all(folder).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn devices_are_written_to() {
    let folder = folder("devices");
    let first = folder.join("first.npy");
    write_files(&[(Path::new("/dev/null"), &bytes(&[1]))]).unwrap();
    assert!(!Path::new("/dev/null").is_file());
    let failure = write_files(&[(Path::new("/dev/full"), &bytes(&[1])), (&first, &bytes(&[1]))]).unwrap_err();
    assert_eq!(failure.what, "cannot write /dev/full: no space left on device");
    assert!(names(&folder).is_empty());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn names_that_no_file_has() {
    for (path, reason) in [("", "no such file or directory"), ("/nonexistent/x.npy", "no such file or directory"), ("/tmp/x.npy/", "")] {
        let failure = write_files(&[(Path::new(path), &bytes(&[1]))]).unwrap_err();
        assert!(failure.what.starts_with(&format!("cannot write {path}: {reason}")), "{failure}");
    }
    // As long as names can be.
    let folder = folder("long");
    let long = folder.join("x".repeat(255));
    write_files(&[(&long, &bytes(&[1]))]).unwrap();
    assert_eq!(names(&folder).len(), 1);
    fs::remove_dir_all(folder).unwrap();
}
