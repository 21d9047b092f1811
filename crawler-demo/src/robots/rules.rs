//! The rules of a robots.txt.
//!
//! Files are tidied up before `texting_robots` sees them, so that their meaning counts, not their spelling.

use std::{
    fmt::Write as _,
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

use nodust_frontier::link::canonical_spelling;
use texting_robots::Robot;
use url::{Position, Url};

use super::MAX_BYTES;

/// Longer lines are no rules that a URL could match.
const MAX_LINE: usize = 8 * 1024;
/// Rules with `*` or `$` that are read as they are; each takes some kilobytes. What else a file forbids by such rules is
/// forbidden up to the sign.
const MOST_PATTERNS: usize = 2000;
/// The path of no page.
const NOWHERE: &str = "/%00%00%00";

/// What a robots.txt says to this crawler.
#[derive(Debug, Default)]
pub struct Rules {
    /// `None`: everything is allowed.
    robot: Option<Robot>,
    crawl_delay: Option<Duration>,
}

impl Rules {
    /// Reads a file for the crawler with this product token.
    pub fn parse(agent: &str, file: &[u8]) -> Self {
        let file = tidy(agent, beginning(file));
        let robot = parsed(agent, &file).or_else(|| {
            // One rule that cannot be compiled spoils the file: leave out those that cannot.
            let lines = file.split_inclusive(|octet| *octet == b'\n');
            let good: Vec<u8> = lines
                .filter(|line| !line.contains(&b'$') || parsed("*", line).is_some())
                .flatten()
                .copied()
                .collect();
            parsed(agent, &good)
        });
        let crawl_delay = robot
            .as_ref()
            .and_then(|robot| robot.delay)
            .filter(|seconds| *seconds >= 0.0)
            // What no clock can tell is for ever.
            .map(|seconds| Duration::try_from_secs_f32(seconds).unwrap_or(Duration::MAX));
        Self { robot, crawl_delay }
    }

    /// Whether a URL may be fetched.
    pub fn allows(&self, url: &str) -> bool {
        let Some(robot) = &self.robot else {
            return true;
        };
        let url = Url::parse(url).map_or_else(
            |_| comparable(url.as_bytes(), false),
            |url| {
                comparable(
                    url[Position::BeforePath..Position::AfterQuery].as_bytes(),
                    false,
                )
            },
        );
        // A panic in the rules of a site counts as its refusal.
        catch_unwind(AssertUnwindSafe(|| robot.allowed(&url))).unwrap_or(false)
    }

    /// `Crawl-delay`, as the site asks for it.
    pub const fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// `Sitemap` lines.
    pub fn sitemaps(&self) -> &[String] {
        self.robot.as_ref().map_or(&[], |robot| &robot.sitemaps)
    }
}

/// What is read of a file: whole lines, since a rule that is cut off forbids more.
fn beginning(file: &[u8]) -> &[u8] {
    let Some(begin) = file.get(..MAX_BYTES).filter(|_| file.len() > MAX_BYTES) else {
        return file;
    };
    let end = begin
        .iter()
        .rposition(|octet| matches!(octet, b'\n' | b'\r'));
    &begin[..end.unwrap_or(0)]
}

fn parsed(agent: &str, file: &[u8]) -> Option<Robot> {
    catch_unwind(|| Robot::new(agent, file).ok()).ok().flatten()
}

/// A path with query as it is compared (RFC 9309, section 2.2.2): what need not be escaped is not, and escapes are in
/// capitals. A `*` or `$` that is meant as such is escaped (section 2.2.3), in a rule a `$` that is not its end.
fn comparable(path: &[u8], is_rule: bool) -> String {
    let mut text = String::with_capacity(path.len());
    for (at, octet) in path.iter().enumerate() {
        let is_end = is_rule && at + 1 == path.len();
        match octet {
            b'$' if is_end => text.push('$'),
            b'*' if is_rule => text.push('*'),
            // Some of these are escaped in a path and not in a query, or the other way round.
            b'$'
            | b'*'
            | 0x80..
            | b' '
            | b'"'
            | b'\''
            | b'<'
            | b'>'
            | b'^'
            | b'`'
            | b'{'
            | b'|'
            | b'}' => {
                let _ = write!(text, "%{octet:02X}");
            }
            plain => text.push(char::from(*plain)),
        }
    }
    canonical_spelling(&text).unwrap_or(text)
}

/// The same file with user agents cut to their product token, rules as they are compared, and without overlong lines.
fn tidy(agent: &str, file: &[u8]) -> Vec<u8> {
    let file = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file);
    let mut tidy = Vec::with_capacity(file.len());
    // Patterns that may be for this crawler, and whether what is read is.
    let (mut patterns, mut is_ours, mut names_agents) = (0, true, false);
    for line in file.split(|octet| matches!(octet, b'\n' | b'\r')) {
        if line.len() > MAX_LINE {
            continue;
        }
        let colon = line.iter().position(|octet| *octet == b':').unwrap_or(0);
        let (name, value) = line.split_at(colon);
        if is_any(name, &["user-agent", "user agent", "useragent"]) {
            let value = value[1..].trim_ascii();
            let token =
                |octet: &u8| octet.is_ascii_alphabetic() || matches!(octet, b'_' | b'-' | b'*');
            let end = value.iter().position(|o| !token(o)).unwrap_or(value.len());
            tidy.extend_from_slice(b"User-agent: ");
            let name = if end == 0 { value } else { &value[..end] };
            tidy.extend_from_slice(name);
            is_ours =
                (is_ours && names_agents) || name == b"*" || starts_with(agent.as_bytes(), name);
            names_agents = true;
        } else if starts_with(line.trim_ascii(), b"site") {
            tidy.extend_from_slice(line);
        } else {
            let end = line.iter().position(|octet| *octet == b'#');
            let line = &line[..end.unwrap_or(line.len())];
            let line = line.trim_ascii_start();
            // Some leave out the colon.
            let parts = |octet: &u8| *octet == b':' || octet.is_ascii_whitespace();
            let end = line.iter().position(parts).unwrap_or(line.len());
            let behind = line[end..].trim_ascii_start();
            let colon = usize::from(behind.starts_with(b":"));
            let value = line.len() - behind.len() + colon;
            let (name, value) = line.split_at(value);
            let mut rule = comparable(trimmed(value), true);
            let forbids = starts_with(name.trim_ascii_start(), b"dis");
            names_agents &= line.trim_ascii().is_empty();
            if rule.is_empty() && (forbids || starts_with(name.trim_ascii_start(), b"allow")) {
                // It says nothing of any page, and not that all are allowed.
                NOWHERE.clone_into(&mut rule);
            }
            let is_pattern = rule.contains('*') || rule.ends_with('$');
            patterns += usize::from(is_pattern && is_ours);
            if is_pattern && (!is_ours || patterns > MOST_PATTERNS) {
                // Where so many are forbidden, a few more are.
                let plain = rule.find(['*', '$']).unwrap_or(rule.len());
                rule.truncate(plain);
                if plain == 0 || !forbids {
                    NOWHERE.clone_into(&mut rule);
                }
            }
            tidy.extend_from_slice(name);
            tidy.extend_from_slice(rule.as_bytes());
        }
        tidy.push(b'\n');
    }
    tidy
}

