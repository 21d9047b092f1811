//! By which names is a page looked for, under each version of the chrome?

use crate::sign::{
    ChromeBook, PageText,
    chrome::Holders,
    signature::{SOME, Signed},
};

/// What a content is found by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names {
    pub(super) exact: u64,
    pub(super) set: u64,
    pub(super) echo: u64,
    pub(super) kept: u32,
}

impl Names {
    /// The hashes that it is filed by: of its text, of what chrome leaves of it, of that with echoes masked.
    pub(super) const fn hash(&self, which: usize) -> u64 {
        match which {
            0 => self.exact,
            1 => self.set.rotate_left(1) ^ 0x5345_5400,
            _ => self.echo.rotate_left(2) ^ 0x4543_484F,
        }
    }

    /// How many of these there are: little text is filed by itself alone, and what repeats nothing of its
    /// address is the same with echoes masked.
    pub(super) const fn hashes(&self) -> usize {
        if self.kept < SOME {
            1
        } else if self.set == self.echo {
            2
        } else {
            3
        }
    }
}

/// A page that is being compared: signed under each version of the chrome that a comparison needs, where it is
/// not the same.
#[derive(Debug)]
pub(crate) struct Newcomer<'t> {
    pub(super) text: &'t PageText,
    /// Which versions of the chrome hold each of its shingles.
    held: Vec<Holders>,
    pub(super) signed: Vec<Signed>,
    /// Versions of the chrome, and which of `signed` counts under each.
    pub(super) versions: Vec<(u32, usize)>,
}

impl<'t> Newcomer<'t> {
    pub(crate) fn new(text: &'t PageText, book: &ChromeBook) -> Self {
        let held = text.held_by(book);
        let version = book.current().version();
        Self {
            text,
            signed: vec![text.signed(&held, version)],
            versions: vec![(version, 0)],
            held,
        }
    }

    /// Under the version in force.
    pub(crate) fn current(&self) -> &Signed {
        &self.signed[0]
    }

    /// Which of `signed` counts under a version.
    pub(super) fn at(&mut self, version: u32, book: &ChromeBook) -> Option<usize> {
        if let Some((_, at)) = self.versions.iter().find(|(known, _)| *known == version) {
            return Some(*at);
        }
        let newest = self.versions[0].0;
        // Which shingles a later one holds was not looked up.
        book.version(version).filter(|_| version <= newest)?;
        let at = if self.held.iter().all(|held| held.agree(newest, version)) {
            0
        } else {
            self.signed.push(self.text.signed(&self.held, version));
            self.signed.len() - 1
        };
        self.versions.push((version, at));
        Some(at)
    }

    pub(super) fn under(&mut self, version: u32, book: &ChromeBook) -> Option<&Signed> {
        let at = self.at(version, book)?;
        Some(&self.signed[at])
    }

    /// The distinct shingles that the version in force leaves, too, of what another one left; sorted.
    pub(super) fn lasting(&self, at: usize) -> Vec<u32> {
        let mut current = self.current().set.iter().peekable();
        let stays = |one: &&u32| {
            while current.next_if(|other| other < one).is_some() {}
            current.peek() == Some(one)
        };
        let all = self.signed[at].set.iter();
        all.filter(stays).copied().collect()
    }

    pub(super) fn names(&self, at: usize) -> Names {
        let signed = &self.signed[at];
        Names {
            exact: self.text.exact(),
            set: signed.of_set,
            echo: signed.of_echo,
            kept: signed.kept(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sign::Echo;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn each_version_of_the_chrome_leaves_what_it_does_not_hold(
            text in "([a-e7]{1,2}[ \n]){0,60}",
            common in prop::collection::vec("([a-e7]{1,2} ){4,12}", 1..12),
        ) {
            let echo = Echo::of(&"http://e.org/ab/cde?q=bad".parse().unwrap());
            let page = PageText::new(&text, &echo);
            let mut book = ChromeBook::default();
            for common in &common {
                for _ in 0..40 {
                    book.count(PageText::new(common, &echo).shingles());
                }
                book.freeze_now();
            }
            let mut new = Newcomer::new(&page, &book);
            for version in 0..=book.current().version() {
                let Some(chrome) = book.version(version) else {
                    prop_assert!(new.under(version, &book).is_none(), "it is forgotten");
                    continue;
                };
                let own = page.shingles().iter().filter(|s| !chrome.holds(s));
                let expected: Vec<u32> = own.map(|s| s.raw).collect();
                prop_assert_eq!(&new.under(version, &book).unwrap().order, &expected);
            }
        }
    }
}
