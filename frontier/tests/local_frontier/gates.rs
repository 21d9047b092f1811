//! Gates of a crawler's own, whatever they count.

use std::{
    collections::HashMap,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use nodust_frontier::{Chain, Frontier, Gate, HostKey, LocalFrontier, NotYet, RawUrl, Turn};

use super::common::{page, seed};

/// Waits for a lease, though it may be that none is out.
#[derive(Debug, Default)]
struct Door {
    is_open: AtomicBool,
}

impl Gate for Door {
    fn check(&self, _host: &HostKey, _now: Instant) -> Result<(), NotYet> {
        if self.is_open.load(Ordering::SeqCst) {
            Ok(())
        } else {
            Err(NotYet::UntilReturned)
        }
    }
}

fn frontier() -> LocalFrontier {
    LocalFrontier::builder(Chain::new()).build().unwrap()
}

#[test]
fn a_host_whose_gate_waits_for_a_lease_that_is_not_out_is_asked_for_again_soon() {
    let (frontier, door) = (frontier(), Door::default());
    seed(&frontier, &["http://h.example/"]);
    let now = Instant::now();
    for _ in 0..3 {
        let turn = frontier.lease(now, &door).unwrap();
        assert!(
            matches!(turn, Turn::Wait(time) if time <= Duration::from_millis(10)),
            "{turn:?}"
        );
    }
    door.is_open.store(true, Ordering::SeqCst);
    let later = now + Duration::from_millis(10);
    let Turn::Fetch(lease) = frontier.lease(later, &door).unwrap() else {
        panic!("the gate is open");
    };
    frontier
        .observe(lease, &page(&[]), &mut Vec::new())
        .unwrap();
    let turn = frontier.lease(later, &door).unwrap();
    assert!(matches!(turn, Turn::Drained), "{turn:?}");
}

#[test]
fn a_host_whose_lease_is_out_is_not_asked_for_again_before_it_is_back() {
    let (frontier, door) = (frontier(), Door::default());
    seed(&frontier, &["http://h.example/a", "http://h.example/b"]);
    door.is_open.store(true, Ordering::SeqCst);
    let now = Instant::now();
    let Turn::Fetch(lease) = frontier.lease(now, &door).unwrap() else {
        panic!("the gate is open");
    };
    door.is_open.store(false, Ordering::SeqCst);
    for later in [now, now + Duration::from_secs(1)] {
        let turn = frontier.lease(later, &door).unwrap();
        assert!(matches!(turn, Turn::Idle), "{turn:?}");
    }
    frontier
        .observe(lease, &page(&[]), &mut Vec::new())
        .unwrap();
    let turn = frontier.lease(Instant::now(), &door).unwrap();
    assert!(matches!(turn, Turn::Wait(_)), "{turn:?}");
}

/// One request of a host at a time, by what it is told.
#[derive(Debug, Default)]
struct OneAtATime(Mutex<HashMap<HostKey, bool>>);

impl Gate for OneAtATime {
    fn check(&self, host: &HostKey, _now: Instant) -> Result<(), NotYet> {
        let mut hosts = self.0.lock().unwrap();
        let is_asked = hosts.entry(host.clone()).or_default();
        if *is_asked {
            return Err(NotYet::UntilReturned);
        }
        *is_asked = true;
        Ok(())
    }
}

impl OneAtATime {
    fn returned(&self, host: &HostKey) {
        self.0.lock().unwrap().insert(host.clone(), false);
    }
}

/// A crawler that tells its gate only once the lease is back: another thread asks in between.
#[test]
fn a_gate_that_is_told_after_the_lease_went_back_ends_no_crawl_early() {
    const PAGES: usize = 200;
    let (frontier, gate, fetched) = (frontier(), OneAtATime::default(), AtomicUsize::new(0));
    seed(&frontier, &["http://h.example/0"]);
    let crawl = || {
        loop {
            let lease = match frontier.lease(Instant::now(), &gate).unwrap() {
                Turn::Fetch(lease) => lease,
                Turn::Wait(time) => {
                    thread::sleep(time);
                    continue;
                }
                Turn::Idle => {
                    thread::yield_now();
                    continue;
                }
                Turn::Drained => return,
            };
            let number = fetched.fetch_add(1, Ordering::SeqCst) + 1;
            let next = [format!("/{number}"), format!("/{}", number + 1)];
            let links = [RawUrl::new(&next[0]), RawUrl::new(&next[1])];
            let links = if number < PAGES - 1 { &links[..] } else { &[] };
            let host = lease.url().host().clone();
            frontier
                .observe(lease, &page(links), &mut Vec::new())
                .unwrap();
            // Now and then another thread gets in between.
            if number.is_multiple_of(20) {
                thread::sleep(Duration::from_millis(1));
            }
            gate.returned(&host);
        }
    };
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(crawl);
        }
    });
    assert_eq!(fetched.into_inner(), PAGES);
    assert_eq!(frontier.totals().queued, 0);
}
