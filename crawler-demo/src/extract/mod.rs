//! Extracts the text and the links of a page.
//!
//! This takes one pass of the HTML tokenizer, without building a tree: links and text come in document order, only what
//! is kept takes memory, and no page is too broken to be read.
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
mod query;
mod refresh;
mod svg;
mod tags;
mod text;

use std::sync::Arc;

use url::{Position, Url};

pub use headers::{Hints, hints};
pub use html::{html, xml};

/// Limits on what is read of a page, and the crawler's name.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The crawler's product token: a `<meta>` with this name is for it.
    pub agent: Arc<str>,
    /// Most links; further ones are only counted.
    pub max_links: usize,
    /// Most octets of one link's text; longer links are only counted.
    pub max_link_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            agent: crate::robots::AGENT.into(),
            max_links: 200_000,
            max_link_bytes: nodust_frontier::CanonicalUrl::MAX_BYTES,
        }
    }
}

/// A link as the page spelled it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Its text, entities decoded. In a crawl, non-ASCII text in the query is escaped in the page's encoding if the page is not in UTF-8.
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
    /// Number of links left out because of [`Limits`].
    pub links_over_limit: usize,
    /// `<base href>`.
    pub base: Option<String>,
    /// `<link rel=canonical>`, as sent; relative to `base`, if there is one.
    pub canonical: Option<String>,
    /// Where a `<meta http-equiv=refresh>`, or a field `Refresh`, leads within [`REFRESH_WITHIN`] seconds.
    pub refresh: Option<String>,
    /// Meta robots says `nofollow`.
    pub nofollow: bool,
    /// Meta robots says `noindex`.
    pub noindex: bool,
}

/// Octets of URLs that the links of a page may make, at most: where a page's own address is long, or that of its
/// `<base>`, so are its links. Twice as many are less than a line of a log may have.
const URL_OCTETS: usize = 24 << 20;

impl Page {
    /// The header of the page's answer sends its readers elsewhere after so many seconds.
    pub(crate) fn refreshes(&mut self, seconds: f64, target: &str) {
        if seconds <= REFRESH_WITHIN && self.refresh.is_none() {
            self.refresh = Some(target.to_owned());
        } else {
            self.links.push(Link {
                href: target.to_owned(),
                ..Link::default()
            });
        }
    }

    /// Leaves out the links that would make too many octets of URLs; how many these are.
    pub(crate) fn limit_links(&mut self, base: &Url) -> usize {
        // As with nearly all pages: a whole address before each link, and each sign escaped, would still fit.
        let hrefs = self.links.iter().map(|link| link.href.len());
        if 3 * hrefs.sum::<usize>() + self.links.len() * base.as_str().len() <= URL_OCTETS {
            return 0;
        }
        let mut octets = 0;
        let mut fits = |link: &Link| {
            octets += most_octets(&link.href, base);
            octets <= URL_OCTETS
        };
        let kept = self.links.iter().take_while(|link| fits(link)).count();
        let left_out = self.links.len() - kept;
        self.links_over_limit += left_out;
        self.links.truncate(kept);
        left_out
    }
}

/// Octets of what a link leads to, at most: its own, and those of the base that stand before them.
fn most_octets(href: &str, base: &Url) -> usize {
    let href = href.trim_start();
    let is_whole = |scheme: &str| {
        href.get(..scheme.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(scheme))
    };
    let inherited = match href.as_bytes() {
        _ if is_whole("http://") || is_whole("https://") => "",
        [b'/' | b'\\', b'/' | b'\\', ..] => &base[..Position::BeforeUsername],
        [b'/' | b'\\', ..] => &base[..Position::BeforePath],
        [] | [b'#', ..] => base.as_str(),
        [b'?', ..] => &base[..Position::AfterPath],
        _ => {
            let path = &base[..Position::AfterPath];
            &path[..=path.rfind('/').unwrap_or(path.len() - 1)]
        }
    };
    // What may not stand in a URL is escaped.
    let octets = href.bytes().map(|octet| match octet {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => 1,
        octet if b"-._~:/?#[]@!$&()*+,;=%".contains(&octet) => 1,
        _ => 3,
    });
    inherited.len() + octets.sum::<usize>()
}

/// A refresh after more than this many seconds is a link, not a redirect: readers are meant to see the page.
pub const REFRESH_WITHIN: f64 = 5.0;

/// The text of a document that is not HTML, with its lines kept.
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

    fn base(url: &str) -> Url {
        Url::parse(url).unwrap()
    }

    #[test]
    fn links_of_a_page_with_a_long_address_make_no_more_than_a_bound() {
        let mut ample = page("/item/17?sid=0123456789", 100_000);
        let usual = base("http://e.org/list?page=3");
        assert_eq!((ample.limit_links(&usual), ample.links.len()), (0, 100_000));
        let deep = base(&format!("http://e.org/{}/", "x".repeat(8000)));
        let mut long = page("x", 100_000);
        assert_eq!(long.limit_links(&deep), long.links_over_limit);
        assert_eq!(long.links.len(), URL_OCTETS / (deep.as_str().len() + 1));
        assert_eq!(long.links.len() + long.links_over_limit, 100_000);
        // Nothing of it stands before these, nor of a long query before links to other paths.
        let asked = base(&format!("http://e.org/list?f={}", "x".repeat(6000)));
        for (href, base) in [
            ("HTTP://e.org/x", &deep),
            ("//f.org/", &deep),
            ("/item/1", &deep),
            ("/item/1", &asked),
            ("item/1", &asked),
            ("?page=2", &asked),
        ] {
            assert_eq!(page(href, 100_000).limit_links(base), 0, "{href}");
        }
    }

    #[test]
    fn no_link_takes_more_octets_than_it_is_counted_for() {
        for base in [
            "http://e.org/a/b?c",
            "https://e.org",
            "http://u:p@e.org:8080/x;y/?a=b",
        ] {
            let base = Url::parse(base).unwrap();
            for href in [
                "x",
                "/x y",
                "?é=\"ü\"",
                "//f.org/",
                "http://g.org/ñ|{}",
                "#a b",
                "../c\\d",
                "",
                " x",
                "\\x",
                "/\\f.org/",
            ] {
                let Ok(url) = base.join(href) else { continue };
                let most = most_octets(href, &base);
                // Where a host has no path, a slash is put behind it.
                assert!(
                    url.as_str().len() <= most + 1,
                    "{base} {href:?}: {url} {most}"
                );
            }
        }
    }
}
