//! Finds sinks: addresses that lead to one page whatever their query.
//!
//! A login page is linked from everywhere, and its query says where the visitor came from, in ever different parameters. No rule about
//! single parameters gets enough pages as evidence: there is only one page. The evidence is the many URLs that lead to it, if none with the
//! same path (and with one value in the query, if the path serves many pages) leads elsewhere. Fewer are enough if the page is a *wall*,
//! shown at several paths. Such a rule keeps that one value and removes all other parameters, even those never met.

mod paths;

use std::cell::LazyCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    accept::{SINK_URLS, WALL_URLS},
    deed::Deed,
    luck::{LUCK, Tried},
    table::Table,
};
use crate::rules::{Condition, Edit, Key, Param, Rule};
pub(super) use paths::is_of_tail;

/// Paths at which a value of the query was seen to leave nothing to the other parameters, before it is taken to do so
/// at all paths.
const PATHS: usize = 3;

/// Values of other parameters that must have been left nothing.
const OTHERS: usize = WALL_URLS as usize;

/// Who proposed, as it is told of a rule.
pub(super) const NAME: &str = "sinks";

/// A parameter and its value.
type Pair<'t> = (&'t str, Option<&'t str>);

/// Rules for such addresses, in order.
pub(crate) fn propose(table: &Table<'_>) -> Vec<Rule> {
    let mut paths: FxHashMap<&[_], Vec<u32>> = FxHashMap::default();
    for (at, parts) in (0u32..).zip(&table.apart) {
        if !parts.query.is_empty() {
            paths.entry(&parts.segs).or_default().push(at);
        }
    }
    // Of each number of segments what paths that show several pages show under a query, once anybody asks.
    let pages = LazyCell::new(|| {
        let mut pages: FxHashMap<usize, Pages> = FxHashMap::default();
        for (segs, rows) in paths.iter().filter(|(_, rows)| !is_one_page(table, rows)) {
            pages.entry(segs.len()).or_default().add(table, rows);
        }
        pages
    });
    let mut rules = Vec::new();
    let mut anywhere: FxHashMap<Pair<'_>, Anywhere<'_>> = FxHashMap::default();
    let mut doubtful: FxHashSet<Pair<'_>> = FxHashSet::default();
    for (segs, rows) in paths.iter().filter(|(segs, _)| segs.len() <= 255) {
        let is_pure = is_one_page(table, rows);
        let path = || {
            let len = Condition::Is(Key::Len, segs.len().to_string().into());
            let segs = (0..=u8::MAX).zip(*segs).map(|(i, segment)| {
                let value: &str = segment;
                Condition::Is(Key::Seg(i), value.into())
            });
            [len].into_iter().chain(segs).collect::<Vec<_>>()
        };
        let is_luck = || {
            let pages = pages.get(&segs.len());
            pages.is_some_and(|pages| pages.may_be_luck(table, rows))
        };
        if is_pure && rows.len() as u64 >= WALL_URLS && !is_luck() {
            rules.push(of_whole_path(table, path(), rows));
        }
        let of_path = LazyCell::new(|| Pages::of(table, rows));
        for (value, rows) in values(table, rows) {
            if !is_one_page(table, &rows) {
                doubtful.insert(value);
                continue;
            }
            if rows.len() > 1 {
                anywhere
                    .entry(value)
                    .or_default()
                    .add(table, &rows, value.0);
            }
            if !is_pure && rows.len() as u64 >= WALL_URLS && !of_path.may_be_luck(table, &rows) {
                rules.push(keeping(path(), value));
            }
        }
    }
    for (value, of) in anywhere {
        if of.says_enough() && !doubtful.contains(&value) {
            rules.push(keeping(Vec::new(), value));
        }
    }
    rules.extend(paths::folders(table));
    rules.extend(paths::tails(table));
    rules.sort();
    rules
}

/// Paths at which a value of the query stands for one page.
#[derive(Debug, Default)]
struct Anywhere<'t> {
    paths: usize,
    urls: usize,
    /// The pages, up to two.
    pages: Vec<u64>,
    /// The other parameters with their values, up to as many as are asked for.
    others: Vec<Pair<'t>>,
}

