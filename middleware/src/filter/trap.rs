//! Recognises traps: URLs made by a loop on a site rather than by a person.
//!
//! This finds traps that show in a single URL: a broken relative link that adds a folder at each step, a site that
//! links to itself without a scheme, a form whose every state is a URL. Traps that show only after some fetches are
//! left to the learners. The limits follow what large crawlers use (Heritrix: three repeats, 20 segments) and are
//! settings.
//!
//! ```
//! use nodust_middleware::filter::{TrapConfig, trap::find_trap};
//!
//! let traps = TrapConfig::default();
//! let url = "http://e.org/en/shop/en/shop/en/shop/cart".parse()?;
//! assert_eq!(find_trap(&traps, &url), Some("trap:repeated-segments"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use serde::{Deserialize, Serialize};
use url::Url;

/// Limits beyond which a URL counts as a trap; 0 switches a limit off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrapConfig {
    /// How many times in a row one segment, or a sequence of them, must occur to be a trap: at 3, `/a/b/a/b/a/b` is one
    /// if `a` and `b` are meaningful segments. Numbers and single characters need twice as many.
    pub repeated_segments: usize,
    /// How many times one segment must occur anywhere in the path to be a trap.
    pub same_segment: usize,
    /// Whether the host's own name as a path segment is a trap (a link without scheme).
    pub host_in_path: bool,
    /// Most path segments.
    pub max_segments: usize,
    /// Longest URL, in bytes.
    pub max_url_bytes: usize,
    /// Most parameters.
    pub max_params: usize,
    /// Most parameters of the same name.
    pub max_same_param: usize,
    /// Whether escapes of escapes (`%252525`, `amp;amp;`) are a trap.
    pub escape_spirals: bool,
}

impl Default for TrapConfig {
    fn default() -> Self {
        Self {
            repeated_segments: 3,
            same_segment: 4,
            host_in_path: true,
            max_segments: 20,
            max_url_bytes: 2000,
            max_params: 24,
            max_same_param: 8,
            escape_spirals: true,
        }
    }
}

impl TrapConfig {
    /// No traps at all.
    pub const fn off() -> Self {
        Self {
            repeated_segments: 0,
            same_segment: 0,
            host_in_path: false,
            max_segments: 0,
            max_url_bytes: 0,
            max_params: 0,
            max_same_param: 0,
            escape_spirals: false,
        }
    }

    const fn looks_at_segments(&self) -> bool {
        self.repeated_segments > 0 || self.same_segment > 0 || self.host_in_path
    }

    /// The key and the reason of the first setting that makes no sense.
    pub(super) fn validate(&self) -> Result<(), (&'static str, &'static str)> {
        if self.repeated_segments == 1 {
            return Err((
                "repeated_segments",
                "1 would make every path a trap; use 0 (off) or at least 2",
            ));
        }
        if self.same_segment == 1 {
            return Err((
                "same_segment",
                "1 would make every path a trap; use 0 (off) or at least 2",
            ));
        }
        Ok(())
    }
}

/// Segments beyond this many, and parameters, are not compared with each other.
const LOOKED_AT: usize = 32;

/// The rule that takes `url` for a trap, if one does.
pub fn find_trap(config: &TrapConfig, url: &Url) -> Option<&'static str> {
    let over = |limit: usize, value: usize| limit > 0 && value > limit;
    if over(config.max_url_bytes, url.as_str().len()) {
        return Some("trap:url-length");
    }
    let path = url.path();
    let mut slashes = [0; LOOKED_AT + 1];
    let mut count = 0;
    for (at, octet) in path.bytes().enumerate() {
        if octet == b'/' {
            if let Some(place) = slashes.get_mut(count) {
                *place = at;
            }
            count += 1;
        }
    }
    if over(config.max_segments, count) {
        return Some("trap:too-many-segments");
    }
    if count >= 2
        && config.looks_at_segments()
        && let Some(trap) =
            find_trap_in_path(config, url, path, &slashes[..count.min(LOOKED_AT + 1)])
    {
        return Some(trap);
    }
    if let Some(query) = url.query().filter(|q| !q.is_empty())
        && is_explosion(config, query)
    {
        return Some("trap:query-explosion");
    }
    (config.escape_spirals && is_spiral(url.as_str())).then_some("trap:escape-spiral")
}

