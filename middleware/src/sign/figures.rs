//! Tells pages apart that have the same words and other numbers.
//!
//! Chrome is recognised with digits masked, so that clocks and counters do not count as part of a page. But then a table of
//! measurements is nothing but chrome as soon as some dozens like it were met. A clock and a counter are few numbers: if there are
//! more, and most of them differ, they are what the page is about.

use super::{
    PageText, Sketch,
    cluster::{SAME, of_wholes},
    signature::{ENOUGH, distinct},
    sketch::BYTES,
};

/// Distinct shingles with numbers from which on a page is a table.
const TABLE: usize = ENOUGH as usize;
/// Different words with numbers that it has besides: where the text is one row each of them stands in four shingles, and a clock, two counters
/// and the version of the program would make a table.
const NUMBERS: usize = 10;

/// What a page says with its digits masked, and its shingles with numbers as they stand.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Figures {
    words: Sketch,
    numbers: Sketch,
}

impl Figures {
    /// Octets that they take in a store.
    pub(crate) const BYTES: usize = 2 * BYTES;

    /// None of a page with few numbers.
    pub(crate) fn of(page: &PageText<'_>) -> Option<Self> {
        if page.numbers() < NUMBERS {
            return None;
        }
        let all = page.shingles();
        let with_numbers = all.iter().filter(|s| s.raw != s.masked);
        let numbers = distinct(with_numbers.map(|s| s.raw).collect());
        (numbers.len() >= TABLE).then(|| Self {
            words: Sketch::of(&distinct(all.iter().map(|s| s.masked).collect())),
            numbers: Sketch::of(&numbers),
        })
    }

    /// Whether the words are the same.
    pub(crate) fn are_like(&self, other: &Self) -> bool {
        self.words.similarity(&other.words) >= SAME
    }

    /// Whether most of the numbers differ.
    pub(crate) fn are_others(&self, other: &Self) -> bool {
        of_wholes(&self.numbers, &other.numbers)
    }

    /// The octets to write to a store.
    pub(crate) fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let (words, numbers) = bytes.split_at_mut(BYTES);
        words.copy_from_slice(self.words.as_bytes());
        numbers.copy_from_slice(self.numbers.as_bytes());
        bytes
    }

    /// As read back.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (words, numbers) = bytes.split_at_checked(BYTES)?;
        Some(Self {
            words: Sketch::from_bytes(words.try_into().ok()?),
            numbers: Sketch::from_bytes(numbers.try_into().ok()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sign::Echo;

    fn of(text: &str) -> Option<Figures> {
        Figures::of(&PageText::new(text, &Echo::default()))
    }

    /// A table of so many days under a long menu.
    fn table(days: u32, station: u32, of_day: impl Fn(u32) -> u32) -> Option<Figures> {
        let line = |sign| format!("all about {}\n", char::from(sign));
        let menu: String = (b'a'..=b'z').map(line).collect();
        let row = |day| {
            let (one, other) = (of_day(day), of_day(day + 7));
            format!("Day {day}: {one} degrees, {other} percent\n")
        };
        let rows: String = (1..=days).map(row).collect();
        of(&format!("{menu}Station {station}\n{rows}"))
    }

    #[test]
    fn tables_of_other_numbers_are_others_and_one_other_counter_makes_none() {
        for days in [10, 30] {
            let one = table(days, 1, |day| 100 + day).unwrap();
            let other = table(days, 2, |day| 500 + 3 * day).unwrap();
            assert!(one.are_like(&other) && one.are_others(&other), "{days}");
            let again = table(days, 2, |day| 100 + day).unwrap();
            assert!(one.are_like(&again) && !one.are_others(&again), "{days}");
        }
    }

    #[test]
    fn other_words_are_not_like_these_and_few_numbers_are_no_table() {
        let measured = table(10, 1, |day| day).unwrap();
        let row = |n| format!("{n} of {n} books\n");
        let rows: String = (1..=20).map(row).collect();
        assert!(!measured.are_like(&of(&rows).unwrap()));
        assert_eq!(of("Page 17 of 40\nNo entries\nseen 9 times"), None);
    }

    #[test]
    fn a_few_numbers_in_one_row_are_no_table_and_many_are_one_without_lines_too() {
        let row = |text: String| of(&text.replace('\n', " "));
        let year = |year: u32| {
            let (before, behind) = (year - 1, year + 1);
            row(format!(
                "These are all of ({before}) to the left of it, all of ({behind}) to the right\nNotes on the manual in ({year}) and no more\n\
                 made by version 5.2.3 of the diary that is powered by version 3.1.2 of Ruby on this host\n"
            ))
        };
        assert_eq!(year(2045), None);
        let table = |of_day: fn(u32) -> u32| {
            let line = |day: u32| format!("Day {day}: {} degrees\n", of_day(day));
            row((1..=10).map(line).collect()).unwrap()
        };
        let (one, other) = (table(|day| 100 + day), table(|day| 500 + 3 * day));
        assert!(one.are_like(&other) && one.are_others(&other));
    }

    #[test]
    fn they_are_read_back_as_they_were_written() {
        let table = table(10, 1, |day| day).unwrap();
        let bytes = table.to_bytes();
        assert_eq!(Figures::from_bytes(&bytes), Some(table));
        assert_eq!(Figures::from_bytes(&bytes[1..]), None);
    }
}
