//! Counts whether trying another spelling still pays off, by the kind of URL and the kind of place it leads to.
//!
//! Many kinds of links lead to one login form: those that only members may follow, where no spelling helps, and those with a
//! session that has ended, where any other does. And one kind of links may lead to as many places as there are pages, as
//! where a shop sets a cookie first. So tries are counted neither by place nor by page, but by *way*: the shape of the URL
//! that leads somewhere, and the shape of the place it leads to.

use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::{record::Bytes, table::Record};
use crate::{CanonicalUrl, HostKey};

/// Tries of a way that may be in vain until one is not; one that is not gives as many.
const TRIES: u32 = 8;
/// As many are left at most, however many were not in vain before.
const MOST_TRIES: u32 = 64;
/// Ways of a host that are told apart.
const MOST_WAYS: usize = 32;
/// The way of what leads in any other, or in ways that are not told apart.
const COMMON: u64 = 0;

/// Names a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::local) struct WayName {
    /// Of the URL that leads.
    pub(super) host: u64,
    pub(super) way: u64,
}

impl WayName {
    /// The way from `source` to a place that is called `to`.
    fn new(source: &CanonicalUrl, to: &str) -> Self {
        let text = format!("{} > {to}", shape(source.as_url()));
        Self {
            host: host_name(source.host()),
            way: xxh3_64(text.as_bytes()).max(COMMON + 1),
        }
    }

    /// The way of a URL that redirects.
    pub(super) fn of_redirect(source: &CanonicalUrl, target: Option<&CanonicalUrl>) -> Self {
        let to = target.map_or_else(String::new, |target| shape(target.as_url()));
        Self::new(source, &to)
    }

    /// The way of a URL that nobody may see who is not known.
    pub(super) fn of_status(source: &CanonicalUrl, status: u16) -> Self {
        Self::new(source, &status.to_string())
    }
}

fn host_name(host: &HostKey) -> u64 {
    xxh3_64(host.as_str().as_bytes())
}

/// What tries of one way brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Way {
    name: u64,
    /// Tries that may be in vain.
    left: u32,
    /// Occasions that were passed over since none is left.
    passed: u32,
}

/// The ways of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ways(Vec<Way>);

impl Ways {
    /// The name under which a way of this host is counted.
    pub(super) fn counted_as(&mut self, way: u64) -> u64 {
        self.of(way).name
    }

    fn of(&mut self, way: u64) -> &mut Way {
        let place = |all: &[Way], name| all.iter().position(|way| way.name == name);
        let name = match place(&self.0, way) {
            None if self.0.len() >= MOST_WAYS => COMMON,
            _ => way,
        };
        let at = place(&self.0, name).unwrap_or_else(|| {
            self.0.push(Way {
                name,
                left: TRIES,
                passed: 0,
            });
            self.0.len() - 1
        });
        &mut self.0[at]
    }

    /// Whether a try is made on this occasion. Where none is left, the eighth is one, the sixteenth after that, and so on: what
    /// was in vain for members may help others.
    pub(super) fn is_tried(&mut self, way: u64) -> bool {
        let way = self.of(way);
        if way.left > 0 {
            return true;
        }
        way.passed = way.passed.saturating_add(1);
        way.passed >= TRIES && way.passed.is_power_of_two()
    }

    /// A try was in vain; whether others may be made up for that were passed over.
    pub(super) fn was_in_vain(&mut self, way: u64) -> usize {
        let way = self.of(way);
        way.left = way.left.saturating_sub(1);
        usize::from(way.left > 0)
    }

    /// A try brought a page; how many may be made up for that were passed over.
    pub(super) fn has_brought(&mut self, way: u64) -> usize {
        let way = self.of(way);
        let was_closed = way.left == 0;
        way.left = (way.left + TRIES).min(MOST_TRIES);
        way.passed = 0;
        if was_closed { TRIES as usize } else { 1 }
    }
}

impl Record for Ways {
    const PREFIX: &'static str = "frontier/chances/host/";
    const MOST: usize = 1 << 14;

    fn write(&self, bytes: &mut Vec<u8>) {
        for way in &self.0 {
            bytes.extend(way.name.to_le_bytes());
            bytes.extend(way.left.to_le_bytes());
            bytes.extend(way.passed.to_le_bytes());
        }
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut bytes = Bytes(bytes);
        let mut ways = Vec::new();
        while !bytes.is_empty() {
            ways.push(Way {
                name: bytes.number()?,
                left: bytes.small_number()?,
                passed: bytes.small_number()?,
            });
        }
        (ways.len() <= MOST_WAYS + 1).then_some(Self(ways))
    }
}

