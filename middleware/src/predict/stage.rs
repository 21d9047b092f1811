//! The stage: one model per registrable domain, behind a lock of its own.

mod elsewhere;
mod names;

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use hashbrown::HashMap;
use nodust_frontier::{
    Admitted, BeliefId, BeliefRecord, Candidate, CanonicalUrl, Effects, HostKey, Middleware,
    Observation, Outcome, Phase, StageName, Verdict, Via,
};

use super::{
    BeliefFile, Learned, PredictConfig, SharedBelief, Site, Trust,
    journal::Event,
    kept::{Found, Kept, begin},
};
use crate::{
    abroad::Abroad,
    rules::RuleBook,
    sign::{refetched_of, text_of},
};
use names::Heeded;

/// A site, and what of it is in the store.
#[derive(Debug)]
struct Known {
    site: Site,
    kept: Kept,
    /// Memory of it that is in the stage's sum, in bytes, and events told until it is looked at again.
    counted: usize,
    countdown: usize,
}

type Shared = Arc<RwLock<Known>>;

/// Hosts whose site is found at once.
const MOST_HOSTS: usize = 4096;

/// Drops links whose page would be a copy of one that was fetched already.
#[derive(Debug)]
pub struct Predict {
    config: PredictConfig,
    imported: BTreeMap<String, Vec<SharedBelief>>,
    trust: Trust,
    sites: RwLock<HashMap<Box<str>, Shared>>,
    // The sites of hosts that were asked for: those of `sites`, found without the list of public suffixes.
    of_hosts: RwLock<HashMap<Box<str>, Shared>>,
    // Sites that are to be written down.
    due: Mutex<BTreeSet<Box<str>>>,
    // Taken apart by `restored`.
    found: Mutex<BTreeMap<String, Found>>,
    // Keys of what no site of this program holds.
    garbage: Mutex<Vec<String>>,
    // Beliefs for which exploration drew anew, and how often: few.
    draws: Mutex<HashMap<BeliefId, u64>>,
    abroad: Mutex<Abroad>,
    // Bytes held by all sites.
    memory: AtomicUsize,
    /// The rewrite rules that run before it, and what of them was heeded, in which version.
    book: Arc<RuleBook>,
    heeded: Mutex<Heeded>,
    version_heeded: AtomicU64,
}

impl Known {
    const fn new(site: Site, kept: Kept) -> Self {
        Self {
            site,
            kept,
            counted: 0,
            countdown: 0,
        }
    }
}

impl Predict {
    /// Name of the stage.
    pub const NAME: StageName = "predict";

    /// A stage that knows nothing yet.
    pub fn new(config: PredictConfig) -> Self {
        Self {
            config,
            imported: BTreeMap::new(),
            trust: Trust::default(),
            sites: RwLock::default(),
            of_hosts: RwLock::default(),
            due: Mutex::default(),
            found: Mutex::default(),
            garbage: Mutex::default(),
            draws: Mutex::default(),
            abroad: Mutex::default(),
            memory: AtomicUsize::new(0),
            book: Arc::default(),
            heeded: Mutex::default(),
            version_heeded: AtomicU64::new(0),
        }
    }

    /// The same stage, with beliefs that were formed elsewhere.
    #[must_use]
    pub fn with_beliefs(mut self, file: BeliefFile, trust: Trust) -> Self {
        for (name, beliefs) in file.sites {
            // A file of an earlier program may name each port of a domain.
            let site = self.imported.entry(site_of(&name).to_owned());
            site.or_default().extend(beliefs);
        }
        self.trust = trust;
        self
    }

    fn site(&self, host: &HostKey) -> Option<Shared> {
        let hosts = self.of_hosts.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(site) = hosts.get(host.as_str()) {
            return Some(Arc::clone(site));
        }
        drop(hosts);
        let sites = self.sites.read().unwrap_or_else(PoisonError::into_inner);
        let site = sites.get(site_of(host.as_str())).cloned()?;
        drop(sites);
        let hosts = self.of_hosts.write();
        let mut hosts = hosts.unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= MOST_HOSTS {
            hosts.clear();
        }
        hosts.insert(host.as_str().into(), Arc::clone(&site));
        Some(site)
    }

