//! Turns panics of sled into errors.
//!
//! sled panics where other libraries return an error: on a file that it cannot read, on a full disk. Each call of it
//! goes through [`catch`], and the [`Disk`](super::disk::Disk) makes an error of what comes back.

use std::{
    any::Any,
    cell::Cell,
    panic::{self, AssertUnwindSafe},
    thread,
};

/// What the threads are called that sled itself starts.
const SLEDS_THREADS: [&str; 2] = ["sled-io-", "log flusher"];

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread is sled's and will be returned as a [`StoreError`](crate::StoreError): by the call
/// under way, or by the next one if sled panics on a thread of its own.
///
/// For a hook that prints panics (`std::panic::set_hook`): a program that reports errors need not print these, too.
pub fn panic_becomes_error() -> bool {
    let is_sleds = |name: &str| SLEDS_THREADS.iter().any(|known| name.starts_with(known));
    CATCHING.get() || thread::current().name().is_some_and(is_sleds)
}

/// Calls sled; a panic comes back in its own words.
pub(super) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let before = CATCHING.replace(true);
    // After a panic the store is not written to any more, or was not opened at all.
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    CATCHING.set(before);
    done.map_err(|panic| words_of(&*panic))
}

/// Characters of a panic's words that are told: sled prints whole pages and keys.
const WORDS: usize = 120;

fn words_of(panic: &(dyn Any + Send)) -> String {
    let words = (panic.downcast_ref::<String>().map(String::as_str))
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no reason given");
    match words.char_indices().nth(WORDS) {
        Some((end, _)) => format!("{} …", &words[..end]),
        None => words.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_known_for_one_that_becomes_an_error_only_while_it_is_caught() {
        assert!(!panic_becomes_error());
        let told = catch(|| {
            assert!(panic_becomes_error());
            assert_eq!(catch(|| 1), Ok(1));
            assert!(panic_becomes_error(), "the outer call goes on");
            panic!("no page {}", 7)
        });
        assert_eq!(told, Err::<(), _>("no page 7".to_owned()));
        let told = catch(|| panic!("{}", "ä".repeat(9999)));
        assert_eq!(told, Err::<(), _>(format!("{} …", "ä".repeat(WORDS))));
        assert!(!panic_becomes_error());
    }
}
