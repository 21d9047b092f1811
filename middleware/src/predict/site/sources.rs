//! URLs that redirect to a page that was not met yet.
//!
//! They wait for it in bounded space: those that were not explored are removed first, the oldest before the others.
//! Where each leads is kept for a while longer, since other URLs may lead to it.

use std::collections::{BTreeMap, VecDeque};

use nodust_frontier::BeliefId;
use rustc_hash::FxHashMap;

use super::pages::name_of;
use crate::{
    heap::of_map,
    predict::{
        codec::{In, Out},
        parts::{CHUNK, Parts, Put, Section, chunks},
    },
};

/// Memory of all that wait, in bytes, and what one takes beside its URL, about.
const MOST_BYTES: usize = 2 << 20;
const BESIDE: usize = 160;
/// Sources that wait for one page.
const MOST_OF_PAGE: usize = 8;
/// URLs of which it is known where they lead.
const MOST_HOPS: usize = 4096;
/// Redirects that are followed.
const MOST_FOLLOWED: usize = 10;

/// A URL that redirects.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Source {
    pub(super) url: Box<str>,
    /// The belief that it was explored for.
    pub(super) probed: Option<BeliefId>,
    /// Name of the page that its link is on.
    pub(super) found_on: Option<u64>,
    /// Whether what it leads to is to tell whether it leads back.
    pub(super) is_asked: bool,
}

impl Source {
    const fn bytes(&self) -> usize {
        self.url.len() + BESIDE
    }

    fn write(&self, out: &mut Out) {
        out.text(&self.url);
        out.belief(self.probed);
        out.flag(self.found_on.is_some());
        out.fixed64(self.found_on.unwrap_or_default());
        out.flag(self.is_asked);
    }

    fn read(from: &mut In<'_>) -> Option<Self> {
        Some(Self {
            url: from.text()?.into(),
            probed: from.belief()?,
            found_on: {
                let (is_known, page) = (from.flag()?, from.fixed64()?);
                is_known.then_some(page)
            },
            is_asked: from.flag()?,
        })
    }
}

/// Whether a source was explored, and its number: the least of them gives way.
type Turn = (bool, u64);

/// URLs that redirect, and what is known of where they lead.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// Each with the name of the page that it waits for.
    waiting: BTreeMap<Turn, (u64, Source)>,
    of_page: FxHashMap<u64, Vec<Turn>>,
    /// Number of the next one.
    next: u64,
    bytes: usize,
    /// Where URLs lead, by their names, and these in the order in which they were met.
    hops: FxHashMap<u64, u64>,
    met: VecDeque<u64>,
    /// Whether a page of another site has ever come.
    pub(super) hears_abroad: bool,
}

impl Sources {
    /// The name of the page that a URL leads to, by all that is known.
    pub(super) fn end_of(&self, url: &str) -> u64 {
        let mut page = name_of(url);
        for _ in 0..MOST_FOLLOWED {
            match self.hops.get(&page) {
                Some(next) => page = *next,
                None => break,
            }
        }
        page
    }

    /// Notes that a URL leads to the page of this name.
    pub(super) fn leads(&mut self, url: &str, page: u64) {
        self.put_hop(name_of(url), page);
    }

    fn put_hop(&mut self, hop: u64, page: u64) {
        if self.hops.insert(hop, page).is_none() {
            self.met.push_back(hop);
        }
        if self.met.len() > MOST_HOPS
            && let Some(oldest) = self.met.pop_front()
        {
            self.hops.remove(&oldest);
        }
    }

    /// Lets a source wait for the page of this name.
    pub(super) fn let_wait(&mut self, source: Source, page: u64) {
        let turn = (source.probed.is_some(), self.next);
        self.next += 1;
        self.put(turn, page, source);
        let of_page = self.of_page.get(&page);
        if let Some(of_page) = of_page.filter(|turns| turns.len() > MOST_OF_PAGE)
            && let Some(first) = of_page.iter().min().copied()
        {
            self.remove(first);
        }
        while self.bytes > MOST_BYTES
            && let Some((first, _)) = self.waiting.first_key_value()
        {
            self.remove(*first);
        }
    }

