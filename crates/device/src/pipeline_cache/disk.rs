//! Reading and replacing the file that a pipeline cache is kept in.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use super::file::{CacheKey, HEADER_BYTES, LARGEST_DATA, PipelineCacheFault};

/// A temporary file that nobody has renamed for so long is a crashed process's.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// The driver's data in the file, whole and this device's; `None` where there is no file.
pub(super) fn read(path: &Path, key: &CacheKey) -> Result<Option<Vec<u8>>, PipelineCacheFault> {
    let unreadable = |error: io::Error| PipelineCacheFault::Unreadable { cause: error.to_string() };
    // Asked before opening, since opening a pipe waits for someone to write to it.
    let kind = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    if !kind.is_file() {
        return Err(PipelineCacheFault::NotAFile);
    }
    let limit = LARGEST_DATA + HEADER_BYTES as u64;
    let too_large = |bytes| PipelineCacheFault::TooLarge { bytes, limit };
    if kind.len() > limit {
        return Err(too_large(kind.len()));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    // It may have grown meanwhile.
    file.take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(bytes.len() as u64));
    }
    key.open(&bytes)?;
    bytes.drain(..HEADER_BYTES);
    Ok(Some(bytes))
}

/// Puts a file with this data in place of what is there, at once: who reads meanwhile sees the old file or the new one, and of two processes that
/// write at a time the later one's file stays.
pub(super) fn replace(path: &Path, key: &CacheKey, data: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    remove_abandoned(path);
    let temporary = temporary(path);
    let written = write(&temporary, key, data).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // What cannot be removed either is left to the next start.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write(path: &Path, key: &CacheKey, data: &[u8]) -> io::Result<()> {
    let mut file = File::options().write(true).create_new(true).open(path)?;
    file.write_all(&key.header(data))?;
    file.write_all(data)
    // Not synced to the disk, which takes long: should the power fail, the checksum tells.
}

/// A name beside `path` that no other thread or process uses.
fn temporary(path: &Path) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let nanoseconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.subsec_nanos());
    let mut name = path.file_name().unwrap_or_default().to_owned();
    // Processes in two containers may share a folder and a process id, but hardly the nanosecond.
    name.push(format!(".{}-{number}-{nanoseconds}.tmp", std::process::id()));
    path.with_file_name(name)
}

fn remove_abandoned(path: &Path) {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else { return };
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let file = entry.file_name();
        let ours =
            file.to_str().is_some_and(|file| file.ends_with(".tmp") && file.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')));
        let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        if ours && age().is_some_and(|age| age > ABANDONED) {
            // Another process may have been quicker.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> CacheKey {
        CacheKey { vendor_id: 1, device_id: 2, driver_id: 3, driver_version: 4, cache_uuid: [5; 16], driver_uuid: [6; 16] }
    }

    fn data(tail: &[u8]) -> Vec<u8> {
        let words = [32, 1, 1, 2].map(u32::to_le_bytes).concat();
        [words.as_slice(), &[5; 16], tail].concat()
    }

    /// A folder of this test's own.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> io::Result<Self> {
            let path = std::env::temp_dir().join(format!("wavelane-{}-{name}", std::process::id()));
            fs::create_dir_all(&path)?;
            Ok(Self(path))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_file_is_replaced_and_nothing_else_is_left() -> io::Result<()> {
        let folder = Folder::new("replaced")?;
        // The folder itself may be missing.
        let path = folder.0.join("deeper").join(key().file_name());
        assert_eq!(read(&path, &key()), Ok(None));
        for tail in [&[1u8; 10][..], &[2; 100_000], &[]] {
            replace(&path, &key(), &data(tail))?;
            assert_eq!(read(&path, &key()), Ok(Some(data(tail))));
        }
        assert_eq!(fs::read_dir(folder.0.join("deeper"))?.count(), 1);
        Ok(())
    }

    #[test]
    fn writers_at_a_time_leave_one_whole_file() -> io::Result<()> {
        let folder = Folder::new("writers")?;
        let path = &folder.0.join("cache");
        replace(path, &key(), &data(&[0; 1000]))?;
        std::thread::scope(|scope| {
            for writer in 0..4u8 {
                scope.spawn(move || {
                    for round in 0..50usize {
                        assert!(replace(path, &key(), &data(&vec![writer; 1000 * (round + 1)])).is_ok());
                    }
                });
            }
            for _ in 0..200 {
                let whole = read(path, &key());
                assert!(matches!(&whole, Ok(Some(data)) if data[32..].iter().all(|&byte| byte == data[32])), "{whole:?}");
            }
        });
        assert_eq!(fs::read_dir(&folder.0)?.count(), 1, "temporary files are left");
        Ok(())
    }

    #[test]
    fn what_is_no_file_or_too_long_is_not_read() -> io::Result<()> {
        let folder = Folder::new("odd")?;
        assert_eq!(read(&folder.0, &key()), Err(PipelineCacheFault::NotAFile));
        let path = folder.0.join("huge");
        // Sparse: it takes no room.
        File::create(&path)?.set_len(1 << 40)?;
        assert!(matches!(read(&path, &key()), Err(PipelineCacheFault::TooLarge { bytes: 0x100_0000_0000, .. })));
        assert!(replace(&path.join("below"), &key(), &data(&[])).is_err(), "a folder below a file");
        assert_eq!(read(&path.join("below"), &key()), Ok(None));
        Ok(())
    }

    #[test]
    fn temporary_files_of_crashed_processes_go_and_others_stay() -> io::Result<()> {
        let folder = Folder::new("abandoned")?;
        let path = folder.0.join("cache");
        let old = SystemTime::now() - 2 * ABANDONED;
        for (name, modified) in [("cache.1-0-0.tmp", old), ("cache.2-0-0.tmp", SystemTime::now()), ("cache2.tmp", old), ("other", old)] {
            File::create(folder.0.join(name))?.set_modified(modified)?;
        }
        replace(&path, &key(), &data(&[]))?;
        let mut left: Vec<_> = fs::read_dir(&folder.0)?.flatten().map(|entry| entry.file_name()).collect();
        left.sort();
        assert_eq!(left, ["cache", "cache.2-0-0.tmp", "cache2.tmp", "other"]);
        Ok(())
    }
}
