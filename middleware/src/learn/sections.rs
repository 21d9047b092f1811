//! The sections of a site in which a rule may act.
//!
//! What a parameter does in the shop, it need not do in the help pages. A *section* is the segment at the first place of the path at which
//! the site's URLs branch. A rule about what names the page is limited to the sections in which it was confirmed, one rule for each, until
//! there are so many of them without a failure that it counts for the whole site. For what most sites do alike (letter case, `;`
//! parameters, print views), two sections are enough, if one lesson meets both. Sections do not matter for scheme, host, order, the
//! trailing slash, what static normalization assumes of all sites, and what a sink keeps.

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{deed::Deed, prior, sinks::is_of_tail, table::Table};
use crate::{
    letters::has_digit,
    rules::{Condition, Edit, Key, Parts, Rule},
};

/// Pages that must have shown a rule right, before it is taken to be so in all sections; of each section few count.
const PAGES: usize = 6;
const OF_EACH: usize = 2;
/// The same, of a rule about what most sites do alike in all sections, or in none.
const PAGES_OF_COMMON: usize = 4;

/// Where a site's paths branch: behind segments that are the same in all URLs that have them.
#[derive(Clone, Debug)]
pub(super) struct Sections {
    common: Vec<Box<str>>,
}

/// What a rule's groups say about one section.
#[derive(Debug, Default)]
struct Told {
    section: Vec<Condition>,
    pages: FxHashSet<u64>,
    has_failed: bool,
}

impl Told {
    /// The segments of the section whatever their case; none where there is no segment.
    fn in_any_case(&self) -> Vec<Option<String>> {
        let segment = |condition: &Condition| match condition {
            Condition::Is(_, segment) => Some(segment.to_lowercase()),
            _ => None,
        };
        self.section.iter().map(segment).collect()
    }
}

/// A rule where it may act, and what it does there.
#[derive(Clone, Debug)]
pub(super) struct Held {
    /// There is one rule, which may act in all sections that it was seen in; otherwise one for each of these, right or not, in
    /// order of their names.
    pub(super) is_everywhere: bool,
    pub(super) rules: Vec<(Rule, Deed)>,
}

impl Held {
    fn everywhere(rule: Rule, deed: Deed) -> Self {
        Self {
            is_everywhere: true,
            rules: vec![(rule, deed)],
        }
    }
}

impl Sections {
    pub(super) fn of(table: &Table<'_>) -> Self {
        let mut common = Vec::new();
        while common.len() < usize::from(u8::MAX)
            && let Some(segment) = common_segment(table, common.len())
        {
            common.push(segment);
        }
        Self { common }
    }

    /// The place at which they branch.
    fn place(&self) -> u8 {
        self.common.len() as u8
    }

    /// The section of a URL, as conditions of a rule.
    fn of_url(&self, parts: &Parts<'_>) -> Vec<Condition> {
        let segments = (0..=self.place()).zip(&parts.segs);
        let mut section: Vec<Condition> = segments
            .map(|(at, segment)| Condition::Is(Key::Seg(at), (&**segment).into()))
            .collect();
        if section.len() <= self.common.len() {
            section.push(Condition::No(Key::Seg(section.len() as u8)));
        }
        section
    }

    /// A name of the section of a URL.
    fn name(&self, parts: &Parts<'_>) -> u64 {
        let segments = parts.segs.iter().take(self.common.len() + 1);
        segments.fold(0, |name, segment| {
            xxh3_64_with_seed(segment.as_bytes(), name.wrapping_add(1))
        })
    }

    /// Where the rule may act.
    pub(super) fn hold(&self, table: &Table<'_>, rule: Rule, deed: Deed) -> Held {
        if is_of_the_site(&rule) {
            return Held::everywhere(rule, deed);
        }
        if self.names_one(&rule) {
            let (rule, deed) = self.within_folders(table, rule, deed);
            return Held::everywhere(rule, deed);
        }
        let told = self.told(table, &rule, &deed);
        if is_shown_in_many(&rule, told.values()) {
            return self.behind_common(table, rule, deed, told.values());
        }
        self.each(table, &rule, told.into_values())
    }

