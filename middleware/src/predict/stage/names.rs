//! What rewrite rules make of the URLs that a site learns from.
//!
//! If rules merge most copies, few are fetched, and these under whatever spelling came first. Under the spelling that
//! the rules make of its URL, a page can be compared with what other claims make of others. When a rule falls, or is
//! missing in a later run, the sites of its hosts are told which names no longer say anything.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    sync::{Arc, atomic::Ordering},
};

use nodust_frontier::{Effects, HostKey, ProbeVerdict};

use super::{
    super::{Learned, journal::Event, site::bit_of_host},
    Known, Predict, Shared, lock, read, site_of, write,
};
use crate::rules::{Fallen, RuleBook, RuleSet, site_name};

/// The rules that all sites have heeded.
#[derive(Debug, Default)]
pub(super) struct Heeded {
    rules: Arc<RuleSet>,
    /// Marks of the rules of sites, and what those for all sites add to each.
    marks: BTreeMap<Box<str>, u64>,
    everywhere: u64,
    /// Sites read from the store: they may have learned beside other rules.
    unchecked: Vec<Shared>,
}

impl Heeded {
    fn take_in(&mut self, rules: &Arc<RuleSet>) -> Fallen {
        let fallen = rules.fallen_since(&self.rules);
        self.rules = Arc::clone(rules);
        self.marks.clear();
        for (host, mark) in rules.marks() {
            let of_site = self.marks.entry(site_of(host).into()).or_default();
            *of_site = of_site.wrapping_add(mark);
        }
        self.everywhere = rules.mark_everywhere();
        fallen
    }

    fn mark_of(&self, site: &str) -> u64 {
        let own = self.marks.get(site).copied().unwrap_or(0);
        own.wrapping_add(self.everywhere)
    }
}

/// The version of the rules that were heeded, where sites are to be checked whatever it is.
const NONE: u64 = u64::MAX;

impl Predict {
    /// The same stage, for use after one that applies the rules of this book.
    #[must_use]
    pub fn with_rules(mut self, book: Arc<RuleBook>) -> Self {
        self.book = book;
        self
    }

    /// What the rules of a host make of a URL as it is spelled, if that is another one.
    pub(super) fn name_of(&self, host: &HostKey, url: &str) -> Option<String> {
        let rules = self.book.read();
        Some(rules.site(host.as_str())?.canon(url)?.class)
    }

    /// The mark of the rules of a site.
    pub(super) fn mark_of(&self, site: &str) -> u64 {
        lock(&self.heeded).mark_of(site)
    }

    /// Has sites checked that were read from the store.
    pub(super) fn check(&self, sites: impl IntoIterator<Item = Shared>) {
        lock(&self.heeded).unchecked.extend(sites);
        self.version_heeded.store(NONE, Ordering::Relaxed);
    }

    /// Tells all sites that other rules hold for them, if they do.
    pub(super) fn heed_rules(&self, effects: &mut Effects) {
        if self.book.read().version() == self.version_heeded.load(Ordering::Relaxed) {
            return;
        }
        let mut heeded = lock(&self.heeded);
        let rules = Arc::clone(&self.book.read());
        let fallen = heeded.take_in(&rules);
        for shared in std::mem::take(&mut heeded.unchecked) {
            let known = &mut *write(&shared);
            let mark = heeded.mark_of(known.site.name());
            if known.site.rules() != mark {
                // Whatever held before: nobody knows it any more.
                let before = if known.site.rules() == 0 { 0 } else { u64::MAX };
                self.tell_rules(known, &rules, mark, (before, &|_| true), effects);
            }
        }
        for shared in self.all_sites() {
            let is_as_before = {
                let site = &read(&shared).site;
                site.rules() == heeded.mark_of(site.name())
            };
            // Of one that a host lacks another may have the rules for all sites.
            if is_as_before && !fallen.is_everywhere {
                continue;
            }
            let known = &mut *write(&shared);
            let mark = heeded.mark_of(known.site.name());
            let hosts = fallen.hosts.iter();
            let hosts = hosts.filter(|host| site_of(host) == known.site.name());
            let of_hosts = hosts.fold(0, |bits, host| bits | bit_of_host(host));
            let bits = if fallen.is_everywhere {
                u64::MAX
            } else {
                of_hosts
            };
            let is_other = |host: &str| {
                fallen.is_everywhere || fallen.hosts.iter().any(|other| **other == *site_name(host))
            };
            self.tell_rules(known, &rules, mark, (bits, &is_other), effects);
        }
        self.version_heeded
            .store(rules.version(), Ordering::Relaxed);
    }

