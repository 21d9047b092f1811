//! What a site's first pages teach about its chrome.
//!
//! Among them, one page may occur many times, at addresses with different sessions and with a counter or a clock that makes each text
//! different. If it counted that often, everything it says would be chrome, and no copy of it could ever be recognised. So of the pages
//! that turn out to be nothing but chrome, those that say the same, except for digits in a few of their words, count once if their URLs,
//! too, are the same except for tokens. (Products with one description are others, whatever is theirs.)

use rustc_hash::{FxHashMap, FxHashSet};

use super::{ChromeBook, PageText, Shingle};

/// A page and what its URL is called.
type First<'p, 't> = (u64, &'p PageText<'t>);

/// Shingles that no other page has, from which on two pages that share them are asked whether they are one.
const OWN: usize = 12;
/// Pages that have to be left, so that a menu can be told from what a page says.
const LEFT: usize = 8;

impl ChromeBook {
    /// Freezes the first version, given the first pages of a site; texts that are one word for word count once.
    /// Each comes with a name that pages share whose URLs may be those of one.
    pub(crate) fn begin(&mut self, pages: &[(u64, &PageText<'_>)]) {
        let mut seen = FxHashSet::default();
        let pages: Vec<First<'_, '_>> = (pages.iter().copied())
            .filter(|(_, page)| seen.insert(page.exact()))
            .collect();
        let mut all = self.clone();
        all.count_all(pages.iter().map(|(_, page)| *page));
        let again = repeated(&pages, &all);
        if again.is_empty() || pages.len() - again.len() < LEFT {
            *self = all;
            return;
        }
        let others = (0..).zip(&pages).filter(|(at, _)| !again.contains(at));
        self.count_all(others.map(|(_, (_, page))| *page));
    }

    fn count_all<'p, 't: 'p>(&mut self, pages: impl Iterator<Item = &'p PageText<'t>>) {
        for page in pages {
            self.count(page.shingles());
        }
        self.freeze_now();
    }
}

/// What a page says, digits aside.
fn words_of(page: &PageText<'_>) -> Vec<u32> {
    let mut words: Vec<u32> = page.shingles().iter().map(|it| it.masked).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Places of pages that say what one before them says, but for digits in few words; only of those that would be nothing but chrome.
fn repeated(pages: &[First<'_, '_>], all: &ChromeBook) -> FxHashSet<usize> {
    let mut with: FxHashMap<u32, usize> = FxHashMap::default();
    let mut saying: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
    let mut alike: FxHashMap<(u64, Vec<u32>), Vec<usize>> = FxHashMap::default();
    let chrome = all.current();
    for (at, (name, page)) in pages.iter().enumerate() {
        let words = words_of(page);
        for word in &words {
            *with.entry(*word).or_default() += 1;
        }
        *saying.entry(words.clone()).or_default() += 1;
        if page.shingles().iter().all(|shingle| chrome.holds(shingle)) {
            alike.entry((*name, words)).or_default().push(at);
        }
    }
    let mut again = FxHashSet::default();
    for ((_, words), group) in alike {
        // Under whatever name: a page may have an alias.
        let pages_of_words = saying[&words];
        let is_own = |shingle: &Shingle| with[&shingle.masked] == pages_of_words;
        let own = words.iter().filter(|word| with[*word] == pages_of_words);
        if group.len() < 2 || own.count() < OWN {
            continue;
        }
        let raw = |at: usize| -> FxHashSet<u32> {
            let own = pages[at].1.shingles().iter().filter(|it| is_own(it));
            own.map(|shingle| shingle.raw).collect()
        };
        let mut others: Vec<FxHashSet<u32>> = Vec::new();
        for at in group {
            let page = raw(at);
            // Pages of numbers in the same words are others.
            let is_it =
                |other: &FxHashSet<u32>| page.intersection(other).count() * 10 >= other.len() * 9;
            if others.iter().any(is_it) {
                again.insert(at);
            } else {
                others.push(page);
            }
        }
    }
    again
}

#[cfg(test)]
mod tests {
    use super::super::Echo;
    use super::*;

    const MENU: &str = "home list about us log in here\n";

    fn text(words: &str) -> PageText<'static> {
        PageText::new(words, &Echo::default())
    }

    /// How many of a page's shingles are left where chrome was told by these pages.
    fn left(pages: &[(u64, String)], of: &str) -> usize {
        let texts: Vec<PageText<'_>> = pages.iter().map(|(_, page)| text(page)).collect();
        let mut book = ChromeBook::default();
        let names = pages.iter().map(|(name, _)| *name);
        book.begin(&names.zip(&texts).collect::<Vec<_>>());
        let chrome = book.current();
        let page = text(of);
        let left = page.shingles().iter().filter(|it| !chrome.holds(it));
        left.count()
    }

    fn page(n: u64, visitor: u64) -> String {
        let words: Vec<String> = (0..60)
            .map(|i| {
                let hash = xxhash_rust::xxh3::xxh3_64(&[n as u8, i]);
                let letter = |at: u32| char::from(b'a' + (hash >> (8 * at)) as u8 % 26);
                (0..6).map(letter).collect()
            })
            .collect();
        let lines: String = words.chunks(10).map(|line| line.join(" ") + "\n").collect();
        format!("{MENU}{lines}visitor number {visitor} of today\n")
    }

    #[test]
    fn a_page_that_comes_again_and_again_with_a_counter_is_no_chrome() {
        let item = |n| if n % 2 == 0 { 0 } else { n };
        let named: Vec<(u64, String)> = (0..32).map(|n| (item(n), page(item(n), n))).collect();
        let (of_home, of_other) = (left(&named, &page(0, 99)), left(&named, &page(200, 99)));
        assert_eq!(of_home, of_other, "and the menu is chrome");
        assert_eq!(of_home, 42);
        let mut aliased = named.clone();
        aliased[4].0 = 1000;
        assert_eq!(
            left(&aliased, &page(0, 99)),
            of_home,
            "by another name, too"
        );
        let others: Vec<(u64, String)> =
            (0..).zip(named.into_iter().map(|(_, page)| page)).collect();
        assert_eq!(
            left(&others, &page(0, 99)),
            0,
            "under other names they are others"
        );
    }

    #[test]
    fn pages_of_other_numbers_in_the_same_words_count_all() {
        let table = |n: u64| {
            let row = |row: u64| {
                let what = ["rain", "wind"][row as usize % 2];
                format!("the {what} of the day {}\n", n * 31 + row)
            };
            format!("{MENU}{}", (0..20).map(row).collect::<String>())
        };
        let of = |n| {
            if n % 2 == 0 {
                (0, table(n))
            } else {
                (n, page(n, n))
            }
        };
        let pages: Vec<(u64, String)> = (0..32).map(of).collect();
        assert_eq!(left(&pages, &table(500)), 0);
    }

    #[test]
    fn where_there_are_hardly_other_pages_all_count() {
        let pages: Vec<(u64, String)> = (0..32).map(|n| (n % 3, page(n % 3, n))).collect();
        assert_eq!(left(&pages, &page(0, 99)), 0);
    }
}
