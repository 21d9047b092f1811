//! Finds what makes one URL the other where values stand in other parts of it: `/doc_for?object=X` and `/man?predicate=X`,
//! `/tabid/9/language/en/Default.aspx` and `/Default.aspx?TabId=9&language=en`, `/jobs/red-lamp-12.html` and `/view?id=12`.
//!
//! Each value of the one that the other has in another place, or with something around it, is followed there. What else the one
//! has is the same for many pages, and is written as it stands.

use super::{names::holds_name, renamed::seg, salient::Salient};
use crate::{
    cut::{Cut, SIGNS, is_prefix, without_extension},
    rules::{Condition, Edit, Key, Parts, Rule, Wrap},
};

/// Segments and parameters of a URL that are compared, at most.
const MOST_PARTS: usize = 10;

/// Where a value comes from.
#[derive(Clone, Debug)]
struct Source {
    key: Key,
    /// What takes it out of what stands there.
    taken_out: Vec<Edit>,
    /// What must hold for that.
    conditions: Vec<Condition>,
    /// What is put around it.
    put_around: Option<Wrap>,
}

impl Source {
    const fn plain(key: Key) -> Self {
        Self {
            key,
            taken_out: Vec::new(),
            conditions: Vec::new(),
            put_around: None,
        }
    }

    const fn is_plain(&self) -> bool {
        self.taken_out.is_empty() && self.put_around.is_none()
    }
}

/// What is to be written to make one URL the other.
#[derive(Debug, Default)]
struct Written {
    sources: Vec<Source>,
    conditions: Vec<Condition>,
    query: Vec<Edit>,
    /// Behind the path that is there.
    path: Vec<Edit>,
    /// The parameter that holds all of the path from a place on.
    rest: Option<(Key, usize)>,
}

impl Written {
    fn reads(&self, key: &Key) -> bool {
        self.sources.iter().any(|source| source.key == *key)
    }

    /// A value as another part has it.
    fn copied(&mut self, source: Source, to: &Key) -> Vec<Edit> {
        let mut edits = vec![Edit::Copy(source.key.clone(), to.clone())];
        let wrap = source.put_around.clone();
        edits.extend(wrap.map(|wrap| Edit::Wrap(to.clone(), wrap)));
        self.sources.push(source);
        edits
    }
}

/// Two URLs of one page.
struct Pair<'p, 'u> {
    from: &'p Parts<'u>,
    to: &'p Parts<'u>,
    salient: &'p Salient,
    many: u32,
}

/// The rule that makes `from` the URL that `to` is; none where a part of `to` that tells its page is not in `from`, or where nothing has moved.
/// What asks for a value that fewer than `many` URLs have is left out.
pub(super) fn recast(
    from: &Parts<'_>,
    to: &Parts<'_>,
    salient: &Salient,
    many: u32,
) -> Option<Rule> {
    let is_small = |parts: &Parts<'_>| parts.segs.len() + parts.query.len() <= MOST_PARTS;
    // `;` parameters belong to segments that are not there any more; what they do is said by rules of their own.
    let is_plain = |parts: &Parts<'_>| parts.path_params.is_empty() && is_small(parts);
    if !is_plain(from) || !is_plain(to) || from.host != to.host || from.segs == to.segs {
        return None;
    }
    let pair = Pair {
        from,
        to,
        salient,
        many,
    };
    let mut written = Written::default();
    // Parameters first: segments that they are read from are gone later.
    pair.write_query(&mut written)?;
    pair.write_path(&mut written)?;
    let has_moved = |source: &Source| !source.is_plain() || matches!(source.key, Key::Query(_));
    let to_query = written
        .query
        .iter()
        .any(|edit| matches!(edit, Edit::Copy(..)));
    let says_more = to_query || written.sources.iter().any(has_moved);
    (says_more && pair.is_clear(&written)).then(|| pair.rule(written))?
}

impl Pair<'_, '_> {
    fn is_met(&self, key: Key, value: &str) -> bool {
        let condition = Condition::Is(key, value.into());
        self.salient.is_met_by(&condition, self.many)
    }

    /// Whether the two have places and names in common, so that nothing can have moved.
    fn is_in_place(&self) -> bool {
        let has_names_of = |one: &Parts<'_>, other: &Parts<'_>| {
            let mut names = one.query.iter().map(|param| &param.name);
            names.all(|name| other.query_value(name).is_some())
        };
        self.from.segs.len() == self.to.segs.len()
            && has_names_of(self.to, self.from)
            && has_names_of(self.from, self.to)
    }

