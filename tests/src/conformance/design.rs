//! Does this answer differ from ours only in ways that we chose?
//!
//! Each `Design` forgets one difference that the project stands by: it applies when the input has what
//! the difference is about, and then rewrites both answers so that they no longer differ in it. Answers
//! that become equal deviate by design, and the smallest set of designs that does it names the categories.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;

use super::{Outcome, request::request_of};

/// An answer taken apart without judging it, so that broken ones can be compared, too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    scheme: String,
    userinfo: String,
    host: String,
    port: String,
    path: String,
    query: String,
    fragment: String,
}

impl Answer {
    /// Takes a URL apart, as a browser reads it if one can.
    fn of(text: &str) -> Self {
        let fragment = text.split_once('#').map_or("", |(_, f)| f).to_owned();
        let text = request_of(text).unwrap_or_else(|| text.split('#').next().unwrap_or("").into());
        let (scheme, rest) = text.split_once("://").unwrap_or(("", &text));
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (userinfo, host) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (host, port) = match host.rfind(':') {
            Some(colon) if !host[colon..].contains(']') => host.split_at(colon),
            _ => (host, ""),
        };
        Self {
            scheme: scheme.to_ascii_lowercase(),
            userinfo: userinfo.into(),
            host: host.into(),
            port: port.into(),
            path: if path.is_empty() {
                "/".into()
            } else {
                path.into()
            },
            query: query.into(),
            fragment,
        }
    }

    fn parameters(&mut self, keep: impl Fn(&str, &str) -> bool) {
        self.query = self
            .query
            .split('&')
            .filter(|p| {
                let (name, value) = p.split_once('=').unwrap_or((p, ""));
                keep(name, value)
            })
            .collect::<Vec<_>>()
            .join("&");
    }

    fn texts(&mut self, change: impl Fn(&str) -> String) {
        self.path = change(&self.path);
        self.query = change(&self.query);
    }
}

/// One difference that the project stands by.
struct Design {
    category: &'static str,
    applies: fn(&Call<'_>) -> bool,
    forget: fn(&mut Answer),
}

/// What a rule may look at: the input, its parts, and what the tool answered.
struct Call<'c> {
    input: &'c str,
    /// Scheme to path.
    authority: &'c str,
    /// From the path on, without the fragment.
    rest: &'c str,
    expected: &'c str,
    /// The answer is a key to compare by, not a URL to fetch.
    is_key: bool,
}

impl Call<'_> {
    fn has_query(&self) -> bool {
        self.rest.contains('?')
    }

    fn has_octets_above_ascii(&self) -> bool {
        !self.rest.is_ascii()
            || self
                .rest
                .as_bytes()
                .windows(2)
                .any(|w| w[0] == b'%' && w[1] >= b'8')
    }
}