/// `slashes` are the places of the slashes of `path`, as many as are looked at.
fn find_trap_in_path(
    config: &TrapConfig,
    url: &Url,
    path: &str,
    slashes: &[usize],
) -> Option<&'static str> {
    let mut buffer = [""; LOOKED_AT];
    let mut count = 0;
    for (at, slash) in slashes.iter().take(LOOKED_AT).enumerate() {
        let end = slashes.get(at + 1).copied().unwrap_or(path.len());
        buffer[count] = &path[slash + 1..end];
        count += 1;
    }
    let segments = &buffer[..count];
    if config.repeated_segments >= 2
        && has_repeat(segments)
        && has_tandem(segments, config.repeated_segments)
    {
        return Some("trap:repeated-segments");
    }
    if config.same_segment >= 2 && has_frequent_segment(segments, config.same_segment) {
        return Some("trap:same-segment");
    }
    if config.host_in_path
        && let Some(host) = url.host_str()
        && has_own_host(segments, host)
    {
        return Some("trap:host-in-path");
    }
    None
}

/// Whether any two segments could be equal, by length and last byte: few paths get further.
fn has_repeat(segments: &[&str]) -> bool {
    let mut seen = 0_u64;
    segments.iter().any(|segment| {
        let last = segment.as_bytes().last().copied().unwrap_or_default();
        let bit = 1 << ((usize::from(last) * 7 + segment.len()) % 64);
        let met = seen & bit != 0;
        seen |= bit;
        met
    })
}

/// A unit of one or more segments, `times` in a row. For each unit length, a repeat is a run of places
/// where a segment equals the one a unit later.
fn has_tandem(segments: &[&str], times: usize) -> bool {
    (1..=segments.len() / times).any(|unit| {
        let mut run = 0;
        let mut telling = false;
        for at in 0..segments.len() - unit {
            if segments[at] == segments[at + unit] {
                run += 1;
                telling |= is_telling(segments[at]);
                let needed = if telling { times } else { 2 * times };
                if run >= unit * (needed - 1) {
                    return true;
                }
            } else {
                run = 0;
                telling = false;
            }
        }
        false
    })
}

/// Whether a segment says something: numbers, single characters and nothing repeat by chance.
fn is_telling(segment: &str) -> bool {
    segment.len() > 1 && !segment.bytes().all(|b| b.is_ascii_digit())
}

fn has_frequent_segment(segments: &[&str], times: usize) -> bool {
    segments.len() >= times
        && segments[..=segments.len() - times]
            .iter()
            .enumerate()
            .any(|(at, segment)| {
                is_telling(segment)
                    && segments[at..].iter().filter(|s| *s == segment).count() >= times
            })
}

/// The host's own name, with or without `www.`, as a segment; not behind a scheme (a URL within the URL),
/// nor in a folder of sites.
fn has_own_host(segments: &[&str], host: &str) -> bool {
    let bare = host.strip_prefix("www.").unwrap_or(host);
    if !bare.contains('.') {
        return false;
    }
    segments.iter().enumerate().any(|(at, segment)| {
        segment.len() >= bare.len()
            && segment
                .strip_prefix("www.")
                .unwrap_or(segment)
                .eq_ignore_ascii_case(bare)
            && (at == 0
                || !matches!(
                    segments[at - 1],
                    "" | "sites" | "whois" | "http:" | "https:"
                ))
    })
}

