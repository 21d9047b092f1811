//! The shapes of a table's rows, and what can be told from these alone.
//!
//! URLs of one shape have the same number of path segments and the same names in their query: for a rule that asks for
//! a name, one of them stands for all.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::{
    cut::without_extension,
    rules::{Condition, Edit, Key, Parts, Rule},
};

/// Extensions of files that are scripts: what follows depends on which it is. The names of others say no more than those of pages without an extension.
const OF_SCRIPTS: [&str; 24] = [
    "php", "php3", "php4", "php5", "phtml", "cgi", "fcgi", "pl", "asp", "aspx", "ashx", "asmx",
    "axd", "jsp", "jspx", "jspa", "jsf", "faces", "do", "action", "cfm", "dll", "exe", "nsf",
];

/// Path length, script and query names: URLs of one shape identify their pages by the same parts.
pub(super) fn shape(parts: &Parts<'_>) -> u64 {
    let may_be_script = !parts.query.is_empty() || parts.segs.len() == 1;
    let ext = parts.ext().filter(|_| may_be_script).map(|(_, ext)| ext);
    let script = match (ext, parts.segs.last()) {
        (Some(ext), _) if !OF_SCRIPTS.contains(&ext) => ext,
        (Some(_), Some(name)) => name,
        _ => "",
    };
    let (script, extension) = match parts.query.as_slice() {
        [] => around_number(script),
        _ => (script, ""),
    };
    let mut hash = xxh3_64_with_seed(script.as_bytes(), parts.segs.len() as u64);
    let mut add = |name: &str| hash = xxh3_64_with_seed(name.as_bytes(), hash);
    if !extension.is_empty() {
        add(extension);
    }
    match parts.query.as_slice() {
        [] => {}
        [only] => add(&only.name),
        [a, b] if a.name != b.name => {
            add((&a.name).min(&b.name));
            add((&a.name).max(&b.name));
        }
        several => {
            let mut names: SmallVec<[&str; 8]> = several.iter().map(|p| &*p.name).collect();
            names.sort_unstable();
            names.dedup();
            names.into_iter().for_each(add);
        }
    }
    hash
}

/// What stands around the number at the end of a file's name, without which files are of one shape: `topic17.html`.
fn around_number(file: &str) -> (&str, &str) {
    let (stem, extension) = file.split_at(without_extension(file).len());
    let name = stem.trim_end_matches(|sign: char| sign.is_ascii_digit());
    if name.len() < stem.len() {
        (name, extension)
    } else {
        (file, "")
    }
}

/// The shapes of the rows of a table, numbered.
#[derive(Debug, Default)]
pub(super) struct Kinds {
    /// The number of each row's shape.
    of: Vec<u32>,
    by_shape: FxHashMap<u64, u32>,
    /// Of each shape how many rows have it, and the first of them.
    all: Vec<(u32, u32)>,
}

impl Kinds {
    /// Of rows with these shapes.
    pub(super) fn of(shapes: impl ExactSizeIterator<Item = u64>) -> Self {
        let mut kinds = Self {
            of: Vec::with_capacity(shapes.len()),
            ..Self::default()
        };
        for (at, shape) in (0u32..).zip(shapes) {
            let next = kinds.all.len() as u32;
            let number = *kinds.by_shape.entry(shape).or_insert(next);
            if number == next {
                kinds.all.push((0, at));
            }
            kinds.all[number as usize].0 += 1;
            kinds.of.push(number);
        }
        kinds
    }

    /// Number of shapes.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The number of a row's shape.
    pub(super) fn of_row(&self, at: u32) -> usize {
        self.of[at as usize] as usize
    }

    /// The number of this shape, and how many rows have it.
    pub(super) fn find(&self, shape: u64) -> Option<(usize, u32)> {
        let number = *self.by_shape.get(&shape)? as usize;
        Some((number, self.all[number].0))
    }

    /// How many rows are of each shape, and the first of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        self.all.iter().copied()
    }

    /// The rows of the shapes whose first row is among those that are meant.
    pub(super) fn rows(&self, mut means: impl FnMut(u32) -> bool) -> impl Iterator<Item = usize> {
        let is_meant: Vec<bool> = self.iter().map(|(_, first)| means(first)).collect();
        let rows = self.of.iter().enumerate();
        rows.filter(move |(_, number)| is_meant[**number as usize])
            .map(|(at, _)| at)
    }
}

