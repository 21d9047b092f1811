//! Which edits would make the URLs of one page equal?
//!
//! After Najork ("inferring URL normalization rules", US patent): the URLs of a class are compared with its
//! canonical representative, its shortest URL, and every difference proposes a rule. Beyond the patent,
//! segments are aligned as sequences (so that noise in the middle of a path is found), numbers inside
//! segments are compared one by one, and values are followed from one part to another.

use std::{borrow::Cow, hash::BuildHasher};

use rustc_hash::FxHashMap;

use super::{
    narrow::starts,
    table::{Row, Table},
};
use crate::rules::{Condition, Edit, Key, Parts, Rule, digit_shape};

/// Largest number of members of a cluster that are compared.
const MEMBERS: usize = 24;
/// Largest number of query parameters in which compared URLs may differ.
const QUERY_DIFFERENCES: usize = 8;

/// Conditions and edits that one difference asks for.
type Proposal = (Vec<Condition>, Vec<Edit>);

/// Rules that make at least two URLs of a cluster equal, with the number of clusters that propose them, most
/// first, at most `limit`.
pub(crate) fn propose(table: &Table<'_>, limit: usize) -> Vec<(Rule, u32)> {
    let mut votes: FxHashMap<Rule, (u32, u32)> = FxHashMap::default();
    let salient = Salient::of(table);
    for (number, cluster) in (1u32..).zip(table.clusters()) {
        let is_giant = table.is_giant(table.cluster(cluster[0]));
        let mut rows: Vec<&Row<'_>> = cluster
            .iter()
            .take(MEMBERS)
            .map(|at| &table.rows[*at as usize])
            .collect();
        rows.sort_by_key(|row| (row.text.len(), &*row.text));
        let pairs: Vec<_> = rows.iter().map(|row| row.parts.pairs()).collect();
        for i in 1..rows.len() {
            let mut rules = between(&rows[0].parts, &rows[i].parts, &salient);
            // The representative may lie far away; the nearest URL shows single differences.
            if let Some(near) = (1..i).min_by_key(|j| distance(&pairs[*j], &pairs[i])) {
                rules.extend(between(&rows[near].parts, &rows[i].parts, &salient));
            }
            for rule in rules {
                let vote = votes.entry(rule).or_default();
                if vote.1 != number {
                    // What all URLs of a giant have in common needs no second page to be worth a trial.
                    *vote = (vote.0 + 1 + u32::from(is_giant), number);
                }
            }
        }
    }
    let mut rules: Vec<(Rule, u32)> = votes.into_iter().map(|(rule, (n, _))| (rule, n)).collect();
    rules.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    rules.truncate(limit);
    rules
}

/// Number of parts in which two URLs differ.
fn distance(x: &[(Key, Cow<'_, str>)], y: &[(Key, Cow<'_, str>)]) -> usize {
    let common = x.iter().filter(|pair| y.contains(pair)).count();
    x.len() + y.len() - 2 * common
}

/// Rules that make `b` equal to `a`, or both equal to something else.
fn between(a: &Parts<'_>, b: &Parts<'_>, salient: &Salient) -> Vec<Rule> {
    let mut sides: Vec<Vec<Proposal>> = Vec::new();
    if a.scheme != b.scheme {
        sides.push(vec![(
            Vec::new(),
            vec![Edit::Set(Key::Scheme, "https".into())],
        )]);
    }
    if a.host != b.host {
        sides.push(vec![(
            vec![Condition::Is(Key::Host, (&*b.host).into())],
            vec![Edit::Set(Key::Host, (&*a.host).into())],
        )]);
    }
    let mut rules = moves(a, b);
    rules.extend(moves(b, a));
    if a.segs != b.segs {
        let path = path_differences(a, b);
        if path.is_empty() {
            return rules;
        }
        sides.push(path);
    }
    if a.slash != b.slash && !a.segs.is_empty() {
        sides.push(vec![(Vec::new(), vec![Edit::Drop(Key::Slash)])]);
    }
    if let Some(params) = path_param_differences(a, b) {
        sides.push(params);
    }
    match query_differences(a, b) {
        None => return rules,
        Some(query) if query.is_empty() => {}
        Some(query) => sides.push(query),
    }
    if sides.is_empty() {
        // The same parts in another order.
        rules.push(Rule::new(Vec::new(), vec![Edit::Sort]));
        return rules;
    }
    let mut whole: Vec<Proposal> = vec![Proposal::default()];
    for side in sides {
        whole = whole
            .iter()
            .flat_map(|(conditions, edits)| {
                side.iter().map(move |(c, e)| {
                    (
                        [conditions.as_slice(), c].concat(),
                        [edits.as_slice(), e].concat(),
                    )
                })
            })
            .take(48)
            .collect();
    }
    let context = salient.context(a, b);
    let is_maybe = |condition: &&Condition| matches!(condition, Condition::Maybe(..));
    let has_maybe = context.iter().any(|condition| is_maybe(&condition));
    for (conditions, edits) in whole {
        // Equal rules of one pair count once: each is made once.
        if !context.is_empty() {
            let narrow = [conditions.as_slice(), &context].concat();
            if has_maybe {
                let wider = narrow.iter().filter(|c| !is_maybe(c));
                rules.push(Rule::new(wider.cloned().collect(), edits.clone()));
            }
            rules.push(Rule::new(narrow, edits.clone()));
        }
        rules.push(Rule::new(conditions, edits));
    }
    rules
}

