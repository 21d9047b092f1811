//! Which text is left when a server's notes on the request are left out?
//!
//! The time of day, and how long a page took to make, are others at each answer, whatever is asked for. Dates and counts are not
//! left out: those of two pages may be all that tells them apart.

use xxhash_rust::xxh3::Xxh3;

/// Signs that stand around a word and are no part of it.
const AROUND: [char; 9] = ['.', ',', ';', '(', ')', '[', ']', '"', '\''];
/// What a time of day, and a time that was taken, is hashed as.
const CLOCK: &str = "\u{1}";

fn is_number(text: &str, digits: std::ops::RangeInclusive<usize>) -> bool {
    digits.contains(&text.len()) && text.bytes().all(|octet| octet.is_ascii_digit())
}

/// `7:05`, `19:05:31`, `7:05pm`
fn is_time_of_day(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let time = ["am", "pm"]
        .iter()
        .find_map(|half| lower.strip_suffix(half));
    let mut parts = time.unwrap_or(&lower).split(':');
    let hours = parts.next().is_some_and(|hours| is_number(hours, 1..=2));
    let behind: Vec<&str> = parts.collect();
    hours && matches!(behind.len(), 1..=2) && behind.iter().all(|part| is_number(part, 2..=2))
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
    let mut hash = Xxh3::new();
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let bare = word.trim_matches(AROUND);
        let next = words.peek().map_or("", |next| next.trim_matches(AROUND));
        let told = if is_time_of_day(bare) {
            if ["am", "pm"]
                .iter()
                .any(|half| next.eq_ignore_ascii_case(half))
            {
                words.next();
            }
            CLOCK
        } else if is_duration(bare) || (is_fraction(bare) && is_of_time(next)) {
            CLOCK
        } else {
            word
        };
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
        ] {
            assert!(!are_alike(one, other), "{one}");
        }
    }
}
