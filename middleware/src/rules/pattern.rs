//! The conditions of a rule: which URLs it applies to.

use std::{fmt, hash::Hasher as _, str::FromStr};

use rustc_hash::FxHasher;

use super::parts::{
    Key, Parts, digit_shape, has_digit_shape, never_names, never_spelled, separates_by_semicolon,
    slices,
};

/// One condition on the parts of a URL.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Condition {
    /// The part has this value.
    Is(Key, Box<str>),
    /// The part is absent or has this value.
    Maybe(Key, Box<str>),
    /// The part is present.
    Has(Key),
    /// The part is absent.
    No(Key),
    /// The value has this shape; `#` stands for a run of digits.
    Like(Key, Box<str>),
    /// The value starts with this text.
    Starts(Key, Box<str>),
    /// Both parts are present and have the same value.
    Same(Key, Key),
    /// The query has no keys except those that other conditions or edits of the rule name.
    Only(Vec<Box<str>>),
}

impl Condition {
    /// Whether the URL satisfies it.
    pub fn holds(&self, parts: &Parts<'_>) -> bool {
        let has = |key: &Key, asked: &str, is: fn(&str, &str) -> bool| {
            parts.get(key).is_some_and(|v| agrees(key, &v, asked, is))
        };
        match self {
            Self::Is(Key::Len, value) => value.parse() == Ok(parts.segs.len()),
            Self::Is(key, value) => has(key, value, str::eq),
            Self::Maybe(key, value) => !parts.has(key) || has(key, value, str::eq),
            Self::Has(key) => parts.has(key),
            Self::No(key) => !parts.has(key),
            Self::Like(key, shape) => has(key, shape, has_digit_shape),
            Self::Starts(key, start) => has(key, start, |v, start| v.starts_with(start)),
            Self::Same(a, b) => parts
                .get(a)
                .is_some_and(|x| parts.get(b).is_some_and(|y| x == y)),
            Self::Only(names) => parts
                .query
                .iter()
                .all(|p| names.iter().any(|name| p.name == **name)),
        }
    }

    /// The condition that `parts` satisfies for the shape of the value of `key`.
    pub(crate) fn like(key: &Key, parts: &Parts<'_>) -> Option<Self> {
        let shape = digit_shape(&parts.get(key)?)?;
        Some(Self::Like(key.clone(), shape.into()))
    }
}