    /// Tells one site. `fallen`: bits of the hosts of which a rule has fallen, and which these are.
    fn tell_rules(
        &self,
        known: &mut Known,
        rules: &RuleSet,
        mark: u64,
        (fallen, is_other): (u64, &dyn Fn(&str) -> bool),
        effects: &mut Effects,
    ) {
        // One that makes the same of a page and its name, be it a third URL, still says that they are one.
        let is_void = |host: &str, url: &str, name: &str| {
            let Some(rules) = rules.site(host) else {
                return true;
            };
            let class = |url| {
                rules
                    .canon(url)
                    .map_or(Cow::Borrowed(url), |c| Cow::Owned(c.class))
            };
            class(url) != class(name)
        };
        let void = match fallen {
            0 => Vec::new(),
            _ => known.site.void_names(is_other, is_void),
        };
        let event = Event::Rules { mark, fallen, void };
        let Known { site, kept, .. } = known;
        if !effects.forgets_state {
            kept.journal(site.name(), &event, &mut effects.state);
        }
        let host = HostKey::from_text(site.name());
        let learned = event.tell(site);
        self.pass_on(&host, learned, effects);
    }

    /// Hands over what beliefs have become.
    pub(super) fn pass_on(&self, host: &HostKey, learned: Learned, effects: &mut Effects) {
        for (belief, draw) in learned.risen {
            lock(&self.draws).insert(belief, draw);
        }
        (effects.withdrawn).extend(learned.withdrawn.into_iter().map(|id| (host.clone(), id)));
        effects.shaken.extend(learned.shaken);
        effects.shaken.extend(learned.reopened);
        effects
            .late_verdicts
            .extend(learned.late.into_iter().filter_map(|late| {
                Some(ProbeVerdict {
                    host: HostKey::of(&late.url.parse().ok()?),
                    belief: late.belief,
                    was_duplicate: late.was_duplicate,
                })
            }));
    }
}

#[cfg(test)]
mod tests {
    use nodust_frontier::{Candidate, DropReason, Middleware as _, RawUrl, Verdict, Via};

    use super::*;
    use crate::{
        predict::{PredictConfig, site::tests::text},
        rules::SiteRules,
    };

    const RULE: &str = "is:seg.0=item has:seg.2 => drop:seg.2";

    fn book(rules: &[&str]) -> Arc<RuleBook> {
        let book = Arc::new(RuleBook::default());
        publish(&book, rules);
        book
    }

    /// The rules of the bare host, which are those of `www.`, too.
    fn publish(book: &RuleBook, rules: &[&str]) {
        let rules = rules.iter().map(|rule| rule.parse().unwrap());
        book.publish([("e.org".to_owned(), SiteRules::new("e.org", rules))]);
    }

    fn stage(book: &Arc<RuleBook>) -> Predict {
        Predict::new(PredictConfig::default()).with_rules(Arc::clone(book))
    }

    fn see(stage: &Predict, url: &str, page: u64, effects: &mut Effects) {
        let url: url::Url = url.parse().unwrap();
        let event = Event::Page {
            url: Cow::Borrowed(&url),
            text: Cow::Owned(text(page)),
            canonical: None,
            probed: None,
            named: None,
            found_on: None,
            refetched: None,
        };
        stage.tell(&HostKey::of(&url), event, effects);
    }

    fn visited(host: &str, id: u64, visit: u64) -> String {
        format!("http://{host}/item/{id}/ref{visit}")
    }

    fn short(id: u64) -> String {
        format!("http://e.org/dp/{id}")
    }

    /// An alias that is learned by names only: both spellings of a page, of which rules know one.
    fn learn(stage: &Predict) -> Effects {
        let mut effects = Effects::default();
        for id in 0..150 {
            see(stage, &visited("e.org", id, id), id, &mut effects);
            see(stage, &short(id), id, &mut effects);
        }
        see(stage, &visited("e.org", 1000, 7), 1000, &mut effects);
        see(stage, &short(2000), 2000, &mut effects);
        assert!(effects.withdrawn.is_empty());
        effects
    }

    /// Who drops a link.
    fn dropped(stage: &Predict, url: &str) -> Option<nodust_frontier::BeliefId> {
        let base = "http://e.org/".parse().unwrap();
        let via = Via::page(&base);
        let mut link = Candidate::resolve(RawUrl::new(url), &via).unwrap();
        match stage.judge(&mut link, &via) {
            Verdict::Drop(DropReason::PredictedDuplicate(prediction)) => Some(prediction.belief),
            _ => None,
        }
    }