    /// A rule that is wrong in some sections, in each of them; nothing if it is one about the whole site, or about one section.
    pub(super) fn split(&self, table: &Table<'_>, rule: &Rule, deed: &Deed) -> Option<Held> {
        if is_of_the_site(rule) || self.names_one(rule) {
            return None;
        }
        let told = self.told(table, rule, deed);
        Some(self.each(table, rule, told.into_values()))
    }

    /// What the groups of a rule say about each section.
    fn told(&self, table: &Table<'_>, rule: &Rule, deed: &Deed) -> FxHashMap<u64, Told> {
        let mut told: FxHashMap<u64, Told> = FxHashMap::default();
        let mut spare = Parts::none();
        for group in deed.groups.iter() {
            let is_pure = table.is_pure(group);
            for at in group {
                let parts = table.parts(*at, &mut spare);
                if rule.pattern.matches(parts) {
                    let told = told.entry(self.name(parts)).or_insert_with(|| Told {
                        section: self.of_url(parts),
                        ..Told::default()
                    });
                    told.has_failed |= !is_pure;
                    if is_pure {
                        told.pages.insert(table.cluster(*at));
                    }
                }
            }
        }
        told
    }

    /// The rule in each of these sections.
    fn each(&self, table: &Table<'_>, rule: &Rule, told: impl Iterator<Item = Told>) -> Held {
        let mut sections: Vec<Vec<Condition>> = told.map(|told| told.section).collect();
        sections.sort();
        let tried = sections.into_iter().map(|section| {
            let rule = rule.narrowed(section);
            let deed = table.try_rule(&rule);
            self.within_folders(table, rule, deed)
        });
        Held {
            is_everywhere: false,
            rules: tried.collect(),
        }
    }

    /// A rule of one section, held to the folders within it that all URLs lie in which show it: what was only ever met in
    /// `/repository/changeset/…` may do something else in `/repository/diff/…`, and `/de/report/…` may be a page of its own where
    /// `/de/item/…` is that without `de`. Folders with a number in their names come and go.
    pub(super) fn within_folders(&self, table: &Table<'_>, rule: Rule, deed: Deed) -> (Rule, Deed) {
        let from = self.common.len() + 1;
        let mut folders: Option<Vec<Box<str>>> = None;
        let mut spare = Parts::none();
        for at in deed.groups.iter().flatten() {
            let parts = table.parts(*at, &mut spare);
            if !rule.pattern.matches(parts) {
                continue;
            }
            let own = parts.segs.iter().skip(from);
            let own = own.take(parts.segs.len().saturating_sub(from + 1));
            match &mut folders {
                None => {
                    let is_word = |segment: &&_| is_word(segment);
                    let words = own.map(|segment| &**segment).take_while(is_word);
                    folders = Some(words.map(Into::into).collect());
                }
                Some(folders) => {
                    let same = folders.iter().zip(own).take_while(|(a, b)| ***a == ***b);
                    let same = same.count();
                    folders.truncate(same);
                }
            }
            if folders.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
        }
        let is_told = |at: u8| {
            let mut conditions = rule.pattern.0.iter();
            conditions
                .any(|condition| matches!(condition, Condition::Is(Key::Seg(own), _) if *own == at))
        };
        let places = (from..).map_while(|at| u8::try_from(at).ok());
        let folders: Vec<Condition> = places
            .zip(folders.unwrap_or_default())
            .filter(|(at, _)| !is_told(*at))
            .map(|(at, segment)| Condition::Is(Key::Seg(at), segment))
            .collect();
        if folders.is_empty() {
            return (rule, deed);
        }
        let rule = rule.narrowed(folders);
        let deed = table.try_rule(&rule);
        (rule, deed)
    }

