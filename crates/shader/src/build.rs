//! What a build script calls.

use crate::error::Error;
use crate::generate::{Built, source};
use crate::manifest::read_committed;
use crate::sources::Sources;
use crate::variants::kernels;
use std::fs;
use std::path::{Path, PathBuf};

/// Turns a GLSL folder into `$OUT_DIR/shaders.rs`; see the crate's documentation for an example.
#[derive(Clone, Debug)]
pub struct Build {
    glsl: PathBuf,
    runtime: String,
    command: String,
    #[cfg(feature = "compile")]
    compile: bool,
}

impl Build {
    /// Starts with a GLSL folder, relative to the package's `Cargo.toml` or absolute.
    pub fn new(glsl: impl Into<PathBuf>) -> Build {
        Build {
            glsl: glsl.into(),
            runtime: "::wavelane::shader".into(),
            command: "scripts/regenerate-spirv".into(),
            #[cfg(feature = "compile")]
            compile: false,
        }
    }

    /// The Rust module that holds `Module` and what belongs to it: `::wavelane::shader` where nothing is said.
    pub fn runtime(mut self, path: &str) -> Build {
        self.runtime = path.into();
        self
    }

    /// The command that regenerates the committed SPIR-V, for the error that says so.
    pub fn regenerate_command(mut self, command: &str) -> Build {
        self.command = command.into();
        self
    }

    /// Compiles the GLSL instead of using the committed SPIR-V.
    #[cfg(feature = "compile")]
    pub fn compile(mut self, compile: bool) -> Build {
        self.compile = compile;
        self
    }

    /// Writes `$OUT_DIR/shaders.rs`, and tells cargo on what it depends.
    pub fn emit(self) -> Result<(), Error> {
        let variable = |name: &'static str| std::env::var_os(name).map(PathBuf::from).ok_or(Error::Environment(name));
        let glsl = variable("CARGO_MANIFEST_DIR")?.join(&self.glsl);
        let out = variable("OUT_DIR")?;
        // A folder counts as changed with anything in it, at any depth, so new and removed files are seen too.
        println!("cargo::rerun-if-changed={}", glsl.display());
        self.write(&glsl, &out)
    }

    /// Likewise, with the folders given: reads `glsl` and writes into `out`.
    pub fn write(&self, glsl: &Path, out: &Path) -> Result<(), Error> {
        let text = source(&self.modules(glsl, out)?, &self.runtime)?;
        write_if_changed(&out.join("shaders.rs"), text.as_bytes())
    }

    fn modules(&self, glsl: &Path, out: &Path) -> Result<Vec<Built>, Error> {
        let sources = Sources::read(glsl)?;
        let kernels = kernels(&sources)?;
        #[cfg(feature = "compile")]
        if self.compile {
            let folder = out.join("spirv");
            let built = crate::compile::compile_all(&sources, &kernels)?;
            for (kernel, modules) in &built {
                for (variant, bytes) in kernel.variants.iter().zip(modules) {
                    write_if_changed(&folder.join(kernel.file(variant)), bytes)?;
                }
            }
            return Ok(built.into_iter().map(|(kernel, modules)| Built { kernel, modules, folder: folder.clone() }).collect());
        }
        let (_, folder) = (out, glsl.join("spirv"));
        let read = read_committed(&sources, &kernels, &folder, &self.command)?;
        Ok(read.into_iter().map(|(kernel, modules)| Built { kernel, modules, folder: folder.clone() }).collect())
    }
}

/// Leaves a file with the right contents alone, so that what includes it is not built again.
fn write_if_changed(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if fs::read(path).is_ok_and(|before| before == bytes) {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|e| Error::io("create", parent, e))?;
    }
    fs::write(path, bytes).map_err(|e| Error::io("write", path, e))
}