/// Whether a value is as a condition says, also if a space of its query is written in the other way: normalization has one way.
fn agrees(key: &Key, value: &str, asked: &str, is: impl Fn(&str, &str) -> bool) -> bool {
    let spaced = |text: &str| text.replace('+', "%20");
    is(value, asked)
        || matches!(key, Key::Query(_))
            && (asked.contains('+') || value.contains('+'))
            && is(&spaced(value), &spaced(asked))
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(key, value) => write!(f, "is:{key}={value}"),
            Self::Maybe(key, value) => write!(f, "maybe:{key}={value}"),
            Self::Has(key) => write!(f, "has:{key}"),
            Self::No(key) => write!(f, "no:{key}"),
            Self::Like(key, shape) => write!(f, "like:{key}={shape}"),
            Self::Starts(key, start) => write!(f, "starts:{key}={start}"),
            Self::Same(a, b) => write!(f, "same:{a}={b}"),
            Self::Only(names) => write!(f, "only:{}", names.join("&")),
        }
    }
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (verb, rest) = text
            .split_once(':')
            .ok_or_else(|| format!("`{text}` is no condition"))?;
        let pair = || {
            rest.split_once('=')
                .ok_or_else(|| format!("`{text}`: expected `{verb}:PART=VALUE`"))
        };
        // A condition that never holds makes a rule that never does anything, which nobody would notice.
        let possible = || {
            let (key, value) = pair()?;
            let key: Key = key.parse()?;
            match key.never_has(value) {
                // Absence is another way for it to hold.
                Some(_) if verb == "maybe" && matches!(key, Key::Slash | Key::Ext) => {}
                Some(why) => return Err(format!("`{text}` never holds: {why}")),
                None => {}
            }
            Ok((key, Box::from(value)))
        };
        // So does one about letters that no URL has.
        let spelled = || {
            let (key, value) = pair()?;
            match never_spelled(value) {
                Some(why) => Err(format!("`{text}` never holds: {why}")),
                None => Ok((key.parse()?, Box::from(value))),
            }
        };
        Ok(match verb {
            "has" => Self::Has(rest.parse()?),
            "no" => match rest.parse()? {
                key @ (Key::Scheme | Key::Host | Key::Len) => {
                    return Err(format!(
                        "`{text}` never holds: every URL has a part `{key}`"
                    ));
                }
                key => Self::No(key),
            },
            "is" => {
                let (key, value) = possible()?;
                Self::Is(key, value)
            }
            "maybe" => {
                let (key, value) = possible()?;
                Self::Maybe(key, value)
            }
            "like" => {
                let (key, shape) = spelled()?;
                Self::Like(key, shape)
            }
            "starts" => {
                let (key, start) = spelled()?;
                Self::Starts(key, start)
            }
            "same" => {
                let (a, b) = pair()?;
                Self::Same(a.parse()?, b.parse()?)
            }
            "only" if rest.is_empty() => Self::Only(Vec::new()),
            "only" => match rest.split('&').find_map(never_names) {
                Some(why) => return Err(format!("`{text}` names what is in no URL: {why}")),
                None => Self::Only(rest.split('&').map(Into::into).collect()),
            },
            _ => return Err(format!("`{text}` is no condition")),
        })
    }
}

/// A conjunction of conditions; the empty one matches every URL of its site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pattern(pub Vec<Condition>);

impl Pattern {
    /// Whether the URL satisfies all conditions.
    pub fn matches(&self, parts: &Parts<'_>) -> bool {
        // The last ones are about the query, where URLs of a site differ most.
        self.0.iter().rev().all(|condition| condition.holds(parts))
    }

    /// Whether URLs that satisfy it surely satisfy the other, too.
    pub(crate) fn implies(&self, other: &Self) -> bool {
        other.0.iter().all(|asked| {
            self.0.iter().any(|met| {
                met == asked
                    || matches!(
                        (asked, met),
                        (
                            Condition::Has(key),
                            Condition::Is(own, _) | Condition::Like(own, _) | Condition::Starts(own, _)
                        ) if key == own
                    )
            })
        })
    }

    /// Tokens that every matching URL has, each once.
    pub(crate) fn needs(&self) -> Vec<u32> {
        let token_of = |condition: &Condition| match condition {
            Condition::Is(Key::Seg(_) | Key::Tail(_), value) => Some(token(b'/', value.as_bytes())),
            Condition::Is(Key::Query(name), _)
            | Condition::Has(Key::Query(name))
            | Condition::Like(Key::Query(name), _)
            | Condition::Starts(Key::Query(name), _) => Some(token(b'?', name.as_bytes())),
            _ => None,
        };
        let mut needs: Vec<u32> = self.0.iter().filter_map(token_of).collect();
        needs.sort_unstable();
        needs.dedup();
        needs
    }
}

fn token(kind: u8, text: &[u8]) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write_u8(kind);
    hasher.write(text);
    let hash = hasher.finish();
    (hash ^ (hash >> 32)) as u32
}

/// Hashes of the segments and query names of a URL, without taking it apart: most rules are ruled out by one
/// that is missing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tokens {
    all: [u32; Self::MOST],
    len: usize,
    /// A bit for each of them.
    mask: u64,
    /// There are more: nothing is ruled out.
    is_full: bool,
}

impl Tokens {
    const MOST: usize = 24;

