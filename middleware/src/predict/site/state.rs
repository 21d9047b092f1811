//! How does a site outlive the process?
//!
//! What is read back equals what was written, to the bit. The site is taken apart field by field, so that
//! a new one cannot be forgotten here.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::{
    ClusterId, OnTrial, Shown, Site, beliefs::key_of, firsts::MOST_EDITS, gone::Gone,
    members::MORE, refile::Round, refused::Refused, sources::Sources, walls::Walls,
};
use crate::{
    predict::{
        PredictConfig,
        belief::Belief,
        codec::{In, Out},
        form::{Edit, Form},
        parts::{CHUNK, Parts, Put, Section, chunks},
        turning::Turning,
        yields::{Moved, Row, Yield},
    },
    sign::{ChromeBook, Clusters, Figures},
};

/// What is counted by shape of URL, in 64 chunks.
fn by_shape<T>(counts: &FxHashMap<u64, T>) -> impl Iterator<Item = (u32, (&u64, &T))> {
    counts
        .iter()
        .map(|(shape, counts)| ((*shape >> 58) as u32 * CHUNK, (shape, counts)))
}

fn save_tables(tables: &FxHashMap<u64, Vec<Figures>>, put: &mut Put<'_>) {
    for (chunk, entries) in chunks(by_shape(tables)) {
        let mut out = Out::default();
        for (_, (shape, last)) in entries {
            out.fixed64(*shape);
            out.count(last.len());
            for figures in last {
                out.0.extend(figures.to_bytes());
            }
        }
        put(Section::Tables, chunk, out.0);
    }
}

fn load_tables(parts: &Parts) -> Option<FxHashMap<u64, Vec<Figures>>> {
    let mut tables = FxHashMap::default();
    for (_, mut from) in parts.of(Section::Tables) {
        while !from.is_empty() {
            let (shape, count) = (from.fixed64()?, from.count()?);
            let last: Option<_> = (0..count)
                .map(|_| Figures::from_bytes(from.take(Figures::BYTES)?))
                .collect();
            tables.insert(shape, last?);
        }
    }
    Some(tables)
}

impl Site {
    /// Whether nothing but the first pages is there, which only teach what chrome is.
    pub(crate) const fn is_warming(&self) -> bool {
        self.warming.is_some()
    }

