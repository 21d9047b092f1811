//! Which parameters of a script say what it shows, and not of what?
//!
//! Many applications are one script: `?a=blob;h=…`, `?do=index&id=…`, `index.php?title=…&action=history`. What matters for
//! one of its actions need not for another, and its path and the names of its parameters do not tell them apart. A
//! parameter chooses among actions if all values of it that were ever met are words, or none, and few.

use rustc_hash::FxHashMap;

use crate::predict::{
    belief::{Level, context},
    form::{Edit, Form, Hashed, join},
};

/// Values of a parameter that chooses among actions, at most.
const MOST_VALUES: usize = 32;
/// Parameters that are watched.
const MOST_NAMES: usize = 256;
/// Octets of a word, at most.
const LONGEST: usize = 24;

/// The values of a parameter, by their hashes; `None` where they are too many, or one is no word.
type Values = Option<Vec<u64>>;

/// The parameters of a site. They follow from the URLs of its pages.
#[derive(Debug, Default)]
pub(super) struct Selectors {
    values: FxHashMap<u64, Values>,
}

fn is_word(value: &str) -> bool {
    let is_letter = |octet: u8| octet.is_ascii_alphabetic() || matches!(octet, b'_' | b'-');
    value.len() <= LONGEST && value.bytes().all(is_letter)
}

impl Selectors {
    /// Notes the values of a page's URL; whether a parameter that seemed to choose among actions does not: contexts that
    /// had its values are not met any more.
    pub(super) fn note(&mut self, form: &Form<'_>) -> bool {
        let mut has_ceased = false;
        for (name, value) in &form.params {
            let is_known = self.values.contains_key(&name.hash());
            if !is_known && self.values.len() >= MOST_NAMES {
                continue;
            }
            let known = self
                .values
                .entry(name.hash())
                .or_insert_with(|| Some(Vec::new()));
            let Some(values) = known else { continue };
            if values.contains(&value.hash()) {
                continue;
            }
            if is_word(value) && values.len() < MOST_VALUES {
                values.push(value.hash());
            } else {
                has_ceased |= !values.is_empty();
                *known = None;
            }
        }
        has_ceased
    }

    fn is_any(&self, name: u64) -> bool {
        self.values.get(&name).is_some_and(Option::is_some)
    }

    /// Name of the context of an edit on one URL; `None` where the level means nothing.
    pub(super) fn context(&self, edit: &Hashed, level: Level, before: &Form<'_>) -> Option<u64> {
        let Edit::Params(gone) = &**edit else {
            return context(edit, level, before);
        };
        if level != Level::Action {
            return context(edit, level, before);
        }
        // Whatever the order.
        let of_rest = (before.params.iter())
            .filter(|(name, _)| !gone.iter().any(|param| **name == *param.name()))
            .filter(|(name, value)| is_word(value) && self.is_any(name.hash()));
        let chosen = of_rest
            .map(|(name, value)| join(name.hash(), value.hash()))
            .fold(None, |sum: Option<u64>, one| {
                Some(sum.unwrap_or(0).wrapping_add(one))
            })?;
        let names = join(before.shape_key(), before.names_key());
        Some(join(24, join(names, chosen)))
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let values = self
            .values
            .values()
            .flatten()
            .map(Vec::capacity)
            .sum::<usize>();
        self.values.capacity() * size_of::<(u64, Values)>() + values * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::form::Param;

    fn context_of(selectors: &Selectors, url: &str) -> Option<u64> {
        let edit = Edit::Params(vec![Param::Any("hb".into())]).into();
        selectors.context(&edit, Level::Action, &Form::parse(url))
    }

    #[test]
    fn a_parameter_with_few_words_for_values_tells_actions_apart() {
        let mut selectors = Selectors::default();
        for n in 0..40 {
            let action = ["blob", "history", "blame"][n % 3];
            let word = char::from(b'a' + n as u8 % 26);
            let url = format!("http://e.org/?p={word}{word}{n};a={action};f={word};hb=7f{n}");
            selectors.note(&Form::parse(&url));
        }
        let of = |url: &str| context_of(&selectors, url);
        let blob = of("http://e.org/?p=x1;a=blob;f=b;hb=1");
        assert!(blob.is_some());
        assert_eq!(blob, of("http://e.org/?p=y2;a=blob;f=b;hb=HEAD"));
        assert_ne!(blob, of("http://e.org/?p=x1;a=blame;f=b;hb=1"));
        assert_eq!(of("http://e.org/?p=x1;hb=1"), None, "nothing chooses");
    }

    #[test]
    fn a_parameter_with_many_values_tells_of_what_it_shows_something() {
        let mut selectors = Selectors::default();
        let first = Form::parse("http://e.org/?title=7");
        assert!(!selectors.note(&first), "it never chose anything");
        let mut selectors = Selectors::default();
        let mut has_ceased = false;
        for n in 0..=MOST_VALUES as u8 {
            assert!(!has_ceased || n > 20, "they are few words yet");
            let title = format!(
                "{}{}",
                char::from(b'a' + n % 26),
                "x".repeat(1 + usize::from(n))
            );
            let form = format!("http://e.org/?title={title}&hb=1");
            has_ceased |= selectors.note(&Form::parse(&form));
        }
        assert!(has_ceased);
        assert_eq!(context_of(&selectors, "http://e.org/?title=axx&hb=1"), None);
    }
}
