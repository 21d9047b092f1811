//! Does the operator want it at all?

pub mod extension;
pub mod hostname;
pub mod language;
pub mod structure;
pub mod validity;
