//! Which small crawls mislead a predictor of duplicates, and which does it not learn?
//!
//! A [`Kind`] is a site of some 2000 to 3600 pages with one or two mechanisms that make duplicates, or that look as if
//! they did. Equal seeds give equal sites; the label of a page is the content that it was made from, never something
//! computed from its text. So what a program lost or spared is exact.
//!
//! Families, a file each: noise in path [segments], [anywhere] in paths of many forms, in [pieces] of them and in several parts at once ([joint]), [redirects] to what nothing else leads to, other [spelling]s of one address, [parameters] without meaning, [permalinks],
//! [values] that are few, claims that hold in a part of the site only ([scopes]), first folders that name [things], many hosts of few pages ([tenants]), claims that are wrong [rare]ly, or by the time
//! ([drift]); contents that are nearly [alike], [walls] in front of pages and pages that come [instead] of any now and then, [chrome] that misleads, [aliases] that one
//! folder contradicts, [names] that stand in several ways and beside [titles], [lists] that are paged, sorted and filtered, [editions] of the same text, and
//! [traps]: two mechanisms at once, each harmless.
//!
//! ```
//! use nodust_benches::crawls::kinds;
//!
//! let kind = kinds().find(|kind| kind.name == "segment-last").unwrap();
//! let crawl = kind.crawl(7);
//! assert_eq!(crawl.pages, kind.crawl(7).pages);
//! assert!(crawl.contents() < crawl.pages.len());
//! ```

mod make;
mod play;

pub mod aliases;
pub mod alike;
pub mod anywhere;
pub mod chrome;
pub mod drift;
pub mod editions;
pub mod instead;
pub mod joint;
pub mod lists;
pub mod names;
pub mod parameters;
pub mod permalinks;
pub mod pieces;
pub mod rare;
pub mod redirects;
pub mod scopes;
pub mod segments;
pub mod spelling;
pub mod tenants;
pub mod things;
pub mod titles;
pub mod traps;
pub mod values;
pub mod walls;

#[cfg(test)]
mod tests;

use std::{
    io::{self, Write},
    ops::Range,
};

use rustc_hash::FxHashSet;
use serde_json::json;

pub use make::{Address, Difference, Draw, FOLDERS, Item, Shape, Site, Spelling, capital};
pub use play::{Score, Setup, play};

/// A kind of crawl.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// What it is called, and its host.
    pub name: &'static str,
    /// What there is to learn, or not.
    pub about: &'static str,
    /// What can be asked of a program.
    pub hope: Hope,
    /// Makes the site.
    pub make: fn(&mut Site),
}

/// What can be asked of a program on a kind of crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hope {
    /// That it avoids duplicates and loses nothing.
    Both,
    /// That it loses nothing: the duplicates are too few or too irregular to learn from.
    Careful,
    /// Nothing: what tells two contents apart is what has to be overlooked on other sites (numbers, a word), or
    /// static normalization holds them for one by design.
    Nothing,
}

/// A page of a crawl.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Its address.
    pub url: String,
    /// All that it says, chrome included.
    pub text: String,
    /// Where in that the main text stands.
    pub main: Range<usize>,
    /// Name of its content.
    pub label: String,
    /// Links, in order.
    pub links: Vec<String>,
    /// Where it redirects to; then it says nothing.
    pub redirect: Option<String>,
    /// Its `rel=canonical`.
    pub canonical: Option<String>,
}

impl Page {
    /// The main text.
    pub fn main_text(&self) -> &str {
        &self.text[self.main.clone()]
    }
}

/// A crawl, in the order in which a plain crawler meets its pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crawl {
    /// The pages.
    pub pages: Vec<Page>,
}

impl Crawl {
    /// Number of different contents.
    pub fn contents(&self) -> usize {
        let labels: FxHashSet<&str> = self.pages.iter().map(|page| page.label.as_str()).collect();
        labels.len()
    }

    /// The same with each text as one row of words, as recorders give it that keep no lines.
    #[must_use]
    pub fn in_one_row(mut self) -> Self {
        for page in &mut self.pages {
            page.text = page.text.replace('\n', " ");
        }
        self
    }

    /// Writes it as a recorded crawl, which `nodust replay` reads.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_log(&self, mut to: impl Write) -> io::Result<()> {
        for page in &self.pages {
            let mut line = json!({"url": page.url, "text": page.text, "links": page.links});
            if let Some(target) = &page.redirect {
                line["status"] = 302.into();
                line["redirect_to"] = target.as_str().into();
            }
            if let Some(canonical) = &page.canonical {
                line["canonical"] = canonical.as_str().into();
            }
            writeln!(to, "{line}")?;
        }
        to.flush()
    }

    /// Writes which content each URL shows.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_truth(&self, mut to: impl Write) -> io::Result<()> {
        for page in &self.pages {
            writeln!(to, "{}", json!({"url": page.url, "cluster": page.label}))?;
        }
        to.flush()
    }
}

impl Kind {
    /// The crawl of this kind that the seed says.
    pub fn crawl(&self, seed: u64) -> Crawl {
        let mut site = Site::new(seed, self.name);
        (self.make)(&mut site);
        site.finish()
    }
}

/// All kinds, family by family.
pub fn kinds() -> impl Iterator<Item = &'static Kind> {
    [
        segments::KINDS,
        anywhere::KINDS,
        pieces::KINDS,
        joint::KINDS,
        spelling::KINDS,
        parameters::KINDS,
        permalinks::KINDS,
        values::KINDS,
        scopes::KINDS,
        tenants::KINDS,
        things::KINDS,
        rare::KINDS,
        redirects::KINDS,
        drift::KINDS,
        alike::KINDS,
        walls::KINDS,
        instead::KINDS,
        chrome::KINDS,
        aliases::KINDS,
        names::KINDS,
        titles::KINDS,
        lists::KINDS,
        editions::KINDS,
        traps::KINDS,
    ]
    .into_iter()
    .flatten()
}