    /// The tokens of a URL; segments are taken without their `;` parameters.
    pub(crate) fn of(url: &str) -> Self {
        let mut tokens = Self {
            all: [0; Self::MOST],
            len: 0,
            mask: 0,
            is_full: false,
        };
        let Some((_, _, path, query)) = slices(url) else {
            return tokens;
        };
        let before = |piece: &'_ [u8], mark: u8| piece.iter().position(|b| *b == mark);
        for segment in path.as_bytes().split(|b| *b == b'/') {
            tokens.add(
                b'/',
                &segment[..before(segment, b';').unwrap_or(segment.len())],
            );
        }
        // As parameters are read: a `;` that does not separate them stands within a name or a value.
        let separates = query.is_some_and(separates_by_semicolon);
        let is_mark = |b: &u8| *b == b'&' || separates && *b == b';';
        let query = query.map(|query| query.as_bytes().split(is_mark));
        for piece in query.into_iter().flatten() {
            tokens.add(b'?', &piece[..before(piece, b'=').unwrap_or(piece.len())]);
        }
        tokens
    }

    fn add(&mut self, kind: u8, text: &[u8]) {
        if let Some(place) = self.all.get_mut(self.len) {
            *place = token(kind, text);
            self.len += 1;
            self.mask |= 1 << (*place & 63);
        } else {
            self.is_full = true;
            self.mask = u64::MAX;
        }
    }

    /// The mask of tokens that are needed.
    pub(crate) fn mask_of(needs: &[u32]) -> u64 {
        needs.iter().fold(0, |mask, need| mask | 1 << (need & 63))
    }

    /// Whether tokens with this mask may be among them.
    pub(crate) const fn may_cover(&self, mask: u64) -> bool {
        self.mask & mask == mask
    }

    /// Whether all of these may be among them.
    pub(crate) fn cover(&self, needs: &[u32]) -> bool {
        let all = &self.all[..self.len];
        self.is_full || needs.iter().all(|need| all.contains(need))
    }
}

#[cfg(test)]
mod tests {
    use super::{Condition, Parts, Pattern, Tokens};
    use crate::rules::SiteRules;

    #[test]
    fn conditions_hold_where_they_say_and_round_trip() {
        let parts = Parts::parse("http://e.org/x/x/topic,3.html?a=1&b").unwrap();
        for (text, holds) in [
            ("is:seg.0=x", true),
            ("is:len=3", true),
            ("is:len=2", false),
            ("is:query.a=1", true),
            ("is:query.a=2", false),
            ("maybe:query.a=1", true),
            ("maybe:query.a=2", false),
            ("maybe:query.c=2", true),
            ("has:query.b", true),
            ("no:query.b", false),
            ("like:seg.2=topic,#.html", true),
            ("starts:seg.2=topic,", true),
            ("starts:query.a=2", false),
            ("same:seg.0=seg.1", true),
            ("same:seg.0=seg.7", false),
            ("only:a&b", true),
            ("only:a", false),
            ("only:", false),
        ] {
            let condition: Condition = text.parse().unwrap();
            assert_eq!(condition.to_string(), text);
            assert_eq!(condition.holds(&parts), holds, "{text}");
        }
    }

    #[test]
    fn a_space_of_a_query_is_one_in_either_spelling() {
        for (text, of_plus, of_path) in [
            ("is:query.q=red+lamp", true, false),
            ("is:query.q=red%20lamp", true, false),
            ("maybe:query.q=red+lamp", true, true),
            ("starts:query.q=red+l", true, false),
            ("like:query.n=a+#", true, false),
            ("is:query.q=red%2Blamp", false, false),
            ("is:seg.0=a+b", false, true),
            ("is:seg.0=a%20b", false, false),
        ] {
            let condition: Condition = text.parse().unwrap();
            for query in ["q=red+lamp&n=a+7", "q=red%20lamp&n=a%207"] {
                let url = format!("http://e.org/x?{query}");
                let holds = condition.holds(&Parts::parse(&url).unwrap());
                assert_eq!(holds, of_plus, "{text} {url}");
            }
            let path = Parts::parse("http://e.org/a+b").unwrap();
            assert_eq!(condition.holds(&path), of_path, "{text}");
        }
    }

