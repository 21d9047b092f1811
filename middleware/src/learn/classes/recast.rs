//! Finds what makes one URL the other where values stand in other parts of it: `/doc_for?object=X` and `/man?predicate=X`,
//! `/tabid/9/language/en/Default.aspx` and `/Default.aspx?TabId=9&language=en`, `/jobs/red-lamp-12.html` and `/view?id=12`.
//!
//! Each value of the one that the other has in another place, or with something around it, is followed there. What else the one
//! has is the same for many pages, and is written as it stands.

use super::salient::Salient;
use crate::{
    cut::{Cut, SIGNS, is_prefix, without_extension},
    learn::classes::names::holds_name,
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

/// Rules that make `from` the URL that `to` is; none where a part of `to` that tells its page is not in `from`, or where nothing has moved.
/// What asks for a value that fewer than `many` URLs have is left out.
pub(super) fn recast(
    from: &Parts<'_>,
    to: &Parts<'_>,
    salient: &Salient,
    many: u32,
) -> Option<Rule> {
    let is_small = |parts: &Parts<'_>| parts.segs.len() + parts.query.len() <= MOST_PARTS;
    if !is_small(from) || !is_small(to) || from.host != to.host || from.segs == to.segs {
        return None;
    }
    let has_names_of = |one: &Parts<'_>, other: &Parts<'_>| {
        let mut names = one.query.iter().map(|param| &param.name);
        names.all(|name| other.query_value(name).is_some())
    };
    // Where nothing can have moved, what stands at another place has the same number by chance.
    let is_in_place =
        from.segs.len() == to.segs.len() && has_names_of(to, from) && has_names_of(from, to);
    let seg = |at: usize| Key::Seg(at as u8);
    let mut used: Vec<Source> = Vec::new();
    let mut edits: Vec<Edit> = Vec::new();
    let mut conditions: Vec<Condition> = Vec::new();
    // Parameters first: segments that they are read from are gone later.
    for param in &to.query {
        let key = Key::query(&param.name);
        let value = to.get(&key)?;
        match from.get(&key) {
            Some(own) if own == value => continue,
            Some(_) => return None,
            None => {}
        }
        if let Some(source) = source_of(from, &value) {
            edits.push(Edit::Copy(source.key.clone(), key.clone()));
            edits.extend(
                source
                    .put_around
                    .clone()
                    .map(|wrap| Edit::Wrap(key.clone(), wrap)),
            );
            used.push(source);
        } else if salient.is_met_by(&Condition::Is(key.clone(), (&*value).into()), many) {
            edits.push(Edit::Set(key.clone(), (&*value).into()));
        } else {
            return None;
        }
        conditions.push(Condition::No(key));
    }
    // The other path is written behind this one, which then goes.
    let end = from.segs.len();
    let mut path = Vec::new();
    let mut rest = None;
    for (at, segment) in to.segs.iter().enumerate() {
        let key = seg(end + at);
        if let Some(source) = whole_rest(from, to, at) {
            rest = Some((source.clone(), at));
            used.push(Source::plain(source));
            break;
        }
        let source =
            source_of(from, segment).filter(|source| !is_in_place || source.key == seg(at));
        let is_constant = salient.is_met_by(&Condition::Is(seg(at), (&**segment).into()), many);
        let source = source.filter(|source| source.is_plain() || !is_constant);
        if let Some(source) = source {
            path.push(Edit::Copy(source.key.clone(), key.clone()));
            path.extend(
                source
                    .put_around
                    .clone()
                    .map(|wrap| Edit::Wrap(key.clone(), wrap)),
            );
            used.push(source);
        } else if is_constant {
            path.push(Edit::Set(key, (&**segment).into()));
        } else {
            return None;
        }
    }
    // A value that has gone to another kind of part, or been taken out of what stood around it; anything else is said more plainly.
    let has_moved = |source: &Source| !source.is_plain() || matches!(source.key, Key::Query(_));
    let to_query = edits.iter().any(|edit| matches!(edit, Edit::Copy(..)));
    if used.is_empty() || !(to_query || used.iter().any(has_moved)) {
        return None;
    }
    // What is taken out of a part is gone from it for all that read it.
    let is_clear = |source: &Source| {
        let mut same = used.iter().filter(|other| other.key == source.key);
        same.all(|other| other.taken_out == source.taken_out)
            && (source.taken_out.is_empty()
                || !to.has(&source.key)
                || !matches!(source.key, Key::Query(_)))
    };
    if !used.iter().all(is_clear) {
        return None;
    }
    for source in &used {
        conditions.extend(source.conditions.iter().cloned());
        let has = Condition::Has(source.key.clone());
        if matches!(source.key, Key::Query(_)) && !conditions.contains(&has) {
            conditions.push(has);
        }
    }
    conditions.push(Condition::Is(Key::Len, end.to_string().into()));
    let is_used = |key: &Key| used.iter().any(|source| source.key == *key);
    for (at, segment) in from.segs.iter().enumerate() {
        let condition = Condition::Is(seg(at), (&**segment).into());
        if !is_used(&seg(at)) && salient.is_met_by(&condition, many) {
            conditions.push(condition);
        }
    }
    let mut all: Vec<Edit> = Vec::new();
    for source in &used {
        for edit in &source.taken_out {
            if !all.contains(edit) {
                all.push(edit.clone());
            }
        }
    }
    all.extend(edits);
    if let Some((source, at)) = rest {
        // What stands before it is written in its place.
        for (place, segment) in to.segs.iter().take(at).enumerate() {
            if !matches!(path.get(place), Some(Edit::Set(..))) {
                return None;
            }
            if from.segs.get(place) != Some(segment) {
                all.push(Edit::Set(seg(place), (&**segment).into()));
            }
        }
        if from.segs.len() < at {
            return None;
        }
        all.push(Edit::Move(source.clone(), Key::Rest(at as u8)));
    } else {
        all.extend(path);
        all.extend((0..end).rev().map(|at| Edit::Drop(seg(at))));
    }
    for param in &from.query {
        let key = Key::query(&param.name);
        if to.has(&key) {
            continue;
        }
        if !is_used(&key) {
            // What names the kind of page, or does not matter.
            let is = Condition::Is(key.clone(), from.get(&key)?.into());
            if salient.is_usual(&is) {
                conditions.push(is);
            }
        }
        if !all
            .iter()
            .any(|edit| matches!(edit, Edit::Move(own, _) if *own == key))
        {
            all.push(Edit::Drop(key));
        }
    }
    conditions.sort();
    conditions.dedup();
    Some(Rule::new(conditions, all))
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
    let without_extension = || -> Option<Vec<Edit>> {
        Some(match Wrap::new("", extension) {
            Some(wrap) => vec![Edit::Unwrap(key.clone(), wrap)],
            None => Vec::new(),
        })
    };
    let extension_is_told = || -> Option<Vec<Condition>> {
        if extension.is_empty() {
            return Some(Vec::new());
        }
        is_last.then(|| vec![Condition::Is(Key::Ext, extension[1..].into())])
    };
    if stem == name {
        return source(without_extension()?, extension_is_told()?);
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
            // What is the same on all pages is said by a wrap.
            // One prefix is not put in the place of another.
            if put_around.is_none()
                && left == name
                && removed.bytes().filter(u8::is_ascii_alphabetic).count() > 3
            {
                let piece = Edit::MaskPiece(key.clone(), cut, sign.into());
                let edits = [vec![piece], without_extension()?].concat();
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
            from in "/[ab]{0,1}(/(12|7|a-7|7-bc|12\\.html|msg7\\.html|c)){0,3}(\\?[xy]=(12|7|a-7|c/7)(&z=(c|12))?)?",
            to in "/[ab]{0,1}(/(12|7|a-7|7-bc|12\\.html|msg7\\.html|c)){0,3}(\\?[xy]=(12|7|a-7|c/7)(&z=(c|12))?)?",
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
