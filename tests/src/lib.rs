//! Helpers shared by the whole-system tests.

pub mod conformance;
