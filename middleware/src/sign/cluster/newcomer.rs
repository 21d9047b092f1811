//! The names by which a new page is looked up, under each version of the chrome.

use std::cell::OnceCell;

use crate::sign::{
    ChromeBook, PageText, Sketch,
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
        let kind = self.exact & 1;
        match which {
            0 => self.exact,
            1 => self.set.rotate_left(1) ^ 0x5345_5400 ^ kind,
            _ => self.echo.rotate_left(2) ^ 0x4543_484F ^ kind,
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
/// not the same. What is known word for word needs none.
#[derive(Debug)]
pub(crate) struct Newcomer<'t> {
    pub(super) text: &'t PageText<'t>,
    /// The version of the chrome in force when it came.
    newest: u32,
    /// Which versions of the chrome hold each of its shingles.
    held: OnceCell<Vec<Holders>>,
    current: OnceCell<Signed>,
    /// Signed under further versions.
    others: Vec<Signed>,
    /// Further versions of the chrome, and which of the signatures counts under each: the current one, or a later one.
    versions: Vec<(u32, usize)>,
}

impl<'t> Newcomer<'t> {
    pub(crate) const fn new(text: &'t PageText<'t>, book: &ChromeBook) -> Self {
        Self {
            text,
            newest: book.current().version(),
            held: OnceCell::new(),
            current: OnceCell::new(),
            others: Vec::new(),
            versions: Vec::new(),
        }
    }

    /// The version of the chrome in force when it came.
    pub(crate) const fn newest(&self) -> u32 {
        self.newest
    }

    pub(super) fn held(&self, book: &ChromeBook) -> &[Holders] {
        self.held.get_or_init(|| self.text.held_by(book))
    }

    /// Under the version in force.
    pub(crate) fn current(&self, book: &ChromeBook) -> &Signed {
        let sign = || self.text.signed(self.held(book), self.newest);
        self.current.get_or_init(sign)
    }

    /// Signed for the `at`th time.
    pub(super) fn signed(&self, at: usize, book: &ChromeBook) -> &Signed {
        match at.checked_sub(1) {
            Some(other) => &self.others[other],
            None => self.current(book),
        }
    }

    /// Which of its signatures counts under a version.
    pub(super) fn at(&mut self, version: u32, book: &ChromeBook) -> Option<usize> {
        if version == self.newest {
            return Some(0);
        }
        if let Some((_, at)) = self.versions.iter().find(|(known, _)| *known == version) {
            return Some(*at);
        }
        // Which shingles a later one holds was not looked up.
        book.version(version).filter(|_| version <= self.newest)?;
        let held = self.held(book);
        let at = if held.iter().all(|held| held.agree(self.newest, version)) {
            0
        } else {
            let signed = self.text.signed(held, version);
            self.others.push(signed);
            self.others.len()
        };
        self.versions.push((version, at));
        Some(at)
    }

    /// The distinct shingles that the version in force leaves, too, of what another one left; sorted.
    pub(super) fn lasting(&self, at: usize, book: &ChromeBook) -> Vec<u32> {
        let mut current = self.current(book).set.iter().peekable();
        let stays = |one: &&u32| {
            while current.next_if(|other| other < one).is_some() {}
            current.peek() == Some(one)
        };
        let all = self.signed(at, book).set.iter();
        all.filter(stays).copied().collect()
    }

    /// How alike what is [lasting](Self::lasting) and a content are, as far as sketches tell.
    pub(super) fn similarity_of_lasting(
        &self,
        lasting: &[u32],
        at: usize,
        book: &ChromeBook,
        other: &Sketch,
    ) -> f64 {
        // Often that is all that one version leaves: of this there is a sketch, or will be.
        let all = [self.current(book), self.signed(at, book)];
        match all.iter().find(|all| all.set.len() == lasting.len()) {
            Some(all) => all.sketch().similarity(other),
            None => Sketch::of(lasting).similarity(other),
        }
    }

    pub(super) fn names(&self, at: usize, book: &ChromeBook) -> Names {
        let signed = self.signed(at, book);
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
                    prop_assert!(new.at(version, &book).is_none(), "it is forgotten");
                    continue;
                };
                let own = page.shingles().iter().filter(|s| !chrome.holds(s));
                let expected: Vec<u32> = own.map(|s| s.raw).collect();
                let at = new.at(version, &book).unwrap();
                let signed = new.signed(at, &book).clone();
                let order: Vec<u32> = signed.order(&page, new.held(&book)).collect();
                prop_assert_eq!(order, expected);
            }
        }
    }
}
