//! Keeps track of where redirecting URLs (sources) lead.
//!
//! What a source leads to counts as the content of the class that the rules give the source, as if it had been fetched there. It is
//! known when the page of the target is, at once or later; until then, the source waits. A URL that leads to a source leads where
//! that source leads.

use std::collections::{BTreeMap, VecDeque};

use nodust_frontier::BeliefId;
use rustc_hash::FxHashMap;

use crate::{
    predict::{
        codec::{In, Out},
        parts::{CHUNK, Parts, Put, Section},
    },
    sign::ClusterId,
};

/// Sources of one site that are remembered; the oldest make room.
pub(super) const MOST_SOURCES: usize = 20_000;

/// The belief that a source was explored for, on the host that it lies on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::learn) struct Probed {
    pub(super) host: Box<str>,
    pub(super) belief: BeliefId,
}

impl Probed {
    pub(super) fn write(&self, out: &mut Out) {
        let Self { host, belief } = self;
        out.text(host);
        out.fixed64(belief.to_bits());
    }

    pub(super) fn read(from: &mut In<'_>) -> Option<Self> {
        Some(Self {
            host: from.text()?.into(),
            belief: BeliefId::from_bits(from.fixed64()?),
        })
    }

    pub(super) fn write_any(probed: Option<&Self>, out: &mut Out) {
        out.flag(probed.is_some());
        if let Some(probed) = probed {
            probed.write(out);
        }
    }

    /// What [`write_any`](Self::write_any) wrote.
    #[expect(clippy::option_option, reason = "outside: whether it could be read")]
    pub(super) fn read_any(from: &mut In<'_>) -> Option<Option<Self>> {
        Some(if from.flag()? {
            Some(Self::read(from)?)
        } else {
            None
        })
    }
}

/// What is known of the page that a source leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lead {
    /// Nothing yet.
    Open,
    /// Its content.
    To(ClusterId),
    /// It was fetched, and nothing was kept of it.
    Gone,
}

/// A URL that redirects.
#[derive(Debug)]
pub(super) struct Source {
    /// Its class, before any rule of this host.
    pub(super) class: Box<str>,
    /// That of the URL that it leads to in the end, as far as is known.
    pub(super) target: Box<str>,
    /// Pages that were known before it.
    pub(super) at: u32,
    pub(super) lead: Lead,
    /// Whether others lead over it.
    pub(super) is_step: bool,
    /// Until it was told what came of it.
    pub(super) probed: Option<Probed>,
    /// Names of both classes under the rules in force.
    pub(super) key: u64,
    pub(super) goal: u64,
}

impl Source {
    /// Whether the rules in force have it lead to its own class, which says nothing.
    pub(super) const fn leads_home(&self) -> bool {
        self.key == self.goal
    }

    fn write(&self, out: &mut Out) {
        out.text(&self.class);
        out.text(&self.target);
        out.number(u64::from(self.at));
        match self.lead {
            Lead::Open => out.byte(0),
            Lead::Gone => out.byte(1),
            Lead::To(content) => {
                out.byte(2);
                out.number(u64::from(content));
            }
        }
        out.flag(self.is_step);
        Probed::write_any(self.probed.as_ref(), out);
    }

    /// What [`write`](Self::write) wrote, but for the names of its classes, which follow from the rules in force.
    fn read(from: &mut In<'_>) -> Option<Self> {
        Some(Self {
            class: from.text()?.into(),
            target: from.text()?.into(),
            at: from.small()?,
            lead: match from.byte()? {
                0 => Lead::Open,
                1 => Lead::Gone,
                2 => Lead::To(from.small()?),
                _ => return None,
            },
            is_step: from.flag()?,
            probed: Probed::read_any(from)?,
            key: 0,
            goal: 0,
        })
    }
}

/// The sources of one site.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// As they were met.
    all: VecDeque<Source>,
    /// Number of the first of them.
    first: u64,
    /// Numbers of those that lead elsewhere, by their class, and of those that wait, by that of their target.
    of_class: FxHashMap<u64, VecDeque<u64>>,
    waiting: FxHashMap<u64, VecDeque<u64>>,
}

