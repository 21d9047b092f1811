//! By which names is a page looked for, under each version of the chrome?

use crate::sign::{
    ChromeBook, PageText,
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
    pub(super) signed: Vec<Signed>,
    /// Versions of the chrome, and which of `signed` counts under each.
    pub(super) versions: Vec<(u32, usize)>,
}

impl<'t> Newcomer<'t> {
    pub(crate) fn new(text: &'t PageText, book: &ChromeBook) -> Self {
        Self {
            text,
            signed: vec![text.signed(book.current())],
            versions: vec![(book.current().version(), 0)],
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
        let chrome = book.version(version)?;
        let at = if self.text.is_signed_alike(chrome, &self.signed[0]) {
            0
        } else {
            self.signed.push(self.text.signed(chrome));
            self.signed.len() - 1
        };
        self.versions.push((version, at));
        Some(at)
    }

    pub(super) fn under(&mut self, version: u32, book: &ChromeBook) -> Option<&Signed> {
        let at = self.at(version, book)?;
        Some(&self.signed[at])
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
