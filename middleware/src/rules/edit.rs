//! What does a rule change about a URL?

use std::{borrow::Cow, fmt, str::FromStr};

use super::{
    parts::{Key, Param, Parts, mask_digits},
    wrap::Wrap,
};
use crate::cut::{Cut, SIGNS};

/// Stands for a value that does not matter but whose place does.
pub const ANY: &str = "*";

/// One change to the parts of a URL. An edit whose part is absent changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Edit {
    /// Puts the query parameters in order of name.
    Sort,
    /// Removes the part.
    Drop(Key),
    /// Removes the query parameters that are not named here.
    Keep(Vec<Box<str>>),
    /// Replaces the value by [`ANY`].
    Mask(Key),
    /// Replaces the n-th run of digits within the value by `#`.
    MaskDigits(Key, u8),
    /// Replaces a piece of the value, by the sign beside it, by [`ANY`], or takes it away with its sign.
    MaskPiece(Key, Cut, Box<str>),
    /// Turns the value into lower case.
    Lower(Key),
    /// Turns the whole path into lower case.
    LowerPath,
    /// Gives the part this value; adds it where it is absent.
    Set(Key, Box<str>),
    /// Takes away what stands around a name within the value.
    Unwrap(Key, Wrap),
    /// Puts it around the value.
    Wrap(Key, Wrap),
    /// Gives the second part the value of the first, and removes the first.
    Move(Key, Key),
    /// Gives the second part the value of the first.
    Copy(Key, Key),
}

impl Edit {
    /// Changes `parts`; says whether anything may have changed.
    pub fn apply(&self, parts: &mut Parts<'_>) -> bool {
        match self {
            // Rendering does it: see `Parts::sort_query`.
            Self::Sort => !parts.is_query_sorted(),
            Self::Drop(key) => drop_part(parts, key),
            Self::Keep(names) => {
                let had = parts.query.len();
                (parts.query).retain(|p| names.iter().any(|name| p.name == **name));
                had != parts.query.len()
            }
            Self::Mask(key) => parts.has(key) && set(parts, key, Cow::Borrowed(ANY)),
            Self::MaskDigits(key, nth) => {
                let masked = parts.get(key).and_then(|value| mask_digits(&value, *nth));
                masked.is_some_and(|value| set(parts, key, Cow::Owned(value)))
            }
            Self::MaskPiece(key, cut, sign) => {
                let left = one(parts, key).and_then(|value| {
                    let left = match key {
                        Key::Seg(_) | Key::Tail(_) => cut.out_of_segment(&value, sign, ANY),
                        _ => cut.out_of(&value, sign, ANY),
                    };
                    left.filter(|left| *left != value)
                });
                left.is_some_and(|value| set(parts, key, Cow::Owned(value)))
            }
            Self::Lower(key) => {
                let lower = parts
                    .get(key)
                    .filter(|value| value.bytes().any(|b| b.is_ascii_uppercase()))
                    .map(|value| lower(&value));
                lower.is_some_and(|value| set(parts, key, Cow::Owned(value)))
            }
            Self::LowerPath => {
                let mut changed = false;
                for segment in &mut parts.segs {
                    if segment.bytes().any(|b| b.is_ascii_uppercase()) {
                        let text = lower(segment);
                        changed |= text != **segment;
                        *segment = Cow::Owned(text);
                    }
                }
                changed
            }
            Self::Set(key, value) => set(parts, key, Cow::Owned(String::from(&**value))),
            Self::Unwrap(key, wrap) => {
                let name = one(parts, key).and_then(|value| wrap.off(&value).map(str::to_owned));
                name.is_some_and(|name| set(parts, key, Cow::Owned(name)))
            }
            Self::Wrap(key, wrap) => {
                let wrapped = one(parts, key).and_then(|value| wrap.on(&value));
                wrapped.is_some_and(|text| set(parts, key, Cow::Owned(text)))
            }
            Self::Move(from, to) => {
                Self::Copy(from.clone(), to.clone()).apply(parts) && drop_part(parts, from)
            }
            Self::Copy(from, to) => {
                let value = parts.get(from).map(|v| recode(&v, from, to));
                value.is_some_and(|value| set(parts, to, Cow::Owned(value)))
            }
        }
    }
}

