//! Everything behind the `nodust` command.