    fn write_query(&self, written: &mut Written) -> Option<()> {
        for param in &self.to.query {
            let key = Key::query(&param.name);
            let value = self.to.get(&key)?;
            match self.from.get(&key) {
                Some(own) if own == value => continue,
                Some(_) => return None,
                None => {}
            }
            let edits = if let Some(source) = source_of(self.from, &value) {
                written.copied(source, &key)
            } else if self.is_met(key.clone(), &value) {
                vec![Edit::Set(key.clone(), (&*value).into())]
            } else {
                return None;
            };
            written.query.extend(edits);
            written.conditions.push(Condition::No(key));
        }
        Some(())
    }

    /// The other path is written behind this one, which then goes.
    fn write_path(&self, written: &mut Written) -> Option<()> {
        let is_in_place = self.is_in_place();
        for (at, segment) in self.to.segs.iter().enumerate() {
            let key = seg(self.from.segs.len() + at);
            if let Some(source) = whole_rest(self.from, self.to, at) {
                written.rest = Some((source.clone(), at));
                written.sources.push(Source::plain(source));
                break;
            }
            let is_constant = self.is_met(seg(at), segment);
            // Where nothing can have moved, what stands at another place has the same number by chance.
            let source = source_of(self.from, segment)
                .filter(|source| !is_in_place || source.key == seg(at))
                .filter(|source| source.is_plain() || !is_constant);
            let edits = match source {
                Some(source) => written.copied(source, &key),
                None if is_constant => vec![Edit::Set(key, (&**segment).into())],
                None => return None,
            };
            written.path.extend(edits);
        }
        Some(())
    }

    /// Whether what is taken out of a part is meant so by all that read it.
    fn is_clear(&self, written: &Written) -> bool {
        written.sources.iter().all(|source| {
            let mut same = written.sources.iter();
            let is_read_otherwise =
                same.any(|other| other.key == source.key && other.taken_out != source.taken_out);
            let stays = matches!(source.key, Key::Query(_)) && self.to.has(&source.key);
            !is_read_otherwise && (source.taken_out.is_empty() || !stays)
        })
    }

    /// What must hold for the rule.
    fn conditions(&self, written: &Written) -> Vec<Condition> {
        let mut conditions = written.conditions.clone();
        for source in &written.sources {
            conditions.extend(source.conditions.iter().cloned());
            if matches!(source.key, Key::Query(_)) {
                conditions.push(Condition::Has(source.key.clone()));
            }
        }
        let len = self.from.segs.len();
        conditions.push(Condition::Is(Key::Len, len.to_string().into()));
        for (at, segment) in self.from.segs.iter().enumerate() {
            if !written.reads(&seg(at)) && self.is_met(seg(at), segment) {
                conditions.push(Condition::Is(seg(at), (&**segment).into()));
            }
        }
        for param in &self.from.query {
            let key = Key::query(&param.name);
            if self.to.has(&key) || written.reads(&key) {
                continue;
            }
            // What names the kind of page, or does not matter.
            let is = (self.from.get(&key)).map(|value| Condition::Is(key, value.into()));
            conditions.extend(is.filter(|is| self.salient.is_usual(is)));
        }
        conditions.sort();
        conditions.dedup();
        conditions
    }

    fn rule(&self, written: Written) -> Option<Rule> {
        let conditions = self.conditions(&written);
        let mut edits: Vec<Edit> = Vec::new();
        for edit in written.sources.iter().flat_map(|source| &source.taken_out) {
            if !edits.contains(edit) {
                edits.push(edit.clone());
            }
        }
        edits.extend(written.query);
        let moved = written.rest.as_ref().map(|(key, _)| key.clone());
        if let Some((source, at)) = written.rest {
            // What stands before it is written in its place.
            let are_set = written.path.len() == at
                && written
                    .path
                    .iter()
                    .all(|edit| matches!(edit, Edit::Set(..)));
            if !are_set || self.from.segs.len() < at {
                return None;
            }
            for (place, segment) in self.to.segs.iter().take(at).enumerate() {
                if self.from.segs[place] != *segment {
                    edits.push(Edit::Set(seg(place), (&**segment).into()));
                }
            }
            edits.push(Edit::Move(source, Key::Rest(at as u8)));
        } else {
            edits.extend(written.path);
            let own = 0..self.from.segs.len();
            edits.extend(own.rev().map(|at| Edit::Drop(seg(at))));
        }
        let names = self.from.query.iter().map(|param| Key::query(&param.name));
        let goes = |key: &Key| !self.to.has(key) && moved.as_ref() != Some(key);
        edits.extend(names.filter(goes).map(Edit::Drop));
        Some(Rule::new(conditions, edits))
    }
}

