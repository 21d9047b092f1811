//! Calling the command, as the tests of it do.

use std::{
    io::Write as _,
    path::Path,
    process::{Command, Output, Stdio},
};

/// Calls nodust with these octets on standard input.
pub(crate) fn nodust_fed(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nodust"))
        .args(args)
        .env("RUST_LOG", "warn")
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
