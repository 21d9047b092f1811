//! Are two pages the same words with other numbers?
//!
//! Chrome is recognised with digits masked, so that clocks and counters are none of a page's own. By that a table of measurements
//! is nothing but chrome as soon as some dozens like it were met. A clock and a counter are little of a page: where most of it differs,
//! the numbers are what it is about.

use super::{
    PageText, Sketch,
    cluster::{SAME, of_wholes},
    signature::ENOUGH,
    sketch::BYTES,
    sort::sort,
};

/// All that a page says, and the same with its digits masked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Figures {
    whole: Sketch,
    words: Sketch,
}

impl Figures {
    /// Octets that they take in a store.
    pub(crate) const BYTES: usize = 2 * BYTES;

    /// None where there is so little text that one number is much of it.
    pub(crate) fn of(page: &PageText<'_>) -> Option<Self> {
        if page.shingles().len() < ENOUGH as usize {
            return None;
        }
        let mut words: Vec<u32> = page.shingles().iter().map(|s| s.masked).collect();
        sort(&mut words);
        words.dedup();
        Some(Self {
            whole: page.whole().clone(),
            words: Sketch::of(&words),
        })
    }

    /// Whether the words are the same.
    pub(crate) fn are_like(&self, other: &Self) -> bool {
        self.words.similarity(&other.words) >= SAME
    }

    /// Whether most of what the pages say differs.
    pub(crate) fn are_others(&self, other: &Self) -> bool {
        of_wholes(&self.whole, &other.whole)
    }

    /// The octets to write to a store.
    pub(crate) fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let (whole, words) = bytes.split_at_mut(BYTES);
        whole.copy_from_slice(self.whole.as_bytes());
        words.copy_from_slice(self.words.as_bytes());
        bytes
    }

    /// As read back.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (whole, words) = bytes.split_at_checked(BYTES)?;
        Some(Self {
            whole: Sketch::from_bytes(whole.try_into().ok()?),
            words: Sketch::from_bytes(words.try_into().ok()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sign::Echo;

    fn table(station: u32, of: impl Fn(u32) -> u32) -> Option<Figures> {
        let mut text = format!("Home Stations Maps\nStation {station}\n");
        for day in 1..=30 {
            text += &format!("Day {day}: {} degrees, {} percent\n", of(day), of(day + 7));
        }
        Figures::of(&PageText::new(&text, &Echo::default()))
    }

    #[test]
    fn tables_of_other_numbers_are_others_and_one_other_counter_makes_none() {
        let one = table(1, |day| 100 + day).unwrap();
        let other = table(2, |day| 500 + 3 * day).unwrap();
        assert!(one.are_like(&other) && one.are_others(&other));
        let again = table(2, |day| 100 + day).unwrap();
        assert!(one.are_like(&again) && !one.are_others(&again));
    }

    #[test]
    fn other_words_are_not_like_these_and_little_text_is_not_compared() {
        let of = |text: &str| Figures::of(&PageText::new(text, &Echo::default()));
        let words: String = (b'a'..=b'z')
            .flat_map(|a| (b'a'..b'e').map(move |b| format!("{}{}\n", a as char, b as char)))
            .collect();
        let table = table(1, |day| day).unwrap();
        assert!(!table.are_like(&of(&words).unwrap()));
        assert_eq!(of("Page 17 of 40\nNo entries"), None);
    }

    #[test]
    fn they_are_read_back_as_they_were_written() {
        let table = table(1, |day| day).unwrap();
        let bytes = table.to_bytes();
        assert_eq!(Figures::from_bytes(&bytes), Some(table));
        assert_eq!(Figures::from_bytes(&bytes[1..]), None);
    }
}
