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

#[cfg(test)]
mod tests {
    use super::Path;
    use crate::Error;

    #[test]
    fn names_are_read_back() {
        for path in Path::ALL {
            assert_eq!(Path::parse(path.name()), Ok(Some(path)));
            assert_eq!(Path::parse(&path.to_string()), Ok(Some(path)));
        }
        assert_eq!(Path::parse("auto"), Ok(None));
        assert_eq!(Path::parse(""), Ok(None));
    }

    #[test]
    fn other_names_are_an_error_that_lists_the_names() {
        for text in ["fast", "LSM", " lsm", "shared_memory", "subgroup,shuffle"] {
            let error = Path::parse(text);
            assert_eq!(error, Err(Error::PathName { text: text.into() }));
            let message = error.map_err(|error| error.to_string()).err().unwrap_or_default();
            assert_eq!(message, format!("there is no path `{text}`; there are: auto, subgroup, shuffle, lsm"));
        }
    }

    /// A process has one environment, so each reading of the variable has a process of its own.
    #[test]
    fn the_variable_forces_a_path() -> std::io::Result<()> {
        const CHILD: &str = "WAVELANE_PATH_TEST";
        if std::env::var_os(CHILD).is_some() {
            println!("read: {:?}", Path::from_env());
            return Ok(());
        }
        for (value, expected) in [
            (None, "Ok(None)"),
            (Some(""), "Ok(None)"),
            (Some("auto"), "Ok(None)"),
            (Some("lsm"), "Ok(Some(SharedMemory))"),
            (Some("subgroup"), "Ok(Some(Subgroup))"),
            (Some("shuffle"), "Ok(Some(Shuffle))"),
            (Some("fast"), "Err(PathName { text: \"fast\" })"),
        ] {
            let mut child = std::process::Command::new(std::env::current_exe()?);
            child.args(["--exact", "path::tests::the_variable_forces_a_path", "--nocapture"]).env(CHILD, "1").env_remove("WAVELANE_PATH");
            if let Some(value) = value {
                child.env("WAVELANE_PATH", value);
            }
            let output = child.output()?;
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(text.contains(&format!("read: {expected}")), "{value:?}: {text}");
        }
        Ok(())
    }
}