/// In the order in which they are applied: from the whole URL to single characters.
const DESIGNS: &[Design] = &[
    Design {
        category: "URL inside a URL",
        applies: |c| {
            let lower = c.input.to_ascii_lowercase();
            lower.matches("http://").count() + lower.matches("https://").count() > 1
                || c.is_key
                    && ["http%3a", "https%3a", "=/"]
                        .iter()
                        .any(|mark| lower.contains(mark))
        },
        forget: |a| *a = Answer::default(),
    },
    Design {
        category: "fragment",
        applies: |c| c.input.contains('#'),
        forget: |a| {
            a.fragment.clear();
            a.parameters(|name, _| name != "_escaped_fragment_");
        },
    },
    Design {
        category: "key: scheme",
        applies: |c| c.is_key,
        forget: |a| a.scheme.clear(),
    },
    Design {
        category: "key: host alias (www., m.)",
        applies: |c| c.is_key,
        forget: |a| {
            let (first, rest) = a.host.split_once('.').unwrap_or(("", &a.host));
            let alias = first
                .strip_prefix("www")
                .unwrap_or(if matches!(first, "m" | "mobile") {
                    ""
                } else {
                    "x"
                });
            if rest.contains('.') && alias.bytes().all(|b| b.is_ascii_digit()) {
                a.host = rest.to_owned();
            }
        },
    },
    Design {
        category: "userinfo",
        applies: |c| c.authority.contains('@') || c.authority.to_ascii_lowercase().contains("%40"),
        forget: |a| a.userinfo.clear(),
    },
    Design {
        category: "port",
        applies: |c| {
            c.authority
                .trim_start_matches("https:")
                .trim_start_matches("http:")
                .contains(':')
        },
        forget: |a| a.port.clear(),
    },
    Design {
        category: "IDN",
        applies: |c| !c.authority.is_ascii() || c.authority.to_ascii_lowercase().contains("xn--"),
        forget: |a| a.host.clear(),
    },
    Design {
        category: "host form",
        applies: |c| is_odd_host(c.authority),
        forget: |a| a.host.clear(),
    },
    Design {
        category: "backslash",
        applies: |c| c.input.contains('\\'),
        forget: |a| a.texts(|t| t.replace("%5C", "/").replace('\\', "/")),
    },
    Design {
        category: "braces, quotes, angle brackets",
        applies: |c| c.input.contains(['{', '}', '"', '<', '>']),
        forget: |a| {
            a.texts(|t| {
                let t = t
                    .replace("%7B", "{")
                    .replace("%7D", "}")
                    .replace("%22", "\"")
                    .replace("%3C", "<")
                    .replace("%3E", ">");
                without_brackets(&t)
            });
            while a.path.contains("//") {
                a.path = a.path.replace("//", "/");
            }
        },
    },
    Design {
        category: "HTML entities",
        applies: |c| has_entity(c.rest),
        forget: |a| {
            a.texts(|t| t.replace("&amp%3B", "&").replace("&amp;", "&"));
            // What unescaping eats of a name cannot be found again.
            let eaten = ["%C2%", "%C3%", "%E2%", "%3C", "%3E"];
            if has_entity(&format!("&{}", a.query)) || eaten.iter().any(|e| a.query.contains(e)) {
                a.query.clear();
            }
        },
    },
    Design {
        category: "white space",
        applies: |c| c.input.trim_start().contains(char::is_whitespace),
        forget: |a| a.texts(|t| t.replace("%20", "").replace(['+', ' '], "")),
    },
    Design {
        category: "session and index pages (recipes of single tools)",
        applies: |c| c.is_key,
        forget: |a| {
            if let Some(at) = a.path.to_ascii_lowercase().find(";jsessionid=") {
                a.path.truncate(at);
            }
            let file = a
                .path
                .rsplit('/')
                .next()
                .unwrap_or_default()
                .to_ascii_lowercase();
            if file.starts_with("index.") || file.starts_with("default.") || file == "index" {
                a.path.truncate(a.path.len() - file.len());
            }
            for amp in [".amp", "/amp", "/amp/"] {
                if let Some(rest) = a.path.strip_suffix(amp) {
                    a.path = rest.to_owned();
                }
            }
        },
    },
    Design {
        category: "session in the path",
        applies: |c| c.rest.to_ascii_lowercase().contains(";jsessionid="),
        forget: |a| {
            a.path = a.path.replace("%3B", ";").replace("%3D", "=");
            if let Some(at) = a.path.to_ascii_lowercase().find(";jsessionid=") {
                a.path.truncate(at);
            }
        },
    },
    Design {
        category: "trackers",
        applies: |c| c.has_query(),
        forget: |a| a.parameters(|name, _| !looks_like_a_tracker(name)),
    },
    Design {
        category: "trackers (a tool's own list for one site)",
        applies: |c| c.has_query() && c.is_key,
        forget: |a| a.parameters(|name, _| names_content(name)),
    },
    Design {
        category: "blank and valueless parameters",
        applies: |c| c.has_query(),
        forget: |a| a.parameters(|_, value| !value.is_empty()),
    },
    Design {
        category: "blank and valueless parameters: a `=` added",
        applies: |c| c.has_query(),
        forget: |a| {
            a.query = a
                .query
                .split('&')
                .map(|p| p.strip_suffix('=').unwrap_or(p))
                .collect::<Vec<_>>()
                .join("&");
        },
    },
    Design {
        category: "letter case",
        applies: |c| c.is_key,
        forget: |a| a.texts(str::to_lowercase),
    },
    Design {
        category: "+ and %20 in query",
        applies: |c| c.has_query(),
        forget: |a| a.query = a.query.replace('+', "%20"),
    },
    Design {
        category: "; in query",
        applies: |c| c.has_query() && c.rest.contains(';'),
        forget: |a| a.query = a.query.replace("%3B", ";").replace("%3D", "="),
    },
    Design {
        category: "reserved characters in query",
        applies: |c| c.has_query() && c.input.to_ascii_uppercase().contains("%2B"),
        forget: |a| a.query = a.query.replace("%2B", "%20").replace('+', "%20"),
    },
    Design {
        category: "order of parameters",
        applies: |c| c.has_query(),
        forget: |a| {
            let mut parameters: Vec<&str> = a.query.split('&').filter(|p| !p.is_empty()).collect();
            parameters.sort_unstable();
            a.query = parameters.join("&");
        },
    },
    Design {
        category: "trailing slash",
        applies: |_| true,
        forget: |a| a.path = a.path.trim_end_matches('/').to_owned(),
    },
    Design {
        category: "// in path",
        applies: |c| c.rest.contains("//") || c.rest.contains('\\'),
        forget: |a| {
            while a.path.contains("//") {
                a.path = a.path.replace("//", "/");
            }
        },
    },
    Design {
        category: "repeated unescaping",
        applies: |c| c.input.contains("%25") && c.is_key,
        forget: |a| {
            for _ in 0..5 {
                a.texts(decode);
                a.host = decode(&a.host);
            }
            a.texts(|t| t.replace(['%', '#'], ""));
        },
    },
    Design {
        category: "stray %",
        applies: |c| has_stray_percent(c.rest),
        forget: |a| a.texts(|t| t.replace("%25", "%")),
    },
    Design {
        category: "non-UTF-8 escapes, Unicode form",
        applies: |c| c.has_octets_above_ascii(),
        forget: |a| a.texts(without_marks),
    },
    Design {
        category: "reserved characters in path",
        applies: |c| {
            c.rest.contains('%')
                || c.rest.contains([
                    ':', '@', '&', '=', '+', '$', ',', '!', '*', '\'', '(', ')', ';', '[', ']',
                    '|', '^', '`',
                ])
        },
        forget: |a| a.path = decode(&a.path),
    },
    Design {
        category: "reserved characters in query",
        applies: |c| c.has_query(),
        forget: |a| a.query = decode(&a.query),
    },
    Design {
        category: "control characters",
        applies: |c| {
            c.input.chars().any(char::is_control)
                || c.input.contains("%0")
                || c.input.contains("%1")
                || c.input.contains("%7F")
        },
        forget: |a| {
            a.texts(|t| decode(t).chars().filter(|c| !c.is_control()).collect());
            a.host = a.host.chars().filter(|c| !c.is_control()).collect();
        },
    },
];

