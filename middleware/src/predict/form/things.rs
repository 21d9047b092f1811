//! Which words of a path make a shape of their own, and which name things?
//!
//! A short word at the beginning of a path is mostly a part of a site: what does not matter in `/shop/` may in `/blog/`. An extension is
//! mostly a type of file. Where URLs that are alike otherwise have many such words in one place, these name things (users, pastes, the
//! pages of a wiki; `/people/jane.roe`, `/domains/example.org`) of which each has a few URLs, and no claim would ever be tried on one of
//! them often enough. Then they count for as little in a [shape](Form::shape_key) as long or composed names do. A word that many pages
//! have in its place is a part of the site, or a type, whatever it is and however many others there are.

use rustc_hash::FxHashMap;

use super::{
    Form, hash_of, join,
    shape::{Class, class_of},
};
use crate::heap::of_map;

/// Words in one place of a shape that make a shape of their own each; where there are more, they name things.
const MOST: usize = 40;
/// Pages of a word that is a part of the site, or a type.
const PAGES_OF_PART: u32 = 20;
/// Shapes of which the words in a place are told apart.
const MOST_SHAPES: usize = 64;
/// Words in a place of which pages are counted.
const MOST_COUNTED: usize = 1 << 14;

/// Seed of the names of extensions.
const SEED: u64 = 6;

/// The words in one place of a shape.
#[derive(Debug)]
enum Words {
    Few(Vec<u32>),
    Many,
}

/// The words in one place of a site's paths.
#[derive(Debug, Default)]
struct Place {
    /// The pages of each, whatever stands beside it.
    pages: FxHashMap<u32, u32>,
    of_shapes: FxHashMap<u64, Words>,
    are_any_many: bool,
}

/// What a page told of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Nothing,
    /// It has as many pages as a part of the site.
    IsPart,
    /// Those of its shape are many.
    AreMany,
}

impl Place {
    /// Notes the word of a page's URL. `shape`: that of URLs with any other word instead, where words make shapes of their own.
    fn note(&mut self, word: u32, shape: Option<u64>) -> Told {
        if self.count(word) {
            return Told::IsPart;
        }
        let Some(shape) = shape.filter(|_| !self.is_part(word)) else {
            return Told::Nothing;
        };
        if self.of_shapes.len() >= MOST_SHAPES && !self.of_shapes.contains_key(&shape) {
            return Told::Nothing;
        }
        let words = self.of_shapes.entry(shape);
        let words = words.or_insert_with(|| Words::Few(Vec::new()));
        let Words::Few(few) = words else {
            return Told::Nothing;
        };
        if few.contains(&word) {
            return Told::Nothing;
        }
        few.push(word);
        if few.len() > MOST {
            let pages = &self.pages;
            few.retain(|word| pages.get(word).is_none_or(|pages| *pages < PAGES_OF_PART));
        }
        if few.len() <= MOST {
            return Told::Nothing;
        }
        *words = Words::Many;
        self.are_any_many = true;
        Told::AreMany
    }

    /// Counts a page of a word; whether it is a part of the site since.
    fn count(&mut self, word: u32) -> bool {
        if self.pages.len() >= MOST_COUNTED && !self.pages.contains_key(&word) {
            return false;
        }
        let pages = self.pages.entry(word).or_default();
        *pages = pages.saturating_add(1);
        *pages == PAGES_OF_PART
    }

    fn is_part(&self, word: u32) -> bool {
        let pages = self.pages.get(&word);
        pages.is_some_and(|pages| *pages >= PAGES_OF_PART)
    }

    /// Whether a word names a thing on URLs that have this shape with any other.
    fn is_thing(&self, word: u32, shape: u64) -> bool {
        let are_many = matches!(self.of_shapes.get(&shape), Some(Words::Many));
        are_many && !self.is_part(word)
    }

    /// Memory held, in bytes.
    fn bytes(&self) -> usize {
        let few = self.of_shapes.values().map(|words| match words {
            Words::Few(few) => few.capacity() * size_of::<u32>(),
            Words::Many => 0,
        });
        of_map(&self.pages) + of_map(&self.of_shapes) + few.sum::<usize>()
    }
}

/// The words of a site's paths that may name things. They follow from the URLs of the pages, in their order.
#[derive(Debug, Default)]
pub(in crate::predict) struct Things {
    /// First folders, and pages that lie in none.
    firsts: Place,
    extensions: Place,
    /// Whether any URL has another shape than it has by itself.
    is_any_other: bool,
}

/// What is known since of the words of paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::predict) enum News {
    /// One is a part of the site, and makes a shape of its own where others do not.
    Part,
    /// Those of a shape are many.
    Many,
}

impl Things {
    /// Notes a page's URL; what is known since, if that gives URLs another [shape](Self::shape_key).
    pub(in crate::predict) fn note(&mut self, form: &Form<'_>) -> Option<News> {
        let news = self.note_first(form).max(self.note_extension(form));
        self.is_any_other |= news.is_some();
        news
    }

