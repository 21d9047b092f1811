//! What does a redirect teach?
//!
//! A source that leads to a page is an alias of it, without a fetch to compare. What was believed of the source is judged
//! by that page, as it would be by a page of its own: at once where the page is known, or when it is fetched.

use nodust_frontier::BeliefId;

use super::{LateVerdict, Learned, Site, canonical::whole, pair::Pair};
use crate::{
    heap::BLOCK,
    predict::{
        belief::Belief,
        codec::{In, Out},
        form::{Form, hash_of},
        nominate::readings,
        yields::shape_of,
    },
    sign::{ClusterId, Sameness},
};

/// URLs that wait for the page that they redirect to, in octets, and for one page.
const MOST_BYTES: usize = 1 << 20;
const MOST_SOURCES: usize = 8;

/// A URL that redirects.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Source {
    url: Box<str>,
    /// The belief that it was explored for.
    probed: Option<BeliefId>,
}

impl Source {
    /// Octets of its URL.
    pub(super) const fn len(&self) -> usize {
        self.url.len()
    }

    /// Memory that sources of one page hold beside their URLs, in bytes.
    pub(super) fn bytes(all: &Vec<Self>) -> usize {
        all.capacity() * size_of::<Self>() + (1 + all.len()) * BLOCK
    }

    pub(super) fn write(&self, out: &mut Out) {
        out.text(&self.url);
        out.flag(self.probed.is_some());
        if let Some(belief) = self.probed {
            out.fixed64(belief.to_bits());
        }
    }

    pub(super) fn read(from: &mut In<'_>) -> Option<Self> {
        Some(Self {
            url: from.text()?.into(),
            probed: if from.flag()? {
                Some(BeliefId::from_bits(from.fixed64()?))
            } else {
                None
            },
        })
    }
}

impl Site {
    /// Learns that `source` leads to `target`. `probed` is the belief that predicted it to be a duplicate, if it was fetched all
    /// the same.
    pub fn observe_redirect(
        &mut self,
        source: &str,
        target: &str,
        probed: Option<BeliefId>,
    ) -> Learned {
        let mut learned = Learned::default();
        if source == target {
            return learned;
        }
        let form = Form::parse(target);
        let found = (self.standing(&self.canonical(&form).0, false))
            .filter(|(page, _)| self.pages.is(*page, target))
            .map(|(page, _)| page);
        let own = Source {
            url: source.into(),
            probed,
        };
        // What leads to the source leads to the target, too.
        let before = self.sources_of(source);
        match found {
            Some(page) => {
                self.learn_redirect(&own, (page, false), &mut learned);
                self.learn_of_sources(before, (page, false), &mut learned);
            }
            None => {
                for source in [own].into_iter().chain(before) {
                    self.let_wait(source, target);
                }
            }
        }
        self.warm_by_redirect(&mut learned);
        self.shake(&mut learned);
        self.file_anew();
        learned
    }

    fn let_wait(&mut self, source: Source, target: &str) {
        if self.redirect_bytes + source.len() >= MOST_BYTES {
            return;
        }
        let sources = self.redirects.entry(hash_of(40, target)).or_default();
        if sources.len() < MOST_SOURCES && !sources.iter().any(|known| known.url == source.url) {
            self.redirect_bytes += source.len();
            sources.push(source);
        }
    }

    /// The sources that wait for a page, which do no longer.
    pub(super) fn sources_of(&mut self, url: &str) -> Vec<Source> {
        let sources = (self.redirects.remove(&hash_of(40, url))).unwrap_or_default();
        let bytes = sources.iter().map(Source::len).sum::<usize>();
        self.redirect_bytes = self.redirect_bytes.saturating_sub(bytes);
        sources
    }

    /// Learns what leads to a page that is known now; `is_fresh`: whether its content is new.
    pub(super) fn learn_of_sources(
        &mut self,
        sources: Vec<Source>,
        (target, is_fresh): (u32, bool),
        learned: &mut Learned,
    ) {
        let mut is_fresh = is_fresh;
        for source in sources {
            let mut of_source = Learned::default();
            self.learn_redirect(&source, (target, is_fresh), &mut of_source);
            if let (Some(belief), Some(was_duplicate)) = (source.probed, of_source.was_duplicate) {
                learned.late.push(LateVerdict {
                    url: source.url,
                    belief,
                    was_duplicate,
                });
            }
            learned.add_all_but_verdict(of_source);
            is_fresh = false;
        }
    }

