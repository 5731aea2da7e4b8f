//! What can go wrong on the way from GLSL to Rust bindings.

use std::path::{Path, PathBuf};

/// An error of the shader build. [`Error::advice`] says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried: `read`, `write`, `list`, …
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// A JSON file does not have the form it should.
    #[error("{}: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// What the parser found.
        source: serde_json::Error,
    },
    /// A `variants.json` is well-formed JSON but says something impossible.
    #[error("{file}: {problem}")]
    Variants {
        /// The file, relative to the GLSL folder.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
    /// GLSL did not compile.
    #[error("{failed} of {total} modules do not compile:\n{log}")]
    Compile {
        /// How many modules failed.
        failed: usize,
        /// How many were tried.
        total: usize,
        /// The compiler's messages for the first few.
        log: String,
    },
    /// The GLSL compiler itself could not be started.
    #[error("the GLSL compiler cannot start: {0}")]
    Compiler(String),
    /// A SPIR-V module is malformed or uses something that cannot be reflected.
    #[error("{module}: {problem}")]
    Spirv {
        /// The module's file name or label.
        module: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The variants of one kernel do not agree on their interface.
    #[error("{kernel}: {problem}")]
    Conflict {
        /// `family/kernel`.
        kernel: String,
        /// What differs, and between which variants.
        problem: String,
    },
    /// The committed SPIR-V does not belong to the GLSL beside it.
    #[error("{} is stale: {}", folder.display(), problems.join(", "))]
    Stale {
        /// The folder of the committed SPIR-V.
        folder: PathBuf,
        /// One entry a file: its name and what is the matter with it.
        problems: Vec<String>,
        /// The command that regenerates it.
        command: String,
    },
    /// A build script's variable is missing: the code does not run under cargo.
    #[error("the environment variable {0} is not set")]
    Environment(&'static str),
}

impl Error {
    /// What to do about it, in one line.
    pub fn advice(&self) -> String {
        match self {
            Error::Io { path, .. } => format!("check that {} exists and that its permissions allow this", path.display()),
            Error::Json { .. } => "correct the file at the line and column named".into(),
            Error::Variants { .. } => "correct the description; its form is documented in wavelane_shader::variants".into(),
            Error::Compile { .. } => "correct the GLSL at the lines named".into(),
            Error::Compiler(_) => "build with `--features compile-glsl` needs cmake, a C++ compiler and python3".into(),
            Error::Spirv { .. } => "compile the module again from GLSL; see wavelane_shader::reflect for what can be reflected".into(),
            Error::Conflict { .. } => "let every variant of a kernel share one interface, or make them two kernels".into(),
            Error::Stale { command, .. } => format!("run `{command}` and commit what it changes"),
            Error::Environment(_) => "call this from a build script that cargo runs".into(),
        }
    }

    pub(crate) fn io(action: &'static str, path: &Path, source: std::io::Error) -> Error {
        Error::Io { action, path: path.to_path_buf(), source }
    }

    pub(crate) fn spirv(module: &str, problem: impl Into<String>) -> Error {
        Error::Spirv { module: module.into(), problem: problem.into() }
    }
}