/// The value of a part; of several values of one name none is meant.
fn one<'p>(parts: &'p Parts<'_>, key: &Key) -> Option<Cow<'p, str>> {
    let is_one =
        |value: &Cow<'_, str>| matches!(key, Key::Seg(_) | Key::Tail(_)) || !value.contains('&');
    parts.get(key).filter(is_one)
}

/// Lower case, but escapes keep their upper-case hex digits.
fn lower(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut hex = 0;
    for c in text.chars() {
        if hex > 0 {
            hex -= 1;
            out.push(c);
        } else {
            if c == '%' {
                hex = 2;
            }
            out.push(c.to_ascii_lowercase());
        }
    }
    out
}

/// A slash within a query value may be spelled as an escape; in a path it may not.
fn recode(value: &str, from: &Key, to: &Key) -> String {
    match (from, to) {
        (Key::Query(_), Key::Rest(_)) => value.replace("%2F", "/").replace('+', "%20"),
        (Key::Rest(_), Key::Query(_)) => value.replace('/', "%2F"),
        _ => value.to_owned(),
    }
}

fn drop_part(parts: &mut Parts<'_>, key: &Key) -> bool {
    match key {
        Key::Scheme | Key::Host | Key::Len => false,
        Key::Slash => std::mem::take(&mut parts.slash),
        Key::Ext => {
            let Some(stem) = parts.ext().map(|(stem, _)| stem.to_owned()) else {
                return false;
            };
            replace_last(parts, stem);
            true
        }
        Key::Seg(_) | Key::Tail(_) => {
            let Some(at) = position(parts, key).filter(|at| *at < parts.segs.len()) else {
                return false;
            };
            parts.remove_segment(at);
            true
        }
        Key::Rest(i) => {
            let had = parts.segs.len();
            while parts.segs.len() > usize::from(*i) {
                parts.remove_segment(parts.segs.len() - 1);
            }
            had != parts.segs.len()
        }
        Key::PathParam(name) => remove(&mut parts.path_params, name),
        Key::Query(name) => remove(&mut parts.query, name),
    }
}

fn remove(params: &mut Vec<Param<'_>>, name: &str) -> bool {
    let had = params.len();
    params.retain(|p| p.name != name);
    had != params.len()
}

fn replace_last(parts: &mut Parts<'_>, text: String) {
    if let Some(last) = parts.segs.last_mut() {
        *last = Cow::Owned(text);
    }
}

fn position(parts: &Parts<'_>, key: &Key) -> Option<usize> {
    match key {
        Key::Seg(i) => Some(usize::from(*i)),
        Key::Tail(i) => parts.index_from_end(*i),
        _ => None,
    }
}

fn set<'a>(parts: &mut Parts<'a>, key: &Key, value: Cow<'a, str>) -> bool {
    if parts.get(key).is_some_and(|old| old == value)
        && !matches!(key, Key::Query(_) | Key::PathParam(_))
    {
        return false;
    }
    match key {
        Key::Len => return false,
        Key::Scheme => parts.scheme = value,
        Key::Host => parts.host = value,
        Key::Slash => parts.slash = !parts.segs.is_empty(),
        Key::Ext => {
            let Some(stem) = parts.ext().map(|(stem, _)| stem.to_owned()) else {
                return false;
            };
            replace_last(parts, format!("{stem}.{value}"));
        }
        Key::Seg(_) | Key::Tail(_) => match position(parts, key) {
            Some(at) if at < parts.segs.len() => parts.segs[at] = value,
            Some(at) if at == parts.segs.len() && at < 255 => parts.segs.push(value),
            _ => return false,
        },
        Key::Rest(i) => {
            if usize::from(*i) > parts.segs.len() {
                return false;
            }
            drop_part(parts, key);
            parts.slash = false;
            for piece in value.split('/').take(255 - parts.segs.len()) {
                parts.segs.push(Cow::Owned(piece.to_owned()));
            }
        }
        Key::PathParam(name) => {
            let at = parts.segs.len().saturating_sub(1) as u8;
            return assign(&mut parts.path_params, at, name, value);
        }
        Key::Query(name) => return assign(&mut parts.query, 0, name, value),
    }
    true
}