impl<'t> Anywhere<'t> {
    /// Adds the URLs of a path.
    fn add(&mut self, table: &'t Table<'_>, rows: &[u32], name: &str) {
        self.paths += 1;
        self.urls += rows.len();
        let query = |at: u32| &table.apart[at as usize].query;
        for at in rows {
            let page = table.cluster(*at);
            if self.pages.len() < 2 && !self.pages.contains(&page) {
                self.pages.push(page);
            }
            for param in query(*at) {
                let other = (&*param.name, param.value.as_deref());
                let is_new = || self.others.len() < OTHERS && !self.others.contains(&other);
                // What all URLs of the path have may name its page.
                let varies = || rows.iter().any(|at| !query(*at).contains(param));
                if other.0 != name && is_new() && varies() {
                    self.others.push(other);
                }
            }
        }
    }

    /// Whether the value leaves nothing to any other parameter at any path. Where each path has a page of its own, a parameter of a few values says
    /// nothing of others.
    fn says_enough(&self) -> bool {
        self.paths >= PATHS
            && self.urls as u64 >= SINK_URLS
            && (self.pages.len() == 1 || self.others.len() >= OTHERS)
    }
}

/// Whether the rule that did this is one about a sink: what it keeps of the query, or all of the path but one name, leads to one page. (Many pages may
/// show a name not to matter as well.)
pub(super) fn is_of_sink(rule: &Rule, deed: &Deed) -> bool {
    match rule.edits.as_slice() {
        [Edit::Keep(_)] => true,
        _ if is_of_tail(rule) => deed.trials == 1,
        [Edit::Mask(Key::Seg(name))] if deed.trials == 1 => {
            let mut len = None;
            let mut others = 0;
            for condition in &rule.pattern.0 {
                match condition {
                    Condition::Is(Key::Len, value) => len = value.parse().ok(),
                    Condition::Is(Key::Seg(at), _) if at != name => others += 1,
                    Condition::Only(names) if names.is_empty() => {}
                    Condition::Is(Key::Host | Key::Query(_), _) => {}
                    _ => return false,
                }
            }
            len == Some(others + 1)
        }
        _ => false,
    }
}

/// The pages that URLs show, with how many show each.
#[derive(Debug, Default)]
struct Pages {
    urls: u64,
    of_each: FxHashMap<u64, u64>,
}

impl Pages {
    fn of(table: &Table<'_>, rows: &[u32]) -> Self {
        let mut pages = Self::default();
        pages.add(table, rows);
        pages
    }

    fn add(&mut self, table: &Table<'_>, rows: &[u32]) {
        self.urls += rows.len() as u64;
        for at in rows {
            *self.of_each.entry(table.cluster(*at)).or_default() += 1;
        }
    }

    /// Whether some of these URLs, which show one page, may do so by luck alone, because so many of all do. So many sets of as many URLs are there among
    /// them, each of which was looked at.
    fn may_be_luck(&self, table: &Table<'_>, rows: &[u32]) -> bool {
        let Some(page) = rows.first().map(|at| table.cluster(*at)) else {
            return false;
        };
        let some = Tried {
            all: rows.len() as u64,
            failing: 0,
        };
        let all = Tried {
            all: self.urls.max(some.all),
            failing: self.urls - self.of_each.get(&page).copied().unwrap_or(0),
        };
        let sets = all.all as f64 / some.all.max(1) as f64;
        all.failing > 0 && some.ln_of_at_most(all) + sets.ln() > LUCK.ln()
    }
}

/// All that stands in the query of a path's URLs is taken away but a value that all of them have; what has none of the parameters that all of them
/// have is another matter.
fn of_whole_path(table: &Table<'_>, mut conditions: Vec<Condition>, rows: &[u32]) -> Rule {
    let query = |at: &u32| table.apart[*at as usize].query.as_slice();
    let first = rows.first().map(query).unwrap_or_default();
    let all_have = |param: &&Param<'_>| rows.iter().all(|at| query(at).contains(param));
    let params = first.iter().filter(|param| !param.name.is_empty());
    if let Some(param) = params.clone().find(all_have) {
        return keeping(conditions, (&param.name, param.value.as_deref()));
    }
    let is_named = |name: &str| {
        rows.iter()
            .all(|at| query(at).iter().any(|param| param.name == name))
    };
    let names = params
        .map(|param| &*param.name)
        .filter(|name| is_named(name));
    conditions.extend(names.map(|name| Condition::Has(Key::query(name))));
    Rule::new(conditions, vec![Edit::Keep(Vec::new())])
}

