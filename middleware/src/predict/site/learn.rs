//! What does a page that was fetched teach?

use rustc_hash::FxHashMap;

use super::{Learned, Page, Site, trial_key};
use crate::{
    predict::{
        form::{Form, hash_of},
        yields::shape_of,
    },
    sign::{ChromeBook, ClusterId, Clusters, Echo, Newcomer, PageText, Sameness},
};

/// Members of a cluster that a newcomer is compared with by URL.
const MEMBERS: usize = 6;
/// Distinct texts after which the first chrome is frozen, at least.
const FIRST_CHROME: usize = 32;

impl Site {
    /// Learns from a page. `probe` says that it was fetched though predicted to be a duplicate.
    pub fn observe(
        &mut self,
        url: &url::Url,
        text: &str,
        canonical: Option<&str>,
        probe: bool,
    ) -> Learned {
        let text = PageText::new(text, &Echo::of(url));
        let mut learned = Learned::default();
        if let Some(mut warming) = self.warming.take() {
            warming.push((url.as_str().into(), text));
            let mut distinct: Vec<u64> = warming.iter().map(|(_, t)| t.exact()).collect();
            distinct.sort_unstable();
            distinct.dedup();
            if distinct.len() < FIRST_CHROME && warming.len() < self.config.initial_pages {
                self.warming = Some(warming);
                return learned;
            }
            self.first_chrome(&warming);
            for (url, text) in warming {
                self.learn(&url, &text, None, false, &mut learned);
            }
        } else {
            self.learn(url.as_str(), &text, canonical, probe, &mut learned);
        }
        learned
    }

    /// Freezes the first version of the chrome. Texts that differ in a line only count once.
    fn first_chrome(&mut self, warming: &[(Box<str>, PageText)]) {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut contents = Clusters::default();
        let empty = ChromeBook::default();
        for (_, text) in warming {
            if !seen.insert(text.exact()) {
                continue;
            }
            let mut page = Newcomer::new(text, &empty);
            if contents.find(&mut page, &empty).is_none() {
                contents.open(&page);
            }
            self.book.count(text.shingles());
        }
        self.book.freeze_now();
    }

