//! GLSL compute kernels to checked, typed Rust bindings, at build time.

#[cfg(feature = "compile")]
pub mod compile;
mod error;
pub mod manifest;
mod names;
#[cfg(feature = "compile")]
pub mod regenerate;
mod sources;
mod strip;
pub mod variants;
mod words;

pub use error::Error;
pub use sources::Sources;
pub use strip::strip;
pub use words::{bytes_of_words, words_of_bytes};
