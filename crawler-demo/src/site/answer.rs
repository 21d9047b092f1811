//! The answers of the site.

use xxhash_rust::xxh3::xxh3_64;

/// An answer, before it is written out.
#[derive(Debug)]
pub(super) enum Answer {
    Page(Page),
    Redirect {
        status: u16,
        to: String,
    },
    File {
        content_type: &'static str,
        body: Vec<u8>,
    },
    NotFound,
}

/// A page: what it says, and where it leads.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) title: String,
    /// Shown above the content, but not part of it (the month of an empty calendar page).
    pub(super) heading: Option<String>,
    /// The content. Lines in another order are the same content.
    pub(super) lines: Vec<String>,
    /// Where the content leads: target and words.
    pub(super) links: Vec<(String, String)>,
    pub(super) canonical: Option<String>,
    /// Without navigation and footer.
    pub(super) bare: bool,
    /// Log-in forms and error pages that say 200: nothing that anybody would look for.
    pub(super) hollow: bool,
}

impl Page {
    pub(super) fn new(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self {
            title: title.into(),
            lines,
            ..Self::default()
        }
    }

    pub(super) fn link(&mut self, to: impl Into<String>, words: impl Into<String>) {
        self.links.push((to.into(), words.into()));
    }

    /// Number of the content: the lines, in any order; `None` for a page without any.
    pub(super) fn content(&self) -> Option<u64> {
        if self.hollow {
            return None;
        }
        let mut lines: Vec<_> = self.lines.iter().map(String::as_str).collect();
        lines.sort_unstable();
        Some(xxh3_64(lines.join("\n").as_bytes()))
    }
}

impl From<Page> for Answer {
    fn from(page: Page) -> Self {
        Self::Page(page)
    }
}