fn insert(table: &mut FxHashMap<u64, VecDeque<u64>>, key: u64, number: u64) {
    let numbers = table.entry(key).or_default();
    let at = numbers.partition_point(|other| *other < number);
    numbers.insert(at, number);
}

fn remove(table: &mut FxHashMap<u64, VecDeque<u64>>, key: u64, number: u64) {
    let Some(numbers) = table.get_mut(&key) else {
        return;
    };
    numbers.retain(|other| *other != number);
    if numbers.is_empty() {
        table.remove(&key);
    }
}

impl Sources {
    /// Hands out all of them.
    pub(super) fn save(&self, put: &mut Put<'_>) {
        let mut chunks: BTreeMap<u64, Out> = BTreeMap::new();
        for (number, source) in (self.first..).zip(&self.all) {
            let out = chunks.entry(number / u64::from(CHUNK)).or_insert_with(|| {
                let mut out = Out::default();
                out.number(number);
                out
            });
            source.write(out);
        }
        for (chunk, out) in chunks {
            // So many are not met.
            put(Section::Redirects, chunk as u32, out.0);
        }
    }

    /// Puts them together from what [`save`](Self::save) handed out; they have no names yet.
    pub(super) fn load(parts: &Parts, contents: ClusterId) -> Option<Self> {
        let mut sources = Self::default();
        for (_, mut from) in parts.of(Section::Redirects) {
            let number = from.number()?;
            if sources.all.is_empty() {
                sources.first = number;
            }
            if number != sources.first + sources.all.len() as u64 {
                return None;
            }
            while !from.is_empty() {
                let source = Source::read(&mut from)?;
                if matches!(source.lead, Lead::To(content) if content >= contents) {
                    return None;
                }
                sources.all.push_back(source);
            }
        }
        Some(sources)
    }

