//! `manifest.json` beside the committed SPIR-V: which sources and which compiler it was made from.

use crate::error::Error;
use crate::sources::Sources;
use crate::variants::Kernel;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The compiler and options that the committed SPIR-V is made with. The options are set in `compile.rs`.
pub const COMPILER: &str = "shaderc 0.10.1: performance, debug names, warnings are errors";

/// The file's name in the SPIR-V folder.
pub const FILE: &str = "manifest.json";

/// The contents of `manifest.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`COMPILER`] at the time.
    pub compiler: String,
    /// The BLAKE3 hash of every source file, by its name relative to the GLSL folder.
    pub sources: BTreeMap<String, String>,
    /// The BLAKE3 hash over the names and bytes of all modules of a kernel, by `family/kernel`.
    pub modules: BTreeMap<String, String>,
}

/// The modules of one kernel, in the order of its variants.
pub type Modules = Vec<Vec<u8>>;

impl Manifest {
    /// Describes modules that were just built.
    pub fn new(sources: &Sources, kernels: &[(Kernel, Modules)]) -> Manifest {
        let modules = kernels.iter().map(|(kernel, modules)| (kernel.label(), hash_modules(kernel, modules))).collect();
        Manifest { compiler: COMPILER.into(), sources: sources.hashes(), modules }
    }

    /// The file's text.
    pub fn to_json(&self) -> String {
        // A map of strings always serialises.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Reads the manifest in a SPIR-V folder; `None` where there is none.
    pub fn read(folder: &Path) -> Result<Option<Manifest>, Error> {
        let path = folder.join(FILE);
        match fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(|source| Error::Json { path, source }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("read", &path, error)),
        }
    }
}

fn hash_modules(kernel: &Kernel, modules: &[Vec<u8>]) -> String {
    let mut hasher = blake3::Hasher::new();
    for (variant, bytes) in kernel.variants.iter().zip(modules) {
        hasher.update(variant.name.as_bytes());
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    }
    hasher.finalize().to_hex().to_string()
}

/// Reads the committed modules of all kernels, and refuses them unless sources, compiler and modules are those of the manifest.
///
/// `command` is what [`Error::Stale`] tells the reader to run.
pub fn read_committed(sources: &Sources, kernels: &[Kernel], folder: &Path, command: &str) -> Result<Vec<(Kernel, Modules)>, Error> {
    let manifest = Manifest::read(folder)?;
    if manifest.is_none() && kernels.is_empty() {
        return Ok(Vec::new());
    }
    let mut problems = Vec::new();
    match &manifest {
        None => problems.push(format!("{FILE} is missing")),
        Some(manifest) => {
            if manifest.compiler != COMPILER {
                problems.push(format!("it was made with `{}` and not with `{COMPILER}`", manifest.compiler));
            }
            problems.extend(changed_sources(&manifest.sources, &sources.hashes()));
        }
    }
    let mut expected = BTreeSet::from([FILE.to_string()]);
    let mut read = Vec::new();
    for kernel in kernels {
        let mut modules = Modules::new();
        for variant in &kernel.variants {
            let file = kernel.file(variant);
            let path = folder.join(&file);
            match fs::read(&path) {
                Ok(bytes) => modules.push(bytes),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => problems.push(format!("{file} is missing")),
                Err(error) => return Err(Error::io("read", &path, error)),
            }
            expected.insert(file);
        }
        let recorded = manifest.as_ref().and_then(|manifest| manifest.modules.get(&kernel.label()));
        if modules.len() == kernel.variants.len() && recorded != Some(&hash_modules(kernel, &modules)) {
            problems.push(format!("the modules of {} are not those that {FILE} records", kernel.label()));
        }
        read.push((kernel.clone(), modules));
    }
    let extra = files_below(folder)?.into_iter().filter(|file| !expected.contains(file));
    problems.extend(extra.map(|file| format!("{file} belongs to no variant")));
    if problems.is_empty() { Ok(read) } else { Err(Error::Stale { folder: folder.to_path_buf(), problems, command: command.into() }) }
}

fn changed_sources(recorded: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<String> {
    let mut problems = Vec::new();
    for (name, hash) in now {
        match recorded.get(name) {
            None => problems.push(format!("{name} is new")),
            Some(then) if then != hash => problems.push(format!("{name} has changed")),
            Some(_) => {}
        }
    }
    problems.extend(recorded.keys().filter(|name| !now.contains_key(*name)).map(|name| format!("{name} is gone")));
    problems
}

/// The `.spv` and `.json` files below a folder, relative to it with `/` between the parts.
pub(crate) fn files_below(folder: &Path) -> Result<BTreeSet<String>, Error> {
    let mut files = BTreeSet::new();
    let mut pending = vec![(folder.to_path_buf(), String::new())];
    while let Some((folder, prefix)) = pending.pop() {
        if !folder.exists() {
            continue;
        }
        for entry in fs::read_dir(&folder).map_err(|e| Error::io("list", &folder, e))? {
            let entry = entry.map_err(|e| Error::io("list", &folder, e))?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if entry.path().is_dir() {
                pending.push((entry.path(), format!("{prefix}{name}/")));
            } else if name.ends_with(".spv") || name.ends_with(".json") {
                files.insert(format!("{prefix}{name}"));
            }
        }
    }
    Ok(files)
}
