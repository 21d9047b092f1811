//! Gives another spelling of a class its chance when the first brought no page.
//!
//! A class's page may not be available under the spelling that came first: it cannot be fetched, or it redirects to where other
//! classes redirect, too. (That may be a login that an old session leads to, or the home page, because nobody asks for `http:`
//! any more. A URL that alone leads to its page is another matter: its other spellings lead there as well.) Then the spellings
//! that were dropped in its favour are fetched one by one, before anything else of their host, so that their fate is known
//! before hundreds more are dropped. A redirect is followed to its end before it counts as a failure: a cookie may be set on
//! the way.
//!
//! Whether tries pay off is counted by way (`way.rs`). Where they do not, they become rare, and classes that were passed over
//! wait. Once a try brings a page after all, those classes get their chance, the latest first.

mod give;
mod record;
mod table;
mod way;

use std::collections::BTreeMap;

pub(super) use give::{FIRST, Page, classes_of};
use record::{Chance, Leader, Sink, Trial};
use table::Table;
use way::{WayName, Ways};

use crate::{Commit, Fingerprint, HostKey, Store, StoreError};

/// Further spellings of a class that are fetched, one by one: those that wait in the ledger, or else the next that are found.
const MOST_OF_CLASS: u8 = 2;

/// Where earlier programs, which counted by place, kept what they knew. It is of another form, and not read.
const OUTDATED: [&str; 2] = ["frontier/chance/", "frontier/sink/"];
/// Records of earlier programs that are removed in one commit.
const REMOVED_AT_ONCE: usize = 256;

/// Which classes have a chance left.
#[derive(Debug, Default)]
pub(super) struct Chances {
    classes: Table<Chance>,
    sinks: Table<Sink>,
    ways: Table<Ways>,
    /// Classes that wait, by their way and when they began to.
    waiting: BTreeMap<(WayName, u64), u64>,
    /// Keys of what earlier programs left in the store.
    outdated: Vec<String>,
}

impl Chances {
    pub(super) fn load(store: &dyn Store) -> Result<Self, StoreError> {
        let classes: Table<Chance> = Table::load(store)?;
        let waiting = (classes.iter())
            .filter_map(|(class, chance)| Some(((chance.way?, chance.waits?), class)))
            .collect();
        let mut outdated = Vec::new();
        for prefix in OUTDATED {
            store.state_scan(prefix, &mut |key, _| outdated.push(key.to_owned()))?;
        }
        Ok(Self {
            classes,
            sinks: Table::load(store)?,
            ways: Table::load(store)?,
            waiting,
            outdated,
        })
    }

    /// Adds what moved to a commit.
    pub(super) fn write(&mut self, commit: &mut Commit) {
        self.classes.write(commit);
        self.sinks.write(commit);
        self.ways.write(commit);
        let some = self.outdated.len().min(REMOVED_AT_ONCE);
        let removed = self.outdated.drain(..some).map(|key| (key, None));
        commit.state.extend(removed);
    }

    /// Whether a link of this class is fetched though the class is known: that takes a chance.
    pub(super) fn take(&mut self, class: Fingerprint, key: Fingerprint) -> bool {
        self.may_try(class) && self.is_tried(class, key)
    }

    /// Whether a class has a chance left, and none is being taken.
    pub(super) fn may_try(&self, class: Fingerprint) -> bool {
        let chance = self.classes.get(class.url());
        chance.is_some_and(|chance| chance.taken < MOST_OF_CLASS && chance.trial.is_none())
    }

    /// Whether the spelling `key` of a class that may is tried: not if tries of its way do not pay. Then it waits.
    fn is_tried(&mut self, class: Fingerprint, key: Fingerprint) -> bool {
        let Some(chance) = self.classes.get(class.url()) else {
            return false;
        };
        let (way, waits) = (chance.way, chance.waits);
        let is_tried = way.is_none_or(|way| self.ways.of(way.host).is_tried(way.way));
        if is_tried {
            self.try_next(class, key);
        } else if let (Some(way), None) = (way, waits) {
            self.wait(class, way);
        }
        is_tried
    }

    /// The spelling `key` of a class is tried.
    fn try_next(&mut self, class: Fingerprint, key: Fingerprint) {
        self.wait_no_more(class);
        let chance = self.classes.of(class.url());
        chance.taken += 1;
        chance.trial = Some(Trial {
            key: key.url(),
            is_shared: false,
        });
    }

    fn wait(&mut self, class: Fingerprint, way: WayName) {
        let last = self.waiting_on(way).next();
        let at = last.map_or(0, |(at, _)| at + 1);
        if let Some(chance) = self.classes.get_mut(class.url()) {
            chance.waits = Some(at);
            self.waiting.insert((way, at), class.url());
        }
        // Of classes that made room, some still stand here.
        if self.waiting.len() > 2 * <Chance as table::Record>::MOST {
            let classes = &self.classes;
            (self.waiting).retain(|(_, at), class| {
                classes.get(*class).and_then(|chance| chance.waits) == Some(*at)
            });
        }
    }