fn keeping(mut conditions: Vec<Condition>, (name, value): Pair<'_>) -> Rule {
    let value = value.unwrap_or_default();
    conditions.push(Condition::Is(Key::query(name), value.into()));
    Rule::new(conditions, vec![Edit::Keep(vec![name.into()])])
}

/// The rows that have each value.
fn values<'t>(table: &'t Table<'_>, rows: &[u32]) -> FxHashMap<Pair<'t>, Vec<u32>> {
    let mut values: FxHashMap<Pair<'_>, Vec<u32>> = FxHashMap::default();
    for at in rows {
        // A list of names has no way to tell the empty one.
        let params = table.apart[*at as usize].query.iter();
        for param in params.filter(|param| !param.name.is_empty()) {
            let rows = values
                .entry((&param.name, param.value.as_deref()))
                .or_default();
            if rows.last() != Some(at) {
                rows.push(*at);
            }
        }
    }
    values
}

fn is_one_page(table: &Table<'_>, rows: &[u32]) -> bool {
    (rows.windows(2)).all(|two| table.cluster(two[0]) == table.cluster(two[1]))
}

#[cfg(test)]
mod tests {
    use super::{Table, propose};
    use crate::learn::{Options, Sample, accept::accepts, learn};

    /// A wiki with `visits` links to its login page, each from another page in another way; `odd` of them show
    /// something else.
    fn wiki(visits: usize, odd: usize) -> Vec<Sample> {
        let mut samples: Vec<Sample> = (0..60)
            .map(|n| {
                let url = format!("http://e.org/w?title=P{n}&view={}", n % 3);
                Sample::new(url, &format!("page {n}"))
            })
            .collect();
        samples.extend((0..visits).map(|n| {
            let url = format!("http://e.org/w?from{}=P{n}&title=Login", n % 7);
            let page = if n < odd {
                "hello again"
            } else {
                "who are you?"
            };
            Sample::new(url, page)
        }));
        samples
    }

    #[test]
    fn one_page_of_many_addresses_is_fetched_once_however_it_is_asked_for() {
        let rules = learn(&wiki(40, 0), &Options::default()).compile();
        let class = |url: &str| rules.canon(url).map_or(url.to_owned(), |c| c.class);
        assert_eq!(
            class("http://e.org/w?never=met&title=Login&before"),
            "http://e.org/w?title=Login"
        );
        let page = "http://e.org/w?never=met&title=P900";
        assert_eq!(class(page), page, "pages of the site are left alone");
    }

    #[test]
    fn a_wall_at_other_paths_needs_few_addresses_at_one_more() {
        let rule = "is:len=1 is:seg.0=vote => keep:".parse().unwrap();
        let is_accepted = |others: [&str; 2]| {
            let urls = ["vote", others[0], others[1]]
                .map(|path| (0..8).map(move |n| format!("http://e.com/{path}?to{n}=P{n}")));
            let samples: Vec<Sample> = urls
                .into_iter()
                .flatten()
                .map(|url| Sample::new(url, "who are you?"))
                .collect();
            let table = Table::new(&samples, 20);
            let options = Options::default();
            assert!(propose(&table).contains(&rule));
            accepts(&options, options.fpr_max, &rule, &table.try_rule(&rule), 0)
        };
        assert!(is_accepted(["post", "mail"]));
        assert!(!is_accepted(["post", "post/"]), "two paths are no wall");
    }

    #[test]
    fn a_value_that_leaves_nothing_to_the_others_does_so_at_further_paths() {
        let mut samples = wiki(0, 0);
        for path in 0..5 {
            samples.extend((0..8).map(|n| {
                let url = format!("http://e.com/{path}?bug={n}&login=1");
                Sample::new(url, &format!("who are you, at {path}?"))
            }));
        }
        let rules = learn(&samples, &Options::default()).compile();
        let class = |url: &str| rules.canon(url).map_or(url.to_owned(), |c| c.class);
        assert_eq!(
            class("http://e.com/9?bug=4&login=1"),
            "http://e.com/9?login=1"
        );
        let page = "http://e.com/9?bug=4";
        assert_eq!(class(page), page);
    }

