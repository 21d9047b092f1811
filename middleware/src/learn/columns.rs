//! The value of each URL at each key, in a form that is compared without looking at text.
//!
//! The pattern tree looks at every value of a site many times. Here, keys are numbers, in the order of the keys, and so
//! are values: equal numbers mean equal texts.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::table::Table;
use crate::rules::Key;

/// The value of a key that a URL does not have.
pub(crate) const ABSENT: u32 = 0;

/// Keys and values of all rows of a table.
#[derive(Debug)]
pub(crate) struct Columns<'t> {
    /// In ascending order; a key's number is its place.
    keys: Vec<Key>,
    /// Texts of the values from number 1 on.
    texts: Vec<Cow<'t, str>>,
    /// Keys and values of all rows, those of a row in order of key.
    pairs: Vec<(u32, u32)>,
    /// Where the pairs of each row end.
    ends: Vec<u32>,
}

impl<'t> Columns<'t> {
    pub(crate) fn of(table: &'t Table<'t>) -> Self {
        let mut keys: FxHashMap<Key, u32> = FxHashMap::default();
        let mut values: FxHashMap<Cow<'t, str>, u32> = FxHashMap::default();
        let mut pairs = Vec::with_capacity(table.rows.len() * 6);
        let mut ends = Vec::with_capacity(table.rows.len());
        for parts in &table.apart {
            for (key, value) in parts.pairs() {
                let next = keys.len() as u32;
                let key = *keys.entry(key).or_insert(next);
                let next = values.len() as u32 + 1;
                pairs.push((key, *values.entry(value).or_insert(next)));
            }
            ends.push(pairs.len() as u32);
        }
        // As they were met, then as they stand in order.
        let mut order: Vec<(Key, u32)> = keys.into_iter().collect();
        order.sort_unstable();
        let mut places = vec![0; order.len()];
        for (place, (_, met)) in (0u32..).zip(&order) {
            places[*met as usize] = place;
        }
        for (key, _) in &mut pairs {
            *key = places[*key as usize];
        }
        let mut from = 0;
        for end in &ends {
            pairs[from..*end as usize].sort_unstable();
            from = *end as usize;
        }
        let mut texts = vec![Cow::Borrowed(""); values.len()];
        for (text, number) in values {
            texts[number as usize - 1] = text;
        }
        Self {
            keys: order.into_iter().map(|(key, _)| key).collect(),
            texts,
            pairs,
            ends,
        }
    }

    pub(crate) fn key(&self, key: u32) -> &Key {
        &self.keys[key as usize]
    }

    pub(crate) fn find(&self, key: &Key) -> Option<u32> {
        self.keys.binary_search(key).ok().map(|at| at as u32)
    }

    /// The text of a value; `None` for one that is absent.
    pub(crate) fn text(&self, value: u32) -> Option<&str> {
        let at = value.checked_sub(1)?;
        Some(&self.texts[at as usize])
    }

    fn row(&self, row: u32) -> &[(u32, u32)] {
        let row = row as usize;
        let from = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.pairs[from as usize..self.ends[row] as usize]
    }

    pub(crate) fn value(&self, row: u32, key: u32) -> u32 {
        let mut pairs = self.row(row).iter();
        pairs.find(|(k, _)| *k == key).map_or(ABSENT, |(_, v)| *v)
    }

    /// The keys that any of the rows has, in order.
    pub(crate) fn keys(&self, rows: &[u32]) -> Vec<u32> {
        let mut is_there = vec![false; self.keys.len()];
        for (key, _) in rows.iter().flat_map(|row| self.row(*row)) {
            is_there[*key as usize] = true;
        }
        let keys = (0u32..).zip(is_there);
        keys.filter(|(_, there)| *there)
            .map(|(key, _)| key)
            .collect()
    }

    /// The values that the rows have of each key that is there, keys in order.
    pub(crate) fn by_key(&self, rows: &[u32]) -> Vec<(u32, Vec<u32>)> {
        let mut values: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (key, value) in rows.iter().flat_map(|row| self.row(*row)) {
            values.entry(*key).or_default().push(*value);
        }
        let mut values: Vec<_> = values.into_iter().collect();
        values.sort_unstable_by_key(|(key, _)| *key);
        values
    }
}

#[cfg(test)]
mod tests {
    use super::{ABSENT, Columns, Table};
    use crate::{learn::Sample, rules::Key};

    #[test]
    fn equal_texts_are_equal_numbers_and_keys_stand_in_order() {
        let samples =
            ["http://e.org/x?b=x", "http://e.org/y?a=1&b"].map(|url| Sample::new(url, ""));
        let table = Table::new(&samples, 20);
        let columns = Columns::of(&table);
        let [seg, a, b] =
            [Key::Seg(0), Key::query("a"), Key::query("b")].map(|key| columns.find(&key).unwrap());
        assert!(seg < a && a < b);
        assert_eq!(columns.value(0, seg), columns.value(0, b));
        assert_eq!(columns.text(columns.value(0, seg)), Some("x"));
        assert_eq!(columns.value(0, a), ABSENT);
        assert_eq!(
            columns.text(columns.value(1, b)),
            Some(""),
            "empty is not absent"
        );
        assert_eq!(columns.text(ABSENT), None);
        assert!(!columns.keys(&[0]).contains(&a));
        let of_b = columns
            .by_key(&[0, 1])
            .into_iter()
            .find(|(key, _)| *key == b);
        assert_eq!(of_b.map(|(_, values)| values.len()), Some(2));
    }
}
