//! The files of a call: which paths lead to one file, and which results would overwrite what is read.

use std::fs;
use std::path::{Path, PathBuf};

use crate::report::Failure;
use crate::run::session;

/// A file, by the option or the words that name it in messages; none if the option is left out.
pub type Named<'a> = (&'a str, Option<&'a PathBuf>);

/// Refuses results that would overwrite each other or an input.
///
/// The first input is what the kernel works on. That `-o` names it too is meant: the result takes its place.
pub fn check(inputs: &[Named], outputs: &[Named]) -> Result<(), Failure> {
    session::distinct(outputs.iter().map(|&(_, path)| path))?;
    for &(output, to) in outputs {
        let Some(to) = to else { continue };
        let read = |input: &Named| input.1.is_some_and(|from| is_overwritten(from) && are_one(from, to));
        if output == "-o" && inputs.first().is_some_and(read) {
            continue;
        }
        if let Some(&(input, Some(from))) = inputs.iter().find(|input| read(input)) {
            return Err(Failure::usage(
                format!("{output} {} would overwrite {input} {}, which is read", to.display(), from.display()),
                "name another file for the result".to_owned(),
            ));
        }
    }
    Ok(())
}

/// Whether there is something to lose: terminals and pipes are read and written without overwriting anything.
fn is_overwritten(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |found| found.is_file())
}

/// Whether two paths lead to one file, there already or not.
pub fn are_one(a: &Path, b: &Path) -> bool {
    a == b || place(a) == place(b) || are_one_node(a, b)
}

/// Whether they are hard links to one file.
#[cfg(unix)]
fn are_one_node(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let node = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    node(a).is_some_and(|node_of_a| node(b) == Some(node_of_a))
}

#[cfg(not(unix))]
fn are_one_node(_: &Path, _: &Path) -> bool {
    false
}

/// Where a file is, or will be once it is written: links followed, also those whose target is not there yet.
pub fn place(path: &Path) -> PathBuf {
    if let Ok(found) = fs::canonicalize(path) {
        return found;
    }
    let mut end = path.to_owned();
    // As many links as Linux follows.
    for _ in 0..40 {
        let Ok(target) = fs::read_link(&end) else { break };
        end = end.parent().unwrap_or(Path::new("")).join(target);
    }
    let (Some(folder), Some(name)) = (end.parent(), end.file_name()) else { return end };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    match fs::canonicalize(folder) {
        Ok(folder) => folder.join(name),
        Err(_) => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_what_is_not_there() {
        for (a, b, one) in [
            ("not-there.npy", "./not-there.npy", true),
            ("src/../not-there.npy", "not-there.npy", true),
            ("not-there.npy", "src/not-there.npy", false),
            ("no-folder/x.npy", "no-folder/x.npy", true),
            ("no-folder/x.npy", "./no-folder/y.npy", false),
        ] {
            assert_eq!(are_one(Path::new(a), Path::new(b)), one, "{a} and {b}");
        }
    }

    #[test]
    fn the_result_may_take_the_place_of_the_first_input_alone() {
        let [a, m] = ["a.npy", "m.npy"].map(PathBuf::from);
        let check = |output, path| check(&[("the input", Some(&a)), ("--mask", Some(&m))], &[(output, Some(path))]);
        assert!(check("-o", &a).is_ok());
        assert_eq!(check("-o", &m).unwrap_err().what, "-o m.npy would overwrite --mask m.npy, which is read");
        assert_eq!(check("--out-offsets", &a).unwrap_err().what, "--out-offsets a.npy would overwrite the input a.npy, which is read");
        assert!(check("--out-offsets", &PathBuf::from("b.npy")).is_ok());
    }
}
