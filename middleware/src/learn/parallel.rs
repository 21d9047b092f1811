//! Distributes work over several threads.
//!
//! Items are taken one at a time, and the results are in the order of the items: nothing depends on the number of
//! threads. The threads live as long as the call, so that no pool is needed; with one thread, none is started.

use std::{
    panic::resume_unwind,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

/// What `f` says of each item, in their order, worked out by so many threads, of which this one is the first.
pub(super) fn map<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    f: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    if threads.min(items.len()) < 2 {
        return items.iter().map(f).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else {
                return done;
            };
            done.push((at, f(item)));
        }
    };
    let mut all = thread::scope(|scope| {
        // One that cannot be had leaves its work to the others.
        let others: Vec<_> = (1..threads.min(items.len()))
            .filter_map(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
            .collect();
        let mut all = work();
        for other in others {
            all.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        all
    });
    all.sort_unstable_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, said)| said).collect()
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn answers_stand_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..1_000).collect();
        for threads in [0, 1, 2, 7] {
            let said = map(threads, &items, |item| item * 2);
            assert!((0..1_000).map(|item| item * 2).eq(said), "{threads}");
        }
        assert!(map(3, &[] as &[u32], |item| *item).is_empty());
    }
}