/// The parameter of `from` that holds all of the other path from this segment on.
fn whole_rest(from: &Parts<'_>, to: &Parts<'_>, at: usize) -> Option<Key> {
    let rest = to.get(&Key::Rest(at as u8))?;
    if !rest.contains('/') {
        return None;
    }
    let holds = |value: &str| value.replace("%2F", "/") == *rest;
    from.query
        .iter()
        .map(|param| Key::query(&param.name))
        .find(|key| !to.has(key) && from.get(key).is_some_and(|value| holds(&value)))
}

/// Where the value stands in the URL, whole or with something around it.
fn source_of(from: &Parts<'_>, value: &str) -> Option<Source> {
    if value.is_empty() {
        return None;
    }
    let keys = || {
        let params = from.query.iter().map(|param| Key::query(&param.name));
        let segs = (0..from.segs.len()).map(|at| Key::Seg(at as u8));
        params.chain(segs)
    };
    let mut whole = keys().filter(|key| from.get(key).as_deref() == Some(value));
    if let Some(key) = whole.next() {
        return Some(Source::plain(key));
    }
    keys().find_map(|key| {
        let text = from.get(&key)?;
        within(&key, &text, value, from.segs.len())
    })
}

/// How a number, or a value with one, is taken out of a longer text.
fn within(key: &Key, text: &str, value: &str, of: usize) -> Option<Source> {
    let (name, put_around) = name_in(value)?;
    let at = match key {
        Key::Seg(at) => usize::from(*at),
        _ => usize::MAX,
    };
    let source = |taken_out, conditions| {
        Some(Source {
            key: key.clone(),
            taken_out,
            conditions,
            put_around: put_around.clone(),
        })
    };
    let (stem, extension) = match key {
        Key::Seg(_) => text.split_at(without_extension(text).len()),
        _ => (text, ""),
    };
    let is_last = at == of.wrapping_sub(1);
    let off_extension = || -> Vec<Edit> {
        let wrap = Wrap::new("", extension).into_iter();
        wrap.map(|wrap| Edit::Unwrap(key.clone(), wrap)).collect()
    };
    let extension_is_told = || -> Option<Vec<Condition>> {
        if extension.is_empty() {
            return Some(Vec::new());
        }
        is_last.then(|| vec![Condition::Is(Key::Ext, extension[1..].into())])
    };
    if stem == name {
        return source(off_extension(), extension_is_told()?);
    }
    for sign in SIGNS {
        for cut in [Cut::FromFirst, Cut::UpToLast] {
            let Some(left) = cut.out_of(stem, sign, "") else {
                continue;
            };
            let removed = if cut == Cut::FromFirst {
                &stem[left.len()..]
            } else {
                &stem[..stem.len() - left.len()]
            };
            // What is the same on all pages is said by a wrap, and nothing is put in the place of what is cut off: one prefix for another
            // would make one page of many.
            if value.starts_with(name)
                && left == name
                && removed.bytes().filter(u8::is_ascii_alphabetic).count() > 3
            {
                let piece = Edit::MaskPiece(key.clone(), cut, sign.into());
                let edits = [vec![piece], off_extension()].concat();
                return source(edits, extension_is_told()?);
            }
        }
    }
    let begin = text.find(name)?;
    let (before, behind) = (&text[..begin], &text[begin + name.len()..]);
    let borders = |text: Option<char>| text.is_none_or(|sign| !sign.is_ascii_digit());
    if !borders(before.chars().next_back()) || !borders(behind.chars().next()) {
        return None;
    }
    let wrap = Wrap::new(before, behind)?;
    if wrap.off(text) != Some(name) {
        return None;
    }
    let conditions = match key {
        Key::Seg(_) => holds_name((at, (before, behind)), of)?,
        _ => vec![Condition::Starts(key.clone(), before.into())]
            .into_iter()
            .filter(|_| !before.is_empty())
            .collect(),
    };
    source(vec![Edit::Unwrap(key.clone(), wrap)], conditions)
}

