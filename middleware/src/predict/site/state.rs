//! How does a site outlive the process?
//!
//! What is read back equals what was written, to the bit. The site is taken apart field by field, so that
//! a new one cannot be forgotten here.

use nodust_frontier::BeliefId;
use rustc_hash::FxHashMap;

use super::{KindsOfBeliefs, OnTrial, Page, Site};
use crate::{
    predict::{
        PredictConfig,
        belief::{Belief, LEVELS, Level, State},
        codec::{In, Out},
        evidence::Evidence,
        parts::{CHUNK, Parts, Put, Section, chunks},
        yields::Yield,
    },
    sign::{ChromeBook, Clusters},
};

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
            book,
            clusters,
            warming: _,
            pages,
            members,
            canon,
            trials,
            redirects,
            // Follows from the redirects.
            redirect_bytes: _,
            edits,
            // These three follow from the edits.
            numbers: _,
            by_part: _,
            general: _,
            beliefs,
            kinds,
            ids,
            yields,
            budgets,
            candidates,
            stale,
            since_rebuild,
            since_settled,
            generation,
            is_closed,
        } = self;
        book.save(put);
        clusters.save(put);
        for (chunk, pages) in (0..).zip(pages.chunks(CHUNK as usize)) {
            let mut out = Out::default();
            for Page { url, cluster } in pages {
                out.text(url);
                out.number(u64::from(*cluster));
            }
            put(Section::Pages, chunk, out.0);
        }
        let canon = chunks(canon.iter().map(|(key, page)| (*page, *key)));
        let trials = chunks(trials.iter().map(|(key, page)| (page, key)));
        for (section, chunks) in [(Section::Canon, canon), (Section::Trials, trials)] {
            for (chunk, entries) in chunks {
                let mut out = Out::default();
                for (page, key) in entries {
                    out.byte((page % CHUNK) as u8);
                    out.fixed64(key);
                }
                put(section, chunk, out.0);
            }
        }
        for (chunk, entries) in chunks(members.iter().map(|(cluster, pages)| (*cluster, pages))) {
            let mut out = Out::default();
            for (cluster, pages) in entries {
                out.byte((cluster % CHUNK) as u8);
                write_numbers(&mut out, pages);
            }
            put(Section::Members, chunk, out.0);
        }
        for (chunk, entries) in chunks(redirects.iter().map(|(target, sources)| {
            // Few, and gone when their page is met: by a part of their name.
            ((*target >> 58) as u32 * CHUNK, (*target, sources))
        })) {
            let mut out = Out::default();
            for (_, (target, sources)) in entries {
                out.fixed64(target);
                out.count(sources.len());
                for source in sources {
                    out.text(source);
                }
            }
            put(Section::Redirects, chunk, out.0);
        }
        for (chunk, entries) in chunks(
            (yields.shapes.iter())
                .map(|(shape, counts)| ((*shape >> 58) as u32 * CHUNK, (*shape, counts))),
        ) {
            let mut out = Out::default();
            for (_, (shape, counts)) in entries {
                let Yield {
                    fetched,
                    fresh,
                    last,
                    row,
                    example,
                    granted,
                    reopened,
                } = counts;
                out.fixed64(shape);
                for number in [fetched, fresh, last, row, example, granted, reopened] {
                    out.number(u64::from(*number));
                }
                out.flag(budgets.contains_key(&self.budget_id(shape)));
            }
            put(Section::Yields, chunk, out.0);
        }
        let mut by_edit: Vec<Vec<(u64, &Belief)>> = vec![Vec::new(); edits.len()];
        for (key, belief) in beliefs {
            by_edit[belief.edit as usize].push((*key, belief));
        }
        for (edit, mut beliefs) in (0..).zip(by_edit) {
            beliefs.sort_unstable_by_key(|(key, _)| *key);
            let mut out = Out::default();
            for (key, belief) in beliefs {
                out.fixed64(key);
                write_belief(&mut out, belief);
            }
            put(Section::Beliefs, edit, out.0);
        }
        let mut out = Out::default();
        kinds.write(&mut out);
        put(Section::Kinds, 0, std::mem::take(&mut out).0);
        let settings = serde_json::to_string(config).expect("settings are texts and numbers");
        out.text(&settings);
        out.number(*generation);
        out.flag(*is_closed);
        out.flag(*candidates);
        out.flag(*stale);
        out.count(*since_rebuild);
        out.count(*since_settled);
        out.count(ids.len());
        out.count(edits.len());
        for OnTrial {
            edit,
            active,
            successes,
            failures,
            in_a_row,
        } in edits
        {
            let edit = serde_json::to_string(edit).expect("an edit is made of texts and numbers");
            out.text(&edit);
            for number in [active, successes, failures, in_a_row] {
                out.number(u64::from(*number));
            }
        }
        put(Section::Head, 0, out.0);
    }

    /// Puts a site together from what [`save`](Self::save) handed out; `None` when that cannot be.
    pub(crate) fn load(name: &str, parts: &Parts) -> Option<Self> {
        let settings = parts.one(Section::Head)?.text()?;
        let settings: PredictConfig = serde_json::from_str(settings).ok()?;
        let mut site = Self::new(name, &settings);
        site.warming = None;
        site.book = ChromeBook::load(parts)?;
        site.clusters = Clusters::load(parts)?;
        let clusters = site.clusters.len() as u32;
        for (chunk, mut from) in parts.of(Section::Pages) {
            if chunk as usize * CHUNK as usize != site.pages.len() {
                return None;
            }
            while !from.is_empty() {
                let page = Page {
                    url: from.text()?.into(),
                    cluster: from.small().filter(|cluster| *cluster < clusters)?,
                };
                site.pages.push(page);
            }
        }
        let pages = site.pages.len() as u32;
        for section in [Section::Canon, Section::Trials] {
            for (chunk, mut from) in parts.of(section) {
                while !from.is_empty() {
                    let page = chunk.checked_mul(CHUNK)? + u32::from(from.byte()?);
                    let page = Some(page).filter(|page| *page < pages)?;
                    let key = from.fixed64()?;
                    if section == Section::Canon {
                        site.canon.insert(key, page);
                    } else {
                        site.trials.file(key, page);
                    }
                }
            }
        }
        for (chunk, mut from) in parts.of(Section::Members) {
            while !from.is_empty() {
                let cluster = chunk.checked_mul(CHUNK)? + u32::from(from.byte()?);
                let members = read_numbers(&mut from)?;
                if members.is_empty() || members.iter().any(|page| *page >= pages) {
                    return None;
                }
                site.members.insert(cluster, members);
            }
        }
        for (_, mut from) in parts.of(Section::Redirects) {
            while !from.is_empty() {
                let target = from.fixed64()?;
                let count = from.count()?;
                let sources = (0..count)
                    .map(|_| from.text().map(Into::into))
                    .collect::<Option<_>>()?;
                let sources: Vec<Box<str>> = sources;
                site.redirect_bytes += sources.iter().map(|source| source.len()).sum::<usize>();
                site.redirects.insert(target, sources);
            }
        }
        for (_, mut from) in parts.of(Section::Yields) {
            while !from.is_empty() {
                let shape = from.fixed64()?;
                let counts = Yield {
                    fetched: from.small()?,
                    fresh: from.small()?,
                    last: from.small()?,
                    row: from.small()?,
                    example: from.small()?,
                    granted: from.small()?,
                    reopened: from.small()?,
                };
                site.yields.shapes.insert(shape, counts);
                if from.flag()? {
                    site.budgets.insert(site.budget_id(shape), shape);
                }
            }
        }
        site.load_beliefs(parts)?;
        site.kinds = KindsOfBeliefs::read(&mut parts.one(Section::Kinds)?)?;
        Some(site)
    }

    fn load_beliefs(&mut self, parts: &Parts) -> Option<()> {
        let mut from = parts.one(Section::Head)?;
        from.text()?;
        self.generation = from.number()?;
        self.is_closed = from.flag()?;
        self.candidates = from.flag()?;
        self.stale = from.flag()?;
        self.since_rebuild = usize::try_from(from.number()?).ok()?;
        self.since_settled = usize::try_from(from.number()?).ok()?;
        let ids = from.number()?;
        let edits = from.count()?;
        for _ in 0..edits {
            let on_trial = OnTrial {
                edit: serde_json::from_str(from.text()?).ok()?,
                active: from.small()?,
                successes: from.small()?,
                failures: from.small()?,
                in_a_row: from.small()?,
            };
            self.put_on_trial(on_trial);
        }
        let mut beliefs = FxHashMap::default();
        for (edit, mut from) in parts.of(Section::Beliefs) {
            if edit as usize >= edits {
                return None;
            }
            while !from.is_empty() {
                let key = from.fixed64()?;
                let belief = read_belief(&mut from, edit)?;
                if belief.was_active {
                    let id: BeliefId = self.id_of(&belief);
                    self.ids.insert(id, key);
                }
                beliefs.insert(key, belief);
            }
        }
        self.beliefs = beliefs;
        (self.ids.len() as u64 == ids).then_some(())
    }
}

