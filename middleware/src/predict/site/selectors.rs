//! Finds selectors: parts of a URL that say what is shown, not of what.
//!
//! Many applications are one script (`?a=blob;h=…`, `?do=index&id=…`, `index.php?title=…&action=history`), or have the action
//! in the path (`/repository/log/7f3a`). What matters for one action need not matter for another, and neither the path's shape
//! nor the names of parameters tell them apart. A parameter, or a place in the paths that begin with one segment, chooses among
//! actions if all of its values that were ever met are few, and are words or absent.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::{
    heap::{of_map, of_set},
    predict::{
        belief::{Level, MANY_HOSTS, context},
        codec::Out,
        form::{Edit, Form, Hashed, News, Part, Things, join},
        parts::{Parts, Put, Section},
        yields::shape_of,
    },
};

/// Segments behind the first that may choose among actions. The first is part of a path's shape where it is a word.
const PLACES: usize = 2;
/// Values of a parameter that chooses among actions, at most.
pub(super) const MOST_VALUES: usize = 32;
/// Parameters that are watched, and as many places.
const MOST_NAMES: usize = 256;
/// Words of shapes that are remembered, at most.
const MOST_MET: usize = 1 << 14;
/// Octets of a word, at most.
const LONGEST: usize = 40;
/// Digits at the end of a word: `action=step2` is one of few. Segments with a number are the name of a page.
const DIGITS_OF_VALUE: usize = 1;
const DIGITS_OF_SEGMENT: usize = 0;

/// The values of a parameter or place.
#[derive(Debug)]
struct Values {
    /// Those that are words, by their hashes; `None` where they are too many.
    few: Option<Vec<u64>>,
    /// Whether all of them are words.
    are_words: bool,
    /// Digits that a word may end with.
    digits: usize,
}

/// What a page's URL changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ceased {
    /// Something that seemed to choose among actions does not.
    pub(super) is_choice: bool,
    /// The values of something that had few of them are many.
    pub(super) is_few: bool,
    /// What is known since of words that name things, which gives URLs another shape.
    pub(super) words: Option<News>,
}

/// The parameters of a site, and the places in its paths. They follow from the URLs of its pages.
#[derive(Debug, Default)]
pub(super) struct Selectors {
    parameters: FxHashMap<u64, Values>,
    places: FxHashMap<u64, Values>,
    things: Things,
    /// The first hosts, by their hashes.
    hosts: SmallVec<[u64; MANY_HOSTS]>,
    /// Which of the words were met on pages of which shape.
    met: FxHashSet<u64>,
    /// The same of URLs that were fetched and are no pages, by parameter or place: these do not follow from the pages.
    pageless: FxHashMap<u64, Vec<u64>>,
    /// Parameters and places of which another crawl has found out that their values are many. Nothing is noted of them.
    many: FxHashSet<u64>,
}

/// What stands on a URL beside what an edit calls irrelevant, for people.
#[derive(Debug)]
pub(super) enum Beside {
    /// It is one of few words.
    Word(String),
    /// It has many values: name of the parameter or place, and what it is called.
    Many(u64, String),
}