fn is_explosion(config: &TrapConfig, query: &str) -> bool {
    let ampersands = memchr::memchr_iter(b'&', query.as_bytes()).count();
    if config.max_params > 0 && ampersands >= config.max_params {
        return true;
    }
    if config.max_same_param == 0 || ampersands < config.max_same_param {
        return false;
    }
    let name = |pair: &'_ str| pair.split('=').next().map_or(0, str::len);
    query.split('&').take(LOOKED_AT).any(|pair| {
        let wanted = &pair[..name(pair)];
        query
            .split('&')
            .filter(|other| &other[..name(other)] == wanted)
            .count()
            > config.max_same_param
    })
}

fn is_spiral(url: &str) -> bool {
    let bytes = url.as_bytes();
    memchr::memchr2_iter(b'%', b';', bytes).any(|at| match bytes[at] {
        b'%' => bytes[at..].starts_with(b"%252525"),
        _ => bytes[at..].starts_with(b";amp;") && bytes[..at].ends_with(b"amp"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn trap(url: &str) -> Option<&'static str> {
        find_trap(&TrapConfig::default(), &Url::parse(url).unwrap())
    }

    #[test]
    fn repeats_of_one_or_many_segments_are_traps() {
        let repeated = Some("trap:repeated-segments");
        assert_eq!(trap("http://e.org/img/img/img/a"), repeated);
        assert_eq!(trap("http://e.org/x/en/shop/en/shop/en/shop/"), repeated);
        assert_eq!(
            trap("http://e.org/a/img/b/img/c/img/d/img/"),
            Some("trap:same-segment")
        );
        for page in [
            "http://e.org/news/news/a",
            "http://e.org/2011/11/11/11",
            "http://e.org/0/0/0/7",
            "http://e.org/en/shop/en/shop",
        ] {
            assert_eq!(trap(page), None, "{page}");
        }
    }

    #[test]
    fn a_link_without_scheme_is_a_trap() {
        let host = Some("trap:host-in-path");
        assert_eq!(trap("http://www.e.org/www.e.org/a"), host);
        assert_eq!(trap("http://www.e.org/a/e.org"), host);
        assert_eq!(trap("http://e.org/proxy/http://e.org/a"), None);
        assert_eq!(trap("http://e.org/sites/e.org/a"), None);
        assert_eq!(trap("http://localhost/a/localhost/b"), None);
    }

    #[test]
    fn limits_hold() {
        let many =
            |n: usize, part: &str| (0..n).fold(String::new(), |s, i| format!("{s}{part}{i}"));
        assert_eq!(
            trap(&format!("http://e.org{}", many(21, "/s"))),
            Some("trap:too-many-segments")
        );
        assert_eq!(
            trap(&format!("http://e.org/?{}", many(30, "&p="))),
            Some("trap:query-explosion")
        );
        assert_eq!(
            trap(&format!("http://e.org/?{}", many(10, "&p="))),
            Some("trap:query-explosion")
        );
        assert_eq!(
            trap(&format!("http://e.org/{}", "a".repeat(2000))),
            Some("trap:url-length")
        );
        assert_eq!(
            trap("http://e.org/?a=1&amp;amp;b=2"),
            Some("trap:escape-spiral")
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn every_tandem_is_found(
            before in prop::collection::vec("[a-z]{2,4}", 0..3),
            unit in prop::collection::vec("[a-z]{5,8}", 1..4),
            after in prop::collection::vec("[a-z]{2,4}", 0..3),
        ) {
            let mut all = before;
            for _ in 0..3 { all.extend(unit.iter().cloned()); }
            all.extend(after);
            let url = Url::parse(&format!("http://e.org/{}", all.join("/"))).unwrap();
            prop_assert_eq!(find_trap(&TrapConfig::default(), &url), Some("trap:repeated-segments"));
        }

        #[test]
        fn looking_never_panics(path in "\\PC{0,80}", query in "\\PC{0,80}") {
            if let Ok(url) = Url::parse(&format!("http://e.org/{path}?{query}")) {
                let _ = find_trap(&TrapConfig::default(), &url);
            }
        }
    }
}
