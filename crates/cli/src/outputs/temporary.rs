//! A file that is written beside another, and takes its place.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Removed again unless it takes its place.
pub struct Temporary {
    path: PathBuf,
    file: File,
    place: PathBuf,
    is_in_place: bool,
}

impl Temporary {
    /// A file in the folder of `place`, with the permissions of what is there already.
    pub fn beside(place: &Path, found: Option<&Metadata>) -> io::Result<Temporary> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        loop {
            // Not made of the other's name, which may be as long as names can be.
            let name = format!(".wavelane-{}-{}.tmp", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            let path = place.with_file_name(name);
            match File::create_new(&path) {
                Ok(file) => {
                    let temporary = Temporary { path, file, place: place.to_owned(), is_in_place: false };
                    found.map_or(Ok(()), |found| keep_access(&temporary.file, found))?;
                    return Ok(temporary);
                }
                // Left behind by a process that was killed, and had the same number.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// To write to.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Replaces what is there, in one step.
    pub fn take_place(mut self) -> io::Result<()> {
        fs::rename(&self.path, &self.place)?;
        self.is_in_place = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.is_in_place {
            // There is an error to tell of already.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn keep_access(file: &File, found: &Metadata) -> io::Result<()> {
    keep_owner(file, found);
    let permissions = found.permissions();
    // File systems without permissions refuse to set even those that they show.
    if file.metadata()?.permissions() == permissions { Ok(()) } else { file.set_permissions(permissions) }
}

/// As far as one may give files away.
#[cfg(unix)]
fn keep_owner(file: &File, found: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let _ = fchown(file, Some(found.uid()), Some(found.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) {}
