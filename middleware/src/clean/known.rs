//! Looks a link up among known ones, and resolves links.

use std::collections::HashSet;
use std::hash::BuildHasher;

use nodust_frontier::link::repair;
use url::Url;

/// Whether `link` is in the set, with or without a trailing slash, by http or https.
///
/// ```
/// use std::collections::HashSet;
/// use nodust_middleware::clean::is_known_link;
///
/// let known = HashSet::from(["https://e.org/a/".to_owned()]);
/// assert!(is_known_link("http://e.org/a", &known));
/// assert!(!is_known_link("http://e.org/b", &known));
/// ```
pub fn is_known_link<S: BuildHasher>(link: &str, known: &HashSet<String, S>) -> bool {
    if known.is_empty() || link.is_empty() {
        return known.contains(link);
    }
    if known.contains(link) {
        return true;
    }
    let with_slashes = |link: &str| {
        let bare = link.trim_end_matches('/');
        known.contains(bare) || known.contains(&format!("{bare}/"))
    };
    let other_scheme = if let Some(rest) = link.strip_prefix("http://") {
        Some(format!("https://{rest}"))
    } else {
        link.strip_prefix("https://")
            .map(|rest| format!("http://{rest}"))
    };
    with_slashes(link)
        || other_scheme.is_some_and(|other| known.contains(&other) || with_slashes(&other))
}

/// Resolves `link` against the page `base`, as browsers do. A link that cannot be resolved (`base` is not a URL) is
/// returned as it is.
///
/// ```
/// use nodust_middleware::clean::fix_relative_urls;
///
/// assert_eq!(fix_relative_urls("https://e.org/dir/a.html", "b?q#f"), "https://e.org/dir/b?q#f");
/// assert_eq!(fix_relative_urls("https://e.org", "//x.org/a"), "https://x.org/a");
/// ```
pub fn fix_relative_urls(base: &str, link: &str) -> String {
    Url::parse(base)
        .and_then(|base| base.join(&repair(link)))
        .map_or_else(|_| link.to_owned(), String::from)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{fix_relative_urls, is_known_link};

    #[test]
    fn slashes_and_schemes_make_no_new_link() {
        let known: HashSet<String> = ["http://e.org", "https://e.org/a"].map(String::from).into();
        for link in [
            "http://e.org/",
            "https://e.org",
            "http://e.org/a/",
            "https://e.org/a",
        ] {
            assert!(is_known_link(link, &known), "{link}");
        }
        for link in ["", "/", "http", "http://e.org/a/b", "ftp://e.org"] {
            assert!(!is_known_link(link, &known), "{link}");
        }
    }

    #[test]
    fn relative_links_resolve_as_in_browsers() {
        assert_eq!(fix_relative_urls("https://e.org", "./a"), "https://e.org/a");
        assert_eq!(
            fix_relative_urls("https://e.org/a/", "httpd/x"),
            "https://e.org/a/httpd/x"
        );
        assert_eq!(fix_relative_urls("no base", "/a"), "/a");
    }
}
