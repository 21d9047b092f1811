//! Lists of unwanted hosts and URLs.
//!
//! Lists are files of up to millions of lines, so hosts are looked up by hash, once per parent domain, and URL prefixes
//! under their host. Only patterns without a host cost more than a lookup. A line that cannot be read is skipped,
//! counted and logged with its number: one bad line must not disable a list.
//!
//! | line | refuses |
//! |---|---|
//! | `example.org`, `*.example.org`, `\|\|example.org^` | the host and all below it |
//! | `0.0.0.0 ads.example.org` (hosts file) | the same |
//! | `example.org/shop`, `http://example.org/shop` | `/shop` of the host or below, and what lies below it (`/shop/…`, `/shop?…`), under any scheme; not `/shops` |
//! | `example.org/shop/`, `example.org/item?id=` | URLs of the host or below that begin so, under any scheme |
//! | `example.org/*/print`, `example.org/sho*` | the same, where `*` stands for any text |
//! | `*/ads/*` | URLs that hold such a text |
//! | `/^https?:…/` | URLs that the pattern matches |
//! | `# …`, `! …` | nothing |
//!
//! ```
//! use nodust_middleware::filter::Blacklist;
//!
//! let list = Blacklist::read("ads.txt", "# ads\n0.0.0.0 ads.example\nexample.org/shop/\n".as_bytes())?;
//! let hit = list.find(&"https://x.ads.example/banner".parse()?).expect("it is listed");
//! assert_eq!(hit.to_string(), "blacklist:ads.txt:2");
//! assert!(list.find(&"http://example.org/news/".parse()?).is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::{
    fmt,
    hash::BuildHasher,
    io::{self, BufRead},
    path::Path,
    sync::Arc,
};

use hashbrown::{HashMap, HashTable};
use rustc_hash::FxBuildHasher;
use url::Url;

use super::{hosts::parents, pattern::PatternSet};
use crate::file::{NextLine, next_line};

/// Octets of a line at most: one that is longer is skipped.
const LONGEST_ENTRY: usize = 1 << 20;

/// Bad lines of one file that are logged one by one.
const LOGGED_BAD_LINES: usize = 10;

/// What stands behind a whole segment, or a whole value of a query.
const ENDS_A_PART: [char; 4] = ['/', '?', '&', ';'];

/// One file of unwanted hosts and URLs, ready for lookups.
#[derive(Debug)]
pub struct Blacklist {
    name: Arc<str>,
    /// All host names, one after the other.
    names: String,
    hosts: HashTable<Entry>,
    /// Prefixes and wildcards by the host they begin with, in the order of the file.
    prefixes: HashMap<String, Vec<(Box<str>, u32)>, FxBuildHasher>,
    patterns: PatternSet,
    pattern_lines: Vec<u32>,
    bad_lines: usize,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    length: u8,
    line: u32,
}

/// Which line of which file refuses a URL; prints as the rule name `blacklist:FILE:LINE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The file, as it was named.
    pub file: Arc<str>,
    /// Line number, from 1.
    pub line: u32,
}

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "blacklist:{}:{}", self.file, self.line)
    }
}

