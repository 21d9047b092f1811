//! Which first folders make a shape of their own?
//!
//! A short word at the beginning of a path is mostly a part of a site: what does not matter in `/shop/` may in `/blog/`. Where URLs that
//! are alike otherwise begin with many such words, these name things (users, pastes, the pages of a wiki) of which each has a few URLs, and
//! no claim would ever be tried on one of them often enough. Then they count for as little in a [shape](Form::shape_key) as long or
//! composed names do, but for those that had many pages by then.

use rustc_hash::FxHashMap;

use super::Form;
use crate::heap::of_map;

/// First folders that make a shape of their own each; more, and they name things.
const MOST: usize = 40;
/// Pages of a folder that is a part of the site, however many others there are.
const PAGES_OF_PART: u32 = 20;
/// Shapes of which the first folders are told apart.
const MOST_SHAPES: usize = 256;

/// The first folders before the rest of a shape.
#[derive(Debug)]
enum First {
    /// With the pages of each.
    Few(Vec<(u64, u32)>),
    /// Those that are parts of the site.
    Many(Box<[u64]>),
}

/// The first folders of a site's pages, by the shape of what is behind them. They follow from the URLs of the pages, in their order.
#[derive(Debug, Default)]
pub(in crate::predict) struct Folders {
    of_shapes: FxHashMap<u64, First>,
    is_any_many: bool,
}

impl Folders {
    /// Notes a page's URL; whether the first folders of its shape are many since.
    pub(in crate::predict) fn note(&mut self, form: &Form<'_>) -> bool {
        let Some((shape, folder)) = named(form) else {
            return false;
        };
        if self.of_shapes.len() >= MOST_SHAPES && !self.of_shapes.contains_key(&shape) {
            return false;
        }
        let first = self.of_shapes.entry(shape);
        let First::Few(folders) = first.or_insert_with(|| First::Few(Vec::new())) else {
            return false;
        };
        if let Some((_, pages)) = folders.iter_mut().find(|(known, _)| *known == folder) {
            *pages += 1;
            return false;
        }
        if folders.len() < MOST {
            folders.push((folder, 1));
            return false;
        }
        let parts = folders.iter().filter(|(_, pages)| *pages >= PAGES_OF_PART);
        let parts = parts.map(|(folder, _)| *folder).collect();
        self.of_shapes.insert(shape, First::Many(parts));
        self.is_any_many = true;
        true
    }

    /// Name of origin and generalised path: numbers, long or composed names, and first folders of which there are many do not count.
    pub(in crate::predict) fn shape_key(&self, form: &Form<'_>) -> u64 {
        self.thing(form).unwrap_or_else(|| form.shape_key())
    }

    /// The shape of a form whose first folder names a thing.
    fn thing(&self, form: &Form<'_>) -> Option<u64> {
        let (shape, folder) = self.is_any_many.then(|| named(form))??;
        match self.of_shapes.get(&shape)? {
            First::Many(parts) if !parts.contains(&folder) => Some(shape),
            _ => None,
        }
    }

    /// Memory held, in bytes.
    pub(in crate::predict) fn bytes(&self) -> usize {
        let of = |first: &First| match first {
            First::Few(folders) => folders.capacity() * size_of::<(u64, u32)>(),
            First::Many(parts) => size_of_val::<[u64]>(parts),
        };
        of_map(&self.of_shapes) + self.of_shapes.values().map(of).sum::<usize>()
    }
}

/// The shape of a form but for its first folder, and that, where its shape names it. That of a script by itself (`/list.php`) is no folder.
fn named(form: &Form<'_>) -> Option<(u64, u64)> {
    let [first, behind @ ..] = &*form.segments else {
        return None;
    };
    let is_script = behind.is_empty() && first.contains('.');
    (!is_script)
        .then(|| Some((form.folderless_key()?, first.hash())))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(folders: &mut Folders, path: &str) -> bool {
        folders.note(&Form::parse(&format!("http://e.org/{path}")))
    }

    fn shape(folders: &Folders, path: &str) -> u64 {
        folders.shape_key(&Form::parse(&format!("http://e.org/{path}")))
    }

    fn word(n: usize) -> String {
        let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
        format!("{}{}", letter(n), letter(n / 26))
    }

    #[test]
    fn first_folders_that_are_many_name_things_and_those_with_many_pages_are_parts_of_the_site() {
        let mut folders = Folders::default();
        for n in 0..PAGES_OF_PART {
            assert!(!note(&mut folders, &format!("shop/{n}-item")));
        }
        for n in 1..MOST {
            assert!(!note(&mut folders, &format!("{}/+download", word(n))));
        }
        assert_ne!(shape(&folders, "ab/x"), shape(&folders, "ba/x"));
        assert!(note(&mut folders, &format!("{}/+inline", word(MOST))));
        assert_eq!(shape(&folders, "ab/x"), shape(&folders, "ba/x"));
        assert_eq!(shape(&folders, "ab/x"), shape(&folders, "never-met/x"));
        assert_ne!(shape(&folders, "shop/x"), shape(&folders, "ba/x"));
        // Of other shapes there are not many.
        assert_ne!(shape(&folders, "ab/x/y"), shape(&folders, "ba/x/y"));
        assert_ne!(shape(&folders, "ab/x.png"), shape(&folders, "ba/x.png"));
        assert!(!note(&mut folders, "never/x"), "they are known to be many");
    }

    #[test]
    fn scripts_are_no_folders() {
        let mut folders = Folders::default();
        for n in 0..3 * MOST {
            assert!(!note(&mut folders, &format!("{}.php?id={n}", word(n))));
        }
        assert_ne!(shape(&folders, "ab.php"), shape(&folders, "ba.php"));
    }
}