    /// The model of a host's site; `None` when there are as many as may be, and none of this one.
    fn site_or_new(&self, host: &HostKey) -> Option<Shared> {
        if let Some(site) = self.site(host) {
            return Some(site);
        }
        let name = site_of(host.as_str());
        let mark = self.mark_of(name);
        let mut sites = self.sites.write().unwrap_or_else(PoisonError::into_inner);
        if sites.len() >= self.config.max_sites {
            return None;
        }
        if sites.len() + 1 == self.config.max_sites {
            tracing::warn!(
                "predict.max_sites ({}) reached: nothing is learned of further sites",
                self.config.max_sites
            );
        }
        let site = sites.entry(name.into()).or_insert_with(|| {
            let mut kept = Kept::default();
            let mut known = Known::new(begin(name, &self.config, &mut kept), kept);
            self.import(&mut known);
            if mark != 0 {
                let rules = Event::Rules {
                    mark,
                    fallen: 0,
                    void: Vec::new(),
                };
                known.kept.remember(&rules);
                rules.tell(&mut known.site);
            }
            Arc::new(RwLock::new(known))
        });
        Some(site.clone())
    }

    /// Gives a site what was believed of it elsewhere.
    fn import(&self, known: &mut Known) {
        let Some(beliefs) = self.imported.get(known.site.name()) else {
            return;
        };
        let mut news = Vec::new();
        for belief in beliefs {
            if known.site.take_in(belief, self.trust) {
                news.push(belief.clone());
            }
        }
        if !news.is_empty() {
            known.kept.remember(&Event::Import {
                beliefs: news,
                trust: self.trust,
            });
        }
    }

    /// Lets a site learn, and notes what it learned from.
    fn tell(&self, host: &HostKey, mut event: Event<'_>, effects: &mut Effects) {
        self.heed_rules(effects);
        let Some(shared) = self.site_or_new(host) else {
            return;
        };
        let mut known = write(&shared);
        let is_short = self.weigh(&mut known) > self.config.max_memory_mb.saturating_mul(1 << 20);
        if let Event::Page { url, named, .. } = &mut event {
            // By rules that hold while nobody else may tell the site of others.
            *named = self.name_of(host, url.as_str()).map(Cow::Owned);
        }
        let mut learned = Learned::default();
        let Known { site, kept, .. } = &mut *known;
        if is_short && !site.is_closed() {
            kept.remember(&Event::Frugal);
            learned.add(Event::Frugal.tell(site));
        }
        if !effects.forgets_state {
            kept.journal(site.name(), &event, &mut effects.state);
        }
        learned.add(event.tell(site));
        if !effects.forgets_state && kept.is_due(site) {
            lock(&self.due).insert(site.name().into());
        }
        if learned.was_duplicate.is_some() && !effects.probe_is_judged {
            effects.probe_was_duplicate = learned.was_duplicate;
        }
        effects.is_new = learned.is_new.or(effects.is_new);
        effects.contents_new += learned.contents_new;
        effects.contents_known += learned.contents_known;
        self.pass_on(host, learned, effects);
    }

    /// Tells that no page came of a URL, where that is of use.
    fn tell_pageless(&self, url: &CanonicalUrl, effects: &mut Effects) {
        let hears = |site: &Site| site.hears_of_pageless(url.as_str());
        if self.with_site(url.host(), hears) == Some(true) {
            let event = Event::Pageless { url: url.as_str() };
            self.tell(url.host(), event, effects);
        }
    }

    /// Brings the sum of memory up to date, now and then, and tells it.
    fn weigh(&self, known: &mut Known) -> usize {
        if known.countdown > 0 && !known.site.is_warming() {
            known.countdown -= 1;
            return self.memory.load(Ordering::Relaxed);
        }
        // Weighing looks at all of a site.
        known.countdown = 16 + known.site.pages() / 32;
        let now = known.site.bytes();
        self.memory.fetch_add(now, Ordering::Relaxed);
        let before = std::mem::replace(&mut known.counted, now);
        self.memory.fetch_sub(before, Ordering::Relaxed) - before
    }

    /// Runs `look` on the model of a host's site, if there is one.
    pub fn with_site<T>(&self, host: &HostKey, look: impl FnOnce(&Site) -> T) -> Option<T> {
        let site = self.site(host)?;
        let known = read(&site);
        Some(look(&known.site))
    }

    fn all_sites(&self) -> Vec<Shared> {
        let sites = self.sites.read().unwrap_or_else(PoisonError::into_inner);
        sites.values().cloned().collect()
    }
}

fn read(site: &Shared) -> RwLockReadGuard<'_, Known> {
    site.read().unwrap_or_else(PoisonError::into_inner)
}