/// The name in a value that tells the page, and what stands around it: a number of several digits, or all of a value with a digit.
fn name_in(value: &str) -> Option<(&str, Option<Wrap>)> {
    let stem = without_extension(value);
    let is_name = |text: &str| text.bytes().any(|octet| octet.is_ascii_digit());
    if !is_name(stem) {
        return None;
    }
    let digits = |sign: char| sign.is_ascii_digit();
    let end = stem.rfind(digits)? + 1;
    let begin = stem[..end].trim_end_matches(digits).len();
    let number = &stem[begin..end];
    if begin > 0 && end == stem.len() && is_prefix(&stem[..begin]) {
        return Some((number, Wrap::new(&value[..begin], &value[end..])));
    }
    Some((stem, Wrap::new("", &value[stem.len()..])))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Parts, Salient, recast};

    fn of(from: &str, to: &str) -> Option<String> {
        let (from, to) = (Parts::parse(from)?, Parts::parse(to)?);
        let salient = Salient {
            least: 1,
            ..Salient::default()
        };
        Some(recast(&from, &to, &salient, 1)?.to_string())
    }

    #[test]
    fn values_are_followed_to_where_they_stand_in_the_other_url() {
        for (from, to, becomes) in [
            (
                "doc_for?object=a/1",
                "man?predicate=a/1",
                "copy:query.object>query.predicate set:seg.1=man drop:seg.0 drop:query.object",
            ),
            ("?q=node/12", "node/12", "move:query.q>rest.0"),
            (
                "tabid/9/language/en/Default.aspx",
                "Default.aspx?TabId=9&language=en",
                "copy:seg.1>query.TabId copy:seg.3>query.language copy:seg.4>seg.5 drop:seg.4 drop:seg.3 drop:seg.2 drop:seg.1 drop:seg.0",
            ),
            (
                "jobs/red-lamp-12.html",
                "view?id=12",
                "piece:up-to-last:-:seg.1 unwrap:seg.1=*.html copy:seg.1>query.id set:seg.2=view drop:seg.1 drop:seg.0",
            ),
            (
                "news/world-europe-12345",
                "a.cgi?p=12345.html",
                "piece:up-to-last:-:seg.1 copy:seg.1>query.p wrap:query.p=*.html set:seg.2=a.cgi drop:seg.1 drop:seg.0",
            ),
            (
                "list/msg00012.html",
                "m.cgi?a=list&i=00012",
                "unwrap:seg.1=msg*.html copy:seg.0>query.a copy:seg.1>query.i set:seg.2=m.cgi drop:seg.1 drop:seg.0",
            ),
        ] {
            let url = |path: &str| format!("http://e.org/{path}");
            let rule = of(&url(from), &url(to)).unwrap();
            assert!(rule.ends_with(&format!("=> {becomes}")), "{rule}");
        }
    }

    #[test]
    fn what_the_other_url_does_not_hold_is_not_made_up() {
        for (from, to) in [
            ("a/red-lamp-12.html", "b/old-desk-12.html"),
            ("a/12", "b/12"),
            ("a?id=12", "a?id=12&x=1"),
            ("a", "b"),
        ] {
            let url = |path: &str| format!("http://e.org/{path}");
            let salient = Salient::default();
            let (from, to) = (url(from), url(to));
            let (from, to) = (Parts::parse(&from).unwrap(), Parts::parse(&to).unwrap());
            let rule = recast(&from, &to, &salient, 2);
            assert_eq!(rule.map(|rule| rule.to_string()), None);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]
        #[test]
        fn a_recast_url_is_the_other(
            from in "/[ab]{0,1}(/(12|7|a-7|abcd-7|7-bcde|12\\.html|msg7\\.html|A7|c|c;p=7|12;p=12)){0,3}(\\?[xyX]=(12|7|a-7|c/7|c%2F7|%2F|7\\+7)(&z=(c|12))?)?",
            to in "/[ab]{0,1}(/(12|7|a-7|abcd-7|7-bcde|12\\.html|msg7\\.html|A7|c|c;p=7|12;p=12)){0,3}(\\?[xyX]=(12|7|a-7|c/7|c%2F7|%2F|7\\+7)(&z=(c|12))?)?",
        ) {
            let (from, to) = (format!("http://e.org{from}"), format!("http://e.org{to}"));
            let (Some(mut parts), Some(other)) = (Parts::parse(&from), Parts::parse(&to)) else {
                return Ok(());
            };
            let salient = Salient { least: 1, ..Salient::default() };
            if let Some(rule) = recast(&parts, &other, &salient, 1) {
                prop_assert!(rule.pattern.matches(&parts), "{} is not for {}", rule, from);
                rule.apply(&mut parts);
                prop_assert_eq!(parts.render(), other.render(), "{} of {}", rule, from);
            }
        }
    }
}
