use super::*;
use crate::{Candidate, RawUrl, Via};

fn link(text: &str) -> Queued {
    let candidate = Candidate::resolve(RawUrl::new(text), &Via::seed()).unwrap();
    Queued {
        admitted: candidate.seal(&Via::seed(), 1),
        attempt: 0,
    }
}

fn open(path: &Path) -> SledStore {
    SledStore::open(path, &SledOptions::default()).unwrap()
}

#[test]
fn what_was_handed_out_and_not_settled_is_offered_again_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let queued: Vec<_> = (0..100)
        .map(|n| link(&format!("http://h.example/{n}")))
        .collect();
    let host = queued[0].admitted.url.host().clone();
    store
        .commit(Commit {
            queued: queued.clone(),
            ..Commit::default()
        })
        .unwrap();
    let mut settled = Vec::new();
    for (n, expected) in queued.iter().enumerate() {
        let (ticket, entry) = store.take(&host).unwrap().unwrap();
        assert_eq!(entry, *expected);
        if n % 3 != 0 {
            settled.push(ticket);
        }
    }
    assert_eq!(store.take(&host).unwrap(), None);
    assert_eq!(store.hosts().unwrap(), []);
    store
        .commit(Commit {
            settled,
            ..Commit::default()
        })
        .unwrap();
    assert_eq!(store.queue_len(), 34);
    drop(store);

    let store = open(folder.path());
    assert_eq!((store.queue_len(), store.hosts().unwrap().len()), (34, 1));
    for n in (0..100).step_by(3) {
        let (ticket, entry) = store.take(&host).unwrap().unwrap();
        assert_eq!(entry, queued[n]);
        store
            .commit(Commit {
                settled: vec![ticket],
                ..Commit::default()
            })
            .unwrap();
    }
    assert_eq!((store.queue_len(), store.hosts().unwrap().len()), (0, 0));
}

#[test]
fn a_store_is_open_only_once_and_can_be_moved_aside_when_closed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = open(&path);
    let second = SledStore::open(&path, &SledOptions::default());
    assert!(matches!(&second, Err(StoreError::InUse { .. })));
    // It is this process that has it open, so that it must not be told to look for another alone.
    let told = second.err().unwrap().to_string();
    assert!(
        told.contains("by another process, or by this one"),
        "{told}"
    );
    let in_use = SledStore::move_aside(&path).unwrap_err();
    assert_eq!(in_use.kind(), io::ErrorKind::ResourceBusy);
    drop(store);
    let aside = SledStore::move_aside(&path).unwrap();
    assert!(aside.is_dir() && !path.exists());
    assert_eq!(open(&path).seen_len(), 0);
}

#[test]
fn a_lock_that_cannot_be_opened_does_not_pass_for_a_store_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    drop(open(&path));
    std::fs::remove_file(path.join("lock")).unwrap();
    std::fs::create_dir(path.join("lock")).unwrap();
    let error = SledStore::move_aside(&path).unwrap_err();
    assert_ne!(error.kind(), io::ErrorKind::ResourceBusy);
    assert!(error.to_string().contains("open the lock"), "{error}");
    assert!(path.is_dir());
}

#[test]
fn a_folder_of_other_files_is_refused_and_left_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("notes.txt");
    std::fs::write(&note, "mine").unwrap();
    let refused = SledStore::open(folder.path(), &SledOptions::default());
    assert!(matches!(refused, Err(StoreError::Foreign { .. })));
    assert!(SledStore::move_aside(folder.path()).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    std::fs::remove_file(&note).unwrap();
    drop(open(folder.path()));
    // Files beside a store that is there are nobody's business.
    std::fs::write(&note, "mine").unwrap();
    assert!(!SledStore::owns(&note));
    for name in ["format", "lock", "sled/db"] {
        assert!(SledStore::owns(folder.path().join(name)), "{name}");
    }
    drop(open(folder.path()));
}

#[test]
fn another_format_and_a_missing_database_are_told_and_nothing_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    let marker = folder.path().join("format");
    let text = std::fs::read_to_string(&marker).unwrap();
    std::fs::write(&marker, "nodust store 99").unwrap();
    let other = SledStore::open(folder.path(), &SledOptions::default());
    assert!(matches!(other, Err(StoreError::Format { found: 99, .. })));
    std::fs::write(&marker, text).unwrap();
    std::fs::remove_dir_all(folder.path().join("sled")).unwrap();
    let empty = SledStore::open(folder.path(), &SledOptions::default());
    assert!(matches!(empty, Err(StoreError::Damaged { .. })));
    assert!(!folder.path().join("sled").exists());
}

#[test]
fn a_missing_log_is_told_with_the_number_of_durable_commits_where_there_were_any() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    let database = sled::open(folder.path().join("sled")).unwrap();
    database.remove(keys::COUNTERS).unwrap().unwrap();
    drop(database);
    let told = || {
        SledStore::open(folder.path(), &SledOptions::default())
            .unwrap_err()
            .to_string()
    };
    let none_noted = told();
    assert!(
        none_noted.contains("its log of commits is missing"),
        "{none_noted}"
    );
    std::fs::write(folder.path().join("durable"), "7").unwrap();
    let noted = told();
    assert!(
        noted.contains("of 7 commits that were durable none can be read"),
        "{noted}"
    );
}

