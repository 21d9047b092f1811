//! Names of pages with a title beside them that nobody reads.
//!
//! `/questions/17/why-not`, `/threads/17-why-not` and `/job/painter-7f3a09` are called by an id, and so are `/q/17`, `/showthread.php?t=17` and
//! `/viewjob?jk=7f3a09`. Where no address has the one form without its title, nothing but the id joins the two.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{
    Form, Segments,
    change::{owned, segments_of},
    is_token,
    part::{Kind, Part},
};

/// What stands for the id where it is put into words.
const ID: &str = "{x}";
/// The same for the title.
const TITLE: &str = "{title}";
/// Signs between an id and a title.
const SIGNS: [&str; 4] = ["-", "_", ",", "."];
/// Octets of the shortest title.
const SHORTEST: usize = 3;
/// Octets of the shortest number that is read as an id. Shorter ones stand on any two pages.
const SHORTEST_ID: usize = 2;

/// Where the title of an id stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Title {
    /// In its segment, behind it and this sign.
    Behind(String),
    /// In its segment, before it and this sign.
    Before(String),
    /// In the segment behind its own.
    Next,
}

/// A path that ends in an id and its title.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Titled {
    /// Segments before the one that holds the id.
    pub before: Vec<String>,
    /// Where the title is.
    pub title: Title,
}

/// An address by an id alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ById {
    /// Segments before the id, or all of them.
    pub path: Vec<String>,
    /// Name of the parameter that holds the id; if there is none, it is the last segment.
    pub name: Option<String>,
}

/// Whether a text is the id of something: a number or a token.
fn is_id(text: &str) -> bool {
    let is_number = !text.is_empty() && text.bytes().all(|octet| octet.is_ascii_digit());
    is_number || is_token(text)
}

impl Title {
    /// The id beside the title.
    fn id<'f>(&self, segments: &'f [Part<'_>]) -> Option<&'f str> {
        let (id, title) = match (self, segments) {
            (Self::Behind(sign), [one]) => one.split_once(&**sign)?,
            (Self::Before(sign), [one]) => {
                let (title, id) = one.rsplit_once(&**sign)?;
                (id, title)
            }
            (Self::Next, [id, title]) => (&**id, &**title),
            _ => return None,
        };
        (title.len() >= SHORTEST && is_id(id)).then_some(id)
    }

    /// Segments that id and title take.
    const fn len(&self) -> usize {
        match self {
            Self::Behind(_) | Self::Before(_) => 1,
            Self::Next => 2,
        }
    }

    /// The ways to read the end of a path.
    fn all() -> impl Iterator<Item = Self> {
        let behind = SIGNS.map(|sign| Self::Behind(sign.to_owned()));
        let before = SIGNS.map(|sign| Self::Before(sign.to_owned()));
        behind.into_iter().chain(before).chain([Self::Next])
    }
}

impl Titled {
    /// The id that another address has alone, in a path like this.
    pub(super) fn id_for<'f>(&self, to: &ById, form: &'f Form<'_>) -> Option<&'f str> {
        self.id(form).filter(|_| to.has_room(form))
    }

    /// The id in a path like this.
    fn id<'f>(&self, form: &'f Form<'_>) -> Option<&'f str> {
        let (before, end) = form.segments.split_at_checked(self.before.len())?;
        let is_here = end.len() == self.title.len() && before.iter().eq(self.before.iter());
        is_here.then(|| self.title.id(end)).flatten()
    }

    /// Its texts.
    pub(super) fn texts(&self) -> impl Iterator<Item = &String> {
        let sign = match &self.title {
            Title::Behind(sign) | Title::Before(sign) => Some(sign),
            Title::Next => None,
        };
        self.before.iter().chain(sign)
    }

    /// Reads what `Display` writes.
    fn read(text: &str) -> Option<Self> {
        let mut before: Vec<String> = text
            .strip_prefix('/')?
            .split('/')
            .map(str::to_owned)
            .collect();
        let last = before.pop()?;
        let title = if last == TITLE {
            before.pop().filter(|id| id == ID)?;
            Title::Next
        } else if let Some(sign) = last.strip_prefix(ID) {
            Title::Behind(sign.strip_suffix(TITLE)?.to_owned())
        } else {
            Title::Before(last.strip_prefix(TITLE)?.strip_suffix(ID)?.to_owned())
        };
        let is_sign = |sign: &str| SIGNS.contains(&sign);
        let is_known = match &title {
            Title::Behind(sign) | Title::Before(sign) => is_sign(sign),
            Title::Next => true,
        };
        is_known.then_some(Self { before, title })
    }
}

impl ById {
    /// Whether the parameter that would hold the id is not there yet.
    fn has_room(&self, form: &Form<'_>) -> bool {
        let is_there = |name: &String| form.params.iter().any(|(it, _)| *it == **name);
        !self.name.as_ref().is_some_and(is_there)
    }

    /// Puts an id into a form, before its parameters.
    pub(super) fn put(&self, id: &str, form: &mut Form<'_>) {
        let mut segments: Segments<'_> = segments_of(&self.path).collect();
        if let Some(name) = &self.name {
            let pair = (
                Part::new(Kind::Name, name.clone()),
                Part::new(Kind::Value, id.to_owned()),
            );
            form.params.insert(0, pair);
        } else {
            segments.push(Part::new(Kind::Segment, id.to_owned()));
        }
        form.segments = segments;
    }