/// Notes a value of a parameter or place.
fn note(
    all: &mut FxHashMap<u64, Values>,
    (name, value): (u64, &Part<'_>),
    digits: usize,
    ceased: &mut Ceased,
) {
    if all.len() >= MOST_NAMES && !all.contains_key(&name) {
        return;
    }
    let known = all.entry(name).or_insert_with(|| Values {
        few: Some(Vec::new()),
        are_words: true,
        digits,
    });
    let Some(values) = &mut known.few else {
        return;
    };
    if values.contains(&value.hash()) {
        return;
    }
    let was_choice = known.are_words && !values.is_empty();
    let is_few = values.len() < MOST_VALUES;
    let is_word = is_word(value, digits);
    known.are_words &= is_few && is_word;
    ceased.is_choice |= was_choice && !known.are_words;
    if !is_word || value.is_empty() {
        // A number of a page, a token: of what is beside it names nothing.
    } else if is_few {
        values.push(value.hash());
    } else {
        ceased.is_few = true;
        known.few = None;
    }
}

/// Whether this value of a parameter or place chooses an action.
fn chooses(all: &FxHashMap<u64, Values>, name: u64, value: &Part<'_>) -> bool {
    let values = all.get(&name);
    values.is_some_and(|values| values.are_words && is_word(value, values.digits))
}

/// Whether this value of a parameter or place is one of few words.
fn is_of_few(all: &FxHashMap<u64, Values>, name: u64, value: &Part<'_>) -> bool {
    let values = all.get(&name);
    !value.is_empty()
        && values.is_some_and(|values| values.few.is_some() && is_word(value, values.digits))
}

/// Names and values of the parameters.
fn parameters<'f, 'u>(form: &'f Form<'u>) -> impl Iterator<Item = (u64, &'f Part<'u>)> {
    let named = |(name, value): &'f (Part<'u>, Part<'u>)| (name.hash(), value);
    form.params.iter().map(named)
}

/// The segments that may choose among actions behind a first one of this name, each with the name of its place.
fn places<'f, 'u>(first: u64, form: &'f Form<'u>) -> impl Iterator<Item = (u64, &'f Part<'u>)> {
    let behind = (1..).zip(form.segments.iter().skip(1).take(PLACES));
    behind.map(move |(place, segment)| (join(first, place), segment))
}

/// Whether a value may name an action: `show`, `shop.item`, `product/product`, `plugin:list`, and with a digit `step2`.
fn is_word(value: &str, most_digits: usize) -> bool {
    let words = value.trim_end_matches(|sign: char| sign.is_ascii_digit());
    let digits = value.len() - words.len();
    // One of a module and one of what it does; more are the path of something.
    let mut parts = words.split(['/', ':']);
    let is_named = |part: &str| {
        !part.is_empty()
            && (part.bytes())
                .all(|octet| octet.is_ascii_alphabetic() || matches!(octet, b'_' | b'-' | b'.'))
    };
    value.is_empty()
        || value.len() <= LONGEST
            && digits <= most_digits
            && parts.next().is_some_and(is_named)
            // One with a number is a thing of a kind.
            && parts.next().is_none_or(|part| digits == 0 && is_named(part))
            && parts.next().is_none()
}

impl Selectors {
    /// Name of what the places of a URL stand behind: its first folder, or the shape of all whose first folder names a thing.
    fn first_of(&self, form: &Form<'_>) -> u64 {
        let named = || form.segments.first().map_or(0, Part::hash);
        self.things.shape_of_thing(form).unwrap_or_else(named)
    }

    /// The words that choose something on a URL, each with the name of its parameter or place.
    fn choosing<'f, 'u>(&'f self, form: &'f Form<'u>) -> impl Iterator<Item = (u64, &'f Part<'u>)> {
        let in_params =
            parameters(form).filter(|(name, value)| chooses(&self.parameters, *name, value));
        let in_places = places(self.first_of(form), form)
            .filter(|(name, value)| chooses(&self.places, *name, value));
        in_params.chain(in_places)
    }

    /// Names of the words that choose something on a URL, each with the name of the parameter or place of its shape that has it.
    fn words_of_shape<'f>(&'f self, form: &'f Form<'_>) -> impl Iterator<Item = (u64, u64)> {
        let shape = shape_of(form);
        let words = self.choosing(form).filter(|(_, value)| !value.is_empty());
        words.map(move |(name, value)| {
            let of = join(shape, name);
            (of, join(of, value.hash()))
        })
    }

    /// Notes the values of a page's URL. Contexts that had the values of what does not choose among actions are not met any
    /// more, nor what stood beside under the names of values that are many.
    pub(super) fn note(&mut self, form: &Form<'_>) -> Ceased {
        let mut ceased = Ceased {
            words: self.things.note(form),
            ..Ceased::default()
        };
        let is_open = |(name, _): &(u64, _)| self.many.is_empty() || !self.many.contains(name);
        for (name, value) in parameters(form).filter(is_open) {
            let digits = DIGITS_OF_VALUE;
            note(&mut self.parameters, (name, value), digits, &mut ceased);
        }
        for (name, value) in places(self.first_of(form), form).filter(is_open) {
            let digits = DIGITS_OF_SEGMENT;
            note(&mut self.places, (name, value), digits, &mut ceased);
        }
        let host = form.origin.hash();
        if self.hosts.len() < MANY_HOSTS && !self.hosts.contains(&host) {
            self.hosts.push(host);
        }
        if self.met.len() < MOST_MET {
            let words: SmallVec<[u64; 4]> =
                self.words_of_shape(form).map(|(_, word)| word).collect();
            self.met.extend(words);
        }
        ceased
    }

    /// Those of which another crawl has found out that their values are many, before any page is noted.
    pub(super) fn with_many(self, many: FxHashSet<u64>) -> Self {
        Self {
            many,
            pageless: self.pageless,
            ..Self::default()
        }
    }

    /// Takes in that another crawl found the values of a parameter or place to be many, unless some are known here; whether it did.
    pub(super) fn hear_many(&mut self, name: u64) -> bool {
        let is_known = self.parameters.contains_key(&name) || self.places.contains_key(&name);
        let has_room = self.many.len() < 2 * MOST_NAMES;
        !is_known && (self.many.contains(&name) || (has_room && self.many.insert(name)))
    }

    /// What [stands beside](Self::beside), in words, and what might if it had fewer values.
    pub(super) fn tell_beside(
        &self,
        edit: &Hashed,
        before: &Form<'_>,
        tell: &mut dyn FnMut(Beside),
    ) {
        let is_many = |all: &FxHashMap<u64, Values>, name: u64| {
            self.many.contains(&name) || all.get(&name).is_some_and(|values| values.few.is_none())
        };
        let is_all = matches!(**edit, Edit::AllParams);
        for (name, value) in before.params.iter().filter(|_| !is_all) {
            if edit.speaks_of(name.hash()) {
                continue;
            }
            if is_of_few(&self.parameters, name.hash(), value) {
                tell(Beside::Word(format!("{}={}", &**name, &**value)));
            } else if is_many(&self.parameters, name.hash()) {
                tell(Beside::Many(name.hash(), name.to_string()));
            }
        }
        let first = before.segments.first().map_or("", |first| first);
        let places = places(self.first_of(before), before);
        for (between, (name, value)) in ["", "/*"].into_iter().zip(places) {
            if is_of_few(&self.places, name, value) {
                tell(Beside::Word(format!("/{first}{between}/{}", &**value)));
            } else if is_many(&self.places, name) {
                tell(Beside::Many(name, format!("/{first}{between}/*")));
            }
        }
    }

    /// Name of the pages that are of one kind as far as a URL tells: of one shape of path, and chosen by the same words.
    pub(super) fn section(&self, form: &Form<'_>) -> u64 {
        self.choosing(form)
            .fold(self.things.shape_key(form), |section, (name, value)| {
                join(join(section, name), value.hash())
            })
    }

    /// Name of the part of the site that a URL lies in, if it is in one.
    pub(super) fn part_of(&self, form: &Form<'_>) -> Option<u64> {
        self.things.part_key(form)
    }

    /// Notes the words of a URL that redirected, or of which there is no page.
    pub(super) fn note_pageless(&mut self, form: &Form<'_>) {
        let words: SmallVec<[_; 4]> = self.words_of_shape(form).collect();
        for (of, word) in words {
            let has_room = self.pageless.len() < MOST_MET || self.pageless.contains_key(&of);
            if has_room && !self.met.contains(&word) {
                let words = self.pageless.entry(of).or_default();
                if words.len() < MOST_VALUES && !words.contains(&word) {
                    words.push(word);
                }
            }
        }
    }

    /// Whether a word chooses an action, or a part of the site, on this URL that was on none of its shape that was fetched: what the
    /// others brought says little of it. Where many words have brought no page, none does.
    pub(super) fn is_unmet(&self, form: &Form<'_>) -> bool {
        let has_room = self.met.len().max(self.pageless.len()) < MOST_MET;
        let is_unmet = |(of, word): (u64, u64)| {
            let pageless = self.pageless.get(&of).map_or(&[][..], Vec::as_slice);
            pageless.len() < MOST_VALUES && !pageless.contains(&word) && !self.met.contains(&word)
        };
        has_room && self.words_of_shape(form).any(is_unmet)
    }

    pub(super) fn save(&self, put: &mut Put<'_>) {
        let mut all: Vec<_> = self.pageless.iter().collect();
        if all.is_empty() {
            return;
        }
        all.sort_unstable();
        let mut out = Out::default();
        for (of, words) in all {
            out.fixed64(*of);
            out.count(words.len());
            for word in words {
                out.fixed64(*word);
            }
        }
        put(Section::Words, 0, out.0);
    }

    /// Takes back what was [saved](Self::save); the rest follows from the pages.
    pub(super) fn load(&mut self, parts: &Parts) -> Option<()> {
        if let Some(mut from) = parts.one(Section::Words) {
            while !from.is_empty() {
                let of = from.fixed64()?;
                let words = from.count()?;
                let words = (0..words).map(|_| from.fixed64()).collect::<Option<_>>()?;
                self.pageless.insert(of, words);
            }
        }
        Some(())
    }

    /// Whether a segment of this URL chooses among actions.
    pub(super) fn is_action_in_path(&self, form: &Form<'_>) -> bool {
        let mut places = places(self.first_of(form), form);
        places.any(|(name, value)| chooses(&self.places, name, value))
    }

    /// Name of the context of an edit on one URL; `None` where the level means nothing.
    pub(super) fn context(&self, edit: &Hashed, level: Level, before: &Form<'_>) -> Option<u64> {
        if level == Level::Domain && self.hosts.len() < MANY_HOSTS {
            return None;
        }
        if level != Level::Action {
            return context(edit, level, before, &self.things);
        }
        if !edit.drops() {
            return None;
        }
        // Whatever the order.
        let chosen = self.chosen(edit, before).reduce(u64::wrapping_add)?;
        let names = join(self.things.shape_key(before), before.names_key());
        Some(join(24, join(names, chosen)))
    }

    /// What stands on one URL beside what an edit of parameters calls irrelevant, and is one of few words.
    pub(super) fn beside(&self, edit: &Hashed, before: &Form<'_>) -> impl Iterator<Item = u64> {
        self.others(edit, before, is_of_few)
    }

    /// What chooses among actions on one URL, beside what an edit of parameters calls irrelevant.
    fn chosen(&self, edit: &Hashed, before: &Form<'_>) -> impl Iterator<Item = u64> {
        self.others(edit, before, chooses)
    }

    /// Parameters of which an edit does not speak, and places, with those of their values that are such ones.
    fn others(
        &self,
        edit: &Hashed,
        before: &Form<'_>,
        is_such: impl Fn(&FxHashMap<u64, Values>, u64, &Part<'_>) -> bool + Copy,
    ) -> impl Iterator<Item = u64> {
        let is_all = matches!(**edit, Edit::AllParams);
        let of_rest = parameters(before)
            .filter(move |(name, _)| !is_all && !edit.speaks_of(*name))
            .filter(move |(name, value)| is_such(&self.parameters, *name, value));
        let of_path = places(self.first_of(before), before)
            .filter(move |(name, value)| is_such(&self.places, *name, value));
        let all = of_rest.chain(of_path);
        all.map(|(name, value)| join(name, value.hash()))
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let of = |all: &FxHashMap<u64, Values>| {
            let few = all.values().filter_map(|values| values.few.as_ref());
            let values = few.map(Vec::capacity).sum::<usize>();
            of_map(all) + values * size_of::<u64>()
        };
        let words = self.pageless.values().map(Vec::capacity).sum::<usize>();
        let of_pageless = of_map(&self.pageless) + words * size_of::<u64>();
        of(&self.parameters)
            + of(&self.places)
            + self.things.bytes()
            + of_set(&self.many)
            + of_set(&self.met)
            + of_pageless
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
    fn words_with_a_sign_between_them_are_words_and_paths_and_addresses_are_none() {
        for word in [
            "",
            "show",
            "shop.item",
            "item.php",
            "product/product",
            "plugin:list",
            "step2",
        ] {
            assert!(is_word(word, 1), "{word}");
        }
        for other in [
            "7", "7f3a", "step12", "/etc", "etc/", "a/b/c", "http://e", "talk:p0", "a:", ":",
            "a%20b",
        ] {
            assert!(!is_word(other, 1), "{other}");
        }
        for other in ["step2", "c-1"] {
            assert!(!is_word(other, 0), "{other}");
        }
    }

    #[test]
    fn a_segment_that_is_one_of_a_few_words_tells_actions_apart() {
        let mut selectors = Selectors::default();
        for n in 0..40 {
            let action = ["log", "rev", "graph"][n % 3];
            for first in ["docs", "src"] {
                let url = format!("http://e.org/{first}/{action}/7f{n}?hb=2");
                selectors.note(&Form::parse(&url));
            }
            selectors.note(&Form::parse(&format!("http://e.org/blog/{n}/log?hb=2")));
        }
        let edits = [Edit::Params(vec![Param::Any("hb".into())]), Edit::AllParams];
        for edit in edits.map(Hashed::from) {
            let of = |path: &str| {
                let url = format!("http://e.org/{path}?hb=7");
                selectors.context(&edit, Level::Action, &Form::parse(&url))
            };
            let log = of("docs/log/7f1");
            assert!(log.is_some());
            assert_eq!(log, of("docs/log/tip"));
            assert_ne!(log, of("docs/rev/7f1"));
            assert_ne!(log, of("src/log/7f1"));
            assert_ne!(of("blog/1/log"), of("blog/1/rev"));
            assert_eq!(of("blog/1/log"), of("blog/2/log"), "numbers choose nothing");
            assert_eq!(of("blog"), None, "nothing chooses");
        }
    }

    #[test]
    fn a_parameter_with_many_values_tells_of_what_it_shows_something() {
        let mut selectors = Selectors::default();
        let first = Form::parse("http://e.org/?title=7");
        assert!(!selectors.note(&first).is_choice, "it never chose anything");
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
            has_ceased |= selectors.note(&Form::parse(&form)).is_choice;
        }
        assert!(has_ceased);
        assert_eq!(context_of(&selectors, "http://e.org/?title=axx&hb=1"), None);
    }
}
