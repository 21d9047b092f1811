//! Sinks that are told by the path: folders whose every name leads to one page, and last segments that do so in whatever folder.

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{PATHS, Pages, SINK_URLS, is_one_page};
use crate::{
    learn::{sections::is_word, table::Table},
    rules::{Condition, Edit, Key, Parts, Rule},
};

/// Longest path whose folders are looked at: the time grows with the square.
const LONGEST: usize = 16;

/// Rules for folders whose every name leads to one page, as `/members/kim` and `/members/ann` to the form to log in.
pub(super) fn folders(table: &Table<'_>) -> Vec<Rule> {
    let has_name =
        |parts: &Parts<'_>| parts.query.is_empty() && (2..=LONGEST).contains(&parts.segs.len());
    let rows = || {
        (0u32..)
            .zip(&table.apart)
            .filter(|(_, parts)| has_name(parts))
    };
    let is_large = |at: u32| u64::from(table.size(table.cluster(at))) >= SINK_URLS;
    // Each by the number of segments, the place of the name, and a hash of the others.
    let mut folders: FxHashMap<(usize, usize, u64), Vec<u32>> = FxHashMap::default();
    for (_, parts) in rows().filter(|(at, _)| is_large(*at)) {
        for place in 0..parts.segs.len() {
            folders
                .entry((parts.segs.len(), place, others(parts, place)))
                .or_default();
        }
    }
    if folders.is_empty() {
        return Vec::new();
    }
    // What the URLs show that have as many segments and the same first one.
    let mut pages: FxHashMap<(usize, &str), Pages> = FxHashMap::default();
    for (at, parts) in rows() {
        let segs = &parts.segs;
        for place in 0..segs.len() {
            if let Some(rows) = folders.get_mut(&(segs.len(), place, others(parts, place))) {
                rows.push(at);
            }
        }
        pages
            .entry((segs.len(), &segs[0]))
            .or_default()
            .add(table, &[at]);
    }
    let is_sink = |(_, rows): &(_, Vec<u32>)| {
        let Some(first) = rows
            .first()
            .filter(|_| rows.len() as u64 >= SINK_URLS && is_one_page(table, rows))
        else {
            return false;
        };
        let segs = &table.apart[*first as usize].segs;
        !pages[&(segs.len(), &*segs[0])].may_be_luck(table, rows)
    };
    let found = folders
        .into_iter()
        .filter(is_sink)
        .filter_map(|((len, place, _), rows)| {
            let segs = &table.apart[*rows.first()? as usize].segs;
            let others = (0..=u8::MAX)
                .zip(segs)
                .filter(|(other, _)| usize::from(*other) != place);
            let mut conditions: Vec<Condition> = others
                .map(|(other, segment)| Condition::Is(Key::Seg(other), (&**segment).into()))
                .collect();
            conditions.push(Condition::Is(Key::Len, len.to_string().into()));
            // A query may ask for something else.
            conditions.push(Condition::Only(Vec::new()));
            Some(Rule::new(
                conditions,
                vec![Edit::Mask(Key::Seg(place as u8))],
            ))
        });
    found.collect()
}

/// Rules for last segments that lead to one page in whatever folder, as `/photos/7/edit` and `/people/kim/edit` to the form to log in.
pub(super) fn tails(table: &Table<'_>) -> Vec<Rule> {
    let has_tail = |parts: &Parts<'_>| parts.query.is_empty() && parts.segs.len() > 1;
    let mut tails: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
    let mut pages = Pages::default();
    for (at, parts) in (0u32..).zip(&table.apart) {
        if has_tail(parts)
            && let Some(tail) = parts.segs.last().filter(|tail| is_word(tail))
        {
            tails.entry(tail).or_default().push(at);
            pages.add(table, &[at]);
        }
    }
    let is_sink = |rows: &[u32]| {
        let folders = rows.iter().map(|at| &table.apart[*at as usize].segs[0]);
        rows.len() as u64 >= SINK_URLS
            && is_one_page(table, rows)
            // What some pages lack, as reviews, is said of these alone.
            && table.size(table.cluster(rows[0])) as usize > rows.len()
            && folders.collect::<FxHashSet<_>>().len() >= PATHS
            && !pages.may_be_luck(table, rows)
    };
    let found = tails.into_iter().filter(|(_, rows)| is_sink(rows));
    let rule = |tail: &str| {
        let conditions = vec![
            Condition::Is(Key::Tail(0), tail.into()),
            Condition::Only(Vec::new()),
        ];
        Rule::new(conditions, vec![Edit::Set(Key::Rest(0), tail.into())])
    };
    found.map(|(tail, _)| rule(tail)).collect()
}