    fn learn_redirect(
        &mut self,
        source: &Source,
        (target, is_fresh): (u32, bool),
        learned: &mut Learned,
    ) {
        let form = Form::parse(&source.url);
        let Some((url, cluster)) = self.page(target) else {
            return;
        };
        let shape = shape_of(&form);
        let (reduced, how) = self.reduced_form(&form);
        // What is acted upon is audited by where the source leads.
        let standing = self.standing(&reduced, how.is_settled);
        let rep =
            (standing.map(|(page, _)| page)).filter(|page| !self.pages.is(*page, &source.url));
        let mut tried = Vec::new();
        if let Some(rep) = rep {
            let verdict = self.is_content(rep, cluster);
            tried = self.edits_between(&form, &reduced, rep, &how.applied);
            if source.probed.is_some() && !tried.is_empty() {
                learned.found(verdict);
            }
            let rep_url = self.pages.url(rep).map(std::borrow::Cow::into_owned);
            let rep_form = Form::parse(rep_url.as_deref().unwrap_or_default());
            for edit in &tried {
                let pair = pair(&form, target, rep);
                self.trial_either(*edit, (&form, &rep_form), verdict, pair, learned);
            }
        }
        let mut explained = false;
        for edit in self.index.in_order(&form) {
            if tried.contains(&edit) {
                continue;
            }
            let name = &self.edits[edit as usize].edit;
            let Some(effect) = name.effect(&reduced) else {
                continue;
            };
            let key = name.key_after(&reduced);
            let before = whole(name, effect, &form, &reduced);
            let Some(rep) = self.stands(key) else {
                continue;
            };
            let verdict = self.is_content(rep, cluster);
            let doubted = self.trial(edit, before, verdict, pair(&form, target, rep), learned);
            explained |= verdict == Sameness::Same && !doubted;
        }
        if !explained {
            let target = Form::parse(&url);
            let readings = readings(&form, &target);
            let joined = self.joined(&readings, (&form, &target));
            for edit in readings.iter().chain(&joined) {
                self.register(edit, &form);
            }
        }
        if self.yields.get(shape).is_some() {
            // A budget that pages of its shape have used up is opened by sources, too.
            self.count_yield(shape, Some(cluster), is_fresh, learned);
        }
        if source.probed.is_some() && learned.has_found_nothing() {
            learned.was_duplicate = Some(!is_fresh);
        }
        self.since_settled += 1;
        self.settle(learned);
    }

    /// The edits that make one form of a URL and of the page that stands for it, in order: all that would have said so.
    pub(super) fn edits_between(
        &self,
        form: &Form<'_>,
        reduced: &Form<'_>,
        rep: u32,
        applied: &[u64],
    ) -> Vec<u32> {
        let Some(url) = self.pages.url(rep) else {
            return Vec::new();
        };
        let rep = Form::parse(&url);
        let mut edits: Vec<u32> = (applied.iter())
            .chain(&self.canonical(&rep).1)
            .filter_map(|key| self.beliefs.get(*key))
            .map(Belief::edit)
            .collect();
        // Others that would have said the same must hear of it, or they would take over.
        let key = reduced.key();
        self.find_agreeing(form, key, &mut edits);
        self.find_agreeing(&rep, key, &mut edits);
        edits.sort_unstable();
        edits.dedup();
        edits
    }

    fn is_content(&self, page: u32, cluster: ClusterId) -> Sameness {
        if self.pages.cluster(page) == Some(cluster) {
            Sameness::Same
        } else {
            Sameness::Different
        }
    }
}

/// A source and the page that it leads to, beside the one that it may be a copy of.
const fn pair<'f, 'u>(source: &'f Form<'u>, target: u32, rep: u32) -> Pair<'f, 'u> {
    Pair {
        pages: (target, rep),
        newer: source,
        older: rep,
        confirmed: rep == target,
    }
}