    /// Hands out all that is known, in chunks; not while it [is warming](Self::is_warming).
    #[expect(
        clippy::too_many_lines,
        reason = "one table after the other, none of them forgotten"
    )]
    pub(crate) fn save(&self, put: &mut Put<'_>) {
        let Self {
            name: _,
            config,
            // These follow from the settings.
            ratios: _,
            careful: _,
            book,
            turning,
            asked: _,
            clusters,
            warming: _,
            pages,
            members,
            firsts,
            sources,
            edits,
            refused,
            // These seven follow from the edits, and what is believed of them.
            parts_of_active: _,
            where_held: _,
            numbers: _,
            index: _,
            results: _,
            active: _,
            active_results: _,
            beliefs,
            selectors,
            company: _,
            kinds,
            shown,
            ids,
            yields,
            budgets,
            rules,
            gone,
            walls,
            unfiled,
            // Only while a page is learned from.
            naming: _,
            candidates,
            stale,
            round,
            since_settled,
            generation,
            is_closed,
        } = self;
        book.save(put);
        turning.save(put);
        clusters.save(put);
        let all: Vec<(u32, ClusterId)> = (0..).zip(pages.clusters()).collect();
        for (chunk, of_chunk) in (0..).zip(all.chunks(CHUNK as usize)) {
            let mut out = Out::default();
            for (page, cluster) in of_chunk {
                let kind = pages.kind(*page);
                out.text(&pages.text(*page).unwrap_or_default());
                out.number(
                    u64::from(*cluster) << 2
                        | u64::from(kind.is_name) << 1
                        | u64::from(kind.is_void),
                );
            }
            put(Section::Pages, chunk, out.0);
        }
        // That a page has had its turn in this round tells whether it was confirmed, but for what stood there before.
        let stands = (firsts.all_stands())
            .map(|(key, page, is_confirmed)| (page, (key, is_confirmed != (page < round.next))));
        for (chunk, entries) in chunks(stands) {
            let mut out = Out::default();
            for (page, (key, is_outlived)) in entries {
                out.byte((page % CHUNK) as u8);
                out.fixed64(key);
                out.flag(is_outlived);
            }
            put(Section::Stands, chunk, out.0);
        }
        let by_edit = (firsts.all_firsts()).map(|(key, edit, page)| (page, (key, edit)));
        for (chunk, entries) in chunks(by_edit) {
            let mut out = Out::default();
            for (page, (key, edit)) in entries {
                out.byte((page % CHUNK) as u8);
                out.fixed64(key);
                out.number(u64::from(edit));
            }
            put(Section::Firsts, chunk, out.0);
        }
        for (chunk, entries) in chunks(members.all_more()) {
            let mut out = Out::default();
            for (cluster, pages) in entries {
                out.byte((cluster % CHUNK) as u8);
                for page in pages {
                    out.number(u64::from(page.wrapping_add(1)));
                }
            }
            put(Section::Members, chunk, out.0);
        }
        sources.save(put);
        gone.save(put);
        selectors.save(put);
        for (chunk, entries) in chunks(by_shape(&yields.shapes)) {
            let mut out = Out::default();
            for (_, (shape, counts)) in entries {
                let Yield {
                    fetched,
                    fresh,
                    row,
                    dry,
                    example,
                    granted,
                    reopened,
                    tables,
                } = counts;
                out.fixed64(*shape);
                for number in [fetched, fresh, dry, example, granted, reopened, tables] {
                    out.number(u64::from(*number));
                }
                row.write(&mut out);
                out.flag(budgets.contains_key(&self.budget_id(*shape)));
            }
            put(Section::Yields, chunk, out.0);
        }
        for (chunk, entries) in chunks(by_shape(&yields.moved)) {
            let mut out = Out::default();
            for (_, (shape, moved)) in entries {
                out.fixed64(*shape);
                let Moved {
                    away,
                    to,
                    here,
                    contents,
                    urls,
                    reopened,
                } = moved;
                out.fixed64(*to);
                for number in [away, here, reopened] {
                    out.number(u64::from(*number));
                }
                contents.write(&mut out);
                urls.write(&mut out);
                out.text(yields.redirecting.get(shape).map_or("", |url| url));
            }
            put(Section::Moved, chunk, out.0);
        }
        save_tables(&yields.tables, put);
        let mut by_edit: Vec<Vec<Cow<'_, Belief>>> = vec![Vec::new(); edits.len()];
        for belief in beliefs.iter() {
            by_edit[belief.edit() as usize].push(belief);
        }
        for (edit, mut beliefs) in (0..).zip(by_edit) {
            beliefs.sort_unstable_by_key(|belief| key_of(belief));
            let mut out = Out::default();
            for belief in beliefs {
                belief.write(&mut out);
                kinds.write(key_of(&belief), &mut out);
                shown.write(key_of(&belief), &mut out);
            }
            put(Section::Beliefs, edit, out.0);
        }
        let mut out = Out::default();
        let settings = serde_json::to_string(config).expect("settings are texts and numbers");
        out.text(&settings);
        out.number(u64::from(round.next));
        out.byte(round.left);
        out.flag(round.is_urgent);
        out.number(*generation);
        out.flag(*is_closed);
        out.flag(*candidates);
        out.flag(*stale);
        out.count(*since_settled);
        out.fixed64(*rules);
        out.number(*unfiled);
        out.count(ids.len());
        out.count(edits.len());
        for OnTrial {
            edit,
            parts: _,
            shown,
            active,
            successes,
            failures,
            in_a_row,
            peers,
        } in edits
        {
            let edit =
                serde_json::to_string(&**edit).expect("an edit is made of texts and numbers");
            out.text(&edit);
            shown.write(&mut out);
            for number in [active, successes, failures, in_a_row] {
                out.number(u64::from(*number));
            }
            out.number(peers.map_or(0, |peers| u64::from(peers) + 1));
        }
        refused.write(&mut out);
        gone.write_counts(&mut out);
        walls.write(&mut out);
        put(Section::Head, 0, out.0);
    }

    /// Puts a site together from what [`save`](Self::save) handed out; `None` when that cannot be.
    #[expect(
        clippy::too_many_lines,
        reason = "one table after the other, as they were written"
    )]
    pub(crate) fn load(name: &str, parts: &Parts) -> Option<Self> {
        let mut head = parts.one(Section::Head)?;
        let settings: PredictConfig = serde_json::from_str(head.text()?).ok()?;
        let mut site = Self::new(name, &settings);
        site.warming = None;
        site.round = Round {
            next: head.small()?,
            left: head.byte()?,
            is_urgent: head.flag()?,
        };
        site.book = ChromeBook::load(parts)?;
        site.turning = Turning::load(parts)?;
        site.clusters = Clusters::load(parts)?;
        let clusters = site.clusters.len() as u32;
        for (chunk, mut from) in parts.of(Section::Pages) {
            if chunk as usize * CHUNK as usize != site.pages.len() {
                return None;
            }
            while !from.is_empty() {
                site.load_page(&mut from, clusters)?;
            }
        }
        let pages = site.pages.len() as u32;
        if site.round.next >= pages.max(1) {
            return None;
        }
        let page_of = |chunk: u32, from: &mut In<'_>| {
            let page = chunk.checked_mul(CHUNK)? + u32::from(from.byte()?);
            Some(page).filter(|page| *page < pages)
        };
        for (chunk, mut from) in parts.of(Section::Stands) {
            while !from.is_empty() {
                let page = page_of(chunk, &mut from)?;
                let key = from.fixed64()?;
                let is_outlived = from.flag()?;
                let is_confirmed = is_outlived != (page < site.round.next);
                site.firsts.let_stand(key, page, is_confirmed);
            }
        }
        for (chunk, mut from) in parts.of(Section::Firsts) {
            while !from.is_empty() {
                let page = page_of(chunk, &mut from)?;
                let key = from.fixed64()?;
                let edit = from.small().filter(|edit| (*edit as usize) < MOST_EDITS)?;
                site.firsts.file(key, edit, page);
            }
        }
        for (chunk, mut from) in parts.of(Section::Members) {
            while !from.is_empty() {
                let cluster = chunk.checked_mul(CHUNK)? + u32::from(from.byte()?);
                let mut more = [0; MORE];
                for page in &mut more {
                    *page = from.small()?.wrapping_sub(1);
                    Some(*page).filter(|page| *page == u32::MAX || *page < pages)?;
                }
                site.members.put_more(cluster, more);
            }
        }
        site.sources = Sources::load(parts)?;
        site.gone = Gone::load(parts)?;
        site.selectors.load(parts)?;
        for (_, mut from) in parts.of(Section::Yields) {
            while !from.is_empty() {
                let shape = from.fixed64()?;
                let counts = Yield {
                    fetched: from.small()?,
                    fresh: from.small()?,
                    dry: from.small()?,
                    example: from.small()?,
                    granted: from.small()?,
                    reopened: from.small()?,
                    tables: from.small()?,
                    row: Row::read(&mut from)?,
                };
                site.yields.shapes.insert(shape, counts);
                if from.flag()? {
                    site.budgets.insert(site.budget_id(shape), shape);
                }
            }
        }
        for (_, mut from) in parts.of(Section::Moved) {
            while !from.is_empty() {
                let shape = from.fixed64()?;
                let moved = Moved {
                    to: from.fixed64()?,
                    away: from.small()?,
                    here: from.small()?,
                    reopened: from.small()?,
                    contents: Row::read(&mut from)?,
                    urls: Row::read(&mut from)?,
                };
                site.yields.moved.insert(shape, moved);
                let led = from.text()?;
                if !led.is_empty() {
                    site.yields.redirecting.insert(shape, led.into());
                    site.budgets.insert(site.budget_id(shape), shape);
                }
            }
        }
        site.yields.tables = load_tables(parts)?;
        site.load_beliefs(head, parts)?;
        Some(site)
    }

    fn load_page(&mut self, from: &mut In<'_>, clusters: u32) -> Option<()> {
        let url = from.text()?;
        let number = from.number()?;
        let cluster = u32::try_from(number >> 2).ok()?;
        let cluster = Some(cluster).filter(|cluster| *cluster < clusters)?;
        let page = self.pages.len() as u32;
        if number & 2 == 0 {
            self.pages.push(url, cluster);
            self.note_parts(&Form::parse(url));
        } else {
            // There is a page that it is the name of.
            page.checked_sub(1)?;
            self.pages.push_name(url, cluster);
            if number & 1 != 0 {
                self.pages.make_void(page);
            }
        }
        self.members.restore_first(cluster, page)
    }

    /// `from`: what is left of the head.
    fn load_beliefs(&mut self, mut from: In<'_>, parts: &Parts) -> Option<()> {
        self.generation = from.number()?;
        self.is_closed = from.flag()?;
        self.candidates = from.flag()?;
        self.stale = from.flag()?;
        self.since_settled = usize::try_from(from.number()?).ok()?;
        self.rules = from.fixed64()?;
        self.unfiled = from.number()?;
        let ids = from.number()?;
        let edits = from.count()?;
        for _ in 0..edits {
            let on_trial = OnTrial {
                edit: serde_json::from_str::<Edit>(from.text()?).ok()?.into(),
                parts: Vec::new(),
                shown: Shown::read(&mut from)?,
                active: from.small()?,
                successes: from.small()?,
                failures: from.small()?,
                in_a_row: from.small()?,
                peers: match from.number()? {
                    0 => None,
                    more => Some(u16::try_from(more - 1).ok()?),
                },
            };
            self.put_on_trial(on_trial);
        }
        self.refused = Refused::read(&mut from)?;
        self.gone.read_counts(&mut from)?;
        self.walls = Walls::read(&mut from)?;
        for (edit, mut from) in parts.of(Section::Beliefs) {
            if edit as usize >= edits {
                return None;
            }
            while !from.is_empty() {
                let belief = Belief::read(&mut from, edit)?;
                let key = key_of(&belief);
                self.kinds.read(key, &mut from)?;
                self.shown.read(key, &mut from)?;
                if let Some(id) = belief.id() {
                    self.ids.insert(id, key);
                }
                if self.beliefs.get(key).is_some() {
                    return None;
                }
                self.beliefs.put(belief);
            }
        }
        self.index_active();
        self.hear_again();
        (self.ids.len() as u64 == ids).then_some(())
    }
}
