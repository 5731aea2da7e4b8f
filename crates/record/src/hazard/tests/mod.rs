//! Tests of the tracker: rule by rule, and against a model.

mod model;
mod properties;
