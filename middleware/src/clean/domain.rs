//! The site and host of a URL.

use std::collections::HashSet;
use std::hash::BuildHasher;

use url::{Host, Url};

use super::CleanError;
use crate::filter::validity::SplitUrl;

/// The registrable domain of a URL by the public suffix list (`bbc.co.uk` for `www.bbc.co.uk`, `a.github.io` for
/// itself), or its IP address; `None` if it has no host.
///
/// ```
/// use nodust_middleware::clean::extract_domain;
///
/// assert_eq!(extract_domain("https://news.bbc.co.uk/a").as_deref(), Some("bbc.co.uk"));
/// assert_eq!(extract_domain("http://[::1]:80/").as_deref(), Some("::1"));
/// assert_eq!(extract_domain("example"), None);
/// ```
pub fn extract_domain(url: &str) -> Option<String> {
    match Url::parse(url.trim()).ok()?.host()? {
        Host::Ipv4(address) => Some(address.to_string()),
        Host::Ipv6(address) => Some(address.to_string()),
        // Schemes other than those of the web keep their hosts as they are spelled.
        Host::Domain(name) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            if let Ok(address) = name.parse::<std::net::Ipv4Addr>() {
                return Some(address.to_string());
            }
            match psl::domain_str(&name) {
                Some(domain) => Some(domain.to_owned()),
                None if name.is_empty() => None,
                None => Some(name),
            }
        }
    }
}

/// [`extract_domain`], or `None` when the domain or its first label is on the blacklist.
pub(super) fn extract_domain_unless<S: BuildHasher>(
    url: &str,
    blacklist: &HashSet<String, S>,
) -> Option<String> {
    extract_domain(url).filter(|domain| {
        !blacklist.contains(domain.as_str()) && !blacklist.contains(first_label(domain))
    })
}

/// Whether `url` is on another site than `reference`. With `ignore_suffix`, sites that differ only in their public
/// suffix are one: `google.com` and `google.co.uk`. A text without a host is external to every site.
///
/// ```
/// use nodust_middleware::clean::is_external;
///
/// assert!(!is_external("https://shop.e.org/a", "https://www.e.org", false));
/// assert!(is_external("https://e.com/", "https://e.org/", false));
/// assert!(!is_external("https://e.com/", "https://e.org/", true));
/// ```
pub fn is_external(url: &str, reference: &str, ignore_suffix: bool) -> bool {
    let (Some(one), Some(other)) = (extract_domain(url), extract_domain(reference)) else {
        return true;
    };
    if ignore_suffix && !is_address(&one) && !is_address(&other) {
        first_label(&one) != first_label(&other)
    } else {
        one != other
    }
}

fn is_address(domain: &str) -> bool {
    domain.parse::<std::net::IpAddr>().is_ok()
}

fn first_label(domain: &str) -> &str {
    domain.split('.').next().unwrap_or(domain)
}

/// The scheme and authority of a URL, as spelled; `None` if it has none.
///
/// ```
/// use nodust_middleware::clean::get_base_url;
///
/// assert_eq!(get_base_url("https://e.org:81/a?b").as_deref(), Some("https://e.org:81"));
/// assert_eq!(get_base_url("/a"), None);
/// ```
pub fn get_base_url(url: &str) -> Option<String> {
    SplitUrl::split(url)
        .filter(|split| !split.scheme.is_empty() && !split.host.is_empty())
        .map(|split| format!("{}://{}", split.scheme, split.host))
}

/// [`get_base_url`], and the rest of the URL from its path on (`/` if there is none).
///
/// # Errors
/// If the text has no scheme or host.
pub fn get_host_and_path(url: &str) -> Result<(String, String), CleanError> {
    let no_host = || CleanError::NoHost {
        text: url.to_owned(),
    };
    let base = get_base_url(url).ok_or_else(no_host)?;
    let split = SplitUrl::split(url).ok_or_else(no_host)?;
    let mut path = split.path;
    for (mark, part) in [('?', split.query), ('#', split.fragment)] {
        if !part.is_empty() {
            path.push(mark);
            path.push_str(&part);
        }
    }
    if path.is_empty() {
        path.push('/');
    }
    Ok((base, path))
}

/// [`extract_domain`] and [`get_base_url`] at once.
pub fn get_hostinfo(url: &str) -> (Option<String>, Option<String>) {
    (extract_domain(url), get_base_url(url))
}

#[cfg(test)]
mod tests {
    use super::{extract_domain, get_host_and_path, get_hostinfo, is_external};

    #[test]
    fn domains_are_registrable_ones() {
        for (url, domain) in [
            ("https://a.github.io/x", "a.github.io"),
            ("http://WWW.E.COM.AU", "e.com.au"),
            (
                "http://xn--h1aagokeh.xn--p1ai:8888",
                "xn--h1aagokeh.xn--p1ai",
            ),
            ("ftp://www4.e.org", "e.org"),
            ("http://111.2.33.44/a", "111.2.33.44"),
            ("http://localhost:80/", "localhost"),
            ("http://e.org./", "e.org"),
        ] {
            assert_eq!(extract_domain(url).as_deref(), Some(domain), "{url}");
        }
        for none in ["", "h", "/a", "mailto:a@e.org", "http://"] {
            assert_eq!(extract_domain(none), None, "{none}");
        }
    }

    #[test]
    fn a_text_without_host_is_external() {
        assert!(is_external("", "https://e.org/", true));
        assert!(is_external("http://1.2.3.4/", "http://1.2.3.5/", true));
    }

    #[test]
    fn host_and_path_are_as_spelled() {
        let (base, path) = get_host_and_path("https://E.org?a=1#x").unwrap();
        assert_eq!((&*base, &*path), ("https://E.org", "?a=1#x"));
        assert_eq!(get_host_and_path("https://e.org").unwrap().1, "/");
        assert!(get_host_and_path("123").is_err());
        assert_eq!(get_hostinfo("x"), (None, None));
    }
}