    fn note_first(&mut self, form: &Form<'_>) -> Option<News> {
        let shape = form.firstless_key();
        match self.firsts.note(first_of(form)?, shape) {
            // Of long or composed names there are as many as there may be.
            Told::IsPart if self.firsts.are_any_many || shape.is_none() => Some(News::Part),
            Told::IsPart | Told::Nothing => None,
            Told::AreMany => Some(News::Many),
        }
    }

    fn note_extension(&mut self, form: &Form<'_>) -> Option<News> {
        let extension = extension_of(form)?;
        match self.extensions.note(extension, form.extensionless_key()) {
            Told::IsPart => self.extensions.are_any_many.then_some(News::Part),
            Told::Nothing => None,
            Told::AreMany => Some(News::Many),
        }
    }

    /// Name of origin and generalised path: numbers, words that name things, and other names that are no part of the site do not
    /// count.
    pub(in crate::predict) fn shape_key(&self, form: &Form<'_>) -> u64 {
        if !self.is_any_other {
            return form.shape_key();
        }
        if let Some(shape) = self.shape_of_any_extension(form) {
            return shape;
        }
        let shape = form.shape_key();
        let Some(first) = first_of(form) else {
            return shape;
        };
        match form.firstless_key() {
            Some(without) if self.firsts.is_thing(first, without) => without,
            None if self.firsts.is_part(first) => join(shape, u64::from(first)),
            _ => shape,
        }
    }

    /// Name of the part of the site that a URL lies in: of its first folder, unless that names a thing.
    pub(in crate::predict) fn part_key(&self, form: &Form<'_>) -> Option<u64> {
        let first = first_of(form).filter(|_| form.segments.len() > 1)?;
        let is_word = |shape| !self.firsts.is_thing(first, shape);
        let is_named = self.firsts.is_part(first) || form.firstless_key().is_some_and(is_word);
        is_named.then(|| join(form.origin.hash(), u64::from(first)))
    }

    /// The shape of a form whose first folder is a word that names a thing.
    pub(in crate::predict) fn shape_of_thing(&self, form: &Form<'_>) -> Option<u64> {
        if !self.firsts.are_any_many {
            return None;
        }
        let shape = form.firstless_key()?;
        let is_thing = self.firsts.is_thing(first_of(form)?, shape);
        is_thing.then_some(shape)
    }

    /// The shape of a form whose extension is a part of a name.
    fn shape_of_any_extension(&self, form: &Form<'_>) -> Option<u64> {
        if !self.extensions.are_any_many {
            return None;
        }
        let shape = form.extensionless_key()?;
        let is_thing = self.extensions.is_thing(extension_of(form)?, shape);
        is_thing.then_some(shape)
    }

    /// Name of the [kind of page](Form::kind_key) that the last segment speaks of.
    pub(in crate::predict) fn kind_key(&self, form: &Form<'_>) -> u64 {
        form.kind_key(self.shape_of_any_extension(form).is_none())
    }

    /// Memory held, in bytes.
    pub(in crate::predict) fn bytes(&self) -> usize {
        self.firsts.bytes() + self.extensions.bytes()
    }
}

/// Whether a page that lies in no folder has the name of a script: that is mostly a part of the site, and no thing.
fn is_script(name: &str) -> bool {
    let scripts = [
        ".php", ".cgi", ".asp", ".aspx", ".jsp", ".pl", ".do", ".py", ".dll", ".cfm",
    ];
    let is_one = |script: &str| {
        let at = name.len().saturating_sub(script.len());
        name.get(at..)
            .is_some_and(|end| end.eq_ignore_ascii_case(script))
    };
    scripts.iter().any(|script| is_one(script))
}

/// The first folder of a form, or its only segment: not a number, nor a script (`/list.php`), nor a long or composed name that nothing
/// is behind.
fn first_of(form: &Form<'_>) -> Option<u32> {
    let [first, behind @ ..] = &*form.segments else {
        return None;
    };
    let is_folder = behind.iter().any(|segment| !segment.is_empty());
    let is_name = !first.bytes().all(|octet| octet.is_ascii_digit());
    let is_page = || !is_script(first) && form.firstless_key().is_some();
    let is_one = is_name && (is_folder || is_page());
    is_one.then(|| (first.hash() >> 32) as u32)
}