/// Compares two answers about `input`.
pub(crate) fn compare(input: &str, expected: &str, ours: &str, is_key: bool) -> Outcome {
    if ours == expected {
        return Outcome::Agree;
    }
    let same_request = request_of(expected).is_some_and(|e| Some(e) == request_of(ours));
    let has_fragment = expected.contains('#') && !ours.contains('#');
    if same_request && !has_fragment {
        return Outcome::Agree;
    }
    let trimmed = input.trim();
    let start = trimmed.find("://").map_or(0, |at| at + 3);
    let end = trimmed[start..]
        .find(['/', '?', '#', '\\'])
        .map_or(trimmed.len(), |at| start + at);
    let call = Call {
        input,
        authority: &trimmed[..end],
        rest: trimmed[end..].split('#').next().unwrap_or_default(),
        expected,
        is_key,
    };
    let applying: Vec<&Design> = DESIGNS.iter().filter(|d| (d.applies)(&call)).collect();
    let equal = |designs: &[&Design]| {
        let (mut one, mut other) = (Answer::of(call.expected), Answer::of(ours));
        for design in designs {
            (design.forget)(&mut one);
            (design.forget)(&mut other);
        }
        one == other
    };
    if !equal(&applying) {
        return Outcome::Disagree(ours.to_owned());
    }
    let mut needed = applying.clone();
    // The broadest stand first and are given up first, so that what is left says the most.
    for design in applying {
        let without: Vec<&Design> = needed
            .iter()
            .copied()
            .filter(|d| d.category != design.category)
            .collect();
        if equal(&without) {
            needed = without;
        }
    }
    let categories: BTreeSet<_> = needed.iter().map(|d| d.category).collect();
    if categories.is_empty() {
        Outcome::Agree
    } else {
        Outcome::ByDesign(categories)
    }
}

