//! The rows of a table that a rule would change, and what it would make of them.
//!
//! In a table whose rows are taken apart, indexes and what was found out for other rules narrow down the rows; in a table
//! that keeps only texts, their shapes do.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{
    found::{Change, Form},
    kinds::{is_told, may_change, may_edit, shape},
    made::{Made, Piece},
    parallel,
    rows::Rows,
    table::Table,
};
use crate::rules::{Condition, Edit, Key, Parts, Rule};

/// Rows of a table that still has an index of its names and segments: of a larger one most are met once.
const MOST_INDEXED: usize = 30_000;

fn name_mark(name: &str) -> u64 {
    xxh3_64_with_seed(name.as_bytes(), 1 << 8)
}

fn seg_mark(at: u8, value: &str) -> u64 {
    xxh3_64_with_seed(value.as_bytes(), u64::from(at))
}

impl Table<'_> {
    fn having(&self) -> &FxHashMap<u64, Vec<u32>> {
        self.index.having.get_or_init(|| {
            let mut having: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
            for (at, parts) in (0u32..).zip(&self.apart) {
                let names = parts.query.iter().map(|p| name_mark(&p.name));
                let segs = (0..=u8::MAX).zip(&parts.segs);
                for mark in names.chain(segs.map(|(i, value)| seg_mark(i, value))) {
                    let rows = having.entry(mark).or_default();
                    if rows.last() != Some(&at) {
                        rows.push(at);
                    }
                }
            }
            having
        })
    }

    /// Rows among which are all that satisfy the condition; `None`: it may be any.
    fn candidates(&self, condition: &Condition) -> Option<&[u32]> {
        let mark = match condition {
            Condition::Is(Key::Seg(i), value) => seg_mark(*i, value),
            Condition::Is(Key::Query(name), _)
            | Condition::Has(Key::Query(name))
            | Condition::Like(Key::Query(name), _)
            | Condition::Starts(Key::Query(name), _) => name_mark(name),
            _ => return None,
        };
        Some(self.having().get(&mark).map_or(&[][..], Vec::as_slice))
    }

    /// The rows that satisfy a condition; remembered until a rule is adopted.
    fn holding(&self, condition: &Condition) -> Arc<Rows> {
        self.found.holding(condition, self.rows.len(), || {
            let mut rows = Rows::none(self.rows.len());
            // The index knows all that have a name.
            let is_known = matches!(condition, Condition::Has(Key::Query(_)));
            let mut ask = |at: usize| {
                if is_known || condition.holds(&self.apart[at]) {
                    rows.insert(at);
                }
            };
            match self.candidates(condition) {
                Some(some) => some.iter().for_each(|at| ask(*at as usize)),
                None => (0..self.rows.len()).for_each(ask),
            }
            rows
        })
    }

    /// Whether what is found out about the rows is remembered: there are few, and they stay taken apart.
    fn remembers(&self) -> bool {
        !self.apart.is_empty() && self.rows.len() <= MOST_INDEXED
    }

    /// Rows among which are all that the rule may change, and the conditions of its pattern that they still are to be
    /// asked for.
    pub(super) fn likely<'r>(&self, rule: &'r Rule) -> (Rows, Vec<&'r Condition>) {
        if !self.remembers() {
            let mut spare = Parts::none();
            let mut rows = Rows::none(self.rows.len());
            (self.kinds())
                .rows(|first| may_change(rule, self.parts(first, &mut spare)))
                .for_each(|at| rows.insert(at));
            return (
                rows,
                rule.pattern.0.iter().filter(|c| !is_told(c)).collect(),
            );
        }
        let mut rows: Option<Rows> = None;
        let mut keep = |more: &Rows| match &mut rows {
            Some(rows) => rows.keep(more),
            None => rows = Some(more.clone()),
        };
        for condition in &rule.pattern.0 {
            keep(&self.holding(condition));
        }
        if let [
            Edit::Drop(key @ Key::Query(_))
            | Edit::Mask(key @ Key::Query(_))
            | Edit::Move(key @ Key::Query(_), _),
        ] = rule.edits.as_slice()
        {
            keep(&self.holding(&Condition::Has(key.clone())));
        }
        let rows = rows.unwrap_or_else(|| Rows::all(self.rows.len()));
        (rows, Vec::new())
    }

    /// What the rule makes of a row, taken apart into `parts` and put together in `text`.
    fn made<'t>(
        &'t self,
        at: usize,
        rule: &Rule,
        rest: &[&Condition],
        parts: &mut Parts<'t>,
        text: &mut String,
    ) -> Form {
        let apart = self.apart.get(at);
        if apart.is_some_and(|apart| !may_edit(&rule.edits, apart)) {
            return Form::SAME;
        }
        self.take_apart(at, parts);
        // What no index finds is asked of those that are left.
        if !rest.iter().all(|c| c.holds(parts)) || !rule.edit(parts) {
            return Form::SAME;
        }
        text.clear();
        parts.render_into(text);
        if **text == *self.rows[at].text {
            return Form::SAME;
        }
        Form::new(text, shape(parts))
    }

    /// What the rule makes of each row that it changes, in order.
    pub(super) fn changes(&self, rule: &Rule) -> Vec<Change> {
        let (rows, rest) = self.likely(rule);
        let (mut parts, mut text) = (Parts::none(), String::new());
        let change = |at: usize, form: Form| {
            let at = at as u32;
            (form != Form::SAME).then_some(Change { form, at })
        };
        if !self.remembers() {
            let pieces = self.pieces(rule, &rows, &rest);
            let changes: Vec<&[Change]> = pieces.iter().map(Piece::changes).collect();
            return changes.concat();
        }
        if rows.count() * 8 < self.rows.len() {
            let changed = |at| change(at, self.made(at, rule, &rest, &mut parts, &mut text));
            return rows.iter().filter_map(changed).collect();
        }
        // Rules with the same edits and other conditions are tried by the hundred.
        let forms = self.found.edited(&rule.edits, self.rows.len());
        let mut form = |at: usize| {
            forms[at].get().unwrap_or_else(|| {
                let form = self.made(at, rule, &rest, &mut parts, &mut text);
                forms[at].set(form);
                form
            })
        };
        let changes = rows.iter().filter_map(|at| change(at, form(at)));
        changes.collect()
    }

    /// What the rule makes of the rows, with the texts.
    fn pieces(&self, rule: &Rule, rows: &Rows, rest: &[&Condition]) -> Vec<Piece> {
        parallel::map(self.threads, &rows.pieces(), |rows| {
            let (mut parts, mut text) = (Parts::none(), String::new());
            let mut piece = Piece::default();
            for at in rows.rows() {
                let form = self.made(at, rule, rest, &mut parts, &mut text);
                if form != Form::SAME {
                    let change = Change {
                        form,
                        at: at as u32,
                    };
                    // What is left may be taken apart in another way.
                    let may_go_on = self.rows[at].text.contains(';');
                    piece.push(change, &text, may_go_on);
                }
            }
            piece
        })
    }

    /// The same as [`changes`](Self::changes), and of a table that holds texts alone what comes of them, if one pass
    /// does all that the rule can do.
    pub(super) fn changes_for_good(&self, rule: &Rule) -> (Vec<Change>, Option<Made>) {
        if !self.apart.is_empty() {
            return (self.changes(rule), None);
        }
        let (rows, rest) = self.likely(rule);
        let pieces = self.pieces(rule, &rows, &rest);
        let changes: Vec<&[Change]> = pieces.iter().map(Piece::changes).collect();
        (changes.concat(), Made::of(pieces))
    }
}