/// Whether the presence of this part is the same in all URLs of a shape.
const fn is_of_shape(key: &Key) -> bool {
    matches!(
        key,
        Key::Query(_) | Key::Seg(_) | Key::Tail(_) | Key::Rest(_)
    )
}

/// Whether the condition holds for all URLs of a shape or for none.
pub(super) fn is_told(condition: &Condition) -> bool {
    match condition {
        Condition::Has(key) | Condition::No(key) => is_of_shape(key),
        Condition::Is(Key::Len, _) | Condition::Only(_) => true,
        _ => false,
    }
}

/// Whether the rule may change a URL of the shape of this one.
pub(super) fn may_change(rule: &Rule, parts: &Parts<'_>) -> bool {
    let may_hold = |condition: &Condition| match condition {
        Condition::Is(key, _) | Condition::Like(key, _) | Condition::Starts(key, _)
            if is_of_shape(key) =>
        {
            parts.has(key)
        }
        told if is_told(told) => told.holds(parts),
        _ => true,
    };
    let may_act = |edit: &Edit| {
        edit.source()
            .is_none_or(|key| !is_of_shape(key) || parts.has(key))
    };
    rule.pattern.0.iter().all(may_hold) && rule.edits.iter().any(may_act)
}

/// Whether any of the edits may change this URL.
pub(super) fn may_edit(edits: &[Edit], parts: &Parts<'_>) -> bool {
    let may_act = |edit: &Edit| edit.source().is_none_or(|key| parts.has(key));
    edits.iter().any(may_act)
}

#[cfg(test)]
mod tests {
    use super::{may_change, shape};
    use crate::rules::{Parts, Rule};
    use proptest::prelude::*;

    #[test]
    fn files_that_differ_in_a_number_are_of_one_shape() {
        let of = |path: &str| {
            let url = format!("http://e.org/{path}");
            shape(&Parts::parse(&url).unwrap())
        };
        assert_eq!(of("topic17.html"), of("topic3.html"));
        for other in ["topics.php", "topic17.php", "topic3.html?p=1"] {
            assert_ne!(of("topic17.html"), of(other), "{other}");
        }
        assert_ne!(of("topic17.php?p=1"), of("topic3.php?p=1"), "two scripts");
        for files in [["lamps.html", "chairs.html"], ["a.py?v=1", "b.py?v=2"]] {
            assert_eq!(of(files[0]), of(files[1]), "no scripts");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]
        #[test]
        fn one_url_speaks_for_all_of_its_shape(
            condition in "((has|no):(query\\.[ab]|(seg|tail|rest)\\.[01])|is:(len=[0-2]|query\\.a=1|seg\\.0=a)|only:[ab]|like:query\\.a=x#|starts:seg\\.1=a|same:seg\\.0=seg\\.1)",
            edit in "((drop|mask|lower|digits:0|piece:(behind-last:-|from-first:-)):(query\\.[ab]|seg\\.[01]|tail\\.1)|(unique|first):query\\.[ab]|respell:(query\\.[ab]|seg\\.[01]|tail\\.1)=\\*[ax]>(a|b)?\\*[bx]|(unwrap|wrap):(query\\.[ab]|seg\\.[01])=(a|x)?\\*x|(move|copy):(query\\.a>query\\.b|rest\\.1>query\\.b|query\\.a>seg\\.0)|sort|keep:a|set:query\\.a=2|drop:slash)",
            urls in proptest::collection::vec("http://e\\.org(/[a-cx1-]{1,3}(\\.html|\\.py|\\.php)?){0,2}/?(\\?([ab]=[12xA]{1,2})(&[ab]=[12xA]){0,2})?", 12),
        ) {
            let rule: Rule = format!("{condition} => {edit}").parse().unwrap();
            for (one, other) in urls.iter().flat_map(|one| urls.iter().map(move |other| (one, other))) {
                let (one, mut other) = (Parts::parse(one).unwrap(), Parts::parse(other).unwrap());
                if shape(&one) == shape(&other) && !may_change(&rule, &one) {
                    prop_assert!(!rule.apply(&mut other), "{} {} {}", rule, one.render(), other.render());
                }
            }
        }
    }
}
