//! Splits rules that say two things, each of which is true on its own.
//!
//! That a folder is mirrored and that a parameter does not matter is often seen on the same pages. One rule that says both holds only
//! for the URLs that showed both; and since it saves most, it keeps out the rules that would say either of all URLs. But if the
//! parameter does not matter only on the mirror, just the whole rule is right. So if rules of this kind are taken, a second selection
//! is made from their halves, and the better of the two is kept ([`is_better`]).

use super::{deed::Deed, narrow::Accepts, table::Table};
use crate::rules::{Edit, Entry, Key, Rule};

/// Share of what a rule saves that its halves must save between them: of some pages no URL is known that shows one half
/// alone, and what is next to nothing without the other is none.
const LEAST_SAVED: f64 = 0.5;

/// Share of what whole rules save that their halves must save to be preferred for saying less.
const NEARLY: f64 = 0.9;

/// Whether an edit is about the query alone.
fn is_of_query(edit: &Edit) -> bool {
    let is_query = |key: &Key| matches!(key, Key::Query(_));
    match edit {
        Edit::Sort | Edit::Keep(_) => true,
        Edit::LowerPath => false,
        _ => edit.source().is_none_or(is_query) && edit.target().is_some_and(is_query),
    }
}

/// What a rule does to the query, and what it does to all else. What leaves the query for another place, and is dropped there, is moved:
/// one thing.
fn parted(rule: &Rule) -> (Vec<Edit>, Vec<Edit>) {
    let is_moved = |key: &Key| {
        rule.edits.iter().any(
            |edit| matches!(edit, Edit::Copy(from, to) if from == key && !matches!(to, Key::Query(_))),
        )
    };
    (rule.edits.iter().cloned())
        .partition(|edit| is_of_query(edit) && !matches!(edit, Edit::Drop(key) if is_moved(key)))
}

/// Whether a rule says something of the query and something of all else.
pub(super) fn is_twofold(rule: &Rule) -> bool {
    let (query, rest) = parted(rule);
    !query.is_empty() && !rest.is_empty()
}

/// Whether a selection from halves is to be preferred to one of whole rules: it saves more, a page being worth ten URLs, or
/// nearly as much and does no more to URLs. What says less holds for more URLs than those it was learned from.
pub(super) fn is_better(halves: &[Entry], wholes: &[Entry]) -> bool {
    let merit = |rules: &[Entry]| {
        let saved: u64 = rules.iter().map(|entry| entry.evidence.saved).sum();
        let lost: u64 = rules.iter().map(|entry| entry.evidence.lost).sum();
        saved.saturating_sub(10 * lost) as f64
    };
    let edits = |rules: &[Entry]| -> usize { rules.iter().map(|e| e.rule.edits.len()).sum() };
    let (of_halves, of_wholes) = (merit(halves), merit(wholes));
    of_halves > of_wholes || of_halves >= NEARLY * of_wholes && edits(halves) <= edits(wholes)
}

