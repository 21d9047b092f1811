//! Hosts that asked an earlier run to be left alone for a while.
//!
//! `Retry-After` is an answer to the crawler, not to one run of it: a crawl that is stopped and goes on a minute later must not ask
//! a host that wants to be left alone for an hour. So such times are kept in the store, and hold until they are over.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nodust_frontier::{Commit, HostKey, Store, StoreError};

use crate::{politeness::Politeness, words::counted};

/// How the names of the states begin under which the store keeps them; the host follows. The value is the time, in seconds since 1970.
const LEFT_ALONE: &str = "crawl/left-alone/";

/// Keeps what hosts have asked for since this was called last.
pub(crate) fn keep(politeness: &Politeness, store: &dyn Store) -> Result<(), StoreError> {
    politeness.keep_asked(|asked| write(asked, store))
}

fn write(asked: Vec<(HostKey, SystemTime)>, store: &dyn Store) -> Result<(), StoreError> {
    let seconds = |until: SystemTime| {
        until
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_secs()
    };
    let state = asked
        .into_iter()
        .map(|(host, until)| (name(&host), Some(seconds(until).to_string().into_bytes())))
        .collect();
    store.commit(Commit {
        state,
        ..Commit::default()
    })
}

/// Leaves alone whoever asked for it and whose time is not over, and says for how long; the others are forgotten.
pub(super) fn heed(
    politeness: &Politeness,
    store: &dyn Store,
    now: SystemTime,
) -> Result<Vec<(HostKey, Duration)>, StoreError> {
    let mut over = Vec::new();
    let mut waits = Vec::new();
    store.state_scan(
        LEFT_ALONE,
        &mut |name, until| match (name.strip_prefix(LEFT_ALONE)).zip(wait(until, now)) {
            Some((host, wait)) => waits.push((HostKey::from_text(host), wait)),
            None => over.push((name.to_owned(), None)),
        },
    )?;
    waits.retain_mut(|(host, wait)| {
        *wait = politeness.leave_alone(host, *wait);
        !wait.is_zero()
    });
    if let Some((host, wait)) = waits.iter().max_by_key(|(_, wait)| *wait) {
        tracing::info!(
            "{} asked an earlier run to be left alone, and still {}: {host} the longest, for {wait:.0?} more",
            counted(waits.len() as u64, "host"),
            if waits.len() == 1 { "is" } else { "are" },
        );
    }
    store.commit(Commit {
        state: over,
        ..Commit::default()
    })?;
    Ok(waits)
}

/// How long it is until then, if it is later than now.
fn wait(until: &[u8], now: SystemTime) -> Option<Duration> {
    let seconds = std::str::from_utf8(until).ok()?.parse().ok()?;
    let until = UNIX_EPOCH.checked_add(Duration::from_secs(seconds))?;
    until
        .duration_since(now)
        .ok()
        .filter(|wait| !wait.is_zero())
}

