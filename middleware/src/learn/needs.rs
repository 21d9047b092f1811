//! Finds the edits of a rule that are needed by the pages that confirm it.
//!
//! A rule with several edits is confirmed by URLs of one page that it makes one. If they would be one even without some
//! edit, they say nothing about that edit: it is a guess about pages nobody has met. An edit is *needed* if some of
//! these URLs would fall apart without it. Every rule sorts what it changes like `=> sort`: URLs that differ in the
//! order of their parameters need no edit but that one.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{deed::Deed, found::hash_of, groups::Groups, table::Table};
use crate::rules::{Edit, Parts, Rule};

/// Rows of which each is compared with each.
const FEW: usize = 8;

/// Whether the rule is about the order of parameters alone.
pub(super) fn is_of_order(rule: &Rule) -> bool {
    rule.edits == [Edit::Sort]
}

/// Whether it says something of the order of parameters.
pub(super) fn sorts(rule: &Rule) -> bool {
    rule.edits.contains(&Edit::Sort)
}

/// The hash of a URL, given that of its text, with its parameters in order.
pub(super) fn hash_in_order(hash: u64, parts: &Parts<'_>) -> u64 {
    if parts.is_query_sorted() {
        hash
    } else {
        hash_of(&parts.render())
    }
}

/// Whether the parameters of a URL are in order, as far as that can be seen without taking it apart.
fn is_surely_in_order(url: &str) -> bool {
    let octets = url.as_bytes();
    let Some(begin) = memchr::memchr(b'?', octets) else {
        return true;
    };
    let query = &octets[begin + 1..];
    let mut last = &[][..];
    memchr::memchr2(b';', b'#', query).is_none()
        && query.split(|octet| *octet == b'&').all(|param| {
            let end = memchr::memchr(b'=', param).unwrap_or(param.len());
            let before = std::mem::replace(&mut last, &param[..end]);
            before <= last
        })
}

/// The length of a URL, if it has what its parts are put together to: a path, and no fragment. Told of URLs of the web
/// alone.
pub(super) fn length_put_together(url: &str) -> Option<u32> {
    let rest = (url.strip_prefix("http://")).or_else(|| url.strip_prefix("https://"))?;
    let octets = rest.as_bytes();
    let end = memchr::memchr3(b'/', b'?', b'#', octets)?;
    let is_whole = octets[end] == b'/' && memchr::memchr(b'#', &octets[end..]).is_none();
    is_whole.then(|| u32::try_from(url.len()).ok())?
}