/// Values that many URLs of the site have: they say what kind of page it is, the others which one.
#[derive(Debug, Default)]
struct Salient {
    counts: FxHashMap<u64, u32>,
    least: u32,
}

impl Salient {
    fn of(table: &Table<'_>) -> Self {
        let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
        for row in &table.rows {
            for (key, value) in row.parts.pairs() {
                for start in starts(&key, &value) {
                    *counts.entry(hash(&start)).or_default() += 1;
                }
                let is = Condition::Is(key, value.into());
                *counts.entry(hash(&is)).or_default() += 1;
            }
        }
        Self {
            counts,
            least: (table.rows.len() as u32 / 200).max(3),
        }
    }

    fn holds(&self, condition: &Condition) -> bool {
        self.counts.get(&hash(condition)).copied().unwrap_or(0) >= self.least
    }

    /// What both URLs have in common, and the usual values of what only one of them has.
    fn context(&self, a: &Parts<'_>, b: &Parts<'_>) -> Vec<Condition> {
        let mut context = Vec::new();
        for (key, value) in a.pairs() {
            let other = b.get(&key);
            let is = Condition::Is(key.clone(), (&*value).into());
            match other {
                None if matches!(key, Key::Query(_)) && self.holds(&is) => {
                    context.push(Condition::Maybe(key, value.into()));
                }
                Some(same) if same == value => match key {
                    Key::Scheme | Key::Slash | Key::Ext => {}
                    _ if self.holds(&is) => context.push(is),
                    Key::Query(_) => {
                        let start = starts(&key, &value).into_iter().rfind(|s| self.holds(s));
                        context.push(start.unwrap_or(Condition::Has(key)));
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        for (key, value) in b.pairs() {
            let is = Condition::Is(key.clone(), (&*value).into());
            if matches!(key, Key::Query(_)) && !a.has(&key) && self.holds(&is) {
                context.push(Condition::Maybe(key, value.into()));
            }
        }
        context
    }
}

fn hash(condition: &Condition) -> u64 {
    rustc_hash::FxBuildHasher.hash_one(condition)
}

fn path_differences(a: &Parts<'_>, b: &Parts<'_>) -> Vec<Proposal> {
    if a.segs.len() != b.segs.len() {
        let (long, short) = if a.segs.len() > b.segs.len() {
            (a, b)
        } else {
            (b, a)
        };
        return dropped_segments(long, short);
    }
    let at: Vec<usize> = (0..a.segs.len())
        .filter(|i| a.segs[*i] != b.segs[*i])
        .collect();
    let len = Condition::Is(Key::Len, a.segs.len().to_string().into());
    let seg = |i: usize| Key::Seg(i as u8);
    if at
        .iter()
        .all(|i| a.segs[*i].eq_ignore_ascii_case(&b.segs[*i]))
    {
        let each: Vec<Edit> = at.iter().map(|i| Edit::Lower(seg(*i))).collect();
        return vec![
            (Vec::new(), vec![Edit::LowerPath]),
            (Vec::new(), each.clone()),
            (vec![len], each),
        ];
    }
    let mut proposals = Vec::new();
    if let (Some((x, ext_a)), Some((y, ext_b))) = (a.ext(), b.ext())
        && at.len() == 1
        && x == y
    {
        proposals.push((
            vec![Condition::Is(Key::Ext, ext_b.into())],
            vec![Edit::Set(Key::Ext, ext_a.into())],
        ));
    }
    if at.len() == 1 && at[0] + 1 == a.segs.len() {
        for (with, without) in [(a, b), (b, a)] {
            if let Some((stem, ext)) = with.ext()
                && *stem == *without.segs[at[0]]
            {
                let is = Condition::Is(Key::Ext, ext.into());
                return vec![(vec![is], vec![Edit::Drop(Key::Ext)])];
            }
        }
    }
    if let Some(numbers) = number_differences(a, b, &at) {
        proposals.push(numbers);
    }
    if at.len() <= 3 {
        let mask: Vec<Edit> = at.iter().map(|i| Edit::Mask(seg(*i))).collect();
        proposals.push((vec![len.clone()], mask));
    }
    if let [i] = at[..] {
        let (va, vb): (Box<str>, Box<str>) = ((&*a.segs[i]).into(), (&*b.segs[i]).into());
        let set = vec![Edit::Set(seg(i), va)];
        proposals.push((vec![Condition::Is(seg(i), vb.clone())], set.clone()));
        proposals.push((vec![Condition::Is(seg(i), vb), len], set));
    }
    proposals
}

/// Numbers inside segments of one shape: `topic,7.msg31` and `topic,7.msg45`.
fn number_differences(a: &Parts<'_>, b: &Parts<'_>, at: &[usize]) -> Option<Proposal> {
    let mut conditions = Vec::new();
    let mut edits = Vec::new();
    for i in at {
        let shape = digit_shape(&a.segs[*i])?;
        if digit_shape(&b.segs[*i])? != shape {
            return None;
        }
        let key = Key::Seg(*i as u8);
        for (nth, (x, y)) in numbers(&a.segs[*i]).zip(numbers(&b.segs[*i])).enumerate() {
            if x != y {
                edits.push(Edit::MaskDigits(key.clone(), nth as u8));
            }
        }
        conditions.push(Condition::Like(key, shape.into()));
    }
    Some((conditions, edits))
}

fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_digit())
        .filter(|n| !n.is_empty())
}

/// The shorter path is the longer one with segments left out.
fn dropped_segments(long: &Parts<'_>, short: &Parts<'_>) -> Vec<Proposal> {
    let dropped = left_out(&long.segs, &short.segs);
    let Some(dropped) = dropped.filter(|d| d.len() <= 3) else {
        return Vec::new();
    };
    // From the end, so that positions stay true while segments go.
    let edits: Vec<Edit> = dropped
        .iter()
        .rev()
        .map(|i| Edit::Drop(Key::Seg(*i as u8)))
        .collect();
    let is = |i: &usize| Condition::Is(Key::Seg(*i as u8), (&*long.segs[*i]).into());
    let len = Condition::Is(Key::Len, long.segs.len().to_string().into());
    let constants: Vec<Condition> = dropped.iter().map(is).collect();
    let mut proposals = vec![
        (
            [constants.as_slice(), std::slice::from_ref(&len)].concat(),
            edits.clone(),
        ),
        (constants, edits.clone()),
        (vec![len.clone()], edits.clone()),
    ];
    if let [i] = dropped[..] {
        let key = Key::Seg(i as u8);
        let neighbours = [i.checked_sub(1), Some(i + 1)];
        for j in neighbours.into_iter().flatten() {
            if long.segs.get(j) == Some(&long.segs[i]) {
                let same = Condition::Same(Key::Seg(i.min(j) as u8), Key::Seg(i.max(j) as u8));
                proposals.push((vec![same.clone()], edits.clone()));
                proposals.push((vec![same, len.clone()], edits.clone()));
            }
        }
        proposals.extend(
            Condition::like(&key, long).map(|like| (vec![like, len.clone()], edits.clone())),
        );
        let back = long.segs.len() - 1 - i;
        if back < 2 {
            let tail = Key::Tail(back as u8);
            proposals.push((
                vec![Condition::Is(tail.clone(), (&*long.segs[i]).into())],
                vec![Edit::Drop(tail)],
            ));
        }
    }
    proposals
}

/// Positions of `long` that are not in `short`, when `short` is a subsequence of it.
fn left_out<T: PartialEq>(long: &[T], short: &[T]) -> Option<Vec<usize>> {
    let prefix = long.iter().zip(short).take_while(|(x, y)| x == y).count();
    let mut out: Vec<usize> = Vec::new();
    let mut j = prefix;
    for (i, item) in long.iter().enumerate().skip(prefix) {
        // Prefer to match late, so that what was left out is one run where it can be.
        let remaining = short.len() - j;
        if remaining > 0 && short[j] == *item && long.len() - i >= remaining {
            j += 1;
        } else {
            out.push(i);
        }
    }
    (j == short.len()).then_some(out)
}

fn path_param_differences(a: &Parts<'_>, b: &Parts<'_>) -> Option<Vec<Proposal>> {
    if a.path_params == b.path_params {
        return None;
    }
    let mut names: Vec<&str> = a
        .path_params
        .iter()
        .chain(&b.path_params)
        .map(|p| &*p.name)
        .filter(|name| {
            let key = Key::PathParam((*name).into());
            a.get(&key) != b.get(&key) || a.has(&key) != b.has(&key)
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    let edits: Vec<Edit> = names
        .iter()
        .map(|name| Edit::Drop(Key::PathParam((*name).into())))
        .collect();
    (!edits.is_empty()).then(|| vec![(Vec::new(), edits)])
}

/// `None` when the queries differ in too much; empty when they hold the same.
fn query_differences(a: &Parts<'_>, b: &Parts<'_>) -> Option<Vec<Proposal>> {
    let mut keys: Vec<Key> = a
        .query
        .iter()
        .chain(&b.query)
        .map(|p| Key::query(&p.name))
        .filter(|key| a.get(key) != b.get(key))
        .collect();
    keys.sort();
    keys.dedup();
    if keys.len() > QUERY_DIFFERENCES {
        return None;
    }
    let Some(first) = keys.first() else {
        return Some(Vec::new());
    };
    let drops: Vec<Edit> = keys.iter().cloned().map(Edit::Drop).collect();
    let mut proposals = Vec::new();
    if keys.len() == 1 {
        let key = first;
        proposals.push((vec![Condition::Has(key.clone())], drops));
        let (va, vb) = (a.get(key), b.get(key));
        match (va, vb) {
            (Some(va), Some(vb)) => {
                let mask = Edit::Mask(key.clone());
                proposals.push((vec![Condition::Has(key.clone())], vec![mask]));
                for (from, to) in [(&va, &vb), (&vb, &va)] {
                    proposals.push((
                        vec![Condition::Is(key.clone(), (&**from).into())],
                        vec![Edit::Set(key.clone(), (&**to).into())],
                    ));
                }
            }
            (Some(only), None) | (None, Some(only)) => {
                let is = Condition::Is(key.clone(), (&*only).into());
                proposals.push((vec![is], vec![Edit::Drop(key.clone())]));
            }
            (None, None) => {}
        }
        return Some(proposals);
    }
    proposals.push((Vec::new(), drops.clone()));
    // The same with the values seen, and each difference on its own in case others hide it.
    for side in [a, b] {
        if keys.iter().all(|key| side.has(key)) {
            let is = keys
                .iter()
                .filter_map(|key| Some(Condition::Is(key.clone(), side.get(key)?.into())));
            proposals.push((is.collect(), drops.clone()));
        }
    }
    let one_sided: Vec<Condition> = keys
        .iter()
        .filter_map(|key| match (a.get(key), b.get(key)) {
            (Some(v), None) | (None, Some(v)) => Some(Condition::Is(key.clone(), v.into())),
            _ => None,
        })
        .collect();
    for condition in one_sided {
        if let Condition::Is(key, _) = &condition {
            let drop = vec![Edit::Drop(key.clone())];
            proposals.push((vec![Condition::Has(key.clone())], drop.clone()));
            proposals.push((vec![condition], drop));
        }
    }
    Some(proposals)
}

/// Rules that turn `from` into `to` by moving one value to another part.
fn moves(from: &Parts<'_>, to: &Parts<'_>) -> Vec<Rule> {
    let mut rules = Vec::new();
    let missing: Vec<Key> = to
        .query
        .iter()
        .map(|p| Key::query(&p.name))
        .filter(|key| !from.has(key))
        .collect();
    let [target] = missing.as_slice() else {
        return rules;
    };
    let Some(value) = to.get(target).filter(|v| !v.is_empty()) else {
        return rules;
    };
    let others_agree = |ignored: Option<&Key>| {
        from.query
            .iter()
            .map(|p| Key::query(&p.name))
            .filter(|key| Some(key) != ignored)
            .all(|key| to.get(&key) == from.get(&key))
    };
    for source in from.query.iter().map(|p| Key::query(&p.name)) {
        if !to.has(&source)
            && from.get(&source) == Some(value.clone())
            && from.segs == to.segs
            && others_agree(Some(&source))
        {
            rules.push(Rule::new(
                vec![
                    Condition::Has(source.clone()),
                    Condition::No(target.clone()),
                ],
                vec![Edit::Move(source, target.clone())],
            ));
        }
    }
    if !others_agree(None) {
        return rules;
    }
    let plain = value.replace("%2F", "/");
    for i in 0..from.segs.len().min(4) {
        let rest = Key::Rest(i as u8);
        if from.get(&rest).as_deref() != Some(&*plain) || to.segs.len() < i {
            continue;
        }
        let mut conditions = vec![Condition::Has(rest.clone()), Condition::No(target.clone())];
        let mut edits = vec![Edit::Move(rest, target.clone())];
        for (j, segment) in to.segs.iter().enumerate() {
            if from.segs[..i].get(j) != Some(segment) {
                edits.push(Edit::Set(Key::Seg(j as u8), (&**segment).into()));
            }
        }
        for (j, segment) in from.segs[..i].iter().enumerate() {
            conditions.push(Condition::Is(Key::Seg(j as u8), (&**segment).into()));
        }
        if i == 0 {
            conditions.push(Condition::No(Key::Ext));
        }
        rules.push(Rule::new(conditions, edits));
        break;
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::{Parts, Salient, between, left_out};

    fn proposals(a: &str, b: &str) -> Vec<String> {
        let (a, b) = (Parts::parse(a).unwrap(), Parts::parse(b).unwrap());
        let rules = between(
            &a,
            &b,
            &Salient {
                least: 1,
                ..Salient::default()
            },
        );
        rules.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_kind_of_difference_has_a_rule() {
        for (a, b, rule) in [
            ("http://e.org/a", "https://e.org/a", "=> set:scheme=https"),
            (
                "http://e.org/a",
                "http://m.org/a",
                "is:host=m.org => set:host=e.org",
            ),
            ("http://e.org/a", "http://e.org/A", "=> lower-path"),
            ("http://e.org/a", "http://e.org/a/", "=> drop:slash"),
            ("http://e.org/a", "http://e.org/a;s=1", "=> drop:param.s"),
            (
                "http://e.org/a",
                "http://e.org/a.html",
                "is:ext=html => drop:ext",
            ),
            (
                "http://e.org/a",
                "http://e.org/a?s=1",
                "has:query.s => drop:query.s",
            ),
            (
                "http://e.org/a",
                "http://e.org/a?s=1",
                "is:query.s=1 => drop:query.s",
            ),
            (
                "http://e.org/a?t=1",
                "http://e.org/a?f=2&t=1&p=3",
                "=> drop:query.f drop:query.p",
            ),
            (
                "http://e.org/x",
                "http://e.org/print/x",
                "is:seg.0=print => drop:seg.0",
            ),
            (
                "http://e.org/x",
                "http://e.org/x/print",
                "is:tail.0=print => drop:tail.0",
            ),
            (
                "http://e.org/x/",
                "http://e.org/x/x",
                "same:seg.0=seg.1 => drop:seg.1 drop:slash",
            ),
            (
                "http://e.org/t,7.m1",
                "http://e.org/t,7.m22",
                "like:seg.0=t,#.m# => digits:1:seg.0",
            ),
            (
                "http://e.org/?p=5",
                "http://e.org/?page_id=5",
                "has:query.p no:query.page_id => move:query.p>query.page_id",
            ),
            (
                "http://e.org/w/index.php?title=A%2FB",
                "http://e.org/w/A/B",
                "is:seg.0=w has:rest.1 no:query.title => move:rest.1>query.title set:seg.1=index.php",
            ),
            ("http://e.org/?a=1;b=2", "http://e.org/?b=2;a=1", "=> sort"),
        ] {
            assert!(
                proposals(a, b).contains(&rule.to_owned()),
                "{rule}: {:?}",
                proposals(a, b)
            );
        }
    }

    #[test]
    fn what_was_left_out_of_a_sequence_is_found() {
        assert_eq!(left_out(b"abc", b"ac"), Some(vec![1]));
        assert_eq!(left_out(b"aab", b"ab"), Some(vec![1]));
        assert_eq!(left_out(b"abc", b"ad"), None);
    }
}
