//! Restores what an earlier process knew.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, atomic::Ordering},
};

use nodust_frontier::{BeliefId, Effects, StateStore, StoreError};

use super::{Known, Learner, OfHost, RulesFound, held::Held, host::Host, kept, lock, state::Event};
use crate::{
    predict::{codec::In, kept::Kept, parts::Parts},
    rules::{RULES, RuleFile, Site},
};

impl Learner {
    /// Takes an entry of the store.
    pub(crate) fn restore(&self, key: &str, value: &[u8]) -> Result<(), String> {
        let unknown = || "its name means nothing to this program".to_owned();
        let (name, rest) = key.split_once('/').ok_or_else(unknown)?;
        let _span = tracing::warn_span!("restore", host = name).entered();
        let mut found = lock(&self.found);
        let of_host = found.entry(name.to_owned()).or_default();
        if let Some(number) = kept::number(rest) {
            return of_host.rules.take(number, value);
        }
        let told = of_host.told.get_or_insert_default();
        told.take(name, rest, value).ok_or_else(unknown)
    }

    /// Puts together what was taken from the store, and answers what could not be.
    pub(crate) fn restored(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for (name, OfHost { rules, told }) in std::mem::take(&mut *lock(&self.found)) {
            let _span = tracing::warn_span!("restore", host = name).entered();
            let (rules, rules_kept) = rules.put_together();
            let (host, kept) = if let Some(told) = told {
                told.put_together(
                    &name,
                    &mut problems,
                    // The pages are gone; the rules may still be there.
                    |kept| self.of_rules(&name, rules, kept),
                    |parts| self.of_parts(&name, parts),
                    |host, from| self.tell_again(host, from),
                )
            } else {
                let mut kept = Kept::default();
                (self.of_rules(&name, rules, &mut kept), kept)
            };
            let (mut host, mut kept, mut rules_kept) = (host, kept, rules_kept);
            if self.heed_file(&mut host) {
                // What comes from now on is told again without them.
                kept.note(Event::Lesson(Box::new(host.outcome())).packed());
                rules_kept.outdate();
                lock(&self.long).insert(name.as_str().into());
            }
            self.wait_abroad(&name, host.sources.goals());
            self.pages.fetch_add(host.told(), Ordering::Relaxed);
            self.sources.fetch_add(host.sources(), Ordering::Relaxed);
            if self.proposes && host.is_due() {
                lock(&self.due).insert(name.as_str().into());
            }
            if kept.is_long(host.told()) {
                lock(&self.long).insert(name.as_str().into());
            }
            let known = Arc::new(Mutex::new(Known {
                host,
                kept,
                rules: rules_kept,
            }));
            lock(&self.hosts).insert(name.into(), known);
        }
        problems
    }

    /// Heeds what the file says now; `true` when rules that the crawl has learned are not any more. Nobody answers for these: what they
    /// dropped is judged again.
    fn heed_file(&self, host: &mut Host) -> bool {
        let name = host.name().to_owned();
        let learned: Vec<BeliefId> = host.active().map(|(rule, _)| rule.belief(&name)).collect();
        let said = self.said(&name);
        let changes = host.heed_file(&self.audited(&name), said.barred());
        if changes && host.has_published() {
            self.publish_again(host);
        }
        let mut gone = learned;
        gone.retain(|belief| host.held(*belief).is_none());
        let mut acted = lock(&self.acted);
        for belief in &gone {
            acted.remove(belief);
        }
        !gone.is_empty()
    }

    /// A host of which only the rules are known.
    fn of_rules(&self, name: &str, rules: Vec<Held>, kept: &mut Kept) -> Host {
        let mut host = self.new_host(name);
        if !rules.is_empty() {
            host.restore(rules);
            kept.note(Event::Lesson(Box::new(host.outcome())).packed());
            self.publish_again(&mut host);
        }
        host
    }

    fn of_parts(&self, name: &str, parts: Option<&Parts>) -> Option<Host> {
        let Some(parts) = parts else {
            return Some(self.new_host(name));
        };
        let mut host = Host::load(name, parts)?;
        if host.has_published() {
            self.publish_again(&mut host);
        } else {
            host.find_classes(self.rules_of(name));
        }
        Some(host)
    }

    fn tell_again(&self, host: &mut Host, from: &mut In<'_>) -> Option<()> {
        if Event::read(from)?.tell(host) {
            self.publish_again(host);
        }
        Some(())
    }

    /// Puts in force what was, when nothing of it is to be written down any more.
    fn publish_again(&self, host: &mut Host) {
        let mut quiet = Effects {
            forgets_state: true,
            ..Effects::default()
        };
        self.put_in_force(host, &mut quiet);
    }
}

/// The rules that a crawl has learned, from its store.
///
/// # Errors
/// If the store cannot be read. Rules that cannot be read are left out, and the log says so.
pub fn rules_in_store(store: &dyn StateStore) -> Result<RuleFile, StoreError> {
    let prefix = format!("stage/{RULES}/");
    let mut hosts: BTreeMap<String, RulesFound> = BTreeMap::new();
    store.state_scan(&prefix, &mut |key, value| {
        let Some((host, rest)) = key[prefix.len()..].split_once('/') else {
            return;
        };
        let Some(number) = kept::number(rest) else {
            return;
        };
        let found = hosts.entry(host.to_owned()).or_default();
        let _span = tracing::warn_span!("restore", host).entered();
        if let Err(why) = found.take(number, value) {
            tracing::warn!(host, "its rules cannot be read: {why}");
        }
    })?;
    let site = |(host, found): (String, RulesFound)| {
        let rules = found.put_together().0.into_iter();
        Site {
            hosts: vec![host],
            rules: rules.map(|held| Arc::unwrap_or_clone(held.entry)).collect(),
        }
    };
    let taught = hosts.into_iter().filter(|(_, found)| found.is_some());
    Ok(RuleFile::new(taught.map(site).collect()))
}