impl Blacklist {
    /// Reads a file, which may be packed with gzip.
    ///
    /// # Errors
    /// If the file cannot be opened or read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let lines = crate::file::unpack(std::fs::File::open(path)?)?;
        Self::read(&path.display().to_string(), io::BufReader::new(lines))
    }

    /// Reads a list from lines. `name` is the list's name in rule names.
    ///
    /// # Errors
    /// If reading fails; a bad line is not an error.
    pub fn read(name: &str, mut lines: impl BufRead) -> io::Result<Self> {
        let mut list = Self {
            name: name.into(),
            names: String::new(),
            hosts: HashTable::new(),
            prefixes: HashMap::default(),
            patterns: PatternSet::default(),
            pattern_lines: Vec::new(),
            bad_lines: 0,
        };
        let mut patterns = Vec::new();
        let mut bytes = Vec::new();
        let mut number = 0_u32;
        loop {
            let found = next_line(&mut lines, &mut bytes, LONGEST_ENTRY)?;
            if found == NextLine::None {
                break;
            }
            number = number.saturating_add(1);
            let taken = found == NextLine::Whole
                && std::str::from_utf8(&bytes)
                    .is_ok_and(|line| list.take(line, number, &mut patterns));
            if !taken {
                list.count_bad_line(number, &bytes);
            }
        }
        list.compile(patterns);
        if list.bad_lines > LOGGED_BAD_LINES {
            tracing::warn!(
                list = name,
                skipped = list.bad_lines,
                "blacklist lines skipped"
            );
        }
        Ok(list)
    }

    /// The number of hosts, URL prefixes and patterns in the list.
    pub fn len(&self) -> usize {
        self.hosts.len()
            + self.prefixes.values().map(Vec::len).sum::<usize>()
            + self.pattern_lines.len()
    }

    /// Whether it refuses nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of lines that could not be read.
    pub const fn bad_lines(&self) -> usize {
        self.bad_lines
    }

    /// The line that refuses `url`, if one does: a host before a prefix, a prefix before a pattern.
    pub fn find(&self, url: &Url) -> Option<Listed> {
        let host = url.host_str()?;
        let line = parents(host)
            .find_map(|name| self.host_line(name))
            .or_else(|| self.prefix_line(url, host))
            .or_else(|| {
                let place = self.patterns.first_match(url.as_str())?;
                self.pattern_lines.get(place).copied()
            })?;
        Some(Listed {
            file: self.name.clone(),
            line,
        })
    }

    fn host_line(&self, name: &str) -> Option<u32> {
        if self.hosts.is_empty() {
            return None;
        }
        self.hosts
            .find(hash(name), |entry| text(&self.names, *entry) == name)
            .map(|entry| entry.line)
    }

    fn prefix_line(&self, url: &Url, host: &str) -> Option<u32> {
        if self.prefixes.is_empty() {
            return None;
        }
        let rest = &url[url::Position::BeforePath..url::Position::AfterQuery];
        parents(host).find_map(|name| {
            self.prefixes
                .get(name)?
                .iter()
                .find(|(prefix, _)| is_prefix_match(prefix, rest))
                .map(|(_, line)| *line)
        })
    }

    /// Takes one line; `false` when it means nothing.
    fn take(&mut self, line: &str, number: u32, patterns: &mut Vec<(String, u32)>) -> bool {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with(['#', '!']) {
            return true;
        }
        let line = line
            .split_once(" #")
            .map_or(line, |(head, _)| head)
            .trim_end();
        if let Some(pattern) = line.strip_prefix('/') {
            let Some(pattern) = pattern.strip_suffix('/').filter(|p| !p.is_empty()) else {
                return false;
            };
            patterns.push((pattern.to_owned(), number));
            return true;
        }
        let mut words = line.split_ascii_whitespace();
        let (first, second) = (words.next().unwrap_or_default(), words.next());
        if let Some(second) = second {
            // A hosts file: an address, then names that stand for it.
            return first.parse::<std::net::IpAddr>().is_ok()
                && std::iter::once(second)
                    .chain(words)
                    .all(|name| is_own_machine(name) || self.take_host(name, number));
        }
        self.take_address(first, number, patterns)
    }

    fn take_address(&mut self, text: &str, number: u32, patterns: &mut Vec<(String, u32)>) -> bool {
        let text = text
            .strip_prefix("||")
            .map_or(text, |rest| rest.strip_suffix('^').unwrap_or(rest));
        let text = strip_scheme(text);
        let bare = text
            .strip_prefix("*.")
            .or(text.strip_prefix('.'))
            .unwrap_or(text);
        let (host, rest) = bare.split_at(bare.find('/').unwrap_or(bare.len()));
        if host.contains('*') || host.is_empty() {
            let pattern = text
                .split('*')
                .map(regex::escape)
                .collect::<Vec<_>>()
                .join(".*");
            // A pattern of stars alone would refuse everything.
            let says_something = text.chars().any(char::is_alphanumeric);
            if says_something {
                patterns.push((pattern, number));
            }
            return says_something;
        }
        if matches!(rest, "" | "/" | "/*") {
            return self.take_host(host, number);
        }
        let Some(host) = canonical_host(host) else {
            return false;
        };
        // The form in which a parsed URL spells its path.
        let Ok(url) = Url::parse(&format!("http://h{rest}")) else {
            return false;
        };
        let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
        self.prefixes
            .entry_ref(&*host)
            .or_default()
            .push((path.into(), number));
        true
    }

    fn take_host(&mut self, name: &str, number: u32) -> bool {
        let Some(host) = canonical_host(name) else {
            return false;
        };
        let (Ok(start), Ok(length)) = (u32::try_from(self.names.len()), u8::try_from(host.len()))
        else {
            return false;
        };
        let names = &self.names;
        if self
            .hosts
            .find(hash(&host), |entry| *text(names, *entry) == *host)
            .is_some()
        {
            return true;
        }
        self.names.push_str(&host);
        let names = &self.names;
        let entry = Entry {
            start,
            length,
            line: number,
        };
        self.hosts
            .insert_unique(hash(&host), entry, |entry| hash(text(names, *entry)));
        true
    }

    fn compile(&mut self, mut patterns: Vec<(String, u32)>) {
        loop {
            let texts: Vec<&str> = patterns.iter().map(|(text, _)| text.as_str()).collect();
            match PatternSet::new(&texts) {
                Ok(set) => {
                    self.patterns = set;
                    self.pattern_lines = patterns.into_iter().map(|(_, line)| line).collect();
                    return;
                }
                Err(error) => {
                    // Rare: find the patterns that do not compile on their own.
                    let before = patterns.len();
                    patterns.retain(|(text, line)| {
                        let good = PatternSet::new(&[text]).is_ok();
                        if !good {
                            self.count_bad_line(*line, text.as_bytes());
                        }
                        good
                    });
                    if patterns.len() == before {
                        tracing::warn!(list = %self.name, %error, "blacklist patterns skipped: too large");
                        self.bad_lines += patterns.len();
                        patterns.clear();
                    }
                }
            }
        }
    }

    fn count_bad_line(&mut self, number: u32, bytes: &[u8]) {
        self.bad_lines += 1;
        if self.bad_lines <= LOGGED_BAD_LINES {
            let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]);
            tracing::warn!(list = %self.name, line = number, text = shown.trim_end(), "blacklist line skipped: neither a host (without port), a URL prefix, a pattern with `*`, nor a line of a hosts file");
        }
    }
}

