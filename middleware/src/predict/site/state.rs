//! Saves and restores a site.
//!
//! What is read back equals what was written, to the bit. The site is taken apart field by field, so that
//! a new one cannot be forgotten here.

mod beliefs;
mod pages;

use super::{
    OnTrial, Shown, Site, gone::Gone, leading::Leading, near::Near, refile::Round,
    refused::Refused, sources::Sources, walls::Walls,
};
use crate::{
    predict::{
        PredictConfig,
        codec::{In, Out},
        form::Edit,
        parts::{Parts, Put, Section},
        turning::Turning,
        yields::Yields,
    },
    sign::{ChromeBook, Clusters},
};

impl Site {
    /// Whether nothing but the first pages is there, which only teach what chrome is.
    pub(crate) const fn is_warming(&self) -> bool {
        self.warming.is_some()
    }

    /// Hands out all that is known, in chunks; not while it [is warming](Self::is_warming).
    pub(crate) fn save(&self, put: &mut Put<'_>) {
        let Self {
            // These follow from the settings.
            ratios: _,
            careful: _,
            // Who holds the site knows its name, and what is asked of it only while a page is learned from.
            name: _,
            asked: _,
            naming: _,
            // Of such a site nothing is handed out.
            warming: _,
            book,
            turning,
            clusters,
            sources,
            gone,
            selectors,
            yields,
            budgets,
            // `save_pages`, `save_firsts`, `save_members`
            pages: _,
            firsts: _,
            members: _,
            // `save_beliefs`
            beliefs: _,
            kinds: _,
            shown: _,
            // `save_head`
            config: _,
            edits: _,
            ids: _,
            refused: _,
            rules: _,
            walls: _,
            leading: _,
            near: _,
            unfiled: _,
            candidates: _,
            stale: _,
            round: _,
            since_settled: _,
            generation: _,
            is_closed: _,
            // These follow from the edits, and what is believed of them.
            parts_of_active: _,
            where_held: _,
            numbers: _,
            index: _,
            results: _,
            active: _,
            active_results: _,
            company: _,
        } = self;
        book.save(put);
        turning.save(put);
        clusters.save(put);
        self.save_pages(put);
        self.save_firsts(put);
        self.save_members(put);
        sources.save(put);
        gone.save(put);
        selectors.save(put);
        yields.save(|shape| budgets.contains_key(&self.budget_id(shape)), put);
        self.save_beliefs(put);
        self.save_head(put);
    }

    /// What there is only one of, edits and what they are on trial for among it.
    fn save_head(&self, put: &mut Put<'_>) {
        let mut out = Out::default();
        let settings = serde_json::to_string(&self.config).expect("settings are texts and numbers");
        out.text(&settings);
        out.number(u64::from(self.round.next));
        out.byte(self.round.left);
        out.flag(self.round.is_urgent);
        out.number(self.generation);
        out.flag(self.is_closed);
        out.flag(self.candidates);
        out.flag(self.stale);
        out.count(self.since_settled);
        out.fixed64(self.rules);
        out.number(self.unfiled);
        out.count(self.ids.len());
        out.count(self.edits.len());
        for OnTrial {
            edit,
            parts: _,
            shown,
            active,
            successes,
            failures,
            in_a_row,
            read,
            read_of,
            peers,
        } in &self.edits
        {
            let edit =
                serde_json::to_string(&**edit).expect("an edit is made of texts and numbers");
            out.text(&edit);
            shown.write(&mut out);
            for number in [active, successes, failures, in_a_row] {
                out.number(u64::from(*number));
            }
            out.byte(*read);
            out.number(u64::from(*read_of));
            out.number(peers.map_or(0, |peers| u64::from(peers) + 1));
        }
        self.refused.write(&mut out);
        self.gone.write_counts(&mut out);
        self.walls.write(&mut out);
        self.leading.write(&mut out);
        self.near.write(&mut out);
        put(Section::Head, 0, out.0);
    }

    /// Puts a site together from what [`save`](Self::save) handed out; `None` when that cannot be.
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
        site.load_pages(parts)?;
        site.load_firsts(parts)?;
        site.load_members(parts)?;
        site.sources = Sources::load(parts)?;
        site.gone = Gone::load(parts)?;
        site.selectors.load(parts)?;
        let shapes_of_budgets;
        (site.yields, shapes_of_budgets) = Yields::load(parts)?;
        for shape in shapes_of_budgets {
            site.budgets.insert(site.budget_id(shape), shape);
            if site
                .yields
                .get(shape)
                .is_some_and(|counts| counts.is_of_folders || counts.chained > 0)
            {
                site.pages.find_by_name();
            }
        }
        site.load_edits(head, parts)?;
        Some(site)
    }

    /// `from`: what is left of the head.
    fn load_edits(&mut self, mut from: In<'_>, parts: &Parts) -> Option<()> {
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
                read: from.byte()?,
                read_of: from.small()?,
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
        self.leading = Leading::read(&mut from)?;
        self.near = Near::read(&mut from)?;
        self.load_beliefs(parts)?;
        self.index_active();
        self.hear_again();
        (from.is_empty() && self.ids.len() as u64 == ids).then_some(())
    }
}
