//! `variants.json`: which modules are built from which kernel source.
//!
//! Each kernel family is a folder with its `.comp` sources and one `variants.json`:
//!
//! ```json
//! {
//!   "axes": {
//!     "element.state": ["f32.f32", "f32.moments", "f16.f32"],
//!     "path": ["shared_memory", "subgroup", { "name": "shuffle", "derive": true, "defines": { "BUTTERFLY": "1" } }]
//!   },
//!   "kernels": [
//!     { "source": "rows.comp", "axes": ["element.state", "path"], "exclude": ["f16.*.shuffle"] },
//!     { "source": "combine.comp", "axes": ["path"], "only": ["shared_memory"], "defines": { "FINAL": "1" } },
//!     { "source": "copy.comp" }
//!   ]
//! }
//! ```
//!
//! - The variants of a kernel are the cross product of the axes that it lists, in that order. A variant's name is its
//!   values joined with `.`; a kernel without axes has one variant, `default`.
//! - A value written as text derives its defines from the axis: `subgroup` on the axis `path` defines `PATH_SUBGROUP` as 1.
//!   An axis name with dots takes values with as many dotted parts, each with its own define: `f32.moments` on
//!   `element.state` defines `ELEMENT_F32` and `STATE_MOMENTS`. Everything is upper-cased and `-` becomes `_`.
//! - A value written as an object has a `name` and exactly the `defines` that it lists; `"derive": true` adds the derived ones.
//! - `exclude` leaves out, and `only` keeps, the variants whose name matches one of the patterns. A pattern is compared part by
//!   part, and `*` stands for any one part. A pattern that matches nothing is an error.
//! - `extra` lists variants outside of the product: `[{ "name": "f32.special", "defines": { … } }]`.
//! - `defines` may stand on the file, a kernel and a value; the more special one wins.
//! - `spirv` may stand in the same places: the SPIR-V version, `"1.3"` where nothing else is said.
//! - Every `.comp` in the folder must be listed, and unknown keys are errors.

use crate::error::Error;
use crate::names::is_identifier;
use crate::sources::Sources;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The defines a module is compiled with.
pub type Defines = BTreeMap<String, String>;

/// One kernel source and all modules to build from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The folder's name, such as `reduce`.
    pub family: String,
    /// The source's name without `.comp`, such as `rows`.
    pub name: String,
    /// The source relative to the GLSL folder, such as `reduce/rows.comp`.
    pub source: String,
    /// The modules, sorted by name.
    pub variants: Vec<Variant>,
}

/// One module to build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The dotted name, such as `f32.moments.subgroup`.
    pub name: String,
    /// What is defined while it compiles.
    pub defines: Defines,
    /// The SPIR-V version it is compiled to.
    pub spirv: SpirvVersion,
}

impl Kernel {
    /// `family/kernel`, as used in messages.
    pub fn label(&self) -> String {
        format!("{}/{}", self.family, self.name)
    }

    /// The committed file of a variant, relative to the SPIR-V folder.
    pub fn file(&self, variant: &Variant) -> String {
        format!("{}/{}.{}.spv", self.family, self.name, variant.name)
    }
}

