//! Tells URLs of content from those of a site's service pages, by their shape.
//!
//! Recognises the shapes that content management systems give their URLs: feeds, archives, tags, authors, result pages,
//! login forms. The functions mean what those of the same names mean in courlan; they walk over segments, so that a URL
//! costs one scan. Navigation pages lead to content: a crawl keeps them by default, while people who clean lists drop
//! them.
//!
//! ```
//! use nodust_middleware::filter::structure::{is_navigation_page, is_not_crawlable, type_filter};
//!
//! assert!(is_navigation_page("https://example.org/tag/rust/"));
//! assert!(is_not_crawlable("https://example.org/login?next=/"));
//! assert!(!type_filter("https://example.org/feed", false, false));
//! ```

use super::extension::{ends_at_boundary, is_one_of, names_a_file_type};

/// Segments that hold overviews, search results and stored files.
const OVERVIEW_SEGMENTS: &[&str] = &[
    "archives",
    "attachment",
    "labels",
    "modules",
    "oembed",
    "page",
    "paged",
    "search",
    "seite",
    "suche",
    "uploads",
    "wp-admin",
    "wp-content",
    "wp-includes",
    "wp-json",
    "wp-themes",
];

/// Words at the end of a segment behind which one label, person or group is named.
const LABEL_WORDS: &[&str] = &[
    "author",
    "autor",
    "cat",
    "kat",
    "schlagwort",
    "tag",
    "tags",
    "user",
];

/// Words at the end of a segment that announce an overview page.
const NAVIGATION_WORDS: &[&str] = &[
    "archives",
    "author",
    "autor",
    "cat",
    "category",
    "kat",
    "kategorie",
    "page",
    "paged",
    "schlagwort",
    "seite",
    "tag",
    "tags",
    "topic",
    "topics",
    "user",
];

/// Last segments of pages that a crawler gains nothing from.
const SERVICE_SEGMENTS: &[&str] = &[
    "contact",
    "contakt",
    "impressum",
    "imprint",
    "kontact",
    "kontakt",
    "login",
];

/// Schemes that careless pages write where a path belongs.
const SCHEMES_IN_PATHS: &[&str] = &["/javascript", "/mailto", "/tel", "/tel.", "/whatsapp"];

/// Words of sexual or live-video offers.
const ADULT_WORDS: &[&str] = &[
    "bild-kontakte",
    "bildkontakte",
    "fick",
    "gangbang",
    "incest",
    "live-cam",
    "live-cams",
    "live-chat",
    "livecam",
    "livecams",
    "livechat",
    "porn",
    "porno",
    "sexcam",
    "sexyerotic",
    "sexyerotik",
    "swinger",
    "xxx",
];

/// Whether a URL names an overview page rather than content (`/page/2`, `/tag/x/`, `?p=11`).
pub fn is_navigation_page(url: &str) -> bool {
    memchr::memchr_iter(b'/', url.as_bytes())
        .any(|slash| is_one_of(last_word_before(url, slash), NAVIGATION_WORDS))
        || memchr::memchr_iter(b'?', url.as_bytes()).any(|at| {
            strip_prefix_ignoring_case(&url.as_bytes()[at..], b"?p=")
                .is_some_and(|value| value.first().is_some_and(u8::is_ascii_digit))
        })
}

/// Whether a URL leads to a form, a legal notice or out of the web (`/login`, `/impressum`, `/mailto:`).
pub fn is_not_crawlable(url: &str) -> bool {
    // Colons and question marks are rarer than slashes: look backwards from them.
    let bytes = url.as_bytes();
    memchr::memchr2_iter(b':', b'?', bytes).any(|at| {
        if bytes[at..].starts_with(b"://") {
            return false;
        }
        let head = &bytes[..at];
        if bytes[at] == b'?' {
            ends_with_ignoring_case(head, b"/login")
        } else {
            SCHEMES_IN_PATHS
                .iter()
                .any(|scheme| ends_with_ignoring_case(head, scheme.as_bytes()))
        }
    }) || is_service_page(url)
}

fn is_service_page(url: &str) -> bool {
    let url = url.strip_suffix('/').unwrap_or(url);
    let Some(slash) = memchr::memrchr(b'/', url.as_bytes()) else {
        return false;
    };
    let segment = &url[slash + 1..];
    if !matches!(
        segment.bytes().next().map(|b| b.to_ascii_lowercase()),
        Some(b'c' | b'd' | b'i' | b'k' | b'l')
    ) {
        return false;
    }
    let stem = without_extension(segment, 3..=4);
    [segment, stem]
        .into_iter()
        .any(|s| is_one_of(s.as_bytes(), SERVICE_SEGMENTS) || is_privacy_notice(s))
}