/// Gives the first parameter of that name the value and removes the others.
fn assign<'a>(params: &mut Vec<Param<'a>>, at: u8, name: &str, value: Cow<'a, str>) -> bool {
    let Some(first) = params.iter().position(|p| p.name == *name) else {
        params.push(Param {
            at,
            name: Cow::Owned(name.to_owned()),
            value: Some(value),
        });
        return true;
    };
    let had = params.len();
    let mut index = 0;
    params.retain(|p| {
        index += 1;
        index - 1 <= first || p.name != *name
    });
    let changed = params[first].value.as_deref() != Some(&*value) || had != params.len();
    params[first].value = Some(value);
    changed
}

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sort => f.write_str("sort"),
            Self::Drop(key) => write!(f, "drop:{key}"),
            Self::Keep(names) => write!(f, "keep:{}", names.join("&")),
            Self::Mask(key) => write!(f, "mask:{key}"),
            Self::MaskDigits(key, nth) => write!(f, "digits:{nth}:{key}"),
            Self::MaskPiece(key, cut, sign) => write!(f, "piece:{}:{sign}:{key}", cut.name()),
            Self::Lower(key) => write!(f, "lower:{key}"),
            Self::LowerPath => f.write_str("lower-path"),
            Self::Set(key, value) => write!(f, "set:{key}={value}"),
            Self::Unwrap(key, wrap) => write!(f, "unwrap:{key}={wrap}"),
            Self::Wrap(key, wrap) => write!(f, "wrap:{key}={wrap}"),
            Self::Move(from, to) => write!(f, "move:{from}>{to}"),
            Self::Copy(from, to) => write!(f, "copy:{from}>{to}"),
        }
    }
}

