//! Leaves out a server's notes on the request.
//!
//! The time of day, and how long a page took to make, change with each answer, whatever is asked for. Dates and counts are not
//! left out: they may be all that tells two pages apart.

use xxhash_rust::xxh3::Xxh3;

/// Signs that stand around a word and are no part of it.
const AROUND: [char; 9] = ['.', ',', ';', '(', ')', '[', ']', '"', '\''];
/// Words at the beginning and at the end of a page that are its frame, at most; of a short one a quarter.
const FRAME: usize = 40;
/// What a time of day, and a time that was taken, is hashed as.
const CLOCK: &str = "\u{1}";

fn is_number(text: &str, digits: std::ops::RangeInclusive<usize>) -> bool {
    digits.contains(&text.len()) && text.bytes().all(|octet| octet.is_ascii_digit())
}

/// `7:05`, `19:05:31`, `7:05pm`, and as logs and ISO 8601 have it: `19:05:31.250`, `19:05:31Z`, `19:05:31+02:00`
fn is_time_of_day(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let end = lower.find(|sign: char| !sign.is_ascii_digit() && sign != ':');
    let (time, rest) = lower.split_at(end.unwrap_or(lower.len()));
    let mut parts = time.split(':');
    let hours = parts.next().is_some_and(|hours| is_number(hours, 1..=2));
    let behind: Vec<&str> = parts.collect();
    let is_time =
        hours && matches!(behind.len(), 1..=2) && behind.iter().all(|part| is_number(part, 2..=2));
    let is_with_seconds = behind.len() == 2;
    is_time && (matches!(rest, "" | "am" | "pm") || (is_with_seconds && is_behind_seconds(rest)))
}

/// A part of a second, and the zone, or either: `.250`, `,250`, `z`, `.250+02:00`
fn is_behind_seconds(rest: &str) -> bool {
    let part = rest.strip_prefix(['.', ',']);
    let zone = part.map_or(Some(rest), |part| {
        let zone = part.trim_start_matches(|sign: char| sign.is_ascii_digit());
        is_number(&part[..part.len() - zone.len()], 1..=9).then_some(zone)
    });
    zone.is_some_and(|zone| {
        matches!(zone, "" | "z")
            || zone.strip_prefix(['+', '-']).is_some_and(|by| {
                is_number(&by.replacen(':', "", 1), 4..=4) || is_number(by, 2..=2)
            })
    })
}

/// The day of a time of ISO 8601, which is behind it in the same word: `2026-11-28` of `2026-11-28T19:05:31`.
fn day_of(word: &str) -> Option<&str> {
    let (day, time) = word.split_once(['T', 't'])?;
    let is_day = (8..=10).contains(&day.len())
        && day
            .bytes()
            .all(|octet| octet.is_ascii_digit() || octet == b'-');
    (is_day && is_time_of_day(time)).then_some(day)
}

/// `0.0312`, of which something follows that tells what it is of.
fn is_fraction(word: &str) -> bool {
    let parts = word.split_once('.');
    parts.is_some_and(|(whole, rest)| is_number(whole, 1..=4) && is_number(rest, 1..=9))
}

/// `s`, `seconds`, `ms`
fn is_of_time(word: &str) -> bool {
    let units = [
        "s",
        "sec",
        "secs",
        "second",
        "seconds",
        "ms",
        "msec",
        "milliseconds",
    ];
    units.iter().any(|unit| word.eq_ignore_ascii_case(unit))
}

/// A time that was taken, with its unit behind it in the same word: `0.03s`.
fn is_duration(word: &str) -> bool {
    let at = word.find(|sign: char| sign.is_ascii_alphabetic());
    at.is_some_and(|at| is_fraction(&word[..at]) && is_of_time(&word[at..]))
}

/// Hash of the words of a text, times of day and times that were taken left out.
pub(super) fn without_clock(text: &str) -> u64 {
    hash_without(text, |_| true)
}

/// The same, but times of day are left out only where a page's frame is, among its first and last words: within it they may be what it tells,
/// as those of a timetable.
pub(super) fn without_clock_of_frame(text: &str) -> u64 {
    let words = text.split_whitespace().count();
    let frame = FRAME.min(words / 4);
    hash_without(text, |at| at < frame || at + frame >= words)
}

