//! Building the committed SPIR-V, and proving that it is what the sources give (feature `compile`).

use crate::compile::compile_all;
use crate::error::Error;
use crate::manifest::{FILE, Manifest, files_below};
use crate::sources::Sources;
use crate::variants::kernels;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What a regeneration found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How many modules there are now.
    pub modules: usize,
    /// Their size together.
    pub bytes: usize,
    /// The files that were or would be written, with `new`, `changed` or `removed` before the name.
    pub differences: Vec<String>,
}

/// Compiles everything in a GLSL folder and compares it with its `spirv` folder; writes the differences where `write` says so.
pub fn regenerate(glsl: &Path, write: bool) -> Result<Outcome, Error> {
    let sources = Sources::read(glsl)?;
    let built = compile_all(&sources, &kernels(&sources)?)?;
    let mut files = BTreeMap::from([(FILE.to_string(), Manifest::new(&sources, &built).to_json().into_bytes())]);
    for (kernel, modules) in built {
        let names: Vec<String> = kernel.variants.iter().map(|variant| kernel.file(variant)).collect();
        files.extend(names.into_iter().zip(modules));
    }
    let folder = glsl.join("spirv");
    let mut differences = Vec::new();
    for stale in files_below(&folder)?.into_iter().filter(|file| !files.contains_key(file)) {
        if write {
            let path = folder.join(&stale);
            fs::remove_file(&path).map_err(|e| Error::io("remove", &path, e))?;
        }
        differences.push(format!("removed {stale}"));
    }
    for (name, bytes) in &files {
        let path = folder.join(name);
        let before = match fs::read(&path) {
            Ok(before) => Some(before),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(Error::io("read", &path, error)),
        };
        if before.as_ref() == Some(bytes) {
            continue;
        }
        differences.push(format!("{} {name}", if before.is_some() { "changed" } else { "new" }));
        if write {
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).map_err(|e| Error::io("create", parent, e))?;
            }
            fs::write(&path, bytes).map_err(|e| Error::io("write", &path, e))?;
        }
    }
    let modules = files.len() - 1;
    let bytes = files.iter().filter(|(name, _)| *name != FILE).map(|(_, bytes)| bytes.len()).sum();
    Ok(Outcome { modules, bytes, differences })
}