impl FromStr for Edit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (verb, rest) = text.split_once(':').unwrap_or((text, ""));
        let two = || {
            // `>` is never bare in a URL's query, so the last one separates.
            let (from, to) = rest
                .rsplit_once('>')
                .ok_or_else(|| format!("`{text}`: expected `{verb}:FROM>TO`"))?;
            Ok::<_, String>((from.parse()?, to.parse()?))
        };
        Ok(match verb {
            "sort" => Self::Sort,
            "lower-path" => Self::LowerPath,
            "drop" => match rest.parse()? {
                key @ (Key::Scheme | Key::Host | Key::Len) => {
                    return Err(format!("`{text}`: `{key}` cannot be taken away"));
                }
                key => Self::Drop(key),
            },
            "keep" if text == "keep:" => Self::Keep(Vec::new()),
            "keep" if !rest.is_empty() => Self::Keep(rest.split('&').map(Into::into).collect()),
            "mask" => Self::Mask(rest.parse()?),
            "lower" => Self::Lower(rest.parse()?),
            "digits" => {
                let (nth, key) = rest
                    .split_once(':')
                    .ok_or_else(|| format!("`{text}`: expected `digits:N:PART`"))?;
                let nth = nth
                    .parse()
                    .map_err(|_| format!("`{text}`: `{nth}` is no number from 0 to 255"))?;
                Self::MaskDigits(key.parse()?, nth)
            }
            "piece" => {
                let (cut, rest) = rest
                    .split_once(':')
                    .ok_or_else(|| format!("`{text}`: expected `piece:CUT:SIGN:PART`"))?;
                let is_it = |known: &Cut| known.name() == cut;
                let cut = Cut::ALL.into_iter().find(is_it).ok_or_else(|| {
                    let cuts = Cut::ALL.map(Cut::name).join(", ");
                    format!("`{text}`: `{cut}` is none of {cuts}")
                })?;
                // The sign may be a colon.
                let sign = SIGNS.into_iter().find(|sign| {
                    let behind = rest.strip_prefix(sign);
                    behind.is_some_and(|behind| behind.starts_with(':'))
                });
                let sign = sign.ok_or_else(|| {
                    let signs = SIGNS.join(" ");
                    format!(
                        "`{text}`: expected one of the signs {signs} and `:PART` behind `{cut}:`",
                        cut = cut.name()
                    )
                })?;
                let key = rest[sign.len() + 1..].parse()?;
                match key {
                    Key::Scheme | Key::Host | Key::Len | Key::Slash | Key::Ext => {
                        return Err(format!("`{text}`: `{key}` has no pieces"));
                    }
                    _ => Self::MaskPiece(key, cut, sign.into()),
                }
            }
            "set" => {
                let (key, value) = rest
                    .split_once('=')
                    .ok_or_else(|| format!("`{text}`: expected `set:PART=VALUE`"))?;
                Self::Set(key.parse()?, value.into())
            }
            "unwrap" | "wrap" => {
                let (key, wrap) = rest
                    .split_once('=')
                    .ok_or_else(|| format!("`{text}`: expected `{verb}:PART=BEFORE*BEHIND`"))?;
                let wrap = wrap.parse().map_err(|why| format!("`{text}`: {why}"))?;
                match key.parse()? {
                    key @ (Key::Scheme | Key::Host | Key::Len | Key::Slash | Key::Rest(_)) => {
                        return Err(format!("`{text}`: `{key}` holds no name"));
                    }
                    key if verb == "wrap" => Self::Wrap(key, wrap),
                    key => Self::Unwrap(key, wrap),
                }
            }
            "move" => {
                let (from, to) = two()?;
                Self::Move(from, to)
            }
            "copy" => {
                let (from, to) = two()?;
                Self::Copy(from, to)
            }
            _ => return Err(format!("`{text}` is no edit")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Edit, Parts};

    fn edited(url: &str, edit: &str) -> String {
        let mut parts = Parts::parse(url).unwrap();
        let edit: Edit = edit.parse().unwrap();
        assert_eq!(edit.to_string().parse::<Edit>().unwrap(), edit);
        edit.apply(&mut parts);
        parts.render()
    }

    #[test]
    fn pieces_are_cut_by_signs_and_what_has_none_is_left() {
        for (edit, url, expected) in [
            ("piece:behind-first:-:seg.0", "/7-a-b.html", "/7-*.html"),
            ("piece:behind-last:-:seg.0", "/a-b-7f.html", "/a-b-*.html"),
            ("piece:before-first:_:tail.0", "/x/7f_a_b", "/x/*_a_b"),
            ("piece:before-last:_:seg.0", "/a_b_7.html", "/*_7.html"),
            ("piece:from-first:.:seg.0", "/7.a.b.html", "/7.html"),
            ("piece:up-to-last:~:seg.0", "/a~b~7", "/7"),
            (
                "piece:from-first:::query.id",
                "/?id=7:a:b&x=1",
                "/?id=7&x=1",
            ),
            ("piece:from-first:%3A:query.id", "/?id=7%3Aa", "/?id=7"),
            ("piece:behind-first:-:query.id", "/?id=7-a.b", "/?id=7-*"),
        ] {
            let [url, expected] = [url, expected].map(|path| format!("http://e.org{path}"));
            let once = edited(&url, edit);
            assert_eq!(once, expected, "{edit}");
            assert_eq!(edited(&once, edit), once, "{edit}");
        }
        for url in ["/a.html", "/-a", "/a-", "/a-.html", "/", "/?id=1-a&id=2-b"] {
            let url = format!("http://e.org{url}");
            for cut in ["behind-first", "before-last", "from-first", "up-to-last"] {
                for part in ["seg.0", "query.id"] {
                    assert_eq!(edited(&url, &format!("piece:{cut}:-:{part}")), url);
                }
            }
        }
        for none in [
            "piece:behind:-:seg.0",
            "piece:from-first:x:seg.0",
            "piece:from-first:-",
            "piece::-:seg.0",
            "piece:from-first:-:nothing",
        ] {
            assert!(none.parse::<Edit>().is_err(), "{none}");
        }
    }

    #[test]
    fn a_name_is_put_into_other_text_and_taken_out_where_it_can_be_told() {
        for (edit, url, expected) in [
            ("unwrap:seg.0=topic*.html", "/topic17.html", "/17"),
            ("unwrap:seg.0=~*", "/~kim/x", "/kim/x"),
            ("unwrap:query.u=user:*", "/?u=user:kim", "/?u=kim"),
            ("wrap:tail.0=topic*.html", "/f/17", "/f/topic17.html"),
            ("wrap:seg.0=*.html", "/kim", "/kim.html"),
        ] {
            let [url, expected] = [url, expected].map(|path| format!("http://e.org{path}"));
            let once = edited(&url, edit);
            assert_eq!(once, expected, "{edit}");
            assert_eq!(edited(&once, edit), once, "{edit}");
        }
        for (edit, url) in [
            ("unwrap:seg.0=topic*.html", "/topics.html"),
            ("unwrap:seg.0=topic*.html", "/topic.html"),
            ("unwrap:seg.0=t1*", "/t1x"),
            ("wrap:seg.0=topic*", "/kim"),
            ("wrap:seg.0=~*", "/"),
            ("unwrap:query.u=u*", "/?u=u1&u=u2"),
        ] {
            let url = format!("http://e.org{url}");
            assert_eq!(edited(&url, edit), url, "{edit}");
        }
        for none in [
            "wrap:seg.0=*",
            "wrap:seg.0=a",
            "unwrap:rest.0=a*",
            "wrap:seg.0",
            "wrap:host=a*",
        ] {
            assert!(none.parse::<Edit>().is_err(), "{none}");
        }
    }

    #[test]
    fn every_edit_does_what_its_name_says() {
        let url = "http://e.org/A/b12.html;s=1/?x=1&x=2&y=";
        for (edit, expected) in [
            ("sort", url),
            ("drop:query.x", "http://e.org/A/b12.html;s=1/?y="),
            ("drop:seg.0", "http://e.org/b12.html;s=1/?x=1&x=2&y="),
            ("drop:tail.0", "http://e.org/A/?x=1&x=2&y="),
            ("drop:param.s", "http://e.org/A/b12.html/?x=1&x=2&y="),
            ("drop:slash", "http://e.org/A/b12.html;s=1?x=1&x=2&y="),
            ("keep:y", "http://e.org/A/b12.html;s=1/?y="),
            ("keep:x&z", "http://e.org/A/b12.html;s=1/?x=1&x=2"),
            ("keep:", "http://e.org/A/b12.html;s=1/"),
            ("drop:ext", "http://e.org/A/b12;s=1/?x=1&x=2&y="),
            ("mask:query.y", "http://e.org/A/b12.html;s=1/?x=1&x=2&y=*"),
            ("digits:0:seg.1", "http://e.org/A/b#.html;s=1/?x=1&x=2&y="),
            ("lower:seg.0", "http://e.org/a/b12.html;s=1/?x=1&x=2&y="),
            ("set:query.x=3", "http://e.org/A/b12.html;s=1/?x=3&y="),
            ("set:host=m.org", "http://m.org/A/b12.html;s=1/?x=1&x=2&y="),
            (
                "move:seg.0>query.z",
                "http://e.org/b12.html;s=1/?x=1&x=2&y=&z=A",
            ),
            ("copy:seg.0>seg.1", "http://e.org/A/A;s=1/?x=1&x=2&y="),
        ] {
            assert_eq!(edited(url, edit), expected, "{edit}");
        }
    }

    #[test]
    fn a_rest_of_a_path_moves_into_a_query_and_back() {
        assert_eq!(
            edited("http://e.org/wiki/a/b", "move:rest.1>query.title"),
            "http://e.org/wiki?title=a%2Fb"
        );
        assert_eq!(
            edited("http://e.org/wiki?title=a%2Fb", "move:query.title>rest.1"),
            "http://e.org/wiki/a/b"
        );
    }

    #[test]
    fn lower_case_leaves_escapes_alone() {
        assert_eq!(
            edited("http://e.org/%C3%A9A", "lower-path"),
            "http://e.org/%C3%A9a"
        );
    }

    #[test]
    fn nonsense_is_refused_with_a_sentence() {
        for text in [
            "",
            "drop:nose",
            "set:host",
            "move:host",
            "digits:host",
            "digits:900:host",
        ] {
            assert!(text.parse::<Edit>().unwrap_err().contains('`'), "{text}");
        }
    }
}
