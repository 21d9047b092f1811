//! Which first folders make a shape of their own?
//!
//! A short word at the beginning of a path is mostly a part of a site: what does not matter in `/shop/` may in `/blog/`. Where URLs that
//! are alike otherwise begin with many such words, these name things (users, pastes, the pages of a wiki) of which each has a few URLs, and
//! no claim would ever be tried on one of them often enough. Then they count for as little in a [shape](Form::shape_key) as long or
//! composed names do. A first folder that many pages have is a part of the site, whatever its name is and however many others there are.

use rustc_hash::FxHashMap;

use super::{Form, join};
use crate::heap::of_map;

/// First folders before the rest of a shape that make a shape of their own each; where there are more, they name things.
const MOST: usize = 40;
/// Pages of a folder that is a part of the site.
const PAGES_OF_PART: u32 = 20;
/// Shapes of which the first folders are told apart.
const MOST_SHAPES: usize = 64;
/// Folders of which pages are counted.
const MOST_COUNTED: usize = 1 << 14;

/// The first folders before the rest of a shape.
#[derive(Debug)]
enum First {
    Few(Vec<u32>),
    Many,
}

/// The first folders of a site's pages. They follow from the URLs of the pages, in their order.
#[derive(Debug, Default)]
pub(in crate::predict) struct Folders {
    /// The pages of each, whatever stands behind it.
    pages: FxHashMap<u32, u32>,
    of_shapes: FxHashMap<u64, First>,
    are_any_many: bool,
    /// Whether any URL has another shape than it has by itself.
    is_any_other: bool,
}

/// What is known since of first folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::predict) enum News {
    /// Those of a shape are many.
    Many,
    /// One is a part of the site, and makes a shape of its own where others do not.
    Part,
}

impl Folders {
    /// Notes a page's URL; what is known since, if that gives URLs another [shape](Self::shape_key).
    pub(in crate::predict) fn note(&mut self, form: &Form<'_>) -> Option<News> {
        let folder = folder_of(form)?;
        let is_part_since = self.count(folder);
        let without = form.folderless_key();
        if self.is_part(folder) {
            let has_another = is_part_since && (self.are_any_many || without.is_none());
            self.is_any_other |= has_another;
            return has_another.then_some(News::Part);
        }
        // Of long or composed names there are as many as there may be.
        let shape = without?;
        if self.of_shapes.len() >= MOST_SHAPES && !self.of_shapes.contains_key(&shape) {
            return None;
        }
        let first = self.of_shapes.entry(shape);
        let first = first.or_insert_with(|| First::Few(Vec::new()));
        let First::Few(folders) = first else {
            return None;
        };
        if folders.contains(&folder) {
            return None;
        }
        folders.push(folder);
        if folders.len() > MOST {
            let pages = &self.pages;
            folders.retain(|folder| pages.get(folder).is_none_or(|pages| *pages < PAGES_OF_PART));
        }
        if folders.len() <= MOST {
            return None;
        }
        *first = First::Many;
        self.are_any_many = true;
        self.is_any_other = true;
        Some(News::Many)
    }

    /// Counts a page of a folder; whether it is a part of the site since.
    fn count(&mut self, folder: u32) -> bool {
        if self.pages.len() >= MOST_COUNTED && !self.pages.contains_key(&folder) {
            return false;
        }
        let pages = self.pages.entry(folder).or_default();
        *pages = pages.saturating_add(1);
        *pages == PAGES_OF_PART
    }

    fn is_part(&self, folder: u32) -> bool {
        let pages = self.pages.get(&folder);
        pages.is_some_and(|pages| *pages >= PAGES_OF_PART)
    }

    /// Name of origin and generalised path: numbers, first folders that name things, and other names that are no part of the site do not
    /// count.
    pub(in crate::predict) fn shape_key(&self, form: &Form<'_>) -> u64 {
        let shape = form.shape_key();
        let Some(folder) = self.is_any_other.then(|| folder_of(form)).flatten() else {
            return shape;
        };
        match form.folderless_key() {
            Some(without) if self.is_thing(without, folder) => without,
            None if self.is_part(folder) => join(shape, u64::from(folder)),
            _ => shape,
        }
    }

    /// The shape of a form whose first folder is a word that names a thing.
    pub(in crate::predict) fn shape_of_thing(&self, form: &Form<'_>) -> Option<u64> {
        if !self.are_any_many {
            return None;
        }
        let shape = form.folderless_key()?;
        let is_thing = self.is_thing(shape, folder_of(form)?);
        is_thing.then_some(shape)
    }

    fn is_thing(&self, shape: u64, folder: u32) -> bool {
        let are_many = matches!(self.of_shapes.get(&shape), Some(First::Many));
        are_many && !self.is_part(folder)
    }

