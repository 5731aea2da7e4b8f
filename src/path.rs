//! How the invocations of a workgroup exchange data.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Error;

/// How the invocations of a workgroup exchange data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Path {
    /// Through shared memory alone. Needs nothing of the device beyond Vulkan 1.1's floor.
    #[serde(rename = "lsm")]
    SharedMemory,
    /// Subgroup arithmetic (`subgroupAdd`, `subgroupMin`, …), shared memory only between subgroups.
    #[serde(rename = "subgroup")]
    Subgroup,
    /// A butterfly of subgroup shuffles, shared memory only between subgroups.
    #[serde(rename = "shuffle")]
    Shuffle,
}

impl Path {
    /// Every path.
    pub const ALL: [Self; 3] = [Self::SharedMemory, Self::Subgroup, Self::Shuffle];

    /// Name on the command line and in `WAVELANE_PATH`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SharedMemory => "lsm",
            Self::Subgroup => "subgroup",
            Self::Shuffle => "shuffle",
        }
    }

    /// Name of the path's shader modules.
    pub(crate) const fn module_name(self) -> &'static str {
        match self {
            Self::SharedMemory => "shared_memory",
            Self::Subgroup => "subgroup",
            Self::Shuffle => "shuffle",
        }
    }

    /// The path that `WAVELANE_PATH` forces, if it is set to anything but `auto`.
    ///
    /// # Errors
    /// [`Error::PathName`] if it is set to something else.
    pub fn from_env() -> Result<Option<Self>, Error> {
        match std::env::var("WAVELANE_PATH") {
            Ok(text) => Self::parse(&text),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(std::env::VarError::NotUnicode(text)) => Err(Error::PathName { text: text.to_string_lossy().into_owned() }),
        }
    }

    /// Reads a path's name; `auto` and the empty text are no path.
    ///
    /// # Errors
    /// [`Error::PathName`] if there is no such path.
    pub fn parse(text: &str) -> Result<Option<Self>, Error> {
        if text.is_empty() || text == "auto" {
            return Ok(None);
        }
        match Self::ALL.into_iter().find(|path| path.name() == text) {
            Some(path) => Ok(Some(path)),
            None => Err(Error::PathName { text: text.into() }),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
