//! The rows of a table that become one.

use super::found::Change;

/// In place of where a group lies: there is one row with that number, or none.
pub(super) const ALONE: u32 = u32::MAX;

/// Groups of rows, in any order. Of a rule: what it makes of the others is the last of a group, if it was known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    pub(super) rows: Vec<u32>,
    pub(super) spans: Vec<Span>,
}

/// Where a group lies among the rows of all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) from: u32,
    /// Where those end that the rule changes.
    pub(super) changed: u32,
    pub(super) to: u32,
}

impl Groups {
    /// Rows with the same of so many numbers, where there are several, in the order of the numbers.
    pub(crate) fn by_number(numbers: &[u32], most: usize) -> Self {
        let mut places = vec![0u32; most];
        for number in numbers {
            places[*number as usize] += 1;
        }
        let (mut spans, mut end) = (Vec::new(), 0);
        for place in &mut places {
            let rows = std::mem::replace(place, end);
            if rows > 1 {
                let from = end;
                end += rows;
                spans.push(Span {
                    from,
                    changed: end,
                    to: end,
                });
            } else {
                *place = ALONE;
            }
        }
        let mut rows = vec![0; end as usize];
        for (at, number) in (0u32..).zip(numbers) {
            let place = &mut places[*number as usize];
            if *place != ALONE {
                rows[*place as usize] = at;
                *place += 1;
            }
        }
        Self { rows, spans }
    }

    /// The rows of each group; those that the rule changes in the order of the table.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.spans.iter().map(|span| self.group(*span))
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Number of rows in them that the rule changes.
    pub(super) fn changed_rows(&self) -> usize {
        self.spans
            .iter()
            .map(|span| (span.changed - span.from) as usize)
            .sum()
    }

    pub(super) fn group(&self, span: Span) -> &[u32] {
        &self.rows[span.from as usize..span.to as usize]
    }

    pub(super) fn changed(&self, span: Span) -> &[u32] {
        &self.rows[span.from as usize..span.changed as usize]
    }

    pub(super) fn push(&mut self, changed: &[Change], known: Option<u32>) -> Span {
        let from = self.rows.len() as u32;
        self.rows.extend(changed.iter().map(|change| change.at));
        let changed = self.rows.len() as u32;
        self.rows.extend(known);
        let to = self.rows.len() as u32;
        let span = Span { from, changed, to };
        self.spans.push(span);
        span
    }

    /// The last one.
    pub(super) fn last(&self) -> Option<&[u32]> {
        Some(self.group(*self.spans.last()?))
    }

    /// Those rows of the last one that the rule changes.
    pub(super) fn last_changed(&self) -> &[u32] {
        self.spans.last().map_or(&[], |span| self.changed(*span))
    }

    /// Leaves of the last one the rows that `stays`, which is asked for each in turn.
    pub(super) fn thin_last(&mut self, mut stays: impl FnMut(u32) -> bool) {
        let Some(span) = self.spans.last_mut() else {
            return;
        };
        let mut to = span.from;
        let mut changed = to;
        for place in span.from..span.to {
            let at = self.rows[place as usize];
            if stays(at) {
                self.rows[to as usize] = at;
                to += 1;
                changed += u32::from(place < span.changed);
            }
        }
        (span.changed, span.to) = (changed, to);
        self.rows.truncate(to as usize);
    }

    /// Takes back the last one.
    pub(super) fn pop(&mut self) {
        if let Some(span) = self.spans.pop() {
            self.rows.truncate(span.from as usize);
        }
    }
}
