//! A set of rows of a table.

/// A set of rows, one bit each.
#[derive(Clone, Debug)]
pub(crate) struct Rows(Vec<u64>);

impl Rows {
    pub(crate) fn none(len: usize) -> Self {
        Self(vec![0; len.div_ceil(64)])
    }

    pub(crate) fn all(len: usize) -> Self {
        let mut rows = Self(vec![u64::MAX; len.div_ceil(64)]);
        if let Some(last) = rows.0.last_mut().filter(|_| !len.is_multiple_of(64)) {
            *last = (1 << (len % 64)) - 1;
        }
        rows
    }

    pub(crate) fn insert(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    pub(crate) fn holds(&self, at: usize) -> bool {
        self.0[at / 64] & (1 << (at % 64)) != 0
    }

    pub(crate) fn keep(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine &= theirs;
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        rows(0, &self.0)
    }

    /// The same in pieces, each a small part of the table, for [`Piece::rows`].
    pub(crate) fn pieces(&self) -> Vec<Piece<'_>> {
        let pieces = self.0.chunks(PIECE / 64).enumerate();
        let piece = |(at, words)| Piece {
            first: at * PIECE,
            words,
        };
        pieces.map(piece).collect()
    }
}

/// Rows of a table that one piece is about.
pub(super) const PIECE: usize = 1 << 10;

/// Those of a set that lie side by side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'r> {
    first: usize,
    words: &'r [u64],
}

impl Piece<'_> {
    pub(crate) fn rows(&self) -> impl Iterator<Item = usize> {
        rows(self.first, self.words)
    }
}

/// The places of the ones, counted from `first`.
fn rows(first: usize, words: &[u64]) -> impl Iterator<Item = usize> {
    (words.iter().enumerate()).flat_map(move |(at, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(first + at * 64 + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{PIECE, Piece, Rows};

    #[test]
    fn pieces_hold_the_same_rows_in_the_same_order() {
        let mut rows = Rows::none(PIECE * 3 + 70);
        (0..PIECE * 3 + 70)
            .step_by(7)
            .for_each(|at| rows.insert(at));
        let pieces = rows.pieces();
        assert_eq!(pieces.len(), 4);
        assert!(rows.iter().eq(pieces.iter().flat_map(Piece::rows)));
    }
}