/// Whether a URL is a contact page, imprint or privacy notice, as [`is_not_crawlable`] knows them; login forms are not.
pub fn is_legal_page(url: &str) -> bool {
    is_service_page(url) && {
        let url = url.strip_suffix('/').unwrap_or(url);
        let segment = url.rsplit('/').next().unwrap_or_default();
        !without_extension(segment, 3..=4).eq_ignore_ascii_case("login")
    }
}

/// German for privacy notice, with whatever stands for the umlaut.
fn is_privacy_notice(segment: &str) -> bool {
    const HEAD: &str = "datenschutzerkl";
    const TAIL: &str = "rung";
    let (Some(head), Some(tail)) = (
        segment.get(..HEAD.len()),
        segment
            .len()
            .checked_sub(TAIL.len())
            .and_then(|at| segment.get(at..)),
    ) else {
        return false;
    };
    head.eq_ignore_ascii_case(HEAD)
        && tail.eq_ignore_ascii_case(TAIL)
        && segment.len() > HEAD.len() + TAIL.len()
        && segment[HEAD.len()..segment.len() - TAIL.len()]
            .chars()
            .count()
            <= 2
}

/// The segment without its extension, where that has a length in `letters`.
fn without_extension(segment: &str, letters: std::ops::RangeInclusive<usize>) -> &str {
    match segment.rsplit_once('.') {
        Some((stem, extension))
            if letters.contains(&extension.len())
                && extension.bytes().all(|b| b.is_ascii_alphabetic()) =>
        {
            stem
        }
        _ => segment,
    }
}

/// Whether a path names content: not a service page, and not the index page of the site or of a folder
/// near its root, unless a query says which page is meant.
pub fn path_filter(path: &str, query: &str) -> bool {
    !is_not_crawlable(path) && (!is_index_page(path) || !query.is_empty())
}

/// Whether a path is the start page of a site or of a first folder with a short name: `/index.php`, `/en/home`,
/// `/default/`.
pub fn is_index_page(path: &str) -> bool {
    let path = path.strip_suffix('/').unwrap_or(path);
    let Some((folder, segment)) = path.rsplit_once('/') else {
        return false;
    };
    folder.chars().take(6).count() <= 5
        && [segment, without_extension(segment, 3..=5)]
            .into_iter()
            .any(|s| is_one_of(s.as_bytes(), &["default", "home", "index"]))
}

/// Whether a URL leads to a page of text, judged by its shape. `with_nav` lets navigation pages pass;
/// `strict` refuses file types hidden anywhere and adult offers, too.
pub fn type_filter(url: &str, strict: bool, with_nav: bool) -> bool {
    !(is_feed_or_archive(url)
        || (is_site_structure(url) && (!with_nav || !is_navigation_page(url)))
        || (strict && (names_a_file_type(url) || is_adult_or_video(url))))
}

/// Whether a URL is a feed, or a monthly archive of one large blog host.
pub fn is_feed_or_archive(url: &str) -> bool {
    ["/feed", "/rss", "_archive.html"]
        .into_iter()
        .any(|end| url.ends_with(end))
}

/// Whether a URL is an overview, search result, stored file, label, author, or archive by date.
pub fn is_site_structure(url: &str) -> bool {
    let mut slashes = memchr::memchr_iter(b'/', url.as_bytes());
    if let Some(mut open) = slashes.next() {
        for close in slashes {
            let segment = &url.as_bytes()[open + 1..close];
            if is_one_of(segment, OVERVIEW_SEGMENTS) || is_gallery(segment) {
                return true;
            }
            open = close;
        }
    }
    names_a_label(url) || is_date_archive(url)
}

/// `gallery`, `galerie`, and their kin.
fn is_gallery(segment: &[u8]) -> bool {
    let Some(rest) = strip_prefix_ignoring_case(segment, b"gal") else {
        return false;
    };
    let rest = strip_prefix_ignoring_case(rest, b"l").unwrap_or(rest);
    strip_prefix_ignoring_case(rest, b"er").is_some_and(is_one_or_two_letters)
}

/// The last segment is named by the one before it: `/tag/x`, `/recipe-category/x/`.
fn names_a_label(url: &str) -> bool {
    let url = url.strip_suffix('/').unwrap_or(url);
    match url.rfind('/') {
        Some(slash) if slash + 1 < url.len() => {
            let word = last_word_before(url, slash);
            is_one_of(word, LABEL_WORDS)
                || word.split_first().is_some_and(|(first, rest)| {
                    matches!(first.to_ascii_lowercase(), b'c' | b'k')
                        && strip_prefix_ignoring_case(rest, b"ategor")
                            .is_some_and(is_one_or_two_letters)
                })
        }
        _ => false,
    }
}