impl Table<'_> {
    /// The rule with those of its edits without which some group that speaks for it (what it did by itself) and is
    /// `heard` would fall apart. Where none speaks, nothing is known of any.
    pub(super) fn needed(&self, rule: &Rule, deed: &Deed, heard: impl Fn(&[u32]) -> bool) -> Rule {
        let mut rule = rule.clone();
        let speaks = |group: &&[u32]| rule.edits.len() > 1 && heard(group) && self.is_pure(group);
        let groups: Vec<&[u32]> = deed.groups.iter().filter(speaks).collect();
        if groups.is_empty() {
            return rule;
        }
        let has_order = sorts(&rule);
        for at in (0..rule.edits.len()).rev() {
            let mut fewer = rule.clone();
            fewer.edits.remove(at);
            let is_one = |group: &&[u32]| self.is_one(group, &fewer, has_order);
            if !fewer.edits.is_empty() && groups.iter().all(is_one) {
                rule = fewer;
            }
        }
        rule
    }

    /// Whether the rule makes one URL of these; `has_order`: the order of parameters is a difference.
    fn is_one(&self, rows: &[u32], rule: &Rule, has_order: bool) -> bool {
        let (mut parts, mut spare) = (Parts::none(), Parts::none());
        let mut form = |at: u32| {
            self.take_apart(at as usize, &mut parts);
            if rule.apply(&mut parts) {
                hash_of(&parts.render())
            } else if has_order {
                self.rows[at as usize].hash
            } else {
                self.in_parameter_order(at, &mut spare)
            }
        };
        let first = form(rows[0]);
        rows[1..].iter().all(|at| form(*at) == first)
    }

    /// The hash of a row with its parameters in order; `spare` is where it is taken apart if need be.
    fn in_parameter_order<'t>(&'t self, at: u32, spare: &mut Parts<'t>) -> u64 {
        let row = &self.rows[at as usize];
        if let Some(known) = self.in_parameter_orders().get(at as usize) {
            return *known;
        }
        if !is_surely_in_order(&row.text) && spare.read(&row.text) {
            hash_in_order(row.hash, spare)
        } else {
            row.hash
        }
    }

    /// Whether no two of a few rows are as long as each other, so that they differ in more than an order. Not told of
    /// URLs that are longer or shorter than what their parts are put together to.
    fn differ_in_length(&self, rows: &[u32]) -> bool {
        if rows.len() > FEW {
            return false;
        }
        let lengths = self.lengths();
        let mut known = SmallVec::<[u32; FEW]>::new();
        rows.iter().all(|at| {
            let length = lengths[*at as usize];
            let is_new = length > 0 && !known.contains(&length);
            known.push(length);
            is_new
        })
    }

    /// Leaves in the last group one of those rows that differ in the order of their parameters alone: that which the
    /// rule does not change, or the first.
    pub(super) fn forget_order(&self, groups: &mut Groups) {
        let Some(group) = groups.last() else { return };
        if self.differ_in_length(group) {
            return;
        }
        let mut spare = Parts::none();
        let forms: Vec<u64> = (group.iter())
            .map(|at| self.in_parameter_order(*at, &mut spare))
            .collect();
        let is_in_order = |(at, form): (&u32, &u64)| self.rows[*at as usize].hash == *form;
        if group.iter().zip(&forms).all(is_in_order) {
            return;
        }
        let changed = groups.last_changed().len();
        let mut stays: FxHashMap<u64, u32> = FxHashMap::default();
        for (place, (at, form)) in group.iter().zip(&forms).enumerate() {
            let other = stays.entry(*form).or_insert(*at);
            if place >= changed || self.order(*at, *other).is_lt() {
                *other = *at;
            }
        }
        if stays.len() < forms.len() {
            let mut forms = forms.iter();
            groups.thin_last(|at| forms.next().is_some_and(|form| stays[form] == at));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{is_surely_in_order, length_put_together};
    use crate::{
        learn::{Algorithm, Options, Sample, learn, table::Table},
        rules::{Entry, Parts, Rule, Site},
    };

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn what_is_seen_without_taking_a_url_apart_is_so(
            url in "(http|https|x)://[a-b]{0,2}[/;a-c=?&#%]{0,18}"
        ) {
            if let Some(parts) = Parts::parse(&url) {
                prop_assert!(!is_surely_in_order(&url) || parts.is_query_sorted(), "{}", url);
                if let Some(length) = length_put_together(&url) {
                    prop_assert_eq!(parts.render().len(), length as usize, "{}", url);
                }
            }
        }
    }

    /// Sets of URLs, each of which has one page.
    fn pages<S: AsRef<str>>(sets: impl IntoIterator<Item = Vec<S>>) -> Vec<Sample> {
        let pages = sets.into_iter().enumerate();
        let of = |(n, urls): (usize, Vec<S>)| {
            let sample = |url: S| {
                Sample::new(
                    format!("http://e.org/{}", url.as_ref()),
                    &format!("page {n}"),
                )
            };
            urls.into_iter().map(sample).collect::<Vec<_>>()
        };
        pages.flat_map(of).collect()
    }

    /// Things of a shop, whose parameters stand in two orders; so many are found without the shop, too.
    fn shop(bare: usize) -> Vec<Sample> {
        pages((0..30).map(|n| {
            let orders = [format!("id={n}&lang=de"), format!("lang=de&id={n}")];
            let mut urls: Vec<String> = orders.map(|query| format!("shop/item?{query}")).into();
            urls.extend((n < bare).then(|| format!("?id={n}&lang=de")));
            urls
        }))
    }

    /// Whether the rules take things for what is found without the shop.
    fn leaves_shop_out(site: &Site) -> bool {
        let rules = site.compile();
        let [one, other] = ["", "shop/item"].map(|path| {
            let url = format!("http://e.org/{path}?id=900&lang=de");
            rules.canon(&url).map_or(url, |canon| canon.class)
        });
        one == other
    }

    #[test]
    fn the_order_of_parameters_speaks_for_no_edit_but_that() {
        let samples = shop(0);
        let rule = |edits: &str| -> Rule { format!("is:len=2 => {edits}").parse().unwrap() };
        for table in [
            Table::new(&samples, 20),
            Table::to_prove_on(&samples, |sample| (sample, 0), 20, 1),
        ] {
            let deed = table.try_rule(&rule("drop:seg.1 drop:seg.0"));
            assert_eq!((deed.trials, deed.support, deed.saved), (0, 0, 0));
            assert_eq!(table.try_rule(&rule("sort")).trials, 30);
            let both = table.try_rule(&rule("drop:seg.1 sort"));
            assert_eq!(both.trials, 30);
        }
    }

    #[test]
    fn of_urls_that_differ_in_order_alone_one_speaks_for_a_rule() {
        let samples = shop(30);
        let table = Table::new(&samples, 20);
        let rule = "is:len=2 => drop:seg.1 drop:seg.0".parse().unwrap();
        let deed = table.try_rule(&rule);
        assert_eq!((deed.trials, deed.support, deed.saved), (30, 30, 30));
        for [copy, original] in table.evidence(&deed).examples {
            assert!(copy.contains("/shop/item?id") && !original.contains("shop"));
        }
    }

    #[test]
    fn different_pages_in_two_orders_speak_against_a_rule() {
        let orders = (0..30).flat_map(|n| {
            [
                vec![format!("shop/item?id={n}&lang=de")],
                vec![format!("shop/item?lang=de&id={n}")],
            ]
        });
        let samples = pages(orders);
        let rule = "is:len=2 => drop:seg.1".parse().unwrap();
        assert_eq!(Table::new(&samples, 20).try_rule(&rule).failures, 30);
    }

    #[test]
    fn edits_are_learned_from_pages_that_need_them() {
        for algorithm in [Algorithm::Classes, Algorithm::Both] {
            let options = Options {
                algorithm,
                ..Options::default()
            };
            for (bare, is_shown) in [(2, false), (30, true)] {
                let site = learn(&shop(bare), &options);
                let rules = &site.rules;
                assert_eq!(leaves_shop_out(&site), is_shown, "{rules:?}");
                let sorts = |entry: &&Entry| entry.rule.to_string() == "=> sort";
                let sort = rules.iter().find(sorts).unwrap();
                assert_eq!((sort.evidence.trials, sort.evidence.failures), (30, 0));
            }
        }
    }

    #[test]
    fn a_rule_keeps_the_edits_that_some_pages_need() {
        let needed = |rule: &str, sets: &[&[&str]]| {
            let samples = pages(sets.iter().map(|urls| urls.to_vec()));
            let table = Table::new(&samples, 20);
            let rule: Rule = rule.parse().unwrap();
            let deed = table.try_rule(&rule);
            table.needed(&rule, &deed, |_| true).to_string()
        };
        let mirror = "is:seg.0=m => drop:seg.0 drop:query.s";
        for (rule, sets, expected) in [
            (
                mirror,
                &[&["m/a?s=1", "m/a?s=2"][..]][..],
                "is:seg.0=m => drop:query.s",
            ),
            (mirror, &[&["m/a?s=1", "m/a?s=2", "a"]], mirror),
            (mirror, &[&["m/a?s=1", "m/a"], &["m/b", "b"]], mirror),
            (mirror, &[&["m/a", "a"]], "is:seg.0=m => drop:seg.0"),
            // Nothing is known of what nothing speaks for.
            (mirror, &[&["m/a?s=1"]], mirror),
            // Either would do.
            ("=> lower-path lower:seg.0", &[&["A", "a"]], "=> lower-path"),
            // It only tells apart what the other would confuse.
            (
                "is:len=2 => copy:seg.1>seg.0 drop:seg.1",
                &[&["t/a;s=1", "t/a;s=2"]],
                "is:len=2 => drop:seg.1",
            ),
        ] {
            assert_eq!(needed(rule, sets), expected, "{sets:?}");
        }
    }
}
