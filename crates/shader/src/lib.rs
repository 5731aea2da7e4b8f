//! GLSL compute kernels to checked, typed Rust bindings, at build time.

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