/// Ends in `/2011/` or in two numeric segments, after something that is no number.
fn is_date_archive(url: &str) -> bool {
    let Some(url) = url.strip_suffix('/') else {
        return false;
    };
    let Some((rest, last)) = url.rsplit_once('/') else {
        return false;
    };
    if !is_number(last) {
        return false;
    }
    let ends_in_other = |text: &str| {
        text.bytes()
            .next_back()
            .is_some_and(|b| !b.is_ascii_digit())
    };
    (last.len() == 4 && ends_in_other(rest))
        || rest
            .rsplit_once('/')
            .is_some_and(|(head, number)| is_number(number) && ends_in_other(head))
}

/// Whether a URL is a sexual or live-video offer, by words after a slash, hyphen or underscore.
pub fn is_adult_or_video(url: &str) -> bool {
    let bytes = url.as_bytes();
    memchr::memchr3_iter(b'/', b'_', b'-', bytes).any(|at| {
        let rest = &bytes[at + 1..];
        ADULT_WORDS.iter().any(|word| {
            starts_with_ignoring_case(rest, word.as_bytes())
                && ends_at_boundary(url, at + 1 + word.len())
        })
    })
}

/// What stands between the last slash, hyphen or underscore and `end`, if one of them stands there.
fn last_word_before(text: &str, end: usize) -> &[u8] {
    let head = &text.as_bytes()[..end];
    match head.iter().rposition(|b| matches!(b, b'/' | b'-' | b'_')) {
        Some(at) => &head[at + 1..],
        None => &[],
    }
}

fn is_one_or_two_letters(rest: &[u8]) -> bool {
    (1..=2).contains(&rest.len()) && rest.iter().all(u8::is_ascii_alphabetic)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn starts_with_ignoring_case(text: &[u8], start: &[u8]) -> bool {
    strip_prefix_ignoring_case(text, start).is_some()
}

fn ends_with_ignoring_case(text: &[u8], end: &[u8]) -> bool {
    text.len()
        .checked_sub(end.len())
        .is_some_and(|at| text[at..].eq_ignore_ascii_case(end))
}

fn strip_prefix_ignoring_case<'t>(text: &'t [u8], start: &[u8]) -> Option<&'t [u8]> {
    let (head, rest) = text.split_at_checked(start.len())?;
    head.eq_ignore_ascii_case(start).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overviews_are_navigation() {
        for url in [
            "https://e.org/page/2",
            "https://e.org/?p=11",
            "https://e.org/recipe-category/x",
            "https://e.org/TOPICS/a",
        ] {
            assert!(is_navigation_page(url), "{url}");
        }
        for url in [
            "https://e.org/page1",
            "https://e.org/x?p=a",
            "https://e.org/pages/1",
        ] {
            assert!(!is_navigation_page(url), "{url}");
        }
    }

    #[test]
    fn forms_and_notices_are_not_crawlable() {
        for url in [
            "https://e.org/login",
            "https://e.org/account/Login?x=1",
            "https://e.org/kontakt.html/",
            "/Datenschutzerklaerung",
            "https://e.org/mailto:me",
            "https://e.org/Datenschutzerklärung",
        ] {
            assert!(is_not_crawlable(url), "{url}");
        }
        for url in [
            "https://e.org/logins",
            "https://e.org/contacts",
            "impressum",
        ] {
            assert!(!is_not_crawlable(url), "{url}");
        }
    }

    #[test]
    fn start_pages_are_no_content_unless_a_query_names_it() {
        assert!(!path_filter("/index.php", ""));
        assert!(path_filter("/index.php", "id=1"));
        assert!(!path_filter("/en/home/", ""));
        assert!(path_filter("/detail/index/sArticle/2704", ""));
        assert!(path_filter("/long/way/index.html", ""));
        assert!(path_filter("", ""));
    }

    #[test]
    fn site_structure_is_no_text() {
        for url in [
            "http://e.org/feed",
            "http://e.org/wp-includes/this",
            "http://e.org/2011/11/",
            "http://e.org/2011/",
            "http://e.org/autor/abc/",
            "http://e.org/Gallery/x",
            "http://e.org/kategorie/1.html",
        ] {
            assert!(!type_filter(url, false, false), "{url}");
        }
        for url in [
            "http://e.org/2020/02/06/1859/",
            "http://e.org/categories/x",
            "http://e.org/livecams/test.html",
        ] {
            assert!(type_filter(url, false, false), "{url}");
        }
        assert!(!type_filter("http://e.org/livecams/test.html", true, false));
        assert!(type_filter("http://e.org/tag/abc/", false, true));
    }
}