/// A SPIR-V version, and with it the Vulkan version that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[allow(missing_docs)]
pub enum SpirvVersion {
    #[serde(rename = "1.0")]
    V1_0,
    #[serde(rename = "1.1")]
    V1_1,
    #[serde(rename = "1.2")]
    V1_2,
    #[serde(rename = "1.3")]
    V1_3,
    #[serde(rename = "1.4")]
    V1_4,
    #[serde(rename = "1.5")]
    V1_5,
    #[serde(rename = "1.6")]
    V1_6,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FamilyFile {
    #[serde(default)]
    axes: BTreeMap<String, Vec<Value>>,
    #[serde(default)]
    defines: Defines,
    spirv: Option<SpirvVersion>,
    kernels: Vec<KernelEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KernelEntry {
    source: String,
    #[serde(default)]
    axes: Vec<String>,
    #[serde(default)]
    defines: Defines,
    spirv: Option<SpirvVersion>,
    #[serde(default)]
    exclude: Vec<String>,
    #[serde(default)]
    only: Vec<String>,
    #[serde(default)]
    extra: Vec<ValueEntry>,
}

#[derive(Deserialize, Clone)]
#[serde(untagged)]
enum Value {
    Name(String),
    Entry(ValueEntry),
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct ValueEntry {
    name: String,
    #[serde(default)]
    derive: bool,
    #[serde(default)]
    defines: Defines,
    spirv: Option<SpirvVersion>,
}

/// Reads every family's `variants.json` and expands it; sorted by family and kernel.
pub fn kernels(sources: &Sources) -> Result<Vec<Kernel>, Error> {
    let mut kernels = Vec::new();
    for family in sources.families() {
        let file = format!("{family}/variants.json");
        let Some(text) = sources.text(&file) else {
            return Err(Error::Variants { file, problem: format!("missing, although {family}/ has kernel sources") });
        };
        let found = family_kernels(family, text).map_err(|problem| match problem {
            Problem::Json(source) => Error::Json { path: sources.root().join(&file), source },
            Problem::Meaning(problem) => Error::Variants { file: file.clone(), problem },
        })?;
        let listed: BTreeSet<&str> = found.iter().map(|kernel| kernel.source.as_str()).collect();
        let on_disk: BTreeSet<&str> = sources.kernels_of(family).collect();
        if let Some(missing) = listed.difference(&on_disk).next() {
            return Err(Error::Variants { file, problem: format!("names {missing}, which does not exist") });
        }
        if let Some(unlisted) = on_disk.difference(&listed).next() {
            return Err(Error::Variants { file, problem: format!("does not list {unlisted}") });
        }
        kernels.extend(found);
    }
    kernels.sort_by(|a, b| (&a.family, &a.name).cmp(&(&b.family, &b.name)));
    Ok(kernels)
}

enum Problem {
    Json(serde_json::Error),
    Meaning(String),
}

impl From<String> for Problem {
    fn from(text: String) -> Problem {
        Problem::Meaning(text)
    }
}

fn family_kernels(family: &str, text: &str) -> Result<Vec<Kernel>, Problem> {
    let file: FamilyFile = serde_json::from_str(text).map_err(Problem::Json)?;
    if !is_identifier(family) {
        return Err(format!("the folder's name {family:?} cannot name a Rust module").into());
    }
    let mut seen = BTreeSet::new();
    let mut kernels = Vec::new();
    for entry in &file.kernels {
        let name = entry.source.strip_suffix(".comp").unwrap_or_default();
        if !is_identifier(name) {
            return Err(format!("the source {:?} is not a Rust module's name followed by .comp", entry.source).into());
        }
        if !seen.insert(name) {
            return Err(format!("{} is listed twice", entry.source).into());
        }
        let variants = expand(&file, entry).map_err(|problem| format!("{}: {problem}", entry.source))?;
        kernels.push(Kernel { family: family.into(), name: name.into(), source: format!("{family}/{}", entry.source), variants });
    }
    Ok(kernels)
}

fn expand(file: &FamilyFile, entry: &KernelEntry) -> Result<Vec<Variant>, String> {
    let mut defines = file.defines.clone();
    defines.extend(entry.defines.clone());
    let spirv = entry.spirv.or(file.spirv).unwrap_or(SpirvVersion::V1_3);
    let mut product = vec![Variant { name: String::new(), defines: defines.clone(), spirv }];
    for axis in &entry.axes {
        let values = file.axes.get(axis).ok_or_else(|| format!("the axis {axis:?} is not defined"))?;
        let mut next = Vec::with_capacity(product.len() * values.len());
        for variant in &product {
            for value in values {
                next.push(extend(variant, axis, value)?);
            }
        }
        product = next;
    }
    if entry.axes.is_empty() {
        product[0].name = "default".into();
    }
    for pattern in entry.exclude.iter().chain(&entry.only) {
        if !product.iter().any(|variant| matches(pattern, &variant.name)) {
            return Err(format!("the pattern {pattern:?} matches no variant"));
        }
    }
    product.retain(|variant| {
        let kept = entry.only.is_empty() || entry.only.iter().any(|pattern| matches(pattern, &variant.name));
        kept && !entry.exclude.iter().any(|pattern| matches(pattern, &variant.name))
    });
    for extra in &entry.extra {
        if extra.derive {
            return Err(format!("the extra variant {:?} stands on no axis to derive from", extra.name));
        }
        let mut variant = Variant { name: extra.name.clone(), defines: defines.clone(), spirv: extra.spirv.unwrap_or(spirv) };
        variant.defines.extend(extra.defines.clone());
        product.push(variant);
    }
    product.sort_by(|a, b| a.name.cmp(&b.name));
    for pair in product.windows(2) {
        if pair[0].name == pair[1].name {
            return Err(format!("two variants are named {:?}", pair[0].name));
        }
    }
    for variant in &product {
        let fine = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        if !variant.name.split('.').all(fine) {
            return Err(format!("the variant name {:?} has other characters than letters, digits, _ and -", variant.name));
        }
    }
    Ok(product)
}

fn extend(variant: &Variant, axis: &str, value: &Value) -> Result<Variant, String> {
    let entry = match value {
        Value::Name(name) => ValueEntry { name: name.clone(), derive: true, defines: Defines::new(), spirv: None },
        Value::Entry(entry) => entry.clone(),
    };
    let mut next = variant.clone();
    if !next.name.is_empty() {
        next.name.push('.');
    }
    next.name.push_str(&entry.name);
    if entry.derive {
        let axes: Vec<&str> = axis.split('.').collect();
        let parts: Vec<&str> = entry.name.split('.').collect();
        if axes.len() != parts.len() {
            return Err(format!("the value {:?} should have {} dotted parts, as the axis {axis:?} has", entry.name, axes.len()));
        }
        for (axis, part) in axes.iter().zip(&parts) {
            let define = format!("{axis}_{part}").to_ascii_uppercase().replace('-', "_");
            next.defines.insert(define, "1".into());
        }
    }
    next.defines.extend(entry.defines);
    next.spirv = entry.spirv.unwrap_or(next.spirv);
    Ok(next)
}

fn matches(pattern: &str, name: &str) -> bool {
    let (mut pattern, mut name) = (pattern.split('.'), name.split('.'));
    loop {
        match (pattern.next(), name.next()) {
            (None, None) => return true,
            (Some(wanted), Some(part)) if wanted == "*" || wanted == part => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand_text(text: &str) -> Result<Vec<Kernel>, String> {
        family_kernels("reduce", text).map_err(|problem| match problem {
            Problem::Json(error) => error.to_string(),
            Problem::Meaning(text) => text,
        })
    }

    #[test]
    fn the_product_of_axes_with_derived_defines() {
        let kernels = expand_text(
            r#"{ "axes": { "element.state": ["f32.wide-sum", "u32.u32"], "path": ["lsm", {"name": "sg", "defines": {"SG": "2"}}] },
                 "defines": {"ALL": "1"}, "kernels": [ { "source": "rows.comp", "axes": ["element.state", "path"], "exclude": ["u32.*.sg"],
                 "extra": [ {"name": "odd", "defines": {"ALL": "3"}, "spirv": "1.0"} ] } ] }"#,
        )
        .unwrap();
        let names: Vec<&str> = kernels[0].variants.iter().map(|v| v.name.as_str()).collect();
        assert_eq!(names, ["f32.wide-sum.lsm", "f32.wide-sum.sg", "odd", "u32.u32.lsm"]);
        let defines = |index: usize| kernels[0].variants[index].defines.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>();
        assert_eq!(defines(0), ["ALL=1", "ELEMENT_F32=1", "PATH_LSM=1", "STATE_WIDE_SUM=1"]);
        assert_eq!(defines(1), ["ALL=1", "ELEMENT_F32=1", "SG=2", "STATE_WIDE_SUM=1"]);
        assert_eq!(defines(2), ["ALL=3"]);
        assert_eq!(kernels[0].variants[2].spirv, SpirvVersion::V1_0);
        assert_eq!(kernels[0].file(&kernels[0].variants[3]), "reduce/rows.u32.u32.lsm.spv");
    }

    #[test]
    fn a_kernel_without_axes_has_one_variant() {
        let kernels = expand_text(r#"{ "kernels": [ { "source": "copy.comp" } ] }"#).unwrap();
        assert_eq!(kernels[0].variants.len(), 1);
        assert_eq!(kernels[0].variants[0].name, "default");
    }

    #[test]
    fn mistakes_are_named() {
        let axes = r#""axes": { "a.b": ["x.y"], "p": ["q"] }"#;
        let kernel = |rest: &str| expand_text(&format!(r#"{{ {axes}, "kernels": [ {{ "source": "k.comp", {rest} }} ] }}"#)).unwrap_err();
        assert!(kernel(r#""axes": ["nope"]"#).contains("axis \"nope\" is not defined"));
        assert!(kernel(r#""axes": ["p"], "only": ["r"]"#).contains("pattern \"r\" matches no variant"));
        assert!(kernel(r#""axes": ["p"], "extra": [{"name": "q"}]"#).contains("two variants are named \"q\""));
        assert!(kernel(r#""axis": ["p"]"#).contains("unknown field `axis`"));
        assert!(kernel(r#""spirv": "2.0""#).contains("unknown variant `2.0`"));
        let parts = expand_text(r#"{ "axes": { "a.b": ["x"] }, "kernels": [ { "source": "k.comp", "axes": ["a.b"] } ] }"#);
        assert!(parts.unwrap_err().contains("should have 2 dotted parts"));
        let twice = expand_text(r#"{ "kernels": [ { "source": "k.comp" }, { "source": "k.comp" } ] }"#);
        assert!(twice.unwrap_err().contains("k.comp is listed twice"));
        let name = expand_text(r#"{ "kernels": [ { "source": "k-1.comp" } ] }"#);
        assert!(name.unwrap_err().contains("is not a Rust module's name"));
    }
}