    fn wait_no_more(&mut self, class: Fingerprint) {
        let Some(chance) = self.classes.get(class.url()) else {
            return;
        };
        if let (Some(way), Some(at)) = (chance.way, chance.waits) {
            self.waiting.remove(&(way, at));
            self.classes.of(class.url()).waits = None;
        }
    }

    /// Classes that wait on a way, the latest first.
    fn waiting_on(&self, way: WayName) -> impl Iterator<Item = (u64, u64)> {
        let all = self.waiting.range((way, 0)..=(way, u64::MAX));
        all.rev().map(|((_, at), class)| (*at, *class))
    }

    /// The class that began to wait last on a way, with its host; it waits no more.
    fn next_waiting(&mut self, way: WayName) -> Option<(HostKey, Fingerprint)> {
        loop {
            let (at, name) = self.waiting_on(way).next()?;
            self.waiting.remove(&(way, at));
            let chance = self.classes.get(name);
            if chance.is_some_and(|chance| chance.waits == Some(at))
                && let Some(chance) = self.classes.get_mut(name)
            {
                chance.waits = None;
                return chance.class.clone();
            }
        }
    }

    /// The page of a class is not to be had under one spelling, which led this way.
    fn lost(&mut self, host: &HostKey, class: Fingerprint, way: Option<WayName>) {
        let way = way.map(|way| self.counted_as(way));
        let chance = self.classes.of(class.url());
        chance.class.get_or_insert_with(|| (host.clone(), class));
        chance.way = chance.way.or(way);
    }

    /// The host on which the page of a class was not to be had first: there the ledger has its other spellings.
    fn home_of(&self, class: Fingerprint) -> Option<HostKey> {
        let chance = self.classes.get(class.url())?;
        chance.class.as_ref().map(|(host, _)| host.clone())
    }

    /// The name under which a way is counted.
    fn counted_as(&mut self, WayName { host, way }: WayName) -> WayName {
        let way = self.ways.of(host).counted_as(way);
        WayName { host, way }
    }

    /// Of some classes, the one whose trial is this URL.
    fn on_trial(
        &self,
        mut classes: impl Iterator<Item = Fingerprint>,
        key: Fingerprint,
    ) -> Option<Fingerprint> {
        classes.find(|class| {
            let trial = self
                .classes
                .get(class.url())
                .and_then(|chance| chance.trial);
            trial.is_some_and(|trial| trial.key == key.url())
        })
    }

    /// What the page of a class was looked for under leads on to a URL that is fetched, too.
    fn leads_on(&mut self, class: Fingerprint, key: Fingerprint, is_shared: bool) {
        if let Some(chance) = self.classes.get_mut(class.url()) {
            chance.trial = Some(Trial {
                key: key.url(),
                is_shared,
            });
        }
    }

    /// A spelling that waits is of a class no more; if it was on trial, another may be.
    pub(super) fn leaves_class(&mut self, class: Fingerprint, key: Fingerprint) {
        if self.on_trial([class].into_iter(), key).is_some()
            && let Some(chance) = self.classes.get_mut(class.url())
        {
            chance.trial = None;
        }
    }

    /// The trial of a class has ended, and brought its page or did not. Its way, if that was a further spelling, and how many that
    /// wait on it may be tried.
    fn has_ended(&mut self, class: Fingerprint, has_brought: bool) -> Option<(WayName, usize)> {
        let chance = self.classes.get_mut(class.url())?;
        chance.trial = None;
        let (way, taken) = (chance.way, chance.taken);
        if has_brought {
            self.had(class);
        }
        let way = way.filter(|_| taken > 0)?;
        let ways = self.ways.of(way.host);
        let more = if has_brought {
            ways.has_brought(way.way)
        } else {
            ways.was_in_vain(way.way)
        };
        Some((way, more))
    }

    /// The page of a class was fetched, and nothing more of it is.
    fn had(&mut self, class: Fingerprint) {
        self.wait_no_more(class);
        self.classes.remove(class.url());
    }

    /// A URL leads to a sink: whether any did before, and those for which that is no page of their own.
    fn leads(&mut self, sink: u64, leader: Leader) -> (bool, Vec<Leader>) {
        let was_known = self.sinks.get(sink).is_some();
        if let Some(known) = self.sinks.get(sink).and_then(|known| known.only.as_ref())
            && known
                .classes()
                .any(|class| leader.classes().any(|own| own == class))
        {
            return (true, Vec::new());
        }
        let known = self.sinks.of(sink);
        if was_known {
            return (
                true,
                known.only.take().into_iter().chain([leader]).collect(),
            );
        }
        known.only = Some(leader);
        (false, Vec::new())
    }

