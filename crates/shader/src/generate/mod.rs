//! Rust source for the kernels of a GLSL folder.
//!
//! For each family there is a module, and in it one for each kernel, with
//!
//! - `PushConstants`, a `repr(C)` structure whose offsets are asserted, and `PUSH_CONSTANT_BYTES`,
//! - `SpecializationConstants`, with the shader's defaults and `entries()` for the pipeline,
//! - `BINDING_…` numbers, and `BINDINGS`: what each is and how it is accessed,
//! - `MODULES`, sorted by name, and `module(name)`.
//!
//! The type `Module` itself is hand-written in the crate that uses this: `wavelane::shader` by default.

mod kernel;
mod union;

use crate::error::Error;
use crate::reflect::Reflection;
use crate::variants::Kernel;
use crate::words::words_of_bytes;
use std::path::{Path, PathBuf};

/// A kernel with the bytes of its modules and where the generated code finds them.
pub(crate) struct Built {
    pub(crate) kernel: Kernel,
    /// In the order of the kernel's variants.
    pub(crate) modules: Vec<Vec<u8>>,
    /// The folder that the kernel's [`Kernel::file`] names are relative to.
    pub(crate) folder: PathBuf,
}

/// Generates the source for all kernels. `runtime` is the path of the Rust module that holds `Module`.
pub(crate) fn source(kernels: &[Built], runtime: &str) -> Result<String, Error> {
    let mut out = String::from("// Generated from GLSL by wavelane-shader.\n");
    let mut family = "";
    for built in kernels {
        if built.kernel.family != family {
            if !family.is_empty() {
                out.push_str("}\n");
            }
            family = &built.kernel.family;
            out.push_str(&format!("/// The kernels of `{family}/`.\npub mod {family} {{\n"));
        }
        out.push_str(&kernel_source(built, runtime)?);
    }
    if !family.is_empty() {
        out.push_str("}\n");
    }
    Ok(out)
}

fn kernel_source(built: &Built, runtime: &str) -> Result<String, Error> {
    let mut modules = Vec::new();
    for (variant, bytes) in built.kernel.variants.iter().zip(&built.modules) {
        let file = built.kernel.file(variant);
        let reflection = Reflection::of_words(&file, &words_of_bytes(&file, bytes)?)?;
        if reflection.entry_point != "main" {
            return Err(Error::spirv(&file, format!("the entry point is {:?}, not \"main\"", reflection.entry_point)));
        }
        modules.push((variant.name.as_str(), reflection));
    }
    let union = union::Union::of(&built.kernel.label(), &modules)?;
    Ok(kernel::source(built, &modules, &union, runtime))
}

/// A path as a Rust string literal.
fn path_literal(path: &Path) -> String {
    format!("{:?}", path.display().to_string())
}