fn write(site: &Shared) -> RwLockWriteGuard<'_, Known> {
    site.write().unwrap_or_else(PoisonError::into_inner)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Registrable domain of a host, whatever the port; where its suffix is on no list (`www.app.internal`), its last two labels. Of an
/// address, and of a name of one label, it is the host with its port: what else runs on one machine is another site.
pub(super) fn site_of(host: &str) -> &str {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    if name.contains(':') || name.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return host;
    }
    psl::domain_str(name).unwrap_or(host)
}

impl Middleware for Predict {
    fn name(&self) -> StageName {
        Self::NAME
    }

    fn phase(&self) -> Phase {
        Phase::AfterSeen
    }

    fn judge(&self, link: &mut Candidate, via: &Via<'_>) -> Verdict {
        if via.is_seed() {
            return Verdict::Pass;
        }
        let url = link.url().as_str();
        let named = || self.name_of(link.host(), url);
        let why = (link.found_on(), link.not_by());
        let judge = |site: &Shared| read(site).site.judge(url, why, named);
        // The usual case: its site is looked at where it lies.
        let hosts = self.of_hosts.read().unwrap_or_else(PoisonError::into_inner);
        let judged = hosts.get(link.host().as_str()).map(judge);
        drop(hosts);
        let judged = judged.or_else(|| Some(judge(&self.site(link.host())?)));
        let Some((dropped, priority)) = judged else {
            return Verdict::Pass;
        };
        if let Some(priority) = priority {
            link.set_priority(priority.min(link.priority()));
        }
        dropped.map_or(Verdict::Pass, Verdict::Drop)
    }

    fn generation(&self, host: &HostKey) -> u64 {
        self.with_site(host, Site::generation).unwrap_or(0)
    }

    fn wants_refetch(&self, admitted: &Admitted) -> bool {
        let wants =
            |site: &Site| site.wants_refetch(admitted.url.as_url(), admitted.probe.is_some());
        (self.with_site(admitted.url.host(), wants)).unwrap_or(false)
    }

    fn page_name(&self, url: &CanonicalUrl) -> Option<u64> {
        let named = || self.name_of(url.host(), url.as_str());
        self.with_site(url.host(), |site| site.page_name(url.as_str(), named))?
    }

    fn observe(&self, seen: &Observation<'_>, effects: &mut Effects) {
        let url = &seen.url.url;
        let event = match seen.outcome {
            Outcome::Fetched(page) if page.is_success() => {
                let Some(text) = text_of(page) else {
                    self.tell_pageless(url, effects);
                    return;
                };
                Event::Page {
                    url: Cow::Borrowed(url.as_url()),
                    text,
                    canonical: seen.points_to.map(nodust_frontier::CanonicalUrl::as_str),
                    probed: seen.url.probe.map(|prediction| prediction.belief),
                    named: None,
                    found_on: seen.url.found_on,
                    refetched: refetched_of(page),
                }
            }
            Outcome::Redirected { .. } => {
                let Some(target) = seen.points_to else { return };
                Event::Redirect {
                    source: url.as_str(),
                    target: target.as_str(),
                    // Once is enough.
                    probed: (seen.url.probe.map(|prediction| prediction.belief))
                        .filter(|_| !effects.probe_is_judged),
                    found_on: seen.url.found_on,
                }
            }
            // What is said of a site of which next to nothing else is known helps nobody, and would only fill its journal.
            Outcome::Fetched(page)
                if matches!(page.status, 404 | 410)
                    && self.with_site(url.host(), Site::is_warming) == Some(false) =>
            {
                Event::Gone {
                    url: url.as_str(),
                    probed: seen.url.probe.map(|prediction| prediction.belief),
                }
            }
            _ => {
                self.tell_pageless(url, effects);
                return;
            }
        };
        self.tell(url.host(), event, effects);
        self.tell_abroad(seen, effects);
    }

    fn belief(&self, belief: BeliefId) -> Option<BeliefRecord> {
        self.all_sites()
            .iter()
            .find_map(|site| read(site).site.record(belief))
    }

    fn beliefs(&self, each: &mut dyn FnMut(BeliefRecord)) {
        for site in self.all_sites() {
            read(&site).site.records(each);
        }
    }

    fn carried(&self, each: &mut dyn FnMut(BeliefId, String)) {
        for site in self.all_sites() {
            read(&site).site.carried(&mut |id, belief| {
                let belief = serde_json::to_string(&belief).expect("texts and numbers are JSON");
                each(id, belief);
            });
        }
    }

    fn muted(&self, link: &Candidate, each: &mut dyn FnMut(BeliefRecord)) {
        self.with_site(link.host(), |site| site.muted(link.url().as_str(), each));
    }