    /// The sources that wait for the page of a URL, which do no longer: those that were explored first.
    pub(super) fn take(&mut self, url: &str) -> Vec<Source> {
        let mut turns = (self.of_page.get(&name_of(url)).cloned()).unwrap_or_default();
        turns.sort_unstable_by_key(|(is_probe, number)| (!is_probe, *number));
        let sources = turns.into_iter().filter_map(|turn| self.remove(turn));
        sources.collect()
    }

    /// Whether a source that was explored waits for the page of a URL.
    pub(super) fn is_probe_for(&self, url: &str) -> bool {
        if self.of_page.is_empty() {
            return false;
        }
        let turns = self.of_page.get(&name_of(url));
        turns.is_some_and(|turns| turns.iter().any(|(is_probe, _)| *is_probe))
    }

    /// Name of the page that the first link to the page of a URL is on, of those that redirect there and wait for it.
    pub(super) fn first_on(&self, url: &str) -> Option<u64> {
        if self.of_page.is_empty() {
            return None;
        }
        let turns = self.of_page.get(&name_of(url))?.iter();
        let first = turns.min_by_key(|(_, number)| *number)?;
        self.waiting.get(first)?.1.found_on
    }

    /// Names of pages for which sources wait.
    pub(super) fn awaited(&self) -> impl Iterator<Item = u64> {
        self.waiting.values().map(|(page, _)| *page)
    }

    /// Whether a source waits for the page of a URL.
    pub(super) fn is_awaited(&self, url: &str) -> bool {
        !self.of_page.is_empty() && self.of_page.contains_key(&name_of(url))
    }

    fn put(&mut self, turn: Turn, page: u64, source: Source) {
        self.bytes += source.bytes();
        self.of_page.entry(page).or_default().push(turn);
        self.waiting.insert(turn, (page, source));
    }

    fn remove(&mut self, turn: Turn) -> Option<Source> {
        let (page, source) = self.waiting.remove(&turn)?;
        self.bytes -= source.bytes();
        if let Some(turns) = self.of_page.get_mut(&page) {
            turns.retain(|other| *other != turn);
            if turns.is_empty() {
                self.of_page.remove(&page);
            }
        }
        Some(source)
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let hops = of_map(&self.hops) + self.met.capacity() * size_of::<u64>();
        self.bytes + of_map(&self.of_page) + hops
    }

    pub(super) fn save(&self, put: &mut Put<'_>) {
        // Few, and gone when their page is met: by a part of its name.
        let by_page = (self.waiting.iter()).map(|((_, number), (page, source))| {
            ((*page >> 58) as u32 * CHUNK, (*page, *number, source))
        });
        for (chunk, entries) in chunks(by_page) {
            let mut out = Out::default();
            for (_, (page, number, source)) in entries {
                out.fixed64(page);
                out.number(number);
                source.write(&mut out);
            }
            put(Section::Redirects, chunk, out.0);
        }
        if self.next == 0 && self.met.is_empty() {
            return;
        }
        let mut out = Out::default();
        out.number(self.next);
        out.flag(self.hears_abroad);
        for hop in &self.met {
            out.fixed64(*hop);
            out.fixed64(self.hops.get(hop).copied().unwrap_or_default());
        }
        put(Section::Hops, 0, out.0);
    }

