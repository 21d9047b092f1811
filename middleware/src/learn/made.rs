//! What a rule makes of the URLs of a table, as text.
//!
//! Texts that are made together are stored together, in pieces that are allocated once. A table that adopts the rule
//! takes them as they are, so that nothing is made twice.

use std::{ops::Deref, sync::Arc};

use super::found::{Change, Form};

/// The text of a row: that of a sample, or one that a rule has made.
#[derive(Clone, Debug)]
pub(crate) enum Text<'s> {
    Given(&'s str),
    /// Where it lies in a piece.
    Made(Arc<str>, u32, u32),
}

impl Text<'_> {
    /// One that lies by itself; `None` if it is longer than any URL.
    pub(super) fn alone(text: String) -> Option<Self> {
        let end = u32::try_from(text.len()).ok()?;
        Some(Self::Made(text.into(), 0, end))
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Given(text) => text,
            Self::Made(piece, from, to) => &piece[*from as usize..*to as usize],
        }
    }
}

/// What a rule makes of rows that lie side by side.
#[derive(Debug, Default)]
pub(super) struct Piece {
    changes: Vec<Change>,
    text: String,
    /// Where the text of each change ends.
    ends: Vec<u32>,
    /// Some of them may be the beginning of further changes.
    may_go_on: bool,
}

impl Piece {
    /// Adds a row; `may_go_on`: other passes may make something else of the text.
    pub(super) fn push(&mut self, change: Change, text: &str, may_go_on: bool) {
        self.changes.push(change);
        self.text.push_str(text);
        let end = u32::try_from(self.text.len());
        self.may_go_on |= may_go_on || end.is_err();
        self.ends.push(end.unwrap_or_default());
    }

    pub(super) fn changes(&self) -> &[Change] {
        &self.changes
    }
}

/// What the rows that a rule changes become for good, in order.
#[derive(Debug)]
pub(super) struct Made(Vec<(Vec<Change>, Vec<u32>, Arc<str>)>);

impl Made {
    /// Of pieces in their order; `None` where a text may not be the last that becomes of its row.
    pub(super) fn of(pieces: Vec<Piece>) -> Option<Self> {
        if pieces.iter().any(|piece| piece.may_go_on) {
            return None;
        }
        let pieces = pieces.into_iter().filter(|piece| !piece.ends.is_empty());
        let made = pieces.map(|piece| (piece.changes, piece.ends, piece.text.into()));
        Some(Self(made.collect()))
    }

    /// What becomes of each row, in order.
    pub(super) fn changes(&self) -> Vec<Change> {
        let changes: Vec<&[Change]> = self.0.iter().map(|(changes, ..)| &**changes).collect();
        changes.concat()
    }

    /// Each row with its form and text.
    pub(super) fn rows(&self) -> impl Iterator<Item = (usize, Form, Text<'static>)> {
        self.0.iter().flat_map(|(changes, ends, piece)| {
            let begins = [0].into_iter().chain(ends.iter().copied());
            let spans = begins.zip(ends);
            changes.iter().zip(spans).map(|(change, (from, to))| {
                let text = Text::Made(Arc::clone(piece), from, *to);
                (change.at as usize, change.form, text)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Text;

    #[test]
    fn a_text_of_its_own_takes_no_more_room_than_a_borrowed_one_and_its_place() {
        assert_eq!(size_of::<Text<'_>>(), 24);
        assert_eq!(&*Text::alone("abc".to_owned()).unwrap(), "abc");
    }
}