    /// A rule for all sections, where it may act: all of these may lie in one folder, which is the only one that it was tried in.
    fn behind_common<'t>(
        &self,
        table: &Table<'_>,
        rule: Rule,
        deed: Deed,
        mut told: impl Iterator<Item = &'t Told>,
    ) -> Held {
        let is_elsewhere = |condition: &Condition| matches!(condition, Condition::No(Key::Seg(at)) if *at < self.place());
        if self.common.is_empty() || told.any(|told| told.section.iter().any(is_elsewhere)) {
            return Held::everywhere(rule, deed);
        }
        let common = (0u8..).zip(&self.common);
        let folder = common.map(|(at, segment)| Condition::Is(Key::Seg(at), segment.clone()));
        let held = rule.narrowed(folder);
        // All that it was right or wrong about lies there.
        let deed = table.try_rule(&held);
        Held::everywhere(held, deed)
    }

    /// Whether a condition ties the rule to one section.
    fn names_one(&self, rule: &Rule) -> bool {
        rule.pattern.0.iter().any(|condition| match condition {
            Condition::Is(Key::Seg(at), _) | Condition::Starts(Key::Seg(at), _) => {
                *at == self.place()
            }
            Condition::No(Key::Seg(at)) => *at <= self.place(),
            Condition::Is(Key::Len, len) => (len.parse()).is_ok_and(|len: u8| len <= self.place()),
            _ => false,
        })
    }
}

/// The segment that all URLs have that have one here, if most have another behind it.
fn common_segment(table: &Table<'_>, place: usize) -> Option<Box<str>> {
    let mut spare = Parts::none();
    let mut first: Option<Box<str>> = None;
    let mut longer = 0;
    for at in 0..table.rows.len() as u32 {
        let segs = &table.parts(at, &mut spare).segs;
        longer += usize::from(segs.len() > place + 1);
        match (segs.get(place), &first) {
            (None, _) => {}
            (Some(segment), None) => first = Some((&**segment).into()),
            (Some(segment), Some(first)) if **segment == **first => {}
            (Some(_), Some(_)) => return None,
        }
    }
    first.filter(|_| longer * 2 > table.rows.len())
}

/// Whether so many sections show a rule right that it may act in all.
fn is_shown_in_many<'t>(rule: &Rule, told: impl Iterator<Item = &'t Told>) -> bool {
    // A page in two spellings is one, and a section that fails in one of them fails.
    let mut sections: FxHashMap<Vec<Option<String>>, (FxHashSet<u64>, bool)> = FxHashMap::default();
    for told in told {
        let (pages, has_failed) = sections.entry(told.in_any_case()).or_default();
        pages.extend(&told.pages);
        *has_failed |= told.has_failed;
    }
    let needed = if rule.edits.iter().all(is_common) {
        PAGES_OF_COMMON
    } else {
        PAGES
    };
    let clean = sections.into_values().filter(|(_, has_failed)| !has_failed);
    let counted = clean.map(|(pages, _)| pages.len().min(OF_EACH));
    counted.sum::<usize>() >= needed
}

/// Whether an edit is one that most sites would make in all sections, or in none.
fn is_common(edit: &Edit) -> bool {
    match edit {
        Edit::LowerPath | Edit::Drop(Key::PathParam(_)) => true,
        Edit::Drop(Key::Query(name)) => prior::is_decoration(name),
        _ => false,
    }
}

/// Whether a segment names a folder that stays.
pub(super) fn is_word(segment: &str) -> bool {
    !segment.is_empty() && !has_digit(segment)
}

/// Whether the rule is about how URLs of a site are spelled, or what static normalization assumes of all sites.
fn is_of_the_site(rule: &Rule) -> bool {
    prior::pages_for_usual(rule).is_some()
        || is_of_tail(rule)
        || rule.edits.iter().all(|edit| match edit {
            Edit::Sort
            | Edit::Keep(_)
            | Edit::Drop(Key::Slash)
            | Edit::Set(Key::Scheme | Key::Host, _) => true,
            Edit::Drop(Key::Query(name)) => name.is_empty(),
            _ => false,
        })
}

#[cfg(test)]
mod tests;