/// Whether the rule is about a last segment that leads to one page in whatever folder.
pub(in crate::learn) fn is_of_tail(rule: &Rule) -> bool {
    let [Edit::Set(Key::Rest(0), value)] = &rule.edits[..] else {
        return false;
    };
    (rule.pattern.0.iter())
        .any(|condition| matches!(condition, Condition::Is(Key::Tail(0), tail) if tail == value))
}

/// Stands for all segments but the one at this place.
fn others(parts: &Parts<'_>, place: usize) -> u64 {
    let others = (0..).zip(&parts.segs).filter(|(other, _)| *other != place);
    others.fold(0, |name, (_, segment)| {
        xxh3_64_with_seed(segment.as_bytes(), name)
    })
}

#[cfg(test)]
mod tests {
    use crate::learn::{Options, Sample, learn};

    /// The class of a URL by rules of a club of 60 pages, `members` of which lead to the form to log in, and `others` at addresses of their own.
    fn class_in_club(members: usize, others: &[&str], url: &str) -> String {
        let page = |path: String, page: String| Sample::new(format!("http://e.org/{path}"), &page);
        let mut samples: Vec<Sample> = (0..60)
            .map(|n| page(format!("news/a{n}"), format!("news {n}")))
            .collect();
        samples.extend((0..members).map(|n| page(format!("members/m{n}"), "who are you?".into())));
        samples.extend(
            others
                .iter()
                .map(|path| page((*path).to_owned(), (*path).to_owned())),
        );
        let url = format!("http://e.org/{url}");
        learn(&samples, &Options::default())
            .compile()
            .canon(&url)
            .map_or(url, |canon| canon.class)
    }

    #[test]
    fn a_folder_whose_every_name_leads_to_one_page_is_fetched_once() {
        let is_one = |members, others: &[&str]| {
            let [one, two] =
                ["members/x", "members/y"].map(|url| class_in_club(members, others, url));
            one == two
        };
        assert!(is_one(40, &[]));
        assert!(!is_one(40, &["members/open"]), "one leads elsewhere");
        assert!(!is_one(15, &[]), "too few");
        let [one, two] = ["members/x?album=1", "members/y?album=1"]
            .map(|url| class_in_club(40, &["members/m3?album=2"], url));
        assert_ne!(one, two, "nothing is known of what a query asks for");
    }

    #[test]
    fn a_last_segment_that_leads_to_the_form_to_log_in_does_so_in_whatever_folder() {
        let site = |odd: usize| -> Vec<Sample> {
            let of = |n: usize| {
                let folder = format!(
                    "http://e.org/{}/item{n}",
                    ["photos", "people", "texts", "maps"][n % 4]
                );
                let form = if n < odd {
                    format!("form {n}")
                } else {
                    "name and password".to_owned()
                };
                [
                    Sample::new(format!("{folder}/edit"), &form),
                    Sample::new(&*folder, &format!("item {n}")),
                    Sample::new(format!("{folder}/history"), &format!("history {n}")),
                ]
            };
            let login = Sample::new("http://e.org/login", "name and password");
            (0..40).flat_map(of).chain([login]).collect()
        };
        let class = |odd: usize, path: &str| {
            let rules = learn(&site(odd), &Options::default()).compile();
            let url = format!("http://e.org/{path}");
            rules.canon(&url).map_or(url, |canon| canon.class)
        };
        let differ = |odd: usize, tail: &str| {
            class(odd, &format!("new/folder/{tail}"))
                != class(odd, &format!("photos/item900/{tail}"))
        };
        assert!(!differ(0, "edit"));
        assert!(differ(0, "history") && differ(0, "watch"));
        assert!(differ(2, "edit"));
    }
}
