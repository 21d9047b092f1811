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

/// Octets of URLs that the links of a page may make, at most: where a page's own address is long, or that of its
/// `<base>`, each of its links is as long as that. Twice as many are less than a line of a log may have.
const URL_OCTETS: usize = 24 << 20;

impl Page {
    /// Leaves out the links that would make too many octets of URLs, if each that is relative begins with so many.
    pub(crate) fn limit_links(&mut self, base: usize) {
        let mut octets = 0;
        let mut fits = |link: &Link| {
            octets += most_octets(&link.href, base);
            octets <= URL_OCTETS
        };
        let kept = self.links.iter().take_while(|link| fits(link)).count();
        self.links_over_limit += self.links.len() - kept;
        self.links.truncate(kept);
    }
}

/// Octets of what a link leads to, at most.
fn most_octets(href: &str, base: usize) -> usize {
    let is_whole = |scheme: &str| {
        href.get(..scheme.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(scheme))
    };
    let is_relative = !is_whole("http://") && !is_whole("https://");
    // What may not stand in a URL is escaped.
    let octets = href.bytes().map(|octet| match octet {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => 1,
        octet if b"-._~:/?#[]@!$&()*+,;=%".contains(&octet) => 1,
        _ => 3,
    });
    octets.sum::<usize>() + if is_relative { base } else { 0 }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn page(href: &str, links: usize) -> Page {
        let link = Link {
            href: href.to_owned(),
            ..Link::default()
        };
        Page {
            links: vec![link; links],
            ..Page::default()
        }
    }

    #[test]
    fn links_of_a_page_with_a_long_address_make_no_more_than_a_bound() {
        let mut ample = page("/item/17?sid=0123456789", 100_000);
        ample.limit_links(80);
        assert_eq!((ample.links.len(), ample.links_over_limit), (100_000, 0));
        let mut long = page("x", 100_000);
        long.limit_links(8000);
        assert_eq!(long.links.len(), URL_OCTETS / 8001);
        assert_eq!(long.links.len() + long.links_over_limit, 100_000);
        let mut whole = page("HTTP://e.org/x", 100_000);
        whole.limit_links(8000);
        assert_eq!(whole.links_over_limit, 0);
    }

    #[test]
    fn no_link_takes_more_octets_than_it_is_counted_for() {
        let base = url::Url::parse("http://e.org/a/b?c").unwrap();
        for href in [
            "x",
            "/x y",
            "?é=\"ü\"",
            "//f.org/",
            "http://g.org/ñ|{}",
            "#a b",
            "../c\\d",
        ] {
            let url = base.join(href).unwrap();
            let most = most_octets(href, base.as_str().len() + 1);
            assert!(url.as_str().len() <= most, "{url} {most}");
        }
    }
}
