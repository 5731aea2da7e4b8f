//! GLSL compute kernels to checked, typed Rust bindings, at build time.
//!
//! A folder of GLSL holds one folder a kernel family; each has `.comp` sources and a `variants.json` that says which modules
//! are built from them ([`variants`] documents it). `#include "…"` finds `.glsl` files beside the including file and below the
//! GLSL folder. The compiled modules are committed in `spirv/` inside it, so building needs no shader compiler:
//!
//! ```text
//! glsl/include/load.glsl
//! glsl/light/variants.json
//! glsl/light/blocks.comp
//! glsl/spirv/manifest.json
//! glsl/spirv/light/blocks.f16.subgroup.spv
//! ```
//!
//! A build script checks that the modules belong to the sources, and turns them into Rust:
//!
//! ```no_run
//! // build.rs
//! fn main() -> Result<(), wavelane_shader::Error> {
//!     wavelane_shader::Build::new("glsl").regenerate_command("cargo run -p engine-shaders").emit()
//! }
//! ```
//!
//! ```text
//! // src/shaders.rs
//! include!(concat!(env!("OUT_DIR"), "/shaders.rs"));
//! ```
//!
//! ```text
//! let constants = shaders::light::blocks::SpecializationConstants { workgroup_size: 128, ..Default::default() };
//! let module = shaders::light::blocks::module("f16.subgroup").ok_or(MissingVariant)?;
//! assert!((module.shared_bytes)(&constants) <= capabilities.max_compute_shared_memory_size);
//! let push_constants = shaders::light::blocks::PushConstants { count, row_pitch };
//! ```
//!
//! With the feature `compile` there are also `regenerate`, which writes the `spirv` folder, as a function and as the program
//! `regenerate-spirv`, and `Build::compile`, which compiles the sources in the build script instead. The bytes depend on
//! the sources and the compiler alone: not on the machine, the folder, comments or line numbers.
//!
//! # What is reflected
//!
//! [`reflect`] reads a module's bindings, push constants, specialization constants, local size, shared memory and
//! capabilities. Names in Rust are those of GLSL in snake case: `WORKGROUP_SIZE` becomes the field `workgroup_size`, the buffer
//! `Input` the constant `BINDING_INPUT` (a block's instance name, where it has one, goes before the block's own).
//! Push constants are scalars of 32 and 64 bits and vectors of them, without gaps; specialization constants are `uint`,
//! `int`, `float` and `bool`. Sizes of shared arrays may be any expression of the specialization constants.

mod build;
#[cfg(feature = "compile")]
pub mod compile;
mod error;
mod expression;
mod generate;
pub mod manifest;
mod names;
pub mod reflect;
#[cfg(feature = "compile")]
pub mod regenerate;
mod sources;
mod strip;
pub mod variants;
mod words;

pub use build::Build;
pub use error::Error;
pub use expression::{Expression, Operation};
pub use sources::Sources;
pub use strip::strip;
pub use words::{bytes_of_words, words_of_bytes};
