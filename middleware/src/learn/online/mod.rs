//! Learns rules while a crawl goes on.
//!
//! The [`Learner`] keeps the class and the content of every page that comes back. At growing numbers of pages, a host
//! gets a *lesson*: rules are learned from the first part of its pages and proved on those that came later
//! (`lesson.rs`). Proved rules are published to the [`RuleBook`] at the next checkpoint, so that a rule is in the store
//! before it drops its first link. A rule that a later page contradicts falls at once, and its links come back from the
//! ledger (`host.rs`).
//!
//! Lessons are heavy: whoever drives the frontier gives them a thread by calling
//! [`Middleware::work`](nodust_frontier::Middleware::work). If that was never called, each lesson is held, and its
//! rules published, with the page that made it due, so that a replay gives the same decisions each time.
//!
//! What a host has learned of a page is committed with that page (`state.rs`): a crawl that was killed goes on with the
//! pages, the rules and the doubts that it had.

mod audit;
mod early;
mod held;
mod host;
mod kept;
mod lesson;
mod observe;
mod redirect;
mod restore;
mod sources;
mod state;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use nodust_frontier::{BeliefId, BeliefRecord, Effects, Untried};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    abroad::Abroad,
    normalize::Equivalences,
    predict::kept::{Found, Kept},
    rules::{
        EVERYWHERE, Entry, Rule, RuleBook, RuleFile, RulesConfig, Site, SiteRules, Status,
        site_name, slices,
    },
};
use held::{Held, RuleSource};
pub(super) use host::Host;
use kept::{RulesFound, RulesKept};
use lesson::{Homework, Lesson};
pub use restore::rules_in_store;
use state::Event;

use super::{Options, barred::Barred};

/// Pages of a host before its first lesson.
const FIRST_LESSON: usize = 192;
/// URLs that a lesson learns from; later ones prove.
const MOST_SAMPLES: usize = 50_000;
/// Proposals that a round of a lesson tries.
const MOST_PROPOSALS: usize = 400;
/// Rules of a host.
const MOST_RULES: usize = 100;

/// Learns rules from what a crawl fetches, and publishes those that are proved.
///
/// Memory: about 600 bytes per page, for at most [`RulesConfig::max_pages`] pages of all hosts together, and at most as many URLs that
/// redirect. Later pages are judged by the rules and teach nothing. Time: some 0.1 ms per page for its signature, and lessons that together
/// look at each page about three times.
#[derive(Debug)]
pub struct Learner {
    book: Arc<RuleBook>,
    /// What was said by hand or by a file.
    file: RuleFile,
    /// Where in it each host stands.
    places: FxHashMap<Box<str>, usize>,
    same: Option<Equivalences>,
    options: Options,
    max_pages: usize,
    /// Later pages that must show a rule right, beyond those that its kind needs to be proposed.
    proof: u64,
    /// Rules of the file may fall.
    audits: bool,
    /// Those of them that it has for all hosts.
    for_all: Vec<Arc<Entry>>,
    /// Guards the names of sites on which no rule of the file is untried any more.
    tried: RwLock<FxHashSet<Box<str>>>,
    /// New rules are learned.
    proposes: bool,
    hosts: Mutex<FxHashMap<Box<str>, Shared>>,
    pages: AtomicUsize,
    /// URLs that redirect, of all hosts.
    sources: AtomicUsize,
    abroad: Mutex<Abroad>,
    /// Hosts that wait for a lesson, and lessons that wait to be published.
    due: Mutex<BTreeSet<Box<str>>>,
    done: Mutex<Vec<Lesson>>,
    /// Hosts that are to be written down.
    long: Mutex<BTreeSet<Box<str>>>,
    /// What the store holds, until it is put together.
    found: Mutex<BTreeMap<String, OfHost>>,
    has_worker: AtomicBool,
    /// The texts of all rules that ever acted, and how often they were activated.
    acted: Mutex<FxHashMap<BeliefId, (String, u32)>>,
}

/// A host, and what of it is in the store.
#[derive(Debug)]
struct Known {
    host: Host,
    kept: Kept,
    rules: RulesKept,
}

type Shared = Arc<Mutex<Known>>;

