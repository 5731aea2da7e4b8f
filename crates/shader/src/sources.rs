//! The GLSL folder: which files are part of it, their text, and their hashes.

use crate::error::Error;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Every file of a GLSL folder that can influence a module, by its name relative to the folder with `/` between the parts.
///
/// These are the `.comp`, the `.glsl` and the `variants.json` files; the folder `spirv` directly inside is left out.
#[derive(Clone, Debug)]
pub struct Sources {
    root: PathBuf,
    files: BTreeMap<String, String>,
    folders: Vec<PathBuf>,
}

impl Sources {
    /// Reads a GLSL folder. A folder that does not exist has no files.
    pub fn read(root: &Path) -> Result<Sources, Error> {
        let mut sources = Sources { root: root.to_path_buf(), files: BTreeMap::new(), folders: Vec::new() };
        if root.exists() {
            sources.scan(root, "")?;
        }
        Ok(sources)
    }

    fn scan(&mut self, folder: &Path, prefix: &str) -> Result<(), Error> {
        self.folders.push(folder.to_path_buf());
        for entry in fs::read_dir(folder).map_err(|e| Error::io("list", folder, e))? {
            let entry = entry.map_err(|e| Error::io("list", folder, e))?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = entry.path();
            if path.is_dir() {
                let built = prefix.is_empty() && name == "spirv";
                if !built && !name.starts_with('.') {
                    self.scan(&path, &format!("{prefix}{name}/"))?;
                }
            } else if name.ends_with(".comp") || name.ends_with(".glsl") || name == "variants.json" {
                let text = fs::read_to_string(&path).map_err(|e| Error::io("read", &path, e))?;
                // A checkout may convert line ends; the compiler does not care, so the hash must not either.
                self.files.insert(format!("{prefix}{name}"), text.replace("\r\n", "\n"));
            }
        }
        Ok(())
    }

    /// The folder that was read.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// All folders that were read, for change detection: a new file shows in its folder's time stamp.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// The file names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The text of a file, with `\n` line ends.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(String::as_str)
    }

    /// The BLAKE3 hash of each file, as hexadecimal text.
    pub fn hashes(&self) -> BTreeMap<String, String> {
        self.files.iter().map(|(name, text)| (name.clone(), blake3::hash(text.as_bytes()).to_hex().to_string())).collect()
    }

    /// The folders directly inside that hold kernel sources or a `variants.json`.
    pub fn families(&self) -> BTreeSet<&str> {
        let family = |name: &'_ str| name.ends_with(".comp") || name.ends_with("variants.json");
        self.names().filter(|name| family(name)).filter_map(|name| name.split_once('/')).map(|(family, _)| family).collect()
    }

    /// The kernel sources of a family, relative to the root.
    pub fn kernels_of<'a>(&'a self, family: &'a str) -> impl Iterator<Item = &'a str> {
        self.names().filter(move |name| name.ends_with(".comp") && name.split_once('/').is_some_and(|(folder, _)| folder == family))
    }

    /// Finds an included file: beside the file that includes it, else from the root. Returns its name and text.
    pub fn include(&self, requested: &str, from: &str) -> Result<(&str, &str), String> {
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        for candidate in [join(folder, requested), join("", requested)].into_iter().flatten() {
            if let Some((name, text)) = self.files.get_key_value(&candidate) {
                return Ok((name, text));
            }
        }
        Err(format!("{requested:?} is neither beside {from} nor under the GLSL folder, or does not end in .glsl"))
    }
}

/// `None` when the path leaves the root.
fn join(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(files: &[(&str, &str)]) -> Sources {
        let files = files.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
        Sources { root: PathBuf::from("glsl"), files, folders: Vec::new() }
    }

    #[test]
    fn includes_are_found_beside_the_file_first() {
        let sources =
            sources(&[("include/a.glsl", "root"), ("reduce/include/a.glsl", "near"), ("include/b.glsl", "b"), ("reduce/c.glsl", "c")]);
        assert_eq!(sources.include("include/a.glsl", "reduce/rows.comp"), Ok(("reduce/include/a.glsl", "near")));
        assert_eq!(sources.include("include/b.glsl", "reduce/rows.comp"), Ok(("include/b.glsl", "b")));
        assert_eq!(sources.include("b.glsl", "include/a.glsl"), Ok(("include/b.glsl", "b")));
        assert_eq!(sources.include("../reduce/./c.glsl", "include/a.glsl"), Ok(("reduce/c.glsl", "c")));
        assert!(sources.include("../../c.glsl", "include/a.glsl").is_err());
        assert!(sources.include("d.glsl", "include/a.glsl").unwrap_err().contains("\"d.glsl\" is neither beside include/a.glsl"));
    }

    #[test]
    fn families_are_the_folders_with_kernels() {
        let sources = sources(&[("include/a.glsl", ""), ("scan/variants.json", ""), ("reduce/rows.comp", ""), ("reduce/x.glsl", "")]);
        assert_eq!(sources.families().into_iter().collect::<Vec<_>>(), ["reduce", "scan"]);
        assert_eq!(sources.kernels_of("reduce").collect::<Vec<_>>(), ["reduce/rows.comp"]);
    }
}
