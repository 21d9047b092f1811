//! Do the commands of the README run, in their order, on a fresh clone?

#![cfg(unix)]

use std::{path::Path, process::Command};

/// The lines of all shell blocks but those that call cargo.
fn commands(readme: &str) -> String {
    let mut script = String::from("set -e\ntrap 'kill $! || true' EXIT\n");
    let mut is_shell = false;
    for line in readme.lines() {
        match line {
            "```sh" => is_shell = true,
            "```" => is_shell = false,
            line if is_shell && !line.starts_with("cargo ") => {
                script.push_str(line);
                script.push('\n');
            }
            _ => {}
        }
    }
    script
}

/// A port that nobody listens on, below those that systems give to connections, so that no other crawl takes it meanwhile.
fn free_port() -> u16 {
    let first = std::process::id() as u16 % 12_000;
    let mut ports = (0..12_000).map(|more| 20_000 + (first + more) % 12_000);
    let is_free = |port: &u16| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok();
    ports
        .find(is_free)
        .expect("of thousands of ports one is free")
}

#[test]
fn the_commands_of_the_readme_run_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let port = free_port().to_string();
    let script = commands(&readme)
        .replace("nodust demo --serve", "nodust demo --serve 8099")
        .replace("8099", &port)
        // A shell that nobody talks to need not number its jobs.
        .replace("kill %1", "kill $!");
    for command in [
        "demo",
        "crawl",
        "learn",
        "rules",
        "normalize",
        "eval",
        "replay",
        "beliefs",
        "explain",
    ] {
        assert!(
            script.contains(&format!("\nnodust {command} ")),
            "{command}"
        );
    }
    let program = Path::new(env!("CARGO_BIN_EXE_nodust")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let out = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path())
        .env("PATH", path)
        .env("RUST_LOG", "warn")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{script}\n{told}");
    assert!(!told.contains("WARN"), "{told}");
    let made: Vec<_> = (std::fs::read_dir(folder.path()).unwrap())
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(made, ["try"], "nothing else is left in a clone");
    let ignored = std::fs::read_to_string(root.join(".gitignore")).unwrap();
    assert!(ignored.lines().any(|line| line == "/try/"));
    let told = String::from_utf8_lossy(&out.stdout);
    let explained = told.rsplit("\nlink ").next().unwrap();
    assert!(explained.contains("on the word of belief"), "{told}");
    assert!(
        explained.contains("Found now, it would not be fetched"),
        "{told}"
    );
}

#[test]
fn the_readme_records_a_crawl_as_a_replay_that_misses_pages_asks_for() {
    let log = tempfile::NamedTempFile::new().unwrap();
    let line = "{\"url\": \"http://s.example/\", \"links\": [\"/lost\"]}\n";
    std::fs::write(log.path(), line).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_nodust"))
        .arg("replay")
        .arg(log.path())
        .env_remove("RUST_LOG")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&out.stderr);
    let (_, after) = told.split_once("A crawl with ").unwrap();
    let (switches, _) = after.split_once(" records all").unwrap();
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let words: Vec<_> = readme.split_whitespace().collect();
    assert_eq!(
        words.join(" ").matches(switches).count(),
        1,
        "the recipe to record a crawl: {switches}"
    );
}