    #[test]
    fn conditions_that_never_hold_are_refused_with_the_reason() {
        for (text, words) in [
            ("is:len=x", "a number of segments"),
            ("is:len=", "a number of segments"),
            ("is:len=256", "from 0 to 255"),
            ("maybe:len=x", "a number of segments"),
            ("is:scheme=HTTP", "in lower case"),
            ("is:scheme=ftp", "`http` or `https`"),
            ("is:host=E.org", "a host is in lower case"),
            ("is:slash=x", "the value of `slash` is empty"),
            ("is:ext=", "not empty"),
            ("no:host", "every URL has a part `host`"),
        ] {
            let told = text.parse::<Condition>().unwrap_err();
            assert!(told.contains(words) && told.contains(text), "{told}");
        }
        for text in [
            "is:len=0",
            "is:len=255",
            "is:scheme=https",
            "is:slash=",
            "maybe:slash=x",
            "is:seg.0=",
        ] {
            assert_eq!(text.parse::<Condition>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn tokens_never_rule_out_a_match() {
        let url = "http://e.org/index.php;s=1/abc?t=1&sid=3;x";
        let pattern = Pattern(
            [
                "is:seg.0=index.php",
                "has:query.sid",
                "is:query.t=1",
                "has:query.x",
                "is:tail.0=abc",
            ]
            .map(|t| t.parse().unwrap())
            .to_vec(),
        );
        assert!(pattern.matches(&Parts::parse(url).unwrap()));
        assert!(Tokens::of(url).cover(&pattern.needs()));
        let other = Pattern(vec!["has:query.y".parse().unwrap()]);
        assert!(!Tokens::of(url).cover(&other.needs()));
        let long = format!("http://e.org/{}?y", "a/".repeat(40));
        assert!(Tokens::of(&long).cover(&other.needs()), "too long to tell");
    }

    #[test]
    fn what_no_url_is_spelled_like_is_refused() {
        for text in [
            "is:seg.0=ä => drop:seg.0",
            "starts:seg.0=ä => drop:seg.0",
            "like:seg.0=ä# => drop:seg.0",
            "has:query.größe => drop:query.a",
            "only:größe => drop:query.a",
            "=> drop:query.größe",
            "=> drop:query.a=b",
            "=> drop:param.a#b",
            "=> keep:id&größe",
            "=> set:query.a=ä",
        ] {
            let refused = text.parse::<crate::rules::Rule>().unwrap_err();
            assert!(
                refused.contains("URL") || refused.contains("no `=`"),
                "{refused}"
            );
        }
        for text in [
            "=> keep:id&gr%C3%B6%C3%9Fe",
            "is:query.a=1=2 => set:query.a=3=4",
            "=> drop:query.",
        ] {
            assert!(text.parse::<crate::rules::Rule>().is_ok(), "{text}");
        }
    }

    #[test]
    fn tokens_know_which_semicolons_separate_parameters() {
        for (url, condition) in [
            ("http://e.org/?a;b!=1&c=2", "has:query.a;b!"),
            ("http://e.org/?a;b!=1&c=2", "is:query.a;b!=1"),
            ("http://e.org/?x=1&a;=2", "has:query.a;"),
            ("http://e.org/?a=1;b=2", "has:query.b"),
        ] {
            let pattern = Pattern(vec![condition.parse().unwrap()]);
            assert!(pattern.matches(&Parts::parse(url).unwrap()), "{condition}");
            assert!(Tokens::of(url).cover(&pattern.needs()), "{condition}");
        }
        let rule = "has:query.a;b! => drop:query.a;b!".parse().unwrap();
        let canon = SiteRules::new("e.org", [rule]).canon("http://e.org/?a;b!=1&c=2");
        assert_eq!(canon.unwrap().class, "http://e.org/?c=2");
    }
}