#[test]
fn many_may_flush_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let store = SledStore::open(folder.path(), &SledOptions::default()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let store = &store;
            scope.spawn(move || {
                for n in 0..25u8 {
                    let state = vec![(format!("{thread}/{n}"), Some(vec![n]))];
                    store
                        .commit(Commit {
                            state,
                            ..Commit::default()
                        })
                        .unwrap();
                    store.flush().unwrap();
                }
            });
        }
    });
}

#[test]
fn commits_in_a_hurry_do_not_bring_the_writing_to_a_stand() {
    let work = |seed: u8| {
        let folder = tempfile::tempdir().unwrap();
        let options = SledOptions {
            flush: FlushPolicy::EveryMs(1),
            ..SledOptions::default()
        };
        let store = SledStore::open(folder.path(), &options).unwrap();
        for n in 0..12_000u32 {
            // Values that come and go free segments of the file, at its end, too.
            let value =
                |n: u32| (!n.is_multiple_of(7)).then(|| vec![seed; 200 + (n % 3000) as usize]);
            let state = (0..4).map(|m| (format!("{}", (n * 4 + m) % 200), value(n + m)));
            store
                .commit(Commit {
                    state: state.collect(),
                    ..Commit::default()
                })
                .unwrap();
        }
    };
    let (done, ended) = std::sync::mpsc::channel();
    for seed in 0..4 {
        let done = done.clone();
        std::thread::spawn(move || {
            work(seed);
            done.send(()).unwrap();
        });
    }
    // Not a matter of speed: what stands still does so for ever.
    for _ in 0..4 {
        ended
            .recv_timeout(std::time::Duration::from_mins(2))
            .unwrap();
    }
}

#[test]
fn a_ledger_keeps_its_limit_and_counts_what_it_could_not_keep() {
    let folder = tempfile::tempdir().unwrap();
    let options = SledOptions {
        ledger_limit: 3,
        ..SledOptions::default()
    };
    let store = SledStore::open(folder.path(), &options).unwrap();
    let ledger: Vec<_> = (0..5)
        .map(|n| LedgerEntry {
            belief: BeliefId::STATIC,
            stage: None,
            admitted: link(&format!("http://h.example/{n}")).admitted,
        })
        .collect();
    let first = ledger[0].admitted.clone();
    store
        .commit(Commit {
            ledger,
            ..Commit::default()
        })
        .unwrap();
    drop(store);
    let store = SledStore::open(folder.path(), &options).unwrap();
    assert_eq!((store.ledger_len(), store.ledger_overflow()), (3, 2));
    store
        .commit(Commit {
            recalled: vec![(first.url.host().clone(), first.class, first.key)],
            ..Commit::default()
        })
        .unwrap();
    assert_eq!(store.ledger_len(), 2);
}

#[test]
fn a_full_block_of_the_seen_set_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let name = |n: u64| Fingerprint::from_parts(0, n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let store = open(folder.path());
    for page in 0..100u64 {
        let seen = (0..60).map(|n| (name(page * 60 + n), SeenAs::Admitted));
        store
            .commit(Commit {
                seen: seen.collect(),
                ..Commit::default()
            })
            .unwrap();
    }
    drop(store);
    let store = open(folder.path());
    let names: Vec<_> = (0..7000).map(name).collect();
    let mut found = Vec::new();
    store.lookup(&names, &mut found).unwrap();
    assert!(found[..6000].iter().all(|f| *f == Some(SeenAs::Admitted)));
    assert!(found[6000..].iter().all(Option::is_none));
    assert_eq!(store.seen_len(), 6000);
}

#[test]
fn a_seen_set_over_its_memory_goes_to_disk_and_answers_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let options = SledOptions {
        seen_memory_bytes: 128 << 10,
        ..SledOptions::default()
    };
    let name = |n: u64| Fingerprint::from_parts(0, n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let count = 40_000;
    let reason = |n: u64| {
        if n.is_multiple_of(3) {
            SeenAs::Dropped
        } else {
            SeenAs::Admitted
        }
    };
    let mut store = SledStore::open(folder.path(), &options).unwrap();
    for first in (0..count).step_by(500) {
        let seen = (first..first + 500).map(|n| (name(n), reason(n)));
        store
            .commit(Commit {
                seen: seen.collect(),
                ..Commit::default()
            })
            .unwrap();
    }
    let names: Vec<_> = (0..2 * count).map(name).collect();
    for _ in 0..2 {
        assert!(!store.seen().is_all_in_memory());
        assert!(store.seen_bytes() < 200 << 10, "{}", store.seen_bytes());
        assert_eq!(store.seen_len(), count);
        let mut found = Vec::new();
        store.lookup(&names, &mut found).unwrap();
        for (n, found) in (0..).zip(found) {
            assert_eq!(found, (n < count).then(|| reason(n)));
        }
        drop(store);
        store = SledStore::open(folder.path(), &options).unwrap();
    }
}

#[test]
fn what_a_kill_left_of_a_snapshot_is_no_damage() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store
        .commit(Commit {
            queued: vec![link("http://h.example/1")],
            ..Commit::default()
        })
        .unwrap();
    store.flush().unwrap();
    drop(store);
    let left = (folder.path().join("sled")).join("snap.FFFFFFFFFFFFFFF0.generating");
    for octets in [&b""[..], b"half of a snapshot"] {
        std::fs::write(&left, octets).unwrap();
        assert_eq!(open(folder.path()).queue_len(), 1);
        assert!(!left.exists());
    }
}