fn write_numbers(out: &mut Out, numbers: &[u32]) {
    out.count(numbers.len());
    for number in numbers {
        out.number(u64::from(*number));
    }
}

fn read_numbers(from: &mut In<'_>) -> Option<Vec<u32>> {
    let count = from.count()?;
    (0..count).map(|_| from.small()).collect()
}

fn write_belief(out: &mut Out, belief: &Belief) {
    let Belief {
        edit: _,
        level,
        context,
        state,
        evidence,
        streak,
        screened_out,
        undecided,
        small,
        echoes,
        tries,
        risen,
        prior,
        confirmed,
        was_active,
        examples,
        is_full,
        caps,
    } = belief;
    out.byte(*level as u8);
    out.fixed64(*context);
    out.byte(match state {
        State::Proposed => 0,
        State::Probation => 1,
        State::Active => 2,
        State::Withdrawn => 3,
    });
    let Evidence {
        log_e,
        trials,
        failures,
        alarm,
    } = evidence;
    for number in [*log_e, *alarm, *prior] {
        out.float(number);
    }
    for number in [
        trials, failures, streak, undecided, small, &echoes.0, &echoes.1, confirmed,
    ] {
        out.number(u64::from(*number));
    }
    out.number(u64::from(*tries));
    out.number(u64::from(*risen));
    out.flag(*screened_out);
    out.flag(*was_active);
    out.flag(*is_full);
    for page in examples.iter().flat_map(|pair| [pair.0, pair.1]) {
        out.number(u64::from(page.wrapping_add(1)));
    }
    let mut caps: Vec<(u64, u8)> = caps
        .iter()
        .flat_map(|caps| caps.iter().map(|(key, count)| (*key, *count)))
        .collect();
    caps.sort_unstable();
    out.count(caps.len());
    for (key, count) in caps {
        out.fixed64(key);
        out.byte(count);
    }
}