/// Folders of a path that are told apart by name.
const FOLDERS_NAMED: usize = 2;

/// What is common to the URLs of one kind: scheme, host, folders, how the last name is made, and the names of parameters.
fn shape(url: &Url) -> String {
    let mut shape = format!("{}://{}", url.scheme(), url.authority());
    let path = url.path().trim_start_matches('/');
    let (folders, last) = path.rsplit_once('/').unwrap_or(("", path));
    for (at, folder) in folders.split('/').enumerate() {
        shape.push('/');
        if at < FOLDERS_NAMED {
            push_without_numbers(&mut shape, folder);
        } else {
            shape.push('*');
        }
    }
    shape.push('/');
    let (stem, extension) = last.rsplit_once('.').unwrap_or((last, ""));
    shape.push_str(kind_of_name(stem));
    shape.push('.');
    push_without_numbers(&mut shape, extension);
    let query = url.query().unwrap_or_default().split('&');
    let mut names: Vec<&str> = query
        .map(|pair| pair.split_once('=').map_or(pair, |(name, _)| name))
        .collect();
    names.sort_unstable();
    names.dedup();
    shape.push('?');
    push_without_numbers(&mut shape, &names.join("&"));
    shape
}

fn kind_of_name(name: &str) -> &'static str {
    let is_digit = |c: char| c.is_ascii_digit();
    match name {
        "" => "",
        name if name.chars().all(is_digit) => "0",
        name if name.contains(is_digit) => "a0",
        _ => "a",
    }
}

/// One `0` for all digits that stand together.
fn push_without_numbers(shape: &mut String, text: &str) {
    let mut was_digit = false;
    for c in text.chars() {
        let is_digit = c.is_ascii_digit();
        if !is_digit {
            shape.push(c);
        } else if !was_digit {
            shape.push('0');
        }
        was_digit = is_digit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape_of(text: &str) -> String {
        shape(&Url::parse(text).unwrap())
    }

    #[test]
    fn urls_of_one_kind_have_one_shape() {
        for (one, other) in [
            ("http://e.org/p/17?id=1", "http://e.org/p/4?id=22"),
            ("http://e.org/2024/05/lamp", "http://e.org/1999/12/chair"),
            (
                "http://e.org/a/b/c/d/x1.html",
                "http://e.org/a/b/e/f/y22.html",
            ),
            ("http://e.org/?b=1&a=2", "http://e.org/?a=3&b=1&b"),
        ] {
            assert_eq!(shape_of(one), shape_of(other));
        }
        for (one, other) in [
            ("http://e.org/p/17", "https://e.org/p/17"),
            ("http://e.org/p/17", "http://www.e.org/p/17"),
            ("http://e.org/members/kim", "http://e.org/users/kim"),
            ("http://e.org/p/17", "http://e.org/p/17?sid=0"),
            ("http://e.org/", "http://e.org/login"),
            ("http://e.org/17", "http://e.org/17/"),
        ] {
            assert_ne!(shape_of(one), shape_of(other));
        }
    }

    #[test]
    fn tries_in_vain_become_rare_and_one_that_is_not_gives_eight_more() {
        let mut ways = Ways::default();
        let tries_of = |ways: &mut Ways, occasions: usize| {
            let tries = (0..occasions).filter(|_| {
                let is_tried = ways.is_tried(7);
                if is_tried {
                    ways.was_in_vain(7);
                }
                is_tried
            });
            tries.count()
        };
        assert_eq!(tries_of(&mut ways, 1500), 8 + 8);
        assert_eq!(ways.has_brought(7), 8);
        assert_eq!(tries_of(&mut ways, 15), 8);
        for _ in 0..1000 {
            ways.has_brought(7);
        }
        assert_eq!(tries_of(&mut ways, 71), 64);
    }

    #[test]
    fn a_host_has_so_many_ways_and_one_for_all_others() {
        let mut ways = Ways::default();
        for way in 1..=1000 {
            assert!(ways.is_tried(way));
        }
        assert_eq!(ways.0.len(), MOST_WAYS + 1);
        assert_eq!((ways.counted_as(3), ways.counted_as(999)), (3, COMMON));
        let mut bytes = Vec::new();
        ways.write(&mut bytes);
        assert_eq!(Ways::read(&bytes), Some(ways));
        assert_eq!(Ways::read(&bytes[1..]), None);
    }
}
