//! Extracts the links of a page that belong on a list.

use std::collections::HashSet;

use url::Url;

use super::{
    Anchors, CheckOptions, base_href, check_url, fix_relative_urls, is_external, is_known_link,
};
use crate::filter::structure::{is_navigation_page, is_not_crawlable};

/// Which links [`extract_links`] gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkOptions {
    /// Links to other sites instead of links within the site. Sites are compared without their public suffix.
    pub external: bool,
    /// Give all links, internal and external, as they resolve, without any check.
    pub no_filter: bool,
    /// How each link is judged.
    pub check: CheckOptions,
    /// The site that links are internal to; the page's when `None`.
    pub reference: Option<String>,
}

/// Returns the links of a page, each once, in the order of the page. `<base href>` and character references are heeded.
/// Links with `rel=nofollow` are left out and, if a language is asked for, those with an `hreflang` of another. Of
/// links that differ only in a trailing slash or the scheme, the first is returned.
///
/// ```
/// use nodust_middleware::clean::{LinkOptions, extract_links};
///
/// let page = r#"<a href="/a">1</a> <a href="/a/">1</a> <a href="https://x.org/b">2</a>"#;
/// assert_eq!(extract_links(page, "https://e.org/", &LinkOptions::default()), ["https://e.org/a"]);
/// ```
pub fn extract_links(html: &str, page: &str, options: &LinkOptions) -> Vec<String> {
    let base = match base_href(html) {
        Some(base) => fix_relative_urls(page, &base),
        None => page.to_owned(),
    };
    let reference = options.reference.as_deref().unwrap_or(page);
    let mut known: HashSet<String> = HashSet::new();
    let mut links = Vec::new();
    for anchor in Anchors::of(html).filter(|a| !a.nofollow) {
        if !options.no_filter
            && let Some(wanted) = &options.check.language
            && let Some(named) = &anchor.hreflang
            && !is_language(named, wanted)
        {
            continue;
        }
        let mut link = fix_relative_urls(&base, &anchor.href);
        if !options.no_filter {
            let Some((checked, _)) = check_url(&link, &options.check) else {
                continue;
            };
            link = checked;
            if is_external(&link, reference, true) != options.external {
                continue;
            }
        }
        if !is_known_link(&link, &known) {
            known.insert(link.clone());
            links.push(link);
        }
    }
    links
}

/// Returns the links of a page that may be crawled, by `is_allowed` (robots.txt, for example) and by their shape, in
/// two lists: those to content, and navigation pages, which are to be crawled first.
pub fn filter_links(
    html: &str,
    page: &str,
    options: &LinkOptions,
    mut is_allowed: impl FnMut(&Url) -> bool,
) -> (Vec<String>, Vec<String>) {
    extract_links(html, page, options)
        .into_iter()
        .filter(|link| {
            !is_not_crawlable(link) && Url::parse(link).is_ok_and(|url| is_allowed(&url))
        })
        .partition(|link| !is_navigation_page(link))
}

/// `de-AT` and `DE` are `de`; `x-default` is every language.
fn is_language(named: &str, wanted: &str) -> bool {
    let named = named.trim();
    let main = named.split(['-', '_']).next().unwrap_or(named);
    main.eq_ignore_ascii_case(wanted) || named.eq_ignore_ascii_case("x-default")
}

#[cfg(test)]
mod tests {
    use super::{CheckOptions, LinkOptions, extract_links, filter_links};

    const PAGE: &str = r#"<a hreflang="de-DE" href="https://test.com/example"/><a href="/page/2"/>
        <a href="https://example.com/gallery/"/><a href="https://test.com/login"/>
        <a rel=nofollow href="/ad"/>"#;

    #[test]
    fn unfiltered_links_are_all_but_those_not_to_follow() {
        let options = LinkOptions {
            no_filter: true,
            ..LinkOptions::default()
        };
        assert_eq!(
            extract_links(PAGE, "https://test.com", &options),
            [
                "https://test.com/example",
                "https://test.com/page/2",
                "https://example.com/gallery/",
                "https://test.com/login"
            ]
        );
    }

    #[test]
    fn foreign_languages_are_left_out() {
        let options = LinkOptions {
            check: CheckOptions {
                language: Some("en".into()),
                ..CheckOptions::default()
            },
            ..LinkOptions::default()
        };
        assert_eq!(
            extract_links(PAGE, "https://test.com", &options),
            ["https://test.com/login"]
        );
    }

    #[test]
    fn navigation_pages_are_told_apart() {
        let options = LinkOptions {
            check: CheckOptions {
                with_nav: true,
                ..CheckOptions::default()
            },
            ..LinkOptions::default()
        };
        let (content, navigation) = filter_links(PAGE, "https://test.com", &options, |_| true);
        assert_eq!(content, ["https://test.com/example"]);
        assert_eq!(navigation, ["https://test.com/page/2"]);
        let (content, _) = filter_links(PAGE, "https://test.com", &options, |u| u.path() == "/");
        assert!(content.is_empty());
    }

    #[test]
    fn a_base_moves_relative_links() {
        let page = r#"<base href="/dir/"><a href="story">"#;
        assert_eq!(
            extract_links(page, "https://e.org/x", &LinkOptions::default()),
            ["https://e.org/dir/story"]
        );
    }
}