fn hash(name: &str) -> u64 {
    FxBuildHasher.hash_one(name)
}

fn text(names: &str, entry: Entry) -> &str {
    let start = entry.start as usize;
    &names[start..start + usize::from(entry.length)]
}

fn strip_scheme(text: &str) -> &str {
    match text.split_once("://") {
        Some((scheme, rest)) if scheme.bytes().all(|b| b.is_ascii_alphabetic() || b == b'*') => {
            rest
        }
        _ => text,
    }
}

fn is_own_machine(name: &str) -> bool {
    matches!(
        name,
        "localhost" | "localhost.localdomain" | "local" | "broadcasthost" | "0.0.0.0"
    ) || name.starts_with("ip6-")
}

/// A host name or address as parsed URLs spell it; names without a dot are refused, because they are far
/// more often a slip than a site.
fn canonical_host(name: &str) -> Option<Box<str>> {
    let name = name.strip_suffix('.').unwrap_or(name);
    if name.len() > 253 || !name.contains(['.', '[']) {
        return None;
    }
    let plain = name
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'_'))
        // A last label that begins with a digit may be part of an address.
        && name
            .rsplit('.')
            .next()
            .is_some_and(|top| top.starts_with(|c: char| c.is_ascii_lowercase()))
        && !name.contains("..")
        && !name.starts_with('.')
        && !name.contains("xn--");
    if plain {
        return Some(name.into());
    }
    match url::Host::parse(name).ok()? {
        url::Host::Domain(name) if !name.contains("..") && !name.starts_with('.') => {
            Some(name.into_boxed_str())
        }
        url::Host::Domain(_) => None,
        address => Some(address.to_string().into_boxed_str()),
    }
}

