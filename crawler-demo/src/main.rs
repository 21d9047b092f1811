//! The nodust command.
fn main() {}
