//! How long a host that refuses is left alone, and when it is given up.
//!
//! `429`, `503` and `Retry-After` close a host for longer than its delay, and so do failures to reach it. A host that
//! fails too many times in a row, or would make the crawl wait too long in all, is given up until the next run.

use std::time::{Duration, Instant, SystemTime};

use nodust_frontier::HostKey;

use super::Limits;
use crate::words::counted;

/// A wait that a reader of the log should know of.
const WORTH_TELLING: Duration = Duration::from_secs(30);
/// What the gate says of a host that was given up: so long that no run lasts until then.
pub(super) const FOR_GOOD: Duration = Duration::from_hours(24 * 3650);

/// Whether a wait is that for a host that was given up.
pub const fn is_for_good(wait: Duration) -> bool {
    // The wait was counted from a little earlier.
    wait.as_secs() > FOR_GOOD.as_secs() / 2
}

/// The refusals of one host: `429`, `503`, and failures to reach it.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    in_a_row: u32,
    /// How long it was left alone for these, in all.
    waited: Duration,
    closed_until: Option<Instant>,
    /// The latest time until which it asked itself to be left alone.
    asked_until: Option<Instant>,
    /// So many that it is left alone for good.
    given_up: bool,
}

impl Refusals {
    pub(super) const fn is_given_up(&self) -> bool {
        self.given_up
    }

    /// How long the host is still left alone, if it is.
    pub(super) fn closed_for(&self, now: Instant) -> Option<Duration> {
        self.closed_until
            .and_then(|until| until.checked_duration_since(now))
            .filter(|wait| !wait.is_zero())
    }

    /// One more, at which the host asked for this wait. Answers how long it is left alone; no time when it was given up.
    pub(super) fn add(
        &mut self,
        key: &HostKey,
        limits: &Limits,
        retry_after: Option<Duration>,
        why: &str,
        now: Instant,
    ) -> Duration {
        let is_same = self.in_a_row > 0 && self.closed_for(now).is_some();
        if !is_same {
            self.in_a_row = self.in_a_row.saturating_add(1);
        }
        let doubled = limits
            .first_backoff
            .saturating_mul(1 << self.in_a_row.saturating_sub(1).min(16));
        let wait = limits.believed(retry_after.unwrap_or(doubled));
        let more = wait.saturating_sub(self.closed_for(now).unwrap_or_default());
        let in_all = self.waited.saturating_add(more);
        let too_often = self.in_a_row >= limits.give_up_after;
        if self.given_up || too_often || in_all > limits.max_wait {
            if !self.given_up {
                self.given_up = true;
                tell_given_up(key, self.in_a_row, in_all, too_often, why);
            }
            return Duration::ZERO;
        }
        self.waited = in_all;
        if !is_same {
            tell_wait(key, self.in_a_row, wait, why);
        }
        self.close(now + wait);
        wait
    }

    /// The host asks to be left alone until then; until when it has asked for it in all.
    pub(super) fn ask(&mut self, until: Instant) -> Instant {
        *self
            .asked_until
            .insert(self.asked_until.map_or(until, |old| old.max(until)))
    }

    /// What it asked for in an earlier run goes on.
    pub(super) fn go_on(&mut self, key: &HostKey, limits: &Limits, wait: Duration, now: Instant) {
        self.ask(now + wait);
        if wait > limits.max_wait {
            self.given_up = true;
            tell_given_up(key, self.in_a_row, wait, false, "");
        } else {
            self.waited = wait;
            self.close(now + wait);
        }
    }

    /// The host is left alone until then at least.
    fn close(&mut self, until: Instant) {
        self.closed_until = Some(self.closed_until.map_or(until, |old| old.max(until)));
    }

    /// The host answered as it should. A time for which it asked to be left alone goes on.
    pub(super) const fn end(&mut self) {
        self.in_a_row = 0;
        self.waited = Duration::ZERO;
        self.given_up = false;
    }
}

/// Says that the crawl waits, and for how long: the first time, and whenever it is for long.
fn tell_wait(key: &HostKey, in_a_row: u32, wait: Duration, why: &str) {
    if wait.is_zero() {
        return;
    }
    if in_a_row == 1 || wait >= WORTH_TELLING {
        tracing::info!(
            "{key} refused or could not be reached ({why}; {in_a_row} in a row): it is left alone for {wait:.0?}"
        );
    } else {
        tracing::debug!("{key} is left alone for {wait:.0?} ({in_a_row} in a row)");
    }
}

fn tell_given_up(key: &HostKey, in_a_row: u32, in_all: Duration, too_often: bool, why: &str) {
    if too_often {
        tracing::warn!(
            "{key} is given up for this run: requests or links to it failed {} in a row (the last: {why})",
            counted(in_a_row.into(), "time")
        );
    } else {
        tracing::warn!(
            "{key} is given up for this run: with the wait it asks for, the wait in all would be {in_all:.0?} (max_host_wait_secs allows less)"
        );
    }
}