    #[test]
    fn what_is_proposed_reads_as_it_is_written_whatever_the_names() {
        for query in ["=&a=", "&a=", "a&b=", "%3D=1&", "a%26b=1&c="] {
            let urls = (0..40).map(|n| {
                let url = format!("http://e.com/{}?{query}{n}", n % 4);
                Sample::new(url, if n % 4 == 3 { "pages" } else { "who are you?" })
            });
            let odd = |n| Sample::new(format!("http://e.com/{}?x={n}", n % 4), &format!("{n}"));
            let samples: Vec<Sample> = urls.chain((0..40).map(odd)).collect();
            let table = Table::new(&samples, 20);
            for rule in propose(&table) {
                assert_eq!(rule.to_string().parse(), Ok(rule));
            }
        }
        let samples: Vec<Sample> = (0..8)
            .map(|n| Sample::new(format!("http://e.com/a?=1&a={n}"), "one"))
            .chain([Sample::new("http://e.com/a?b", "another")])
            .collect();
        assert!(propose(&Table::new(&samples, 20)).is_empty());
    }

    #[test]
    fn paths_of_any_length_are_read() {
        for len in [254, 255, 256, 257, 600] {
            let path = "/a".repeat(len);
            let samples: Vec<Sample> = (0..8)
                .map(|n| Sample::new(format!("http://e.com{path}?to={n}"), "who are you?"))
                .collect();
            let proposed = propose(&Table::new(&samples, 20));
            assert_eq!(proposed.len(), usize::from(len <= 255), "{len}");
            learn(&samples, &Options::default());
        }
    }

    #[test]
    fn few_addresses_or_one_that_leads_elsewhere_are_no_proof() {
        for samples in [wiki(15, 0), wiki(40, 1)] {
            let rules = learn(&samples, &Options::default()).compile();
            let url = "http://e.org/w?never=met&title=Login";
            assert!(rules.canon(url).is_none());
        }
    }

    #[test]
    fn walls_everywhere_are_walls_whatever_few_other_pages_are_there() {
        let mut samples: Vec<Sample> = (0..10)
            .flat_map(|script| {
                (0..30).map(move |n| {
                    Sample::new(format!("http://e.org/s{script}?p{n}=1"), "who are you?")
                })
            })
            .collect();
        samples.extend(
            (0..15).map(|n| Sample::new(format!("http://e.org/view?id={n}"), &format!("page {n}"))),
        );
        let rules = learn(&samples, &Options::default()).compile();
        assert_eq!(
            rules.canon("http://e.org/s3?never=met").unwrap().class,
            "http://e.org/s3"
        );
    }

    #[test]
    fn what_most_searches_show_is_no_wall_where_few_were_met() {
        // Two searches in three find nothing.
        let samples: Vec<Sample> = (0..40)
            .flat_map(|list| (0..9).map(move |n| (list, n)))
            .map(|(list, n)| {
                let finds = xxhash_rust::xxh3::xxh3_64(&[list, n]).is_multiple_of(3);
                let page = if finds {
                    format!("{list} {n}")
                } else {
                    "nothing".to_owned()
                };
                Sample::new(format!("http://e.org/list{list}?q{n}=1"), &page)
            })
            .collect();
        let sinks = learn(&samples, &Options::default())
            .rules
            .into_iter()
            .filter(|entry| entry.by == super::NAME);
        assert_eq!(sinks.count(), 0);
    }

    #[test]
    fn one_parameter_that_does_not_matter_beside_a_value_says_nothing_of_others() {
        let lists = |others: &[&str]| -> Vec<Sample> {
            let of = |n: usize| {
                let urls = others.iter().map(move |other| {
                    let other = other.replace("{n}", &n.to_string());
                    let url = format!("http://e.org/list{n}?page=1&{other}");
                    Sample::new(url, &format!("list {n}"))
                });
                urls.collect::<Vec<_>>()
            };
            (0..12).flat_map(of).collect()
        };
        let keeps = |others: &[&str]| {
            let rules = propose(&Table::new(&lists(others), 20));
            rules
                .iter()
                .any(|rule| rule.to_string() == "is:query.page=1 => keep:page")
        };
        assert!(!keeps(&["view=a", "view=b", "view=c"]));
        let names = ["view=a&cat={n}", "view=b&cat={n}", "cat={n}"];
        assert!(!keeps(&names));
        assert!(keeps(&[
            "sid=a", "sid=b", "sid=c", "by=a", "by=b", "from=c"
        ]));
    }
}