/// Only the ASCII characters, without letters that carry a combining mark.
fn without_marks(text: &str) -> String {
    let text = decode(text);
    let mut characters = text.chars().peekable();
    let mut out = String::new();
    while let Some(c) = characters.next() {
        let is_marked = characters
            .peek()
            .is_some_and(|next| ('\u{300}'..='\u{36f}').contains(next));
        if c.is_ascii() && !is_marked {
            out.push(c);
        }
    }
    out
}

fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Leaves out what stands in brackets, and cuts at a bracket or quote without its partner.
fn without_brackets(text: &str) -> String {
    let mut text = text.to_owned();
    for (open, close) in [('{', '}'), ('<', '>')] {
        while let Some(from) = text.find(open) {
            match text[from..].find(close) {
                Some(length) => text.replace_range(from..=from + length, ""),
                None => text.truncate(from),
            }
        }
    }
    if let Some(quote) = text.find(['"', '>', '}']) {
        text.truncate(quote);
    }
    text
}

/// A name of HTML that browsers unescape without its semicolon, or any with it.
fn has_entity(text: &str) -> bool {
    const BARE: &[&str] = &[
        "amp", "lt", "gt", "quot", "copy", "reg", "sect", "para", "curren", "not", "times",
        "micro", "deg", "yen", "cent", "pound", "uml", "macr", "acute", "cedil", "ordf", "ordm",
        "sup", "frac", "eth", "thorn", "shy", "nbsp", "divide", "middot", "brvbar", "iexcl",
        "iquest", "laquo", "raquo",
    ];
    text.split('&').skip(1).any(|part| {
        BARE.iter().any(|name| part.starts_with(name))
            || part.find(';').is_some_and(|end| {
                (2..10).contains(&end)
                    && part[..end]
                        .chars()
                        .all(|c| c.is_ascii_alphanumeric() || c == '#')
            })
    })
}

fn has_stray_percent(text: &str) -> bool {
    text.match_indices('%').any(|(at, _)| {
        !text
            .get(at + 1..at + 3)
            .is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
    })
}

