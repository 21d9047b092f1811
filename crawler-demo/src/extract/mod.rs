//! What does this page say, and where does it point?
//!
//! One pass of the HTML tokenizer, without building a tree: links and text come in document order,
//! memory is that of what is kept, and no page is too broken to be read.
//!
//! ```
//! use nodust_crawler::extract::{self, Limits};
//! let page = extract::html("<title>T</title><p>One<br>two <a href=/x>three</a>", &Limits::default());
//! assert_eq!(page.title, "T");
//! assert_eq!(page.text, "One\ntwo three");
//! assert_eq!(page.links[0].href, "/x");
//! ```

mod headers;
mod html;
mod text;

pub use headers::{Hints, hints};
pub use html::html;

/// What is read of a page at most.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Links; more are counted only.
    pub max_links: usize,
    /// Octets of one link's text; longer ones are counted only.
    pub max_link_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_links: 200_000,
            max_link_bytes: nodust_frontier::CanonicalUrl::MAX_BYTES,
        }
    }
}

/// A link as the page spelled it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Its text, entities decoded.
    pub href: String,
    /// Language of the target.
    pub hreflang: Option<String>,
    /// Whether its `rel` says `nofollow`.
    pub nofollow: bool,
}

/// What a page says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// `<title>`, white space collapsed.
    pub title: String,
    /// Visible text in document order, one line per block, white space collapsed.
    pub text: String,
    /// Links to http or https, in document order.
    pub links: Vec<Link>,
    /// Links left out because of [`Limits`].
    pub links_over_limit: usize,
    /// `<base href>`.
    pub base: Option<String>,
    /// `<link rel=canonical>`.
    pub canonical: Option<String>,
    /// Where a `<meta http-equiv=refresh>` leads within [`REFRESH_WITHIN`] seconds.
    pub refresh: Option<String>,
    /// Meta robots says `nofollow`.
    pub nofollow: bool,
    /// Meta robots says `noindex`.
    pub noindex: bool,
}

/// A refresh later than this many seconds is a link and no redirect: readers are meant to see the page.
pub const REFRESH_WITHIN: f64 = 5.0;

/// The text of a document that is not HTML, one line per line.
pub fn plain(body: &str) -> String {
    let mut text = text::Text::default();
    text.push_lines(body);
    text.finish()
}

/// Whether link text could lead to http or https: it names no other scheme.
pub(crate) fn may_be_http(href: &str) -> bool {
    let href = href.trim_start_matches(|c: char| c <= ' ');
    let end = href.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')));
    let Some(scheme) = end
        .filter(|&end| href[end..].starts_with(':'))
        .map(|end| &href[..end])
    else {
        return true;
    };
    !scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        || scheme.eq_ignore_ascii_case("http")
        || scheme.eq_ignore_ascii_case("https")
}
