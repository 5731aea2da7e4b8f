//! What is told of a pipeline cache.

use std::path::PathBuf;
use std::time::Duration;

use super::file::PipelineCacheFault;

/// What a device's pipeline cache began with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PipelineCacheStart {
    /// Nothing is kept on disk: no folder was given.
    NoFolder,
    /// Nothing is kept on disk, because of a fault of the driver.
    Forbidden {
        /// The quirk's [`id`](crate::Quirk::id).
        quirk: &'static str,
    },
    /// There was no file yet.
    NoFile,
    /// The file was used.
    Loaded {
        /// Bytes that the driver was given.
        bytes: u64,
    },
    /// The file was not used, and is replaced at the next save.
    Ignored(PipelineCacheFault),
}

/// What became of saving a pipeline cache. A failure has been logged as a warning, and harms nothing but the next start.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PipelineCacheSave {
    /// Nothing is kept on disk: no folder was given, or a quirk forbids.
    NotKept,
    /// The file holds all of this already.
    Unchanged,
    /// The file was replaced.
    Written {
        /// Bytes of the driver's data in it.
        bytes: u64,
    },
    /// The file could not be written.
    Failed {
        /// Why, in one line.
        cause: String,
    },
}

/// What a device's pipeline cache was worth so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineCacheReport {
    /// The file it is kept in; none where nothing is kept on disk.
    pub file: Option<PathBuf>,
    /// What it began with.
    pub start: PipelineCacheStart,
    /// Pipelines made so far.
    pub pipelines: u64,
    /// Time the driver took to make them. With a loaded cache this is what is left of it.
    pub creation_time: Duration,
}
