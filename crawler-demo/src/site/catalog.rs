//! The contents of the site, as names and numbers; the words of a page are made when it is asked for.

use super::{
    SiteConfig,
    words::{Words, pick},
};

/// Everything that has a name of its own.
#[derive(Debug)]
pub(super) struct Catalog {
    pub(super) config: SiteConfig,
    pub(super) articles: Vec<Article>,
    pub(super) categories: Vec<String>,
    pub(super) docs: Vec<String>,
    pub(super) items: usize,
    pub(super) parts: usize,
    pub(super) threads: usize,
    pub(super) images: usize,
    pub(super) planets: usize,
    pub(super) notes: usize,
    pub(super) events: usize,
}

/// An article: what it is called in URLs and on pages.
#[derive(Debug)]
pub(super) struct Article {
    pub(super) slug: String,
    pub(super) title: String,
}

impl Catalog {
    /// Articles of one category, and of one page of a list.
    pub(super) const PER_CATEGORY: usize = 20;
    pub(super) const PER_PAGE: usize = 8;
    pub(super) const PER_SHELF: usize = 12;
    pub(super) const PER_GALLERY: usize = 6;
    /// The calendar begins here.
    pub(super) const FIRST_YEAR: u32 = 2026;
    /// Months at its beginning in which something happens, and how much in each.
    pub(super) const BUSY_MONTHS: u32 = 6;
    pub(super) const EVENTS_A_MONTH: usize = 2;

    pub(super) fn new(config: SiteConfig) -> Self {
        let pages = config.pages.max(100);
        let share = |percent: usize| pages * percent / 100;
        let name = |kind: &str, i: usize| {
            let mut words = Words::at(config.seed, &format!("{kind} {i}"));
            (words.word(), words.word())
        };
        let articles: Vec<_> = (0..share(38))
            .map(|i| {
                let (one, two) = name("article", i);
                Article {
                    slug: format!("{one}-{two}-{i}"),
                    title: format!("The {one} and the {two}, part {i}"),
                }
            })
            .collect();
        let categories = (0..articles.len().div_ceil(Self::PER_CATEGORY))
            .map(|i| format!("{}{i}", name("category", i).0))
            .collect();
        let docs = (0..share(8))
            .map(|i| format!("{}-{i}", name("doc", i).0))
            .collect();
        Self {
            config,
            articles,
            categories,
            docs,
            items: share(14),
            parts: share(10),
            threads: share(10),
            images: share(4),
            planets: share(2),
            notes: share(1).max(2),
            events: Self::BUSY_MONTHS as usize * Self::EVENTS_A_MONTH,
        }
    }

    /// The articles of a category, in order.
    pub(super) fn in_category(&self, category: usize) -> impl Iterator<Item = usize> + '_ {
        (category..self.articles.len()).step_by(self.categories.len())
    }

    /// The article with this name.
    pub(super) fn article(&self, slug: &str) -> Option<usize> {
        let i: usize = slug.rsplit('-').next()?.parse().ok()?;
        (self.articles.get(i)?.slug == slug).then_some(i)
    }

    /// The words of a place.
    pub(super) fn words(&self, place: &str) -> Words {
        Words::at(self.config.seed, place)
    }

    /// A text that looks like chance, in one of three variants a target.
    pub(super) fn token(&self, source: &str, target: &str) -> String {
        let variant = pick(self.config.seed, source) % 3;
        format!(
            "{:016x}",
            pick(self.config.seed, &format!("token {target} {variant}"))
        )
    }
}