    /// All that is known, in order.
    #[cfg(test)]
    pub(super) fn told(&self) -> String {
        let Self {
            all,
            first,
            of_class,
            waiting,
        } = self;
        let of_class: BTreeMap<_, _> = of_class.iter().collect();
        let waiting: BTreeMap<_, _> = waiting.iter().collect();
        format!("{all:?} {first} {of_class:?} {waiting:?}")
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Source> {
        self.all.iter()
    }

    pub(super) fn get(&self, number: u64) -> Option<&Source> {
        self.all
            .get(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    fn get_mut(&mut self, number: u64) -> Option<&mut Source> {
        let at = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.all.get_mut(at)
    }

    /// Those of a class that lead elsewhere, in order.
    pub(super) fn of_class(&self, key: u64) -> impl Iterator<Item = &Source> {
        let numbers = self.of_class.get(&key).into_iter().flatten();
        numbers.filter_map(|number| self.get(*number))
    }

    /// Where the first of them leads, over which another one does now.
    pub(super) fn step_over(&mut self, key: u64) -> Option<&Source> {
        let number = *self.of_class.get(&key)?.front()?;
        let step = self.get_mut(number)?;
        step.is_step = true;
        Some(step)
    }

    /// Whether a URL of a class is known to lead elsewhere.
    pub(super) fn knows(&self, class: &str, key: u64) -> bool {
        self.of_class(key).any(|source| *source.class == *class)
    }

    /// Whether any waits for a class.
    pub(super) fn awaits(&self, goal: u64) -> bool {
        self.waiting.contains_key(&goal)
    }

    /// Classes that any waits for.
    pub(super) fn goals(&self) -> impl Iterator<Item = &str> {
        let open = self.all.iter().filter(|source| source.lead == Lead::Open);
        open.map(|source| &*source.target)
    }

    /// Takes in one, and answers its number.
    pub(super) fn push(&mut self, source: Source) -> u64 {
        let number = self.first + self.all.len() as u64;
        self.all.push_back(source);
        self.file(number);
        number
    }

    /// Forgets the oldest.
    pub(super) fn pop(&mut self) {
        if let Some(source) = self.all.pop_front() {
            remove(&mut self.of_class, source.key, self.first);
            remove(&mut self.waiting, source.goal, self.first);
            self.first += 1;
        }
    }

    /// The sources that wait for a class, which do no longer.
    pub(super) fn arrived(&mut self, goal: u64) -> Vec<u64> {
        self.waiting.remove(&goal).unwrap_or_default().into()
    }

    /// One that waited leads on to where its target leads.
    pub(super) fn leads_on(&mut self, number: u64, to: (&str, u64, Lead)) {
        let Some(source) = self.get_mut(number) else {
            return;
        };
        let (key, (target, goal, lead)) = (source.key, to);
        source.target = target.into();
        source.goal = goal;
        source.lead = lead;
        remove(&mut self.of_class, key, number);
        self.file(number);
    }

    pub(super) fn set_lead(&mut self, number: u64, lead: Lead) {
        if let Some(source) = self.get_mut(number) {
            source.lead = lead;
        }
    }

    /// The belief for which one was explored, once.
    pub(super) fn take_probed(&mut self, number: u64) -> Option<Probed> {
        self.get_mut(number)?.probed.take()
    }

    /// Names all classes anew, and answers those whose target is to be looked for: they neither lead home nor are known.
    pub(super) fn rename(&mut self, key_of: impl Fn(&str) -> u64) -> Vec<u64> {
        self.of_class.clear();
        self.waiting.clear();
        for at in 0..self.all.len() {
            let source = &mut self.all[at];
            source.key = key_of(&source.class);
            source.goal = key_of(&source.target);
            self.file(self.first + at as u64);
        }
        let mut open: Vec<u64> = self.waiting.values().flatten().copied().collect();
        open.sort_unstable();
        open
    }

    /// One of those that [`rename`](Self::rename) told, whose target is known by its new name.
    pub(super) fn found(&mut self, number: u64, content: ClusterId) {
        let Some(source) = self.get_mut(number) else {
            return;
        };
        source.lead = Lead::To(content);
        let goal = source.goal;
        remove(&mut self.waiting, goal, number);
    }

    fn file(&mut self, number: u64) {
        let Some(source) = self.get(number) else {
            return;
        };
        if source.leads_home() {
            return;
        }
        let (key, goal, is_open) = (source.key, source.goal, source.lead == Lead::Open);
        insert(&mut self.of_class, key, number);
        if is_open {
            insert(&mut self.waiting, goal, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key_of(class: &str) -> u64 {
        xxhash_rust::xxh3::xxh3_64(class.as_bytes())
    }

    fn source(class: &str, target: &str) -> Source {
        Source {
            class: class.into(),
            target: target.into(),
            at: 0,
            lead: Lead::Open,
            is_step: false,
            probed: None,
            key: key_of(class),
            goal: key_of(target),
        }
    }

    #[test]
    fn nothing_is_left_of_what_made_room() {
        let mut sources = Sources::default();
        for n in 0..50 {
            sources.push(source(&format!("a{}", n % 7), &format!("b{}", n % 3)));
            if n >= 20 {
                sources.pop();
            }
        }
        assert_eq!(sources.len(), 20);
        let told = sources.told();
        // As if those alone had been met.
        sources.rename(key_of);
        assert_eq!(sources.told(), told);
        for _ in 0..20 {
            sources.pop();
        }
        assert!(sources.of_class.is_empty() && sources.waiting.is_empty());
    }

    #[test]
    fn sources_wait_until_the_page_comes_that_they_lead_to_in_the_end() {
        let mut sources = Sources::default();
        let a = sources.push(source("a", "b"));
        let home = sources.push(source("c", "c"));
        assert!(!sources.awaits(key_of("c")) && sources.get(home).is_some());
        assert_eq!(sources.arrived(key_of("b")), [a]);
        sources.leads_on(a, ("d", key_of("d"), Lead::Open));
        assert!(sources.awaits(key_of("d")) && !sources.awaits(key_of("b")));
        assert_eq!(sources.arrived(key_of("d")), [a]);
        sources.set_lead(a, Lead::To(7));
        let of_class: Vec<_> = sources.of_class(key_of("a")).map(|s| s.lead).collect();
        assert_eq!(of_class, [Lead::To(7)]);
        // A cycle leads nowhere.
        let e = sources.push(source("e", "f"));
        sources.arrived(key_of("f"));
        sources.leads_on(e, ("e", key_of("e"), Lead::Open));
        assert_eq!(sources.of_class(key_of("e")).count(), 0);
    }
}