    fn remarks(&self, link: &Candidate, each: &mut dyn FnMut(String)) {
        let url = link.url().as_str();
        let named = self.name_of(link.host(), url);
        self.with_site(link.host(), |site| {
            site.remarks(url, (link.found_on(), named), each);
        });
    }

    fn belief_generation(&self, belief: BeliefId) -> u64 {
        lock(&self.draws).get(&belief).copied().unwrap_or(0)
    }

    fn restore(&self, key: &str, value: &[u8]) -> Result<(), String> {
        let unknown = || "its name means nothing to this program".to_owned();
        let (site, rest) = key.split_once('/').ok_or_else(unknown)?;
        let mut found = lock(&self.found);
        let found = match found.get_mut(site) {
            Some(found) => found,
            None => found.entry(site.to_owned()).or_default(),
        };
        found.take(site, rest, value).ok_or_else(unknown)
    }

    fn restored(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let found = std::mem::take(&mut *lock(&self.found));
        let mut sites = self.sites.write().unwrap_or_else(PoisonError::into_inner);
        for (name, found) in found {
            if site_of(&name) != name {
                // Of a program for which ports of a domain were sites: told once, and swept away.
                problems.push(format!("{name}: what was learned of it is learned anew"));
                lock(&self.garbage).extend(found.into_keys());
                continue;
            }
            let (site, kept) = found.assemble(&name, &self.config, &mut problems);
            if kept.is_due(&site) {
                lock(&self.due).insert(name.as_str().into());
            }
            lock(&self.draws).extend(site.draws());
            for page in site.awaited() {
                lock(&self.abroad).wait(&name, page);
            }
            let mut known = Known::new(site, kept);
            self.import(&mut known);
            self.weigh(&mut known);
            let shared = Arc::new(RwLock::new(known));
            self.check([Arc::clone(&shared)]);
            sites.insert(name.into(), shared);
        }
        problems
    }

    fn checkpoint(&self, effects: &mut Effects) {
        self.heed_rules(effects);
        if effects.forgets_state {
            return;
        }
        let garbage = std::mem::take(&mut *lock(&self.garbage));
        (effects.state).extend(garbage.into_iter().map(|key| (key, None)));
        // Locked for no longer than that: other threads lock it behind a site.
        let due = std::mem::take(&mut *lock(&self.due));
        for name in due {
            let sites = self.sites.read().unwrap_or_else(PoisonError::into_inner);
            let Some(shared) = sites.get(&name).cloned() else {
                continue;
            };
            drop(sites);
            let mut known = write(&shared);
            let Known { site, kept, .. } = &mut *known;
            kept.write_down(site, &mut effects.state);
        }
    }
}

#[cfg(test)]
mod tests {
    use nodust_frontier::{Effects, Middleware as _};

    use super::{Predict, site_of};
    use crate::predict::PredictConfig;

    #[test]
    fn what_is_kept_of_a_port_of_a_domain_is_told_once_and_swept_away() {
        let restored = |keys: &[&str]| {
            let predict = Predict::new(PredictConfig::default());
            for key in keys {
                predict.restore(key, b"of an earlier program").unwrap();
            }
            let problems = predict.restored().len();
            let mut effects = Effects::default();
            predict.checkpoint(&mut effects);
            (problems, effects.state)
        };
        let keys = [
            "e.org:8080/c/0200000001/1",
            "e.org:8080/h",
            "e.org:8080/j/0000000000000007",
        ];
        let (problems, swept) = restored(&keys);
        assert_eq!(problems, 1);
        let mut gone: Vec<&str> = swept.iter().map(|(key, _)| &**key).collect();
        gone.sort_unstable();
        assert_eq!(gone, keys);
        assert!(swept.iter().all(|(_, value)| value.is_none()));
        assert_eq!(restored(&[]), (0, Vec::new()));
    }

    #[test]
    fn ports_of_a_domain_are_one_site_and_those_of_an_address_are_not() {
        for host in ["e.org", "www.e.org", "e.org:8080", "m.e.org:81"] {
            assert_eq!(site_of(host), "e.org");
        }
        for host in [
            "127.0.0.1:81",
            "127.0.0.1",
            "localhost:81",
            "[::1]:81",
            "[::1]",
            "build",
        ] {
            assert_eq!(site_of(host), host);
        }
        for host in ["www.app.internal", "app.internal:3000"] {
            assert_eq!(site_of(host), "app.internal");
        }
    }
}