    #[expect(
        clippy::too_many_lines,
        reason = "the journey of one page, step by step"
    )]
    fn learn(
        &mut self,
        url: &str,
        text: &PageText,
        canonical: Option<&str>,
        probe: bool,
        learned: &mut Learned,
    ) {
        if self.pages.len() >= self.config.max_pages {
            return;
        }
        let number = self.pages.len() as u32;
        let form = Form::parse(url);
        let mut page = Newcomer::new(text, &self.book);
        let mut compared: FxHashMap<ClusterId, Sameness> = FxHashMap::default();
        let mut same_as = None;
        let mut explained = false;
        // A page is one trial of an edit, however many pages it could be compared with.
        let mut tried: Vec<u32> = Vec::new();
        let (reduced, applied) = self.canonical(&form);
        let reduced_key = reduced.key();

        // What active beliefs said.
        if let Some(&rep) = self.canon.get(&reduced_key)
            && *self.pages[rep as usize].url != *url
        {
            let rep_url = self.pages[rep as usize].url.clone();
            let rep_form = Form::parse(&rep_url);
            let cluster = self.pages[rep as usize].cluster;
            let verdict = self.clusters.compare(&mut page, cluster, &self.book);
            compared.insert(cluster, verdict);
            if verdict == Sameness::Same {
                same_as = Some(cluster);
                explained = true;
            }
            if probe {
                learned.was_duplicate = match verdict {
                    Sameness::Same => Some(true),
                    Sameness::Different => Some(false),
                    Sameness::Unknown => None,
                };
            }
            let mut edits: Vec<u32> = applied
                .iter()
                .chain(&self.canonical(&rep_form).1)
                .filter_map(|key| self.beliefs.get(key))
                .map(|b| b.edit)
                .collect();
            // Others that would have said the same must hear of it, or they would take over.
            for before in [&form, &rep_form] {
                for edit in self.edits_for(before, |e| e.active > 0) {
                    let mut after = before.clone();
                    if self.edits[edit as usize].edit.apply(&mut after)
                        && (after.key() == reduced_key
                            || self.canonical(&after).0.key() == reduced_key)
                    {
                        edits.push(edit);
                    }
                }
            }
            edits.sort_unstable();
            edits.dedup();
            let confirmed = self.is_canonical(canonical, rep);
            for edit in edits {
                let pages = (number, rep);
                let forms = [&form, &rep_form];
                self.trial_either(edit, forms, verdict, confirmed, pages, learned);
                tried.push(edit);
            }
        } else if !self.canon.contains_key(&reduced_key) {
            // An alias of this URL may have come first.
            let waiting: Vec<(u32, u32)> = (0..self.edits.len() as u32)
                .filter(|e| !self.edits[*e as usize].is_asleep())
                .filter_map(|e| Some((e, *self.trials.get(&trial_key(e, reduced_key))?)))
                .collect();
            for (edit, rep) in waiting {
                let cluster = self.pages[rep as usize].cluster;
                let verdict = *compared
                    .entry(cluster)
                    .or_insert_with(|| self.clusters.compare(&mut page, cluster, &self.book));
                let rep_url = self.pages[rep as usize].url.clone();
                let rep_form = Form::parse(&rep_url);
                let (pages, forms) = ((rep, number), [&rep_form, &form]);
                let doubted = self.trial_either(edit, forms, verdict, false, pages, learned);
                tried.push(edit);
                if verdict == Sameness::Same {
                    same_as = same_as.or(Some(cluster));
                    explained |= !doubted;
                }
            }
        }
        // What edits on trial say.
        let mut to_index = Vec::new();
        for edit in self.edits_for(&form, |_| true) {
            let mut after = reduced.clone();
            if !self.edits[edit as usize].edit.apply(&mut after) || after == reduced {
                continue;
            }
            let key = after.key();
            let indexed = trial_key(edit, key);
            let rep = self
                .canon
                .get(&key)
                .or_else(|| self.trials.get(&indexed))
                .copied();
            let Some(rep) = rep else {
                if !self.edits[edit as usize].is_asleep() {
                    to_index.push(indexed);
                }
                continue;
            };
            if tried.contains(&edit) {
                continue;
            }
            let cluster = self.pages[rep as usize].cluster;
            let verdict = *compared
                .entry(cluster)
                .or_insert_with(|| self.clusters.compare(&mut page, cluster, &self.book));
            let mut alone = form.clone();
            let stands_alone = self.edits[edit as usize].edit.apply(&mut alone);
            // What another edit has taken away already is not what this one is tried on.
            let stands_alone = stands_alone
                && form.params.len() - alone.params.len()
                    == reduced.params.len() - after.params.len();
            let confirmed = self.is_canonical(canonical, rep);
            let (before, after) = if stands_alone {
                (&form, &alone)
            } else {
                (&reduced, &after)
            };
            let doubted = self.trial(
                edit,
                before,
                after,
                verdict,
                confirmed,
                (number, rep),
                learned,
            );
            if verdict == Sameness::Same {
                same_as = same_as.or(Some(cluster));
                explained |= !doubted;
            }
        }
        // Which content is it?
        let cluster = same_as.or_else(|| self.clusters.find(&mut page, &self.book));
        let is_fresh = cluster.is_none() && page.current().signature.kept > 0;
        let cluster = if let Some(cluster) = cluster {
            if !self.clusters.is_exact(&page, cluster) && self.clusters.pages(cluster) < 3 {
                self.book.count(text.shingles());
            }
            self.clusters.join(cluster, &mut page, &self.book);
            cluster
        } else {
            let cluster = self.clusters.open(&page);
            self.book.count(text.shingles());
            cluster
        };
        let shape = shape_of(&form);
        if probe
            && learned.was_duplicate.is_none()
            && self.yields.over(shape, self.config.budget).is_some()
        {
            learned.was_duplicate = Some(!is_fresh);
        }
        let changed = self.yields.count(
            shape,
            number,
            cluster,
            is_fresh,
            self.config.max_beliefs,
            self.config.budget,
        );
        if changed.grew {
            self.generation += 1;
            self.budgets.insert(self.budget_id(shape), shape);
        }
        if let Some(shape) = changed.reopened {
            learned.withdrawn.push(self.budget_id(shape));
        }
        self.pages.push(Page {
            url: url.into(),
            cluster,
        });
        self.canon.entry(reduced_key).or_insert(number);
        for key in to_index {
            self.trials.entry(key).or_insert(number);
        }
        if !explained {
            self.nominate(&form, cluster);
        }
        let members = self.members.entry(cluster).or_default();
        if members.len() < MEMBERS {
            members.push(number);
        } else if !explained {
            // Keep the first and rotate the rest, so that new kinds of aliases find a near relative.
            let at = 1 + number as usize % (MEMBERS - 1);
            members[at] = number;
        }
        self.since_rebuild += 1;
        self.since_settled += 1;
        self.settle();
        drop(page);
        if let Some(sources) = self.redirects.remove(&hash_of(40, url)) {
            for source in sources {
                self.learn_redirect(&source, number, learned);
            }
        }
    }

    fn is_canonical(&self, canonical: Option<&str>, page: u32) -> bool {
        canonical.is_some_and(|c| self.pages.get(page as usize).is_some_and(|p| *p.url == *c))
    }
}