fn read_belief(from: &mut In<'_>, edit: u32) -> Option<Belief> {
    let level: Level = *LEVELS.get(usize::from(from.byte()?))?;
    let context = from.fixed64()?;
    let state = match from.byte()? {
        0 => State::Proposed,
        1 => State::Probation,
        2 => State::Active,
        3 => State::Withdrawn,
        _ => return None,
    };
    let (log_e, alarm, prior) = (from.float()?, from.float()?, from.float()?);
    let (trials, failures) = (from.small()?, from.small()?);
    let mut belief = Belief::new(edit, level, context, prior);
    belief.state = state;
    belief.evidence = Evidence {
        log_e,
        trials,
        failures: Some(failures).filter(|failures| *failures <= trials)?,
        alarm,
    };
    belief.streak = from.small()?;
    belief.undecided = from.small()?;
    belief.small = Some(from.small()?).filter(|small| *small <= belief.undecided)?;
    belief.echoes = (from.small()?, from.small()?);
    belief.confirmed = from.small()?;
    belief.tries = u16::try_from(from.number()?).ok()?;
    belief.risen = u16::try_from(from.number()?).ok()?;
    belief.screened_out = from.flag()?;
    belief.was_active = from.flag()?;
    belief.is_full = from.flag()?;
    for pair in &mut belief.examples {
        *pair = (from.small()?.wrapping_sub(1), from.small()?.wrapping_sub(1));
    }
    let caps = from.count()?;
    if caps > 0 {
        let caps = (0..caps)
            .map(|_| Some((from.fixed64()?, from.byte()?)))
            .collect::<Option<FxHashMap<_, _>>>()?;
        belief.caps = Some(Box::new(caps));
    }
    Some(belief)
}
