//! Proposes edits that would make the URLs of one page equal.
//!
//! After Najork ("inferring URL normalization rules", US patent): the URLs of a class are compared with its
//! canonical representative, its shortest URL, and every difference proposes a rule. Beyond the patent,
//! segments are aligned as sequences (so that noise in the middle of a path is found), numbers inside
//! segments are compared one by one, and values are followed from one part to another.

mod moves;
mod names;
mod path;
mod query;
mod recast;
mod renamed;
mod salient;

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::{parallel, table::Table};
use crate::rules::{Condition, Edit, Key, Parts, Rule};
use moves::moves;
use names::respelled;
pub(super) use path::respelling;
use path::{path_differences, path_param_differences};
use query::query_differences;
use recast::recast;
use renamed::renamed;
use salient::Salient;

/// Largest number of members of a cluster that are compared.
const MEMBERS: usize = 24;
/// Clusters whose proposals are made before they are counted.
const AT_ONCE: usize = 1_024;

/// Conditions and edits that one difference asks for.
type Proposal = (Vec<Condition>, Vec<Edit>);

/// Rules that make at least two URLs of a cluster equal, with the number of clusters that propose them, most
/// first, at most `limit`; only those that `least` clusters propose.
pub(crate) fn propose(
    table: &Table<'_>,
    limit: usize,
    least: u32,
    threads: usize,
) -> Vec<(Rule, u32)> {
    let clusters: Vec<&[u32]> = table.clusters().iter().collect();
    if clusters.is_empty() {
        return Vec::new();
    }
    let mut votes: FxHashMap<Rule, (u32, u32)> = FxHashMap::default();
    let salient = Salient::of(table);
    let mut number = 0;
    for some in clusters.chunks(AT_ONCE) {
        let proposed = parallel::map(threads, some, |cluster| {
            // All that one giant proposes counts twice.
            let is_giant = table.is_giant(table.cluster(cluster[0]));
            let least = if is_giant { 1 } else { least };
            of_cluster(table, cluster, &salient, least)
        });
        // A rule is moved, and hashed anew, whenever there is no room.
        votes.reserve(proposed.iter().map(Vec::len).sum());
        for (cluster, rules) in some.iter().zip(proposed) {
            number += 1;
            let is_giant = table.is_giant(table.cluster(cluster[0]));
            for rule in rules {
                let vote = votes.entry(rule).or_default();
                if vote.1 != number {
                    // What all URLs of a giant have in common needs no second page to be worth a trial.
                    *vote = (vote.0 + 1 + u32::from(is_giant), number);
                }
            }
        }
    }
    let rules = votes.into_iter().filter(|(_, (n, _))| *n >= least);
    let mut rules: Vec<(Rule, u32)> = rules.map(|(rule, (n, _))| (rule, n)).collect();
    let order = |a: &(Rule, u32), b: &(Rule, u32)| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0));
    if rules.len() > limit {
        rules.select_nth_unstable_by(limit, order);
        rules.truncate(limit);
    }
    rules.sort_unstable_by(order);
    rules
}

/// Rules that make at least two URLs of the cluster equal, without those that no `least` clusters can propose.
fn of_cluster(table: &Table<'_>, cluster: &[u32], salient: &Salient, least: u32) -> Vec<Rule> {
    let mut rows = cluster[..cluster.len().min(MEMBERS)].to_vec();
    // Rows are in order of their text.
    rows.sort_by_key(|at| (table.rows[*at as usize].text.len(), *at));
    let rows: Vec<&Parts<'_>> = rows.iter().map(|at| &table.apart[*at as usize]).collect();
    // Two have no nearer one.
    let pairs: Vec<_> = match rows.len() {
        ..3 => Vec::new(),
        _ => rows.iter().map(|parts| parts.pairs()).collect(),
    };
    let mut rules = Vec::new();
    for i in 1..rows.len() {
        rules.extend(between(rows[0], rows[i], salient, least));
        // The representative may lie far away; the nearest URL shows single differences.
        if let Some(near) = (1..i).min_by_key(|j| distance(&pairs[*j], &pairs[i])) {
            rules.extend(between(rows[near], rows[i], salient, least));
        }
    }
    rules
}

