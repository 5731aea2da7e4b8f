//! Results in files, of which all are written or none.

mod temporary;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;

use crate::npy::{self, Array};
use crate::report::{self, Failure};
use crate::{files, text};
use temporary::Temporary;

/// The results of a run, until all of them are there.
#[derive(Default)]
pub struct Outputs<'a> {
    files: Vec<(&'a Path, Array)>,
    shown: Vec<Array>,
}

impl<'a> Outputs<'a> {
    /// A result for a file, if one is named.
    pub fn file(&mut self, path: Option<&'a Path>, array: Array) {
        self.files.extend(path.map(|path| (path, array)));
    }

    /// A result for a file, or to be shown where none is named.
    pub fn file_or_text(&mut self, path: Option<&'a Path>, array: Array) {
        match path {
            Some(path) => self.files.push((path, array)),
            None => self.shown.push(array),
        }
    }

    /// Writes the files, and then shows what is to be shown: who reads that may take the files for written.
    pub fn write(self) -> Result<(), Failure> {
        write_files(&self.files.iter().map(|(path, array)| (*path, array)).collect::<Vec<_>>())?;
        self.shown.iter().try_for_each(|array| report::print(&text::of_array(array)))
    }
}

/// Writes `.npy` files. What fails leaves every file as it was.
pub fn write_files(results: &[(&Path, &Array)]) -> Result<(), Failure> {
    let unwritten = |path: &Path, error: &io::Error| {
        Failure::new(
            format!("cannot write {}: {}", path.display(), npy::reason(error)),
            "check that the folder exists, may be written to and has room".to_owned(),
        )
    };
    let mut targets = Vec::with_capacity(results.len());
    for (path, _) in results {
        targets.push(Target::of(path).map_err(|error| unwritten(path, &error))?);
    }
    // What cannot be undone comes last.
    for direct in [false, true] {
        for (target, (path, array)) in targets.iter_mut().zip(results) {
            if direct == matches!(target, Target::Direct) {
                target.fill(path, array).map_err(|error| unwritten(path, &error))?;
            }
        }
    }
    for (target, (path, _)) in targets.into_iter().zip(results) {
        target.finish().map_err(|error| unwritten(path, &error))?;
    }
    Ok(())
}

/// How a file comes to its contents.
enum Target {
    /// By another file beside it, which takes its place once it is whole.
    Beside(Temporary),
    /// By being written to.
    Direct,
}

impl Target {
    fn of(path: &Path) -> io::Result<Target> {
        let found = match fs::metadata(path) {
            Ok(found) => Some(found),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if let Some(found) = &found {
            // Devices and pipes keep nothing that could be lost, and a file in their place would be none.
            if !found.is_file() {
                return Ok(Target::Direct);
            }
            // A file that may not be written stays, though its folder may let it be replaced.
            OpenOptions::new().write(true).open(path)?;
        }
        let place = files::place(path);
        // What only looks like a file's name (`x.npy/`), or is reached by no name at all, is for the system to judge.
        if found.is_some() != place.exists() || path.to_string_lossy().ends_with(std::path::is_separator) {
            return Ok(Target::Direct);
        }
        match Temporary::beside(&place, found.as_ref()) {
            Ok(temporary) => Ok(Target::Beside(temporary)),
            // Folders that let files be written, and none be made.
            Err(error) if found.is_some() && matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => {
                Ok(Target::Direct)
            }
            Err(error) => Err(error),
        }
    }

    fn fill(&mut self, path: &Path, array: &Array) -> io::Result<()> {
        match self {
            Target::Beside(temporary) => into(temporary.file(), array),
            Target::Direct => into(&File::create(path)?, array),
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Target::Beside(temporary) => temporary.take_place(),
            Target::Direct => Ok(()),
        }
    }
}

fn into(file: &File, array: &Array) -> io::Result<()> {
    let mut writer = BufWriter::new(file);
    npy::write_to(&mut writer, array)?;
    writer.flush()
}

#[cfg(test)]
mod tests;