/// Whether `text` begins with `prefix`, in which `*` stands for any text. Without one, a segment or value that the prefix names
/// is meant as a whole: `/item/3` is not `/item/30`. One that ends in a sign (`/wiki/Special:`) begins what is still to come.
fn is_prefix_match(prefix: &str, text: &str) -> bool {
    let mut parts = prefix.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    if !prefix.contains('*') {
        let is_open = prefix.ends_with(|last: char| !last.is_alphanumeric());
        return rest.is_empty() || rest.starts_with(ENDS_A_PART) || is_open;
    }
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line_for(list: &Blacklist, url: &str) -> Option<u32> {
        list.find(&Url::parse(url).unwrap())
            .map(|listed| listed.line)
    }

    #[test]
    fn all_forms_of_lines_are_read() {
        let list = Blacklist::read(
            "l",
            "# comment\n\
             Ads.Example\n\
             127.0.0.1 localhost track.example other.example # two\n\
             ||adb.example^\n\
             *.wild.example\n\
             https://e.org/shop/\n\
             e.org/*/print\n\
             */banner/*\n\
             /^https?://[0-9]+\\.num\\.example/\n\
             münchen.example\n\
             192.0.2.7\n"
                .as_bytes(),
        )
        .unwrap();
        assert_eq!(list.bad_lines(), 0);
        for (url, line) in [
            ("http://ads.example/", Some(2)),
            ("http://a.b.ads.example:81/", Some(2)),
            ("http://bads.example/", None),
            ("http://other.example/", Some(3)),
            ("http://localhost/", None),
            ("http://adb.example/", Some(4)),
            ("http://wild.example/", Some(5)),
            ("http://www.e.org/shop/a", Some(6)),
            ("http://e.org/shops", None),
            ("http://e.org/a/b/print?x", Some(7)),
            ("http://x.org/a/banner/b", Some(8)),
            ("http://12.num.example/", Some(9)),
            ("http://xn--mnchen-3ya.example/", Some(10)),
            ("http://192.0.2.7/", Some(11)),
        ] {
            assert_eq!(line_for(&list, url), line, "{url}");
        }
    }

    /// A plain prefix would have one item's line refuse ten others.
    #[test]
    fn a_path_without_a_star_means_whole_segments_and_values() {
        let list = "e.org/item/3\ne.org/shop/\ne.org/view?id=3\ne.org/search?q=\ne.org/old*\n\
            e.org/wiki/Special:\ne.org/cal-\n";
        let list = Blacklist::read("l", list.as_bytes()).unwrap();
        for (url, line) in [
            ("http://e.org/item/3", Some(1)),
            ("https://www.e.org/item/3/", Some(1)),
            ("http://e.org/item/3/photos", Some(1)),
            ("http://e.org/item/3?page=2", Some(1)),
            ("http://e.org/item/30", None),
            ("http://e.org/item/3.html", None),
            ("http://e.org/shop/a", Some(2)),
            ("http://e.org/shop", None),
            ("http://e.org/view?id=3", Some(3)),
            ("http://e.org/view?id=3&x=1", Some(3)),
            ("http://e.org/view?id=30", None),
            ("http://e.org/search?q=tea", Some(4)),
            ("http://e.org/older/a", Some(5)),
            ("http://e.org/item/3;jsessionid=AB", Some(1)),
            ("http://e.org/wiki/Special:Search", Some(6)),
            ("http://e.org/wiki/Specials", None),
            ("http://e.org/cal-2024", Some(7)),
        ] {
            assert_eq!(line_for(&list, url), line, "{url}");
        }
    }

    #[test]
    fn bad_lines_are_counted_and_the_rest_holds() {
        let text = b"good.example\n\xff\xfe\nnot a host\n/(/\n*\nnodot\n..\nlast.example";
        let list = Blacklist::read("l", &text[..]).unwrap();
        assert_eq!(list.bad_lines(), 6);
        assert_eq!(line_for(&list, "http://last.example/"), Some(8));
        assert_eq!(list.len(), 2);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_bytes_are_a_list(bytes in prop::collection::vec(any::<u8>(), 0..200), lines in "[-a-z.*/\\n |^:]{0,60}") {
            let _ = Blacklist::read("l", &bytes[..]).unwrap();
            let list = Blacklist::read("l", lines.as_bytes()).unwrap();
            let _ = list.find(&Url::parse("http://a.b/c").unwrap());
        }

        #[test]
        fn a_listed_host_is_found_with_all_below_it(names in prop::collection::vec("[a-z]{1,8}\\.[a-z]{2,5}", 1..30)) {
            let list = Blacklist::read("l", names.join("\n").as_bytes()).unwrap();
            for name in &names {
                let line = names.iter().position(|n| n == name).unwrap() as u32 + 1;
                prop_assert_eq!(line_for(&list, &format!("http://{name}/x")), Some(line));
                prop_assert_eq!(line_for(&list, &format!("http://www.{name}/x")), Some(line));
            }
        }
    }
}
