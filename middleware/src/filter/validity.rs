//! Formal checks whether a text could be the address of a page.
//!
//! These are the cheap checks that people run over lists of URLs before anything else; they mean what the functions of
//! the same names mean in courlan. A crawl does not need them: its candidates have been parsed.
//!
//! ```
//! use nodust_middleware::filter::validity::{basic_filter, is_valid_url, validate_url};
//!
//! assert!(basic_filter("https://example.org/"));
//! assert!(!is_valid_url("ntp://example.org/"));
//! let split = validate_url("https://example.org/a?b=1#c").expect("it is valid");
//! assert_eq!((split.host.as_str(), split.query.as_str()), ("example.org", "b=1"));
//! ```

/// Shortest list entry worth parsing, in characters.
const MIN_CHARS: usize = 10;
/// Entries of this many characters are too long to be articles.
const MAX_CHARS: usize = 500;
/// Shortest authority: two letters, a dot and two letters.
const MIN_HOST_CHARS: usize = 5;
/// Shortest authority below `www.`.
const MIN_WWW_HOST_CHARS: usize = 8;

/// The five components of a URL (RFC 3986 section 3), as they are spelled: nothing is decoded or resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SplitUrl {
    /// Lower case, without the colon.
    pub scheme: String,
    /// User, host and port, between `//` and the next `/`, `?` or `#`.
    pub host: String,
    /// From there to the next `?` or `#`.
    pub path: String,
    /// Without the question mark.
    pub query: String,
    /// Without the hash.
    pub fragment: String,
}

impl SplitUrl {
    /// Splits a text. Leading white space and control characters, and line breaks and tabs anywhere, are left out.
    /// `None` if the brackets of an IPv6 host do not pair up or do not hold an address.
    pub fn split(text: &str) -> Option<Self> {
        let text: String = text
            .trim_start_matches(|c: char| c <= ' ')
            .chars()
            .filter(|c| !matches!(c, '\t' | '\r' | '\n'))
            .collect();
        let (scheme, rest) = match text.split_once(':') {
            Some((scheme, rest)) if is_scheme(scheme) => (scheme.to_ascii_lowercase(), rest),
            _ => (String::new(), text.as_str()),
        };
        let (host, rest) = match rest.strip_prefix("//") {
            Some(rest) => rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len())),
            None => ("", rest),
        };
        if !brackets_hold_an_address(host) {
            return None;
        }
        let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        Some(Self {
            scheme,
            host: host.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            fragment: fragment.to_owned(),
        })
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
}

fn brackets_hold_an_address(host: &str) -> bool {
    match (host.find('['), host.find(']')) {
        (None, None) => true,
        (Some(open), Some(close)) if open < close => {
            let inner = &host[open + 1..close];
            inner.starts_with('v') || inner.parse::<std::net::Ipv6Addr>().is_ok()
        }
        _ => false,
    }
}

/// Whether a list entry looks like a web address and has a length that articles have (10 to 499
/// characters). Case counts: `HTTP://` does not pass.
pub fn basic_filter(url: &str) -> bool {
    url.starts_with("http")
        && url.len() >= MIN_CHARS
        && (url.len() < MAX_CHARS || url.chars().count() < MAX_CHARS)
        && url.chars().take(MIN_CHARS).count() == MIN_CHARS
}

/// The components of an http(s) URL whose host is long enough to be one; `None` for anything else.
pub fn validate_url(url: &str) -> Option<SplitUrl> {
    let split = SplitUrl::split(url)?;
    let long_enough = if split.host.starts_with("www.") {
        MIN_WWW_HOST_CHARS
    } else if is_two_letter_domain(&split.host) {
        split.host.len()
    } else {
        MIN_HOST_CHARS
    };
    (matches!(split.scheme.as_str(), "http" | "https") && split.host.chars().count() >= long_enough)
        .then_some(split)
}

/// Whether a text is an http(s) URL with a host that is long enough to be one.
pub fn is_valid_url(url: &str) -> bool {
    validate_url(url).is_some()
}

/// Whether a host is one character below a country, such as `t.co` or `g.co`: real sites, which courlan refused until
/// 1.4.0.
pub fn is_two_letter_domain(host: &str) -> bool {
    let bytes = host.as_bytes();
    bytes.len() == 4
        && bytes[0].is_ascii_alphanumeric()
        && bytes[1] == b'.'
        && bytes[2..].iter().all(u8::is_ascii_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_that_cannot_be_articles_do_not_pass() {
        assert!(!basic_filter("123"));
        assert!(!basic_filter("http://ab"));
        assert!(basic_filter("http://abc"));
        assert!(!basic_filter(&format!("http://e.org/{}", "a".repeat(500))));
        assert!(!basic_filter("HTTP://example.org/"));
    }

    #[test]
    fn only_http_with_a_plausible_host_is_valid() {
        assert!(is_valid_url("http://test.org/test"));
        assert!(is_valid_url("http://t.co/"));
        assert!(is_valid_url("http://[2001:db8::1]"));
        for bad in [
            "http://www.test[.org/test",
            "ftps://www.test.org/test",
            "http://1234",
            "http://a.b/",
            "http://www.a.b/",
            "",
        ] {
            assert!(!is_valid_url(bad), "{bad}");
        }
    }
}