    /// Memory held, in bytes.
    pub(in crate::predict) fn bytes(&self) -> usize {
        let few = self.of_shapes.values().map(|first| match first {
            First::Few(folders) => folders.capacity() * size_of::<u32>(),
            First::Many => 0,
        });
        of_map(&self.pages) + of_map(&self.of_shapes) + few.sum::<usize>()
    }
}

/// The first folder of a form, or its only segment: not a number, nor a script (`/list.php`), nor a long or composed name that nothing
/// is behind.
fn folder_of(form: &Form<'_>) -> Option<u32> {
    let [first, behind @ ..] = &*form.segments else {
        return None;
    };
    let is_folder = behind.iter().any(|segment| !segment.is_empty());
    let is_page = behind.is_empty() && first.contains('.');
    let is_name = !first.bytes().all(|octet| octet.is_ascii_digit());
    let is_one = is_name && !is_page && (is_folder || form.folderless_key().is_some());
    is_one.then(|| (first.hash() >> 32) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(folders: &mut Folders, path: &str) -> Option<News> {
        folders.note(&Form::parse(&format!("http://e.org/{path}")))
    }

    fn shape(folders: &Folders, path: &str) -> u64 {
        folders.shape_key(&Form::parse(&format!("http://e.org/{path}")))
    }

    fn word(n: usize) -> String {
        let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
        format!("{}{}", letter(n), letter(n / 26))
    }

    /// Folders of many things, and one with many pages, some of which lie deeper.
    fn of_things() -> Folders {
        let mut folders = Folders::default();
        for n in 0..PAGES_OF_PART {
            let deeper = ["", "more/"][n as usize % 2];
            assert_eq!(note(&mut folders, &format!("shop/{deeper}{n}-item")), None);
        }
        for n in 0..MOST {
            let paste = format!("{}/+download", word(n));
            assert_eq!(note(&mut folders, &paste), None);
        }
        let last = format!("{}/+inline", word(MOST));
        assert_eq!(note(&mut folders, &last), Some(News::Many));
        folders
    }

    #[test]
    fn first_folders_that_are_many_name_things() {
        let folders = of_things();
        assert_eq!(shape(&folders, "ab/x"), shape(&folders, "ba/x"));
        assert_eq!(shape(&folders, "ab/x"), shape(&folders, "never-met/x"));
        // Of other shapes there are not many.
        assert_ne!(shape(&folders, "ab/x/y"), shape(&folders, "ba/x/y"));
        assert_ne!(shape(&folders, "ab/x.png"), shape(&folders, "ba/x.png"));
    }

    #[test]
    fn a_folder_with_many_pages_is_a_part_of_the_site_whenever_they_come() {
        let mut folders = of_things();
        assert_ne!(shape(&folders, "shop/x"), shape(&folders, "ba/x"));
        assert_eq!(shape(&folders, "blog/x"), shape(&folders, "ba/x"));
        let news = (0..PAGES_OF_PART).map(|n| note(&mut folders, &format!("blog/post-{n}")));
        assert_eq!(news.flatten().collect::<Vec<_>>(), [News::Part]);
        assert_ne!(shape(&folders, "blog/x"), shape(&folders, "ba/x"));
        assert_ne!(shape(&folders, "blog/x"), shape(&folders, "shop/x"));
        assert_eq!(note(&mut folders, "blog/more"), None);
    }

    #[test]
    fn a_part_of_the_site_may_have_a_composed_name() {
        let mut folders = Folders::default();
        let pages = (1..PAGES_OF_PART).map(|n| note(&mut folders, &format!("user-guide/page-{n}")));
        assert_eq!(pages.flatten().count(), 0);
        assert_eq!(shape(&folders, "user-guide/x"), shape(&folders, "faq-2/x"));
        let last = note(&mut folders, "user-guide/more/page");
        assert_eq!(last, Some(News::Part));
        assert_ne!(shape(&folders, "user-guide/x"), shape(&folders, "faq-2/x"));
        assert_eq!(shape(&folders, "2024/x"), shape(&folders, "2023/x"));
        let mut articles = (0..100).map(|n| note(&mut folders, &format!("article-{n}/")));
        assert!(articles.all(|news| news.is_none()));
    }

    #[test]
    fn scripts_are_no_folders() {
        let mut folders = Folders::default();
        for n in 0..3 * MOST {
            let script = format!("{}.php?id={n}", word(n));
            assert_eq!(note(&mut folders, &script), None);
        }
        assert_ne!(shape(&folders, "ab.php"), shape(&folders, "ba.php"));
    }
}
