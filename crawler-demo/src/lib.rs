//! Everything behind the `nodust` command.

pub mod clean;
pub mod files;
pub mod site;
