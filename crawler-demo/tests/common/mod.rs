//! Calling the command, as the tests of it do.

use std::{
    io::Write as _,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;

/// Calls nodust with these octets on standard input.
pub(crate) fn nodust_fed(args: &[&str], input: &[u8]) -> Output {
    nodust_at("warn", args, input)
}

/// The same; it tells what is of this level, and worse.
pub(crate) fn nodust_at(level: &str, args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nodust"))
        .args(args)
        .env("RUST_LOG", level)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses its switches does not wait for its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Calls nodust with nothing on standard input.
pub(crate) fn nodust(args: &[&str]) -> Output {
    nodust_fed(args, b"")
}

pub(crate) fn text(octets: &[u8]) -> String {
    String::from_utf8(octets.to_vec()).unwrap()
}

pub(crate) fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// What a file of JSON says.
pub(crate) fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}