    /// Whether nothing is known of a class.
    fn is_new(&self, class: Fingerprint) -> bool {
        self.classes.get(class.url()).is_none()
    }

    /// Whether a trial led to where others lead.
    fn is_shared(&self, class: Fingerprint) -> bool {
        let trial = self
            .classes
            .get(class.url())
            .and_then(|chance| chance.trial);
        trial.is_some_and(|trial| trial.is_shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CanonicalUrl, MemoryStore};

    fn class(number: u64) -> Fingerprint {
        Fingerprint::from_parts(1, number)
    }

    fn leader(number: u64) -> Leader {
        let at = |path: &str| CanonicalUrl::resolve(path, None).unwrap();
        let source = at(&format!("http://h.example/p/{number}"));
        Leader {
            host: source.host().clone(),
            class: class(number),
            first: class(number),
            way: WayName::of_redirect(&source, Some(&at("http://h.example/login"))),
        }
    }

    /// Classes that lead to one place, and of which another spelling leads there, too.
    fn in_vain(chances: &mut Chances, numbers: impl Iterator<Item = u64>) {
        for number in numbers {
            for lost in chances.leads(7, leader(number)).1 {
                chances.lost(&lost.host, lost.class, Some(lost.way));
                if chances.take(lost.class, class(number)) {
                    chances.has_ended(lost.class, false);
                }
            }
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let store = MemoryStore::default();
        let mut chances = Chances::default();
        in_vain(&mut chances, 0..30);
        assert!(chances.leads(8, leader(40)).1.is_empty());
        assert!(chances.waiting.len() > 15);
        let mut commit = Commit::default();
        chances.write(&mut commit);
        store.commit(commit).unwrap();
        let read = Chances::load(&store).unwrap();
        let told = |chances: &Chances| {
            let mut commit = Commit::default();
            chances.classes.write_all(&mut commit);
            chances.sinks.write_all(&mut commit);
            chances.ways.write_all(&mut commit);
            commit.state.sort_unstable();
            (commit.state, chances.waiting.clone())
        };
        assert_eq!(told(&read), told(&chances));
    }

    #[test]
    fn those_that_were_passed_over_get_their_chance_once_one_brings_a_page_the_latest_first() {
        let mut chances = Chances::default();
        in_vain(&mut chances, 0..17);
        let way = chances.counted_as(leader(0).way);
        chances.classes.of(99).way = Some(way);
        chances.try_next(class(99), class(99));
        assert_eq!(chances.has_ended(class(99), true), Some((way, 8)));
        let next = |chances: &mut Chances| chances.next_waiting(way).map(|(_, class)| class.url());
        assert_eq!(next(&mut chances), Some(16));
        chances.had(class(14));
        assert_eq!(
            [next(&mut chances), next(&mut chances)],
            [Some(13), Some(12)]
        );
    }

    /// A rule that was learned while it waited may put it into another class, and nothing would ever come of the trial.
    #[test]
    fn a_class_that_a_trial_has_left_has_its_other_chance() {
        let mut chances = Chances::default();
        let host = HostKey::from_text("h.example");
        chances.lost(&host, class(1), None);
        assert!(chances.take(class(1), class(11)) && !chances.take(class(1), class(12)));
        chances.leaves_class(class(1), class(12));
        assert!(!chances.may_try(class(1)), "that was another spelling");
        chances.leaves_class(class(1), class(11));
        assert!(chances.take(class(1), class(12)));
        chances.has_ended(class(1), false);
        assert!(!chances.take(class(1), class(13)), "two a class");
    }

    #[test]
    fn classes_and_those_that_wait_are_bounded() {
        let mut chances = Chances::default();
        in_vain(&mut chances, 0..(1 << 18));
        assert!(chances.classes.len() <= 1 << 16);
        assert!(chances.waiting.len() <= 1 << 17);
        assert!(!chances.may_try(class(0)));
        assert!(chances.may_try(class((1 << 18) - 1)));
    }

    #[test]
    fn what_earlier_programs_left_is_not_read_and_is_removed() {
        let store = MemoryStore::default();
        let keys = [
            "frontier/chance/0000000000000001",
            "frontier/sink/0000000000000002",
        ];
        let mut commit = Commit::default();
        (commit.state).extend(keys.map(|key| (key.to_owned(), Some(vec![1, 2, 3]))));
        store.commit(commit).unwrap();
        let mut chances = Chances::load(&store).unwrap();
        assert_eq!((chances.classes.len(), chances.sinks.len()), (0, 0));
        let mut commit = Commit::default();
        chances.write(&mut commit);
        store.commit(commit).unwrap();
        assert!(Chances::load(&store).unwrap().outdated.is_empty());
    }
}
