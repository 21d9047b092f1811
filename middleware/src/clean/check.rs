//! Decides whether a URL is worth keeping on a list of articles.

use std::collections::HashSet;

use nodust_frontier::CanonicalUrl;
use rustc_hash::FxBuildHasher;
use url::{Host, Url};

use super::{
    CleanOptions,
    domain::{extract_domain, extract_domain_unless},
    normalize_url_with,
};
use crate::filter::{
    extension::{PAGE_EXTENSIONS, extension_filter, names_a_file_type, path_extension},
    hostname::domain_filter,
    language::lang_filter,
    structure::{path_filter, type_filter},
    validity::{basic_filter, is_valid_url},
};

/// Platforms, portals and services whose pages are seldom articles, by the first label of the registrable domain.
/// `strict` refuses them.
#[rustfmt::skip]
pub const CENTRAL_SITES: &[&str] = &[
    "akamai", "aliexpress", "amazon", "amazonaws", "amzn", "baidu", "bit", "cloudfront", "delicious",
    "digg", "ebay", "ebay-kleinanzeigen", "facebook", "feedburner", "flickr", "gettyimages", "gmx",
    "google", "gravatar", "imgur", "immobilienscout24", "instagr", "instagram", "linkedin", "live",
    "localhost", "mail", "naver", "netflix", "office", "ok", "onlyfans", "otto", "paypal", "pinterest",
    "pornhub", "postbank", "qq", "reddit", "redtube", "sina", "snapchat", "sohu", "soundcloud", "spotify",
    "taobao", "telegram", "tiktok", "tmall", "tumblr", "twitch", "twitpic", "twitter", "vimeo", "vk",
    "vkontakte", "web", "weibo", "whatsapp", "xhamster", "xnxx", "xvideos", "yahoo", "yandex", "youporn",
    "youtu", "youtube", "zoom",
];

/// How [`check_url`] judges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckOptions {
    /// As courlan's strict mode: only extensions that pages have, no service pages, no file types or adult offers
    /// anywhere, at most 499 characters, no [`CENTRAL_SITES`], and only parameters that name content.
    pub strict: bool,
    /// Only URLs that may lead to this language (ISO 639-1).
    pub language: Option<String>,
    /// Let navigation pages pass (`/page/2`, `/tag/x/`): they lead to content.
    pub with_nav: bool,
    /// Keep a slash at the end of the path.
    pub trailing_slash: bool,
    /// First labels of registrable domains, and whole ones, that `strict` refuses.
    pub blacklist: HashSet<String, FxBuildHasher>,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            strict: false,
            language: None,
            with_nav: false,
            trailing_slash: true,
            blacklist: CENTRAL_SITES.iter().map(|&site| site.to_owned()).collect(),
        }
    }
}

/// Returns the tidy form of a URL that may lead to an article, and its registrable domain; `None` if it does not.
///
/// Unlike courlan's, the check is made on the canonical spelling, knows every country by the public suffix list (`.pl`
/// is not a Perl script), accepts IP addresses in their legal spelling, and, unless strict, refuses only extensions
/// that are known not to be pages.
pub fn check_url(text: &str, options: &CheckOptions) -> Option<(String, String)> {
    let url = CanonicalUrl::resolve(text, None).ok()?;
    let (text, url) = (url.as_str(), url.as_url());
    let strict = options.strict;
    let passes = (!strict || basic_filter(text))
        && type_filter(text, strict, options.with_nav)
        && lang_filter(
            text,
            options.language.as_deref(),
            strict,
            options.trailing_slash,
        )
        && is_valid_url(text)
        && is_page_path(url.path(), strict)
        && is_plausible_host(url, strict)
        && (!strict || path_filter(url.path(), url.query().unwrap_or_default()));
    if !passes {
        return None;
    }
    let clean = CleanOptions {
        strict,
        language: options.language.clone(),
        trailing_slash: options.trailing_slash,
    };
    let tidy = normalize_url_with(text, &clean).ok()?;
    let domain = if strict {
        extract_domain_unless(&tidy, &options.blacklist)?
    } else {
        extract_domain(&tidy)?
    };
    Some((tidy, domain))
}

fn is_page_path(path: &str, strict: bool) -> bool {
    if strict {
        return extension_filter(path);
    }
    path_extension(path).is_none_or(|extension| {
        PAGE_EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str())
            || !names_a_file_type(&format!(".{}", extension.to_ascii_lowercase()))
    })
}

fn is_plausible_host(url: &Url, strict: bool) -> bool {
    match url.host() {
        None => false,
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => true,
        Some(Host::Domain(name)) => {
            let name = name.strip_suffix('.').unwrap_or(name);
            // A suffix that the list knows is no file extension.
            domain_filter(name)
                || (!strict
                    && psl::suffix(name.as_bytes()).is_some_and(|s| s.is_known())
                    && psl::domain_str(name).is_some())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CheckOptions, check_url};

    fn passes(url: &str) -> bool {
        check_url(url, &CheckOptions::default()).is_some()
    }

    fn passes_strictly(url: &str) -> bool {
        let strict = CheckOptions {
            strict: true,
            ..CheckOptions::default()
        };
        check_url(url, &strict).is_some()
    }

    #[test]
    fn good_pages_that_look_odd_pass() {
        for url in [
            "https://www.onet.pl/a",
            "https://www.elcaribe.com.do/x",
            "https://timesofindia.indiatimes.com/a/articleshow/1.cms",
            "https://g1.globo.com/a/noticia/x.ghtml",
            "https://e.org/users/j.smith",
            "https://t.co/abc",
            "http://163.com/a",
            "https://www.json.org/json-en.html",
            "http://[2001:db8::1]/a",
            "http://192.168.0.1:8080/a",
            "http://example.com./a",
            "HTTP://example.com/a",
            " http://example.com/a",
        ] {
            assert!(passes(url), "{url}");
        }
    }

    #[test]
    fn what_is_no_page_does_not() {
        for url in [
            "123",
            "AAA",
            "mailto:a@e.org",
            "https://e.org/a.zip",
            "http://a.html/",
        ] {
            assert!(!passes(url), "{url}");
        }
    }

    #[test]
    fn strict_refuses_platforms_and_service_pages() {
        assert!(passes("http://twitter.com/") && !passes_strictly("http://twitter.com/"));
        assert!(!passes_strictly("http://e.org/impressum"));
        assert!(!passes_strictly(&format!(
            "https://e.org/{}",
            "a".repeat(500)
        )));
        assert!(passes_strictly("https://example.org/story"));
    }

    #[test]
    fn the_language_asked_for_decides() {
        let german = CheckOptions {
            language: Some("de".into()),
            ..CheckOptions::default()
        };
        assert!(check_url("https://example.org/de/a", &german).is_some());
        assert!(check_url("https://example.org/en/a", &german).is_none());
        assert!(check_url("https://example.org/a?lang=en", &german).is_none());
    }
}