fn name(host: &HostKey) -> String {
    format!("{LEFT_ALONE}{host}")
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use nodust_frontier::{Gate as _, MemoryStore, NotYet, StateStore as _};

    use super::*;
    use crate::politeness::Limits;

    fn polite() -> Politeness {
        Politeness::new(Limits {
            delay: Duration::ZERO,
            ..Limits::default()
        })
    }

    #[test]
    fn what_a_host_asked_for_holds_in_a_later_run_until_its_time_is_over() {
        let store = MemoryStore::default();
        let hosts = ["a.example", "b.example:81", "c.example"].map(HostKey::from_text);
        let first = polite();
        first.refused_by(&hosts[0], 503, Some("600"));
        first.refused_by(&hosts[1], 429, Some("60"));
        // Without a time, and with one that is longer than is believed.
        first.refused_by(&hosts[2], 429, None);
        keep(&first, &store).unwrap();
        first.refused_by(&hosts[1], 429, Some("999999999999"));
        keep(&first, &store).unwrap();
        // What is asked for later does not shorten what was asked for.
        for less in ["0", "5", "Sun, 06 Nov 1994 08:49:37 GMT"] {
            first.refused_by(&hosts[1], 429, Some(less));
            first.asked(&hosts[0], less);
            keep(&first, &store).unwrap();
        }

        let now = SystemTime::now();
        let waits = |after: Duration| {
            let later = polite();
            heed(&later, &store, now + after).unwrap();
            hosts
                .each_ref()
                .map(|host| match later.check(host, Instant::now()) {
                    Ok(()) => 0,
                    Err(NotYet::For(wait)) => wait.as_secs() + 1,
                    Err(other) => panic!("{other:?}"),
                })
        };
        let [a, b, c] = waits(Duration::from_secs(100));
        assert!((498..=501).contains(&a), "{a}");
        assert!((3498..=3501).contains(&b), "{b}");
        assert_eq!(c, 0);
        assert_eq!(waits(Duration::from_secs(601))[0], 0);
        let mut kept = Vec::new();
        let each = &mut |name: &str, _: &[u8]| kept.push(name.to_owned());
        store.state_scan(LEFT_ALONE, each).unwrap();
        assert_eq!(kept, [name(&hosts[1])], "what is over is forgotten");
    }

    #[test]
    fn a_host_that_asked_for_longer_than_the_crawl_waits_is_not_waited_for_in_a_later_run_either() {
        let store = MemoryStore::default();
        let host = HostKey::from_text("a.example");
        let limits = Limits {
            max_wait: Duration::from_mins(1),
            ..Limits::default()
        };
        let run = || Politeness::new(limits);
        let first = run();
        first.refused_by(&host, 503, Some("600"));
        assert!(first.is_given_up(&host));
        keep(&first, &store).unwrap();
        let second = run();
        let waits = heed(&second, &store, SystemTime::now()).unwrap();
        assert_eq!(waits.len(), 1);
        assert!(second.is_given_up(&host));
        // Nothing was asked, and nothing is forgotten.
        keep(&second, &store).unwrap();
        let third = polite();
        heed(&third, &store, SystemTime::now()).unwrap();
        assert!(!third.is_given_up(&host) && third.check(&host, Instant::now()).is_err());
        // Where nothing is believed, nobody is left alone.
        let fourth = Politeness::new(Limits {
            max_backoff: Duration::ZERO,
            ..limits
        });
        let waits = heed(&fourth, &store, SystemTime::now()).unwrap();
        assert!(waits.is_empty() && fourth.check(&host, Instant::now()).is_ok());
    }

    #[test]
    fn what_several_tasks_hear_at_once_is_kept_as_the_longest() {
        let store = MemoryStore::default();
        let run = polite();
        let host = HostKey::from_text("a.example");
        std::thread::scope(|scope| {
            for task in 0..8 {
                let (run, host, store) = (&run, &host, &store);
                scope.spawn(move || {
                    for asked in (task..160).step_by(8) {
                        run.refused_by(host, 503, Some(&(asked + 1).to_string()));
                        keep(run, store).unwrap();
                    }
                });
            }
        });
        let waits = heed(&polite(), &store, SystemTime::now()).unwrap();
        assert!(waits[0].1 > Duration::from_secs(155), "{waits:?}");
    }

    #[test]
    fn a_clock_that_was_set_back_keeps_nobody_waiting_for_longer_than_the_limits_allow() {
        let store = MemoryStore::default();
        let host = HostKey::from_text("a.example");
        let run = polite();
        run.refused_by(&host, 503, Some("600"));
        keep(&run, &store).unwrap();
        let later = polite();
        heed(&later, &store, UNIX_EPOCH).unwrap();
        match later.check(&host, Instant::now()) {
            Err(NotYet::For(wait)) => assert!(wait <= later.limits().max_backoff, "{wait:?}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_cannot_be_read_is_forgotten() {
        let store = MemoryStore::default();
        let key = format!("{LEFT_ALONE}a.example");
        for junk in [&b"soon"[..], b"\xff", b"99999999999999999999999"] {
            let state = vec![(key.clone(), Some(junk.to_vec()))];
            store
                .commit(Commit {
                    state,
                    ..Commit::default()
                })
                .unwrap();
            heed(&polite(), &store, SystemTime::now()).unwrap();
            assert_eq!(store.state(&key).unwrap(), None, "{junk:?}");
        }
    }
}