/// What a rule does to the query and what it does to all else, each a rule of its own, if between them they save what it
/// does: those that are right alone. The other is proposed anew when these are taken, if there is anything to it.
pub(super) fn halves(
    table: &Table<'_>,
    rule: &Rule,
    whole: &Deed,
    accepts: Accepts<'_>,
) -> Option<Vec<(Rule, Deed)>> {
    let (query, rest) = parted(rule);
    if query.is_empty() || rest.is_empty() {
        return None;
    }
    let halves = [query, rest].map(|edits| {
        let half = Rule::new(rule.pattern.0.clone(), edits);
        let deed = table.try_rule(&half);
        (half, deed)
    });
    let saved: u64 = halves.iter().map(|(_, deed)| deed.saved).sum();
    if (saved as f64) < LEAST_SAVED * whole.saved as f64 {
        return None;
    }
    let right: Vec<_> = (halves.into_iter())
        .filter(|(half, deed)| accepts(half, deed, 0))
        .collect();
    (!right.is_empty()).then_some(right)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rustc_hash::FxHashMap;
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;
    use crate::learn::{Options, Sample, learn};

    /// Stories, most of them mirrored, some met with a mark of where the reader came from; of one in five the plain address
    /// is not known.
    fn stories() -> Vec<Sample> {
        let marks = [("fbclid", 3), ("gclid", 4), ("utm_source", 5), ("ref", 7)];
        let mut samples = Vec::new();
        for n in 0..80 {
            let path = format!("articles/{n}-w{}", n * 13 % 97);
            let marked = (0..)
                .zip(marks)
                .filter(|(at, (_, every))| n % every == at % every);
            let marked = marked.map(|(_, (name, _))| format!("{path}?{name}={}", n * 7 % 31));
            let plain = (n % 5 != 2).then(|| path.clone());
            for url in plain
                .into_iter()
                .chain([format!("mirror/{path}")])
                .chain(marked)
            {
                samples.push(Sample::new(
                    format!("http://e.org/{url}"),
                    &format!("story {n}"),
                ));
            }
        }
        samples
    }

    #[test]
    fn what_moves_from_the_query_to_the_path_is_one_thing() {
        let is_twofold = |rule: &str| is_twofold(&rule.parse().unwrap());
        assert!(!is_twofold(
            "is:seg.0=profile.php => copy:query.u>seg.1 set:seg.0=member drop:query.u"
        ));
        assert!(is_twofold(
            "is:seg.0=profile.php => copy:query.u>seg.1 set:seg.0=member drop:query.u drop:query.sid"
        ));
        assert!(is_twofold("is:seg.0=mirror => drop:seg.0 drop:query.sid"));
    }

    #[test]
    fn a_mirror_and_a_parameter_are_two_rules() {
        let learned = learn(&stories(), &Options::default());
        for entry in &learned.rules {
            assert!(!is_twofold(&entry.rule), "{}", entry.rule);
        }
        let rules = learned.compile();
        let classes: BTreeSet<String> =
            ["articles/900", "mirror/articles/900", "articles/900?ref=5"]
                .iter()
                .map(|path| {
                    let url = format!("http://e.org/{path}");
                    rules.canon(&url).map_or(url, |canon| canon.class)
                })
                .collect();
        assert_eq!(classes.len(), 1, "{classes:?}");
    }

    /// Stories of four sections, some in print, in each of which another parameter matters; the story and its parameters name the page.
    fn stories_in_sections(seed: u8) -> Vec<Sample> {
        let sections = [
            ("blog", "ref"),
            ("news", "lang"),
            ("wiki", "lang"),
            ("shop", "v"),
        ];
        let mut samples = Vec::new();
        for (story, spelling) in (0..24).flat_map(|story| (0..8).map(move |n| (story, n))) {
            let draw = |what, of| xxh3_64(&[seed, story, spelling, what]) % of;
            let (section, matters) = sections[usize::from(story) % 4];
            let print = if draw(0, 2) == 0 { "print/" } else { "" };
            let mut url = format!("http://e.org/{print}{section}/a{story}-x?");
            let mut page = format!("{section} {story}");
            for (at, name) in (1..).zip(["lang", "ref", "v"]) {
                if draw(at, 3) == 0 {
                    let param = format!("{name}={}&", draw(at + 3, 30));
                    url += &param;
                    page += if name == matters { &param } else { "" };
                }
            }
            url.pop();
            samples.push(Sample::new(url, &page));
        }
        samples
    }

    #[test]
    fn of_whole_rules_and_halves_those_are_taken_that_save_more() {
        // Either alone does so for no more: whole rules for 32 of these sites, halves for 33.
        let mut told = 0;
        for seed in 0..40 {
            let samples = stories_in_sections(seed);
            let rules = learn(&samples, &Options::default()).compile();
            let mut classes: FxHashMap<String, u64> = FxHashMap::default();
            for sample in &samples {
                let canon = rules.canon(&sample.url);
                let class = canon.map_or_else(|| sample.url.clone(), |canon| canon.class);
                let page = classes.entry(class).or_insert(sample.cluster);
                assert_eq!(*page, sample.cluster, "{}", sample.url);
            }
            let pages: BTreeSet<u64> = samples.iter().map(|sample| sample.cluster).collect();
            told += usize::from(classes.len() == pages.len());
        }
        assert!(told >= 33, "{told} of 40 sites");
    }
}