/// The extension of a form's last segment.
fn extension_of(form: &Form<'_>) -> Option<u32> {
    let Class::Text(extension) = class_of(form.segments.last()?, false, true) else {
        return None;
    };
    Some((hash_of(SEED, extension) >> 32) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(things: &mut Things, path: &str) -> Option<News> {
        things.note(&Form::parse(&format!("http://e.org/{path}")))
    }

    fn shape(things: &Things, path: &str) -> u64 {
        things.shape_key(&Form::parse(&format!("http://e.org/{path}")))
    }

    fn word(n: usize) -> String {
        let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
        format!("{}{}", letter(n), letter(n / 26))
    }

    /// Things of many things, and one with many pages, some of which lie deeper.
    fn of_things() -> Things {
        let mut things = Things::default();
        for n in 0..PAGES_OF_PART {
            let deeper = ["", "more/"][n as usize % 2];
            assert_eq!(note(&mut things, &format!("shop/{deeper}{n}-item")), None);
        }
        for n in 0..MOST {
            let paste = format!("{}/+download", word(n));
            assert_eq!(note(&mut things, &paste), None);
        }
        let last = format!("{}/+inline", word(MOST));
        assert_eq!(note(&mut things, &last), Some(News::Many));
        things
    }

    #[test]
    fn first_folders_that_are_many_name_things() {
        let things = of_things();
        assert_eq!(shape(&things, "ab/x"), shape(&things, "ba/x"));
        assert_eq!(shape(&things, "ab/x"), shape(&things, "never-met/x"));
        // Of other shapes there are not many.
        assert_ne!(shape(&things, "ab/x/y"), shape(&things, "ba/x/y"));
        assert_ne!(shape(&things, "ab/x.png"), shape(&things, "ba/x.png"));
    }

    #[test]
    fn a_folder_with_many_pages_is_a_part_of_the_site_whenever_they_come() {
        let mut things = of_things();
        assert_ne!(shape(&things, "shop/x"), shape(&things, "ba/x"));
        assert_eq!(shape(&things, "blog/x"), shape(&things, "ba/x"));
        let news = (0..PAGES_OF_PART).map(|n| note(&mut things, &format!("blog/post-{n}")));
        assert_eq!(news.flatten().collect::<Vec<_>>(), [News::Part]);
        assert_ne!(shape(&things, "blog/x"), shape(&things, "ba/x"));
        assert_ne!(shape(&things, "blog/x"), shape(&things, "shop/x"));
        assert_eq!(note(&mut things, "blog/more"), None);
    }

    #[test]
    fn a_part_of_the_site_may_have_a_composed_name() {
        let mut things = Things::default();
        let pages = (1..PAGES_OF_PART).map(|n| note(&mut things, &format!("user-guide/page-{n}")));
        assert_eq!(pages.flatten().count(), 0);
        assert_eq!(shape(&things, "user-guide/x"), shape(&things, "faq-2/x"));
        let last = note(&mut things, "user-guide/more/page");
        assert_eq!(last, Some(News::Part));
        assert_ne!(shape(&things, "user-guide/x"), shape(&things, "faq-2/x"));
        assert_eq!(shape(&things, "2024/x"), shape(&things, "2023/x"));
        let mut articles = (0..100).map(|n| note(&mut things, &format!("article-{n}/")));
        assert!(articles.all(|news| news.is_none()));
    }

    #[test]
    fn pages_in_no_folder_name_things_where_they_are_many_and_scripts_never_do() {
        let mut things = Things::default();
        for n in 0..PAGES_OF_PART {
            assert_eq!(note(&mut things, &format!("list.html?id={n}")), None);
        }
        let pages = (0..=MOST).filter_map(|n| note(&mut things, &format!("{}.html", word(n))));
        assert_eq!(pages.collect::<Vec<_>>(), [News::Many]);
        assert_eq!(shape(&things, "ab.html"), shape(&things, "ba.html"));
        assert_ne!(shape(&things, "list.html"), shape(&things, "ba.html"));
        let scripts = (0..3 * MOST).filter_map(|n| note(&mut things, &format!("{}.PHP", word(n))));
        assert_eq!(scripts.count(), 0);
        assert_ne!(shape(&things, "ab.PHP"), shape(&things, "ba.PHP"));
    }

    #[test]
    fn extensions_that_are_many_are_parts_of_names_but_those_of_many_pages() {
        let mut things = Things::default();
        for n in 0..PAGES_OF_PART {
            assert_eq!(note(&mut things, &format!("people/page-{n}.html")), None);
        }
        let names = (0..=MOST).filter_map(|n| note(&mut things, &format!("people/x.{}", word(n))));
        assert_eq!(names.collect::<Vec<_>>(), [News::Many]);
        let plain = shape(&things, "people/jane-roe");
        assert_eq!(shape(&things, "people/jane.roe"), plain);
        assert_ne!(shape(&things, "people/jane.html"), plain);
        assert_ne!(shape(&things, "files/a.roe"), shape(&things, "files/a.xml"));
        let kind = |path: &str| things.kind_key(&Form::parse(&format!("http://e.org/{path}")));
        assert_eq!(kind("people/jane.roe"), kind("people/jane.doe"));
        assert_ne!(kind("people/jane.html"), kind("people/jane.doe"));
    }

    #[test]
    fn an_extension_with_many_pages_is_a_type_once_it_has_them() {
        let mut things = Things::default();
        for n in 0..=MOST {
            note(&mut things, &format!("people/x.{}", word(n)));
        }
        let types = (0..PAGES_OF_PART).map(|n| note(&mut things, &format!("people/{n}x.csv")));
        assert_eq!(types.flatten().collect::<Vec<_>>(), [News::Part]);
        assert_ne!(
            shape(&things, "people/x.csv"),
            shape(&things, "people/x.ab")
        );
    }
}