/// Without white space around it, such as comes along when a rule is copied from a page.
fn trimmed(value: &[u8]) -> &[u8] {
    std::str::from_utf8(value).map_or_else(|_| value.trim_ascii(), |text| text.trim().as_bytes())
}

fn is_any(name: &[u8], names: &[&str]) -> bool {
    let name = name.trim_ascii();
    (names.iter()).any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

fn starts_with(line: &[u8], name: &[u8]) -> bool {
    line.get(..name.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::AGENT, *};

    fn allowed(file: &str, path: &str) -> bool {
        Rules::parse(AGENT, file.as_bytes()).allows(&format!("http://e.org{path}"))
    }

    #[test]
    fn an_empty_rule_says_nothing_of_any_page() {
        let merged = "User-agent: *\nDisallow:\n\nUser-agent: *\nDisallow: /";
        assert!(!allowed(merged, "/") && !allowed(merged, "/a"));
        let ours = "User agent: nodust/1.0\nDisallow: # nothing\n\nUser-agent: *\nDisallow: /";
        assert!(allowed(ours, "/") && allowed(ours, "/a?b"));
        assert!(!allowed("User-agent: *\nAllow:\nDisallow: /", "/a"));
    }

    #[test]
    fn what_is_escaped_in_a_path_or_in_a_query_alone_is_compared_by_meaning() {
        for (rule, path) in [
            ("/{p", "/%7Bp%7D1"),
            ("/%7Bp", "/{p}"),
            ("/q?a='b'", "/q?a=%27b%27"),
            ("/q'", "/q'x"),
            ("/a|b^`", "/a|b^`c"),
            ("/a b\"<", "/a%20b%22%3C"),
        ] {
            assert!(
                !allowed(&format!("User-agent: *\nDisallow: {rule}"), path),
                "{rule} {path}"
            );
        }
    }

    #[test]
    fn a_file_that_is_too_long_is_read_up_to_a_whole_line() {
        let mut file = "User-agent: *\n".to_owned();
        while file.len() < MAX_BYTES - 12 {
            file.push_str("# x\n");
        }
        file.push_str("Disallow: /private\nDisallow: /b");
        assert!(file.len() > MAX_BYTES);
        assert!(allowed(&file, "/") && allowed(&file, "/a"));
    }

    #[test]
    fn beyond_very_many_patterns_more_is_forbidden_and_not_less() {
        let mut file = "User-agent: *\n".to_owned();
        for n in 0..MOST_PATTERNS {
            let _ = writeln!(file, "Disallow: /a{n}*b$");
        }
        file.push_str(
            "Disallow: /c*d\nDisallow: /e$\nAllow: /c*e\nDisallow: *f\nDisallow: /g\nAllow: /gh",
        );
        assert!(allowed(&file, "/a7x") && !allowed(&file, "/a7xb"));
        assert!(!allowed(&file, "/cx") && !allowed(&file, "/ce"));
        assert!(!allowed(&file, "/ex") && !allowed(&file, "/g"));
        assert!(allowed(&file, "/f") && allowed(&file, "/gh"));
        let others = file.replace("User-agent: *", "User-agent: otherbot");
        let ours = format!("{others}\n\nUser-agent: *\nDisallow: /*?p\n");
        assert!(!allowed(&ours, "/a?p") && allowed(&ours, "/a"));
    }

    #[test]
    fn the_longest_match_decides_and_a_tie_allows() {
        let file =
            "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nAllow: /t\nDisallow: /t";
        assert!(!allowed(file, "/a/x"));
        assert!(allowed(file, "/a/b/x"));
        assert!(!allowed(file, "/a/b/c"));
        assert!(allowed(file, "/t"));
    }

    #[test]
    fn our_group_beats_the_one_for_all_whatever_version_it_names() {
        let file = "User-agent: *\nDisallow: /\n\nUser-agent: NoDust/2.1 (x)\nDisallow: /n";
        assert!(allowed(file, "/a"));
        assert!(!allowed(file, "/n"));
    }

    #[test]
    fn wildcards_and_ends_are_understood() {
        let file = "User-agent: *\nDisallow: /*.php$\nDisallow: /*?s=";
        assert!(!allowed(file, "/x.php"));
        assert!(allowed(file, "/x.php5"));
        assert!(!allowed(file, "/a?s=1"));
        assert!(allowed("User-agent: *\nDisallow:", "/a"));
        assert!(allowed("<html>no robots here</html>", "/a"));
    }

    /// The cases of RFC 9309, section 2.2.2 and 2.2.3, and what else sites and crawlers write in two ways.
    #[test]
    fn escapes_are_compared_by_what_they_mean() {
        for (rule, path, is_allowed) in [
            ("/%7Eu", "/~u", false),
            ("/~u", "/%7eu", false),
            ("/caf%c3%a9", "/caf%C3%A9", false),
            ("/caf\u{e9}", "/caf%c3%a9", false),
            ("/a%2fb", "/a%2Fb", false),
            ("/a%2fb", "/a/b", true),
            ("/a/b", "/a%2Fb", true),
            ("/q?x=%7e", "/q?x=~", false),
            ("/foo/bar/%62%61%7A", "/foo/bar/baz", false),
            (
                "/path/file-with-a-%2A.html",
                "/path/file-with-a-*.html",
                false,
            ),
            (
                "/path/file-with-a-%2A.html",
                "/path/file-with-a-x.html",
                true,
            ),
            ("/path/foo-%24", "/path/foo-$", false),
            ("/path/foo-%24", "/path/foo-", true),
            ("/a$b", "/a$b", false),
            ("/a$", "/a", false),
            ("/a$  # the folder alone", "/a/b", true),
            ("/100%", "/100%25", false),
            ("/x%zz", "/x%zz", false),
        ] {
            let file = format!("User-agent: *\nDisallow: {rule}\n");
            assert_eq!(allowed(&file, path), is_allowed, "{rule} {path}");
        }
        for (line, path) in [("Disallow /foo:", "/foo:"), ("Disallow : /x", "/x")] {
            assert!(!allowed(&format!("User-agent: *\n{line}"), path), "{line}");
        }
        let blanks = "\u{feff}User-agent: *\nDisallow:\u{a0}/a\u{3000}\nDisallow /b \n\nUser-agent: x\nDisallow: /c";
        for (path, is_allowed) in [("/a", false), ("/b", false), ("/c", true)] {
            assert_eq!(allowed(blanks, path), is_allowed, "{path}");
        }
        let rules = Rules::parse(AGENT, b"User-agent: *\nDisallow: /caf\xe9\n");
        assert!(!rules.allows("http://e.org/caf%E9"), "whatever its charset");
        let rules = Rules::parse(AGENT, "Sitemap: http://e.org/\u{e9}%7e".as_bytes());
        assert_eq!(rules.sitemaps(), ["http://e.org/\u{e9}%7e"]);
    }

    #[test]
    fn one_rule_that_cannot_be_compiled_spoils_no_other() {
        let monster = "/*a".repeat(2000);
        let file = format!("User-agent: *\nDisallow: {monster}$\nDisallow: /private\n");
        assert!(!allowed(&file, "/private"));
        assert!(allowed(&file, "/public"));
    }

    #[test]
    fn impossible_delays_are_no_delays_and_those_beyond_all_time_are_for_ever() {
        let of = |delay: &str| {
            let file = format!("User-agent: *\nCrawl-delay: {delay}");
            Rules::parse(AGENT, file.as_bytes()).crawl_delay()
        };
        for delay in ["-1", "nan", "x", ""] {
            assert_eq!(of(delay), None, "{delay}");
        }
        for delay in ["inf", "1e30", "99999999999999999999999"] {
            assert_eq!(of(delay), Some(Duration::MAX), "{delay}");
        }
        assert_eq!(of("1.5"), Some(Duration::from_millis(1500)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn no_file_makes_it_panic(
            file in "((User-agent|Allow|Disallow|Crawl-delay|Sitemap)?:? ?[*$/%a-z\u{e9}\n#]{0,12}\n?){0,20}",
            path in "/[a-z*$?]{0,8}",
        ) {
            let rules = Rules::parse(AGENT, file.as_bytes());
            let _ = rules.allows(&format!("http://e.org{path}"));
        }

        #[test]
        fn no_octets_make_it_panic(file in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = Rules::parse(AGENT, &file).allows("http://e.org/a");
        }
    }
}