/// Dots at an end or doubled, escapes, numbers, brackets, or white space in the host.
pub(crate) fn is_odd_host(authority: &str) -> bool {
    let host = authority
        .split_once("://")
        .map_or(authority, |(_, host)| host);
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let name = match host.rfind(':') {
        Some(colon) if !host[colon..].contains(']') => &host[..colon],
        _ => host,
    };
    name.is_empty()
        || name.contains(['%', '[', ']', ':'])
        || name.contains("..")
        || name.split('.').any(|label| label.len() > 63)
        || name.starts_with('.')
        || name.ends_with('.')
        || name
            .chars()
            .any(|c| c.is_whitespace() || c.is_control() || "\"'<>{}|\\^`!$&()*+,;=~_".contains(c))
        || name
            .rsplit('.')
            .next()
            .is_some_and(|last| last.starts_with(|c: char| c.is_ascii_digit()))
}

/// The prefixes by which other tools take a parameter for a tracker, at the start of any word of its name.
fn looks_like_a_tracker(name: &str) -> bool {
    const PREFIXES: &[&str] = &[
        "utm",
        "ga",
        "gl",
        "ref",
        "eid",
        "cid",
        "uid",
        "sid",
        "session",
        "source",
        "medium",
        "campaign",
        "keyword",
        "aff",
        "click",
        "fb",
        "gclid",
        "dclid",
        "msclkid",
        "yclid",
        "mc",
        "mtm",
        "pk",
        "piwik",
        "matomo",
        "xtor",
        "phpsessid",
        "jsessionid",
        "aspsession",
        "cfid",
        "cftoken",
        "bv",
        "kw",
        "term",
        "content",
        "wt",
        "hs",
        "oly",
        "vero",
        "itm",
        "share",
        "social",
        "via",
        "partner",
        "banner",
        "ad",
        "twitter",
        "echobox",
        "een",
        "seen",
        "platform",
        "feature",
        "s",
        "tid",
        "trk",
        "tracking",
    ];
    name.to_ascii_lowercase()
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| {
            PREFIXES
                .iter()
                .any(|p| word.starts_with(p) && (p.len() > 1 || word == *p))
        })
}

/// Names of parameters that no tool takes for a tracker.
fn names_content(name: &str) -> bool {
    [
        "id", "p", "q", "page", "post", "v", "a", "b", "c", "x", "test", "title", "lang", "item",
        "list",
    ]
    .iter()
    .any(|n| name.eq_ignore_ascii_case(n))
}

#[cfg(test)]
mod tests {
    use super::compare;
    use crate::conformance::Outcome;

    fn categories(input: &str, expected: &str, ours: &str) -> Vec<&'static str> {
        match compare(input, expected, ours, false) {
            Outcome::ByDesign(categories) => categories.into_iter().collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn spellings_of_one_request_agree() {
        let outcome = compare("http://e.org", "http://e.org", "http://e.org/", false);
        assert_eq!(outcome, Outcome::Agree);
    }

    #[test]
    fn the_category_is_the_difference_and_nothing_else() {
        assert_eq!(
            categories(
                "http://e.org/a//b/",
                "http://e.org/a/b/",
                "http://e.org/a//b/"
            ),
            ["// in path"]
        );
        assert_eq!(
            categories(
                "http://e.org/?gallery=3",
                "http://e.org/",
                "http://e.org/?gallery=3"
            ),
            ["trackers"]
        );
        assert_eq!(
            categories(
                "http://e.org/?b=2&a=1",
                "http://e.org/?a=1&b=2",
                "http://e.org/?b=2&a=1"
            ),
            ["order of parameters"]
        );
    }

    #[test]
    fn other_differences_disagree() {
        for (input, expected, ours) in [
            ("http://e.org/a", "http://e.org/b", "http://e.org/a"),
            (
                "http://e.org/a?id=1",
                "http://e.org/a",
                "http://e.org/a?id=1",
            ),
            ("http://e.org/A", "http://e.org/a", "http://e.org/A"),
            ("http://e.org/a", "https://e.org/a", "http://e.org/a"),
            ("http://www.e.org/a", "http://e.org/a", "http://www.e.org/a"),
        ] {
            assert!(
                matches!(compare(input, expected, ours, false), Outcome::Disagree(_)),
                "{input}"
            );
        }
    }
}