/// How long a `Retry-After` field asks to wait: seconds or a date (RFC 9110, section 10.2.3).
pub fn retry_after(field: &str, now: SystemTime) -> Option<Duration> {
    let field = field.trim();
    if !field.is_empty() && field.bytes().all(|octet| octet.is_ascii_digit()) {
        // More than can be told is for ever.
        return Some(Duration::from_secs(field.parse().unwrap_or(u64::MAX)));
    }
    let date = httpdate::parse_http_date(field).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use nodust_frontier::{Gate as _, NotYet};

    use super::{super::Politeness, *};

    const WHY: &str = "status 429";

    fn host(name: &str) -> HostKey {
        HostKey::from_text(name)
    }

    fn wait(gate: &Politeness, key: &HostKey) -> Duration {
        match gate.check(key, Instant::now()) {
            Err(NotYet::For(wait)) => wait,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn refusals_back_off_further_each_time_until_the_host_is_content() {
        let gate = Politeness::new(Limits {
            delay: Duration::ZERO,
            first_backoff: Duration::from_millis(50),
            ..Limits::default()
        });
        let a = host("a");
        for expected in [50, 100] {
            let wait = gate.refused(&a, None, WHY);
            assert_eq!(wait, Duration::from_millis(expected));
            // What was under way at the same time is no refusal of its own.
            assert_eq!(gate.refused(&a, None, WHY), wait);
            std::thread::sleep(wait + Duration::from_millis(5));
        }
        assert_eq!(
            gate.refused(&a, Some(Duration::from_secs(9)), WHY),
            Duration::from_secs(9)
        );
        assert!(wait(&gate, &a) > Duration::from_secs(8));
        gate.refused(&host("b"), Some(Duration::from_secs(7)), WHY);
        gate.content(&host("c"));
        let left_alone = gate.left_alone(Instant::now());
        assert!(
            left_alone.is_some_and(|(hosts, first)| hosts == 2 && first <= Duration::from_secs(7)),
            "{left_alone:?}"
        );
        gate.content(&a);
        assert_eq!(gate.refused(&a, None, WHY), Duration::from_millis(50));
        assert_eq!(
            gate.refused(&a, Some(Duration::from_hours(24)), WHY),
            gate.limits().max_backoff
        );
    }

    #[test]
    fn a_host_that_refuses_for_ever_is_given_up() {
        let gate = Politeness::new(Limits {
            delay: Duration::ZERO,
            give_up_after: 3,
            max_backoff: Duration::ZERO,
            ..Limits::default()
        });
        let a = host("a");
        for _ in 0..3 {
            assert!(gate.check(&a, Instant::now()).is_ok());
            gate.refused(&a, Some(Duration::from_hours(1)), WHY);
            gate.returned(&a);
        }
        assert!(gate.is_given_up(&a) && is_for_good(wait(&gate, &a)));
        assert!(gate.check_other(&a).is_err_and(is_for_good));
    }

    #[test]
    fn a_host_that_would_have_the_crawl_wait_too_long_in_all_is_given_up() {
        let gate = Politeness::new(Limits {
            max_wait: Duration::from_secs(10),
            ..Limits::default()
        });
        let a = host("a");
        // Asks for more at once than the crawl is ready to wait.
        assert_eq!(
            gate.refused(&a, Some(Duration::from_secs(11)), WHY),
            Duration::ZERO
        );
        assert!(gate.is_given_up(&a));
        // What it asks for while it is left alone is waited for together, and only what is more counts.
        let b = host("b");
        let (four, nine) = (Duration::from_secs(4), Duration::from_secs(9));
        assert_eq!(gate.refused(&b, Some(four), WHY), four);
        assert_eq!(gate.refused(&b, Some(four), WHY), four);
        assert_eq!(gate.refused(&b, Some(nine), WHY), nine);
        assert!(!gate.is_given_up(&b));
        gate.refused(&b, Some(Duration::from_secs(20)), WHY);
        assert!(gate.is_given_up(&b));
        gate.content(&b);
        assert_eq!(gate.refused(&b, Some(nine), WHY), nine);
    }

    #[test]
    fn only_answers_that_refuse_close_a_host_and_for_as_long_as_they_ask() {
        let gate = Politeness::new(Limits::default());
        let a = host("a");
        for status in [200, 301, 404, 500, 502] {
            assert_eq!(gate.refused_by(&a, status, Some("9")), None, "{status}");
        }
        for status in [429, 503] {
            let waits = gate.refused_by(&a, status, Some("9"));
            assert_eq!(waits, Some(Duration::from_secs(9)), "{status}");
        }
        assert!(wait(&gate, &a) > Duration::from_secs(8));
    }

    #[test]
    fn a_time_without_end_is_one_that_no_run_lasts_until() {
        let gate = Politeness::new(Limits {
            max_backoff: Duration::MAX,
            max_wait: Duration::MAX,
            ..Limits::default()
        });
        let a = host("a");
        let for_ever = u64::MAX.to_string();
        assert_eq!(gate.refused_by(&a, 503, Some(&for_ever)), Some(FOR_GOOD));
        assert!(is_for_good(wait(&gate, &a)));
        gate.leave_alone(&host("b"), Duration::MAX);
        assert!(is_for_good(wait(&gate, &host("b"))));
    }

    #[test]
    fn retry_after_is_read_as_seconds_and_as_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        assert_eq!(retry_after("120", now), Some(Duration::from_mins(2)));
        assert_eq!(
            retry_after("Sun, 06 Nov 1994 08:50:37 GMT", now),
            Some(Duration::from_mins(1))
        );
        assert_eq!(
            retry_after("Sat, 06 Nov 1993 08:50:37 GMT", now),
            Some(Duration::ZERO)
        );
        let longest = retry_after("99999999999999999999999", now);
        assert_eq!(longest, Some(Duration::from_secs(u64::MAX)));
        for none in ["soon", "", "-1", "+1"] {
            assert_eq!(retry_after(none, now), None);
        }
    }
}