/// Hash of the words of a text without times that were taken, and without times of day among words where that is so.
fn hash_without(text: &str, is_without: impl Fn(usize) -> bool) -> u64 {
    let mut hash = Xxh3::new();
    let mut words = text.split_whitespace().enumerate().peekable();
    while let Some((at, word)) = words.next() {
        let mut told = word;
        if word.bytes().any(|octet| octet.is_ascii_digit()) {
            let bare = word.trim_matches(AROUND);
            let behind = words.peek();
            let next = behind.map_or("", |(_, next)| next.trim_matches(AROUND));
            if is_duration(bare) || (is_fraction(bare) && is_of_time(next)) {
                told = CLOCK;
            } else if is_without(at) && is_time_of_day(bare) {
                told = CLOCK;
                let mut halves = ["am", "pm"].iter();
                if halves.any(|half| next.eq_ignore_ascii_case(half)) {
                    words.next();
                }
            } else if let Some(day) = day_of(bare).filter(|_| is_without(at)) {
                hash.update(day.as_bytes());
                told = CLOCK;
            }
        }
        hash.update(told.as_bytes());
        hash.update(b" ");
    }
    hash.digest()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_alike(one: &str, other: &str) -> bool {
        without_clock(one) == without_clock(other)
    }

    #[test]
    fn the_time_of_day_and_the_time_taken_make_no_other_text() {
        for (one, other) in [
            ("The time now is 01:13 PM.", "The time now is 11:02 am."),
            ("served at 7:05:31 to you", "served at 19:55:00 to you"),
            ("all times UTC, 7:05pm", "all times UTC, 11:40am"),
            ("made in 0.031 seconds by", "made in 12.4 seconds by"),
            ("made in 0.031s.", "made in 0.2s."),
            ("at 19:05:31.250 of", "at 07:15:01.1 of"),
            ("at 19:05:31,250 of", "at 07:15:01Z of"),
            (
                "(made 2026-11-28T18:41:13.597123)",
                "(made 2026-11-28T07:01:02.000001)",
            ),
            (
                "on 2026-11-28T18:41:13+02:00,",
                "on 2026-11-28T07:01:02-0730,",
            ),
        ] {
            assert!(are_alike(one, other), "{one}");
        }
    }

    #[test]
    fn dates_counts_and_names_do() {
        for (one, other) in [
            ("27 visits this month", "28 visits this month"),
            ("on 2026-11-26", "on 2026-11-27"),
            ("costs 7.50 now", "costs 8.50 now"),
            ("photo-17.jpg", "photo-18.jpg"),
            ("ratio 16:9:1", "ratio 4:3:1"),
            ("at 7:05 tea", "at 7:05 coffee"),
            ("version 1.2 stable", "version 1.3 stable"),
            ("psalm 119:105:3", "psalm 119:104:3"),
            ("at 19:05:31.x of", "at 19:05:31.y of"),
            ("at 19:05:31+1 of", "at 19:05:31+2 of"),
            ("psalm 19:05.1", "psalm 19:05.2"),
            ("on 2026-11-28T18:41:13", "on 2026-11-27T18:41:13"),
            ("is A12-4T18:41:13", "is A12-4T18:41:14"),
            ("in 20261128T184113", "in 20261128T184114"),
        ] {
            assert!(!are_alike(one, other), "{one}");
        }
    }

    #[test]
    fn times_within_a_page_may_be_what_it_tells() {
        let page = |first: &str, within: &str, last: &str| {
            let words = "word ".repeat(60);
            without_clock_of_frame(&format!("{first} {words} {within} {words} {last}"))
        };
        let of = page("7:05", "8:15", "at 2026-11-28T18:41:13");
        assert_eq!(of, page("7:06", "8:15", "at 2026-11-28T18:42:00"));
        assert_ne!(of, page("7:05", "8:16", "at 2026-11-28T18:41:13"));
        let took = |time: &str| page("", &format!("made in {time}"), "");
        assert_eq!(took("0.3 seconds"), took("0.5 seconds"));
        let short = |time: &str| without_clock_of_frame(&format!("we open at {time} each day"));
        assert_ne!(short("9:30"), short("8:30"));
    }
}
