//! What does the store on disk do when something goes wrong?
//!
//! Numbered commits, each of which touches seen-set, queue, ledger and state, are written until a
//! process is killed, a disk is full or a file is cut short. What is there afterwards must be the
//! commits from the first to some last one, in all four alike, and at least those that were flushed; or
//! the store must say that it is damaged.

#![expect(clippy::unwrap_used, reason = "a failed test is a panic")]

use std::{
    env, fs,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use nodust_frontier::{
    BeliefId, Commit, FlushPolicy, Ledger, LedgerEntry, Queue, SeenAs, SeenStore, SledOptions,
    SledStore, StateStore, Store, StoreError,
};
use nodust_tests::store_suite::{host_key, link, name, waiting};

const FOLDER: &str = "NODUST_TEST_STORE";
const PATIENCE: Duration = Duration::from_mins(1);

fn options() -> SledOptions {
    SledOptions {
        flush: FlushPolicy::EveryMs(20),
        // So little that the seen-set goes to disk now and then.
        seen_memory_bytes: 32 << 10,
        ..SledOptions::default()
    }
}

/// The commit with this number. Every second one settles the oldest entry of the queue.
fn commit(store: &SledStore, number: u64) -> Result<(), StoreError> {
    let settled = if number.is_multiple_of(2) {
        let (ticket, entry) = store.take(&host_key(0))?.expect("entries wait");
        assert_eq!(entry, waiting(0, number / 2, 128));
        vec![ticket]
    } else {
        Vec::new()
    };
    let names = (0..20).map(|n| (name(number * 20 + n), SeenAs::Admitted));
    store.commit(Commit {
        seen: names.collect(),
        queued: vec![waiting(0, number, 128)],
        settled,
        ledger: vec![LedgerEntry {
            belief: BeliefId::STATIC,
            stage: Some("normalize".into()),
            admitted: link(1, number),
        }],
        state: vec![
            ("last".into(), Some(number.to_le_bytes().to_vec())),
            (format!("page/{number:08}"), Some(vec![0; 100])),
        ],
        ..Commit::default()
    })
}

/// Checks that exactly the commits from 1 to some last one are there, and answers that one.
fn audit(store: &SledStore) -> Result<u64, StoreError> {
    let last = match store.state("last")? {
        Some(bytes) => u64::from_le_bytes(bytes.as_slice().try_into().unwrap()),
        None => 0,
    };
    let mut pages = 0;
    store.state_scan("page/", &mut |key, _| {
        pages += 1;
        assert_eq!(key, format!("page/{pages:08}"));
    })?;
    assert_eq!(pages, last, "state");
    let mut found = Vec::new();
    let names: Vec<_> = (0..(last + 9) * 20).map(name).collect();
    store.lookup(&names, &mut found)?;
    for (n, found) in (0u64..).zip(found) {
        let expected = (1..=last).contains(&(n / 20)).then_some(SeenAs::Admitted);
        assert_eq!(
            found,
            expected,
            "name {n} of commit {}, last {last}",
            n / 20
        );
    }
    assert_eq!(store.seen_len(), last * 20);
    assert_eq!(store.queue_len(), last - last / 2);
    let mut out = Vec::new();
    for number in last / 2 + 1..=last {
        let (ticket, entry) = store.take(&host_key(0))?.expect("it waits");
        assert_eq!(entry, waiting(0, number, 128));
        out.push(ticket);
    }
    assert_eq!(store.take(&host_key(0))?, None);
    for ticket in &out {
        store.put_back(ticket);
    }
    let mut dropped = 0;
    store.ledger_scan(&mut |_, _| {
        dropped += 1;
        true
    })?;
    assert_eq!((dropped, store.ledger_len()), (last, last), "ledger");
    Ok(last)
}

/// What a child process does: goes on with the commits until it is killed or cannot, and says on its
/// output which of them are flushed.
#[test]
#[ignore = "runs as a child process of the other tests"]
fn child_that_commits() {
    let Some(folder) = env::var_os(FOLDER) else {
        return;
    };
    let store = match SledStore::open(folder, &options()) {
        Ok(store) => store,
        Err(StoreError::InUse { .. }) => return println!("\nin use"),
        Err(error) => return println!("\nnot opened: {error}"),
    };
    let first = audit(&store).unwrap() + 1;
    for number in first.. {
        let written = commit(&store, number);
        let written = match number % 25 {
            0 => written.and_then(|()| store.flush()),
            _ => written,
        };
        match written {
            Ok(()) if number % 25 == 0 => println!("\nflushed {number}"),
            Ok(()) => {}
            Err(StoreError::Io { .. }) => {
                assert!(commit_fails(&store), "a store that has failed stays failed");
                return println!("\nfailed");
            }
            Err(other) => panic!("{other}"),
        }
    }
}

fn commit_fails(store: &SledStore) -> bool {
    let state = vec![("after".into(), Some(vec![1]))];
    let late = Commit {
        state,
        ..Commit::default()
    };
    store.commit(late).is_err() && store.flush().is_err() && store.state("last").is_err()
}

fn child(command: &mut Command, folder: &Path) -> Child {
    command
        .args(["--exact", "child_that_commits", "--ignored", "--nocapture"])
        .args(["--test-threads", "1"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The last commit of which the child said that it was flushed, and whether it said that it failed.
fn last_words(child: &mut Child) -> (u64, String) {
    let mut flushed = 0;
    let mut last = String::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        match line.strip_prefix("flushed ").map(str::parse) {
            Some(Ok(number)) => flushed = number,
            _ if ["failed", "in use"].contains(&line.as_str()) || line.starts_with("not ") => {
                last = line;
            }
            _ => {}
        }
    }
    (flushed, last)
}

fn wait_or_kill(child: &mut Child, patience: Duration) -> bool {
    let began = Instant::now();
    while began.elapsed() < patience {
        if child.try_wait().unwrap().is_some() {
            return true;
        }
        thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    false
}

#[test]
fn killed_at_any_instant_it_keeps_the_first_commits_and_all_that_were_flushed() {
    let folder = tempfile::tempdir().unwrap();
    let mut last = 0;
    for round in 0..10u64 {
        let mut child = child(
            &mut Command::new(env::current_exe().unwrap()),
            folder.path(),
        );
        // Instants spread over a commit's and a flush's time alike.
        thread::sleep(Duration::from_millis(150 + round * 53 % 200));
        child.kill().unwrap();
        child.wait().unwrap();
        let (flushed, words) = last_words(&mut child);
        assert_eq!(words, "");
        let store = SledStore::open(folder.path(), &options()).unwrap();
        let found = audit(&store).unwrap();
        assert!(
            found >= flushed,
            "{flushed} were flushed, {found} are there"
        );
        assert!(found >= last, "{last} were there, {found} are left");
        last = found;
    }
    assert!(last > 0, "the children came to commit something");
}

#[test]
fn a_second_process_is_told_that_the_store_is_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let store = SledStore::open(folder.path(), &options()).unwrap();
    let mut child = child(
        &mut Command::new(env::current_exe().unwrap()),
        folder.path(),
    );
    assert!(wait_or_kill(&mut child, PATIENCE), "it does not wait");
    assert_eq!(last_words(&mut child).1, "in use");
    commit(&store, 1).unwrap();
}

/// Runs a child under a limit on the size of files, and audits what it left once the limit is gone.
fn fill_up(command: &mut Command, folder: &Path) -> u64 {
    let mut child = child(command, folder);
    assert!(
        wait_or_kill(&mut child, PATIENCE),
        "a full disk is told, not waited for"
    );
    let (flushed, words) = last_words(&mut child);
    let mut errors = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut errors)
        .unwrap();
    assert_eq!(words, "failed", "after {flushed} flushed commits: {errors}");
    flushed
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_grow_is_an_error_and_loses_nothing_flushed() {
    let folder = tempfile::tempdir().unwrap();
    // With the signal ignored, writes beyond the limit fail as on a full disk. Blocks of 512 or 1,024
    // bytes, as the shell likes.
    let script = "trap '' XFSZ; ulimit -f 4096; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command
        .args(["-c", script])
        .arg(env::current_exe().unwrap());
    let flushed = fill_up(&mut command, folder.path());
    let store = SledStore::open(folder.path(), &options()).unwrap();
    let found = audit(&store).unwrap();
    assert!(
        found >= flushed,
        "{flushed} were flushed, {found} are there"
    );
    commit(&store, found + 1).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_loses_nothing_flushed() {
    let folder = tempfile::tempdir().unwrap();
    let mount = |arguments: &[&str]| {
        status_of(
            Command::new("mount")
                .args(arguments)
                .arg(folder.path())
                .stderr(Stdio::null()),
        )
    };
    if !mount(&["-t", "tmpfs", "-o", "size=4m", "tmpfs"]) {
        eprintln!("skipped: this user may not mount a small disk");
        return;
    }
    let store = folder.path().join("store");
    let outcome = std::panic::catch_unwind(|| {
        let flushed = fill_up(&mut Command::new(env::current_exe().unwrap()), &store);
        assert!(mount(&["-o", "remount,size=64m"]), "the disk can grow");
        let store = SledStore::open(&store, &options()).unwrap();
        let found = audit(&store).unwrap();
        assert!(
            found >= flushed,
            "{flushed} were flushed, {found} are there"
        );
        commit(&store, found + 1).unwrap();
    });
    assert!(status_of(Command::new("umount").arg(folder.path())));
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic);
    }
}

#[cfg(target_os = "linux")]
fn status_of(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}

/// Opens and audits a store on a thread of its own, so that a hang is noticed.
fn audit_in_time(folder: &Path, options: &SledOptions) -> Result<u64, StoreError> {
    let (done, result) = mpsc::channel();
    let (folder, options) = (folder.to_owned(), options.clone());
    let worker = thread::spawn(move || {
        let audited = SledStore::open(&folder, &options).and_then(|store| audit(&store));
        let _ = done.send(audited);
    });
    match result.recv_timeout(PATIENCE) {
        Ok(audited) => audited,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("opening a cut store hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            std::panic::resume_unwind(worker.join().expect_err("it ended without an answer"))
        }
    }
}

#[test]
fn a_cut_file_is_damage_or_leaves_the_first_commits() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    let commits = 1200;
    let store = SledStore::open(&whole, &options()).unwrap();
    for number in 1..=commits {
        commit(&store, number).unwrap();
    }
    drop(store);
    let lenient = SledOptions {
        accept_loss: true,
        ..options()
    };
    let (mut told, mut prefixes) = (0, 0);
    for file in ["sled/db", "durable"] {
        let length = fs::metadata(whole.join(file)).unwrap().len();
        // Spread evenly, at no round places; and where a disk that lost its last writes leaves off.
        let spread =
            (0..length.min(24)).map(|step| length * step / 24 + step * 131 % (length / 24).max(1));
        let of_end = [500, 1000, 4000, 20_000].map(|less| length.saturating_sub(less));
        for cut in spread.chain(of_end) {
            let copy = folder.path().join("copy");
            copy_folder(&whole, &copy);
            let damaged = copy.join(file);
            fs::File::options()
                .write(true)
                .open(damaged)
                .unwrap()
                .set_len(cut)
                .unwrap();
            match audit_in_time(&copy, &options()) {
                Ok(found) => assert_eq!(found, commits, "a loss of what was durable is told"),
                Err(StoreError::Damaged { .. } | StoreError::LostCommits { .. }) => {
                    told += 1;
                    let again = audit_in_time(&copy, &options());
                    assert!(again.is_err(), "it could be opened at once");
                }
                Err(other) => panic!("{other}"),
            }
            match audit_in_time(&copy, &lenient) {
                Ok(_) => prefixes += 1,
                Err(StoreError::Damaged { .. }) => {
                    let aside = SledStore::move_aside(&copy).unwrap();
                    assert_eq!(audit_in_time(&copy, &options()).unwrap(), 0);
                    fs::remove_dir_all(aside).unwrap();
                }
                Err(other) => panic!("{other}"),
            }
            fs::remove_dir_all(&copy).unwrap();
        }
    }
    eprintln!("{told} cuts were told as damage; {prefixes} left the first commits");
    assert!(told > 0);
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