    /// Its texts.
    pub(super) fn texts(&self) -> impl Iterator<Item = &String> {
        self.path.iter().chain(&self.name)
    }

    /// The ids by which a URL may be called, as ways to write them.
    fn of(form: &Form<'_>) -> Vec<(Self, String)> {
        let is_telling = |id: &str| id.len() >= SHORTEST_ID && is_id(id);
        let params = form
            .params
            .iter()
            .filter(|(_, value)| is_telling(value))
            .map(|(name, value)| {
                let by = Self {
                    path: owned(&form.segments),
                    name: Some(name.to_string()),
                };
                (by, value.to_string())
            });
        let last = form
            .segments
            .split_last()
            .filter(|(last, _)| is_telling(last));
        let last = last.map(|(last, before)| {
            let by = Self {
                path: owned(before),
                name: None,
            };
            (by, last.to_string())
        });
        params.chain(last).collect()
    }

    /// Reads what `Display` writes.
    fn read(text: &str) -> Option<Self> {
        let path = |text: &str| -> Option<Vec<String>> {
            Some(
                text.strip_prefix('/')?
                    .split('/')
                    .map(str::to_owned)
                    .collect(),
            )
        };
        if let Some(text) = text.strip_suffix(&format!("={ID}")) {
            let (text, name) = text.split_once('?')?;
            return Some(Self {
                path: path(text)?,
                name: Some(name.to_owned()),
            });
        }
        let mut path = path(text)?;
        path.pop().filter(|id| id == ID)?;
        Some(Self { path, name: None })
    }
}

/// The ways to read a path with a title as another address of what the other URL is called by.
pub(in crate::predict) fn titled(with: &Form<'_>, by: &Form<'_>) -> Vec<(Titled, ById)> {
    let mut found = Vec::new();
    for (to, id) in ById::of(by) {
        if !to.has_room(with) {
            continue;
        }
        for title in Title::all() {
            let Some(at) = with.segments.len().checked_sub(title.len()) else {
                continue;
            };
            if title.id(&with.segments[at..]) == Some(&*id) {
                let before = owned(&with.segments[..at]);
                // That is a piece of a segment, or a tail.
                if to.name.is_none() && to.path == before {
                    continue;
                }
                let from = Titled { before, title };
                // What comes of it is no address with a title itself.
                let mut put = with.clone();
                to.put(&id, &mut put);
                if from.id(&put).is_none() {
                    found.push((from, to.clone()));
                }
            }
        }
    }
    found
}

/// Reads a claim about a title.
pub(in crate::predict) fn read(from: &str, to: &str) -> Option<(Titled, ById)> {
    Some((Titled::read(from)?, ById::read(to)?))
}

impl fmt::Display for Titled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.before.iter()).try_for_each(|segment| write!(f, "/{segment}"))?;
        match &self.title {
            Title::Behind(sign) => write!(f, "/{ID}{sign}{TITLE}"),
            Title::Before(sign) => write!(f, "/{TITLE}{sign}{ID}"),
            Title::Next => write!(f, "/{ID}/{TITLE}"),
        }
    }
}

impl fmt::Display for ById {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.path.iter()).try_for_each(|segment| write!(f, "/{segment}"))?;
        match &self.name {
            Some(name) => write!(f, "?{name}={ID}"),
            None => write!(f, "/{ID}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(with: &str, by: &str) -> Vec<String> {
        let url = |path: &str| format!("http://e.org/{path}");
        let (with, by) = (url(with), url(by));
        let all = titled(&Form::parse(&with), &Form::parse(&by));
        all.iter()
            .map(|(from, to)| {
                let text = (from.to_string(), to.to_string());
                assert_eq!(
                    read(&text.0, &text.1).as_ref(),
                    Some(&(from.clone(), to.clone()))
                );
                let (one, other) = (Form::parse(&with), Form::parse(&by));
                let id = from.id(&one).expect("it was read from this");
                let mut put = one.clone();
                to.put(id, &mut put);
                assert_eq!(put.segments, other.segments);
                format!("{} = {}", text.0, text.1)
            })
            .collect()
    }

    #[test]
    fn a_title_is_found_beside_an_id_that_another_address_has_alone() {
        for (with, by, text) in [
            (
                "questions/17/why-not",
                "q/17",
                "/questions/{x}/{title} = /q/{x}",
            ),
            (
                "threads/17-why-not",
                "showthread.php?t=17",
                "/threads/{x}-{title} = /showthread.php?t={x}",
            ),
            (
                "job/painter-7f3a09",
                "viewjob?jk=7f3a09",
                "/job/{title}-{x} = /viewjob?jk={x}",
            ),
            ("17_why.html", "?p=17", "/{x}_{title} = /?p={x}"),
        ] {
            assert_eq!(found(with, by), [text], "{with} {by}");
        }
    }

    #[test]
    fn other_ids_short_numbers_and_words_are_none() {
        for (with, by) in [
            ("questions/17/why-not", "q/18"),
            ("questions/7/why-not", "q/7"),
            ("threads/lamp-why-not", "showthread.php?t=lamp"),
            ("threads/117-why-not", "showthread.php?t=17"),
            ("threads/17-why", "showthread.php?t=117"),
            ("threads/17-a", "showthread.php?t=17"),
            ("threads/17-why?t=3", "showthread.php?t=17"),
        ] {
            assert!(found(with, by).is_empty(), "{with} {by}");
        }
    }
}