/// Number of parts in which two URLs differ.
fn distance(x: &[(Key, Cow<'_, str>)], y: &[(Key, Cow<'_, str>)]) -> usize {
    let common = x.iter().filter(|pair| y.contains(pair)).count();
    x.len() + y.len() - 2 * common
}

/// Rules that make `b` equal to `a`, or both equal to something else; what asks for a value that fewer than `least` URLs
/// have is left out.
fn between(a: &Parts<'_>, b: &Parts<'_>, salient: &Salient, least: u32) -> Vec<Rule> {
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
    let many = least.max(2);
    rules.extend(recast(a, b, salient, many));
    rules.extend(recast(b, a, salient, many));
    if a.segs != b.segs {
        let mut path = path_differences(a, b);
        // The shorter URL may be the one with more folders: `/topic/17`, `/topic17.html`.
        path.extend(respelled(a, b).or_else(|| respelled(b, a)));
        path.extend(renamed(a, b, salient, least));
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
        if !conditions.iter().all(|c| salient.is_met_by(c, least)) {
            continue;
        }
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

#[cfg(test)]
mod tests {
    use super::{Parts, Salient, between};

    fn proposals(a: &str, b: &str) -> Vec<String> {
        let (a, b) = (Parts::parse(a).unwrap(), Parts::parse(b).unwrap());
        let rules = between(
            &a,
            &b,
            &Salient {
                least: 1,
                ..Salient::default()
            },
            1,
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
                "http://e.org/t/7-a-title.html",
                "http://e.org/t/7-other.html",
                "is:len=2 => piece:behind-first:-:seg.1",
            ),
            (
                "http://e.org/?id=7",
                "http://e.org/?id=7:title",
                "has:query.id => piece:from-first:::query.id",
            ),
            (
                "http://e.org/?name=ann",
                "http://e.org/?name=Ann",
                "has:query.name => lower:query.name",
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
    fn a_name_is_taken_out_where_all_that_stands_around_it_is_there_and_in_either_direction() {
        for (a, b, rule) in [
            (
                "http://e.org/~kim",
                "http://e.org/users/kim",
                "is:seg.0=users has:seg.1 => drop:seg.0 wrap:seg.0=~*",
            ),
            (
                "http://e.org/topic17.html",
                "http://e.org/topic/17",
                "is:seg.0=topic like:seg.1=# => drop:seg.0 wrap:seg.0=topic*.html",
            ),
            (
                "http://e.org/f/12",
                "http://e.org/f/page12.html",
                "is:len=2 like:seg.1=page#.html => unwrap:seg.1=page*.html",
            ),
            (
                "http://e.org/v.php?t=17",
                "http://e.org/f/topic17.html",
                "is:len=2 is:seg.0=f no:query.t like:seg.1=topic#.html => unwrap:seg.1=topic*.html move:rest.1>query.t set:seg.0=v.php",
            ),
            (
                "http://e.org/topic/17",
                "http://e.org/topic17.html",
                "is:seg.0=topic like:seg.1=# => drop:seg.0 wrap:seg.0=topic*.html",
            ),
            (
                "http://e.org/x/17",
                "http://e.org/d/page-17.html",
                "is:len=2 is:seg.0=d is:ext=html starts:seg.1=page- => unwrap:seg.1=page-*.html set:seg.0=x",
            ),
            (
                "http://e.org/v.php?t=17",
                "http://e.org/d/page-17.html",
                "is:len=2 is:seg.0=d is:ext=html no:query.t starts:seg.1=page- => unwrap:seg.1=page-*.html move:rest.1>query.t set:seg.0=v.php",
            ),
        ] {
            let all = proposals(a, b);
            assert!(all.contains(&rule.to_owned()), "{rule}: {all:?}");
        }
    }
}