/// What the store holds of a host.
#[derive(Debug, Default)]
struct OfHost {
    rules: RulesFound,
    told: Option<Found>,
}

/// What a file says of a site's rules: those that it has, and those that a person has forbidden.
#[derive(Debug)]
struct Said {
    known: Vec<Rule>,
    vetoed: Vec<Rule>,
}

impl Said {
    fn barred(&self) -> Barred<'_> {
        Barred {
            known: &self.known,
            vetoed: &self.vetoed,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Learner {
    /// A learner that knows nothing yet. `same` is the static normalization that runs before the rules; the rules of
    /// `file` are put in force.
    pub fn new(
        book: Arc<RuleBook>,
        file: RuleFile,
        same: Option<Equivalences>,
        config: &RulesConfig,
    ) -> Self {
        let mut acted = FxHashMap::default();
        let mut of_hosts = Vec::new();
        let mut places = FxHashMap::default();
        for (at, site) in file.sites.iter().enumerate() {
            for host in &site.hosts {
                places.entry(host.as_str().into()).or_insert(at);
            }
            let rules = |name| site.compile_audited(name, config.audit, Vec::new(), []);
            if site.is_everywhere() {
                book.publish_everywhere(rules(EVERYWHERE));
                continue;
            }
            let name = site.name();
            let shared = Arc::new(rules(name));
            of_hosts.extend((site.hosts.iter()).map(|host| (host.clone(), Arc::clone(&shared))));
            if config.audit {
                acted.extend(
                    (site.audited()).map(|e| (e.rule.belief(name), (e.rule.to_string(), 1))),
                );
            }
        }
        // At once: each time all hosts are copied.
        book.publish_shared(&of_hosts);
        let for_all = file.site(EVERYWHERE).filter(|_| config.audit).into_iter();
        let for_all = for_all.flat_map(Site::audited).cloned();
        Self {
            book,
            for_all: for_all.map(Arc::new).collect(),
            tried: RwLock::default(),
            places,
            file,
            same,
            options: Options {
                max_samples: MOST_SAMPLES,
                max_proposals: MOST_PROPOSALS,
                max_rules: MOST_RULES,
                pieces: false,
                ..Options::default()
            },
            max_pages: config.max_pages,
            proof: u64::from(config.proof),
            audits: config.audit,
            proposes: config.learn,
            hosts: Mutex::default(),
            pages: AtomicUsize::new(0),
            sources: AtomicUsize::new(0),
            abroad: Mutex::default(),
            due: Mutex::default(),
            done: Mutex::default(),
            long: Mutex::default(),
            found: Mutex::default(),
            has_worker: AtomicBool::new(false),
            acted: Mutex::new(acted),
        }
    }

    /// The name of the site that a host belongs to.
    pub(crate) fn site_of<'h>(&'h self, host: &'h str) -> &'h str {
        let name = site_name(host);
        let site = self.in_file(name).filter(|site| !site.is_everywhere());
        site.map_or(name, Site::name)
    }

    /// What the file says of a host.
    fn in_file(&self, host: &str) -> Option<&Site> {
        let place = self.places.get(site_name(host))?;
        self.file.sites.get(*place)
    }

    /// The rules of the file that may fall on a site.
    fn audited(&self, name: &str) -> Vec<Held> {
        if !self.audits {
            return Vec::new();
        }
        let own = self.in_file(name);
        let said = own.into_iter().flat_map(|own| &own.rules);
        let said: FxHashSet<&Rule> = said.map(|entry| &entry.rule).collect();
        let for_all = self.for_all.iter().filter(|e| !said.contains(&e.rule));
        let own = own.into_iter().flat_map(Site::audited);
        let own = own.map(|entry| Held::said(Arc::new(entry.clone()), RuleSource::File));
        own.chain(for_all.map(|entry| Held::said(Arc::clone(entry), RuleSource::FileForAll)))
            .collect()
    }

    /// Whether pages of a site have anything to say here.
    fn listens_to(&self, name: &str) -> bool {
        let has_audited = |site: &Site| site.audited().next().is_some();
        self.proposes
            || self.audits
                && (!self.for_all.is_empty() || self.in_file(name).is_some_and(has_audited))
    }

    /// A site of which no page is known.
    fn new_host(&self, name: &str) -> Host {
        let mut host = Host::new(name, self.rules_of(name));
        host.heed_file(&self.audited(name), Barred::default());
        host
    }

    /// A rule of the file that has a part in taking a URL for a page that is known, on the word of `belief`, and of
    /// which its site has shown nothing yet.
    pub(crate) fn untried(&self, url: &url::Url, belief: BeliefId) -> Option<Untried> {
        let class = self.class_of(url);
        let name = self.site_of(slices(&class)?.1);
        let is_tried = |tried: &FxHashSet<Box<str>>| tried.contains(name);
        if !self.audits || is_tried(&self.tried.read().unwrap_or_else(PoisonError::into_inner)) {
            return None;
        }
        let shared = self.listens_to(name).then(|| self.host(name))?;
        let host = &lock(&shared).host;
        if !host.has_untried() {
            let mut tried = self.tried.write().unwrap_or_else(PoisonError::into_inner);
            tried.insert(name.into());
            return None;
        }
        host.untried(&class, belief)
    }

    pub(crate) fn class_of(&self, url: &url::Url) -> String {
        let class = self.same.as_ref().and_then(|same| same.class_of(url));
        class.unwrap_or_else(|| url.as_str().to_owned())
    }

    fn host(&self, name: &str) -> Shared {
        let mut hosts = lock(&self.hosts);
        if let Some(host) = hosts.get(name) {
            return Arc::clone(host);
        }
        let known = Known {
            host: self.new_host(name),
            kept: Kept::default(),
            rules: RulesKept::default(),
        };
        let known = Arc::new(Mutex::new(known));
        hosts.insert(name.into(), Arc::clone(&known));
        known
    }

    fn all_hosts(&self) -> Vec<Shared> {
        let mut hosts: Vec<_> = (lock(&self.hosts).iter())
            .map(|(name, host)| (name.clone(), Arc::clone(host)))
            .collect();
        hosts.sort_by(|a, b| a.0.cmp(&b.0));
        hosts.into_iter().map(|(_, host)| host).collect()
    }

    /// The rules in force on a host.
    fn rules_of(&self, name: &str) -> Arc<SiteRules> {
        self.book.read().site(name).cloned().unwrap_or_default()
    }

    /// Writes down what a host is told, if there is anybody who keeps it.
    fn journal(
        &self,
        host: &Host,
        kept: &mut Kept,
        packed: Option<Vec<u8>>,
        effects: &mut Effects,
    ) {
        let Some(packed) = packed.filter(|_| !effects.forgets_state) else {
            return;
        };
        kept.note(packed);
        kept.write_noted(host.name(), &mut effects.state);
        if kept.is_long(host.told()) {
            lock(&self.long).insert(host.name().into());
        }
    }

    /// Puts the rules of a host in force, and writes them down.
    fn publish(&self, known: &mut Known, effects: &mut Effects) {
        let Known { host, rules, .. } = known;
        self.put_in_force(host, effects);
        if !effects.forgets_state {
            rules.write(host, &mut effects.state);
        }
    }

    /// Puts the rules of a host in force, and names the pages fetched earlier by them.
    fn put_in_force(&self, host: &mut Host, effects: &mut Effects) {
        let name = host.name();
        let nothing = Site::default();
        let own = self.in_file(name).unwrap_or(&nothing);
        let rules = own.compile_audited(name, self.audits, host.fallen_of_file(), host.active());
        let rules = Arc::new(rules);
        let others = own.hosts.iter().filter(|other| *other != name);
        let hosts = others.map(String::as_str).chain([name]);
        let hosts: Vec<_> = (hosts.map(|host| (host.to_owned(), Arc::clone(&rules)))).collect();
        self.book.publish_shared(&hosts);
        host.put_in_force(self.rules_of(host.name()), &mut effects.known);
        let acted = host.rules().iter().filter(|held| held.activations > 0);
        lock(&self.acted).extend(acted.map(|held| {
            let rule = &held.entry.rule;
            (
                rule.belief(host.name()),
                (rule.to_string(), held.activations),
            )
        }));
    }

    /// What a person or a file has said of a site's rules.
    fn said(&self, name: &str) -> Said {
        let is_vetoed = |entry: &&Entry| entry.status == Status::Vetoed;
        let own = self.in_file(name).into_iter();
        let own = own.flat_map(|site| &site.rules);
        let of_all = self.in_file(EVERYWHERE).into_iter();
        let of_all = of_all.flat_map(|site| &site.rules).filter(is_vetoed);
        let (vetoed, known): (Vec<&Entry>, Vec<&Entry>) = own.chain(of_all).partition(is_vetoed);
        let rules = |entries: Vec<&Entry>| -> Vec<Rule> {
            let entries = entries.into_iter();
            entries.map(|entry| entry.rule.clone()).collect()
        };
        Said {
            known: rules(known),
            vetoed: rules(vetoed),
        }
    }

    fn hold(&self, homework: Homework) -> Lesson {
        let said = self.said(&homework.host);
        let barred = said.barred();
        homework.learn(&self.options, self.proof, barred)
    }

    /// Takes over what a lesson has shown, and publishes it.
    fn take_in(&self, known: &mut Known, lesson: Lesson, effects: &mut Effects) {
        let Known { host, kept, .. } = known;
        let changes = host.take_in(lesson);
        let outcome = Event::Lesson(Box::new(host.outcome()));
        self.journal(host, kept, Some(outcome.packed()), effects);
        if changes {
            self.publish(known, effects);
        }
    }

    /// Holds the lessons that are due on a thread of its own; `false` when there were none. From now on no page
    /// waits for a lesson: checkpoints publish.
    pub(crate) fn work(&self) -> bool {
        self.has_worker.store(true, Ordering::Relaxed);
        let due = std::mem::take(&mut *lock(&self.due));
        for name in &due {
            let homework = {
                let shared = self.host(name);
                let host = &mut lock(&shared).host;
                if !host.is_due() {
                    continue;
                }
                host.homework()
            };
            let lesson = self.hold(homework);
            lock(&self.done).push(lesson);
        }
        !due.is_empty()
    }

    /// Publishes what was learned, and writes down the hosts of which much was told.
    pub(crate) fn checkpoint(&self, effects: &mut Effects) {
        // Locked for no longer than that: hosts are asked for below, and other threads lock these behind a host.
        let done = std::mem::take(&mut *lock(&self.done));
        for lesson in done {
            let shared = self.host(&lesson.host);
            self.take_in(&mut lock(&shared), lesson, effects);
        }
        let long = std::mem::take(&mut *lock(&self.long));
        for name in long {
            let shared = self.host(&name);
            let mut known = lock(&shared);
            let Known { host, kept, rules } = &mut *known;
            if !host.is_warming() {
                kept.write_whole(&name, &|put| host.save(put), &mut effects.state);
            }
            if rules.are_outdated() && !effects.forgets_state {
                rules.write(host, &mut effects.state);
            }
        }
    }

    /// How often a belief was activated.
    pub(crate) fn activations(&self, belief: BeliefId) -> Option<u64> {
        let acted = lock(&self.acted);
        acted
            .get(&belief)
            .map(|(_, activations)| u64::from(*activations))
    }

    /// The text of a rule that acts or did.
    pub(crate) fn describe(&self, belief: BeliefId) -> Option<String> {
        Some(lock(&self.acted).get(&belief)?.0.clone())
    }

    fn find(&self, belief: BeliefId) -> Option<(String, Held)> {
        // One by one: none is locked while others are looked up.
        let hosts: Vec<Shared> = lock(&self.hosts).values().map(Arc::clone).collect();
        hosts.iter().find_map(|host| {
            let host = &lock(host).host;
            Some((host.name().to_owned(), host.held(belief)?.clone()))
        })
    }

    /// All that is to be said about a learned rule.
    pub(crate) fn record(&self, belief: BeliefId) -> Option<BeliefRecord> {
        let (host, held) = self.find(belief)?;
        Some(lesson::record(&host, &held))
    }

    /// Shows every rule that was ever tried.
    pub(crate) fn records(&self, each: &mut dyn FnMut(BeliefRecord)) {
        for host in self.all_hosts() {
            let host = &lock(&host).host;
            for held in host.rules().iter().filter(|held| held.is_news()) {
                each(lesson::record(host.name(), held));
            }
        }
    }
}

#[cfg(test)]
mod tests;