    #[test]
    fn a_rule_that_falls_on_one_host_is_heeded_on_all_of_them() {
        let book = book(&[RULE]);
        let stage = stage(&book);
        learn(&stage);
        let belief = dropped(&stage, &short(1000)).unwrap();
        assert!(
            dropped(&stage, &visited("e.org", 2000, 9)).is_some(),
            "by its name"
        );

        // One more changes nothing of what the first says.
        publish(&book, &[RULE, "=> drop:query.x"]);
        let mut effects = Effects::default();
        see(&stage, &visited("www.e.org", 5000, 1), 5000, &mut effects);
        assert!(effects.withdrawn.is_empty() && effects.shaken.is_empty());
        assert_eq!(dropped(&stage, &short(1000)), Some(belief));

        // Nor does one in its place that makes the same of a page and its name, if another URL.
        publish(&book, &["is:seg.0=item => drop:seg.2 set:seg.0=thing"]);
        let mut effects = Effects::default();
        see(&stage, &visited("www.e.org", 5002, 1), 5002, &mut effects);
        assert!(effects.withdrawn.is_empty() && effects.shaken.contains(&belief));
        assert_eq!(dropped(&stage, &short(1000)), Some(belief));

        publish(&book, &["=> drop:query.x"]);
        let mut effects = Effects::default();
        see(&stage, "http://www.e.org/else", 5001, &mut effects);
        assert!(effects.withdrawn.iter().any(|(_, id)| *id == belief));
        assert!(dropped(&stage, &short(1000)).is_none());
        assert!(dropped(&stage, &visited("e.org", 2000, 9)).is_none());
        // Of `www.`, too, whose rules these are.
        let host = HostKey::from_text("e.org");
        let names = |site: &crate::predict::Site| site.void_names(|_| true, |_, _, _| true).len();
        assert_eq!(stage.with_site(&host, names), Some(0));
    }

    #[test]
    fn a_rule_that_falls_by_a_page_of_another_site_is_heeded_before_that_site_has_another_page() {
        let book = book(&[RULE]);
        let stage = stage(&book);
        learn(&stage);
        publish(&book, &[]);
        let mut effects = Effects::default();
        see(&stage, "http://other.example/", 1, &mut effects);
        assert!(!effects.withdrawn.is_empty());
        assert!(dropped(&stage, &short(1000)).is_none());
    }

    #[test]
    fn rules_that_are_gone_in_a_later_run_are_heeded_before_its_first_page() {
        let first = stage(&book(&[RULE]));
        let mut effects = learn(&first);
        first.checkpoint(&mut effects);
        let store: BTreeMap<_, _> = effects.state.into_iter().collect();
        let again = |rules: &[&str]| {
            let stage = stage(&book(rules));
            for (key, value) in &store {
                if let Some(value) = value {
                    stage.restore(key, value).unwrap();
                }
            }
            assert!(stage.restored().is_empty());
            let mut effects = Effects::default();
            stage.checkpoint(&mut effects);
            (stage, effects)
        };
        let (same, effects) = again(&[RULE]);
        let belief = dropped(&same, &short(1000));
        assert!(belief.is_some() && belief == dropped(&first, &short(1000)));
        assert!(effects.withdrawn.is_empty() && effects.shaken.is_empty());
        let (without, effects) = again(&[]);
        assert!(effects.withdrawn.iter().any(|(_, id)| Some(*id) == belief));
        assert!(
            effects
                .state
                .iter()
                .any(|(key, _)| key.starts_with("e.org/j/"))
        );
        assert!(dropped(&without, &short(1000)).is_none());
    }

    #[test]
    fn what_nobody_keeps_is_not_piled_up() {
        let book = book(&[]);
        let stage = stage(&book);
        let mut effects = Effects {
            forgets_state: true,
            ..Effects::default()
        };
        see(&stage, &short(1), 1, &mut effects);
        for version in 0..50 {
            let rule = format!("=> drop:query.v{version}");
            publish(&book, &[&rule]);
            see(&stage, &short(version), version, &mut effects);
        }
        let shared = stage.site(&HostKey::from_text("e.org")).unwrap();
        let noted = read(&shared).kept.noted();
        assert!(noted <= 1, "the settings, not {noted} events");
        assert!(effects.state.is_empty());
    }
}