    pub(super) fn load(parts: &Parts) -> Option<Self> {
        let mut sources = Self::default();
        if let Some(mut from) = parts.one(Section::Hops) {
            sources.next = from.number()?;
            sources.hears_abroad = from.flag()?;
            while !from.is_empty() {
                let (hop, page) = (from.fixed64()?, from.fixed64()?);
                sources.put_hop(hop, page);
            }
        }
        for (_, mut from) in parts.of(Section::Redirects) {
            while !from.is_empty() {
                let (page, number) = (from.fixed64()?, from.number()?);
                let source = Source::read(&mut from)?;
                let turn = (source.probed.is_some(), number);
                if number >= sources.next || sources.waiting.contains_key(&turn) {
                    return None;
                }
                sources.put(turn, page, source);
            }
        }
        Some(sources)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(number: u64, is_probe: bool) -> Source {
        Source {
            url: format!("http://e.org/s/{number}").into(),
            probed: is_probe.then(|| BeliefId::from_bits(number)),
            found_on: number.is_multiple_of(3).then_some(number),
            is_asked: number.is_multiple_of(6),
        }
    }

    fn page(number: u64) -> String {
        format!("http://e.org/p/{number}")
    }

    fn urls(sources: &[Source]) -> Vec<&str> {
        sources.iter().map(|source| &*source.url).collect()
    }

    #[test]
    fn what_was_not_explored_gives_way_first_and_the_oldest_before_the_others() {
        let mut sources = Sources::default();
        sources.let_wait(source(0, true), name_of(&page(0)));
        for number in 1..30_000 {
            sources.let_wait(source(number, false), name_of(&page(number)));
        }
        assert!(sources.bytes <= MOST_BYTES);
        assert!(sources.take(&page(1)).is_empty());
        assert_eq!(sources.take(&page(29_999)).len(), 1);
        assert_eq!(sources.take(&page(0)).len(), 1, "a probe");
    }

    #[test]
    fn of_many_sources_of_a_page_those_are_heard_that_were_explored() {
        let mut sources = Sources::default();
        for number in 0..12 {
            sources.let_wait(source(number, number % 4 == 1), name_of(&page(0)));
        }
        let heard = sources.take(&page(0));
        let expected = [1, 5, 9, 6, 7, 8, 10, 11].map(|number| source(number, false).url);
        assert_eq!(urls(&heard), expected.each_ref().map(|url| &**url));
        assert_eq!((sources.bytes, sources.of_page.len()), (0, 0));
    }

    #[test]
    fn a_hop_leads_where_it_led_and_a_circle_ends() {
        let mut sources = Sources::default();
        sources.leads(&page(1), name_of(&page(2)));
        assert_eq!(sources.end_of(&page(1)), name_of(&page(2)));
        sources.leads(&page(2), name_of(&page(1)));
        sources.end_of(&page(1));
        for number in 3..6000 {
            sources.leads(&page(number), name_of(&page(0)));
        }
        assert_eq!(sources.hops.len(), MOST_HOPS);
        assert_eq!(sources.end_of(&page(1)), name_of(&page(1)), "forgotten");
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut sources = Sources::default();
        for number in 0..900 {
            let target = name_of(&page(number / 3));
            sources.let_wait(source(number, number % 3 == 1), target);
            sources.leads(&source(number, false).url, target);
        }
        sources.take(&page(299));
        let chunks_of = |sources: &Sources| {
            let mut chunks = BTreeMap::new();
            sources.save(&mut |section, chunk, bytes| {
                chunks.insert((section, chunk), bytes);
            });
            chunks
        };
        let written = chunks_of(&sources);
        let mut parts = Parts::default();
        for ((section, chunk), bytes) in &written {
            parts.put(*section as u8, *chunk, bytes.clone());
        }
        let mut read = Sources::load(&parts).unwrap();
        assert_eq!(chunks_of(&read), written);
        assert_eq!(read.bytes, sources.bytes);
        assert_eq!(read.take(&page(7)), sources.take(&page(7)));
        for number in 0..300 {
            // What is full next gives way alike.
            for more in 0..9 {
                for it in [&mut read, &mut sources] {
                    it.let_wait(source(1000 + more, false), name_of(&page(number)));
                }
            }
        }
        assert_eq!(chunks_of(&read), chunks_of(&sources));
    }
}
