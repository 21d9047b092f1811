//! The number of files and sockets that a crawl may have open.
//!
//! Each request holds one, each host that is asked leaves idle connections, and the store and the files take some. If there are too few,
//! that is not the fault of the hosts that then cannot be reached.

use std::{error::Error, io};

/// Handles that a crawl takes beside those of its requests: the store, the files, lookups of names.
#[cfg(unix)]
const BESIDE: u64 = 128;

/// Raises the number of handles that this process may have to that which the system lets it, and tells where even these are too few for so many requests
/// at the same time.
#[cfg(unix)]
pub(crate) fn raise_for(requests: usize) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let before = getrlimit(Resource::Nofile);
    let raise_to = |current: Option<u64>| {
        let maximum = before.maximum;
        setrlimit(Resource::Nofile, Rlimit { current, maximum }).is_ok()
    };
    // Some systems allow less than they say, macOS so many.
    let less = Some(10_240).filter(|less| before.current.is_some_and(|now| now < *less));
    let now = if raise_to(before.maximum) {
        before.maximum
    } else if less.is_some() && raise_to(less) {
        less
    } else {
        before.current
    };
    // None is no limit.
    if let Some(most) = now.filter(|most| *most < requests as u64 + BESIDE) {
        tracing::warn!(
            "no more than {most} files and connections may be open at the same time here, too few for {requests} requests: lower concurrency, or raise \
             the limit (ulimit -n)"
        );
    }
}

/// Elsewhere nothing is known of such a limit.
#[cfg(not(unix))]
pub(crate) fn raise_for(_requests: usize) {}

/// Whether an error comes of it that this process, or this machine, has no handle left.
pub(crate) fn are_used_up(error: &(dyn Error + 'static)) -> bool {
    // ENFILE and EMFILE, which are the same on all Unixes.
    let is_it = |error: &io::Error| cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24));
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.downcast_ref::<io::Error>().is_some_and(is_it) {
            return true;
        }
        cause = error.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("cannot connect")]
    struct Outer(#[source] io::Error);

    #[cfg(unix)]
    #[test]
    fn a_lack_of_handles_is_told_from_what_a_host_does() {
        for (number, is_ours) in [(24, true), (23, true), (111, false)] {
            let error = Outer(io::Error::from_raw_os_error(number));
            assert_eq!(are_used_up(&error), is_ours, "{number}");
        }
    }
}
